/* hookonce providers: which providers are known, and what is known of each. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "edge/recipe.h"
#include "operator/operator.h"
#include "operator/table.h"

#define WORD 24 /* room for a duration or a number */

static struct span duration(int64_t ms, char room[WORD])
{
    if (ms == 0) {
        return SPAN_NONE;
    }
    text_duration_put(ms, room);
    return span_of(room);
}

static void size_put(int64_t bytes, char out[WORD])
{
    static const char units[] = {'\0', 'k', 'm', 'g'};
    size_t unit = 0;

    while (unit < 3 && bytes != 0 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    (void)snprintf(out, WORD, "%lld%c", (long long)bytes, units[unit]);
}

static const char *scope_word(const struct recipe_facts *f)
{
    return f->scope_provider ? "provider" : "source";
}

static void list_people(const struct recipes *all)
{
    static const struct table_col cols[] = {
        {"provider", TABLE_TEXT, 0},      {"signature", TABLE_TEXT, 52},
        {"time", TABLE_TEXT, 0},          {"retries", TABLE_TEXT, 0},
        {"resend", TABLE_TEXT, 0},        {"ids_unique_in", TABLE_TEXT, 0},
        {"guard", TABLE_TEXT, 0},         {"confidence", TABLE_TEXT, 0},
    };
    struct table *t = table_new(NULL, cols, 8);

    for (size_t i = 0; i < recipes_count(all); i++) {
        struct recipe_facts f;
        char room[3][WORD];
        recipe_facts(recipes_at(all, i), &f);
        const struct span cells[8] = {
            span_of(f.name),
            span_of(f.signature),
            duration(f.tolerance_ms, room[0]),
            duration(f.retries_ms, room[1]),
            duration(f.resend_ms, room[2]),
            span_of(scope_word(&f)),
            span_of(f.guard ? "on" : "off"),
            span_of(f.confidence),
        };
        table_row(t, cells);
    }
    table_print(t, stdout, false);
    table_free(t);
    (void)puts("\nhookonce providers NAME says more of one.");
}

static void list_programs(const struct recipes *all, const char *only)
{
    static const struct table_col cols[] = {
        {"provider", TABLE_TEXT, 0},       {"title", TABLE_TEXT, 0},
        {"docs", TABLE_TEXT, 0},           {"confidence", TABLE_TEXT, 0},
        {"signature", TABLE_TEXT, 0},      {"event_id", TABLE_TEXT, 0},
        {"scope", TABLE_TEXT, 0},          {"guard", TABLE_TEXT, 0},
        {"tolerance_ms", TABLE_NUMBER, 0}, {"retries_ms", TABLE_NUMBER, 0},
        {"resend_ms", TABLE_NUMBER, 0},    {"cap_bytes", TABLE_NUMBER, 0},
        {"deadline_ms", TABLE_NUMBER, 0},
    };
    struct table *t = table_new("provider", cols, 13);

    for (size_t i = 0; i < recipes_count(all); i++) {
        struct recipe_facts f;
        char room[5][WORD];
        recipe_facts(recipes_at(all, i), &f);
        if (only != NULL && strcmp(only, f.name) != 0) {
            continue;
        }
        const int64_t numbers[5] = {f.tolerance_ms, f.retries_ms, f.resend_ms, f.cap,
                                    f.deadline_ms};
        struct span cells[13] = {
            span_of(f.name),       span_of(f.title),     span_of(f.docs),
            span_of(f.confidence), span_of(f.signature), span_of(f.id),
            span_of(scope_word(&f)), span_of(f.guard ? "on" : "off"),
        };
        for (size_t k = 0; k < 5; k++) {
            (void)snprintf(room[k], WORD, "%lld", (long long)numbers[k]);
            cells[8 + k] = span_of(room[k]);
        }
        table_row(t, cells);
    }
    table_print(t, stdout, true);
    table_free(t);
}

static void say_time(const struct recipe_facts *f)
{
    char room[WORD];

    if (f->tolerance_ms == 0) {
        (void)puts("  It signs no time: an old delivery verifies for ever, so only its id shows\n"
                   "  that it came before.");
        return;
    }
    text_duration_put(f->tolerance_ms, room);
    (void)printf("  It signs the time: deliveries over %s old, or ahead, are refused.\n", room);
}

static void say_retries(const struct recipe_facts *f)
{
    char room[2][WORD];

    if (f->retries_ms == 0) {
        (void)puts("  It does not try again by itself when a delivery fails.");
    } else {
        text_duration_put(f->retries_ms, room[0]);
        (void)printf("  It tries again by itself for up to %s when a delivery fails.\n", room[0]);
    }
    if (f->resend_ms != 0) {
        text_duration_put(f->resend_ms, room[1]);
        (void)printf("  You can have a delivery sent again for %s.\n", room[1]);
    }
}

static void say(const struct recipe_facts *f)
{
    char room[2][WORD];

    (void)printf("%s (provider = %s)\n", f->title, f->name);
    if (f->docs != NULL && f->docs[0] != '\0') {
        (void)printf("  %s\n", f->docs);
    }
    (void)printf("  How sure this is: %s.\n", f->confidence);
    (void)printf("  Signature: %s.\n", f->signature);
    say_time(f);
    (void)printf("  Event id: %s, unique in %s.\n", f->id,
                 f->scope_provider ? "all sources of this provider: a route's provider is its name"
                                   : "each source: a route's provider is the source's name");
    (void)printf("  The guard against old content under new ids is %s unless the source says so.\n",
                 f->guard ? "on" : "off");
    say_retries(f);
    size_put(f->cap, room[0]);
    text_duration_put(f->deadline_ms, room[1]);
    (void)printf("  Bodies up to %s are taken; an answer is given within %s.\n", room[0], room[1]);
    (void)printf("\nIn the config:\n"
                 "  [source %s]\n"
                 "  provider = %s\n"
                 "  secret = file:%s.secret\n",
                 f->name, f->name, f->name);
}

static int show(const struct operator *op, const struct recipes *all, const char *name)
{
    const struct recipe *r = recipes_find(all, name);
    struct recipe_facts f;

    if (r == NULL) {
        struct nearest near = nearest_to(span_of(name));
        for (size_t i = 0; i < recipes_count(all); i++) {
            recipe_facts(recipes_at(all, i), &f);
            nearest_try(&near, f.name);
        }
        if (near.word == NULL) {
            return operator_fail(op, EXIT_USAGE, "no provider '%s'; without a name all are listed",
                                 name);
        }
        return operator_fail(op, EXIT_USAGE, "no provider '%s'; did you mean '%s'?", name,
                             near.word);
    }
    recipe_facts(r, &f);
    if (op->json) {
        list_programs(all, f.name);
    } else {
        say(&f);
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
    int got;

    while ((got = args_next(&a, NULL, 0, &value)) != ARGS_END) {
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
        list_people(all);
    }
    recipes_free(all);
    return status;
}

const struct command cmd_providers = {
    .name = "providers",
    .synopsis = "[NAME]",
    .summary = "lists the providers whose deliveries can be verified",
    .help =
        "The built-in ones, and those of the files that `recipes` in section [hookonce] names.\n"
        "With NAME, what is known of one: what it signs, which id is used, how long it retries.\n"
        "\n"
        "  time        how far the signed time may be from ours; - : it signs no time\n"
        "  retries     how long the provider tries again by itself\n"
        "  resend      how long a person can have a delivery sent again\n"
        "  guard       whether signed content under a new, unsigned id is held back\n"
        "  confidence  official: from the provider's own library; published: from its pages;\n"
        "              unconfirmed: neither\n"
        "\n"
        "examples:\n"
        "  hookonce providers\n"
        "  hookonce providers stripe\n",
    .run = run,
};
