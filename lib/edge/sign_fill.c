/* What a provider sends beside the signature: the recipe's terms, filled with what is known, and
 * with made-up values where only the provider knows better. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "edge/sign_parts.h"

#define MADE_UP SPAN_LIT("test")

static bool is_header(const struct term *t)
{
    return t->kind == TERM_HEADER || t->kind == TERM_FAMILY;
}

static bool same_term(const struct term *a, const struct term *b)
{
    return a->kind == b->kind && a->name != NULL && b->name != NULL &&
           strcmp(a->name, b->name) == 0;
}

/* ---- times ---- */

/* RFC 5322, in UTC: "Mon, 21 Sep 2026 14:13:20 GMT". */
static void put_mail_date(int64_t us, char out[40])
{
    static const char days[] = "ThuFriSatSunMonTueWed"; /* 1970 began on a Thursday */
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int64_t day = us / 1000000 / 86400;
    char iso[32];
    size_t month;

    text_rfc3339_put(us, false, iso);
    month = (size_t)((iso[5] - '0') * 10 + (iso[6] - '0') - 1) % 12;
    (void)snprintf(out, 40, "%.3s, %.2s %.3s %.4s %.8s GMT", days + 3 * (day % 7), iso + 8,
                   months + 3 * month, iso, iso + 11);
}

static struct span put_time(int64_t us, enum time_unit unit, char out[40])
{
    switch (unit) {
    case TIME_S:
        (void)snprintf(out, 40, "%lld", (long long)(us / 1000000));
        break;
    case TIME_MS:
        (void)snprintf(out, 40, "%lld", (long long)(us / 1000));
        break;
    case TIME_RFC3339:
        text_rfc3339_put(us, false, out);
        break;
    case TIME_RFC2822:
        put_mail_date(us, out);
        break;
    }
    return span_of(out);
}

static bool is_written(enum term_kind kind)
{
    return kind == TERM_HEADER || kind == TERM_FAMILY || kind == TERM_SIG || kind == TERM_QUERY ||
           kind == TERM_CLAIM || kind == TERM_JOSE;
}

/* A token's time is a number. */
static bool write_time(struct made *m, const struct term *t)
{
    enum time_unit unit = m->recipe->time.unit;
    char text[40];

    if ((t->kind == TERM_CLAIM || t->kind == TERM_JOSE) && t->n_filters == 0 &&
        (unit == TIME_S || unit == TIME_MS)) {
        struct json *part = t->kind == TERM_CLAIM ? m->claims : m->jose;

        return part != NULL &&
               json_put_int(part, span_of(t->name),
                            m->in->time_us / (unit == TIME_S ? 1000000 : 1000)) == HO_OK;
    }
    return made_put(m, t, put_time(m->in->time_us, unit, text));
}

/* The signed time: written where it is told apart from the body, read where it is part of it. */
static enum ho_code fill_time(struct made *m, struct ho_err *err)
{
    const struct time_rule *rule = &m->recipe->time;
    bool there = false;

    if (!rule->on) {
        return HO_OK;
    }
    for (size_t i = 0; i < rule->n_terms && !there; i++) {
        const struct term *t = &rule->terms[i];
        struct span value;
        struct buf tmp;

        if (is_written(t->kind) && !made_has(m, t) && !write_time(m, t)) {
            continue;
        }
        buf_init(&tmp, REQUEST_HEAD_MAX);
        there = term_value(t, &m->view, &tmp, &value) == TERM_OK;
        if (there) {
            m->view.ts = made_keep(m, value);
        }
        buf_free(&tmp);
    }
    return there ? HO_OK
                 : ho_fail(err, HO_PERMANENT, "the body has no time where %s looks for it",
                           m->recipe->name);
}

/* ---- id, type, at, needs ---- */

/* The term of the first alternative that is written apart from the body; only: it stands alone. */
static const struct term *written_term(const struct expr *e, bool only)
{
    if (e == NULL || (only && e->alts[0].n != 1)) {
        return NULL;
    }
    for (size_t i = 0; i < e->alts[0].n; i++) {
        const struct expr_piece *piece = &e->alts[0].pieces[i];

        if (piece->is_term && piece->group == 0 && is_written(piece->term.kind) &&
            piece->term.kind != TERM_SIG) {
            return &piece->term;
        }
    }
    return NULL;
}

static bool is_time(const struct recipe *r, const struct term *t)
{
    bool is = false;

    for (size_t i = 0; r->time.on && i < r->time.n_terms; i++) {
        is = is || same_term(t, &r->time.terms[i]);
    }
    return is;
}

static bool fill_term(struct made *m, const struct term *t, struct span value)
{
    return t == NULL || value.len == 0 || is_time(m->recipe, t) || made_has(m, t) ||
           made_put(m, t, value);
}

static bool fill_at(struct made *m)
{
    bool well = true;
    char text[40];

    for (size_t i = 0; i < m->recipe->n_at; i++) {
        const struct at_rule *at = &m->recipe->at[i];

        if (is_written(at->term.kind) && at->term.kind != TERM_QUERY && !made_has(m, &at->term)) {
            well = well && made_put(m, &at->term, put_time(m->in->time_us, at->unit, text));
        }
    }
    return well;
}

static bool fill_needs(struct made *m)
{
    bool well = true;

    for (size_t i = 0; i < m->recipe->n_needs; i++) {
        well = well && fill_term(m, &m->recipe->needs[i], MADE_UP);
    }
    return well;
}

/* ---- checks ---- */

static const struct term *only_term(const struct expr *e)
{
    return e->n_alts == 1 && e->alts[0].n == 1 && e->alts[0].pieces[0].is_term
               ? &e->alts[0].pieces[0].term
               : NULL;
}

static bool guards_hold(const struct made *m, const struct check_rule *check)
{
    bool hold = true;

    for (size_t i = 0; i < check->n_guards; i++) {
        const struct check_guard *g = &check->guards[i];
        bool there = g->kind == GUARD_BODY   ? m->request.body.len > 0
                     : g->kind == GUARD_FORM ? document_is_form(m->in->content_type)
                                             : made_has(m, &g->term);

        hold = hold && there != g->unless;
    }
    return hold;
}

/* Makes a check hold: by what its left side looks at, or by a header on the right. */
static bool fill_check(struct made *m, const struct check_rule *check)
{
    const struct term *left = only_term(check->left);
    const struct term *right = only_term(check->right);
    bool has_left;
    bool has_right;
    struct buf have;
    struct buf want;
    bool well;

    buf_init(&have, made_room(m));
    buf_init(&want, made_room(m));
    m->view.exact = true;
    has_right = expr_eval(check->right, &m->view, &want) == TERM_OK;
    has_left = expr_eval(check->left, &m->view, &have) == TERM_OK;
    m->view.exact = false;
    if (has_right) {
        well = (has_left && span_eq(buf_span(&have), buf_span(&want))) ||
               (left != NULL && made_put(m, left, buf_span(&want)));
    } else {
        well = has_left && right != NULL && is_header(right) && made_put(m, right, buf_span(&have));
    }
    buf_wipe(&have);
    buf_wipe(&want);
    return well;
}

/* Those that write into the query come first: the others may look at the URL. */
static enum ho_code fill_checks(struct made *m, struct ho_err *err)
{
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < m->recipe->n_checks; i++) {
            const struct check_rule *check = &m->recipe->checks[i];

            /* What the items hold is the sample's to say. */
            if (check_of_item(check) || expr_has(check->left, TERM_QUERY) != (round == 0) ||
                !guards_hold(m, check)) {
                continue;
            }
            if (!fill_check(m, check)) {
                return ho_fail(err, HO_PERMANENT, "check %zu of %s cannot be made to hold by this "
                                                  "body", i + 1, m->recipe->name);
            }
        }
    }
    return HO_OK;
}

/* ---- signed headers ---- */

/* The host that a client sends by itself. */
static struct span host_of(struct span url)
{
    struct span rest = url;

    (void)span_cut(&rest, '/');
    (void)span_cut(&rest, '/');
    return span_cut(&rest, '/');
}

/* Whether the signed bytes take the term for a list of headers. */
static bool lists_headers(const struct expr_alt *alt, const struct term *t)
{
    bool lists = false;

    for (size_t i = 0; i < alt->n; i++) {
        const struct term *other = &alt->pieces[i].term;

        for (size_t j = 0; alt->pieces[i].is_term && j < other->n_filters; j++) {
            lists = lists || (same_term(t, other) && (other->filters[j].kind == FILTER_HDRS_KV ||
                                                      other->filters[j].kind == FILTER_HDRS_V));
        }
    }
    return lists;
}

/* A value for a term of the signed bytes that nothing else has filled. */
static struct span made_up(const struct made *m, const struct term *t)
{
    if (lists_headers(&m->recipe->signed_bytes->alts[0], t) && m->request.n_headers > 0) {
        return m->request.headers[0].name;
    }
    return is_header(t) && strcmp(t->name, "host") == 0 ? host_of(m->view.url) : MADE_UP;
}

static bool fill_signed(struct made *m)
{
    const struct expr *e = m->recipe->signed_bytes;
    bool well = true;

    for (size_t i = 0; e != NULL && i < e->alts[0].n; i++) {
        const struct expr_piece *piece = &e->alts[0].pieces[i];
        struct term plain = piece->term;

        if (!piece->is_term || piece->group != 0 || !is_written(plain.kind)) {
            continue;
        }
        plain.n_filters = 0; /* what is looked at, before it is turned into something */
        if (!made_has(m, &plain)) {
            well = well && made_put(m, &plain, made_up(m, &piece->term));
        }
    }
    return well;
}

/* ---- all ---- */

static bool fill_alg(struct made *m, struct span value)
{
    const struct alg_rule *rule = &m->recipe->alg;

    return !rule->by_on || value.len == 0 || made_has(m, &rule->by) ||
           made_put(m, &rule->by, value);
}

/* What the body says already, else as the provider does without being told: without a name if that
 * is a choice, else the first. */
static struct span pick_alg(struct made *m)
{
    const struct alg_rule *rule = &m->recipe->alg;
    const struct alg_choice *picked = &rule->choices[0];
    struct span value = SPAN_NONE;
    struct buf tmp;

    buf_init(&tmp, REQUEST_HEAD_MAX);
    if (rule->by_on && term_value(&rule->by, &m->view, &tmp, &value) != TERM_OK) {
        value = SPAN_NONE;
    }
    for (size_t i = 0; i < rule->n; i++) {
        const struct alg_choice *choice = &rule->choices[i];
        /* Where the signature itself is what is looked at, it will be there, and be any value. */
        bool fits = span_present(value) ? span_eq(choice->value, value)
                    : rule->by_on && same_term(&rule->by, &m->recipe->sig.places[0])
                        ? !choice->absent && !span_present(choice->value)
                        : choice->absent;

        picked = fits ? choice : picked;
    }
    buf_free(&tmp);
    m->alg = picked->alg;
    return picked->absent ? SPAN_NONE : picked->value;
}

enum ho_code made_fill(struct made *m, struct ho_err *err)
{
    const struct recipe *r = m->recipe;
    struct span alg = pick_alg(m);
    enum ho_code code;

    if (!fill_term(m, written_term(r->id, false), m->in->id) ||
        !fill_term(m, written_term(r->type, true), m->in->type) || !fill_alg(m, alg)) {
        return ho_fail(err, HO_PERMANENT, "id and type of %s cannot be written where it looks for "
                                          "them", r->name);
    }
    code = fill_time(m, err);
    if (code != HO_OK) {
        return code;
    }
    code = fill_at(m) && fill_needs(m) ? fill_checks(m, err) : HO_REJECT;
    if (code == HO_REJECT || (code == HO_OK && !fill_signed(m))) {
        return ho_fail(err, HO_PERMANENT, "%s needs a header that cannot be made up", r->name);
    }
    return code;
}
