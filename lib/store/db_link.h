/* What the files around the client library share: the link and its errors. Private to store/db*.c,
 * the only users of the library. */
#ifndef HO_STORE_DB_LINK_H
#define HO_STORE_DB_LINK_H

#include <mysql.h>

#include "store/db.h"

#define DB_LOST 2013 /* the client library's number */
#define DB_CACHE_MAX 96 /* prepared statements of one link; more are prepared each time */

struct db_prepared {
    const char *sql; /* the constant's address is the key */
    MYSQL_STMT *stmt;
};

struct db {
    const struct settings *settings;
    enum db_role role;
    MYSQL *link; /* NULL: not connected */
    const char *socket; /* of the settings, that the link goes through; NULL: TCP */
    struct db_prepared cache[DB_CACHE_MAX];
    size_t n_cache;
    int64_t read_ms;
    bool is_exact; /* the link's waits can be bounded in ms */
    struct deadline limit; /* no call waits beyond it */
    uint64_t max_packet; /* 0: not asked yet */
    bool untransacted;
    bool in_tx; /* since db_begin: a link that is lost takes the transaction with it */
    bool plain;       /* what is run now needs no session of ours: db_peek */
    bool session_due; /* the link has none yet */
    db_tx *look; /* NULL, or run on every new link */
    void *look_arg;
    db_tx *guard; /* NULL, or run at the beginning of every transaction */
    void *guard_arg;
    bool no_skip; /* the server knows no SKIP LOCKED, whatever it says */
    bool timeout_known, timeout_undoes; /* a lock that is waited for in vain undoes all */
    struct seal_ring *seals; /* db_seals */
};

/* Closes a link that is of no use any more; a transaction stays one until its caller ends it. */
void db_drop(struct db *db);

/* Bounds the wait of the library's next call: to be called before each that waits. Past the limit
 * it waits for a millisecond. */
void db_bound(struct db *db);

/* How long a call may wait that begins now, of own_ms at most. */
int64_t db_bound_ms(const struct db *db, int64_t own_ms);

/* Runs a statement without parameters or rows, not prepared. */
enum ho_code db_query(struct db *db, const char *sql, struct ho_err *err) HO_MUST_CHECK;

/* Makes a fresh session what the store needs. */
enum ho_code db_set_session(struct db *db, struct ho_err *err) HO_MUST_CHECK;

/* Keeps in mind what the answer to the last statement says about the transaction. */
void db_note_tracked(struct db *db);

#endif
