/* Whether a term fits the recipe and the place it stands in. */
#include <string.h>

#include "edge/recipe_parts.h"

static enum ho_code check_sig_field(const struct recipe *r, const struct term *t,
                                    struct ho_err *err)
{
    const struct sig_rule *sig = &r->sig;

    if (sig->pair == 0 && sig->n_firsts == 0) {
        return ho_fail(err, HO_REJECT, "sig.%s needs `pair` or `first` in sig", t->name);
    }
    if (sig->pair != 0 && span_is(sig->name, t->name)) {
        return ho_fail(err, HO_REJECT, "sig.%s is the signature itself", t->name);
    }
    for (size_t i = 0; i < sig->n_firsts; i++) {
        if (span_is(sig->firsts[i], t->name)) {
            return HO_OK;
        }
    }
    return sig->pair != 0
               ? HO_OK
               : ho_fail(err, HO_REJECT, "sig.%s is not among the names behind `first`", t->name);
}

static enum ho_code check_family(const struct recipe *r, const struct term *t, struct ho_err *err)
{
    char name[TERM_NAME_MAX];

    if (r->n_families == 0) {
        return ho_fail(err, HO_REJECT, "header:*%s needs the key `headers`", t->name);
    }
    for (size_t i = 0; i < r->n_families; i++) {
        term_header_name(t, r->families[i], name);
        if (name[0] == '\0') {
            return ho_fail(err, HO_REJECT, "the name of header:*%s is too long", t->name);
        }
    }
    return HO_OK;
}

static enum ho_code check_token(const struct recipe *r, const struct term *t, struct ho_err *err)
{
    const char *name = t->name + (t->name[0] == '/'); /* as it is written for members */
    enum alg_kind kind = r->alg.choices[0].alg.kind;

    if (t->kind == TERM_CLAIM) {
        return kind == ALG_JWT ? HO_OK : ho_fail(err, HO_REJECT, "claim:%s needs alg = jwt", name);
    }
    return kind == ALG_JWT || kind == ALG_JWS
               ? HO_OK
               : ho_fail(err, HO_REJECT, "jose:%s needs alg = jwt or jws", name);
}

static enum ho_code check_param(const struct recipe *r, const char *name, struct ho_err *err)
{
    for (size_t i = 0; i < r->n_params; i++) {
        if (span_is(r->params[i].name, name)) {
            return HO_OK;
        }
    }
    return ho_fail(err, HO_REJECT, "param:%s needs a key `param = %s HELP`", name, name);
}

enum ho_code recipe_check_term(const struct recipe *r, const struct term *t, struct ho_err *err)
{
    for (size_t i = 0; i < t->n_filters; i++) {
        if (t->filters[i].kind == FILTER_PARAM &&
            check_param(r, t->filters[i].text, err) != HO_OK) {
            return HO_REJECT;
        }
        if (t->filters[i].kind == FILTER_WITH_FORM &&
            (t->kind != TERM_URL || t->n_filters > 1)) {
            return ho_fail(err, HO_REJECT, "withform stands alone, and behind url only");
        }
    }
    switch (t->kind) {
    case TERM_FAMILY:
        return check_family(r, t, err);
    case TERM_SIG:
        return check_sig_field(r, t, err);
    case TERM_CLAIM:
    case TERM_JOSE:
        return check_token(r, t, err);
    case TERM_PARAM:
        return check_param(r, t->name, err);
    case TERM_TS:
        return r->time.on ? HO_OK : ho_fail(err, HO_REJECT, "ts needs the key `time`");
    case TERM_ITEM:
    case TERM_ITEM_JSON:
        return r->batch_on ? HO_OK
                           : ho_fail(err, HO_REJECT, "item and json:./ need the key `batch`");
    case TERM_BODY:
    case TERM_METHOD:
    case TERM_URL:
    case TERM_PATH:
    case TERM_HEADER:
    case TERM_QUERY:
    case TERM_FORM:
    case TERM_FORMSORTED:
    case TERM_JSON:
    case TERM_SECRET:
    case TERM_ARRIVAL:
        break;
    }
    return HO_OK;
}

enum ho_code recipe_fits(void *arg, const struct term *t, struct ho_err *err)
{
    const struct recipe_place *place = arg;

    if ((place->kinds & TERM_BIT(t->kind)) == 0) {
        return ho_fail(err, HO_REJECT, "%s", t->kind == TERM_SECRET
                                                 ? "secret stands only in `key`, and in `signed` "
                                                   "of a digest"
                                                 : place->says);
    }
    for (size_t i = 0; i < t->n_filters; i++) {
        if (filter_is_hmac(&t->filters[i]) && !place->hmac) {
            return ho_fail(err, HO_REJECT, "hmac filters stand only in the answer of `hello`");
        }
    }
    return recipe_check_term(place->recipe, t, err);
}

enum ho_code recipe_read_term(struct recipe_place *place, struct span text, struct term *out,
                              struct ho_err *err)
{
    enum ho_code code = term_parse(text, out, err);

    return code == HO_OK ? recipe_fits(place, out, err) : code;
}

enum ho_code recipe_read_expr(struct recipe_place *place, struct span text, struct expr **out,
                              struct ho_err *err)
{
    enum ho_code code = expr_parse(text, out, err);

    return code == HO_OK ? expr_each(*out, recipe_fits, place, err) : code;
}
