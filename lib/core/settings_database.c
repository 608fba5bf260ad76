/* The section [database]: where the database is, how the link to it is kept, and as whom. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/settings_parts.h"

/* Where servers of the usual distributions and panels listen. None is in a folder that anybody may write
 * to: who listens in the server's place is told the password. */
static const char *const usual_sockets[] = {
    "/run/mysqld/mysqld.sock",
    "/var/run/mysqld/mysqld.sock",
    "/var/lib/mysql/mysql.sock",
};
#define USUAL_HOST "127.0.0.1" /* never a name, which the client library takes for its own socket */

/* Who is who at the database. */
static enum ho_code load_users(struct settings *out, const struct conf_section *s,
                               struct ho_err *err)
{
    const char *own = setting_text(s, "receiver_user");

    if (own == NULL && conf_find(s, "receiver_password") != NULL) {
        return conf_fail(err, s, conf_find(s, "receiver_password"),
                         "`receiver_password` needs `receiver_user`");
    }
    if (own != NULL && strcmp(own, out->db_user) == 0) {
        return conf_fail(err, s, conf_find(s, "receiver_user"),
                         "`receiver_user` is another one than `user`, or is left out");
    }
    out->db_receiver_user = own;
    enum ho_code code = setting_file(s, "receiver_password", &out->db_receiver_password_file, err);
    return code == HO_OK ? setting_file(s, "password", &out->db_password_file, err) : code;
}

/* Whether that host is this machine, so that nobody is between. */
static bool is_here(const char *host)
{
    return strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
           strcmp(host, "::1") == 0;
}

static enum ho_code load_place(struct settings *out, const struct conf_section *s,
                               struct ho_err *err)
{
    setting_list(s, "socket", &out->sockets, &out->n_sockets);
    for (size_t i = 0; i < out->n_sockets; i++) {
        char *named = out->sockets[i];

        out->sockets[i] = conf_resolve(s, named);
        free(named);
    }
    out->sockets_said = out->n_sockets > 0;
    out->host = setting_text(s, "host");
    out->host_here = out->host == NULL || is_here(out->host);
    out->port = (unsigned)setting_number(s, "port");
    if (out->host != NULL && out->host[0] == '\0') {
        return conf_fail(err, s, conf_find(s, "host"), "`host` is empty: leave it out");
    }
    if (out->n_sockets > 0 || out->host != NULL) {
        return HO_OK;
    }
    for (size_t i = 0; i < sizeof usual_sockets / sizeof usual_sockets[0]; i++) {
        setting_add(&out->sockets, &out->n_sockets, ho_strdup(usual_sockets[i]));
    }
    out->host = USUAL_HOST;
    out->host_here = true;
    return HO_OK;
}

static enum ho_code load_tls_files(struct settings *out, const struct conf_section *s,
                                   struct ho_err *err)
{
    static const char *const names[] = {"tls_ca", "tls_cert", "tls_key"};
    char **const places[] = {&out->tls_ca, &out->tls_cert, &out->tls_key};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *named = setting_text(s, names[i]);

        *places[i] = named != NULL ? conf_resolve(s, named) : NULL;
    }
    if ((out->tls_cert != NULL) != (out->tls_key != NULL)) {
        return conf_fail(err, s, conf_find(s, out->tls_cert != NULL ? "tls_cert" : "tls_key"),
                         "`tls_cert` and `tls_key` go together");
    }
    return HO_OK;
}

static enum ho_code load_tls(struct settings *out, const struct conf_section *s,
                             struct ho_err *err)
{
    const struct conf_entry *said = conf_find(s, "tls");
    const char *word = said != NULL ? said->value : "";
    enum db_tls tls = strcmp(word, "verify") == 0 ? DB_TLS_VERIFY
                      : strcmp(word, "on") == 0   ? DB_TLS_ON
                                                  : DB_TLS_OFF;

    out->tls_socket = tls;
    out->tls_host = said != NULL || out->host == NULL || is_here(out->host) ? tls : DB_TLS_VERIFY;
    if (load_tls_files(out, s, err) != HO_OK) {
        return HO_REJECT;
    }
    if (said == NULL && out->tls_ca != NULL && out->host != NULL) {
        out->tls_host = DB_TLS_VERIFY;
    }
    if (tls == DB_TLS_VERIFY && (conf_find(s, "host") == NULL || conf_find(s, "socket") != NULL)) {
        return conf_fail(err, s, said, "`tls` = verify is for a `host`: through a socket there is no"
                         " name to check");
    }
    if (out->tls_ca != NULL && out->tls_host != DB_TLS_VERIFY) {
        return conf_fail(err, s, conf_find(s, "tls_ca"), "`tls_ca` needs `tls` = verify");
    }
    if (out->tls_cert != NULL && out->tls_host == DB_TLS_OFF && out->tls_socket == DB_TLS_OFF) {
        return conf_fail(err, s, conf_find(s, "tls_cert"), "`tls_cert` needs `tls`");
    }
    return HO_OK;
}

/* A prefix that no server folds, and that needs no quotes. */
static bool is_prefix(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");

    return text[n] == '\0' && n > 0 && n <= TABLE_PREFIX_MAX && text[0] >= 'a' && text[0] <= 'z';
}

enum ho_code settings_load_database(struct settings *out, const struct conf_section *s,
                                    struct ho_err *err)
{
    out->db_name = setting_text(s, "name");
    out->db_user = setting_text(s, "user");
    out->db_idle_ms = setting_number(s, "idle_close");
    out->table_prefix = setting_text(s, "table_prefix");
    if (!is_prefix(out->table_prefix)) {
        return conf_fail(err, s, conf_find(s, "table_prefix"),
                         "`table_prefix` is made of small letters, digits and _, a letter first,"
                         " at most %d", TABLE_PREFIX_MAX);
    }
    enum ho_code code = load_place(out, s, err);
    code = code == HO_OK ? load_tls(out, s, err) : code;
    return code == HO_OK ? load_users(out, s, err) : code;
}
