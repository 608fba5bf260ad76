/* Jobs opened again, or made due, by a person. */
#include "store/reopen.h"

#include "base/text.h"
#include "store/job.h"
#include "store/jobs_row.h"
#include "store/sql_jobs.h"

#define REOPEN_TIME_MS 10000

enum ho_code reopen_find(struct db *db, enum reopen_by by, struct span what, struct db_rows *rows,
                         struct ho_err *err)
{
    struct db_value in[2] = {DBV_TEXT(what), DBV_INT(REOPEN_MAX)};
    uint64_t id;

    switch (by) {
    case REOPEN_ALL:
        return db_run(db, sql_dead_all, in + 1, 1, rows, err);
    case REOPEN_ROUTE:
        return db_run(db, sql_dead_by_route, in, 2, rows, err);
    case REOPEN_JOB:
        if (!text_uint(what, INT64_MAX, &id)) {
            return ho_fail(err, HO_REJECT, "not the number of a job");
        }
        in[0] = DBV_UINT(id);
        return db_run(db, sql_dead_by_job, in, 1, rows, err);
    case REOPEN_CID:
        return db_run(db, sql_dead_by_cid, in, 1, rows, err);
    }
    return ho_fail(err, HO_BUG, "reopen_find by %d", (int)by);
}

struct reopening {
    uint64_t id;
    char cid[ULID_LEN + 1];
    bool opened;
};

static enum ho_code reopen_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct reopening *r = arg;
    const struct db_value in[] = {DBV_UINT(r->id)};
    struct db_rows rows = {0};

    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = db_run(db, sql_job_reopen, in, 1, &rows, err);
    }
    bool reopened = code == HO_OK && rows.affected == 1;
    if (reopened) {
        code = receipt_update(db, r->cid, OUTCOME_NONE, err);
    } else if (code == HO_OK) {
        code = db_run(db, sql_job_hasten, in, 1, &rows, err);
    }
    /* Once true it stays: after a COMMIT without an answer the second run finds nothing to do. */
    r->opened = r->opened || reopened || (code == HO_OK && rows.affected == 1);
    db_rows_free(&rows);
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code reopen_job(struct db *db, uint64_t id, struct span cid, bool *opened,
                        struct ho_err *err)
{
    struct reopening r = {.id = id};

    *opened = false;
    jobs_row_text(cid, r.cid, sizeof r.cid);
    enum ho_code code = db_transact(db, deadline_in(REOPEN_TIME_MS), reopen_tx, &r, err);
    *opened = code == HO_OK && r.opened;
    return code;
}
