/* hookonce retry: jobs opened again by a person: dead letters, what no route wanted, what waits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "operator/asked.h"
#include "operator/by_words.h"
#include "operator/table.h"
#include "store/limits.h"
#include "store/wake.h"

enum { OPT_RELEASE = PICK_OPTIONS_N };
static const struct arg_option options[] = {
    PICK_OPTIONS,
    [OPT_RELEASE] = {"release", false},
};

static const struct table_col columns[] = {PICK_COLUMNS, {"was", TABLE_TEXT, 0}};

struct retry_run {
    struct operator *op;
    struct table *table;
    struct asked asked; /* of the id in hand, or of all */
    const char *id;     /* NULL: all */
    bool release;
    unsigned found;
    unsigned opened;
    unsigned freed;    /* have ended, and left their business key to others */
    unsigned doubtful; /* left, because nobody knows whether they acted */
    bool *routes;  /* of the config, by its order: those of which a job was opened */
    struct buf left; /* of one id: what is said of the jobs that were left as they are */
};

/* Says until when a handler rests whose breaker is open, once each: due is not run then. */
static enum ho_code say_rest(struct retry_run *r, const struct handler *h, struct ho_err *err)
{
    int64_t ms = 0;
    char until[32];
    enum ho_code code = limits_rest(operator_db(r->op), h, &ms, err);

    if (code == HO_OK && ms > 0) {
        text_rfc3339_put(clock_wall_us() + ms * 1000, true, until);
        (void)operator_fail(r->op, EXIT_WELL,
                            "note: handler %s failed too often in a row and rests until %s; its "
                            "jobs are tried after that", h->name, until);
    }
    return code;
}

static enum ho_code say_rests(struct retry_run *r, struct ho_err *err)
{
    const struct settings *s = r->op->settings;
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < s->n_handlers && code == HO_OK; i++) {
        bool meant = false;

        for (size_t k = 0; k < s->n_routes; k++) {
            meant = meant || (r->routes[k] && s->routes[k].handler == &s->handlers[i]);
        }
        if (meant && s->handlers[i].breaker > 0) {
            code = say_rest(r, &s->handlers[i], err);
        }
    }
    return code;
}

static void mark_route(struct retry_run *r, struct span name)
{
    for (size_t i = 0; i < r->op->settings->n_routes; i++) {
        r->routes[i] = r->routes[i] || span_is(name, r->op->settings->routes[i].name);
    }
}

static void take(struct retry_run *r, const struct db_rows *rows, size_t i, enum reopened result)
{
    struct span cells[PICK_CELLS + 1];

    switch (result) {
    case REOPENED:
        pick_cells(rows, i, cells);
        cells[PICK_CELLS] = db_cell(rows, i, REOPEN_COL_OUTCOME);
        table_row(r->table, cells);
        mark_route(r, db_cell(rows, i, REOPEN_COL_ROUTE));
        r->opened++;
        break;
    case REOPEN_FREED:
        r->freed++;
        (void)operator_fail(r->op, EXIT_WELL,
                            "note: job %.*s has ended and stays so; its business key is free, and "
                            "who waits for it goes on",
                            (int)db_cell(rows, i, REOPEN_COL_ID).len,
                            (const char *)db_cell(rows, i, REOPEN_COL_ID).p);
        break;
    case REOPEN_NOTHING:
        pick_add_left(&r->left, rows, i, NULL);
        break;
    case REOPEN_IN_DOUBT:
        r->doubtful++;
        pick_add_left(&r->left, rows, i, "may have done its work, nobody knows");
        break;
    case REOPEN_ANSWERED:
        pick_add_left(&r->left, rows, i,
                      "answered a request, and only its sender can ask again");
        break;
    case REOPEN_NO_BODY:
        pick_add_left(&r->left, rows, i, "has no body any more: it was pruned or forgotten");
        break;
    case REOPEN_ACTED:
        pick_add_left(&r->left, rows, i,
                      "was discarded as done; hookonce replay --again does it once more");
        break;
    case REOPEN_HELD:
        pick_add_left(&r->left, rows, i, "is held, or what it belongs to is paused");
        break;
    }
}

static enum ho_code open_job(void *arg, const struct db_rows *rows, size_t i, struct ho_err *err)
{
    struct retry_run *r = arg;
    enum reopened result = REOPEN_NOTHING;
    enum ho_code code = asked_by_id(&r->asked, r->id, rows, i, err);
    const struct reopen_how how = {.release = r->release, .command = r->asked.claim.id};

    r->found++;
    if (code == HO_OK) {
        code = reopen_job(operator_db(r->op), (uint64_t)db_cell_int(rows, i, REOPEN_COL_ID),
                          db_cell(rows, i, REOPEN_COL_CID), &how, &result, err);
    }
    if (code == HO_OK) {
        take(r, rows, i, result);
    }
    return code;
}

/* The job's row is gone, but it has left a business key in doubt. */
static bool free_lost(struct retry_run *r, const char *id)
{
    const struct reopen_how how = {.release = true};
    enum reopened result = REOPEN_NOTHING;
    struct ho_err ignored;
    uint64_t number;

    if (!r->release || !text_uint(span_of(id), INT64_MAX, &number) ||
        reopen_job(operator_db(r->op), number, SPAN_NONE, &how, &result, &ignored) != HO_OK) {
        return false;
    }
    if (result == REOPEN_FREED) {
        r->freed++;
        (void)operator_fail(r->op, EXIT_WELL, "note: its business key was in doubt, and is free now");
    }
    return result == REOPEN_FREED;
}

static void begin(struct retry_run *r, const char *id)
{
    r->id = id;
    r->found = 0;
    r->asked = asked_of(r->op, r->release ? COMMAND_RELEASE : COMMAND_RETRY);
}

static int retry_id(struct retry_run *r, const struct which *which)
{
    const char *id = which->text;
    const struct picker picker = {r->op, open_job, r};
    unsigned gone = r->opened + r->freed, doubtful = r->doubtful;

    buf_clear(&r->left);
    begin(r, id);
    int status = pick_id(&picker, which);
    asked_end(&r->asked, r->found, r->opened + r->freed - gone);
    if (status != EXIT_WELL) {
        bool lost = status == EXIT_TROUBLE && which->by != WHICH_EVENT;

        return lost && free_lost(r, id) ? EXIT_WELL : status;
    }
    if (r->doubtful > doubtful) {
        return operator_fail(r->op, EXIT_TROUBLE,
                             "%s: %s; find out, and if it may be done again: hookonce retry "
                             "--release %s; if it is done: hookonce discard %s --acted yes "
                             "--reason TEXT", id, buf_cstr(&r->left), id, id);
    }
    if (r->opened + r->freed == gone) {
        return operator_fail(r->op, EXIT_TROUBLE, "%s: %s; nothing to do", id,
                             buf_cstr(&r->left));
    }
    return EXIT_WELL;
}

static int retry_all(struct retry_run *r, const char *route)
{
    const struct picker picker = {r->op, open_job, r};

    begin(r, NULL);
    int status = asked_all(&r->asked, &picker, route);
    asked_end(&r->asked, r->found, r->opened);
    if (status == EXIT_WELL && r->doubtful > 0) {
        return operator_fail(r->op, EXIT_TROUBLE,
                             "%u job%s left: %s; find out, and then one by one: hookonce retry "
                             "--release ID", r->doubtful, r->doubtful == 1 ? " was" : "s were",
                             buf_cstr(&r->left));
    }
    return status;
}

static int worst(int a, int b)
{
    return a > b ? a : b;
}

struct retry_args {
    struct picked picked;
    bool release;
};

static bool read_args(struct operator *op, int argc, char **argv, struct retry_args *out)
{
    struct args a = args_of(op, argc, argv);
    const char *value;
    int got;

    while ((got = args_next(&a, options, sizeof options / sizeof options[0], &value)) !=
           ARGS_END) {
        if (got == OPT_RELEASE) {
            out->release = true;
        } else if (!picked_take(&out->picked, got, value)) {
            return false;
        }
    }
    if (!picked_sound(op, &out->picked)) {
        return false;
    }
    if (out->release && out->picked.all) {
        (void)operator_fail(op, EXIT_USAGE,
                            "--release wants ids: what may be done again is for you to find out, "
                            "one by one");
        return false;
    }
    return true;
}

static int run_args(struct operator *op, const struct retry_args *args)
{
    struct retry_run r = {.op = op, .release = args->release};
    struct ho_err err = {HO_OK, 0, ""};
    int status = operator_need_settings(op);

    if (status != EXIT_WELL) {
        return status;
    }
    buf_init(&r.left, PICK_LEFT_MAX);
    r.routes = ho_alloc((op->settings->n_routes + 1) * sizeof *r.routes);
    memset(r.routes, 0, (op->settings->n_routes + 1) * sizeof *r.routes);
    r.table = table_new("retry", columns, sizeof columns / sizeof columns[0]);
    if (args->picked.all) {
        status = retry_all(&r, args->picked.route);
    }
    for (size_t i = 0; i < args->picked.n_ids && status < EXIT_USAGE; i++) {
        status = worst(status, retry_id(&r, &args->picked.ids[i]));
    }
    if (r.freed > 0) {
        (void)wake_send(op->settings->state_dir);
    }
    if (r.opened > 0) {
        table_print(r.table, stdout, op->json);
        (void)wake_send(op->settings->state_dir);
        if (say_rests(&r, &err) != HO_OK) {
            status = worst(status, operator_db_fail(op, &err));
        }
    }
    if (!op->json) {
        (void)printf("%u job%s opened again\n", r.opened, r.opened == 1 ? "" : "s");
    }
    table_free(r.table);
    free(r.routes);
    buf_free(&r.left);
    return status;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct retry_args args = {.picked = picked_new(argc)};
    int status = EXIT_USAGE;

    if (by_words_wanted(argc, argv)) {
        picked_free(&args.picked);
        return by_words(op, COMMAND_RETRY, argc, argv);
    }
    if (read_args(op, argc, argv, &args)) {
        status = run_args(op, &args);
    }
    picked_free(&args.picked);
    return status;
}

const struct command cmd_retry = {
    .name = "retry",
    .synopsis = "[--release] ID... | --all [--route NAME]",
    .summary = "opens dead letters again, and ignored events; runs early what waits",
    .help = "  ID            number of a job, a correlation id, or the provider's event id\n"
            WHICH_HELP
            "  --all         every dead letter\n"
            "  --route NAME  with --all: only those of that route\n"
            "  --release     also jobs of which nobody knows whether they did their work: you have\n"
            "                found out that it may be done (again). One that is dead is opened; of one\n"
            "                that has ended otherwise the business key is free for others\n"
            "\n"
            "A dead letter is due at once, with all its tries. An event that was ignored is given\n"
            "to the routes that the config has now. A discarded job is opened as a dead letter is,\n"
            "but not by --all. A job that waits, for its next try or for another reason, is due at\n"
            "once. What was processed, or runs, is left as it is.\n"
            "With a filter, at_most or a dry run, as hookonce replay has them, dead letters only:\n"
            "--source, --event-type, --from-time and so on.\n"
            "Status 1: for some id there was nothing to do, or it needs --release.\n",
    .run = run,
};
