/* How many bytes of a body go into one statement. */
#ifndef HO_STORE_PARTS_H
#define HO_STORE_PARTS_H

#include <stddef.h>

#include "store/db.h"

#define PART_MAX (4UL * 1024 * 1024)

/* The size of a part: at most PART_MAX, and so that a statement with it, `beside` other bytes
 * (headers) and 64 KiB for the rest stays below the server's max_allowed_packet. A total that any
 * server takes costs no question. */
size_t parts_size(struct db *db, size_t total, size_t beside);

#endif
