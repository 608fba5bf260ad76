/* What a command does with jobs: SQL_CHUNK of them in one transaction, which keeps how far it has
 * come, so that whoever takes it up goes on there. A dry run does the same, and takes it back. */
#include <string.h>

#include "base/clock.h"
#include "store/jobs_row.h"
#include "store/reopen.h"
#include "store/sql_jobs.h"
#include "work/command_parts.h"

#define CHUNK_TIME_MS 15000
#define CHUNK_BESIDE_MS 2000 /* in the processor, where jobs wait: it is come back to */

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

void command_count(struct command_run *run, const struct command_job *job, enum verdict v)
{
    run->counts[v]++;
    if (run->claim.ask.dry_run && v < LEFT_RUNS) {
        command_list(run, job);
    }
}

void command_came(struct command_run *run, const struct command_claim *to)
{
    run->claim.found = to->found;
    run->claim.did = to->did;
    memcpy(run->claim.reached_at, to->reached_at, sizeof run->claim.reached_at);
    run->claim.reached_job = to->reached_job;
}

/* Counts what came of a chunk that is committed, and, of a dry run, taken back. */
static void take(struct command_run *run, const struct chunk *c)
{
    for (size_t i = 0; i < c->n; i++) {
        command_count(run, &c->jobs[i], c->verdicts[i]);
    }
    command_came(run, &c->claim);
    run->next += c->n;
}

/* How many of what is left: never more than at_most could come of. */
static size_t chunk_size(const struct command_run *run)
{
    const struct command_claim *c = &run->claim;
    size_t n = run->n - run->next, open = c->ask.at_most > c->did ? c->ask.at_most - c->did : 0;

    if (!command_names_one(&c->ask) && n > open) {
        n = open;
    }
    return n < SQL_CHUNK ? n : SQL_CHUNK;
}

static enum ho_code one_chunk(struct command_run *run, struct ho_err *err)
{
    struct db *db = run->site.db;
    struct chunk c = {.run = run, .jobs = run->jobs + run->next, .n = chunk_size(run)};
    bool held = true;

    int64_t ms = run->claim.shell ? CHUNK_TIME_MS : CHUNK_BESIDE_MS;
    enum ho_code code = db_transact(db, deadline_in(ms), chunk_tx, &c, err);
    if (code == HO_OK && !c.lost) {
        take(run, &c);
    }
    if (code == HO_OK && !c.lost && run->claim.ask.dry_run) {
        code = command_progress(db, &run->claim, &held, err); /* only the lease, and the counts */
    }
    run->lost = code == HO_OK && (c.lost || !held);
    return code;
}

/* ---- all ---- */

/* As many as at_most lets it. */
static bool is_full(const struct command_run *run)
{
    return !command_names_one(&run->claim.ask) && run->claim.did >= run->claim.ask.at_most;
}

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
    if (run->next < run->n && !is_full(run)) {
        code = alone ? command_single(run, err) : one_chunk(run, err);
    }
    if (code == HO_OK && !run->lost && is_full(run)) {
        run->capped = run->more || run->next < run->n;
        command_conclude(run);
    } else if (code == HO_OK && !run->lost && run->next == run->n && run->more) {
        run->looked = false; /* what is left as it is counts for nothing: on to the next ones */
    } else if (code == HO_OK && !run->lost && run->next == run->n) {
        command_conclude(run);
    }
    return code;
}
