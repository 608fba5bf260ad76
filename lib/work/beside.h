/* A process beside the worker, for what may take its time: no job waits for it. It dies with the
 * worker, however that ends (under Linux), so what it does must bear being cut off anywhere. */
#ifndef HO_WORK_BESIDE_H
#define HO_WORK_BESIDE_H

#include <stdbool.h>
#include <stdint.h>

/* Starts one in which body runs; signals do there what they do by themselves.
 * returns its pid, or 0: it could not be started */
long beside_start(void (*body)(const void *arg), const void *arg);

/* Whether none is under way (any more); *pid is 0 then. Does not wait. */
bool beside_ended(long *pid);

/* Afterwards none is under way: it is waited for, up to so long, and no longer than
 * until SIGTERM or SIGINT (work/signals.h), and then killed. */
void beside_end(long *pid, int64_t ms);

#endif
