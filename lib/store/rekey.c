/* Sealing anew, table by table, row by row. */
#include "store/rekey.h"

#include <string.h>

#include "base/clock.h"
#include "base/ulid.h"
#include "store/jobs_row.h"
#include "store/sql_keep.h"

#define LIST_MAX 500       /* rows looked at in one go */
#define TX_ROWS 50         /* rows changed in one transaction */
#define TX_TIME_MS 60000
#define TELL_EVERY_MS 5000
#define KEY_ROOM (ULID_LEN + 1)

struct rekeying {
    struct db *db;
    const struct sealed_table *table;
    const struct seal_ring *ring; /* whose first is the key to be; none: plain */
    struct rekeyed sum;
    void (*tell)(const struct rekeyed *so_far);
    int64_t told_ms;
    /* one transaction */
    const struct db_rows *rows;
    size_t from, to;
    struct rekeyed now;
};

enum { READ_CID, READ_HEADERS, READ_BODY, READ_PRINT };

/* One value, opened and sealed anew into room; absent stays absent. */
static enum seal_opened turn(const struct rekeying *r, const struct db_rows *row, size_t col,
                             const struct seal_place *at, struct buf *room, struct span *value)
{
    struct span stored = db_cell(row, 0, col);
    struct buf plain;

    *value = SPAN_NONE;
    buf_init(room, 1);
    if (!span_present(stored)) {
        return SEAL_OPENED;
    }
    buf_init(&plain, stored.len + 1);
    enum seal_opened got = seal_get(db_seals(r->db), db_cell(row, 0, READ_PRINT), at, stored,
                                    &plain);
    if (got == SEAL_OPENED) {
        struct buf sealed;
        struct span v = seal_value(r->ring, at, buf_span(&plain), &sealed);
        buf_free(room);
        buf_init(room, v.len + 1);
        *value = buf_add_span(room, v) == HO_OK ? buf_span(room) : SPAN_NONE;
        buf_free(&sealed);
    }
    buf_free(&plain);
    return got;
}

static enum ho_code turn_row(struct rekeying *r, const struct db_value key[2],
                             const struct db_rows *row, struct ho_err *err)
{
    char cid[KEY_ROOM];
    struct buf head_room, body_room;
    struct span headers, body;
    enum ho_code code = HO_OK;

    jobs_row_text(db_cell(row, 0, READ_CID), cid, sizeof cid);
    const unsigned part = (unsigned)key[1].u;
    const bool of_body = r->table == &sealed_tables[0];
    const struct seal_place head_at = {r->table->headers, cid, of_body ? part : 0};
    const struct seal_place body_at = {r->table->body, cid, of_body ? part : 0};
    enum seal_opened got = turn(r, row, READ_HEADERS, &head_at, &head_room, &headers);
    enum seal_opened body_got = turn(r, row, READ_BODY, &body_at, &body_room, &body);

    if (got == SEAL_OPENED && body_got == SEAL_OPENED) {
        const struct db_value in[] = {span_present(headers) ? DBV_BYTES(headers) : DBV_NULL,
                                      DBV_BYTES(body), seal_print(r->ring), key[0], key[1]};
        code = db_run(r->db, r->table->write, in, 5, NULL, err);
        r->now.changed++;
    } else if (got == SEAL_NO_KEY || body_got == SEAL_NO_KEY) {
        r->now.locked++;
        jobs_row_text(db_cell(row, 0, READ_PRINT), r->now.missing, sizeof r->now.missing);
    } else {
        r->now.broken++;
    }
    buf_free(&head_room);
    buf_free(&body_room);
    return code;
}

static bool as_wanted(const struct rekeying *r, struct span print)
{
    return r->ring->first != NULL ? span_is(print, r->ring->first->print) : !span_present(print);
}

static enum ho_code rekey_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct rekeying *r = arg;
    enum ho_code code = db_begin(db, err);

    r->now = (struct rekeyed){.seen = 0};
    for (size_t i = r->from; i < r->to && code == HO_OK; i++) {
        const struct db_value key[] = {DBV_TEXT(db_cell(r->rows, i, 0)),
                                       DBV_UINT((uint64_t)db_cell_int(r->rows, i, 1))};
        struct db_rows row = {0};

        r->now.seen++;
        if (as_wanted(r, db_cell(r->rows, i, 2))) {
            continue;
        }
        code = db_run(db, r->table->read, key, 2, &row, err);
        if (code == HO_OK && row.n_rows == 1 && !as_wanted(r, db_cell(&row, 0, READ_PRINT))) {
            code = turn_row(r, key, &row, err);
        }
        db_rows_free(&row);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

static void add_up(struct rekeying *r)
{
    r->sum.seen += r->now.seen;
    r->sum.changed += r->now.changed;
    r->sum.locked += r->now.locked;
    r->sum.broken += r->now.broken;
    if (r->now.missing[0] != '\0') {
        memcpy(r->sum.missing, r->now.missing, sizeof r->sum.missing);
    }
    if (r->tell != NULL && clock_mono_ms() - r->told_ms >= TELL_EVERY_MS) {
        r->told_ms = clock_mono_ms();
        r->tell(&r->sum);
    }
}

static enum ho_code rekey_rows(struct rekeying *r, const struct db_rows *rows, struct ho_err *err)
{
    enum ho_code code = HO_OK;

    r->rows = rows;
    for (r->from = 0; r->from < rows->n_rows && code == HO_OK; r->from = r->to) {
        r->to = r->from + TX_ROWS < rows->n_rows ? r->from + TX_ROWS : rows->n_rows;
        code = db_transact(r->db, deadline_in(TX_TIME_MS), rekey_tx, r, err);
        if (code == HO_OK) {
            add_up(r);
        }
    }
    return code;
}

static enum ho_code rekey_table(struct rekeying *r, struct ho_err *err)
{
    char text[KEY_ROOM] = "";
    uint64_t number = 0;
    bool more = true;
    enum ho_code code = HO_OK;

    while (more && code == HO_OK) {
        const struct db_value in[] = {DBV_STR(text), DBV_STR(text), DBV_UINT(number),
                                      DBV_INT(LIST_MAX)};
        struct db_rows rows = {0};

        code = db_run(r->db, r->table->list, in, 4, &rows, err);
        more = code == HO_OK && rows.n_rows == LIST_MAX;
        if (code == HO_OK && rows.n_rows > 0) {
            jobs_row_text(db_cell(&rows, rows.n_rows - 1, 0), text, sizeof text);
            number = (uint64_t)db_cell_int(&rows, rows.n_rows - 1, 1);
            code = rekey_rows(r, &rows, err);
        }
        db_rows_free(&rows);
    }
    return code;
}

enum ho_code rekey_all(struct db *db, bool off, void (*tell)(const struct rekeyed *so_far),
                       struct rekeyed *out, struct ho_err *err)
{
    struct seal_ring ring = *db_seals(db);
    struct rekeying r = {.db = db, .ring = &ring, .tell = tell, .told_ms = clock_mono_ms()};
    enum ho_code code = HO_OK;

    ring.first = off ? NULL : ring.first;
    if (!off && ring.first == NULL) {
        code = ho_fail(err, HO_PERMANENT, "there is no body_key to seal under%s%s",
                       ring.why[0] != '\0' ? ": " : "", ring.why);
    }
    for (size_t i = 0; i < sealed_tables_n && code == HO_OK; i++) {
        r.table = &sealed_tables[i];
        code = rekey_table(&r, err);
    }
    *out = r.sum;
    return code;
}
