/* The database of a new config: asked for, found, and tried before anything is written. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "operator/setup.h"

#define PASSWORD_FILE "db.password"
#define PASSWORD_TRIAL PASSWORD_FILE ".trial" /* until it has let us in */
#define TLS_FAILED 2026 /* the client library's number */
#define LOOPBACK "127.0.0.1"
#define CONFIG_MAX ((size_t)16 * SETUP_TEXT_MAX)

struct search {
    struct setup *s;
    bool new_password; /* it lies in PASSWORD_TRIAL */
    char socket[SETUP_TEXT_MAX]; /* that we were let in by; "": over TCP */
};

static void must(enum ho_code code)
{
    if (code != HO_OK) {
        ho_die("bug: a [database] is too long");
    }
}

static bool is_socket(const struct setup *s)
{
    return s->host[0] == '/';
}

/* Then it is looked for at the usual places. A port, and TLS to a host, are of TCP only. */
static bool is_anywhere(const struct setup *s)
{
    return strcmp(s->host, "localhost") == 0 && s->port[0] == '\0' &&
           (s->tls[0] == '\0' || strcmp(s->tls, "off") == 0);
}

static bool is_elsewhere(const struct setup *s)
{
    return !is_socket(s) && strcmp(s->host, "localhost") != 0 &&
           strncmp(s->host, "127.", 4) != 0 && strcmp(s->host, "::1") != 0;
}

void setup_database_put(const struct setup *s, bool trial, struct buf *out)
{
    must(buf_add_str(out, "[database]\n"));
    if (!is_anywhere(s)) {
        must(buf_addf(out, "%s = %s\n", is_socket(s) ? "socket" : "host", s->host));
    }
    if (s->port[0] != '\0' && !is_socket(s)) {
        must(buf_addf(out, "port = %s\n", s->port));
    }
    if (s->tls[0] != '\0') {
        must(buf_addf(out, "tls = %s\n", s->tls));
    }
    must(buf_addf(out, "name = %s\nuser = %s\npassword = file:%s\n", s->database, s->user,
                  trial ? PASSWORD_TRIAL : PASSWORD_FILE));
    if (s->prefix[0] != '\0') {
        must(buf_addf(out, "table_prefix = %s\n", s->prefix));
    }
}

/* ---- the tries ---- */

static enum ho_code connect_by(struct search *f, const struct settings *set, struct ho_err *err)
{
    struct db *db = db_open(set, DB_OPERATOR);
    enum ho_code code = db_connect(db, err);
    const char *socket = db_socket(db);

    if (code == HO_OK) {
        (void)snprintf(f->socket, sizeof f->socket, "%s", socket != NULL ? socket : "");
    }
    db_close(db);
    return code;
}

/* Whether the config as it is so far lets us in. */
static enum ho_code try_database(struct search *f, struct ho_err *err)
{
    const struct setup *s = f->s;
    struct settings *set = NULL;
    struct buf text;
    char trial[SETUP_PATH_ROOM];

    buf_init(&text, CONFIG_MAX);
    setup_database_put(s, f->new_password, &text);
    setup_in_folder(s, SETUP_CONFIG_TRIAL, trial);
    enum ho_code code = file_write(trial, buf_span(&text), true, err);
    buf_free(&text);
    code = code == HO_OK ? settings_load(trial, &set, err) : code;
    (void)unlink(trial);
    if (code == HO_OK &&
        (strcmp(set->db_name, s->database) != 0 || strcmp(set->db_user, s->user) != 0)) {
        code = ho_fail(err, HO_REJECT, "name and user of the database can't be written into a "
                                       "config as they are: they hold a # behind a blank, or end "
                                       "in blanks");
    }
    code = code == HO_OK ? connect_by(f, set, err) : code;
    settings_free(set);
    return code;
}

/* To another host: with a certificate that can be checked, else with any. Never in the clear
 * without being told to: whoever is in between at this moment would have it so for good. */
static enum ho_code find_tls(struct search *f, struct ho_err *err)
{
    struct setup *s = f->s;
    struct ho_err first;

    (void)snprintf(s->tls, sizeof s->tls, "verify");
    enum ho_code code = try_database(f, err);
    if (code == HO_OK) {
        (void)printf("The way to %s is encrypted, and its certificate is good for that name: "
                     "`tls = verify` goes\ninto the config.\n", s->host);
    }
    if (code == HO_OK || err->sys != TLS_FAILED) {
        return code;
    }
    first = *err;
    ho_err_clear(err);
    (void)snprintf(s->tls, sizeof s->tls, "on");
    code = try_database(f, err);
    if (code == HO_OK) {
        (void)printf("The certificate of %s can't be checked: %s\nThe way is encrypted all the "
                     "same, whoever answers there: `tls = on` goes into the config.\nShould your "
                     "host give you the certificate of its authority, name it with tls_ca and\nset "
                     "tls = verify.\n", s->host, first.text);
    } else if (err->sys == TLS_FAILED) {
        (void)fprintf(stderr, "There is no encrypted way to %s. If the way there is private, give "
                              "`--tls off`: then all goes in the clear.\n", s->host);
    }
    return code;
}

/* Finds the way in, and keeps the place that it was found at: what is looked for each time may be
 * another's one day, while the database is down. */
static enum ho_code find_way(struct search *f, struct ho_err *err)
{
    struct setup *s = f->s;

    if (!is_anywhere(s) && strcmp(s->host, "localhost") == 0 && strcmp(s->tls, "verify") != 0) {
        (void)snprintf(s->host, sizeof s->host, "%s", LOOPBACK);
    }
    enum ho_code code = is_elsewhere(s) && s->tls[0] == '\0' ? find_tls(f, err)
                                                             : try_database(f, err);

    if (code == HO_OK && (is_anywhere(s) || is_socket(s))) {
        (void)snprintf(s->host, sizeof s->host, "%s",
                       f->socket[0] != '\0' ? f->socket : LOOPBACK);
        (void)printf("The database is at %s: that goes into the config.\n", s->host);
    }
    return code;
}

/* ---- the questions ---- */

static int ask_database(struct setup *s)
{
    int status = setup_ask(s, "Name of the database", "--database", "", s->database);

    if (status == EXIT_WELL) {
        status = setup_ask(s, "Its user", "--user", s->database, s->user);
    }
    return status == EXIT_WELL
               ? setup_ask(s, "Host of the database, or path of its socket", "--host", "localhost",
                           s->host)
               : status;
}

/* One that is there has let us in before. */
static int ask_password(struct search *f, const char *path, const char *trial)
{
    struct setup *s = f->s;
    struct secret password = {NULL, 0};
    struct ho_err err = {HO_OK, 0, ""};

    if (access(path, F_OK) == 0) {
        (void)printf("%s is there already, and is used.\n", path);
        return EXIT_WELL;
    }
    int status = setup_ask_secret(s, "Password of that user", "--password-file", s->password_file,
                                  &password);
    if (status == EXIT_WELL && file_write(trial, secret_span(&password), true, &err) != HO_OK) {
        status = operator_fail(s->op, EXIT_TROUBLE, "%s", err.text);
    }
    f->new_password = status == EXIT_WELL;
    secret_free(&password);
    return status;
}

/* What has not let us in is not kept. */
static int refused(const struct search *f, const char *path, const struct ho_err *err)
{
    int status = operator_db_fail(f->s->op, err);

    (void)fprintf(stderr, "Nothing was written: look the four up in your host's panel, and run "
                          "this again.\n");
    if (!f->new_password) {
        (void)fprintf(stderr, "To be asked for the password again, remove %s.\n", path);
    }
    return status;
}

int setup_database(struct setup *s)
{
    struct search f = {.s = s};
    struct ho_err err = {HO_OK, 0, ""};
    char path[SETUP_PATH_ROOM], trial[SETUP_PATH_ROOM];
    int status = ask_database(s);

    setup_in_folder(s, PASSWORD_FILE, path);
    setup_in_folder(s, PASSWORD_TRIAL, trial);
    status = status == EXIT_WELL ? ask_password(&f, path, trial) : status;
    if (status == EXIT_WELL && find_way(&f, &err) != HO_OK) {
        status = refused(&f, path, &err);
    } else if (status == EXIT_WELL && f.new_password && rename(trial, path) != 0) {
        status = operator_fail(s->op, EXIT_TROUBLE, "%s can't be made", path);
    }
    (void)unlink(trial);
    return status;
}
