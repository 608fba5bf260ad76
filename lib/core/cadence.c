/* Learning from whole weeks, so that no hour of them counts more often than another. */
#include "core/cadence.h"

#include <string.h>

#define HOUR_S 3600
#define HOUR_US (HOUR_S * INT64_C(1000000))
#define ENOUGH 100000 /* beyond that nobody asks how odd */
#define LN_2 693

/* 1000 ln (2 i + 1) */
static const int64_t ln_odd[CADENCE_WEEKS_MOST + 1] = {0,    1099, 1609, 1946, 2197,
                                                       2398, 2565, 2708, 2833};

void cadence_learn(struct cadence *c, const int64_t *hours, size_t n, int64_t end)
{
    int64_t first = end;

    memset(c, 0, sizeof *c);
    for (size_t i = 0; i < n; i++) {
        first = hours[i] < first ? hours[i] : first;
    }
    int64_t weeks = (end - first) / CADENCE_HOURS;
    c->weeks = (unsigned)(weeks < CADENCE_WEEKS_MOST ? weeks : CADENCE_WEEKS_MOST);
    for (size_t i = 0; i < n; i++) {
        if (hours[i] >= end - (int64_t)c->weeks * CADENCE_HOURS && hours[i] < end) {
            c->busy[hours[i] % CADENCE_HOURS]++;
        }
    }
}

/* Of an hour that was busy k times in w weeks: ln (w + 1/2) - ln (w - k + 1/2). An hour that always
 * was leaves some doubt, one that never was says nothing. */
static int64_t surprise_of(const struct cadence *c, int64_t hour)
{
    unsigned busy = c->busy[hour % CADENCE_HOURS];

    return ln_odd[c->weeks] - ln_odd[c->weeks - (busy < c->weeks ? busy : c->weeks)];
}

int64_t cadence_surprise(const struct cadence *c, const struct quiet *q, int64_t from_us,
                         int64_t to_us)
{
    int64_t sum = 0;

    if (c->weeks < CADENCE_WEEKS_LEAST || from_us < 0) {
        return 0;
    }
    for (int64_t at = from_us; at < to_us && sum < ENOUGH * HOUR_S;) {
        int64_t hour = at / HOUR_US, next = (hour + 1) * HOUR_US;
        next = next < to_us ? next : to_us;
        sum += surprise_of(c, hour) * quiet_loud_s(q, at, next);
        at = next;
    }
    return sum / HOUR_S;
}

uint32_t cadence_odds(int64_t surprise)
{
    return surprise / LN_2 < 31 ? UINT32_C(1) << (surprise / LN_2) : UINT32_MAX;
}
