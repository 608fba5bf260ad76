/* Documents: the word that is kept with a body finds the same document again, whatever the content
 * type was. The first byte says which type. */
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
    static const char *const types[] = {
        NULL, "application/json", "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=b", "multipart/form-data; boundary=\"a b'c\"",
    };
    char word[DOCUMENT_WORD_MAX];
    struct json *doc, *again;
    struct buf field;
    struct span body, type;
    unsigned char *copy;
    size_t n;

    if (size < 1) {
        return 0;
    }
    copy = fuzz_copy(span_make(data + 1, size - 1));
    body = span_make(copy, size - 1);
    type = span_of(types[data[0] % (sizeof types / sizeof types[0])]);
    document_detect(body, type, data[0] % 2 == 0 ? "json" : NULL, word, &doc);
    MUST((doc == NULL) == (strcmp(word, "none") == 0));
    MUST(document_open(body, span_of(word), &again, NULL) == HO_OK);
    MUST((doc == NULL) == (again == NULL));
    if (doc != NULL) {
        same(doc, again);
    }
    buf_init(&field, body.len + 1);
    if (document_field(body, type, "json", &field, &n) == HO_OK) {
        MUST(document_is_form(type) && (n > 0 || field.len == 0));
    }
    buf_free(&field);
    json_free(doc);
    json_free(again);
    free(copy);
    return 0;
}
