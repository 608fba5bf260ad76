/* An event read back from its rows. Nothing in it may be believed before its MAC was checked: the
 * tables may be shared with programs that can be made to write anything. */
#ifndef HO_STORE_STORED_H
#define HO_STORE_STORED_H

#include "base/mac_seal.h"
#include "core/event.h"
#include "store/db.h"

struct stored {
    bool found;              /* exactly one receipt, of possible shape, with a body */
    bool no_body;            /* there is the receipt, but no body: it was pruned or forgotten */
    struct event event;      /* borrows from below; guard is not set */
    struct span mac;         /* as stored */
    struct span body_id;     /* correlation id that its body is stored under */
    struct span occurred_at; /* DATETIME(6) text, UTC; absent when the provider gives none */
    int64_t received_us;     /* when it arrived, unix microseconds; the MAC does not hold it */
    struct db_rows receipt, parts;
    struct buf headers, body; /* when they were stored sealed, or the body in several parts */
    char key_missing[SEAL_PRINT_LEN + 1]; /* print of the key that they are sealed under and that is
                                             not here: found is false, and they may yet open */
};

/* Reads receipt, headers and body. *out is owned: stored_free, also after a failure. */
enum ho_code stored_load(struct db *db, const char *cid, struct stored *out,
                         struct ho_err *err) HO_MUST_CHECK;
void stored_free(struct stored *s);

/* Whether the installation of this key wrote these rows. */
bool stored_genuine(const struct stored *s, struct span key);

#endif
