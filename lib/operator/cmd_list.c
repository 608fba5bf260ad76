/* hookonce list: what the tables hold, for people and for programs. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "core/outcome.h"
#include "operator/list.h"
#include "operator/which.h"
#include "store/views.h"

#define LIMIT_DEFAULT 20
#define LIMIT_MAX 1000

enum { OPT_PROVIDER, OPT_SOURCE, OPT_STATUS, OPT_LIMIT, OPT_WIDE, OPT_JOB, OPT_EVENT, OPT_N };
static const struct arg_option options[OPT_N] = {
    [OPT_PROVIDER] = {"provider", true},
    [OPT_SOURCE] = {"source", true},
    [OPT_STATUS] = {"status", true},
    [OPT_LIMIT] = {"limit", true},
    [OPT_WIDE] = {"wide", false},
    [OPT_JOB] = {"job", true},
    [OPT_EVENT] = {"event", true},
};

/* "2026-11-30 12:00:00.123456": whole seconds, or RFC 3339 in room. Anything else stays. */
static struct span shown_time(struct span at, bool json, char room[32])
{
    if (at.len < 19 || at.len > 26) {
        return at;
    }
    if (!json) {
        return span_sub(at, 0, 19);
    }
    memcpy(room, at.p, at.len);
    room[10] = 'T';
    room[at.len] = 'Z';
    return span_make(room, at.len + 1);
}

static void print_rows(const struct operator *op, const char *kind, const struct db_rows *rows,
                       bool wide)
{
    struct list_shown shown;
    struct span cells[TABLE_COLS_MAX];
    char room[TABLE_COLS_MAX][32];

    list_choose(rows, &shown);
    struct table *t = table_new(kind, shown.cols, shown.n);
    for (size_t i = 0; i < shown.n; i++) {
        table_rank(t, i, shown.as[i]->rank);
    }
    if (wide) {
        table_whole(t);
    }
    for (size_t row = 0; row < rows->n_rows; row++) {
        for (size_t i = 0; i < shown.n; i++) {
            struct span cell = db_cell(rows, row, shown.from[i]);
            cells[i] = shown.as[i]->kind == LIST_TIME ? shown_time(cell, op->json, room[i]) : cell;
        }
        table_row(t, cells);
    }
    table_print(t, stdout, op->json);
    table_free(t);
}

static int fail(const struct operator *op, const struct ho_err *err)
{
    if (db_what(err) == DB_NO_TABLE) {
        return operator_fail(op, EXIT_TROUBLE, "there are no tables yet; run hookonce migrate");
    }
    return operator_db_fail(op, err);
}

/* When nothing was found by a name that the config does not have, that is most likely why. */
static void note_unknown(const struct operator *op, const char *option, struct span given,
                         bool scopes)
{
    const struct settings *s = op->settings;
    struct nearest near = nearest_to(given);

    if (!span_present(given)) {
        return;
    }
    for (size_t i = 0; i < s->n_sources; i++) {
        const char *scope = scopes ? s->sources[i].provider : s->sources[i].name;
        if (span_is(given, s->sources[i].name) || span_is(given, scope)) {
            return;
        }
        nearest_try(&near, s->sources[i].name);
        nearest_try(&near, scope);
    }
    (void)operator_fail(op, EXIT_WELL, "the config knows no %s '%.*s'%s%s%s", option,
                        (int)given.len, (const char *)given.p,
                        near.word != NULL ? "; did you mean '" : "",
                        near.word != NULL ? near.word : "", near.word != NULL ? "'?" : "");
}

static bool is_filtered(const struct view_filter *f)
{
    return span_present(f->provider) || span_present(f->status) || span_present(f->source);
}

static int list(struct operator *op, const struct listing *l, const struct view_filter *f,
                bool wide)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct db_rows rows = {0};

    enum ho_code code = list_fetch_rows(operator_db(op), l, f, &rows, &err);
    if (code == HO_OK && rows.n_rows == 0) {
        if (!op->json) {
            (void)puts(is_filtered(f) ? "No such events." : l->none);
        }
        note_unknown(op, "provider", f->provider, true);
        note_unknown(op, "source", f->source, false);
    } else if (code == HO_OK) {
        print_rows(op, l->kind, &rows, wide);
        if (!op->json && rows.n_rows == f->limit) {
            (void)printf("(%u of them; --limit shows more)\n", f->limit);
        }
    }
    db_rows_free(&rows);
    return code == HO_OK ? EXIT_WELL : fail(op, &err);
}

/* ---- one event ---- */

static void say_receipt(const struct db_rows *rows, size_t row)
{
    static const struct {
        const char *name;
        int from;
    } lines[] = {
        {"event", VIEW_R_EVENT},   {"type", VIEW_R_TYPE},
        {"provider", VIEW_R_PROVIDER}, {"source", VIEW_R_SOURCE},
        {"status", VIEW_R_STATUS}, {"outcome", VIEW_R_OUTCOME},
        {"came again", VIEW_R_DUPLICATES}, {"correlation id", VIEW_R_CID},
    };
    struct buf text;

    buf_init(&text, 65536);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        buf_clear(&text);
        table_cell(db_cell(rows, row, (size_t)lines[i].from), 0, &text);
        (void)printf("%-15s %s\n", lines[i].name, buf_cstr(&text));
    }
    (void)putchar('\n');
    buf_free(&text);
}

static int show_one(struct operator *op, const struct db_rows *found, size_t row)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct db_rows rows = {0};
    struct db_rows one = *found;

    if (views_timeline(operator_db(op), db_cell(found, row, VIEW_R_CID), &rows, &err) != HO_OK) {
        db_rows_free(&rows);
        return fail(op, &err);
    }
    if (op->json) {
        one.cells += row * one.n_cols;
        one.n_rows = 1;
        print_rows(op, listings[0].kind, &one, true);
    } else {
        (void)fputs(row > 0 ? "\n" : "", stdout);
        say_receipt(found, row);
    }
    print_rows(op, "timeline", &rows, false);
    db_rows_free(&rows);
    return EXIT_WELL;
}

/* A word that names nothing may be a mistyped listing; ids mostly have more than letters. */
static int no_such(const struct operator *op, const char *what)
{
    bool is_word = strspn(what, "abcdefghijklmnopqrstuvwxyz") == strlen(what);
    char lists[256] = "";

    for (size_t i = 0; i < listings_n && is_word; i++) {
        size_t len = strlen(lists);
        (void)snprintf(lists + len, sizeof lists - len, "%s%s", i == 0 ? "; the lists are " : ", ",
                       listings[i].word);
    }
    return operator_fail(op, EXIT_TROUBLE, "no event, job or correlation id '%s'%s", what, lists);
}

static int show(struct operator *op, const struct which *what)
{
    struct db_rows found = {0};
    uint64_t job;

    int status = which_find(op, what, &found, &job);
    if (status == EXIT_WELL && found.n_rows == 0) {
        status = what->by == WHICH_ANY ? no_such(op, what->text) : which_nothing(op, what);
    }
    for (size_t row = 0; status == EXIT_WELL && row < found.n_rows; row++) {
        status = show_one(op, &found, row);
    }
    db_rows_free(&found);
    return status;
}

/* ---- arguments ---- */

struct list_args {
    const struct listing *listing;
    struct which id; /* text NULL: none */
    struct view_filter filter;
    bool wide;
};

static const struct listing *find_listing(const char *word)
{
    for (size_t i = 0; i < listings_n; i++) {
        const char *view = listings[i].view;
        if (strcmp(listings[i].word, word) == 0 || (view != NULL && strcmp(view, word) == 0)) {
            return &listings[i];
        }
    }
    return NULL;
}

static bool is_status(struct span word)
{
    for (enum receipt_status s = RECEIPT_RECEIVED; s <= RECEIPT_FAILED; s++) {
        if (span_is(word, receipt_status_word(s))) {
            return true;
        }
    }
    return false;
}

static bool apply(const struct operator *op, int option, const char *value, struct list_args *out)
{
    uint64_t limit = 0;

    switch (option) {
    case ARGS_WORD:
    case OPT_JOB:
    case OPT_EVENT:
        if (option == ARGS_WORD && out->listing == NULL && out->id.text == NULL &&
            find_listing(value) != NULL) {
            out->listing = find_listing(value);
        } else if (out->id.text == NULL) {
            out->id = (struct which){option == OPT_JOB     ? WHICH_JOB
                                     : option == OPT_EVENT ? WHICH_EVENT
                                                           : WHICH_ANY,
                                     value};
        } else {
            (void)operator_fail(op, EXIT_USAGE, "one id at a time; '%s' is too much", value);
            return false;
        }
        return true;
    case OPT_PROVIDER: out->filter.provider = span_of(value); return true;
    case OPT_SOURCE: out->filter.source = span_of(value); return true;
    case OPT_STATUS:
        out->filter.status = span_of(value);
        if (!is_status(out->filter.status)) {
            (void)operator_fail(op, EXIT_USAGE, "--status is received, processing, processed or "
                                                "failed, not '%s'", value);
            return false;
        }
        return true;
    case OPT_WIDE: out->wide = true; return true;
    case OPT_LIMIT:
        if (!text_uint(span_of(value), LIMIT_MAX, &limit) || limit == 0) {
            (void)operator_fail(op, EXIT_USAGE, "--limit wants a number from 1 to %d", LIMIT_MAX);
            return false;
        }
        out->filter.limit = (unsigned)limit;
        return true;
    default: return false;
    }
}

static int run(struct operator *op, int argc, char **argv)
{
    struct args a = args_of(op, argc, argv);
    struct list_args args = {.filter = {.limit = LIMIT_DEFAULT}};
    const char *value = NULL;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (!apply(op, got, value, &args)) {
            return EXIT_USAGE;
        }
    }
    bool filtered = is_filtered(&args.filter);
    bool receipts = args.listing == NULL || args.listing == &listings[0];
    if (filtered && (!receipts || args.id.text != NULL)) {
        return operator_fail(op, EXIT_USAGE, "--provider, --source and --status are for receipts");
    }
    int status = operator_need_settings(op);
    if (status != EXIT_WELL) {
        return status;
    }
    if (args.id.text != NULL) {
        return show(op, &args.id);
    }
    if (args.listing != NULL && args.listing->print != NULL) {
        return args.listing->print(op);
    }
    return list(op, args.listing != NULL ? args.listing : &listings[0], &args.filter, args.wide);
}

const struct command cmd_list = {
    .name = "list",
    .synopsis = "[NAME | ID] [--limit N] [--provider NAME] [--source NAME] [--status WORD]\n"
                "       [--wide]",
    .summary = "shows events, jobs, dead letters and conflicts, or the story of one event",
    .help =
        "NAME is one of these; the views of a console (hookonce_NAME) show the same:\n"
        "\n"
        "  receipts   the newest events (also without a word)\n"
        "  jobs       what is not done yet, what is due first at the top\n"
        "  dead       dead letters: jobs that were given up and wait for you\n"
        "  discarded  jobs that a person discarded, who it was and why\n"
        "  conflicts  genuine deliveries that contradict what is stored\n"
        "  attempts   tries, the newest first\n"
        "  flows      what has business keys and objects in the tables, and the routes of each\n"
        "  workers    processors at work, and those that vanished within a day\n"
        "  overview   whether all is well, one fact a row\n"
        "  commands   what persons asked for, and what came of it\n"
        "  duplicates events that came again, among the newest\n"
        "  paused     what is paused now\n"
        "  alerts     what somebody should look at\n"
        "  spool      what each host keeps that is not in the database yet\n"
        "  settings   the config that runs, without secrets\n"
        "  hourly, daily, latency, quiet_sources: the numbers\n"
        "  ID         an event id, a job's number or a correlation id: all that happened to that\n"
        "             event, in order\n"
        "\n"
        WHICH_HELP
        "  --limit N        so many rows, 20 without it, at most 1000\n"
        "  --provider NAME  receipts of this dedupe scope only\n"
        "  --source NAME    receipts that this source delivered\n"
        "  --status WORD    receipts that are received, processing, processed or failed\n"
        "  --wide           every column, nothing cut, however narrow the terminal\n"
        "\n"
        "Times are UTC. In ids, bytes that a terminal should not see are shown as \\xNN. --json\n"
        "prints one object a line, nothing cut.\n"
        "\n"
        "examples:\n"
        "  hookonce list\n"
        "  hookonce list --provider stripe --status failed\n"
        "  hookonce list dead --json\n"
        "  hookonce list evt_1PqWxYz\n",
    .run = run,
};
