/* One place a recipe may look at: `header:x-github-event`, `json:/data/object/id`,
 * `body|sha256|hex`. A closed list, checked when the recipe is loaded.
 *
 *   body           the octets received
 *   header:NAME    a header of the request; empty counts as absent
 *   header:*NAME   NAME behind the prefix of the header family that the request uses
 *   form:NAME      a field of a body whose type says that it is a form
 *   json:/POINTER  a string or whole number of the body's document (core/document.h)
 *   ts             the signature's time as written
 *   sig.NAME       a field of the signature header
 *
 * `|sha256|hex` behind any of them takes the digest of the value in its place. */
#ifndef HO_EDGE_TERM_H
#define HO_EDGE_TERM_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "edge/request.h"

enum term_kind { TERM_BODY, TERM_HEADER, TERM_FAMILY, TERM_FORM, TERM_JSON, TERM_TS, TERM_SIG };

#define TERM_NAME_MAX 128 /* bytes of a header's name with its family */

struct term {
    enum term_kind kind;
    char *name; /* heap; header names lower case; NULL for body and ts */
    bool hashed; /* |sha256|hex */
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
    const struct json *doc;       /* never set before the signature holds */
};

enum term_result {
    TERM_OK,
    TERM_ABSENT, /* not there, empty, or no string or whole number */
    TERM_TWICE,  /* a header that stands more than once, or that the server joined with ", " */
    TERM_FULL    /* longer than tmp may hold */
};

/* Parses one term. out: *out owned (term_free), empty on failure.
 * returns HO_OK | HO_REJECT (names the word and the known ones). */
enum ho_code term_parse(struct span text, struct term *out, struct ho_err *err) HO_MUST_CHECK;
void term_free(struct term *t);

/* The value. out: *out lives as long as the view's parts and tmp (appended to where the value has
 * to be made); SPAN_NONE unless TERM_OK. */
enum term_result term_value(const struct term *t, const struct term_view *v, struct buf *tmp,
                            struct span *out);

/* The full name of a header term; family may be NULL for those that need none. */
void term_header_name(const struct term *t, const char *family, char out[TERM_NAME_MAX]);

#endif
