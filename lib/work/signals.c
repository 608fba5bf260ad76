/* Signals. The flag is the one thing that a handler may touch. */
#include "work/signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "base/err.h"
#include "store/wake.h"

static volatile sig_atomic_t asked;

/* A signal that comes between the look at the flag and the wait would not end the wait: the alarm
 * a second later does. */
static void on_signal(int number)
{
    if (number != SIGALRM) {
        asked = 1;
        (void)alarm(1);
    }
}

static sigset_t stop_set(void)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGALRM);
    return set;
}

void signals_take(void)
{
    sigset_t set = stop_set();
    struct sigaction catch = {.sa_handler = on_signal, .sa_mask = set};
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0 || sigaction(SIGTERM, &catch, NULL) != 0 ||
        sigaction(SIGINT, &catch, NULL) != 0 || sigaction(SIGALRM, &catch, NULL) != 0 ||
        sigaction(SIGPIPE, &ignore, NULL) != 0) {
        ho_die("signals cannot be set up");
    }
}

bool signals_stop(void)
{
    sigset_t pending;

    if (asked == 0 && sigpending(&pending) == 0 &&
        (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1)) {
        asked = 1;
    }
    return asked != 0;
}

void signals_reset(void)
{
    asked = 0;
}

void signals_wait(int fd, int64_t ms)
{
    sigset_t set = stop_set(), before;

    if (signals_stop() || sigprocmask(SIG_UNBLOCK, &set, &before) != 0) {
        return;
    }
    if (asked == 0) {
        wake_wait(fd, ms);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    (void)alarm(0);
}
