/* hookonce providers: which providers are known, and what is known of each. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "operator/operator.h"
#include "operator/providers.h"
#include "operator/table.h"

#define COLUMNS 16

#define WORD 24 /* room for a duration or a number */
#define TEMPLATE_MAX 4096

enum { OPT_WIDE, OPT_N };
static const struct arg_option options[OPT_N] = {[OPT_WIDE] = {"wide", false}};

static struct span duration(int64_t ms, char room[WORD])
{
    if (ms == 0) {
        return SPAN_NONE;
    }
    text_duration_put(ms, room);
    return span_of(room);
}

static const char *scope_word(const struct recipe_facts *f)
{
    return f->scope_provider ? "provider" : "source";
}

static bool said(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static struct span maybe(const char *text)
{
    return said(text) ? span_of(text) : SPAN_NONE;
}

/* The facts of the i-th recipe; it lives as long as the set. */
static struct recipe_facts facts_of(struct recipes *all, size_t i)
{
    struct recipe_facts f;

    recipe_facts(recipes_find(all, recipes_name(all, i)), &f);
    return f;
}

static void list_people(struct recipes *all, bool wide)
{
    static const struct table_col cols[] = {
        {"provider", TABLE_TEXT, 0}, {"signature", TABLE_TEXT, 52}, {"event_id", TABLE_TEXT, 40},
        {"time", TABLE_TEXT, 0},     {"weak", TABLE_TEXT, 0},       {"retries", TABLE_TEXT, 0},
        {"confidence", TABLE_TEXT, 0},
    };
    struct table *t = table_new(NULL, cols, 7);

    table_rank(t, 2, 2);
    table_rank(t, 5, 1);
    table_cut(t);
    if (wide) {
        table_whole(t);
    }
    for (size_t i = 0; i < recipes_count(all); i++) {
        struct recipe_facts f = facts_of(all, i);
        char room[2][WORD];
        struct buf id;

        buf_init(&id, TEMPLATE_MAX);
        const struct span cells[7] = {
            span_of(f.name),       span_of(f.signature),
            providers_folded(f.id, &id),           duration(f.tolerance_ms, room[0]),
            maybe(f.weak),         duration(f.retries_ms, room[1]),
            span_of(f.confidence),
        };
        table_row(t, cells);
        buf_free(&id);
    }
    table_print(t, stdout, false);
    (void)printf("\n%zu providers. hookonce providers NAME says more of one.\n", table_rows(t));
    table_free(t);
}

#define TEXTS 16
#define NUMBERS 5

static void add_program_row(struct table *t, const struct recipe_facts *f)
{
    const int64_t numbers[NUMBERS] = {f->tolerance_ms, f->retries_ms, f->resend_ms, f->cap,
                                      f->deadline_ms};
    char room[NUMBERS][WORD];
    struct span cells[COLUMNS] = {
        span_of(f->name),      maybe(f->title),        maybe(f->docs),
        maybe(f->basis),       span_of(f->confidence), span_of(f->signature),
        maybe(f->signed_bytes), maybe(f->weak),        maybe(f->id),
        span_of(scope_word(f)), span_of(f->guard ? "on" : "off"),
    };

    for (size_t k = 0; k < NUMBERS; k++) {
        (void)snprintf(room[k], WORD, "%lld", (long long)numbers[k]);
        cells[TEXTS - NUMBERS + k] = span_of(room[k]);
    }
    table_row(t, cells);
}

static void list_programs(struct recipes *all, const char *only)
{
    static const struct table_col cols[COLUMNS] = {
        {"provider", TABLE_TEXT, 0},       {"title", TABLE_TEXT, 0},
        {"docs", TABLE_TEXT, 0},           {"basis", TABLE_TEXT, 0},
        {"confidence", TABLE_TEXT, 0},     {"signature", TABLE_TEXT, 0},
        {"signed", TABLE_TEXT, 0},         {"weak", TABLE_TEXT, 0},
        {"event_id", TABLE_TEXT, 0},       {"scope", TABLE_TEXT, 0},
        {"guard", TABLE_TEXT, 0},          {"tolerance_ms", TABLE_NUMBER, 0},
        {"retries_ms", TABLE_NUMBER, 0},   {"resend_ms", TABLE_NUMBER, 0},
        {"cap_bytes", TABLE_NUMBER, 0},    {"deadline_ms", TABLE_NUMBER, 0},
    };
    struct table *t = table_new("provider", cols, COLUMNS);

    for (size_t i = 0; i < recipes_count(all); i++) {
        struct recipe_facts f;

        if (only == NULL || strcmp(only, recipes_name(all, i)) == 0) {
            f = facts_of(all, i);
            add_program_row(t, &f);
        }
    }
    table_print(t, stdout, true);
    table_free(t);
}

static int show(const struct operator *op, struct recipes *all, const char *name)
{
    const struct recipe *r = recipes_find(all, name);

    if (r == NULL) {
        struct nearest near = nearest_to(span_of(name));
        for (size_t i = 0; i < recipes_count(all); i++) {
            nearest_try(&near, recipes_name(all, i));
        }
        if (near.word == NULL) {
            return operator_fail(op, EXIT_USAGE, "no provider '%s'; without a name all are listed",
                                 name);
        }
        return operator_fail(op, EXIT_USAGE, "no provider '%s'; did you mean '%s'?", name,
                             near.word);
    }
    if (op->json) {
        list_programs(all, name);
    } else {
        providers_say(r, stdout);
    }
    return EXIT_WELL;
}

/* The built-in recipes, and the site's where a config is there to name them. */
static int load(struct operator *op, struct recipes **all)
{
    struct ho_err err = {HO_OK, 0, ""};
    bool configured = operator_settings(op, &err) == HO_OK;

    if (!configured && op->file != NULL) {
        (void)fprintf(stderr, "hookonce providers: note: only the built-in ones are shown: %s\n",
                      err.text);
    }
    ho_err_clear(&err);
    if (recipes_load(configured ? op->settings->recipes : NULL,
                     configured ? op->settings->n_recipes : 0, all, &err) != HO_OK) {
        return operator_fail(op, EXIT_USAGE, "%s", err.text);
    }
    return EXIT_WELL;
}

static int run(struct operator *op, int argc, char **argv)
{
    struct args a = args_of(op, argc, argv);
    struct recipes *all = NULL;
    const char *name = NULL;
    const char *value = NULL;
    bool wide = false;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == OPT_WIDE) {
            wide = true;
            continue;
        }
        if (got != ARGS_WORD) {
            return EXIT_USAGE;
        }
        if (name != NULL) {
            return operator_fail(op, EXIT_USAGE, "one provider at a time; '%s' is too much", value);
        }
        name = value;
    }
    int status = load(op, &all);
    if (status != EXIT_WELL) {
        return status;
    }
    if (name != NULL) {
        status = show(op, all, name);
    } else if (op->json) {
        list_programs(all, NULL);
    } else {
        list_people(all, wide);
    }
    recipes_free(all);
    return status;
}

const struct command cmd_providers = {
    .name = "providers",
    .synopsis = "[NAME] [--wide]",
    .summary = "lists the providers whose deliveries can be verified",
    .help =
        "The built-in ones, and those of the files that `recipes` in section [hookonce] names.\n"
        "With NAME, what is known of one in words: what is signed, where its secret is found and how\n"
        "it is written, which handshakes are answered, which events are the ones to act on, how long\n"
        "it tries again, and what to write into the config.\n"
        "\n"
        "  event_id    where the id is taken from\n"
        "  time        how far the signed time may be from ours; - : it signs no time\n"
        "  weak        what the signature does not cover: body, fields (some of the body), or token\n"
        "              (there is no signature, only a shared token)\n"
        "  retries     how long the provider tries again by itself; - : not known, or not at all\n"
        "  confidence  official: read in the provider's own documents or library; published: in\n"
        "              somebody else's; unconfirmed: neither\n"
        "\n"
        "  --wide      no cell is cut, and no column left out\n"
        "\n"
        "examples:\n"
        "  hookonce providers\n"
        "  hookonce providers stripe\n",
    .run = run,
};
