/* Keeping what was delivered but contradicts a receipt, for a person to look at. */
#ifndef HO_STORE_CONFLICT_H
#define HO_STORE_CONFLICT_H

#include "base/clock.h"
#include "core/event.h"
#include "store/db.h"

#define CONFLICT_BODY_MAX (1024L * 1024) /* bytes kept of a refused body */
#define CONFLICT_ROWS_MAX 20             /* of one receipt; then the newest row's count rises */

#define CONFLICT_MEANING "meaning" /* known id, other content */
#define CONFLICT_REPEAT "repeat"   /* known content, other id */

struct conflict {
    const char *kind;       /* one of these */
    const struct event *e;  /* the refused delivery */
    struct span first_id;   /* event id of the receipt that was there first */
    const char *first_cid;  /* its correlation id */
    const unsigned char *body_sha256;
};

/* The event that a row becomes when a person releases it, and the row's MAC: over that event, under
 * a name of its own, so that it is no receipt's. out gets SHA256_LEN bytes. */
void conflict_mac(const struct event *released, struct span key, unsigned char out[SHA256_LEN]);

/* What is true afterwards with HO_OK: each refused delivery is on record, in a row of its own or,
 * when it came before, counted. Of an item of a batch the item is kept, not the whole body.
 * in: all - of one request, so of one body; sorted by this, n > 0; key - of this installation
 * One transaction of its own; blocks until the deadline. */
enum ho_code conflicts_keep(struct db *db, struct conflict *all, size_t n, struct span key,
                            struct deadline end, struct ho_err *err) HO_MUST_CHECK;

#endif
