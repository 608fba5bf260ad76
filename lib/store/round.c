/* Claims by an UPDATE that only one of several can make. */
#include "store/round.h"

#include "store/sql_stat.h"

#define US_PER_MS 1000

enum { COL_DUE, COL_NOW, COL_UPTO };

/* Most looks end here: it is not due. */
static enum ho_code look(struct db *db, struct round *r, bool *there, bool *due,
                         struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(r->name)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_round_look, in, 1, &rows, err);
    *there = code == HO_OK && rows.n_rows == 1;
    *due = *there && db_cell_int(&rows, 0, COL_DUE) != 0;
    r->now_us = db_cell_int(&rows, 0, COL_NOW);
    r->upto_us = db_cell_int(&rows, 0, COL_UPTO);
    db_rows_free(&rows);
    return code;
}

enum ho_code round_claim(struct db *db, struct round *r, int64_t every_ms, bool *mine,
                         struct ho_err *err)
{
    const struct db_value name[] = {DBV_STR(r->name)};
    const struct db_value in[] = {DBV_INT(every_ms * US_PER_MS), DBV_STR(r->worker),
                                  DBV_STR(r->name)};
    struct db_rows rows = {0};
    bool there, due;

    *mine = false;
    enum ho_code code = look(db, r, &there, &due, err);
    if (code == HO_OK && !there) {
        code = db_run(db, sql_round_make, name, 1, NULL, err);
        code = code == HO_OK ? look(db, r, &there, &due, err) : code;
    }
    if (code == HO_OK && due) {
        code = db_run(db, sql_round_claim, in, 3, &rows, err);
        *mine = code == HO_OK && rows.affected == 1;
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code round_leave(struct db *db, const struct round *r, int64_t upto_us, int64_t due_ms,
                         bool done, struct ho_err *err)
{
    const struct db_value in[] = {DBV_INT(upto_us), DBV_INT(due_ms * US_PER_MS),
                                  DBV_INT(done ? 1 : 0), DBV_STR(r->name), DBV_STR(r->worker),
                                  DBV_INT(r->upto_us)};

    return db_run(db, sql_round_leave, in, 6, NULL, err);
}

enum ho_code round_back(struct db *db, const char *name, int64_t upto_us, struct ho_err *err)
{
    const struct db_value in[] = {DBV_INT(upto_us), DBV_INT(upto_us), DBV_STR(name)};

    return db_run(db, sql_round_back, in, 3, NULL, err);
}
