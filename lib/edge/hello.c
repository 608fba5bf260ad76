/* Handshakes: what a provider asks before it delivers, or between. */
#include "edge/hello.h"

#include "base/mac.h"
#include "core/document.h"
#include "edge/verify_parts.h"

/* ---- conditions ---- */

/* Against a setting, which may be a shared token: in constant time. */
static bool is_expected(const struct expr *want, const struct term_view *v, struct span value)
{
    struct buf expected;
    bool is;

    buf_init(&expected, HELLO_BODY_MAX);
    is = expr_eval(want, v, &expected) == TERM_OK &&
         mac_equal_secret(value, buf_span(&expected));
    buf_wipe(&expected);
    return is;
}

static bool is_met(const struct hello_condition *c, const struct term_view *v)
{
    struct span value;
    struct buf tmp;
    bool holds;

    buf_init(&tmp, HELLO_BODY_MAX);
    holds = term_value(&c->term, v, &tmp, &value) == TERM_OK;
    if (holds && c->value != NULL) {
        holds = is_expected(c->value, v, value);
    } else if (holds && span_present(c->equals)) {
        holds = span_eq(value, c->equals);
    }
    buf_free(&tmp);
    return holds;
}

static bool hello_fits(const struct hello *h, const struct term_view *v)
{
    if (!span_eq(v->request->method, h->method)) {
        return false;
    }
    for (size_t i = 0; i < h->n_conditions; i++) {
        if (!is_met(&h->conditions[i], v)) {
            return false;
        }
    }
    return true;
}

/* ---- what it does ---- */

/* Appends the term's value to kept; false when it has none. */
static bool keep(const struct term *t, const struct term_view *v, struct buf *kept, size_t *len)
{
    struct span value;
    struct buf tmp;
    bool kept_it;

    buf_init(&tmp, HELLO_BODY_MAX);
    kept_it = term_value(t, v, &tmp, &value) == TERM_OK && buf_add_span(kept, value) == HO_OK;
    *len = value.len;
    buf_wipe(&tmp);
    return kept_it;
}

/* Values to save and to visit. A handshake that cannot do what it is for does not fit. */
static bool do_effects(const struct hello *h, const struct term_view *v, struct verdict *out)
{
    size_t save = 0;
    size_t visit = 0;

    if (!h->save_on && !h->visit_on) {
        return true;
    }
    buf_clear(&out->kept); /* a URL that was wanted lies there: another request will ask for it */
    out->wanted = SPAN_NONE;
    if ((h->save_on && !keep(&h->save, v, &out->kept, &save)) ||
        (h->visit_on && !keep(&h->visit, v, &out->kept, &visit))) {
        return false;
    }
    out->save = h->save_on ? span_sub(buf_span(&out->kept), 0, save) : SPAN_NONE;
    out->visit = h->visit_on ? span_sub(buf_span(&out->kept), save, visit) : SPAN_NONE;
    return !h->visit_on || verify_url_allowed(h->from, h->n_from, out->visit);
}

static bool try_hello(const struct hello *h, const struct term_view *v, struct verdict *out)
{
    if (!hello_fits(h, v)) {
        return false;
    }
    if (!do_effects(h, v, out) ||
        !answer_make(h->reply, h->headers, h->n_headers, v, &out->answer)) {
        out->save = SPAN_NONE;
        out->visit = SPAN_NONE;
        return false; /* nothing to echo: it is a delivery like any other */
    }
    out->is_hello = true;
    out->answer.status = h->status;
    out->answer.type = h->type;
    return true;
}

static bool is_of(const struct hello *h, enum hello_kind kind)
{
    return kind == HELLO_FOREIGN ? h->is_foreign : h->is_unsigned == (kind == HELLO_UNSIGNED);
}

bool hello_match(const struct recipe *recipe, const struct term_view *v, enum hello_kind kind,
                 struct verdict *out)
{
    if (v->request->body.len > HELLO_BODY_MAX) {
        return false;
    }
    for (size_t i = 0; i < recipe->n_hellos; i++) {
        if (is_of(&recipe->hellos[i], kind) &&
            try_hello(&recipe->hellos[i], v, out)) {
            return true;
        }
    }
    return false;
}

/* ---- those that nobody signs ---- */

static bool looks_at_json(const struct hello *h)
{
    bool looks = (h->reply != NULL && expr_has(h->reply, TERM_JSON)) ||
                 (h->save_on && h->save.kind == TERM_JSON) ||
                 (h->visit_on && h->visit.kind == TERM_JSON);

    for (size_t i = 0; i < h->n_conditions; i++) {
        looks = looks || h->conditions[i].term.kind == TERM_JSON;
    }
    for (size_t i = 0; i < h->n_headers; i++) {
        looks = looks || expr_has(h->headers[i].value, TERM_JSON);
    }
    return looks;
}

/* Whether the body has to be parsed before it can be told. */
static bool parses(const struct recipe *recipe, struct span method)
{
    for (size_t i = 0; i < recipe->n_hellos; i++) {
        const struct hello *h = &recipe->hellos[i];

        if (h->is_unsigned && span_eq(h->method, method) && looks_at_json(h)) {
            return true;
        }
    }
    return false;
}

/* The source's first shared secret. */
static struct span first_secret(const struct endpoint *e)
{
    for (size_t i = 0; i < e->n_keys; i++) {
        if (e->keys[i].pub == NULL) {
            return secret_span(&e->keys[i].secret);
        }
    }
    return SPAN_NONE;
}

static bool answer_bare(const struct endpoint *e, const struct request *r, enum hello_kind kind,
                        struct verdict *out)
{
    /* No family: which one is used is told by the signature, and there is none. */
    struct term_view v = {.request = r, .source = e->source, .secret = first_secret(e)};
    char word[DOCUMENT_WORD_MAX];
    struct json *doc = NULL;
    bool fits;
    size_t n;

    *out = (struct verdict){.save = SPAN_NONE, .visit = SPAN_NONE, .wanted = SPAN_NONE};
    buf_init(&out->kept, ANSWER_BODY_MAX);
    if (r->body.len <= HELLO_BODY_MAX && parses(e->recipe, r->method)) {
        document_detect(r->body, request_header(r, "content-type", &n), e->recipe->form_json, word,
                        &doc);
        v.doc = doc;
    }
    fits = hello_match(e->recipe, &v, kind, out);
    json_free(doc);
    if (!fits) {
        verdict_free(out);
    }
    return fits;
}

bool hello_answer(const struct endpoint *e, const struct request *r, struct verdict *out)
{
    return answer_bare(e, r, HELLO_UNSIGNED, out);
}

bool hello_foreign(const struct endpoint *e, const struct request *r, struct verdict *out)
{
    return answer_bare(e, r, HELLO_FOREIGN, out);
}

bool hello_unsigned(const struct endpoint *e, bool foreign)
{
    for (size_t i = 0; i < e->recipe->n_hellos; i++) {
        const struct hello *h = &e->recipe->hellos[i];

        if (is_of(h, foreign ? HELLO_FOREIGN : HELLO_UNSIGNED) && span_is(h->method, "POST")) {
            return true;
        }
    }
    return false;
}
