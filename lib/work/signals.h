/* SIGTERM and SIGINT as a wish to stop. They are blocked while work goes on, since a signal that
 * falls into a call on the database may cost the link, and let in only while a worker waits. */
#ifndef HO_WORK_SIGNALS_H
#define HO_WORK_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

void signals_take(void);  /* from now on; SIGPIPE is ignored too */
bool signals_stop(void);  /* whether one came */
void signals_reset(void); /* forgets what came: for a forked worker, and for tests */

/* Waits as wake_wait does (fd -1: just sleeps), and not at all when told to stop. */
void signals_wait(int fd, int64_t ms);

#endif
