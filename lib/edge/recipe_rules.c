/* What a recipe's keys must hold together, so that a signature means what a site believes it to:
 * that it covers the body, the time and the query, or that the recipe says that it does not. */
#include "edge/recipe_parts.h"

/* ---- what is covered ---- */

/* An empty body is covered when it cannot stand in place of one that was sent. */
enum { COVERS_FORM = 1, COVERS_OTHER = 2, COVERS_EMPTY = 4, COVERS_ALL = 7 };

/* Whether the check compares with that term, and nobody but the signer wrote it: it is there in
 * every request that was sent with a body, and cannot be taken away. */
static bool is_its_own(const struct recipe *r, const struct check_rule *c, const struct term *t)
{
    return recipe_is_signed(r, t) &&
           (recipe_binds_term(c->left, t) || recipe_binds_term(c->right, t));
}

/* The bodies to which a check applies: a guard by a term can be dodged. */
static unsigned applies_to(const struct recipe *r, const struct check_rule *c)
{
    unsigned bodies = COVERS_ALL;

    for (size_t i = 0; i < c->n_guards; i++) {
        const struct check_guard *g = &c->guards[i];

        if (g->kind == GUARD_FORM) {
            bodies &= g->unless ? COVERS_OTHER | COVERS_EMPTY : COVERS_FORM;
        } else if (g->kind == GUARD_BODY) {
            bodies &= g->unless ? 0 : COVERS_FORM | COVERS_OTHER;
        } else {
            bodies &= !g->unless && is_its_own(r, c, &g->term) ? COVERS_EMPTY : 0;
        }
    }
    return bodies;
}

/* Whether each alternative has a field of a form, so that there is no value without a form. */
static bool is_of_form(const struct expr *e)
{
    for (size_t i = 0; e != NULL && i < e->n_alts; i++) {
        bool found = false;

        for (size_t j = 0; j < e->alts[i].n; j++) {
            const struct expr_piece *p = &e->alts[i].pieces[j];

            found = found || (p->is_term && p->group == 0 && p->term.kind == TERM_FORM);
        }
        if (!found) {
            return false;
        }
    }
    return e != NULL;
}

/* Whether only forms can be events: their ids come from a field, or a check wants one. */
static bool needs_form(const struct recipe *r)
{
    bool needs = is_of_form(r->id) && (r->reply_id == NULL || is_of_form(r->reply_id));

    for (size_t i = 0; i < r->n_checks; i++) {
        needs = needs || (r->checks[i].n_guards == 0 && is_of_form(r->checks[i].left));
    }
    return needs;
}

/* Whether the body, all of it, is the token. */
static bool is_body_token(const struct recipe *r)
{
    const struct sig_rule *sig = &r->sig;

    return r->alg.choices[0].alg.kind == ALG_JWT && sig->n_places == 1 &&
           sig->places[0].kind == TERM_BODY && sig->places[0].n_filters == 0 && !sig->list.on &&
           sig->pair == 0 && sig->n_firsts == 0 && !span_present(sig->strip) &&
           !span_present(sig->behind);
}

static unsigned covered(const struct recipe *r)
{
    bool whole = recipe_binds(r->signed_bytes, TERM_BIT(TERM_BODY)) || is_body_token(r);
    unsigned bodies = whole ? COVERS_ALL : 0;

    if (recipe_binds(r->signed_bytes, TERM_BIT(TERM_BODY) | TERM_BIT(TERM_FORMSORTED))) {
        bodies |= COVERS_FORM;
    }
    for (size_t i = 0; i < r->n_checks; i++) {
        if (recipe_ties(r, &r->checks[i], TERM_BIT(TERM_BODY))) {
            bodies |= applies_to(r, &r->checks[i]);
        }
    }
    if (!r->empty_body && !r->get) {
        bodies |= COVERS_EMPTY; /* there is no such delivery */
    }
    return needs_form(r) ? bodies | COVERS_OTHER | COVERS_EMPTY : bodies;
}

static bool covers_url(const struct recipe *r)
{
    bool well = recipe_binds(r->signed_bytes, TERM_BITS_URL);

    for (size_t i = 0; i < r->n_checks; i++) {
        well = well || (r->checks[i].n_guards == 0 && recipe_ties(r, &r->checks[i], TERM_BITS_URL));
    }
    return well;
}

/* ---- the rules ---- */

static enum ho_code check_body(const struct recipe *r, struct ho_err *err)
{
    enum alg_kind kind = r->alg.choices[0].alg.kind;
    unsigned bodies = covered(r);

    if (r->weak != WEAK_NONE || bodies == COVERS_ALL) {
        return HO_OK;
    }
    if (bodies == (COVERS_FORM | COVERS_OTHER)) {
        return ho_fail(err, HO_REJECT, "since an empty body is a delivery too, the body could be "
                                       "taken off: add the check with `if body` once more with "
                                       "`if TERM`, the term being what the body is compared with");
    }
    if (kind == ALG_JWT) {
        return ho_fail(err, HO_REJECT, "nothing ties the body to the token: add a check like "
                                       "{claim:NAME} == {body|sha256|hex}, or say weak = body");
    }
    if ((bodies & ~(unsigned)COVERS_EMPTY) == COVERS_FORM) {
        return ho_fail(err, HO_REJECT, "a body that is no form is not covered: tie it by a check "
                                       "with `unless form`, or have form: in each alternative of "
                                       "id or on the left of a check");
    }
    return ho_fail(err, HO_REJECT, "without {body} anybody could exchange the body: sign it whole, "
                                   "tie it by a check to something signed, or say weak = body or "
                                   "weak = fields");
}

static enum ho_code check_secret(const struct recipe *r, struct ho_err *err)
{
    if (r->alg.choices[0].alg.kind == ALG_DIGEST &&
        !recipe_binds(r->signed_bytes, TERM_BIT(TERM_SECRET))) {
        return ho_fail(err, HO_REJECT, "without {secret} anybody could make the digest");
    }
    return HO_OK;
}

static enum ho_code check_query(const struct recipe *r, struct ho_err *err)
{
    return !r->get || r->weak != WEAK_NONE || covers_url(r)
               ? HO_OK
               : ho_fail(err, HO_REJECT, "GET delivers its query, and without {url} or {path} "
                                         "anybody could exchange it");
}

/* Whether any bytes can stand in the term's value, as they do behind a digest that is gone on with:
 * not in a header or URL, nor where they are written in another way. */
static bool takes_any_bytes(const struct term *t)
{
    bool raw = t->kind == TERM_BODY || t->kind == TERM_FORM || t->kind == TERM_FORMSORTED ||
               t->kind == TERM_JSON || t->kind == TERM_QUERY || t->n_filters > 0;

    for (size_t i = 0; i < t->n_filters; i++) {
        raw = raw && !recipe_is_digest(&t->filters[i]) && t->filters[i].kind != FILTER_JSON &&
              t->filters[i].kind != FILTER_HEX && t->filters[i].kind != FILTER_BASE64 &&
              t->filters[i].kind != FILTER_BASE64URL && t->filters[i].kind != FILTER_CRC32;
    }
    return raw;
}

static bool ends_open(const struct expr_alt *alt)
{
    bool open = false;

    for (size_t i = 0; i < alt->n; i++) {
        const struct expr_piece *p = &alt->pieces[i];

        if (p->is_term && p->term.kind == TERM_SECRET && p->group == 0) {
            open = false; /* nobody who does not know it can write it again */
        } else {
            open = open || (p->is_term && takes_any_bytes(&p->term));
        }
    }
    return open;
}

/* Whether a digest of something, once seen, gives the digest of something longer: of all these but
 * SHA-384, which does not show its whole state. */
static bool can_be_gone_on_with(const struct recipe *r)
{
    bool plain = false;
    bool open = false;

    for (size_t i = 0; i < r->alg.n; i++) {
        const struct alg *a = &r->alg.choices[i].alg;

        plain = plain || (a->kind == ALG_DIGEST && a->digest != MAC_SHA384);
    }
    for (size_t i = 0; plain && i < r->signed_bytes->n_alts; i++) {
        open = open || ends_open(&r->signed_bytes->alts[i]);
    }
    return open;
}

static enum ho_code check_end(const struct recipe *r, struct ho_err *err)
{
    return r->weak != WEAK_NONE || !can_be_gone_on_with(r)
               ? HO_OK
               : ho_fail(err, HO_REJECT, "a digest with {secret} in front shows all it takes to go "
                                         "on with it (length extension): who has seen one can put "
                                         "bytes behind the body and sign them. Say weak = body");
}

static enum ho_code check_weak(const struct recipe *r, struct ho_err *err)
{
    bool signs_body = recipe_binds(r->signed_bytes, TERM_BIT(TERM_BODY)) || is_body_token(r);
    bool open = r->weak == WEAK_BODY && can_be_gone_on_with(r);

    return r->weak != WEAK_NONE && signs_body && !open
               ? ho_fail(err, HO_REJECT, "the body is signed: it is not weak")
               : HO_OK;
}

static bool is_time_signed(const struct recipe *r, const struct term *t)
{
    if (recipe_binds(r->signed_bytes, TERM_BIT(TERM_TS)) || recipe_is_signed(r, t)) {
        return true;
    }
    if (t->kind == TERM_JSON) {
        return covered(r) == COVERS_ALL;
    }
    return t->kind == TERM_FORM &&
           (r->weak != WEAK_NONE || (covered(r) & COVERS_FORM) != 0);
}

static enum ho_code check_guards(const struct recipe *r, struct ho_err *err)
{
    for (size_t i = 0; i < r->n_checks && !r->forms; i++) {
        for (size_t j = 0; j < r->checks[i].n_guards; j++) {
            if (r->checks[i].guards[j].kind == GUARD_FORM) {
                return ho_fail(err, HO_REJECT, "no body is a form where the recipe looks at none");
            }
        }
    }
    return HO_OK;
}

static enum ho_code check_time(const struct recipe *r, struct ho_err *err)
{
    for (size_t i = 0; r->time.on && i < r->time.n_terms; i++) {
        if (r->weak == WEAK_TOKEN || !is_time_signed(r, &r->time.terms[i])) {
            return ho_fail(err, HO_REJECT, "not signed, so anybody could renew it: `signed` must "
                                           "hold {ts}, or that term");
        }
    }
    return HO_OK;
}

enum ho_code recipe_check_rules(const struct recipe *r, const struct recipe_text *t,
                                struct ho_err *err)
{
    static const struct {
        const char *key; /* that is blamed */
        enum ho_code (*check)(const struct recipe *r, struct ho_err *err);
    } rules[] = {
        {"signed", check_secret}, {"signed", check_body}, {"signed", check_end},
        {"methods", check_query}, {"weak", check_weak},   {"time", check_time},
        {"check", check_guards},
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        enum ho_code code = rules[i].check(r, err);

        if (code != HO_OK) {
            return recipe_blame(recipe_entry(t, rules[i].key), code, err);
        }
    }
    return HO_OK;
}
