/* hookonce tick-url: an address for those who can call addresses and nothing else. */
#include <stdio.h>

#include "base/clock.h"
#include "base/text.h"
#include "core/ticket.h"
#include "operator/operator.h"

#define SECOND_MS INT64_C(1000)
#define DAY_MS (24 * 60 * 60 * SECOND_MS)
#define FOR_MS (365 * DAY_MS)
#define FOR_MAX_MS (3650 * DAY_MS)
#define FOR_LEAST_MS (60 * SECOND_MS)

enum { OPT_FOR, OPT_HEADER, OPT_N };
static const struct arg_option options[OPT_N] = {[OPT_FOR] = {"for", true},
                                                 [OPT_HEADER] = {"header", false}};

struct tick_args {
    int64_t for_ms;
    bool header;
};

static int read_options(struct operator *op, int argc, char **argv, struct tick_args *out)
{
    struct args a = args_of(op, argc, argv);
    const char *value = NULL;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_WORD) {
            return operator_fail(op, EXIT_USAGE, "'%s' is too much; see --help", value);
        }
        if (got == OPT_HEADER) {
            out->header = true;
        } else if (got != OPT_FOR) {
            return EXIT_USAGE;
        } else if (!text_duration(span_of(value), &out->for_ms) || out->for_ms < FOR_LEAST_MS ||
                   out->for_ms > FOR_MAX_MS) {
            return operator_fail(op, EXIT_USAGE, "--for takes a time from 1m to 3650d, not '%s'",
                                 value);
        }
    }
    return EXIT_WELL;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct tick_args args = {FOR_MS, false};
    char ticket[TICKET_ROOM];
    struct ho_err err = {HO_OK, 0, ""};
    struct span key;

    int status = read_options(op, argc, argv, &args);
    status = status == EXIT_WELL ? operator_need_settings(op) : status;
    if (status != EXIT_WELL) {
        return status;
    }
    if (!op->settings->tick) {
        return operator_fail(op, EXIT_USAGE, "[processor] tick is off: the receiver answers 404");
    }
    if (op->settings->url == NULL) {
        return operator_fail(op, EXIT_USAGE, "the config does not say the receiver's address: add "
                                             "`url = https://...` to [hookonce]");
    }
    if (operator_key(op, &key, &err) != HO_OK) {
        return operator_fail(op, EXIT_USAGE, "%s", err.text);
    }
    ticket_make(key, TICKET_TICK, (clock_wall_us() / 1000 + args.for_ms) / SECOND_MS, ticket);
    (void)printf(args.header ? "%s/tick\nAuthorization: Bearer %s\n" : "%s/tick?ticket=%s\n",
                 op->settings->url, ticket);
    return EXIT_WELL;
}

const struct command cmd_tick_url = {
    .name = "tick-url",
    .synopsis = "[--for TIME] [--header]",
    .summary = "prints an address that starts the processor, for a host without cron",
    .help =
        "Who calls it, by GET or POST, has the receiver start `hookonce process --for 20s` and is\n"
        "answered at once; while one is at work, that is all. For a web host's cron form or a monitor\n"
        "that takes only addresses: every minute, or as often as it can. The address needs no login,\n"
        "and lets nobody do anything else. It ends with its time, with the key file of this\n"
        "installation, or with `tick = no` in [processor]; it can't be called back one by one.\n"
        "\n"
        "  --for TIME   how long it works, from 1m to 3650d; default 365d\n"
        "  --header     the ticket as a header of its own, which does not end up in the web server's\n"
        "               log\n"
        "\n"
        "examples:\n"
        "  hookonce tick-url\n"
        "  hookonce tick-url --for 30d --header\n",
    .run = run,
};
