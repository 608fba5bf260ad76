/* What the bytes that are signed bind: what nobody but the signer can have written. */
#include <string.h>

#include "edge/recipe_parts.h"

bool recipe_is_digest(const struct filter *f)
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

        digested = digested || recipe_is_digest(&t->filters[i]);
        if (!encodes && !recipe_is_digest(&t->filters[i]) && !(folds && digested)) {
            return false;
        }
    }
    return true;
}

bool recipe_same_place(const struct term *a, const struct term *b)
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

bool recipe_binds(const struct expr *e, unsigned kinds)
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

bool recipe_binds_term(const struct expr *e, const struct term *t)
{
    for (size_t i = 0; e != NULL && i < e->n_alts; i++) {
        bool found = false;

        for (size_t j = 0; j < e->alts[i].n && !found; j++) {
            const struct expr_piece *p = &e->alts[i].pieces[j];

            found = p->is_term && p->group == 0 && recipe_same_place(&p->term, t) &&
                    (keeps_all(&p->term) || same_filters(&p->term, t));
        }
        if (!found) {
            return false;
        }
    }
    return e != NULL;
}

bool recipe_is_signed(const struct recipe *r, const struct term *t)
{
    switch (t->kind) {
    case TERM_CLAIM:
    case TERM_JOSE:
        return true;
    case TERM_QUERY:
        return recipe_binds(r->signed_bytes, TERM_BITS_URL) ||
               recipe_binds_term(r->signed_bytes, t);
    case TERM_FORM:
        return recipe_binds(r->signed_bytes, TERM_BIT(TERM_FORMSORTED)) ||
               recipe_binds_term(r->signed_bytes, t);
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
    return recipe_binds_term(r->signed_bytes, t);
}

/* Whether a side of a check is nothing but signed terms, at least one, and literal text. */
static bool is_all_signed(const struct recipe *r, const struct expr *e)
{
    for (size_t i = 0; i < e->n_alts; i++) {
        size_t terms = 0;

        for (size_t j = 0; j < e->alts[i].n; j++) {
            const struct expr_piece *p = &e->alts[i].pieces[j];

            if (p->is_term && (p->group != 0 || !recipe_is_signed(r, &p->term))) {
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

bool recipe_ties(const struct recipe *r, const struct check_rule *c, unsigned kinds)
{
    return (recipe_binds(c->left, kinds) && is_all_signed(r, c->right)) ||
           (recipe_binds(c->right, kinds) && is_all_signed(r, c->left));
}
