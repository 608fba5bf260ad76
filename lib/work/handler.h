/* Running a handler: what it is given, and how it can end. */
#ifndef HO_WORK_HANDLER_H
#define HO_WORK_HANDLER_H

#include "base/clock.h"
#include "base/json.h"
#include "core/settings.h"
#include "store/db.h"
#include "store/stored.h"

enum handler_result {
    HANDLER_DONE,   /* all statements ran; not committed yet */
    HANDLER_FAILED, /* a try that counts; roll back */
    HANDLER_AGAIN,  /* deadlock, lock wait or lost link: roll back and run the whole again */
    HANDLER_BAD     /* it ended the transaction, or wrote where no ROLLBACK reaches: never again */
};

struct handler_call {
    const struct handler *handler;
    const struct stored *stored;
    const struct json *doc; /* NULL: the body is no document */
    const struct json *fetched;  /* NULL: nothing was fetched */
    const char *idempotency_key; /* NULL: not known */
    unsigned try_no;        /* from 1 */
    struct deadline end;    /* the statements must be through by then */
    uint64_t *rows;         /* set to how many rows they changed, all together */
};

/* Runs the handler's statements on db, inside the transaction that the caller has begun and will
 * commit. Rows that they return are dropped.
 * out: err — why, for all but DONE. blocks: until call->end, plus one read timeout. */
enum handler_result handler_sql_run(struct db *db, const struct handler_call *call,
                                    struct ho_err *err) HO_MUST_CHECK;

/* Values for the references of one statement. */
struct bound {
    struct db_value values[PARAMS_MAX];
    struct buf room;
};

/* Text for strings, numbers (as the sender wrote them), objects and arrays (as JSON); 1 and 0 for
 * booleans; NULL for what is null or missing. Numbers are text so that a column of text is compared
 * as text: by its index, and without '12' meaning '12abc'.
 * out: owned (bound_free), also after a failure; borrows from call
 * returns HO_OK | HO_PERMANENT (an integer that cannot be kept exactly, or too much in all). */
enum ho_code bind_params(const struct statement *s, const struct handler_call *call,
                         struct bound *out, struct ho_err *err) HO_MUST_CHECK;
void bound_free(struct bound *b);

#endif
