/* Steps over a JSON text without a parser. Where its grammar is good, these find its parts; where it
 * is not, they stay inside the text and end. */
#ifndef HO_BASE_JSON_WALK_H
#define HO_BASE_JSON_WALK_H

#include <stddef.h>

#include "base/span.h"

/* What is left behind the first n bytes and the blanks that follow them (RFC 8259 section 2). */
struct span json_skip(struct span s, size_t n);

/* The length of the string literal that s begins with, quotes and all; all of s if it never ends. */
size_t json_string_len(struct span s);

/* The length of the value that s begins with: up to what closes it or, of a bare one, up to what
 * cannot belong to it. */
size_t json_value_len(struct span s);

#endif
