/* Documents: the word that is kept with a body finds the same document again, and a body is one
 * thing. The first byte says how the recipe reads bodies. */
#include "core/document.h"
#include "fuzz.h"

static void same(const struct json *a, const struct json *b)
{
    struct buf x, y;

    buf_init(&x, 1 << 20);
    buf_init(&y, 1 << 20);
    MUST(json_text(json_at(a, SPAN_LIT("")), &x) == HO_OK);
    MUST(json_text(json_at(b, SPAN_LIT("")), &y) == HO_OK);
    MUST(span_eq(buf_span(&x), buf_span(&y)));
    buf_free(&x);
    buf_free(&y);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char word[DOCUMENT_WORD_MAX];
    struct json *doc, *again;
    struct buf field;
    struct span body;
    struct document_how how;
    unsigned char *copy;
    size_t n;

    if (size < 1) {
        return 0;
    }
    copy = fuzz_copy(span_make(data + 1, size - 1));
    body = span_make(copy, size - 1);
    how = (struct document_how){.forms = (data[0] & 2) != 0,
                                .form_json = (data[0] & 1) != 0 ? "json" : NULL,
                                .early = (data[0] & 4) != 0};
    MUST(document_detect(body, &how, word, &doc) == HO_OK || how.early);
    MUST(doc == NULL || (strcmp(word, "json") == 0) ==
                            (document_kind(body, how.forms) == DOCUMENT_JSON));
    MUST((doc == NULL) == (strcmp(word, "none") == 0));
    MUST(document_open(body, span_of(word), &again, NULL) == HO_OK);
    MUST((doc == NULL) == (again == NULL));
    if (doc != NULL) {
        same(doc, again);
    }
    buf_init(&field, body.len + 1);
    if (document_field(body, "json", &field, &n) == HO_OK) {
        MUST(n > 0 || field.len == 0);
    }
    buf_free(&field);
    json_free(doc);
    json_free(again);
    free(copy);
    return 0;
}
