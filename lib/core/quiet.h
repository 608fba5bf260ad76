/* Hours of the week in which nothing is expected. All times are UTC. */
#ifndef HO_CORE_QUIET_H
#define HO_CORE_QUIET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

#define QUIET_MINUTES (7 * 24 * 60)

struct quiet {
    unsigned char minutes[QUIET_MINUTES / 8]; /* a bit each, from Monday 00:00 */
    unsigned total;                           /* how many of them are quiet */
};

/* Adds a time: "22:00-06:00", every day, or "Sat 00:00-Mon 06:00", every week. The end is no part
 * of it; one that ends where it begins lasts a day, or a week. false, *q untouched: it is none. */
bool quiet_add(struct quiet *q, struct span text);

/* in: us - microseconds since 1970 UTC */
bool quiet_at(const struct quiet *q, int64_t us);

/* Seconds between two times that are not quiet; 0 when there are none. */
int64_t quiet_loud_s(const struct quiet *q, int64_t from_us, int64_t to_us);

#endif
