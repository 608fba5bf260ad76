/* The business keys of a job that a person says has acted. */
#ifndef HO_OPERATOR_DISCARD_KEYS_H
#define HO_OPERATOR_DISCARD_KEYS_H

#include "operator/operator.h"
#include "store/discard.h"

struct discard_keys {
    struct discard_key *keys; /* owned: discard_keys_free */
    size_t n;
    bool unknown;
    char why[512]; /* unknown: why they are */
};

/* What the handler's run of a job would make of its event: the key of its route, or, where it has
 * none yet, of each route that wants the event.
 * in:  cid - of its receipt; route - "" until it is dispatched
 * returns HO_OK, also with unknown, or the database's trouble */
enum ho_code discard_keys_make(struct operator *op, struct span cid, struct span route,
                               struct discard_keys *out, struct ho_err *err) HO_MUST_CHECK;
void discard_keys_free(struct discard_keys *k);

#endif
