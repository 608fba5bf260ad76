/* What a command is about, and what is not about jobs: pauses, refused deliveries, forgetting,
 * pruning, a trial of the alerts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/nearest.h"
#include "base/text.h"
#include "store/forget.h"
#include "store/jobs_row.h"
#include "store/pause.h"
#include "store/reopen.h"
#include "store/spool.h"
#include "work/command_parts.h"

#define PRUNE_PIECE_MS 500

/* ---- what it is about ---- */

/* The first ids of a dry run, as a person can search for them. */
static void list(struct command_run *run, const struct db_rows *rows, size_t i)
{
    struct span event = db_cell(rows, i, COMMAND_J_EVENT), cid = db_cell(rows, i, COMMAND_J_CID);
    struct span job = db_cell(rows, i, COMMAND_J_ID);
    struct buf text;

    if (run->n_listed == COMMAND_LISTED) {
        return;
    }
    buf_init(&text, 1024);
    bool plain = text_is_utf8(event) && text_quote(event, 200, &text) == HO_OK;
    struct span shown = plain && text.len > 0 ? buf_span(&text) : cid;
    if (buf_addf(&run->listed, "%s%.*s (job %.*s)", run->n_listed > 0 ? ", " : "", (int)shown.len,
                 (const char *)shown.p, (int)job.len, (const char *)job.p) == HO_OK) {
        run->n_listed++;
    }
    buf_free(&text);
}

static enum job_state state_of(struct span word)
{
    static const enum job_state all[] = {JOB_READY, JOB_RUNNING, JOB_DONE, JOB_DEAD, JOB_WAITING};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (span_is(word, job_state_word(all[i]))) {
            return all[i];
        }
    }
    return JOB_READY;
}

static void keep(struct command_run *run, const struct db_rows *rows)
{
    size_t left = run->claim.ask.at_most > run->claim.found
                      ? run->claim.ask.at_most - run->claim.found : 0;
    bool filter = !command_names_one(&run->claim.ask);

    run->capped = filter && rows->n_rows > left;
    run->n = run->capped ? left : rows->n_rows;
    run->jobs = ho_alloc((run->n + 1) * sizeof *run->jobs);
    for (size_t i = 0; i < run->n; i++) {
        struct command_job *job = &run->jobs[i];

        *job = (struct command_job){.id = (uint64_t)db_cell_int(rows, i, COMMAND_J_ID),
                                    .state = state_of(db_cell(rows, i, COMMAND_J_STATE))};
        jobs_row_text(db_cell(rows, i, COMMAND_J_CID), job->cid, sizeof job->cid);
        jobs_row_text(db_cell(rows, i, COMMAND_J_AT), job->at, sizeof job->at);
        jobs_row_text(db_cell(rows, i, COMMAND_J_ROUTE), job->route, sizeof job->route);
        if (run->claim.ask.dry_run) {
            list(run, rows, i);
        }
    }
    if (!filter && run->n > 0) {
        memcpy(run->cid, run->jobs[0].cid, sizeof run->cid);
    }
    run->looked = true;
}

/* The config's word for it; NULL: it knows none of that name. */
static const char *unknown_name(struct command_run *run, struct nearest *near)
{
    const struct settings *s = run->site.settings;
    const struct command_ask *ask = &run->claim.ask;

    if (span_present(ask->source) && settings_source(s, ask->source) == NULL) {
        *near = nearest_to(ask->source);
        for (size_t i = 0; i < s->n_sources; i++) {
            nearest_try(near, s->sources[i].name);
        }
        return "source";
    }
    if (span_present(ask->route) && settings_route(s, ask->route) == NULL) {
        *near = nearest_to(ask->route);
        for (size_t i = 0; i < s->n_routes; i++) {
            nearest_try(near, s->routes[i].name);
        }
        return "route";
    }
    if (span_present(ask->handler) && settings_handler(s, ask->handler) == NULL) {
        *near = nearest_to(ask->handler);
        for (size_t i = 0; i < s->n_handlers; i++) {
            nearest_try(near, s->handlers[i].name);
        }
        return "handler";
    }
    return NULL;
}

/* Refuses a name that the config has not; false: there is none. */
static bool refuse_name(struct command_run *run, const char *begin)
{
    struct nearest near;
    const char *what = unknown_name(run, &near);
    struct buf name;

    if (what == NULL) {
        return false;
    }
    buf_init(&name, 512);
    bool shown = text_quote(near.given, 100, &name) == HO_OK;
    command_answer(run, COMMAND_REFUSED, "%sthe config has no %s '%s'%s%s%s", begin, what,
                   shown ? buf_cstr(&name) : "", near.word != NULL ? "; did you mean '" : "",
                   near.word != NULL ? near.word : "", near.word != NULL ? "'?" : "");
    buf_free(&name);
    return true;
}

/* The names that a filter stands for; false: there are too many. */
static bool make_names(struct command_run *run, struct command_names *names)
{
    const struct settings *s = run->site.settings;
    const struct command_ask *ask = &run->claim.ask;

    for (size_t i = 0; span_present(ask->provider) && i < s->n_sources; i++) {
        if (span_is(ask->provider, s->sources[i].provider) && names->n_sources < COMMAND_NAMES_MAX + 1) {
            names->sources[names->n_sources++] = s->sources[i].name;
        }
    }
    for (size_t i = 0; span_present(ask->handler) && i < s->n_routes; i++) {
        const struct handler *h = s->routes[i].handler;

        if (h != NULL && span_is(ask->handler, h->name) && names->n_routes < COMMAND_NAMES_MAX + 1) {
            names->routes[names->n_routes++] = s->routes[i].name;
        }
    }
    return names->n_sources <= COMMAND_NAMES_MAX && names->n_routes <= COMMAND_NAMES_MAX;
}

/* A word that no job can end with finds nothing, and should say why. */
static bool is_outcome(struct span word)
{
    for (unsigned i = OUTCOME_NONE + 1; i < OUTCOME_N; i++) {
        if (span_is(word, outcome_word((enum outcome)i))) {
            return true;
        }
    }
    return false;
}

/* The row of a job is gone, but it has left a business key in doubt. */
static enum ho_code free_lost(struct command_run *run, struct ho_err *err)
{
    const struct reopen_how how = {.release = true};
    struct ho_err why = *err;
    enum reopened got = REOPEN_NOTHING;

    if (run->claim.ask.kind != COMMAND_RELEASE || run->claim.ask.job == 0 || run->claim.ask.dry_run) {
        return HO_REJECT;
    }
    enum ho_code code =
        reopen_job(run->site.db, run->claim.ask.job, SPAN_NONE, &how, &got, err);
    if (code == HO_OK && got == REOPEN_FREED) {
        run->claim.did = 1;
        command_answer(run, COMMAND_DONE, "The job is gone; its business key was in doubt, and is free "
                                          "now");
        return HO_OK;
    }
    if (code == HO_OK) {
        *err = why;
        return HO_REJECT;
    }
    return code;
}

enum ho_code command_look(struct command_run *run, struct ho_err *err)
{
    const char *sources[COMMAND_NAMES_MAX + 1], *routes[COMMAND_NAMES_MAX + 1];
    struct command_names names = {sources, routes, 0, 0};
    const struct command_ask *ask = &run->claim.ask;
    struct db_rows rows = {0};

    if (!make_names(run, &names)) {
        return ho_fail(err, HO_REJECT, "more than %d sources or routes are meant: name them one by one",
                       COMMAND_NAMES_MAX);
    }
    if (span_present(ask->outcome) && !is_outcome(ask->outcome)) {
        return ho_fail(err, HO_REJECT, "there is no such outcome; of dead letters they are: gave up, "
                                       "refused, unknown, no route, bad handler, need, waited, no key, "
                                       "no body, key over, worker lost, forged");
    }
    enum ho_code code = command_find(run->site.db, &run->claim, &names, &rows, err);
    if (code == HO_OK) {
        keep(run, &rows);
    } else if (code == HO_REJECT) {
        code = free_lost(run, err);
    }
    db_rows_free(&rows);
    if (code == HO_OK && !run->ended && run->n == 0 && run->claim.found == 0 &&
        !refuse_name(run, "Nothing matches: ")) {
        command_answer(run, COMMAND_DONE, "Nothing matches");
    }
    return code;
}

/* ---- pauses ---- */

static struct pause pause_of(const struct command_ask *ask)
{
    struct pause p = {.kind = PAUSE_EVERYTHING};
    struct span name = SPAN_LIT("");

    if (span_present(ask->source)) {
        p.kind = PAUSE_SOURCE;
        name = ask->source;
    } else if (span_present(ask->route)) {
        p.kind = PAUSE_ROUTE;
        name = ask->route;
    } else if (span_present(ask->handler)) {
        p.kind = PAUSE_HANDLER;
        name = ask->handler;
    }
    jobs_row_text(name, p.name, sizeof p.name);
    return p;
}

/* A person's words as a C string; what is longer than the place is left out. */
static void words_of(struct span s, char *out, size_t room)
{
    size_t n = s.len < room ? s.len : 0;

    if (n > 0) {
        memcpy(out, s.p, n);
    }
    out[n] = '\0';
}

static enum ho_code resume(struct command_run *run, const struct pause *p, struct ho_err *err)
{
    uint64_t waiting = 0;
    bool was = false;
    enum ho_code code = pause_end(run->site.db, p, &was, &waiting, err);

    if (code == HO_OK && was) {
        run->claim.did = 1;
        command_answer(run, COMMAND_DONE, "%s%s%s goes on; jobs that waited: %llu",
                       pause_kind_word(p->kind), p->name[0] != '\0' ? " " : "", p->name,
                       (unsigned long long)waiting);
    } else if (code == HO_OK) {
        command_answer(run, COMMAND_REFUSED, "%s%s%s is not paused; hookonce_pause says what is",
                       pause_kind_word(p->kind), p->name[0] != '\0' ? " " : "", p->name);
    }
    return code;
}

enum ho_code command_pause(struct command_run *run, struct ho_err *err)
{
    const struct command_ask *ask = &run->claim.ask;
    const struct pause p = pause_of(ask);
    char who[PAUSE_WHO_MAX * 4], reason[PAUSE_REASON_MAX * 4 + 1];
    bool fresh = false;

    if (ask->kind == COMMAND_PAUSE && refuse_name(run, "Nothing was done: ")) {
        return HO_OK;
    }
    run->claim.found = 1;
    if (ask->dry_run) {
        command_answer(run, COMMAND_DONE, "Dry run, nothing was changed: it would %s %s%s%s",
                       command_word(ask->kind), pause_kind_word(p.kind),
                       p.name[0] != '\0' ? " " : "", p.name);
        return HO_OK;
    }
    if (ask->kind == COMMAND_RESUME) {
        return resume(run, &p, err);
    }
    words_of(ask->asked_by, who, sizeof who);
    words_of(ask->reason, reason, sizeof reason);
    enum ho_code code = pause_set(run->site.db, &p, who, reason, &fresh, err);
    if (code == HO_OK) {
        run->claim.did = fresh ? 1 : 0;
        command_answer(run, fresh ? COMMAND_DONE : COMMAND_REFUSED, "%s%s%s is paused%s",
                       pause_kind_word(p.kind), p.name[0] != '\0' ? " " : "", p.name,
                       fresh ? ": deliveries are received, and their jobs wait until resume"
                             : " already");
    }
    return code;
}

/* ---- refused deliveries ---- */

enum ho_code command_conflict(struct command_run *run, struct ho_err *err)
{
    (void)run;
    return ho_fail(err, HO_REJECT, "a refused delivery cannot be released yet");
}

/* ---- forgetting ---- */

static bool spool_in_the_way(struct command_run *run, struct ho_err *err)
{
    const char *dir = run->site.settings->spool_dir;
    struct spool_state there = {0};

    if (spool_any(dir)) {
        (void)ho_fail(err, HO_REJECT, "the spool holds events that are not imported yet, and nobody "
                                      "can tell whose they are; give it again when they are");
        return true;
    }
    if (spool_look(dir, &there, err) == HO_OK && there.quarantined > 0) {
        (void)ho_fail(err, HO_REJECT, "files in the folder " SPOOL_QUARANTINE " of the spool may hold "
                                      "what is meant: import or delete them first; see hookonce check");
        return true;
    }
    return false;
}

enum ho_code command_forget(struct command_run *run, struct ho_err *err)
{
    static const char *const texts[] = {
        [FORGOTTEN] = "Bodies, headers, answers and error texts are erased; the ids stay",
        [FORGET_UNFINISHED] = "Nothing was done: it waits, runs or is dead: discard it first",
        [FORGET_SHARED] = "Nothing was done: its body has other events, too; hookonce forget takes them "
                          "together",
        [FORGET_NOTHING] = "Nothing was done: it is gone"};
    enum forgotten got = FORGET_NOTHING;
    char cids[1][ULID_LEN + 1];

    if (spool_in_the_way(run, err)) {
        return HO_REJECT;
    }
    enum ho_code code = command_look(run, err);
    if (code != HO_OK || run->ended) {
        return code;
    }
    run->claim.found = 1;
    bool dry = run->claim.ask.dry_run;
    memcpy(cids[0], run->cid, sizeof cids[0]);
    code = forget(run->site.db, (const char(*)[ULID_LEN + 1])cids, 1, 0, dry, &got, err);
    if (code == HO_OK) {
        run->claim.did = got == FORGOTTEN && !dry ? 1 : 0;
        command_answer(run, got == FORGOTTEN ? COMMAND_DONE : COMMAND_REFUSED, "%s%s",
                       dry ? "Dry run, nothing was changed. It would be so: " : "", texts[got]);
    }
    return code;
}

/* ---- pruning ---- */

enum ho_code command_prune(struct command_run *run, struct ho_err *err)
{
    const struct settings *s = run->site.settings;
    const struct prune_run how = {.end = deadline_in(PRUNE_PIECE_MS), .dry = run->claim.ask.dry_run};
    struct pruned sum = {0};
    bool held = false;

    if (s->keep_bodies_ms < 0 && s->keep_receipts_ms < 0) {
        return ho_fail(err, HO_REJECT, "the config keeps everything for ever: keep_bodies and "
                                       "keep_receipts in [hookonce] say how long");
    }
    enum ho_code code = prune(run->site.db, s, &run->place, &how, &sum, err);
    if (code != HO_OK) {
        return code;
    }
    run->pruned.bodies += sum.bodies;
    run->pruned.receipts += sum.receipts;
    run->claim.found += (uint32_t)(sum.bodies + sum.receipts);
    run->claim.did = how.dry ? 0 : run->claim.found;
    if (sum.more) {
        code = command_progress(run->site.db, &run->claim, &held, err);
        run->lost = code == HO_OK && !held;
        return code;
    }
    command_answer(run, COMMAND_DONE, "%sbodies: %llu, receipts: %llu",
                   how.dry ? "Dry run, nothing was changed; it would be: " : "Gone: ",
                   (unsigned long long)run->pruned.bodies, (unsigned long long)run->pruned.receipts);
    return HO_OK;
}

enum ho_code command_test_alert(struct command_run *run, struct ho_err *err)
{
    (void)run;
    return ho_fail(err, HO_REJECT, "there is no [alert NAME] in the config");
}
