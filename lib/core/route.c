/* Routes against events. */
#include "core/route.h"

#include <string.h>

#include "base/text.h"

static bool any_fits(char *const *patterns, size_t n, struct span type)
{
    for (size_t i = 0; i < n; i++) {
        if (text_glob(patterns[i], type)) {
            return true;
        }
    }
    return false;
}

static bool mode_fits(enum livemode wanted, const struct json *doc)
{
    const struct json_node *node = json_at(doc, SPAN_LIT("/livemode"));

    if (wanted == LIVEMODE_ANY) {
        return true;
    }
    if (json_kind_of(node) != JSON_BOOL) {
        return false;
    }
    return json_bool(node) == (wanted == LIVEMODE_TRUE);
}

enum route_verdict route_wants(const struct route *r, struct span provider, struct span type,
                               const struct json *doc)
{
    bool informational;

    if (!span_is(provider, r->provider)) {
        return ROUTE_NO;
    }
    informational = any_fits(r->informational, r->n_informational, type);
    if (!informational && r->handler == NULL) {
        return ROUTE_NO;
    }
    if (!informational && r->n_on > 0 && !any_fits(r->on, r->n_on, type)) {
        return ROUTE_NO;
    }
    if (!mode_fits(r->livemode, doc)) {
        return ROUTE_OTHER_MODE;
    }
    return informational ? ROUTE_INFORMATIONAL : ROUTE_YES;
}

void route_plan(const struct settings *s, struct span provider, struct span type,
                const struct json *doc, struct route_plan *out)
{
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < s->n_routes; i++) {
        switch (route_wants(&s->routes[i], provider, type, doc)) {
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
