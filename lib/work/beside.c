#include "work/beside.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/clock.h"
#include "base/err.h"
#include "work/signals.h"

#define LOOK_MS 20 /* between two looks whether it has ended */

static HO_NORETURN void child(void (*body)(const void *arg), const void *arg, pid_t parent)
{
    sigset_t none;

#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) {
        _exit(1);
    }
    (void)signal(SIGTERM, SIG_DFL);
    (void)signal(SIGINT, SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    body(arg);
    _exit(0);
}

long beside_start(void (*body)(const void *arg), const void *arg)
{
    pid_t parent = getpid(), pid = fork();

    if (pid == 0) {
        child(body, arg, parent);
    }
    return pid > 0 ? pid : 0;
}

/* Takes its end; true: it has ended, or never was ours. */
static bool collect(long *pid, int options)
{
    pid_t got;

    do {
        got = *pid != 0 ? waitpid((pid_t)*pid, NULL, options) : -1;
    } while (got < 0 && *pid != 0 && errno == EINTR);
    *pid = got != 0 ? 0 : *pid;
    return *pid == 0;
}

bool beside_ended(long *pid)
{
    return collect(pid, WNOHANG);
}

void beside_end(long *pid, int64_t ms)
{
    struct deadline end = deadline_in(ms);

    while (!beside_ended(pid) && deadline_left_ms(end) > 0 && !signals_stop()) {
        clock_sleep_ms(LOOK_MS);
    }
    if (*pid != 0) {
        (void)kill((pid_t)*pid, SIGKILL);
        (void)collect(pid, 0);
    }
}
