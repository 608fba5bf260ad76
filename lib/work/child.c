/* Running a program: listening to it and to its guard, which ends it in time. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "work/child_start.h"
#include "work/child_strays.h"

#define PIECE 65536
#define LAST_PIECES 64 /* that are read after its end: more than any pipe holds */
#define SWEEP_MS 10    /* between two rounds of ending who is left */

_Static_assert(CHILD_MORE_MS > CHILD_GRACE_MS + CHILD_STUCK_MS, "the guard comes first");

struct run {
    struct child child;
    struct buf *out, *tail;
    struct child_result *result;
    pid_t pid; /* of the program, once it is known */
    int why;   /* errno of a program that could not be started */
    bool told; /* the guard has said how it ended */
};

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

static void hear(struct run *r, struct child_word word)
{
    struct child_result *result = r->result;

    switch ((enum child_what)word.what) {
    case CHILD_SAYS_PID:
        r->pid = (pid_t)word.value;
        return;
    case CHILD_SAYS_WHY:
        r->why = word.value;
        return;
    case CHILD_SAYS_LATE:
        result->end = CHILD_LATE;
        break;
    case CHILD_SAYS_ENDED:
        result->end = WIFSIGNALED(word.value) ? CHILD_KILLED : CHILD_EXITED;
        result->code =
            WIFSIGNALED(word.value) ? WTERMSIG(word.value) : WEXITSTATUS(word.value);
        break;
    }
    r->told = true;
}

static void hear_all(struct run *r, const char *p, size_t n)
{
    struct child_word word;

    for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
        memcpy(&word, p, sizeof word);
        hear(r, word);
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
    } else {
        hear_all(r, piece, (size_t)n);
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

/* Waits for something to be said, and takes it. */
static void turn(struct run *r, struct deadline until)
{
    struct child *c = &r->child;
    int *readers[] = {&c->out, &c->error, &c->report};
    int64_t left_ms = deadline_left_ms(until);
    struct timespec limit = {(time_t)(left_ms / 1000), (long)(left_ms % 1000) * 1000000};
    fd_set in;
    int most = -1;

    FD_ZERO(&in);
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        watch(&in, *readers[i], &most);
    }
    if (pselect(most + 1, &in, NULL, NULL, &limit, NULL) <= 0) {
        return;
    }
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        if (*readers[i] >= 0 && FD_ISSET(*readers[i], &in)) {
            (void)listen_to(r, readers[i]);
        }
    }
}

/* ---- its end ---- */

/* Whether orphans below us become our children. While a guard is at work they are its own, and ours
 * only if it is killed. */
static void take_orphans(bool take)
{
#ifdef __linux__
    (void)prctl(PR_SET_CHILD_SUBREAPER, take ? 1 : 0, 0, 0, 0);
#else
    (void)take;
#endif
}

/* Who has left the program's group. Children of ours in our own group are none of it. */
static void end_strays(void)
{
    struct deadline stuck = deadline_in(CHILD_STUCK_MS);
    DIR *proc = opendir("/proc");

    while (child_strays(proc, getpgrp(), SIGKILL) && deadline_left_ms(stuck) > 0) {
        siginfo_t info;

        /* Only who is in another group: others wait for the rest of our children. */
        for (info.si_pid = 0; waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                              info.si_pid != 0 && getpgid(info.si_pid) != getpgrp();
             info.si_pid = 0) {
            (void)waitpid(info.si_pid, NULL, 0);
        }
        clock_sleep_ms(SWEEP_MS);
    }
    if (proc != NULL) {
        (void)closedir(proc);
    }
}

/* What the guard has not done: it was killed, or stopped. */
static void end_all(struct run *r, bool late)
{
    (void)kill(r->child.guard, SIGKILL); /* with it goes the program */
    if (r->pid > 0) {
        (void)kill(-r->pid, SIGKILL);
    }
    child_wait(&r->child);
    end_strays();
    r->result->end = late ? CHILD_LATE : CHILD_KILLED;
    r->result->code = SIGKILL;
}

static void drain(struct run *r)
{
    int *readers[] = {&r->child.out, &r->child.error};

    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        for (int k = 0; k < LAST_PIECES && *readers[i] >= 0 && listen_to(r, readers[i]); k++) {
        }
    }
}

enum ho_code child_run(const struct child_plan *plan, struct buf *out, struct buf *tail,
                       struct child_result *result, struct ho_err *err)
{
    struct run r = {.out = out, .tail = tail, .result = result};
    struct deadline until = {plan->end.end_ms + CHILD_MORE_MS};

    *result = (struct child_result){CHILD_NEVER, 0, false};
    take_orphans(true);
    enum ho_code code = child_start(plan, &r.child, err);
    while (code == HO_OK && !r.told && r.child.report >= 0 && deadline_left_ms(until) > 0) {
        turn(&r, until);
    }
    if (code == HO_OK && !r.told) {
        end_all(&r, r.child.report >= 0);
    }
    take_orphans(false);
    if (code != HO_OK) {
        return code;
    }
    drain(&r);
    child_close(&r.child);
    if (r.why != 0) {
        result->end = CHILD_NEVER;
        errno = r.why;
        return ho_fail_errno(err, HO_TRANSIENT, "%s cannot be started", plan->argv[0]);
    }
    return HO_OK;
}
