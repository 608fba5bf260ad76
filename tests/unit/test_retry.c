/* Retry rules: what may be written, how long each wait is, and that no wait runs away. */
#include "unit.h"

#include "core/retry.h"

#define SEC INT64_C(1000)
#define H (3600 * SEC)
#define D (24 * H)

static const char not_a_rule[] = "not a retry rule: write for example `8 tries, 10s to 6h` or `1 try`";
static const char no_delay[] = "a retry rule of several tries needs a delay, for example "
                               "`2 tries, 10s to 6h`";
static const char bad_first[] = "the first delay must be from 1s to 7d";
static const char bad_last[] = "the last delay must be from the first one to 30d";

static void reads_every_form(void **state)
{
    static const struct {
        const char *text;
        struct retry want;
    } rows[] = {
        {"8 tries, 10s to 6h", {8, 10 * SEC, 6 * H, 4}},
        {RETRY_DEFAULT, {8, 10 * SEC, 6 * H, 4}},
        {"1 try", {1, 10 * SEC, 10 * SEC, 1}},
        {"1 tries", {1, 10 * SEC, 10 * SEC, 1}},
        {"1 try, 5s", {1, 5 * SEC, 5 * SEC, 1}},
        {"3 tries, 1m", {3, 60 * SEC, 60 * SEC, 1}},
        {"3 tries, 1m to 1m", {3, 60 * SEC, 60 * SEC, 1}},
        {"  3 tries  ,  1m  to  2m  ", {3, 60 * SEC, 120 * SEC, 2}},
        {"3  tries,1m to 2m", {3, 60 * SEC, 120 * SEC, 2}},
        {"3 tries,\n1m to 2m", {3, 60 * SEC, 120 * SEC, 2}}, /* a continued line */
        {"1000 tries, 1s to 30d", {1000, 1 * SEC, 30 * D, 2}},
        {"5 tries, 7d to 30d", {5, 7 * D, 30 * D, 2}},
        {"3 tries, 1500ms to 3s", {3, 1500, 3 * SEC, 2}},
        {"3 tries, 1001ms to 2003ms", {3, 1001, 2003, 3}},
        {"3 tries, 1s to 30d", {3, 1 * SEC, 30 * D, 2592000}},
        {"2 tries, 1s to 30d", {2, 1 * SEC, 30 * D, 2592000}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct retry r = {0, 0, 0, 0};
        struct ho_err err;
        ho_err_clear(&err);
        if (retry_parse(span_of(rows[i].text), &r, &err) != HO_OK) {
            fail_msg("\"%s\" was refused: %s", rows[i].text, err.text);
        }
        if (r.tries != rows[i].want.tries || r.first_ms != rows[i].want.first_ms ||
            r.last_ms != rows[i].want.last_ms || r.factor != rows[i].want.factor) {
            fail_msg("\"%s\" gave %u tries, %lld to %lld, factor %u", rows[i].text, r.tries,
                     (long long)r.first_ms, (long long)r.last_ms, r.factor);
        }
    }
}

static void refuses_everything_else(void **state)
{
    static const struct {
        const char *text;
        const char *why;
    } rows[] = {
        {"", not_a_rule},
        {",", not_a_rule},
        {"8", not_a_rule},
        {"8 ", not_a_rule},
        {"tries", not_a_rule},
        {"0 tries, 10s", not_a_rule},
        {"0 try", not_a_rule},
        {"-1 tries, 10s", not_a_rule},
        {"+8 tries, 10s", not_a_rule},
        {"08 tries, 10s", not_a_rule},
        {"8.5 tries, 10s", not_a_rule},
        {"1001 tries, 10s", not_a_rule},
        {"4294967297 tries, 10s", not_a_rule},
        {"18446744073709551617 tries, 10s", not_a_rule},
        {"8 times, 10s", not_a_rule},
        {"8 Tries, 10s", not_a_rule},
        {"8 tries 10s", not_a_rule},
        {"8tries, 10s", not_a_rule},
        {"8 tries,", not_a_rule},
        {"8 tries, ", not_a_rule},
        {"8 tries, 10", not_a_rule},
        {"8 tries, ten", not_a_rule},
        {"8 tries, 10s 6h", not_a_rule},
        {"8 tries, 10s to", not_a_rule},
        {"8 tries, 10s to ", not_a_rule},
        {"8 tries, 10s to6h", not_a_rule},
        {"8 tries, 10s till 6h", not_a_rule},
        {"8 tries, 10s to 6h to 7h", not_a_rule},
        {"8 tries, 10s to 6h, 7h", not_a_rule},
        {"8 tries, 99999999999999999999d", not_a_rule},
        {"2 tries", no_delay},
        {"8 tries, 0", bad_first},
        {"8 tries, 999ms", bad_first},
        {"8 tries, 604800001ms to 8d", bad_first},
        {"8 tries, 8d", bad_first},
        {"8 tries, 10s to 9s", bad_last},
        {"8 tries, 10s to 0", bad_last},
        {"8 tries, 10s to 31d", bad_last},
        {"1 try, 10s to 9s", bad_last},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct retry r = {7, 7, 7, 7};
        struct ho_err err;
        ho_err_clear(&err);
        if (retry_parse(span_of(rows[i].text), &r, &err) != HO_REJECT) {
            fail_msg("\"%s\" was taken", rows[i].text);
        }
        assert_int_equal(r.tries, 7); /* untouched */
        if (strcmp(err.text, rows[i].why) != 0) {
            fail_msg("\"%s\" was refused with: %s", rows[i].text, err.text);
        }
    }
}

static struct retry rule(const char *text)
{
    struct retry r = {0, 0, 0, 0};
    assert_int_equal(retry_parse(span_of(text), &r, NULL), HO_OK);
    return r;
}

static void waits_grow_to_the_last_and_stay(void **state)
{
    static const struct {
        const char *text;
        unsigned failed;
        int64_t want_ms;
    } rows[] = {
        {"8 tries, 10s to 6h", 0, 10 * SEC}, /* no such try: as after the first */
        {"8 tries, 10s to 6h", 1, 10 * SEC},
        {"8 tries, 10s to 6h", 2, 40 * SEC},
        {"8 tries, 10s to 6h", 3, 160 * SEC},
        {"8 tries, 10s to 6h", 6, 10240 * SEC},
        {"8 tries, 10s to 6h", 7, 6 * H},
        {"8 tries, 10s to 6h", 8, 6 * H},
        {"8 tries, 10s to 6h", UINT32_MAX, 6 * H},
        {"3 tries, 1m", 1, 60 * SEC},
        {"3 tries, 1m", UINT32_MAX, 60 * SEC},
        {"3 tries, 1s to 30d", 1, 1 * SEC},
        {"3 tries, 1s to 30d", 2, 30 * D},
        {"1000 tries, 1s to 30d", 999, 30 * D},
        {"1 try", 1, 10 * SEC},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct retry r = rule(rows[i].text);
        int64_t ms = retry_delay_ms(&r, rows[i].failed, 0);
        if (ms != rows[i].want_ms) {
            fail_msg("%s, after %u: %lld", rows[i].text, rows[i].failed, (long long)ms);
        }
    }
}

/* The promise of the header, for many rules: the last wait is reached, and by no smaller factor. */
static void the_factor_is_the_smallest_that_arrives(void **state)
{
    static const int64_t firsts[] = {1 * SEC, 1001, 10 * SEC, 59 * SEC, 1 * H, 7 * D};
    static const int64_t lasts[] = {7 * D, 7 * D + 1, 29 * D, 30 * D};
    (void)state;
    for (size_t i = 0; i < COUNT(firsts) * COUNT(lasts); i++) {
        for (unsigned tries = 3; tries <= 40; tries++) {
            char text[64];
            int n = snprintf(text, sizeof text, "%u tries, %lldms to %lldms", tries,
                             (long long)firsts[i / COUNT(lasts)],
                             (long long)lasts[i % COUNT(lasts)]);
            assert_true(n > 0 && (size_t)n < sizeof text);
            struct retry r = rule(text);
            if (retry_delay_ms(&r, tries - 1, 0) != r.last_ms) {
                fail_msg("%s: factor %u does not arrive", text, r.factor);
            }
            struct retry less = r;
            less.factor--;
            if (r.factor > 1 && retry_delay_ms(&less, tries - 1, 0) == r.last_ms) {
                fail_msg("%s: factor %u is not the smallest", text, r.factor);
            }
        }
    }
}

static void jitter_adds_at_most_a_fifth(void **state)
{
    static const char *const rules[] = {"8 tries, 10s to 6h", "5 tries, 1s to 30d", "9 tries, 7d",
                                        "3 tries, 1001ms to 2003ms"};
    static const uint32_t randoms[] = {0, 1, 199, 200, 2000, 2001, 2002, 0x7fffffff, UINT32_MAX};
    (void)state;
    for (size_t i = 0; i < COUNT(rules); i++) {
        struct retry r = rule(rules[i]);
        for (unsigned failed = 1; failed <= r.tries; failed++) {
            int64_t base = retry_delay_ms(&r, failed, 0);
            for (size_t k = 0; k < COUNT(randoms); k++) {
                int64_t ms = retry_delay_ms(&r, failed, randoms[k]);
                assert_true(ms >= base && ms <= base + base / 5);
            }
            /* Both ends of the range are used. */
            if (base / 5 < UINT32_MAX) {
                assert_int_equal(retry_delay_ms(&r, failed, (uint32_t)(base / 5)), base + base / 5);
                assert_int_equal(retry_delay_ms(&r, failed, (uint32_t)(base / 5 + 1)), base);
            }
        }
    }
}

static void all_waits_together_at_most(void **state)
{
    static const struct {
        const char *rule;
        int64_t want;
    } rows[] = {
        {"1 try", 0},
        {"2 tries, 10s", 12 * SEC},
        {"3 tries, 10s", 24 * SEC},
        {"4 tries, 10s to 1000s", 1332 * SEC}, /* 10 + 100 + 1000 and a fifth */
        {"1000 tries, 1s to 30d", INT64_MAX},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct retry r = rule(rows[i].rule);
        int64_t total = 0;
        for (unsigned failed = 1; failed < r.tries; failed++) {
            int64_t base = retry_delay_ms(&r, failed, 0);
            total += retry_delay_ms(&r, failed, (uint32_t)(base / 5)); /* the longest */
        }
        ROW(i, retry_total_ms(&r) == total);
        ROW(i, rows[i].want == INT64_MAX || rows[i].want == total);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_form),
        cmocka_unit_test(refuses_everything_else),
        cmocka_unit_test(waits_grow_to_the_last_and_stay),
        cmocka_unit_test(the_factor_is_the_smallest_that_arrives),
        cmocka_unit_test(jitter_adds_at_most_a_fifth),
        cmocka_unit_test(all_waits_together_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
