/* Hours of the week in which nothing is expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "core/quiet.h"

#define HOUR_S INT64_C(3600)

static int64_t at(const char *time)
{
    int64_t us;

    assert_true(text_rfc3339(span_of(time), &us));
    return us;
}

static struct quiet of(const char *text)
{
    struct quiet q;

    memset(&q, 0, sizeof q);
    assert_true(quiet_add(&q, span_of(text)));
    return q;
}

static void every_night(void **state)
{
    const struct quiet q = of("22:00-06:00");
    (void)state;

    assert_int_equal(q.total, 7 * 8 * 60);
    assert_true(quiet_at(&q, at("2026-12-01T22:00:00Z")));
    assert_true(quiet_at(&q, at("2026-12-02T05:59:59.999999Z")));
    assert_false(quiet_at(&q, at("2026-12-02T06:00:00Z")));
    assert_false(quiet_at(&q, at("2026-12-01T21:59:59Z")));
    /* Sunday night runs into Monday. */
    assert_true(quiet_at(&q, at("2026-12-07T00:30:00Z")));
    assert_int_equal(quiet_loud_s(&q, at("2026-12-01T20:00:00Z"), at("2026-12-02T07:00:00Z")),
                     3 * HOUR_S);
    assert_int_equal(quiet_loud_s(&q, at("2026-12-01T20:00:30Z"), at("2026-12-01T20:00:31Z")), 1);
}

static void over_the_weekend(void **state)
{
    const struct quiet q = of("Sat 00:00-Mon 06:00");
    (void)state;

    assert_int_equal(q.total, 54 * 60);
    assert_false(quiet_at(&q, at("2026-12-04T23:59:00Z"))); /* a Friday */
    assert_true(quiet_at(&q, at("2026-12-05T00:00:00Z")));
    assert_true(quiet_at(&q, at("2026-12-07T05:59:00Z")));
    assert_false(quiet_at(&q, at("2026-12-07T06:00:00Z")));
    assert_int_equal(quiet_loud_s(&q, at("2026-12-04T23:00:00Z"), at("2026-12-07T07:00:00Z")),
                     2 * HOUR_S);
    /* Ten weeks and a day. */
    assert_int_equal(quiet_loud_s(&q, at("2026-12-01T00:00:00Z"), at("2027-02-10T00:00:00Z")),
                     (10 * (168 - 54) + 24) * HOUR_S);
}

static void several_overlap_and_no_time_is_counted_twice(void **state)
{
    struct quiet q = of("22:00-06:00");
    (void)state;

    assert_true(quiet_add(&q, SPAN_LIT("Sat 00:00-Mon 06:00")));
    assert_int_equal(q.total, (56 + 54 - 22) * 60);
    assert_true(quiet_at(&q, at("2026-12-05T12:00:00Z")));
}

static void without_any_all_time_counts(void **state)
{
    struct quiet q;
    (void)state;

    memset(&q, 0, sizeof q);
    assert_int_equal(quiet_loud_s(&q, at("2026-12-01T00:00:00Z"), at("2026-12-15T01:00:01Z")),
                     14 * 24 * HOUR_S + HOUR_S + 1);
    assert_int_equal(quiet_loud_s(&q, at("2026-12-02T00:00:00Z"), at("2026-12-01T00:00:00Z")), 0);
}

static void whole_days(void **state)
{
    (void)state;

    assert_int_equal(of("00:00-24:00").total, QUIET_MINUTES);
    assert_int_equal(of("00:00-00:00").total, QUIET_MINUTES);
    assert_int_equal(of("Sun 00:00-Sun 24:00").total, 24 * 60);
    assert_int_equal(of(" sun 00:00 - SUN 24:00 ").total, 24 * 60);
}

static void what_is_no_time(void **state)
{
    static const char *const texts[] = {
        "",           "22:00",       "22-06",          "22:00-6:00",     "24:01-25:00",
        "22:60-06:0", "Sat-Sun",     "Sat 00:00-06:00", "22:00-Mon 06:00", "Sab 00:00-Mon 06:00",
        "22:00-06:00-07:00", "-1:00-02:00", "22:00 06:00", "Sat00:00-Mon00:00",
    };
    struct quiet q, before;
    (void)state;

    memset(&q, 0, sizeof q);
    before = q;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (quiet_add(&q, span_of(texts[i]))) {
            fail_msg("taken: %s", texts[i]);
        }
        assert_memory_equal(&q, &before, sizeof q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_night),
        cmocka_unit_test(over_the_weekend),
        cmocka_unit_test(several_overlap_and_no_time_is_counted_twice),
        cmocka_unit_test(without_any_all_time_counts),
        cmocka_unit_test(whole_days),
        cmocka_unit_test(what_is_no_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
