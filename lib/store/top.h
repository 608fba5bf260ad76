/* What the queue does just now, for `hookonce top`. Reads only, bounded, never locking. */
#ifndef HO_STORE_TOP_H
#define HO_STORE_TOP_H

#include "store/db.h"

#define TOP_JOBS_MAX 10000 /* jobs of a state that are looked at, those due first; more are not counted */

/* What happened within a span of time; each count ends at GLANCE_COUNT_MAX. */
struct top_rates {
    int64_t received, done, dead;
};
enum ho_code top_rates(struct db *db, int64_t span_s, struct top_rates *out, struct ho_err *err)
    HO_MUST_CHECK;

/* Each route with jobs that are open, dead, or ended within a minute. '' for jobs that are not
 * dispatched. */
enum { TOP_R_ROUTE, TOP_R_DUE, TOP_R_LATER, TOP_R_WAITING, TOP_R_RUNNING, TOP_R_DEAD,
       TOP_R_OLDEST_S, /* how long its oldest due job waits */
       TOP_R_DONE, TOP_R_TRY_MS, /* within a minute, and what a try of them took on average */
       TOP_R_N };
enum ho_code top_routes(struct db *db, struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;

/* Jobs that run, those that began first at the top, 20 at most. */
enum { TOP_J_JOB, TOP_J_ROUTE, TOP_J_PROVIDER, TOP_J_EVENT, TOP_J_SINCE_S, TOP_J_LEFT_S, TOP_J_WORKER,
       TOP_J_N };
enum ho_code top_running(struct db *db, struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;

/* Parked jobs: held, and waiting for a pause; each count ends at GLANCE_COUNT_MAX. */
enum ho_code top_parked(struct db *db, int64_t *held, int64_t *paused, struct ho_err *err)
    HO_MUST_CHECK;

#endif
