/* Taking one value apart into signatures and fields, for edge/sig.c. */
#ifndef HO_EDGE_SIG_PARTS_H
#define HO_EDGE_SIG_PARTS_H

#include "edge/sig.h"

/* Adds what stands in the value by the recipe's directives, without entries of other schemes.
 * returns REASON_OK | REASON_HEADER_MALFORMED. */
enum reason sig_take(const struct recipe *recipe, struct span value, struct sig_parts *out);

#endif
