/* What a recipe looks at, all its keys taken together. */
#include "edge/recipe_parts.h"

/* A visit of terms that goes on while it is well. */
struct visit {
    expr_visit *fn;
    void *arg;
    struct ho_err *err;
    enum ho_code code;
};

static void visit_term(struct visit *v, bool on, const struct term *t)
{
    if (on && v->code == HO_OK) {
        v->code = v->fn(v->arg, t, v->err);
    }
}

static void visit_expr(struct visit *v, const struct expr *e)
{
    if (v->code == HO_OK) {
        v->code = expr_each(e, v->fn, v->arg, v->err);
    }
}

static void visit_headers(struct visit *v, const struct answer_header *headers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        visit_expr(v, headers[i].value);
    }
}

static void visit_sig(struct visit *v, const struct recipe *r)
{
    for (size_t i = 0; i < r->sig.n_places; i++) {
        visit_term(v, true, &r->sig.places[i]);
    }
    visit_term(v, r->alg.by_on, &r->alg.by);
    visit_term(v, r->keys.kid_on, &r->keys.kid);
    visit_term(v, r->keys.kind != KEYS_NONE && !span_present(r->keys.url), &r->keys.term);
    visit_expr(v, r->key_template);
    visit_expr(v, r->signed_bytes);
    for (size_t i = 0; i < r->time.n_terms; i++) {
        visit_term(v, true, &r->time.terms[i]);
    }
    for (size_t i = 0; i < r->n_needs; i++) {
        visit_term(v, true, &r->needs[i]);
    }
}

static void visit_checks(struct visit *v, const struct recipe *r)
{
    for (size_t i = 0; i < r->n_checks; i++) {
        const struct check_rule *c = &r->checks[i];

        visit_expr(v, c->left);
        visit_expr(v, c->right);
        for (size_t j = 0; j < c->n_guards; j++) {
            visit_term(v, c->guards[j].kind == GUARD_TERM, &c->guards[j].term);
        }
    }
}

static void visit_event(struct visit *v, const struct recipe *r)
{
    visit_expr(v, r->id);
    visit_expr(v, r->reply_id);
    visit_expr(v, r->type);
    visit_expr(v, r->object);
    visit_expr(v, r->same);
    visit_expr(v, r->guard);
    for (size_t i = 0; i < r->n_at; i++) {
        visit_term(v, true, &r->at[i].term);
    }
}

static void visit_hello(struct visit *v, const struct hello *h)
{
    for (size_t i = 0; i < h->n_conditions; i++) {
        visit_term(v, true, &h->conditions[i].term);
        visit_expr(v, h->conditions[i].value);
    }
    visit_expr(v, h->reply);
    visit_headers(v, h->headers, h->n_headers);
    visit_term(v, h->save_on, &h->save);
    visit_term(v, h->visit_on, &h->visit);
}

enum ho_code recipe_each_term(const struct recipe *r, expr_visit *fn, void *arg,
                              struct ho_err *err)
{
    struct visit v = {fn, arg, err, HO_OK};

    visit_sig(&v, r);
    visit_checks(&v, r);
    visit_event(&v, r);
    for (size_t i = 0; i < r->n_hellos; i++) {
        visit_hello(&v, &r->hellos[i]);
    }
    for (size_t i = 0; i < sizeof r->answers / sizeof r->answers[0]; i++) {
        visit_expr(&v, r->answers[i].text);
        visit_headers(&v, r->answers[i].headers, r->answers[i].n_headers);
    }
    return v.code;
}

/* ---- forms ---- */

static enum ho_code look_for_form(void *arg, const struct term *t, struct ho_err *err)
{
    bool *found = arg;

    (void)err;
    *found = *found || t->kind == TERM_FORM || t->kind == TERM_FORMSORTED;
    for (size_t i = 0; i < t->n_filters; i++) {
        *found = *found || t->filters[i].kind == FILTER_WITH_FORM;
    }
    return HO_OK;
}

bool recipe_reads_forms(const struct recipe *r)
{
    bool found = r->form_json != NULL;

    return recipe_each_term(r, look_for_form, &found, NULL) == HO_OK && found;
}

struct document_how recipe_document(const struct recipe *r, bool early)
{
    return (struct document_how){.forms = r->forms, .form_json = r->form_json, .early = early};
}
