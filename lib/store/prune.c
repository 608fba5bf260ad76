/* Pruning. Correlation ids begin with the time, so each pass walks along them from the oldest. */
#include "store/prune.h"

#include <stdlib.h>
#include <string.h>

#include "base/ulid.h"
#include "store/jobs_row.h"
#include "store/sql_health.h"
#include "store/sql_keep.h"

#define BATCH 500
#define TX_TIME_MS 30000
#define TELL_EVERY_MS 5000
#define US_PER_MS 1000
#define ULID_TIME_LEN 10 /* characters of an id that are its time */

struct cid {
    char text[ULID_LEN + 1];
};

/* One pass, over bodies or over receipts. */
struct pass {
    struct db *db;
    const char *list;
    const char *const *statements;
    size_t n_statements;
    int64_t keep_us;
    struct cid below;
    uint64_t *count;
    /* one batch */
    struct cid ids[BATCH];
    size_t n;
    uint64_t gone;
};

/* The first or last id of a time. */
static void edge_of(const char *cid, char fill, struct cid *out)
{
    memcpy(out->text, cid, ULID_TIME_LEN);
    memset(out->text + ULID_TIME_LEN, fill, ULID_LEN - ULID_TIME_LEN);
    out->text[ULID_LEN] = '\0';
}

/* Whether the whole request that has this body may go. */
static enum ho_code look(struct pass *p, const struct cid *body, bool *may, struct ho_err *err)
{
    struct cid low, high;
    struct db_rows rows = {0};

    edge_of(body->text, '0', &low);
    edge_of(body->text, 'Z', &high);
    const struct db_value in[] = {DBV_STR(low.text), DBV_STR(high.text), DBV_STR(body->text),
                                  DBV_STR(body->text), DBV_INT(p->keep_us)};
    enum ho_code code = db_run(p->db, sql_prune_against, in, 5, &rows, err);
    *may = code == HO_OK && rows.n_rows == 0;
    db_rows_free(&rows);
    return code;
}

/* A statement over count ids, filled up with the last one. */
static enum ho_code run_list(struct db *db, const char *sql, const struct cid *ids, size_t count,
                             struct db_rows *rows, struct ho_err *err)
{
    struct db_value in[KEEP_CHUNK];

    for (size_t i = 0; i < KEEP_CHUNK; i++) {
        in[i] = DBV_STR(ids[i < count ? i : count - 1].text);
    }
    return db_run(db, sql, in, KEEP_CHUNK, rows, err);
}

/* Takes away what is still finished of some ids, under the locks of their receipts. */
static enum ho_code remove_chunk(struct pass *p, const struct cid *ids, size_t count,
                                 struct ho_err *err)
{
    struct cid still[KEEP_CHUNK];
    struct db_rows rows = {0};
    size_t n = 0;

    enum ho_code code = run_list(p->db, sql_prune_lock, ids, count, &rows, err);
    for (size_t i = 0; i < rows.n_rows && n < KEEP_CHUNK && code == HO_OK; i++) {
        jobs_row_text(db_cell(&rows, i, 0), still[n++].text, sizeof still[0].text);
    }
    for (size_t i = 0; i < p->n_statements && n > 0 && code == HO_OK; i++) {
        code = run_list(p->db, p->statements[i], still, n, &rows, err);
    }
    p->gone += n;
    db_rows_free(&rows);
    return code;
}

static enum ho_code remove_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct pass *p = arg;
    enum ho_code code = db_begin(db, err);

    p->gone = 0;
    for (size_t at = 0; at < p->n && code == HO_OK; at += KEEP_CHUNK) {
        size_t count = p->n - at < KEEP_CHUNK ? p->n - at : KEEP_CHUNK;
        code = remove_chunk(p, p->ids + at, count, err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

/* The ids of a list that may go. */
static enum ho_code choose(struct pass *p, const struct db_rows *rows, struct ho_err *err)
{
    enum ho_code code = HO_OK;

    p->n = 0;
    for (size_t i = 0; i < rows->n_rows && code == HO_OK; i++) {
        struct cid body;
        bool may = false;
        jobs_row_text(db_cell(rows, i, 1), body.text, sizeof body.text);
        if (strlen(body.text) == ULID_LEN) {
            code = look(p, &body, &may, err);
        }
        if (may) {
            jobs_row_text(db_cell(rows, i, 0), p->ids[p->n++].text, sizeof p->ids[0].text);
        }
    }
    return code;
}

/* out: *after — moved on; *more — there may be more behind it */
static enum ho_code batch(struct pass *p, struct cid *after, bool dry, bool *more,
                          struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(after->text), DBV_STR(p->below.text),
                                  DBV_INT(p->keep_us), DBV_INT(BATCH)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(p->db, p->list, in, 4, &rows, err);
    *more = code == HO_OK && rows.n_rows == BATCH;
    if (code == HO_OK && rows.n_rows > 0) {
        jobs_row_text(db_cell(&rows, rows.n_rows - 1, 0), after->text, sizeof after->text);
        code = choose(p, &rows, err);
    }
    p->gone = p->n;
    if (code == HO_OK && rows.n_rows > 0 && p->n > 0 && !dry) {
        code = db_transact(p->db, deadline_in(TX_TIME_MS), remove_tx, p, err);
    }
    *p->count += code == HO_OK && rows.n_rows > 0 ? p->gone : 0;
    db_rows_free(&rows);
    return code;
}

static enum ho_code walk(struct pass *p, struct deadline end, bool dry,
                         void (*tell)(const struct pruned *so_far), struct pruned *out,
                         struct ho_err *err)
{
    struct cid after = {""};
    int64_t told_ms = clock_mono_ms();
    bool more = true;
    enum ho_code code = HO_OK;

    while (more && code == HO_OK) {
        if (deadline_left_ms(end) == 0) {
            out->more = true;
            break;
        }
        code = batch(p, &after, dry, &more, err);
        if (tell != NULL && clock_mono_ms() - told_ms >= TELL_EVERY_MS) {
            told_ms = clock_mono_ms();
            tell(out);
        }
    }
    return code;
}

/* The id that everything so old is below, by the database's clock. */
static enum ho_code find_below(struct pass *p, struct ho_err *err)
{
    struct db_rows rows = {0};
    struct cid at;
    enum ho_code code = db_run(p->db, SQL_HEALTH_CLOCK, NULL, 0, &rows, err);

    if (code == HO_OK) {
        int64_t us = db_cell_int(&rows, 0, 0) - p->keep_us;
        ulid_new(us > 0 ? us : 0, at.text);
        edge_of(at.text, '0', &p->below);
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code prune_one(struct pass *p, int64_t keep_ms, struct deadline end, bool dry,
                              void (*tell)(const struct pruned *so_far), struct pruned *out,
                              struct ho_err *err)
{
    if (keep_ms < 0) {
        return HO_OK;
    }
    p->keep_us = keep_ms * US_PER_MS;
    enum ho_code code = find_below(p, err);
    return code == HO_OK ? walk(p, end, dry, tell, out, err) : code;
}

enum ho_code prune(struct db *db, const struct settings *s, struct deadline end, bool dry,
                   void (*tell)(const struct pruned *so_far), struct pruned *out,
                   struct ho_err *err)
{
    struct pass *p = ho_alloc(sizeof *p);

    *out = (struct pruned){.bodies = 0};
    *p = (struct pass){.db = db,
                       .list = sql_prune_receipts,
                       .statements = sql_prune_whole,
                       .n_statements = sql_prune_whole_n,
                       .count = &out->receipts};
    enum ho_code code = prune_one(p, s->keep_receipts_ms, end, dry, tell, out, err);
    if (code == HO_OK) {
        *p = (struct pass){.db = db,
                           .list = sql_prune_bodies,
                           .statements = sql_prune_content,
                           .n_statements = sql_prune_content_n,
                           .count = &out->bodies};
        code = prune_one(p, s->keep_bodies_ms, end, dry, tell, out, err);
    }
    free(p);
    return code;
}
