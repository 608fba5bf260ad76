/* The guard of a program: starts it, and ends it, with all that it has started, when its time is
 * up, when it fails, or when the worker is gone. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/fork.h"
#include "work/child_start.h"
#include "work/child_strays.h"

#define REPORT_FD 3 /* in the program, until it is executed */
#define LIFE 0      /* in the guard */
#define REPORT 1
#define GUARD_FDS 2
#define LOOK_MS 1000 /* longest wait: timers stand still while the machine sleeps */
#define SWEEP_MS 10  /* between two rounds of ending what is left */

enum stage { STAGE_RUNS, STAGE_TERM, STAGE_KILL };

struct guard {
    pid_t pid; /* of the program */
    DIR *proc;
    enum stage stage;
    struct deadline next; /* end of the stage */
};

static void tell(int fd, enum child_what what, int value)
{
    const struct child_word word = {(int)what, value};
    (void)!write(fd, &word, sizeof word);
}

/* ---- the program, before it is one ---- */

static HO_NORETURN void become(const struct child_plan *plan, const struct child_ends *e,
                               pid_t parent)
{
    (void)setpgid(0, 0);
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* should it kill its guard */
#endif
    if (getppid() != parent) {
        _exit(127);
    }
    fork_plain_signals();
    if (dup2(e->in, STDIN_FILENO) >= 0 && dup2(e->out, STDOUT_FILENO) >= 0 &&
        dup2(e->error, STDERR_FILENO) >= 0 && dup2(e->report, REPORT_FD) >= 0 &&
        fcntl(REPORT_FD, F_SETFD, FD_CLOEXEC) >= 0) {
        fork_close_from(REPORT_FD + 1, e->fds_end);
        if (chdir(plan->folder) != 0) {
            (void)!chdir("/");
        }
        (void)execve(plan->argv[0], plan->argv, plan->env);
    }
    tell(REPORT_FD, CHILD_SAYS_WHY, errno);
    _exit(127);
}

/* ---- who is left ---- */

static void signal_group(const struct guard *g, int number)
{
    (void)kill(-g->pid, number);
    if (number != SIGKILL) {
        (void)kill(-g->pid, SIGCONT);
    }
}

/* Waits for a child to end, or the worker, or the time. true: the worker is gone */
static bool wait_for(int64_t ms)
{
    struct timespec limit = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    sigset_t mask;
    fd_set in;
    char byte;

    (void)sigfillset(&mask);
    (void)sigdelset(&mask, SIGCHLD);
    FD_ZERO(&in);
    FD_SET(LIFE, &in);
    return pselect(LIFE + 1, &in, NULL, NULL, &limit, &mask) > 0 && read(LIFE, &byte, 1) <= 0;
}

/* Ends the group and whoever has left it, and collects them; each that dies makes its own children
 * ours. The program's number is nobody else's until the group is ended. */
static void end_all(const struct guard *g, int *status)
{
    struct deadline stuck = deadline_in(CHILD_STUCK_MS);

    signal_group(g, SIGKILL);
    do {
        int ended;
        pid_t pid;

        child_strays(g->proc, g->pid, SIGKILL);
        while ((pid = waitpid(-1, &ended, WNOHANG)) > 0) {
            *status = pid == g->pid ? ended : *status;
        }
        if (pid < 0 && errno == ECHILD) {
            return;
        }
        (void)wait_for(SWEEP_MS);
    } while (deadline_left_ms(stuck) > 0);
}

/* Collects who has ended; the program itself stays a zombie, which keeps its number.
 * true: it has exited, *clean with status 0 */
static bool has_exited(const struct guard *g, bool *clean)
{
    siginfo_t info = {.si_pid = 0};

    while (waitid(P_PID, (id_t)g->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
            return false;
        }
        if (info.si_pid != g->pid) {
            (void)waitpid(info.si_pid, NULL, 0);
        }
        info.si_pid = 0;
    }
    *clean = info.si_code == CLD_EXITED && info.si_status == 0;
    return true;
}

/* ---- its life ---- */

/* true: it has been killed, and still does not end */
static bool advance(struct guard *g)
{
    if (deadline_left_ms(g->next) > 0) {
        return false;
    }
    if (g->stage == STAGE_RUNS) {
        g->stage = STAGE_TERM;
        signal_group(g, SIGTERM);
        child_strays(g->proc, g->pid, SIGTERM);
        g->next = deadline_in(CHILD_GRACE_MS);
        return false;
    }
    g->stage = STAGE_KILL;
    return true;
}

static HO_NORETURN void watch(struct guard *g)
{
    int status = 0;
    bool clean = false, gone = false;

    while (!gone && !has_exited(g, &clean) && !advance(g)) {
        int64_t left_ms = deadline_left_ms(g->next);
        gone = wait_for(left_ms < LOOK_MS ? left_ms : LOOK_MS);
    }
    if (clean && g->stage == STAGE_RUNS && !gone) {
        tell(REPORT, CHILD_SAYS_ENDED, 0);
        while (!wait_for(LOOK_MS)) { /* until the worker is none that orphans go to */
        }
        _exit(0); /* what it leaves behind is its own business */
    }
    end_all(g, &status);
    tell(REPORT, g->stage == STAGE_RUNS ? CHILD_SAYS_ENDED : CHILD_SAYS_LATE, status);
    _exit(0);
}

static void on_child(int number)
{
    (void)number; /* it ends a wait */
}

static void begin(void)
{
    struct sigaction child = {.sa_handler = on_child};
    sigset_t all;

    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)sigaction(SIGCHLD, &child, NULL);
    (void)setpgid(0, 0); /* what is sent to the worker's group is not for it */
#ifdef __linux__
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
#endif
}

void child_guard(const struct child_plan *plan, const struct child_ends *e)
{
    struct guard g = {.proc = e->proc, .next = plan->end};
    pid_t own = getpid();
    int proc = e->proc != NULL ? dirfd(e->proc) : GUARD_FDS - 1;

    begin();
    g.pid = fork();
    if (g.pid == 0) {
        become(plan, e, own);
    }
    if (g.pid < 0) {
        tell(e->report, CHILD_SAYS_WHY, errno);
        _exit(0);
    }
    (void)setpgid(g.pid, g.pid); /* as it does itself: whoever comes first */
    (void)dup2(e->life, LIFE);
    (void)dup2(e->report, REPORT);
    fork_close_from(GUARD_FDS, proc);
    fork_close_from(proc + 1, e->fds_end);
    tell(REPORT, CHILD_SAYS_PID, (int)g.pid);
    watch(&g);
}
