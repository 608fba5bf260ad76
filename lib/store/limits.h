/* What bounds a handler besides its jobs: a breaker that opens after failures in a row, a rate, and
 * places for so many at once. All of it inside the caller's short transaction, behind the locks of
 * job, effect and object. */
#ifndef HO_STORE_LIMITS_H
#define HO_STORE_LIMITS_H

#include "core/settings.h"
#include "store/jobs.h"

enum limit_verdict {
    LIMIT_GO,      /* counted, and a place taken */
    LIMIT_BREAKER, /* nothing is tried for now: the last ones all failed */
    LIMIT_RATE,    /* too many within rate_ms */
    LIMIT_SLOTS    /* concurrency are at it */
};

/* Whether the handler has any limit; where it has none the two below need not be called. */
bool limits_any(const struct handler *h);

/* Asks whether this claim of the job may start its handler now, and if so takes its place.
 * in:  lease_ms — how long the claim may take at most; a place is free again after that whatever the
 *      row says, and at once when the job is not running under that claim any more
 * out: *verdict; *wait_ms — with all but GO: when to ask again, at least 1
 * returns HO_OK, or as db_run */
enum ho_code limits_enter(struct db *db, const struct handler *h, const struct job *job,
                          int64_t lease_ms, enum limit_verdict *verdict, int64_t *wait_ms,
                          struct ho_err *err) HO_MUST_CHECK;

enum limit_result {
    LIMIT_SUCCEEDED, /* the breaker's count begins anew; it closes */
    LIMIT_FAILED,    /* one more failure in a row */
    LIMIT_NEITHER    /* it was not the handler's doing */
};

/* Gives the place back and tells the breaker. Also for a claim that took none: then nothing is
 * given back. While the breaker is open only the end of the job that was let in to try it counts:
 * that one closes it, opens it anew, or makes room for another to try. Where the config has no
 * breaker a success forgets what one has left. returns HO_OK, or as db_run */
enum ho_code limits_leave(struct db *db, const struct handler *h, const struct job *job,
                          enum limit_result result, struct ho_err *err) HO_MUST_CHECK;

/* For people. out: *ms — how long nothing of the handler is tried yet because its breaker is open;
 * 0: it is closed, or one may try. returns HO_OK, or as db_run */
enum ho_code limits_rest(struct db *db, const struct handler *h, int64_t *ms, struct ho_err *err)
    HO_MUST_CHECK;

#endif
