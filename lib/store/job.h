/* One job under its fence. All of it happens inside the caller's transaction, in this order:
 * job_fence, the work, job_settle or job_put_off, COMMIT. Locks, everywhere: the job first, then
 * its effect, its object, jobs that it wakes, its handler's limits, and its receipt last. */
#ifndef HO_STORE_JOB_H
#define HO_STORE_JOB_H

#include "core/outcome.h"
#include "store/jobs.h"

/* Locks the job if this claim still holds it, which also keeps jobs_reap off it, and reads its
 * route, tries and waits again.
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
    enum job_class class; /* JOB_READY */
    bool suspect;
    bool waits_on;        /* JOB_READY: no try was counted, so the clock of its waits goes on */
    bool untouched;       /* forget when its handler was first asked: it certainly did not act */
    bool has_rows; /* a handler ran through */
    uint64_t rows; /* that it changed */
    const char *error;   /* at most 1000 characters of valid UTF-8, or NULL */
    const char *done_by; /* a receipt that did it in its place, or NULL */
    const char *worker;
    const char *started; /* DATETIME text */
};

/* Ends the claim: job, receipt's status and attempt. *held false: this claim holds the job no
 * more and nothing was written; roll back. */
enum ho_code job_settle(struct db *db, const struct job *job, const struct settlement *s,
                        bool *held, struct ho_err *err) HO_MUST_CHECK;

/* Before its handler runs: what the gate decided, so that a worker who finds the job later knows.
 */
struct start {
    bool counts; /* a try, shown in hookonce_attempt as started */
    bool asks;   /* a command or URL: from now on it may have acted */
    const char *idempotency; /* with asks: its key, in hex; the row keeps that of an earlier try */
    struct span key;           /* with asks: of this installation, to prove that */
    const unsigned char *lane; /* that it has, or NULL */
    const char *worker;
};
enum ho_code job_start(struct db *db, const struct job *job, const struct start *s,
                       struct ho_err *err) HO_MUST_CHECK;

/* Whether this installation wrote the idempotency key of the job's row, for that receipt and route,
 * or there is none: whoever can write to the table could make two effects of one, or one of two.
 * in: key - of this installation */
bool job_key_genuine(const struct job *job, struct span key);

/* Whether this very claim has started its handler: its try is there and has not ended. */
enum ho_code job_started(struct db *db, const struct job *job, bool *started, struct ho_err *err)
    HO_MUST_CHECK;

struct put_off {
    enum job_wait why;
    bool asleep;      /* outside the claim index, until whoever leaves the lane, or ends the pause,
                         wakes it */
    const unsigned char *lane; /* asleep: whose, or that of the pause (pause_lane) */
    int64_t delay_ms; /* due so much later; asleep: then it looks by itself; not with WAIT_PAUSE */
    unsigned tries;   /* that count now: as many as before the claim */
    enum job_class class;
    bool untouched;   /* as in a settlement */
    bool deferred;    /* its handler was started and said "not now": its attempt ends so */
    const char *error;   /* as in a settlement; NULL: what was there stays */
    const char *done_by; /* the receipt that it waits for, or NULL */
    const char *worker, *started; /* deferred: for the attempt */
};

/* Ends the claim without a try: the job waits, its receipt is as its jobs are. *held as above. */
enum ho_code job_put_off(struct db *db, const struct job *job, const struct put_off *p, bool *held,
                         struct ho_err *err) HO_MUST_CHECK;

/* For a claim that does not hold its job any more: whether it has put it off itself (its COMMIT
 * took, but the answer was lost). */
enum ho_code job_was_put_off(struct db *db, const struct job *job, bool *was, struct ho_err *err)
    HO_MUST_CHECK;

/* Gives the job its first route and makes a ready job of its receipt for each further one. */
struct job_route {
    const char *name;
    enum job_class class; /* of a fresh job of it */
};
enum ho_code job_spread(struct db *db, const struct job *job, const struct job_route *routes,
                        size_t n, struct ho_err *err) HO_MUST_CHECK;

/* For a claim that does not hold its job any more: records the attempt as "lease lost", unless
 * this very claim has settled before (its COMMIT took, but the answer was lost).
 * out: *outcome — what the attempt says now */
enum ho_code job_lost(struct db *db, const struct job *job, const char *worker,
                      enum outcome *outcome, struct ho_err *err) HO_MUST_CHECK;

/* Computes the receipt's status from its jobs and stores it with outcome. */
enum ho_code receipt_update(struct db *db, const char *cid, enum outcome outcome,
                            struct ho_err *err) HO_MUST_CHECK;

#endif
