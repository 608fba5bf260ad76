/* What a command does with jobs: SQL_CHUNK of them in one transaction, which keeps how far it has
 * come, so that whoever takes it up goes on there. A dry run does the same, and takes it back. */
#include <string.h>

#include "base/clock.h"
#include "store/jobs_row.h"
#include "store/pause.h"
#include "store/reopen.h"
#include "store/sql_jobs.h"
#include "work/command_parts.h"
#include "work/discard_keys.h"

#define CHUNK_TIME_MS 15000

/* ---- one job, in the chunk's transaction ---- */

static int64_t delay_us(const struct command_run *run, uint32_t did)
{
    const struct command_ask *ask = &run->claim.ask;
    int64_t since = run->claim.began_us + (clock_mono_ms() - run->began_ms) * 1000;
    int64_t due = ask->per_minute > 0 ? (int64_t)did * 60000000 / ask->per_minute : 0;

    return due > since ? due - since : 0;
}

static enum verdict of_state(const struct command_job *job)
{
    return job->state == JOB_RUNNING ? LEFT_RUNS : job->state == JOB_DONE ? LEFT_DONE : LEFT_DUE;
}

static enum ho_code again(struct command_run *run, const struct command_job *job,
                          const struct reopen_how *how, enum verdict *v, struct ho_err *err)
{
    static const enum verdict of[] = {[REPLAYED] = DID_AGAIN,
                                      [REPLAY_OPEN] = LEFT_DUE,
                                      [REPLAY_NEWER] = LEFT_NEWER,
                                      [REPLAY_ANSWERED] = LEFT_ANSWERED,
                                      [REPLAY_NO_BODY] = LEFT_NO_BODY};
    enum replayed got;
    enum ho_code code = replay_within(run->site.db, job->id, span_of(job->cid), how, &got, err);

    *v = got == REPLAY_OPEN ? of_state(job) : of[got];
    return code;
}

static enum verdict of_reopened(enum reopened got, const struct command_job *job)
{
    static const enum verdict of[] = {
        [REOPENED] = DID_OPENED,       [REOPEN_FREED] = DID_FREED,
        [REOPEN_IN_DOUBT] = LEFT_DOUBT, [REOPEN_ANSWERED] = LEFT_ANSWERED,
        [REOPEN_NO_BODY] = LEFT_NO_BODY, [REOPEN_ACTED] = LEFT_ACTED,
        [REOPEN_HELD] = LEFT_WAITS};

    return got == REOPEN_NOTHING ? of_state(job) : of[got];
}

static enum ho_code reopen(struct command_run *run, const struct command_job *job, uint32_t did,
                           enum verdict *v, struct ho_err *err)
{
    const struct command_ask *ask = &run->claim.ask;
    const struct reopen_how how = {
        .late = !command_names_one(ask), .delay_us = delay_us(run, did), .command = run->claim.id};
    enum reopened got;
    enum ho_code code = reopen_within(run->site.db, job->id, span_of(job->cid), &how, &got, err);

    *v = of_reopened(got, job);
    if (code == HO_OK && (got == REOPEN_NOTHING || got == REOPEN_ACTED) &&
        ask->kind == COMMAND_REPLAY && ask->again) {
        code = again(run, job, &how, v, err);
    } else if (*v == LEFT_DONE && ask->kind == COMMAND_RETRY) {
        *v = LEFT_DONE_BEFORE;
    }
    return code;
}

static enum ho_code discard(struct command_run *run, const struct command_job *job,
                            enum verdict *v, struct ho_err *err)
{
    const struct discard d = {.acted = ACTED_UNSAID, .command = run->claim.id};
    struct discard_result got;
    enum ho_code code = discard_within(run->site.db, job->id, span_of(job->cid), &d, &got, err);

    *v = got.what == DISCARDED ? DID_DISCARDED : got.what == DISCARD_RUNS ? LEFT_RUNS : LEFT_ENDED;
    return code;
}

/* ---- a chunk ---- */

struct chunk {
    struct command_run *run;
    const struct command_job *jobs;
    size_t n;
    enum verdict verdicts[SQL_CHUNK];
    struct command_claim claim; /* as it will be */
    bool lost;
};

static bool has(const struct db_rows *rows, uint64_t id)
{
    for (size_t i = 0; i < rows->n_rows; i++) {
        if ((uint64_t)db_cell_int(rows, i, 0) == id) {
            return true;
        }
    }
    return false;
}

static enum ho_code each(struct chunk *c, const struct db_rows *open, struct ho_err *err)
{
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < c->n && code == HO_OK; i++) {
        enum verdict *v = &c->verdicts[i];

        if (!has(open, c->jobs[i].id)) {
            *v = LEFT_RUNS;
        } else if (c->run->claim.ask.kind == COMMAND_DISCARD) {
            code = discard(c->run, &c->jobs[i], v, err);
        } else {
            code = reopen(c->run, &c->jobs[i], c->claim.did, v, err);
        }
        c->claim.found++;
        c->claim.did += *v < LEFT_RUNS ? 1 : 0;
    }
    return code;
}

static enum ho_code begin(struct db *db, struct chunk *c, struct db_rows *open, bool *took,
                          struct ho_err *err)
{
    const struct command_job *last = &c->jobs[c->n - 1];
    uint64_t ids[SQL_CHUNK], reached = 0;
    bool held = false;

    c->claim = c->run->claim; /* rows are not owned here */
    memcpy(c->claim.reached_at, last->at, sizeof c->claim.reached_at);
    c->claim.reached_job = last->id;
    for (size_t i = 0; i < c->n; i++) {
        ids[i] = c->jobs[i].id;
    }
    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = command_fence(db, &c->claim, &held, &reached, err);
    }
    c->lost = code == HO_OK && !held;
    *took = reached == last->id;
    return code == HO_OK && held && !*took ? command_lock(db, ids, c->n, open, err) : code;
}

/* May be run again: when the answer to its COMMIT was lost, the row says whether it took. */
static enum ho_code chunk_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct chunk *c = arg;
    struct command_claim before = c->claim;
    struct db_rows open = {0};
    bool took = false, held = true;

    enum ho_code code = begin(db, c, &open, &took, err);
    if (code == HO_OK && took && before.reached_job == c->claim.reached_job) {
        c->claim = before;
    } else if (code == HO_OK && !c->lost) {
        code = each(c, &open, err);
        if (code == HO_OK) {
            code = command_progress(db, &c->claim, &held, err);
        }
        c->lost = code == HO_OK && !held;
    }
    db_rows_free(&open);
    if (code == HO_OK && (c->lost || c->run->claim.ask.dry_run)) {
        db_rollback(db);
        return HO_OK;
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

/* Counts what came of a chunk that is committed, and, of a dry run, taken back. */
static void take(struct command_run *run, const struct chunk *c)
{
    for (size_t i = 0; i < c->n; i++) {
        run->counts[c->verdicts[i]]++;
    }
    run->claim.found = c->claim.found;
    run->claim.did = c->claim.did;
    memcpy(run->claim.reached_at, c->claim.reached_at, sizeof run->claim.reached_at);
    run->claim.reached_job = c->claim.reached_job;
    run->next += c->n;
}

static enum ho_code one_chunk(struct command_run *run, struct ho_err *err)
{
    struct db *db = run->site.db;
    size_t left = run->n - run->next;
    struct chunk c = {.run = run, .jobs = run->jobs + run->next};
    bool held = true;

    c.n = left < SQL_CHUNK ? left : SQL_CHUNK;
    enum ho_code code = db_transact(db, deadline_in(CHUNK_TIME_MS), chunk_tx, &c, err);
    if (code == HO_OK && !c.lost) {
        take(run, &c);
    }
    if (code == HO_OK && !c.lost && run->claim.ask.dry_run) {
        code = command_progress(db, &run->claim, &held, err); /* only the lease, and the counts */
    }
    run->lost = code == HO_OK && (c.lost || !held);
    return code;
}

/* ---- one by one: what is a transaction of its own, and the same when it is done again ---- */

static enum ho_code discard_told(struct command_run *run, const struct command_job *job,
                                 enum verdict *v, struct ho_err *err)
{
    const struct command_site *site = &run->site;
    const struct discard_of of = {span_of(job->cid), span_of(job->route)};
    struct discard d = {.acted = run->claim.ask.acted, .command = run->claim.id};
    struct discard_result got = {.what = DISCARD_NOTHING};
    struct discard_keys keys = {.n = 0};
    enum ho_code code = HO_OK;

    if (d.acted == ACTED_YES) {
        code = discard_keys_make(site->db, site->settings, site->key, &of, &keys, err);
        d.keys = keys.keys;
        d.n_keys = keys.n;
        d.keys_unknown = keys.unknown;
    }
    if (code == HO_OK) {
        code = discard_job(site->db, job->id, of.cid, &d, &got, err);
    }
    discard_keys_free(&keys);
    run->owner = got.what == DISCARD_TAKEN ? got.owner : run->owner;
    *v = got.what == DISCARDED        ? DID_DISCARDED
         : got.what == DISCARD_RUNS   ? LEFT_RUNS
         : got.what == DISCARD_TAKEN  ? LEFT_TAKEN
         : got.what == DISCARD_NO_KEY ? LEFT_NO_KEY
                                      : LEFT_ENDED;
    return code;
}

static enum verdict of_held(enum held held, bool release)
{
    static const enum verdict of[] = {
        [HOLD_ALREADY] = LEFT_HELD,    [HOLD_RUNS] = LEFT_RUNS,     [HOLD_ENDED] = LEFT_ENDED,
        [HOLD_NOT] = LEFT_NOT_HELD,    [HOLD_PAUSED] = LEFT_PAUSED, [HOLD_MISSING] = LEFT_GONE};

    return held == HOLD_DONE ? (release ? DID_RELEASED : DID_HELD) : of[held];
}

static enum ho_code open_released(struct command_run *run, const struct command_job *job,
                                  enum reopened *got, struct ho_err *err)
{
    const struct reopen_how how = {.release = true, .command = run->claim.id};
    const struct span cid = span_of(job->cid);
    struct db *db = run->site.db;

    if (!run->claim.ask.dry_run) {
        return reopen_job(db, job->id, cid, &how, got, err);
    }
    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = reopen_within(db, job->id, cid, &how, got, err);
    }
    db_rollback(db);
    return code;
}

/* What is not held may yet wait for a person's word that it may be done again. */
static enum ho_code release(struct command_run *run, const struct command_job *job,
                            enum verdict *v, struct ho_err *err)
{
    enum reopened got = REOPEN_NOTHING;
    enum held held;
    enum ho_code code = run->claim.ask.dry_run ? hold_would(run->site.db, job->id, true, &held, err)
                                               : hold_release(run->site.db, job->id, &held, err);

    *v = of_held(held, true);
    if (code == HO_OK && (held == HOLD_NOT || held == HOLD_ENDED)) {
        code = open_released(run, job, &got, err);
        *v = got == REOPENED          ? DID_RELEASED
             : got == REOPEN_FREED    ? DID_FREED
             : got == REOPEN_ANSWERED ? LEFT_ANSWERED
             : got == REOPEN_ACTED    ? LEFT_ACTED
             : got == REOPEN_NO_BODY  ? LEFT_NO_BODY
                                      : LEFT_NOT_HELD;
    }
    return code;
}

static enum ho_code hold(struct command_run *run, const struct command_job *job, enum verdict *v,
                         struct ho_err *err)
{
    enum held held;
    enum ho_code code = run->claim.ask.dry_run
                            ? hold_would(run->site.db, job->id, false, &held, err)
                            : hold_job(run->site.db, job->id, &held, err);

    *v = of_held(held, false);
    return code;
}

static enum ho_code single(struct command_run *run, const struct command_job *job, enum verdict *v,
                           struct ho_err *err)
{
    const struct command_ask *ask = &run->claim.ask;
    enum ho_code code = HO_OK;

    if (ask->kind == COMMAND_DISCARD && ask->dry_run) {
        *v = job->state == JOB_RUNNING ? LEFT_RUNS : DID_DISCARDED;
    } else if (ask->kind == COMMAND_DISCARD) {
        code = discard_told(run, job, v, err);
    } else if (ask->kind == COMMAND_RELEASE) {
        code = release(run, job, v, err);
    } else {
        code = hold(run, job, v, err);
    }
    if (code == HO_OK && *v < LEFT_RUNS && ask->kind != COMMAND_DISCARD && !ask->dry_run) {
        code = command_mark(run->site.db, &run->claim, job->id, err);
    }
    return code;
}

static enum ho_code one_by_one(struct command_run *run, struct ho_err *err)
{
    const struct command_job *job = &run->jobs[run->next];
    enum verdict v = LEFT_GONE;
    enum ho_code code = single(run, job, &v, err);

    if (code == HO_OK) {
        run->counts[v]++;
        run->claim.found++;
        run->claim.did += v < LEFT_RUNS ? 1 : 0;
        run->next++;
    }
    return code;
}

/* ---- all ---- */

enum ho_code command_jobs(struct command_run *run, struct ho_err *err)
{
    const struct command_ask *ask = &run->claim.ask;
    bool alone =
        ask->kind == COMMAND_HOLD || ask->kind == COMMAND_RELEASE || ask->acted != ACTED_UNSAID;

    if (ask->kind == COMMAND_RELEASE && ask->conflict != 0) {
        return command_conflict(run, err);
    }
    enum ho_code code = run->looked ? HO_OK : command_look(run, err);
    if (code != HO_OK || run->ended) {
        return code;
    }
    if (run->next < run->n) {
        code = alone ? one_by_one(run, err) : one_chunk(run, err);
    }
    if (code == HO_OK && !run->lost && run->next == run->n) {
        command_conclude(run);
    }
    return code;
}
