/* Leases that have ended: what a job of which route may do then, and who is told. */
#include "work/leases.h"

#include "work/attempt.h"

static struct reap_rule rule_of(void *arg, const char *route)
{
    const struct worker *w = arg;
    const struct route *r = settings_route(w->settings, span_of(route));
    struct reap_rule rule = {.tries = 1};
    struct retry usual;

    if (r != NULL) {
        rule.tries = r->retry.tries;
        rule.at_most_once = r->handler != NULL && r->handler->at_most_once;
    } else if (route[0] == '(') {
        rule.ends = true; /* "(reply)": it answered a request, and whoever asked is gone */
    } else if (retry_parse(SPAN_LIT(RETRY_DEFAULT), &usual, NULL) == HO_OK) {
        rule.tries = usual.tries;
    }
    return rule;
}

/* Tells of a job that was taken from a worker that had vanished. */
static void tell_reaped(void *arg, const struct job *job, enum outcome outcome)
{
    struct job copy = *job;
    struct attempt a = {
        .w = arg,
        .job = &copy,
        .began_ms = clock_mono_ms(),
        .outcome = outcome,
    };

    if (outcome == OUTCOME_UNKNOWN) {
        (void)ho_fail(&a.why, HO_PERMANENT,
                      "its worker vanished while it ran, and its handler runs at most once");
    } else if (outcome == OUTCOME_WORKER_LOST) {
        (void)ho_fail(&a.why, HO_PERMANENT, "every try ended without a word from its worker");
    }
    settle_report(&a);
}

enum ho_code leases_reap(struct worker *w, struct ho_err *err)
{
    int64_t every = w->settings->poll_ms < w->settings->lease_ms / 2 ? w->settings->poll_ms
                                                                     : w->settings->lease_ms / 2;
    const struct reaper reaper = {rule_of, tell_reaped, w};
    struct reaped reaped = {.more = true};
    enum ho_code code = HO_OK;

    if (w->reaped_ms != 0 && clock_mono_ms() - w->reaped_ms < every) {
        return HO_OK;
    }
    while (code == HO_OK && reaped.more) {
        code = jobs_reap(&w->queue, &reaper, &reaped, err);
    }
    if (code == HO_OK) {
        w->reaped_ms = clock_mono_ms();
    }
    return code;
}
