/* What is stored sealed under an old key, or plain, sealed under the newest; or the other way. */
#ifndef HO_STORE_REKEY_H
#define HO_STORE_REKEY_H

#include "store/seals.h"

struct rekeyed {
    uint64_t seen, changed; /* rows */
    uint64_t locked;        /* sealed under keys that are not here */
    uint64_t broken;        /* that did not open: left as they are */
    char missing[SEAL_PRINT_LEN + 1]; /* the print of one of these keys */
};

/* Goes through all bodies, conflicts and answers, in transactions of 50 rows, so that it can be
 * broken off at any time and run again: rows that are as wanted are only looked at.
 * in:  off — to plain, else under the ring's first key, which must be there
 *      tell — called now and then, may be NULL
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT. blocks: as long as it takes. */
enum ho_code rekey_all(struct db *db, bool off, void (*tell)(const struct rekeyed *so_far),
                       struct rekeyed *out, struct ho_err *err) HO_MUST_CHECK;

#endif
