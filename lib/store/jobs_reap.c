/* Leases that have ended. */
#include <string.h>

#include "store/jobs.h"
#include "store/job.h"
#include "store/jobs_row.h"
#include "store/sql_jobs.h"

#define REAP_BATCH 50
#define REAP_TIME_MS 10000

struct reaping {
    struct queue *q;
    const struct reaper *reaper;
    struct job jobs[REAP_BATCH];
    bool dead[REAP_BATCH];
    size_t n;
};

/* The row is locked and expired, so the settlement cannot miss. */
static enum ho_code reap_one(struct db *db, struct reaping *r, const struct db_rows *rows,
                             size_t row, struct ho_err *err)
{
    struct job *job = &r->jobs[row];
    char worker[65], started[JOB_TIME_ROOM];
    bool held = false;

    jobs_row_text(db_cell(rows, row, JOBS_ROW_WORKER), worker, sizeof worker);
    jobs_row_text(db_cell(rows, row, JOBS_ROW_STARTED), started, sizeof started);
    r->dead[row] = job->suspect && job->tries >= r->reaper->tries_of(r->reaper->arg, job->route);
    const struct settlement s = {
        .state = r->dead[row] ? JOB_DEAD : JOB_READY,
        .outcome = r->dead[row] ? OUTCOME_WORKER_LOST : OUTCOME_LEASE_LOST,
        .attempt = OUTCOME_LEASE_LOST,
        .tries = job->tries,
        .suspect = true,
        .error = "the worker gave no sign of life until its lease ended",
        .worker = worker,
        .started = started,
    };
    enum ho_code code = job_settle(db, job, &s, &held, err);
    if (code == HO_OK && !held) {
        code = ho_fail(err, HO_BUG, "an expired job that was locked could not be opened");
    }
    return code;
}

static enum ho_code reap_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct reaping *r = arg;
    const struct db_value in[] = {DBV_INT(r->q->lease_ms * 1000), DBV_INT(REAP_BATCH)};
    struct db_rows rows = {0};

    r->n = 0;
    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = db_run(db, sql_jobs_expired, in, 2, &rows, err);
    }
    for (size_t i = 0; code == HO_OK && i < rows.n_rows; i++) {
        struct span token = db_cell(&rows, i, JOBS_ROW_TOKEN);
        jobs_row_read(&rows, i, &r->jobs[i]);
        r->jobs[i].has_token = token.len == JOB_TOKEN_LEN;
        if (r->jobs[i].has_token) {
            memcpy(r->jobs[i].token, token.p, JOB_TOKEN_LEN);
        }
        code = reap_one(db, r, &rows, i, err);
        r->n = i + 1;
    }
    db_rows_free(&rows);
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code jobs_reap(struct queue *q, const struct reaper *reaper, struct reaped *out,
                       struct ho_err *err)
{
    struct reaping r = {.q = q, .reaper = reaper};

    *out = (struct reaped){0, 0, false};
    enum ho_code code = db_transact(q->db, deadline_in(REAP_TIME_MS), reap_tx, &r, err);
    if (code != HO_OK) {
        return code;
    }
    for (size_t i = 0; i < r.n; i++) {
        out->dead += r.dead[i] ? 1 : 0;
        out->opened += r.dead[i] ? 0 : 1;
        reaper->tell(reaper->arg, &r.jobs[i], r.dead[i]);
    }
    out->more = r.n == REAP_BATCH;
    return HO_OK;
}
