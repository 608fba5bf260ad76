#include "store/glance.h"

#include "store/sql_glance.h"

enum ho_code glance_queue(struct db *db, struct glance_queue *out, struct ho_err *err)
{
    struct db_rows rows = {0};

    *out = (struct glance_queue){.processor_s = -1, .sample_s = -1};
    enum ho_code code = db_run(db, SQL_GLANCE_QUEUE, NULL, 0, &rows, err);
    if (code == HO_OK) {
        *out = (struct glance_queue){
            .due = db_cell_int(&rows, 0, 0),
            .later = db_cell_int(&rows, 0, 1),
            .waiting = db_cell_int(&rows, 0, 2),
            .running = db_cell_int(&rows, 0, 3),
            .expired = db_cell_int(&rows, 0, 4),
            .dead = db_cell_int(&rows, 0, 5),
            .conflicts = db_cell_int(&rows, 0, 6),
            .oldest_due_s = db_cell_int(&rows, 0, 7),
            .processor_s = db_cell_int(&rows, 0, 8),
            .sample_s = span_present(db_cell(&rows, 0, 9)) ? db_cell_int(&rows, 0, 9) : -1,
        };
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code glance_work(struct db *db, struct db_rows *rows, struct ho_err *err)
{
    return db_run(db, SQL_GLANCE_WORK, NULL, 0, rows, err);
}

enum ho_code glance_sources(struct db *db, struct db_rows *rows, struct ho_err *err)
{
    return db_run(db, SQL_GLANCE_SOURCES, NULL, 0, rows, err);
}

enum ho_code glance_samples(struct db *db, int64_t slot_s, int64_t all_s, struct db_rows *rows,
                            struct ho_err *err)
{
    const struct db_value in[] = {DBV_INT(slot_s), DBV_INT(all_s)};

    return db_run(db, SQL_GLANCE_SAMPLES, in, 2, rows, err);
}

enum ho_code glance_hours(struct db *db, int64_t slot_s, int64_t all_s, struct db_rows *rows,
                          struct ho_err *err)
{
    const struct db_value in[] = {DBV_INT(slot_s), DBV_INT(all_s)};

    return db_run(db, SQL_GLANCE_HOURS, in, 2, rows, err);
}

enum ho_code glance_alerts(struct db *db, struct db_rows *rows, struct ho_err *err)
{
    return db_run(db, SQL_GLANCE_ALERTS, NULL, 0, rows, err);
}

enum ho_code glance_hosts(struct db *db, struct db_rows *rows, struct ho_err *err)
{
    return db_run(db, SQL_GLANCE_HOSTS, NULL, 0, rows, err);
}

enum ho_code glance_pauses(struct db *db, struct db_rows *rows, struct ho_err *err)
{
    return db_run(db, SQL_GLANCE_PAUSES, NULL, 0, rows, err);
}
