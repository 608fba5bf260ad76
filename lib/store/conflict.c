/* Conflicts. Sender-driven, so bounded: in bytes a row, in rows a receipt. */
#include "store/conflict.h"

#include "store/parts.h"
#include "store/sql.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Counts on a row that is there already: this very delivery seen before, or the newest of too
 * many. *counted says whether there was one. */
static enum ho_code count_on(struct db *db, const struct conflict *c, bool *counted,
                             struct ho_err *err)
{
    const struct event *e = c->e;
    struct db_rows rows = {0};
    struct db_value again[] = {DBV_BYTES(e->provider), DBV_BYTES(e->id), DBV_STR(c->kind),
                               DBV_BYTES(span_make(e->same, sizeof e->same))};
    struct db_value first[] = {DBV_STR(c->first_cid)};

    *counted = false;
    enum ho_code code = db_run(db, SQL_CONFLICT_AGAIN, again, COUNT(again), &rows, err);
    if (code == HO_OK && rows.affected > 0) {
        *counted = true;
    } else if (code == HO_OK) {
        code = db_run(db, SQL_CONFLICT_ROWS, first, COUNT(first), &rows, err);
        if (code == HO_OK && db_cell_int(&rows, 0, 0) >= CONFLICT_ROWS_MAX) {
            struct db_value newest[] = {DBV_INT(db_cell_int(&rows, 0, 1))};
            *counted = true;
            code = db_run(db, SQL_CONFLICT_NEWEST, newest, COUNT(newest), NULL, err);
        }
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code insert(struct db *db, const struct conflict *c, struct span first_same,
                           struct ho_err *err)
{
    const struct event *e = c->e;
    size_t most = parts_size(db, e->headers.len + e->body.len, e->headers.len);
    size_t kept = most < CONFLICT_BODY_MAX ? most : (size_t)CONFLICT_BODY_MAX;
    struct db_value in[] = {
        DBV_STR(c->kind),
        DBV_BYTES(e->provider),
        DBV_BYTES(e->id),
        DBV_BYTES(e->source),
        DBV_BYTES(e->type),
        DBV_STR(e->cid),
        DBV_STR(c->first_cid),
        DBV_BYTES(span_make(e->same, sizeof e->same)),
        DBV_BYTES(first_same),
        DBV_BYTES(e->headers),
        DBV_BYTES(span_sub(e->body, 0, kept)),
        DBV_UINT(e->body.len),
        DBV_BYTES(span_make(c->body_sha256, SHA256_LEN)),
    };

    return db_run(db, SQL_CONFLICT_INSERT, in, COUNT(in), NULL, err);
}

static enum ho_code keep(struct db *db, void *arg, struct ho_err *err)
{
    const struct conflict *c = arg;
    struct db_value first[] = {DBV_BYTES(c->e->provider), DBV_BYTES(c->first_id)};
    struct db_rows rows = {0};
    bool counted = false;

    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = db_run(db, SQL_CONFLICT_LOCK, first, COUNT(first), &rows, err);
    }
    if (code == HO_OK) {
        code = count_on(db, c, &counted, err);
    }
    if (code == HO_OK && !counted) {
        code = insert(db, c, db_cell(&rows, 0, 1), err);
    }
    if (code == HO_OK) {
        code = db_commit(db, err);
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code conflict_keep(struct db *db, struct conflict *c, struct deadline end,
                           struct ho_err *err)
{
    return db_transact(db, end, keep, c, err);
}
