/* Work that is done now and then, by one processor of all hosts: hookonce_round. A claim is only a
 * hint that saves work: what is done twice must do no harm. */
#ifndef HO_STORE_ROUND_H
#define HO_STORE_ROUND_H

#include "store/db.h"

struct round {
    const char *name;   /* at most 32 bytes */
    const char *worker;
    int64_t now_us;     /* by the database's clock, when it was claimed */
    int64_t upto_us;    /* what the last one left; 0: nothing yet */
};

/* Claims it if it is due; who claims it has every_ms, then it is due again.
 * in: *r - name and worker
 * out: *mine; the rest of *r if it is
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT */
enum ho_code round_claim(struct db *db, struct round *r, int64_t every_ms, bool *mine,
                         struct ho_err *err) HO_MUST_CHECK;

/* Leaves upto_us for the next one, who is due in due_ms; done: it came to its end. Nothing changes
 * when somebody else has claimed it meanwhile, or has put it back. */
enum ho_code round_leave(struct db *db, const struct round *r, int64_t upto_us, int64_t due_ms,
                         bool done, struct ho_err *err) HO_MUST_CHECK;

/* Puts it back, so that it goes on from there, and soon; one that is there already stays. */
enum ho_code round_back(struct db *db, const char *name, int64_t upto_us, struct ho_err *err)
    HO_MUST_CHECK;

#endif
