/* Events from rows. */
#include "store/stored.h"

#include <string.h>

#include "base/text.h"
#include "store/jobs_row.h"
#include "store/seals.h"
#include "store/sql_jobs.h"

enum {
    COL_PROVIDER,
    COL_ID,
    COL_SOURCE,
    COL_TYPE,
    COL_OBJECT,
    COL_OCCURRED,
    COL_SAME,
    COL_DOCUMENT,
    COL_SECRET_NO,
    COL_MAC,
    COL_BODY_ID,
    COL_RECEIVED
};

/* DATETIME text as unix microseconds. */
static bool read_time(struct span text, int64_t *us)
{
    char room[40];

    if (text.len + 2 > sizeof room) {
        return false;
    }
    memcpy(room, text.p, text.len);
    room[text.len] = 'Z';
    return text_rfc3339(span_make(room, text.len + 1), us);
}

/* Fills the event from the receipt's row. false: this is no row that we have written. */
static bool read_receipt(struct stored *s, const char *cid)
{
    struct event *e = &s->event;
    struct span same = db_cell(&s->receipt, 0, COL_SAME);

    s->mac = db_cell(&s->receipt, 0, COL_MAC);
    s->body_id = db_cell(&s->receipt, 0, COL_BODY_ID);
    s->occurred_at = db_cell(&s->receipt, 0, COL_OCCURRED);
    e->provider = db_cell(&s->receipt, 0, COL_PROVIDER);
    e->id = db_cell(&s->receipt, 0, COL_ID);
    e->source = db_cell(&s->receipt, 0, COL_SOURCE);
    e->type = db_cell(&s->receipt, 0, COL_TYPE);
    e->object = db_cell(&s->receipt, 0, COL_OBJECT);
    e->document = db_cell(&s->receipt, 0, COL_DOCUMENT);
    e->secret_no = (int)db_cell_int(&s->receipt, 0, COL_SECRET_NO);
    e->has_occurred = span_present(s->occurred_at);
    if (strlen(cid) != ULID_LEN || same.len != SHA256_LEN || s->mac.len != SHA256_LEN) {
        return false;
    }
    memcpy(e->cid, cid, ULID_LEN + 1);
    memcpy(e->same, same.p, SHA256_LEN);
    return read_time(db_cell(&s->receipt, 0, COL_RECEIVED), &s->received_us) &&
           (!e->has_occurred || read_time(s->occurred_at, &e->occurred_us));
}

enum { PART_HEADERS, PART_BYTES, PART_KEY };

/* One value of the parts, opened into a buffer. false: it can't be. */
static bool open_part(struct stored *s, const struct seal_ring *seals, const char *body_id,
                      size_t part, bool headers)
{
    const struct seal_place at = {headers ? "body headers" : "body bytes", body_id,
                                  (unsigned)part};
    struct span print = db_cell(&s->parts, part, PART_KEY);
    struct span value = db_cell(&s->parts, part, headers ? PART_HEADERS : PART_BYTES);
    enum seal_opened got = seal_get(seals, print, &at, value, headers ? &s->headers : &s->body);

    if (got == SEAL_NO_KEY) {
        jobs_row_text(print, s->key_missing, sizeof s->key_missing);
    }
    return got == SEAL_OPENED;
}

/* Headers and body from the parts; a plain body of one part is not copied. */
static bool read_body(struct stored *s, const struct seal_ring *seals, const char *body_id)
{
    if (s->parts.n_rows == 0) {
        return false;
    }
    s->event.headers = db_cell(&s->parts, 0, PART_HEADERS);
    if (!span_present(s->event.headers)) {
        s->event.headers = SPAN_LIT("");
    }
    s->event.body = db_cell(&s->parts, 0, PART_BYTES);
    if (s->parts.n_rows == 1 && !span_present(db_cell(&s->parts, 0, PART_KEY))) {
        return true;
    }
    bool well = open_part(s, seals, body_id, 0, true);
    for (size_t i = 0; well && i < s->parts.n_rows; i++) {
        well = open_part(s, seals, body_id, i, false);
    }
    s->event.headers = buf_span(&s->headers);
    s->event.body = buf_span(&s->body);
    return well;
}

enum ho_code stored_load(struct db *db, const char *cid, struct stored *out, struct ho_err *err)
{
    const struct db_value by[] = {DBV_STR(cid)};

    *out = (struct stored){.found = false};
    buf_init(&out->headers, DB_RESULT_MAX);
    buf_init(&out->body, DB_RESULT_MAX);
    enum ho_code code = db_run(db, sql_stored_receipt, by, 1, &out->receipt, err);
    if (code == HO_OK && out->receipt.n_rows == 1) {
        const struct db_value body[] = {DBV_TEXT(db_cell(&out->receipt, 0, COL_BODY_ID))};
        code = db_run(db, sql_stored_body, body, 1, &out->parts, err);
        if (code == HO_OK) {
            char body_id[ULID_LEN + 1];
            bool whole = read_receipt(out, cid);
            jobs_row_text(db_cell(&out->receipt, 0, COL_BODY_ID), body_id, sizeof body_id);
            out->no_body = out->parts.n_rows == 0;
            out->found = read_body(out, db_seals(db), body_id) && whole;
        }
    }
    return code;
}

void stored_free(struct stored *s)
{
    db_rows_free(&s->receipt);
    db_rows_free(&s->parts);
    buf_free(&s->headers);
    buf_free(&s->body);
}

bool stored_genuine(const struct stored *s, struct span key)
{
    unsigned char mac[SHA256_LEN];

    if (!s->found) {
        return false;
    }
    event_mac(&s->event, key, mac);
    return mac_equal(span_make(mac, sizeof mac), s->mac);
}
