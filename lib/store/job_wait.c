/* A job before its handler: started, or put off. */
#include "store/job.h"

#include <string.h>

#include "store/sql_jobs.h"

static struct db_value token_of(const struct job *job)
{
    return job->has_token ? DBV_BYTES(span_make(job->token, JOB_TOKEN_LEN)) : DBV_NULL;
}

static struct db_value lane_of(const unsigned char *lane)
{
    return lane != NULL ? DBV_BYTES(span_make(lane, SHA256_LEN)) : DBV_NULL;
}

/* Over receipt and route, so that no key counts for another job than its own. */
static void key_mac(const struct job *job, const char *idempotency, struct span key,
                    unsigned char out[SHA256_LEN])
{
    static const char label[] = "hookonce job key 1";
    const struct span parts[] = {span_make(label, sizeof label), span_of(job->cid),
                                 span_of(job->route), SPAN_LIT(" "), span_of(idempotency)};
    unsigned char result[MAC_MAX];

    mac_hmac(MAC_SHA256, key, parts, sizeof parts / sizeof parts[0], result);
    memcpy(out, result, SHA256_LEN);
}

bool job_key_genuine(const struct job *job, struct span key)
{
    unsigned char mac[SHA256_LEN];

    if (job->idempotency[0] == '\0') {
        return true;
    }
    key_mac(job, job->idempotency, key, mac);
    return job->has_key_mac && mac_equal(span_make(mac, sizeof mac),
                                         span_make(job->key_mac, sizeof job->key_mac));
}

enum ho_code job_start(struct db *db, const struct job *job, const struct start *s,
                       struct ho_err *err)
{
    unsigned char mac[SHA256_LEN];

    if (s->asks) {
        key_mac(job, s->idempotency, s->key, mac);
    }
    const struct db_value in[] = {
        DBV_STR(job->route),
        DBV_UINT(s->counts ? job_try_no(job) : job->tries),
        DBV_INT(s->asks ? 1 : 0),
        s->asks ? DBV_BYTES(span_make(mac, sizeof mac)) : DBV_NULL,
        DBV_STR(s->asks ? s->idempotency : NULL),
        lane_of(s->lane),
        DBV_UINT(job->id),
        DBV_UINT(job->claim_no),
        token_of(job),
    };
    const struct db_value attempt[] = {
        DBV_UINT(job->id),          DBV_UINT(job->claim_no), DBV_STR(job->cid),
        DBV_UINT(job_try_no(job)), DBV_STR(s->worker),
    };

    enum ho_code code = db_run(db, sql_job_start, in, sizeof in / sizeof in[0], NULL, err);
    if (code == HO_OK && s->counts) {
        code = db_run(db, sql_attempt_start, attempt, 5, NULL, err);
    }
    return code;
}

static enum ho_code is_there(struct db *db, const char *sql, const struct job *job, bool *there,
                             struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(job->id), DBV_UINT(job->claim_no)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql, in, 2, &rows, err);
    *there = code == HO_OK && rows.n_rows > 0;
    db_rows_free(&rows);
    return code;
}

enum ho_code job_started(struct db *db, const struct job *job, bool *started, struct ho_err *err)
{
    return is_there(db, sql_attempt_open, job, started, err);
}

enum ho_code job_was_put_off(struct db *db, const struct job *job, bool *was, struct ho_err *err)
{
    return is_there(db, sql_job_was_put_off, job, was, err);
}

static enum ho_code end_attempt(struct db *db, const struct job *job, const struct put_off *p,
                                struct ho_err *err)
{
    const struct db_value in[] = {
        DBV_UINT(job->id),
        DBV_UINT(job->claim_no),
        DBV_STR(job->cid),
        DBV_UINT(job_try_no(job)),
        DBV_STR(p->worker),
        DBV_STR(p->started),
        DBV_STR(outcome_word(OUTCOME_DEFERRED)),
        DBV_NULL,
        DBV_STR(p->error),
    };

    return db_run(db, sql_attempt_write, in, 9, NULL, err);
}

enum ho_code job_put_off(struct db *db, const struct job *job, const struct put_off *p, bool *held,
                         struct ho_err *err)
{
    const struct db_value in[] = {
        DBV_INT(p->why == WAIT_TURN || p->why == WAIT_PAUSE ? 1 : 0),
        DBV_STR(job_wait_word(p->why)),
        DBV_INT(p->why == WAIT_NEED ? 1 : 0),
        DBV_STR(job_state_word(p->asleep ? JOB_WAITING : JOB_READY)),
        DBV_INT(p->delay_ms * 1000),
        DBV_UINT(p->tries),
        DBV_INT(p->class),
        DBV_STR(p->error),
        DBV_STR(job->route),
        DBV_STR(p->done_by),
        lane_of(p->asleep ? p->lane : NULL),
        DBV_INT(p->untouched ? 1 : 0),
        DBV_UINT(job->id),
        DBV_UINT(job->claim_no),
        token_of(job),
    };
    struct db_rows rows = {0};

    *held = false;
    enum ho_code code = db_run(db, sql_job_put_off, in, sizeof in / sizeof in[0], &rows, err);
    if (code == HO_OK && rows.affected == 1) {
        *held = true;
        code = p->deferred ? end_attempt(db, job, p, err) : HO_OK;
        if (code == HO_OK) {
            code = receipt_update(db, job->cid, OUTCOME_NONE, err);
        }
    }
    db_rows_free(&rows);
    return code;
}
