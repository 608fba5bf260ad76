/* Starting a program. Between fork and exec only calls that are safe there: other threads of this
 * process (libcurl's, the database client's) may have held locks. */
#include "work/child_start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/fork.h"

#define REPORT_FD 3 /* in the program, until it is executed */

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

/* Both ends close-on-exec, and never 0 to 2, which the program's own will be. */
static bool make_pipe(int *reader, int *writer)
{
    int ends[2], *to[2] = {reader, writer};

    *reader = *writer = -1;
    if (pipe(ends) != 0) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        *to[i] = fcntl(ends[i], F_DUPFD_CLOEXEC, REPORT_FD + 1);
    }
    (void)close(ends[0]);
    (void)close(ends[1]);
    if (*reader >= 0 && *writer >= 0) {
        return true;
    }
    close_fd(reader);
    close_fd(writer);
    return false;
}

struct ends { /* the program's */
    int in, out, error, report;
    int fds_end;
    pid_t parent;
};

/* ---- in the new process ---- */

static HO_NORETURN void become(const struct child_plan *plan, const struct ends *e)
{
    (void)setpgid(0, 0);
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != e->parent) {
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
    int why = errno;
    (void)!write(REPORT_FD, &why, sizeof why);
    _exit(127);
}

/* A process in the program's group that waits for the end of ours. It also keeps the group's number
 * from being given to anybody else. */
static HO_NORETURN void guard(pid_t group, int life, int end)
{
    struct pollfd until = {.events = POLLIN};
    sigset_t all;

    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)setpgid(0, group);
    until.fd = dup2(life, 0);
    fork_close_from(1, end);
    while (poll(&until, 1, -1) < 0 && errno == EINTR) {
    }
    (void)kill(-group, SIGKILL);
    _exit(0);
}

/* ---- in ours ---- */

/* Without it the program runs all the same: accounts may have few processes. */
static void start_guard(struct child *c)
{
    int reader;

    if (!make_pipe(&reader, &c->life)) {
        return;
    }
    int end = fork_fds_end();
    c->guard = fork();
    if (c->guard == 0) {
        guard(c->pid, reader, end);
    }
    (void)close(reader);
}

static bool unblock(int fd)
{
    int flags = fd < FD_SETSIZE ? fcntl(fd, F_GETFL) : -1;
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

static bool make_ends(const struct child_plan *plan, struct child *c, struct ends *e)
{
    /* Where our own descriptors 0 to 2 are closed, the input may be one of these. */
    e->in = fcntl(plan->input, F_DUPFD_CLOEXEC, REPORT_FD + 1);
    return e->in >= 0 && make_pipe(&c->out, &e->out) && make_pipe(&c->error, &e->error) &&
           make_pipe(&c->report, &e->report) && unblock(c->out) && unblock(c->error) &&
           unblock(c->report);
}

enum ho_code child_start(const struct child_plan *plan, struct child *c, struct ho_err *err)
{
    struct ends e = {-1, -1, -1, -1, 0, getpid()};
    enum ho_code code = HO_OK;

    *c = (struct child){-1, -1, -1, -1, -1, -1};
    if (!make_ends(plan, c, &e)) {
        code = ho_fail_errno(err, HO_TRANSIENT, "no pipe for a program");
    } else {
        e.fds_end = fork_fds_end();
        c->pid = fork();
        if (c->pid == 0) {
            become(plan, &e);
        }
        if (c->pid < 0) {
            code = ho_fail_errno(err, HO_TRANSIENT, "no process for a program");
        }
    }
    close_fd(&e.in);
    close_fd(&e.out);
    close_fd(&e.error);
    close_fd(&e.report);
    if (code != HO_OK) {
        child_close(c);
        return code;
    }
    (void)setpgid(c->pid, c->pid); /* as it does itself: whoever comes first */
    start_guard(c);
    return HO_OK;
}

void child_close(struct child *c)
{
    if (c->guard > 0) {
        (void)kill(c->guard, SIGKILL);
        while (waitpid(c->guard, NULL, 0) < 0 && errno == EINTR) {
        }
        c->guard = -1;
    }
    close_fd(&c->out);
    close_fd(&c->error);
    close_fd(&c->report);
    close_fd(&c->life);
}
