/* hookonce check: whether this installation is sound, and where somebody has to look. */
#include <stdio.h>

#include "operator/check.h"
#include "operator/table.h"

enum { OPT_QUIET, OPT_HOST, OPT_URL, OPT_FINDINGS, OPT_N };
static const struct arg_option options[OPT_N] = {
    [OPT_QUIET] = {"quiet", false}, [OPT_HOST] = {"host", false}, [OPT_URL] = {"url", true},
    [OPT_FINDINGS] = {"findings", false}};

/* The table: a row for each kind of host that has a way of its own to mend it. */
static int print_findings(const struct operator *op)
{
    static const struct table_col cols[] = {
        {"id", TABLE_TEXT, 0},   {"level", TABLE_TEXT, 0}, {"host", TABLE_TEXT, 0},
        {"what", TABLE_TEXT, 0}, {"why", TABLE_TEXT, 0},   {"mend", TABLE_TEXT, 0}};
    struct table *t = table_new("finding", cols, sizeof cols / sizeof cols[0]);

    for (int id = 0; id < FINDING_N; id++) {
        const struct finding_row *row = finding_row((enum finding_id)id);
        for (int kind = 0; kind < HOST_KINDS; kind++) {
            const struct span cells[] = {
                span_of(row->id),   span_of(finding_levels[row->level]), span_of(host_kinds[kind]),
                span_of(row->what), span_of(row->why),                   span_of(row->mend[kind])};
            if (row->mend[kind] != NULL) {
                table_row(t, cells);
            }
        }
    }
    table_print(t, stdout, op->json);
    table_free(t);
    return EXIT_WELL;
}

static int find_url(struct operator *op, const char **url)
{
    int status = operator_need_settings(op);

    if (status == EXIT_WELL && op->settings->url == NULL) {
        return operator_fail(op, EXIT_USAGE, "through which address? give --url URL, or set url in "
                                             "section [hookonce]");
    }
    *url = status == EXIT_WELL ? op->settings->url : NULL;
    return status;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct args a = args_of(op, argc, argv);
    struct check c = {.op = op};
    const char *value = NULL;
    bool host = false, table = false;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_WORD) {
            return operator_fail(op, EXIT_USAGE, "'%s' is too much; see --help", value);
        }
        if (got == ARGS_BAD) {
            return EXIT_USAGE;
        }
        c.quiet = c.quiet || got == OPT_QUIET;
        host = host || got == OPT_HOST;
        table = table || got == OPT_FINDINGS;
        c.url = got == OPT_URL ? value : c.url;
    }
    if (table) {
        return print_findings(op);
    }
    if (host && c.url == NULL) {
        int status = find_url(op, &c.url);
        if (status != EXIT_WELL) {
            return status;
        }
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
    .synopsis = "[--host | --url URL] [--quiet]\n"
                "       --findings",
    .summary = "looks whether config, files, secrets, database and queue are sound",
    .help =
        "Prints one line a finding:\n"
        "\n"
        "  ok    sound\n"
        "  note  worth knowing, nothing to do\n"
        "  warn  works, but somebody should look\n"
        "  FAIL  does not work, or promises less than it should\n"
        "\n"
        "  --host     looks at the host, too: from outside, by requests to url of [hookonce], and from\n"
        "             inside\n"
        "  --url URL  the same through that address of the receiver\n"
        "  --findings lists what may be found of a host, and how to mend it on which kind\n"
        "  --quiet    prints only warn and FAIL: for cron, which mails what is printed\n"
        "\n"
        "The server looks at the SQL of every handler, and runs none. Jobs that are due for more\n"
        "than 3 minutes while no processor was seen are a warn. An alarm whose cause check itself\n"
        "sees gone is a note that ends in (over).\n"
        "\n"
        "Changes nothing. Prints no secret and no part of one. Ends with 1 when something FAILs, a\n"
        "config that is refused among it, else with 0. schema/RUNBOOK.md says what to do about\n"
        "each alarm.\n"
        "\n"
        "With --host or --url some 60 requests go to that address and to no other, with a ticket for\n"
        "the receiver's probe (URL/setup/echo) that is good for 10 minutes: is a POST redirected, are\n"
        "headers and bodies as they were sent, how large may they be, are private files served, do\n"
        "clocks agree, does IPv6 lead here. From inside: cron, limits, the database's quotas. Addresses\n"
        "that the config names are connected to, and told nothing. Each finding says what is so, why\n"
        "it matters, and how to mend it on this kind of host; schema/RUNBOOK.md lists them.\n"
        "\n"
        "examples:\n"
        "  hookonce check\n"
        "  hookonce check --url https://example.com/hookonce.fcgi\n"
        "  hookonce check --quiet --json\n",
    .run = run,
};
