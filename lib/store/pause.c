/* Pauses, and the jobs that wait for their end. A job's `lane` tells which pause it waits for: a
 * digest that begins with PAUSE_LANES, so that all of them lie side by side in the lane index. Nobody
 * writes down that a pause has ended: it is the jobs whose lane is that of no row which are woken,
 * whoever ended it, and however far the last waker came. */
#include "store/pause.h"

#include <stdlib.h>
#include <string.h>

#include "base/mac.h"
#include "base/text.h"
#include "store/jobs_chunk.h"
#include "store/jobs_row.h"
#include "store/lanes.h"
#include "store/sql_pause.h"

#define TX_TIME_MS 10000

static const char *const kinds[] = {
    [PAUSE_EVERYTHING] = "everything",
    [PAUSE_SOURCE] = "source",
    [PAUSE_ROUTE] = "route",
    [PAUSE_HANDLER] = "handler",
};

const char *pause_kind_word(enum pause_kind k)
{
    return kinds[k];
}

bool pause_kind_of(struct span word, enum pause_kind *out)
{
    for (enum pause_kind k = PAUSE_EVERYTHING; k < PAUSE_KIND_N; k++) {
        if (span_is(word, kinds[k])) {
            *out = k;
            return true;
        }
    }
    return false;
}

void pause_lane(const struct pause *p, unsigned char lane[SHA256_LEN])
{
    const size_t n = sizeof PAUSE_LANES - 1;
    unsigned char digest[SHA256_LEN];
    char text[PAUSE_NAME_MAX + 16];
    size_t kind = strlen(kinds[p->kind]), name = strlen(p->name);

    memcpy(text, kinds[p->kind], kind);
    text[kind] = ' ';
    memcpy(text + kind + 1, p->name, name);
    mac_sha256(span_make(text, kind + 1 + name), digest);
    memcpy(lane, PAUSE_LANES, n);
    memcpy(lane + n, digest, SHA256_LEN - n);
}

/* ---- the rows ---- */

static bool fits(const char *text, size_t most)
{
    struct span rest = span_of(text);
    uint32_t point;
    size_t n = 0;

    if (!text_is_utf8(rest)) {
        return false;
    }
    while (rest.len > 0 && n <= most) {
        size_t len = text_utf8_next(rest, &point);
        rest = span_make(rest.p + len, rest.len - len);
        n++;
    }
    return n <= most;
}

struct setting {
    const struct pause *p;
    const char *who, *reason; /* NULL: the pause ends */
    uint64_t changed;
};

static enum ho_code set_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct setting *s = arg;
    const struct db_value in[] = {
        DBV_STR(kinds[s->p->kind]),
        DBV_STR(s->p->name),
        DBV_STR(s->who),
        DBV_STR(s->reason),
    };
    struct db_rows rows = {0};

    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = s->who != NULL ? db_run(db, sql_pause_set, in, 4, &rows, err)
                              : db_run(db, sql_pause_end, in, 2, &rows, err);
    }
    /* Once true it stays: a COMMIT without an answer may have taken. */
    s->changed = s->changed > rows.affected ? s->changed : rows.affected;
    db_rows_free(&rows);
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code pause_set(struct db *db, const struct pause *p, const char *who, const char *reason,
                       bool *fresh, struct ho_err *err)
{
    struct setting s = {.p = p, .who = who, .reason = reason};

    *fresh = false;
    if (!fits(who, PAUSE_WHO_MAX) || !fits(reason, PAUSE_REASON_MAX)) {
        return ho_fail(err, HO_REJECT, "who may have %d characters, a reason %d, both of UTF-8",
                       PAUSE_WHO_MAX, PAUSE_REASON_MAX);
    }
    enum ho_code code = db_transact(db, deadline_in(TX_TIME_MS), set_tx, &s, err);
    *fresh = code == HO_OK && s.changed > 0;
    return code;
}

enum ho_code pause_waiting(struct db *db, const struct pause *p, uint64_t *n, struct ho_err *err)
{
    unsigned char lane[SHA256_LEN];
    struct db_rows rows = {0};

    pause_lane(p, lane);
    const struct db_value in[] = {DBV_BYTES(span_make(lane, sizeof lane)),
                                  DBV_INT(PAUSE_COUNT_MAX)};
    enum ho_code code = db_run(db, sql_pause_count, in, 2, &rows, err);
    *n = code == HO_OK ? (uint64_t)db_cell_int(&rows, 0, 0) : 0;
    db_rows_free(&rows);
    return code;
}

enum ho_code pause_end(struct db *db, const struct pause *p, bool *was, uint64_t *waiting,
                       struct ho_err *err)
{
    struct setting s = {.p = p};

    *waiting = 0;
    enum ho_code code = db_transact(db, deadline_in(TX_TIME_MS), set_tx, &s, err);
    *was = code == HO_OK && s.changed > 0;
    return *was ? pause_waiting(db, p, waiting, err) : code;
}

static void add(struct pauses *to, const struct db_rows *rows)
{
    to->list = realloc(to->list, (to->n + rows->n_rows + 1) * sizeof *to->list);
    if (to->list == NULL) {
        ho_die("out of memory for pauses");
    }
    for (size_t i = 0; i < rows->n_rows; i++) {
        struct pause *p = &to->list[to->n];
        if (pause_kind_of(db_cell(rows, i, 0), &p->kind)) {
            jobs_row_text(db_cell(rows, i, 1), p->name, sizeof p->name);
            to->everything = to->everything || p->kind == PAUSE_EVERYTHING;
            to->n++;
        }
    }
}

/* Among more rows than are read, that of this name. */
static enum ho_code add_named(struct db *db, struct pauses *to, enum pause_kind kind,
                              const char *name, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(kinds[kind]), DBV_STR(name)};
    struct db_rows rows = {0};
    enum ho_code code = HO_OK;

    if (pauses_find(to, kind, span_of(name)) == NULL) {
        code = db_run(db, sql_pause_there, in, 2, &rows, err);
        add(to, &rows);
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code pauses_load(struct db *db, const struct settings *s, struct pauses *out,
                         struct ho_err *err)
{
    const struct db_value in[] = {DBV_INT(PAUSES_MAX)};
    struct db_rows rows = {0};

    *out = (struct pauses){.n = 0};
    enum ho_code code = db_run(db, sql_pauses, in, 1, &rows, err);
    add(out, &rows);
    bool all = rows.n_rows < PAUSES_MAX;
    db_rows_free(&rows);
    for (size_t i = 0; i < s->n_sources && !all && code == HO_OK; i++) {
        code = add_named(db, out, PAUSE_SOURCE, s->sources[i].name, err);
    }
    for (size_t i = 0; i < s->n_routes && !all && code == HO_OK; i++) {
        code = add_named(db, out, PAUSE_ROUTE, s->routes[i].name, err);
    }
    for (size_t i = 0; i < s->n_handlers && !all && code == HO_OK; i++) {
        code = add_named(db, out, PAUSE_HANDLER, s->handlers[i].name, err);
    }
    return code;
}

void pauses_free(struct pauses *p)
{
    free(p->list);
    *p = (struct pauses){.n = 0};
}

const struct pause *pauses_find(const struct pauses *p, enum pause_kind kind, struct span name)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->list[i].kind == kind && span_is(name, p->list[i].name)) {
            return &p->list[i];
        }
    }
    return NULL;
}

/* ---- waking ---- */

struct chunk {
    unsigned char lane[SHA256_LEN];
    struct claim jobs; /* ids only */
    uint64_t n;        /* that came of it */
    size_t found;
};

/* Reads ids into the chunk, JOBS_BATCH_MAX at most. */
static void take_ids(struct chunk *c, const struct db_rows *rows)
{
    c->found = rows->n_rows;
    c->jobs.n = 0;
    for (size_t i = 0; i < rows->n_rows && c->jobs.n < JOBS_BATCH_MAX; i++) {
        c->jobs.jobs[c->jobs.n++].id = (uint64_t)db_cell_int(rows, i, 0);
    }
}

static enum ho_code change(struct db *db, const char *sql, struct chunk *c, struct ho_err *err)
{
    const struct db_value head[] = {DBV_BYTES(span_make(c->lane, sizeof c->lane))};
    const struct listed jobs = {sql, head, 1, false, 0};

    return jobs_each_chunk(db, &jobs, &c->jobs, &c->n, err);
}

static enum ho_code wake_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct chunk *c = arg;
    const struct db_value in[] = {DBV_BYTES(span_make(c->lane, sizeof c->lane)),
                                  DBV_INT(JOBS_BATCH_MAX)};
    struct db_rows rows = {0};

    c->n = 0;
    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = db_run_skip(db, &sql_pause_next, in, 2, &rows, err);
    }
    take_ids(c, &rows);
    db_rows_free(&rows);
    if (code == HO_OK) {
        code = change(db, sql_pause_wake, c, err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

/* The lane that follows c->lane and has waiters. */
static enum ho_code next_lane(struct db *db, struct chunk *c, bool *found, struct ho_err *err)
{
    const struct db_value in[] = {DBV_BYTES(span_make(c->lane, sizeof c->lane)),
                                  DBV_BYTES(SPAN_LIT(PAUSE_LANES_END))};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_pause_lane, in, 2, &rows, err);
    *found = code == HO_OK && rows.n_rows == 1 && db_cell(&rows, 0, 0).len == SHA256_LEN;
    if (*found) {
        memcpy(c->lane, db_cell(&rows, 0, 0).p, SHA256_LEN);
    }
    db_rows_free(&rows);
    return code;
}

static bool in_force(const struct pauses *now, const unsigned char lane[SHA256_LEN])
{
    unsigned char other[SHA256_LEN];

    for (size_t i = 0; i < now->n; i++) {
        pause_lane(&now->list[i], other);
        if (memcmp(lane, other, SHA256_LEN) == 0) {
            return true;
        }
    }
    return false;
}

enum ho_code pause_wake(struct db *db, const struct pauses *now, struct deadline end,
                        uint64_t *woken, struct ho_err *err)
{
    struct chunk *c = ho_alloc(sizeof *c);
    bool found = true;
    enum ho_code code = HO_OK;

    memset(c, 0, sizeof *c);
    memcpy(c->lane, PAUSE_LANES, sizeof PAUSE_LANES - 1);
    *woken = 0;
    while (code == HO_OK && found && deadline_left_ms(end) > 0) {
        code = next_lane(db, c, &found, err);
        c->found = found && !in_force(now, c->lane) ? JOBS_BATCH_MAX : 0;
        while (code == HO_OK && c->found == JOBS_BATCH_MAX && deadline_left_ms(end) > 0) {
            code = db_transact(db, deadline_in(TX_TIME_MS), wake_tx, c, err);
            *woken += code == HO_OK ? c->n : 0;
        }
    }
    free(c);
    return code;
}

/* ---- parking what is due while everything is paused ---- */

static enum ho_code park_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct chunk *c = arg;
    const struct db_value in[] = {DBV_INT(JOBS_BATCH_MAX)};
    struct db_rows rows = {0};
    bool woke;

    c->n = 0;
    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = db_run_skip(db, &sql_pause_due, in, 1, &rows, err);
    }
    take_ids(c, &rows);
    if (code == HO_OK) {
        code = change(db, sql_pause_park, c, err);
    }
    for (size_t i = 0; code == HO_OK && i < rows.n_rows; i++) {
        struct span lane = db_cell(&rows, i, 1);
        if (lane.len == SHA256_LEN) {
            code = lane_wake(db, lane.p, &woke, err); /* it was woken for it, and does not come */
        }
    }
    db_rows_free(&rows);
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code pause_park(struct db *db, struct deadline end, uint64_t *parked, struct ho_err *err)
{
    static const struct pause everything = {.kind = PAUSE_EVERYTHING};
    struct chunk *c = ho_alloc(sizeof *c);
    enum ho_code code = HO_OK;

    memset(c, 0, sizeof *c);
    pause_lane(&everything, c->lane);
    *parked = 0;
    do {
        code = db_transact(db, deadline_in(TX_TIME_MS), park_tx, c, err);
        *parked += code == HO_OK ? c->n : 0;
    } while (code == HO_OK && c->found == JOBS_BATCH_MAX && deadline_left_ms(end) > 0);
    free(c);
    return code;
}
