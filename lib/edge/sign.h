/* Playing the provider: the same recipe, turned round. */
#ifndef HO_EDGE_SIGN_H
#define HO_EDGE_SIGN_H

#include "base/buf.h"
#include "edge/recipe.h"

struct sign_input {
    struct span id, type; /* of the event; become headers where the recipe has them there */
    int64_t time_us;      /* the signature's time */
    struct span key;      /* decoded: endpoint_signing_key; for public keys, the private one's PEM */
    struct span body;
    struct span content_type;
    struct span url;      /* public URL as the provider knows it: some recipes sign it */
    const struct source *source; /* for param:NAME */
};

/* What goes on the wire beside in->body. All emptied first. */
struct signed_request {
    struct buf headers; /* "name: value\n" lines: content type, id, type, time, needs, signature */
    struct buf body;    /* where the signature stands in the body: the body with it; else empty */
    struct buf query;   /* to be added to the URL (behind ? or &) before it is posted to; else empty.
                           Recipes that sign the URL sign in->url with it */
};

/* returns HO_OK | HO_PERMANENT (this recipe cannot be signed - says why -, or a buffer is full). */
enum ho_code sign_request(const struct recipe *r, const struct sign_input *in,
                          struct signed_request *out, struct ho_err *err) HO_MUST_CHECK;

/* Appends a sample body: the recipe's first `sample-for` that fits the type, else its `sample`, with
 * its references filled in.
 * out: *content_type - constant. returns HO_OK | HO_PERMANENT (no sample, or body is full). */
enum ho_code sign_sample(const struct recipe *r, struct span id, struct span type, int64_t time_us,
                         struct buf *body, const char **content_type, struct ho_err *err)
    HO_MUST_CHECK;

/* The event type when the caller names none. in: reply - of a source in reply mode */
const char *sign_default_type(const struct recipe *r, bool reply);

#endif
