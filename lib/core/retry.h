/* When to try again. "8 tries, 10s to 6h": the delay after the n-th failed try is first * f^(n-1),
 * at most the last, where f is the smallest whole number for which the delays reach the last
 * within the tries (of two tries only the first is followed by a delay, so by the first one). Up
 * to a fifth is added at random so that a crowd does not come back at once. */
#ifndef HO_CORE_RETRY_H
#define HO_CORE_RETRY_H

#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

#define RETRY_DEFAULT "8 tries, 10s to 6h"

struct retry {
    unsigned tries;   /* 1..1000 */
    int64_t first_ms; /* 1 s .. 7 d */
    int64_t last_ms;  /* first_ms .. 30 d */
    unsigned factor;  /* >= 1, derived */
};

/* Reads "N tries, A to B" or "1 try" or "N tries, A". returns HO_OK | HO_REJECT. */
enum ho_code retry_parse(struct span text, struct retry *out, struct ho_err *err) HO_MUST_CHECK;

/* Milliseconds to wait after the n-th failed try (n >= 1). random: any number. */
int64_t retry_delay_ms(const struct retry *r, unsigned failed, uint32_t random);

/* The longest time between the first try and the last, tries taking none themselves. */
int64_t retry_total_ms(const struct retry *r);

#endif
