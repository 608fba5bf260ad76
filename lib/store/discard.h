/* Jobs that a person discards: nothing more is done for them, and it is kept who said so and why. */
#ifndef HO_STORE_DISCARD_H
#define HO_STORE_DISCARD_H

#include "store/db.h"

#define DISCARD_REASON_MAX 1000 /* characters of UTF-8 */
#define DISCARD_WHO_ROOM 65     /* with its NUL; ASCII */

/* What that person knows of the work that the job was for. */
enum discard_acted {
    ACTED_UNSAID,
    ACTED_YES, /* it is done: its business key is done */
    ACTED_NO   /* it is not: its business key is free, and it may be opened again */
};

struct discard {
    enum discard_acted acted;
    const char *who;
    const char *reason;
};

enum discarded {
    DISCARDED,
    DISCARD_RUNS,    /* it is running: left as it is */
    DISCARD_NOTHING, /* it has ended, and nothing of it is in doubt, or that was not said */
};

enum discard_key { DISCARD_KEY_NONE, DISCARD_KEY_DONE, DISCARD_KEY_UNKNOWN };

struct discard_result {
    enum discarded what;
    enum discard_key key; /* what it still has of a business key; NONE: it has none (any more) */
};

/* A job that is dead, ready or waiting becomes done, outcome "discarded", its receipt's status is
 * computed anew, and a row in hookonce_discard keeps who and why. With `acted` also one that is done
 * and of whose effect nobody knew. Not said, what it may have done stays unknown for others. Who
 * waits for its lane is woken; with `acted`, who waits for its business key too.
 * in:  reason — 1 to DISCARD_REASON_MAX characters, UTF-8
 * returns HO_OK, or as db_run. blocks: 10 s at most. */
enum ho_code discard_job(struct db *db, uint64_t id, struct span cid, const struct discard *d,
                         struct discard_result *out, struct ho_err *err) HO_MUST_CHECK;

#endif
