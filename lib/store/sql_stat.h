/* The SQL of numbers: hookonce_stat and what belongs to it. The text is in sql_stat*.c. Times are
 * unix microseconds, hours unix seconds. */
#ifndef HO_STORE_SQL_STAT_H
#define HO_STORE_SQL_STAT_H

#include <stddef.h>

/* ---- rounds ---- */
extern const char sql_round_look[];  /* name -> due, now, upto */
extern const char sql_round_make[];  /* name */
extern const char sql_round_claim[]; /* us, worker, name */
/* upto, us until due, done, name, worker, upto before (0: none) */
extern const char sql_round_leave[];
extern const char sql_round_back[];  /* upto, upto, name */

/* ---- stat ---- */
/* first id, id behind the last -> source, type, events, duplicates, processed, ignored, failed,
 * last */
extern const char sql_stat_events[];
/* the same -> source, type, jobs, tries, run, longest run, wait, longest wait */
extern const char sql_stat_jobs[];
/* hour, source, type, events, duplicates, processed, ignored, failed, last */
extern const char sql_stat_put[];
/* jobs, tries, run, longest run, wait, longest wait, hour, source, type, tries */
extern const char sql_stat_put_jobs[];
/* state, from, to -> beginnings of ids (STAT_ID_HEAD bytes) */
extern const char sql_stat_changed[];
extern const char sql_stat_oldest[];  /* -> the first id, or NULL */
#define STAT_ID_HEAD 6                /* 2^20 ms */

/* What is too old; each is run until it finds less than STAT_OLD_N rows. */
extern const char *const sql_stat_old[];
extern const size_t sql_stat_old_n;
#define STAT_OLD_N 1000

/* ---- samples ---- */
extern const char sql_queue_facts[]; /* -> due, seconds, later, running, dead */
/* host, version, received, spool files, bytes, oldest, quarantined, gate, free, size, ms ahead */
extern const char sql_host_put[];
extern const char sql_tally_busiest[]; /* -> deliveries in the busiest hour of the last week */
extern const char sql_host_seen[]; /* host */
extern const char sql_host_lock[];   /* host -> start of the five minutes, unix seconds */
extern const char sql_sample_there[];  /* at, host -> 1 */
/* at, host, due, seconds, later, running, dead, accepted, duplicates, refused, busy, answers, us,
 * the three percentiles, spool files */
extern const char sql_sample_put[];
extern const char sql_seen_read[];   /* host, state file -> source, counter, n */
extern const char sql_seen_put[];    /* host, state file, source, counter, n */
extern const char sql_seen_twin[];   /* host, state file, made at, unix seconds -> how many others */
extern const char sql_tally_add[];   /* hour, host, source, verdict, n */

/* ---- silence ---- */
extern const char sql_expect_make[];  /* source, name, type, every or NULL */
/* source, pattern, source, pattern, source, name -> now, expected since, last, last by stat, state,
 * spooled */
extern const char sql_expect_look[];
/* source, pattern, from, to (unix seconds) -> hours since 1970 */
extern const char sql_expect_hours[];
extern const char sql_expect_put[];   /* state, last, silent, odds, state, source, name */
extern const char sql_expect_drop[];

#endif
