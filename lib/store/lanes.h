/* Objects: one row a flow and object, with the order mark of the newest event that ran, and with
 * the lane: jobs of one object run one at a time. All of it inside the caller's short transaction,
 * behind the locks of the job's own row and of its effect.
 *
 * A lane is leased, not locked. Its holder is the job in the row, as long as it runs under the
 * claim in the row and the lease lasts; else the lane is free whatever the row says. A job that
 * finds it held marks itself `waiting` in the transaction that holds the object's row lock, and
 * whoever leaves the lane takes that lock first and then wakes the oldest waiter: no wake-up is
 * lost; jobs_reap does the same for a holder that vanished. Should one be lost all the same, waiters
 * look again by themselves every LANE_LOOK_MS. */
#ifndef HO_STORE_LANES_H
#define HO_STORE_LANES_H

#include "core/flow_key.h"
#include "store/jobs.h"

#define LANE_LOOK_MS 60000

/* How old an event is. Marks compare only when they are of the same: else the older one in the row
 * counts as none. */
struct lane_mark {
    int64_t at;
    const char *of; /* as flow_keys.mark_of; borrowed */
};

struct lane_state {
    bool held; /* by another job */
    bool ours; /* this claim has it */
    uint64_t holder;
    bool has_mark;
    int64_t mark;
    char mark_of[EVENT_KEY_MAX + 1];
    char marked_by[ULID_LEN + 1]; /* receipt of that event; "" when there is no mark */
};

/* Locks the object's row, which is made where there is none, and reads it.
 * returns HO_OK, or as db_run */
enum ho_code lane_look(struct db *db, const char *flow, const struct flow_key *object,
                       const struct job *job, struct lane_state *out, struct ho_err *err)
    HO_MUST_CHECK;

/* After a look that found the lane free: it is the job's, for lease_ms by the database's clock.
 * in: mark — of its event, for the case that it vanishes; NULL: it moves none */
enum ho_code lane_hold(struct db *db, const char *flow, const struct flow_key *object,
                       const struct job *job, const struct lane_mark *mark, int64_t lease_ms,
                       struct ho_err *err) HO_MUST_CHECK;

/* The event ran, or may have, so the object's mark moves up to its own, if that is higher. */
enum ho_code lane_mark(struct db *db, const char *flow, const struct flow_key *object,
                       const struct job *job, const struct lane_mark *mark, struct ho_err *err)
    HO_MUST_CHECK;

/* Leaves the lane if this claim holds it, which locks the object's row, and wakes the oldest
 * waiter.
 * out: *woke — a job is ready and due: tell the workers after the COMMIT */
enum ho_code lane_leave(struct db *db, const char *flow, const struct flow_key *object,
                        const unsigned char lane[SHA256_LEN], const struct job *job, bool *woke,
                        struct ho_err *err) HO_MUST_CHECK;

/* For a holder that vanished: wakes the oldest waiter, behind the lock of the object, so that a job
 * which has just seen it held, and is about to wait, is found.
 * in: acted — it may have acted: the mark moves up to that of its event, whether it will be tried
 * again or not */
enum ho_code lane_lost(struct db *db, const unsigned char lane[SHA256_LEN], const struct job *job,
                       bool acted, bool *woke, struct ho_err *err) HO_MUST_CHECK;

/* Only wakes: for a job that was woken itself and ends before it comes to its lane. */
enum ho_code lane_wake(struct db *db, const unsigned char lane[SHA256_LEN], bool *woke,
                       struct ho_err *err) HO_MUST_CHECK;

#endif
