/* The numbers of each hour, source and type: hookonce_stat. They are counted from the receipts,
 * their jobs and tries, hour by hour, whole hours at a time: to count one again gives the same. A
 * row never shrinks, so what is pruned stays counted. */
#ifndef HO_STORE_STAT_H
#define HO_STORE_STAT_H

#include "base/clock.h"
#include "store/db.h"

#define STAT_EVERY_MS (5 * 60 * INT64_C(1000))

/* Counts the hour that begins then.
 * in: hour_s - unix seconds, a whole hour; by the time in correlation ids
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT. blocks: some seconds for a million receipts */
enum ho_code stat_hour(struct db *db, int64_t hour_s, struct ho_err *err) HO_MUST_CHECK;

/* Counts what has changed since the last time, if that is five minutes ago and nobody else is at
 * it: this hour and the one before, and those with a job that has ended since. It takes no more
 * than a twentieth of the time.
 * out: *counted - how many hours; 0: it was not due
 * blocks: end, and one hour's count */
enum ho_code stat_recent(struct db *db, const char *worker, struct deadline end,
                         uint64_t *counted, struct ho_err *err) HO_MUST_CHECK;

/* Counts the last three days once a day, the first time all there is, and drops rows that are too
 * old: 400 days, samples 35. Goes on where the last call's time was up. */
enum ho_code stat_days(struct db *db, const char *worker, struct deadline end, uint64_t *counted,
                       struct ho_err *err) HO_MUST_CHECK;

#endif
