/* Doors: what an operator lets the receivers of this host do for a while. A door is a small file in
 * the state folder with its end in it; one that is over, or can't be read, is closed. */
#ifndef HO_STORE_DOOR_H
#define HO_STORE_DOOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

enum door {
    DOOR_PAIR,   /* state/pair/SOURCE: a handshake may set the source's secret, once */
    DOOR_CAPTURE /* state/capture/SOURCE.arm: refused requests are kept (store/captures.h) */
};

#define DOOR_MAX_MS (24 * 60 * 60 * INT64_C(1000)) /* none is open longer */
#define DOOR_FILES_MAX 100

struct door_terms {
    int64_t until_us; /* unix microseconds, at most DOOR_MAX_MS from now */
    unsigned files;   /* of DOOR_CAPTURE: the newest so many are kept, 1..DOOR_FILES_MAX */
};

/* Opens it, or changes its terms. in: source - one of the config's names
 * returns HO_OK | HO_REJECT (the state folder can't be written). */
enum ho_code door_open(const char *state_dir, enum door door, const char *source,
                       const struct door_terms *terms, struct ho_err *err) HO_MUST_CHECK;

/* Whether it is open at now_us; out, where not NULL, gets its terms, zeros when it is closed. */
bool door_look(const char *state_dir, enum door door, struct span source, int64_t now_us,
               struct door_terms *out);

/* Closes it. returns true when it was there and this very call took it away: of several callers at
 * once one only. */
bool door_close(const char *state_dir, enum door door, struct span source);

#endif
