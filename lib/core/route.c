/* Routes against events. */
#include "core/route.h"

#include <string.h>

#include "base/text.h"

#define SHOWN_MAX 80
#define LINE_ROOM 2048

/* The explanation that is being written, line by line; why is NULL where nobody wants one. */
struct trace {
    struct buf *why;
    struct buf line;
    bool full; /* this line did not fit */
};

static void say(struct trace *t, const char *text)
{
    if (t->why != NULL && buf_add_str(&t->line, text) != HO_OK) {
        t->full = true;
    }
}

static void say_value(struct trace *t, struct span value)
{
    if (t->why != NULL && text_quote(value, SHOWN_MAX, &t->line) != HO_OK) {
        t->full = true;
    }
}

static void end_line(struct trace *t)
{
    say(t, "\n");
    if (t->why != NULL && !t->full && buf_add_span(t->why, buf_span(&t->line)) != HO_OK) {
        t->full = true;
    }
    buf_clear(&t->line);
    t->full = false;
}

/* The pattern that fits, or NULL. */
static const char *fitting(char *const *patterns, size_t n, struct span type)
{
    for (size_t i = 0; i < n; i++) {
        if (text_glob(patterns[i], type)) {
            return patterns[i];
        }
    }
    return NULL;
}

static bool provider_fits(const struct route *r, struct span provider, struct trace *t)
{
    bool fits = span_is(provider, r->provider);

    say(t, fits ? "provider " : "no: provider ");
    say_value(t, provider);
    say(t, fits ? "" : ", and the route is for ");
    say(t, fits ? "" : r->provider);
    end_line(t);
    return fits;
}

static void say_type(struct trace *t, struct span type, const char *key, const char *pattern)
{
    say(t, "type ");
    say_value(t, type);
    say(t, " fits ");
    say(t, key);
    say(t, pattern);
    end_line(t);
}

/* Whether the type is one of the route's; *informational when it only informs. */
static bool type_fits(const struct route *r, struct span type, bool *informational, struct trace *t)
{
    const char *pattern = fitting(r->informational, r->n_informational, type);

    *informational = pattern != NULL;
    if (pattern != NULL) {
        say_type(t, type, "informational = ", pattern);
        return true;
    }
    pattern = fitting(r->on, r->n_on, type);
    if (r->handler != NULL && pattern != NULL) {
        say_type(t, type, "on = ", pattern);
        return true;
    }
    if (r->handler != NULL && r->n_on == 0) {
        say_type(t, type, "", "a route without `on`");
        return true;
    }
    say(t, "no: type ");
    say_value(t, type);
    say(t, r->handler != NULL ? " fits nothing in on" : " is not informational, and there is no "
                                                        "handler");
    end_line(t);
    return false;
}

static bool mode_fits(enum livemode wanted, const struct json *doc, struct trace *t)
{
    const struct json_node *node = json_at(doc, SPAN_LIT("/livemode"));
    bool told = json_kind_of(node) == JSON_BOOL;
    bool fits = told && json_bool(node) == (wanted == LIVEMODE_TRUE);

    if (wanted == LIVEMODE_ANY) {
        return true;
    }
    say(t, fits ? "" : "no: ");
    say(t, wanted == LIVEMODE_TRUE ? "livemode = true, and {/livemode} is "
                                   : "livemode = false, and {/livemode} is ");
    say(t, !told ? "no boolean" : json_bool(node) ? "true" : "false");
    end_line(t);
    return fits;
}

static bool conditions_hold(const struct route *r, const struct ref_view *v, struct trace *t)
{
    bool all = true;

    for (size_t i = 0; i < r->n_when && (all || t->why != NULL); i++) {
        struct buf found;
        bool holds;

        buf_init(&found, LINE_ROOM);
        holds = condition_holds(&r->when[i], v, t->why != NULL ? &found : NULL);
        say(t, holds ? "when " : "no: when ");
        say_value(t, span_of(r->when[i].words));
        say(t, ": ");
        say(t, buf_cstr(&found));
        end_line(t);
        buf_free(&found);
        all = all && holds;
    }
    return all;
}

static enum route_verdict judge(const struct route *r, const struct ref_view *v, struct trace *t)
{
    bool informational = false;

    if (!provider_fits(r, v->event->provider, t) ||
        !type_fits(r, v->event->type, &informational, t)) {
        return ROUTE_NO;
    }
    if (!mode_fits(r->livemode, v->doc, t)) {
        return ROUTE_OTHER_MODE;
    }
    if (informational) {
        return ROUTE_INFORMATIONAL;
    }
    return conditions_hold(r, v, t) ? ROUTE_YES : ROUTE_NO;
}

enum route_verdict route_wants(const struct route *r, const struct ref_view *v)
{
    struct trace t = {.why = NULL};

    return judge(r, v, &t);
}

enum route_verdict route_explain(const struct route *r, const struct ref_view *v, struct buf *why)
{
    struct trace t = {.why = why};
    enum route_verdict verdict;

    buf_init(&t.line, LINE_ROOM);
    verdict = judge(r, v, &t);
    buf_free(&t.line);
    return verdict;
}

void route_plan(const struct settings *s, const struct ref_view *v, struct route_plan *out)
{
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < s->n_routes; i++) {
        switch (route_wants(&s->routes[i], v)) {
        case ROUTE_YES:
            out->routes[out->n++] = &s->routes[i];
            break;
        case ROUTE_INFORMATIONAL:
            out->informational = true;
            break;
        case ROUTE_OTHER_MODE:
            out->other_mode = true;
            break;
        case ROUTE_NO:
            break;
        }
    }
}
