/* Renewing and giving back what was claimed, and the next due time. Every transaction here is short
 * and may be run again. */
#include "store/jobs.h"

#include "store/job.h"
#include "store/jobs_chunk.h"
#include "store/migrate.h"
#include "store/pause.h"

#define TX_TIME_MS 10000 /* for a renewal or a giving back */

unsigned job_try_no(const struct job *job)
{
    return job->counted ? job->tries : job->tries + 1;
}

struct queue queue_of(struct db *db, const char *worker, int64_t lease_ms, unsigned batch)
{
    return (struct queue){.db = db,
                          .worker = worker,
                          .lease_ms = lease_ms,
                          .batch = batch < JOBS_BATCH_MAX ? batch : JOBS_BATCH_MAX};
}

/* ---- renew, give back ---- */

enum ho_code jobs_renew(struct queue *q, struct claim *claim, size_t from, int64_t lease_ms,
                        uint64_t *held, struct ho_err *err)
{
    const struct db_value head[] = {
        DBV_INT(lease_ms * 1000),
        DBV_BYTES(span_make(claim->token, JOB_TOKEN_LEN)),
    };
    struct deadline lease = deadline_in(lease_ms);
    const struct listed jobs = {sql_jobs_renew, head, 2, false, from};

    enum ho_code code = jobs_each_chunk(q->db, &jobs, claim, held, err);
    if (code == HO_OK) {
        claim->lease = lease;
    }
    return code;
}

static enum ho_code give_back_tx(struct db *db, void *arg, struct ho_err *err)
{
    const struct job *job = arg;
    const struct db_value in[] = {DBV_UINT(job->id), DBV_UINT(job->claim_no),
                                  DBV_BYTES(span_make(job->token, JOB_TOKEN_LEN))};
    struct db_rows rows = {0};

    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = db_run(db, sql_job_release, in, 3, &rows, err);
    }
    if (code == HO_OK && rows.affected == 1) {
        code = receipt_update(db, job->cid, OUTCOME_NONE, err);
    }
    db_rows_free(&rows);
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code jobs_give_back(struct queue *q, const struct claim *claim, size_t from,
                            struct ho_err *err)
{
    struct deadline end = deadline_in(TX_TIME_MS);
    enum ho_code code = HO_OK;

    for (size_t i = from; i < claim->n && code == HO_OK; i++) {
        struct job job = claim->jobs[i];
        code = db_transact(q->db, end, give_back_tx, &job, err);
    }
    return code;
}

/* ---- the next one ---- */

/* The sooner of *ms (-1: never) and what a cell says in microseconds, rounded up. */
static void sooner(int64_t *ms, const struct db_rows *rows, size_t row, size_t col)
{
    if (span_present(db_cell(rows, row, col))) {
        int64_t us = db_cell_int(rows, row, col);
        int64_t due = us > 0 ? (us + 999) / 1000 : 0;
        *ms = *ms < 0 || due < *ms ? due : *ms;
    }
}

enum ho_code jobs_next_due(struct queue *q, int64_t *ms, struct ho_err *err)
{
    struct db_rows rows = {0};

    *ms = -1;
    enum ho_code code = db_run(q->db, sql_jobs_next, NULL, 0, &rows, err);
    for (size_t i = 0; code == HO_OK && i < rows.n_rows; i++) {
        sooner(ms, &rows, i, 0);
    }
    db_rows_free(&rows);
    return code;
}

enum { LOOK_VERSION, LOOK_PRINT, LOOK_READY, LOOK_RUNNING, LOOK_WAITING, LOOK_COMMAND, LOOK_PARKED };

enum ho_code jobs_look(struct queue *q, struct span key, int64_t *ms, struct ho_err *err)
{
    const int version = schema_files[schema_n - 1].version;
    char print[KEY_PRINT_LEN + 1];
    const struct db_value in[] = {DBV_BYTES(SPAN_LIT(PAUSE_LANES)), DBV_BYTES(SPAN_LIT(PAUSE_LANES_END))};
    struct db_rows rows = {0};

    *ms = -1;
    migrate_key_print(key, print);
    enum ho_code code = db_peek(q->db, sql_jobs_look, in, 2, &rows, err);
    if (code == HO_OK) {
        sooner(ms, &rows, 0, LOOK_READY);
        sooner(ms, &rows, 0, LOOK_RUNNING);
        sooner(ms, &rows, 0, LOOK_WAITING);
        if (rows.n_rows != 1 || db_cell_int(&rows, 0, LOOK_VERSION) < version ||
            !span_is(db_cell(&rows, 0, LOOK_PRINT), print) ||
            db_cell_int(&rows, 0, LOOK_COMMAND) != 0 || db_cell_int(&rows, 0, LOOK_PARKED) != 0) {
            *ms = 0;
        }
    }
    db_rows_free(&rows);
    return code;
}

/* ---- workers ---- */

struct hello {
    const char *worker, *host;
    unsigned pid;
};

static enum ho_code hello_tx(struct db *db, void *arg, struct ho_err *err)
{
    const struct hello *h = arg;
    const struct db_value in[] = {DBV_STR(h->worker), DBV_STR(h->host), DBV_UINT(h->pid)};

    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = db_run(db, sql_worker_hello, in, 3, NULL, err);
    }
    if (code == HO_OK) {
        code = db_run(db, sql_workers_forget, NULL, 0, NULL, err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code worker_hello(struct queue *q, const char *host, unsigned pid, struct ho_err *err)
{
    struct hello h = {q->worker, host, pid};

    return db_transact(q->db, deadline_in(TX_TIME_MS), hello_tx, &h, err);
}

void worker_bye(struct queue *q)
{
    const struct db_value in[] = {DBV_STR(q->worker)};
    struct ho_err ignored;

    (void)!db_run(q->db, sql_worker_bye, in, 1, NULL, &ignored);
}
