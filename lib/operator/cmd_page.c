/* hookonce page: what the receiver answers to /health, /metrics and /status, and what a shell may
 * ask for as well. */
#include <stdio.h>
#include <string.h>

#include "operator/page.h"
#include "operator/setup.h"

enum { OPT_OPENMETRICS, OPT_N };
static const struct arg_option options[OPT_N] = {[OPT_OPENMETRICS] = {"openmetrics", false}};

enum which { WHICH_HEALTH, WHICH_METRICS, WHICH_STATUS, WHICH_SETUP, WHICH_N };
static const char *const names[WHICH_N] = {"health", "metrics", "status", "setup"};

static int make(struct operator *op, enum which which, bool open, struct buf *out)
{
    struct page p = {.op = op};
    struct page_health h = {.state = PAGE_READY};

    page_look(&p);
    if (which != WHICH_METRICS) {
        page_judge(&p, &h);
    }
    switch (which) {
    case WHICH_HEALTH: page_health(&p, &h, out); break;
    case WHICH_METRICS: page_metrics(&p, open, out); break;
    case WHICH_STATUS: page_status(&p, &h, out); break;
    case WHICH_SETUP:
    case WHICH_N: break;
    }
    page_free(&p);
    return which == WHICH_HEALTH && h.state != PAGE_READY ? EXIT_TROUBLE : EXIT_WELL;
}

/* A receiver goes on with what it read before, so deliveries are taken. */
static int refused(const struct ho_err *err, struct buf *out)
{
    struct page_health h = {.state = PAGE_DEGRADED, .n = 1};

    (void)snprintf(h.reasons[0], sizeof h.reasons[0], "the config is refused: %.270s", err->text);
    page_health(NULL, &h, out);
    return EXIT_TROUBLE;
}

static enum which named(const char *name)
{
    size_t i = 0;

    while (name != NULL && i < WHICH_N && strcmp(names[i], name) != 0) {
        i++;
    }
    return name == NULL ? WHICH_N : (enum which)i;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct args a = args_of(op, argc, argv);
    const char *value = NULL, *name = NULL;
    struct ho_err err = {HO_OK, 0, ""};
    bool open = false;
    struct buf out;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_BAD) {
            return EXIT_USAGE;
        }
        open = open || got == OPT_OPENMETRICS;
        name = got == ARGS_WORD ? value : name;
    }
    enum which which = named(name);
    if (which == WHICH_N) {
        return operator_fail(op, EXIT_USAGE, "wants the name of a page: health, metrics, status or setup");
    }
    int status = EXIT_WELL;
    bool read = which == WHICH_HEALTH ? operator_settings(op, &err) == HO_OK
                                      : (status = operator_need_settings(op)) == EXIT_WELL;
    if (status != EXIT_WELL) {
        return status;
    }
    if (which == WHICH_SETUP) {
        return setup_page(op);
    }
    buf_init(&out, PAGE_MAX);
    status = read ? make(op, which, open, &out) : refused(&err, &out);
    (void)fwrite(out.p, 1, out.len, stdout);
    buf_free(&out);
    return status;
}

const struct command cmd_page = {
    .name = "page",
    .synopsis = "health | metrics [--openmetrics] | status | setup",
    .summary = "prints a page for monitors and people; the receiver answers with it",
    .help =
        "  health   whether all is well, as JSON: ready, degraded or down, and the reasons.\n"
        "           Status 0: ready; 1: it is not\n"
        "  metrics  numbers for Prometheus, in its text format, or with --openmetrics in that of\n"
        "           OpenMetrics\n"
        "  status   one page of HTML with everything in it, for a browser\n"
        "  setup    makes tables and key, looks at everything as `hookonce check --host` does, sends a\n"
        "           delivery, and says what is to be done, in HTML\n"
        "\n"
        "With `page_token` in [hookonce] the receiver answers these as /health, /metrics and\n"
        "/status behind its URL; with `setup_token` /setup, for an hour.\n"
        "\n"
        "examples:\n"
        "  hookonce page health\n"
        "  hookonce page status > status.html\n",
    .run = run,
};
