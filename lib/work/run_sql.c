/* A handler's SQL inside the transaction that settles it. */
#include "store/effects.h"
#include "store/lanes.h"
#include "work/admit.h"
#include "work/step.h"

enum step step_trouble(const struct ho_err *err)
{
    return db_retry(err) ? STEP_AGAIN : STEP_TROUBLE;
}

enum step step_lost(struct attempt *a, struct ho_err *err)
{
    db_rollback(a->w->handler);
    return settle_lost(a, err) == HO_OK ? STEP_SETTLED : step_trouble(err);
}

enum step settle_here(struct attempt *a, struct ho_err *err)
{
    char text[SETTLE_TEXT_ROOM];
    bool held = false;
    const struct settlement s = settle_plan(a, text);

    a->woke = false;
    enum ho_code code = settle_in(a->w->handler, a, &s, &held, err);
    if (code == HO_OK && !held) {
        return step_lost(a, err);
    }
    if (code == HO_OK) {
        code = db_commit(a->w->handler, err);
    }
    return code == HO_OK ? STEP_SETTLED : step_trouble(err);
}

/* Deadlock, lock wait, lost link. What a handler did whose link was lost can't be asked: it is run
 * again at once a single time, and then counts as a failed try. */
static enum step run_again(struct attempt *a, struct ho_err *err)
{
    bool cut = db_thread_id(a->w->handler) == 0;

    a->outcome = OUTCOME_FAILED; /* should it be given up */
    *err = a->why;
    if (cut && a->cut) {
        return STEP_ALONE;
    }
    a->cut = a->cut || cut;
    return STEP_AGAIN;
}

/* The lane is asked again under its lock: a worker that slept past its lease with the transaction
 * open must not commit beside, or behind, another job of the object. */
static enum step recheck_lane(struct attempt *a, struct ho_err *err)
{
    struct lane_state lane;

    if (!a->in_lane) {
        return STEP_ON;
    }
    if (lane_look(a->w->handler, a->route->flow, &a->keys.object, a->job, &lane, err) != HO_OK) {
        return step_trouble(err);
    }
    if (admit_order(a, &lane) != ADMIT_GO) {
        return STEP_ALONE;
    }
    if (!lane.ours) {
        a->waits = WAIT_LANE;
        a->wait_ms = 0;
        a->in_lane = false;
        return STEP_ALONE;
    }
    return STEP_ON;
}

static enum step settle_done(struct attempt *a, struct ho_err *err)
{
    enum step step = recheck_lane(a, err);

    if (step != STEP_ON) {
        return step;
    }
    a->outcome = OUTCOME_DONE;
    return settle_here(a, err);
}

static enum step run_handler(struct attempt *a, struct ho_err *err)
{
    const struct handler_call call = attempt_call(a, attempt_end(a));

    a->ran = true;
    a->tried = true;
    enum handler_result result = handler_sql_run(a->w->handler, &call, &a->why);
    switch (result) {
    case HANDLER_DONE:
        return settle_done(a, err);
    case HANDLER_AGAIN:
        return run_again(a, err);
    case HANDLER_BAD:
        db_disconnect(a->w->handler);
        a->outcome = OUTCOME_BAD_HANDLER;
        return STEP_ALONE;
    case HANDLER_FAILED:
    case HANDLER_DEFER:
    case HANDLER_GIVE_UP:
    case HANDLER_UNKNOWN:
        break;
    }
    a->outcome = OUTCOME_FAILED;
    return STEP_ALONE;
}

/* SQL: the effect is written as done first, so that of two at once the second waits here for the
 * first one's COMMIT; then the handler. */
enum step run_sql(struct attempt *a, struct ho_err *err)
{
    struct effect effect;

    if (!a->keys.has_business) {
        return run_handler(a, err);
    }
    enum ho_code code = effect_take(a->w->handler, a->route->flow, &a->keys.business, a->job,
                                    EFFECT_WRITE, &effect, err);
    if (code != HO_OK && db_what(err) == DB_LOCK_WAIT) {
        admit_blocked(a);
        return STEP_ALONE;
    }
    if (code != HO_OK) {
        return step_trouble(err);
    }
    switch (admit_effect(a, &effect)) {
    case ADMIT_GO:
        return run_handler(a, err);
    case ADMIT_SETTLED:
        return settle_here(a, err);
    case ADMIT_PUT_OFF:
    case ADMIT_LOST:
        break;
    }
    return STEP_ALONE;
}
