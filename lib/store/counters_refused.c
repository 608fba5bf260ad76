/* Deliveries that were not taken, source by source: enough to tell a wrong secret or a lost event
 * from somebody's try. Processes that count at the same moment may lose one of it. */
#include "base/clock.h"
#include "store/counters_file.h"

#define HOUR_US (3600 * INT64_C(1000000))
#define DAY_US (24 * HOUR_US)
#define LAST_MAX 16 /* of a register that has room for 63 */

static void put(struct slot *s, size_t at, uint64_t value)
{
    atomic_store_explicit(&s->counts[at], value, memory_order_relaxed);
}

static uint64_t get(struct slot *s, size_t at)
{
    return atomic_load_explicit(&s->counts[at], memory_order_relaxed);
}

static void push(struct slot *s, bool refused)
{
    const uint64_t top = UINT64_C(1) << LAST_MAX;
    _Atomic uint64_t *word = &s->counts[AT_LAST];
    uint64_t seen = atomic_load(word), fresh;

    do {
        fresh = (seen != 0 ? seen : 1) << 1 | (refused ? 1 : 0);
        fresh = fresh >= top << 1 ? top | (fresh & (top - 1)) : fresh;
    } while (!atomic_compare_exchange_weak(word, &seen, fresh));
}

/* Counts from 1 again after a day without, or when the clock was put back. */
static void count_of_day(struct slot *s, size_t n, size_t at, uint64_t now_us)
{
    uint64_t last = get(s, at);

    if (last > now_us || now_us - last >= (uint64_t)DAY_US) {
        put(s, n, 0);
    }
    put(s, at, now_us);
    atomic_fetch_add_explicit(&s->counts[n], 1, memory_order_relaxed);
}

static void count_of_hour(struct slot *s, uint64_t now_us)
{
    uint64_t hour = now_us / (uint64_t)HOUR_US, seen = get(s, AT_HOUR);

    if (seen != hour && atomic_compare_exchange_strong(&s->counts[AT_HOUR], &seen, hour)) {
        put(s, AT_HOUR_REFUSED + hour % 2, 0);
        if (seen + 1 != hour) {
            put(s, AT_HOUR_REFUSED + (hour + 1) % 2, 0);
        }
    }
    atomic_fetch_add_explicit(&s->counts[AT_HOUR_REFUSED + hour % 2], 1, memory_order_relaxed);
}

/* A row of refusals begins with the first one; one accepted delivery ends it. */
void counters_note(struct slot *s, enum counter which)
{
    uint64_t none = 0, now_us = (uint64_t)clock_wall_us();

    if (which == COUNT_BUSY || which == COUNT_UNSIGNED) {
        (void)atomic_compare_exchange_strong(
            &s->counts[which == COUNT_BUSY ? AT_BUSY_SINCE : AT_UNSIGNED_SINCE], &none, now_us);
    } else if (which == COUNT_NEW || which == COUNT_DUPLICATE || which == COUNT_SPOOLED ||
               which == COUNT_CONFLICT || which == COUNT_REPEAT) {
        put(s, AT_BUSY_SINCE, 0);
        put(s, AT_UNSIGNED_SINCE, 0);
        push(s, false);
    }
    if (which == COUNT_BUSY) {
        count_of_day(s, AT_LOST_N, AT_LOST_AT, now_us);
    }
}

void counters_refused(struct counters *c, struct span source, unsigned why, bool unusable)
{
    struct slot *s = counters_slot(c, source, true);
    uint64_t now_us = (uint64_t)clock_wall_us();

    push(s, true);
    put(s, AT_REFUSED_AT, now_us);
    put(s, AT_REFUSED_WHY, why);
    count_of_hour(s, now_us);
    if (unusable) {
        count_of_day(s, AT_UNUSABLE_N, AT_UNUSABLE_AT, now_us);
    }
}

static uint64_t of_hours(struct slot *s, uint64_t now_us)
{
    uint64_t hour = now_us / (uint64_t)HOUR_US, seen = get(s, AT_HOUR);
    uint64_t newest = get(s, AT_HOUR_REFUSED + seen % 2);

    return seen == hour       ? newest + get(s, AT_HOUR_REFUSED + (hour + 1) % 2)
           : seen + 1 == hour ? newest
                              : 0;
}

static uint64_t of_day(struct slot *s, size_t n, size_t at, uint64_t now_us)
{
    uint64_t last = get(s, at);

    return last <= now_us && now_us - last < (uint64_t)DAY_US ? get(s, n) : 0;
}

void counters_refusals(struct counters *c, struct span source, struct refusals *out)
{
    struct slot *s = counters_slot(c, source, false);
    uint64_t now_us = (uint64_t)clock_wall_us();

    *out = (struct refusals){.last = 0};
    if (s == NULL) {
        return;
    }
    bool row = true;
    for (uint64_t last = get(s, AT_LAST); last > 1; last >>= 1) {
        bool refused = (last & 1) != 0;
        row = row && refused;
        out->last++;
        out->last_refused += refused ? 1 : 0;
        out->in_a_row += row ? 1 : 0;
    }
    out->at_us = (int64_t)get(s, AT_REFUSED_AT);
    out->why = (unsigned)get(s, AT_REFUSED_WHY);
    out->hours = of_hours(s, now_us);
    out->unusable = of_day(s, AT_UNUSABLE_N, AT_UNUSABLE_AT, now_us);
    out->lost = of_day(s, AT_LOST_N, AT_LOST_AT, now_us);
}

int64_t counters_refused_since(struct counters *c, struct span source, enum refused how)
{
    struct slot *s = counters_slot(c, source, false);

    return s != NULL ? (int64_t)get(s, how == REFUSED_BUSY ? AT_BUSY_SINCE : AT_UNSIGNED_SINCE) : 0;
}
