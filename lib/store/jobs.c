/* Claiming and what follows from it. Every transaction here is short and may be run again. */
#include "store/jobs.h"

#include <stdio.h>
#include <string.h>

#include "base/mac.h"
#include "base/text.h"
#include "store/job.h"
#include "store/jobs_row.h"
#include "store/sql_jobs.h"

#define CURSOR_NONE "1000-01-01 00:00:00"
#define TX_TIME_MS 10000 /* for a renewal, a giving back, a reaping */

unsigned job_try_no(const struct job *job)
{
    return job->suspect ? job->tries : job->tries + 1;
}

struct queue queue_of(struct db *db, const char *worker, int64_t lease_ms, unsigned batch)
{
    return (struct queue){db, worker, lease_ms, batch < JOBS_BATCH_MAX ? batch : JOBS_BATCH_MAX,
                          ""};
}

/* ---- IN lists of a fixed length ---- */

struct listed {
    const char *sql; /* head's values, then SQL_CHUNK ids */
    const struct db_value *head;
    size_t n_head;
    bool by_cid; /* correlation ids, not numbers */
    size_t from; /* the jobs before are left out */
};

/* Runs the statement once for every SQL_CHUNK of the claim's jobs.
 * out: *count — rows changed, or found by a SELECT, by all of them */
static enum ho_code each_chunk(struct db *db, const struct listed *l, const struct claim *c,
                               uint64_t *count, struct ho_err *err)
{
    struct db_value in[SQL_CHUNK + 4];
    struct db_rows rows = {0};
    enum ho_code code = HO_OK;

    *count = 0;
    for (size_t i = 0; i < l->n_head; i++) {
        in[i] = l->head[i];
    }
    for (size_t start = l->from; start < c->n && code == HO_OK; start += SQL_CHUNK) {
        for (size_t k = 0; k < SQL_CHUNK; k++) {
            const struct job *job = &c->jobs[start + k < c->n ? start + k : c->n - 1];
            in[l->n_head + k] = l->by_cid ? DBV_STR(job->cid) : DBV_UINT(job->id);
        }
        code = db_run(db, l->sql, in, l->n_head + SQL_CHUNK, &rows, err);
        *count += rows.n_cols > 0 ? rows.n_rows : rows.affected;
    }
    db_rows_free(&rows);
    return code;
}

/* ---- claim ---- */

struct claiming {
    struct queue *q;
    struct claim *claim;
    char cursor[JOB_TIME_ROOM]; /* the next one; a run that is undone must not move the mark */
};

/* Keeps what will be claimed: a suspect alone, or the jobs up to the first suspect. */
static void choose(struct claiming *c, const struct db_rows *due)
{
    struct claim *claim = c->claim;
    size_t n = 0;

    while (n < due->n_rows) {
        struct job *job = &claim->jobs[n];
        jobs_row_read(due, n, job);
        if (job->suspect && n > 0) {
            break;
        }
        n++;
        job->claim_no++;
        job->has_token = true;
        memcpy(job->token, claim->token, JOB_TOKEN_LEN);
        if (job->suspect) {
            job->tries++;
            break;
        }
    }
    claim->n = n;
    claim->full = due->n_rows == c->q->batch;
    claim->more = claim->full || n < due->n_rows || c->q->cursor[0] != '\0';
    c->cursor[0] = '\0';
    if (claim->full) {
        jobs_row_text(db_cell(due, n - 1, JOBS_ROW_RUN_AT), c->cursor, JOB_TIME_ROOM);
    }
}

static enum ho_code take(struct db *db, struct claiming *c, struct ho_err *err)
{
    const struct db_value head[] = {
        DBV_INT(c->q->lease_ms * 1000),
        DBV_BYTES(span_make(c->claim->token, JOB_TOKEN_LEN)),
        DBV_STR(c->q->worker),
        DBV_INT(c->claim->jobs[0].suspect ? 1 : 0),
    };
    const struct listed jobs = {sql_jobs_take, head, 4, false, 0};
    const struct listed receipts = {sql_receipts_taken, NULL, 0, true, 0};
    uint64_t affected;

    enum ho_code code = each_chunk(db, &jobs, c->claim, &affected, err);
    if (code == HO_OK && affected != c->claim->n) {
        return ho_fail(err, HO_BUG, "a claim of %zu locked jobs changed %llu", c->claim->n,
                       (unsigned long long)affected);
    }
    if (code == HO_OK) {
        code = each_chunk(db, &receipts, c->claim, &affected, err);
    }
    return code;
}

/* Whether a run of this transaction before, whose COMMIT got no answer, has taken the jobs. */
static enum ho_code took_before(struct db *db, struct claiming *c, bool *took, struct ho_err *err)
{
    const struct db_value head[] = {DBV_BYTES(span_make(c->claim->token, JOB_TOKEN_LEN))};
    const struct listed jobs = {sql_jobs_taken, head, 1, false, 0};
    uint64_t found;

    enum ho_code code = each_chunk(db, &jobs, c->claim, &found, err);
    *took = code == HO_OK && found > 0;
    return code;
}

static enum ho_code select_due(struct db *db, struct claiming *c, struct ho_err *err)
{
    const char *cursor = c->q->cursor[0] != '\0' ? c->q->cursor : CURSOR_NONE;
    const struct db_value in[] = {DBV_STR(cursor), DBV_INT(c->q->batch)};
    struct db_rows due = {0};

    enum ho_code code = db_run(db, sql_jobs_due, in, 2, &due, err);
    if (code == HO_OK) {
        choose(c, &due);
    }
    db_rows_free(&due);
    return code;
}

static enum ho_code claim_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct claiming *c = arg;
    bool took = false;

    enum ho_code code = db_begin(db, err);
    if (code == HO_OK && c->claim->n > 0) {
        code = took_before(db, c, &took, err);
    }
    if (code == HO_OK && !took) {
        c->claim->lease = deadline_in(c->q->lease_ms);
        code = select_due(db, c, err);
    }
    if (code == HO_OK && !took && c->claim->n > 0) {
        code = take(db, c, err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code jobs_claim(struct queue *q, struct deadline end, struct claim *claim,
                        struct ho_err *err)
{
    struct claiming c = {q, claim, ""};

    claim->n = 0;
    claim->more = false;
    claim->full = false;
    mac_random(claim->token, sizeof claim->token);
    enum ho_code code = db_transact(q->db, end, claim_tx, &c, err);
    if (code != HO_OK) {
        claim->n = 0;
        c.cursor[0] = '\0';
    }
    memcpy(q->cursor, c.cursor, sizeof q->cursor);
    return code;
}

/* ---- renew, give back ---- */

enum ho_code jobs_renew(struct queue *q, struct claim *claim, size_t from, struct ho_err *err)
{
    const struct db_value head[] = {
        DBV_INT(q->lease_ms * 1000),
        DBV_BYTES(span_make(claim->token, JOB_TOKEN_LEN)),
    };
    struct deadline lease = deadline_in(q->lease_ms);
    const struct listed jobs = {sql_jobs_renew, head, 2, false, from};
    uint64_t affected;

    enum ho_code code = each_chunk(q->db, &jobs, claim, &affected, err);
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

enum ho_code jobs_next_due(struct queue *q, int64_t *ms, struct ho_err *err)
{
    struct db_rows rows = {0};

    *ms = -1;
    enum ho_code code = db_run(q->db, sql_jobs_next, NULL, 0, &rows, err);
    for (size_t i = 0; code == HO_OK && i < rows.n_rows; i++) {
        if (span_present(db_cell(&rows, i, 0))) {
            int64_t us = db_cell_int(&rows, i, 0);
            int64_t due = us > 0 ? (us + 999) / 1000 : 0;
            *ms = *ms < 0 || due < *ms ? due : *ms;
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
