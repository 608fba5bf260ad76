/* Effects. Every function expects the lock of the job's own row. */
#include "store/effects.h"

#include "store/jobs_row.h"
#include "store/sql_flow.h"

enum { COL_STATE, COL_JOB, COL_CID };                             /* sql_effect_read */
enum { OWNER_STATE, OWNER_CLAIM, OWNER_OUTCOME, OWNER_ASKED }; /* sql_other_job */

static struct db_value digest_of(const struct flow_key *key)
{
    return DBV_BYTES(span_make(key->digest, sizeof key->digest));
}

struct taking {
    const char *flow;
    const struct flow_key *key;
    const struct job *job;
    enum effect_use use;
};

static const char *state_word(const struct taking *t)
{
    return t->use == EFFECT_WRITE ? "done" : "reserved";
}

/* out: *fresh — whether there was no row */
static enum ho_code insert(struct db *db, const struct taking *t, bool *fresh, struct ho_err *err)
{
    struct db_rows rows = {0};
    const struct db_value in[] = {
        DBV_STR(t->flow),
        digest_of(t->key),
        DBV_BYTES(span_make(t->key->text, t->key->len)),
        DBV_STR(state_word(t)),
        DBV_UINT(t->job->id),
        DBV_STR(t->job->cid),
        DBV_INT(t->use == EFFECT_WRITE ? 1 : 0),
    };

    enum ho_code code = db_run(db, sql_effect_insert, in, sizeof in / sizeof in[0], &rows, err);
    *fresh = code == HO_OK && rows.affected == 1;
    db_rows_free(&rows);
    return code;
}

/* Writes the job into a row that is locked. */
static enum ho_code own(struct db *db, const struct taking *t, struct effect *out,
                        struct ho_err *err)
{
    const struct db_value in[] = {
        DBV_STR(state_word(t)),
        DBV_UINT(t->job->id),
        DBV_STR(t->job->cid),
        DBV_INT(t->use == EFFECT_WRITE ? 1 : 0),
        DBV_STR(t->flow),
        digest_of(t->key),
    };

    out->verdict = EFFECT_MINE;
    return t->use == EFFECT_LOOK ? HO_OK : db_run(db, sql_effect_own, in, 6, NULL, err);
}

static enum ho_code doubt(struct db *db, const struct taking *t, struct effect *out,
                          struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(t->flow), digest_of(t->key)};

    out->verdict = EFFECT_UNKNOWN;
    return db_run(db, sql_effect_doubt, in, 2, NULL, err);
}

/* Reserved by another job. Whoever ends one frees what it had, so an owner that has ended is a rare
 * find: rows that were changed by hand, or restored. */
static enum ho_code look_at_owner(struct db *db, const struct taking *t, struct effect *out,
                                  struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(out->owner)};
    struct db_rows rows = {0};
    bool known = false, dead = false, done = false, asked = true;

    out->verdict = EFFECT_TAKEN;
    enum ho_code code = db_run_skip(db, &sql_other_job, in, 1, &rows, err);
    if (code == HO_OK && rows.n_rows == 1) {
        known = true;
        dead = span_is(db_cell(&rows, 0, OWNER_STATE), "dead");
        done = span_is(db_cell(&rows, 0, OWNER_STATE), "done");
        asked = db_cell_int(&rows, 0, OWNER_ASKED) != 0;
        if (done && span_is(db_cell(&rows, 0, OWNER_OUTCOME), "done")) {
            out->verdict = EFFECT_DONE;
            done = false;
        }
    } else if (code == HO_OK) {
        code = db_run(db, sql_other_there, in, 1, &rows, err);
        known = dead = code == HO_OK && rows.n_rows == 0; /* gone, and it cannot be asked */
    }
    db_rows_free(&rows);
    if (code != HO_OK || !known || (!dead && !done)) {
        return code;
    }
    if (asked) {
        return doubt(db, t, out, err);
    }
    out->fresh = true;
    return own(db, t, out, err);
}

static enum ho_code judge(struct db *db, const struct taking *t, const struct db_rows *rows,
                          struct effect *out, struct ho_err *err)
{
    struct span state = db_cell(rows, 0, COL_STATE);

    out->owner = (uint64_t)db_cell_int(rows, 0, COL_JOB);
    jobs_row_text(db_cell(rows, 0, COL_CID), out->cid, sizeof out->cid);
    if (span_is(state, "unknown")) {
        out->verdict = EFFECT_UNKNOWN;
        return HO_OK;
    }
    if (span_is(state, "done")) {
        out->verdict = out->fresh ? EFFECT_MINE : EFFECT_DONE; /* fresh: written just now */
        return HO_OK;
    }
    if (out->owner != t->job->id) {
        return look_at_owner(db, t, out, err);
    }
    /* A retry; and what was a command before may be SQL now. */
    out->verdict = EFFECT_MINE;
    return t->use == EFFECT_WRITE ? own(db, t, out, err) : HO_OK;
}

static enum ho_code read_row(struct db *db, const struct taking *t, struct db_rows *rows,
                             struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(t->flow), digest_of(t->key)};

    return db_run(db, sql_effect_read, in, 2, rows, err);
}

enum ho_code effect_take(struct db *db, const char *flow, const struct flow_key *key,
                         const struct job *job, enum effect_use use, struct effect *out,
                         struct ho_err *err)
{
    const struct taking t = {flow, key, job, use};
    struct db_rows rows = {0};

    *out = (struct effect){.verdict = EFFECT_MINE};
    enum ho_code code = use == EFFECT_LOOK ? HO_OK : insert(db, &t, &out->fresh, err);
    if (code == HO_OK) {
        code = read_row(db, &t, &rows, err);
    }
    if (code == HO_OK && rows.n_rows > 0) {
        code = judge(db, &t, &rows, out, err);
    } else if (code == HO_OK && use != EFFECT_LOOK) {
        code = ho_fail(err, HO_BUG, "an effect that was inserted is not there");
    }
    db_rows_free(&rows);
    return code;
}

static enum ho_code change(struct db *db, const char *sql, const char *flow,
                           const struct flow_key *key, const struct job *job, struct ho_err *err)
{
    const struct db_value in[] = {DBV_STR(flow), digest_of(key), DBV_UINT(job->id)};

    return db_run(db, sql, in, 3, NULL, err);
}

enum ho_code effect_done(struct db *db, const char *flow, const struct flow_key *key,
                         const struct job *job, struct ho_err *err)
{
    return change(db, sql_effect_done, flow, key, job, err);
}

enum ho_code effect_free(struct db *db, const char *flow, const struct flow_key *key,
                         const struct job *job, struct ho_err *err)
{
    return change(db, sql_effect_free, flow, key, job, err);
}

enum ho_code effect_owner_ended(struct db *db, uint64_t job, bool may_have_acted,
                                struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(job)};

    return db_run(db, may_have_acted ? sql_effects_doubt : sql_effects_free, in, 1, NULL, err);
}

enum ho_code effect_in_doubt(struct db *db, uint64_t job, bool *doubt, struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(job)};
    struct db_rows rows = {0};

    enum ho_code code = db_run(db, sql_effects_unknown, in, 1, &rows, err);
    *doubt = code == HO_OK && rows.n_rows > 0;
    db_rows_free(&rows);
    return code;
}

enum ho_code effect_release(struct db *db, uint64_t job, struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(job)};

    return db_run(db, sql_effects_release, in, 1, NULL, err);
}

enum ho_code effect_told(struct db *db, uint64_t job, bool acted, struct ho_err *err)
{
    const struct db_value in[] = {DBV_UINT(job)};

    return db_run(db, acted ? sql_effects_done : sql_effects_drop, in, 1, NULL, err);
}
