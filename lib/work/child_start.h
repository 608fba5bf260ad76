/* Between child.c and child_start.c only. */
#ifndef HO_WORK_CHILD_START_H
#define HO_WORK_CHILD_START_H

#include <sys/types.h>

#include "work/child.h"

struct child {
    pid_t pid;   /* of the program, which leads a group of that number */
    pid_t guard; /* of the process that ends the group should we be killed; -1: none */
    int out, error;     /* our ends of its pipes, not blocking; -1: closed */
    int report;         /* errno comes from here if it cannot be started, else the end of file */
    int life;           /* closed with us: the guard sees it */
};

/* Forks; the program is on its way then. c is all -1 on failure. */
enum ho_code child_start(const struct child_plan *plan, struct child *c, struct ho_err *err)
    HO_MUST_CHECK;

/* Ends the guard and closes what is open; the program itself must have been waited for. */
void child_close(struct child *c);

#endif
