/* One job under its fence. */
#include "store/job.h"

#include <string.h>

#include "store/jobs_row.h"
#include "store/sql_jobs.h"

static struct db_value token_of(const struct job *job)
{
    return job->has_token ? DBV_BYTES(span_make(job->token, JOB_TOKEN_LEN)) : DBV_NULL;
}

/* Milliseconds from a cell with microseconds; 0 for NULL and for what lies ahead. */
static int64_t cell_ms(const struct db_rows *rows, size_t col)
{
    int64_t us = db_cell_int(rows, 0, col);

    return us > 0 ? us / 1000 : 0;
}

/* An age: of a time that lies ahead, for the clock was wrong then or is now, it is not known, and as
 * good as for ever. */
static int64_t cell_age_ms(const struct db_rows *rows, size_t col)
{
    int64_t us = db_cell_int(rows, 0, col);

    return us >= 0 ? us / 1000 : INT64_MAX;
}

static enum job_wait wait_of(struct span word)
{
    for (enum job_wait w = WAIT_LANE; w < WAIT_N; w++) {
        if (span_is(word, job_wait_word(w))) {
            return w;
        }
    }
    return WAIT_NONE;
}

enum {
    FENCE_ROUTE,
    FENCE_TRIES,
    FENCE_NOW,
    FENCE_ASKED,
    FENCE_WAITS,
    FENCE_WAITED,
    FENCE_NEED_WAITS,
    FENCE_LANE,
    FENCE_KEY,
    FENCE_KEY_MAC
};

static void read_key(const struct db_rows *rows, struct job *job)
{
    struct span mac = db_cell(rows, 0, FENCE_KEY_MAC);

    jobs_row_text(db_cell(rows, 0, FENCE_KEY), job->idempotency, sizeof job->idempotency);
    job->has_key_mac = mac.len == sizeof job->key_mac;
    if (job->has_key_mac) {
        memcpy(job->key_mac, mac.p, sizeof job->key_mac);
    }
}

static void read_fence(const struct db_rows *rows, struct job *job, char started[JOB_TIME_ROOM])
{
    jobs_row_text(db_cell(rows, 0, FENCE_ROUTE), job->route, sizeof job->route);
    job->tries = (unsigned)db_cell_int(rows, 0, FENCE_TRIES);
    jobs_row_text(db_cell(rows, 0, FENCE_NOW), started, JOB_TIME_ROOM);
    job->asked = span_present(db_cell(rows, 0, FENCE_ASKED));
    job->asked_ms = job->asked ? cell_age_ms(rows, FENCE_ASKED) : 0;
    job->waits = wait_of(db_cell(rows, 0, FENCE_WAITS));
    job->waited_ms = cell_ms(rows, FENCE_WAITED);
    job->need_waits = (unsigned)db_cell_int(rows, 0, FENCE_NEED_WAITS);
    jobs_row_lane(db_cell(rows, 0, FENCE_LANE), job);
    read_key(rows, job);
}

enum ho_code job_fence(struct db *db, struct job *job, bool *held, char started[JOB_TIME_ROOM],
                       struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(job->id), DBV_UINT(job->claim_no), token_of(job)};
    struct db_rows rows = {0};

    *held = false;
    started[0] = '\0';
    enum ho_code code = db_run(db, sql_job_fence, in, 3, &rows, err);
    if (code == HO_OK && rows.n_rows == 1) {
        *held = true;
        read_fence(&rows, job, started);
    }
    db_rows_free(&rows);
    return code;
}

/* Two jobs of one receipt may settle at once: each locks the receipt first and counts the jobs in
 * a statement after that, so the one that comes second sees what the first has committed. A receipt
 * that failed shows the outcome of a dead job, whatever ended last. */
enum ho_code receipt_update(struct db *db, const char *cid, enum outcome outcome,
                            struct ho_err *err)
{
    const struct db_value word =
        outcome != OUTCOME_NONE ? DBV_STR(outcome_word(outcome)) : DBV_NULL;
    const struct db_value by[] = {word, DBV_STR(cid)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_receipt_lock, by + 1, 1, NULL, err);
    if (code == HO_OK) {
        code = db_run(db, sql_receipt_jobs, by, 2, &rows, err);
    }
    if (code == HO_OK) {
        enum receipt_status status = receipt_status_of((unsigned)db_cell_int(&rows, 0, 0),
                                                       (unsigned)db_cell_int(&rows, 0, 1),
                                                       (unsigned)db_cell_int(&rows, 0, 2));
        const struct db_value in[] = {
            DBV_STR(receipt_status_word(status)),
            status == RECEIPT_FAILED ? DBV_TEXT(db_cell(&rows, 0, 3)) : word,
            DBV_STR(cid),
        };
        code = db_run(db, sql_receipt_status, in, 3, NULL, err);
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code write_attempt(struct db *db, const struct job *job, const struct settlement *s,
                                  struct ho_err *err)
{
    enum outcome outcome = s->attempt != OUTCOME_NONE ? s->attempt : s->outcome;
    const struct db_value in[] = {
        DBV_UINT(job->id),
        DBV_UINT(job->claim_no),
        DBV_STR(job->cid),
        DBV_UINT(job_try_no(job)),
        DBV_STR(s->worker),
        DBV_STR(s->started),
        DBV_STR(outcome_word(outcome)),
        s->has_rows ? DBV_UINT(s->rows) : DBV_NULL,
        DBV_STR(s->error),
    };

    return db_run(db, sql_attempt_write, in, 9, NULL, err);
}

enum ho_code job_settle(struct db *db, const struct job *job, const struct settlement *s,
                        bool *held, struct ho_err *err)
{
    const struct db_value in[] = {
        DBV_STR(job_state_word(s->state)),
        DBV_INT(s->delay_ms * 1000),
        DBV_UINT(s->tries),
        DBV_INT(s->suspect ? 1 : 0),
        DBV_INT(s->class),
        DBV_STR(outcome_word(s->outcome)),
        DBV_STR(s->error),
        DBV_STR(job->route),
        DBV_STR(s->done_by),
        DBV_INT(s->waits_on ? 1 : 0),
        DBV_INT(s->untouched ? 1 : 0),
        DBV_UINT(job->id),
        DBV_UINT(job->claim_no),
        token_of(job),
    };
    struct db_rows rows = {0};

    *held = false;
    enum ho_code code = db_run(db, sql_job_settle, in, 14, &rows, err);
    if (code == HO_OK && rows.affected == 1) {
        *held = true;
        code = receipt_update(db, job->cid, s->outcome, err);
        if (code == HO_OK) {
            code = write_attempt(db, job, s, err);
        }
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code job_spread(struct db *db, const struct job *job, const struct job_route *routes,
                        size_t n, struct ho_err *err)
{
    const struct db_value first[] = {DBV_STR(routes[0].name), DBV_UINT(job->id),
                                     DBV_UINT(job->claim_no), token_of(job)};

    enum ho_code code = db_run(db, sql_job_route, first, 4, NULL, err);
    for (size_t i = 1; i < n && code == HO_OK; i++) {
        const struct db_value in[] = {DBV_STR(job->cid), DBV_STR(routes[i].name),
                                      DBV_UINT(job->replay_no), DBV_INT(routes[i].class)};
        code = db_run(db, sql_job_spread, in, 4, NULL, err);
    }
    return code;
}

static enum outcome outcome_of(struct span word)
{
    for (enum outcome o = OUTCOME_DONE; o < OUTCOME_N; o++) {
        if (span_is(word, outcome_word(o))) {
            return o;
        }
    }
    return OUTCOME_LEASE_LOST;
}

enum ho_code job_lost(struct db *db, const struct job *job, const char *worker,
                      enum outcome *outcome, struct ho_err *err)
{
    const struct db_value in[] = {
        DBV_UINT(job->id), DBV_UINT(job->claim_no),
        DBV_STR(job->cid), DBV_UINT(job_try_no(job)),
        DBV_STR(worker),   DBV_STR(outcome_word(OUTCOME_LEASE_LOST)),
    };
    struct db_rows rows = {0};

    *outcome = OUTCOME_LEASE_LOST;
    enum ho_code code = db_run(db, sql_attempt_lost, in, 6, NULL, err);
    if (code == HO_OK) {
        code = db_run(db, sql_attempt_read, in, 2, &rows, err);
    }
    if (code == HO_OK && rows.n_rows == 1 && span_present(db_cell(&rows, 0, 0))) {
        *outcome = outcome_of(db_cell(&rows, 0, 0));
    }
    db_rows_free(&rows);
    return code;
}
