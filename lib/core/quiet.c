/* A week as a bit a minute. */
#include "core/quiet.h"

#include "base/text.h"

#define DAY_MINUTES (24 * 60)
#define MINUTE_US (60 * INT64_C(1000000))
#define EPOCH_DAY 3 /* 1970-01-01 was a Thursday */

/* The time of day at the end of a text of the form "[DAY ]HH:MM"; *day is -1 without one. */
static bool read_point(struct span text, int *day, unsigned *minute)
{
    static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    struct span rest = span_trim(text);
    uint64_t hours, minutes;

    *day = -1;
    for (int i = 0; i < 7 && rest.len > 3; i++) {
        if (span_is_nocase(span_sub(rest, 0, 3), days[i]) && rest.p[3] == ' ') {
            *day = i;
            rest = span_trim(span_sub(rest, 4, rest.len));
            break;
        }
    }
    if (rest.len != 5 || rest.p[2] != ':') {
        return false;
    }
    /* text_uint takes no leading zero. */
    size_t h_at = rest.p[0] == '0' ? 1 : 0, m_at = rest.p[3] == '0' ? 4 : 3;
    struct span h = span_sub(rest, h_at, 2 - h_at), m = span_sub(rest, m_at, 5 - m_at);
    if (!text_uint(h, 24, &hours) || !text_uint(m, 59, &minutes) || (hours == 24 && minutes > 0)) {
        return false;
    }
    *minute = (unsigned)(hours * 60 + minutes);
    return true;
}

static bool is_quiet(const struct quiet *q, unsigned minute)
{
    return (q->minutes[minute / 8] >> (minute % 8) & 1) != 0;
}

/* From a minute of the week on, over its end too. */
static void mark(struct quiet *q, unsigned from, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned at = (from + i) % QUIET_MINUTES;
        if (!is_quiet(q, at)) {
            q->minutes[at / 8] |= (unsigned char)(1U << (at % 8));
            q->total++;
        }
    }
}

bool quiet_add(struct quiet *q, struct span text)
{
    struct span rest = text, first = span_cut(&rest, '-');
    int from_day, to_day;
    unsigned from, to;

    if (!span_present(rest) || !read_point(first, &from_day, &from) ||
        !read_point(rest, &to_day, &to) || (from_day < 0) != (to_day < 0)) {
        return false;
    }
    if (from_day < 0) {
        unsigned n = to > from ? to - from : DAY_MINUTES - from + to;
        for (unsigned day = 0; day < 7; day++) {
            mark(q, day * DAY_MINUTES + from, n);
        }
        return true;
    }
    from += (unsigned)from_day * DAY_MINUTES;
    to += (unsigned)to_day * DAY_MINUTES;
    mark(q, from, to > from ? to - from : QUIET_MINUTES - from + to);
    return true;
}

static unsigned minute_of(int64_t us)
{
    return (unsigned)((us / MINUTE_US + EPOCH_DAY * DAY_MINUTES) % QUIET_MINUTES);
}

bool quiet_at(const struct quiet *q, int64_t us)
{
    return us >= 0 && is_quiet(q, minute_of(us));
}

/* Whole weeks at once, the rest minute by minute. */
int64_t quiet_loud_s(const struct quiet *q, int64_t from_us, int64_t to_us)
{
    const int64_t week_us = QUIET_MINUTES * MINUTE_US;
    int64_t us = 0, at = from_us;

    if (from_us < 0 || to_us <= from_us) {
        return 0;
    }
    us = (to_us - from_us) / week_us * (int64_t)(QUIET_MINUTES - q->total) * MINUTE_US;
    at += (to_us - from_us) / week_us * week_us;
    while (at < to_us) {
        int64_t next = (at / MINUTE_US + 1) * MINUTE_US;
        next = next < to_us ? next : to_us;
        us += is_quiet(q, minute_of(at)) ? 0 : next - at;
        at = next;
    }
    return us / 1000000;
}
