/* How much an installation asks of its database: hosts may bound that, an hour. The numbers are held by
 * tests/e2e/test_questions.py. */
#ifndef HO_STORE_NEED_H
#define HO_STORE_NEED_H

#include "store/db.h"

/* Statements, as the server counts them in `Questions`; in plain CGI a link for each delivery besides. */
#define NEED_DELIVERY 8        /* a new one, and with the link that plain CGI makes for it; else 6 */
#define NEED_DELIVERY_WRITES 3 /* of these, statements that write */
#define NEED_EVENT 80          /* run by a processor started for it, with what it does besides; of many: 20 each */
#define NEED_EVENT_WRITES 12
#define NEED_IDLE 100          /* an hour, while nothing happens and `poll` is not said */

struct need {
    uint64_t deliveries; /* in the busiest hour of the last week; what is not counted yet is missing */
    uint64_t questions, writes; /* in such an hour, at most about */
};

/* out: *out - zero on failure. returns HO_OK | HO_TRANSIENT | HO_PERMANENT */
enum ho_code need_of(struct db *db, const struct settings *s, struct need *out, struct ho_err *err)
    HO_MUST_CHECK;

#endif
