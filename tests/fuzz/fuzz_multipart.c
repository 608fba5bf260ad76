/* multipart/form-data: parts lie inside the body, in their order, and end. The boundary is named by
 * the body's own first line. */
#include "base/json.h"
#include "base/multipart.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = fuzz_copy(span_make(data, size));
    struct span body = span_make(copy, size);
    struct multipart m;
    struct multipart_part part;
    const unsigned char *last = copy;
    struct json *doc;
    size_t n = 0, count;
    int more;

    if (multipart_open(body, SPAN_NONE, &m)) {
        while ((more = multipart_next(&m, &part)) == 1) {
            MUST(fuzz_within(part.name, body) && fuzz_within(part.value, body));
            MUST(part.value.len == 0 || part.value.p >= last);
            last = part.value.len > 0 ? part.value.p + part.value.len : last;
            MUST(++n <= MULTIPART_PARTS_MAX);
        }
        MUST(more == 0 || more == -1);
    }
    MUST(fuzz_within(multipart_field(body, SPAN_NONE, "token", &count), body));
    if (json_from_multipart(body, SPAN_NONE, &doc, NULL) == HO_OK) {
        MUST(json_kind_of(json_at(doc, SPAN_LIT(""))) == JSON_OBJECT);
        json_free(doc);
    }
    free(copy);
    return 0;
}
