/* Who is to be told what, and who tells it. */
#include <stdlib.h>
#include <string.h>

#include "base/mac.h"
#include "store/alert.h"
#include "store/jobs_row.h"
#include "store/sql_alert.h"

#define TX_TIME_MS 10000

enum { DUE_KIND, DUE_FIRING, DUE_N, DUE_WINDOW, DUE_GREW, DUE_LONG, DUE_STATE, DUE_TOLD_N,
       DUE_TOLD_AT, DUE_NOW, DUE_BEGAN, DUE_OVER };

/* ---- what is due ---- */

/* Appends what is to be told of the kind in a row, if anything is. */
static void judge(const struct db_rows *rows, size_t r, enum alert_kind kind,
                  struct alert_due_list *out)
{
    bool firing = db_cell_int(rows, r, DUE_FIRING) > 0;
    bool told = span_is(db_cell(rows, r, DUE_STATE), "firing");
    bool news = db_cell_int(rows, r, DUE_GREW) != 0 || db_cell_int(rows, r, DUE_LONG) != 0 || !told;
    uint64_t n = (uint64_t)db_cell_int(rows, r, DUE_N);
    uint64_t before = told ? (uint64_t)db_cell_int(rows, r, DUE_TOLD_N) : 0;

    jobs_row_text(db_cell(rows, r, DUE_NOW), out->now, sizeof out->now);
    if (firing ? !(news && db_cell_int(rows, r, DUE_WINDOW) != 0) : !told) {
        return;
    }
    struct alert_due *d = &out->all[out->n++];
    *d = (struct alert_due){
        .kind = kind, .over = !firing, .n = n, .more = n > before ? n - before : 0};
    jobs_row_text(db_cell(rows, r, firing ? DUE_BEGAN : DUE_OVER), d->began_at,
                  sizeof d->began_at);
    jobs_row_text(db_cell(rows, r, DUE_TOLD_AT), d->told_at, sizeof d->told_at);
}

enum ho_code alert_due(struct db *db, const char *channel, uint64_t kinds, int64_t window_ms,
                       struct alert_due_list *out, struct ho_err *err)
{
    const struct db_value in[] = {DBV_INT(window_ms / 1000), DBV_STR(channel)};
    struct db_rows rows = {0};

    *out = (struct alert_due_list){.n = 0};
    enum ho_code code = db_run(db, SQL_ALERT_DUE, in, 2, &rows, err);
    for (size_t r = 0; r < rows.n_rows && code == HO_OK; r++) {
        enum alert_kind kind = alert_kind_of(db_cell(&rows, r, DUE_KIND));
        if (kind != ALERT_KINDS && (kinds & UINT64_C(1) << kind) != 0) {
            judge(&rows, r, kind, out);
        }
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code alert_rows(struct db *db, struct alert_row **rows, size_t *n, struct ho_err *err)
{
    const struct db_value limit = DBV_INT(ALERT_ROWS_MAX);
    struct db_rows got = {0};

    *rows = NULL;
    *n = 0;
    enum ho_code code = db_run(db, SQL_ALERT_ROWS, &limit, 1, &got, err);
    if (code == HO_OK && got.n_rows > 0) {
        *rows = ho_alloc(got.n_rows * sizeof **rows);
    }
    for (size_t r = 0; r < got.n_rows && code == HO_OK; r++) {
        enum alert_kind kind = alert_kind_of(db_cell(&got, r, 0));
        struct alert_row *row = &(*rows)[*n];
        *row = (struct alert_row){.kind = kind, .firing = span_is(db_cell(&got, r, 3), "firing"),
                                  .n = (uint64_t)db_cell_int(&got, r, 4)};
        jobs_row_text(db_cell(&got, r, 1), row->host, sizeof row->host);
        jobs_row_text(db_cell(&got, r, 2), row->subject, sizeof row->subject);
        jobs_row_text(db_cell(&got, r, 5), row->text, sizeof row->text);
        jobs_row_text(db_cell(&got, r, 7), row->began_at, sizeof row->began_at);
        jobs_row_text(db_cell(&got, r, 8), row->over_at, sizeof row->over_at);
        jobs_row_text(db_cell(&got, r, 9), row->seen_at, sizeof row->seen_at);
        alert_make_plain(row->host);
        alert_make_plain(row->subject);
        alert_make_plain(row->text);
        row->lost = !row->firing && db_cell_int(&got, r, 10) != 0;
        *n += kind != ALERT_KINDS ? 1 : 0;
    }
    db_rows_free(&got);
    return code;
}

/* ---- who tells ---- */

enum ho_code alert_claim(struct db *db, const char *channel, int64_t for_ms, bool *got,
                         unsigned char token[ALERT_TOKEN_LEN], struct ho_err *err)
{
    const struct db_value name = DBV_STR(channel), s = DBV_INT(for_ms / 1000);
    struct db_rows rows = {0};

    *got = false;
    mac_random(token, ALERT_TOKEN_LEN);
    const struct db_value in[] = {
        s, DBV_BYTES(span_make(token, ALERT_TOKEN_LEN)), name, s};
    enum ho_code code = db_run(db, SQL_TELLING_MAKE, &name, 1, NULL, err);
    code = code == HO_OK ? db_run(db, SQL_TELLING_CLAIM, in, 4, &rows, err) : code;
    *got = code == HO_OK && rows.affected == 1;
    db_rows_free(&rows);
    return code;
}

struct told {
    const char *channel;
    const unsigned char *token;
    const struct alert_due_list *list;
};

/* What was told is noted even if the claim was over meanwhile: told it was. */
static enum ho_code told_tx(struct db *db, void *arg, struct ho_err *err)
{
    const struct told *t = arg;
    enum ho_code code = db_begin(db, err);

    for (size_t i = 0; i < t->list->n && code == HO_OK; i++) {
        const struct alert_due *d = &t->list->all[i];
        const struct db_value in[] = {
            DBV_STR(t->channel), DBV_STR(alert_about[d->kind].word),
            DBV_STR(d->over ? "over" : "firing"), d->over ? DBV_NULL : DBV_STR(t->list->now),
            DBV_UINT(d->n)};
        code = db_run(db, SQL_TELLING_TOLD, in, 5, NULL, err);
    }
    const struct db_value free_in[] = {DBV_STR(t->channel),
                                       DBV_BYTES(span_make(t->token, ALERT_TOKEN_LEN))};
    code = code == HO_OK ? db_run(db, SQL_TELLING_FREE, free_in, 2, NULL, err) : code;
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code alert_told(struct db *db, const char *channel,
                        const unsigned char token[ALERT_TOKEN_LEN],
                        const struct alert_due_list *list, struct ho_err *err)
{
    struct told t = {channel, token, list};

    return db_transact(db, deadline_in(TX_TIME_MS), told_tx, &t, err);
}

enum ho_code alert_not_told(struct db *db, const char *channel,
                            const unsigned char token[ALERT_TOKEN_LEN], const char *why,
                            struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(why), DBV_STR(channel),
                                  DBV_BYTES(span_make(token, ALERT_TOKEN_LEN))};

    return db_run(db, SQL_TELLING_FAILED, in, 3, NULL, err);
}

enum ho_code alert_trouble(struct db *db, struct db_rows *rows, struct ho_err *err)
{
    return db_run(db, SQL_TELLING_TROUBLE, NULL, 0, rows, err);
}
