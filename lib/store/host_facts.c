/* What the database tells of the host. */
#include "store/host_facts.h"

#include <stdio.h>

#include "store/sql_health.h"

static enum ho_code look_reports(struct db *db, struct host_facts *out, struct ho_err *err)
{
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, SQL_HEALTH_REPORTS, NULL, 0, &rows, err);
    if (code == HO_OK) {
        out->last_s = db_cell_int(&rows, 0, 0);
    }
    db_rows_free(&rows);
    return code;
}

static void keep(struct span cell, char *out, size_t room)
{
    (void)snprintf(out, room, "%.*s", (int)(cell.len < room ? cell.len : room - 1),
                   cell.len > 0 ? (const char *)cell.p : "");
}

static enum ho_code look_link(struct db *db, struct host_facts *out, struct ho_err *err)
{
    struct db_rows rows = {0}, cipher = {0};

    enum ho_code code = db_run(db, SQL_HEALTH_LINK, NULL, 0, &rows, err);
    code = code == HO_OK ? db_run(db, SQL_HEALTH_CIPHER, NULL, 0, &cipher, err) : code;
    if (code == HO_OK) {
        out->wait_timeout_s = db_cell_int(&rows, 0, 0);
        keep(db_cell(&rows, 0, 1), out->engine, sizeof out->engine);
        out->tcp = span_has(db_cell(&rows, 0, 2), ':'); /* with a port */
        out->encrypted = cipher.n_rows == 1 && db_cell(&cipher, 0, 1).len > 0;
    }
    db_rows_free(&rows);
    db_rows_free(&cipher);
    return code;
}

enum ho_code host_facts(struct db *db, struct host_facts *out, struct ho_err *err)
{
    *out = (struct host_facts){.last_s = -1};
    enum ho_code code = look_reports(db, out, err);
    return code == HO_OK ? look_link(db, out, err) : code;
}
