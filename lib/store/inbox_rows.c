/* The rows of one event. IGNORE is never believed: what counts is the row that is read back. */
#include "store/inbox_rows.h"

#include <string.h>

#include "core/outcome.h"
#include "store/answers.h"
#include "store/parts.h"
#include "store/seals.h"
#include "store/sql.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define PART_NUMBER_MAX 65535

/* Whether IGNORE did what was asked: one row as it is, or none because one is there. */
static enum ho_code insert_ignore(struct db *db, const char *sql, const struct db_value *in,
                                  size_t n, struct db_rows *rows, struct ho_err *err)
{
    enum ho_code code = db_run(db, sql, in, n, rows, err);

    if (code == HO_OK && rows->affected > 0 && rows->warnings > 0) {
        return ho_fail(err, HO_PERMANENT, "the database changed a value while it stored it");
    }
    return code;
}

static void settle(struct record *r, enum receipt_result result, struct span cid, struct span id)
{
    r->result = result;
    r->settled = true;
    memcpy(r->first_cid, cid.p, ULID_LEN);
    memcpy(r->first_id, id.p, id.len);
    r->first_id_len = id.len;
}

/* Looks for the content under a token, which a row of that token must be there for if `must`. */
static enum ho_code look_guard(struct db *db, struct record *r, const unsigned char *token,
                               bool must, struct ho_err *err)
{
    struct db_value in[] = {DBV_BYTES(r->e.provider), DBV_BYTES(span_make(token, SHA256_LEN))};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, SQL_GUARD_BACK, in, COUNT(in), &rows, err);
    struct span id = db_cell(&rows, 0, 0), cid = db_cell(&rows, 0, 1);
    if (code == HO_OK && rows.n_rows == 0 && !must) {
        /* nobody knows it so */
    } else if (code == HO_OK &&
               (rows.n_rows != 1 || cid.len != ULID_LEN || id.len > EVENT_KEY_MAX)) {
        code = ho_fail(err, HO_BUG, "the guard's row was neither written nor found");
    } else if (code == HO_OK && !span_eq(id, r->e.id)) {
        settle(r, RECEIPT_REPEAT, cid, id);
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code record_guard(struct db *db, struct record *r, struct ho_err *err)
{
    const struct event *e = &r->e;
    struct db_value in[] = {DBV_BYTES(e->provider),
                            DBV_BYTES(span_make(e->guard, sizeof e->guard)), DBV_BYTES(e->id),
                            DBV_STR(e->cid)};
    struct db_rows rows = {0};

    enum ho_code code = look_guard(db, r, r->other_guard, false, err);
    if (code != HO_OK || r->settled) {
        return code;
    }
    code = insert_ignore(db, SQL_GUARD_INSERT, in, COUNT(in), &rows, err);
    r->guarded = code == HO_OK && rows.affected > 0;
    if (code == HO_OK && rows.affected == 0) {
        code = look_guard(db, r, e->guard, true, err);
    }
    db_rows_free(&rows);
    return code;
}

static bool same_meaning(const struct record *r, struct span same)
{
    return span_eq(same, span_make(r->e.same, sizeof r->e.same)) ||
           span_eq(same, span_make(r->other_same, sizeof r->other_same));
}

/* Reads the receipt's row back: mine or another's? That alone decides what is new. */
static enum ho_code read_back(struct db *db, struct record *r, bool inserted, struct ho_err *err)
{
    const struct event *e = &r->e;
    struct db_value in[] = {DBV_BYTES(e->provider), DBV_BYTES(e->id)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, SQL_RECEIPT_BACK, in, COUNT(in), &rows, err);
    struct span cid = db_cell(&rows, 0, 0), same = db_cell(&rows, 0, 1);
    bool mine = span_is(cid, e->cid);

    if (code != HO_OK) {
        /* as it is */
    } else if (rows.n_rows != 1 || cid.len != ULID_LEN || (inserted && !mine)) {
        code = ho_fail(err, HO_BUG, "the receipt's row was neither written nor found");
    } else if (mine) {
        /* Not inserted, but mine: the COMMIT of an earlier run took, its answer was lost. */
        r->result = RECEIPT_NEW;
        r->settled = !inserted;
    } else {
        settle(r, same_meaning(r, same) ? RECEIPT_DUPLICATE : RECEIPT_CONFLICT, cid, e->id);
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code record_receipt(struct db *db, struct record *r, const unsigned char *body_sha256,
                            const char *body_id, struct ho_err *err)
{
    const struct event *e = &r->e;
    struct db_value in[] = {
        DBV_BYTES(e->provider),
        DBV_BYTES(e->id),
        DBV_STR(e->cid),
        DBV_BYTES(e->source),
        DBV_BYTES(e->type),
        DBV_BYTES(e->object), /* absent: NULL */
        e->has_occurred ? DBV_INT(e->occurred_us) : DBV_NULL,
        e->has_received ? DBV_INT(e->received_us) : DBV_NULL,
        DBV_STR(receipt_status_word(r->claim != NULL ? RECEIPT_PROCESSING : RECEIPT_RECEIVED)),
        DBV_UINT(e->body.len),
        DBV_BYTES(span_make(body_sha256, SHA256_LEN)),
        DBV_BYTES(span_make(e->same, sizeof e->same)),
        DBV_BYTES(e->document),
        DBV_UINT((uint64_t)e->secret_no),
        DBV_BYTES(span_make(r->mac, SHA256_LEN)),
        DBV_STR(body_id),
    };
    struct db_rows rows = {0};

    enum ho_code code = insert_ignore(db, SQL_RECEIPT_INSERT, in, COUNT(in), &rows, err);
    if (code == HO_OK) {
        code = read_back(db, r, rows.affected > 0, err);
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code record_repeat(struct db *db, struct record *r, struct ho_err *err)
{
    const struct db_value in[] = {DBV_BYTES(r->e.provider), DBV_BYTES(r->e.id)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, SQL_RECEIPT_SEEN, in, COUNT(in), &rows, err);
    struct span cid = db_cell(&rows, 0, 0);
    if (code == HO_OK && cid.len == ULID_LEN && same_meaning(r, db_cell(&rows, 0, 1))) {
        settle(r, RECEIPT_DUPLICATE, cid, r->e.id);
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code record_part(struct db *db, const struct event *e, size_t part,
                                struct span bytes, struct ho_err *err)
{
    const struct seal_ring *seals = db_seals(db);
    struct seal_place head = {"body headers", e->cid, (unsigned)part};
    struct seal_place body = {"body bytes", e->cid, (unsigned)part};
    struct buf head_room, body_room;
    struct span headers = seal_value(seals, &head, e->headers, &head_room);
    struct db_value in[] = {DBV_STR(e->cid), DBV_UINT(part),
                            part == 0 ? DBV_BYTES(headers) : DBV_NULL,
                            DBV_BYTES(seal_value(seals, &body, bytes, &body_room)),
                            seal_print(seals)};

    enum ho_code code = db_run(db, SQL_BODY_INSERT, in, COUNT(in), NULL, err);
    buf_free(&head_room);
    buf_free(&body_room);
    return code;
}

enum ho_code record_body(struct db *db, const struct event *e, struct ho_err *err)
{
    size_t size = parts_size(db, e->headers.len + e->body.len, e->headers.len);
    size_t at = 0, part = 0;
    enum ho_code code = HO_OK;

    do {
        struct span bytes = span_sub(e->body, at, size);
        if (part > PART_NUMBER_MAX) {
            return ho_fail(err, HO_PERMANENT, "the body needs too many parts");
        }
        code = record_part(db, e, part, bytes, err);
        at += bytes.len;
        part++;
    } while (code == HO_OK && at < e->body.len);
    return code;
}

enum ho_code record_job(struct db *db, const struct record *r, struct ho_err *err)
{
    struct db_value job[] = {DBV_STR(r->e.cid)};

    return r->claim != NULL ? answers_job(db, r->e.cid, r->claim, err)
                            : db_run(db, SQL_JOB_INSERT, job, COUNT(job), NULL, err);
}
