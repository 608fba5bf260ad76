/* Single jobs that a person holds. */
#include "store/jobs_row.h"
#include "store/lanes.h"
#include "store/pause.h"
#include "store/sql_pause.h"

#define TX_TIME_MS 10000

enum { HOLD_COL_STATE, HOLD_COL_FOR, HOLD_COL_LANE }; /* sql_hold_look */

struct holding {
    uint64_t id;
    bool release;
    bool committing; /* an answer to COMMIT is, or was, to come */
    struct job job;  /* its lane */
    enum held what;
};

/* Locks the job; HOLD_DONE: it may be changed. */
static enum ho_code look(struct db *db, struct holding *h, struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(h->id)};
    struct db_rows rows = {0};

    h->what = HOLD_MISSING;
    enum ho_code code = db_run(db, sql_hold_look, in, 1, &rows, err);
    if (code == HO_OK && rows.n_rows == 1) {
        struct span state = db_cell(&rows, 0, HOLD_COL_STATE);
        struct span why = db_cell(&rows, 0, HOLD_COL_FOR);
        bool held = span_is(why, job_wait_word(WAIT_HOLD));

        jobs_row_lane(db_cell(&rows, 0, HOLD_COL_LANE), &h->job);
        h->job.has_lane = h->job.has_lane && !span_present(why); /* else it is that of a pause */
        if (span_is(state, job_state_word(JOB_RUNNING))) {
            h->what = h->release ? HOLD_NOT : HOLD_RUNS;
        } else if (span_is(state, job_state_word(JOB_DONE)) ||
                   span_is(state, job_state_word(JOB_DEAD))) {
            h->what = h->release ? HOLD_NOT : HOLD_ENDED;
        } else if (h->release) {
            h->what = held ? HOLD_DONE : span_present(why) ? HOLD_PAUSED : HOLD_NOT;
        } else {
            h->what = held ? HOLD_ALREADY : HOLD_DONE;
        }
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code hold_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct holding *h = arg;
    const struct db_value in[] = {DBV_UINT(h->id)};
    bool woke;

    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = look(db, h, err);
    }
    if (code == HO_OK && h->what == HOLD_DONE) {
        code = db_run(db, h->release ? sql_hold_release : sql_hold_set, in, 1, NULL, err);
        if (code == HO_OK && h->job.has_lane) {
            code = lane_wake(db, h->job.lane, &woke, err); /* it may have been woken for it */
        }
    } else if (code == HO_OK && h->committing) {
        h->what = HOLD_DONE; /* by this call's first COMMIT, as far as anybody can tell */
    }
    h->committing = h->committing || (code == HO_OK && h->what == HOLD_DONE);
    return code == HO_OK ? db_commit(db, err) : code;
}

static enum ho_code change(struct db *db, uint64_t id, bool release, enum held *out,
                           struct ho_err *err)
{
    struct holding h = {.id = id, .release = release, .what = HOLD_MISSING};

    enum ho_code code = db_transact(db, deadline_in(TX_TIME_MS), hold_tx, &h, err);
    *out = h.what;
    return code;
}

enum ho_code hold_job(struct db *db, uint64_t id, enum held *out, struct ho_err *err)
{
    return change(db, id, false, out, err);
}

enum ho_code hold_release(struct db *db, uint64_t id, enum held *out, struct ho_err *err)
{
    return change(db, id, true, out, err);
}

enum ho_code hold_would(struct db *db, uint64_t id, bool release, enum held *out,
                        struct ho_err *err)
{
    struct holding h = {.id = id, .release = release, .what = HOLD_MISSING};

    enum ho_code code = look(db, &h, err);
    *out = h.what;
    return code;
}
