/* Where a value stands in its JSON text: for handing it on exactly as the sender wrote it, with
 * every digit of its numbers, which no writing anew would keep. */
#ifndef HO_BASE_JSON_SLICE_H
#define HO_BASE_JSON_SLICE_H

#include "base/span.h"

/* Without a byte order mark in front, and white space around it. */
struct span json_bare(struct span text);

/* The bytes of the value at an RFC 6901 pointer in a text that json_parse takes; of a key that
 * stands twice the last counts, as everywhere. SPAN_NONE: it leads nowhere. Lives as long as text. */
struct span json_slice(struct span text, struct span pointer);

#endif
