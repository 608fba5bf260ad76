/* The gate before a handler: may this job run now? One short transaction on the control link, for
 * the routes that need it. What a site's own queries say was asked before, so that nothing of a
 * site runs under our locks.
 *
 * In this order: already so (skip_if)? already done (once_per)? its idempotency key over? stale
 * (order_by)? lane busy? need not met? handler's limits? Then the lane, the effect and the place
 * are the job's, and for commands and URLs the try is counted and shown as started. What the
 * queries said may be over by then, for another job had the lane: in it they are asked again. */
#ifndef HO_WORK_ADMIT_H
#define HO_WORK_ADMIT_H

#include "store/effects.h"
#include "store/lanes.h"
#include "work/attempt.h"

enum admission {
    ADMIT_GO,      /* run it; what it holds is committed */
    ADMIT_SETTLED, /* it is settled: a->outcome */
    ADMIT_PUT_OFF, /* it waits: a->waits */
    ADMIT_LOST     /* this claim holds the job no more: a->outcome */
};

/* in:  a — loaded, genuine, with route and keys, and with what the queries said
 * returns HO_OK: *out, committed; or as db_transact. blocks: until the lease ends */
enum ho_code admit(struct attempt *a, enum admission *out, struct ho_err *err) HO_MUST_CHECK;

/* Behind ADMIT_GO: asks skip_if and needs again where the job has a lane; until it leaves that, no
 * other job of its object changes what they see.
 * out: true: it settles or waits without a try, or failed: settle it alone. blocks: for the queries'
 * time */
bool admit_again(struct attempt *a);

/* Whether jobs of this route go through prepare_look, admit and run_outside; the others are SQL
 * that needs nothing but its own transaction. */
bool admit_needed(const struct route *r);

/* ---- admit_judge.c: GO, or a->outcome or a->waits and a->why are set ---- */

enum admission admit_end(struct attempt *a, enum outcome outcome); /* SETTLED */

/* What the state of the effect means for the job. */
enum admission admit_effect(struct attempt *a, const struct effect *e);

/* The effect's row is locked for long: whoever has it is at it. */
void admit_blocked(struct attempt *a);

/* Whether a command or URL that was asked before may be asked again. */
enum admission admit_asked(struct attempt *a);

/* Where the event stands to the newest one that ran. */
enum admission admit_order(struct attempt *a, const struct lane_state *lane);

/* Another job has the lane. */
enum admission admit_held(struct attempt *a, uint64_t holder);

/* Whether what it needs is there. */
enum admission admit_need(struct attempt *a);

/* The handler's limits do not let it in, for so long. */
enum admission admit_limited(struct attempt *a, enum job_wait what, int64_t ms);

#endif
