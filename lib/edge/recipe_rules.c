/* What a recipe's keys must hold together, so that a signature means what a site believes it to:
 * that it covers the body, the time and the query, or that the recipe says that it does not. */
#include <string.h>

#include "edge/recipe_parts.h"

/* ---- what a template binds ---- */

static bool is_digest(const struct filter *f)
{
    return f->kind == FILTER_MD5 || f->kind == FILTER_SHA1 || f->kind == FILTER_SHA256 ||
           f->kind == FILTER_SHA512;
}

/* Whether another value of the term would show: encodings and digests keep every byte (CRC-32 does
 * not: anybody can make a body of a given one), and of a digest's text the case does not matter. */
static bool keeps_all(const struct term *t)
{
    bool digested = false;

    for (size_t i = 0; i < t->n_filters; i++) {
        enum filter_kind kind = t->filters[i].kind;
        bool encodes = kind == FILTER_JSON || kind == FILTER_HEX || kind == FILTER_BASE64 ||
                       kind == FILTER_BASE64URL;
        bool folds = kind == FILTER_LOWER || kind == FILTER_UPPER;

        digested = digested || is_digest(&t->filters[i]);
        if (!encodes && !is_digest(&t->filters[i]) && !(folds && digested)) {
            return false;
        }
    }
    return true;
}

static bool same_name(const struct term *a, const struct term *b)
{
    return a->kind == b->kind &&
           (a->name == NULL ? b->name == NULL : b->name != NULL && strcmp(a->name, b->name) == 0);
}

static bool same_filters(const struct term *a, const struct term *b)
{
    bool same = a->n_filters == b->n_filters;

    for (size_t i = 0; same && i < a->n_filters; i++) {
        const char *x = a->filters[i].text;
        const char *y = b->filters[i].text;

        same = a->filters[i].kind == b->filters[i].kind &&
               (x == NULL ? y == NULL : y != NULL && strcmp(x, y) == 0);
    }
    return same;
}

/* The kinds of terms of which this one holds all. */
static unsigned bound_by(const struct term *t)
{
    if (t->n_filters == 1 && t->filters[0].kind == FILTER_WITH_FORM) {
        return TERM_BIT(TERM_URL) | TERM_BIT(TERM_FORMSORTED);
    }
    return keeps_all(t) ? TERM_BIT(t->kind) : 0;
}

/* Whether every alternative has, outside of groups (whose terms can be left out), a term of one of
 * these kinds, whole. */
static bool binds(const struct expr *e, unsigned kinds)
{
    for (size_t i = 0; e != NULL && i < e->n_alts; i++) {
        bool found = false;

        for (size_t j = 0; j < e->alts[i].n && !found; j++) {
            const struct expr_piece *p = &e->alts[i].pieces[j];

            found = p->is_term && p->group == 0 && (kinds & bound_by(&p->term)) != 0;
        }
        if (!found) {
            return false;
        }
    }
    return e != NULL;
}

/* Whether every alternative binds this term, whole or with the same filters. */
static bool binds_term(const struct expr *e, const struct term *t)
{
    for (size_t i = 0; e != NULL && i < e->n_alts; i++) {
        bool found = false;

        for (size_t j = 0; j < e->alts[i].n && !found; j++) {
            const struct expr_piece *p = &e->alts[i].pieces[j];

            found = p->is_term && p->group == 0 && same_name(&p->term, t) &&
                    (keeps_all(&p->term) || same_filters(&p->term, t));
        }
        if (!found) {
            return false;
        }
    }
    return e != NULL;
}

#define URL_BITS (TERM_BIT(TERM_URL) | TERM_BIT(TERM_PATH))

/* Whether nobody but the signer can have written what the term gives. */
static bool is_signed(const struct recipe *r, const struct term *t)
{
    switch (t->kind) {
    case TERM_CLAIM:
    case TERM_JOSE:
        return true;
    case TERM_QUERY:
        return binds(r->signed_bytes, URL_BITS) || binds_term(r->signed_bytes, t);
    case TERM_FORM:
        return binds(r->signed_bytes, TERM_BIT(TERM_FORMSORTED)) ||
               binds_term(r->signed_bytes, t);
    case TERM_BODY:
    case TERM_ITEM:
    case TERM_METHOD:
    case TERM_URL:
    case TERM_PATH:
    case TERM_HEADER:
    case TERM_FAMILY:
    case TERM_FORMSORTED:
    case TERM_JSON:
    case TERM_ITEM_JSON:
    case TERM_TS:
    case TERM_SIG:
    case TERM_SECRET:
    case TERM_PARAM:
    case TERM_ARRIVAL:
        break;
    }
    return binds_term(r->signed_bytes, t);
}

/* Whether a side of a check is nothing but signed terms, at least one, and literal text. */
static bool is_all_signed(const struct recipe *r, const struct expr *e)
{
    for (size_t i = 0; i < e->n_alts; i++) {
        size_t terms = 0;

        for (size_t j = 0; j < e->alts[i].n; j++) {
            const struct expr_piece *p = &e->alts[i].pieces[j];

            if (p->is_term && (p->group != 0 || !is_signed(r, &p->term))) {
                return false;
            }
            terms += p->is_term;
        }
        if (terms == 0) {
            return false;
        }
    }
    return true;
}

/* Whether the check ties a term of those kinds to something signed. */
static bool ties(const struct recipe *r, const struct check_rule *c, unsigned kinds)
{
    return (binds(c->left, kinds) && is_all_signed(r, c->right)) ||
           (binds(c->right, kinds) && is_all_signed(r, c->left));
}

/* ---- what is covered ---- */

enum { COVERS_FORM = 1, COVERS_OTHER = 2, COVERS_ALL = 3 };

/* The bodies to which a check applies: a guard by a term can be dodged. */
static unsigned applies_to(const struct check_rule *c)
{
    unsigned bodies = COVERS_ALL;

    for (size_t i = 0; i < c->n_guards; i++) {
        const struct check_guard *g = &c->guards[i];

        if (g->kind == GUARD_FORM) {
            bodies &= g->unless ? COVERS_OTHER : COVERS_FORM;
        } else if (g->kind == GUARD_TERM || g->unless) {
            bodies = 0;
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
    bool whole = binds(r->signed_bytes, TERM_BIT(TERM_BODY)) || is_body_token(r);
    unsigned bodies = whole ? COVERS_ALL : 0;

    if (binds(r->signed_bytes, TERM_BIT(TERM_BODY) | TERM_BIT(TERM_FORMSORTED))) {
        bodies |= COVERS_FORM;
    }
    for (size_t i = 0; i < r->n_checks; i++) {
        if (ties(r, &r->checks[i], TERM_BIT(TERM_BODY))) {
            bodies |= applies_to(&r->checks[i]);
        }
    }
    return needs_form(r) ? bodies | COVERS_OTHER : bodies;
}

static bool covers_url(const struct recipe *r)
{
    bool well = binds(r->signed_bytes, URL_BITS);

    for (size_t i = 0; i < r->n_checks; i++) {
        well = well || (r->checks[i].n_guards == 0 && ties(r, &r->checks[i], URL_BITS));
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
    if (kind == ALG_JWT) {
        return ho_fail(err, HO_REJECT, "nothing ties the body to the token: add a check like "
                                       "{claim:NAME} == {body|sha256|hex}, or say weak = body");
    }
    if (bodies == COVERS_FORM) {
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
        !binds(r->signed_bytes, TERM_BIT(TERM_SECRET))) {
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

static enum ho_code check_weak(const struct recipe *r, struct ho_err *err)
{
    bool signs_body = binds(r->signed_bytes, TERM_BIT(TERM_BODY)) || is_body_token(r);

    return r->weak != WEAK_NONE && signs_body
               ? ho_fail(err, HO_REJECT, "the body is signed: it is not weak")
               : HO_OK;
}

static bool is_time_signed(const struct recipe *r, const struct term *t)
{
    if (binds(r->signed_bytes, TERM_BIT(TERM_TS)) || is_signed(r, t)) {
        return true;
    }
    if (t->kind == TERM_JSON) {
        return covered(r) == COVERS_ALL;
    }
    return t->kind == TERM_FORM &&
           (r->weak != WEAK_NONE || (covered(r) & COVERS_FORM) != 0);
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
        {"signed", check_secret}, {"signed", check_body}, {"methods", check_query},
        {"weak", check_weak},     {"time", check_time},
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        enum ho_code code = rules[i].check(r, err);

        if (code != HO_OK) {
            return recipe_blame(recipe_entry(t, rules[i].key), code, err);
        }
    }
    return HO_OK;
}
