/* A site's SQL inside our transaction. The transaction is the promise: what the handler did and
 * the mark "done" commit together or not at all. So it is watched: a savepoint with a name that
 * nobody can know is set before and must still be there afterwards, and the server tells of writes
 * that no ROLLBACK reaches. @@in_transaction would not show a COMMIT AND CHAIN. */
#include <stdio.h>
#include <string.h>

#include "base/mac.h"
#include "base/text.h"
#include "work/handler.h"

#define NO_SUCH_SAVEPOINT 1305
#define STATEMENT_TIMEOUT 1969
#define GUARD_RANDOM 8
#define VALUES_SMALL (128UL * 1024) /* that much any server takes */

struct guard {
    char name[2 * GUARD_RANDOM + 4];
};

static enum ho_code guard_run(struct db *db, const struct guard *g, const char *verb,
                              struct ho_err *err)
{
    char sql[64];

    (void)snprintf(sql, sizeof sql, "%s %s", verb, g->name);
    return db_run_once(db, sql, NULL, 0, NULL, err);
}

static enum ho_code guard_set(struct db *db, struct guard *g, struct ho_err *err)
{
    unsigned char random[GUARD_RANDOM];

    mac_random(random, sizeof random);
    (void)snprintf(g->name, sizeof g->name, "hk_");
    text_hex(random, sizeof random, g->name + 3);
    return guard_run(db, g, "SAVEPOINT", err);
}

static enum handler_result bad(struct ho_err *err, const char *why)
{
    (void)ho_fail(err, HO_PERMANENT, "%s", why);
    return HANDLER_BAD;
}

/* Whether the transaction is still ours, and only InnoDB was written to. */
static enum handler_result guard_check(struct db *db, const struct guard *g, struct ho_err *err)
{
    enum ho_code code = guard_run(db, g, "RELEASE SAVEPOINT", err);

    if (code != HO_OK && err->sys == NO_SUCH_SAVEPOINT) {
        return bad(err, "the handler ended the transaction (COMMIT, ROLLBACK, LOCK TABLES, or a "
                        "statement like CREATE or TRUNCATE that commits by itself)");
    }
    if (code != HO_OK) {
        return db_retry(err) ? HANDLER_AGAIN : HANDLER_FAILED;
    }
    if (db_wrote_untransacted(db)) {
        return bad(err, "the handler wrote to a table that is not InnoDB: that cannot be undone");
    }
    return HANDLER_DONE;
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
static enum ho_code check_packet(struct db *db, const struct statement *s,
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

static enum ho_code run_statement(struct db *db, const struct handler_call *call,
                                  const struct statement *s, struct ho_err *err)
{
    struct bound bound;

    enum ho_code code = bind_params(s, call, &bound, err);
    if (code == HO_OK) {
        code = check_packet(db, s, &bound, err);
    }
    if (code == HO_OK) {
        code = limit_time(db, call, err);
    }
    if (code == HO_OK) {
        code = db_run_once(db, s->sql, bound.values, s->n_params, NULL, err);
    }
    bound_free(&bound);
    return code;
}

/* The statement's own error stands, unless the transaction is found to be gone already: then what
 * ran before is committed, and another try would do it twice. A link that was closed over the
 * error took the transaction with it; asking on a new one would mean nothing. */
static enum handler_result failed(struct db *db, const struct handler_call *call,
                                  const struct guard *g, size_t statement, struct ho_err *err)
{
    struct ho_err why;

    if (db_retry(err)) {
        return HANDLER_AGAIN;
    }
    if (db_thread_id(db) != 0 && guard_check(db, g, &why) == HANDLER_BAD) {
        *err = why;
        return HANDLER_BAD;
    }
    if (err->sys == STATEMENT_TIMEOUT) {
        char limit[24];
        text_duration_put(call->handler->timeout_ms, limit);
        (void)ho_fail(err, HO_TRANSIENT, "not through in its time (timeout %s)", limit);
    }
    ho_err_prefix(err, "handler %s, statement %zu", call->handler->name, statement + 1);
    return HANDLER_FAILED;
}

enum handler_result handler_sql_run(struct db *db, const struct handler_call *call,
                                    struct ho_err *err)
{
    struct guard guard;

    if (guard_set(db, &guard, err) != HO_OK) {
        return db_retry(err) ? HANDLER_AGAIN : HANDLER_FAILED;
    }
    for (size_t i = 0; i < call->handler->n_statements; i++) {
        ho_err_clear(err);
        if (run_statement(db, call, &call->handler->statements[i], err) != HO_OK) {
            return failed(db, call, &guard, i, err);
        }
    }
    return guard_check(db, &guard, err);
}
