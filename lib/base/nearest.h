/* "Did you mean …": the known word nearest to a mistyped one. */
#ifndef HO_BASE_NEAREST_H
#define HO_BASE_NEAREST_H

#include "base/span.h"

struct nearest {
    struct span given;
    const char *word; /* the best so far, NULL when none is near enough */
    unsigned distance;
};

/* Begins a search; then nearest_try with every known word; then read .word. */
struct nearest nearest_to(struct span given);

/* Keeps word (which must outlive the search) if it is nearer than the best so far. Near enough
 * means at most a third of its letters changed, added or dropped, or that one begins the other. */
void nearest_try(struct nearest *n, const char *word);

#endif
