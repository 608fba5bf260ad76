/* The gate before a handler. Every check may end it: the job is settled or put off in the very
 * transaction that saw why, so that whoever changes that afterwards finds it waiting. */
#include "work/admit.h"

#include <string.h>

#include "store/limits.h"

#define LOOKS_MAX 4 /* until a deadlock or a lost link counts as a failed try */
#define PAUSE_MS 20 /* between them, times their number */

bool admit_needed(const struct route *r)
{
    return r->handler->kind != HANDLER_SQL || r->order_by.words != NULL ||
           r->serialize_by.words != NULL || r->needs.sql != NULL || r->skip_if.sql != NULL ||
           r->fetch.words != NULL || limits_any(r->handler);
}

struct gate {
    struct attempt *a;
    enum admission verdict;
    bool blocked; /* somebody else holds the effect's row for long */
    bool started; /* by a run before, whose COMMIT got no answer */
};

/* ---- the checks that look at rows ---- */

static enum ho_code check_effect(struct db *db, struct gate *g, struct ho_err *err)
{
    struct attempt *a = g->a;
    struct effect effect;

    if (!a->keys.has_business) {
        return HO_OK;
    }
    enum effect_use use = attempt_outside(a) ? EFFECT_RESERVE : EFFECT_LOOK;
    enum ho_code code = effect_take(db, a->route->flow, &a->keys.business, a->job, use, &effect,
                                    err);
    if (code == HO_OK) {
        g->verdict = admit_effect(a, &effect);
        a->reserved = attempt_outside(a) && effect.verdict == EFFECT_MINE;
    }
    g->blocked = code == HO_TRANSIENT && db_what(err) == DB_LOCK_WAIT;
    return code;
}

static enum ho_code check_lane(struct db *db, struct gate *g, struct ho_err *err)
{
    struct attempt *a = g->a;
    struct lane_state lane;

    if (!a->keys.has_object) {
        return HO_OK;
    }
    enum ho_code code = lane_look(db, a->route->flow, &a->keys.object, a->job, &lane, err);
    if (code == HO_OK) {
        g->verdict = admit_order(a, &lane);
    }
    if (code == HO_OK && g->verdict == ADMIT_GO && lane.held) {
        g->verdict = admit_held(a, lane.holder);
    }
    return code;
}

static enum ho_code check_limits(struct db *db, struct gate *g, struct ho_err *err)
{
    static const enum job_wait waits[] = {
        [LIMIT_GO] = WAIT_NONE,
        [LIMIT_BREAKER] = WAIT_BREAKER,
        [LIMIT_RATE] = WAIT_RATE,
        [LIMIT_SLOTS] = WAIT_SLOT,
    };
    struct attempt *a = g->a;
    enum limit_verdict verdict;
    int64_t ms = 0;

    if (!limits_any(a->route->handler)) {
        return HO_OK;
    }
    enum ho_code code = limits_enter(db, a->route->handler, a->job, 2 * attempt_lease_ms(a),
                                     &verdict, &ms, err);
    if (code != HO_OK || verdict == LIMIT_GO) {
        return code;
    }
    g->verdict = admit_limited(a, waits[verdict], ms);
    return HO_OK;
}

/* ---- the transaction ---- */

static enum ho_code check_all(struct db *db, struct gate *g, struct ho_err *err)
{
    enum ho_code code = HO_OK;

    g->verdict = g->a->so ? admit_end(g->a, OUTCOME_ALREADY_SO) : ADMIT_GO;
    if (g->verdict == ADMIT_GO) {
        code = check_effect(db, g, err);
    }
    if (code == HO_OK && g->verdict == ADMIT_GO) {
        g->verdict = admit_asked(g->a);
    }
    if (code == HO_OK && g->verdict == ADMIT_GO) {
        code = check_lane(db, g, err);
    }
    if (code == HO_OK && g->verdict == ADMIT_GO) {
        g->verdict = admit_need(g->a);
    }
    if (code == HO_OK && g->verdict == ADMIT_GO) {
        code = check_limits(db, g, err);
    }
    return code;
}

static enum ho_code enter(struct db *db, struct attempt *a, struct ho_err *err)
{
    const struct start start = {
        .counts = attempt_outside(a),
        .asks = attempt_outside(a),
        .idempotency = attempt_idempotency(a),
        .key = a->w->key,
        .lane = a->keys.has_object ? a->keys.lane : NULL,
        .worker = a->w->name,
    };
    const struct lane_mark mark = {a->keys.mark, a->keys.mark_of};
    enum ho_code code = HO_OK;

    if (a->keys.has_object) {
        /* Twice the job's own lease, which ends first: this one is for rows that nobody tends. */
        code = lane_hold(db, a->route->flow, &a->keys.object, a->job,
                         a->keys.has_mark && !a->future ? &mark : NULL,
                         2 * attempt_lease_ms(a), err);
    }
    return code == HO_OK ? job_start(db, a->job, &start, err) : code;
}

static enum ho_code conclude(struct db *db, struct attempt *a, enum admission verdict,
                             struct ho_err *err)
{
    char text[SETTLE_TEXT_ROOM];
    bool held = true;
    enum ho_code code = HO_OK;

    switch (verdict) {
    case ADMIT_GO:
        return enter(db, a, err);
    case ADMIT_SETTLED: {
        const struct settlement s = settle_plan(a, text);
        code = settle_in(db, a, &s, &held, err);
        break;
    }
    case ADMIT_PUT_OFF:
        code = put_off_in(db, a, &held, err);
        break;
    case ADMIT_LOST:
        break;
    }
    return code == HO_OK && !held ? ho_fail(err, HO_BUG, "a job that was locked was not ours")
                                  : code;
}

/* The claim holds the job no more, or its COMMIT before took. */
static enum ho_code gate_lost(struct db *db, struct gate *g, struct ho_err *err)
{
    bool put_off = false;
    enum ho_code code = HO_OK;

    if (g->a->committing && g->a->waits != WAIT_NONE) {
        code = job_was_put_off(db, g->a->job, &put_off, err);
    }
    db_rollback(db);
    if (code == HO_OK && !put_off) {
        g->a->waits = WAIT_NONE;
        g->verdict = ADMIT_LOST;
        code = settle_lost(g->a, err);
    }
    return code;
}

static void forget(struct attempt *a)
{
    a->outcome = OUTCOME_NONE;
    a->waits = WAIT_NONE;
    a->asleep = false;
    a->done_by[0] = '\0';
    a->reserved = false;
    a->reordered = false;
    a->woke = false;
}

static enum ho_code gate_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct gate *g = arg;
    struct attempt *a = g->a;
    char route[JOB_ROUTE_MAX + 1], now[JOB_TIME_ROOM];
    bool held = false;

    /* The row's own route may be that of a transaction that was undone. */
    memcpy(route, a->job->route, sizeof route);
    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = job_fence(db, a->job, &held, now, err);
        memcpy(a->job->route, route, sizeof route);
    }
    if (code == HO_OK && !held) {
        return gate_lost(db, g, err);
    }
    if (code == HO_OK && a->committing) {
        code = job_started(db, a->job, &g->started, err);
    }
    if (code == HO_OK && !g->started) {
        forget(a);
        code = check_all(db, g, err);
        if (code != HO_OK && g->blocked) {
            db_rollback(db);
            return HO_OK;
        }
        code = code == HO_OK ? conclude(db, a, g->verdict, err) : code;
    }
    a->committing = a->committing || code == HO_OK;
    return code == HO_OK ? db_commit(db, err) : code;
}

/* What the committed transaction has given the job.
 * in: in_row — its try was in the row already when that was read last */
static void note_entered(struct attempt *a, bool in_row)
{
    a->in_lane = a->keys.has_object;
    a->has_place = limits_any(a->route->handler) || attempt_outside(a);
    if (attempt_outside(a)) {
        a->job->tries = in_row ? a->job->tries : job_try_no(a->job);
        a->job->counted = true;
        a->asked = true;
    }
}

/* Whether there is nothing to write before the handler, and nothing against it. */
static bool nothing_to_ask(const struct attempt *a)
{
    return !attempt_outside(a) && !a->so && !a->lacking && !a->keys.has_object &&
           !limits_any(a->route->handler);
}

enum ho_code admit(struct attempt *a, enum admission *out, struct ho_err *err)
{
    struct gate g = {.a = a, .verdict = ADMIT_GO};
    enum ho_code code = HO_OK;

    *out = ADMIT_GO;
    if (nothing_to_ask(a)) {
        return HO_OK;
    }
    a->committing = false;
    code = db_transact(a->w->control, a->claim->lease, gate_tx, &g, err);
    if (code == HO_OK && g.blocked) {
        forget(a);
        admit_blocked(a);
        g.verdict = ADMIT_PUT_OFF;
        code = settle_alone(a, err);
        if (code == HO_OK && a->waits == WAIT_NONE) {
            g.verdict = ADMIT_LOST;
        }
    }
    *out = g.verdict;
    if (code == HO_OK && g.verdict == ADMIT_GO) {
        note_entered(a, g.started);
    }
    a->committing = false;
    return code;
}

/* ---- in the lane ---- */

bool admit_again(struct attempt *a)
{
    if (!a->in_lane || (a->route->skip_if.sql == NULL && a->route->needs.sql == NULL)) {
        return false;
    }
    enum ho_code code = prepare_look(a);
    for (int n = 1; code != HO_OK && db_retry(&a->why) && n < LOOKS_MAX; n++) {
        clock_sleep_ms((int64_t)PAUSE_MS * n);
        code = prepare_look(a);
    }
    a->untouched = true;
    if (code != HO_OK) {
        a->outcome = OUTCOME_FAILED;
        return true;
    }
    return (a->so ? admit_end(a, OUTCOME_ALREADY_SO) : admit_need(a)) != ADMIT_GO;
}
