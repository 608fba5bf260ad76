/* hookonce capture: keeps refused requests of a source for a while, to find out why. */
#include <stdio.h>

#include "base/clock.h"
#include "base/text.h"
#include "operator/source_arg.h"
#include "store/captures.h"
#include "store/door.h"

#define FOR_DEFAULT_MS (10 * 60 * INT64_C(1000))
#define FILES_DEFAULT 20

enum { OPT_FOR, OPT_MAX, OPT_OFF, OPT_LIST, OPT_N };

static const struct arg_option options[OPT_N] = {
    [OPT_FOR] = {"for", true},
    [OPT_MAX] = {"max", true},
    [OPT_OFF] = {"off", false},
    [OPT_LIST] = {"list", false},
};

struct capture_args {
    const char *source;
    int64_t for_ms;
    unsigned files;
    bool off, list;
};

static bool apply(const struct operator *op, int option, const char *value,
                  struct capture_args *out)
{
    uint64_t n = 0;

    switch (option) {
    case OPT_FOR:
        return source_arg_time(op, "for", value, DOOR_MAX_MS, &out->for_ms);
    case OPT_MAX:
        if (!text_uint(span_of(value), DOOR_FILES_MAX, &n) || n == 0) {
            (void)operator_fail(op, EXIT_USAGE, "--max wants a number from 1 to %d",
                                DOOR_FILES_MAX);
            return false;
        }
        out->files = (unsigned)n;
        return true;
    case OPT_OFF:
        out->off = true;
        return true;
    case OPT_LIST:
        out->list = true;
        return true;
    default:
        return false;
    }
}

static int read_args(struct operator *op, int argc, char **argv, struct capture_args *out)
{
    struct args a = args_of(op, argc, argv);
    const char *value = NULL;
    int got;

    *out = (struct capture_args){.for_ms = FOR_DEFAULT_MS, .files = FILES_DEFAULT};
    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_WORD) {
            if (source_arg_word(op, value, &out->source) != EXIT_WELL) {
                return EXIT_USAGE;
            }
        } else if (!apply(op, got, value, out)) {
            return EXIT_USAGE;
        }
    }
    return out->source != NULL ? EXIT_WELL
                               : operator_fail(op, EXIT_USAGE, "which source? hookonce capture "
                                                               "SOURCE [--for 10m] [--max 20]");
}

static int list(const struct operator *op, const char *source)
{
    char **paths = NULL;
    size_t n = 0;

    captures_list(op->settings->state_dir, span_of(source), &paths, &n);
    for (size_t i = 0; i < n; i++) {
        (void)printf("%s\n", paths[i]);
    }
    captures_free(paths, n);
    return EXIT_WELL;
}

static int arm(const struct operator *op, const struct capture_args *args)
{
    const struct door_terms terms = {.until_us = clock_wall_us() + args->for_ms * 1000,
                                     .files = args->files};
    struct ho_err err = {HO_OK, 0, ""};
    char until[32];

    if (door_open(op->settings->state_dir, DOOR_CAPTURE, args->source, &terms, &err) != HO_OK) {
        return operator_fail(op, EXIT_TROUBLE, "%s", err.text);
    }
    text_rfc3339_put(terms.until_us, false, until);
    until[19] = '\0'; /* whole seconds are enough for people */
    (void)printf("Until %s UTC refused requests of source %s are kept, the newest %u, as private\n"
                 "files in %s/capture. They hold what the sender sent, so perhaps personal data; they\n"
                 "are removed after a day. Look at one with:\n"
                 "  hookonce explain --last %s\n",
                 until, args->source, args->files, op->settings->state_dir, args->source);
    return EXIT_WELL;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct endpoints *all = NULL;
    struct capture_args args;
    int status = read_args(op, argc, argv, &args);

    if (status == EXIT_WELL) {
        status = source_arg_load(op, &all);
    }
    if (status == EXIT_WELL && source_arg(op, all, args.source) == NULL) {
        status = EXIT_USAGE;
    }
    endpoints_free(all);
    if (status != EXIT_WELL) {
        return status;
    }
    if (args.list) {
        return list(op, args.source);
    }
    if (args.off) {
        (void)printf("%s\n", door_close(op->settings->state_dir, DOOR_CAPTURE, span_of(args.source))
                                 ? "Off: nothing is kept any more. Files that are there stay a day."
                                 : "It was not on.");
        return EXIT_WELL;
    }
    return arm(op, &args);
}

const struct command cmd_capture = {
    .name = "capture",
    .synopsis = "SOURCE [--for TIME] [--max N] [--off] [--list]",
    .summary = "keeps refused requests of a source for a while, to find out why",
    .help =
        "Refused requests leave nothing but a log line. For the time that is given here they are\n"
        "kept as private files, without the database; `hookonce explain` says of each, step by\n"
        "step, why it was refused.\n"
        "\n"
        "  --for TIME   how long, at most 24h; default 10m\n"
        "  --max N      so many files, the newest ones; default 20, at most 100\n"
        "  --off        ends it\n"
        "  --list       names the files that are there\n"
        "\n"
        "example:\n"
        "  hookonce capture stripe --for 30m\n",
    .run = run,
};
