/* hookonce retry: jobs opened again by a person: dead letters, what no route wanted, what waits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/ulid.h"
#include "operator/operator.h"
#include "operator/table.h"
#include "store/limits.h"
#include "store/reopen.h"
#include "store/view.h"
#include "store/wake.h"

#define LEFT_MAX 800 /* bytes of what is said of jobs that are left */

enum { OPT_ALL, OPT_ROUTE, OPT_RELEASE };
static const struct arg_option options[] = {
    [OPT_ALL] = {"all", false},
    [OPT_ROUTE] = {"route", true},
    [OPT_RELEASE] = {"release", false},
};

static const struct table_col columns[] = {
    {"job", TABLE_NUMBER, 0},     {"correlation_id", TABLE_TEXT, 0},
    {"route", TABLE_TEXT, 24},    {"provider", TABLE_TEXT, 16},
    {"event_id", TABLE_TEXT, 40}, {"event_type", TABLE_TEXT, 32},
    {"was", TABLE_TEXT, 0},
};

struct retry_run {
    struct operator* op;
    struct table *table;
    bool release;
    unsigned opened;
    unsigned doubtful; /* left, because nobody knows whether they acted */
    bool *routes;  /* of the config, by its order: those of which a job was opened */
    struct buf left; /* of one id: what is said of the jobs that were left as they are */
};

static void show(struct retry_run *r, const struct db_rows *rows, size_t i)
{
    const struct span cells[] = {
        db_cell(rows, i, REOPEN_COL_ID),      db_cell(rows, i, REOPEN_COL_CID),
        db_cell(rows, i, REOPEN_COL_ROUTE),   db_cell(rows, i, REOPEN_COL_PROVIDER),
        db_cell(rows, i, REOPEN_COL_EVENT),   db_cell(rows, i, REOPEN_COL_TYPE),
        db_cell(rows, i, REOPEN_COL_OUTCOME),
    };

    table_row(r->table, cells);
}

/* Adds what a job is that is left: "job 12 of route paid was processed". */
static void add_left(struct retry_run *r, const struct db_rows *rows, size_t i, const char *text)
{
    struct span job = db_cell(rows, i, REOPEN_COL_ID);
    struct span route = db_cell(rows, i, REOPEN_COL_ROUTE);

    if (buf_addf(&r->left, "%sjob %.*s%s%.*s %s", r->left.len > 0 ? " and " : "", (int)job.len,
                 (const char *)job.p, route.len > 0 ? " of route " : "", (int)route.len,
                 (const char *)route.p, text) != HO_OK) {
        return; /* full: what fits is said */
    }
}

static void say_left(struct retry_run *r, const struct db_rows *rows, size_t i)
{
    static const struct {
        const char *state, *outcome, *text; /* outcome NULL: any */
    } texts[] = {
        {"done", "done", "was processed"},
        {"done", "informational", "is of a type that a route only wants recorded"},
        {"done", "already done", "is done already, by another event of its business key"},
        {"done", "already so", "was so already (skip_if)"},
        {"done", "stale", "is stale: a newer event of its object ran"},
        {"done", "gone", "is about an object that is gone"},
        {"running", NULL, "is running now"},
        {"ready", NULL, "is due already, the next run takes it"},
    };
    struct span state = db_cell(rows, i, REOPEN_COL_STATE);
    struct span outcome = db_cell(rows, i, REOPEN_COL_OUTCOME);
    const char *text = "has ended";

    for (size_t k = sizeof texts / sizeof texts[0]; k-- > 0;) {
        if (span_is(state, texts[k].state) &&
            (texts[k].outcome == NULL || span_is(outcome, texts[k].outcome))) {
            text = texts[k].text;
        }
    }
    add_left(r, rows, i, text);
}

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
    switch (result) {
    case REOPENED:
        show(r, rows, i);
        mark_route(r, db_cell(rows, i, REOPEN_COL_ROUTE));
        r->opened++;
        break;
    case REOPEN_NOTHING:
        say_left(r, rows, i);
        break;
    case REOPEN_IN_DOUBT:
        r->doubtful++;
        add_left(r, rows, i, "may have done its work, nobody knows");
        break;
    case REOPEN_ANSWERED:
        add_left(r, rows, i, "answered a request, and only its sender can ask again");
        break;
    }
}

static enum ho_code open_rows(struct retry_run *r, const struct db_rows *rows, struct ho_err *err)
{
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < rows->n_rows && code == HO_OK; i++) {
        enum reopened result;
        code = reopen_job(operator_db(r->op), (uint64_t)db_cell_int(rows, i, REOPEN_COL_ID),
                          db_cell(rows, i, REOPEN_COL_CID), r->release, &result, err);
        if (code == HO_OK) {
            take(r, rows, i, result);
        }
    }
    return code;
}

/* Opens what one selector finds; *found: how many jobs that was. */
static enum ho_code open_by(struct retry_run *r, enum reopen_by by, struct span what,
                            size_t *found, struct ho_err *err)
{
    struct db_rows rows = {0};

    enum ho_code code = reopen_find(operator_db(r->op), by, what, &rows, err);
    if (code == HO_OK) {
        code = open_rows(r, &rows, err);
    }
    *found += rows.n_rows;
    db_rows_free(&rows);
    return code;
}

/* Opens the jobs of the receipts that bear this event id, one a provider. */
static enum ho_code open_event(struct retry_run *r, struct span what, size_t *found,
                               struct ho_err *err)
{
    struct db_rows receipts = {0};

    enum ho_code code = view_find(operator_db(r->op), what, &receipts, err);
    for (size_t i = 0; code == HO_OK && i < receipts.n_rows; i++) {
        code = open_by(r, REOPEN_CID, db_cell(&receipts, i, VIEW_R_CID), found, err);
    }
    db_rows_free(&receipts);
    return code;
}

/* An id may be a job's number, a correlation id or an event's id; the first that fits anything. */
static int retry_id(struct retry_run *r, const char *id)
{
    struct span what = span_of(id);
    struct ho_err err = {HO_OK, 0, ""};
    uint64_t number;
    size_t found = 0;
    unsigned opened = r->opened, doubtful = r->doubtful;
    enum ho_code code = HO_OK;

    buf_clear(&r->left);
    if (text_uint(what, INT64_MAX, &number)) {
        code = open_by(r, REOPEN_JOB, what, &found, &err);
    } else if (ulid_valid(what)) {
        code = open_by(r, REOPEN_CID, what, &found, &err);
    }
    if (code == HO_OK && found == 0) {
        code = open_event(r, what, &found, &err);
    }
    if (code != HO_OK) {
        return operator_db_fail(r->op, &err);
    }
    if (found == 0) {
        return operator_fail(r->op, EXIT_TROUBLE, "no event, job or correlation id '%s'", id);
    }
    if (r->doubtful > doubtful) {
        return operator_fail(r->op, EXIT_TROUBLE,
                             "%s: %s; find out, and if it may be done again: hookonce retry "
                             "--release %s", id, buf_cstr(&r->left), id);
    }
    if (r->opened == opened) {
        return operator_fail(r->op, EXIT_TROUBLE, "%s: %s; nothing to do", id,
                             buf_cstr(&r->left));
    }
    return EXIT_WELL;
}

static int retry_all(struct retry_run *r, const char *route)
{
    struct ho_err err = {HO_OK, 0, ""};
    size_t found = 0;

    enum ho_code code = route != NULL ? open_by(r, REOPEN_ROUTE, span_of(route), &found, &err)
                                      : open_by(r, REOPEN_ALL, SPAN_NONE, &found, &err);
    if (code != HO_OK) {
        return operator_db_fail(r->op, &err);
    }
    if (found == REOPEN_MAX) {
        (void)operator_fail(r->op, EXIT_WELL, "there may be more than %d: run it again",
                            REOPEN_MAX);
    }
    if (r->doubtful > 0) {
        return operator_fail(r->op, EXIT_TROUBLE,
                             "%u job%s left: %s; find out, and then one by one: hookonce retry "
                             "--release ID", r->doubtful, r->doubtful == 1 ? " was" : "s were",
                             buf_cstr(&r->left));
    }
    return EXIT_WELL;
}

static int worst(int a, int b)
{
    return a > b ? a : b;
}

struct retry_args {
    bool all, release;
    const char *route;
    const char **ids;
    size_t n_ids;
};

static bool read_args(struct operator* op, int argc, char **argv, struct retry_args *out)
{
    struct args a = args_of(op, argc, argv);
    const char *value;

    for (;;) {
        int got = args_next(&a, options, sizeof options / sizeof options[0], &value);
        if (got == ARGS_END) {
            break;
        }
        if (got == ARGS_BAD) {
            return false;
        }
        if (got == ARGS_WORD) {
            out->ids[out->n_ids++] = value;
        } else if (got == OPT_ALL) {
            out->all = true;
        } else if (got == OPT_RELEASE) {
            out->release = true;
        } else {
            out->route = value;
        }
    }
    if (out->all == (out->n_ids > 0) || (out->route != NULL && !out->all)) {
        (void)operator_fail(op, EXIT_USAGE, "say which: ids, or --all, or --all --route NAME");
        return false;
    }
    if (out->release && out->all) {
        (void)operator_fail(op, EXIT_USAGE,
                            "--release wants ids: what may be done again is for you to find out, "
                            "one by one");
        return false;
    }
    return true;
}

static int run_args(struct operator* op, const struct retry_args *args)
{
    struct retry_run r = {.op = op, .release = args->release};
    struct ho_err err = {HO_OK, 0, ""};
    int status = operator_need_settings(op);

    if (status != EXIT_WELL) {
        return status;
    }
    buf_init(&r.left, LEFT_MAX);
    r.routes = ho_alloc((op->settings->n_routes + 1) * sizeof *r.routes);
    memset(r.routes, 0, (op->settings->n_routes + 1) * sizeof *r.routes);
    r.table = table_new("retry", columns, sizeof columns / sizeof columns[0]);
    if (args->all) {
        status = retry_all(&r, args->route);
    }
    for (size_t i = 0; i < args->n_ids && status < EXIT_USAGE; i++) {
        status = worst(status, retry_id(&r, args->ids[i]));
    }
    if (r.opened > 0) {
        table_print(r.table, stdout, op->json);
        wake_send(op->settings->state_dir);
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

static int run(struct operator* op, int argc, char **argv)
{
    struct retry_args args = {.ids = ho_alloc(sizeof *args.ids * (size_t)argc)};
    int status = EXIT_USAGE;

    if (read_args(op, argc, argv, &args)) {
        status = run_args(op, &args);
    }
    free(args.ids);
    return status;
}

const struct command cmd_retry = {
    .name = "retry",
    .synopsis = "[--release] ID... | --all [--route NAME]",
    .summary = "opens dead letters again, and ignored events; runs early what waits",
    .help = "  ID            number of a job, a correlation id, or the provider's event id\n"
            "  --all         every dead letter\n"
            "  --route NAME  with --all: only those of that route\n"
            "  --release     also jobs of which nobody knows whether they did their work: you have\n"
            "                found out that it may be done (again)\n"
            "\n"
            "A dead letter is due at once, with all its tries. An event that was ignored is given\n"
            "to the routes that the config has now. A job that waits, for its next try or for\n"
            "another reason, is due at once. What was processed, or runs, is left as it is.\n"
            "Status 1: for some id there was nothing to do, or it needs --release.\n",
    .run = run,
};
