/* Which routes want an event. */
#ifndef HO_CORE_ROUTE_H
#define HO_CORE_ROUTE_H

#include "base/json.h"
#include "core/settings.h"

enum route_verdict {
    ROUTE_NO,
    ROUTE_YES,
    ROUTE_INFORMATIONAL,
    ROUTE_OTHER_MODE /* the type fits, but livemode is another, or missing where it is asked for */
};

/* in: type as stored; doc may be NULL (no JSON). */
enum route_verdict route_wants(const struct route *r, struct span provider, struct span type,
                               const struct json *doc);

struct route_plan {
    const struct route *routes[SETTINGS_ROUTES_MAX]; /* all that said YES, in config order */
    size_t n;
    bool informational; /* at least one said INFORMATIONAL */
    bool other_mode;    /* at least one said OTHER_MODE: worth a line in the log */
};
void route_plan(const struct settings *s, struct span provider, struct span type,
                const struct json *doc, struct route_plan *out);

#endif
