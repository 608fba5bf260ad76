/* The lines for cron: how often, and a path in the words of cron and of its shell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "operator/setup.h"

static void lines_are(const char *program, unsigned every, const char *want)
{
    struct buf out;

    buf_init(&out, 4096);
    setup_cron_lines(program, every, &out);
    assert_string_equal(buf_cstr(&out), want);
    buf_free(&out);
}

static void run_as_often_as_the_host_allows(void **state)
{
    (void)state;
    lines_are("/h/u/hookonce", 1, "* * * * * /h/u/hookonce process --for 55s\n"
                                  "*/5 * * * * /h/u/hookonce watch\n");
    lines_are("/h/u/hookonce", 15, "*/15 * * * * /h/u/hookonce process --for 55s\n"
                                   "*/15 * * * * /h/u/hookonce watch\n");
    lines_are("/h/u/hookonce", 60, "0 * * * * /h/u/hookonce process --for 55s\n"
                                   "0 * * * * /h/u/hookonce watch\n");
}

/* What cron makes of the line: \% is %; the shell then takes the rest. */
static void name_any_path(void **state)
{
    (void)state;
    lines_are("/h/my site/hookonce", 5, "*/5 * * * * '/h/my site/hookonce' process --for 55s\n"
                                        "*/5 * * * * '/h/my site/hookonce' watch\n");
    lines_are("/h/u's/50%/hookonce", 5,
              "*/5 * * * * '/h/u'\\''s/50'\\%'/hookonce' process --for 55s\n"
              "*/5 * * * * '/h/u'\\''s/50'\\%'/hookonce' watch\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_as_often_as_the_host_allows),
        cmocka_unit_test(name_any_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
