/* Between fork and exec: what another program is left with. */
#include <fcntl.h>

#include "unit.h"

#include "base/fork.h"

static void finds_the_end_of_what_is_open(void **state)
{
    int end = fork_fds_end();
    int high = fcntl(STDERR_FILENO, F_DUPFD, end + 20);
    (void)state;
    assert_true(end > STDERR_FILENO);
    assert_true(high >= end + 20);
    assert_int_equal(fork_fds_end(), high + 1);
    (void)close(high);
}

/* Ends with 0 if nothing from 10 on is open, and what lies below is. */
static void close_and_look(void)
{
    int low = fcntl(STDERR_FILENO, F_DUPFD, 5), high = fcntl(STDERR_FILENO, F_DUPFD, 10);
    int higher = fcntl(STDERR_FILENO, F_DUPFD, 40);
    int end = fork_fds_end();

    fork_close_from(10, end);
    _exit(fcntl(low, F_GETFD) >= 0 && fcntl(high, F_GETFD) < 0 && fcntl(higher, F_GETFD) < 0 ? 0
                                                                                             : 1);
}

static void closes_from_there_on(void **state)
{
    (void)state;
    assert_int_equal(end_of(close_and_look, NULL, 0), 0);
}

static void no_signal(int number)
{
    (void)number;
}

static void spoil_and_mend(void)
{
    struct sigaction action = {.sa_handler = no_signal}, now;
    sigset_t all, mask;
    bool plain = true;

    (void)sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &action, NULL);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    fork_plain_signals();
    (void)sigprocmask(SIG_BLOCK, NULL, &mask);
    for (int number = 1; number < 32; number++) {
        plain = plain && sigismember(&mask, number) == 0 && sigaction(number, NULL, &now) == 0 &&
                now.sa_handler == SIG_DFL;
    }
    _exit(plain ? 0 : 1);
}

static void signals_are_as_a_shell_leaves_them(void **state)
{
    (void)state;
    assert_int_equal(end_of(spoil_and_mend, NULL, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_end_of_what_is_open),
        cmocka_unit_test(closes_from_there_on),
        cmocka_unit_test(signals_are_as_a_shell_leaves_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
