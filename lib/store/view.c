/* Read queries for people. */
#include "store/view.h"

#include <stdio.h>

#include "core/key.h"
#include "store/jobs_row.h"
#include "store/seals.h"
#include "store/sql_view.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct db_value limit_of(unsigned limit)
{
    return DBV_UINT(limit < VIEW_ROWS_MAX ? limit : VIEW_ROWS_MAX);
}

/* The states of jobs, of which a receipt of that status has one; "" for processed. */
static const char *const *states_behind(struct span status)
{
    static const char *const rows[][3] = {{"received", "ready", "waiting"},
                                          {"processing", "running", "running"},
                                          {"failed", "dead", "dead"},
                                          {"", "", ""}};
    size_t i = 0;

    while (rows[i][0][0] != '\0' && !span_is(status, rows[i][0])) {
        i++;
    }
    return rows[i] + 1;
}

enum ho_code view_receipts(struct db *db, const struct view_filter *f, struct db_rows *rows,
                           struct ho_err *err)
{
    const char *const *states = states_behind(f->status);
    struct db_value provider = DBV_BYTES(f->provider), status = DBV_TEXT(f->status);
    struct db_value source = DBV_BYTES(f->source);
    struct db_value limit = limit_of(f->limit);

    if (states[0][0] != '\0') {
        struct db_value open[] = {DBV_STR(states[0]), DBV_STR(states[1]), provider, provider, source, source, status,
                                  limit};
        return db_run(db, SQL_VIEW_RECEIPTS_OPEN, open, COUNT(open), rows, err);
    }
    struct db_value all[] = {provider, provider, source, source, status, status, limit};
    return db_run(db, SQL_VIEW_RECEIPTS, all, COUNT(all), rows, err);
}

enum ho_code view_find(struct db *db, struct span what, struct db_rows *rows, struct ho_err *err)
{
    struct buf key;

    if (ulid_valid(what)) {
        struct db_value cid[] = {DBV_TEXT(what)};
        enum ho_code code = db_run(db, SQL_VIEW_BY_CID, cid, 1, rows, err);
        if (code != HO_OK || rows->n_rows > 0) {
            return code;
        }
    }
    buf_init(&key, EVENT_KEY_MAX);
    /* A marked digest as it is shown stands for itself; else as an id is stored. */
    enum ho_code code = span_starts(what, KEY_MARK) && what.len <= EVENT_KEY_MAX
                            ? buf_add_span(&key, what)
                            : key_stored(what, &key);
    if (code == HO_OK) {
        struct db_value id[] = {DBV_BYTES(buf_span(&key))};
        code = db_run(db, SQL_VIEW_BY_EVENT, id, 1, rows, err);
    } else {
        code = ho_fail(err, HO_BUG, "an id that can't be stored");
    }
    buf_free(&key);
    return code;
}

enum ho_code view_breakers(struct db *db, struct db_rows *rows, struct ho_err *err)
{
    return db_run(db, SQL_VIEW_BREAKERS, NULL, 0, rows, err);
}

enum ho_code view_failing(struct db *db, struct db_rows *rows, struct ho_err *err)
{
    struct db_value in[] = {limit_of(VIEW_ROWS_MAX), limit_of(VIEW_ROWS_MAX)};

    return db_run(db, SQL_VIEW_FAILING, in, COUNT(in), rows, err);
}

enum ho_code view_unanswered(struct db *db, struct db_rows *rows, struct ho_err *err)
{
    struct db_value in[] = {DBV_INT(VIEW_COUNT_MAX + 1)};

    return db_run(db, SQL_VIEW_UNANSWERED, in, COUNT(in), rows, err);
}

enum ho_code view_flows(struct db *db, struct db_rows *rows, struct ho_err *err)
{
    struct db_value in[] = {limit_of(VIEW_ROWS_MAX)};

    return db_run(db, SQL_VIEW_FLOWS, in, COUNT(in), rows, err);
}

enum ho_code view_flow(struct db *db, struct span flow, int64_t *effects, int64_t *objects,
                       struct ho_err *err)
{
    struct db_value in[] = {DBV_TEXT(flow), DBV_TEXT(flow)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, SQL_VIEW_FLOW, in, COUNT(in), &rows, err);
    *effects = code == HO_OK ? db_cell_int(&rows, 0, 0) : 0;
    *objects = code == HO_OK ? db_cell_int(&rows, 0, 1) : 0;
    db_rows_free(&rows);
    return code;
}

enum ho_code view_discarded(struct db *db, unsigned limit, struct db_rows *rows,
                            struct ho_err *err)
{
    struct db_value in[] = {limit_of(limit)};

    return db_run(db, SQL_VIEW_DISCARDED, in, COUNT(in), rows, err);
}

enum ho_code view_queue(struct db *db, struct view_queue *out, struct ho_err *err)
{
    struct db_rows rows = {0};

    *out = (struct view_queue){0};
    enum ho_code code = db_run(db, SQL_VIEW_QUEUE, NULL, 0, &rows, err);
    if (code == HO_OK) {
        *out = (struct view_queue){.due = db_cell_int(&rows, 0, 0),
                                   .later = db_cell_int(&rows, 0, 1),
                                   .running = db_cell_int(&rows, 0, 2),
                                   .expired = db_cell_int(&rows, 0, 3),
                                   .dead = db_cell_int(&rows, 0, 4),
                                   .conflicts = db_cell_int(&rows, 0, 5),
                                   .asleep = db_cell_int(&rows, 0, 6),
                                   .discarded = db_cell_int(&rows, 0, 7),
                                   .doubted = db_cell_int(&rows, 0, 8),
                                   .oldest_due_s = db_cell_int(&rows, 0, 9),
                                   .worker_s = db_cell_int(&rows, 0, 10),
                                   .any_try = db_cell_int(&rows, 0, 11) != 0};
    }
    db_rows_free(&rows);
    return code;
}

static void cell_text(const struct db_rows *rows, size_t col, char *out, size_t size)
{
    struct span cell = db_cell(rows, 0, col);

    (void)snprintf(out, size, "%.*s", (int)cell.len, cell.p != NULL ? (const char *)cell.p : "");
}

enum ho_code view_now(struct db *db, char start[32], struct ho_err *err)
{
    struct db_rows rows = {0};

    start[0] = '\0';
    enum ho_code code = db_run(db, SQL_VIEW_NOW, NULL, 0, &rows, err);
    if (code == HO_OK) {
        cell_text(&rows, 0, start, 32);
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code view_since(struct db *db, const char *start, struct view_since *out,
                        struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(start), DBV_STR(start), DBV_STR(start)};
    struct db_rows rows = {0};

    *out = (struct view_since){0};
    enum ho_code code = db_run(db, SQL_VIEW_SINCE, in, COUNT(in), &rows, err);
    if (code == HO_OK) {
        out->done = db_cell_int(&rows, 0, 0);
        out->dead = db_cell_int(&rows, 0, 1);
        out->waiting = db_cell_int(&rows, 0, 2);
        out->put_off = db_cell_int(&rows, 0, 3);
        cell_text(&rows, 4, out->next, sizeof out->next);
        cell_text(&rows, 5, out->error, sizeof out->error);
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code view_without_key(struct db *db, int64_t *n, struct ho_err *err)
{
    struct db_rows rows = {0};
    enum ho_code code = db_run(db, SQL_VIEW_WITHOUT_KEY, NULL, 0, &rows, err);

    *n = code == HO_OK ? db_cell_int(&rows, 0, 0) : 0;
    db_rows_free(&rows);
    return code;
}

enum ho_code view_body_keys(struct db *db, struct db_rows *rows, struct ho_err *err)
{
    const struct db_value n = DBV_INT(VIEW_COUNT_MAX);
    const struct db_value in[] = {n, n, n, n, n, n};

    return db_run(db, SQL_VIEW_BODY_KEYS, in, 6, rows, err);
}

enum ho_code view_conflict_body(struct db *db, uint64_t id, struct buf *out, struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(id)};
    char cid[ULID_LEN + 1], print[SEAL_PRINT_LEN + 1];
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, SQL_VIEW_CONFLICT_BODY, in, 1, &rows, err);
    if (code == HO_OK && rows.n_rows == 0) {
        code = ho_fail(err, HO_REJECT, "there is no conflict %llu", (unsigned long long)id);
    } else if (code == HO_OK && db_cell(&rows, 0, 1).len == 0) {
        code = ho_fail(err, HO_REJECT, "the body of conflict %llu is empty, or was forgotten",
                       (unsigned long long)id);
    } else if (code == HO_OK) {
        jobs_row_text(db_cell(&rows, 0, 0), cid, sizeof cid);
        jobs_row_text(db_cell(&rows, 0, 2), print, sizeof print);
        const struct seal_place at = {"conflict body", cid, 0};
        enum seal_opened got =
            seal_get(db_seals(db), db_cell(&rows, 0, 2), &at, db_cell(&rows, 0, 1), out);
        if (got == SEAL_NO_KEY) {
            code = ho_fail(err, HO_PERMANENT, "it is sealed under the body_key %s, which is not "
                                              "here", print);
        } else if (got == SEAL_BROKEN) {
            code = ho_fail(err, HO_PERMANENT, "it does not open: it was changed, or is too long");
        }
    }
    db_rows_free(&rows);
    return code;
}
