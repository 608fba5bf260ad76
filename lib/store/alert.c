/* Looking at the tables, and keeping what was seen. */
#include "store/alert.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/jobs_row.h"
#include "store/names.h"
#include "store/sql_alert.h"

#define TX_TIME_MS 10000

/* ---- a look ---- */

void alert_looked(struct alert_look *look, enum alert_kind kind)
{
    look->looked |= UINT64_C(1) << kind;
}

void alert_look_free(struct alert_look *look)
{
    free(look->all);
    *look = (struct alert_look){.n = 0};
}

void alert_make_plain(char *text)
{
    for (; *text != '\0'; text++) {
        *text = (unsigned char)*text < ' ' || (unsigned char)*text > '~' ? '?' : *text;
    }
}

/* The last of its kind stands for all that have no room of their own. */
static void count_more(struct alert_look *look, enum alert_kind kind, uint64_t n)
{
    size_t more = look->of_kind[kind] - ALERTS_OF_KIND, i = look->n;

    if (more == 1) {
        look->all = ho_realloc(look->all, (look->n + 1) * sizeof *look->all);
        look->all[look->n++] = (struct alert_seen){.kind = kind, .subject = ALERT_MORE};
    } else {
        do {
            i--;
        } while (look->all[i].kind != kind || strcmp(look->all[i].subject, ALERT_MORE) != 0);
    }
    look->all[i].n += n;
    (void)snprintf(look->all[i].text, sizeof look->all[i].text, "and %zu more like these", more);
}

void alert_add(struct alert_look *look, enum alert_kind kind, struct span subject, uint64_t n,
               const char *newest, const char *fmt, ...)
{
    va_list ap;

    alert_looked(look, kind);
    if (look->of_kind[kind]++ >= ALERTS_OF_KIND) {
        count_more(look, kind, n > 0 ? n : 1);
        return;
    }
    look->all = ho_realloc(look->all, (look->n + 1) * sizeof *look->all);
    struct alert_seen *a = &look->all[look->n++];
    *a = (struct alert_seen){.kind = kind, .n = n > 0 ? n : 1};
    jobs_row_text(subject, a->subject, sizeof a->subject);
    (void)snprintf(a->newest, sizeof a->newest, "%.31s", newest != NULL ? newest : "");
    va_start(ap, fmt);
    (void)vsnprintf(a->text, sizeof a->text, fmt, ap);
    va_end(ap);
    alert_make_plain(a->subject);
    alert_make_plain(a->text);
}

/* A breaker that the config no longer has holds nobody back. */
static bool counts(const struct settings *s, enum alert_kind kind, struct span subject)
{
    const struct handler *h = kind == ALERT_BREAKER ? settings_handler(s, subject) : NULL;

    return kind != ALERT_BREAKER || (h != NULL && h->breaker > 0);
}

/* The parameters of all queries, in their order; returns how many. */
static size_t all_takes(const struct settings *s, struct db_value *out)
{
    const struct db_value takes[ALERT_TAKES_N] = {
        [ALERT_TAKES_NOTHING] = DBV_NULL,
        [ALERT_TAKES_QUEUE_AGE] = DBV_INT(s->queue_age_ms / 1000),
        [ALERT_TAKES_PROCESSOR] = DBV_INT(s->processor_late_ms / 1000)};
    size_t n = 0;

    for (size_t i = 0; i < alert_queries_n; i++) {
        if (alert_queries[i].takes != ALERT_TAKES_NOTHING) {
            out[n++] = takes[alert_queries[i].takes];
        }
    }
    return n;
}

enum { ROW_QUERY, ROW_SUBJECT, ROW_N, ROW_NEWEST, ROW_TEXT };

static void add_row(const struct db_rows *rows, size_t r, const struct settings *s,
                    struct alert_look *look)
{
    size_t i = (size_t)db_cell_int(rows, r, ROW_QUERY);
    struct span subject = db_cell(rows, r, ROW_SUBJECT), text = db_cell(rows, r, ROW_TEXT);
    char newest[ALERT_TIME_ROOM];

    jobs_row_text(db_cell(rows, r, ROW_NEWEST), newest, sizeof newest);
    if (i < alert_queries_n && counts(s, alert_queries[i].kind, subject)) {
        alert_add(look, alert_queries[i].kind, subject, (uint64_t)db_cell_int(rows, r, ROW_N), newest,
                  "%.*s", (int)text.len, (const char *)text.p);
    }
}

enum ho_code alert_look_tables(struct db *db, const struct settings *s, struct alert_look *look,
                               struct ho_err *err)
{
    struct db_value *in = ho_alloc(alert_queries_n * sizeof *in);
    struct db_rows rows = {0};
    size_t n = all_takes(s, in);

    enum ho_code code = db_run(db, sql_alert_look(), in, n, &rows, err);
    free(in);
    for (size_t r = 0; r < rows.n_rows && code == HO_OK; r++) {
        add_row(&rows, r, s, look);
    }
    for (size_t i = 0; i < alert_queries_n && code == HO_OK; i++) {
        alert_looked(look, alert_queries[i].kind);
    }
    db_rows_free(&rows);
    return code;
}

/* ---- kept ---- */

struct keeping {
    const char *host;
    const struct alert_look *look;
    uint64_t fires; /* kinds of which a row fires that this look may end; as `looked` */
    bool sweep, prune;
};

static const char *host_of(const struct keeping *k, enum alert_kind kind)
{
    return alert_about[kind].of_host ? k->host : "";
}

static enum ho_code keep_one(struct db *db, const struct keeping *k, const struct alert_seen *a,
                             struct ho_err *err)
{
    const struct alert_about *about = &alert_about[a->kind];
    char advice[NAMES_TEXT];

    db_named(db, about->advice, advice, sizeof advice);
    const struct db_value in[] = {
        DBV_STR(about->word), DBV_STR(host_of(k, a->kind)), DBV_BYTES(span_of(a->subject)),
        DBV_UINT(a->n), DBV_UINT(a->n), DBV_STR(a->text), DBV_STR(advice),
        a->newest[0] != '\0' ? DBV_STR(a->newest) : DBV_NULL};

    return db_run(db, SQL_ALERT_KEEP, in, 8, NULL, err);
}

static enum ho_code end_others(struct db *db, const struct keeping *k, const char *now,
                               struct ho_err *err)
{
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < ALERT_KINDS && code == HO_OK; i++) {
        const struct db_value in[] = {DBV_STR(alert_about[i].word),
                                      DBV_STR(host_of(k, (enum alert_kind)i)), DBV_STR(now)};
        if ((k->look->looked & k->fires & UINT64_C(1) << i) != 0) {
            code = db_run(db, SQL_ALERT_OVER, in, 3, NULL, err);
        }
    }
    code = code == HO_OK && k->sweep ? db_run(db, SQL_ALERT_SWEEP, NULL, 0, NULL, err) : code;
    return code == HO_OK && k->prune ? db_run(db, SQL_ALERT_PRUNE, NULL, 0, NULL, err) : code;
}

/* What another host saw since this transaction began stays. */
static enum ho_code keep_tx(struct db *db, void *arg, struct ho_err *err)
{
    const struct keeping *k = arg;
    char now[ALERT_TIME_ROOM] = "";
    struct db_rows rows = {0};
    enum ho_code code = db_begin(db, err);

    code = code == HO_OK ? db_run(db, SQL_ALERT_NOW, NULL, 0, &rows, err) : code;
    if (code == HO_OK) {
        jobs_row_text(db_cell(&rows, 0, 0), now, sizeof now);
    }
    db_rows_free(&rows);
    for (size_t i = 0; i < k->look->n && code == HO_OK; i++) {
        code = keep_one(db, k, &k->look->all[i], err);
    }
    code = code == HO_OK ? end_others(db, k, now, err) : code;
    return code == HO_OK ? db_commit(db, err) : code;
}

/* What there is to end. What comes to it meanwhile is for the next look. */
static enum ho_code read_state(struct db *db, struct keeping *k, struct ho_err *err)
{
    const struct db_value host[] = {DBV_STR(k->host)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, SQL_ALERT_STATE, host, 1, &rows, err);
    for (size_t r = 0; r < rows.n_rows && code == HO_OK; r++) {
        enum alert_kind kind = alert_kind_of(db_cell(&rows, r, 0));
        if (kind != ALERT_KINDS && db_cell_int(&rows, r, 1) != 0) {
            k->fires |= UINT64_C(1) << kind;
        }
        k->sweep = k->sweep || db_cell_int(&rows, r, 2) != 0;
        k->prune = k->prune || db_cell_int(&rows, r, 3) != 0;
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code alert_keep(struct db *db, const char *host, const struct alert_look *look,
                        struct ho_err *err)
{
    struct keeping k = {.host = host, .look = look};

    enum ho_code code = read_state(db, &k, err);
    if (code != HO_OK || (look->n == 0 && (k.fires & look->looked) == 0 && !k.sweep && !k.prune)) {
        return code;
    }
    return db_transact(db, deadline_in(TX_TIME_MS), keep_tx, &k, err);
}
