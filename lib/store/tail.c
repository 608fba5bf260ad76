/* Polling for what happens. */
#include "store/tail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mac.h"
#include "base/text.h"
#include "base/ulid.h"
#include "store/jobs_row.h"
#include "store/sql_tail.h"

#define LOOK_MAX 2000 /* rows of one query */
#define SEEN_ROOM 65536 /* what was told and is remembered; a power of two */
#define BACK_US (15 * INT64_C(1000000)) /* receivers' clocks may differ a little */
#define STREAMS 6

enum by { BY_CID, BY_TIME, BY_ID };

static const struct stream {
    const char *sql;
    enum by by;
    uint64_t back; /* BY_ID: so far before the newest number */
} streams[STREAMS] = {
    {sql_tail_receipts, BY_CID, 0},     {sql_tail_imported, BY_ID, 1000},
    {sql_tail_done, BY_TIME, 0},        {sql_tail_dead, BY_TIME, 0},
    {sql_tail_conflicts, BY_ID, 100},   {sql_tail_commands, BY_ID, 200},
};

enum { COL_PLACE, COL_IDENT, COL_FIRST }; /* of each stream; then those of TAIL_… */
enum { NOW_TIME, NOW_BEFORE, NOW_US, NOW_IDS }; /* sql_tail_now */

struct tail {
    char from[STREAMS][JOB_TIME_ROOM];
    bool begun;
    uint64_t seen[SEEN_ROOM]; /* by hash; 0: free */
    uint64_t order[SEEN_ROOM / 2]; /* the same in the order in which they came */
    size_t at;
};

struct tail *tail_new(void)
{
    struct tail *t = ho_alloc(sizeof *t);

    memset(t, 0, sizeof *t);
    return t;
}

void tail_free(struct tail *t)
{
    free(t);
}

/* ---- what was told ---- */

static size_t slot_of(const struct tail *t, uint64_t hash)
{
    size_t i = (size_t)hash & (SEEN_ROOM - 1);

    while (t->seen[i] != 0 && t->seen[i] != hash) {
        i = (i + 1) & (SEEN_ROOM - 1);
    }
    return i;
}

/* Takes one out; what stands behind it may have to move up. */
static void drop(struct tail *t, uint64_t hash)
{
    size_t i = slot_of(t, hash);

    t->seen[i] = 0;
    for (i = (i + 1) & (SEEN_ROOM - 1); t->seen[i] != 0; i = (i + 1) & (SEEN_ROOM - 1)) {
        uint64_t moved = t->seen[i];
        t->seen[i] = 0;
        t->seen[slot_of(t, moved)] = moved;
    }
}

/* Whether it is told for the first time; the oldest is forgotten for it. */
static bool is_new(struct tail *t, struct span ident)
{
    unsigned char digest[SHA256_LEN];
    uint64_t hash;

    mac_sha256(ident, digest);
    memcpy(&hash, digest, sizeof hash);
    hash |= 1;
    size_t i = slot_of(t, hash);
    if (t->seen[i] == hash) {
        return false;
    }
    if (t->order[t->at] != 0) {
        drop(t, t->order[t->at]);
        i = slot_of(t, hash);
    }
    t->seen[i] = hash;
    t->order[t->at] = hash;
    t->at = (t->at + 1) % (SEEN_ROOM / 2);
    return true;
}

/* ---- where a look begins ---- */

/* The place of the next look, by the moment of this one. */
static void place(struct tail *t, size_t i, const struct db_rows *now)
{
    static const size_t ids[STREAMS] = {[1] = NOW_IDS, [4] = NOW_IDS + 1, [5] = NOW_IDS + 2};
    char cid[ULID_LEN + 1];
    uint64_t id;

    switch (streams[i].by) {
    case BY_CID:
        ulid_new(db_cell_int(now, 0, NOW_US) - BACK_US, cid);
        ulid_first(cid, cid);
        memcpy(t->from[i], cid, sizeof cid);
        break;
    case BY_TIME:
        jobs_row_text(db_cell(now, 0, NOW_BEFORE), t->from[i], JOB_TIME_ROOM);
        break;
    case BY_ID:
        id = (uint64_t)db_cell_int(now, 0, ids[i]);
        id = id > streams[i].back ? id - streams[i].back : 0;
        (void)snprintf(t->from[i], JOB_TIME_ROOM, "%llu", (unsigned long long)id);
        break;
    }
}

/* ---- a look ---- */

struct found {
    const struct db_rows *rows;
    size_t row;
};

static int by_time(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    return span_cmp(db_cell(x->rows, x->row, COL_FIRST + TAIL_AT),
                    db_cell(y->rows, y->row, COL_FIRST + TAIL_AT));
}

static enum ho_code read_stream(struct tail *t, struct db *db, size_t i, struct db_rows *rows,
                                struct ho_err *err)
{
    uint64_t id = 0;

    if (streams[i].by == BY_ID && !text_uint(span_of(t->from[i]), INT64_MAX, &id)) {
        return ho_fail(err, HO_BUG, "no number: %s", t->from[i]);
    }
    const struct db_value in[] = {
        streams[i].by == BY_ID ? DBV_UINT(id) : DBV_STR(t->from[i]),
        DBV_INT(LOOK_MAX),
    };

    return db_run(db, streams[i].sql, in, 2, rows, err);
}

static void tell_all(struct tail *t, const struct db_rows *rows,
                     void (*tell)(void *arg, const struct span *cells), void *arg)
{
    struct found *all = ho_alloc((STREAMS * LOOK_MAX + 1) * sizeof *all);
    size_t n = 0;

    for (size_t i = 0; i < STREAMS; i++) {
        for (size_t row = 0; row < rows[i].n_rows && row < LOOK_MAX; row++) {
            all[n++] = (struct found){&rows[i], row};
        }
    }
    qsort(all, n, sizeof *all, by_time);
    for (size_t i = 0; i < n; i++) {
        const struct db_rows *from = all[i].rows;
        bool fresh = is_new(t, db_cell(from, all[i].row, COL_IDENT));
        if (fresh && t->begun) {
            tell(arg, &from->cells[all[i].row * from->n_cols + COL_FIRST]);
        }
    }
    free(all);
}

enum ho_code tail_look(struct tail *t, struct db *db,
                       void (*tell)(void *arg, const struct span *cells), void *arg, bool *more,
                       struct ho_err *err)
{
    struct db_rows now = {0}, rows[STREAMS] = {{0}};

    *more = false;
    enum ho_code code = db_run(db, sql_tail_now, NULL, 0, &now, err);
    for (size_t i = 0; code == HO_OK && i < STREAMS; i++) {
        if (!t->begun) {
            place(t, i, &now);
        }
        code = read_stream(t, db, i, &rows[i], err);
    }
    if (code == HO_OK) {
        tell_all(t, rows, tell, arg);
        for (size_t i = 0; i < STREAMS; i++) {
            if (rows[i].n_rows < LOOK_MAX) {
                place(t, i, &now);
            } else {
                jobs_row_text(db_cell(&rows[i], LOOK_MAX - 1, COL_PLACE), t->from[i],
                              JOB_TIME_ROOM);
                *more = true;
            }
        }
        t->begun = true;
    }
    for (size_t i = 0; i < STREAMS; i++) {
        db_rows_free(&rows[i]);
    }
    db_rows_free(&now);
    return code;
}
