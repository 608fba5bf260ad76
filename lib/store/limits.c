/* Handlers' limits. The handler's row is locked before any of its places, everywhere; where nothing
 * is to be counted and the breaker is closed it is only read, so that jobs do not queue up for it. */
#include "store/limits.h"

#include "base/mac.h"
#include "store/sql_limits.h"

#define SLOT_WAIT_LEAST_MS 1000
#define SLOT_WAIT_MAX_MS 30000
#define SPREAD_MAX_MS 60000

enum { /* sql_limit_look */
    COL_FAILURES,
    COL_OPEN,
    COL_PROBED,
    COL_PROBER,
    COL_PROBE_CLAIM,
    COL_RATE,
    COL_COUNT
};

struct limits {
    struct db *db;
    const struct handler *h;
    const struct job *job;
    int64_t lease_ms;
    bool found; /* its row */
    bool is_open, half_open;
    bool probed; /* by another job */
    int64_t open_us; /* left */
    bool has_window;
    int64_t window_us; /* since it began */
    int64_t count;
    int64_t slot; /* to take; 0: none */
    bool mine;    /* the place is this claim's already */
};

bool limits_any(const struct handler *h)
{
    return h->breaker > 0 || h->rate > 0 || h->concurrency > 0;
}

/* 0 to most, so that those who wait do not come back together. */
static int64_t spread(int64_t most)
{
    uint32_t r;

    mac_random((unsigned char *)&r, sizeof r);
    most = most > SPREAD_MAX_MS ? SPREAD_MAX_MS : most;
    return most > 0 ? (int64_t)(r % (uint64_t)(most + 1)) : 0;
}

static int64_t ms_of(int64_t us)
{
    return us > 0 ? (us + 999) / 1000 : 0;
}

/* ---- the handler's row ---- */

/* A time further ahead than it can be was written before the clock was set back, or by a config
 * with a longer time: it is over. */
static int64_t left_us(int64_t us, int64_t length_ms)
{
    return us <= 1000 * length_ms ? us : 0;
}

/* Whether it is this very claim that tries it. */
static bool probes(const struct limits *l, const struct db_rows *rows)
{
    return l->job != NULL && (uint64_t)db_cell_int(rows, 0, COL_PROBER) == l->job->id &&
           db_cell_int(rows, 0, COL_PROBE_CLAIM) == (int64_t)l->job->claim_no;
}

static enum ho_code read_row(struct limits *l, const char *sql, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(l->h->name)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(l->db, sql, in, 1, &rows, err);
    l->found = code == HO_OK && rows.n_rows == 1;
    if (l->found) {
        l->open_us = left_us(db_cell_int(&rows, 0, COL_OPEN), l->h->breaker_ms);
        l->is_open = l->h->breaker > 0 && span_present(db_cell(&rows, 0, COL_OPEN));
        l->half_open = l->is_open && l->open_us <= 0;
        l->probed = db_cell_int(&rows, 0, COL_PROBED) != 0 && !probes(l, &rows);
        l->has_window = span_present(db_cell(&rows, 0, COL_RATE));
        l->window_us = db_cell_int(&rows, 0, COL_RATE);
        l->count = db_cell_int(&rows, 0, COL_COUNT);
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code run(const struct limits *l, const char *sql, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(l->h->name)};

    return db_run(l->db, sql, in, 1, NULL, err);
}

static enum ho_code lock_row(struct limits *l, struct ho_err *err)
{
    enum ho_code code = read_row(l, sql_limit_lock, err);

    if (code == HO_OK && !l->found) {
        code = run(l, sql_limit_make, err);
        code = code == HO_OK ? read_row(l, sql_limit_lock, err) : code;
    }
    return code;
}

/* ---- places ---- */

static bool contains(const struct db_rows *rows, int64_t slot)
{
    for (size_t i = 0; i < rows->n_rows; i++) {
        if (db_cell_int(rows, i, 0) == slot) {
            return true;
        }
    }
    return false;
}

/* All rows count that are held, also those above a limit that was lowered. */
static void choose_slot(struct limits *l, const struct db_rows *all, const struct db_rows *live)
{
    l->slot = 0;
    for (size_t i = 0; i < live->n_rows; i++) {
        for (size_t k = 0; k < all->n_rows; k++) {
            if (db_cell_int(all, k, 0) == db_cell_int(live, i, 0) &&
                (uint64_t)db_cell_int(all, k, 1) == l->job->id &&
                db_cell_int(all, k, 2) == (int64_t)l->job->claim_no) {
                l->slot = db_cell_int(all, k, 0);
                l->mine = true;
                return;
            }
        }
    }
    if (live->n_rows >= l->h->concurrency) {
        return;
    }
    for (int64_t slot = 1; l->slot == 0 && slot <= (int64_t)l->h->concurrency; slot++) {
        l->slot = contains(live, slot) ? 0 : slot;
    }
}

static enum ho_code find_slot(struct limits *l, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(l->h->name)};
    struct db_rows all = {0}, live = {0};

    enum ho_code code = db_run(l->db, sql_slot_lock, in, 1, &all, err);
    if (code == HO_OK) {
        code = db_run(l->db, sql_slot_live, in, 1, &live, err);
    }
    if (code == HO_OK) {
        choose_slot(l, &all, &live);
    }
    db_rows_free(&all);
    db_rows_free(&live);
    return code;
}

static enum ho_code take_slot(const struct limits *l, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(l->h->name), DBV_INT(l->slot), DBV_UINT(l->job->id),
                                  DBV_UINT(l->job->claim_no), DBV_INT(l->lease_ms * 1000)};

    return db_run(l->db, sql_slot_take, in, 5, NULL, err);
}

/* ---- entering ---- */

static enum limit_verdict judge_breaker(const struct limits *l, int64_t *wait_ms)
{
    if (l->is_open && !l->half_open) {
        *wait_ms = ms_of(l->open_us) + spread(l->h->breaker_ms / 2);
        return LIMIT_BREAKER;
    }
    if (l->half_open && l->probed) {
        *wait_ms = SLOT_WAIT_LEAST_MS + spread(l->h->breaker_ms / 2);
        return LIMIT_BREAKER;
    }
    return LIMIT_GO;
}

/* The longer it has waited, the less often it asks. */
static int64_t slot_wait(const struct limits *l)
{
    int64_t ms = l->job->waited_ms / 4;

    ms = ms < SLOT_WAIT_LEAST_MS ? SLOT_WAIT_LEAST_MS : ms;
    ms = ms > SLOT_WAIT_MAX_MS ? SLOT_WAIT_MAX_MS : ms;
    return ms / 2 + spread(ms);
}

static bool in_window(const struct limits *l)
{
    int64_t length_us = l->h->rate_ms * 1000;

    return l->has_window && l->window_us < length_us && l->window_us >= -2 * length_us;
}

static enum limit_verdict judge_rate(const struct limits *l, int64_t *wait_ms)
{
    if (l->h->rate == 0 || l->mine || !in_window(l) || l->count < (int64_t)l->h->rate) {
        return LIMIT_GO;
    }
    int64_t left_us = l->h->rate_ms * 1000 - (l->window_us > 0 ? l->window_us : 0);
    *wait_ms = ms_of(left_us) + spread(l->h->rate_ms / 4);
    return LIMIT_RATE;
}

static enum ho_code count_in(const struct limits *l, struct ho_err *err)
{
    const struct db_value probe[] = {DBV_INT(l->lease_ms * 1000), DBV_UINT(l->job->id),
                                     DBV_UINT(l->job->claim_no), DBV_STR(l->h->name)};
    enum ho_code code = HO_OK;

    if (l->half_open) {
        code = db_run(l->db, sql_limit_probe, probe, 4, NULL, err);
    }
    if (code == HO_OK && l->h->rate > 0 && !l->mine) {
        code = run(l, in_window(l) ? sql_limit_count : sql_limit_window, err);
    }
    if (code == HO_OK && l->h->concurrency > 0) {
        code = take_slot(l, err);
    }
    return code;
}

/* With the handler's row locked. */
static enum ho_code enter_locked(struct limits *l, enum limit_verdict *verdict, int64_t *wait_ms,
                                 struct ho_err *err)
{
    enum ho_code code = l->h->concurrency > 0 ? find_slot(l, err) : HO_OK;

    if (code != HO_OK) {
        return code;
    }
    *verdict = judge_breaker(l, wait_ms);
    if (*verdict == LIMIT_GO && l->h->concurrency > 0 && l->slot == 0) {
        *verdict = LIMIT_SLOTS;
        *wait_ms = slot_wait(l);
    }
    if (*verdict == LIMIT_GO) {
        *verdict = judge_rate(l, wait_ms);
    }
    return *verdict == LIMIT_GO ? count_in(l, err) : HO_OK;
}

enum ho_code limits_enter(struct db *db, const struct handler *h, const struct job *job,
                          int64_t lease_ms, enum limit_verdict *verdict, int64_t *wait_ms,
                          struct ho_err *err)
{
    struct limits l = {.db = db, .h = h, .job = job, .lease_ms = lease_ms};
    bool counts = h->rate > 0 || h->concurrency > 0;

    *verdict = LIMIT_GO;
    *wait_ms = 0;
    if (!limits_any(h)) {
        return HO_OK;
    }
    enum ho_code code = counts ? HO_OK : read_row(&l, sql_limit_look, err);
    if (code != HO_OK || (!counts && !l.half_open)) {
        if (code == HO_OK) {
            *verdict = judge_breaker(&l, wait_ms);
        }
        return code;
    }
    code = lock_row(&l, err);
    return code == HO_OK ? enter_locked(&l, verdict, wait_ms, err) : code;
}

/* ---- leaving ---- */

static enum ho_code count_failure(struct db *db, const struct handler *h, const struct job *job,
                                  struct ho_err *err)
{
    const struct db_value again[] = {DBV_INT(h->breaker_ms * 1000), DBV_STR(h->name),
                                     DBV_UINT(job->id), DBV_UINT(job->claim_no)};
    const struct db_value failed[] = {DBV_STR(h->name), DBV_UINT(h->breaker),
                                      DBV_INT(h->breaker_ms * 1000), DBV_UINT(h->breaker),
                                      DBV_INT(h->breaker_ms * 1000)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_limit_again, again, 4, &rows, err);
    if (code == HO_OK && rows.affected == 0) {
        code = db_run(db, sql_limit_failed, failed, 5, NULL, err);
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code limits_leave(struct db *db, const struct handler *h, const struct job *job,
                          enum limit_result result, struct ho_err *err)
{
    const struct db_value place[] = {DBV_STR(h->name), DBV_UINT(job->id), DBV_UINT(job->claim_no)};
    enum ho_code code = HO_OK;

    if (h->breaker > 0 && result == LIMIT_FAILED) {
        code = count_failure(db, h, job, err);
    } else if (h->breaker == 0 && result == LIMIT_SUCCEEDED) {
        code = db_run(db, sql_limit_clear, place, 1, NULL, err);
    } else if (h->breaker > 0) {
        code = db_run(db, result == LIMIT_SUCCEEDED ? sql_limit_well : sql_limit_neither, place, 3,
                      NULL, err);
    }
    if (code == HO_OK && h->concurrency > 0) {
        code = db_run(db, sql_slot_leave, place, 3, NULL, err);
    }
    return code;
}

enum ho_code limits_rest(struct db *db, const struct handler *h, int64_t *ms, struct ho_err *err)
{
    struct limits l = {.db = db, .h = h};
    enum ho_code code = read_row(&l, sql_limit_look, err);

    *ms = code == HO_OK && l.is_open ? ms_of(l.open_us) : 0;
    return code;
}
