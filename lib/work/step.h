/* How the parts of one job's way end; between dispatch.c, examine.c and run_sql.c only. */
#ifndef HO_WORK_STEP_H
#define HO_WORK_STEP_H

#include "work/attempt.h"

enum step {
    STEP_ON,      /* nothing is decided yet */
    STEP_SETTLED, /* committed, or found lost: a->outcome or a->waits is what is true now */
    STEP_ALONE,   /* roll back; then settle a->outcome or a->waits in its own transaction */
    STEP_SPREAD,  /* other jobs were made and committed: from the start, now with a route */
    STEP_GATE,    /* roll back; then the gate */
    STEP_AGAIN,   /* roll back; from the start */
    STEP_TROUBLE  /* roll back; nothing is known to be wrong with the job */
};

/* AGAIN or TROUBLE, by the error. */
enum step step_trouble(const struct ho_err *err);

/* ---- examine.c ---- */

enum decision {
    DECIDE_SETTLE,
    DECIDE_SPREAD, /* to routes */
    DECIDE_GATE,
    DECIDE_RUN,
    DECIDE_ALONE /* a failure, or a putting-off */
};

/* What shall become of the job whose event is loaded: a->route, a->keys, a->outcome. */
enum decision examine(struct attempt *a, struct route_plan *routes);

/* ---- run_sql.c: in the transaction that dispatch.c has begun on the handler's link ---- */

/* Writes the effect, runs the handler, settles, commits. */
enum step run_sql(struct attempt *a, struct ho_err *err);

/* Settles a->outcome and commits. */
enum step settle_here(struct attempt *a, struct ho_err *err);

/* The claim does not hold the job any more: rolls back, and finds out what is true. */
enum step step_lost(struct attempt *a, struct ho_err *err);

#endif
