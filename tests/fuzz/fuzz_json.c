/* JSON: what is parsed can be written, and reads back as the same. The first line is a pointer. */
#include "base/json.h"
#include "base/json_items.h"
#include "base/json_slice.h"
#include "fuzz.h"

static void again(const struct json_node *node, size_t size)
{
    struct buf text, second;
    struct json *doc;

    buf_init(&text, 16 * size + 64);
    buf_init(&second, 16 * size + 64);
    if (json_text(node, &text) == HO_OK && json_kind_of(node) >= JSON_ARRAY) {
        MUST(json_parse(buf_span(&text), &doc, NULL) == HO_OK);
        MUST(json_text(json_at(doc, SPAN_LIT("")), &second) == HO_OK);
        MUST(span_eq(buf_span(&second), buf_span(&text)));
        json_free(doc);
    }
    buf_free(&second);
    buf_free(&text);
}

/* Both say the same, as far as the parser keeps it. */
static void same(const struct json_node *node, struct span text, size_t size)
{
    struct buf a, b;
    struct json *doc;

    buf_init(&a, 16 * size + 64);
    buf_init(&b, 16 * size + 64);
    MUST(json_parse(text, &doc, NULL) == HO_OK);
    MUST(json_kind_of(json_at(doc, SPAN_LIT(""))) == json_kind_of(node));
    if (json_text(node, &a) == HO_OK && json_text(json_at(doc, SPAN_LIT("")), &b) == HO_OK) {
        MUST(span_eq(buf_span(&a), buf_span(&b)));
    }
    json_free(doc);
    buf_free(&a);
    buf_free(&b);
}

/* The walk over an array's text meets the items that the parser has. */
static void walk(const struct json_node *root, struct span body)
{
    struct span rest = json_slice(body, SPAN_LIT(""));
    struct span item;
    size_t n = 0;

    while (json_items_next(&rest, &item)) {
        MUST(n < json_count(root) && item.p >= body.p && item.p + item.len <= body.p + body.len);
        if (n < 8) {
            same(json_item(root, n), item, body.len);
        }
        n++;
    }
    MUST(n == json_count(root));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = fuzz_copy(span_make(data, size));
    struct span body = span_make(copy, size);
    struct span pointer = span_cut(&body, '\n');
    struct json *doc;

    if (span_present(body) && json_parse(body, &doc, NULL) == HO_OK) {
        const struct json_node *root = json_at(doc, SPAN_LIT(""));

        again(root, body.len);
        walk(root, body);
        for (size_t i = 0; i < json_count(root); i++) {
            MUST(json_item(root, i) != NULL || json_kind_of(json_item(root, i)) == JSON_NULL ||
                 json_kind_of(json_item(root, i)) == JSON_ABSENT);
        }
        again(json_at(doc, pointer), body.len);
        if (json_focus(doc, pointer)) {
            again(json_at(doc, SPAN_LIT("")), body.len);
        }
        json_free(doc);
    }
    free(copy);
    return 0;
}
