/* One claimed job. Everything of a plain SQL route happens in one transaction on the handler's
 * link:
 *
 *   fence       the row lock that keeps everybody else off, and proof that the claim still holds
 *   genuine?    the receipt's MAC; the tables may be shared with what can be made to write to them
 *   route       none: done, "ignored"; one: it is ours; several: more jobs, commit, go on with one;
 *               one that a worker vanished with is committed as well
 *   keys        business key, object, mark; a business key is written as done
 *   handler     its statements
 *   settle      job, receipt, attempt; COMMIT
 *
 * A failure undoes all of it and is settled in a transaction of its own on the other link. Routes
 * that need more end that transaction behind the keys; then come the route's queries, the gate
 * (admit.c), what is fetched or asked outside (run.c), and for SQL a second transaction with the
 * handler. */
#include "work/dispatch.h"

#include <stdio.h>

#include "base/log.h"
#include "store/wake.h"
#include "work/admit.h"
#include "work/step.h"

#define RUNS_MAX 4  /* of the whole transaction, before a deadlock counts as a failed try */
#define PAUSE_MS 20 /* between them, times their number */
#define STUBBORN_MS 500
#define ALONE_CLAIMS 20 /* jobs taken one by one after one that asked outside */

/* ---- transactions on the handler's link ---- */

static enum step spread(struct attempt *a, const struct route_plan *routes, struct ho_err *err)
{
    struct job_route names[sizeof routes->routes / sizeof routes->routes[0]];
    char count[24];

    for (size_t i = 0; i < routes->n; i++) {
        names[i] = (struct job_route){routes->routes[i]->name,
                                      attempt_class(routes->routes[i], false)};
    }
    enum ho_code code = job_spread(a->w->handler, a->job, names, routes->n, err);
    if (code == HO_OK) {
        code = db_commit(a->w->handler, err);
    }
    if (code != HO_OK) {
        return step_trouble(err);
    }
    const struct log_pair pairs[] = {log_int("routes", (int64_t)routes->n, count)};
    log_event(LOG_INFO, "dispatched", a->job->cid, pairs, 1);
    (void)wake_send(a->w->settings->state_dir);
    return STEP_SPREAD;
}

static enum step open_tx(struct attempt *a, bool *held, struct ho_err *err)
{
    struct db *db = a->w->handler;

    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        char route[JOB_ROUTE_MAX + 1];
        (void)snprintf(route, sizeof route, "%s", a->job->route);
        code = job_fence(db, a->job, held, a->started, err);
        if (a->route != NULL) {
            (void)snprintf(a->job->route, sizeof a->job->route, "%s", route);
        }
    }
    a->outcome = OUTCOME_NONE;
    a->waits = WAIT_NONE;
    a->asleep = false;
    a->done_by[0] = '\0';
    return code == HO_OK ? STEP_ON : step_trouble(err);
}

static enum step first_tx(struct attempt *a, struct ho_err *err)
{
    struct route_plan routes;
    bool held = false;

    a->route = NULL;
    enum step step = open_tx(a, &held, err);
    if (step != STEP_ON) {
        return step;
    }
    if (!held) {
        return step_lost(a, err);
    }
    a->asked_before = a->job->asked;
    if (stored_load(a->w->handler, a->job->cid, &a->stored, err) != HO_OK) {
        return step_trouble(err);
    }
    switch (examine(a, &routes)) {
    case DECIDE_SETTLE:
        return settle_here(a, err);
    case DECIDE_SPREAD:
        return spread(a, &routes, err);
    case DECIDE_GATE:
        return STEP_GATE;
    case DECIDE_RUN:
        return run_sql(a, err);
    case DECIDE_ALONE:
        return STEP_ALONE;
    }
    return STEP_TROUBLE;
}

/* Behind the gate. */
static enum step second_tx(struct attempt *a, struct ho_err *err)
{
    bool held = false;

    enum step step = open_tx(a, &held, err);
    if (step != STEP_ON) {
        return step;
    }
    return held ? run_sql(a, err) : step_lost(a, err);
}

static void forget_event(struct attempt *a)
{
    stored_free(&a->stored);
    json_free(a->doc);
    a->stored = (struct stored){.found = false};
    a->doc = NULL;
}

/* The transaction, again while that can help. */
static enum step again_and_again(struct attempt *a,
                                 enum step (*tx)(struct attempt *a, struct ho_err *err),
                                 struct ho_err *err)
{
    for (int run = 1; run <= RUNS_MAX;) {
        enum step step = tx(a, err);

        if (step != STEP_SETTLED && step != STEP_SPREAD) {
            db_rollback(a->w->handler);
        }
        if (step != STEP_AGAIN && step != STEP_SPREAD) {
            return step;
        }
        if (tx == first_tx) {
            forget_event(a);
        }
        if (step == STEP_AGAIN) {
            if (deadline_left_ms(a->claim->lease) == 0) {
                break;
            }
            clock_sleep_ms((int64_t)PAUSE_MS * run++);
        }
    }
    /* Deadlocks or lost links without end: the handler's own, or the database's trouble? */
    return a->outcome == OUTCOME_FAILED ? STEP_ALONE : STEP_TROUBLE;
}

/* ---- the gate ---- */

/* What will be asked outside may take long: the rest of the claim is for others, and the next ones
 * are taken one by one. */
static void stand_alone(struct attempt *a)
{
    struct ho_err ignored;

    if (a->route->handler->kind == HANDLER_SQL && a->route->fetch.words == NULL) {
        return;
    }
    a->w->alone = ALONE_CLAIMS;
    if (a->claim->n > a->at + 1 &&
        jobs_give_back(&a->w->queue, a->claim, a->at + 1, &ignored) == HO_OK) {
        a->claim->n = a->at + 1;
        (void)wake_send(a->w->settings->state_dir);
    }
}

/* The handler gets its whole time: the lease is begun anew where too little of it is left. What was
 * lost meanwhile must not be asked any more: another worker may be at it.
 * out: *held - whether the claim has the job */
static enum ho_code stretch_lease(struct attempt *a, bool *held, struct ho_err *err)
{
    int64_t spare = attempt_outside(a) ? ASK_SPARE_MS : a->w->settings->lease_ms / 8;
    int64_t want = a->route->handler->timeout_ms + spare;
    const size_t n = a->claim->n;
    uint64_t kept = 0;

    *held = true;
    if (deadline_left_ms(a->claim->lease) >= want) {
        return HO_OK;
    }
    a->claim->n = a->at + 1; /* this one only: of others it could not be told which was lost */
    enum ho_code code = jobs_renew(&a->w->queue, a->claim, a->at, attempt_lease_ms(a),
                                   &kept, err);
    a->claim->n = n;
    *held = code != HO_OK || kept == 1;
    if (!*held) {
        a->outcome = OUTCOME_FAILED; /* settling finds whose it is now */
        a->untouched = true;
        (void)ho_fail(&a->why, HO_TRANSIENT, "its lease ended before its handler began");
    }
    return code;
}

static enum step pass_gate(struct attempt *a, struct ho_err *err)
{
    enum admission admission;
    bool held = true;

    if (prepare_look(a) != HO_OK) {
        *err = a->why;
        a->outcome = OUTCOME_FAILED;
        return db_retry(&a->why) ? STEP_TROUBLE : STEP_ALONE;
    }
    if (admit(a, &admission, err) != HO_OK) {
        return STEP_TROUBLE;
    }
    if (admission != ADMIT_GO) {
        return STEP_SETTLED;
    }
    stand_alone(a);
    if (stretch_lease(a, &held, err) != HO_OK) {
        return STEP_TROUBLE;
    }
    if (!held || admit_again(a) || run_fetch(a)) {
        return STEP_ALONE;
    }
    /* Queries and fetching may have used the time up. */
    if (stretch_lease(a, &held, err) != HO_OK) {
        return STEP_TROUBLE;
    }
    if (!held || run_outside(a)) {
        return STEP_ALONE;
    }
    return again_and_again(a, second_tx, err);
}

/* What was asked outside cannot be asked again for nothing: what came of it is written as soon as
 * the database takes it, while the lease lasts. */
static enum ho_code settle_stubbornly(struct attempt *a, struct ho_err *err)
{
    enum ho_code code = settle_alone(a, err);

    while (code == HO_TRANSIENT && a->asked && deadline_left_ms(a->claim->lease) > 0) {
        clock_sleep_ms(STUBBORN_MS);
        code = settle_alone(a, err);
    }
    return code;
}

static void end_attempt(struct attempt *a)
{
    struct ho_err ignored;

    forget_event(a);
    fetched_free(&a->fetched);
    handler_report_free(&a->report);
    if (a->ran && db_reset(a->w->handler, &ignored) != HO_OK) {
        db_disconnect(a->w->handler);
    }
}

enum ho_code dispatch_job(struct worker *w, struct claim *claim, size_t at, struct ho_err *err)
{
    struct attempt a = {.w = w,
                        .claim = claim,
                        .at = at,
                        .job = &claim->jobs[at],
                        .began_ms = clock_mono_ms()};
    enum ho_code code = HO_OK;

    handler_report_init(&a.report, false);
    enum step step = again_and_again(&a, first_tx, err);
    if (step == STEP_GATE) {
        step = pass_gate(&a, err);
    }
    switch (step) {
    case STEP_SETTLED:
        break;
    case STEP_ALONE:
        code = settle_stubbornly(&a, err);
        break;
    case STEP_ON:
    case STEP_TROUBLE:
    case STEP_SPREAD:
    case STEP_GATE:
    case STEP_AGAIN:
        code = err->code;
        break;
    }
    if (code == HO_OK) {
        settle_report(&a);
    }
    end_attempt(&a);
    return code;
}
