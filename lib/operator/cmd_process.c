/* hookonce process: what cron starts. Silent when all is well. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "operator/operator.h"
#include "work/process.h"

#define FOR_MAX_MS (24 * 60 * 60 * INT64_C(1000))

enum { OPT_FOR, OPT_ONCE, OPT_WORKERS };
static const struct arg_option options[] = {
    [OPT_FOR] = {"for", true},
    [OPT_ONCE] = {"once", false},
    [OPT_WORKERS] = {"workers", true},
};

static bool set_option(struct operator *op, int option, const char *value,
                       struct process_options *out)
{
    uint64_t number;

    switch (option) {
    case OPT_ONCE:
        out->once = true;
        return true;
    case OPT_FOR:
        if (text_duration(span_of(value), &out->for_ms) && out->for_ms >= 1000 &&
            out->for_ms <= FOR_MAX_MS) {
            return true;
        }
        (void)operator_fail(op, EXIT_USAGE, "--for takes a time from 1s to 24h, not '%s'", value);
        return false;
    case OPT_WORKERS:
        if (text_uint(span_of(value), PROCESS_WORKERS_MAX, &number) && number > 0) {
            out->workers = (unsigned)number;
            return true;
        }
        (void)operator_fail(op, EXIT_USAGE, "--workers takes a number from 1 to %d, not '%s'",
                            PROCESS_WORKERS_MAX, value);
        return false;
    default:
        return false;
    }
}

static bool read_options(struct operator *op, int argc, char **argv, struct process_options *out)
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

static int run(struct operator *op, int argc, char **argv)
{
    struct process_options how = {.for_ms = 55000, .once = false, .workers = 1};
    struct process_result result = {false, false, false};
    struct ho_err err = {HO_OK, 0, ""};
    struct span key;

    if (!read_options(op, argc, argv, &how)) {
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
    log_open(op->settings->log_file);
    enum ho_code code = process_run(op->settings, key, &how, &result, &err);
    return status_of(op, code, &result, &err);
}

const struct command cmd_process = {
    .name = "process",
    .synopsis = "[--for TIME] [--once] [--workers N]",
    .summary = "runs the jobs that are due; start it from cron every minute",
    .help =
        "  --for TIME   begin nothing after so much time (55s); cron starts the next run\n"
        "  --once       end as soon as nothing is due, at the latest after --for\n"
        "  --workers N  so many jobs at once, each in a process of its own (1)\n"
        "\n"
        "Only one run works at a time in a state directory; another one ends at once, silently\n"
        "and with status 0. SIGTERM lets the job in hand finish and gives the others back; after\n"
        "a kill -9 they are taken up again when their lease ends. While the database is away it\n"
        "waits. Status 1: a job of this run became a dead letter (`hookonce list dead`), or the\n"
        "run could not go on. Status 69: the database was never reached.\n",
    .run = run,
};
