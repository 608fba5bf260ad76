/* Jobs that a person discards: nothing more is done for them, and it is kept who said so and why. */
#ifndef HO_STORE_DISCARD_H
#define HO_STORE_DISCARD_H

#include "base/ulid.h"
#include "core/flow_key.h"
#include "store/db.h"

#define DISCARD_REASON_MAX 1000 /* characters of UTF-8 */

/* What that person knows of the work that the job was for. */
enum discard_acted {
    ACTED_UNSAID,
    ACTED_YES, /* it is done: its business key is done */
    ACTED_NO   /* it is not: its business key is free, and it may be opened again */
};

/* A business key of the job, as its handler's run would have had it. */
struct discard_key {
    const char *flow;
    struct flow_key key;
};

struct discard {
    enum discard_acted acted;
    uint64_t command; /* that asks for it: its row's number */
    /* With ACTED_YES, for a job that has no effect yet. */
    const struct discard_key *keys;
    size_t n_keys;
    bool keys_unknown; /* it has some, but they cannot be made */
};

enum discarded {
    DISCARDED,
    DISCARD_RUNS,    /* it is running: left as it is */
    DISCARD_NOTHING, /* it has ended, and nothing of it is in doubt, or that was not said */
    DISCARD_TAKEN,   /* "yes", but its business key belongs to another open job, or is in doubt */
    DISCARD_NO_KEY   /* "yes", but its business key is not known */
};

enum discard_has { DISCARD_KEY_NONE, DISCARD_KEY_DONE, DISCARD_KEY_UNKNOWN };

struct discard_result {
    enum discarded what;
    enum discard_has key; /* what it still has of a business key; NONE: it has none (any more) */
    uint64_t owner;       /* TAKEN: the job, and its receipt */
    char owner_cid[ULID_LEN + 1];
};

/* A job that is dead, ready or waiting becomes done, outcome "discarded", its receipt's status is
 * computed anew, and the command that it names keeps who and why. With `acted` also one that is
 * done and of whose effect nobody knew. With ACTED_YES its business keys are done, also where it
 * never reserved them; else nothing is changed (TAKEN, NO_KEY). An answer (store/answers.h) that is
 * discarded so is none that a repeat may ask for again, until ACTED_NO is said. Not said, what it
 * may have done stays unknown for others. Who waits for its lane is woken; with `acted`, who waits
 * for its business key too.
 * returns HO_OK, or as db_run. blocks: 10 s at most. */
enum ho_code discard_job(struct db *db, uint64_t id, struct span cid, const struct discard *d,
                         struct discard_result *out, struct ho_err *err) HO_MUST_CHECK;

/* The same with ACTED_UNSAID, as a part of a transaction of the caller; a job that runs or has ended
 * is left as it is. out->key is not set.
 * returns HO_OK, or as db_run: then the transaction must be rolled back. blocks: as db_run */
enum ho_code discard_within(struct db *db, uint64_t id, struct span cid, const struct discard *d,
                            struct discard_result *out, struct ho_err *err) HO_MUST_CHECK;

#endif
