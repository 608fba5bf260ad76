/* What a command is about: jobs of an event, or of a filter. */
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "store/jobs_row.h"
#include "store/reopen.h"
#include "work/command_parts.h"

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
    size_t left =
        run->claim.ask.at_most > run->claim.found ? run->claim.ask.at_most - run->claim.found : 0;
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

bool command_refuse_name(struct command_run *run, const char *begin)
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
        if (span_is(ask->provider, s->sources[i].provider) &&
            names->n_sources < COMMAND_NAMES_MAX + 1) {
            names->sources[names->n_sources++] = s->sources[i].name;
        }
    }
    for (size_t i = 0; span_present(ask->handler) && i < s->n_routes; i++) {
        const struct handler *h = s->routes[i].handler;

        if (h != NULL && span_is(ask->handler, h->name) &&
            names->n_routes < COMMAND_NAMES_MAX + 1) {
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

    if (run->claim.ask.kind != COMMAND_RELEASE || run->claim.ask.job == 0 ||
        run->claim.ask.dry_run) {
        return HO_REJECT;
    }
    enum ho_code code = reopen_job(run->site.db, run->claim.ask.job, SPAN_NONE, &how, &got, err);
    if (code == HO_OK && got == REOPEN_FREED) {
        run->claim.did = 1;
        command_answer(run, COMMAND_DONE,
                       "The job is gone; its business key was in doubt, and is free "
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
        return ho_fail(err, HO_REJECT,
                       "more than %d sources or routes are meant: name them one by one",
                       COMMAND_NAMES_MAX);
    }
    if (span_present(ask->outcome) && !is_outcome(ask->outcome)) {
        return ho_fail(err, HO_REJECT,
                       "there is no such outcome; of dead letters they are: gave up, "
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
        !command_refuse_name(run, "Nothing matches: ")) {
        command_answer(
            run, COMMAND_DONE, "Nothing matches%s",
            ask->kind == COMMAND_REPLAY && !ask->again
                ? " that is not done; with again = yes and a reason what is done is done once more"
                : "");
    }
    return code;
}
