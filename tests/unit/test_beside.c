/* A process beside the worker: it is waited for, and never for longer than it may be. */
#include <signal.h>

#include "unit.h"

#include "base/clock.h"
#include "work/beside.h"
#include "work/signals.h"

static void sleep_ms(const void *arg)
{
    clock_sleep_ms(*(const int64_t *)arg);
}

static const int64_t short_ms = 200, long_ms = 60000;

static void its_end_is_seen_and_waited_for(void **state)
{
    (void)state;
    long pid = beside_start(sleep_ms, &short_ms);
    assert_true(pid > 0);
    assert_false(beside_ended(&pid));
    beside_end(&pid, long_ms);
    assert_int_equal(pid, 0);
    assert_true(beside_ended(&pid));
    beside_end(&pid, long_ms); /* there is none */
}

static void it_is_killed_when_the_time_is_up(void **state)
{
    int64_t start = clock_mono_ms();
    (void)state;

    long pid = beside_start(sleep_ms, &long_ms), was = pid;
    beside_end(&pid, 300);
    assert_in_range(clock_mono_ms() - start, 300, 20000);
    assert_int_equal(pid, 0);
    assert_int_equal(kill((pid_t)was, 0), -1);
}

static void who_is_told_to_stop_waits_no_longer(void **state)
{
    int64_t start = clock_mono_ms();
    (void)state;

    signals_take();
    long pid = beside_start(sleep_ms, &long_ms);
    assert_int_equal(raise(SIGTERM), 0);
    beside_end(&pid, long_ms);
    assert_int_equal(pid, 0);
    assert_true(clock_mono_ms() - start < 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_end_is_seen_and_waited_for),
        cmocka_unit_test(it_is_killed_when_the_time_is_up),
        cmocka_unit_test(who_is_told_to_stop_waits_no_longer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
