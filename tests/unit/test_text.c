/* Text forms: the strict readers take the whole span or nothing, the writers stay in bounds. */
#include "unit.h"

#include "base/text.h"

#define UNTOUCHED (-77)

static void reads_unsigned_numbers(void **state)
{
    static const struct {
        struct span in;
        uint64_t max;
        bool ok;
        uint64_t want;
    } rows[] = {
        {S("0"), UINT64_MAX, true, 0},
        {S("7"), 7, true, 7},
        {S("8"), 7, false, 0},
        {S("1234567890"), UINT64_MAX, true, 1234567890},
        {S("18446744073709551615"), UINT64_MAX, true, UINT64_MAX},
        {S("18446744073709551616"), UINT64_MAX, false, 0},
        {S("18446744073709551620"), UINT64_MAX, false, 0},
        {S("99999999999999999999"), UINT64_MAX, false, 0},
        {S("100000000000000000000"), UINT64_MAX, false, 0},
        {S("255"), 255, true, 255},
        {S("256"), 255, false, 0},
        {S("260"), 255, false, 0},
        {S("1000"), 255, false, 0},
        {S("0"), 0, true, 0},
        {S("1"), 0, false, 0},
        {S("5"), 3, false, 0},
        {S("00"), 9, false, 0},
        {S("01"), 9, false, 0},
        {S(""), 9, false, 0},
        {NONE, 9, false, 0},
        {S("+1"), 9, false, 0},
        {S("-1"), 9, false, 0},
        {S(" 1"), 9, false, 0},
        {S("1 "), 9, false, 0},
        {S("1\n"), 9, false, 0},
        {S("1\0"), 9, false, 0},
        {S("1.0"), 9, false, 0},
        {S("0x1"), 99, false, 0},
        {S("1/"), 99, false, 0},
        {S("1:"), 99, false, 0},
        {S("\xd9\xa1"), 9, false, 0}, /* ARABIC-INDIC DIGIT ONE */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t got = 77777;
        ROW(i, text_uint(rows[i].in, rows[i].max, &got) == rows[i].ok);
        ROW(i, got == (rows[i].ok ? rows[i].want : 77777));
    }
}

static void reads_durations(void **state)
{
    static const struct {
        struct span in;
        int64_t want; /* UNTOUCHED: refused */
    } rows[] = {
        {S("0"), 0},
        {S("0s"), 0},
        {S("250ms"), 250},
        {S("10s"), 10000},
        {S("5m"), 300000},
        {S("6h"), 21600000},
        {S("30d"), INT64_C(2592000000)},
        {S("9223372036854775807ms"), INT64_MAX},
        {S("9223372036854775808ms"), UNTOUCHED},
        {S("9223372036854775s"), INT64_C(9223372036854775000)},
        {S("9223372036854776s"), UNTOUCHED},
        {S("106751991167d"), INT64_C(9223372036828800000)},
        {S("106751991168d"), UNTOUCHED},
        {S("18446744073709551616s"), UNTOUCHED},
        {S("10"), UNTOUCHED},
        {S("s"), UNTOUCHED},
        {S(""), UNTOUCHED},
        {NONE, UNTOUCHED},
        {S("00"), UNTOUCHED},
        {S("05s"), UNTOUCHED},
        {S("-5s"), UNTOUCHED},
        {S("+5s"), UNTOUCHED},
        {S("5 s"), UNTOUCHED},
        {S("5s "), UNTOUCHED},
        {S("5S"), UNTOUCHED},
        {S("5sec"), UNTOUCHED},
        {S("1h30m"), UNTOUCHED},
        {S("1.5h"), UNTOUCHED},
        {S("5s\0"), UNTOUCHED},
        {S("5w"), UNTOUCHED},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t got = UNTOUCHED;
        ROW(i, text_duration(rows[i].in, &got) == (rows[i].want != UNTOUCHED));
        ROW(i, got == rows[i].want);
    }
}

static void reads_sizes(void **state)
{
    static const struct {
        struct span in;
        int64_t want;
    } rows[] = {
        {S("0"), 0},
        {S("512"), 512},
        {S("64k"), 65536},
        {S("26m"), 27262976},
        {S("1g"), 1073741824},
        {S("9223372036854775807"), INT64_MAX},
        {S("9223372036854775808"), UNTOUCHED},
        {S("8589934591g"), INT64_C(9223372035781033984)},
        {S("8589934592g"), UNTOUCHED},
        {S("64K"), UNTOUCHED},
        {S("64kb"), UNTOUCHED},
        {S("k"), UNTOUCHED},
        {S(""), UNTOUCHED},
        {NONE, UNTOUCHED},
        {S("1.5m"), UNTOUCHED},
        {S("-1"), UNTOUCHED},
        {S("1 k"), UNTOUCHED},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t got = UNTOUCHED;
        ROW(i, text_size(rows[i].in, &got) == (rows[i].want != UNTOUCHED));
        ROW(i, got == rows[i].want);
    }
}

static void writes_the_shortest_duration(void **state)
{
    static const struct {
        int64_t ms;
        const char *want;
    } rows[] = {
        {0, "0"},
        {1, "1ms"},
        {999, "999ms"},
        {1000, "1s"},
        {1500, "1500ms"},
        {90000, "90s"},
        {60000, "1m"},
        {3600000, "1h"},
        {5400000, "90m"},
        {86400000, "1d"},
        {90000000, "25h"},
        {INT64_C(2592000000), "30d"},
        {INT64_MAX, "9223372036854775807ms"},
        {-1500, "-1500ms"},
        {INT64_MIN, "-9223372036854775808ms"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[24];
        int64_t back;
        text_duration_put(rows[i].ms, text);
        ROW_TEXT(i, text, rows[i].want);
        ROW(i, rows[i].ms < 0 || (text_duration(span_of(text), &back) && back == rows[i].ms));
    }
}

static void names_fit_patterns(void **state)
{
    static const struct {
        const char *pattern;
        struct span name;
        bool fits;
    } rows[] = {
        {"a.b", S("a.b"), true},
        {"a.b", S("a.bc"), false},
        {"a.b", S("a"), false},
        {"a.b", S("axb"), false},
        {"*", S(""), true},
        {"*", S("anything\0at all"), true},
        {"**", S(""), true},
        {"", S(""), true},
        {"", S("a"), false},
        {"a*", S("a"), true},
        {"a*", S("ba"), false},
        {"*a", S("a"), true},
        {"*a", S("aab"), false},
        {"*a", S("baa"), true},
        {"customer.subscription.*", S("customer.subscription.deleted"), true},
        {"customer.subscription.*", S("customer.subscription."), true},
        {"customer.subscription.*", S("customer.subscription"), false},
        {"a*b*c", S("abc"), true},
        {"a*b*c", S("aXbYbZc"), true},
        {"a*b*c", S("aXbYbZcd"), false},
        {"a*bc", S("abbc"), true},
        {"*abab", S("abaabab"), true},
        {"*.created", S("a.created.created"), true},
        {"a", S("A"), false},
        {"a?", S("ab"), false},
        {"a", S("a\0"), false},
        {"a*", NONE, false},
        {"*", NONE, true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, text_glob(rows[i].pattern, rows[i].name) == rows[i].fits);
    }
}

static void a_hostile_name_costs_little(void **state)
{
    static unsigned char name[20000];
    (void)state;
    memset(name, 'a', sizeof name);
    assert_false(text_glob("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", span_make(name, sizeof name)));
    assert_true(text_glob("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a", span_make(name, sizeof name)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_unsigned_numbers),
        cmocka_unit_test(reads_durations),
        cmocka_unit_test(reads_sizes),
        cmocka_unit_test(writes_the_shortest_duration),
        cmocka_unit_test(names_fit_patterns),
        cmocka_unit_test(a_hostile_name_costs_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
