/* Jobs opened again, or made due, by a person. */
#include "store/reopen.h"

#include "base/text.h"
#include "store/effects.h"
#include "store/job.h"
#include "store/jobs_row.h"
#include "store/sql_command.h"
#include "store/sql_jobs.h"

#define REOPEN_TIME_MS 10000
#define REOPEN_WAITERS 1000 /* hastened at once */

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
    const struct reopen_how *how;
    bool gone; /* it has ended as done, or there is no such row: it is not opened again */
    enum reopened result;
};

/* sql_job_state */
enum { STATE_STATE, STATE_OUTCOME, STATE_ROUTE, STATE_ASKED, STATE_LANE, STATE_TOLD, STATE_HELD };

/* Whether it may have acted, by its own row. */
static bool is_doubtful(const struct db_rows *rows)
{
    struct span outcome = db_cell(rows, 0, STATE_OUTCOME);

    return span_is(outcome, outcome_word(OUTCOME_UNKNOWN)) ||
           span_is(outcome, outcome_word(OUTCOME_KEY_OVER)) ||
           (span_is(outcome, outcome_word(OUTCOME_DISCARDED)) &&
            db_cell_int(rows, 0, STATE_ASKED) != 0);
}

/* What a person says was done is as done as what we did. */
static bool is_acted(const struct db_rows *rows)
{
    return span_is(db_cell(rows, 0, STATE_OUTCOME), outcome_word(OUTCOME_DISCARDED)) &&
           db_cell_int(rows, 0, STATE_TOLD) != 0;
}

/* Locks the job and looks what stands against it. */
static enum ho_code look(struct db *db, struct reopening *r, bool *doubt, struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(r->id)};
    struct db_rows rows = {0};

    *doubt = false;
    r->gone = true;
    enum ho_code code = db_run(db, sql_job_state, in, 1, &rows, err);
    if (code == HO_OK && rows.n_rows == 1) {
        bool ended = span_is(db_cell(&rows, 0, STATE_STATE), job_state_word(JOB_DEAD)) ||
                     span_is(db_cell(&rows, 0, STATE_OUTCOME), outcome_word(OUTCOME_DISCARDED));
        *doubt = ended && is_doubtful(&rows);
        r->gone = !ended && span_is(db_cell(&rows, 0, STATE_STATE), job_state_word(JOB_DONE));
        if (span_starts(db_cell(&rows, 0, STATE_ROUTE), "(")) {
            r->result = REOPEN_ANSWERED;
        } else if (is_acted(&rows)) {
            r->result = REOPEN_ACTED;
        } else if (db_cell_int(&rows, 0, STATE_HELD) != 0) {
            r->result = REOPEN_HELD;
        }
    }
    db_rows_free(&rows);
    bool closed = r->result == REOPEN_ANSWERED || r->result == REOPEN_ACTED;
    if (code == HO_OK && !*doubt && !closed) {
        code = effect_in_doubt(db, r->id, doubt, err);
    }
    if (code == HO_OK && *doubt && !r->how->release && !closed) {
        r->result = REOPEN_IN_DOUBT;
    }
    return code;
}

/* Locks receipt and body, so that pruning does not take it meanwhile. */
static enum ho_code has_body(struct db *db, const char *cid, bool *has, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(cid)};
    struct db_rows rows = {0};
    enum ho_code code = db_run(db, sql_job_body, in, 1, &rows, err);

    *has = rows.n_rows > 0;
    db_rows_free(&rows);
    return code;
}

static enum ho_code open_again(struct db *db, struct reopening *r, bool forget, struct ho_err *err)
{
    const struct db_value command = r->how->command != 0 ? DBV_UINT(r->how->command) : DBV_NULL;
    const struct db_value in[] = {DBV_INT(r->how->delay_us), DBV_INT(r->how->late ? 1 : 0),
                                  DBV_INT(forget ? 1 : 0), command, DBV_UINT(r->id)};
    struct db_rows rows = {0};
    bool has = true;
    enum ho_code code = has_body(db, r->cid, &has, err);

    if (code != HO_OK || !has) {
        r->result = code == HO_OK ? REOPEN_NO_BODY : r->result;
        return code;
    }
    code = forget ? effect_release(db, r->id, err) : HO_OK;

    if (code == HO_OK) {
        code = db_run(db, sql_job_reopen, in, 5, &rows, err);
    }
    bool opened = code == HO_OK && rows.affected == 1;
    if (opened) {
        code = receipt_update(db, r->cid, OUTCOME_NONE, err);
    } else if (code == HO_OK) {
        code = db_run(db, sql_job_hasten, in + 3, 2, &rows, err);
        opened = code == HO_OK && rows.affected == 1;
    }
    /* Once true it stays: after a COMMIT without an answer the second run finds nothing to do. */
    r->result = opened ? REOPENED : r->result;
    db_rows_free(&rows);
    return code;
}

/* What it had in doubt is for others. */
static enum ho_code free_key(struct db *db, struct reopening *r, struct ho_err *err)
{
    enum ho_code code = effect_told(db, r->id, false, err);

    r->result = code == HO_OK ? REOPEN_FREED : r->result;
    return code;
}

static enum ho_code do_it(struct db *db, struct reopening *r, struct ho_err *err)
{
    bool doubt = false;
    enum ho_code code = look(db, r, &doubt, err);

    if (code == HO_OK && r->gone && doubt && r->how->release && r->result != REOPEN_ANSWERED) {
        code = free_key(db, r, err);
    } else if (code == HO_OK && (r->result == REOPEN_NOTHING || r->result == REOPENED)) {
        code = open_again(db, r, doubt, err);
    }
    return code;
}

static enum ho_code reopen_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct reopening *r = arg;

    r->result = r->result == REOPENED || r->result == REOPEN_FREED ? r->result : REOPEN_NOTHING;
    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = do_it(db, r, err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code reopen_within(struct db *db, uint64_t id, struct span cid,
                           const struct reopen_how *how, enum reopened *out, struct ho_err *err)
{
    struct reopening r = {.id = id, .how = how, .result = REOPEN_NOTHING};

    jobs_row_text(cid, r.cid, sizeof r.cid);
    enum ho_code code = do_it(db, &r, err);
    *out = code == HO_OK ? r.result : REOPEN_NOTHING;
    return code;
}

void reopen_waiters(struct db *db, const char *cid)
{
    const struct db_value in[] = {DBV_STR(cid), DBV_INT(REOPEN_WAITERS)};
    struct db_rows rows = {0};
    struct ho_err ignored;
    enum ho_code code = db_run(db, sql_jobs_waiting, in, 2, &rows, &ignored);

    for (size_t i = 0; code == HO_OK && i < rows.n_rows; i++) {
        const struct db_value id[] = {DBV_NULL, DBV_INT(db_cell_int(&rows, i, 0))};
        code = db_run(db, sql_job_hasten, id, 2, NULL, &ignored);
    }
    db_rows_free(&rows);
}

enum ho_code reopen_job(struct db *db, uint64_t id, struct span cid, const struct reopen_how *how,
                        enum reopened *out, struct ho_err *err)
{
    struct reopening r = {.id = id, .how = how, .result = REOPEN_NOTHING};

    *out = REOPEN_NOTHING;
    jobs_row_text(cid, r.cid, sizeof r.cid);
    enum ho_code code = db_transact(db, deadline_in(REOPEN_TIME_MS), reopen_tx, &r, err);
    if (code == HO_OK) {
        *out = r.result;
    }
    if (code == HO_OK && how->release && (r.result == REOPENED || r.result == REOPEN_FREED)) {
        reopen_waiters(db, r.cid);
    }
    return code;
}

/* ---- once more ---- */

/* The next number, if this job is the newest of its receipt and route. */
static enum ho_code next_no(struct db *db, const char *cid, struct span route, int64_t no,
                            enum replayed *out, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(cid), DBV_TEXT(route)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_replay_newest, in, 2, &rows, err);
    if (code == HO_OK && db_cell_int(&rows, 0, 0) > no) {
        *out = REPLAY_NEWER;
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code replay_within(struct db *db, uint64_t id, struct span cid,
                           const struct reopen_how *how, enum replayed *out, struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(id)};
    char text[ULID_LEN + 1];
    struct db_rows job = {0};
    bool has = false;

    jobs_row_text(cid, text, sizeof text);
    *out = REPLAY_OPEN;
    enum ho_code code = db_run(db, sql_replay_look, in, 1, &job, err);
    struct span route = db_cell(&job, 0, 1);
    int64_t no = db_cell_int(&job, 0, 2);
    if (code == HO_OK && span_is(db_cell(&job, 0, 0), job_state_word(JOB_DONE))) {
        *out = span_starts(route, "(") ? REPLAY_ANSWERED : REPLAYED;
    }
    if (code == HO_OK && *out == REPLAYED) {
        code = next_no(db, text, route, no, out, err);
    }
    if (code == HO_OK && *out == REPLAYED) {
        code = has_body(db, text, &has, err);
        *out = has ? REPLAYED : REPLAY_NO_BODY;
    }
    if (code == HO_OK && *out == REPLAYED) {
        const struct db_value made[] = {DBV_STR(text), DBV_TEXT(route), DBV_INT(no + 1),
                                        DBV_INT(how->delay_us),
                                        how->command != 0 ? DBV_UINT(how->command) : DBV_NULL};
        code = db_run(db, sql_replay_insert, made, sizeof made / sizeof made[0], NULL, err);
    }
    if (code == HO_OK && *out == REPLAYED) {
        code = receipt_update(db, text, OUTCOME_NONE, err);
    }
    db_rows_free(&job);
    return code;
}
