/* The watch beside a worker, in a process of its own. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/clock.h"
#include "base/log.h"
#include "work/watch.h"

#define EVERY_MS 60000
#define LOOK_MS 20 /* between two looks whether it has ended */

static HO_NORETURN void child(const struct watcher *w, pid_t parent)
{
    struct watch_result result;
    struct ho_err err;
    sigset_t none;

#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* what was not told is told by the next one */
#endif
    if (getppid() != parent) {
        _exit(1);
    }
    (void)signal(SIGTERM, SIG_DFL);
    (void)signal(SIGINT, SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    ho_err_clear(&err);
    if (watch_once(w->settings, w->hooks, NULL, &result, &err) != HO_OK) {
        const struct log_pair pairs[] = {LOG_TEXT("why", err.text)};
        log_event(LOG_WARN, "watched", NULL, pairs, 1);
    }
    _exit(0);
}

/* Whether none is under way (any more). */
static bool collect(struct watcher *w)
{
    pid_t pid;

    do {
        pid = w->child != 0 ? waitpid((pid_t)w->child, NULL, WNOHANG) : -1;
    } while (pid < 0 && w->child != 0 && errno == EINTR);
    if (pid != 0) {
        w->child = 0; /* ended, or never was ours */
    }
    return w->child == 0;
}

void watch_look(struct watcher *w)
{
    if (w->hooks == NULL || !collect(w) ||
        !counters_turn(w->counters, WORD_WATCHED, clock_mono_ms(), EVERY_MS)) {
        return;
    }
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        child(w, parent);
    }
    w->child = pid > 0 ? pid : 0;
}

void watch_end(struct watcher *w, int64_t ms)
{
    struct deadline end = deadline_in(ms);

    while (!collect(w) && deadline_left_ms(end) > 0) {
        clock_sleep_ms(LOOK_MS);
    }
    if (w->child != 0) {
        (void)kill((pid_t)w->child, SIGKILL);
        while (waitpid((pid_t)w->child, NULL, 0) < 0 && errno == EINTR) {
        }
        w->child = 0;
    }
}
