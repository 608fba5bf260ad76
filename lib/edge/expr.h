/* Templates of recipes: literal text with {source|filter|…} expressions, alternatives by ` ?? `.
 * A closed list of sources and filters, checked at load; no loops, no arithmetic.
 *
 *   body  method  path  query:NAME  header:NAME  form:NAME  json:/ptr  ts  sig.FIELD  secret
 *   header:*NAME   NAME behind the header family that the request uses (recipe key `headers`)
 *   filters: lower upper trim  hex base64  sha1 sha256 sha512
 *   \n in literal text is a line feed
 */
#ifndef HO_EDGE_EXPR_H
#define HO_EDGE_EXPR_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "edge/request.h"

struct expr; /* one parsed template with its alternatives */

/* What an expression may look at. Unset parts are "absent". */
struct expr_view {
    const struct request *request;
    const char *family;         /* prefix for header:* ("svix-"), lower case */
    struct span ts;             /* the signature's time as written */
    const struct sig_fields *sig; /* fields parsed from the signature header */
    const struct json *doc;
    bool verified;              /* false: json: and form: are refused (absent) */
};

struct sig_fields {
    struct { struct span name, value; } at[32];
    size_t n;
};

/* in:  text — lives as long as the result (not copied)
 * out: *out owned (expr_free). returns HO_OK | HO_REJECT (says which word, and the known ones). */
enum ho_code expr_parse(const char *text, struct expr **out, struct ho_err *err) HO_MUST_CHECK;
void expr_free(struct expr *e);

enum expr_result {
    EXPR_OK,
    EXPR_ABSENT, /* some part of every alternative is absent, empty, or no scalar */
    EXPR_TWICE,  /* a header that stands more than once */
    EXPR_FULL    /* longer than out may hold */
};
/* Appends the value of the first alternative all of whose expressions are present. Header values
 * and JSON scalars that are empty count as absent in ids; allow_empty lets them through. A JSON
 * boolean, null, object or array is absent; strings and integers are text. */
enum expr_result expr_eval(const struct expr *e, const struct expr_view *v, bool allow_empty,
                           struct buf *out);

/* For signing: if the template is exactly one {header:NAME}, its full name by family; else NULL. */
const char *expr_single_header(const struct expr *e);

#endif
