/* What a host tells of itself every minute (hookonce_host), and every five how its receivers and
 * the queue stand (hookonce_sample, hookonce_tally). What is added of the state file's counters is
 * noted in the same transaction, so nothing counts twice or is left out, whenever a process is
 * killed. */
#ifndef HO_STORE_SAMPLE_H
#define HO_STORE_SAMPLE_H

#include "store/counters.h"
#include "store/db.h"

#define SAMPLE_EVERY_S 300

/* in: host - its name; counters - its state file, in which nothing is changed
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT */
enum ho_code sample_take(struct db *db, const struct settings *s, const char *host,
                         struct counters *counters, struct ho_err *err) HO_MUST_CHECK;

/* That this host lives, and no more; a host that never told of itself stays unknown. */
enum ho_code sample_seen(struct db *db, const char *host, struct ho_err *err) HO_MUST_CHECK;

/* out: *twin - another state file reports under this host's name, too: their numbers are added up,
 * and of what a host says of itself the last one counts
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT */
enum ho_code sample_twin(struct db *db, const char *host, struct counters *counters, bool *twin,
                         struct ho_err *err) HO_MUST_CHECK;

#endif
