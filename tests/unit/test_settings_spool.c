/* The spool in the config: what goes there, and from which sources. */
#include "settings_file.h"

static void says_which_sources_may_spool(void **state)
{
    static const struct {
        const char *hookonce, *source;
        enum spool_mode want;
    } rows[] = {
        {"", "", SPOOL_ON},
        {"spool=on\n", "spool=off\n", SPOOL_OFF},
        {"spool=off\n", "", SPOOL_OFF},
        {"spool=off\n", "spool=on\n", SPOOL_ON},
        {"spool=always\n", "", SPOOL_ALWAYS},
        {"spool=always\n", "spool=on\n", SPOOL_ALWAYS}, /* the database is no safer for it */
        {"spool=always\n", "spool=off\n", SPOOL_OFF},
        {"spool=always\n", "mode=reply\nhandler=h\n", SPOOL_OFF},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       DB "[hookonce]\n%s[source a]\nprovider=p\n%s[handler h]\nsql=SELECT 1\n",
                       rows[i].hookonce, rows[i].source);
        struct settings *s = loaded(text);
        ROW(i, s->sources[0].spool == rows[i].want);
        settings_free(s);
    }
    struct settings *s = loaded(DB);
    assert_string_equal(strrchr(s->spool_dir, '/'), "/spool");
    assert_memory_equal(s->spool_dir, s->state_dir, strlen(s->state_dir));
    assert_int_equal(s->spool_bytes, 64 * 1024 * 1024);
    assert_int_equal(s->spool_files, 10000);
    settings_free(s);
    s = loaded(DB "[hookonce]\nspool_dir=/var/x\nspool_bytes=1m\nspool_files=3\n");
    assert_string_equal(s->spool_dir, "/var/x");
    assert_int_equal(s->spool_bytes, 1024 * 1024);
    assert_int_equal(s->spool_files, 3);
    settings_free(s);
}

static void refuses_a_spool_for_replies(void **state)
{
    const struct refusal rows[] = {
        {SPAN_LIT(DB HANDLER "[source a]\nprovider=p\nmode=reply\nhandler=h\nspool=on\n"), 11,
         "nothing is spooled"},
        {SPAN_LIT(DB "[hookonce]\nspool=never\n"), 6, "on off always"},
        {SPAN_LIT(DB "[source a]\nprovider=p\nspool=always\n"), 7, "on off"},
        {SPAN_LIT(DB "[hookonce]\nspool_bytes=1023k\n"), 6, ""},
        {SPAN_LIT(DB "[hookonce]\nspool_files=0\n"), 6, ""},
    };
    (void)state;
    check_all_refused(rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_which_sources_may_spool),
        cmocka_unit_test(refuses_a_spool_for_replies),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
