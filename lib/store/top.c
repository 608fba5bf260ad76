/* What the queue does just now. */
#include "store/top.h"

#include "base/clock.h"
#include "base/ulid.h"
#include "store/glance.h"
#include "store/sql_top.h"

#define RUNNING_MAX 20

enum ho_code top_rates(struct db *db, int64_t span_s, struct top_rates *out, struct ho_err *err)
{
    const struct db_value most = DBV_INT(GLANCE_COUNT_MAX);
    struct db_rows rows = {0};
    char cid[ULID_LEN + 1];

    ulid_new(clock_wall_us() - span_s * 1000000, cid);
    ulid_first(cid, cid);
    const struct db_value in[] = {DBV_STR(cid), most, DBV_INT(span_s), most, DBV_INT(span_s), most};
    enum ho_code code = db_run(db, sql_top_rates, in, 6, &rows, err);
    *out = (struct top_rates){db_cell_int(&rows, 0, 0), db_cell_int(&rows, 0, 1),
                              db_cell_int(&rows, 0, 2)};
    db_rows_free(&rows);
    return code;
}

enum ho_code top_routes(struct db *db, struct db_rows *rows, struct ho_err *err)
{
    const struct db_value most = DBV_INT(TOP_JOBS_MAX);
    const struct db_value in[] = {most, most, most, most, most};

    return db_run(db, sql_top_routes, in, 5, rows, err);
}

enum ho_code top_running(struct db *db, struct db_rows *rows, struct ho_err *err)
{
    const struct db_value in[] = {DBV_INT(RUNNING_MAX)};

    return db_run(db, sql_top_running, in, 1, rows, err);
}

enum ho_code top_parked(struct db *db, int64_t *held, int64_t *paused, struct ho_err *err)
{
    const struct db_value in[] = {DBV_INT(GLANCE_COUNT_MAX), DBV_INT(GLANCE_COUNT_MAX)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_top_parked, in, 2, &rows, err);
    *held = db_cell_int(&rows, 0, 0);
    *paused = db_cell_int(&rows, 0, 1);
    db_rows_free(&rows);
    return code;
}
