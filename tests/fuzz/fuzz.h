/* What the fuzzers share: cutting the input into pieces, and saying what must hold. */
#ifndef HO_TESTS_FUZZ_H
#define HO_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Unlike assert() it is there in every build. */
#define MUST(holds)                                                            \
    do {                                                                       \
        if (!(holds)) {                                                        \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #holds);  \
            abort();                                                           \
        }                                                                      \
    } while (0)

/* A copy with nothing behind it, so that a byte read too far is seen. Freed by the caller. */
static inline unsigned char *fuzz_copy(struct span s)
{
    unsigned char *copy = malloc(s.len > 0 ? s.len : 1);

    MUST(copy != NULL);
    if (s.len > 0) {
        memcpy(copy, s.p, s.len);
    }
    return copy;
}

static inline bool fuzz_within(struct span part, struct span whole)
{
    return part.len == 0 || (part.p >= whole.p && part.p + part.len <= whole.p + whole.len);
}

#endif
