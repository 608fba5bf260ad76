/* Starting a program under its guard. */
#include "work/child_start.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fork.h"

#define FD_FIRST 4 /* 0 to 2 will be the program's own, 3 its way to say that it is none */

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
        *fd = -1;
    }
}

/* Both ends close-on-exec, and none below FD_FIRST. */
static bool make_pipe(int *reader, int *writer)
{
    int ends[2], *to[2] = {reader, writer};

    *reader = *writer = -1;
    if (pipe(ends) != 0) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        *to[i] = fcntl(ends[i], F_DUPFD_CLOEXEC, FD_FIRST);
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

static bool unblock(int fd)
{
    int flags = fd < FD_SETSIZE ? fcntl(fd, F_GETFL) : -1;
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

static bool make_ends(const struct child_plan *plan, struct child *c, struct child_ends *e)
{
    /* Where our own descriptors 0 to 2 are closed, the input may be one of these. */
    e->in = fcntl(plan->input, F_DUPFD_CLOEXEC, FD_FIRST);
    return e->in >= 0 && make_pipe(&c->out, &e->out) && make_pipe(&c->error, &e->error) &&
           make_pipe(&c->report, &e->report) && make_pipe(&e->life, &c->life) &&
           unblock(c->out) && unblock(c->error) && unblock(c->report);
}

static void close_ends(struct child_ends *e)
{
    close_fd(&e->in);
    close_fd(&e->out);
    close_fd(&e->error);
    close_fd(&e->report);
    close_fd(&e->life);
    if (e->proc != NULL) {
        (void)closedir(e->proc);
        e->proc = NULL;
    }
}

enum ho_code child_start(const struct child_plan *plan, struct child *c, struct ho_err *err)
{
    struct child_ends e = {-1, -1, -1, -1, -1, NULL, 0};
    enum ho_code code = HO_OK;

    *c = (struct child){-1, -1, -1, -1, -1};
    if (!make_ends(plan, c, &e)) {
        code = ho_fail_errno(err, HO_TRANSIENT, "no pipe for a program");
    } else {
        e.proc = opendir("/proc"); /* here, since it allocates */
        e.fds_end = fork_fds_end();
        c->guard = fork();
        if (c->guard == 0) {
            child_guard(plan, &e);
        }
        if (c->guard < 0) {
            code = ho_fail_errno(err, HO_TRANSIENT, "no process for a program");
        }
    }
    close_ends(&e);
    if (code != HO_OK) {
        child_close(c);
    }
    return code;
}

void child_wait(struct child *c)
{
    if (c->guard > 0) {
        while (waitpid(c->guard, NULL, 0) < 0 && errno == EINTR) {
        }
        c->guard = -1;
    }
}

void child_close(struct child *c)
{
    close_fd(&c->out);
    close_fd(&c->error);
    close_fd(&c->report);
    close_fd(&c->life);
    child_wait(c);
}
