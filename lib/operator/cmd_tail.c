/* hookonce tail: what happens, a line each, as it happens. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "operator/operator.h"
#include "operator/table.h"
#include "store/tail.h"
#include "work/signals.h"

#define LOOK_MS 1000
#define FOR_MAX_MS (366 * 24 * 60 * 60 * INT64_C(1000))
#define LINE_MAX_BYTES (1UL << 20)

enum { OPT_SOURCE, OPT_TYPE, OPT_FOR, OPT_N };
static const struct arg_option options[OPT_N] = {
    [OPT_SOURCE] = {"source", true},
    [OPT_TYPE] = {"type", true},
    [OPT_FOR] = {"for", true},
};

static const struct table_col columns[TAIL_N] = {
    [TAIL_AT] = {"at", TABLE_TEXT, 0},           [TAIL_WHAT] = {"what", TABLE_TEXT, 0},
    [TAIL_SOURCE] = {"source", TABLE_TEXT, 0},   [TAIL_TYPE] = {"event_type", TABLE_TEXT, 0},
    [TAIL_EVENT] = {"event_id", TABLE_TEXT, 0},  [TAIL_JOB] = {"job", TABLE_NUMBER, 0},
    [TAIL_ROUTE] = {"route", TABLE_TEXT, 0},     [TAIL_OUTCOME] = {"outcome", TABLE_TEXT, 0},
    [TAIL_DETAIL] = {"detail", TABLE_TEXT, 0},   [TAIL_CID] = {"correlation_id", TABLE_TEXT, 0},
};

struct tailing {
    struct operator *op;
    const char *source, *type; /* NULL: all */
    int64_t for_ms;
};

static bool is_wanted(const struct tailing *t, const struct span *cells)
{
    return (t->source == NULL || span_is(cells[TAIL_SOURCE], t->source)) &&
           (t->type == NULL || text_glob(t->type, cells[TAIL_TYPE]));
}

static void print_json(const struct span *cells)
{
    struct span shown[TAIL_N];
    char at[32];

    memcpy(shown, cells, sizeof shown);
    if (cells[TAIL_AT].len > 10 && cells[TAIL_AT].len + 1 < sizeof at) {
        (void)snprintf(at, sizeof at, "%.*sZ", (int)cells[TAIL_AT].len,
                       (const char *)cells[TAIL_AT].p);
        at[10] = 'T';
        shown[TAIL_AT] = span_of(at);
    }
    struct table *table = table_new("tail", columns, TAIL_N);
    table_row(table, shown);
    table_print(table, stdout, true);
    table_free(table);
}

/* A cell, and blanks up to its column's width; two at least. */
static void put(struct buf *line, struct span cell, size_t width)
{
    size_t before = line->len;

    table_cell(span_present(cell) ? cell : SPAN_LIT("-"), 0, line);
    size_t taken = table_width(span_sub(buf_span(line), before, SIZE_MAX));
    size_t blanks = taken < width ? width - taken + 2 : 2;
    for (size_t n = 0; n < blanks; n++) {
        table_must(buf_add_byte(line, ' '));
    }
}

static void print_line(const struct span *cells)
{
    struct buf line;

    buf_init(&line, LINE_MAX_BYTES);
    put(&line, span_sub(cells[TAIL_AT], 11, 8), 8);
    put(&line, cells[TAIL_WHAT], 8);
    if (!span_is(cells[TAIL_WHAT], "command")) {
        put(&line, cells[TAIL_SOURCE], 10);
        put(&line, cells[TAIL_TYPE], 28);
        put(&line, cells[TAIL_EVENT], 28);
    }
    if (span_present(cells[TAIL_JOB])) {
        table_must(buf_add_str(&line, "job "));
        put(&line, cells[TAIL_JOB], 0);
    }
    if (cells[TAIL_ROUTE].len > 0) {
        put(&line, cells[TAIL_ROUTE], 0);
    }
    if (span_present(cells[TAIL_OUTCOME])) {
        put(&line, cells[TAIL_OUTCOME], 0);
    }
    if (span_present(cells[TAIL_DETAIL])) {
        put(&line, cells[TAIL_DETAIL], 0);
    }
    struct span text = span_trim(buf_span(&line));
    (void)printf("%.*s\n", (int)text.len, (const char *)text.p);
    buf_free(&line);
}

static void tell(void *arg, const struct span *cells)
{
    const struct tailing *t = arg;

    if (!is_wanted(t, cells)) {
        return;
    }
    if (t->op->json) {
        print_json(cells);
    } else {
        print_line(cells);
    }
}

static bool read_args(struct operator *op, int argc, char **argv, struct tailing *out)
{
    struct args a = args_of(op, argc, argv);
    const char *value = NULL;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        switch (got) {
        case OPT_SOURCE: out->source = value; break;
        case OPT_TYPE: out->type = value; break;
        case OPT_FOR:
            if (!text_duration(span_of(value), &out->for_ms) || out->for_ms < 0 ||
                out->for_ms > FOR_MAX_MS) {
                (void)operator_fail(op, EXIT_USAGE, "--for takes a time such as 10m, not '%s'",
                                    value);
                return false;
            }
            break;
        case ARGS_WORD:
            (void)operator_fail(op, EXIT_USAGE, "'%s' is too much; see --help", value);
            return false;
        default:
            return false;
        }
    }
    return true;
}

/* A database that is away is waited for: it may be what somebody is watching. */
static int follow(struct tailing *t)
{
    struct tail *tail = tail_new();
    struct deadline end = deadline_in(t->for_ms);
    struct ho_err err = {HO_OK, 0, ""};
    bool away = false, more = false, heard = true;
    int status = EXIT_WELL;

    while (status == EXIT_WELL && heard && !signals_stop()) {
        enum ho_code code = tail_look(tail, operator_db(t->op), tell, t, &more, &err);
        if (code != HO_OK && (code != HO_TRANSIENT || deadline_left_ms(end) == 0)) {
            status = operator_db_fail(t->op, &err);
        } else if (code == HO_TRANSIENT && !away) {
            (void)operator_db_fail(t->op, &err);
        }
        away = code == HO_TRANSIENT;
        heard = fflush(stdout) == 0;
        if (deadline_left_ms(end) == 0) {
            break;
        }
        if (!more) {
            signals_wait(-1, deadline_left_ms(end) < LOOK_MS ? deadline_left_ms(end) : LOOK_MS);
        }
    }
    tail_free(tail);
    return status;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct tailing t = {.op = op, .for_ms = FOR_MAX_MS};

    if (!read_args(op, argc, argv, &t)) {
        return EXIT_USAGE;
    }
    int status = operator_need_settings(op);
    if (status != EXIT_WELL) {
        return status;
    }
    if (t.source != NULL && settings_source(op->settings, span_of(t.source)) == NULL) {
        (void)operator_fail(op, EXIT_WELL, "note: the config has no source '%s'", t.source);
    }
    signals_take(); /* Ctrl-C is how it ends; whoever reads may go, too */
    return follow(&t);
}

const struct command cmd_tail = {
    .name = "tail",
    .synopsis = "[--source NAME] [--type PATTERN] [--for TIME]",
    .summary = "shows what happens as it happens: events, ends of jobs, dead letters, commands",
    .help =
        "One line each, a second after it is committed at the latest, until Ctrl-C:\n"
        "  received  a new event (not its repetitions)\n"
        "  done      a job has ended, and how\n"
        "  dead      a job has become a dead letter, and why\n"
        "  conflict  a genuine delivery was refused, for it contradicts an event\n"
        "  command   a command was asked for, has begun or has ended\n"
        "\n"
        "  --source NAME   only what this source brought\n"
        "  --type PATTERN  only events of this type; * stands for anything: 'customer.*'\n"
        "  --for TIME      ends after this time, e.g. 10m\n"
        "\n"
        "With --json an object a line. The database may go away meanwhile; what it took is shown when\n"
        "it is back.\n"
        "\n"
        "examples:\n"
        "  hookonce tail\n"
        "  hookonce tail --source stripe --type 'checkout.*'\n"
        "  hookonce tail --json --for 1h > hour.jsonl\n",
    .run = run,
};
