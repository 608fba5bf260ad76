/* Command lines: words and quotes, and no shell. */
#include "unit.h"

#include "base/buf.h"
#include "core/argv.h"

static void splits_at_blanks_and_keeps_quotes(void **state)
{
    static const struct {
        const char *text;
        const char *want[6];
    } rows[] = {
        {"/bin/true", {"/bin/true"}},
        {"  /bin/a  b\tc\n  d ", {"/bin/a", "b", "c", "d"}},
        {"a \"b c\" 'd e'", {"a", "b c", "d e"}},
        {"a \"\" ''", {"a", "", ""}},
        {"a b\"c d\"e'f g'", {"a", "bc def g"}},
        {"a \"it's\" '\"'", {"a", "it's", "\""}},
        {"a \"q\\\"q\\\\q\\nq\"", {"a", "q\"q\\q\\nq"}},
        {"a 'q\\'", {"a", "q\\"}},
        {"a 'q\\\\q\\\"'", {"a", "q\\\\q\\\""}},
        {"a '$x|&;<>()`*?~{}' \"$HOME\"", {"a", "$x|&;<>()`*?~{}", "$HOME"}},
        {"a --x=1,2:3/4@5%6+7!8^9[0]", {"a", "--x=1,2:3/4@5%6+7!8^9[0]"}},
        {"\"/home/u/my programs/x\" y", {"/home/u/my programs/x", "y"}},
        {"a \"b\nc\"", {"a", "b\nc"}},
        {"a M\xc3\xbcller", {"a", "M\xc3\xbcller"}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ho_err err;
        char **argv = NULL;
        size_t n = 99;
        ho_err_clear(&err);
        if (argv_split(rows[i].text, 10, &argv, &n, &err) != HO_OK) {
            fail_msg("\"%s\": %s", rows[i].text, err.text);
        }
        size_t k = 0;
        for (; rows[i].want[k] != NULL; k++) {
            ROW(i, k < n);
            ROW_TEXT(i, argv[k], rows[i].want[k]);
        }
        ROW(i, n == k && argv[n] == NULL);
        argv_free(argv);
    }
}

static void refuses_what_a_shell_would_do(void **state)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"", "an empty command"},
        {" \n\t", "an empty command"},
        {"a | b", "there is no shell: a | that is meant as it stands is put in 'quotes'"},
        {"a > b", "a > that"},
        {"a < b", "a < that"},
        {"a && b", "a & that"},
        {"a; b", "a ; that"},
        {"a $HOME", "a $ that"},
        {"a `b`", "a ` that"},
        {"a $(b)", "a $ that"},
        {"a (b)", "a ( that"},
        {"a *.txt", "a * that"},
        {"a b?", "a ? that"},
        {"~/bin/a", "a ~ that"},
        {"a b\\ c", "a \\ that"},
        {"a {/data/id}", "a { that"},
        {"a \"b", "a closing quote is missing"},
        {"a 'b", "a closing quote is missing"},
        {"a \"b\\\"", "a closing quote is missing"},
        {"a b'", "a closing quote is missing"},
        {"a b c d", "more than 3 arguments"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ho_err err;
        char **argv = NULL;
        size_t n = 99;
        ho_err_clear(&err);
        ROW(i, argv_split(rows[i].text, 3, &argv, &n, &err) == HO_REJECT);
        if (strstr(err.text, rows[i].why) == NULL) {
            fail_msg("\"%s\": %s", rows[i].text, err.text);
        }
        ROW(i, argv == NULL && n == 0);
    }
}

static void arguments_have_their_limit(void **state)
{
    static const char *const quotes[] = {"", "'"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct buf text;
        char **argv = NULL;
        size_t n;
        buf_init(&text, 10000);
        assert_int_equal(buf_add_str(&text, quotes[i % 2]), HO_OK);
        for (size_t k = 0; k < 8192 + i / 2; k++) {
            assert_int_equal(buf_add_byte(&text, 'a'), HO_OK);
        }
        assert_int_equal(buf_add_str(&text, quotes[i % 2]), HO_OK);
        ROW(i, argv_split(buf_cstr(&text), 3, &argv, &n, NULL) == (i < 2 ? HO_OK : HO_REJECT));
        argv_free(argv);
        buf_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_at_blanks_and_keeps_quotes),
        cmocka_unit_test(refuses_what_a_shell_would_do),
        cmocka_unit_test(arguments_have_their_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
