/* Recording one event. The order of locks is the same for everyone: guard, then receipt. */
#include "store/inbox.h"

#include <string.h>

#include "store/conflict.h"
#include "store/parts.h"
#include "store/sql.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OCCURRED_MAX_US INT64_C(253402300799999999) /* 9999-12-31 23:59:59.999999 */
#define PART_NUMBER_MAX 65535

/* One event on its way into the tables; the transaction may run several times. */
struct record {
    struct event e; /* as it will be read back from its row */
    unsigned char mac[SHA256_LEN], body_sha256[SHA256_LEN];
    enum receipt_result result;
    bool settled; /* the result is known, nothing more is to be written in this transaction */
    /* what was there first */
    char first_cid[ULID_LEN + 1];
    unsigned char first_id[EVENT_KEY_MAX];
    size_t first_id_len;
};

static bool within(struct span s, size_t least, size_t most)
{
    return s.len >= least && s.len <= most;
}

/* The store's own last look: INSERT IGNORE would cut what is too long, and call the next one a
 * duplicate. */
static bool fits(const struct event *e)
{
    return ulid_valid(span_of(e->cid)) && within(e->provider, 1, EVENT_PROVIDER_MAX) &&
           within(e->source, 1, EVENT_PROVIDER_MAX) && within(e->id, 1, EVENT_KEY_MAX) &&
           within(e->type, 0, EVENT_KEY_MAX) && within(e->object, 0, EVENT_KEY_MAX) &&
           within(e->document, 1, EVENT_PROVIDER_MAX) && within(e->headers, 0, EVENT_HEADERS_MAX) &&
           within(e->body, 0, UINT32_MAX) && e->secret_no >= 0 && e->secret_no <= UINT8_MAX;
}

static struct span or_empty(struct span s)
{
    return span_present(s) ? s : SPAN_LIT("");
}

static void prepare(struct record *r, const struct event *e, struct span key)
{
    *r = (struct record){.e = *e};
    r->e.type = or_empty(e->type);
    r->e.headers = or_empty(e->headers);
    r->e.body = or_empty(e->body);
    if (e->occurred_us < 0 || e->occurred_us > OCCURRED_MAX_US) {
        r->e.has_occurred = false;
    }
    mac_sha256(r->e.body, r->body_sha256);
    event_mac(&r->e, key, r->mac);
}

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

/* The guard's row: a content known under another id settles the delivery as a repeat. */
static enum ho_code guard(struct db *db, struct record *r, struct ho_err *err)
{
    const struct event *e = &r->e;
    struct db_value in[] = {DBV_BYTES(e->provider),
                            DBV_BYTES(span_make(e->guard, sizeof e->guard)), DBV_BYTES(e->id),
                            DBV_STR(e->cid)};
    struct db_rows rows = {0};

    enum ho_code code = insert_ignore(db, SQL_GUARD_INSERT, in, COUNT(in), &rows, err);
    if (code == HO_OK && rows.affected == 0) {
        code = db_run(db, SQL_GUARD_BACK, in, 2, &rows, err);
        struct span id = db_cell(&rows, 0, 0), cid = db_cell(&rows, 0, 1);
        if (code == HO_OK && (rows.n_rows != 1 || cid.len != ULID_LEN || id.len > EVENT_KEY_MAX)) {
            code = ho_fail(err, HO_BUG, "the guard's row was neither written nor found");
        } else if (code == HO_OK && !span_eq(id, e->id)) {
            r->result = RECEIPT_REPEAT;
            r->settled = true;
            memcpy(r->first_cid, cid.p, ULID_LEN);
            memcpy(r->first_id, id.p, id.len);
            r->first_id_len = id.len;
        }
    }
    db_rows_free(&rows);
    return code;
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
        bool equal = span_eq(same, span_make(e->same, sizeof e->same));
        r->result = equal ? RECEIPT_DUPLICATE : RECEIPT_CONFLICT;
        r->settled = true;
        memcpy(r->first_cid, cid.p, ULID_LEN);
        memcpy(r->first_id, e->id.p, e->id.len);
        r->first_id_len = e->id.len;
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code receipt(struct db *db, struct record *r, struct ho_err *err)
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
        DBV_UINT(e->body.len),
        DBV_BYTES(span_make(r->body_sha256, SHA256_LEN)),
        DBV_BYTES(span_make(e->same, sizeof e->same)),
        DBV_BYTES(e->document),
        DBV_UINT((uint64_t)e->secret_no),
        DBV_BYTES(span_make(r->mac, SHA256_LEN)),
    };
    struct db_rows rows = {0};

    enum ho_code code = insert_ignore(db, SQL_RECEIPT_INSERT, in, COUNT(in), &rows, err);
    if (code == HO_OK) {
        code = read_back(db, r, rows.affected > 0, err);
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code body_and_job(struct db *db, const struct record *r, struct ho_err *err)
{
    const struct event *e = &r->e;
    struct db_value job[] = {DBV_STR(e->cid)};
    size_t size = parts_size(db, e->headers.len + e->body.len, e->headers.len);
    size_t at = 0, part = 0;
    enum ho_code code = HO_OK;

    do {
        struct span bytes = span_sub(e->body, at, size);
        struct db_value in[] = {DBV_STR(e->cid), DBV_UINT(part),
                                part == 0 ? DBV_BYTES(e->headers) : DBV_NULL, DBV_BYTES(bytes)};
        if (part > PART_NUMBER_MAX) {
            return ho_fail(err, HO_PERMANENT, "the body needs too many parts");
        }
        code = db_run(db, SQL_BODY_INSERT, in, COUNT(in), NULL, err);
        at += bytes.len;
        part++;
    } while (code == HO_OK && at < e->body.len);
    if (code == HO_OK) {
        code = db_run(db, SQL_JOB_INSERT, job, COUNT(job), NULL, err);
    }
    return code;
}

/* The transaction. What finds the event there already writes nothing: it holds a shared lock on
 * that row, and an UPDATE by several such at once is a deadlock. */
static enum ho_code record_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct record *r = arg;

    r->settled = false;
    enum ho_code code = db_begin(db, err);
    if (code == HO_OK && r->e.has_guard) {
        code = guard(db, r, err);
    }
    if (code == HO_OK && !r->settled) {
        code = receipt(db, r, err);
    }
    if (code == HO_OK && r->settled) {
        db_rollback(db);
        return HO_OK;
    }
    if (code == HO_OK) {
        code = body_and_job(db, r, err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code inbox_record(struct db *db, const struct accepted *a, struct span key,
                          struct deadline end, enum receipt_result *result, struct ho_err *err)
{
    const struct event *e = accepted_event(a);
    struct record r;

    *result = RECEIPT_NEW;
    if (!fits(e)) {
        return ho_fail(err, HO_BUG, "an event does not fit its columns");
    }
    prepare(&r, e, key);
    enum ho_code code = db_transact(db, end, record_tx, &r, err);
    if (code == HO_OK && (r.result == RECEIPT_CONFLICT || r.result == RECEIPT_REPEAT)) {
        struct conflict c = {.kind = r.result == RECEIPT_REPEAT ? "repeat" : "meaning",
                             .e = &r.e,
                             .first_id = span_make(r.first_id, r.first_id_len),
                             .first_cid = r.first_cid,
                             .body_sha256 = r.body_sha256};
        code = conflict_keep(db, &c, end, err);
    }
    if (code == HO_OK) {
        *result = r.result;
    }
    return code;
}

enum ho_code inbox_count_duplicate(struct db *db, const struct accepted *a, struct ho_err *err)
{
    const struct event *e = accepted_event(a);
    struct db_value in[] = {DBV_BYTES(e->provider), DBV_BYTES(e->id)};

    return db_run(db, SQL_DUPLICATE_COUNT, in, COUNT(in), NULL, err);
}
