/* What the rows and the spool hold sealed: bodies, headers and answers, under the keys of the
 * config's `body_key`. A sealed value opens only in its own row and column. Beside it stands the
 * print of its key; NULL there: it is plain. */
#ifndef HO_STORE_SEALS_H
#define HO_STORE_SEALS_H

#include "base/mac_seal.h"
#include "core/settings.h"
#include "store/db.h"

struct seal_ring {
    struct seal_key *keys; /* those that could be read */
    size_t n;
    const struct seal_key *first; /* what seals; NULL: nothing is sealed, or it can't be read */
    bool wanted;                  /* new values are to be sealed */
    bool complete;                /* every key was read */
    char why[480];                /* if not: of the first that was not */
};

/* Reads the key files; never fails as a whole. seal_ring_free frees, NULL is fine. */
struct seal_ring *seal_ring_load(const struct settings *s);
void seal_ring_free(struct seal_ring *ring);

/* HO_OK when values can be stored as the config wants it, else HO_TRANSIENT: its first key can't be
 * read, and nothing may be stored plain. */
enum ho_code seal_ready(const struct seal_ring *ring, struct ho_err *err) HO_MUST_CHECK;

/* Where a value stands. */
struct seal_place {
    const char *what; /* e.g. "body headers" */
    const char *cid;
    unsigned part;
};

/* The value to be stored: sealed into room (initialised here, freed by the caller), or as it is.
 * lives as long as room and plain. */
struct span seal_value(const struct seal_ring *ring, const struct seal_place *at,
                       struct span plain, struct buf *room);
struct db_value seal_print(const struct seal_ring *ring); /* of what seal_value seals under */

enum seal_opened {
    SEAL_OPENED,
    SEAL_NO_KEY, /* sealed under a key that is not here */
    SEAL_BROKEN  /* changed, or it belongs elsewhere */
};

/* Appends what stands in a row to out. print: absent when it is plain. */
enum seal_opened seal_get(const struct seal_ring *ring, struct span print,
                          const struct seal_place *at, struct span value, struct buf *out);

/* What a digest of content is stored as where content is sealed: nobody without the installation's
 * key can try guesses on it. out may be in. */
void seal_digest(struct span key, const unsigned char in[SHA256_LEN],
                 unsigned char out[SHA256_LEN]);

#endif
