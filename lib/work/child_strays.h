/* Who has left a program's group: between child.c and child_guard.c only. */
#ifndef HO_WORK_CHILD_STRAYS_H
#define HO_WORK_CHILD_STRAYS_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/types.h>

/* Sends the signal to our children outside the group: they have left the program's, and lost their
 * own parent. With another signal than SIGKILL, SIGCONT too: a stopped one would not hear it. Takes no
 * lock and allocates nothing.
 * in:  proc - /proc, opened by the caller; NULL: nobody is found
 * returns whether there was one, also a dead one that nobody has waited for */
bool child_strays(DIR *proc, pid_t group, int number);

#endif
