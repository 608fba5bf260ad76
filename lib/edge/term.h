/* One place a recipe may look at, with filters: `header:x-github-event`, `json:/data/object/id`,
 * `body|sha256|hex`. A closed list, checked when the recipe is loaded.
 *
 *   body           the octets received
 *   item           the event's own part of a batch, byte for byte as it stands there
 *   method         GET, POST, ...
 *   url            the public URL that was asked for (edge/url.h: the candidates are tried in turn)
 *   path           path and query as received
 *   header:NAME    a header of the request; empty counts as absent
 *   header:*NAME   NAME behind the prefix of the header family that the request uses
 *   query:NAME     a field of the query
 *   form:NAME      a field of a body that is a form, urlencoded or multipart (core/document.h)
 *   formsorted     all fields of a form as Twilio signs them: names in byte order, each followed by
 *                  its distinct values in byte order (the name before each); when no form
 *                  absent, and "" where bytes are compared or signed; absent when a file is in it,
 *                  which nothing would sign
 *   json:/POINTER  a string or whole number of the body's document (core/document.h); where bytes
 *                  are compared or signed also any other scalar, as it was written
 *   json:./POINTER the same inside the item of a batch
 *   claim:NAME     a member of the JWT's payload, or the /POINTER; jose:NAME of its header
 *   ts             the signature's time as written
 *   sig.NAME       a field of the signature header
 *   secret         the key (in `signed` of a digest, and in `key`)
 *   param:NAME     a setting of the source
 *   arrival        another value for every request, for senders that name nothing: in `id` only
 *
 * Filters (edge/filter.h) behind `|` make another value of it: `|sha256|hex`. */
#ifndef HO_EDGE_TERM_H
#define HO_EDGE_TERM_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "core/settings.h"
#include "edge/filter.h"
#include "edge/request.h"

enum term_kind {
    TERM_BODY, TERM_ITEM, TERM_METHOD, TERM_URL, TERM_PATH, TERM_HEADER, TERM_FAMILY, TERM_QUERY,
    TERM_FORM, TERM_FORMSORTED, TERM_JSON, TERM_ITEM_JSON, TERM_CLAIM, TERM_JOSE, TERM_TS, TERM_SIG,
    TERM_SECRET, TERM_PARAM, TERM_ARRIVAL
};

#define TERM_NAME_MAX 128  /* bytes of a header's name with its family */
#define TERM_FIELD_MAX 200 /* bytes of any other name, or of a pointer */

struct term {
    enum term_kind kind;
    char *name; /* heap; header names lower case, pointers with their '/' (claims too); or NULL */
    struct filter *filters; /* heap, in order; NULL for none */
    size_t n_filters;
};

#define SIG_FIELDS_MAX 32

struct sig_fields {
    struct {
        struct span name, value;
    } at[SIG_FIELDS_MAX];
    size_t n;
};

/* What terms may look at; a part that is not set is absent. */
struct term_view {
    const struct request *request;
    const char *family;           /* prefix for header:*NAME ("svix-") */
    struct span ts;
    const struct sig_fields *sig; /* fields of the signature header that are no signatures */
    const struct json *doc;
    struct span text;             /* of doc, where that is JSON; for values that no parser keeps */
    const struct json_node *item; /* of a batch */
    struct span item_text;        /* of it; there whenever item is */
    const struct json *claims, *jose;
    struct span url;              /* the candidate at hand */
    struct span secret;           /* the key at hand */
    const struct source *source;  /* for param:NAME */
    struct span arrival;          /* the delivery's correlation id */
    struct form_texts *forms;     /* edge/formsort.h, of this body; NULL: made each time */
    bool exact;                   /* bytes are compared or signed: any scalar counts as written */
};

enum term_result {
    TERM_OK,
    TERM_ABSENT, /* not there, empty, no string or whole number, or a filter does not fit */
    TERM_TWICE,  /* a header, query or form field that stands more than once, or a header that the
                    server joined with ", " (an RFC 5322 date is none) */
    TERM_FULL    /* longer than tmp may hold, or a form that is not whole */
};

/* Parses one term. out: *out owned (term_free), empty on failure.
 * returns HO_OK | HO_REJECT (names the word and the known ones). */
enum ho_code term_parse(struct span text, struct term *out, struct ho_err *err) HO_MUST_CHECK;
void term_free(struct term *t);

/* The value. out: *out lives as long as the view's parts and tmp (where the value has to be made it
 * is what was appended to tmp, which may be NULL for direct terms); SPAN_NONE unless TERM_OK. */
enum term_result term_value(const struct term *t, const struct term_view *v, struct buf *tmp,
                            struct span *out);

/* Appends a scalar of a document by the rules of json:/POINTER; node may be NULL. */
enum term_result term_scalar(const struct json_node *node, bool exact, struct buf *out);

/* The source's setting of that name, for param:NAME; SPAN_NONE when there is none. */
struct span term_param(const struct term_view *v, const char *name);

/* Whether the value can be told from head and secret alone, before the body is read. */
bool term_needs_body(const struct term *t);

/* Whether the value is a span of the request, the key or a setting: nothing has to be made. */
bool term_is_direct(const struct term *t);

#define TERM_SAID_MAX (TERM_FIELD_MAX + 16)

/* A term's place as a person writes it, without its filters: "x-signature" for a header,
 * "form:token", "json:/id". */
void term_say(const struct term *t, const char *family, char out[TERM_SAID_MAX]);

/* The full name of a header term; family may be NULL for those that need none. */
void term_header_name(const struct term *t, const char *family, char out[TERM_NAME_MAX]);

#endif
