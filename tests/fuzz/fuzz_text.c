/* Bytes as text: what is decoded gives the same text again, so no two texts mean the same bytes. */
#include "base/text.h"
#include "fuzz.h"

typedef enum ho_code recode(struct span s, struct buf *out);

static void there_and_back(struct span s, recode *decode, recode *encode)
{
    struct buf bytes, again;

    buf_init(&bytes, s.len + 8);
    buf_init(&again, 2 * s.len + 8);
    if (decode(s, &bytes) == HO_OK) {
        MUST(encode(buf_span(&bytes), &again) == HO_OK);
        MUST(span_eq(buf_span(&again), s));
    }
    buf_clear(&bytes);
    buf_clear(&again);
    MUST(encode(s, &again) == HO_OK);
    MUST(decode(buf_span(&again), &bytes) == HO_OK && span_eq(buf_span(&bytes), s));
    buf_free(&bytes);
    buf_free(&again);
}

static void hex(struct span s)
{
    unsigned char *bytes = malloc(s.len / 2 + 1);
    char *again = malloc(s.len + 2);

    MUST(bytes != NULL && again != NULL);
    if (s.len % 2 == 0 && text_unhex(s, false, bytes, s.len / 2)) {
        text_hex(bytes, s.len / 2, again);
        MUST(span_eq(span_of(again), s));
    }
    free(again);
    free(bytes);
}

static void times(struct span s)
{
    char put[32];
    int64_t us, again;

    if (text_rfc3339(s, &us) && us >= 0 && us < INT64_C(253402300800000000)) {
        text_rfc3339_put(us, false, put);
        MUST(text_rfc3339(span_of(put), &again) && again == us);
    }
    if (text_rfc2822(s, &us)) {
        MUST(us % 1000000 == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = fuzz_copy(span_make(data, size));
    struct span s = span_make(copy, size);

    there_and_back(s, text_unbase64, text_base64);
    there_and_back(s, text_unbase64url, text_base64url);
    hex(s);
    times(s);
    free(copy);
    return 0;
}
