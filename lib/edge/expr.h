/* Templates of recipes: literal text with {term} expressions (edge/term.h), alternatives by ` ?? `.
 * A `{` begins an expression when a lower-case letter follows, so a JSON reply needs no escape;
 * `\n` in literal text is a line feed. `[[...]]` is an optional group: dropped with its literal
 * text when a term inside is absent; groups do not nest, and an alternative of which nothing is
 * left is absent. No loops, no arithmetic. A template may go on in further lines: their ends are
 * blanks around `??` and nothing in literal text. */
#ifndef HO_EDGE_EXPR_H
#define HO_EDGE_EXPR_H

#include "edge/term.h"

struct expr_piece {
    struct span literal; /* when is_term is false */
    bool is_term;
    struct term term;
    unsigned group; /* 0: none; pieces of one optional group share a number */
};

struct expr_alt {
    struct expr_piece *pieces;
    size_t n;
};

struct expr {
    struct expr_alt *alts;
    size_t n_alts;
};

#define EXPR_PIECES_MAX 32
#define EXPR_ALTS_MAX 16

/* in:  text - must live as long as the result (literals are not copied)
 * out: *out owned (expr_free), NULL on failure. returns HO_OK | HO_REJECT (says what is wrong). */
enum ho_code expr_parse(struct span text, struct expr **out, struct ho_err *err) HO_MUST_CHECK;
void expr_free(struct expr *e); /* NULL is fine */

/* Appends the first alternative all of whose terms are there. TERM_ABSENT when none is; TERM_TWICE
 * and TERM_FULL end the search at once: the value must not depend on which copy is looked at. */
enum term_result expr_eval(const struct expr *e, const struct term_view *v, struct buf *out);

/* The pieces of the first alternative all of whose terms are there, without copying what need not
 * be made (a body may be large).
 * out: parts borrow from the view and from tmp, to which what has to be made is appended (NULL will
 * do where every term is direct); so they live until the next append to tmp. *n at most
 * EXPR_PIECES_MAX. */
enum term_result expr_parts(const struct expr *e, const struct term_view *v, struct buf *tmp,
                            struct span parts[EXPR_PIECES_MAX], size_t *n);

/* Whether any term needs the body (or what is parsed from it). */
bool expr_needs_body(const struct expr *e);

/* Whether a term of that kind stands anywhere in it. */
bool expr_has(const struct expr *e, enum term_kind kind);

/* Calls fn for every term of every alternative until it returns other than HO_OK. */
typedef enum ho_code expr_visit(void *arg, const struct term *t, struct ho_err *err);
enum ho_code expr_each(const struct expr *e, expr_visit *fn, void *arg, struct ho_err *err)
    HO_MUST_CHECK;

/* The term of a template that is nothing but one header, else NULL. */
const struct term *expr_single_header(const struct expr *e);

#endif
