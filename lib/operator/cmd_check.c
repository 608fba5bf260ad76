/* hookonce check: whether this installation is sound, and where somebody has to look. */
#include <stdio.h>

#include "operator/check.h"

enum { OPT_QUIET, OPT_N };
static const struct arg_option options[OPT_N] = {[OPT_QUIET] = {"quiet", false}};

static void check_all(struct check *c)
{
    struct endpoints *endpoints = NULL;
    struct ho_err err = {HO_OK, 0, ""};

    if (operator_settings(c->op, &err) != HO_OK) {
        found(c, FOUND_FAIL, "config", "%s", err.text);
        return;
    }
    check_files(c);
    check_page(c);
    if (endpoints_load(c->op->file, &endpoints, &err) != HO_OK) {
        found(c, FOUND_FAIL, "config", "%s", err.text);
    } else {
        c->endpoints = endpoints;
        found(c, FOUND_OK, "config", "%s is sound", c->op->file);
        check_sources(c);
        check_wishes(c);
        check_routes(c);
    }
    check_outside(c);
    check_spool(c);
    size_t failed = c->n[FOUND_FAIL];
    if (check_database(c)) {
        check_users(c);
        check_seals(c);
        c->over[ALARM_DATABASE] = c->n[FOUND_FAIL] == failed;
        check_handlers(c);
        check_flows(c);
        check_work(c);
        check_questions(c);
        check_alerts(c);
        c->known = true;
    }
    check_counters(c);
    c->endpoints = NULL;
    endpoints_free(endpoints);
}

static int run(struct operator *op, int argc, char **argv)
{
    struct args a = args_of(op, argc, argv);
    struct check c = {.op = op};
    const char *value = NULL;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_WORD) {
            return operator_fail(op, EXIT_USAGE, "'%s' is too much; see --help", value);
        }
        if (got != OPT_QUIET) {
            return EXIT_USAGE;
        }
        c.quiet = true;
    }
    check_all(&c);
    if (!c.quiet && !op->json) {
        (void)printf("%zu FAIL, %zu warn, %zu note, %zu ok\n", c.n[FOUND_FAIL], c.n[FOUND_WARN],
                     c.n[FOUND_NOTE], c.n[FOUND_OK]);
    }
    return c.n[FOUND_FAIL] == 0 ? EXIT_WELL : EXIT_TROUBLE;
}

const struct command cmd_check = {
    .name = "check",
    .synopsis = "[--quiet]",
    .summary = "looks whether config, files, secrets, database and queue are sound",
    .help =
        "Prints one line a finding:\n"
        "\n"
        "  ok    sound\n"
        "  note  worth knowing, nothing to do\n"
        "  warn  works, but somebody should look\n"
        "  FAIL  does not work, or promises less than it should\n"
        "\n"
        "  --quiet  prints only warn and FAIL: for cron, which mails what is printed\n"
        "\n"
        "The server looks at the SQL of every handler, and runs none. Jobs that are due for more\n"
        "than 3 minutes while no processor was seen are a warn. An alarm whose cause check itself\n"
        "sees gone is a note that ends in (over).\n"
        "\n"
        "Changes nothing. Prints no secret and no part of one. Ends with 1 when something FAILs, a\n"
        "config that is refused among it, else with 0. schema/RUNBOOK.md says what to do about\n"
        "each alarm.\n"
        "\n"
        "examples:\n"
        "  hookonce check\n"
        "  hookonce check --quiet --json\n",
    .run = run,
};
