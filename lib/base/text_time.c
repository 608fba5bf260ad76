/* Times and dates as text, by the proleptic Gregorian calendar, years 0000 to 9999, UTC. */
#include "base/text.h"

#include <string.h>

#define SECOND_US INT64_C(1000000)
#define DAY_S INT64_C(86400)
#define DAY_US (DAY_S * SECOND_US)
#define FIRST_DAY INT64_C(-719528) /* 0000-01-01 */
#define LAST_DAY INT64_C(2932896)  /* 9999-12-31 */

struct date {
    int64_t year;
    int month, day;
};

/* Days since 1970-01-01 and back: years are counted from March, so that the leap day is the last
 * of its year; 400 years have 146097 days. */
static int64_t day_number(struct date d)
{
    int64_t year = d.year - (d.month <= 2 ? 1 : 0);
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (d.month + (d.month > 2 ? -3 : 9)) + 2) / 5 + d.day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static struct date date_of_day(int64_t day)
{
    day += 719468;
    int64_t era = (day >= 0 ? day : day - 146096) / 146097;
    int64_t doe = day - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t from_march = (5 * doy + 2) / 153;
    int month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
    return (struct date){yoe + era * 400 + (month <= 2 ? 1 : 0), month,
                         (int)(doy - (153 * from_march + 2) / 5 + 1)};
}

/* The next n digits as a number in [min, max]; then *s moves behind them. */
static bool take_number(struct span *s, size_t n, int min, int max, int *out)
{
    int value = 0;
    if (s->len < n) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (s->p[i] < '0' || s->p[i] > '9') {
            return false;
        }
        value = value * 10 + (s->p[i] - '0');
    }
    if (value < min || value > max) {
        return false;
    }
    *s = span_sub(*s, n, s->len);
    *out = value;
    return true;
}

/* Takes one byte if it is in the set. */
static bool take_one_of(struct span *s, const char *set)
{
    if (s->len == 0 || !span_has(span_of(set), s->p[0])) {
        return false;
    }
    *s = span_sub(*s, 1, s->len);
    return true;
}

/* The day's number, if the month has such a day. */
static bool day_of(struct date d, int64_t *out_day)
{
    static const int month_days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = d.year % 4 == 0 && (d.year % 100 != 0 || d.year % 400 == 0);
    if (d.day > month_days[d.month - 1] || (d.month == 2 && d.day == 29 && !leap)) {
        return false;
    }
    *out_day = day_number(d);
    return true;
}

static bool take_date(struct span *s, int64_t *out_day)
{
    int year;
    struct date d;
    if (!take_number(s, 4, 0, 9999, &year) || !take_one_of(s, "-") ||
        !take_number(s, 2, 1, 12, &d.month) || !take_one_of(s, "-") ||
        !take_number(s, 2, 1, 31, &d.day)) {
        return false;
    }
    d.year = year;
    return day_of(d, out_day);
}

/* ".5" and the like into microseconds; none is 0. */
static bool take_fraction(struct span *s, int64_t *out_us)
{
    int64_t us = 0;
    int64_t place = SECOND_US / 10;
    int digit;
    if (take_one_of(s, ".")) {
        if (!take_number(s, 1, 0, 9, &digit)) {
            return false;
        }
        do {
            us += digit * place;
            place /= 10;
        } while (take_number(s, 1, 0, 9, &digit));
    }
    *out_us = us;
    return true;
}

/* "+01:00" or, with nothing between, "+0100". */
static bool take_offset(struct span *s, const char *between, int64_t *out_s)
{
    int hours;
    int minutes;
    bool west = s->len > 0 && s->p[0] == '-';
    if (!take_one_of(s, "+-") || !take_number(s, 2, 0, 23, &hours) ||
        (between[0] != '\0' && !take_one_of(s, between)) || !take_number(s, 2, 0, 59, &minutes)) {
        return false;
    }
    int64_t offset = (int64_t)hours * 3600 + (int64_t)minutes * 60;
    *out_s = west ? -offset : offset;
    return true;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0 ? 1 : 0);
}

struct moment {
    int64_t day, us, offset;
    int hour, minute, second;
};

/* Microseconds of it; false outside the years, and for a leap second that is none. */
static bool put_together(const struct moment *m, int64_t *out_us)
{
    int64_t start = m->day * DAY_S + (int64_t)m->hour * 3600 + (int64_t)m->minute * 60 - m->offset;
    /* A leap second stands only at the end of a UTC day; it counts as the second after it. */
    if (m->second == 60 && floor_div(start + 60, DAY_S) * DAY_S != start + 60) {
        return false;
    }
    int64_t total_s = start + m->second;
    if (total_s < FIRST_DAY * DAY_S || total_s >= (LAST_DAY + 1) * DAY_S) {
        return false;
    }
    *out_us = total_s * SECOND_US + m->us;
    return true;
}

bool text_rfc3339(struct span s, int64_t *out_us)
{
    struct moment m = {0};
    if (!take_date(&s, &m.day) || !take_one_of(&s, "Tt ") || !take_number(&s, 2, 0, 23, &m.hour) ||
        !take_one_of(&s, ":") || !take_number(&s, 2, 0, 59, &m.minute) || !take_one_of(&s, ":") ||
        !take_number(&s, 2, 0, 60, &m.second) || !take_fraction(&s, &m.us)) {
        return false;
    }
    if (!take_one_of(&s, "Zz") && !take_offset(&s, ":", &m.offset)) {
        return false;
    }
    return s.len == 0 && put_together(&m, out_us);
}

/* Takes one of the n words at the front, in any case; *which gets its place. */
static bool take_word(struct span *s, const char *const *words, size_t n, int *which)
{
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(words[i]);
        if (span_is_nocase(span_sub(*s, 0, len), words[i])) {
            *s = span_sub(*s, len, s->len);
            *which = (int)i;
            return true;
        }
    }
    return false;
}

static bool take_blanks(struct span *s)
{
    bool any = false;
    while (take_one_of(s, " \t")) {
        any = true;
    }
    return any;
}

static bool take_mail_date(struct span *s, int64_t *out_day)
{
    static const char *const days[] = {"Mon,", "Tue,", "Wed,", "Thu,", "Fri,", "Sat,", "Sun,"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct date d;
    int month;
    int year;
    if (take_word(s, days, sizeof days / sizeof days[0], &month)) {
        (void)take_blanks(s);
    }
    if ((!take_number(s, 2, 1, 31, &d.day) && !take_number(s, 1, 1, 9, &d.day)) ||
        !take_blanks(s) || !take_word(s, months, sizeof months / sizeof months[0], &month) ||
        !take_blanks(s) || !take_number(s, 4, 0, 9999, &year)) {
        return false;
    }
    d.month = month + 1;
    d.year = year;
    return day_of(d, out_day);
}

bool text_rfc2822(struct span s, int64_t *out_us)
{
    static const char *const utc[] = {"GMT", "UTC", "UT", "Z"};
    struct moment m = {0};
    int which;
    if (!take_mail_date(&s, &m.day) || !take_blanks(&s) || !take_number(&s, 2, 0, 23, &m.hour) ||
        !take_one_of(&s, ":") || !take_number(&s, 2, 0, 59, &m.minute)) {
        return false;
    }
    if (take_one_of(&s, ":") && !take_number(&s, 2, 0, 60, &m.second)) {
        return false;
    }
    if (!take_blanks(&s) || (!take_word(&s, utc, sizeof utc / sizeof utc[0], &which) &&
                             !take_offset(&s, "", &m.offset))) {
        return false;
    }
    return s.len == 0 && put_together(&m, out_us);
}

/* The number in exactly that many digits, and the byte behind it; returns where the next goes. */
static char *put_number(char *to, int64_t value, size_t digits, char behind)
{
    for (size_t i = digits; i > 0; i--) {
        to[i - 1] = (char)('0' + value % 10);
        value /= 10;
    }
    to[digits] = behind;
    return to + digits + 1;
}

void text_rfc3339_put(int64_t us, bool millis, char out[32])
{
    const int64_t first = FIRST_DAY * DAY_US;
    const int64_t last = (LAST_DAY + 1) * DAY_US - 1;
    us = us < first ? first : us > last ? last : us;
    int64_t day = floor_div(us, DAY_US);
    int64_t in_day = us - day * DAY_US;
    struct date d = date_of_day(day);
    int64_t s = in_day / SECOND_US;
    int64_t fraction = in_day % SECOND_US;
    out = put_number(out, d.year, 4, '-');
    out = put_number(out, d.month, 2, '-');
    out = put_number(out, d.day, 2, 'T');
    out = put_number(out, s / 3600, 2, ':');
    out = put_number(out, s / 60 % 60, 2, ':');
    out = put_number(out, s % 60, 2, '.');
    out = put_number(out, millis ? fraction / 1000 : fraction, millis ? 3 : 6, 'Z');
    *out = '\0';
}

bool text_date(struct span s, int64_t *out_us)
{
    struct span rest = s;
    int64_t day;
    int64_t us;
    if (take_date(&rest, &day) && rest.len == 0) {
        *out_us = day * DAY_US;
        return true;
    }
    if (!text_rfc3339(s, &us)) {
        return false;
    }
    *out_us = floor_div(us, DAY_US) * DAY_US;
    return true;
}
