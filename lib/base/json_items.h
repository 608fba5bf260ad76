/* The items of an array, each as it stands in its JSON text. Finding one by its pointer
 * (base/json_slice.h) walks over those before it; this walks over all of them once. */
#ifndef HO_BASE_JSON_ITEMS_H
#define HO_BASE_JSON_ITEMS_H

#include "base/span.h"

/* Cuts the next item off *rest, which begins as the array's text, of a document that json_parse
 * takes.
 * out: *item lives as long as the text
 * returns false: there is none left, or the text is no array. */
bool json_items_next(struct span *rest, struct span *item);

#endif
