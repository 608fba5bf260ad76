/* Judging silence, one expectation after another. */
#include "store/absence.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "core/cadence.h"
#include "store/like.h"
#include "store/sql_stat.h"

#define S_US INT64_C(1000000)
#define HOUR_S INT64_C(3600)
#define PATTERN_MAX 1024
#define HOURS_MOST ((CADENCE_WEEKS_MOST + 1) * CADENCE_HOURS)

static const char well[] = "well", learning[] = "learning", silent[] = "silent";

enum { COL_NOW, COL_SINCE, COL_LAST, COL_LAST_STAT, COL_STATE, COL_SPOOLED }; /* sql_expect_look */

struct look {
    const struct setting_expect *e;
    struct buf pattern; /* its types, as LIKE has them */
    int64_t now_us, last_us, from_us; /* from: where the silence began */
    bool was_silent, spooled;
    const char *state;
    int64_t silent_s;
    bool has_odds;
    uint32_t odds;
};

static enum ho_code read_row(struct db *db, struct look *l, struct ho_err *err)
{
    const struct setting_expect *e = l->e;
    const struct db_value make[] = {
        DBV_STR(e->source), DBV_STR(e->name), DBV_BYTES(span_of(e->type)),
        e->every_ms >= 0 ? DBV_INT(e->every_ms / 1000) : DBV_NULL};
    const struct db_value in[] = {
        DBV_BYTES(span_of(e->source)), DBV_BYTES(buf_span(&l->pattern)),
        DBV_BYTES(span_of(e->source)), DBV_BYTES(buf_span(&l->pattern)),
        DBV_STR(e->source),            DBV_STR(e->name)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_expect_make, make, 4, NULL, err);
    code = code == HO_OK ? db_run(db, sql_expect_look, in, 6, &rows, err) : code;
    if (code == HO_OK && rows.n_rows != 1) {
        code = ho_fail(err, HO_TRANSIENT, "a row of hookonce_expect is gone");
    }
    int64_t last = db_cell_int(&rows, 0, COL_LAST), stat = db_cell_int(&rows, 0, COL_LAST_STAT);
    l->now_us = db_cell_int(&rows, 0, COL_NOW);
    l->last_us = stat > last ? stat : last;
    l->from_us = l->last_us > 0 ? l->last_us : db_cell_int(&rows, 0, COL_SINCE);
    l->was_silent = span_is(db_cell(&rows, 0, COL_STATE), silent);
    l->spooled = db_cell_int(&rows, 0, COL_SPOOLED) != 0;
    db_rows_free(&rows);
    return code;
}

/* From the weeks before the last event: a silence teaches nothing about itself. */
static enum ho_code learn(struct db *db, const struct look *l, struct cadence *c,
                          struct ho_err *err)
{
    const int64_t end = l->last_us / S_US / HOUR_S;
    const int64_t first = end - CADENCE_WEEKS_MOST * CADENCE_HOURS - 1;
    const struct db_value in[] = {DBV_BYTES(span_of(l->e->source)),
                                  DBV_BYTES(buf_span(&l->pattern)), DBV_INT(first * HOUR_S),
                                  DBV_INT(end * HOUR_S)};
    struct db_rows rows = {0};
    int64_t *hours = ho_alloc(HOURS_MOST * sizeof *hours);

    enum ho_code code = db_run(db, sql_expect_hours, in, 4, &rows, err);
    size_t n = rows.n_rows < HOURS_MOST ? rows.n_rows : HOURS_MOST;
    for (size_t i = 0; i < n; i++) {
        hours[i] = db_cell_int(&rows, i, 0);
    }
    cadence_learn(c, hours, n, end);
    db_rows_free(&rows);
    free(hours);
    return code;
}

static enum ho_code judge(struct db *db, struct look *l, struct ho_err *err)
{
    const struct setting_expect *e = l->e;
    struct cadence c = {.weeks = 0};
    bool over = false;

    l->silent_s = quiet_loud_s(&e->quiet, l->from_us, l->now_us);
    l->state = well;
    if (e->every_ms >= 0) {
        over = l->silent_s > e->every_ms / 1000;
    } else {
        enum ho_code code = l->last_us > 0 ? learn(db, l, &c, err) : HO_OK;
        if (code != HO_OK) {
            return code;
        }
        int64_t odd = cadence_surprise(&c, &e->quiet, l->from_us, l->now_us);
        over = odd >= CADENCE_ODD;
        l->state = c.weeks < CADENCE_WEEKS_LEAST ? learning : well;
        l->has_odds = c.weeks >= CADENCE_WEEKS_LEAST;
        l->odds = cadence_odds(odd);
    }
    if (over && (l->was_silent || (!l->spooled && !quiet_at(&e->quiet, l->now_us)))) {
        l->state = silent;
    }
    return HO_OK;
}

static enum ho_code write_row(struct db *db, const struct look *l, struct ho_err *err)
{
    const int64_t most = UINT32_MAX;
    const struct db_value in[] = {
        DBV_STR(l->state),
        l->last_us > 0 ? DBV_INT(l->last_us) : DBV_NULL,
        DBV_INT(l->silent_s < most ? l->silent_s : most),
        l->has_odds ? DBV_UINT(l->odds) : DBV_NULL,
        DBV_STR(l->state),
        DBV_STR(l->e->source),
        DBV_STR(l->e->name),
    };

    return db_run(db, sql_expect_put, in, sizeof in / sizeof in[0], NULL, err);
}

enum ho_code absence_refresh(struct db *db, const struct settings *s, struct ho_err *err)
{
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < s->n_expects && code == HO_OK; i++) {
        struct look l = {.e = &s->expects[i]};
        buf_init(&l.pattern, PATTERN_MAX);
        code = like_put(span_of(l.e->type), &l.pattern);
        if (code != HO_OK) {
            code = ho_fail(err, HO_REJECT, "[expect %s]: `type` is too long", l.e->name);
        }
        code = code == HO_OK ? read_row(db, &l, err) : code;
        code = code == HO_OK ? judge(db, &l, err) : code;
        code = code == HO_OK ? write_row(db, &l, err) : code;
        buf_free(&l.pattern);
    }
    return code == HO_OK ? db_run(db, sql_expect_drop, NULL, 0, NULL, err) : code;
}
