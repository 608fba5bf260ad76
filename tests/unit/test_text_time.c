/* Times and dates: the whole calendar from year 0000 to 9999, offsets, leap seconds, fractions. */
#include "unit.h"

#include "base/text.h"

#define FIRST INT64_C(-62167219200000000) /* 0000-01-01T00:00:00Z */
#define LAST INT64_C(253402300799999999)  /* 9999-12-31T23:59:59.999999Z */

static void reads_rfc3339(void **state)
{
    static const struct {
        struct span in;
        int64_t want;
    } rows[] = {
        {S("1970-01-01T00:00:00Z"), 0},
        {S("1970-01-01t00:00:00z"), 0},
        {S("1970-01-01 00:00:00Z"), 0},
        {S("1969-12-31T23:59:59Z"), -1000000},
        {S("1969-12-31T23:59:59.999999Z"), -1},
        {S("2026-11-30T12:00:00.123Z"), INT64_C(1796040000123000)},
        {S("2026-11-30T12:00:00.1Z"), INT64_C(1796040000100000)},
        {S("2026-11-30T12:00:00.1234567890123456789012345Z"), INT64_C(1796040000123456)},
        {S("2026-11-30T12:00:00.000000999Z"), INT64_C(1796040000000000)},
        {S("2026-11-30T12:00:00+00:00"), INT64_C(1796040000000000)},
        {S("2026-11-30T12:00:00-00:00"), INT64_C(1796040000000000)},
        {S("2026-11-30T13:30:00+01:30"), INT64_C(1796040000000000)},
        {S("2026-11-30T04:00:00-08:00"), INT64_C(1796040000000000)},
        {S("2026-12-01T11:59:00+23:59"), INT64_C(1796040000000000)},
        {S("2000-02-29T00:00:00Z"), INT64_C(951782400000000)},
        {S("2024-02-29T23:59:59Z"), INT64_C(1709251199000000)},
        {S("0000-01-01T00:00:00Z"), FIRST},
        {S("0000-02-29T00:00:00Z"), FIRST + INT64_C(59) * 86400000000},
        {S("9999-12-31T23:59:59.999999Z"), LAST},
        {S("1600-02-29T00:00:00Z"), INT64_C(-11670998400000000)},
        /* leap seconds count as the second after */
        {S("2016-12-31T23:59:60Z"), INT64_C(1483228800000000)},
        {S("2016-12-31T23:59:60.5Z"), INT64_C(1483228800500000)},
        {S("1990-12-31T15:59:60-08:00"), INT64_C(662688000000000)},
        {S("2017-01-01T05:29:60+05:30"), INT64_C(1483228800000000)},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t us = 77;
        ROW(i, text_rfc3339(rows[i].in, &us));
        ROW(i, us == rows[i].want);
    }
}

static void refuses_what_is_not_rfc3339(void **state)
{
    static const struct span rows[] = {
        S(""),
        NONE,
        S("2026-11-30"),
        S("2026-11-30T"),
        S("2026-11-30T12:00Z"),
        S("2026-11-30T12:00:00"),
        S("2026-11-30T12:00:00 Z"),
        S("2026-11-30T12:00:00Z "),
        S(" 2026-11-30T12:00:00Z"),
        S("2026-11-30T12:00:00Z\0"),
        S("2026-11-30T12:00:00.Z"),
        S("2026-11-30T12:00:00,5Z"),
        S("2026-11-30T12:00:00.5"),
        S("2026-11-30T12:00:00+0100"),
        S("2026-11-30T12:00:00+01"),
        S("2026-11-30T12:00:00+24:00"),
        S("2026-11-30T12:00:00+01:60"),
        S("2026-11-30T12:00:00+1:00"),
        S("2026-11-30T24:00:00Z"),
        S("2026-11-30T12:60:00Z"),
        S("2026-11-30T12:00:61Z"),
        S("2026-11-30T12:00:60Z"),
        S("2026-11-30T23:58:60Z"),
        S("2026-11-30T23:59:60+01:00"),
        S("2026-13-01T00:00:00Z"),
        S("2026-00-01T00:00:00Z"),
        S("2026-01-00T00:00:00Z"),
        S("2026-01-32T00:00:00Z"),
        S("2026-04-31T00:00:00Z"),
        S("2026-02-29T00:00:00Z"),
        S("1900-02-29T00:00:00Z"),
        S("2100-02-29T00:00:00Z"),
        S("2024-02-30T00:00:00Z"),
        S("26-11-30T12:00:00Z"),
        S("12026-11-30T12:00:00Z"),
        S("-026-11-30T12:00:00Z"),
        S("2026-1-30T12:00:00Z"),
        S("2026/11/30T12:00:00Z"),
        S("2026-11-30_12:00:00Z"),
        S("2026-11-3OT12:00:00Z"),
        S("20261130T120000Z"),
        S("9999-12-31T23:59:60Z"),
        S("9999-12-31T23:59:59-00:01"), /* year 10000 in UTC */
        S("0000-01-01T00:00:00+00:01"), /* year -1 in UTC */
        S("1796040000"),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t us = 77;
        ROW(i, !text_rfc3339(rows[i], &us));
        ROW(i, us == 77);
    }
}

static void writes_rfc3339(void **state)
{
    static const struct {
        int64_t us;
        const char *millis, *micros;
    } rows[] = {
        {0, "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000000Z"},
        {-1, "1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999999Z"},
        {INT64_C(1796040000123999), "2026-11-30T12:00:00.123Z", "2026-11-30T12:00:00.123999Z"},
        {INT64_C(951782400000001), "2000-02-29T00:00:00.000Z", "2000-02-29T00:00:00.000001Z"},
        {FIRST, "0000-01-01T00:00:00.000Z", "0000-01-01T00:00:00.000000Z"},
        {LAST, "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999999Z"},
        {FIRST - 1, "0000-01-01T00:00:00.000Z", "0000-01-01T00:00:00.000000Z"},
        {LAST + 1, "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999999Z"},
        {INT64_MIN, "0000-01-01T00:00:00.000Z", "0000-01-01T00:00:00.000000Z"},
        {INT64_MAX, "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999999Z"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[32];
        text_rfc3339_put(rows[i].us, true, text);
        ROW_TEXT(i, text, rows[i].millis);
        text_rfc3339_put(rows[i].us, false, text);
        ROW_TEXT(i, text, rows[i].micros);
    }
}

/* Counts through every day with a calendar of its own that only knows how long months are. */
static void every_day_comes_back(void **state)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t us = FIRST;
    char want[64];
    char text[32];
    (void)state;
    for (int year = 0; year <= 9999; year++) {
        bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        bool near_edge = year % 100 < 5 || (year > 1965 && year < 2040);
        for (int month = 1; month <= 12; month++) {
            int len = days[month - 1] + (month == 2 && leap ? 1 : 0);
            for (int day = 1; near_edge && day <= len; day += day == 1 ? len - 1 : 1) {
                int64_t at = us + (int64_t)(day - 1) * INT64_C(86400000000) + 1;
                int64_t back = 0;
                (void)snprintf(want, sizeof want, "%04d-%02d-%02dT00:00:00.000001Z", year, month,
                               day);
                text_rfc3339_put(at, false, text);
                assert_string_equal(text, want);
                assert_true(text_rfc3339(span_of(want), &back));
                assert_true(back == at);
            }
            us += len * INT64_C(86400000000);
        }
    }
    assert_true(us == LAST + 1);
}

static void reads_dates(void **state)
{
    static const struct {
        struct span in;
        bool ok;
        int64_t want;
    } rows[] = {
        {S("2026-12-01"), true, INT64_C(1796083200000000)},
        {S("2026-12-01T15:04:05.6Z"), true, INT64_C(1796083200000000)},
        {S("2026-12-01 23:59:59Z"), true, INT64_C(1796083200000000)},
        {S("2026-12-02T00:30:00+01:00"), true, INT64_C(1796083200000000)},
        {S("1970-01-01"), true, 0},
        {S("1969-12-31"), true, INT64_C(-86400000000)},
        {S("1969-12-31T23:59:59.9Z"), true, INT64_C(-86400000000)},
        {S("0000-01-01"), true, FIRST},
        {S("9999-12-31"), true, LAST - INT64_C(86399999999)},
        {S("2026-12-1"), false, 0},
        {S("2026-02-29"), false, 0},
        {S("2026-12-01 "), false, 0},
        {S("2026-12-01T"), false, 0},
        {S("01.12.2026"), false, 0},
        {S("tomorrow"), false, 0},
        {S(""), false, 0},
        {NONE, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t us = 77;
        ROW(i, text_date(rows[i].in, &us) == rows[i].ok);
        ROW(i, us == (rows[i].ok ? rows[i].want : 77));
    }
}

#define MAIL_DAY INT64_C(784111777000000) /* 1994-11-06T08:49:37Z, a Sunday */

static void reads_mail_and_http_dates(void **state)
{
    static const struct {
        struct span in;
        int64_t want;
    } rows[] = {
        {S("Sun, 06 Nov 1994 08:49:37 GMT"), MAIL_DAY},
        {S("Sun, 6 Nov 1994 08:49:37 GMT"), MAIL_DAY},
        {S("Sun, 06 Nov 1994 08:49:37 +0000"), MAIL_DAY},
        {S("Sun, 06 Nov 1994 08:49:37 -0000"), MAIL_DAY},
        {S("Sun, 06 Nov 1994 08:49:37 UTC"), MAIL_DAY},
        {S("Sun, 06 Nov 1994 08:49:37 UT"), MAIL_DAY},
        {S("Sun, 06 Nov 1994 08:49:37 Z"), MAIL_DAY},
        {S("06 Nov 1994 08:49:37 GMT"), MAIL_DAY},
        {S("sun, 06 nOV 1994 08:49:37 gmt"), MAIL_DAY},
        {S("Mon, 06 Nov 1994 08:49:37 GMT"), MAIL_DAY}, /* not checked */
        {S("Sun,06  Nov\t1994  08:49:37   GMT"), MAIL_DAY},
        {S("Sun, 06 Nov 1994 10:19:37 +0130"), MAIL_DAY},
        {S("Sat, 05 Nov 1994 21:49:37 -1100"), MAIL_DAY},
        {S("Sun, 06 Nov 1994 08:49 GMT"), MAIL_DAY - 37000000},
        {S("Thu, 01 Jan 1970 00:00:00 GMT"), 0},
        {S("Thu, 29 Feb 2024 23:59:59 GMT"), INT64_C(1709251199000000)},
        {S("Sat, 31 Dec 2016 23:59:60 GMT"), INT64_C(1483228800000000)},
        {S("1 Jan 0000 00:00:00 GMT"), FIRST},
        {S("31 Dec 9999 23:59:59 GMT"), LAST - 999999},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t us = 77;
        ROW(i, text_rfc2822(rows[i].in, &us));
        ROW(i, us == rows[i].want);
    }
}

static void refuses_what_is_no_mail_date(void **state)
{
    static const struct span rows[] = {
        S(""),
        NONE,
        S("Sun, 06 Nov 1994"),
        S("Sun, 06 Nov 1994 08:49:37"),
        S("Sun, 06 Nov 1994 08:49:37 "),
        S("Sun, 06 Nov 1994 08:49:37GMT"),
        S("Sun, 06 Nov 1994 08:49:37 GMT "),
        S("Sun, 06 Nov 1994 08:49:37 GMT\0"),
        S(" Sun, 06 Nov 1994 08:49:37 GMT"),
        S("Sun, 06 Nov 1994 08:49:37 GMT+1"),
        S("Sun, 06 Nov 1994 08:49:37 EST"),
        S("Sun, 06 Nov 1994 08:49:37 +00:00"),
        S("Sun, 06 Nov 1994 08:49:37 +000"),
        S("Sun, 06 Nov 1994 08:49:37 +2400"),
        S("Sun, 06 Nov 1994 08:49:37 +0060"),
        S("Sun, 06 Nov 1994 08:49:37 0000"),
        S("Sun, 06 Nov 1994 08:49:37.5 GMT"),
        S("Sun, 06 Nov 1994 08:49: GMT"),
        S("Sun, 06 Nov 1994 8:49:37 GMT"),
        S("Sun, 06 Nov 1994 24:49:37 GMT"),
        S("Sun, 06 Nov 1994 08:60:37 GMT"),
        S("Sun, 06 Nov 1994 08:49:61 GMT"),
        S("Sun, 06 Nov 1994 08:49:60 GMT"),
        S("Sun, 06 Nov 94 08:49:37 GMT"),
        S("Sun, 06 Nov 01994 08:49:37 GMT"),
        S("Sun, 00 Nov 1994 08:49:37 GMT"),
        S("Sun, 0 Nov 1994 08:49:37 GMT"),
        S("Sun, 001 Nov 1994 08:49:37 GMT"),
        S("Sun, 31 Nov 1994 08:49:37 GMT"),
        S("Sun, 29 Feb 1994 08:49:37 GMT"),
        S("Sun, 29 Feb 1900 08:49:37 GMT"),
        S("Sun, 32 Jan 1994 08:49:37 GMT"),
        S("Sun, 06 Nob 1994 08:49:37 GMT"),
        S("Sun, 06 November 1994 08:49:37 GMT"),
        S("Sun, 06-Nov-1994 08:49:37 GMT"),
        S("Sunday, 06-Nov-94 08:49:37 GMT"), /* RFC 850 */
        S("Sun Nov  6 08:49:37 1994"),       /* asctime */
        S("Sun 06 Nov 1994 08:49:37 GMT"),
        S("Xyz, 06 Nov 1994 08:49:37 GMT"),
        S(", 06 Nov 1994 08:49:37 GMT"),
        S("1 Jan 0000 00:00:00 +0001"),  /* year -1 in UTC */
        S("31 Dec 9999 23:59:59 -0001"), /* year 10000 */
        S("1994-11-06T08:49:37Z"),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t us = 77;
        ROW(i, !text_rfc2822(rows[i], &us));
        ROW(i, us == 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_rfc3339),
        cmocka_unit_test(refuses_what_is_not_rfc3339),
        cmocka_unit_test(writes_rfc3339),
        cmocka_unit_test(every_day_comes_back),
        cmocka_unit_test(reads_dates),
        cmocka_unit_test(reads_mail_and_http_dates),
        cmocka_unit_test(refuses_what_is_no_mail_date),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
