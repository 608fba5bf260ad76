/* Backoff. Whole numbers only. */
#include "core/retry.h"

#include <stdio.h>

#include "base/text.h"

#define DAY_MS (24 * 60 * 60 * 1000LL)
#define TRIES_MAX 1000

/* first * factor^(n-1), at most last; cannot overflow since the parser keeps last so
 * small (30 days) that last * last fits. */
static int64_t delay_base(const struct retry *r, unsigned n)
{
    int64_t ms = r->first_ms;

    for (unsigned i = 1; i < n && ms < r->last_ms; i++) {
        ms *= r->factor;
    }
    return ms < r->last_ms ? ms : r->last_ms;
}

/* The smallest factor that reaches the last delay, by halving: this one does at the second delay. */
static unsigned choose_factor(const struct retry *r)
{
    struct retry trial = *r;
    unsigned low = 1, high = (unsigned)((r->last_ms + r->first_ms - 1) / r->first_ms);

    while (low < high) {
        trial.factor = low + (high - low) / 2;
        if (delay_base(&trial, r->tries - 1) == r->last_ms) {
            high = trial.factor;
        } else {
            low = trial.factor + 1;
        }
    }
    return low;
}

static bool read_tries(struct span text, unsigned *tries)
{
    struct span rest = span_trim(text), number = span_cut(&rest, ' ');
    uint64_t value;

    if (!text_uint(number, TRIES_MAX, &value) || value == 0 || !span_present(rest)) {
        return false;
    }
    rest = span_trim(rest);
    if (!span_is(rest, "tries") && !span_is(rest, "try")) {
        return false;
    }
    *tries = (unsigned)value;
    return true;
}

/* "10s to 6h", or "10s" alone. */
static bool read_delays(struct span text, struct retry *out)
{
    struct span rest = span_trim_line(text), first = span_cut(&rest, ' ');

    if (!text_duration(first, &out->first_ms)) {
        return false;
    }
    out->last_ms = out->first_ms;
    if (!span_present(rest)) {
        return true;
    }
    rest = span_trim(rest);
    if (!span_starts(rest, "to ")) {
        return false;
    }
    return text_duration(span_trim(span_sub(rest, 3, rest.len)), &out->last_ms);
}

enum ho_code retry_parse(struct span text, struct retry *out, struct ho_err *err)
{
    struct span rest = text, tries = span_cut(&rest, ',');
    struct retry r = {0, 10000, 10000, 1};

    if (!read_tries(tries, &r.tries) || (span_present(rest) && !read_delays(rest, &r))) {
        return ho_fail(err, HO_REJECT,
                       "not a retry rule: write for example `" RETRY_DEFAULT "` or `1 try`");
    }
    if (!span_present(rest) && r.tries > 1) {
        return ho_fail(err, HO_REJECT, "a retry rule of several tries needs a delay, for example "
                                       "`%u tries, 10s to 6h`", r.tries);
    }
    if (r.first_ms < 1000 || r.first_ms > 7 * DAY_MS) {
        return ho_fail(err, HO_REJECT, "the first delay must be from 1s to 7d");
    }
    if (r.last_ms < r.first_ms || r.last_ms > 30 * DAY_MS) {
        return ho_fail(err, HO_REJECT, "the last delay must be from the first one to 30d");
    }
    r.factor = choose_factor(&r);
    *out = r;
    return HO_OK;
}

int64_t retry_delay_ms(const struct retry *r, unsigned failed, uint32_t random)
{
    int64_t ms = delay_base(r, failed > 0 ? failed : 1);

    return ms + (int64_t)(random % (uint64_t)(ms / 5 + 1));
}

int64_t retry_total_ms(const struct retry *r)
{
    int64_t total = 0;

    for (unsigned n = 1; n < r->tries; n++) {
        int64_t ms = delay_base(r, n);

        total += ms + ms / 5;
    }
    return total;
}
