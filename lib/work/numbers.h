/* What is counted beside the work: the host's numbers, those of each hour, and silence. */
#ifndef HO_WORK_NUMBERS_H
#define HO_WORK_NUMBERS_H

#include "work/worker.h"

/* Does what is due of it: the host tells of itself every minute, the rest follows every five
 * minutes, by one processor of all. A failure is logged, and changes nothing for the jobs.
 * blocks: some seconds at most, as a rule milliseconds */
void numbers_round(struct worker *w);

#endif
