/* Messages on their way out: a program, a mail and a URL that do not take them, and what is said then. */
#include "http_peer.h"

#include "work/alert.h"

static struct settings site = {.db_name = "acme"};
static struct alert_message message;
static struct ho_err err;

static void by_program(void **state)
{
    static const struct {
        const char *script;
        enum ho_code code;
        const char *why;
    } rows[] = {
        {"cat >/dev/null", HO_OK, ""},
        {"exit 0", HO_OK, ""}, /* it need not read */
        {"echo one; echo 'no such user' >&2; exit 67", HO_TRANSIENT, "/bin/sh: exit code 67: no such user"},
        {"exit 3", HO_TRANSIENT, "/bin/sh: exit code 3"},
        {"kill -9 $$", HO_TRANSIENT, "/bin/sh: ended by signal 9"},
        {"test \"$HOOKONCE_STATE\" = test && test -n \"$HOOKONCE_SUBJECT\" && test -z \"$LEAK\"", HO_OK, ""},
    };
    (void)state;

    assert_int_equal(setenv("LEAK", "1", 1), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char sh[] = "/bin/sh", c[] = "-c";
        char *script = ho_strdup(rows[i].script);
        char *argv[] = {sh, c, script, NULL};
        const struct setting_alert to = {.name = "ops", .argv = argv};

        ROW(i, alert_send(&site, &to, &message, &err) == rows[i].code);
        ROW_TEXT(i, rows[i].code == HO_OK ? "" : err.text, rows[i].why);
        free(script);
    }
}

static void a_program_that_is_not_there(void **state)
{
    char away[] = "/nowhere/hookonce-notify";
    char *argv[] = {away, NULL};
    const struct setting_alert program = {.name = "ops", .argv = argv},
                               mail = {.name = "ops", .mail = "ops@example.com", .sendmail = away};
    (void)state;

    assert_int_equal(alert_send(&site, &program, &message, &err), HO_TRANSIENT);
    assert_non_null(strstr(err.text, away));
    assert_int_equal(alert_send(&site, &mail, &message, &err), HO_TRANSIENT);
    assert_non_null(strstr(err.text, away));
}

/* More than a pipe holds goes through a file in the state folder. */
static void a_long_message_comes_whole(void **state)
{
    char sh[] = "/bin/sh", c[] = "-c", script[] = "test $(wc -c) -gt 300000";
    char *argv[] = {sh, c, script, NULL};
    const struct setting_alert to = {.name = "ops", .argv = argv};
    struct alert_message m = message;
    char nowhere[] = "/nowhere";
    (void)state;

    buf_init(&m.text, 400000);
    while (m.text.len < 300000) {
        assert_int_equal(buf_add_str(&m.text, "a line of many\n"), HO_OK);
    }
    assert_int_equal(alert_send(&site, &to, &m, &err), HO_OK);
    site.state_dir = nowhere;
    assert_int_equal(alert_send(&site, &to, &m, &err), HO_TRANSIENT);
    assert_true(err.text[0] != '\0');
    site.state_dir = dir;
    buf_free(&m.text);
}

static void by_url(void **state)
{
    const struct {
        struct span answer;
        enum ho_code code;
        const char *why;
    } rows[] = {
        {ANSWER("200 OK", "", "fine"), HO_OK, ""},
        {ANSWER("204 No Content", "", ""), HO_OK, ""},
        {ANSWER("302 Found", "Location: /other\r\n", ""), HO_TRANSIENT, "the server answers with status 302"},
        {ANSWER("404 Not Found", "", "x"), HO_TRANSIENT, "the server answers with status 404"},
        {ANSWER("500 Oh", "", "x"), HO_TRANSIENT, "the server answers with status 500"},
        {SPAN_LIT("nonsense"), HO_TRANSIENT, NULL},
        {SPAN_LIT(""), HO_TRANSIENT, NULL},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct peer p = peer_start(rows[i].answer, 0);
        const struct setting_alert to = {.name = "chat", .url = p.url};

        ROW(i, alert_send(&site, &to, &message, &err) == rows[i].code);
        if (rows[i].why != NULL) {
            ROW_TEXT(i, rows[i].code == HO_OK ? "" : err.text, rows[i].why);
        }
        ROW(i, rows[i].code == HO_OK || err.text[0] != '\0');
        peer_end(&p);
    }
}

static void a_test_goes_on_after_one_that_fails(void **state)
{
    char sh[] = "/bin/sh", c[] = "-c", bad[] = "exit 9", good[] = "exit 0";
    char *fails[] = {sh, c, bad, NULL}, *takes[] = {sh, c, good, NULL};
    struct setting_alert both[] = {{.name = "first", .argv = fails}, {.name = "second", .argv = takes}};
    struct settings s = {.db_name = "acme", .state_dir = dir, .alerts = both, .n_alerts = 2};
    struct buf said;
    size_t sent = 0;
    (void)state;

    buf_init(&said, 1000);
    assert_int_equal(alert_test(&s, deadline_in(60000), &sent, &said, &err), HO_TRANSIENT);
    assert_int_equal(sent, 1);
    assert_string_equal(buf_cstr(&said), "first: /bin/sh: exit code 9\nsecond: sent");
    assert_string_equal(err.text, "[alert first]: /bin/sh: exit code 9");
    s.n_alerts = 0;
    assert_int_equal(alert_test(&s, deadline_in(60000), &sent, &said, &err), HO_REJECT);
    assert_int_equal(sent, 0);
    buf_free(&said);
}

static int begin(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(dir));
    site.state_dir = dir;
    alert_message_test(&message, &site, "web1");
    return 0;
}

static int end(void **state)
{
    (void)state;
    alert_message_free(&message);
    (void)unlink(in_dir("request"));
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_program),
        cmocka_unit_test(a_program_that_is_not_there),
        cmocka_unit_test(a_long_message_comes_whole),
        cmocka_unit_test(by_url),
        cmocka_unit_test(a_test_goes_on_after_one_that_fails),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
