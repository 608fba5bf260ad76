/* Filters of lists, for edge/filter.c. */
#ifndef HO_EDGE_FILTER_LIST_H
#define HO_EDGE_FILTER_LIST_H

#include "edge/filter.h"
#include "edge/request.h"

/* Appends VALUE of the one piece NAME=VALUE; pieces stand between commas, semicolons and blanks.
 * FILTER_NOTHING when there is none, or more than one: another reader might take the other. */
enum filter_result filter_field(const char *name, struct span in, struct buf *out);

/* Appends the headers whose names (in any case) the list holds, in its order: "name:value" with
 * ';' between, the names in lower case, or only the values with '.' between. FILTER_NOTHING when a
 * header is not there or stands twice, when none is named, or more than 64 are. */
enum filter_result filter_headers(const struct request *r, bool with_names, struct span in,
                                  struct buf *out);

#endif
