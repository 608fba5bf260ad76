/* Running a program: listening to it, and ending it in time. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work/child_start.h"

#define PIECE 65536
#define LAST_PIECES 64 /* that are read after its end: more than any pipe holds */
#define STUCK_MS 5000  /* so long after SIGKILL one that hangs in the kernel is left alone */

enum stage { STAGE_RUNS, STAGE_TERM, STAGE_KILL, STAGE_STUCK };

struct run {
    const struct child_plan *plan;
    struct child child;
    struct buf *out, *tail;
    struct child_result *result;
    enum stage stage;
    struct deadline next;   /* end of the stage */
    int why;                /* errno of a program that could not be started */
};

/* ---- signals while it runs ---- */

struct signals {
    sigset_t mask;
    struct sigaction child;
};

static void on_child(int number)
{
    (void)number; /* it ends a wait */
}

static void signals_begin(struct signals *before)
{
    struct sigaction child = {.sa_handler = on_child};
    sigset_t block;

    (void)sigemptyset(&block);
    (void)sigaddset(&block, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &block, &before->mask);
    (void)sigaction(SIGCHLD, &child, &before->child);
}

static void signals_end(const struct signals *before)
{
    (void)sigaction(SIGCHLD, &before->child, NULL);
    (void)sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* ---- pipes ---- */

static void shut(int *fd)
{
    (void)close(*fd);
    *fd = -1;
}

static void keep_first(struct buf *to, const char *p, size_t n, bool *cut)
{
    size_t room = to->max - to->len;

    if (n > room) {
        *cut = true;
        n = room;
    }
    if (n > 0 && buf_add(to, p, n) != HO_OK) {
        *cut = true;
    }
}

static void keep_last(struct buf *to, const char *p, size_t n)
{
    if (n > to->max) {
        p += n - to->max;
        n = to->max;
    }
    if (n > to->max - to->len) {
        size_t drop = n - (to->max - to->len);
        memmove(to->p, to->p + drop, to->len - drop);
        to->len -= drop;
    }
    if (n > 0 && buf_add(to, p, n) != HO_OK) {
        to->len = 0;
    }
}

/* Reads one piece; false: there is none now, and none ever where the pipe is shut. */
static bool listen_to(struct run *r, int *fd)
{
    char piece[PIECE];
    ssize_t n = read(*fd, piece, sizeof piece);

    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        shut(fd);
    }
    if (n <= 0) {
        return false;
    }
    if (fd == &r->child.out) {
        keep_first(r->out, piece, (size_t)n, &r->result->out_cut);
    } else if (fd == &r->child.error) {
        keep_last(r->tail, piece, (size_t)n);
    } else if ((size_t)n >= sizeof r->why) {
        memcpy(&r->why, piece, sizeof r->why);
    }
    return true;
}

static void watch(fd_set *set, int fd, int *most)
{
    if (fd >= 0) {
        FD_SET(fd, set);
        *most = fd > *most ? fd : *most;
    }
}

/* Waits for something to do, the end of the program included, and does it. */
static void turn(struct run *r, const sigset_t *mask)
{
    struct child *c = &r->child;
    int *readers[] = {&c->out, &c->error, &c->report};
    int64_t left_ms = deadline_left_ms(r->next);
    struct timespec limit = {(time_t)(left_ms / 1000), (long)(left_ms % 1000) * 1000000};
    fd_set in;
    int most = -1;

    FD_ZERO(&in);
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        watch(&in, *readers[i], &most);
    }
    if (pselect(most + 1, &in, NULL, NULL, &limit, mask) <= 0) {
        return;
    }
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        if (*readers[i] >= 0 && FD_ISSET(*readers[i], &in)) {
            (void)listen_to(r, readers[i]);
        }
    }
}

/* ---- its end ---- */

/* Whether it has exited; it stays a zombie, which keeps its number ours. */
static bool has_exited(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

static void advance(struct run *r)
{
    if (deadline_left_ms(r->next) > 0) {
        return;
    }
    if (r->stage == STAGE_RUNS) {
        r->stage = STAGE_TERM;
        (void)kill(-r->child.pid, SIGTERM);
        (void)kill(-r->child.pid, SIGCONT); /* a stopped one would not hear it */
        r->next = deadline_in(CHILD_GRACE_MS);
    } else if (r->stage == STAGE_TERM) {
        r->stage = STAGE_KILL;
        (void)kill(-r->child.pid, SIGKILL);
        r->next = deadline_in(STUCK_MS);
    } else {
        r->stage = STAGE_STUCK;
    }
}

static void judge(struct run *r, int status)
{
    struct child_result *result = r->result;

    if (r->why != 0) {
        result->end = CHILD_NEVER;
    } else if (r->stage != STAGE_RUNS) {
        result->end = CHILD_LATE;
    } else if (WIFSIGNALED(status)) {
        result->end = CHILD_KILLED;
        result->code = WTERMSIG(status);
    } else {
        result->end = CHILD_EXITED;
        result->code = WEXITSTATUS(status);
    }
}

static void reap(struct run *r)
{
    struct child *c = &r->child;
    int *readers[] = {&c->out, &c->error, &c->report};
    int status = 0;

    if (r->stage == STAGE_STUCK) {
        r->result->end = CHILD_LATE;
        return;
    }
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        for (int k = 0; k < LAST_PIECES && *readers[i] >= 0 && listen_to(r, readers[i]); k++) {
        }
    }
    siginfo_t info = {.si_pid = 0};
    (void)waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    if (r->stage != STAGE_RUNS || info.si_code != CLD_EXITED || info.si_status != 0) {
        (void)kill(-c->pid, SIGKILL);
    }
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {
    }
    judge(r, status);
}

enum ho_code child_run(const struct child_plan *plan, struct buf *out, struct buf *tail,
                       struct child_result *result, struct ho_err *err)
{
    struct run r = {.plan = plan, .out = out, .tail = tail, .result = result,
                    .next = plan->end};
    struct signals before;

    *result = (struct child_result){CHILD_NEVER, 0, false};
    signals_begin(&before);
    enum ho_code code = child_start(plan, &r.child, err);
    if (code == HO_OK) {
        sigset_t waiting = before.mask;
        (void)sigdelset(&waiting, SIGCHLD);
        while (!has_exited(r.child.pid) && r.stage != STAGE_STUCK) {
            turn(&r, &waiting);
            advance(&r);
        }
        reap(&r);
        child_close(&r.child);
    }
    signals_end(&before);
    if (code == HO_OK && result->end == CHILD_NEVER) {
        errno = r.why;
        code = ho_fail_errno(err, HO_TRANSIENT, "%s cannot be started", plan->argv[0]);
    }
    return code;
}
