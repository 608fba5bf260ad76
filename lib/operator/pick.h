/* Jobs that a person names on the command line: by their number, a correlation id or an event's id,
 * or all dead letters, perhaps of one route. For commands that do something to each. */
#ifndef HO_OPERATOR_PICK_H
#define HO_OPERATOR_PICK_H

#include "base/buf.h"
#include "operator/which.h"
#include "store/reopen.h"

/* What the arguments name. */
struct picked {
    bool all;
    const char *route; /* with all: only of this one; else NULL */
    struct which *ids; /* owned: picked_free */
    size_t n_ids;
};

/* Room for as many ids as there are arguments. */
struct picked picked_new(int argc);
void picked_free(struct picked *p);

/* The options of such a command begin with these. */
enum { PICK_ALL, PICK_ROUTE, PICK_JOB, PICK_EVENT, PICK_OPTIONS_N };
#define PICK_OPTIONS                                                                               \
    [PICK_ALL] = {"all", false}, [PICK_ROUTE] = {"route", true}, [PICK_JOB] = {"job", true},       \
    [PICK_EVENT] = {"event", true}

/* Takes what args_next gave, if it is an id or one of those options. false: it is neither. */
bool picked_take(struct picked *p, int got, const char *value);

/* false: neither ids nor --all, or both; said on stderr. */
bool picked_sound(const struct operator *op, const struct picked *p);

/* Who does something to each job. rows: as reopen_find gives them, of which it is the i-th. */
struct picker {
    struct operator *op;
    enum ho_code (*each)(void *arg, const struct db_rows *rows, size_t i, struct ho_err *err);
    void *arg;
};

/* Goes through the jobs of what one id names (operator/which.h). The first error ends it.
 * returns EXIT_WELL, or the status to end with, after a message: nothing bears it, the database. */
int pick_id(const struct picker *p, const struct which *id) HO_MUST_CHECK;

/* The same for all dead letters, of one route unless that is NULL; at most REOPEN_MAX. */
int pick_all(const struct picker *p, const char *route) HO_MUST_CHECK;

#define PICK_LEFT_MAX 800 /* bytes of what is said of jobs that are left */

/* Adds to a sentence what a job is that is left as it is: "job 12 of route paid was processed".
 * text: what it is or did; NULL: by its state and outcome. What does not fit is not said. */
void pick_add_left(struct buf *left, const struct db_rows *rows, size_t i, const char *text);

/* The columns of a table of such jobs, from the front; pick_cells fills them. */
#define PICK_COLUMNS                                                                               \
    {"job", TABLE_NUMBER, 0}, {"correlation_id", TABLE_TEXT, 0}, {"route", TABLE_TEXT, 24},        \
        {"provider", TABLE_TEXT, 16}, {"event_id", TABLE_TEXT, 40}, {"event_type", TABLE_TEXT, 32}
enum { PICK_CELLS = 6 };
void pick_cells(const struct db_rows *rows, size_t i, struct span cells[PICK_CELLS]);

#endif
