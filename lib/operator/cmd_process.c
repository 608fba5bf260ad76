/* hookonce process: what cron starts. Silent when all is well. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "operator/fetching.h"
#include "operator/operator.h"
#include "operator/table.h"
#include "operator/watching.h"
#include "store/view.h"
#include "work/process.h"

#define FOR_MAX_MS (24 * 60 * 60 * INT64_C(1000))

enum { OPT_FOR, OPT_ONCE, OPT_PASS, OPT_WORKERS, OPT_VERBOSE, OPT_V };
static const struct arg_option options[] = {
    [OPT_FOR] = {"for", true},
    [OPT_ONCE] = {"once", false},
    [OPT_PASS] = {"pass", false},
    [OPT_WORKERS] = {"workers", true},
    [OPT_VERBOSE] = {"verbose", false},
    [OPT_V] = {"v", false},
};

struct process_args {
    struct process_options how;
    bool verbose;
};

static bool set_option(struct operator *op, int option, const char *value,
                       struct process_args *out)
{
    uint64_t number;

    switch (option) {
    case OPT_ONCE:
        out->how.once = true;
        return true;
    case OPT_PASS:
        out->how.pass = true;
        return true;
    case OPT_VERBOSE:
    case OPT_V:
        out->verbose = true;
        return true;
    case OPT_FOR:
        if (text_duration(span_of(value), &out->how.for_ms) &&
            out->how.for_ms >= 1000 && out->how.for_ms <= FOR_MAX_MS) {
            return true;
        }
        (void)operator_fail(op, EXIT_USAGE, "--for takes a time from 1s to 24h, not '%s'", value);
        return false;
    case OPT_WORKERS:
        if (text_uint(span_of(value), PROCESS_WORKERS_MAX, &number) && number > 0) {
            out->how.workers = (unsigned)number;
            return true;
        }
        (void)operator_fail(op, EXIT_USAGE, "--workers takes a number from 1 to %d, not '%s'",
                            PROCESS_WORKERS_MAX, value);
        return false;
    default:
        return false;
    }
}

static bool read_options(struct operator *op, int argc, char **argv, struct process_args *out)
{
    struct args a = args_of(op, argc, argv);
    const char *value;

    for (;;) {
        int got = args_next(&a, options, sizeof options / sizeof options[0], &value);
        if (got == ARGS_END) {
            return true;
        }
        if (got == ARGS_WORD) {
            (void)operator_fail(op, EXIT_USAGE, "does not know what to do with '%s'", value);
            return false;
        }
        if (got == ARGS_BAD || !set_option(op, got, value, out)) {
            return false;
        }
    }
}

static int status_of(const struct operator *op, enum ho_code code,
                     const struct process_result *result, const struct ho_err *err)
{
    switch (code) {
    case HO_OK:
        if (!result->reached && !result->busy && err->text[0] != '\0') {
            return operator_fail(op, EXIT_DATABASE, "%s%s", err->text, operator_db_hint(err));
        }
        return result->dead ? EXIT_TROUBLE : EXIT_WELL;
    case HO_REJECT:
        return operator_fail(op, EXIT_USAGE, "%s", err->text);
    case HO_BUG:
        return operator_fail(op, EXIT_BUG, "%s", err->text);
    case HO_TRANSIENT:
    case HO_PERMANENT:
        break;
    }
    return operator_fail(op, result->reached ? EXIT_TROUBLE : EXIT_DATABASE, "%s%s",
                         err->text, operator_db_hint(err));
}

/* Notes the moment of the start; "" when there is no database to say it, which is told at once,
 * since the run goes on trying. The link is closed: workers may be forked. */
static void note_start(struct operator *op, char start[32], int64_t for_ms)
{
    struct ho_err err = {HO_OK, 0, ""};

    if (view_now(operator_db(op), start, &err) != HO_OK) {
        start[0] = '\0';
        (void)operator_fail(op, EXIT_DATABASE, "%s%s; trying again for %lld s", err.text,
                            operator_db_hint(&err), (long long)(for_ms / 1000));
    }
    db_disconnect(operator_db(op));
}

/* One line for who looks on. What other hosts did meanwhile is counted too. */
static void say_summary(struct operator *op, const char *start, bool busy)
{
    struct view_since since;
    struct ho_err ignored;
    struct buf error;
    char put_off[48] = "";

    if (busy) {
        (void)puts("another run is at work");
        return;
    }
    if (start[0] == '\0' || view_since(operator_db(op), start, &since, &ignored) != HO_OK) {
        return;
    }
    buf_init(&error, 8 * sizeof since.error);
    table_cell(span_of(since.error), 0, &error);
    if (since.put_off > 0) {
        (void)snprintf(put_off, sizeof put_off, ", %lld put off", (long long)since.put_off);
    }
    (void)printf("%lld done, %lld dead, %lld failed and waiting%s%s%.19s%s%s%s\n",
                 (long long)since.done, (long long)since.dead, (long long)since.waiting, put_off,
                 since.next[0] != '\0' ? ", next try at " : "", since.next,
                 since.next[0] != '\0' ? " UTC" : "", error.len > 0 ? "; last error: " : "",
                 buf_cstr(&error));
    buf_free(&error);
}

static int run(struct operator *op, int argc, char **argv)
{
    struct process_args args = {
        .how = {.for_ms = 55000, .once = false, .workers = 1, .hooks = &fetching_hooks,
                .watch = &watching_hooks}};
    char start[32] = "";
    struct process_result result = {false, false, false};
    struct ho_err err = {HO_OK, 0, ""};
    struct span key;

    if (!read_options(op, argc, argv, &args)) {
        return EXIT_USAGE;
    }
    int status = operator_need_settings(op);
    if (status != EXIT_WELL) {
        return status;
    }
    if (operator_key(op, &key, &err) != HO_OK) {
        return operator_fail(op, EXIT_USAGE, "%s%s", err.text,
                             access(op->settings->key_file, F_OK) != 0
                                 ? "; if this is a new installation, run: hookonce migrate"
                                 : "");
    }
    (void)mkdir(op->settings->state_dir, 0700); /* the log may lie in it; the run says if it can't */
    log_open(&op->settings->log);
    bool tells = args.verbose || (args.how.once && !op->json && table_is_terminal(stdout));
    if (tells) {
        note_start(op, start, args.how.for_ms);
    }
    enum ho_code code = process_run(op->settings, key, &args.how, &result, &err);
    if (tells) {
        say_summary(op, start, result.busy);
    }
    return status_of(op, code, &result, &err);
}

const struct command cmd_process = {
    .name = "process",
    .synopsis = "[--for TIME] [--once | --pass] [--workers N] [--verbose]",
    .summary = "runs the jobs that are due; start it from cron every minute",
    .help =
        "  --for TIME   begin nothing after so much time, default 55s; cron starts the next run\n"
        "  --once       end as soon as nothing is due, at the latest after --for\n"
        "  --pass       as the receiver starts it behind an answer (after_answer): runs beside a run of\n"
        "               cron, and only one pass at a time\n"
        "  --workers N  so many jobs at once, each in a process of its own, default 1\n"
        "  -v, --verbose\n"
        "               says at the end in a line what was done; so does --once on a terminal\n"
        "\n"
        "Only one run works at a time in a state directory; another one ends at once, silently\n"
        "and with status 0. SIGTERM lets the job in hand finish and gives the others back; after\n"
        "a kill -9 they are taken up again when their lease ends. While the database is away it\n"
        "waits. Status 1: a job of this run became a dead letter (`hookonce list dead`), or the\n"
        "run could not go on. Status 69: the database was never reached.\n",
    .run = run,
};
