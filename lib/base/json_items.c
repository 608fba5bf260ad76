/* A walk over the items of an array whose grammar is known to be good. */
#include "base/json_items.h"

#include "base/json_walk.h"

bool json_items_next(struct span *rest, struct span *item)
{
    struct span s = *rest;

    *item = SPAN_NONE;
    if (s.len == 0 || (s.p[0] != '[' && s.p[0] != ',')) {
        return false;
    }
    s = json_skip(s, 1);
    *item = span_sub(s, 0, json_value_len(s));
    *rest = json_skip(s, item->len);
    if (item->len == 0) {
        *item = SPAN_NONE;
    }
    return span_present(*item);
}
