/* Templates: parsing into pieces, and their values. */
#include "edge/expr.h"

#include <stdlib.h>
#include <string.h>

static bool is_lower(unsigned char c)
{
    return c >= 'a' && c <= 'z';
}

static bool begins_term(struct span s, size_t i)
{
    return s.p[i] == '{' && i + 1 < s.len && is_lower(s.p[i + 1]);
}

/* Adds one piece to the alternative; false when there are too many. */
static bool add_piece(struct expr_alt *alt, struct expr_piece piece)
{
    if (alt->n == EXPR_PIECES_MAX) {
        return false;
    }
    if (alt->pieces == NULL) {
        alt->pieces = ho_alloc(EXPR_PIECES_MAX * sizeof *alt->pieces);
    }
    alt->pieces[alt->n++] = piece;
    return true;
}

/* Literal bytes [from, to); every "\n" in them becomes a line feed. */
static bool add_literal(struct expr_alt *alt, struct span text, size_t from, size_t to)
{
    size_t start = from;

    for (size_t i = from; i < to; i++) {
        if (text.p[i] != '\\' || i + 1 >= to || text.p[i + 1] != 'n') {
            continue;
        }
        if (i > start &&
            !add_piece(alt, (struct expr_piece){.literal = span_sub(text, start, i - start)})) {
            return false;
        }
        if (!add_piece(alt, (struct expr_piece){.literal = SPAN_LIT("\n")})) {
            return false;
        }
        start = i + 2;
        i++;
    }
    return start >= to ||
           add_piece(alt, (struct expr_piece){.literal = span_sub(text, start, to - start)});
}

static enum ho_code fail_long(struct ho_err *err)
{
    return ho_fail(err, HO_REJECT, "more than %d pieces in one template", EXPR_PIECES_MAX);
}

static enum ho_code parse_alt(struct span text, struct expr_alt *alt, struct ho_err *err)
{
    size_t start = 0;

    for (size_t i = 0; i < text.len; i++) {
        struct expr_piece piece = {.is_term = true};
        struct span rest;
        struct span inside;
        enum ho_code code;

        if (!begins_term(text, i)) {
            continue;
        }
        rest = span_sub(text, i + 1, text.len);
        inside = span_cut(&rest, '}');
        if (!span_present(rest)) {
            return ho_fail(err, HO_REJECT, "a { without its }");
        }
        if (!add_literal(alt, text, start, i)) {
            return fail_long(err);
        }
        code = term_parse(inside, &piece.term, err);
        if (code != HO_OK) {
            return code;
        }
        if (!add_piece(alt, piece)) {
            term_free(&piece.term);
            return fail_long(err);
        }
        i += inside.len + 1;
        start = i + 1;
    }
    return add_literal(alt, text, start, text.len) ? HO_OK : fail_long(err);
}

/* Where " ?? " stands next, or the length. */
static size_t next_choice(struct span s)
{
    for (size_t i = 0; i + 4 <= s.len; i++) {
        if (memcmp(s.p + i, " ?? ", 4) == 0) {
            return i;
        }
    }
    return s.len;
}

enum ho_code expr_parse(struct span text, struct expr **out, struct ho_err *err)
{
    struct expr *e = ho_alloc(sizeof *e);
    enum ho_code code = HO_OK;
    bool more = true;

    *out = NULL;
    *e = (struct expr){.alts = ho_alloc(EXPR_ALTS_MAX * sizeof *e->alts)};
    while (more && code == HO_OK) {
        size_t cut = next_choice(text);
        struct span one = span_trim(span_sub(text, 0, cut));

        more = cut < text.len;
        text = span_sub(text, cut + 4, text.len);
        if (one.len == 0) {
            code = ho_fail(err, HO_REJECT, "an empty template");
        } else if (e->n_alts == EXPR_ALTS_MAX) {
            code = ho_fail(err, HO_REJECT, "more than %d alternatives", EXPR_ALTS_MAX);
        } else {
            e->alts[e->n_alts] = (struct expr_alt){NULL, 0};
            code = parse_alt(one, &e->alts[e->n_alts++], err);
        }
    }
    if (code != HO_OK) {
        expr_free(e);
        return code;
    }
    *out = e;
    return HO_OK;
}

void expr_free(struct expr *e)
{
    if (e == NULL) {
        return;
    }
    for (size_t i = 0; i < e->n_alts; i++) {
        for (size_t j = 0; j < e->alts[i].n; j++) {
            term_free(&e->alts[i].pieces[j].term);
        }
        free(e->alts[i].pieces);
    }
    free(e->alts);
    free(e);
}

static enum term_result eval_alt(const struct expr_alt *alt, const struct term_view *v,
                                 struct buf *tmp, struct buf *out)
{
    for (size_t i = 0; i < alt->n; i++) {
        const struct expr_piece *piece = &alt->pieces[i];
        struct span value = piece->literal;
        enum term_result result = TERM_OK;

        buf_clear(tmp);
        if (piece->is_term) {
            result = term_value(&piece->term, v, tmp, &value);
        }
        if (result != TERM_OK) {
            return result;
        }
        if (buf_add_span(out, value) != HO_OK) {
            return TERM_FULL;
        }
    }
    return TERM_OK;
}

enum term_result expr_eval(const struct expr *e, const struct term_view *v, struct buf *out)
{
    enum term_result result = TERM_ABSENT;
    size_t from = out->len;
    struct buf tmp;

    buf_init(&tmp, out->max);
    for (size_t i = 0; i < e->n_alts && result == TERM_ABSENT; i++) {
        out->len = from; /* what an alternative before had begun */
        result = eval_alt(&e->alts[i], v, &tmp, out);
    }
    if (result != TERM_OK) {
        out->len = from;
    }
    buf_free(&tmp);
    return result;
}

bool expr_is_direct(const struct expr *e)
{
    for (size_t i = 0; i < e->n_alts; i++) {
        for (size_t j = 0; j < e->alts[i].n; j++) {
            const struct expr_piece *piece = &e->alts[i].pieces[j];

            if (piece->is_term && (piece->term.hashed || piece->term.kind == TERM_FORM ||
                                   piece->term.kind == TERM_JSON)) {
                return false;
            }
        }
    }
    return true;
}

enum term_result expr_direct(const struct expr *e, const struct term_view *v,
                             struct span parts[EXPR_PIECES_MAX], size_t *n)
{
    enum term_result result = TERM_ABSENT;
    struct buf none;

    buf_init(&none, 1);
    *n = 0;
    for (size_t i = 0; i < e->n_alts && result == TERM_ABSENT; i++) {
        const struct expr_alt *alt = &e->alts[i];

        result = TERM_OK;
        for (size_t j = 0; j < alt->n && result == TERM_OK; j++) {
            parts[j] = alt->pieces[j].literal;
            if (alt->pieces[j].is_term) {
                result = term_value(&alt->pieces[j].term, v, &none, &parts[j]);
            }
        }
        *n = result == TERM_OK ? alt->n : 0;
    }
    buf_free(&none);
    return result;
}

enum ho_code expr_each(const struct expr *e, expr_visit *fn, void *arg, struct ho_err *err)
{
    enum ho_code code = HO_OK;

    for (size_t i = 0; e != NULL && i < e->n_alts; i++) {
        for (size_t j = 0; j < e->alts[i].n && code == HO_OK; j++) {
            if (e->alts[i].pieces[j].is_term) {
                code = fn(arg, &e->alts[i].pieces[j].term, err);
            }
        }
    }
    return code;
}

const struct term *expr_single_header(const struct expr *e)
{
    const struct term *t;

    if (e == NULL || e->n_alts == 0 || e->alts[0].n != 1 || !e->alts[0].pieces[0].is_term) {
        return NULL;
    }
    t = &e->alts[0].pieces[0].term;
    return !t->hashed && (t->kind == TERM_HEADER || t->kind == TERM_FAMILY) ? t : NULL;
}
