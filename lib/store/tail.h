/* What happens just now, as a person follows it: new events, ends of jobs, refused deliveries,
 * commands. Reads only, by polling: rows are committed in another order than their times and numbers
 * say, so each look begins some seconds before the last one, and what was told is remembered. */
#ifndef HO_STORE_TAIL_H
#define HO_STORE_TAIL_H

#include "store/db.h"

/* Columns of what is told; text, SPAN_NONE where there is none. */
enum {
    TAIL_AT,      /* "2026-11-30 12:00:00.123456", UTC */
    TAIL_WHAT,    /* received, done, dead, conflict, command */
    TAIL_SOURCE,
    TAIL_TYPE,
    TAIL_EVENT,
    TAIL_JOB,
    TAIL_ROUTE,
    TAIL_OUTCOME, /* of the job; kind of the conflict; state of the command */
    TAIL_DETAIL,
    TAIL_CID,
    TAIL_N
};

struct tail; /* owned: tail_free */
struct tail *tail_new(void);
void tail_free(struct tail *t);

/* Tells what has happened since the last look, by its times; the first look tells nothing, it only
 * marks the place.
 * in:  tell - cells: TAIL_N of them, valid during the call
 * out: *more - there was too much for one look: look again at once
 * returns HO_OK, or as db_run: what was not told is told by the next look */
enum ho_code tail_look(struct tail *t, struct db *db,
                       void (*tell)(void *arg, const struct span *cells), void *arg, bool *more,
                       struct ho_err *err) HO_MUST_CHECK;

#endif
