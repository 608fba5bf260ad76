/* Running a program to its end: no shell, a process group of its own, nothing of ours open in it,
 * and whatever it does, an end in time. */
#ifndef HO_WORK_CHILD_H
#define HO_WORK_CHILD_H

#include "base/buf.h"
#include "base/clock.h"

struct child_plan {
    char *const *argv;    /* argv[0] is its path; a NULL behind the last */
    char *const *env;     /* all of its environment; a NULL behind the last */
    const char *folder;   /* where it runs; / if that cannot be entered */
    int input;            /* its standard input; stays the caller's */
    struct deadline end;
};

enum child_end {
    CHILD_NEVER,  /* it could not be started: nothing was done; err says why */
    CHILD_EXITED, /* by itself */
    CHILD_KILLED, /* by a signal, not ours */
    CHILD_LATE    /* the time was up: ended by us */
};

#define CHILD_GRACE_MS 1000 /* between SIGTERM and SIGKILL */
#define CHILD_MORE_MS 8000  /* so long after its end everything is ended, whatever happens */

struct child_result {
    enum child_end end;
    int code;     /* exit code, or number of the signal */
    bool out_cut; /* it printed more than `out` may hold; the rest was dropped */
};

/* Runs it under a guard, a process between ours and it, and waits until it has exited; who else
 * still holds its pipes does not matter. When the time is up, or it ends with anything but 0, all
 * that it started is ended with it, also what has left its group or its session (when late:
 * SIGTERM, CHILD_GRACE_MS later SIGKILL); what it leaves behind after a 0 is its own business. The
 * guard does so too when this very process is stopped, and at once when it is killed; and this
 * process does so when the guard is killed, or has not done so CHILD_MORE_MS behind the end. Where
 * there is no /proc, and other than under Linux, "all" is its process group.
 * out: out — the first bytes of its standard output, as many as fit; tail — the last ones of its
 *      standard error. Both are initialised by the caller and appended to.
 * returns HO_OK | HO_TRANSIENT (CHILD_NEVER)
 * blocks: until plan->end, CHILD_GRACE_MS and a little more; CHILD_MORE_MS if the guard hangs. */
enum ho_code child_run(const struct child_plan *plan, struct buf *out, struct buf *tail,
                       struct child_result *result, struct ho_err *err) HO_MUST_CHECK;

#endif
