/* The receivers' breaker in front of the database. It lies in the state file (store/counters.h), so
 * that all receivers of a host share it, those of plain CGI too: a database that hangs or is away
 * costs the first two requests their time, the others nothing.
 * Closed: all go through. Open: none, for ten times what the failed try took, at most 1 s, then
 * 2 s, then 5 s: what fails in a millisecond need not be spared, and is found to be back at once.
 * When that time is over one goes through, the prober, and holds the others off for as long as its
 * try may take: one that is killed meanwhile blocks nobody for longer. Times are the boot clock's;
 * what can't be one of this boot, or lies further ahead than 5 s, counts as closed. */
#ifndef HO_STORE_GATE_H
#define HO_STORE_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/counters.h"

#define GATE_MOST_MS 5000 /* none is open for longer, and no probe holds it for longer */

struct gate {
    struct counters *counters;
    uint64_t began_ms; /* boot clock */
    uint64_t probe;    /* what the prober wrote; 0: not the prober */
};

/* Asks whether the database may be tried now. true: yes, and gate_tell must follow when it has
 * been. false: the breaker is open, answer without the database at once (and do not tell).
 * in: most_ms - how long the try can take
 * out: *gate - for gate_tell; borrows c
 * blocks: never */
bool gate_ask(struct gate *gate, struct counters *c, int64_t most_ms);

/* Tells what came of it. Trouble of the database as a whole (db_error_whole) opens the breaker when
 * it is the second in a row, or the prober's. HO_OK closes it, and so does an error of the database
 * that is about less: it answers. One that is not the database's changes nothing.
 * returns true when this very call opened it, or left it open after a probe */
bool gate_tell(struct gate *gate, enum ho_code code, const struct ho_err *err);

/* Whether the next request would be turned away; for check and tests. Takes no probe. */
bool gate_is_open(struct counters *c);

#endif
