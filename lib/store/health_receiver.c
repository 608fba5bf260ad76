/* The rights of the receivers' own account. Every statement is prepared only: the server looks at
 * the rights then, and nothing is run. */
#include <stdio.h>
#include <string.h>

#include "store/health_parts.h"
#include "store/sql.h"
#include "store/sql_answers.h"
#include "store/sql_health.h"
#include "store/sql_jobs.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* What the receiver runs, and what it runs for sources in reply mode. */
static const struct needed {
    const char *what, *sql;
    bool reply;
} needed[] = {
    {"read hookonce_schema", SQL_SCHEMA_STATE, false},
    {"add to hookonce_guard", SQL_GUARD_INSERT, false},
    {"read hookonce_guard", SQL_GUARD_BACK, false},
    {"add to hookonce_receipt", SQL_RECEIPT_INSERT, false},
    {"read hookonce_receipt", SQL_RECEIPT_BACK, false},
    {"count in hookonce_receipt", SQL_DUPLICATE_COUNT, false},
    {"add to hookonce_body", SQL_BODY_INSERT, false},
    {"add to hookonce_job", SQL_JOB_INSERT, false},
    {"lock hookonce_receipt", SQL_CONFLICT_LOCK, false},
    {"read hookonce_conflict", SQL_CONFLICT_ROWS, false},
    {"count in hookonce_conflict", SQL_CONFLICT_AGAIN, false},
    {"add to hookonce_conflict", SQL_CONFLICT_INSERT, false},
    {"claim in hookonce_job", sql_reply_job, true},
    {"read hookonce_answer", sql_reply_look, true},
    {"let go in hookonce_job", sql_reply_let_go, true},
    {"lock hookonce_job", sql_reply_lock, true},
    {"take over in hookonce_job", sql_reply_claim, true},
    {"end tries in hookonce_attempt", sql_reply_ended, true},
    {"add to hookonce_attempt", sql_reply_lost, true},
    {"change hookonce_receipt", sql_receipt_status, true},
};

static bool refused(const struct ho_err *err)
{
    return db_what(err) == DB_DENIED;
}

/* Whether the account may run it; else *may is false. */
static enum ho_code may_run(struct db *db, const char *sql, bool *may, struct ho_err *err)
{
    enum ho_code code = db_try_ours(db, sql, err);

    *may = code == HO_OK;
    return code != HO_OK && refused(err) ? HO_OK : code;
}

static void add_word(char *list, size_t room, const char *word)
{
    size_t len = strlen(list);

    (void)snprintf(list + len, room - len, "%s%s", len > 0 ? ", " : "", word);
}

static enum ho_code look_needed(struct db *db, bool reply, struct health *h, struct ho_err *err)
{
    char missing[110] = "", what[110];
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < COUNT(needed) && code == HO_OK; i++) {
        bool may = true;

        if (!needed[i].reply || reply) {
            code = may_run(db, needed[i].sql, &may, err);
        }
        if (code == HO_OK && !may) {
            db_named(db, needed[i].what, what, sizeof what);
            add_word(missing, sizeof missing, what);
        }
    }
    if (code == HO_OK) {
        health_add(h, missing[0] != '\0' ? HEALTH_FAIL : HEALTH_OK, "receiver's rights",
                   "without them deliveries are answered busy: run what `hookonce grants` prints",
                   "%s%s", missing[0] != '\0' ? "must not: " : "what it needs", missing);
    }
    return code;
}

/* Rights beyond the tables: on the site's own ones, and on the server. */
static enum ho_code look_around(struct db *db, char *list, size_t room, struct ho_err *err)
{
    struct db_rows rows = {0};
    enum ho_code code = db_run(db, SQL_HEALTH_REACH, NULL, 0, &rows, err);

    if (code == HO_OK && db_cell_int(&rows, 0, 0) > 0) {
        add_word(list, room, "reach tables of the site");
    }
    if (code == HO_OK && db_cell_int(&rows, 0, 1) > 0) {
        add_word(list, room, "change the tables' shape");
    }
    if (code == HO_OK && db_cell_int(&rows, 0, 2) > 0) {
        add_word(list, room, "do something on the whole server");
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code look_beyond(struct db *db, bool reply, struct health *h, struct ho_err *err)
{
    char list[110] = "";
    enum ho_code code = look_around(db, list, sizeof list, err);

    for (size_t i = 0; i < health_beyond_n && code == HO_OK; i++) {
        bool may = false;

        if (!health_beyond[i].reply_may || !reply) {
            code = may_run(db, health_beyond[i].sql, &may, err);
        }
        if (code == HO_OK && may) {
            add_word(list, sizeof list, health_beyond[i].what);
        }
    }
    if (code == HO_OK) {
        health_add(h, list[0] != '\0' ? HEALTH_WARN : HEALTH_OK, "receiver's limits",
                   "it needs none of this: take all rights away and run what `hookonce grants`"
                   " prints, or see RUNBOOK, \"Two database users\"",
                   "%s%s", list[0] != '\0' ? "may also " : "it may do nothing else", list);
    }
    return code;
}

enum ho_code health_receiver(struct db *db, bool reply, struct health *out, struct ho_err *err)
{
    out->n = 0;
    enum ho_code code = look_needed(db, reply, out, err);
    return code == HO_OK ? look_beyond(db, reply, out, err) : code;
}
