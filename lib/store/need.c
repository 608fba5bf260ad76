/* What is needed, by what was counted. */
#include "store/need.h"

#include "store/sql_stat.h"

#define HOUR_MS (60 * 60 * UINT64_C(1000))
#define OFTEN 1000 /* what is done besides, every minute, where `poll` is said */

enum ho_code need_of(struct db *db, const struct settings *s, struct need *out, struct ho_err *err)
{
    struct db_rows rows = {0};

    *out = (struct need){.deliveries = 0};
    enum ho_code code = db_run(db, sql_tally_busiest, NULL, 0, &rows, err);
    if (code == HO_OK) {
        uint64_t n = (uint64_t)db_cell_int(&rows, 0, 0);
        uint64_t idle = s->paced ? NEED_IDLE : OFTEN + HOUR_MS / (uint64_t)s->poll_ms;
        out->deliveries = n;
        out->questions = idle + n * (NEED_DELIVERY + NEED_EVENT);
        out->writes = idle / 4 + n * (NEED_DELIVERY_WRITES + NEED_EVENT_WRITES);
    }
    db_rows_free(&rows);
    return code;
}
