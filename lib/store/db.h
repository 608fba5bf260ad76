/* The connection to MariaDB or MySQL. It knows statements and values, nothing of webhooks. Every
 * call is bounded by the connection's timeouts. The client library is used in store/db*.c
 * only. */
#ifndef HO_STORE_DB_H
#define HO_STORE_DB_H

#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "core/settings.h"

struct db;

enum db_role {
    DB_RECEIVER,  /* lock wait 1 s, read timeout 2 s */
    DB_PROCESSOR, /* lock wait 3 s, read timeout 30 s; transaction tracking on */
    DB_OPERATOR   /* lock wait 3 s, read timeout 60 s */
};

enum db_kind { DB_NULL, DB_INT, DB_UINT, DB_BYTES, DB_TEXT };

struct db_value {
    enum db_kind kind;
    int64_t i;        /* DB_INT */
    uint64_t u;       /* DB_UINT */
    struct span s;    /* DB_BYTES (binary), DB_TEXT (utf8mb4); borrowed */
};

#define DBV_NULL ((struct db_value){.kind = DB_NULL})
#define DBV_INT(x) ((struct db_value){.kind = DB_INT, .i = (x)})
#define DBV_UINT(x) ((struct db_value){.kind = DB_UINT, .u = (x)})
#define DBV_BYTES(x) ((struct db_value){.kind = DB_BYTES, .s = (x)})
#define DBV_TEXT(x) ((struct db_value){.kind = DB_TEXT, .s = (x)})
#define DBV_STR(x) ((struct db_value){.kind = DB_TEXT, .s = span_of(x)})

/* Rows of one statement, all in memory; every value as its bytes (numbers in decimal), SPAN_NONE
 * for NULL. Initialise with {0}; owned by the caller: db_rows_free. */
struct db_rows {
    size_t n_rows, n_cols;
    struct span *cells; /* row by row */
    struct db_column *cols;
    uint64_t affected;  /* 0 for a statement that gives rows */
    unsigned warnings;
    struct buf *bytes;
};
struct db_column {
    char name[65];
};
struct span db_cell(const struct db_rows *r, size_t row, size_t col);
int64_t db_cell_int(const struct db_rows *r, size_t row, size_t col); /* 0 for NULL */
void db_rows_free(struct db_rows *r);

#define DB_RESULT_MAX (64L * 1024 * 1024) /* bytes of one result; more is an error */

/* Makes a lazy connection: nothing is opened before the first use.
 * s is borrowed and must outlive it. Never fails. db_close frees. */
struct db *db_open(const struct settings *s, enum db_role role);
void db_close(struct db *db);
void db_disconnect(struct db *db); /* the next use opens a new link */

/* Opens the link if there is none: sockets in order, then the host; session set as the store needs it
 * (strict mode, UTC, READ COMMITTED unless the binlog is STATEMENT, lock waits, utf8mb4).
 * returns HO_OK | HO_TRANSIENT (away, limits) | HO_PERMANENT (refused: wrong password, no such
 * database). blocks: connect timeout, 2 s for a receiver, 10 s else, for all places together; not
 * beyond db_limit. */
enum ho_code db_connect(struct db *db, struct ho_err *err) HO_MUST_CHECK;

/* From now on `look` is run on every new link, before anything else is: what it finds wrong closes
 * the link, and is what the caller is told. A link that is renewed in the middle of something is
 * looked at like the first one. */
typedef enum ho_code db_tx(struct db *db, void *arg, struct ho_err *err);
void db_on_link(struct db *db, db_tx *look, void *arg);

/* From now on `guard` is run at the beginning of every transaction that may write, as a part of
 * it: what it writes is committed with it, and what it fails with is what db_begin fails with.
 * NULL: none any more. */
void db_on_begin(struct db *db, db_tx *guard, void *arg);

/* Runs one statement, prepared. db_run: a constant of store/sql*.h (prepared once a link, known by
 * its address). db_run_built: a text of ours that was put together from constants (not kept). In
 * both, our names get the installation's prefix (store/names.h). db_run_once: a site's text, as it is
 * (not kept).
 * in:  at most 96 values, of the kind of their column (BYTES for binary ones, TEXT or STR for text):
 *      a comparison of unlike kinds may fold, or miss the index
 * out: rows may be NULL when no result is wanted; affected and warnings are set in it.
 * returns HO_OK, or by the server's code HO_TRANSIENT (see db_retry) | HO_PERMANENT | HO_BUG; err
 * holds the server's number and a text without any value. After a lost link the connection is
 * closed already. */
enum ho_code db_run(struct db *db, const char *sql, const struct db_value *in, size_t n_in,
                    struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;
enum ho_code db_run_built(struct db *db, const char *sql, const struct db_value *in, size_t n_in,
                          struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;
enum ho_code db_run_once(struct db *db, const char *sql, const struct db_value *in, size_t n_in,
                         struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;

/* db_run of one statement that goes by none of the session's settings, outside of a transaction: on a new
 * link it is the only one, and hosts count them. */
enum ho_code db_peek(struct db *db, const char *sql, const struct db_value *in, size_t n_in,
                     struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;

/* A SELECT that locks the rows which nobody else has locked, and passes over the others without
 * waiting: SKIP LOCKED, and what does the same on a server that has none (MariaDB before 10.6).
 * Make it with DB_SKIP; the table's key is `id`. */
struct db_skip {
    const char *text; /* with SKIP LOCKED */
    const char *look; /* ids of what it would give, none locked; NULL: `lock` alone does */
    const char *lock; /* the one row of that id, if it still is of them; fails if it is locked */
    size_t n_head, n_where; /* parameters of `text` before its WHERE, and in it */
    bool limited;           /* its last parameter is the most rows that are wanted */
};

#define DB_SKIP(columns, table, index, where, order)                                              \
    .text = "SELECT " columns " FROM " table " FORCE INDEX (" index ") WHERE " where              \
            " ORDER BY " order " LIMIT ? FOR UPDATE SKIP LOCKED",                                 \
    .look = "SELECT id FROM " table " FORCE INDEX (" index ") WHERE " where " ORDER BY " order    \
            " LIMIT ?",                                                                           \
    .lock = "SELECT " columns " FROM " table " FORCE INDEX (PRIMARY) WHERE id = ? AND (" where    \
            ") FOR UPDATE NOWAIT",                                                                \
    .limited = true

/* Runs one, in a transaction. in, rows and returns as db_run. */
enum ho_code db_run_skip(struct db *db, const struct db_skip *s, const struct db_value *in,
                         size_t n_in, struct db_rows *rows, struct ho_err *err) HO_MUST_CHECK;

/* Whether the server, as it says which it is, knows SKIP LOCKED; false when not connected. */
bool db_has_skip_locked(struct db *db);

/* Whether the server takes this text, a site's or ours: prepared, and not run. What it cannot tell before a run, a
 * procedure's body for one, it does not tell here.
 * returns HO_OK, or the same codes as db_run */
enum ho_code db_try_prepare(struct db *db, const char *sql, struct ho_err *err) HO_MUST_CHECK;
enum ho_code db_try_ours(struct db *db, const char *sql, struct ho_err *err) HO_MUST_CHECK;

/* A link that is lost in a transaction takes it along, and no new one is opened for what is left of
 * it: every statement fails as the first did (2013) until db_rollback, db_commit or db_begin. */
enum ho_code db_begin(struct db *db, struct ho_err *err) HO_MUST_CHECK;
enum ho_code db_begin_reading(struct db *db, struct ho_err *err) HO_MUST_CHECK; /* writes fail */
enum ho_code db_commit(struct db *db, struct ho_err *err) HO_MUST_CHECK; /* lost answer: TRANSIENT */
void db_rollback(struct db *db); /* best effort; a link on which it fails is closed */

/* What an error is, where somebody goes by that; all that is known of numbers is in db_error.c. */
enum db_what {
    DB_OTHER,         /* anything else, and what is no error of the database */
    DB_CLOSED,        /* the link was closed before the statement was sent */
    DB_LOCK_WAIT,     /* a lock was waited for too long; as a rule the transaction still stands */
    DB_UNDONE,        /* the server has undone the whole transaction */
    DB_TOO_SLOW,      /* the statement ran longer than it was allowed to */
    DB_READ_ONLY,     /* nobody may write */
    DB_DENIED,        /* this account may not do that */
    DB_NO_TABLE,      /* there is no such table */
    DB_NO_SAVEPOINT,  /* there is no such savepoint, or procedure */
    DB_SYNTAX,        /* the text is no statement */
    DB_BAD_STATEMENT, /* it is one that can't work: no such column, no database chosen */
};
enum db_what db_what(const struct ho_err *err);

/* Whether this account has used up what its host lets it ask in an hour: queries, writes or links. */
bool db_used_up(const struct ho_err *err);

/* Whether a whole transaction that failed so may be run again from its start: 1213, 1205, 1020,
 * and a lost link (2006, 2013, 4031, 1927, a COMMIT that ended in 1180). */
bool db_retry(const struct ho_err *err);

/* Runs a transaction function from its start, again while db_retry says so and the deadline
 * lasts, at most 6 times with a little random pause; rolls back between. fn opens with db_begin
 * and ends with db_commit itself. */
enum ho_code db_transact(struct db *db, struct deadline end, db_tx *fn, void *arg,
                         struct ho_err *err) HO_MUST_CHECK;

/* Facts of the current link, for check and for parts of bodies. 0/false when not connected. */
uint64_t db_max_packet(struct db *db);
unsigned long db_server_version(struct db *db); /* e.g. 101119 */
bool db_is_mariadb(struct db *db);
unsigned long db_thread_id(struct db *db);
const char *db_socket(const struct db *db); /* that the link goes through; NULL: TCP, or none */
bool db_wrote_untransacted(struct db *db); /* the tracker's lower-case w: MyISAM, Aria, MEMORY */

/* Whether the last statement, failed or not, left a warning of that number. Asks the server. */
bool db_warned(struct db *db, unsigned number);

/* The keys that bodies are sealed under, by the config; read at the first use, and again while one
 * of them can't be read. Lives as long as db. */
struct seal_ring;
const struct seal_ring *db_seals(struct db *db);

/* What one of our names, or a text for a person that holds some, is in this installation; what does
 * not fit is cut. */
void db_named(const struct db *db, const char *text, char *out, size_t room);
#define DB_NAME_ROOM 65

/* Puts the link back to a fresh session after a handler (mysql_reset_connection, database and
 * session settings sent again). */
enum ho_code db_reset(struct db *db, struct ho_err *err) HO_MUST_CHECK;

/* How long an answer may take from now on; for handlers' own connection. */
void db_set_read_timeout(struct db *db, unsigned seconds);

/* No call from now on waits beyond that point, whatever the role allows it: one that would fails as
 * if the link were lost (2013). For a receiver, whose sender does not wait. */
#define DB_NO_LIMIT ((struct deadline){INT64_MAX})
void db_limit(struct db *db, struct deadline end);

#endif
