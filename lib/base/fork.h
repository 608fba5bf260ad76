/* What lies between fork and exec. A program that is started shall find the world as a shell would
 * have given it to it: our descriptors closed, our signals plain. Between the two only calls are
 * made that are safe there: other threads of this process (libraries have some) may have held
 * locks. */
#ifndef HO_BASE_FORK_H
#define HO_BASE_FORK_H

/* One more than the highest descriptor that is open; before fork, since it may allocate. */
int fork_fds_end(void);

/* Closes descriptors from..end-1. Safe behind fork. */
void fork_close_from(int from, int end);

/* Every signal does what it does by itself, and none is blocked. Safe behind fork. */
void fork_plain_signals(void);

#endif
