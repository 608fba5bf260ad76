/* One claimed job, from its fence to its outcome. */
#ifndef HO_WORK_DISPATCH_H
#define HO_WORK_DISPATCH_H

#include "work/worker.h"

/* Runs jobs[at] of the claim to an outcome that is committed: which route wants it, is it genuine,
 * may it run now, the handler, the settlement; or to being put off. Failures of the handler are
 * outcomes, not errors. A job that asks outside gives the claim's further ones back: then claim->n
 * is at + 1.
 * returns HO_OK (settled, put off, or found to be another's now) | HO_TRANSIENT: the database
 * failed; the job is still ours as far as is known, and this may be called again | HO_PERMANENT |
 * HO_BUG: as before, but again will not help; the lease will end by itself.
 * blocks: for the handler's time and what the database needs. */
enum ho_code dispatch_job(struct worker *w, struct claim *claim, size_t at, struct ho_err *err)
    HO_MUST_CHECK;

#endif
