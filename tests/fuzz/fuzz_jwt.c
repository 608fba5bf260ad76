/* Tokens: nothing but an allowed algorithm gets through, and what is to be signed is the token's own
 * beginning. The first byte says which algorithms are allowed and whether it is detached. */
#include "edge/jwt.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *copy = fuzz_copy(span_make(data, size));
    struct span all = span_make(copy, size);
    struct jwt t;

    if (size > 1) {
        unsigned allowed = copy[0] == 0 ? (1U << JOSE_N) - 1 : copy[0];
        bool detached = copy[0] % 3 == 2;
        struct span text = span_sub(all, 1, all.len);

        if (jwt_parse(text, allowed, detached, &t, NULL) == HO_OK) {
            MUST(t.alg < JOSE_N && (allowed & (1U << t.alg)) != 0);
            MUST(fuzz_within(t.signing, text) && t.signing.p == text.p);
            MUST((t.claims == NULL) == detached);
            (void)jwt_window(t.claims, INT64_C(1790000000000000));
        }
        jwt_free(&t);
    }
    free(copy);
    return 0;
}
