/* Matching a recipe's handshakes, for edge's own files. */
#ifndef HO_EDGE_HELLO_H
#define HO_EDGE_HELLO_H

#include "edge/recipe_parts.h"
#include "edge/verify.h"

/* The answer of the first handshake of that kind that fits what the view shows; false: none. */
bool hello_match(const struct recipe *recipe, const struct term_view *v, bool is_unsigned,
                 struct verdict *out);

#endif
