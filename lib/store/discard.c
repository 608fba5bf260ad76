/* Jobs discarded by a person. Locks in the order of a settlement: job, effect, receipt. */
#include "store/discard.h"

#include <string.h>

#include "store/answers.h"
#include "store/effects.h"
#include "store/job.h"
#include "store/jobs_row.h"
#include "store/lanes.h"
#include "store/reopen.h"
#include "store/sql_flow.h"
#include "store/sql_jobs.h"

#define DISCARD_TIME_MS 10000

/* sql_job_state */
enum { STATE_STATE, STATE_OUTCOME, STATE_ROUTE, STATE_ASKED, STATE_LANE, STATE_TOLD };

struct discarding {
    uint64_t id;
    char cid[ULID_LEN + 1];
    const struct discard *d;
    bool asked; /* it may have acted */
    bool elsewhere;  /* another job has done what its key is for */
    bool committing; /* an answer to COMMIT is, or was, to come */
    struct job job; /* its lane, if it waited for one */
    struct discard_result result;
};

/* Locks the job and looks what it is. */
static enum ho_code look(struct db *db, struct discarding *x, bool *open, struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(x->id)};
    struct db_rows rows = {0};
    bool doubt = false;

    *open = false;
    enum ho_code code = db_run(db, sql_job_state, in, 1, &rows, err);
    if (code == HO_OK && rows.n_rows == 1) {
        struct span state = db_cell(&rows, 0, STATE_STATE);
        struct span outcome = db_cell(&rows, 0, STATE_OUTCOME);
        bool done = span_is(state, job_state_word(JOB_DONE));
        bool runs = span_is(state, job_state_word(JOB_RUNNING));

        x->asked = db_cell_int(&rows, 0, STATE_ASKED) != 0;
        jobs_row_lane(db_cell(&rows, 0, STATE_LANE), &x->job);
        if (done && x->d->acted != ACTED_UNSAID) {
            code = effect_in_doubt(db, x->id, &doubt, err);
        }
        bool told = x->d->acted == ACTED_NO && db_cell_int(&rows, 0, STATE_TOLD) != 0 &&
                    span_is(db_cell(&rows, 0, STATE_ROUTE), REPLY_ROUTE);
        *open = code == HO_OK && !runs && (!done || doubt || told);
        bool took = x->committing && span_is(outcome, outcome_word(OUTCOME_DISCARDED));
        x->result.what = runs ? DISCARD_RUNS : took ? DISCARDED : DISCARD_NOTHING;
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code leave_effect(struct db *db, const struct discarding *x, struct ho_err *err)
{
    return x->d->acted == ACTED_UNSAID
               ? effect_owner_ended(db, x->id, x->asked, err)
               : effect_told(db, x->id, x->d->acted == ACTED_YES, err);
}

/* What others find of its business key from now on. */
static enum ho_code look_at_key(struct db *db, struct discarding *x, struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(x->id)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_effects_state, in, 1, &rows, err);
    x->result.key = DISCARD_KEY_NONE;
    if (code == HO_OK && rows.n_rows > 0) {
        x->result.key = span_is(db_cell(&rows, 0, 0), "done") ? DISCARD_KEY_DONE
                                                              : DISCARD_KEY_UNKNOWN;
    }
    db_rows_free(&rows);
    return code;
}

/* "Yes", of a job that has no effect: its keys are done by it, unless they are somebody else's. */
static enum ho_code take_keys(struct db *db, struct discarding *x, struct ho_err *err)
{
    enum ho_code code = x->d->acted == ACTED_YES ? look_at_key(db, x, err) : HO_OK;

    if (code != HO_OK || x->d->acted != ACTED_YES || x->result.key != DISCARD_KEY_NONE) {
        return code;
    }
    x->result.what = x->d->keys_unknown ? DISCARD_NO_KEY : x->result.what;
    for (size_t i = 0; i < x->d->n_keys && code == HO_OK && x->result.what != DISCARD_TAKEN; i++) {
        struct effect e;

        code = effect_take(db, x->d->keys[i].flow, &x->d->keys[i].key, &x->job, EFFECT_WRITE, &e,
                           err);
        x->elsewhere = x->elsewhere || (code == HO_OK && e.verdict == EFFECT_DONE);
        if (code == HO_OK && (e.verdict == EFFECT_TAKEN || e.verdict == EFFECT_UNKNOWN)) {
            x->result.what = DISCARD_TAKEN;
            x->result.owner = e.owner;
            memcpy(x->result.owner_cid, e.cid, sizeof x->result.owner_cid);
        }
    }
    return code;
}

static bool refused(const struct discarding *x)
{
    return x->result.what == DISCARD_TAKEN || x->result.what == DISCARD_NO_KEY;
}

static enum ho_code end(struct db *db, struct discarding *x, struct ho_err *err)
{
    const struct db_value in[] = {DBV_INT(x->d->acted == ACTED_YES ? 1 : 0),
                                  DBV_INT(x->d->acted == ACTED_NO ? 1 : 0),
                                  x->d->command != 0 ? DBV_UINT(x->d->command) : DBV_NULL,
                                  DBV_UINT(x->id)};
    bool woke = false;

    enum ho_code code = leave_effect(db, x, err);
    if (code == HO_OK) {
        code = db_run(db, sql_job_discard, in, 4, NULL, err);
    }
    if (code == HO_OK) {
        code = receipt_update(db, x->cid, OUTCOME_DISCARDED, err);
    }
    if (code == HO_OK && x->job.has_lane) {
        code = lane_wake(db, x->job.lane, &woke, err); /* it may have been woken for it */
    }
    if (code == HO_OK) {
        x->result.what = DISCARDED;
    }
    return code;
}

static enum ho_code discard_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct discarding *x = arg;
    bool open = false;

    x->result.what = DISCARD_NOTHING;
    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = look(db, x, &open, err);
    }
    if (code == HO_OK && open) {
        code = take_keys(db, x, err);
    }
    if (code == HO_OK && refused(x)) {
        db_rollback(db);
        return HO_OK;
    }
    if (code == HO_OK && open) {
        code = end(db, x, err);
    }
    if (code == HO_OK) {
        code = look_at_key(db, x, err);
        x->result.key = x->result.key == DISCARD_KEY_NONE && x->elsewhere ? DISCARD_KEY_DONE
                                                                          : x->result.key;
    }
    x->committing = x->committing || code == HO_OK;
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code discard_within(struct db *db, uint64_t id, struct span cid, const struct discard *d,
                            struct discard_result *out, struct ho_err *err)
{
    struct discarding x = {.id = id, .d = d, .job = {.id = id}};
    bool open = false;

    x.result.what = DISCARD_NOTHING;
    jobs_row_text(cid, x.cid, sizeof x.cid);
    memcpy(x.job.cid, x.cid, sizeof x.cid);
    enum ho_code code = look(db, &x, &open, err);
    code = code == HO_OK && open ? end(db, &x, err) : code;
    *out = x.result;
    return code;
}

enum ho_code discard_job(struct db *db, uint64_t id, struct span cid, const struct discard *d,
                         struct discard_result *out, struct ho_err *err)
{
    struct discarding x = {.id = id, .d = d, .job = {.id = id}};

    x.result.what = DISCARD_NOTHING;
    jobs_row_text(cid, x.cid, sizeof x.cid);
    memcpy(x.job.cid, x.cid, sizeof x.cid);
    enum ho_code code = db_transact(db, deadline_in(DISCARD_TIME_MS), discard_tx, &x, err);
    if (code == HO_OK && x.result.what == DISCARDED && d->acted != ACTED_UNSAID) {
        reopen_waiters(db, x.cid);
    }
    *out = code == HO_OK ? x.result : (struct discard_result){.what = DISCARD_NOTHING};
    return code;
}
