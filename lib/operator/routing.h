/* What the routes of a config would do with an event, in words: for `hookonce routes`. */
#ifndef HO_OPERATOR_ROUTING_H
#define HO_OPERATOR_ROUTING_H

#include "core/settings.h"

struct routing {
    const struct settings *settings;
    const struct source *source;
    bool json;
    bool wanted; /* out: a route would run, or informs, for at least one event */
    size_t events; /* out: told so far */
};

/* A sketch_fn (edge/sketch.h): prints the event, every route of its scope, and where none wants it
 * the nearest patterns. in: arg - struct routing. */
void routing_tell(void *arg, const struct event *e, const struct json *doc);

/* One line: "note: ..." for people. */
void routing_note(const struct routing *r, const char *fmt, ...) HO_PRINTF(2, 3);

#endif
