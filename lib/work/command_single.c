/* What a command does with jobs one by one: hold, release, and discard when a person says whether
 * it acted. Each is a transaction of its own. */
#include <string.h>

#include "store/discard.h"
#include "store/pause.h"
#include "store/reopen.h"
#include "work/command_parts.h"
#include "work/discard_keys.h"

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

/* The row comes as far as this job in every transaction of it: whoever takes the command up later
 * goes on behind it, and whoever has lost it changes nothing. */
enum ho_code command_single(struct command_run *run, struct ho_err *err)
{
    const struct command_job *job = &run->jobs[run->next];
    enum verdict v = LEFT_GONE;
    bool held = true;

    run->coming = run->claim; /* rows are not owned here */
    memcpy(run->coming.reached_at, job->at, sizeof run->coming.reached_at);
    run->coming.reached_job = job->id;
    run->coming.found++;
    run->coming.did++;
    command_guard(run);
    enum ho_code code = single(run, job, &v, err);
    command_unguard(run);
    run->coming.did -= v < LEFT_RUNS ? 0 : 1;
    if (code == HO_OK) {
        code = command_progress(run->site.db, &run->coming, &held, err);
        run->lost = code == HO_OK && !held;
    }
    if (code == HO_OK) {
        command_count(run, job, v);
        command_came(run, &run->coming);
        run->next++;
    }
    return code;
}
