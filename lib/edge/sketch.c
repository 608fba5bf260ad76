/* Events of bodies that nobody verified. */
#include "edge/sketch.h"

#include <string.h>

#include "core/key.h"
#include "edge/extract.h"
#include "edge/verify.h"

struct sketch {
    const struct endpoint *endpoint;
    struct term_view view;
    char word[DOCUMENT_WORD_MAX];
    struct json *doc;
    struct span type;
    unsigned char body_sha[SHA256_LEN];
    sketch_fn *fn;
    void *arg;
};

enum ho_code sketch_event(const struct event *e, sketch_fn *fn, void *arg, struct ho_err *err)
{
    struct json *doc = NULL;
    enum ho_code code = document_open(e->body, e->document, &doc, err);

    if (code == HO_OK) {
        fn(arg, e, doc);
    }
    json_free(doc);
    return code;
}

static enum reason one(struct sketch *s, size_t index, const char *word)
{
    struct extraction x;
    struct buf type;
    enum reason reason;

    buf_init(&type, EVENT_KEY_MAX);
    reason = extract_sketch(s->endpoint, &s->view, index, s->body_sha, SPAN_LIT("?"), &x);
    if (reason == REASON_OK && span_present(s->type)) {
        reason = key_stored(s->type, &type) == HO_OK ? REASON_OK : REASON_BAD_REQUEST;
        x.event.type = buf_span(&type);
    }
    if (reason == REASON_OK) {
        x.event.document = span_of(word);
        reason = sketch_event(&x.event, s->fn, s->arg, NULL) == HO_OK ? REASON_OK
                                                                      : REASON_BAD_REQUEST;
    }
    extraction_free(&x);
    buf_free(&type);
    return reason;
}

static enum reason batch(struct sketch *s)
{
    const struct span at = s->endpoint->recipe->batch;
    const struct json_node *items = json_at(s->doc, at);
    enum json_kind kind = json_kind_of(items);
    enum reason reason = REASON_OK;
    size_t n = json_count(items);

    if (kind == JSON_OBJECT && at.len == 0) {
        s->view.item = items;
        return one(s, 0, s->word);
    }
    if ((kind != JSON_ARRAY && kind != JSON_NULL) || n > VERIFY_BATCH_MAX) {
        return REASON_BATCH;
    }
    for (size_t i = 0; i < n && reason == REASON_OK; i++) {
        char word[DOCUMENT_WORD_MAX];

        if (document_item_word(s->word, (const char *)at.p, i, word, NULL) != HO_OK) {
            return REASON_BATCH;
        }
        s->view.item = json_item(items, i);
        reason = one(s, i, word);
    }
    return reason;
}

enum reason sketch_events(const struct endpoint *e, const struct request *r, struct span type,
                          sketch_fn *fn, void *arg)
{
    struct sketch s = {.endpoint = e, .type = type, .fn = fn, .arg = arg};
    const struct document_how how = recipe_document(e->recipe, false);
    enum reason reason;

    s.view = (struct term_view){.request = r, .source = e->source, .arrival = SPAN_LIT("?")};
    s.view.family = e->recipe->n_families > 0 ? e->recipe->families[0] : NULL;
    if (document_detect(r->body, &how, s.word, &s.doc) != HO_OK) {
        ho_die("bug: a body that is looked at late was refused");
    }
    s.view.doc = s.doc;
    mac_sha256(r->body, s.body_sha);
    reason = e->recipe->batch_on ? batch(&s) : one(&s, 0, s.word);
    json_free(s.doc);
    return reason;
}

bool sketch_has_types(const struct endpoint *e)
{
    return e->recipe->type != NULL;
}
