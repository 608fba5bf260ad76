/* Pruning beside the work: a little in each minute, when nothing is due. */
#ifndef HO_WORK_KEEP_H
#define HO_WORK_KEEP_H

#include "work/worker.h"

/* Prunes for two seconds at most, once a minute, where the config has keep_bodies or keep_receipts.
 * What fails is logged and left to the next time. */
void keep_round(struct worker *w);

#endif
