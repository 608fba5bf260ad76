/* A request that is being made up, for edge/sign.c and what belongs to it. */
#ifndef HO_EDGE_SIGN_PARTS_H
#define HO_EDGE_SIGN_PARTS_H

#include "core/document.h"
#include "edge/recipe_parts.h"
#include "edge/sign.h"

#define MADE_HEADERS_MAX 24

struct made {
    const struct recipe *recipe;
    const struct sign_input *in;
    struct signed_request *out;
    struct alg alg;
    enum jose_alg jose_alg; /* of tokens */
    struct request request; /* as the receiver will see it */
    struct term_view view;
    struct sig_fields fields;
    struct buf text; /* what spans of the request point to; never moves */
    struct json *doc; /* the body's; NULL: none */
    bool is_json;     /* the body is the document: it can be written anew */
    bool in_form;     /* the document is JSON in the recipe's field of a form: that can be, too */
    bool doc_changed;
    struct json *claims, *jose; /* of tokens */
};

/* ---- sign_made.c ---- */

/* Copies a value to where it stays; SPAN_NONE when there is no room. */
struct span made_keep(struct made *m, struct span s);

/* Adds a header unless one of that name is there. Empty values are left out: they mean absent. */
void made_header(struct made *m, const char *name, struct span value);

/* Puts a value where the term finds it: filters are turned round. false: that cannot be done. */
bool made_put(struct made *m, const struct term *t, struct span value);

/* Whether the term has a value by now. */
bool made_has(const struct made *m, const struct term *t);

/* The body as it is now, where its document was changed. false: it is too long. */
bool made_sync(struct made *m);

/* ---- sign_fill.c ---- */

/* Everything but the signature: algorithm, id, type, time, needs, checks, and signed headers that
 * nobody else fills. returns HO_OK | HO_PERMANENT. */
enum ho_code made_fill(struct made *m, struct ho_err *err);

/* ---- sign_mac.c, sign_token.c ---- */

/* Appends the signature as it is written, or the token. returns HO_OK | HO_PERMANENT. */
enum ho_code made_signature(struct made *m, struct buf *out, struct ho_err *err);
enum ho_code made_token(struct made *m, struct buf *out, struct ho_err *err);

/* The bytes to sign. returns HO_OK | HO_PERMANENT. */
enum ho_code made_signed(struct made *m, struct buf *tmp, struct span parts[EXPR_PIECES_MAX],
                         size_t *n, struct ho_err *err);

/* Room for values made of the body. */
size_t made_room(const struct made *m);

#endif
