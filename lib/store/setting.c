/* Settings as rows: compared first, since hardly any run finds them changed. */
#include "store/setting.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/settings_shown.h"

#define TX_TIME_MS 10000
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char read_rows[] =
    "SELECT section, name, value, is_default, COALESCE(place, '') FROM hookonce_setting"
    " WHERE host = ? ORDER BY no";
static const char clear_rows[] = "DELETE FROM hookonce_setting WHERE host = ?";
static const char add_row[] =
    "INSERT INTO hookonce_setting (host, no, section, name, value, is_default, place, changed_at)"
    " VALUES (?, ?, ?, ?, ?, ?, NULLIF(?, ''), UTC_TIMESTAMP(6))";

/* A pass over the settings: comparing, or writing. */
struct pass {
    struct db *db;
    const char *host;
    const struct settings *settings;
    const struct db_rows *there; /* NULL: write */
    size_t n;
    bool same;
    enum ho_code code;
    struct ho_err *err;
};

static void compare(struct pass *p, const struct span cells[5])
{
    for (size_t i = 0; i < 5 && p->same; i++) {
        p->same = p->n < p->there->n_rows && span_eq(db_cell(p->there, p->n, i), cells[i]);
    }
}

static void write_one(struct pass *p, const struct span cells[5])
{
    const struct db_value in[] = {DBV_STR(p->host),    DBV_UINT(p->n),     DBV_TEXT(cells[0]),
                                  DBV_TEXT(cells[1]), DBV_TEXT(cells[2]), DBV_TEXT(cells[3]),
                                  DBV_TEXT(cells[4])};

    p->code = p->code == HO_OK ? db_run(p->db, add_row, in, COUNT(in), NULL, p->err) : p->code;
}

static void one(void *arg, const struct shown_setting *s)
{
    struct pass *p = arg;
    char section[97], place[500] = "";

    if (p->n >= SETTING_ROWS_MAX) {
        return;
    }
    (void)snprintf(section, sizeof section, "%s%s%s", s->section, s->name[0] != '\0' ? " " : "",
                   s->name);
    if (s->line > 0) {
        (void)snprintf(place, sizeof place, "%s:%d", s->file, s->line);
    }
    const struct span cells[5] = {span_of(section), span_of(s->key), s->value,
                                  span_of(s->is_default ? "yes" : "no"), span_of(place)};
    if (p->there != NULL) {
        compare(p, cells);
    } else {
        write_one(p, cells);
    }
    p->n++;
}

static enum ho_code write_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct pass *p = arg;
    const struct db_value in[] = {DBV_STR(p->host)};
    enum ho_code code = db_begin(db, err);

    code = code == HO_OK ? db_run(db, clear_rows, in, 1, NULL, err) : code;
    if (code == HO_OK) {
        p->n = 0;
        p->code = HO_OK;
        p->err = err;
        settings_shown(p->settings, one, p);
        code = p->code;
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code setting_write(struct db *db, const char *host, const struct settings *s,
                           struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(host)};
    struct db_rows rows = {0};
    struct pass p = {.db = db, .host = host, .settings = s, .there = &rows, .same = true};

    enum ho_code code = db_run(db, read_rows, in, 1, &rows, err);
    if (code == HO_OK) {
        settings_shown(s, one, &p);
        p.same = p.same && p.n == rows.n_rows;
        p.there = NULL;
        code = p.same ? HO_OK : db_transact(db, deadline_in(TX_TIME_MS), write_tx, &p, err);
    }
    db_rows_free(&rows);
    return code;
}
