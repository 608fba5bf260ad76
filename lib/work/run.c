/* Behind the gate, outside any transaction: the object is fetched, a command or URL is asked. */
#include "work/attempt.h"
#include "work/contract_put.h"

#define BODY_MAX (64UL * 1024 * 1024)
#define DEFER_LEAST_MS 1000
#define DEFER_USUAL_MS 60000
#define DEFER_MOST_MS (24 * 60 * 60 * INT64_C(1000))

static void decide(struct attempt *a, enum outcome outcome, bool untouched)
{
    a->outcome = outcome;
    a->untouched = untouched;
}

/* "Not now": no try, unless it has waited for too long. */
static void defer(struct attempt *a, enum job_wait who, int64_t wait_ms)
{
    if (a->job->waited_ms >= WAIT_HANDLER_MAX_MS) {
        ho_err_prefix(&a->why, "not now, for a day");
        decide(a, OUTCOME_FAILED, true);
        return;
    }
    wait_ms = wait_ms > 0 ? wait_ms : DEFER_USUAL_MS;
    wait_ms = wait_ms > DEFER_LEAST_MS ? wait_ms : DEFER_LEAST_MS;
    a->wait_ms = wait_ms < DEFER_MOST_MS ? wait_ms : DEFER_MOST_MS;
    a->waits = who;
    a->untouched = true;
}

/* The object is not there any more. false: the handler runs without it. */
static bool gone(struct attempt *a)
{
    switch (a->route->gone) {
    case GONE_RUN:
        ho_err_clear(&a->why);
        return false;
    case GONE_SKIP:
    case GONE_DEAD:
        break;
    }
    decide(a, OUTCOME_GONE, true);
    return true;
}

/* true: something is decided. */
static bool fetch(struct attempt *a)
{
    const struct ref_view view = attempt_view(a);
    enum fetch_result result = fetch_object(a->w->settings, a->route, &view, attempt_end(a),
                                            &a->fetched, &a->why);

    switch (result) {
    case FETCH_DONE:
        return false;
    case FETCH_GONE:
        return gone(a);
    case FETCH_DEFER:
        defer(a, WAIT_FETCH, a->fetched.wait_ms);
        return true;
    case FETCH_NEVER:
        decide(a, OUTCOME_NO_KEY, true);
        return true;
    case FETCH_FAILED:
        break;
    }
    decide(a, OUTCOME_FAILED, true);
    return true;
}

static void judge(struct attempt *a, enum handler_result result)
{
    bool untouched = a->report.untouched;

    switch (result) {
    case HANDLER_DONE:
        decide(a, OUTCOME_DONE, false);
        return;
    case HANDLER_DEFER:
        defer(a, WAIT_HANDLER, a->report.wait_ms);
        return;
    case HANDLER_GIVE_UP:
        decide(a, OUTCOME_REFUSED, true);
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
    decide(a, OUTCOME_FAILED, untouched);
}

static void ask(struct attempt *a)
{
    bool command = a->route->handler->kind == HANDLER_COMMAND;
    struct handler_call call = attempt_call(a, attempt_ask_end(a));
    enum handler_result result = HANDLER_FAILED;
    struct buf room;

    a->tried = true;
    buf_init(&room, BODY_MAX);
    handler_report_free(&a->report);
    handler_report_init(&a->report, false);
    call.fetched_body = a->route->fetch.words != NULL ? buf_span(&a->fetched.body) : SPAN_NONE;
    if (contract_body(&a->stored, &room, &call.body, &a->why) != HO_OK) {
        a->report.untouched = true;
    } else if (command) {
        result = handler_cmd_run(&call, &a->report, &a->why);
    } else {
        result = handler_http_run(&call, &a->report, &a->why);
    }
    buf_free(&room);
    judge(a, result);
}

bool run_fetch(struct attempt *a)
{
    a->untouched = true;
    return a->route->fetch.words != NULL && fetch(a);
}

bool run_outside(struct attempt *a)
{
    a->untouched = true;
    if (a->route->handler->kind == HANDLER_SQL) {
        return false;
    }
    ask(a);
    return true;
}
