/* The listings, and how each column is shown; which columns there are, the result says. */
#include "operator/list.h"

#include <string.h>

#include "store/views.h"

static enum ho_code fetch_discarded(struct db *db, const struct view_filter *f,
                                    struct db_rows *rows, struct ho_err *err)
{
    return view_discarded(db, f->limit, rows, err);
}

/* A column that is not here is a text that is never cut. */
static const struct list_col columns[] = {
    {"recorded_at", LIST_TIME, 0, 0},
    {"ended_at", LIST_TIME, 0, 0},
    {"discarded_at", LIST_TIME, 0, 0},
    {"last_seen_at", LIST_TIME, 0, 0},
    {"last_duplicate_at", LIST_TIME, 0, 0},
    {"run_at", LIST_TIME, 0, 0},
    {"seen_at", LIST_TIME, 0, 0},
    {"at", LIST_TIME, 0, 0},
    {"created_at", LIST_TIME, 0, 0},
    {"paused_at", LIST_TIME, 0, 0},
    {"began_at", LIST_TIME, 0, 0},
    {"changed_at", LIST_TIME, 0, 9},
    {"over_at", LIST_TIME, 0, 5},
    {"started_at", LIST_TIME, 0, 2},
    {"waits_since", LIST_TIME, 0, 2},
    {"first_seen_at", LIST_TIME, 0, 8},
    {"released_at", LIST_TIME, 0, 8},
    {"occurred_at", LIST_TIME, 0, 9},
    {"received_at", LIST_TIME, 0, 8},
    {"last_at", LIST_TIME, 0, 0},
    {"expected_at", LIST_TIME, 0, 0},
    {"provider", LIST_TEXT, 20, 5},
    {"source", LIST_TEXT, 20, 3},
    {"event_id", LIST_TEXT, 44, 0},
    {"event_type", LIST_TEXT, 36, 3},
    {"object_key", LIST_TEXT, 36, 9},
    {"outcome", LIST_TEXT, 0, 1},
    {"route", LIST_TEXT, 20, 1},
    {"duplicates", LIST_NUMBER, 0, 4},
    {"job", LIST_NUMBER, 0, 0},
    {"id", LIST_NUMBER, 0, 0},
    {"conflict", LIST_NUMBER, 0, 0},
    {"tries", LIST_NUMBER, 0, 2},
    {"try", LIST_NUMBER, 0, 0},
    {"waits", LIST_NUMBER, 0, 4},
    {"seen", LIST_NUMBER, 0, 1},
    {"body_len", LIST_NUMBER, 0, 7},
    {"rows_changed", LIST_NUMBER, 0, 2},
    {"pid", LIST_NUMBER, 0, 1},
    {"found", LIST_NUMBER, 0, 2},
    {"did", LIST_NUMBER, 0, 2},
    {"seconds_ago", LIST_NUMBER, 0, 0},
    {"events", LIST_NUMBER, 0, 0},
    {"processed", LIST_NUMBER, 0, 0},
    {"failed", LIST_NUMBER, 0, 0},
    {"worker", LIST_TEXT, 40, 5},
    {"host", LIST_TEXT, 40, 3},
    {"n", LIST_NUMBER, 0, 0},
    {"peak", LIST_NUMBER, 0, 5},
    {"times", LIST_NUMBER, 0, 5},
    {"spool_files", LIST_NUMBER, 0, 0},
    {"spool_bytes", LIST_NUMBER, 0, 4},
    {"spool_quarantined", LIST_NUMBER, 0, 1},
    {"disk_free", LIST_NUMBER, 0, 5},
    {"silent_minutes", LIST_NUMBER, 0, 0},
    {"spool_oldest_at", LIST_TIME, 0, 2},
    {"text", LIST_TEXT, 300, TABLE_BELOW},
    {"advice", LIST_TEXT, 300, TABLE_BELOW},
    {"correlation_id", LIST_TEXT, 0, 6},
    {"first_correlation_id", LIST_TEXT, 0, 7},
    {"was", LIST_TEXT, 0, 1},
    {"who", LIST_TEXT, 40, 0},
    {"asked_by", LIST_TEXT, 40, 1},
    {"asked_from", LIST_TEXT, 0, 4},
    {"filter", LIST_TEXT, 60, 3},
    {"value", LIST_TEXT, 80, 0},
    {"place", LIST_TEXT, 60, 4},
    {"last_error", LIST_TEXT, 300, TABLE_BELOW},
    {"error", LIST_TEXT, 300, TABLE_BELOW},
    {"reason", LIST_TEXT, 300, TABLE_BELOW},
    {"answer", LIST_TEXT, 1000, TABLE_BELOW},
};

const struct list_col *list_col(const char *name)
{
    static const struct list_col plain = {"", LIST_TEXT, 0, 0};

    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        if (strcmp(columns[i].name, name) == 0) {
            return &columns[i];
        }
    }
    return &plain;
}

static bool is_raw_of(const char *column, const char *name)
{
    size_t len = strlen(name);

    return strncmp(column, name, len) == 0 && strcmp(column + len, "_raw") == 0;
}

static bool is_raw(const char *column)
{
    size_t len = strlen(column);

    return len > 4 && strcmp(column + len - 4, "_raw") == 0;
}

void list_choose(const struct db_rows *rows, struct list_shown *out)
{
    out->n = 0;
    for (size_t i = 0; i < rows->n_cols && out->n < TABLE_COLS_MAX; i++) {
        const char *name = rows->cols[i].name;
        size_t at = out->n;

        if (is_raw(name)) {
            continue;
        }
        out->from[at] = i;
        for (size_t k = 0; k < rows->n_cols; k++) {
            out->from[at] = is_raw_of(rows->cols[k].name, name) ? k : out->from[at];
        }
        out->as[at] = list_col(name);
        out->cols[at] = (struct table_col){
            name, out->as[at]->kind == LIST_NUMBER ? TABLE_NUMBER : TABLE_TEXT, out->as[at]->max};
        out->n++;
    }
}

const struct listing listings[] = {
    {"receipts", NULL, "receipt", "No events yet.", view_receipts, NULL},
    {"jobs", "queue", "job", "No jobs are open.", NULL, NULL},
    {"dead", "dead_letters", "dead", "No dead letters.", NULL, NULL},
    {"discarded", NULL, "discarded", "Nothing was discarded.", fetch_discarded, NULL},
    {"commands", "commands", "command", "Nobody has given a command.", NULL, NULL},
    {"conflicts", "conflicts", "conflict", "No conflicts.", NULL, NULL},
    {"duplicates", "duplicates", "duplicate", "Nothing came twice.", NULL, NULL},
    {"paused", "paused", "pause", "Nothing is paused.", NULL, NULL},
    {"attempts", "attempts", "attempt", "No tries yet.", NULL, NULL},
    {"flows", NULL, "flow", "", NULL, list_flows},
    {"settings", "settings", "setting", "No processor has run yet.", NULL, NULL},
    {"workers", "workers", "worker", "No processor is at work.", NULL, NULL},
    {"overview", "overview", "fact", "", NULL, NULL},
    {"recent", "recent", "receipt", "No events yet.", NULL, NULL},
    {"alerts", "alerts", "alert", "No alerts.", NULL, NULL},
    {"spool", "spool", "host", "No host has reported yet.", NULL, NULL},
    {"hourly", "hourly", "hour", "", NULL, NULL},
    {"daily", "daily", "day", "", NULL, NULL},
    {"latency", "latency", "latency", "Nothing was measured within a day.", NULL, NULL},
    {"quiet_sources", "quiet_sources", "source", "No source had an event for 28 days.", NULL, NULL},
};
const size_t listings_n = sizeof listings / sizeof listings[0];

enum ho_code list_fetch_rows(struct db *db, const struct listing *l, const struct view_filter *f,
                             struct db_rows *rows, struct ho_err *err)
{
    return l->fetch != NULL ? l->fetch(db, f, rows, err)
                            : views_rows(db, l->view, f->limit, rows, err);
}
