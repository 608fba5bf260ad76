/* Reading JSON: a thin wrapper, the only place that knows json-c. Bounded depth (64). Numbers are
 * handed out as the text that the library keeps (1.10 and 1e3 as written; -0 as 0). Known limit:
 * integers beyond 64 bits are clamped by json-c, so such a value is reported as JSON_BIG and its
 * text must not be used. The two clamps, 18446744073709551615 and -9223372036854775808, cannot be
 * told from the genuine numbers and are JSON_BIG too. Of a key that stands twice the last counts.
 * Also refused: more values than struct json_limits has.
 * A byte order mark in front is skipped; invalid UTF-8 in strings is kept as it is. */
#ifndef HO_BASE_JSON_H
#define HO_BASE_JSON_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct json;      /* a parsed document, owned */
struct json_node; /* a value inside one, borrowed, lives as long as the document */

enum json_kind {
    JSON_ABSENT, /* the pointer leads nowhere */
    JSON_NULL,
    JSON_BOOL,
    JSON_INT, /* fits int64 or uint64 */
    JSON_BIG, /* an integer that json-c could not keep exactly */
    JSON_REAL,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
};

/* How much of a sender's text may become values: json-c takes some 700 bytes for the smallest
 * object, 250 for a field of a form and 100 for any other value. */
struct json_limits {
    size_t containers; /* objects and arrays */
    size_t values;     /* commas between them, or fields of a form */
};
extern const struct json_limits json_ample; /* 200,000 and a million: at most some 250 MB */
extern const struct json_limits json_tight; /* 20,000 and 100,000: for what anybody may have sent */

/* Parses exactly one value with only white space around it, json_ample being the limits.
 * out: *doc owned by the caller (json_free), NULL on failure. returns HO_OK | HO_REJECT. */
enum ho_code json_parse(struct span text, struct json **doc, struct ho_err *err) HO_MUST_CHECK;

/* The same within other limits. returns HO_OK | HO_REJECT | HO_PERMANENT (more than the limits). */
enum ho_code json_parse_within(struct span text, const struct json_limits *limits,
                               struct json **doc, struct ho_err *err) HO_MUST_CHECK;

/* An object of string members made from a urlencoded form, first value of a repeated name wins.
 * returns HO_OK | HO_REJECT | HO_PERMANENT (more fields than the limits). */
enum ho_code json_from_form(struct span form, const struct json_limits *limits, struct json **doc,
                            struct ho_err *err) HO_MUST_CHECK;

/* The same of a multipart body: fields that are no files; content_type as in multipart_open. */
enum ho_code json_from_multipart(struct span body, struct span content_type, struct json **doc,
                                 struct ho_err *err) HO_MUST_CHECK;

void json_free(struct json *doc);

/* Whether json_text says of every value what its text did: false when an integer beyond 64 bits was
 * in it. */
bool json_is_exact(const struct json *doc);

/* The value at an RFC 6901 pointer ("" is the whole document; "/a/0/b", ~0 and ~1 understood).
 * NULL when it leads nowhere. doc may be NULL (then NULL). */
const struct json_node *json_at(const struct json *doc, struct span pointer);

/* From now on pointers look from the value there; false, and nothing changed, when it leads nowhere. */
bool json_focus(struct json *doc, struct span pointer);

/* The value at a pointer inside a node; NULL when it leads nowhere, or node is NULL. */
const struct json_node *json_in(const struct json_node *node, struct span pointer);

/* Items of an array, 0 for anything else; the i-th of them. */
size_t json_count(const struct json_node *array);
const struct json_node *json_item(const struct json_node *array, size_t i);

enum json_kind json_kind_of(const struct json_node *node); /* NULL gives JSON_ABSENT */

/* Appends a scalar as text: strings as their UTF-8 bytes (NUL included), numbers as written where
 * json-c keeps that, true/false; objects and arrays as compact JSON; null and absent nothing. */
enum ho_code json_text(const struct json_node *node, struct buf *out) HO_MUST_CHECK;

bool json_bool(const struct json_node *node); /* true only for a JSON true */

/* Puts a member at a pointer, in place of what is there; objects that are missing on the way are
 * made. Nodes of what it replaces die. returns HO_OK | HO_REJECT (the way leads through something
 * that is no object or array item, or ends in an array). */
enum ho_code json_put_text(struct json *doc, struct span pointer, struct span text) HO_MUST_CHECK;
enum ho_code json_put_int(struct json *doc, struct span pointer, int64_t number) HO_MUST_CHECK;

#endif
