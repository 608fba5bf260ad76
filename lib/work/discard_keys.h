/* The business keys of a job that a person says has acted. */
#ifndef HO_WORK_DISCARD_KEYS_H
#define HO_WORK_DISCARD_KEYS_H

#include "core/settings.h"
#include "store/discard.h"

struct discard_keys {
    struct discard_key *keys; /* owned: discard_keys_free */
    size_t n;
    bool unknown;
    char why[512]; /* unknown: why they are */
};

struct discard_of {
    struct span cid;   /* of its receipt */
    struct span route; /* "" until it is dispatched */
};

/* What the handler's run of a job would make of its event: the key of its route, or, where it has
 * none yet, of each route that wants the event.
 * in:  key - of this installation
 * returns HO_OK, also with unknown, or the database's trouble */
enum ho_code discard_keys_make(struct db *db, const struct settings *settings, struct span key,
                               const struct discard_of *job, struct discard_keys *out,
                               struct ho_err *err) HO_MUST_CHECK;
void discard_keys_free(struct discard_keys *k);

#endif
