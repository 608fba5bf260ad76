/* What a recipe lets the processor fetch. Receivers only wish; whoever serves a wish asks here
 * again, so that a wish that was tampered with leads nowhere. */
#ifndef HO_EDGE_FETCH_H
#define HO_EDGE_FETCH_H

#include "edge/recipe.h"

/* Whether the recipe names that URL: word "key", its `keys`; "visit", a handshake's `visit`. */
bool recipe_may_fetch(const struct recipe *r, const char *word, struct span url);

/* The fixed URL of its keys, SPAN_NONE when they are not fetched or the request names it. */
struct span recipe_key_url(const struct recipe *r);

#endif
