/* Pruning. Correlation ids begin with the time, so each pass walks along them from the oldest. */
#include "store/prune.h"

#include <stdlib.h>
#include <string.h>

#include "base/ulid.h"
#include "store/jobs_row.h"
#include "store/sql_health.h"
#include "store/sql_keep.h"

#define BATCH 100
#define TX_TIME_MS 30000
#define TELL_EVERY_MS 5000
#define US_PER_MS 1000
#define AHEAD_US (INT64_C(60) * 60 * 1000 * 1000)
#define ID_TIME_MAX_MS ((INT64_C(1) << 48) - 1)
#define LAST_ID "ZZZZZZZZZZZZZZZZZZZZZZZZZZ"

struct cid {
    char text[ULID_LEN + 1];
};

struct doomed {
    struct cid id;
    struct cid body; /* its request's */
};

/* One pass, over bodies or over receipts. */
struct pass {
    struct db *db;
    const char *list;
    const char *const *statements;
    size_t n_statements;
    int64_t keep_us;  /* negative: for ever */
    int64_t whole_us; /* what is so old would be gone by now; -1: nothing would */
    struct cid below; /* what is older is below it, by the clock that made its id */
    struct cid ahead; /* a clock that made ids behind it was wrong */
    uint64_t *count;
    bool through; /* to its end */
    /* one batch */
    struct doomed all[BATCH];
    size_t n;
    struct cid still[BATCH]; /* those that may go, under the locks of their requests */
    size_t n_still;
};

/* A statement over the receipts of the request that has this body; with an age behind it, or -1. */
static enum ho_code run_request(struct pass *p, const char *sql, const struct cid *body,
                                int64_t age_us, struct db_rows *rows, struct ho_err *err)
{
    struct cid low, high;

    ulid_first(body->text, low.text);
    ulid_last(body->text, high.text);
    const struct db_value in[] = {DBV_STR(low.text), DBV_STR(high.text), DBV_STR(body->text),
                                  DBV_STR(body->text), DBV_INT(age_us)};
    return db_run(p->db, sql, in, age_us >= 0 ? 5 : 4, rows, err);
}

/* Whether the whole request that has this body may go, by its age. */
static enum ho_code look(struct pass *p, const struct cid *body, int64_t age_us, bool *may,
                         struct ho_err *err)
{
    struct db_rows rows = {0};
    enum ho_code code = run_request(p, sql_prune_against, body, age_us, &rows, err);

    *may = code == HO_OK && rows.n_rows == 0;
    db_rows_free(&rows);
    return code;
}

static bool same_request(const struct doomed *all, size_t i)
{
    return i > 0 && strcmp(all[i].body.text, all[i - 1].body.text) == 0;
}

/* A statement over count ids, filled up with the last one. */
static enum ho_code run_list(struct db *db, const char *sql, const struct cid *ids, size_t count,
                             struct ho_err *err)
{
    struct db_value in[KEEP_CHUNK];

    for (size_t i = 0; i < KEEP_CHUNK; i++) {
        in[i] = DBV_STR(ids[i < count ? i : count - 1].text);
    }
    return db_run(db, sql, in, KEEP_CHUNK, NULL, err);
}

/* Looks again, once nobody else can change their receipts: a person may have opened a job again, a
 * conflict may have come. All are locked before the first look, which may be a snapshot's. */
static enum ho_code lock_and_look(struct pass *p, struct ho_err *err)
{
    enum ho_code code = HO_OK;
    bool may = false;

    for (size_t i = 0; i < p->n && code == HO_OK; i++) {
        if (!same_request(p->all, i)) {
            code = run_request(p, sql_prune_lock, &p->all[i].body, -1, NULL, err);
        }
    }
    p->n_still = 0;
    for (size_t i = 0; i < p->n && code == HO_OK; i++) {
        if (!same_request(p->all, i)) {
            code = look(p, &p->all[i].body, p->keep_us, &may, err);
        }
        if (may) {
            p->still[p->n_still++] = p->all[i].id;
        }
    }
    return code;
}

static enum ho_code remove_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct pass *p = arg;
    enum ho_code code = db_begin(db, err);

    code = code == HO_OK ? lock_and_look(p, err) : code;
    for (size_t at = 0; at < p->n_still && code == HO_OK; at += KEEP_CHUNK) {
        size_t count = p->n_still - at < KEEP_CHUNK ? p->n_still - at : KEEP_CHUNK;
        for (size_t i = 0; i < p->n_statements && code == HO_OK; i++) {
            code = run_list(db, p->statements[i], p->still + at, count, err);
        }
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

static enum ho_code judge(struct pass *p, const struct cid *body, bool *may, struct ho_err *err)
{
    bool gone = false;
    enum ho_code code = look(p, body, p->keep_us, may, err);

    if (code == HO_OK && *may && p->whole_us >= 0) {
        code = look(p, body, p->whole_us, &gone, err);
        *may = !gone;
    }
    return code;
}

/* The ids of a list that may go. Each request is judged once: its events stand together, but for
 * those of another in the same millisecond. */
static enum ho_code choose(struct pass *p, const struct db_rows *rows, struct ho_err *err)
{
    enum ho_code code = HO_OK;
    struct cid judged = {""};
    bool may = false;

    p->n = 0;
    for (size_t i = 0; i < rows->n_rows && code == HO_OK; i++) {
        struct doomed *d = &p->all[p->n];
        jobs_row_text(db_cell(rows, i, 0), d->id.text, sizeof d->id.text);
        jobs_row_text(db_cell(rows, i, 1), d->body.text, sizeof d->body.text);
        if (strcmp(d->body.text, judged.text) != 0) {
            judged = d->body;
            may = false;
            if (strlen(judged.text) == ULID_LEN) {
                code = judge(p, &judged, &may, err);
            }
        }
        p->n += may ? 1 : 0;
    }
    return code;
}

/* out: *after — moved on; *more — there may be more behind it */
static enum ho_code batch(struct pass *p, struct cid *after, bool dry, bool *more,
                          struct ho_err *err)
{
    bool wrong = strcmp(after->text, p->ahead.text) >= 0;
    const struct db_value in[] = {DBV_STR(after->text), DBV_STR(wrong ? LAST_ID : p->below.text),
                                  DBV_INT(p->keep_us), DBV_INT(BATCH)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(p->db, p->list, in, 4, &rows, err);
    *more = code == HO_OK && (rows.n_rows == BATCH || !wrong);
    if (code == HO_OK) {
        code = choose(p, &rows, err);
        p->n_still = p->n;
    }
    if (code == HO_OK && p->n > 0 && !dry) {
        code = db_transact(p->db, deadline_in(TX_TIME_MS), remove_tx, p, err);
    }
    if (code == HO_OK && rows.n_rows == BATCH) {
        jobs_row_text(db_cell(&rows, BATCH - 1, 0), after->text, sizeof after->text);
    } else if (code == HO_OK) {
        *after = p->ahead;
    }
    *p->count += code == HO_OK ? p->n_still : 0;
    db_rows_free(&rows);
    return code;
}

static enum ho_code walk(struct pass *p, struct cid *after, const struct prune_run *run,
                         struct pruned *out, struct ho_err *err)
{
    int64_t told_ms = clock_mono_ms();
    bool more = true;
    enum ho_code code = HO_OK;

    while (more && code == HO_OK) {
        if (deadline_left_ms(run->end) == 0) {
            out->more = true;
            break;
        }
        code = batch(p, after, run->dry, &more, err);
        if (run->tell != NULL && clock_mono_ms() - told_ms >= TELL_EVERY_MS) {
            told_ms = clock_mono_ms();
            run->tell(out);
        }
    }
    if (!more) {
        after->text[0] = '\0';
    }
    p->through = !more;
    return code;
}

/* Before the first id of a time; what is no time of an id is before all. */
static void place_of(int64_t ms, struct cid *out)
{
    char at[ULID_LEN + 1];

    out->text[0] = '\0';
    if (ms > 0 && ms <= ID_TIME_MAX_MS) {
        ulid_new(ms * US_PER_MS, at);
        ulid_first(at, out->text);
    }
}

/* Between which ids it walks, by the database's clock. */
static enum ho_code find_edges(struct pass *p, struct ho_err *err)
{
    struct db_rows rows = {0};
    struct cid at;
    enum ho_code code = db_run(p->db, SQL_HEALTH_CLOCK, NULL, 0, &rows, err);

    if (code == HO_OK) {
        int64_t us = db_cell_int(&rows, 0, 0) - p->keep_us;
        ulid_new(us > 0 ? us : 0, at.text);
        ulid_first(at.text, p->below.text);
        ulid_new(db_cell_int(&rows, 0, 0) + AHEAD_US, at.text);
        ulid_first(at.text, p->ahead.text);
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code prune_one(struct pass *p, int64_t *place_ms,
                              char place_id[ULID_LEN + 1], bool *done,
                              const struct prune_run *run, struct pruned *out,
                              struct ho_err *err)
{
    struct cid after;

    if (p->keep_us < 0 || *done) {
        return HO_OK;
    }
    enum ho_code code = find_edges(p, err);
    place_of(*place_ms, &after);
    if (place_id[0] != '\0') {
        memcpy(after.text, place_id, sizeof after.text);
    }
    code = code == HO_OK ? walk(p, &after, run, out, err) : code;
    *place_ms = ulid_ms(span_of(after.text));
    memcpy(place_id, after.text, sizeof after.text);
    *done = code == HO_OK && after.text[0] == '\0' && p->through;
    return code;
}

enum ho_code prune(struct db *db, const struct settings *s, struct prune_place *at,
                   const struct prune_run *run, struct pruned *out, struct ho_err *err)
{
    struct pass *p = ho_alloc(sizeof *p);

    *out = (struct pruned){.bodies = 0};
    *p = (struct pass){.db = db,
                       .list = sql_prune_receipts,
                       .keep_us = s->keep_receipts_ms * US_PER_MS,
                       .whole_us = -1,
                       .statements = sql_prune_whole,
                       .n_statements = sql_prune_whole_n,
                       .count = &out->receipts};
    enum ho_code code = prune_one(p, &at->receipts_ms,
                                  at->receipts_id, &at->receipts_done, run, out, err);
    if (code == HO_OK) {
        *p = (struct pass){.db = db,
                           .list = sql_prune_bodies,
                           .keep_us = s->keep_bodies_ms * US_PER_MS,
                           .whole_us = run->dry && s->keep_receipts_ms >= 0
                                           ? s->keep_receipts_ms * US_PER_MS
                                           : -1,
                           .statements = sql_prune_content,
                           .n_statements = sql_prune_content_n,
                           .count = &out->bodies};
        code = prune_one(p, &at->bodies_ms, at->bodies_id, &at->bodies_done,
                         run, out, err);
    }
    free(p);
    return code;
}
