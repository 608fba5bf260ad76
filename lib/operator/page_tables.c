/* The tables of the status page: what waits for a person, and who did what. Nothing of an event's
 * content, its id and type apart. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "operator/page.h"
#include "store/names.h"
#include "store/views.h"

#define DEAD_MAX 20
#define TEXT_MAX 300

enum cell_kind { CELL_END, CELL_TEXT, CELL_TIME, CELL_ID, CELL_NUMBER, CELL_SAYS };

struct column {
    const char *head;
    enum cell_kind kind;
    size_t col; /* of the rows */
};

static const char *const classes[] = {
    [CELL_END] = "",
    [CELL_TEXT] = "",
    [CELL_TIME] = " class=\"t\"",
    [CELL_ID] = " class=\"id\"",
    [CELL_NUMBER] = " class=\"n\"",
    [CELL_SAYS] = " class=\"say\"",
};

static void put_cell(const struct column *c, struct span cell, struct buf *out)
{
    page_put(out, "<td%s data-h=\"%s\">", classes[c->kind], c->head);
    if (!span_present(cell)) {
        page_put(out, "<span class=\"dim\">-</span>");
    } else {
        page_text(out, c->kind == CELL_TIME ? span_sub(cell, 0, 19) : cell,
                  c->kind == CELL_SAYS ? TEXT_MAX : 0);
    }
    page_put(out, "</td>");
}

static void put_table(const char *title, const char *note, const struct column *columns,
                      const struct db_rows *rows, struct buf *out)
{
    page_put(out, "<h2>%s</h2>\n<p class=\"dim\">%s</p>\n<div class=\"wide\"><table><tr>", title,
             note);
    for (const struct column *c = columns; c->kind != CELL_END; c++) {
        page_put(out, "<th%s>%s</th>", c->kind == CELL_NUMBER ? " class=\"n\"" : "", c->head);
    }
    page_put(out, "</tr>\n");
    for (size_t row = 0; row < rows->n_rows; row++) {
        page_put(out, "<tr>");
        for (const struct column *c = columns; c->kind != CELL_END; c++) {
            put_cell(c, db_cell(rows, row, c->col), out);
        }
        page_put(out, "</tr>\n");
    }
    page_put(out, "</table></div>\n");
}

static enum ho_code read_dead(struct db *db, struct db_rows *rows, struct ho_err *err)
{
    return views_rows(db, "dead_letters", DEAD_MAX, rows, err);
}

static const struct column alerts[] = {
    {"since", CELL_TIME, GLANCE_A_BEGAN}, {"kind", CELL_TEXT, GLANCE_A_KIND},
    {"host", CELL_TEXT, GLANCE_A_HOST},   {"of", CELL_TEXT, GLANCE_A_SUBJECT},
    {"what is so", CELL_SAYS, GLANCE_A_TEXT},
    {"what to do", CELL_SAYS, GLANCE_A_ADVICE}, {NULL, CELL_END, 0}};
static const struct column dead[] = {
    {"ended", CELL_TIME, VIEW_D_ENDED},   {"job", CELL_NUMBER, VIEW_D_JOB},
    {"route", CELL_TEXT, VIEW_D_ROUTE},   {"type", CELL_TEXT, VIEW_D_TYPE},
    {"event", CELL_ID, VIEW_D_EVENT},     {"tries", CELL_NUMBER, VIEW_D_TRIES},
    {"outcome", CELL_TEXT, VIEW_D_OUTCOME}, {"error", CELL_SAYS, VIEW_D_ERROR},
    {NULL, CELL_END, 0}};
static const struct column paused[] = {
    {"since", CELL_TIME, GLANCE_Z_SINCE}, {"what", CELL_TEXT, GLANCE_Z_KIND},
    {"name", CELL_TEXT, GLANCE_Z_NAME},   {"who", CELL_TEXT, GLANCE_Z_WHO},
    {"why", CELL_SAYS, GLANCE_Z_REASON},  {NULL, CELL_END, 0}};
static const struct column sources[] = {
    {"source", CELL_TEXT, GLANCE_S_SOURCE},
    {"events, 24 h", CELL_NUMBER, GLANCE_S_DAY_EVENTS},
    {"came again", CELL_NUMBER, GLANCE_S_DAY_DUPLICATES},
    {"processed", CELL_NUMBER, GLANCE_S_DAY_PROCESSED},
    {"failed", CELL_NUMBER, GLANCE_S_DAY_FAILED},
    {"events, 7 d", CELL_NUMBER, GLANCE_S_EVENTS},
    {"last one", CELL_TIME, GLANCE_S_LAST_AT},
    {NULL, CELL_END, 0}};
static const struct column hosts[] = {
    {"host", CELL_TEXT, GLANCE_O_HOST},
    {"version", CELL_TEXT, GLANCE_O_VERSION},
    {"processor reported", CELL_TIME, GLANCE_O_SEEN},
    {"last delivery", CELL_TIME, GLANCE_O_RECEIVED},
    {"in the spool", CELL_NUMBER, GLANCE_O_SPOOL},
    {"in quarantine", CELL_NUMBER, GLANCE_O_QUARANTINED},
    {"MiB free", CELL_NUMBER, GLANCE_O_DISK_MIB},
    {"clock ahead, ms", CELL_NUMBER, GLANCE_O_CLOCK_MS},
    {NULL, CELL_END, 0}};

static const struct {
    const char *title, *note;
    enum ho_code (*read)(struct db *db, struct db_rows *rows, struct ho_err *err);
    const struct column *columns;
    bool above;  /* the plots */
    bool always; /* also without a row */
} tables[] = {
    {"Alerts", "What the watch found, and what to do about it.", glance_alerts, alerts, true,
     false},
    {"Paused",
     "By a person; what came meanwhile waits. <code>hookonce resume</code> lets it go on.",
     glance_pauses, paused, true, false},
    {"Dead letters",
     "Given up; the newest. <code>hookonce retry JOB</code> runs one again, in a console "
     "<code>INSERT INTO hookonce_command (command, job) VALUES ('retry', JOB)</code>.",
     read_dead, dead, false, false},
    {"Sources", "Those that had an event within a week, as counted by the hour.", glance_sources,
     sources, false, true},
    {"Hosts", "As they last reported.", glance_hosts, hosts, false, false},
};

void page_tables(struct page *p, bool above, struct buf *out)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        struct db_rows rows = {0};

        if (tables[i].above != above) {
            continue;
        }
        if (tables[i].read(p->db, &rows, &p->why) != HO_OK) {
            page_put(out, "<h2>%s</h2>\n<p class=\"dim\">This could not be read in time.</p>\n",
                     tables[i].title);
        } else if (rows.n_rows > 0 || tables[i].always) {
            char note[NAMES_TEXT];

            names_text(p->s, tables[i].note, note, sizeof note);
            put_table(tables[i].title, note, tables[i].columns, &rows, out);
        }
        db_rows_free(&rows);
    }
}
