/* The SQL of the queue. Prepared once a link, called by name; the text is in sql_jobs.c. */
#ifndef HO_STORE_SQL_JOBS_H
#define HO_STORE_SQL_JOBS_H

#include "store/db.h"

#define SQL_CHUNK 20 /* ids of one IN list; the last id stands in for the ones that are not there */

/* claim and what belongs to it */
extern const struct db_skip sql_jobs_due;        /* class, cursor, limit */
extern const char sql_jobs_take[];       /* lease us, token, worker, charge, ids… */
extern const char sql_jobs_taken[];      /* token, ids… */
extern const char sql_receipts_taken[];  /* correlation ids… */
extern const char sql_jobs_renew[];      /* lease us, token, ids… */
extern const char sql_job_release[];     /* id, claim no, token */
extern const struct db_skip sql_jobs_expired;    /* lease us, limit */
extern const struct db_skip sql_jobs_asleep;     /* limit */
extern const char sql_jobs_awake[];      /* ids… */
extern const char sql_jobs_look[];       /* lanes of pauses: from, to */
extern const char sql_jobs_next[];

/* one job under its fence */
extern const char sql_job_fence[];       /* id, claim no, token */
extern const char sql_job_settle[];      /* state, delay us, tries, suspect, class, outcome, error,
                                            route, done by, waits on, untouched, id, claim no,
                                            token */
extern const char sql_job_start[];       /* route, tries, asks, key MAC, idempotency key, lane, id, claim,
                                            token */
extern const char sql_job_put_off[];     /* turn, why, need, state, delay us, tries, class, error,
                                            route, done by, lane, untouched, id, claim no, token */
extern const char sql_job_was_put_off[]; /* id, claim no */
extern const char sql_job_route[];       /* route, id, claim no, token */
extern const char sql_job_spread[];      /* correlation id, route, replay no, class */
extern const char sql_attempt_start[];   /* job, claim no, cid, try, worker */
extern const char sql_attempt_write[];   /* job, claim no, cid, try, worker, started, outcome, rows,
                                            error */
extern const char sql_attempt_lost[];    /* job, claim no, cid, try, worker, outcome */
extern const char sql_attempt_read[];    /* job, claim no */
extern const char sql_attempt_open[];    /* job, claim no */

/* a receipt's status, by its jobs */
extern const char sql_receipt_lock[];    /* cid */
extern const char sql_receipt_jobs[];    /* cid */
extern const char sql_receipt_status[];  /* status, outcome, cid */

/* what was delivered */
extern const char sql_stored_receipt[];  /* cid */
extern const char sql_stored_body[];     /* its body id */

/* dead letters, opened again */
extern const char sql_dead_by_job[];     /* job id */
extern const char sql_dead_by_cid[];     /* cid */
extern const char sql_dead_by_route[];   /* route, limit */
extern const char sql_dead_all[];        /* limit */
extern const char sql_job_state[];       /* id -> state, outcome, route, asked, lane */
extern const char sql_job_body[];        /* cid */
extern const char sql_job_reopen[];      /* delay us, class, forget, command, id */
extern const char sql_job_hasten[];      /* command, id */
extern const char sql_jobs_waiting[];    /* cid, limit: for a person to release what that has */

/* discarded by a person */
extern const char sql_job_discard[];     /* acted, untouched, command, id */

/* workers */
extern const char sql_worker_hello[];    /* id, host, pid */
extern const char sql_worker_bye[];      /* id */
extern const char sql_workers_forget[];

#endif
