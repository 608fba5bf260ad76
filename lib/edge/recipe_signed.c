/* The keys of a recipe that say what is signed and must hold: time, signed, check. What the bytes
 * must cover is held in recipe_rules.c. */
#include "base/text.h"
#include "edge/recipe_parts.h"

#define TOLERANCE_MAX_S 604800 /* a week */

/* All that is the request's or the setting's, and nothing of an event. */
#define TERM_BITS_REQUEST \
    (TERM_BITS_HEAD | TERM_BIT(TERM_BODY) | TERM_BIT(TERM_METHOD) | TERM_BIT(TERM_URL) | \
     TERM_BIT(TERM_PATH) | TERM_BIT(TERM_FORM) | TERM_BIT(TERM_FORMSORTED) | TERM_BIT(TERM_JSON) | \
     TERM_BIT(TERM_TS) | TERM_BIT(TERM_SIG) | TERM_BIT(TERM_JOSE) | TERM_BIT(TERM_PARAM))

static enum ho_code read_time_terms(struct recipe *r, struct span text, struct ho_err *err)
{
    struct recipe_place place = {
        .recipe = r,
        .kinds = TERM_BITS_HEAD | TERM_BIT(TERM_FORM) | TERM_BIT(TERM_JSON) | TERM_BIT(TERM_SIG) |
                 TERM_BIT(TERM_CLAIM) | TERM_BIT(TERM_JOSE),
        .says = "the signed time is in header, query, form, json, sig, claim or jose",
    };
    enum ho_code code = HO_OK;

    while (span_present(text) && code == HO_OK) {
        struct span one = recipe_cut(&text, " ?? ");

        if (r->time.n_terms == TIMES_MAX) {
            return ho_fail(err, HO_REJECT, "more than %d alternatives", TIMES_MAX);
        }
        code = recipe_read_term(&place, one, &r->time.terms[r->time.n_terms++], err);
    }
    return code;
}

static enum ho_code read_time(struct recipe *r, struct span text, struct ho_err *err)
{
    struct span where, unit, tolerance;
    uint64_t seconds = 0;
    enum ho_code code;

    if (!span_present(text)) {
        return HO_OK;
    }
    where = recipe_cut(&text, " ; ");
    unit = span_present(text) ? recipe_cut(&text, " ; ") : SPAN_NONE;
    tolerance = span_present(text) ? recipe_cut(&text, " ; ") : SPAN_NONE;
    code = read_time_terms(r, where, err);
    if (code == HO_OK) {
        code = recipe_unit(unit, &r->time.unit, err);
    }
    if (code == HO_OK && !span_is(tolerance, "none") &&
        (!text_uint(tolerance, TOLERANCE_MAX_S, &seconds) || seconds == 0)) {
        code = ho_fail(err, HO_REJECT, "the tolerance is 1 to %d seconds, or none",
                       TOLERANCE_MAX_S);
    }
    if (code == HO_OK && span_present(text)) {
        code = ho_fail(err, HO_REJECT, "written: TERM ; UNIT ; SECONDS");
    }
    r->time.tolerance_ms = (int64_t)seconds * 1000;
    r->time.on = code == HO_OK;
    return code;
}

/* ---- signed ---- */

static enum ho_code read_signed(struct recipe *r, struct span text, struct ho_err *err)
{
    enum alg_kind kind = r->alg.choices[0].alg.kind;
    struct recipe_place place = {
        .recipe = r,
        .kinds = TERM_BITS_REQUEST | (kind == ALG_DIGEST ? TERM_BIT(TERM_SECRET) : 0),
        .says = "what is signed is known before the events are: no item, claim or arrival",
    };

    if (kind == ALG_JWT || kind == ALG_EQUAL) {
        return !span_present(text)
                   ? HO_OK
                   : ho_fail(err, HO_REJECT, kind == ALG_JWT
                                                 ? "a jwt signs itself: see `check`"
                                                 : "alg = equal signs nothing");
    }
    if (!span_present(text)) {
        return ho_fail(err, HO_REJECT, "[recipe %s] needs signed", r->name);
    }
    r->signed_text = (const char *)text.p;
    return recipe_read_expr(&place, text, &r->signed_bytes, err);
}

/* ---- check ---- */

static enum ho_code read_guard(struct recipe_place *place, struct check_rule *c, struct span text,
                               struct ho_err *err)
{
    struct check_guard *guard = &c->guards[c->n_guards];
    struct span word = recipe_word(&text);

    if (!span_is(word, "if") && !span_is(word, "unless")) {
        return recipe_unknown(err, "word", word, "if unless");
    }
    if (c->n_guards == GUARDS_MAX) {
        return ho_fail(err, HO_REJECT, "more than %d of if and unless", GUARDS_MAX);
    }
    *guard = (struct check_guard){.unless = span_is(word, "unless"), .kind = GUARD_TERM};
    c->n_guards++;
    if (span_is(text, "body") || span_is(text, "form")) {
        guard->kind = span_is(text, "body") ? GUARD_BODY : GUARD_FORM;
        return HO_OK;
    }
    return recipe_read_term(place, text, &guard->term, err);
}

static bool has_term(const struct expr_alt *alt)
{
    for (size_t i = 0; i < alt->n; i++) {
        if (alt->pieces[i].is_term) {
            return true;
        }
    }
    return false;
}

static enum ho_code read_check(struct recipe *r, struct span text, struct ho_err *err)
{
    struct recipe_place place = {
        .recipe = r,
        .kinds = TERM_BITS_REQUEST | TERM_BIT(TERM_CLAIM) | TERM_BIT(TERM_ITEM) |
                 TERM_BIT(TERM_ITEM_JSON),
        .says = "checks are made before the events are: no arrival",
    };
    struct check_rule *c = &r->checks[r->n_checks++];
    struct span right = recipe_cut(&text, " ; ");
    struct span left = recipe_cut(&right, " == ");
    enum ho_code code;

    if (!span_present(right) || left.len == 0 || right.len == 0) {
        return ho_fail(err, HO_REJECT, "written: TEMPLATE == TEMPLATE ; if WORD ; unless WORD");
    }
    code = recipe_read_expr(&place, left, &c->left, err);
    for (size_t i = 0; code == HO_OK && i < c->left->n_alts; i++) {
        if (!has_term(&c->left->alts[i])) {
            code = ho_fail(err, HO_REJECT, "on the left without any {term} it is always the same");
        }
    }
    if (code == HO_OK) {
        code = recipe_read_expr(&place, right, &c->right, err);
    }
    while (code == HO_OK && span_present(text)) {
        code = read_guard(&place, c, recipe_cut(&text, " ; "), err);
    }
    return code;
}

enum ho_code recipe_read_signed(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
{
    static const struct recipe_step steps[] = {{"time", read_time}, {"signed", read_signed}};
    static const struct recipe_step checks = {"check", read_check};
    enum ho_code code = recipe_steps(steps, sizeof steps / sizeof steps[0], r, t, err);

    return code == HO_OK ? recipe_each(&checks, CHECKS_MAX, r, t, err) : code;
}

void recipe_free_signed(struct recipe *r)
{
    for (size_t i = 0; i < r->time.n_terms; i++) {
        term_free(&r->time.terms[i]);
    }
    expr_free(r->signed_bytes);
    for (size_t i = 0; i < r->n_checks; i++) {
        struct check_rule *c = &r->checks[i];

        expr_free(c->left);
        expr_free(c->right);
        for (size_t j = 0; j < c->n_guards; j++) {
            term_free(&c->guards[j].term);
        }
    }
}
