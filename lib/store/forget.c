/* Forgetting. */
#include "store/forget.h"

#include <string.h>

#include "store/jobs_row.h"
#include "store/seals.h"
#include "store/sql_keep.h"

#define TX_TIME_MS 30000

struct forgetting {
    const char (*cids)[ULID_LEN + 1];
    size_t n;
    uint64_t command; /* 0: nothing is discarded */
    bool dry;
    uint64_t conflicts; /* erased with them */
    char body_id[ULID_LEN + 1];
    enum forgotten result;
};

enum { REQUEST_CID, REQUEST_STATUS };
enum { JOB_COL_ID, JOB_COL_STATE };

/* Locks the receipts of the request. */
static enum ho_code lock_request(struct db *db, const struct forgetting *f, struct db_rows *out,
                                 struct ho_err *err)
{
    char low[ULID_LEN + 1], high[ULID_LEN + 1];

    ulid_first(f->body_id, low);
    ulid_last(f->body_id, high);
    const struct db_value in[] = {DBV_STR(low), DBV_STR(high), DBV_STR(f->body_id),
                                  DBV_STR(f->body_id)};
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
    enum forgotten result = rows->n_rows > 0 ? FORGOTTEN : FORGET_NOTHING;

    for (size_t i = 0; i < rows->n_rows; i++) {
        if (!is_named(f, db_cell(rows, i, REQUEST_CID))) {
            return FORGET_SHARED;
        }
        if (!span_is(db_cell(rows, i, REQUEST_STATUS), "processed")) {
            result = FORGET_UNFINISHED;
        }
    }
    return result;
}

/* Locks the jobs, so that none is begun or opened again, and says whether one stands against it. */
static enum ho_code lock_jobs(struct db *db, const struct forgetting *f, bool *against,
                              struct ho_err *err)
{
    enum ho_code code = HO_OK;

    *against = false;
    for (size_t i = 0; i < f->n && code == HO_OK; i++) {
        const struct db_value cid[] = {DBV_STR(f->cids[i])};
        struct db_rows rows = {0};
        code = db_run(db, sql_forget_jobs, cid, 1, &rows, err);
        for (size_t k = 0; k < rows.n_rows && code == HO_OK; k++) {
            struct span state = db_cell(&rows, k, JOB_COL_STATE);
            *against = *against || span_is(state, "running") ||
                       (f->command == 0 && !span_is(state, "done"));
        }
        db_rows_free(&rows);
    }
    return code;
}

static enum ho_code end_jobs(struct db *db, const struct forgetting *f, const char *cid,
                             struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(cid)};
    const struct discard d = {.acted = ACTED_UNSAID, .command = f->command};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_forget_jobs, in, 1, &rows, err);
    for (size_t i = 0; i < rows.n_rows && code == HO_OK; i++) {
        struct discard_result got;
        code = discard_within(db, (uint64_t)db_cell_int(&rows, i, JOB_COL_ID), span_of(cid), &d, &got,
                              err);
    }
    db_rows_free(&rows);
    return code;
}

/* Locks as a settlement does, jobs before receipts, and then looks what stands against it. */
static enum ho_code judge_locked(struct db *db, struct forgetting *f, struct ho_err *err)
{
    struct db_rows rows = {0};
    bool against = false;

    enum ho_code code = lock_jobs(db, f, &against, err);
    code = code == HO_OK ? lock_request(db, f, &rows, err) : code;
    f->result = code == HO_OK ? judge(f, &rows) : FORGET_NOTHING;
    if (f->result == FORGET_UNFINISHED && !against) {
        for (size_t i = 0; i < f->n && code == HO_OK; i++) {
            code = end_jobs(db, f, f->cids[i], err);
        }
        code = code == HO_OK ? lock_request(db, f, &rows, err) : code;
        f->result = code == HO_OK ? judge(f, &rows) : FORGET_NOTHING;
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code erase(struct db *db, struct forgetting *f, const char *id, struct ho_err *err)
{
    const struct db_value cid[] = {DBV_STR(id)};
    enum ho_code code = HO_OK;

    for (size_t k = 0; k < sql_forget_n && code == HO_OK; k++) {
        code = db_run(db, sql_forget[k], cid, 1, NULL, err);
    }
    for (size_t k = 0; k < sql_forget_own_n && code == HO_OK; k++) {
        struct db_rows rows = {0};
        code = db_run(db, sql_forget_own[k], cid, 1, &rows, err);
        f->conflicts += code == HO_OK ? rows.affected : 0;
        db_rows_free(&rows);
    }
    return code;
}

static enum ho_code forget_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct forgetting *f = arg;
    enum ho_code code = db_begin(db, err);

    f->conflicts = 0;
    code = code == HO_OK ? judge_locked(db, f, err) : code;
    for (size_t i = 0; i < f->n && code == HO_OK && f->result == FORGOTTEN; i++) {
        code = erase(db, f, f->cids[i], err);
    }
    if (code == HO_OK && (f->dry || f->result != FORGOTTEN)) {
        db_rollback(db);
        return HO_OK;
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

/* The body that a receipt's event is in. */
static enum ho_code find_body(struct db *db, struct forgetting *f, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(f->cids[0])};
    struct db_rows rows = {0};
    enum ho_code code = db_run(db, sql_forget_body, in, 1, &rows, err);

    if (code == HO_OK && rows.n_rows == 1) {
        jobs_row_text(db_cell(&rows, 0, 0), f->body_id, sizeof f->body_id);
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code forget(struct db *db, const char (*cids)[ULID_LEN + 1], size_t n,
                    const struct forget_how *how, enum forgotten *out, uint64_t *conflicts,
                    struct ho_err *err)
{
    struct forgetting f = {
        .cids = cids, .n = n, .command = how->command, .dry = how->dry, .result = FORGET_NOTHING};

    *out = FORGET_NOTHING;
    enum ho_code code = find_body(db, &f, err);
    if (code == HO_OK && strlen(f.body_id) == ULID_LEN) {
        code = db_transact(db, deadline_in(TX_TIME_MS), forget_tx, &f, err);
        *out = f.result;
        *conflicts += code == HO_OK ? f.conflicts : 0;
    }
    return code;
}

/* ---- conflicts ---- */

#define CONFLICTS_MAX 20 /* at once: each has a body of up to 1 MiB */

enum { CONFLICT_ID, CONFLICT_CID, CONFLICT_BODY, CONFLICT_KEY, CONFLICT_SOURCE, CONFLICT_SCOPE,
       CONFLICT_FIRST, CONFLICT_LEN };

/* Whether it is meant. */
static bool look_at_conflict(struct db *db, const struct db_rows *rows, size_t i,
                             forget_match *match, void *arg)
{
    char cid[ULID_LEN + 1];
    struct span body = db_cell(rows, i, CONFLICT_BODY);
    struct buf plain;

    jobs_row_text(db_cell(rows, i, CONFLICT_CID), cid, sizeof cid);
    const struct seal_place at = {"conflict body", cid, 0};
    buf_init(&plain, body.len + 1);
    bool opened = seal_get(db_seals(db), db_cell(rows, i, CONFLICT_KEY), &at, body, &plain) ==
                  SEAL_OPENED;
    const struct forget_seen seen = {
        .conflict = (uint64_t)db_cell_int(rows, i, CONFLICT_ID),
        .cid = db_cell(rows, i, CONFLICT_CID),
        .first_cid = db_cell(rows, i, CONFLICT_FIRST),
        .source = db_cell(rows, i, CONFLICT_SOURCE),
        .scope = db_cell(rows, i, CONFLICT_SCOPE),
        .body = opened ? buf_span(&plain) : SPAN_NONE,
        .part = db_cell_int(rows, i, CONFLICT_LEN) > (int64_t)plain.len,
    };
    bool meant = match(arg, &seen);
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
            if (look_at_conflict(db, &rows, i, match, arg)) {
                (*count)++;
                code = dry ? HO_OK : db_run(db, sql_forget_conflict, id, 1, NULL, err);
            }
        }
        db_rows_free(&rows);
    }
    return code;
}
