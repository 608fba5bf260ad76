/* Claiming: due jobs become running, in one short transaction that may be run again. */
#include <string.h>

#include "base/mac.h"
#include "store/jobs_chunk.h"
#include "store/jobs_row.h"

#define CURSOR_NONE "1000-01-01 00:00:00"
#define EMPTY_MS 1000 /* so long a class in which little was due is not looked at first */

struct claiming {
    struct queue *q;
    struct claim *claim;
    /* What the next claim goes by; a run that is undone must not change it. */
    char cursor[CLASS_N][JOB_TIME_ROOM];
    int64_t empty_ms[CLASS_N];
    bool more, stop;
};

/* Keeps of what is due up to the first suspect, which is taken alone. */
static void choose(struct claiming *c, const struct db_rows *due)
{
    struct claim *claim = c->claim;

    for (size_t i = 0; i < due->n_rows && !c->stop; i++) {
        struct job *job = &claim->jobs[claim->n];
        jobs_row_read(due, i, job);
        if (job->suspect && claim->n > 0) {
            c->stop = true;
            break;
        }
        claim->n++;
        job->claim_no++;
        job->has_token = true;
        memcpy(job->token, claim->token, JOB_TOKEN_LEN);
        if (job->suspect) {
            job->tries++;
            c->stop = true;
        }
    }
}

/* Adds what is due of one class. */
static enum ho_code select_class(struct db *db, struct claiming *c, enum job_class class,
                                 struct ho_err *err)
{
    const char *old = c->q->cursor[class];
    size_t before = c->claim->n, room = c->q->batch - before;
    const struct db_value in[] = {DBV_INT(class), DBV_STR(old[0] != '\0' ? old : CURSOR_NONE),
                                  DBV_UINT(room)};
    struct db_rows due = {0};

    enum ho_code code = db_run_skip(db, &sql_jobs_due, in, 3, &due, err);
    if (code == HO_OK) {
        choose(c, &due);
        size_t kept = c->claim->n - before;
        c->more = c->more || due.n_rows == room || kept < due.n_rows || old[0] != '\0';
        c->cursor[class][0] = '\0';
        if (due.n_rows == room && kept > 0) {
            jobs_row_text(db_cell(&due, kept - 1, JOBS_ROW_RUN_AT), c->cursor[class],
                          JOB_TIME_ROOM);
        }
        c->empty_ms[class] = due.n_rows == room ? 0 : clock_mono_ms();
    }
    db_rows_free(&due);
    return code;
}

/* Which class comes first in which claim. */
static const enum job_class turns[] = {
    CLASS_FRESH, CLASS_TRIED, CLASS_FRESH, CLASS_FRESH, CLASS_TRIED,
    CLASS_FRESH, CLASS_LOW,   CLASS_FRESH, CLASS_TRIED, CLASS_FRESH,
};

/* Fresh jobs are looked for in every claim: a delivery may have come this very moment. The others,
 * while there is something to do, not in every one if there was little of them just now: a claim of
 * a site without retries stays one query. */
static bool may_skip(const struct queue *q, enum job_class class)
{
    return class != CLASS_FRESH && q->empty_ms[class] != 0 &&
           clock_mono_ms() - q->empty_ms[class] < EMPTY_MS;
}

static enum ho_code select_due(struct db *db, struct claiming *c, struct ho_err *err)
{
    enum job_class first = turns[c->q->turn % (sizeof turns / sizeof turns[0])];
    const enum job_class order[] = {first, first == CLASS_FRESH ? CLASS_TRIED : CLASS_FRESH,
                                    first == CLASS_LOW ? CLASS_TRIED : CLASS_LOW};
    bool later[CLASS_N];
    enum ho_code code = HO_OK;

    c->claim->n = 0;
    c->more = c->stop = false;
    memcpy(c->cursor, c->q->cursor, sizeof c->cursor);
    memcpy(c->empty_ms, c->q->empty_ms, sizeof c->empty_ms);
    for (size_t i = 0; i < CLASS_N; i++) {
        later[i] = may_skip(c->q, order[i]);
    }
    for (int skipped = 0; skipped <= 1 && c->claim->n == 0; skipped++) {
        for (size_t i = 0; i < CLASS_N && code == HO_OK && !c->stop; i++) {
            if (c->claim->n < c->q->batch && later[i] == (skipped == 1)) {
                code = select_class(db, c, order[i], err);
            }
        }
    }
    c->claim->full = c->claim->n == c->q->batch;
    c->claim->more = c->more;
    return code;
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

    enum ho_code code = jobs_each_chunk(db, &jobs, c->claim, &affected, err);
    if (code == HO_OK && affected != c->claim->n) {
        return ho_fail(err, HO_BUG, "a claim of %zu locked jobs changed %llu", c->claim->n,
                       (unsigned long long)affected);
    }
    if (code == HO_OK) {
        code = jobs_each_chunk(db, &receipts, c->claim, &affected, err);
    }
    return code;
}

/* Whether a run of this transaction before, whose COMMIT got no answer, has taken the jobs. */
static enum ho_code took_before(struct db *db, struct claiming *c, bool *took, struct ho_err *err)
{
    const struct db_value head[] = {DBV_BYTES(span_make(c->claim->token, JOB_TOKEN_LEN))};
    const struct listed jobs = {sql_jobs_taken, head, 1, false, 0};
    uint64_t found;

    enum ho_code code = jobs_each_chunk(db, &jobs, c->claim, &found, err);
    *took = code == HO_OK && found > 0;
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
    struct claiming c = {.q = q, .claim = claim};

    claim->n = 0;
    claim->more = false;
    claim->full = false;
    mac_random(claim->token, sizeof claim->token);
    enum ho_code code = db_transact(q->db, end, claim_tx, &c, err);
    q->turn++;
    if (code != HO_OK) {
        claim->n = 0;
        memset(c.cursor, 0, sizeof c.cursor);
    }
    memcpy(q->cursor, c.cursor, sizeof q->cursor);
    memcpy(q->empty_ms, c.empty_ms, sizeof q->empty_ms);
    return code;
}
