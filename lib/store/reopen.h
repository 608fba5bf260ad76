/* Jobs that a person opens again: dead letters, and those that no route wanted; or that shall not
 * wait until they are due. */
#ifndef HO_STORE_REOPEN_H
#define HO_STORE_REOPEN_H

#include "store/db.h"

#define REOPEN_MAX 100000 /* jobs of one call */

enum reopen_by {
    REOPEN_ALL,
    REOPEN_ROUTE,
    REOPEN_JOB,  /* number of the job */
    REOPEN_CID   /* correlation id */
};

/* Columns of what reopen_find finds. */
enum {
    REOPEN_COL_ID,
    REOPEN_COL_CID,
    REOPEN_COL_ROUTE,
    REOPEN_COL_PROVIDER,
    REOPEN_COL_EVENT,
    REOPEN_COL_TYPE,
    REOPEN_COL_STATE,
    REOPEN_COL_OUTCOME
};

/* Finds jobs: dead ones, or by JOB and CID those in any state.
 * in: what — the route or id; unused for ALL. out: rows owned (db_rows_free). */
enum ho_code reopen_find(struct db *db, enum reopen_by by, struct span what, struct db_rows *rows,
                         struct ho_err *err) HO_MUST_CHECK;

enum reopened {
    REOPENED,        /* ready and due */
    REOPEN_NOTHING,  /* it is nothing that could be opened (any more) */
    REOPEN_FREED,    /* it has ended, and others may have the business key that it left in doubt */
    REOPEN_IN_DOUBT, /* it may have acted, or a person said that it did, and only a person can say
                        that it may act again */
    REOPEN_ANSWERED, /* it answered a request: only the sender can ask again */
    REOPEN_NO_BODY,  /* its body was pruned or forgotten */
    REOPEN_ACTED,    /* it was discarded as one that has acted: done once more is a replay */
    REOPEN_HELD      /* it waits for its release, or for the end of a pause */
};

/* How. */
struct reopen_how {
    bool release;     /* see below */
    bool late;        /* with what was tried before, so that fresh events have their turn between */
    int64_t delay_us; /* due so much later */
    uint64_t command; /* the command that asks for it: its row's number; 0: none */
};

/* A job that is dead, discarded, unless as one that has acted, or done as ignored, becomes ready and due, its tries counted from 0,
 * its receipt's status computed anew; one that is due later, or waits for its lane, becomes due, its
 * tries as they are. One that is held, or waits for a pause, is left so.
 * in:  release — a person says that what it may have done may be done again: what is unknown of its
 *      effect is reserved for it again, and the age of its idempotency key is forgotten. Of one that
 *      has ended otherwise, or whose row is gone, the business key is free for others; who waits
 *      for that looks at once
 * blocks: 10 s at most. */
enum ho_code reopen_job(struct db *db, uint64_t id, struct span cid, const struct reopen_how *how,
                        enum reopened *out, struct ho_err *err) HO_MUST_CHECK;

/* The same as a part of a transaction of the caller; with release reopen_waiters is the caller's.
 * returns HO_OK, or as db_run: then the transaction must be rolled back */
enum ho_code reopen_within(struct db *db, uint64_t id, struct span cid,
                           const struct reopen_how *how, enum reopened *out,
                           struct ho_err *err) HO_MUST_CHECK;

enum replayed {
    REPLAYED,
    REPLAY_OPEN,     /* it has not ended as done: it is to be opened again, or runs */
    REPLAY_NEWER,    /* a newer job does it once more already, or has done so */
    REPLAY_ANSWERED, /* it answered a request: only the sender can ask again */
    REPLAY_NO_BODY   /* its body was pruned or forgotten */
};

/* Of a job that is done, a new job of the same receipt and route, with the next replay number: what
 * it did is done once more, under the same idempotency key and the same rules. A part of a
 * transaction of the caller; release counts for nothing.
 * returns HO_OK, or as db_run: then the transaction must be rolled back */
enum ho_code replay_within(struct db *db, uint64_t id, struct span cid,
                           const struct reopen_how *how, enum replayed *out,
                           struct ho_err *err) HO_MUST_CHECK;

/* Others that wait for a person to say what became of the business key of this receipt's job look at
 * once. Only a hint: they look by themselves too, so errors do not matter. */
void reopen_waiters(struct db *db, const char *cid);

#endif
