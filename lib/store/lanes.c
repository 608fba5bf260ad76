/* Objects and their lanes. Every function expects the lock of the job's own row. */
#include "store/lanes.h"

#include "store/jobs_row.h"
#include "store/sql_flow.h"

enum { COL_MARK, COL_MARKED_BY, COL_HOLDER, COL_CLAIM, COL_LASTS, COL_MARK_OF }; /* sql_object_read */
enum { OTHER_STATE, OTHER_CLAIM };                                  /* sql_other_job */

static struct db_value digest_of(const struct flow_key *object)
{
    return DBV_BYTES(span_make(object->digest, sizeof object->digest));
}

/* Whether the job in the row still runs under the claim in the row. Whoever locks it works at it.
 */
static enum ho_code still_runs(struct db *db, uint64_t holder, int64_t claim_no, bool *runs,
                               struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(holder)};
    struct db_rows rows = {0};

    *runs = true;
    enum ho_code code = db_run_skip(db, &sql_other_job, in, 1, &rows, err);
    if (code == HO_OK && rows.n_rows == 1) {
        *runs = span_is(db_cell(&rows, 0, OTHER_STATE), "running") &&
                db_cell_int(&rows, 0, OTHER_CLAIM) == claim_no;
    } else if (code == HO_OK) {
        code = db_run(db, sql_other_there, in, 1, &rows, err);
        *runs = code == HO_OK && rows.n_rows > 0;
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code read_object(struct db *db, const char *flow, const struct flow_key *object,
                                struct db_rows *rows, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(flow), digest_of(object)};

    return db_run(db, sql_object_read, in, 2, rows, err);
}

/* The row, locked; made where there is none. */
static enum ho_code lock_object(struct db *db, const char *flow, const struct flow_key *object,
                                struct db_rows *rows, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(flow), digest_of(object),
                                  DBV_BYTES(span_make(object->text, object->len))};

    enum ho_code code = read_object(db, flow, object, rows, err);
    if (code == HO_OK && rows->n_rows == 0) {
        code = db_run(db, sql_object_insert, in, 3, NULL, err);
        if (code == HO_OK) {
            code = read_object(db, flow, object, rows, err);
        }
        if (code == HO_OK && rows->n_rows == 0) {
            code = ho_fail(err, HO_BUG, "an object that was inserted is not there");
        }
    }
    return code;
}

enum ho_code lane_look(struct db *db, const char *flow, const struct flow_key *object,
                       const struct job *job, struct lane_state *out, struct ho_err *err)
{
    struct db_rows rows = {0};

    *out = (struct lane_state){.held = false};
    enum ho_code code = lock_object(db, flow, object, &rows, err);
    if (code == HO_OK) {
        out->has_mark = span_present(db_cell(&rows, 0, COL_MARK));
        out->mark = db_cell_int(&rows, 0, COL_MARK);
        jobs_row_text(db_cell(&rows, 0, COL_MARK_OF), out->mark_of, sizeof out->mark_of);
        jobs_row_text(db_cell(&rows, 0, COL_MARKED_BY), out->marked_by, sizeof out->marked_by);
        out->holder = (uint64_t)db_cell_int(&rows, 0, COL_HOLDER);
        out->held = span_present(db_cell(&rows, 0, COL_HOLDER)) && out->holder != job->id &&
                    db_cell_int(&rows, 0, COL_LASTS) != 0;
        out->ours = out->holder == job->id &&
                    db_cell_int(&rows, 0, COL_CLAIM) == (int64_t)job->claim_no;
    }
    if (code == HO_OK && out->held) {
        code = still_runs(db, out->holder, db_cell_int(&rows, 0, COL_CLAIM), &out->held, err);
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code lane_hold(struct db *db, const char *flow, const struct flow_key *object,
                       const struct job *job, const struct lane_mark *mark, int64_t lease_ms,
                       struct ho_err *err)
{
    const struct db_value in[] = {
        DBV_UINT(job->id),
        DBV_UINT(job->claim_no),
        mark != NULL ? DBV_INT(mark->at) : DBV_NULL,
        DBV_STR(mark != NULL ? mark->of : NULL),
        DBV_INT(lease_ms * 1000),
        DBV_STR(flow),
        digest_of(object),
    };

    return db_run(db, sql_object_hold, in, 7, NULL, err);
}

enum ho_code lane_mark(struct db *db, const char *flow, const struct flow_key *object,
                       const struct job *job, const struct lane_mark *mark, struct ho_err *err)
{
    const struct db_value in[] = {
        DBV_INT(mark->at),  DBV_STR(job->cid), DBV_STR(mark->of), DBV_STR(flow),
        digest_of(object), DBV_INT(mark->at), DBV_STR(mark->of),
    };

    return db_run(db, sql_object_mark, in, 7, NULL, err);
}

enum ho_code lane_leave(struct db *db, const char *flow, const struct flow_key *object,
                        const unsigned char lane[SHA256_LEN], const struct job *job, bool *woke,
                        struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(flow), digest_of(object), DBV_UINT(job->id),
                                  DBV_UINT(job->claim_no)};

    *woke = false;
    enum ho_code code = db_run(db, sql_object_leave, in, 4, NULL, err);
    return code == HO_OK ? lane_wake(db, lane, woke, err) : code;
}

enum ho_code lane_lost(struct db *db, const unsigned char lane[SHA256_LEN], const struct job *job,
                       bool acted, bool *woke, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(job->cid), DBV_UINT(job->id), DBV_UINT(job->claim_no)};

    *woke = false;
    enum ho_code code = db_run(db, sql_object_held, in + 1, 1, NULL, err);
    if (code == HO_OK && acted) {
        code = db_run(db, sql_object_acted, in, 3, NULL, err);
    }
    return code == HO_OK ? lane_wake(db, lane, woke, err) : code;
}

enum ho_code lane_wake(struct db *db, const unsigned char lane[SHA256_LEN], bool *woke,
                       struct ho_err *err)
{
    const struct db_value in[] = {DBV_BYTES(span_make(lane, SHA256_LEN)), DBV_INT(1)};
    struct db_rows rows = {0};

    *woke = false;
    enum ho_code code = db_run_skip(db, &sql_lane_next, in, 2, &rows, err);
    if (code == HO_OK && rows.n_rows > 0) {
        const struct db_value id[] = {DBV_INT(db_cell_int(&rows, 0, 0))};
        code = db_run(db, sql_lane_wake, id, 1, &rows, err);
        *woke = code == HO_OK && rows.affected == 1;
    }
    db_rows_free(&rows);
    return code;
}
