/* SKIP LOCKED, also where the server has none. There, candidates are read without a lock, and then
 * each is locked by itself, or, if somebody else has it, passed over at once (NOWAIT). The rows that
 * come out are locked, and are what they were looked for as, exactly as with SKIP LOCKED: so all
 * that is built on it, claims and their fences, is the same on every server. */
#include <string.h>

#include "store/db_link.h"
#include "store/db_rows.h"

#define IN_TOP 24
#define MORE(want) (4 * (want) + 20) /* candidates: others may be at the first of them */

static const char sql_undoes[] = "SELECT @@innodb_rollback_on_timeout";

bool db_has_skip_locked(struct db *db)
{
    return db->link != NULL && !db->no_skip &&
           db_server_version(db) >= (db_is_mariadb(db) ? 100600UL : 80001UL);
}

/* Whether a row that is locked takes the whole transaction along: then it is the caller's matter. */
static enum ho_code look_at_timeout(struct db *db, struct ho_err *err)
{
    struct db_rows rows = {0};
    enum ho_code code = HO_OK;

    if (!db->timeout_known) {
        code = db_run(db, sql_undoes, NULL, 0, &rows, err);
        db->timeout_undoes = code == HO_OK && db_cell_int(&rows, 0, 0) != 0;
        db->timeout_known = code == HO_OK;
    }
    db_rows_free(&rows);
    return code;
}

/* One row, or none: somebody has it, or it is none of them any more. */
static enum ho_code lock_one(struct db *db, const char *sql, const struct db_value *in, size_t n,
                             struct db_rows *row, struct ho_err *err)
{
    enum ho_code code = db_run(db, sql, in, n, row, err);

    if (code != HO_OK && db_what(err) == DB_LOCK_WAIT && !db->timeout_undoes) {
        ho_err_clear(err);
        return HO_OK;
    }
    return code;
}

static bool take(struct db_gather *g, const struct db_rows *row)
{
    for (size_t i = 0; i < row->n_cols; i++) {
        struct span cell = db_cell(row, 0, i);
        unsigned char *p = NULL;

        if (!span_present(cell)) {
            if (!db_gather_null(g)) {
                return false;
            }
        } else if ((p = db_gather_value(g, cell.len)) == NULL) {
            return false;
        } else if (cell.len > 0) {
            memcpy(p, cell.p, cell.len);
        }
    }
    return true;
}

/* Locks what can be had of the candidates, in their order. */
static enum ho_code lock_each(struct db *db, const struct db_skip *s, const struct db_value *in,
                              const struct db_rows *found, size_t want, struct db_rows *rows,
                              struct ho_err *err)
{
    struct db_value with[IN_TOP];
    struct db_rows row = {0};
    struct db_gather g;
    enum ho_code code = HO_OK;
    bool begun = false;

    for (size_t i = 0; i < s->n_head; i++) {
        with[i] = in[i];
    }
    for (size_t i = 0; i < s->n_where; i++) {
        with[s->n_head + 1 + i] = in[s->n_head + i];
    }
    for (size_t i = 0, got = 0; i < found->n_rows && got < want && code == HO_OK; i++) {
        with[s->n_head] = DBV_UINT((uint64_t)db_cell_int(found, i, 0));
        code = lock_one(db, s->lock, with, s->n_head + 1 + s->n_where, &row, err);
        if (code != HO_OK || row.n_rows == 0) {
            continue;
        }
        if (!begun) {
            db_gather_begin(&g, rows, row.n_cols);
            begun = true;
        }
        got++;
        code = take(&g, &row) ? HO_OK : ho_fail(err, HO_PERMANENT, "too many rows");
    }
    if (begun) {
        db_gather_end(&g);
    }
    db_rows_free(&row);
    return code;
}

static enum ho_code skip_by_hand(struct db *db, const struct db_skip *s, const struct db_value *in,
                                 size_t n_in, struct db_rows *rows, struct ho_err *err)
{
    struct db_value look[IN_TOP];
    struct db_rows found = {0};
    size_t n = n_in - s->n_head, want = SIZE_MAX;

    enum ho_code code = look_at_timeout(db, err);
    if (code != HO_OK || s->look == NULL) {
        return code == HO_OK ? lock_one(db, s->lock, in, n_in, rows, err) : code;
    }
    if (n > IN_TOP || s->n_head + 1 + s->n_where > IN_TOP) {
        return ho_fail(err, HO_BUG, "%zu parameters are too many", n_in);
    }
    for (size_t i = 0; i < n; i++) {
        look[i] = in[s->n_head + i];
    }
    if (s->limited) {
        const struct db_value *limit = &in[n_in - 1];
        want = limit->kind == DB_UINT ? (size_t)limit->u : (size_t)limit->i;
        look[n - 1] = DBV_UINT(MORE(want));
    }
    db_rows_free(rows);
    code = db_run(db, s->look, look, n, &found, err);
    if (code == HO_OK) {
        code = lock_each(db, s, in, &found, want, rows, err);
    }
    db_rows_free(&found);
    return code;
}

enum ho_code db_run_skip(struct db *db, const struct db_skip *s, const struct db_value *in,
                         size_t n_in, struct db_rows *rows, struct ho_err *err)
{
    enum ho_code code = db_connect(db, err);

    if (code == HO_OK && db_has_skip_locked(db)) {
        code = db_run(db, s->text, in, n_in, rows, err);
        if (code == HO_OK || db_what(err) != DB_SYNTAX) {
            return code;
        }
        db->no_skip = true; /* something in between told another version than the server's */
        code = HO_OK;
    }
    return code == HO_OK ? skip_by_hand(db, s, in, n_in, rows, err) : code;
}
