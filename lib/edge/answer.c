/* The recipe's answers: templates over a request that may be anybody's. */
#include "edge/hello.h"

#include "core/document.h"

static bool is_line(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] < 0x20 || s.p[i] > 0x7e) {
            return false;
        }
    }
    return s.len <= ANSWER_VALUE_MAX;
}

static void put_header(const struct answer_header *h, const struct term_view *v,
                       struct buf *headers)
{
    size_t from = headers->len;
    struct buf value;

    buf_init(&value, ANSWER_VALUE_MAX + 1);
    if (expr_eval(h->value, v, &value) == TERM_OK && is_line(buf_span(&value)) &&
        (buf_add_span(headers, h->name) != HO_OK || buf_add_str(headers, ": ") != HO_OK ||
         buf_add_span(headers, buf_span(&value)) != HO_OK ||
         buf_add_str(headers, "\r\n") != HO_OK)) {
        headers->len = from;
    }
    buf_wipe(&value);
}

bool answer_make(const struct expr *text, const struct answer_header *headers, size_t n_headers,
                 const struct term_view *v, struct answer *out)
{
    buf_init(&out->body, ANSWER_BODY_MAX);
    buf_init(&out->headers, ANSWER_LINES_MAX);
    if (text != NULL && expr_eval(text, v, &out->body) != TERM_OK) {
        answer_free(out);
        return false;
    }
    for (size_t i = 0; i < n_headers; i++) {
        put_header(&headers[i], v, &out->headers);
    }
    return true;
}

void answer_free(struct answer *a)
{
    buf_wipe(&a->body); /* a handshake may echo a secret */
    buf_wipe(&a->headers);
}

static bool looks_at_json(const struct fixed_answer *a)
{
    bool looks = a->text != NULL && expr_has(a->text, TERM_JSON);

    for (size_t i = 0; i < a->n_headers; i++) {
        looks = looks || expr_has(a->headers[i].value, TERM_JSON);
    }
    return looks;
}

static const struct fixed_answer *fixed(const struct endpoint *e, enum answer_kind kind)
{
    return &e->recipe->answers[kind == ANSWER_FIXED ? ANSWER_BAD : kind];
}

int answer_status(const struct endpoint *e, enum answer_kind kind)
{
    return fixed(e, kind)->status;
}

const char *answer_type(const struct endpoint *e, enum answer_kind kind)
{
    return fixed(e, kind)->type;
}

void answer_for(const struct endpoint *e, enum answer_kind kind, const struct request *r,
                struct answer *out)
{
    const struct fixed_answer *a = fixed(e, kind);
    const struct request nothing = {.method = SPAN_LIT("")};
    struct term_view view = {.request = r != NULL ? r : &nothing, .source = e->source};
    char word[DOCUMENT_WORD_MAX];
    struct json *doc = NULL;
    struct document_how how = recipe_document(e->recipe, true);

    *out = (struct answer){.status = a->status, .type = a->type};
    if (looks_at_json(a) && view.request->body.len <= HELLO_BODY_MAX &&
        document_detect(view.request->body, &how, word, &doc) == HO_OK) {
        view.doc = doc;
    }
    /* A text that cannot be made leaves the status, which is what counts. */
    if (!answer_make(a->text, a->headers, a->n_headers, &view, out)) {
        (void)answer_make(NULL, a->headers, a->n_headers, &view, out);
    }
    json_free(doc);
}
