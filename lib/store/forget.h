/* What a person asked to be forgotten: content goes, keys stay, so that it stays known as done. */
#ifndef HO_STORE_FORGET_H
#define HO_STORE_FORGET_H

#include "base/ulid.h"
#include "store/db.h"
#include "store/discard.h"

enum forgotten {
    FORGOTTEN,
    FORGET_UNFINISHED, /* it waits, runs or is dead: left as it is */
    FORGET_SHARED,     /* its body is also that of events that are not named: left as it is */
    FORGET_NOTHING     /* there is no such receipt */
};

#define FORGET_MAX 1000 /* events of one request */

struct forget_how {
    uint64_t command; /* by which jobs that are not finished end as discarded; 0: refuse */
    bool dry;         /* only judge: all is done, and undone */
};

/* Erases bodies, headers, conflicts' content, answers, texts of errors and reasons of some events:
 * those of one request, of which all, or none, must be named.
 * in:  cids — of their receipts, which have one body; n at most FORGET_MAX
 *      how — one that runs is always refused
 * out: *out — unless it is FORGOTTEN, and never with dry, anything has changed
 *      *conflicts — raised by the conflicts that are erased with them
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT
 * blocks: 30 s at most */
enum ho_code forget(struct db *db, const char (*cids)[ULID_LEN + 1], size_t n,
                    const struct forget_how *how, enum forgotten *out, uint64_t *conflicts,
                    struct ho_err *err) HO_MUST_CHECK;

/* Receipts to look through, oldest first, behind a correlation id: cid, body id.
 * in: source — NULL: all */
enum ho_code forget_list(struct db *db, const char *after, const char *source, struct db_rows *out,
                         struct ho_err *err) HO_MUST_CHECK;
#define FORGET_LIST_MAX 500

/* What a conflict holds. */
struct forget_seen {
    uint64_t conflict; /* its number */
    struct span cid, first_cid;
    struct span source, scope; /* the dedupe scope */
    struct span body; /* absent: it can't be opened (its key is not here, or it was changed) */
    bool part;        /* more was delivered than is kept: of a batch the item, or it was cut */
};

/* Whether it is meant. */
typedef bool forget_match(void *arg, const struct forget_seen *seen);

/* Erases what conflicts of other receipts hold of it, too.
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT
 * out: *count — rows erased, or with dry those that would be */
enum ho_code forget_conflicts(struct db *db, forget_match *match, void *arg, bool dry,
                              uint64_t *count, struct ho_err *err) HO_MUST_CHECK;

#endif
