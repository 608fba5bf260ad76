/* hookonce grants: the rights of the two database users, as statements. */
#include <stdio.h>

#include "operator/operator.h"
#include "store/grants.h"

#define TEXT_MAX 65536

enum { OPT_HOST, OPT_N };
static const struct arg_option options[OPT_N] = {[OPT_HOST] = {"host", true}};

static int run(struct operator *op, int argc, char **argv)
{
    struct args a = args_of(op, argc, argv);
    struct ho_err err = {HO_OK, 0, ""};
    const char *value = NULL, *host = NULL;
    struct buf text;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_WORD) {
            return operator_fail(op, EXIT_USAGE, "'%s' is too much; see --help", value);
        }
        if (got != OPT_HOST) {
            return EXIT_USAGE;
        }
        host = value;
    }
    int status = operator_need_settings(op);
    if (status != EXIT_WELL) {
        return status;
    }
    if (host == NULL) {
        host = op->settings->n_sockets > 0 ? "localhost" : "%";
    }
    buf_init(&text, TEXT_MAX);
    if (grants_text(op->settings, host, &text, &err) != HO_OK) {
        buf_free(&text);
        return operator_fail(op, EXIT_USAGE, "%s", err.text);
    }
    (void)fputs(buf_cstr(&text), stdout);
    buf_free(&text);
    return EXIT_WELL;
}

const struct command cmd_grants = {
    .name = "grants",
    .synopsis = "[--host HOST]",
    .summary = "prints the rights that the two database users need, as SQL",
    .help =
        "For a config with receiver_user: what receivers may do (add deliveries, little else),\n"
        "and what the processor may. Run what it prints as an account that may grant, when the tables\n"
        "are there; handlers need rights on your own tables besides. Changes nothing itself.\n"
        "\n"
        "  --host HOST  from where both connect, as in 'user'@'HOST'; else localhost with a\n"
        "               socket, % with a host\n"
        "\n"
        "examples:\n"
        "  hookonce grants | mariadb -u root -p\n",
    .run = run,
};
