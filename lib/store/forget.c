/* Forgetting. */
#include "store/forget.h"

#include <string.h>

#include "store/jobs_row.h"
#include "store/seals.h"
#include "store/sql_keep.h"

#define TX_TIME_MS 30000
#define ULID_TIME_LEN 10

struct forgetting {
    const char (*cids)[ULID_LEN + 1];
    size_t n;
    char body_id[ULID_LEN + 1];
    enum forgotten result;
};

enum { REQUEST_CID, REQUEST_STATUS, REQUEST_BODY };

/* The ids of the same millisecond: those of one request are among them. */
static void edge_of(const char *cid, char fill, char out[ULID_LEN + 1])
{
    memcpy(out, cid, ULID_TIME_LEN);
    memset(out + ULID_TIME_LEN, fill, ULID_LEN - ULID_TIME_LEN);
    out[ULID_LEN] = '\0';
}

enum ho_code forget_request(struct db *db, const char *body_id, struct db_rows *out,
                            struct ho_err *err)
{
    char low[ULID_LEN + 1], high[ULID_LEN + 1];

    if (strlen(body_id) != ULID_LEN) {
        return ho_fail(err, HO_REJECT, "not a correlation id");
    }
    edge_of(body_id, '0', low);
    edge_of(body_id, 'Z', high);
    const struct db_value in[] = {DBV_STR(low), DBV_STR(high), DBV_STR(body_id), DBV_STR(body_id)};
    return db_run(db, sql_forget_request, in, 4, out, err);
}

enum ho_code forget_list(struct db *db, const char *after, const char *source, struct db_rows *out,
                         struct ho_err *err)
{
    const struct db_value of = source != NULL ? DBV_BYTES(span_of(source)) : DBV_NULL;
    const struct db_value in[] = {DBV_STR(after), of, of, DBV_INT(FORGET_LIST_MAX)};

    return db_run(db, sql_forget_list, in, 4, out, err);
}

static bool is_named(const struct forgetting *f, struct span cid)
{
    for (size_t i = 0; i < f->n; i++) {
        if (span_is(cid, f->cids[i])) {
            return true;
        }
    }
    return false;
}

/* What stands against it, by the request's receipts as they are now. */
static enum forgotten judge(const struct forgetting *f, const struct db_rows *rows)
{
    size_t found = 0;

    for (size_t i = 0; i < rows->n_rows; i++) {
        if (!is_named(f, db_cell(rows, i, REQUEST_CID))) {
            return FORGET_SHARED;
        }
        if (!span_is(db_cell(rows, i, REQUEST_STATUS), "processed")) {
            return FORGET_UNFINISHED;
        }
        found++;
    }
    return found > 0 ? FORGOTTEN : FORGET_NOTHING;
}

static enum ho_code forget_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct forgetting *f = arg;
    struct db_rows rows = {0};

    enum ho_code code = db_begin(db, err);
    for (size_t i = 0; i < f->n && code == HO_OK; i++) {
        const struct db_value cid[] = {DBV_STR(f->cids[i])};
        code = db_run(db, sql_forget_lock, cid, 1, &rows, err);
    }
    if (code == HO_OK) {
        code = forget_request(db, f->body_id, &rows, err);
    }
    f->result = code == HO_OK ? judge(f, &rows) : FORGET_NOTHING;
    db_rows_free(&rows);
    for (size_t i = 0; i < f->n && code == HO_OK && f->result == FORGOTTEN; i++) {
        const struct db_value cid[] = {DBV_STR(f->cids[i])};
        for (size_t k = 0; k < sql_forget_n && code == HO_OK; k++) {
            code = db_run(db, sql_forget[k], cid, 1, NULL, err);
        }
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

/* Jobs that are not finished end as discarded. One that runs is left, and found unfinished. */
static enum ho_code end_jobs(struct db *db, const char *cid, const char *who, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(cid)};
    const struct discard d = {.acted = ACTED_UNSAID, .who = who, .reason = "forgotten"};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_forget_jobs, in, 1, &rows, err);
    for (size_t i = 0; i < rows.n_rows && code == HO_OK; i++) {
        struct discard_result ignored;
        code = discard_job(db, (uint64_t)db_cell_int(&rows, i, 0), span_of(cid), &d, &ignored, err);
    }
    db_rows_free(&rows);
    return code;
}

/* The body that a receipt's event is in. */
static enum ho_code find_body(struct db *db, struct forgetting *f, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(f->cids[0])};
    struct db_rows rows = {0};
    enum ho_code code = db_run(db, sql_forget_lock, in, 1, &rows, err);

    if (code == HO_OK && rows.n_rows == 1) {
        jobs_row_text(db_cell(&rows, 0, 0), f->body_id, sizeof f->body_id);
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code forget(struct db *db, const char (*cids)[ULID_LEN + 1], size_t n, const char *who,
                    enum forgotten *out, struct ho_err *err)
{
    struct forgetting f = {.cids = cids, .n = n, .result = FORGET_NOTHING};

    *out = FORGET_NOTHING;
    enum ho_code code = find_body(db, &f, err);
    if (code != HO_OK || f.body_id[0] == '\0') {
        return code;
    }
    for (size_t i = 0; i < n && who != NULL && code == HO_OK; i++) {
        code = end_jobs(db, cids[i], who, err);
    }
    if (code == HO_OK) {
        code = db_transact(db, deadline_in(TX_TIME_MS), forget_tx, &f, err);
        *out = f.result;
    }
    return code;
}

/* ---- conflicts ---- */

#define CONFLICTS_MAX 20 /* at once: each has a body of up to 1 MiB */

enum { CONFLICT_ID, CONFLICT_CID, CONFLICT_BODY, CONFLICT_KEY };

static bool conflict_meant(struct db *db, const struct db_rows *rows, size_t i,
                           forget_match *match, void *arg)
{
    char cid[ULID_LEN + 1];
    struct span body = db_cell(rows, i, CONFLICT_BODY);
    struct buf plain;

    jobs_row_text(db_cell(rows, i, CONFLICT_CID), cid, sizeof cid);
    const struct seal_place at = {"conflict body", cid, 0};
    buf_init(&plain, body.len + 1);
    bool meant = seal_get(db_seals(db), db_cell(rows, i, CONFLICT_KEY), &at, body, &plain) ==
                     SEAL_OPENED &&
                 match(arg, SPAN_LIT("json"), buf_span(&plain));
    buf_free(&plain);
    return meant;
}

enum ho_code forget_conflicts(struct db *db, forget_match *match, void *arg, bool dry,
                              uint64_t *count, struct ho_err *err)
{
    uint64_t after = 0;
    bool more = true;
    enum ho_code code = HO_OK;

    *count = 0;
    while (more && code == HO_OK) {
        const struct db_value in[] = {DBV_UINT(after), DBV_INT(CONFLICTS_MAX)};
        struct db_rows rows = {0};
        code = db_run(db, sql_forget_conflicts, in, 2, &rows, err);
        more = code == HO_OK && rows.n_rows == CONFLICTS_MAX;
        for (size_t i = 0; code == HO_OK && i < rows.n_rows; i++) {
            after = (uint64_t)db_cell_int(&rows, i, CONFLICT_ID);
            const struct db_value id[] = {DBV_UINT(after)};
            if (conflict_meant(db, &rows, i, match, arg)) {
                (*count)++;
                code = dry ? HO_OK : db_run(db, sql_forget_conflict, id, 1, NULL, err);
            }
        }
        db_rows_free(&rows);
    }
    return code;
}
