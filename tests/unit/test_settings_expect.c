/* What the config says is expected: expect_every of sources, and [expect NAME]. */
#include "settings_file.h"

#define SOURCE "[source s]\nprovider=p\nsecret=file:a\n" /* lines 5 to 7 */

static void what_is_expected(void **state)
{
    struct settings *s = loaded(DB "[expect paid]\nsource=shop\ntype=order.*\nevery=learn\n"
                                   "[source shop]\nprovider=p\nsecret=file:a\nexpect_every=6h\n"
                                   "quiet = 22:00-06:00,\n  Sat 00:00-Sun 24:00\n"
                                   "[source other]\nprovider=p\nsecret=file:a\n"
                                   "[expect rare]\nsource=other\nevery=30d\nquiet=00:00-12:00\n");
    (void)state;

    assert_int_equal(s->n_expects, 3);
    assert_string_equal(s->expects[0].name, "");
    assert_string_equal(s->expects[0].source, "shop");
    assert_string_equal(s->expects[0].type, "*");
    assert_int_equal(s->expects[0].every_ms, 6 * 60 * 60 * 1000);
    assert_int_equal(s->expects[0].quiet.total, (56 + 48 - 16) * 60);
    assert_string_equal(s->expects[1].name, "paid");
    assert_string_equal(s->expects[1].type, "order.*");
    assert_int_equal(s->expects[1].every_ms, -1);
    assert_int_equal(s->expects[1].quiet.total, (56 + 48 - 16) * 60); /* the source's */
    assert_string_equal(s->expects[2].name, "rare");
    assert_int_equal(s->expects[2].quiet.total, 7 * 12 * 60);
    settings_free(s);
}

static void what_is_refused(void **state)
{
    static const struct refusal rows[] = {
        {S(DB SOURCE "expect_every=soon\n"), 8, "`expect_every` is a time from 1m to 366d"},
        {S(DB SOURCE "expect_every=59s\n"), 8, "`expect_every` is a time from 1m to 366d"},
        {S(DB SOURCE "expect_every=367d\n"), 8, "`expect_every` is a time from 1m to 366d"},
        {S(DB SOURCE "expect_every=6h\nquiet=22:00-Mon 06:00\n"), 9, "`quiet` has times in UTC"},
        {S(DB SOURCE "expect_every=6h\nquiet=00:00-24:00\n"), 9, "leaves no hour"},
        {S(DB SOURCE "[expect e]\nsource=x\nevery=6h\n"), 9, "there is no [source x]"},
        {S(DB SOURCE "[expect e]\nevery=6h\n"), 8, "[expect e] needs source"},
        {S(DB SOURCE "[expect e]\nsource=s\n"), 8, "[expect e] needs every"},
        {S(DB SOURCE "[expect e]\nsource=s\nevery=0\n"), 10, "`every` is a time from 1m to 366d"},
    };
    (void)state;
    check_all_refused(rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_expected),
        cmocka_unit_test(what_is_refused),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
