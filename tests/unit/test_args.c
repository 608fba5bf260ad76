/* Arguments of the operator's commands, and the word that was meant. */
#include "unit.h"

#include "base/nearest.h"
#include "operator/operator.h"

static const struct arg_option options[] = {{"for", true}, {"once", false}, {"workers", true}};

static const struct {
    const char *argv[6];
    const char *got; /* options by number with their values, words, and how it ended */
    bool json;
    const char *file, *said;
} cases[] = {
    {{NULL}, "end", false, NULL, NULL},
    {{"--once", NULL}, "1 end", false, NULL, NULL},
    {{"--for", "5s", "--workers=3", NULL}, "0:5s 2:3 end", false, NULL, NULL},
    {{"--for=", NULL}, "0: end", false, NULL, NULL},
    {{"--for", "--once", NULL}, "0:--once end", false, NULL, NULL},
    {{"a", "--once", "b", NULL}, "a 1 b end", false, NULL, NULL},
    {{"a", "--", "--once", "--", NULL}, "a --once -- end", false, NULL, NULL},
    {{"-", "", NULL}, "-  end", false, NULL, NULL},
    {{"--json", "a", "--config", "x.conf", NULL}, "a end", true, "x.conf", NULL},
    {{"--config=x", "--config=y", NULL}, "end", false, "y", NULL},
    {{"--onse", NULL}, "bad", false, NULL, "did you mean '--once'?"},
    {{"--work", NULL}, "bad", false, NULL, "did you mean '--workers'?"},
    {{"--jsn", NULL}, "bad", false, NULL, "did you mean '--json'?"},
    {{"--zzzzzz", NULL}, "bad", false, NULL, "no option '--zzzzzz'; see --help"},
    {{"-o", NULL}, "bad", false, NULL, "no option '-o'"},
    {{"--once=1", NULL}, "bad", false, NULL, "takes no value"},
    {{"--json=1", NULL}, "bad", false, NULL, "takes no value"},
    {{"--for", NULL}, "bad", false, NULL, "'--for' needs a value"},
    {{"--config", NULL}, "bad", false, NULL, "'--config' needs a value"},
};

static size_t current;

/* Reads the current case to its end and prints what came on stderr: end_of collects it. */
static void read_case(void)
{
    char name[] = "process", *argv[8] = {name};
    struct operator op = {0};
    const char *value;
    int argc = 1, got;

    while (cases[current].argv[argc - 1] != NULL) {
        argv[argc] = ho_strdup(cases[current].argv[argc - 1]);
        argc++;
    }
    struct args a = args_of(&op, argc, argv);
    while ((got = args_next(&a, options, COUNT(options), &value)) != ARGS_END && got != ARGS_BAD) {
        if (got == ARGS_WORD) {
            (void)fprintf(stderr, "%s ", value);
        } else if (value != NULL) {
            (void)fprintf(stderr, "%d:%s ", got, value);
        } else {
            (void)fprintf(stderr, "%d ", got);
        }
    }
    (void)fprintf(stderr, "%s|%s|%s", got == ARGS_END ? "end" : "bad", op.json ? "json" : "",
                  op.file != NULL ? op.file : "");
}

static void arguments_are_read_the_same_everywhere(void **state)
{
    char said[1024], want[256];
    (void)state;

    for (current = 0; current < COUNT(cases); current++) {
        assert_int_equal(end_of(read_case, said, sizeof said), 0);
        (void)snprintf(want, sizeof want, "%s|%s|%s", cases[current].got,
                       cases[current].json ? "json" : "",
                       cases[current].file != NULL ? cases[current].file : "");
        const char *message = cases[current].said;
        if (message == NULL) {
            ROW_TEXT(current, said, want);
        } else {
            ROW(current, strstr(said, message) != NULL);
            ROW(current, strstr(said, "hookonce: ") == said);
            ROW(current, strstr(said, want) != NULL);
        }
    }
}

static void the_config_is_chosen_before_it_is_read(void **state)
{
    char name[] = "process", option[] = "--config=x", *argv[] = {name, option};
    struct settings loaded = {0};
    struct operator op = {.settings = &loaded};
    const char *value;
    (void)state;

    struct args a = args_of(&op, 2, argv);
    assert_int_equal(args_next(&a, options, COUNT(options), &value), ARGS_BAD);
    assert_null(op.file);
}

static void the_nearest_word_is_found(void **state)
{
    static const char *const known[] = {"process", "providers", "check", "send", "retry"};
    static const struct {
        const char *given, *word;
    } words[] = {
        {"proces", "process"}, {"proccess", "process"}, {"provider", "providers"},
        {"pro", "process"},    {"chek", "check"},       {"sent", "send"},
        {"snd", "send"},       {"xyz", NULL},           {"", NULL},
        {"retries", NULL},     {"retyr", NULL},         {"rety", "retry"},
    };
    char longer[100];
    (void)state;

    for (size_t i = 0; i < COUNT(words); i++) {
        struct nearest n = nearest_to(span_of(words[i].given));
        for (size_t k = 0; k < COUNT(known); k++) {
            nearest_try(&n, known[k]);
        }
        ROW_TEXT(i, n.word != NULL ? n.word : "(none)",
                 words[i].word != NULL ? words[i].word : "(none)");
    }
    memset(longer, 'a', sizeof longer);
    struct nearest n = nearest_to(span_make(longer, sizeof longer));
    nearest_try(&n, "aaaa");
    assert_null(n.word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_read_the_same_everywhere),
        cmocka_unit_test(the_config_is_chosen_before_it_is_read),
        cmocka_unit_test(the_nearest_word_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
