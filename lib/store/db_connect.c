/* Opening a link: where to, as whom, and its session. */
#include "store/db.h"

#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "base/mac.h"
#include "base/secret.h"
#include "store/db_error.h"
#include "store/db_link.h"
#include "store/db_session.h"
#include "store/db_wait.h"

#define CROWD_MS 1000 /* at most, for a turn */
#define CROWD_FIRST_MS 8
#define CROWD_LAST_MS 64
#define TLS_FAILED 2026 /* the client library's numbers */
#define NO_PLUGIN 2059
#define NOT_LET_IN 1045 /* the server's */

enum ho_code db_set_session(struct db *db, struct ho_err *err)
{
    char sql[DB_SESSION_TEXT];

    db_session_text(db->role, mariadb_connection(db->link) != 0, sql);
    return db_query(db, sql, err);
}

/* What is said of TLS is said both ways: the client library's own idea of it changes from one
 * version to the next. */
static void set_tls(MYSQL *link, const struct settings *s, enum db_tls tls)
{
    const my_bool encrypt = tls != DB_TLS_OFF, verify = tls == DB_TLS_VERIFY;
    const char *ca = !verify ? NULL : s->tls_ca != NULL ? s->tls_ca : host_ca_bundle();

    if (encrypt) {
        (void)mysql_ssl_set(link, s->tls_key, s->tls_cert, ca, NULL, NULL);
    }
    (void)mysql_options(link, MYSQL_OPT_SSL_ENFORCE, &encrypt);
    (void)mysql_options(link, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
}

/* A server chooses how a password is said, and one that is nobody's may ask for it in the clear: those
 * ways are for a server that is known by its socket or its certificate. */
static void set_ways(MYSQL *link, bool known)
{
#if defined(MARIADB_PACKAGE_VERSION_ID) && MARIADB_PACKAGE_VERSION_ID >= 30300
    if (!known) {
        (void)mysql_optionsv(link, MARIADB_OPT_RESTRICTED_AUTH,
                             "mysql_native_password,client_ed25519,parsec,caching_sha2_password,"
                             "sha256_password,auth_gssapi_client");
    }
#else
    (void)link;
    (void)known;
#endif
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

/* Makes the link's session ours, if it is not yet; a link on which that fails is closed. */
static enum ho_code make_session(struct db *db, struct ho_err *err)
{
    enum ho_code code = db->session_due ? db_set_session(db, err) : HO_OK;

    db->session_due = false;
    if (code != HO_OK) {
        db_drop(db);
    }
    return code;
}

/* For a plugin that isn't there the library gives the server's number, with a text of its own. */
static unsigned number_of(MYSQL *link)
{
    static const char own[] = "Plugin ";
    unsigned number = mysql_errno(link);

    return number == NOT_LET_IN && strncmp(mysql_error(link), own, sizeof own - 1) == 0 ? NO_PLUGIN
                                                                                        : number;
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
    enum db_tls tls = socket != NULL ? s->tls_socket : s->tls_host;
    unsigned read_s = (unsigned)(db->read_ms / 1000);
    MYSQL *link = mysql_init(NULL);

    if (link == NULL) {
        ho_die("out of memory");
    }
    enum ho_code code = set_options(link, socket != NULL, read_s, err);
    set_tls(link, s, tls);
    set_ways(link, socket != NULL || tls == DB_TLS_VERIFY);
    if (code == HO_OK && !db_wait_connect(link, &to, ms)) {
        code = db_error(err, number_of(link), mysql_sqlstate(link), mysql_error(link), true);
    }
    /* Some versions of the library go on in the clear where the server has no TLS. */
    if (code == HO_OK && tls != DB_TLS_OFF && mysql_get_ssl_cipher(link) == NULL) {
        code = db_error(err, TLS_FAILED, "HY000", "the server offers no TLS", true);
    }
    if (code != HO_OK) {
        mysql_close(link);
        return code;
    }
    db->link = link;
    db->socket = socket;
    db->is_exact = db_wait_is_exact(link, read_s);
    db->session_due = true;
    return db->plain ? HO_OK : make_session(db, err);
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

static void tell_both(const struct ho_err *before, struct ho_err *err)
{
    static const char again[] = "database: ";
    const struct ho_err after = *err;
    size_t skip = strncmp(after.text, again, sizeof again - 1) == 0 ? sizeof again - 1 : 0;

    (void)ho_fail(err, after.code, "%s; %s", before->text, after.text + skip);
    err->sys = after.sys;
}

/* The places in order, until one answers, be it with a refusal; each gets its share of the time
 * that is left. What was wrong with each of them is told. */
static enum ho_code try_places(struct db *db, const char *password, struct ho_err *err)
{
    const struct settings *s = db->settings;
    size_t n = s->n_sockets + (s->host != NULL ? 1 : 0);
    struct deadline end = deadline_in(db_bound_ms(db, db_role_row(db->role)->connect_ms));
    enum ho_code code = HO_TRANSIENT;

    for (size_t i = 0; i < n && code == HO_TRANSIENT; i++) {
        struct ho_err before = i > 0 ? *err : (struct ho_err){.code = HO_OK};

        code = open_link(db, i < s->n_sockets ? s->sockets[i] : NULL, password,
                         deadline_left_ms(end) / (int64_t)(n - i), err);
        if (i > 0 && code != HO_OK) {
            tell_both(&before, err);
        }
    }
    return code;
}

/* While others hold all the links that the account may have, this one waits for its turn: they need them
 * for some milliseconds. It leaves half of the time there is for what the link is for. */
static enum ho_code try_in_turn(struct db *db, const char *password, struct ho_err *err)
{
    int64_t share_ms = db_bound_ms(db, db_role_row(db->role)->connect_ms) / 2;
    struct deadline end = deadline_in(share_ms < CROWD_MS ? share_ms : CROWD_MS);
    enum ho_code code = try_places(db, password, err);

    for (int64_t ms = CROWD_FIRST_MS; code != HO_OK && db_error_crowded(err); ms *= 2) {
        unsigned char random;

        mac_random(&random, 1);
        ms = ms < CROWD_LAST_MS ? ms : CROWD_LAST_MS;
        if (deadline_left_ms(end) <= 2 * ms) {
            break;
        }
        clock_sleep_ms(ms + ms * random / 256);
        code = try_places(db, password, err);
    }
    return code;
}

enum ho_code db_connect(struct db *db, struct ho_err *err)
{
    char *password = NULL;

    if (db->link != NULL) {
        return db->plain ? HO_OK : make_session(db, err);
    }
    if (db->in_tx) {
        return db_error(err, DB_LOST, "HY000", "", false); /* never on a new link what belongs to it */
    }
    enum ho_code code = read_password(db, &password, err);
    if (code != HO_OK) {
        return code;
    }
    code = try_in_turn(db, password, err);
    wipe_password(password);
    return code == HO_OK && db->look != NULL ? look_at(db, err) : code;
}

