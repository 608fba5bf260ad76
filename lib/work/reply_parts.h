/* Between the files of reply mode: reply.c (the way), reply_gate.c, reply_ask.c (the handler, and
 * the answer that it gives). */
#ifndef HO_WORK_REPLY_PARTS_H
#define HO_WORK_REPLY_PARTS_H

#include "work/attempt.h"
#include "work/reply.h"

struct reply {
    const struct reply_order *o;
    struct worker w;
    struct claim claim;
    struct attempt a;
    struct route route; /* what stands for one: its name and handler */
    struct deadline end; /* of the handler */
    const char *limit;   /* what sets it; NULL: the handler's own timeout */
    char limit_room[HANDLER_LIMIT_ROOM];
    struct reply_answer answer;
    bool started; /* by a run of the gate before, whose COMMIT got no answer */
    bool lost;
};

/* untouched - certainly nothing was done outside */
void reply_decide(struct attempt *a, enum outcome outcome, bool untouched);

/* ---- reply_gate.c ---- */

/* Whether the handler may be asked; a command's or URL's try is shown as started then.
 * returns HO_OK: r->lost, a->outcome, or neither: it may; or as db_transact */
enum ho_code reply_gate(struct reply *r, struct ho_err *err) HO_MUST_CHECK;

/* ---- reply_ask.c ---- */

/* SQL: statements, answer and settlement in one transaction.
 * out: *done - committed; else it is rolled back, and r->lost or a->outcome is to be settled
 * returns HO_OK, or the database's trouble */
enum ho_code reply_sql(struct reply *r, bool *done, struct ho_err *err) HO_MUST_CHECK;

/* Asks a command or URL: a->outcome, and with DONE r->answer, for reply_done_tx. */
void reply_outside(struct reply *r);

/* Whose answer it is; the receipt is loaded. */
struct answer_of reply_of(const struct reply *r);

/* A db_tx: stores the answer and settles the job as done, or finds that the claim is lost.
 * in: arg - struct reply */
db_tx reply_done_tx;

#endif
