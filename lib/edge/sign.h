/* Playing the provider: the same recipe, turned round. */
#ifndef HO_EDGE_SIGN_H
#define HO_EDGE_SIGN_H

#include "base/buf.h"
#include "edge/recipe.h"

struct sign_input {
    struct span id, type; /* of the event; become headers where the recipe has them there */
    int64_t time_us;      /* the signature's time */
    struct span key;      /* decoded (endpoint.keys) */
    struct span body;
    struct span content_type;
};

/* Appends "Name: value\n" lines: signature, time, id, type and what else the recipe needs.
 * returns HO_OK | HO_PERMANENT (this recipe cannot be signed). */
enum ho_code sign_request(const struct recipe *r, const struct sign_input *in, struct buf *headers,
                          struct ho_err *err) HO_MUST_CHECK;

/* A sample body from the recipe's `sample`, references filled in; content type into *type.
 * default_type: the event type when the caller names none. */
enum ho_code sign_sample(const struct recipe *r, struct span id, struct span type, int64_t time_us,
                         struct buf *body, const char **content_type, struct ho_err *err)
    HO_MUST_CHECK;
const char *sign_default_type(const struct recipe *r);

#endif
