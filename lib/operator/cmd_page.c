/* hookonce page: what the receiver answers to /health, /metrics and /status, and what a shell may
 * ask for as well. */
#include <string.h>

#include "operator/operator.h"

static const char *const names[] = {"health", "metrics", "status"};

enum { OPT_OPENMETRICS, OPT_N };
static const struct arg_option options[OPT_N] = {[OPT_OPENMETRICS] = {"openmetrics", false}};

static int run(struct operator *op, int argc, char **argv)
{
    struct args a = args_of(op, argc, argv);
    const char *value = NULL, *name = NULL;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_BAD) {
            return EXIT_USAGE;
        }
        name = got == ARGS_WORD ? value : name;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (name != NULL && strcmp(name, names[i]) == 0) {
            return operator_fail(op, EXIT_USAGE, "%s is not there yet", name);
        }
    }
    return operator_fail(op, EXIT_USAGE, "wants the name of a page: health, metrics or status");
}

const struct command cmd_page = {
    .name = "page",
    .synopsis = "health | metrics [--openmetrics] | status",
    .summary = "prints a page for monitors and people; the receiver answers with it",
    .help =
        "  health   whether all is well, as JSON: ready, degraded or down, and the reasons. Status\n"
        "           0: ready; 1: it is not\n"
        "  metrics  numbers for Prometheus, in its text format, or with --openmetrics in that of\n"
        "           OpenMetrics\n"
        "  status   one page of HTML with everything in it, for a browser\n"
        "\n"
        "With `page_token` in [hookonce] the receiver answers these as /health, /metrics and\n"
        "/status behind its URL.\n"
        "\n"
        "examples:\n"
        "  hookonce page health\n"
        "  hookonce page status > status.html\n",
    .run = run,
};
