/* The health check's trials: are the rights there, and can a transaction be taken back? */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mac.h"
#include "base/ulid.h"
#include "store/health_parts.h"
#include "store/sql.h"
#include "store/sql_health.h"

#define TRIAL_SCOPE "hookonce-check"
#define RIGHTS_N 4

/* A statement of each kind that changes nothing. */
static void put_statement(size_t kind, const char *table, const char *column, char out[160])
{
    switch (kind) {
    case 0:
        (void)snprintf(out, 160, "SELECT 1 FROM %s WHERE FALSE", table);
        break;
    case 1:
        (void)snprintf(out, 160, "INSERT INTO %s SELECT * FROM %s WHERE FALSE", table, table);
        break;
    case 2:
        (void)snprintf(out, 160, "UPDATE %s SET %s = %s WHERE FALSE", table, column, column);
        break;
    default:
        (void)snprintf(out, 160, "DELETE FROM %s WHERE FALSE", table);
        break;
    }
}

static bool is_read_only(const struct ho_err *err)
{
    return db_what(err) == DB_READ_ONLY;
}

static enum ho_code rights(struct db *db, struct health *h, struct ho_err *err)
{
    static const char *const tables[][2] = {
        {"hookonce_receipt", "status"}, {"hookonce_guard", "event_id"},
        {"hookonce_conflict", "seen"},  {"hookonce_body", "part"},
        {"hookonce_job", "tries"},      {"hookonce_attempt", "outcome"},
        {"hookonce_worker", "pid"},     {"hookonce_effect", "state"},
        {"hookonce_object", "mark"},    {"hookonce_handler", "failures"},
        {"hookonce_slot", "claim_no"},  {"hookonce_answer", "status"},
        {"hookonce_command", "reason"}, {"hookonce_stat", "events"},
        {"hookonce_expect", "state"},
        {"hookonce_tally", "n"},        {"hookonce_seen", "n"},
        {"hookonce_sample", "ready"},   {"hookonce_host", "version"},
        {"hookonce_round", "worker"},   {"hookonce_alert", "n"},
        {"hookonce_telling", "error"},
    };
    static const char *const words[RIGHTS_N] = {"SELECT", "INSERT", "UPDATE", "DELETE"};
    char missing[100] = "", sql[160], table[DB_NAME_ROOM];

    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        for (size_t k = 0; k < RIGHTS_N; k++) {
            put_statement(k, tables[t][0], tables[t][1], sql);
            enum ho_code code = db_run_built(db, sql, NULL, 0, NULL, err);
            size_t len = strlen(missing);
            db_named(db, tables[t][0], table, sizeof table);
            if (code == HO_PERMANENT) {
                (void)snprintf(missing + len, sizeof missing - len, "%s%s on %s",
                               len > 0 ? ", " : "", words[k], table);
            } else if (code != HO_OK) {
                return code;
            }
        }
    }
    health_add(h, missing[0] != '\0' ? HEALTH_FAIL : HEALTH_OK, "rights",
               "grant the database user SELECT, INSERT, UPDATE and DELETE on these tables", "%s%s",
               missing[0] != '\0' ? "missing: " : "SELECT, INSERT, UPDATE, DELETE", missing);
    return HO_OK;
}

/* What a row does that is written twice and taken back. */
struct trial {
    uint64_t first, second; /* affected rows */
    int64_t left;           /* rows after ROLLBACK */
};

static enum ho_code try_out(struct db *db, void *arg, struct ho_err *err)
{
    struct trial *t = arg;
    unsigned char token[SHA256_LEN];
    char cid[ULID_LEN + 1];
    struct db_rows rows = {0};

    mac_random(token, sizeof token);
    ulid_new(clock_wall_us(), cid);
    struct db_value in[] = {DBV_BYTES(SPAN_LIT(TRIAL_SCOPE)),
                            DBV_BYTES(span_make(token, sizeof token)), DBV_BYTES(SPAN_LIT("-")),
                            DBV_STR(cid)};
    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = db_run(db, SQL_GUARD_INSERT, in, 4, &rows, err);
        t->first = rows.affected;
    }
    if (code == HO_OK) {
        code = db_run(db, SQL_GUARD_INSERT, in, 4, &rows, err);
        t->second = rows.affected;
    }
    db_rollback(db);
    if (code == HO_OK) {
        code = db_run(db, SQL_HEALTH_TRIAL_LEFT, in, 2, &rows, err);
        t->left = db_cell_int(&rows, 0, 0);
    }
    if (code == HO_OK && t->left > 0) {
        code = db_run(db, SQL_HEALTH_TRIAL_CLEAN, in, 1, NULL, err);
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code health_trial(struct db *db, struct health *h, struct ho_err *err)
{
    struct trial t = {0, 0, 0};

    enum ho_code code = rights(db, h, err);
    if (code == HO_OK) {
        code = db_transact(db, deadline_in(5000), try_out, &t, err);
    }
    if (code == HO_OK) {
        bool well = t.first == 1 && t.second == 0 && t.left == 0;
        health_add(h, well ? HEALTH_OK : HEALTH_FAIL, "trial",
                   "a row that is written twice must count once, and after ROLLBACK not at all: is"
                   " a proxy between, or are the tables not InnoDB?",
                   "%s: written %llu, again %llu, after ROLLBACK %lld", well ? "good" : "wrong",
                   (unsigned long long)t.first, (unsigned long long)t.second, (long long)t.left);
    } else if (is_read_only(err) || code == HO_PERMANENT) {
        health_add(h, HEALTH_FAIL, "trial", "nothing can be recorded now", "%s", err->text);
        code = HO_OK;
    }
    return code;
}
