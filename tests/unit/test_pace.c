/* When a processor looks next: not before there is a reason, and at once when there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/settings.h"
#include "store/pace.h"
#include "store/wake.h"
#include "work/watch.h"

#define NOW INT64_C(1000000)

static char dir[] = "/tmp/hookonce-pace-XXXXXX";
static char config[64];
static struct settings s;
static struct counters *c;

static void write_config(const char *text)
{
    FILE *f = fopen(config, "we");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void rest(int64_t ms)
{
    pace_rest(c, pace_scene(&s), NOW, ms);
}

static void rests_until_its_time(void **state)
{
    (void)state;

    assert_int_equal(pace_left(c, &s, NOW), 0); /* nobody has looked yet */
    rest(60000);
    assert_int_equal(pace_left(c, &s, NOW), 60000);
    assert_int_equal(pace_left(c, &s, NOW + 59999), 1);
    assert_int_equal(pace_left(c, &s, NOW + 60000), 0);
    assert_true(pace_is_calm(c, &s));
    assert_int_equal(pace_left(c, &s, NOW - 6 * 60000), 0); /* a time of another boot */
}

/* What another one found to be due sooner counts. */
static void the_sooner_time_stays(void **state)
{
    (void)state;

    rest(5000);
    rest(60000);
    assert_int_equal(pace_left(c, &s, NOW), 5000);
    rest(1000);
    assert_int_equal(pace_left(c, &s, NOW), 1000);
}

static void a_wake_up_ends_the_rest(void **state)
{
    (void)state;

    rest(60000);
    (void)wake_send(dir); /* nobody hears it */
    assert_int_equal(pace_left(c, &s, NOW), 0);
    assert_false(pace_is_calm(c, &s));
    rest(60000);
    assert_int_equal(pace_left(c, &s, NOW), 60000);
}

/* Woken while it looks: what it went by is older than the wake-up. */
static void a_wake_up_during_a_look_counts(void **state)
{
    (void)state;

    uint64_t before = pace_scene(&s);
    (void)wake_send(dir);
    pace_rest(c, before, NOW, 60000);
    assert_int_equal(pace_left(c, &s, NOW), 0);
}

static void a_changed_config_ends_the_rest(void **state)
{
    (void)state;

    rest(60000);
    write_config("longer than before");
    assert_int_equal(pace_left(c, &s, NOW), 0);
}

static void without_a_mark_nobody_rests(void **state)
{
    char mark[64];
    (void)state;

    (void)snprintf(mark, sizeof mark, "%s/woken", dir);
    assert_int_equal(unlink(mark), 0);
    assert_int_equal(pace_scene(&s), 0);
    rest(60000);
    assert_int_equal(pace_left(c, &s, NOW), 0);
    (void)close(wake_open(dir));
}

static void a_task_has_its_turn_sooner_when_something_happened(void **state)
{
    const struct pace_task task = {WORD_KEPT, WORD_KEPT_SCENE, 60000, 3600000};
    (void)state;

    assert_true(pace_turn(c, &s, &task, 7, NOW));
    assert_false(pace_turn(c, &s, &task, 7, NOW + 3599999));
    assert_false(pace_due(c, &s, &task, 8, NOW + 59999));
    assert_true(pace_due(c, &s, &task, 8, NOW + 60000)); /* more trouble */
    (void)wake_send(dir);
    assert_true(pace_turn(c, &s, &task, 7, NOW + 60000));
    assert_true(pace_turn(c, &s, &task, 7, NOW + 3660000));
}

static void what_is_expected_shortens_the_quiet(void **state)
{
    struct setting_expect expects[2] = {{.every_ms = 24 * 3600000}, {.every_ms = 2 * 3600000}};
    struct settings with = {.paced = true, .expects = expects};
    (void)state;

    assert_int_equal(watch_quiet_ms(&with, 60000, true), 30 * 60000);
    assert_int_equal(watch_quiet_ms(&with, 60000, false), 60 * 60000);
    with.n_expects = 2;
    assert_int_equal(watch_quiet_ms(&with, 60000, true), 10 * 60000);
    assert_int_equal(watch_quiet_ms(&with, 60000, false), 10 * 60000);
    expects[0].every_ms = -1; /* learnt */
    assert_int_equal(watch_quiet_ms(&with, 60000, true), 5 * 60000);
    expects[1].every_ms = 60000;
    assert_int_equal(watch_quiet_ms(&with, 60000, true), 60000);
    with.paced = false;
    expects[1].every_ms = 24 * 3600000;
    assert_int_equal(watch_quiet_ms(&with, 60000, true), 60000);
}

static int begin(void **state)
{
    (void)state;
    (void)snprintf(config, sizeof config, "%s/conf", mkdtemp(dir));
    write_config("x");
    (void)close(wake_open(dir));
    return 0;
}

static int fresh(void **state)
{
    (void)state;
    s = (struct settings){.state_dir = dir, .file = config};
    c = counters_open(dir);
    return counters_shared(c) ? 0 : -1;
}

static int used(void **state)
{
    char path[64];
    (void)state;

    counters_close(c);
    (void)snprintf(path, sizeof path, "%s/hookonce.state", dir);
    return unlink(path);
}

static int end(void **state)
{
    static const char *const files[] = {"conf", "wake", "woken"};
    char path[64];
    (void)state;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", dir, files[i]);
        (void)unlink(path);
    }
    return rmdir(dir);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, fresh, used)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(rests_until_its_time),
        CASE(the_sooner_time_stays),
        CASE(a_wake_up_ends_the_rest),
        CASE(a_wake_up_during_a_look_counts),
        CASE(a_changed_config_ends_the_rest),
        CASE(without_a_mark_nobody_rests),
        CASE(a_task_has_its_turn_sooner_when_something_happened),
        CASE(what_is_expected_shortens_the_quiet),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
