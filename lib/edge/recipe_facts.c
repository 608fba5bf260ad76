/* What listings show of a recipe. */
#include "edge/recipe_parts.h"

static const char *const weak_words[] = {[WEAK_NONE] = NULL, [WEAK_BODY] = "body",
                                         [WEAK_FIELDS] = "fields", [WEAK_TOKEN] = "token"};

static bool signs_url(const struct recipe *r)
{
    bool found = r->signed_bytes != NULL && expr_has(r->signed_bytes, TERM_URL);

    for (size_t i = 0; i < r->n_checks; i++) {
        found = found || expr_has(r->checks[i].left, TERM_URL) ||
                expr_has(r->checks[i].right, TERM_URL);
    }
    return found;
}

static bool pairs(const struct recipe *r)
{
    for (size_t i = 0; i < r->n_hellos; i++) {
        if (r->hellos[i].save_on) {
            return true;
        }
    }
    return false;
}

/* ---- ids ---- */

/* Whether nobody but the signer can have written what the term gives, the body being signed. */
static bool is_believed(const struct recipe *r, const struct term *t)
{
    bool in_body = t->kind == TERM_BODY || t->kind == TERM_JSON || t->kind == TERM_FORM ||
                   t->kind == TERM_FORMSORTED || t->kind == TERM_ITEM || t->kind == TERM_ITEM_JSON;
    bool is_time = r->time.n_terms == 1 && recipe_same_place(t, &r->time.terms[0]) &&
                   recipe_binds(r->signed_bytes, TERM_BIT(TERM_TS));

    return is_time || t->kind == TERM_PARAM || (in_body && r->weak == WEAK_NONE) ||
           recipe_is_signed(r, t);
}

static enum ho_code look_for_stranger(void *arg, const struct term *t, struct ho_err *err)
{
    return is_believed(arg, t) ? HO_OK : ho_fail(err, HO_REJECT, "anybody may have written it");
}

/* Whether a check that is always made holds the term against something that is believed. */
static bool is_checked(struct recipe *r, const struct term *t)
{
    for (size_t i = 0; i < r->n_checks; i++) {
        const struct check_rule *c = &r->checks[i];

        if (c->n_guards == 0 &&
            ((recipe_binds_term(c->left, t) &&
              expr_each(c->right, look_for_stranger, r, NULL) == HO_OK) ||
             (recipe_binds_term(c->right, t) &&
              expr_each(c->left, look_for_stranger, r, NULL) == HO_OK))) {
            return true;
        }
    }
    return false;
}

static enum ho_code look_for_unsigned(void *arg, const struct term *t, struct ho_err *err)
{
    bool outside = t->kind == TERM_HEADER || t->kind == TERM_FAMILY || t->kind == TERM_QUERY;

    return !outside || is_believed(arg, t) || is_checked(arg, t)
               ? HO_OK
               : ho_fail(err, HO_REJECT, "nobody signs it");
}

bool recipe_unsigned_id(struct recipe *r)
{
    return expr_each(r->id, look_for_unsigned, r, NULL) != HO_OK;
}

void recipe_facts(const struct recipe *r, struct recipe_facts *out)
{
    *out = (struct recipe_facts){
        .name = r->name,
        .title = r->title,
        .docs = r->docs,
        .basis = r->basis,
        .confidence = r->confidence,
        .secret_at = r->secret_at,
        .authoritative = r->authoritative,
        .note = r->note,
        .weak = weak_words[r->weak],
        .signature = r->facts_signature,
        .signed_bytes = r->signed_text,
        .id = r->id_text,
        .tolerance_ms = r->time.tolerance_ms,
        .retries_ms = r->retries_ms,
        .resend_ms = r->resend_ms,
        .cap = r->cap,
        .deadline_ms = r->deadline_ms,
        .reply_ms = r->reply_deadline_ms,
        .scope_provider = r->scope_provider,
        .guard = r->guard != NULL,
        .batch = r->batch_on,
        .fetched = r->keys.kind != KEYS_NONE,
        .signs_url = signs_url(r),
        .pairs = pairs(r),
        .unsigned_id = r->unsigned_id,
    };
}

bool recipe_param(const struct recipe *r, size_t i, struct span *name, struct span *help)
{
    if (i >= r->n_params) {
        return false;
    }
    *name = r->params[i].name;
    *help = r->params[i].help;
    return true;
}

void recipe_describe(struct recipe *r)
{
    struct buf text;
    enum ho_code code = HO_OK;

    buf_init(&text, 4096);
    for (size_t i = 0; i < r->alg.n && code == HO_OK; i++) {
        code = i > 0 ? buf_add_str(&text, " or ") : HO_OK;
        code = code == HO_OK ? recipe_alg_put(&r->alg.choices[i].alg, &text) : code;
    }
    for (size_t i = 0; i < r->sig.n_names && code == HO_OK; i++) {
        code = buf_addf(&text, " %s %.128s", i > 0 ? "or" : "in", r->sig.names[i]);
    }
    if (code != HO_OK) {
        ho_die("bug: the description of recipe %s does not fit", r->name);
    }
    r->facts_signature = ho_strdup(buf_cstr(&text));
    buf_free(&text);
}
