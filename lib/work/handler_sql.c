/* A site's SQL inside our transaction. The transaction is the promise: what the handler did and
 * the mark "done" commit together or not at all. So it is watched: a savepoint with a name that
 * nobody can know is set before every statement and must still be there behind it, and the server
 * tells of writes that no ROLLBACK reaches. @@in_transaction would not show a COMMIT AND CHAIN. */
#include <stdio.h>
#include <string.h>

#include "base/mac.h"
#include "base/text.h"
#include "work/handler_sql_parts.h"

#define NOT_ROLLED_BACK 1196
#define NOT_PREPARABLE 1295 /* BEGIN, LOCK TABLES and others before MariaDB 10.6: it will never work */
#define GUARD_RANDOM 8
#define VALUES_SMALL (128UL * 1024) /* that much any server takes */

struct guard {
    char name[2 * GUARD_RANDOM + 4];
};

/* out: *warned — by the server; may be NULL */
static enum ho_code guard_run(struct db *db, const struct guard *g, const char *verb, bool *warned,
                              struct ho_err *err)
{
    struct db_rows rows = {0};
    char sql[64];

    (void)snprintf(sql, sizeof sql, "%s %s", verb, g->name);
    enum ho_code code = db_run_built(db, sql, NULL, 0, &rows, err);
    if (warned != NULL) {
        *warned = rows.warnings > 0;
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code guard_set(struct db *db, struct guard *g, struct ho_err *err)
{
    unsigned char random[GUARD_RANDOM];

    mac_random(random, sizeof random);
    (void)snprintf(g->name, sizeof g->name, "hk_");
    text_hex(random, sizeof random, g->name + 3);
    return guard_run(db, g, "SAVEPOINT", NULL, err);
}

static enum handler_result bad(struct ho_err *err, const char *why)
{
    (void)ho_fail(err, HO_PERMANENT, "%s", why);
    return HANDLER_BAD;
}

static enum handler_result bad_ended(struct ho_err *err)
{
    return bad(err, "the handler ended the transaction (COMMIT, ROLLBACK, LOCK TABLES, or a "
                    "statement like CREATE or TRUNCATE that commits by itself)");
}

static enum handler_result bad_table(struct ho_err *err)
{
    return bad(err, "the handler wrote to a table that is not InnoDB: that cannot be undone");
}

/* Whether the transaction is still ours, and only InnoDB was written to; the guard is used up. */
static enum handler_result guard_check(struct db *db, const struct guard *g, struct ho_err *err)
{
    enum ho_code code = guard_run(db, g, "RELEASE SAVEPOINT", NULL, err);

    if (code != HO_OK && db_what(err) == DB_NO_SAVEPOINT) {
        return bad_ended(err);
    }
    if (code != HO_OK) {
        return db_retry(err) ? HANDLER_AGAIN : HANDLER_FAILED;
    }
    return db_wrote_untransacted(db) ? bad_table(err) : HANDLER_DONE;
}

/* Between two statements: what the first one broke must be known before the second can lose the
 * link, for then nobody can be asked any more. */
static enum handler_result guard_renew(struct db *db, struct guard *g, struct ho_err *err)
{
    enum handler_result result = guard_check(db, g, err);

    if (result == HANDLER_DONE && guard_set(db, g, err) != HO_OK) {
        result = db_retry(err) ? HANDLER_AGAIN : HANDLER_FAILED;
    }
    return result;
}

/* What is left of the handler's time becomes the server's limit for the next statement. */
static enum ho_code limit_time(struct db *db, const struct handler_call *call, struct ho_err *err)
{
    int64_t left = deadline_left_ms(call->end);
    const struct db_value in[] = {DBV_INT(left)};

    if (left == 0) {
        err->sys = STATEMENT_TIMEOUT;
        return HO_TRANSIENT;
    }
    if (!db_is_mariadb(db)) {
        return HO_OK; /* MySQL limits SELECTs only: there the link's read timeout ends it */
    }
    return db_run(db, "SET SESSION max_statement_time = ? / 1000", in, 1, NULL, err);
}

/* A statement over the server's limit would end the link, and the error would only say that. */
enum ho_code sql_check_packet(struct db *db, const struct statement *s,
                              const struct bound *bound, struct ho_err *err)
{
    size_t total = strlen(s->sql);

    for (size_t i = 0; i < s->n_params; i++) {
        total += bound->values[i].s.len + 16;
    }
    if (total <= VALUES_SMALL || total < db_max_packet(db)) {
        return HO_OK;
    }
    return ho_fail(err, HO_PERMANENT,
                   "its values have %zu bytes, more than the server's max_allowed_packet", total);
}

/* What a handler may have set in its session would reach into our own statements behind it. Not
 * everything is set anew: autocommit, for one, would commit. The link is reset afterwards. */
enum ho_code sql_restore_session(struct db *db, struct ho_err *err)
{
    static const char mariadb[] =
        "SET SESSION max_statement_time = DEFAULT, sql_select_limit = DEFAULT,"
        " max_join_size = DEFAULT, sql_big_selects = DEFAULT, timestamp = DEFAULT,"
        " character_set_client = utf8mb4, character_set_connection = utf8mb4,"
        " character_set_results = utf8mb4";
    static const char mysql[] =
        "SET SESSION sql_select_limit = DEFAULT, max_join_size = DEFAULT,"
        " sql_big_selects = DEFAULT, timestamp = DEFAULT, character_set_client = utf8mb4,"
        " character_set_connection = utf8mb4, character_set_results = utf8mb4";

    return db_run(db, db_is_mariadb(db) ? mariadb : mysql, NULL, 0, NULL, err);
}

/* out: rows — the caller's, or NULL when nobody wants them */
static enum ho_code run_statement(struct db *db, const struct handler_call *call,
                                  const struct statement *s, struct db_rows *rows,
                                  struct ho_err *err)
{
    struct db_rows own = {0};
    struct db_rows *into = rows != NULL ? rows : &own;
    struct bound bound;

    enum ho_code code = bind_params(s, call, &bound, err);
    if (code == HO_OK) {
        code = sql_check_packet(db, s, &bound, err);
    }
    if (code == HO_OK) {
        code = limit_time(db, call, err);
    }
    if (code == HO_OK) {
        code = db_run_once(db, s->sql, bound.values, s->n_params, into, err);
    }
    if (code == HO_OK && call->rows != NULL) {
        *call->rows += into->affected;
    }
    db_rows_free(&own);
    bound_free(&bound);
    return code;
}

/* Whether the server itself undoes the whole transaction with that error, savepoints and all. */
static bool undone_by_server(struct db *db, enum db_what what)
{
    struct db_rows rows = {0};
    struct ho_err ignored;
    bool all = what == DB_UNDONE;

    if (what == DB_LOCK_WAIT && db_run_built(db, "SELECT @@innodb_rollback_on_timeout", NULL, 0,
                                            &rows, &ignored) == HO_OK) {
        all = db_cell_int(&rows, 0, 0) != 0;
    }
    db_rows_free(&rows);
    return all;
}

/* Whether the failed statement, or one before it, did what no ROLLBACK undoes. A link that was
 * closed over the error took the transaction with it, and nobody can be asked. */
static enum handler_result failed_guard(struct db *db, const struct guard *g,
                                        enum db_what what, struct ho_err *err)
{
    bool stays = db_wrote_untransacted(db), warned = false;

    if (db_thread_id(db) == 0) {
        return HANDLER_FAILED;
    }
    stays = db_warned(db, NOT_ROLLED_BACK) || stays;
    enum ho_code code = guard_run(db, g, "ROLLBACK TO SAVEPOINT", &warned, err);
    if (code != HO_OK && db_what(err) == DB_NO_SAVEPOINT && !undone_by_server(db, what)) {
        return bad_ended(err);
    }
    return stays || warned ? bad_table(err) : HANDLER_FAILED;
}

/* The statement's own error stands, unless the transaction is found to be gone already: then what
 * ran before is committed, and another try would do it twice. */
static enum handler_result failed(struct db *db, const struct handler_call *call,
                                  const struct guard *g, size_t statement, struct ho_err *err)
{
    struct ho_err why;

    if (failed_guard(db, g, db_what(err), &why) == HANDLER_BAD) {
        *err = why;
        return HANDLER_BAD;
    }
    if (db_what(err) == DB_TOO_SLOW) {
        char limit[HANDLER_LIMIT_ROOM];
        handler_limit(call, limit);
        (void)ho_fail(err, HO_TRANSIENT, "not through in its time (%s)", limit);
    }
    enum handler_result result = err->sys == NOT_PREPARABLE ? HANDLER_BAD
                                 : db_retry(err)            ? HANDLER_AGAIN
                                                            : HANDLER_FAILED;
    ho_err_prefix(err, "handler %s, statement %zu", call->handler->name, statement + 1);
    return result;
}

/* Without a document every pointer would be NULL, and the handler would write that. */
static enum ho_code need_document(const struct handler_call *call, struct ho_err *err)
{
    for (size_t i = 0; call->doc == NULL && i < call->handler->n_statements; i++) {
        const struct statement *s = &call->handler->statements[i];
        const struct ref *used = statement_uses(s, REF_JSON);
        if (used != NULL) {
            return ho_fail(err, HO_PERMANENT,
                           "handler %s: the event has no JSON document, but statement %zu "
                           "uses {%s}", call->handler->name, i + 1, used->name);
        }
    }
    return HO_OK;
}

/* out: last — the rows of the last statement; NULL when nobody wants them */
static enum handler_result run_all(struct db *db, const struct handler_call *call,
                                   struct db_rows *last, struct ho_err *err)
{
    const struct handler *h = call->handler;
    struct guard guard;

    *call->rows = 0;
    if (need_document(call, err) != HO_OK) {
        return HANDLER_FAILED;
    }
    if (guard_set(db, &guard, err) != HO_OK) {
        return db_retry(err) ? HANDLER_AGAIN : HANDLER_FAILED;
    }
    for (size_t i = 0; i < h->n_statements; i++) {
        enum handler_result result = i > 0 ? guard_renew(db, &guard, err) : HANDLER_DONE;
        if (result != HANDLER_DONE) {
            return result;
        }
        ho_err_clear(err);
        if (run_statement(db, call, &h->statements[i], i + 1 == h->n_statements ? last : NULL,
                          err) != HO_OK) {
            return failed(db, call, &guard, i, err);
        }
    }
    if (sql_restore_session(db, err) != HO_OK) {
        return failed(db, call, &guard, h->n_statements - 1, err);
    }
    return guard_check(db, &guard, err);
}

enum handler_result handler_sql_run(struct db *db, const struct handler_call *call,
                                    struct ho_err *err)
{
    return run_all(db, call, NULL, err);
}

/* ---- answers ---- */

static enum handler_result bad_answer(struct ho_err *err, const char *why)
{
    (void)ho_fail(err, HO_PERMANENT,
                  "its answer (the first row of the last statement: body, status, content type) %s",
                  why);
    return HANDLER_FAILED;
}

static bool take_type(struct span type, char out[256])
{
    for (size_t i = 0; i < type.len; i++) {
        if (type.p[i] < 0x20 || type.p[i] >= 0x7f) {
            return false;
        }
    }
    if (type.len >= 256) {
        return false;
    }
    if (type.len > 0) {
        memcpy(out, type.p, type.len);
    }
    out[type.len] = '\0';
    return true;
}

static enum handler_result take_answer(const struct db_rows *rows, struct handler_report *report,
                                       struct ho_err *err)
{
    struct span status = rows->n_cols > 1 ? db_cell(rows, 0, 1) : SPAN_NONE;
    uint64_t number = 200;

    if (rows->n_rows == 0 && rows->n_cols > 0) {
        return bad_answer(err, "is missing: it gave no row");
    }
    if (span_present(status) && (!text_uint(status, 599, &number) || number < 200)) {
        return bad_answer(err, "has a status that is none of 200 to 599");
    }
    if (!take_type(rows->n_cols > 2 ? db_cell(rows, 0, 2) : SPAN_NONE, report->type)) {
        return bad_answer(err, "has a content type that no header can hold");
    }
    buf_clear(&report->body);
    if (db_cell(rows, 0, 0).len > 0 && buf_add_span(&report->body, db_cell(rows, 0, 0)) != HO_OK) {
        return bad_answer(err, "is longer than 1 MiB");
    }
    report->status = (unsigned)number;
    return HANDLER_DONE;
}

enum handler_result handler_sql_reply(struct db *db, const struct handler_call *call,
                                      struct handler_report *report, struct ho_err *err)
{
    struct db_rows rows = {0};

    enum handler_result result = run_all(db, call, &rows, err);
    if (result == HANDLER_DONE) {
        result = take_answer(&rows, report, err);
    }
    db_rows_free(&rows);
    return result;
}
