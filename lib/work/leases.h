/* Jobs of workers that have vanished. */
#ifndef HO_WORK_LEASES_H
#define HO_WORK_LEASES_H

#include "work/worker.h"

/* Looks for ended leases, as often as an idle worker polls: see jobs_reap.
 * returns HO_OK, or as jobs_reap. blocks: as that, once for every batch of them */
enum ho_code leases_reap(struct worker *w, struct ho_err *err) HO_MUST_CHECK;

#endif
