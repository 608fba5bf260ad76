/* Counting. Each hour is read without a lock, and written in one transaction. */
#include "store/stat.h"

#include <stdlib.h>
#include <string.h>

#include "base/ulid.h"
#include "core/outcome.h"
#include "store/round.h"
#include "store/sql_stat.h"

#define HOUR_S INT64_C(3600)
#define DAY_S (24 * HOUR_S)
#define S_US INT64_C(1000000)
#define TX_TIME_MS 10000
#define LATE_US (120 * S_US)  /* what was committed so long after it was written is seen, too */
#define SHARE 20              /* one part in so many of the time */
#define HOURS_MOST 48         /* of one round; older ones are left to stat_days */
#define DAYS_BACK 3
#define DAYS_MOST 400
#define DAY_MS (DAY_S * 1000)

/* ---- one hour ---- */

struct counted {
    int64_t hour_s;
    struct db_rows events, jobs;
};

static enum ho_code read_hour(struct db *db, struct counted *c, struct ho_err *err)
{
    char from[ULID_LEN + 1], to[ULID_LEN + 1];

    ulid_new(c->hour_s * S_US, from);
    ulid_first(from, from);
    ulid_new((c->hour_s + HOUR_S) * S_US, to);
    ulid_first(to, to);
    const struct db_value in[] = {DBV_STR(from), DBV_STR(to)};
    enum ho_code code = db_run(db, sql_stat_events, in, 2, &c->events, err);
    if (code == HO_OK && c->events.n_rows > 0) {
        code = db_run(db, sql_stat_jobs, in, 2, &c->jobs, err);
    }
    return code;
}

static enum ho_code put_events(struct db *db, const struct counted *c, size_t row,
                               struct ho_err *err)
{
    const struct db_rows *r = &c->events;
    const struct db_value in[] = {
        DBV_INT(c->hour_s),            DBV_BYTES(db_cell(r, row, 0)),
        DBV_BYTES(db_cell(r, row, 1)), DBV_INT(db_cell_int(r, row, 2)),
        DBV_INT(db_cell_int(r, row, 3)), DBV_INT(db_cell_int(r, row, 4)),
        DBV_INT(db_cell_int(r, row, 5)), DBV_INT(db_cell_int(r, row, 6)),
        DBV_INT(db_cell_int(r, row, 7)),
    };

    return db_run(db, sql_stat_put, in, sizeof in / sizeof in[0], NULL, err);
}

static enum ho_code put_jobs(struct db *db, const struct counted *c, size_t row,
                             struct ho_err *err)
{
    const struct db_rows *r = &c->jobs;
    const struct db_value in[] = {
        DBV_INT(db_cell_int(r, row, 2)), DBV_INT(db_cell_int(r, row, 3)),
        DBV_INT(db_cell_int(r, row, 4)), DBV_INT(db_cell_int(r, row, 5)),
        DBV_INT(db_cell_int(r, row, 6)), DBV_INT(db_cell_int(r, row, 7)),
        DBV_INT(c->hour_s),              DBV_BYTES(db_cell(r, row, 0)),
        DBV_BYTES(db_cell(r, row, 1)),   DBV_INT(db_cell_int(r, row, 3)),
    };

    return db_run(db, sql_stat_put_jobs, in, sizeof in / sizeof in[0], NULL, err);
}

static enum ho_code write_hour(struct db *db, void *arg, struct ho_err *err)
{
    const struct counted *c = arg;
    enum ho_code code = db_begin(db, err);

    for (size_t i = 0; i < c->events.n_rows && code == HO_OK; i++) {
        code = put_events(db, c, i, err);
    }
    for (size_t i = 0; i < c->jobs.n_rows && code == HO_OK; i++) {
        code = put_jobs(db, c, i, err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code stat_hour(struct db *db, int64_t hour_s, struct ho_err *err)
{
    struct counted c = {.hour_s = hour_s};

    enum ho_code code = read_hour(db, &c, err);
    if (code == HO_OK && c.events.n_rows > 0) {
        code = db_transact(db, deadline_in(TX_TIME_MS), write_hour, &c, err);
    }
    db_rows_free(&c.events);
    db_rows_free(&c.jobs);
    return code;
}

/* ---- which hours ---- */

static int64_t hour_of(int64_t us)
{
    return us / S_US / HOUR_S * HOUR_S;
}

struct hours {
    int64_t all[HOURS_MOST]; /* newest first */
    size_t n;
    int64_t oldest; /* of those that found no room; 0: all did */
};

/* Keeps them sorted, each once, and lets the oldest go. */
static void add_hour(struct hours *h, int64_t hour_s)
{
    size_t at = 0;

    while (at < h->n && h->all[at] > hour_s) {
        at++;
    }
    if (at < h->n && h->all[at] == hour_s) {
        return;
    }
    if (h->n == HOURS_MOST) {
        int64_t gone = at == h->n ? hour_s : h->all[HOURS_MOST - 1];

        h->oldest = h->oldest == 0 || gone < h->oldest ? gone : h->oldest;
        if (gone == hour_s) {
            return;
        }
        h->n--;
    }
    memmove(&h->all[at + 1], &h->all[at], (h->n - at) * sizeof h->all[0]);
    h->all[at] = hour_s;
    h->n++;
}

/* The hours of ids that begin so: at most two. */
static void add_ids(struct hours *h, struct span head, int64_t now_s)
{
    static const char low[] = "00000000000000000000000000", high[] = "ZZZZZZZZZZZZZZZZZZZZZZZZZZ";
    char first[ULID_LEN + 1], last[ULID_LEN + 1];

    memcpy(first, low, sizeof first);
    memcpy(last, high, sizeof last);
    if (head.len != STAT_ID_HEAD) {
        return;
    }
    memcpy(first, head.p, head.len);
    memcpy(last, head.p, head.len);
    if (!ulid_valid(span_of(first)) || !ulid_valid(span_of(last))) {
        return;
    }
    int64_t from = hour_of(ulid_ms(span_of(first)) * 1000);
    int64_t to = hour_of(ulid_ms(span_of(last)) * 1000);
    for (int64_t at = from; at <= to && at <= now_s + DAY_S; at += HOUR_S) {
        add_hour(h, at);
    }
}

/* Of jobs that came to an end, or became due, since then: a job that was imported from a spool is
 * of an older hour. */
static enum ho_code find_changed(struct db *db, const struct round *r, struct hours *h,
                                 struct ho_err *err)
{
    static const enum job_state states[] = {JOB_DONE, JOB_DEAD, JOB_READY};
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < sizeof states / sizeof states[0] && code == HO_OK; i++) {
        const struct db_value in[] = {DBV_STR(job_state_word(states[i])),
                                      DBV_INT(r->upto_us - LATE_US), DBV_INT(r->now_us)};
        struct db_rows rows = {0};
        code = db_run(db, sql_stat_changed, in, 3, &rows, err);
        for (size_t k = 0; k < rows.n_rows && code == HO_OK; k++) {
            add_ids(h, db_cell(&rows, k, 0), r->now_us / S_US);
        }
        db_rows_free(&rows);
    }
    return code;
}

/* ---- rounds ---- */

static int64_t next_ms(int64_t began_ms, int64_t least_ms)
{
    int64_t rest_ms = (clock_mono_ms() - began_ms) * SHARE;

    return rest_ms > least_ms ? rest_ms : least_ms;
}

enum ho_code stat_recent(struct db *db, const char *worker, struct deadline end,
                         uint64_t *counted, struct ho_err *err)
{
    struct round r = {.name = "stat", .worker = worker};
    struct hours h = {.n = 0};
    int64_t began_ms = clock_mono_ms();
    size_t i = 0;
    bool mine;

    *counted = 0;
    enum ho_code code = round_claim(db, &r, STAT_EVERY_MS, &mine, err);
    if (code != HO_OK || !mine) {
        return code;
    }
    add_hour(&h, hour_of(r.now_us));
    add_hour(&h, hour_of(r.now_us) - HOUR_S);
    if (r.upto_us > 0) { /* the first time stat_days counts it all */
        code = find_changed(db, &r, &h, err);
    }
    for (i = 0; i < h.n && code == HO_OK && deadline_left_ms(end) > 0; i++) {
        code = stat_hour(db, h.all[i], err);
    }
    *counted = i;
    int64_t left = i < h.n ? h.all[h.n - 1] : 0;
    left = h.oldest != 0 && (left == 0 || h.oldest < left) ? h.oldest : left;
    if (code == HO_OK && left != 0) {
        code = round_back(db, "stat-days", left * S_US, err);
    }
    if (code == HO_OK) {
        code = round_leave(db, &r, r.now_us, next_ms(began_ms, STAT_EVERY_MS), true, err);
    }
    return code;
}

static enum ho_code oldest_hour(struct db *db, const struct round *r, int64_t *hour_s,
                                struct ho_err *err)
{
    const int64_t now_s = hour_of(r->now_us), first_s = now_s - DAYS_MOST * DAY_S;
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_stat_oldest, NULL, 0, &rows, err);
    struct span cid = db_cell(&rows, 0, 0);
    *hour_s = ulid_valid(cid) ? hour_of(ulid_ms(cid) * 1000) : now_s;
    *hour_s = *hour_s < first_s ? first_s : *hour_s;
    db_rows_free(&rows);
    return code;
}

static enum ho_code drop_old(struct db *db, struct deadline end, struct ho_err *err)
{
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < sql_stat_old_n && code == HO_OK; i++) {
        struct db_rows rows = {.affected = STAT_OLD_N};
        while (code == HO_OK && rows.affected >= STAT_OLD_N && deadline_left_ms(end) > 0) {
            code = db_run(db, sql_stat_old[i], NULL, 0, &rows, err);
        }
        db_rows_free(&rows);
    }
    return code;
}

/* `upto` is where the next call goes on: behind the hour that was counted last, or, when the end
 * was reached, where the next day's count begins. */
enum ho_code stat_days(struct db *db, const char *worker, struct deadline end, uint64_t *counted,
                       struct ho_err *err)
{
    struct round r = {.name = "stat-days", .worker = worker};
    int64_t began_ms = clock_mono_ms(), at;
    bool mine;

    *counted = 0;
    enum ho_code code = round_claim(db, &r, STAT_EVERY_MS, &mine, err);
    if (code != HO_OK || !mine) {
        return code;
    }
    at = hour_of(r.upto_us);
    if (r.upto_us == 0) {
        code = oldest_hour(db, &r, &at, err);
    }
    while (code == HO_OK && at <= r.now_us / S_US && deadline_left_ms(end) > 0) {
        code = stat_hour(db, at, err);
        at += HOUR_S;
        *counted += 1;
    }
    if (code == HO_OK && at > r.now_us / S_US) {
        code = drop_old(db, end, err);
        at = hour_of(r.now_us) - (DAYS_BACK - 1) * DAY_S;
        return code == HO_OK ? round_leave(db, &r, at * S_US, DAY_MS, true, err) : code;
    }
    return code == HO_OK
               ? round_leave(db, &r, at * S_US, next_ms(began_ms, SHARE * 500), false, err)
               : code;
}
