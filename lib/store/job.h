/* One job under its fence. All of it happens inside the caller's transaction, in this order:
 * job_fence, the work, job_settle, COMMIT. Locks: the job first, then its receipt, everywhere. */
#ifndef HO_STORE_JOB_H
#define HO_STORE_JOB_H

#include "core/outcome.h"
#include "store/jobs.h"

/* Locks the job if this claim still holds it, which also keeps jobs_reap off it, and reads its
 * route and tries again.
 * out: *held; started — the database's time
 * blocks: for the lock wait of the connection. */
enum ho_code job_fence(struct db *db, struct job *job, bool *held, char started[JOB_TIME_ROOM],
                       struct ho_err *err) HO_MUST_CHECK;

struct settlement {
    enum job_state state;
    enum outcome outcome; /* of this claim, for job, attempt and receipt */
    enum outcome attempt; /* where the attempt's is another one; else NONE */
    int64_t delay_ms;     /* JOB_READY: due so much later */
    unsigned tries;       /* that count now */
    bool suspect;
    bool has_rows; /* a handler ran through */
    uint64_t rows; /* that it changed */
    const char *error; /* at most 1000 characters of valid UTF-8, or NULL */
    const char *worker;
    const char *started; /* DATETIME text */
};

/* Ends the claim: job, receipt's status and attempt. *held false: this claim holds the job no
 * more and nothing was written; roll back. */
enum ho_code job_settle(struct db *db, const struct job *job, const struct settlement *s,
                        bool *held, struct ho_err *err) HO_MUST_CHECK;

/* Gives the job its first route and makes a ready job of its receipt for each further one. */
enum ho_code job_spread(struct db *db, const struct job *job, const char *const *routes, size_t n,
                        struct ho_err *err) HO_MUST_CHECK;

/* For a claim that does not hold its job any more: records the attempt as "lease lost", unless
 * this very claim has settled before (its COMMIT took, but the answer was lost).
 * out: *outcome — what the attempt says now */
enum ho_code job_lost(struct db *db, const struct job *job, const char *worker,
                      enum outcome *outcome, struct ho_err *err) HO_MUST_CHECK;

/* Computes the receipt's status from its jobs and stores it with outcome. */
enum ho_code receipt_update(struct db *db, const char *cid, enum outcome outcome,
                            struct ho_err *err) HO_MUST_CHECK;

#endif
