/* The handler of a source in reply mode, and its answer. */
#include <string.h>

#include "work/contract_put.h"
#include "work/reply_parts.h"

#define RUNS_MAX 4  /* of a transaction over deadlocks */
#define PAUSE_MS 20 /* between them, times their number */
#define BODY_MAX (64UL * 1024 * 1024)

/* ---- what the handler said ---- */

/* Takes the answer over, if it is one that can be given. */
static bool take_answer(struct reply *r)
{
    struct handler_report *said = &r->a.report;
    unsigned status = said->status != 0 ? said->status : 200;

    if (!reply_answer_sound(status, span_of(said->type))) {
        (void)ho_fail(&r->a.why, HO_PERMANENT, "its answer has no status from 200 to 599, or no "
                                               "content type such as text/plain");
        return false;
    }
    if (said->body.len > ANSWER_LONGEST) {
        (void)ho_fail(&r->a.why, HO_PERMANENT, "its answer has %zu bytes; %lu are the most",
                      said->body.len, ANSWER_LONGEST);
        return false;
    }
    r->answer.status = status;
    memcpy(r->answer.type, said->type, sizeof r->answer.type);
    r->answer.body = said->body; /* borrowed: the report owns it */
    return true;
}

void reply_decide(struct attempt *a, enum outcome outcome, bool untouched)
{
    a->outcome = outcome;
    a->untouched = untouched;
}

struct answer_of reply_of(const struct reply *r)
{
    const struct event *e = &r->a.stored.event;

    return (struct answer_of){r->o->cid, e->provider, e->id};
}

/* ---- the settlement ---- */

/* The answer and the end of the job, behind the fence. */
static enum ho_code put_done(struct db *db, struct reply *r, struct ho_err *err)
{
    char text[SETTLE_TEXT_ROOM];
    bool held = false;

    r->a.outcome = OUTCOME_DONE;
    const struct settlement s = settle_plan(&r->a, text);
    const struct answer_of of = reply_of(r);
    enum ho_code code = answers_put(db, &of, r->o->key, &r->answer, err);
    if (code == HO_OK) {
        code = settle_in(db, &r->a, &s, &held, err);
    }
    return code == HO_OK && !held ? ho_fail(err, HO_BUG, "a job that was locked was not ours")
                                  : code;
}

enum ho_code reply_done_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct reply *r = arg;
    char now[JOB_TIME_ROOM];
    bool held = false;

    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = job_fence(db, r->a.job, &held, now, err);
    }
    if (code == HO_OK && !held) {
        r->lost = true;
        db_rollback(db);
        return HO_OK;
    }
    if (code == HO_OK) {
        code = put_done(db, r, err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

/* ---- SQL ---- */

enum sql_end { SQL_DONE, SQL_AGAIN, SQL_ENDED };

static enum sql_end judge_sql(struct attempt *a, enum handler_result result)
{
    bool cut = db_thread_id(a->w->handler) == 0;

    switch (result) {
    case HANDLER_DONE:
        return SQL_DONE;
    case HANDLER_AGAIN: /* what it did before a link was cut can't be asked: once more, not twice */
        a->outcome = OUTCOME_FAILED;
        if (!cut || !a->cut) {
            a->cut = a->cut || cut;
            return SQL_AGAIN;
        }
        return SQL_ENDED;
    case HANDLER_BAD:
        db_disconnect(a->w->handler);
        a->outcome = OUTCOME_BAD_HANDLER;
        return SQL_ENDED;
    case HANDLER_FAILED:
    case HANDLER_DEFER:
    case HANDLER_GIVE_UP:
    case HANDLER_UNKNOWN:
        break;
    }
    a->outcome = OUTCOME_FAILED;
    return SQL_ENDED;
}

/* One run of the whole transaction. out: *sql - with HO_OK */
static enum ho_code sql_once(struct reply *r, enum sql_end *sql, struct ho_err *err)
{
    struct attempt *a = &r->a;
    struct db *db = r->w.handler;
    bool held = false;

    *sql = SQL_ENDED;
    handler_report_free(&a->report);
    handler_report_init(&a->report, true);
    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = job_fence(db, a->job, &held, a->started, err);
    }
    if (code != HO_OK || !held) {
        r->lost = code == HO_OK;
        return code;
    }
    if (!attempt_key_sound(a)) {
        a->outcome = OUTCOME_FORGED;
        return HO_OK;
    }
    struct handler_call call = attempt_call(a, r->end);
    call.limit = r->limit;
    a->tried = true;
    a->rows = 0;
    ho_err_clear(&a->why);
    *sql = judge_sql(a, handler_sql_reply(db, &call, &a->report, &a->why));
    if (*sql != SQL_DONE) {
        return HO_OK;
    }
    if (!take_answer(r)) {
        a->outcome = OUTCOME_FAILED;
        *sql = SQL_ENDED;
        return HO_OK;
    }
    code = put_done(db, r, err);
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code reply_sql(struct reply *r, bool *done, struct ho_err *err)
{
    enum ho_code code = HO_OK;

    *done = false;
    for (int run = 1; run <= RUNS_MAX; run++) {
        enum sql_end sql;

        code = sql_once(r, &sql, err);
        *done = code == HO_OK && sql == SQL_DONE;
        if (*done) {
            return HO_OK;
        }
        db_rollback(r->w.handler);
        if (r->lost || (code == HO_OK ? sql == SQL_ENDED : !db_retry(err)) ||
            deadline_left_ms(r->end) == 0) {
            return code;
        }
        clock_sleep_ms((int64_t)PAUSE_MS * run);
    }
    return code;
}

/* ---- commands and URLs ---- */

static void judge_outside(struct attempt *a, enum handler_result result)
{
    bool untouched = a->report.untouched;

    switch (result) {
    case HANDLER_DONE:
        reply_decide(a, OUTCOME_DONE, false);
        return;
    case HANDLER_DEFER:
        reply_decide(a, OUTCOME_DEFERRED, true);
        return;
    case HANDLER_GIVE_UP:
        reply_decide(a, OUTCOME_REFUSED, true);
        return;
    case HANDLER_UNKNOWN:
        a->attempt = OUTCOME_UNKNOWN;
        untouched = false;
        break;
    case HANDLER_FAILED:
    case HANDLER_AGAIN:
    case HANDLER_BAD:
        break;
    }
    reply_decide(a, OUTCOME_FAILED, untouched);
}

void reply_outside(struct reply *r)
{
    struct attempt *a = &r->a;
    struct handler_call call = attempt_call(a, r->end);
    enum handler_result result = HANDLER_FAILED;
    struct buf room;

    call.limit = r->limit;
    a->tried = true;
    buf_init(&room, BODY_MAX);
    handler_report_free(&a->report);
    handler_report_init(&a->report, true);
    if (contract_body(&a->stored, &room, &call.body, &a->why) != HO_OK) {
        a->report.untouched = true;
    } else if (a->route->handler->kind == HANDLER_COMMAND) {
        result = handler_cmd_run(&call, &a->report, &a->why);
    } else {
        result = handler_http_run(&call, &a->report, &a->why);
    }
    buf_free(&room);
    judge_outside(a, result);
    if (a->outcome == OUTCOME_DONE && !take_answer(r)) {
        reply_decide(a, OUTCOME_FAILED, false);
    }
}
