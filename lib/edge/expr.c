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

/* Literal bytes [from, to); every "\n" in them becomes a line feed, and where the value goes on in
 * another line, there is nothing. */
static bool add_literal(struct expr_alt *alt, struct span text, size_t from, size_t to,
                        unsigned group)
{
    struct expr_piece feed = {.literal = SPAN_LIT("\n"), .group = group};
    struct expr_piece piece = {.group = group};
    size_t start = from;

    for (size_t i = from; i < to; i++) {
        bool escaped = text.p[i] == '\\' && i + 1 < to && text.p[i + 1] == 'n';

        if (!escaped && text.p[i] != '\n') {
            continue;
        }
        piece.literal = span_sub(text, start, i - start);
        if ((i > start && !add_piece(alt, piece)) || (escaped && !add_piece(alt, feed))) {
            return false;
        }
        i += escaped;
        start = i + 1;
    }
    piece.literal = span_sub(text, start, to - start);
    return start >= to || add_piece(alt, piece);
}

/* One alternative while it is read. */
struct reading {
    struct span text;
    struct expr_alt *alt;
    size_t start;        /* of the literal text that is not kept yet */
    unsigned groups;     /* that were begun */
    unsigned group;      /* the open one, or 0 */
    bool has_term;       /* the open one */
};

static enum ho_code keep_literal(struct reading *r, size_t to, struct ho_err *err)
{
    if (!add_literal(r->alt, r->text, r->start, to, r->group)) {
        return ho_fail(err, HO_REJECT, "more than %d pieces in one template", EXPR_PIECES_MAX);
    }
    return HO_OK;
}

/* The term whose { is at *i; *i gets the place of its }. */
static enum ho_code read_term(struct reading *r, size_t *i, struct ho_err *err)
{
    struct expr_piece piece = {.is_term = true, .group = r->group};
    struct span rest = span_sub(r->text, *i + 1, r->text.len);
    struct span inside = span_cut(&rest, '}');
    enum ho_code code;

    if (!span_present(rest)) {
        return ho_fail(err, HO_REJECT, "a { without its }");
    }
    code = keep_literal(r, *i, err);
    if (code == HO_OK) {
        code = term_parse(inside, &piece.term, err);
    }
    if (code != HO_OK) {
        return code;
    }
    if (!add_piece(r->alt, piece)) {
        term_free(&piece.term);
        return ho_fail(err, HO_REJECT, "more than %d pieces in one template", EXPR_PIECES_MAX);
    }
    r->has_term = true;
    *i += inside.len + 1;
    r->start = *i + 1;
    return HO_OK;
}

/* The [[ or ]] at *i; *i gets the place of its second byte. */
static enum ho_code read_bracket(struct reading *r, size_t *i, struct ho_err *err)
{
    bool opens = r->text.p[*i] == '[';
    enum ho_code code = keep_literal(r, *i, err);

    if (code != HO_OK) {
        return code;
    }
    if (opens && r->group != 0) {
        return ho_fail(err, HO_REJECT, "a [[ within another");
    }
    if (!opens && !r->has_term) {
        return ho_fail(err, HO_REJECT, "nothing in [[ ]] that could be absent");
    }
    r->group = opens ? ++r->groups : 0;
    r->has_term = false;
    *i += 1;
    r->start = *i + 1;
    return HO_OK;
}

static bool is_bracket(const struct reading *r, size_t i)
{
    unsigned char c = r->group == 0 ? '[' : r->text.p[i];

    return (c == '[' || c == ']') && i + 1 < r->text.len && r->text.p[i] == c &&
           r->text.p[i + 1] == c;
}

static enum ho_code parse_alt(struct span text, struct expr_alt *alt, struct ho_err *err)
{
    struct reading r = {.text = text, .alt = alt};
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < text.len && code == HO_OK; i++) {
        if (begins_term(text, i)) {
            code = read_term(&r, &i, err);
        } else if (is_bracket(&r, i)) {
            code = read_bracket(&r, &i, err);
        }
    }
    if (code == HO_OK && r.group != 0) {
        return ho_fail(err, HO_REJECT, "a [[ without its ]]");
    }
    return code == HO_OK ? keep_literal(&r, text.len, err) : code;
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Where " ?? " stands next, or the length. A line may end on either side of it. */
static size_t next_choice(struct span s)
{
    for (size_t i = 0; i + 4 <= s.len; i++) {
        if (memcmp(s.p + i + 1, "??", 2) == 0 && is_blank(s.p[i]) && is_blank(s.p[i + 3])) {
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
        struct span one = span_trim_line(span_sub(text, 0, cut));

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

/* ---- values ---- */

/* One alternative being put together: where each of its values is. A made one is a run of tmp,
 * which moves while it grows, so it becomes a span only when all are made. */
struct putting {
    struct span *parts;
    bool made[EXPR_PIECES_MAX];
    size_t at[EXPR_PIECES_MAX];
    size_t n;
};

static enum term_result put_piece(const struct expr_piece *piece, const struct term_view *v,
                                  struct buf *tmp, struct putting *p)
{
    size_t from = tmp == NULL ? 0 : tmp->len;
    struct span value = piece->literal;
    enum term_result result = TERM_OK;

    if (piece->is_term) {
        result = term_value(&piece->term, v, tmp, &value);
    }
    if (result == TERM_OK) {
        p->made[p->n] = tmp != NULL && tmp->len > from;
        p->at[p->n] = from;
        p->parts[p->n++] = value.len > 0 ? value : SPAN_LIT("");
    }
    return result;
}

/* Where the group that the piece stands in ends. */
static size_t group_end(const struct expr_alt *alt, size_t i)
{
    unsigned group = alt->pieces[i].group;

    while (i < alt->n && alt->pieces[i].group == group) {
        i++;
    }
    return i;
}

static enum term_result put_alt(const struct expr_alt *alt, const struct term_view *v,
                                struct buf *tmp, struct putting *p)
{
    unsigned group = 0;
    size_t before = 0; /* pieces there when the group began */
    size_t i = 0;

    p->n = 0;
    while (i < alt->n) {
        const struct expr_piece *piece = &alt->pieces[i];
        enum term_result result;

        if (piece->group != group) {
            group = piece->group;
            before = p->n;
        }
        result = put_piece(piece, v, tmp, p);
        if (result == TERM_ABSENT && group != 0) {
            p->n = before;
            i = group_end(alt, i);
        } else if (result != TERM_OK) {
            return result;
        } else {
            i++;
        }
    }
    return p->n > 0 ? TERM_OK : TERM_ABSENT; /* nothing but groups, and all of them dropped */
}

enum term_result expr_parts(const struct expr *e, const struct term_view *v, struct buf *tmp,
                            struct span parts[EXPR_PIECES_MAX], size_t *n)
{
    struct putting p = {.parts = parts};
    enum term_result result = TERM_ABSENT;
    size_t from = tmp == NULL ? 0 : tmp->len;

    for (size_t i = 0; i < e->n_alts && result == TERM_ABSENT; i++) {
        if (tmp != NULL) {
            tmp->len = from; /* what an alternative before had begun */
        }
        result = put_alt(&e->alts[i], v, tmp, &p);
    }
    if (result != TERM_OK && tmp != NULL) {
        tmp->len = from;
    }
    *n = result == TERM_OK ? p.n : 0;
    for (size_t i = 0; i < *n; i++) {
        if (p.made[i] && tmp != NULL) {
            parts[i] = span_sub(buf_span(tmp), p.at[i], parts[i].len);
        }
    }
    return result;
}

enum term_result expr_eval(const struct expr *e, const struct term_view *v, struct buf *out)
{
    struct span parts[EXPR_PIECES_MAX];
    size_t from = out->len;
    size_t n;
    struct buf tmp;
    enum term_result result;

    buf_init(&tmp, out->max);
    result = expr_parts(e, v, &tmp, parts, &n);
    for (size_t i = 0; i < n && result == TERM_OK; i++) {
        result = buf_add_span(out, parts[i]) == HO_OK ? TERM_OK : TERM_FULL;
    }
    if (result != TERM_OK) {
        out->len = from;
    }
    buf_wipe(&tmp); /* the key may have been in there */
    return result;
}

/* ---- what is known of one ---- */

bool expr_needs_body(const struct expr *e)
{
    for (size_t i = 0; e != NULL && i < e->n_alts; i++) {
        for (size_t j = 0; j < e->alts[i].n; j++) {
            const struct expr_piece *piece = &e->alts[i].pieces[j];

            if (piece->is_term && term_needs_body(&piece->term)) {
                return true;
            }
        }
    }
    return false;
}

bool expr_has(const struct expr *e, enum term_kind kind)
{
    for (size_t i = 0; e != NULL && i < e->n_alts; i++) {
        for (size_t j = 0; j < e->alts[i].n; j++) {
            if (e->alts[i].pieces[j].is_term && e->alts[i].pieces[j].term.kind == kind) {
                return true;
            }
        }
    }
    return false;
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
    const struct expr_piece *only;

    if (e == NULL || e->n_alts == 0 || e->alts[0].n != 1 || !e->alts[0].pieces[0].is_term) {
        return NULL;
    }
    only = &e->alts[0].pieces[0];
    return only->group == 0 && only->term.n_filters == 0 &&
                   (only->term.kind == TERM_HEADER || only->term.kind == TERM_FAMILY)
               ? &only->term
               : NULL;
}
