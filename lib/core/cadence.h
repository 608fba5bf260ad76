/* How regularly events come, learnt by hour of the week: the chance of a silence. */
#ifndef HO_CORE_CADENCE_H
#define HO_CORE_CADENCE_H

#include <stddef.h>

#include "core/quiet.h"

#define CADENCE_HOURS (7 * 24)
#define CADENCE_WEEKS_LEAST 2
#define CADENCE_WEEKS_MOST 8

struct cadence {
    unsigned weeks;                    /* gone by; fewer than the least: nothing is known */
    unsigned char busy[CADENCE_HOURS]; /* in how many of them that hour had an event */
};

/* Learns from the hours that had events, before the one in which the last came. Only whether an
 * hour had any counts, so a crowd in one hour teaches no more than a single event.
 * in: hours - since 1970, in any order, each once; end - the hour of the last event */
void cadence_learn(struct cadence *c, const int64_t *hours, size_t n, int64_t end);

/* How odd it is that nothing came between two times: minus the logarithm of its chance, in
 * thousandths, with hours taken as independent of each other. 0 when nothing is known. */
#define CADENCE_ODD 7000 /* less than once in a thousand */
int64_t cadence_surprise(const struct cadence *c, const struct quiet *q, int64_t from_us,
                         int64_t to_us);

/* "Once in so many", a power of two. */
uint32_t cadence_odds(int64_t surprise);

#endif
