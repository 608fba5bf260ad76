/* Handshakes and the recipe's fixed answers. */
#include "edge/hello.h"

static bool condition_holds(const struct hello_condition *c, const struct term_view *v)
{
    struct span value;
    struct buf tmp;
    bool holds;

    buf_init(&tmp, HELLO_BODY_MAX);
    holds = term_value(&c->term, v, &tmp, &value) == TERM_OK &&
            (!span_present(c->equals) || span_eq(value, c->equals));
    buf_free(&tmp);
    return holds;
}

static bool hello_fits(const struct hello *h, const struct term_view *v)
{
    if (!span_eq(v->request->method, h->method)) {
        return false;
    }
    for (size_t i = 0; i < h->n_conditions; i++) {
        if (!condition_holds(&h->conditions[i], v)) {
            return false;
        }
    }
    return true;
}

bool hello_match(const struct recipe *recipe, const struct term_view *v, bool is_unsigned,
                 struct answer *out)
{
    if (v->request->body.len > HELLO_BODY_MAX) {
        return false;
    }
    for (size_t i = 0; i < recipe->n_hellos; i++) {
        const struct hello *h = &recipe->hellos[i];

        if (h->is_unsigned != is_unsigned || !hello_fits(h, v)) {
            continue;
        }
        out->status = h->status;
        out->type = h->type;
        buf_init(&out->body, 2 * HELLO_BODY_MAX);
        if (h->reply == NULL || expr_eval(h->reply, v, &out->body) == TERM_OK) {
            return true;
        }
        buf_free(&out->body); /* nothing to echo: it is a delivery like any other */
    }
    return false;
}

bool hello_answer(const struct endpoint *e, const struct request *r, struct answer *out)
{
    /* No family: which one is used is told by the signature, and there is none. */
    const struct term_view v = {.request = r};

    return hello_match(e->recipe, &v, true, out);
}

bool hello_unsigned(const struct endpoint *e)
{
    for (size_t i = 0; i < e->recipe->n_hellos; i++) {
        if (e->recipe->hellos[i].is_unsigned && span_is(e->recipe->hellos[i].method, "POST")) {
            return true;
        }
    }
    return false;
}

void answer_for(const struct endpoint *e, enum answer_kind kind, struct answer *out)
{
    const struct fixed_answer *a = &e->recipe->answers[kind == ANSWER_FIXED ? ANSWER_BAD : kind];

    out->status = a->status;
    out->type = a->type;
    buf_init(&out->body, a->text.len + 1);
    if (buf_add_span(&out->body, a->text) != HO_OK) {
        ho_die("bug: a fixed answer does not fit");
    }
}
