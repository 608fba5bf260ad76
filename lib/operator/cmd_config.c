/* hookonce config: what the config says, key by key, and what it could say. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "core/settings_shown.h"
#include "operator/operator.h"
#include "operator/table.h"

enum { OPT_EXPLAIN, OPT_N };
static const struct arg_option options[OPT_N] = {[OPT_EXPLAIN] = {"explain", false}};

/* ---- what it says ---- */

static void add_setting(void *arg, const struct shown_setting *s)
{
    struct table *t = arg;
    char from[24] = "default";

    if (s->line > 0) {
        (void)snprintf(from, sizeof from, "line %d", s->line);
    }
    const struct span cells[] = {span_of(s->section), s->name[0] != '\0' ? span_of(s->name) : SPAN_NONE,
                                 span_of(s->key), s->value, span_of(from)};
    table_row(t, cells);
}

static int say(struct operator *op)
{
    static const struct table_col cols[] = {{"section", TABLE_TEXT, 0},
                                            {"name", TABLE_TEXT, 0},
                                            {"key", TABLE_TEXT, 0},
                                            {"value", TABLE_TEXT, 80},
                                            {"from", TABLE_TEXT, 0}};
    int status = operator_need_settings(op);

    if (status != EXIT_WELL) {
        return status;
    }
    struct table *t = table_new("setting", cols, 5);
    settings_shown(op->settings, add_setting, t);
    if (!op->json) {
        (void)printf("%s\n\n", op->settings->file);
    }
    table_print(t, stdout, op->json);
    table_free(t);
    return EXIT_WELL;
}

/* ---- what it could say ---- */

/* How a value is written: kind, words, range. */
static void put_form(const struct conf_key *k, char *out, size_t room)
{
    static const char *const words[] = {
        [CONF_TEXT] = "text",     [CONF_NAME] = "name",     [CONF_WORD] = "one of ",
        [CONF_BOOL] = "yes, no",  [CONF_INT] = "number",    [CONF_DURATION] = "time (ms s m h d)",
        [CONF_SIZE] = "bytes (k m g)", [CONF_PATH] = "path", [CONF_LIST] = "list, commas between",
    };
    char from[24], to[24], range[64] = "";

    if (k->max != 0 && k->type == CONF_DURATION) {
        text_duration_put(k->min, from);
        text_duration_put(k->max, to);
        (void)snprintf(range, sizeof range, ", %s to %s", from, to);
    } else if (k->max != 0) {
        (void)snprintf(range, sizeof range, ", %lld to %lld", (long long)k->min, (long long)k->max);
    }
    (void)snprintf(out, room, "%s%s%s%s", words[k->type], k->words != NULL ? k->words : "", range,
                   k->repeats ? ", may repeat" : "");
}

/* "key", "section.key" or "section"; NULL: every one. */
static bool is_asked(const struct conf_key *k, const char *word)
{
    char whole[140];

    (void)snprintf(whole, sizeof whole, "%s.%s", k->section, k->key);
    return word == NULL || strcmp(word, k->key) == 0 || strcmp(word, k->section) == 0 ||
           strcmp(word, whole) == 0;
}

static int explain(const struct operator *op, const char *word)
{
    static const struct table_col cols[] = {{"section", TABLE_TEXT, 0},
                                            {"key", TABLE_TEXT, 0},
                                            {"form", TABLE_TEXT, 0},
                                            {"default", TABLE_TEXT, 0},
                                            {"help", TABLE_TEXT, 0}};
    struct table *t = table_new("config_key", cols, 5);
    size_t n;
    const struct conf_key *keys = settings_keys(&n);

    table_rank(t, 4, TABLE_BELOW);
    for (size_t i = 0; i < n; i++) {
        const struct conf_key *k = &keys[i];
        char form[200];

        if (is_asked(k, word)) {
            put_form(k, form, sizeof form);
            const struct span cells[] = {
                span_of(k->section), span_of(k->key), span_of(form),
                k->required ? span_of("(required)") : k->dflt != NULL ? span_of(k->dflt) : SPAN_NONE,
                span_of(k->help)};
            table_row(t, cells);
        }
    }
    bool any = table_rows(t) > 0;
    if (any) {
        table_print(t, stdout, op->json);
    }
    table_free(t);
    return any ? EXIT_WELL
               : operator_fail(op, EXIT_USAGE, "there is no key or section %s; `hookonce config "
                               "--explain` shows them all", word);
}

static int run(struct operator *op, int argc, char **argv)
{
    struct args a = args_of(op, argc, argv);
    const char *value = NULL, *word = NULL;
    bool explains = false;
    int got;

    while ((got = args_next(&a, options, OPT_N, &value)) != ARGS_END) {
        if (got == ARGS_WORD && word == NULL) {
            word = value;
        } else if (got == OPT_EXPLAIN) {
            explains = true;
        } else {
            return got == ARGS_WORD ? operator_fail(op, EXIT_USAGE, "'%s' is too much; see --help", value)
                                    : EXIT_USAGE;
        }
    }
    if (word != NULL && !explains) {
        return operator_fail(op, EXIT_USAGE, "'%s' goes with --explain; see --help", word);
    }
    return explains ? explain(op, word) : say(op);
}

const struct command cmd_config = {
    .name = "config",
    .synopsis = "[--explain [KEY]]",
    .summary = "shows what the config says, and what it could say",
    .help =
        "Every key with its value, the defaults of what is left out too, and the line where it\n"
        "stands. Of what holds or names a secret only the name of the file is shown.\n"
        "\n"
        "  --explain [KEY]  instead every key that there is: how it is written, its range, its default\n"
        "                   and what it means; needs no config. KEY: only this one, as key,\n"
        "                   section.key, or a whole section\n"
        "\n"
        "examples:\n"
        "  hookonce config\n"
        "  hookonce config --explain database.tls\n",
    .run = run,
};
