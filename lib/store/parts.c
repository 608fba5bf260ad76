/* Parts of bodies. */
#include "store/parts.h"

#define SMALL (128UL * 1024) /* the smallest sensible max_allowed_packet takes this as it is */
#define SPARE (64UL * 1024)
#define PART_MIN (16UL * 1024)

size_t parts_size(struct db *db, size_t total, size_t beside)
{
    if (total <= SMALL) {
        return PART_MAX;
    }
    uint64_t packet = db_max_packet(db);
    uint64_t used = (uint64_t)beside + SPARE;

    if (packet < used + PART_MIN) {
        return PART_MIN; /* `check` complains about such a server; a link that is gone shows soon */
    }
    return packet - used < PART_MAX ? (size_t)(packet - used) : PART_MAX;
}
