/* What a command is about: jobs of an event, or of a filter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "store/jobs_row.h"
#include "store/reopen.h"
#include "work/command_parts.h"

/* The first ids of a dry run, as a person can search for them. */
void command_list(struct command_run *run, const struct command_job *of)
{
    const struct db_rows *rows = &run->rows;
    struct span event = db_cell(rows, of->row, COMMAND_J_EVENT);
    struct span cid = db_cell(rows, of->row, COMMAND_J_CID);
    struct span job = db_cell(rows, of->row, COMMAND_J_ID);
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

static void keep(struct command_run *run)
{
    const struct db_rows *rows = &run->rows;
    size_t most = command_look_most(&run->claim);
    bool filter = !command_names_one(&run->claim.ask);

    run->more = filter && rows->n_rows > most;
    run->n = run->more ? most : rows->n_rows;
    run->next = 0;
    free(run->jobs);
    run->jobs = ho_alloc((run->n + 1) * sizeof *run->jobs);
    for (size_t i = 0; i < run->n; i++) {
        struct command_job *job = &run->jobs[i];

        *job = (struct command_job){.row = i,
                                    .id = (uint64_t)db_cell_int(rows, i, COMMAND_J_ID),
                                    .state = state_of(db_cell(rows, i, COMMAND_J_STATE))};
        jobs_row_text(db_cell(rows, i, COMMAND_J_CID), job->cid, sizeof job->cid);
        jobs_row_text(db_cell(rows, i, COMMAND_J_AT), job->at, sizeof job->at);
        jobs_row_text(db_cell(rows, i, COMMAND_J_ROUTE), job->route, sizeof job->route);
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

static enum ho_code no_outcome(struct ho_err *err)
{
    char words[600] = "";
    size_t n = 0;

    for (unsigned i = OUTCOME_NONE + 1; i < OUTCOME_N && n < sizeof words; i++) {
        int len = snprintf(words + n, sizeof words - n, "%s%s", n > 0 ? ", " : "",
                           outcome_word((enum outcome)i));
        n += len > 0 ? (size_t)len : 0;
    }
    return ho_fail(err, HO_REJECT, "there is no such outcome; they are: %s", words);
}

/* Of what is done a second row would begin with the same ones: it is all of them, or none. */
static bool refuse_part(struct command_run *run)
{
    const struct command_ask *ask = &run->claim.ask;

    if (!ask->again || command_names_one(ask) || run->claim.found > 0 ||
        (run->n <= ask->at_most && !run->more)) {
        return false;
    }
    command_answer(run, COMMAND_REFUSED,
                   "Nothing was done: more than at_most = %u jobs match, and with again = yes the "
                   "next row would begin with the same ones: give a higher at_most, with "
                   "per_minute if they shall not come all at once, or narrow it by from_time and "
                   "to_time",
                   ask->at_most);
    return true;
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

    if (span_present(ask->handler) && command_refuse_name(run, "Nothing was done: ")) {
        return HO_OK; /* it stands for its routes, and has none */
    }
    if (!make_names(run, &names)) {
        return ho_fail(err, HO_REJECT,
                       "more than %d sources or routes are meant: name them one by one",
                       COMMAND_NAMES_MAX);
    }
    if (span_present(ask->outcome) && !is_outcome(ask->outcome)) {
        return no_outcome(err);
    }
    db_rows_free(&run->rows);
    enum ho_code code = command_find(run->site.db, &run->claim, &names, &run->rows, err);
    if (code == HO_OK) {
        keep(run);
    } else if (code == HO_REJECT) {
        code = free_lost(run, err);
    }
    if (code == HO_OK && !run->ended && refuse_part(run)) {
        return HO_OK;
    }
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
