/* A refused delivery that a person releases. */
#ifndef HO_STORE_CONFLICT_RELEASE_H
#define HO_STORE_CONFLICT_RELEASE_H

#include "base/ulid.h"
#include "store/db.h"

enum conflict_released {
    RELEASED,         /* it is a receipt of its own, with a job, since now */
    RELEASE_BEFORE,   /* it has been one since a release before */
    RELEASE_PRUNED,   /* it was one, whose receipt has gone since */
    RELEASE_MEANING,  /* its id is another event's (kind "meaning"): there can be one of an id */
    RELEASE_THERE,    /* by now there is another event of its id */
    RELEASE_CUT,      /* its body was not kept as a whole, or is forgotten */
    RELEASE_FORGED,   /* this installation did not write the row, or it was changed since */
    RELEASE_SEALED,   /* its body is sealed under a key that is not here */
    RELEASE_REPLY,    /* its source answers requests, and has no jobs in the queue */
    RELEASE_MISSING   /* there is no such row */
};

enum conflict_proof {
    CONFLICT_GENUINE,
    CONFLICT_CHANGED, /* this installation did not write the row, or it was changed since */
    CONFLICT_UNPROVED /* it has no MAC: kind "meaning", not kept as a whole, or the MAC is gone */
};

/* Whether a row of hookonce_conflict that can be opened is as it was written; one that is not there
 * is unproved.
 * in: key - of this installation. returns as db_run. */
enum ho_code conflict_prove(struct db *db, uint64_t id, struct span key, enum conflict_proof *out,
                            struct ho_err *err) HO_MUST_CHECK;

struct conflict_release_how {
    const struct settings *settings; /* of db */
    struct span key;                 /* of this installation */
    bool dry;                        /* all is tried, and undone */
};

/* A row of hookonce_conflict of kind "repeat" becomes an event of its own, with a job that is due,
 * in one transaction; the row stays and says when. It was verified when it came; that it is still
 * what came is proved by its MAC, as with a file of the spool.
 * in:  id - of the row
 * out: *what; cid - of the receipt, with RELEASED and not dry, else ""
 * returns HO_OK, or as db_run, or HO_TRANSIENT: bodies can't be sealed now. blocks: 10 s at most */
enum ho_code conflict_release(struct db *db, uint64_t id, const struct conflict_release_how *how,
                              enum conflict_released *what, char cid[ULID_LEN + 1],
                              struct ho_err *err) HO_MUST_CHECK;

#endif
