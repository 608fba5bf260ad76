/* The connection to MariaDB or MySQL: its life, its transactions. */
#include "store/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/db_error.h"
#include "store/db_link.h"
#include "store/db_session.h"
#include "store/seals.h"
#include "store/db_wait.h"

struct db *db_open(const struct settings *s, enum db_role role)
{
    struct db *db = ho_alloc(sizeof *db);

    *db = (struct db){.settings = s,
                      .role = role,
                      .read_ms = db_role_row(role)->read_ms,
                      .limit = DB_NO_LIMIT};
    return db;
}

static void drop_prepared(struct db *db)
{
    for (size_t i = 0; i < db->n_cache; i++) {
        (void)mysql_stmt_close(db->cache[i].stmt);
    }
    db->n_cache = 0;
}

void db_drop(struct db *db)
{
    if (db->link == NULL) {
        return;
    }
    /* The link first: closing a statement on it would wait for rows that are still to come. */
    mysql_close(db->link);
    db->link = NULL;
    drop_prepared(db);
    db->max_packet = 0;
    db->session_due = false;
    db->untransacted = db->timeout_known = db->no_skip = false;
}

void db_disconnect(struct db *db)
{
    db_drop(db);
    db->in_tx = false;
}

void db_close(struct db *db)
{
    if (db != NULL) {
        db_disconnect(db);
        seal_ring_free(db->seals);
        free(db);
    }
}

void db_set_read_timeout(struct db *db, unsigned seconds)
{
    db->read_ms = (int64_t)seconds * 1000;
}

void db_limit(struct db *db, struct deadline end)
{
    db->limit = end;
}

int64_t db_bound_ms(const struct db *db, int64_t own_ms)
{
    int64_t left = deadline_left_ms(db->limit);

    return left < own_ms ? left : own_ms;
}

void db_bound(struct db *db)
{
    if (db->is_exact) {
        db_wait_bound(db->link, db_bound_ms(db, db->read_ms));
    }
}

/* Records the link's last error, and closes the link where it is of no use any more. */
static enum ho_code link_failed(struct db *db, struct ho_err *err)
{
    unsigned number = mysql_errno(db->link);
    enum ho_code code =
        db_error(err, number, mysql_sqlstate(db->link), mysql_error(db->link), false);

    if (number == 0 || db_error_lost(number)) {
        db_drop(db);
    }
    return code;
}

/* Keeps in mind that a statement wrote to a table that no ROLLBACK reaches: the server sends a
 * word like "T__wW_S_" whenever the transaction's state changes. */
void db_note_tracked(struct db *db)
{
    const char *word = NULL;
    size_t len = 0;

    if (!db_role_row(db->role)->track) {
        return;
    }
    if (mysql_session_track_get_first(db->link, SESSION_TRACK_TRANSACTION_STATE, &word, &len) ==
            0 &&
        word != NULL && memchr(word, 'w', len) != NULL) {
        db->untransacted = true;
    }
}

enum ho_code db_query(struct db *db, const char *sql, struct ho_err *err)
{
    db_bound(db);
    if (mysql_real_query(db->link, sql, strlen(sql)) != 0) {
        return link_failed(db, err);
    }
    db_note_tracked(db);
    return HO_OK;
}

static enum ho_code begin(struct db *db, const char *sql, struct ho_err *err)
{
    db->in_tx = false;
    enum ho_code code = db_connect(db, err);
    if (code == HO_OK) {
        db->untransacted = false;
        code = db_query(db, sql, err);
        db->in_tx = code == HO_OK;
    }
    return code;
}

enum ho_code db_begin(struct db *db, struct ho_err *err)
{
    enum ho_code code = begin(db, "START TRANSACTION", err);

    return code == HO_OK && db->guard != NULL ? db->guard(db, db->guard_arg, err) : code;
}

void db_on_begin(struct db *db, db_tx *guard, void *arg)
{
    db->guard = guard;
    db->guard_arg = arg;
}

enum ho_code db_begin_reading(struct db *db, struct ho_err *err)
{
    return begin(db, "START TRANSACTION READ ONLY", err);
}

enum ho_code db_commit(struct db *db, struct ho_err *err)
{
    bool lost = db->link == NULL && db->in_tx;

    db->in_tx = false;
    if (db->link == NULL) {
        return lost ? db_error(err, DB_LOST, "HY000", "", false)
                    : ho_fail(err, HO_BUG, "COMMIT without a connection");
    }
    return db_query(db, "COMMIT", err);
}

void db_rollback(struct db *db)
{
    struct ho_err ignored;

    db->in_tx = false;
    if (db->link != NULL && db_query(db, "ROLLBACK", &ignored) != HO_OK) {
        db_drop(db);
    }
}

enum ho_code db_reset(struct db *db, struct ho_err *err)
{
    db->in_tx = false;
    if (db->link == NULL) {
        return db_connect(db, err);
    }
    db_bound(db);
    bool done = mysql_reset_connection(db->link) == 0 &&
                mysql_select_db(db->link, db->settings->db_name) == 0;
    enum ho_code code = done ? HO_OK : link_failed(db, err);
    drop_prepared(db); /* the server has forgotten them */
    db->untransacted = false;
    if (code == HO_OK) {
        code = db_set_session(db, err);
    }
    if (code != HO_OK) {
        db_disconnect(db);
    }
    return code;
}

/* ---- of the link ---- */

const struct seal_ring *db_seals(struct db *db)
{
    if (db->seals == NULL || !db->seals->complete) {
        seal_ring_free(db->seals);
        db->seals = seal_ring_load(db->settings);
    }
    return db->seals;
}

bool db_warned(struct db *db, unsigned number)
{
    struct ho_err ignored;
    char text[16];
    bool found = false;

    (void)snprintf(text, sizeof text, "%u", number);
    /* Not prepared: that would begin a new list of warnings. */
    if (db->link == NULL || db_query(db, "SHOW WARNINGS", &ignored) != HO_OK) {
        return false;
    }
    MYSQL_RES *rows = mysql_store_result(db->link);
    for (MYSQL_ROW row; rows != NULL && (row = mysql_fetch_row(rows)) != NULL;) {
        found = found || (row[1] != NULL && strcmp(row[1], text) == 0);
    }
    mysql_free_result(rows);
    return found;
}
