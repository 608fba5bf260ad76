/* The connection to MariaDB or MySQL: opening it, its session, its transactions. */
#include "store/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mac.h"
#include "base/secret.h"
#include "store/db_error.h"
#include "store/db_link.h"
#include "store/db_session.h"
#include "store/seals.h"
#include "store/db_wait.h"

#define LOST 2013 /* the client library's number */

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
    db->untransacted = false;
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

/* How long a call may wait that begins now. */
static int64_t bound_ms(const struct db *db, int64_t own_ms)
{
    int64_t left = deadline_left_ms(db->limit);

    return left < own_ms ? left : own_ms;
}

void db_bound(struct db *db)
{
    if (db->is_exact) {
        db_wait_bound(db->link, bound_ms(db, db->read_ms));
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

static enum ho_code query(struct db *db, const char *sql, struct ho_err *err)
{
    db_bound(db);
    if (mysql_real_query(db->link, sql, strlen(sql)) != 0) {
        return link_failed(db, err);
    }
    db_note_tracked(db);
    return HO_OK;
}

static enum ho_code set_session(struct db *db, struct ho_err *err)
{
    char sql[DB_SESSION_TEXT];

    db_session_text(db->role, mariadb_connection(db->link) != 0, sql);
    return query(db, sql, err);
}

static enum ho_code set_options(MYSQL *link, bool by_socket, unsigned read_s, struct ho_err *err)
{
    const my_bool off = 0;
    unsigned protocol = by_socket ? MYSQL_PROTOCOL_SOCKET : MYSQL_PROTOCOL_TCP;

    (void)mysql_options(link, MYSQL_OPT_PROTOCOL, &protocol);
    (void)mysql_options(link, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    /* Never: a COMMIT on a connection that was silently renewed "works" with nothing stored. */
    (void)mysql_options(link, MYSQL_OPT_RECONNECT, &off);
    /* Never: a server could ask for this account's files. */
    (void)mysql_options(link, MYSQL_OPT_LOCAL_INFILE, &off);
#ifdef HO_PORTABLE
    /* What the host's own client library has there is made for another one. */
    (void)mysql_optionsv(link, MYSQL_PLUGIN_DIR, "/nonexistent");
#endif
    return db_wait_prepare(link, read_s)
               ? HO_OK
               : ho_fail(err, HO_PERMANENT, "this client library can't wait for a limited time");
}

/* A receiver may have an account of its own. */
static bool own_account(const struct db *db)
{
    return db->role == DB_RECEIVER && db->settings->db_receiver_user != NULL;
}

/* Opens one link: through a socket, or to a host. */
static enum ho_code open_link(struct db *db, const char *socket, const char *password, int64_t ms,
                              struct ho_err *err)
{
    const struct settings *s = db->settings;
    const struct db_target to = {.host = socket != NULL ? NULL : s->host,
                                 .socket = socket,
                                 .port = socket != NULL ? 0 : s->port,
                                 .user = own_account(db) ? s->db_receiver_user : s->db_user,
                                 .password = password,
                                 .database = s->db_name};
    unsigned read_s = (unsigned)(db->read_ms / 1000);
    MYSQL *link = mysql_init(NULL);

    if (link == NULL) {
        ho_die("out of memory");
    }
    enum ho_code code = set_options(link, socket != NULL, read_s, err);
    if (code == HO_OK && !db_wait_connect(link, &to, ms)) {
        code = db_error(err, mysql_errno(link), mysql_sqlstate(link), mysql_error(link), true);
    }
    if (code != HO_OK) {
        mysql_close(link);
        return code;
    }
    db->link = link;
    db->is_exact = db_wait_is_exact(link, read_s);
    code = set_session(db, err);
    if (code != HO_OK) {
        db_drop(db);
    }
    return code;
}

/* The password as the client library takes it; heap, wiped by wipe_password. NULL: none. */
static enum ho_code read_password(const struct db *db, char **out, struct ho_err *err)
{
    const char *file = own_account(db) ? db->settings->db_receiver_password_file
                                       : db->settings->db_password_file;
    struct secret password = {NULL, 0};

    *out = NULL;
    if (file == NULL) {
        return HO_OK;
    }
    if (secret_read(file, &password, err) != HO_OK) {
        err->code = HO_PERMANENT;
        err->sys = 0; /* that of a file is none of the database */
        return HO_PERMANENT;
    }
    *out = ho_alloc(password.len + 1);
    memcpy(*out, password.p, password.len);
    (*out)[password.len] = '\0';
    secret_free(&password);
    return HO_OK;
}

static void wipe_password(char *text)
{
    if (text != NULL) {
        mac_wipe(text, strlen(text));
        free(text);
    }
}

void db_on_link(struct db *db, db_tx *look, void *arg)
{
    db->look = look;
    db->look_arg = arg;
}

/* Not while it looks itself. */
static enum ho_code look_at(struct db *db, struct ho_err *err)
{
    db_tx *look = db->look;

    db->look = NULL;
    enum ho_code code = look(db, db->look_arg, err);
    db->look = look;
    if (code != HO_OK) {
        db_drop(db);
    }
    return code;
}

enum ho_code db_connect(struct db *db, struct ho_err *err)
{
    const struct settings *s = db->settings;
    char *password = NULL;

    if (db->link != NULL) {
        return HO_OK;
    }
    if (db->in_tx) {
        return db_error(err, LOST, "HY000", "", false); /* never on a new link what belongs to it */
    }
    enum ho_code code = read_password(db, &password, err);
    if (code != HO_OK) {
        return code;
    }
    int64_t ms = bound_ms(db, db_role_row(db->role)->connect_ms);
    if (s->n_sockets == 0) {
        code = open_link(db, NULL, password, ms, err);
    }
    for (size_t i = 0; i < s->n_sockets; i++) {
        code = open_link(db, s->sockets[i], password, ms / (int64_t)s->n_sockets, err);
        if (code != HO_TRANSIENT) {
            break;
        }
    }
    wipe_password(password);
    return code == HO_OK && db->look != NULL ? look_at(db, err) : code;
}

static enum ho_code begin(struct db *db, const char *sql, struct ho_err *err)
{
    db->in_tx = false;
    enum ho_code code = db_connect(db, err);
    if (code == HO_OK) {
        db->untransacted = false;
        code = query(db, sql, err);
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
        return lost ? db_error(err, LOST, "HY000", "", false)
                    : ho_fail(err, HO_BUG, "COMMIT without a connection");
    }
    return query(db, "COMMIT", err);
}

void db_rollback(struct db *db)
{
    struct ho_err ignored;

    db->in_tx = false;
    if (db->link != NULL && query(db, "ROLLBACK", &ignored) != HO_OK) {
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
        code = set_session(db, err);
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
    if (db->link == NULL || query(db, "SHOW WARNINGS", &ignored) != HO_OK) {
        return false;
    }
    MYSQL_RES *rows = mysql_store_result(db->link);
    for (MYSQL_ROW row; rows != NULL && (row = mysql_fetch_row(rows)) != NULL;) {
        found = found || (row[1] != NULL && strcmp(row[1], text) == 0);
    }
    mysql_free_result(rows);
    return found;
}
