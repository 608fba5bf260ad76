/* One claim of one job on its way to an outcome; what dispatch.c and settle.c share. */
#ifndef HO_WORK_ATTEMPT_H
#define HO_WORK_ATTEMPT_H

#include "base/json.h"
#include "core/outcome.h"
#include "core/route.h"
#include "store/job.h"
#include "store/stored.h"
#include "work/worker.h"

struct attempt {
    struct worker *w;
    struct job *job;
    struct deadline lease;
    int64_t began_ms; /* monotonic */
    char started[JOB_TIME_ROOM];
    struct stored stored;
    struct json *doc;
    const struct route *route; /* NULL while none is known */
    bool other_mode;           /* a route would want it but for its livemode */
    bool ran;                  /* the handler: its link needs a reset */
    bool cut;                  /* its link was lost while it ran */
    uint64_t rows;             /* that it changed */
    enum outcome outcome;      /* decided, perhaps not yet settled */
    struct ho_err why;         /* for outcomes that are no success */
};

/* ---- settle.c ---- */

/* What the outcome means for the job: done; ready again later by the route's retry rule; or dead,
 * at once or because it was the last try (then a->outcome becomes OUTCOME_GAVE_UP). text holds the
 * error for the row and lives as long as the settlement. */
#define SETTLE_TEXT_ROOM 1001
struct settlement settle_plan(struct attempt *a, char text[SETTLE_TEXT_ROOM]);

/* Settles in a transaction of its own on the control link, when the handler's was rolled back. A
 * claim that was lost meanwhile gives OUTCOME_LEASE_LOST. */
enum ho_code settle_alone(struct attempt *a, struct ho_err *err) HO_MUST_CHECK;

/* For a claim that does not hold its job any more: OUTCOME_LEASE_LOST, or, if it was this very
 * claim that settled and only the answer to its COMMIT was lost, that outcome. */
enum ho_code settle_lost(struct attempt *a, struct ho_err *err) HO_MUST_CHECK;

/* After the commit: log line, counts and alarms. */
void settle_report(struct attempt *a);

/* One log line with an alarm, at most one a minute a kind. */
void settle_alarm(struct worker *w, enum alarm kind, const char *cid, const char *why);

#endif
