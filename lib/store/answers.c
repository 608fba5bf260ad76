/* Answers of sources in reply mode, and their jobs. */
#include "store/answers.h"

#include <stdio.h>
#include <string.h>

#include "base/mac.h"
#include "base/text.h"
#include "store/job.h"
#include "store/jobs_row.h"
#include "store/seals.h"
#include "store/sql_answers.h"
#include "store/sql_jobs.h"

void reply_answer_free(struct reply_answer *a)
{
    buf_free(&a->body);
}

bool reply_answer_sound(unsigned status, struct span type)
{
    struct span rest = type, name = span_cut(&rest, ';'), kind = span_cut(&name, '/');
    bool sound = status >= 200 && status <= 599 && type.len < ANSWER_TYPE_ROOM;

    for (size_t i = 0; i < type.len; i++) {
        sound = sound && type.p[i] >= ' ' && type.p[i] <= '~';
    }
    return sound && (type.len == 0 || (text_is_token(kind) && text_is_token(span_trim(name))));
}

/* ---- proof ---- */

/* Over the receipt and its event, status, type and body, each behind its length: what is answered
 * must not be for whoever can write to the table, nor which event's answer it is. */
static void answer_mac(const struct answer_of *of, unsigned status, struct span type,
                       struct span body, struct span key, unsigned char out[SHA256_LEN])
{
    static const char label[] = "hookonce answer 2";
    unsigned char result[MAC_MAX];
    char head[128];
    int n = snprintf(head, sizeof head, "%s %zu %zu %u %zu %zu ", of->cid, of->provider.len,
                     of->event_id.len, status, type.len, body.len);

    if (n < 0 || (size_t)n >= sizeof head) {
        ho_die("bug: an answer's head does not fit");
    }
    const struct span parts[] = {span_make(label, sizeof label), span_make(head, (size_t)n),
                                 of->provider, of->event_id, type, body};
    mac_hmac(MAC_SHA256, key, parts, sizeof parts / sizeof parts[0], result);
    memcpy(out, result, SHA256_LEN);
}

/* ---- jobs ---- */

enum ho_code answers_job(struct db *db, const char *cid, const struct reply_claim *claim,
                         struct ho_err *err)
{
    const struct db_value in[] = {
        DBV_STR(cid),
        DBV_INT(claim->lease_ms * 1000),
        DBV_BYTES(span_make(claim->token, JOB_TOKEN_LEN)),
        DBV_STR(claim->worker),
    };

    return db_run(db, sql_reply_job, in, 4, NULL, err);
}

enum { LOOK_JOB, LOOK_STATE, LOOK_LEFT, LOOK_STATUS, LOOK_TYPE, LOOK_BODY, LOOK_MAC, LOOK_KEY };

/* The stored answer, if this installation wrote it. */
static bool read_answer(const struct db_rows *rows, const struct answer_of *of, struct span key,
                        struct span body, struct reply_answer *out)
{
    int64_t status = db_cell_int(rows, 0, LOOK_STATUS);
    struct span type = db_cell(rows, 0, LOOK_TYPE);
    unsigned char mac[SHA256_LEN];

    if (!span_present(type)) {
        type = SPAN_LIT("");
    }
    if (status < 0 || status > 599 || !reply_answer_sound((unsigned)status, type) ||
        body.len > ANSWER_LONGEST) {
        return false;
    }
    answer_mac(of, (unsigned)status, type, body, key, mac);
    if (!mac_equal(span_make(mac, sizeof mac), db_cell(rows, 0, LOOK_MAC))) {
        return false;
    }
    out->status = (unsigned)status;
    jobs_row_text(type, out->type, sizeof out->type);
    buf_init(&out->body, ANSWER_LONGEST);
    return buf_add_span(&out->body, body) == HO_OK;
}

/* Where there is no answer to be given. */
static enum reply_state state_of(const struct db_rows *rows)
{
    struct span state = db_cell(rows, 0, LOOK_STATE);

    if (span_is(state, "done")) {
        return span_present(db_cell(rows, 0, LOOK_STATUS)) ? REPLY_FORGED : REPLY_NONE;
    }
    return span_is(state, "running") && db_cell_int(rows, 0, LOOK_LEFT) > 0 ? REPLY_RUNS
                                                                             : REPLY_FREE;
}

enum ho_code answers_look(struct db *db, const struct answer_of *of, struct span key,
                          struct reply_look *out, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(of->cid)};
    const struct seal_place at = {"answer body", of->cid, 0};
    struct db_rows rows = {0};
    struct buf body;

    *out = (struct reply_look){.state = REPLY_NONE};
    buf_init(&body, ANSWER_LONGEST + SEAL_MORE);
    enum ho_code code = db_run(db, sql_reply_look, in, 1, &rows, err);
    if (code == HO_OK && rows.n_rows == 1 &&
        seal_get(db_seals(db), db_cell(&rows, 0, LOOK_KEY), &at, db_cell(&rows, 0, LOOK_BODY),
                 &body) == SEAL_NO_KEY) {
        code = ho_fail(err, HO_TRANSIENT,
                       "the stored answer is sealed under a body_key that is not here");
    }
    if (code == HO_OK && rows.n_rows == 1) {
        out->job = (uint64_t)db_cell_int(&rows, 0, LOOK_JOB);
        out->state = span_present(db_cell(&rows, 0, LOOK_STATUS)) &&
                             read_answer(&rows, of, key, buf_span(&body), &out->answer)
                         ? REPLY_ANSWERED
                         : state_of(&rows);
    }
    db_rows_free(&rows);
    buf_free(&body);
    return code;
}

/* ---- taking over ---- */

enum ho_code answers_let_go(struct db *db, const char *cid, const struct reply_claim *claim,
                            struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(cid),
                                  DBV_BYTES(span_make(claim->token, JOB_TOKEN_LEN))};

    return db_run(db, sql_reply_let_go, in, 2, NULL, err);
}

struct taking {
    const char *cid;
    uint64_t job;
    const struct reply_claim *claim;
    bool taken;
};

enum { LOCK_CLAIM, LOCK_TRIES, LOCK_WORKER, LOCK_RUNNING, LOCK_TAKEN, LOCK_NOW, LOCK_TOKEN };

/* The run that vanished, for the history. */
static enum ho_code end_attempt(struct db *db, const struct taking *t, const struct db_rows *job,
                                struct ho_err *err)
{
    const struct db_value outcome = DBV_STR(outcome_word(OUTCOME_LEASE_LOST));
    const struct db_value id = DBV_UINT(t->job);
    const struct db_value claim = DBV_INT(db_cell_int(job, 0, LOCK_CLAIM));
    const struct db_value ended[] = {outcome, id, claim};
    const struct db_value lost[] = {
        id,
        claim,
        DBV_STR(t->cid),
        DBV_INT(db_cell_int(job, 0, LOCK_TRIES) + 1), /* one that was started has its number */
        DBV_TEXT(db_cell(job, 0, LOCK_WORKER)),
        DBV_TEXT(db_cell(job, 0, LOCK_NOW)),
        outcome,
    };
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_reply_ended, ended, 3, &rows, err);
    if (code == HO_OK && rows.affected == 0) {
        code = db_run(db, sql_reply_lost, lost, 7, NULL, err);
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code claim_anew(struct db *db, struct taking *t, int64_t claim_no,
                               struct ho_err *err)
{
    const struct db_value in[] = {
        DBV_INT(t->claim->lease_ms * 1000),
        DBV_BYTES(span_make(t->claim->token, JOB_TOKEN_LEN)),
        DBV_STR(t->claim->worker),
        DBV_UINT(t->job),
        DBV_INT(claim_no),
    };
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_reply_claim, in, 5, &rows, err);
    t->taken = code == HO_OK && rows.affected == 1;
    db_rows_free(&rows);
    return code == HO_OK ? receipt_update(db, t->cid, OUTCOME_NONE, err) : code;
}

static enum ho_code take_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct taking *t = arg;
    const struct db_value in[] = {DBV_UINT(t->job), DBV_STR(t->cid)};
    struct db_rows rows = {0};
    bool vacant = false;

    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = db_run(db, sql_reply_lock, in, 2, &rows, err);
    }
    if (code == HO_OK) {
        /* Mine already: the COMMIT of an earlier run took, its answer was lost. */
        t->taken = span_eq(db_cell(&rows, 0, LOCK_TOKEN),
                           span_make(t->claim->token, JOB_TOKEN_LEN));
        vacant = rows.n_rows == 1 && db_cell_int(&rows, 0, LOCK_TAKEN) == 0 && !t->taken;
    }
    if (vacant && db_cell_int(&rows, 0, LOCK_RUNNING) != 0) {
        code = end_attempt(db, t, &rows, err);
    }
    if (vacant && code == HO_OK) {
        code = claim_anew(db, t, db_cell_int(&rows, 0, LOCK_CLAIM), err);
    }
    db_rows_free(&rows);
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code answers_take(struct db *db, const char *cid, uint64_t job,
                          const struct reply_claim *claim, struct deadline end, bool *taken,
                          struct ho_err *err)
{
    struct taking t = {.cid = cid, .job = job, .claim = claim};

    enum ho_code code = db_transact(db, end, take_tx, &t, err);
    *taken = code == HO_OK && t.taken;
    return code == HO_TRANSIENT && db_what(err) == DB_LOCK_WAIT ? HO_OK : code;
}

/* ---- for who runs it ---- */

enum { HELD_ID, HELD_CLAIM, HELD_LEFT, HELD_NOW, HELD_ASKED };

enum ho_code answers_held(struct db *db, const char *cid,
                          const unsigned char token[JOB_TOKEN_LEN], struct reply_held *out,
                          struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(cid), DBV_BYTES(span_make(token, JOB_TOKEN_LEN))};
    struct db_rows rows = {0};
    struct job *job = &out->job;

    *out = (struct reply_held){.held = false};
    enum ho_code code = db_run(db, sql_reply_held, in, 2, &rows, err);
    if (code == HO_OK && rows.n_rows == 1) {
        out->held = true;
        out->left_ms = db_cell_int(&rows, 0, HELD_LEFT) / 1000;
        jobs_row_text(db_cell(&rows, 0, HELD_NOW), out->started, sizeof out->started);
        job->id = (uint64_t)db_cell_int(&rows, 0, HELD_ID);
        job->claim_no = (unsigned)db_cell_int(&rows, 0, HELD_CLAIM);
        job->asked = db_cell_int(&rows, 0, HELD_ASKED) != 0;
        job->has_token = true;
        memcpy(job->token, token, JOB_TOKEN_LEN);
        jobs_row_text(span_of(cid), job->cid, sizeof job->cid);
        jobs_row_text(SPAN_LIT(REPLY_ROUTE), job->route, sizeof job->route);
    }
    db_rows_free(&rows);
    return code;
}

enum ho_code answers_put(struct db *db, const struct answer_of *of, struct span key,
                         const struct reply_answer *answer, struct ho_err *err)
{
    struct span type = span_of(answer->type), body = buf_span(&answer->body);
    const struct seal_place at = {"answer body", of->cid, 0};
    unsigned char mac[SHA256_LEN];
    struct buf room;

    if (seal_ready(db_seals(db), err) != HO_OK) {
        return err->code;
    }
    answer_mac(of, answer->status, type, body, key, mac);
    const struct db_value in[] = {
        DBV_STR(of->cid),
        DBV_UINT(answer->status),
        type.len > 0 ? DBV_TEXT(type) : DBV_NULL,
        DBV_BYTES(seal_value(db_seals(db), &at, body, &room)),
        DBV_BYTES(span_make(mac, sizeof mac)),
        seal_print(db_seals(db)),
    };
    enum ho_code code = db_run(db, sql_answer_put, in, 6, NULL, err);
    buf_free(&room);
    return code;
}
