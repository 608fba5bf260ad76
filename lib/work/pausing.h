/* What is paused, as a worker knows it: looked at twice a second while it works. */
#ifndef HO_WORK_PAUSING_H
#define HO_WORK_PAUSING_H

#include "store/pause.h"

#define PAUSING_LOOK_MS 500

struct worker;

struct pausing {
    struct pauses now;
    int64_t looked_ms; /* when they were read, monotonic; 0: never */
    int64_t tended_ms; /* when jobs were last woken and parked, likewise */
};

void pausing_free(struct pausing *p);

/* Reads the pauses again if that was long ago, and logs what has changed. With an error what was
 * known stays. */
enum ho_code pausing_look(struct worker *w, struct ho_err *err) HO_MUST_CHECK;

/* Between two claims, every PAUSING_LOOK_MS: looks, wakes jobs whose pause is gone, parks what is
 * due while everything is paused.
 * out: *more - there was so much of it that it did not come to the end
 * blocks: about a second at most */
enum ho_code pausing_tend(struct worker *w, bool *more, struct ho_err *err) HO_MUST_CHECK;

/* The pause that a job of this source, or of this route, has to wait for; NULL: none. */
const struct pause *pausing_source(const struct worker *w, struct span source);
const struct pause *pausing_route(const struct worker *w, const struct route *route);

#endif
