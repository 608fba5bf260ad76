/* Forms and queries: the field found by name is the first that comes by, and as many are counted. */
#include "base/json.h"
#include "base/text.h"
#include "fuzz.h"

#define FIELDS_SEEN 16

static void by_name(struct span form, const char *name, struct span first, size_t n)
{
    struct buf value;
    size_t count = 0;

    buf_init(&value, form.len + 1);
    MUST(text_form_field(form, name, &value, &count) == HO_OK);
    MUST(count == n && span_eq(buf_span(&value), first));
    buf_free(&value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = fuzz_copy(span_make(data, size));
    struct span form = span_make(copy, size);
    struct span rest = form;
    struct buf name, value, wanted, first;
    size_t n = 0;
    bool more = true;
    struct json *doc;

    buf_init(&name, size + 1);
    buf_init(&value, size + 1);
    buf_init(&wanted, size + 2);
    buf_init(&first, size + 1);
    while (text_form_next(&rest, &name, &value, &more) == HO_OK && more) {
        MUST(name.len + value.len <= size);
        if (n == 0 && !span_has(buf_span(&name), '\0')) {
            MUST(buf_add_span(&wanted, buf_span(&name)) == HO_OK);
            MUST(buf_add_span(&first, buf_span(&value)) == HO_OK);
            n = 1;
        } else if (n > 0 && span_eq(buf_span(&name), buf_span(&wanted))) {
            n++;
        }
    }
    if (n > 0) {
        by_name(form, buf_cstr(&wanted), buf_span(&first), n);
    }
    if (json_from_form(form, &json_ample, &doc, NULL) == HO_OK) {
        MUST(json_kind_of(json_at(doc, SPAN_LIT(""))) == JSON_OBJECT);
        json_free(doc);
    }
    buf_free(&first);
    buf_free(&wanted);
    buf_free(&value);
    buf_free(&name);
    free(copy);
    return 0;
}
