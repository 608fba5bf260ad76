/* What is old goes: bodies and answers by keep_bodies, whole receipts by keep_receipts. Only what
 * is finished, and all events of its request with it: nothing that waits, runs, is dead, in
 * conflict or in doubt. Effects that are done and the marks of objects outlive their receipts. */
#ifndef HO_STORE_PRUNE_H
#define HO_STORE_PRUNE_H

#include "base/clock.h"
#include "base/ulid.h"
#include "store/db.h"

struct pruned {
    uint64_t bodies, receipts; /* gone, or with dry those that would go */
    bool more;                 /* the time was up before the end */
};

/* How far it has come, as the time in ids, ms; 0: it begins with the oldest. The ids say it to the
 * row, for who counts; where they are empty, it goes on with the first of that time. */
struct prune_place {
    int64_t receipts_ms, bodies_ms;
    char receipts_id[ULID_LEN + 1], bodies_id[ULID_LEN + 1];
    bool receipts_done, bodies_done; /* it is through with them: they are not begun again */
};

struct prune_run {
    struct deadline end; /* no batch is begun behind it */
    bool dry;            /* only count; what would go whole is not counted as a body too */
    void (*tell)(const struct pruned *so_far); /* called now and then; NULL: nobody asks */
};

/* In transactions of at most 100 receipts. Without keep_bodies and keep_receipts nothing goes.
 * in/out: *at — where it begins; afterwards where the time was up, or the beginning again, and done
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT. blocks: until run->end and one batch. */
enum ho_code prune(struct db *db, const struct settings *s, struct prune_place *at,
                   const struct prune_run *run, struct pruned *out, struct ho_err *err)
    HO_MUST_CHECK;

#endif
