/* What a person wants to see of the tables. Reads only, bounded, never locking. Columns of each
 * result are enums below; names in rows.cols are for headings. Ids are the stored bytes: quote
 * them for a terminal. Times are "2026-11-30 12:00:00.123456" in UTC. */
#ifndef HO_STORE_VIEW_H
#define HO_STORE_VIEW_H

#include "store/db.h"

#define VIEW_ROWS_MAX 10000 /* a higher limit is taken as this */
#define VIEW_COUNT_MAX 1000 /* counts stop here: one more means "more than" */

/* Receipts, newest first. */
enum { VIEW_R_RECORDED, VIEW_R_PROVIDER, VIEW_R_SOURCE, VIEW_R_EVENT, VIEW_R_TYPE, VIEW_R_STATUS,
       VIEW_R_OUTCOME, VIEW_R_DUPLICATES, VIEW_R_CID, VIEW_R_N };

struct view_filter {
    struct span provider; /* absent: all */
    struct span status;   /* receipt.status; absent: all */
    unsigned limit;
    struct span source;   /* who delivered it first; absent: all */
};
enum ho_code view_receipts(struct db *db, const struct view_filter *f, struct db_rows *rows,
                           struct ho_err *err) HO_MUST_CHECK;

/* The receipts that a person means by this: a correlation id, or a provider's event id (also one
 * that is too long to be stored as it is), of every provider. The same columns. */
enum ho_code view_find(struct db *db, struct span what, struct db_rows *rows, struct ho_err *err)
    HO_MUST_CHECK;

/* What a person discarded, newest first. */
enum { VIEW_X_AT, VIEW_X_JOB, VIEW_X_CID, VIEW_X_PROVIDER, VIEW_X_EVENT, VIEW_X_TYPE, VIEW_X_ROUTE,
       VIEW_X_ACTED, VIEW_X_WHO, VIEW_X_REASON, VIEW_X_KEY, VIEW_X_N };
enum ho_code view_discarded(struct db *db, unsigned limit, struct db_rows *rows,
                            struct ho_err *err) HO_MUST_CHECK;

/* Handlers whose breaker is open or half open, whatever the config says of it. */
enum { VIEW_B_NAME, VIEW_B_FAILURES, VIEW_B_REST_S, VIEW_B_N }; /* REST_S: until one is tried */
enum ho_code view_breakers(struct db *db, struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;

/* Routes with jobs that failed and will be tried again (BAD 0), or whose handler was found unable to
 * work (BAD 1); of each kind the jobs that come first are looked at, VIEW_ROWS_MAX at most. */
enum { VIEW_F_ROUTE, VIEW_F_BAD, VIEW_F_N };
enum ho_code view_failing(struct db *db, struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;

/* Sources in reply mode of which a question failed within a day: how many did, and seconds since
 * the newest; of all together VIEW_COUNT_MAX + 1 are looked at. */
enum { VIEW_U_SOURCE, VIEW_U_COUNT, VIEW_U_AGE_S, VIEW_U_N };
enum ho_code view_unanswered(struct db *db, struct db_rows *rows, struct ho_err *err)
    HO_MUST_CHECK;

/* Flows that have business keys or objects in the tables, by name, VIEW_ROWS_MAX at most; and how many
 * of them one has: each count ends at VIEW_COUNT_MAX + 1. */
enum { VIEW_L_FLOW, VIEW_L_N };
enum ho_code view_flows(struct db *db, struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;
enum ho_code view_flow(struct db *db, struct span flow, int64_t *effects, int64_t *objects,
                       struct ho_err *err) HO_MUST_CHECK;

/* Appends what a conflict holds of the refused body, opened, to *out, that has room for it.
 * returns HO_OK | HO_REJECT (no such conflict, or nothing is left of it) | HO_PERMANENT (its key is
 * not here, or it does not open) | HO_TRANSIENT */
enum ho_code view_conflict_body(struct db *db, uint64_t id, struct buf *out, struct ho_err *err)
    HO_MUST_CHECK;

/* Numbers for `check`; each count ends at VIEW_COUNT_MAX + 1. */
struct view_queue {
    int64_t due;         /* ready and due */
    int64_t later;       /* ready, due later (a retry, or put off) */
    int64_t asleep;      /* until their lane is free */
    int64_t running;     /* under a lease */
    int64_t expired;     /* running, its lease ended */
    int64_t dead;
    int64_t conflicts;
    int64_t discarded;   /* by a person, within a day */
    int64_t doubted;     /* of the last 400: nobody knows whether they acted, and they have a key */
    int64_t oldest_due_s; /* how long the oldest due job waits; 0: none */
    int64_t worker_s;     /* since a processor last gave a sign of life; -1: none is at work */
    bool any_try;         /* some processor has settled some job */
};
enum ho_code view_queue(struct db *db, struct view_queue *out, struct ho_err *err) HO_MUST_CHECK;

/* What has become of jobs since a moment of the database's clock; counts end as above. */
struct view_since {
    int64_t done, dead;
    int64_t waiting;   /* have failed and wait for another try, since whenever */
    int64_t put_off;   /* wait for something else, no try counted */
    char next[32];     /* when the first of the failed ones is due; "" when there is none */
    char error[1004];  /* of the newest dead one, else of that one; "" when there is none */
};
/* out: start — the moment now, to be given to view_since later */
enum ho_code view_now(struct db *db, char start[32], struct ho_err *err) HO_MUST_CHECK;
enum ho_code view_since(struct db *db, const char *start, struct view_since *out,
                        struct ho_err *err) HO_MUST_CHECK;

/* How many jobs wait for the key of their body; at most VIEW_COUNT_MAX + 1 are counted. */
enum ho_code view_without_key(struct db *db, int64_t *n, struct ho_err *err) HO_MUST_CHECK;

/* Under which keys bodies, conflicts and answers are stored (PRINT NULL: plain), and how many: of
 * each of the three the VIEW_COUNT_MAX oldest rows and as many of the newest are looked at. */
enum { VIEW_K_PRINT, VIEW_K_COUNT, VIEW_K_N };
enum ho_code view_body_keys(struct db *db, struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;

#endif
