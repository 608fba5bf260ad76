/* Settings and limits of the server, one rule a variable. */
#include "store/health.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/health_parts.h"
#include "store/sql_health.h"

#define CLOCK_SKEW_MAX_US (2 * INT64_C(1000000))

void health_add(struct health *h, enum health_verdict verdict, const char *name,
                const char *advice, const char *fmt, ...)
{
    if (h->n == HEALTH_MAX) {
        return;
    }
    struct health_row *row = &h->rows[h->n++];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(row->value, sizeof row->value, fmt, ap);
    va_end(ap);
    (void)snprintf(row->name, sizeof row->name, "%s", name);
    (void)snprintf(row->advice, sizeof row->advice, "%s", verdict != HEALTH_OK ? advice : "");
    row->verdict = verdict;
}

/* The server's variables as this session sees them. */
struct variables {
    struct db_rows rows;
};

/* out: the value, "" when the server does not have it. */
static const char *variable(const struct variables *v, const char *name, char out[160])
{
    out[0] = '\0';
    for (size_t i = 0; i < v->rows.n_rows; i++) {
        if (span_is_nocase(db_cell(&v->rows, i, 0), name)) {
            struct span value = db_cell(&v->rows, i, 1);
            (void)snprintf(out, 160, "%.*s", (int)value.len, (const char *)value.p);
        }
    }
    return out;
}

static bool on(const char *value)
{
    return value[0] != '\0' && strcmp(value, "OFF") != 0 && strcmp(value, "0") != 0;
}

static void server(struct health *h, struct db *db, const struct variables *v)
{
    unsigned long version = db_server_version(db);
    bool mariadb = db_is_mariadb(db);
    char value[160];
    bool old = mariadb ? version < 100300 : version < 80000;

    health_add(h, old ? HEALTH_FAIL : HEALTH_OK, "server",
               "needs MariaDB 10.3 or MySQL 8.0 at least", "%s %s", mariadb ? "MariaDB" : "MySQL",
               variable(v, "version", value));
}

/* A commit must be on the disk before it is answered. */
static void durability(struct health *h, const struct variables *v)
{
    char flush[160], bin[160], sync[160], format[160];

    (void)variable(v, "innodb_flush_log_at_trx_commit", flush);
    if (strcmp(flush, "1") == 0) {
        health_add(h, HEALTH_OK, "innodb_flush_log_at_trx_commit", "", "1");
    } else if (strcmp(flush, "0") == 0) {
        health_add(h, HEALTH_FAIL, "innodb_flush_log_at_trx_commit",
                   "a crash of the database loses acknowledged events of the last second or more:"
                   " ask the host for 1, or set spool = always",
                   "0");
    } else {
        health_add(h, HEALTH_WARN, "innodb_flush_log_at_trx_commit",
                   "a crash of the host's operating system loses acknowledged events of the last"
                   " second: ask the host for 1, or set spool = always",
                   "%s", flush);
    }
    if (!on(variable(v, "log_bin", bin))) {
        health_add(h, HEALTH_OK, "binlog", "", "off");
        return;
    }
    (void)variable(v, "sync_binlog", sync);
    (void)variable(v, "binlog_format", format);
    bool statement = strcmp(format, "STATEMENT") == 0;
    health_add(h, statement || strcmp(sync, "0") == 0 ? HEALTH_WARN : HEALTH_OK, "binlog",
               statement ? "with STATEMENT logs the processor's claims hold up receivers: ask the"
                           " host for ROW or MIXED"
                         : "with sync_binlog = 0 a crash of the host's operating system can lose"
                           " the newest acknowledged events: ask the host for 1",
               "%s, sync_binlog = %s", format, sync);
}

/* What we have set must have stayed: a proxy between may drop it. */
static void session(struct health *h, const struct variables *v)
{
    static const char proxy[] = "the settings of our session did not stay: is a proxy between?";
    char value[160];

    (void)variable(v, "sql_mode", value);
    health_add(h, strstr(value, "STRICT_ALL_TABLES") != NULL ? HEALTH_OK : HEALTH_FAIL, "sql_mode",
               proxy, "%s", value);
    (void)variable(v, "time_zone", value);
    health_add(h, strcmp(value, "+00:00") == 0 ? HEALTH_OK : HEALTH_FAIL, "time_zone", proxy, "%s",
               value);
    if (variable(v, "transaction_isolation", value)[0] == '\0') {
        (void)variable(v, "tx_isolation", value);
    }
    health_add(h, strcmp(value, "READ-COMMITTED") == 0 ? HEALTH_OK : HEALTH_WARN, "isolation",
               "an open claim holds up receivers under this level; it is kept because of the"
               " binlog's STATEMENT format",
               "%s", value);
}

static void limits(struct health *h, const struct variables *v)
{
    char packet[160], users[160], all[160], wait[160];
    int64_t bytes = strtoll(variable(v, "max_allowed_packet", packet), NULL, 10);
    int64_t most = strtoll(variable(v, "max_user_connections", users), NULL, 10);

    health_add(h,
               bytes < 256 * 1024    ? HEALTH_FAIL
               : bytes < 1024 * 1024 ? HEALTH_WARN
                                     : HEALTH_OK,
               "max_allowed_packet",
               bytes < 256 * 1024 ? "too small for an event with long headers: ask for 16M"
                                  : "large bodies need many statements: ask for 16M",
               "%s", packet);
    (void)variable(v, "max_connections", all);
    (void)variable(v, "wait_timeout", wait);
    health_add(h, most > 0 && most < 10 ? HEALTH_WARN : HEALTH_OK, "connections",
               "so few connections leave room for few deliveries at once: every receiver process"
               " and every worker takes one",
               "max_user_connections = %s, max_connections = %s, wait_timeout = %s s", users, all,
               wait);
}

static void read_only(struct health *h, const struct variables *v)
{
    char value[160], innodb[160];
    bool refused = on(variable(v, "read_only", value)) ||
                   on(variable(v, "innodb_read_only", innodb));

    health_add(h, refused ? HEALTH_FAIL : HEALTH_OK, "read_only",
               "this server takes no writes: it may be a replica, or under maintenance",
               "%s", refused ? "ON" : "OFF");
}

/* Limits an hour are told only by the account's own grants; their text holds the password's hash,
 * so nothing but the numbers is taken from it. */
static enum ho_code hourly(struct db *db, struct health *h, struct ho_err *err)
{
    static const char *const words[] = {"MAX_QUERIES_PER_HOUR", "MAX_UPDATES_PER_HOUR",
                                        "MAX_CONNECTIONS_PER_HOUR"};
    struct db_rows rows = {0};
    char value[100] = "";

    enum ho_code code = db_run(db, SQL_HEALTH_GRANTS, NULL, 0, &rows, err);
    for (size_t r = 0; code == HO_OK && r < rows.n_rows; r++) {
        /* A cell is followed by a NUL byte in the result's buffer. */
        const char *text = (const char *)db_cell(&rows, r, 0).p;
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
            const char *at = text != NULL ? strstr(text, words[w]) : NULL;
            if (at != NULL) {
                size_t len = strlen(value);
                (void)snprintf(value + len, sizeof value - len, "%s%s %ld", len > 0 ? ", " : "",
                               words[w], strtol(at + strlen(words[w]), NULL, 10));
            }
        }
    }
    db_rows_free(&rows);
    if (code == HO_OK) {
        health_add(h, value[0] != '\0' ? HEALTH_WARN : HEALTH_OK, "hourly limits",
                   "when they are reached deliveries are answered busy until the hour is over; a"
                   " delivery takes about 8 queries, 3 of them updates",
                   "%s", value[0] != '\0' ? value : "none");
    }
    return code;
}

enum ho_code health_clock(struct db *db, int64_t *ahead_us, struct ho_err *err)
{
    struct db_rows rows = {0};
    int64_t before = clock_wall_us();
    enum ho_code code = db_run(db, SQL_HEALTH_CLOCK, NULL, 0, &rows, err);

    *ahead_us = code == HO_OK ? (before + clock_wall_us()) / 2 - db_cell_int(&rows, 0, 0) : 0;
    db_rows_free(&rows);
    return code;
}

static enum ho_code clocks(struct db *db, struct health *h, struct ho_err *err)
{
    int64_t ahead = 0;
    enum ho_code code = health_clock(db, &ahead, err);
    int64_t size = ahead < 0 ? -ahead : ahead;

    if (code == HO_OK) {
        health_add(h, size > CLOCK_SKEW_MAX_US ? HEALTH_WARN : HEALTH_OK, "clock",
                   "the database's clock and this host's differ: senders' timestamps are judged by"
                   " this host's, due times are the database's",
                   "%lld ms %s this host's", (long long)(size / 1000),
                   ahead > 0 ? "behind" : "ahead of");
    }
    return code;
}

static enum ho_code cluster(struct db *db, struct health *h, const struct variables *v,
                            struct ho_err *err)
{
    char value[160];
    struct variables status = {.rows = {0}};
    char ready[160], state[160];

    if (!on(variable(v, "wsrep_on", value))) {
        return HO_OK;
    }
    enum ho_code code = db_run(db, SQL_HEALTH_CLUSTER, NULL, 0, &status.rows, err);
    if (code == HO_OK) {
        (void)variable(&status, "wsrep_ready", ready);
        (void)variable(&status, "wsrep_cluster_status", state);
        bool well = strcmp(ready, "ON") == 0 && strcmp(state, "Primary") == 0;
        health_add(h, well ? HEALTH_OK : HEALTH_FAIL, "cluster",
                   "this cluster node takes no statements now", "ready %s, %s", ready, state);
    }
    db_rows_free(&status.rows);
    return code;
}

enum ho_code health_check(struct db *db, struct health *out, struct ho_err *err)
{
    struct variables v = {.rows = {0}};
    bool all_tables = false;

    out->n = 0;
    enum ho_code code = db_run(db, SQL_HEALTH_VARIABLES, NULL, 0, &v.rows, err);
    if (code == HO_OK) {
        server(out, db, &v);
        read_only(out, &v);
        durability(out, &v);
        session(out, &v);
        limits(out, &v);
        code = hourly(db, out, err);
    }
    if (code == HO_OK) {
        code = cluster(db, out, &v, err);
    }
    if (code == HO_OK) {
        code = clocks(db, out, err);
    }
    if (code == HO_OK) {
        code = health_tables(db, out, &all_tables, err);
    }
    if (code == HO_OK && all_tables) {
        code = health_trial(db, out, err);
    }
    db_rows_free(&v.rows);
    return code;
}

enum ho_code health_writable(struct db *db, struct ho_err *err)
{
    return db_run(db, SQL_HEALTH_WRITABLE, NULL, 0, NULL, err);
}
