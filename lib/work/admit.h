/* The gate before a handler: may this job run now? One short transaction on the control link, for the
 * routes that need it; lib/work/dispatch.c says which those are. What a site's own queries say was
 * asked before, so that nothing of a site runs under our locks.
 *
 * In this order: already so (skip_if)? already done (once_per)? stale (order_by)? lane busy? need not
 * met? handler's limits? Then the lane, the effect and the place are the job's, and for commands, URLs
 * and suspects the try is counted and shown as started. */
#ifndef HO_WORK_ADMIT_H
#define HO_WORK_ADMIT_H

#include "work/attempt.h"

enum admission {
    ADMIT_GO,      /* run it; what it holds is committed */
    ADMIT_SETTLED, /* it is settled, and committed: a->outcome */
    ADMIT_PUT_OFF, /* it waits, and that is committed: a->waits_for */
    ADMIT_LOST     /* this claim holds the job no more: a->outcome */
};

/* in:  a — loaded, genuine, with route and keys, and with what the queries said
 * returns HO_OK, or as db_transact. blocks: until the lease ends */
enum ho_code admit(struct attempt *a, enum admission *out, struct ho_err *err) HO_MUST_CHECK;

/* Whether a job of this route must be admitted before its handler runs. */
bool admit_needed(const struct route *r, const struct job *job);

#endif
