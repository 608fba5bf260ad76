/* Releasing a refused delivery: its row is read back, proved by its MAC, and recorded. */
#include "store/conflict_release.h"

#include <string.h>

#include "store/conflict.h"
#include "store/inbox_rows.h"
#include "store/jobs_row.h"
#include "store/seals.h"
#include "store/sql_keep.h"
#include "store/sql_pause.h"

#define TX_TIME_MS 10000

/* sql_conflict_read */
enum {
    COL_KIND,
    COL_PROVIDER,
    COL_ID,
    COL_SOURCE,
    COL_TYPE,
    COL_OBJECT,
    COL_CID,
    COL_SAME,
    COL_DOCUMENT,
    COL_SECRET_NO,
    COL_OCCURRED,
    COL_RECEIVED,
    COL_HEADERS,
    COL_BODY,
    COL_BODY_LEN,
    COL_BODY_KEY,
    COL_MAC,
    COL_RELEASED
};

struct releasing {
    const struct conflict_release_how *how;
    uint64_t id;
    struct db_rows row;
    struct buf headers, body; /* opened */
    struct record record;     /* borrows from these */
    enum conflict_released what;
    bool committing; /* it was recorded, and a COMMIT sent */
};

/* The event, as the row has it. false: this is no row that we have written. */
static bool read_event(struct releasing *r)
{
    struct event *e = &r->record.e;
    struct span same = db_cell(&r->row, 0, COL_SAME), cid = db_cell(&r->row, 0, COL_CID);

    r->record = (struct record){.place = 0};
    e->provider = db_cell(&r->row, 0, COL_PROVIDER);
    e->id = db_cell(&r->row, 0, COL_ID);
    e->source = db_cell(&r->row, 0, COL_SOURCE);
    e->type = db_cell(&r->row, 0, COL_TYPE);
    e->object = db_cell(&r->row, 0, COL_OBJECT);
    e->document = db_cell(&r->row, 0, COL_DOCUMENT);
    e->secret_no = (int)db_cell_int(&r->row, 0, COL_SECRET_NO);
    e->has_occurred = span_present(db_cell(&r->row, 0, COL_OCCURRED));
    e->occurred_us = db_cell_int(&r->row, 0, COL_OCCURRED);
    e->has_received = true;
    e->received_us = db_cell_int(&r->row, 0, COL_RECEIVED);
    if (same.len != SHA256_LEN || !ulid_valid(cid) || !span_present(e->document)) {
        return false;
    }
    memcpy(e->same, same.p, SHA256_LEN);
    jobs_row_text(cid, e->cid, sizeof e->cid);
    return true;
}

/* Headers and body, opened. */
static enum conflict_released open_body(struct releasing *r, const struct seal_ring *seals)
{
    struct event *e = &r->record.e;
    const struct seal_place head_at = {"conflict headers", e->cid, 0};
    const struct seal_place body_at = {"conflict body", e->cid, 0};
    struct span print = db_cell(&r->row, 0, COL_BODY_KEY);
    struct span headers = db_cell(&r->row, 0, COL_HEADERS), body = db_cell(&r->row, 0, COL_BODY);

    buf_clear(&r->headers);
    buf_clear(&r->body);
    enum seal_opened got = seal_get(seals, print, &head_at, headers, &r->headers);
    if (got == SEAL_OPENED) {
        got = seal_get(seals, print, &body_at, body, &r->body);
    }
    e->headers = r->headers.len > 0 ? buf_span(&r->headers) : SPAN_LIT("");
    e->body = r->body.len > 0 ? buf_span(&r->body) : SPAN_LIT("");
    if (got == SEAL_NO_KEY) {
        return RELEASE_SEALED;
    }
    return got == SEAL_OPENED ? RELEASED : RELEASE_FORGED;
}

static bool is_genuine(const struct releasing *r)
{
    unsigned char mac[SHA256_LEN];

    conflict_mac(&r->record.e, r->how->key, mac);
    return mac_equal(span_make(mac, sizeof mac), db_cell(&r->row, 0, COL_MAC));
}

static bool answers_requests(const struct releasing *r)
{
    const struct source *source = settings_source(r->how->settings, r->record.e.source);

    return source != NULL && source->reply;
}

/* What becomes of the row, which is locked; RELEASED: it may be recorded. */
static enum conflict_released examine(struct releasing *r, const struct seal_ring *seals)
{
    if (r->row.n_rows != 1) {
        return RELEASE_MISSING;
    }
    if (!span_is(db_cell(&r->row, 0, COL_KIND), CONFLICT_REPEAT)) {
        return RELEASE_MEANING;
    }
    if (!span_present(db_cell(&r->row, 0, COL_MAC)) ||
        (db_cell(&r->row, 0, COL_BODY).len == 0 && db_cell_int(&r->row, 0, COL_BODY_LEN) > 0)) {
        return RELEASE_CUT;
    }
    if (!read_event(r)) {
        return RELEASE_FORGED;
    }
    enum conflict_released got = open_body(r, seals);
    if (got != RELEASED) {
        return got;
    }
    if (!is_genuine(r)) {
        return RELEASE_FORGED;
    }
    return answers_requests(r) ? RELEASE_REPLY : RELEASED;
}

/* Receipt, body and job, and the row knows. */
static enum ho_code record(struct db *db, struct releasing *r, struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(r->id)};
    struct event *e = &r->record.e;
    unsigned char body_sha256[SHA256_LEN];

    event_mac(e, r->how->key, r->record.mac);
    memcpy(r->record.other_same, e->same, SHA256_LEN);
    mac_sha256(e->body, body_sha256);
    if (db_seals(db)->wanted) {
        seal_digest(r->how->key, body_sha256, body_sha256);
    }
    enum ho_code code = record_receipt(db, &r->record, body_sha256, NULL, err);
    if (code != HO_OK || r->record.settled) {
        r->what = r->record.result == RECEIPT_NEW ? RELEASED : RELEASE_THERE;
        return code;
    }
    code = record_body(db, e, err);
    if (code == HO_OK) {
        code = record_job(db, &r->record, err);
    }
    return code == HO_OK ? db_run(db, sql_conflict_released, in, 1, NULL, err) : code;
}

/* Of a row that was released: whether its event is still there. */
static enum ho_code look_back(struct db *db, struct releasing *r, struct ho_err *err)
{
    const struct db_value cid[] = {DBV_TEXT(db_cell(&r->row, 0, COL_CID))};
    struct db_rows rows = {0};
    enum ho_code code = db_run(db, sql_forget_body, cid, 1, &rows, err);

    r->what = rows.n_rows > 0 ? RELEASE_BEFORE : RELEASE_PRUNED;
    db_rows_free(&rows);
    return code;
}

static enum ho_code release_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct releasing *r = arg;
    const struct db_value in[] = {DBV_UINT(r->id)};

    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = db_run(db, sql_conflict_read, in, 1, &r->row, err);
    }
    if (code != HO_OK) {
        return code;
    }
    if (span_present(db_cell(&r->row, 0, COL_RELEASED))) {
        /* By this call's first COMMIT, as far as anybody can tell; or by another's. */
        code = r->committing ? HO_OK : look_back(db, r, err);
    } else {
        r->what = examine(r, db_seals(db));
        code = r->what == RELEASED ? record(db, r, err) : HO_OK;
    }
    if (code == HO_OK && r->how->dry) {
        db_rollback(db);
        return HO_OK;
    }
    r->committing = code == HO_OK && r->what == RELEASED;
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code conflict_prove(struct db *db, uint64_t id, struct span key, enum conflict_proof *out,
                            struct ho_err *err)
{
    const struct conflict_release_how how = {.key = key};
    const struct db_value in[] = {DBV_UINT(id)};
    struct releasing r = {.how = &how, .id = id};

    buf_init(&r.headers, DB_RESULT_MAX);
    buf_init(&r.body, DB_RESULT_MAX);
    enum ho_code code = db_run(db, sql_conflict_look, in, 1, &r.row, err);
    *out = CONFLICT_UNPROVED;
    if (code == HO_OK && r.row.n_rows == 1 && span_present(db_cell(&r.row, 0, COL_MAC))) {
        bool holds = read_event(&r) && open_body(&r, db_seals(db)) == RELEASED && is_genuine(&r);
        *out = holds ? CONFLICT_GENUINE : CONFLICT_CHANGED;
    }
    db_rows_free(&r.row);
    buf_free(&r.headers);
    buf_free(&r.body);
    return code;
}

enum ho_code conflict_release(struct db *db, uint64_t id, const struct conflict_release_how *how,
                              enum conflict_released *what, char cid[ULID_LEN + 1],
                              struct ho_err *err)
{
    struct releasing r = {.how = how, .id = id, .what = RELEASE_MISSING};

    cid[0] = '\0';
    buf_init(&r.headers, DB_RESULT_MAX);
    buf_init(&r.body, DB_RESULT_MAX);
    enum ho_code code = db_connect(db, err);
    if (code == HO_OK) {
        code = seal_ready(db_seals(db), err);
    }
    if (code == HO_OK) {
        code = db_transact(db, deadline_in(TX_TIME_MS), release_tx, &r, err);
    }
    if (code == HO_OK && r.what == RELEASED && !how->dry) {
        memcpy(cid, r.record.e.cid, ULID_LEN + 1);
    }
    *what = r.what;
    db_rows_free(&r.row);
    buf_free(&r.headers);
    buf_free(&r.body);
    return code;
}
