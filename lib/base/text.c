/* Numbers, durations, sizes and name patterns as text. */
#include "base/text.h"

#include <stdio.h>

#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

struct unit {
    const char *name;
    int64_t factor;
};

/* From the largest, so that the first that divides gives the shortest text. */
static const struct unit durations[] = {
    {"d", DAY}, {"h", HOUR}, {"m", MINUTE}, {"s", SECOND}, {"ms", 1},
};
static const struct unit sizes[] = {
    {"g", INT64_C(1) << 30}, {"m", INT64_C(1) << 20}, {"k", INT64_C(1) << 10}, {"", 1},
};
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

bool text_uint(struct span s, uint64_t max, uint64_t *out)
{
    if (s.p == NULL || s.len == 0 || (s.len > 1 && s.p[0] == '0')) {
        return false;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (!is_digit(s.p[i])) {
            return false;
        }
        unsigned int digit = (unsigned int)(s.p[i] - '0');
        if (digit > max || value > (max - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

static bool number_with_unit(struct span s, const struct unit *units, size_t n, int64_t *out)
{
    size_t digits = 0;
    while (digits < s.len && is_digit(s.p[digits])) {
        digits++;
    }
    struct span unit = span_sub(s, digits, s.len);
    for (size_t i = 0; i < n; i++) {
        uint64_t value;
        if (span_is(unit, units[i].name)) {
            if (!text_uint(span_sub(s, 0, digits), (uint64_t)(INT64_MAX / units[i].factor),
                           &value)) {
                return false;
            }
            *out = (int64_t)value * units[i].factor;
            return true;
        }
    }
    return false;
}

bool text_duration(struct span s, int64_t *out_ms)
{
    if (span_is(s, "0")) {
        *out_ms = 0;
        return true;
    }
    return number_with_unit(s, durations, COUNT(durations), out_ms);
}

bool text_size(struct span s, int64_t *out_bytes)
{
    return number_with_unit(s, sizes, COUNT(sizes), out_bytes);
}

void text_duration_put(int64_t ms, char out[24])
{
    size_t i = 0;
    while (ms % durations[i].factor != 0) {
        i++; /* ends at 1 ms */
    }
    const char *unit = ms == 0 ? "" : durations[i].name;
    (void)snprintf(out, 24, "%lld%s", (long long)(ms / durations[i].factor), unit);
}

bool text_glob(const char *pattern, struct span name)
{
    const char *star = NULL; /* behind the last '*' seen */
    size_t star_at = 0;      /* where in name its run ends, so far */
    size_t at = 0;
    while (at < name.len) {
        if (*pattern == '*') {
            star = ++pattern;
            star_at = at;
        } else if (*pattern != '\0' && (unsigned char)*pattern == name.p[at]) {
            pattern++;
            at++;
        } else if (star != NULL) {
            pattern = star;
            at = ++star_at;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}
