/* Whole transactions, run again from their start while that can help. */
#include "base/mac.h"
#include "store/db.h"
#include "store/db_error.h"

#define RUNS_MAX 6
#define PAUSE_FIRST_MS 5 /* doubles with every run; the pause is random, up to this */

static void pause_before(unsigned run, struct deadline end)
{
    unsigned char random[2];

    mac_random(random, sizeof random);
    int64_t most = (int64_t)PAUSE_FIRST_MS << run;
    int64_t ms = ((random[0] << 8 | random[1]) % most) + 1;
    int64_t left = deadline_left_ms(end);
    clock_sleep_ms(ms < left ? ms : left);
}

enum ho_code db_transact(struct db *db, struct deadline end, db_tx *fn, void *arg,
                         struct ho_err *err)
{
    struct ho_err before = {.code = HO_OK};
    enum ho_code code = HO_BUG;

    for (unsigned run = 1; run <= RUNS_MAX; run++) {
        code = fn(db, arg, err);
        if (code == HO_OK) {
            return HO_OK;
        }
        db_rollback(db);
        bool late = db_error_lost((unsigned)err->sys) && deadline_left_ms(end) == 0;
        if (late && run > 1 && !db_error_whole(&before)) {
            *err = before; /* the same row was waited for again, until there was no time left */
        }
        before = *err;
        if (!db_retry(err) || deadline_left_ms(end) == 0 || run == RUNS_MAX) {
            break;
        }
        /* The first closed link is as a rule one that was idle too long: no reason to wait. */
        if (run > 1 || db_what(err) != DB_CLOSED) {
            pause_before(run, end);
        }
    }
    return code;
}
