/* One claimed job. Everything up to its outcome happens in one transaction on the handler's link:
 *
 *   fence       the row lock that keeps everybody else off, and proof that the claim still holds
 *   genuine?    the receipt's MAC; the tables may be shared with what can be made to write to them
 *   route       none: done, "ignored"; one: it is ours; several: more jobs, commit, go on with one;
 *               one that a worker vanished with is committed as well
 *   handler     its statements
 *   settle      job, receipt, attempt; COMMIT
 *
 * A failure undoes all of it and is settled in a transaction of its own on the other link. */
#include "work/dispatch.h"

#include <stdio.h>

#include "base/log.h"
#include "core/document.h"
#include "store/wake.h"
#include "work/attempt.h"
#include "work/handler.h"

#define RUNS_MAX 4  /* of the whole transaction, before a deadlock counts as a failed try */
#define PAUSE_MS 20 /* between them, times their number */

enum step {
    STEP_SETTLED, /* committed, or found lost: a->outcome is what is true now */
    STEP_ALONE,   /* roll back; then settle a->outcome in its own transaction */
    STEP_SPREAD,  /* other jobs were made and committed: from the start, now with a route */
    STEP_AGAIN,   /* roll back; from the start */
    STEP_TROUBLE  /* roll back; nothing is known to be wrong with the job */
};

static enum step trouble(const struct ho_err *err)
{
    return db_retry(err) ? STEP_AGAIN : STEP_TROUBLE;
}

/* ---- what shall happen ---- */

enum decision { DECIDE_SETTLE, DECIDE_SPREAD, DECIDE_RUN, DECIDE_FAIL };

static enum decision decide(struct attempt *a, enum outcome outcome, const char *why)
{
    a->outcome = outcome;
    if (why != NULL) {
        (void)ho_fail(&a->why, HO_PERMANENT, "%s", why);
    }
    return DECIDE_SETTLE;
}

static void take_route(struct attempt *a, const struct route *route)
{
    a->route = route;
    (void)snprintf(a->job->route, sizeof a->job->route, "%s", route->name);
}

/* A job that has no route yet. */
static enum decision plan(struct attempt *a, struct route_plan *routes)
{
    const struct ref_view view = {.event = &a->stored.event, .doc = a->doc};

    route_plan(a->w->settings, &view, routes);
    a->other_mode = routes->n == 0 && routes->other_mode;
    if (routes->n == 0) {
        return decide(a, routes->informational ? OUTCOME_INFORMATIONAL : OUTCOME_IGNORED, NULL);
    }
    take_route(a, routes->routes[0]);
    /* Should this worker vanish too, the route's tries must be known to whoever finds the job. */
    return routes->n > 1 || a->job->suspect ? DECIDE_SPREAD : DECIDE_RUN;
}

/* A job with a route must still fit the event: whoever can write to the table could have named a
 * route that was never meant for it. */
static enum decision check_route(struct attempt *a)
{
    const struct ref_view view = {.event = &a->stored.event, .doc = a->doc};

    a->route = settings_route(a->w->settings, span_of(a->job->route));
    if (a->route == NULL) {
        return decide(a, OUTCOME_NO_ROUTE, "the config has no route of that name");
    }
    if (route_wants(a->route, &view) != ROUTE_YES) {
        return decide(a, OUTCOME_NO_ROUTE, "its route does not want this event");
    }
    return DECIDE_RUN;
}

static enum decision examine(struct attempt *a, struct route_plan *routes)
{
    const struct event *e = &a->stored.event;

    ho_err_clear(&a->why);
    a->other_mode = false;
    routes->n = 0;
    if (!stored_genuine(&a->stored, a->w->key)) {
        return decide(a, OUTCOME_FORGED,
                      "the receipt or its body was not written by this "
                      "installation, or was changed since; nothing was run");
    }
    if (document_open(e->body, e->document, &a->doc, &a->why) != HO_OK) {
        a->outcome = OUTCOME_FAILED;
        return DECIDE_FAIL;
    }
    return a->job->route[0] == '\0' ? plan(a, routes) : check_route(a);
}

/* ---- doing it ---- */

static enum step lost(struct attempt *a, struct ho_err *err)
{
    db_rollback(a->w->handler);
    return settle_lost(a, err) == HO_OK ? STEP_SETTLED : trouble(err);
}

static enum step settle_here(struct attempt *a, struct ho_err *err)
{
    char text[SETTLE_TEXT_ROOM];
    bool held = false;
    const struct settlement s = settle_plan(a, text);

    enum ho_code code = job_settle(a->w->handler, a->job, &s, &held, err);
    if (code == HO_OK && !held) {
        return lost(a, err);
    }
    if (code == HO_OK) {
        code = db_commit(a->w->handler, err);
    }
    return code == HO_OK ? STEP_SETTLED : trouble(err);
}

static enum step spread(struct attempt *a, const struct route_plan *routes, struct ho_err *err)
{
    const char *names[sizeof routes->routes / sizeof routes->routes[0]];
    char count[24];

    for (size_t i = 0; i < routes->n; i++) {
        names[i] = routes->routes[i]->name;
    }
    enum ho_code code = job_spread(a->w->handler, a->job, names, routes->n, err);
    if (code == HO_OK) {
        code = db_commit(a->w->handler, err);
    }
    if (code != HO_OK) {
        return trouble(err);
    }
    const struct log_pair pairs[] = {log_int("routes", (int64_t)routes->n, count)};
    log_event(LOG_INFO, "dispatched", a->job->cid, pairs, 1);
    wake_send(a->w->settings->state_dir);
    return STEP_SPREAD;
}

/* The handler's time ends before the lease does, so that its job can still be settled. */
static struct deadline handler_end(const struct attempt *a)
{
    int64_t timeout = a->route->handler->timeout_ms;
    int64_t left = deadline_left_ms(a->lease) - a->w->settings->lease_ms / 8;

    return deadline_in(left < timeout ? left : timeout);
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

static enum step run_handler(struct attempt *a, struct ho_err *err)
{
    const struct handler_call call = {
        .handler = a->route->handler,
        .stored = &a->stored,
        .doc = a->doc,
        .try_no = job_try_no(a->job),
        .end = handler_end(a),
        .rows = &a->rows,
    };

    a->ran = true;
    enum handler_result result = handler_sql_run(a->w->handler, &call, &a->why);
    switch (result) {
    case HANDLER_DONE:
        a->outcome = OUTCOME_DONE;
        return settle_here(a, err);
    case HANDLER_AGAIN:
        return run_again(a, err);
    case HANDLER_FAILED:
        a->outcome = OUTCOME_FAILED;
        return STEP_ALONE;
    case HANDLER_BAD:
        db_disconnect(a->w->handler);
        a->outcome = OUTCOME_BAD_HANDLER;
        return STEP_ALONE;
    }
    return STEP_TROUBLE;
}

static enum step attempt_tx(struct attempt *a, struct ho_err *err)
{
    struct db *db = a->w->handler;
    struct route_plan routes;
    bool held = false;

    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = job_fence(db, a->job, &held, a->started, err);
    }
    if (code == HO_OK && !held) {
        return lost(a, err);
    }
    if (code == HO_OK) {
        a->outcome = OUTCOME_NONE;
        code = stored_load(db, a->job->cid, &a->stored, err);
    }
    if (code != HO_OK) {
        return trouble(err);
    }
    switch (examine(a, &routes)) {
    case DECIDE_SETTLE:
        return settle_here(a, err);
    case DECIDE_SPREAD:
        return spread(a, &routes, err);
    case DECIDE_RUN:
        return run_handler(a, err);
    case DECIDE_FAIL:
        return STEP_ALONE;
    }
    return STEP_TROUBLE;
}

static enum step attempt_once(struct attempt *a, struct ho_err *err)
{
    enum step step = attempt_tx(a, err);

    stored_free(&a->stored);
    json_free(a->doc);
    a->stored = (struct stored){.found = false};
    a->doc = NULL;
    if (step != STEP_SETTLED && step != STEP_SPREAD) {
        db_rollback(a->w->handler);
    }
    return step;
}

/* The transaction, again while that can help. */
static enum step attempt_all(struct attempt *a, struct ho_err *err)
{
    for (int run = 1; run <= RUNS_MAX;) {
        enum step step = attempt_once(a, err);

        if (step != STEP_AGAIN && step != STEP_SPREAD) {
            return step;
        }
        if (step == STEP_AGAIN) {
            if (deadline_left_ms(a->lease) == 0) {
                break;
            }
            clock_sleep_ms((int64_t)PAUSE_MS * run++);
        }
    }
    /* Deadlocks or lost links without end: the handler's own, or the database's trouble? */
    return a->outcome == OUTCOME_FAILED ? STEP_ALONE : STEP_TROUBLE;
}

enum ho_code dispatch_job(struct worker *w, struct job *job, struct deadline lease,
                          struct ho_err *err)
{
    struct attempt a = {.w = w, .job = job, .lease = lease, .began_ms = clock_mono_ms()};
    struct ho_err ignored;
    enum ho_code code = HO_OK;

    switch (attempt_all(&a, err)) {
    case STEP_SETTLED:
        break;
    case STEP_ALONE:
        code = settle_alone(&a, err);
        break;
    case STEP_TROUBLE:
    case STEP_SPREAD:
    case STEP_AGAIN:
        code = err->code;
        break;
    }
    if (a.ran && db_reset(w->handler, &ignored) != HO_OK) {
        db_disconnect(w->handler);
    }
    if (code == HO_OK) {
        settle_report(&a);
    }
    return code;
}
