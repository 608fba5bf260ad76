/* A route's own queries, needs and skip_if: they only look. */
#include "work/handler_sql_parts.h"

static enum ho_code look_begin(struct db *db, const struct handler_call *call, struct ho_err *err)
{
    const struct db_value in[] = {DBV_INT(deadline_left_ms(call->end))};

    if (deadline_left_ms(call->end) == 0) {
        return ho_fail(err, HO_TRANSIENT, "no time is left");
    }
    enum ho_code code = HO_OK;
    if (db_is_mariadb(db)) {
        code = db_run(db, "SET SESSION max_statement_time = ? / 1000, sql_select_limit = 1", in, 1,
                      NULL, err);
    }
    if (code == HO_OK) {
        code = db_begin_reading(db, err);
    }
    return code;
}

static enum ho_code look_run(struct db *db, const struct statement *s,
                             const struct handler_call *call, bool *row, struct ho_err *err)
{
    struct db_rows rows = {0};
    struct bound bound;

    enum ho_code code = bind_params(s, call, &bound, err);
    if (code == HO_OK) {
        code = sql_check_packet(db, s, &bound, err);
    }
    if (code == HO_OK) {
        code = look_begin(db, call, err);
    }
    if (code == HO_OK) {
        code = db_run_once(db, s->sql, bound.values, s->n_params, &rows, err);
        *row = code == HO_OK && rows.n_rows > 0;
    }
    db_rows_free(&rows);
    bound_free(&bound);
    return code;
}

enum ho_code handler_sql_look(struct db *db, const struct statement *s, const char *word,
                              const struct handler_call *call, bool *row, struct ho_err *err)
{
    const struct ref *used = call->doc == NULL ? statement_uses(s, REF_JSON) : NULL;
    struct ho_err ignored;
    enum ho_code code;

    *row = false;
    if (used != NULL) {
        return ho_fail(err, HO_PERMANENT, "%s uses {%s}, but the event has no JSON document", word,
                       used->name);
    }
    code = db_connect(db, err);
    code = code == HO_OK ? look_run(db, s, call, row, err) : code;
    db_rollback(db);
    if (db_thread_id(db) != 0 &&
        sql_restore_session(db, code == HO_OK ? err : &ignored) != HO_OK && code == HO_OK) {
        code = err->code;
    }
    if (code != HO_OK && db_what(err) == DB_TOO_SLOW) {
        (void)ho_fail(err, HO_TRANSIENT, "not through in its time");
    }
    if (code != HO_OK) {
        ho_err_prefix(err, "%s", word);
    }
    return code;
}
