/* The config's [alert NAME] and [watch]: whom to tell, what, and how often. */
#include "settings_file.h"

#include "core/alert_kind.h"
#include "core/settings_shown.h"

static void reads_the_three_ways_to_tell(void **state)
{
    struct settings *s = loaded(DB "[alert m]\nmail = a.b+c@example.com\nfrom = h@example.com\n"
                                      "[alert c]\ncommand = bin/page --now 'to me'\nwindow = 15m\n"
                                      "kinds = dead-letters, silence\n"
                                      "[alert u]\nurl = https://example.com/h\n"
                                      "sign_with = file:u.secret\nauth = bearer file:u.token\n");
    (void)state;
    assert_int_equal(s->n_alerts, 3);
    assert_string_equal(s->alerts[0].mail, "a.b+c@example.com");
    assert_string_equal(s->alerts[0].from, "h@example.com");
    assert_int_equal(s->alerts[0].window_ms, 3600000);
    assert_true(s->alerts[0].kinds == (UINT64_C(1) << ALERT_KINDS) - 1);
    assert_string_equal(s->alerts[1].argv[2], "to me");
    assert_true(s->alerts[1].argv[0][0] == '/');
    assert_int_equal(s->alerts[1].window_ms, 900000);
    assert_true(s->alerts[1].kinds == (UINT64_C(1) << ALERT_DEAD | UINT64_C(1) << ALERT_SILENCE));
    assert_string_equal(s->alerts[2].url, "https://example.com/h");
    assert_int_equal(s->alerts[2].auth.kind, AUTH_BEARER);
    assert_non_null(s->alerts[2].sign_with);
    assert_int_equal(s->queue_age_ms, 900000);
    settings_free(s);
}

static void refuses_what_tells_nobody(void **state)
{
    static const struct refusal rows[] = {
        {S(DB "[alert]\nmail=a@b\n"), 5, "this section needs a name: [alert NAME]"},
        {S(DB "[watch x]\nqueue_age=5m\n"), 5, "[watch] takes no name"},
        {S(DB "[alert a]\nwindow=1h\n"), 5, "needs one of `mail`, `command` and `url`"},
        {S(DB "[alert a]\nmail=a@b\nurl=https://x/\n"), 5, "needs one of `mail`"},
        {S(DB "[alert a]\nmail=a\n"), 6, "one mail address"},
        {S(DB "[alert a]\nmail=a@b, c@d\n"), 6, "one mail address"},
        {S(DB "[alert a]\nmail=a@b\n  Bcc: c@d\n"), 6, "one mail address"},
        {S(DB "[alert a]\nmail=-f@b\n"), 6, "one mail address"},
        {S(DB "[alert a]\nmail=a@b\nfrom=Me <a@b>\n"), 7, "one mail address"},
        {S(DB "[alert a]\nurl=http://example.com/\n"), 6, "https"},
        {S(DB "[alert a]\ncommand=x | y\n"), 6, ""},
        {S(DB "[alert a]\ncommand=x\nsign_with=file:y\n"), 7, "`sign_with` needs `url`"},
        {S(DB "[alert a]\ncommand=x\nfrom=a@b\n"), 7, "`from` needs `mail`"},
        {S(DB "[alert a]\nurl=https://x/\nsign_with=y\n"), 7, "write file:NAME"},
        {S(DB "[alert a]\nmail=a@b\nkinds=dead\n"), 7, "there is no kind of alert `dead`"},
        {S(DB "[alert a]\nmail=a@b\nwindow=1s\n"), 7, "window"},
    };
    (void)state;
    check_all_refused(rows, COUNT(rows));
}

static void find_url(void *arg, const struct shown_setting *s)
{
    if (strcmp(s->section, "alert") == 0 && strcmp(s->key, "url") == 0) {
        (void)snprintf(arg, 256, "%.*s", (int)s->value.len, (const char *)s->value.p);
    }
}

static void of_a_url_only_the_host_is_shown(void **state)
{
    struct settings *s = loaded(DB "[alert u]\nurl = https://hooks.example.com/services/T0/B0/secret?x\n");
    char shown[256] = "";

    (void)state;
    settings_shown(s, find_url, shown);
    assert_string_equal(shown, "https://hooks.example.com/...");
    settings_free(s);
}

static void every_kind_says_what_it_means_and_what_to_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < ALERT_KINDS; i++) {
        const struct alert_about *a = &alert_about[i];
        assert_non_null(a->word);
        assert_true(strlen(a->word) <= 32 && strlen(a->means) > 10 && strlen(a->title) > 3);
        assert_true(strlen(a->advice) > 10 && strlen(a->advice) <= 500);
        assert_int_equal(alert_kind_of(span_of(a->word)), i);
    }
    assert_int_equal(alert_kind_of(SPAN_LIT("dead")), ALERT_KINDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_three_ways_to_tell),
        cmocka_unit_test(refuses_what_tells_nobody),
        cmocka_unit_test(of_a_url_only_the_host_is_shown),
        cmocka_unit_test(every_kind_says_what_it_means_and_what_to_do),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
