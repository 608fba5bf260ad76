/* Which routes want an event. */
#ifndef HO_CORE_ROUTE_H
#define HO_CORE_ROUTE_H

#include "core/settings.h"

enum route_verdict {
    ROUTE_NO,
    ROUTE_YES,
    ROUTE_INFORMATIONAL,
    ROUTE_OTHER_MODE /* the type fits, but livemode is another, or missing where it is asked for */
};

/* in: v->event — provider and type as stored; v->doc may be NULL (no JSON). `when` speaks of the
 * events that run the handler, not of informational ones. */
enum route_verdict route_wants(const struct route *r, const struct ref_view *v);

/* The same, and appends to why what was looked at, a line each ("type x: fits on = x.*\n"); lines
 * that do not fit are left out. Conditions are looked at also behind one that does not hold. */
enum route_verdict route_explain(const struct route *r, const struct ref_view *v, struct buf *why);

struct route_plan {
    const struct route *routes[SETTINGS_ROUTES_MAX]; /* all that said YES, in config order */
    size_t n;
    bool informational; /* at least one said INFORMATIONAL */
    bool other_mode;    /* at least one said OTHER_MODE: worth a line in the log */
};
void route_plan(const struct settings *s, const struct ref_view *v, struct route_plan *out);

#endif
