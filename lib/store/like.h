/* Patterns of event types in SQL. */
#ifndef HO_STORE_LIKE_H
#define HO_STORE_LIKE_H

#include "base/buf.h"

/* Appends the pattern, in which only * stands for anything, as it is written behind
 * LIKE ? ESCAPE '|'.
 * returns HO_OK | HO_REJECT (it does not fit into out) */
enum ho_code like_put(struct span pattern, struct buf *out) HO_MUST_CHECK;

#endif
