/* The wake-up FIFO: never in the way, wakes at once, a burst is used up soon. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "store/wake.h"

static char dir[] = "/tmp/hookonce-wake-XXXXXX";
static char fifo[64], mark[64];

static int64_t waited(int fd, int64_t ms)
{
    int64_t start = clock_mono_ms();

    wake_wait(fd, ms);
    return clock_mono_ms() - start;
}

static void wakes_at_once(void **state)
{
    int fd = wake_open(dir);
    struct stat st;
    (void)state;

    assert_true(fd >= 0);
    assert_int_equal(stat(fifo, &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    wake_send(dir);
    assert_true(waited(fd, 2000) < 500);
    assert_true(waited(fd, 50) >= 50);
    pid_t child = fork();
    if (child == 0) {
        clock_sleep_ms(50);
        wake_send(dir);
        _exit(0);
    }
    assert_true(waited(fd, 5000) < 2000);
    (void)waitpid(child, NULL, 0);
    (void)close(fd);
}

static void several_wake_for_several(void **state)
{
    int one = wake_open(dir), two = wake_open(dir);
    (void)state;

    for (int i = 0; i < 4; i++) {
        wake_send(dir);
    }
    assert_true(waited(one, 2000) < 500);
    assert_true(waited(two, 2000) < 500);
    (void)close(one);
    (void)close(two);
}

static void bursts_are_bounded(void **state)
{
    int fd = wake_open(dir);
    int turns = 0;
    (void)state;

    for (int i = 0; i < 100000; i++) {
        wake_send(dir); /* more than a FIFO holds: never blocks */
    }
    while (turns < 1000 && waited(fd, 20) < 20) {
        turns++;
    }
    assert_in_range(turns, 2, 60);
    (void)close(fd);
}

static void without_a_reader_or_a_fifo(void **state)
{
    (void)state;

    (void)unlink(fifo);
    wake_send(dir);
    wake_send("/nonexistent/folder");
    int fd = wake_open(dir);
    (void)close(fd);
    wake_send(dir); /* a FIFO that nobody reads */
    assert_int_equal(wake_open("/nonexistent/folder"), -1);
    assert_true(waited(-1, 50) >= 50);
}

static void a_foreign_file_is_left_alone(void **state)
{
    struct stat st;
    (void)state;

    (void)unlink(fifo);
    int fd = open(fifo, O_WRONLY | O_CREAT, 0600);
    (void)close(fd);
    wake_send(dir);
    assert_int_equal(wake_open(dir), -1);
    assert_int_equal(stat(fifo, &st), 0);
    assert_int_equal(st.st_size, 0);
    (void)unlink(fifo);
}

static void on_signal(int number)
{
    (void)number;
}

static void signals_end_the_wait(void **state)
{
    struct sigaction act = {.sa_handler = on_signal};
    int fd = wake_open(dir);
    (void)state;

    assert_int_equal(sigaction(SIGALRM, &act, NULL), 0);
    (void)alarm(1);
    assert_in_range(waited(fd, 10000), 500, 5000);
    (void)close(fd);
}

static void tells_who_would_hear(void **state)
{
    (void)state;

    (void)unlink(fifo);
    assert_int_equal(wake_listener(dir), WAKE_UNKNOWN);
    assert_int_equal(wake_send(dir), WAKE_UNKNOWN);
    int fd = wake_open(dir);
    assert_int_equal(wake_listener(dir), WAKE_HEARD);
    assert_true(waited(fd, 50) >= 50); /* who asks wakes nobody */
    assert_int_equal(wake_send(dir), WAKE_HEARD);
    (void)close(fd);
    assert_int_equal(wake_listener(dir), WAKE_NOBODY);
    assert_int_equal(wake_send(dir), WAKE_NOBODY);
}

/* Heard or not: who looks later finds that something was. */
static void every_wake_leaves_another_mark(void **state)
{
    (void)state;

    (void)unlink(mark);
    wake_send(dir);
    assert_int_equal(wake_mark(dir), 0); /* nobody was ever here to ask for it */
    (void)close(wake_open(dir));
    uint64_t before = wake_mark(dir);
    assert_int_not_equal(before, 0);
    for (int i = 0; i < 20; i++) {
        wake_send(dir);
        uint64_t after = wake_mark(dir);
        assert_int_not_equal(after, before);
        (void)wake_listener(dir);
        (void)close(wake_open(dir));
        assert_int_equal(wake_mark(dir), after);
        before = after;
    }
}

/* On a file system that keeps whole seconds two wake-ups may leave the same time. */
static void a_rough_time_counts_when_the_next_is_another(void **state)
{
    struct timespec times[2] = {{.tv_sec = (time_t)(clock_wall_us() / 1000000)}};
    (void)state;

    (void)close(wake_open(dir));
    for (int ago = 0; ago <= 60; ago += 60) {
        times[0].tv_sec -= ago;
        times[1] = times[0];
        assert_int_equal(utimensat(AT_FDCWD, mark, times, 0), 0);
        assert_int_equal(wake_mark(dir) != 0, ago > 0);
    }
    times[1].tv_nsec = 1;
    assert_int_equal(utimensat(AT_FDCWD, mark, times, 0), 0);
    assert_int_not_equal(wake_mark(dir), 0);
}

static int begin(void **state)
{
    (void)state;
    (void)snprintf(fifo, sizeof fifo, "%s/wake", mkdtemp(dir));
    (void)snprintf(mark, sizeof mark, "%s/woken", dir);
    return 0;
}

static int end(void **state)
{
    (void)state;
    (void)unlink(fifo);
    (void)unlink(mark);
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_who_would_hear), cmocka_unit_test(every_wake_leaves_another_mark),
        cmocka_unit_test(wakes_at_once),        cmocka_unit_test(several_wake_for_several),
        cmocka_unit_test(bursts_are_bounded),   cmocka_unit_test(without_a_reader_or_a_fifo),
        cmocka_unit_test(a_foreign_file_is_left_alone), cmocka_unit_test(signals_end_the_wait),
        cmocka_unit_test(a_rough_time_counts_when_the_next_is_another),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
