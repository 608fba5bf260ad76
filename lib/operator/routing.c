/* Routes against an event, told to a person or a program. */
#include "operator/routing.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "core/flow_key.h"
#include "core/outcome.h"
#include "core/route.h"
#include "operator/table.h"

#define WHY_MAX 65536
#define LINE_MAX_BYTES 4096
#define TIME_ROOM 32

static const char *const kinds[] = {
    [HANDLER_SQL] = "sql", [HANDLER_COMMAND] = "command", [HANDLER_URL] = "url",
};

static const char *const verdicts[] = {
    [ROUTE_NO] = "no", [ROUTE_YES] = "run", [ROUTE_INFORMATIONAL] = "informational",
    [ROUTE_OTHER_MODE] = "other livemode",
};

static void say_cell(const char *before, struct span value)
{
    struct buf safe;

    buf_init(&safe, TABLE_CELL_MAX);
    table_cell(value, 0, &safe);
    (void)printf("%s%s\n", before, buf_cstr(&safe));
    buf_free(&safe);
}

void routing_note(const struct routing *r, const char *fmt, ...)
{
    static const struct table_col cols[] = {{"text", TABLE_TEXT, 0}};
    char text[LINE_MAX_BYTES];
    struct span cell;
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    cell = span_of(text);
    if (r->json) {
        struct table *t = table_new("note", cols, 1);
        table_row(t, &cell);
        table_print(t, stdout, true);
        table_free(t);
    } else {
        say_cell("note: ", cell);
    }
}

/* ---- the event ---- */

static void say_event(const struct routing *r, const struct event *e)
{
    static const struct table_col cols[] = {
        {"source", TABLE_TEXT, 0},     {"provider", TABLE_TEXT, 0}, {"event_id", TABLE_TEXT, 0},
        {"event_type", TABLE_TEXT, 0}, {"object", TABLE_TEXT, 0},   {"occurred_at", TABLE_TEXT, 0},
    };
    char at[TIME_ROOM] = "";
    struct table *t = table_new("event", cols, 6);

    if (e->has_occurred) {
        text_rfc3339_put(e->occurred_us, true, at);
    }
    const struct span cells[] = {e->source, e->provider, e->id, e->type, e->object,
                                 e->has_occurred ? span_of(at) : SPAN_NONE};
    table_row(t, cells);
    table_whole(t);
    table_print(t, stdout, r->json);
    table_free(t);
}

/* ---- a route ---- */

/* What is told of one route; spans are absent where there is nothing. */
struct told {
    const struct route *route;
    enum route_verdict verdict;
    struct flow_keys keys;
    bool keyed;         /* keys are made */
    struct ho_err lack; /* why they cannot be; "" if they can */
    char mark[TIME_ROOM];
};

static void make_keys(const struct ref_view *v, struct told *t)
{
    enum flow_lack lack = FLOW_COMPLETE;

    t->keyed = flow_keys_make(t->route, v, &t->keys, &lack, &t->lack) == HO_OK;
    if (t->keyed && t->keys.has_mark && t->keys.mark_is_time) {
        text_rfc3339_put(t->keys.mark, false, t->mark);
    } else if (t->keyed && t->keys.has_mark) {
        (void)snprintf(t->mark, sizeof t->mark, "%lld", (long long)t->keys.mark);
    }
}

static struct span key_span(const struct flow_key *k)
{
    return span_make((const unsigned char *)k->text, k->len);
}

static struct span absent_if_empty(const char *text)
{
    return text[0] != '\0' ? span_of(text) : SPAN_NONE;
}

static void say_json(const struct told *t, struct span why)
{
    static const struct table_col cols[] = {
        {"route", TABLE_TEXT, 0},      {"verdict", TABLE_TEXT, 0},
        {"why", TABLE_TEXT, 0},        {"handler", TABLE_TEXT, 0},
        {"handler_kind", TABLE_TEXT, 0}, {"flow", TABLE_TEXT, 0},
        {"business_key", TABLE_TEXT, 0}, {"object_key", TABLE_TEXT, 0},
        {"lane", TABLE_TEXT, 0},       {"order_mark", TABLE_TEXT, 0},
        {"idempotency_key", TABLE_TEXT, 0}, {"error", TABLE_TEXT, 0},
    };
    const struct route *r = t->route;
    const struct flow_keys *k = &t->keys;
    char lane[2 * SHA256_LEN + 1];
    struct table *table = table_new("route", cols, 12);

    text_hex(k->lane, sizeof k->lane, lane);
    const struct span cells[] = {
        span_of(r->name), span_of(verdicts[t->verdict]), why,
        r->handler != NULL ? span_of(r->handler->name) : SPAN_NONE,
        r->handler != NULL ? span_of(kinds[r->handler->kind]) : SPAN_NONE, span_of(r->flow),
        t->keyed && k->has_business ? key_span(&k->business) : SPAN_NONE,
        t->keyed && k->has_object ? key_span(&k->object) : SPAN_NONE,
        t->keyed && k->has_object ? span_of(lane) : SPAN_NONE, absent_if_empty(t->mark),
        t->keyed ? span_of(k->idempotency) : SPAN_NONE, absent_if_empty(t->lack.text),
    };
    table_row(table, cells);
    table_print(table, stdout, true);
    table_free(table);
}

static void say_keys(const struct told *t)
{
    const struct flow_keys *k = &t->keys;

    if (!t->keyed) {
        say_cell("  but it would be a dead letter at once: ", span_of(t->lack.text));
        return;
    }
    if (k->has_business) {
        (void)printf("  once per (flow %s): ", t->route->flow);
        say_cell("", key_span(&k->business));
    }
    if (k->has_object) {
        (void)printf("  one at a time (flow %s): ", t->route->flow);
        say_cell("", key_span(&k->object));
    }
    if (t->mark[0] != '\0') {
        (void)printf("  order mark: %s\n", t->mark);
    }
    (void)printf("  idempotency key: %s\n", k->idempotency);
}

static void say_route(const struct told *t, struct span why)
{
    const struct route *r = t->route;

    (void)printf("\nroute %s: ", r->name);
    if (t->verdict == ROUTE_YES) {
        (void)printf("would run handler %s (%s)\n", r->handler->name, kinds[r->handler->kind]);
    } else if (t->verdict == ROUTE_INFORMATIONAL) {
        (void)printf("informational, nothing would run\n");
    } else {
        (void)printf("would not run\n");
    }
    while (span_present(why)) {
        struct span line = span_cut(&why, '\n');
        if (line.len > 0) {
            say_cell("  ", line);
        }
    }
    if (t->verdict != ROUTE_YES) {
        return;
    }
    say_keys(t);
    if (r->skip_if.sql != NULL || r->needs.sql != NULL) {
        (void)printf("  skip_if and needs are asked of the database then, not here\n");
    }
}

static void tell_route(const struct routing *r, const struct route *route,
                       const struct ref_view *view, struct told *t)
{
    struct buf why;

    *t = (struct told){.route = route};
    buf_init(&why, WHY_MAX);
    t->verdict = route_explain(route, view, &why);
    if (t->verdict == ROUTE_YES) {
        make_keys(view, t);
    }
    if (r->json) {
        say_json(t, buf_span(&why));
    } else {
        say_route(t, buf_span(&why));
    }
    buf_free(&why);
}

/* ---- when nothing wants it ---- */

/* Whether a pattern fits that means this type, and not just every one. */
static bool means(char *const *patterns, size_t n, struct span type)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(patterns[i], "*") != 0 && text_glob(patterns[i], type)) {
            return true;
        }
    }
    return false;
}

static void say_near(const struct routing *r, const struct event *e)
{
    for (size_t i = 0; i < r->settings->n_routes; i++) {
        const struct route *route = &r->settings->routes[i];
        struct nearest near = nearest_to(e->type);

        if (!span_is(e->provider, route->provider)) {
            if (means(route->on, route->n_on, e->type)) {
                routing_note(r, "route %s would take this type, but is for provider %s, and this "
                                "is %.*s", route->name, route->provider, (int)e->provider.len,
                             (const char *)e->provider.p);
            }
            continue;
        }
        if (means(route->on, route->n_on, e->type)) {
            continue; /* its `when` or livemode says no, which is told */
        }
        for (size_t k = 0; k < route->n_on; k++) {
            nearest_try(&near, route->on[k]);
        }
        if (near.word != NULL) {
            routing_note(r, "route %s has on = %s, which is near but does not fit", route->name,
                         near.word);
        }
    }
}

static void say_end(struct routing *r, const struct event *e, size_t run, bool informs)
{
    if (run > 0) {
        r->wanted = true;
    } else if (informs) {
        r->wanted = true;
        routing_note(r, "nothing runs: the receipt would be %s",
                     outcome_word(OUTCOME_INFORMATIONAL));
    } else {
        routing_note(r, "no route wants it: the receipt would be %s",
                     outcome_word(OUTCOME_IGNORED));
        say_near(r, e);
    }
}

void routing_tell(void *arg, const struct event *e, const struct json *doc)
{
    struct routing *r = arg;
    const struct ref_view view = {.event = e, .doc = doc};
    bool informs = false;
    size_t run = 0;

    if (r->events++ > 0 && !r->json) {
        (void)printf("\n");
    }
    say_event(r, e);
    if (r->source->reply) {
        r->wanted = true;
        routing_note(r, "source %s has mode = reply: handler %s (%s) answers the request, and no "
                        "route is looked at", r->source->name, r->source->handler->name,
                     kinds[r->source->handler->kind]);
        return;
    }
    for (size_t i = 0; i < r->settings->n_routes; i++) {
        const struct route *route = &r->settings->routes[i];
        struct told t;

        if (!span_is(e->provider, route->provider)) {
            continue;
        }
        tell_route(r, route, &view, &t);
        run += t.verdict == ROUTE_YES;
        informs = informs || t.verdict == ROUTE_INFORMATIONAL;
    }
    say_end(r, e, run, informs);
}
