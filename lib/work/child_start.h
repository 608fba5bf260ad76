/* Between child.c (listens), child_start.c (forks) and child_guard.c (ends it in time) only.
 *
 *   worker ── guard ── program ── what that starts
 *
 * The guard is the program's parent, and that of whatever among its descendants loses its own. So
 * what a stopped or killed worker cannot do is done all the same; and should the guard be killed, or
 * stopped, all that is the worker's, which ends it. */
#ifndef HO_WORK_CHILD_START_H
#define HO_WORK_CHILD_START_H

#include <dirent.h>
#include <sys/types.h>

#include "work/child.h"

#define CHILD_STUCK_MS 5000 /* so long after SIGKILL what hangs in the kernel is left alone */

/* What the guard tells, and the program before it is one: whole, since a pipe keeps them so. */
enum child_what {
    CHILD_SAYS_PID,   /* of the program, which leads a group of that number */
    CHILD_SAYS_WHY,   /* errno of a program that could not be started */
    CHILD_SAYS_ENDED, /* by itself, or by a signal not ours; its status */
    CHILD_SAYS_LATE   /* its time was up */
};
struct child_word {
    int what; /* enum child_what */
    int value;
};

struct child {
    pid_t guard;
    int out, error; /* our ends of its pipes, not blocking; -1: closed */
    int report;     /* struct child_word, one behind the other; its end: so has the guard ended */
    int life;       /* closed with us: the guard sees it */
};

/* The other ends. */
struct child_ends {
    int in, out, error; /* of the program */
    int report, life;   /* of the guard */
    DIR *proc;          /* where the guard finds who is alive; NULL: it knows the group only */
    int fds_end;        /* one more than the highest descriptor */
};

/* Forks; the program is on its way then. c is all -1 on failure. */
enum ho_code child_start(const struct child_plan *plan, struct child *c, struct ho_err *err)
    HO_MUST_CHECK;

/* Waits for the guard's end, once. */
void child_wait(struct child *c);

/* Closes what is open and waits for the guard, which ends all that still runs. */
void child_close(struct child *c);

/* The guard's whole life, in a process of its own. Between fork and exec, and here for good, only
 * calls that take no lock and allocate nothing: other threads of the worker (libcurl's, the
 * database client's) may have held locks. */
HO_NORETURN void child_guard(const struct child_plan *plan, const struct child_ends *e);

#endif
