/* hookonce pair: lets a handshake set a source's secret, once and for a while. */
#include <stdio.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/text.h"
#include "operator/source_arg.h"
#include "store/door.h"

#define FOR_DEFAULT_MS (10 * 60 * INT64_C(1000))

enum { OPT_FOR, OPT_OFF, OPT_REPLACE, OPT_N };

static const struct arg_option options[OPT_N] = {
    [OPT_FOR] = {"for", true},
    [OPT_OFF] = {"off", false},
    [OPT_REPLACE] = {"replace", false},
};

struct pair_args {
    const char *source;
    int64_t for_ms;
    bool off, replace;
};

static int read_args(struct operator *op, int argc, char **argv, struct pair_args *out)
{
    struct args a = args_of(op, argc, argv);
    const char *value = NULL;
    int got;

    *out = (struct pair_args){.for_ms = FOR_DEFAULT_MS};
    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_WORD) {
            if (source_arg_word(op, value, &out->source) != EXIT_WELL) {
                return EXIT_USAGE;
            }
        } else if (got == OPT_OFF) {
            out->off = true;
        } else if (got == OPT_REPLACE) {
            out->replace = true;
        } else if (got != OPT_FOR ||
                   !source_arg_time(op, "for", value, DOOR_MAX_MS, &out->for_ms)) {
            return EXIT_USAGE;
        }
    }
    return out->source != NULL
               ? EXIT_WELL
               : operator_fail(op, EXIT_USAGE, "which source? hookonce pair SOURCE [--for 10m]");
}

static int open_door(const struct operator *op, const struct endpoint *e,
                     const struct pair_args *args)
{
    const struct source *s = e->source;
    const struct door_terms terms = {.until_us = clock_wall_us() + args->for_ms * 1000};
    struct ho_err err = {HO_OK, 0, ""};
    struct recipe_facts f;
    struct stat st;
    char until[32];

    recipe_facts(e->recipe, &f);
    if (!f.pairs) {
        return operator_fail(op, EXIT_USAGE,
                             "%s sends no secret in a handshake; put the one from its dashboard into "
                             "the source's secret file", f.title);
    }
    if (s->n_secrets == 0) {
        return operator_fail(op, EXIT_USAGE, "give source '%s' a line `secret = file:%s.secret`: the "
                                             "secret that comes is written there", s->name, s->name);
    }
    if (!args->replace && stat(s->secrets[0].path, &st) == 0 && st.st_size > 0) {
        return operator_fail(op, EXIT_USAGE,
                             "%s is there already, and the next handshake would put another secret "
                             "in its place, so that deliveries under the old one are refused; if "
                             "that is meant, add --replace", s->secrets[0].path);
    }
    if (door_open(op->settings->state_dir, DOOR_PAIR, s->name, &terms, &err) != HO_OK) {
        return operator_fail(op, EXIT_TROUBLE, "%s", err.text);
    }
    text_rfc3339_put(terms.until_us, false, until);
    until[19] = '\0'; /* whole seconds are enough for people */
    (void)printf("Until %s UTC the next handshake of %s sets the secret of source %s, in\n"
                 "  %s\n"
                 "Create the webhook at the provider now, with the address that ends in /%s.\n"
                 "`hookonce check` says whether the secret came: `1 usable secret`.\n",
                 until, f.title, s->name, s->secrets[0].path, s->name);
    return EXIT_WELL;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct endpoints *all = NULL;
    const struct endpoint *e = NULL;
    struct pair_args args;
    int status = read_args(op, argc, argv, &args);

    if (status == EXIT_WELL) {
        status = source_arg_load(op, &all);
    }
    if (status == EXIT_WELL) {
        e = source_arg(op, all, args.source);
        status = e == NULL ? EXIT_USAGE : EXIT_WELL;
    }
    if (e != NULL && args.off) {
        (void)printf("%s\n", door_close(op->settings->state_dir, DOOR_PAIR, span_of(args.source))
                                 ? "Closed: no handshake sets a secret any more."
                                 : "It was not open.");
    } else if (e != NULL) {
        status = open_door(op, e, &args);
    }
    endpoints_free(all);
    return status;
}

const struct command cmd_pair = {
    .name = "pair",
    .synopsis = "SOURCE [--for TIME] [--replace] [--off]",
    .summary = "lets a provider's handshake set a source's secret, once",
    .help =
        "Some providers (Asana, Notion) make the secret themselves and send it once, in a request\n"
        "that nobody has signed. Such a request is refused unless this command was run just before.\n"
        "The first one that fits sets the secret, whoever sends it; then the door is closed again.\n"
        "The receiver that took it uses the secret at once, others within a second.\n"
        "\n"
        "  --for TIME   how long to wait for it, at most 24h; default 10m\n"
        "  --replace    also where the source has a secret already: it is written over\n"
        "  --off        closes the door\n"
        "\n"
        "examples:\n"
        "  hookonce pair asana\n"
        "  hookonce pair notion --for 30m\n",
    .run = run,
};
