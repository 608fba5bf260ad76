/* What a job's event says about it: is it genuine, which route wants it, which keys has it. */
#include <stdio.h>

#include "core/document.h"
#include "store/answers.h"
#include "work/admit.h"
#include "work/step.h"

#define BODY_KEY_LOOK_MS 60000 /* until it is looked for again */

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
    const struct ref_view view = attempt_view(a);

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
    const struct ref_view view = attempt_view(a);

    a->route = settings_route(a->w->settings, span_of(a->job->route));
    if (a->route == NULL) {
        return decide(a, OUTCOME_NO_ROUTE, "the config has no route of that name");
    }
    if (route_wants(a->route, &view) != ROUTE_YES) {
        return decide(a, OUTCOME_NO_ROUTE, "its route does not want this event");
    }
    return DECIDE_RUN;
}

/* A fresh job was claimed among the fresh ones, for nobody knew its route: what has low priority
 * goes to its own share of the claims, once. */
static bool must_queue(const struct attempt *a)
{
    return a->route->priority == PRIORITY_LOW && a->job->class != CLASS_LOW && !a->job->suspect &&
           a->job->tries == 0;
}

static enum decision park(struct attempt *a, const struct pause *p)
{
    a->waits = WAIT_PAUSE;
    a->pause = p;
    a->asleep = true;
    (void)ho_fail(&a->why, HO_TRANSIENT, "%s %s is paused", pause_kind_word(p->kind), p->name);
    return DECIDE_ALONE;
}

/* It has a route that wants it. */
static enum decision weigh(struct attempt *a)
{
    const struct pause *pause = pausing_route(a->w, a->route);

    if (pause != NULL) {
        return park(a, pause);
    }
    if (must_queue(a)) {
        a->waits = WAIT_TURN;
        a->wait_ms = 0;
        return DECIDE_ALONE;
    }
    if (prepare_keys(a) != HO_OK) {
        return decide(a, OUTCOME_NO_KEY, NULL);
    }
    if (a->asked_before && !attempt_outside(a)) {
        return decide(a, OUTCOME_UNKNOWN,
                      "a command or URL was asked before, and may have acted; its handler is SQL "
                      "now");
    }
    return admit_needed(a->route) ? DECIDE_GATE : DECIDE_RUN;
}

/* Requests that want an answer, and the queue, have nothing to do with each other: a job that says
 * otherwise was written by nobody of us, or before the config was changed. */
static const char *crosses_over(const struct attempt *a)
{
    const struct source *source = settings_source(a->w->settings, a->stored.event.source);

    if (source != NULL && source->reply) {
        return "its source answers requests (mode = reply), and has no jobs in the queue";
    }
    return span_is(span_of(a->job->route), REPLY_ROUTE)
               ? "it says that it answers a request, but its source is in the queue's mode"
               : NULL;
}

enum decision examine(struct attempt *a, struct route_plan *routes)
{
    const struct event *e = &a->stored.event;

    ho_err_clear(&a->why);
    a->other_mode = false;
    routes->n = 0;
    if (a->stored.key_missing[0] != '\0') {
        a->waits = WAIT_BODY;
        a->wait_ms = BODY_KEY_LOOK_MS;
        (void)ho_fail(&a->why, HO_TRANSIENT, "its body is sealed under the body_key %s, which is "
                                             "not here",
                      a->stored.key_missing);
        return DECIDE_ALONE;
    }
    if (a->stored.no_body) {
        return decide(a, OUTCOME_NO_BODY, "its body is gone, and nothing was run");
    }
    if (!stored_genuine(&a->stored, a->w->key)) {
        return decide(a, OUTCOME_FORGED,
                      "the receipt or its body was not written by this "
                      "installation, or was changed since; nothing was run");
    }
    if (!attempt_key_sound(a)) {
        return decide(a, OUTCOME_FORGED, NULL);
    }
    if (crosses_over(a) != NULL) {
        return decide(a, OUTCOME_NO_ROUTE, crosses_over(a));
    }
    const struct pause *pause = pausing_source(a->w, e->source);
    if (pause != NULL) {
        return park(a, pause);
    }
    if (document_open(e->body, e->document, &a->doc, &a->why) != HO_OK) {
        a->outcome = OUTCOME_FAILED;
        return DECIDE_ALONE;
    }
    enum decision d = a->job->route[0] == '\0' ? plan(a, routes) : check_route(a);
    return d == DECIDE_RUN ? weigh(a) : d;
}
