/* Clocks and deadlines: sane, monotonic, and no overflow. */
#include "unit.h"

#include <signal.h>
#include <time.h>

#include "base/clock.h"

static void wall_time_is_the_system_time(void **state)
{
    (void)state;
    int64_t before = (int64_t)time(NULL);
    int64_t us = clock_wall_us();
    int64_t after = (int64_t)time(NULL);
    /* time() may lag the precise clock by one tick of the kernel. */
    assert_true(us / 1000000 >= before - 1 && us / 1000000 <= after + 1);
}

static void monotonic_time_only_grows(void **state)
{
    (void)state;
    int64_t start = clock_mono_ms();
    int64_t last = start;
    for (int i = 0; i < 1000; i++) {
        int64_t now = clock_mono_ms();
        assert_true(now >= last);
        last = now;
    }
    clock_sleep_ms(15);
    assert_in_range(clock_mono_ms() - start, 14, 5000);
}

static void a_deadline_runs_out_and_stays_at_zero(void **state)
{
    (void)state;
    struct deadline d = deadline_in(30);
    int64_t left = deadline_left_ms(d);
    assert_true(left >= 0 && left <= 30);
    assert_in_range(deadline_left_ms(deadline_in(60000)), 50000, 60000);
    while (deadline_left_ms(d) > 0) {
        clock_sleep_ms(deadline_left_ms(d));
    }
    assert_int_equal(deadline_left_ms(d), 0);
    assert_int_equal(deadline_left_ms(deadline_in(0)), 0);
    assert_int_equal(deadline_left_ms(deadline_in(-5)), 0);
    assert_int_equal(deadline_left_ms(deadline_in(INT64_MIN)), 0);
    assert_true(deadline_left_ms(deadline_in(INT64_MAX)) > INT64_MAX / 2);
}

static void sleeping_no_time_returns(void **state)
{
    (void)state;
    int64_t start = clock_mono_ms();
    clock_sleep_ms(0);
    clock_sleep_ms(-1);
    clock_sleep_ms(INT64_MIN);
    assert_true(clock_mono_ms() - start < 1000);
}

static void on_alarm(int number)
{
    (void)number;
}

static void a_signal_ends_the_sleep(void **state)
{
    struct sigaction wake = {.sa_handler = on_alarm};
    struct sigaction old;
    (void)state;
    assert_int_equal(sigaction(SIGALRM, &wake, &old), 0);
    int64_t start = clock_mono_ms();
    pid_t child = fork();
    if (child == 0) {
        clock_sleep_ms(50);
        (void)kill(getppid(), SIGALRM);
        _exit(0);
    }
    clock_sleep_ms(20000);
    assert_true(clock_mono_ms() - start < 10000);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(sigaction(SIGALRM, &old, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wall_time_is_the_system_time),
        cmocka_unit_test(monotonic_time_only_grows),
        cmocka_unit_test(a_deadline_runs_out_and_stays_at_zero),
        cmocka_unit_test(sleeping_no_time_returns),
        cmocka_unit_test(a_signal_ends_the_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
