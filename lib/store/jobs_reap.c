/* Leases that have ended, and sleepers that nobody woke. */
#include <string.h>

#include "store/effects.h"
#include "store/job.h"
#include "store/jobs_chunk.h"
#include "store/jobs_row.h"
#include "store/lanes.h"

#define REAP_BATCH 50
#define REAP_TIME_MS 10000

struct reaping {
    struct queue *q;
    const struct reaper *reaper;
    struct job jobs[REAP_BATCH];
    enum outcome outcome[REAP_BATCH];
    size_t n;
};

/* What becomes of the job. A try that was shown as started was counted with it. */
static enum ho_code judge(struct db *db, struct reaping *r, struct job *job, enum outcome *outcome,
                          struct ho_err *err)
{
    const struct reap_rule rule = r->reaper->rule_of(r->reaper->arg, job->route);
    bool started = false;

    enum ho_code code = job_started(db, job, &started, err);
    job->counted = job->counted || started;
    *outcome = OUTCOME_LEASE_LOST;
    if (started && job->asked && rule.at_most_once) {
        *outcome = OUTCOME_UNKNOWN;
    } else if (rule.ends || (job->counted && job->tries >= rule.tries)) {
        *outcome = OUTCOME_WORKER_LOST;
    }
    return code;
}

/* What the job had of others: its effect, where this is its end, and its lane. */
static enum ho_code let_go(struct db *db, const struct job *job, bool dead, struct ho_err *err)
{
    enum ho_code code = HO_OK;
    bool woke;

    if (dead) {
        code = effect_owner_ended(db, job->id, job->asked, err);
    }
    if (code == HO_OK && job->has_lane) {
        code = lane_lost(db, job->lane, job, job->asked, &woke, err);
    }
    return code;
}

/* The row is locked and expired, so the settlement cannot miss. */
static enum ho_code reap_one(struct db *db, struct reaping *r, const struct db_rows *rows,
                             size_t row, struct ho_err *err)
{
    struct job *job = &r->jobs[row];
    enum outcome *outcome = &r->outcome[row];
    char worker[65], started[JOB_TIME_ROOM];
    bool held = false;

    jobs_row_text(db_cell(rows, row, JOBS_ROW_WORKER), worker, sizeof worker);
    jobs_row_text(db_cell(rows, row, JOBS_ROW_STARTED), started, sizeof started);
    enum ho_code code = judge(db, r, job, outcome, err);
    bool dead = *outcome != OUTCOME_LEASE_LOST;
    const struct settlement s = {
        .state = dead ? JOB_DEAD : JOB_READY,
        .outcome = *outcome,
        .attempt = OUTCOME_LEASE_LOST,
        .tries = job->tries,
        .class = job->class == CLASS_LOW ? CLASS_LOW : CLASS_TRIED,
        .suspect = true,
        .waits_on = !dead && !job->counted,
        .error = "the worker gave no sign of life until its lease ended",
        .worker = worker,
        .started = started,
    };
    if (code == HO_OK) {
        code = let_go(db, job, dead, err);
    }
    if (code == HO_OK) {
        code = job_settle(db, job, &s, &held, err);
    }
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
        code = db_run_skip(db, &sql_jobs_expired, in, 2, &rows, err);
    }
    for (size_t i = 0; code == HO_OK && i < rows.n_rows; i++) {
        struct job *job = &r->jobs[i];
        struct span token = db_cell(&rows, i, JOBS_ROW_TOKEN);
        jobs_row_read(&rows, i, job);
        jobs_row_lane(db_cell(&rows, i, JOBS_ROW_LANE), job);
        job->asked = db_cell_int(&rows, i, JOBS_ROW_ASKED) != 0;
        job->has_token = token.len == JOB_TOKEN_LEN;
        if (job->has_token) {
            memcpy(job->token, token.p, JOB_TOKEN_LEN);
        }
        code = reap_one(db, r, &rows, i, err);
        r->n = i + 1;
    }
    db_rows_free(&rows);
    return code == HO_OK ? db_commit(db, err) : code;
}

struct waking {
    struct claim sleepers; /* ids only */
    uint64_t woken;
};

static enum ho_code wake_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct waking *w = arg;
    const struct db_value in[] = {DBV_INT(JOBS_BATCH_MAX)};
    const struct listed jobs = {sql_jobs_awake, NULL, 0, false, 0};
    struct db_rows rows = {0};

    w->woken = 0;
    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = db_run_skip(db, &sql_jobs_asleep, in, 1, &rows, err);
    }
    w->sleepers.n = 0;
    for (size_t i = 0; code == HO_OK && i < rows.n_rows; i++) {
        w->sleepers.jobs[w->sleepers.n++].id = (uint64_t)db_cell_int(&rows, i, 0);
    }
    db_rows_free(&rows);
    if (code == HO_OK) {
        code = jobs_each_chunk(db, &jobs, &w->sleepers, &w->woken, err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code jobs_reap(struct queue *q, const struct reaper *reaper, struct reaped *out,
                       struct ho_err *err)
{
    struct reaping r = {.q = q, .reaper = reaper};
    struct waking w = {.woken = 0};
    struct deadline end = deadline_in(REAP_TIME_MS);

    *out = (struct reaped){.more = false};
    enum ho_code code = db_transact(q->db, end, reap_tx, &r, err);
    for (size_t i = 0; code == HO_OK && i < r.n; i++) {
        bool opened = r.outcome[i] == OUTCOME_LEASE_LOST;
        out->opened += opened ? 1 : 0;
        out->dead += opened ? 0 : 1;
        reaper->tell(reaper->arg, &r.jobs[i], r.outcome[i]);
    }
    if (code == HO_OK) {
        code = db_transact(q->db, end, wake_tx, &w, err);
    }
    if (code == HO_OK) {
        out->woken = (unsigned)w.woken;
        out->more = r.n == REAP_BATCH || w.woken == JOBS_BATCH_MAX;
    }
    return code;
}
