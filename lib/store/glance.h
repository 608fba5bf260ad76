/* How the whole stands, at one glance: what the pages show. Reads only, bounded, never locking;
 * columns of each result are enums below. Times are "2026-11-30 12:00:00" in UTC. */
#ifndef HO_STORE_GLANCE_H
#define HO_STORE_GLANCE_H

#include "store/db.h"

#define GLANCE_COUNT_MAX 100000 /* counts stop here: this many, or more */

struct glance_queue {
    int64_t due;          /* ready and due */
    int64_t later;        /* ready, due later */
    int64_t waiting;      /* for their lane, a pause, or a person */
    int64_t running;      /* under a lease */
    int64_t expired;      /* of these, with a lease that ended */
    int64_t dead;
    int64_t conflicts;
    int64_t oldest_due_s; /* how long the oldest due job waits */
    int64_t processor_s;  /* since a processor last gave a sign of life; -1: never */
    int64_t sample_s;     /* since the numbers of the plots were last taken; -1: never */
};
enum ho_code glance_queue(struct db *db, struct glance_queue *out, struct ho_err *err)
    HO_MUST_CHECK;

/* Each source's work since the start of the month: events, jobs that were tried and how long they
 * waited together, tries and how long they ran, and how many were no first try. Up to five minutes
 * old. */
enum { GLANCE_W_SOURCE, GLANCE_W_EVENTS, GLANCE_W_JOBS, GLANCE_W_WAIT_US, GLANCE_W_TRIES,
       GLANCE_W_RUN_US, GLANCE_W_RETRIED, GLANCE_W_N };
enum ho_code glance_work(struct db *db, struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;

/* Sources that had an event within a week; DAY_: within a day, full hours. */
enum { GLANCE_S_SOURCE, GLANCE_S_DAY_EVENTS, GLANCE_S_DAY_DUPLICATES, GLANCE_S_DAY_PROCESSED,
       GLANCE_S_DAY_FAILED, GLANCE_S_EVENTS, GLANCE_S_LAST_AT, GLANCE_S_N };
enum ho_code glance_sources(struct db *db, struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;

/* What receivers and queue did, in slots of slot_s seconds over the last all_s; slot 0 is the
 * newest, and one without numbers has no row. Of several hosts deliveries are added, of the rest
 * the largest counts. */
enum { GLANCE_P_SLOT, GLANCE_P_ACCEPTED, GLANCE_P_REFUSED, GLANCE_P_BUSY, GLANCE_P_OLDEST_S,
       GLANCE_P_P50_US, GLANCE_P_P95_US, GLANCE_P_P99_US, GLANCE_P_DEAD, GLANCE_P_N };
enum ho_code glance_samples(struct db *db, int64_t slot_s, int64_t all_s, struct db_rows *rows,
                            struct ho_err *err) HO_MUST_CHECK;
/* The same from the hourly numbers: events that failed, tries that were no first ones. */
enum { GLANCE_H_SLOT, GLANCE_H_FAILED, GLANCE_H_RETRIED, GLANCE_H_N };
enum ho_code glance_hours(struct db *db, int64_t slot_s, int64_t all_s, struct db_rows *rows,
                          struct ho_err *err) HO_MUST_CHECK;

/* Alerts that are firing, newest first. */
enum { GLANCE_A_KIND, GLANCE_A_HOST, GLANCE_A_SUBJECT, GLANCE_A_COUNT, GLANCE_A_TEXT,
       GLANCE_A_ADVICE, GLANCE_A_BEGAN, GLANCE_A_N };
enum ho_code glance_alerts(struct db *db, struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;

enum { GLANCE_O_HOST, GLANCE_O_VERSION, GLANCE_O_SEEN, GLANCE_O_RECEIVED, GLANCE_O_SPOOL,
       GLANCE_O_QUARANTINED, GLANCE_O_GATE, GLANCE_O_DISK_MIB, GLANCE_O_CLOCK_MS, GLANCE_O_N };
enum ho_code glance_hosts(struct db *db, struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;

enum { GLANCE_Z_KIND, GLANCE_Z_NAME, GLANCE_Z_WHO, GLANCE_Z_REASON, GLANCE_Z_SINCE, GLANCE_Z_N };
enum ho_code glance_pauses(struct db *db, struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;

#endif
