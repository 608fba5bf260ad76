/* What one id on the command line stands for, the same in every command. */
#ifndef HO_OPERATOR_WHICH_H
#define HO_OPERATOR_WHICH_H

#include "operator/operator.h"

enum which_by {
    WHICH_ANY,  /* a correlation id, an event's id, or a job's number */
    WHICH_JOB,  /* --job N */
    WHICH_EVENT /* --event ID */
};

struct which {
    enum which_by by;
    const char *text;
};

#define WHICH_HELP                                                                                 \
    "  --job N          the job of that number, where it is also an event's id\n"                  \
    "  --event ID       the event of that id, where it is also a job's number\n"

/* Finds it: first as an event's id or a correlation id, then as a number of a job. A word that is an
 * event's id and the number of a job of another event is refused.
 * out: *receipts - of view_find, owned: db_rows_free; none when there are none
 *      *job - its number when it was found as a job, perhaps one without a receipt; else 0
 * returns EXIT_WELL (also when nothing bears it), or the status to end with, after a message */
int which_find(struct operator *op, const struct which *w, struct db_rows *receipts,
               uint64_t *job) HO_MUST_CHECK;

/* The message for what nothing bears. */
int which_nothing(const struct operator *op, const struct which *w);

#endif
