/* The config file: every mistake is refused, with the file, the line and what is wrong. */
#include "settings_file.h"

#include "base/buf.h"

static void refuses_what_is_not_the_grammar(void **state)
{
    static const struct refusal rows[] = {
        {S(DB "name\n"), 5, "neither [section], nor key = value"},
        {S("name = x\n" DB), 1, "a key before the first [section]"},
        {S("  name = x\n" DB), 1, "an indented line"},
        {S(DB "\n  v\n"), 6, "an indented line"},
        {S(DB "[source stripe\n"), 5, "[kind name]"},
        {S(DB "[source Stripe]\n"), 5, "a-z 0-9 . _ -"},
        {S(DB "[source -x]\n"), 5, "a-z 0-9 . _ -"},
        {S(DB "[source a/b]\n"), 5, "a-z 0-9 . _ -"},
        {S(DB "[source a b]\n"), 5, "a-z 0-9 . _ -"},
        {S(DB DB), 5, "a second [database]; the first is in line 1"},
        {S(DB HANDLER HANDLER), 7, "a second [handler h]; the first is in line 5"},
        {S(DB "[hookonce]\nurl = a\0b\n"), 6, "a NUL byte"},
        {S(DB "[hookonce]\nurl = a\xff\n"), 6, "not UTF-8"},
    };
    (void)state;
    check_all_refused(rows, COUNT(rows));
}

static void refuses_unknown_words_with_the_nearest(void **state)
{
    static const struct refusal rows[] = {
        {S(DB "[sorce x]\n"), 5, "unknown section \"sorce\"; did you mean \"source\"?"},
        {S(DB "[zzz]\n"), 5, "unknown section \"zzz\""},
        {S(DB "[source s]\nprovider=p\nsecret=file:a\ntolerence=5m\n"), 8,
         "unknown key \"tolerence\" in a section source; did you mean \"tolerance\"?"},
        {S(DB "[route r]\nsecret=file:a\n"), 6, "unknown key \"secret\" in a section route"},
        {S("[database]\nsockets=/s\nname=n\nuser=u\n"), 2, "did you mean \"socket\"?"},
        {S(DB "[handler h]\nsql=SELECT 1\nSQL=SELECT 2\n"), 7, "neither [section]"},
        {S(DB "[hookonce]\nsql_commands=retry, replay-dome\n"), 6,
         "`sql_commands`: there is no 'replay-dome'; did you mean 'replay-done'?"},
        {S(DB "[source s]\nprovider=p\nsecret=file:a\nscope=both\n"), 8,
         "scope must be one of source provider, not both"},
        {S(DB HANDLER "[route r]\nprovider=p\nhandler=h\nlivemode=yes\n"), 10,
         "livemode must be one of any true false, not yes"},
        {S(DB "[source s]\nprovider=p\nsecret=file:a\nguard=on\n"), 8,
         "guard must be yes or no, not on"},
    };
    (void)state;
    check_all_refused(rows, COUNT(rows));
}

static void refuses_what_is_missing_or_twice(void **state)
{
    static const struct refusal rows[] = {
        {S(""), 1, "there is no [database] section"},
        {S("# nothing\n\n"), 1, "there is no [database] section"},
        {S("[processor]\nbatch=5\n"), 1, "there is no [database] section"},
        {S("[database]\nhost=\nname=n\nuser=u\n"), 2, "`host` is empty"},
        {S("[database]\nhost=h\ntls=maybe\nname=n\nuser=u\n"), 3, "tls must be one of off on verify"},
        {S("[database]\nsocket=/s\ntls=verify\nname=n\nuser=u\n"), 3, "`tls` = verify is for a `host`"},
        {S("[database]\ntls=verify\nname=n\nuser=u\n"), 2, "`tls` = verify is for a `host`"},
        {S("[database]\nhost=h\ntls=on\ntls_ca=ca\nname=n\nuser=u\n"), 4, "`tls_ca` needs `tls` = verify"},
        {S("[database]\nsocket=/s\ntls_ca=ca\nname=n\nuser=u\n"), 3, "`tls_ca` needs `tls` = verify"},
        {S("[database]\nhost=h\ntls_cert=c\nname=n\nuser=u\n"), 3, "`tls_cert` and `tls_key` go"},
        {S("[database]\nhost=h\ntls_key=c\nname=n\nuser=u\n"), 3, "`tls_cert` and `tls_key` go"},
        {S("[database]\nhost=127.0.0.1\ntls_key=k\ntls_cert=c\nname=n\nuser=u\n"), 4, "`tls_cert` needs `tls`"},
        {S("[database]\nsocket=/s\nname=n\nuser=u\ntable_prefix=\n"), 5, "`table_prefix` is made of"},
        {S("[database]\nsocket=/s\nname=n\nuser=u\ntable_prefix=Acme_\n"), 5, "`table_prefix` is made of"},
        {S("[database]\nsocket=/s\nname=n\nuser=u\ntable_prefix=1_\n"), 5, "`table_prefix` is made of"},
        {S("[database]\nsocket=/s\nname=n\nuser=u\ntable_prefix=a-b\n"), 5, "`table_prefix` is made of"},
        {S("[database]\nsocket=/s\nname=n\nuser=u\n"
           "table_prefix=a23456789_123456789_123456789_123456789_123456789\n"), 5, "at most 48"},
        {S("\n[database]\nsocket=/s\nuser=u\n"), 2, "[database] needs name"},
        {S("[database]\nsocket=/s\nname=n\n"), 1, "[database] needs user"},
        {S("[database]\nsocket=/s\nname=\nuser=u\n"), 3, "name must be a text"},
        {S("[database]\nsocket=/s\nname=n\nuser=u\nname=m\n"), 5,
         "a second name; the first is in line 3"},
        {S("[database main]\nsocket=/s\nname=n\nuser=u\n"), 1, "[database] takes no name"},
        {S(DB "[processor x]\nbatch=5\n"), 5, "[processor] takes no name"},
        {S(DB "[hookonce x]\nurl=u\n"), 5, "[hookonce] takes no name"},
        {S(DB "[source]\nprovider=p\nsecret=file:a\n"), 5,
         "this section needs a name: [source NAME]"},
        {S(DB "[handler]\nsql=SELECT 1\n"), 5, "this section needs a name: [handler NAME]"},
        {S(DB "[route]\nprovider=p\ninformational=a\n"), 5,
         "this section needs a name: [route NAME]"},
        {S(DB "[source s]\nsecret=file:a\n"), 5, "[source s] needs provider"},
        {S(DB "[source s]\nprovider=p\nprovider=q\nsecret=file:a\n"), 7, "a second provider"},
        {S(DB "[handler h]\ntimeout=5s\n"), 5, "[handler h] needs one of `sql`, `command` and `url`"},
        {S(DB "[route r]\ninformational=a\n"), 5, "[route r] needs provider"},
    };
    (void)state;
    check_all_refused(rows, COUNT(rows));
}

static void refuses_values_out_of_range(void **state)
{
    static const struct refusal rows[] = {
        {S("[database]\nhost=h\nport=0\nname=n\nuser=u\n"), 3, "port must be from 1 to 65535"},
        {S("[database]\nhost=h\nport=65536\nname=n\nuser=u\n"), 3, "port must be from 1 to 65535"},
        {S("[database]\nsocket=/s,\nname=n\nuser=u\n"), 2, "socket must be texts with commas"},
        {S(DB "[processor]\nbatch=0\n"), 6, "batch must be from 1 to 100, not 0"},
        {S(DB "[processor]\nbatch=101\n"), 6, "batch must be from 1 to 100, not 101"},
        {S(DB "[processor]\nbatch=1e1\n"), 6, "batch must be a whole number, not 1e1"},
        {S(DB "[processor]\nlease=1s\n"), 6, "lease must be from 2s to 1d, not 1s"},
        {S(DB "[processor]\nlease=60\n"), 6, "lease must be a time like"},
        {S(DB "[processor]\npoll=6m\n"), 6, "poll must be from 1s to 5m, not 6m"},
        {S(DB "[source s]\nprovider=P\nsecret=file:a\n"), 6, "provider must be a name"},
        {S(DB "[source s]\nprovider=p\nsecret=file:a\ntolerance=8d\n"), 8,
         "tolerance must be from 1s to 7d, not 8d"},
        {S(DB "[handler h]\nsql=SELECT 1\ntimeout=2h\n"), 7, "timeout must be from 1s to 1h"},
        {S(DB HANDLER "[route r]\nprovider=p\nhandler=h\non=a,,b\n"), 10, "on must be texts"},
        {S(DB HANDLER "[route r]\nprovider=p\nhandler=h\non=\n"), 10, "on must be texts"},
        {S(DB "[hookonce]\nrecipes=\n"), 6, "recipes must be a path"},
    };
    (void)state;
    check_all_refused(rows, COUNT(rows));
}

#define SOURCE(secret) DB "[source s]\nprovider=p\n" secret "\n"

static void refuses_bad_sources_and_files(void **state)
{
    static const char in_file[] = "a secret stands in a file of its own (mode 0600): write "
                                  "`secret = file:NAME`";
    static const char until[] = "behind the file only `until 2026-12-01` (a date, or an RFC 3339 "
                                "time) may stand";
    static const char url[] = "url is the whole address as entered at the provider: https://HOST/...";
    static const char param[] = "a param is a name of letters, digits, - and _, a blank, and its value";
    static const struct refusal rows[] = {
        {S(DB "[source health]\nprovider=p\nsecret=file:a\n"), 5, "`health` is a name of ours"},
        {S(DB "[source metrics]\nprovider=p\nsecret=file:a\n"), 5, "`metrics` is a name of ours"},
        {S(DB "[source status]\nprovider=p\nsecret=file:a\n"), 5, "`status` is a name of ours"},
        {S(DB "[source tick]\nprovider=p\nsecret=file:a\n"), 5, "`tick` is a name of ours"},
        {S(DB "[source setup]\nprovider=p\nsecret=file:a\n"), 5, "`setup` is a name of ours"},
        {S(SOURCE("secret=whsec_abc")), 7, in_file},
        {S(SOURCE("secret=File:a")), 7, in_file},
        {S(SOURCE("secret=file:")), 7, in_file},
        {S(SOURCE("secret=file: a")), 7, in_file},
        {S(SOURCE("secret=file:a\nsecret=whsec_abc")), 8, in_file},
        {S(SOURCE("secret=file:a until")), 7, until},
        {S(SOURCE("secret=file:a until tomorrow")), 7, until},
        {S(SOURCE("secret=file:a until 2026-02-30")), 7, until},
        {S(SOURCE("secret=file:a until 2026-12-01 or so")), 7, until},
        {S(SOURCE("secret=file:a until 2026-12-01T25:00:00Z")), 7, until},
        {S(SOURCE("secret=file:a till 2026-12-01")), 7, until},
        {S(SOURCE("secret=file:a 2026-12-01")), 7, until},
        {S(SOURCE("secret=file:a until2026-12-01")), 7, until},
        {S(SOURCE("url=")), 7, url},
        {S(SOURCE("url=/hook/s")), 7, url},
        {S(SOURCE("url=h.example/hook/s")), 7, url},
        {S(SOURCE("url=//h.example/hook/s")), 7, url},
        {S(SOURCE("url=ftp://h.example/")), 7, url},
        {S(SOURCE("url=HTTPS://h.example/")), 7, url},
        {S(SOURCE("url=https:/h.example/")), 7, url},
        {S(SOURCE("url=https://")), 7, url},
        {S(SOURCE("url=https:///x")), 7, url},
        {S(SOURCE("url=https://?x")), 7, url},
        {S(SOURCE("url=https://:443/x")), 7, url},
        {S(SOURCE("url=https://user@/x")), 7, url},
        {S(SOURCE("url=https://h.example:/x")), 7, url},
        {S(SOURCE("url=https://h.example:0/x")), 7, url},
        {S(SOURCE("url=https://h.example:65536/x")), 7, url},
        {S(SOURCE("url=https://h.example:44a/x")), 7, url},
        {S(SOURCE("url=https://[::1/x")), 7, url},
        {S(SOURCE("url=https://[]/x")), 7, url},
        {S(SOURCE("url=https://[::1]x/x")), 7, url},
        {S(SOURCE("url=https://::1/x")), 7, url},
        {S(SOURCE("url=https://h.example/a b")), 7, url},
        {S(SOURCE("url=https://h.example/\n  x")), 7, url},
        {S(SOURCE("url=https://h.ex\xC3\xA4mple/")), 7, url},
        {S(SOURCE("url=https://h.example/\nurl=https://h.example/")), 8, "a second url"},
        {S(SOURCE("param=")), 7, param},
        {S(SOURCE("param=name")), 7, param},
        {S(SOURCE("param=na.me value")), 7, param},
        {S(SOURCE("param=na:me value")), 7, param},
        {S(SOURCE("param=name=value")), 7, param},
        {S(SOURCE("param=name\tvalue")), 7, param},
        {S(SOURCE("param=n\xC3\xA4me value")), 7, param},
        {S(SOURCE("param=name\n  value")), 7, param},
        {S(SOURCE("param=name val\n  ue")), 7, "the value of a param stands in one line"},
        {S(SOURCE("param=name val\x7fue")), 7, "the value of a param stands in one line"},
        {S(SOURCE("param=a 1\nparam=b 2\nparam=a 1")), 9, "a second param a"},
        {S(SOURCE("param=a23456789012345678901234567890123456789012345678901234567890123456 v")), 7,
         param},
        {S(DB "password=hunter2\n"), 5, "`password` names a private file: write file:NAME"},
        {S(DB "password=file:\n"), 5, "`password` names a private file: write file:NAME"},
        {S(DB "password=\n"), 5, "`password` names a private file: write file:NAME"},
        {S(DB "[hookonce]\nkey=abc\n"), 6, "`key` names a private file: write file:NAME"},
        {S(DB "[hookonce]\nlog=/var/log/x\n"), 6, "`log`"},
    };
    (void)state;
    check_all_refused(rows, COUNT(rows));
}

/* What may be a secret is not repeated in a message. */
static void shows_no_secret(void **state)
{
    static const char *const rows[] = {
        SOURCE("secret=hunter2"),
        SOURCE("secret=file:a hunter2"),
        SOURCE("secret=file:a\nhunter2"),
        SOURCE("secret=file:a\n\n hunter2"),
        DB "password=hunter2\n",
        DB "[hookonce]\nkey=hunter2\n",
        SOURCE("param=a hunter2\nparam=a hunter2"),
        SOURCE("param=a. hunter2"),
        SOURCE("url=https://user:hunter2@/"),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct settings *s = NULL;
        struct ho_err err;
        ho_err_clear(&err);
        write_file(conf_path, span_of(rows[i]), 0600);
        assert_int_equal(settings_load(conf_path, &s, &err), HO_REJECT);
        ROW(i, strstr(err.text, "hunter2") == NULL);
    }
}

static void refuses_handlers_and_routes_that_cannot_work(void **state)
{
    static const char too_long[] = "a handler's timeout must be shorter than [processor] lease";
    static const char no_handler[] = "a route needs `handler = NAME`, or only `informational` types";
    static const struct refusal rows[] = {
        {S(DB "[handler h]\nsql=SELECT ?\n"), 6, "a ? outside quotes"},
        {S(DB "[handler h]\nsql=SELECT 1\nsql=SELECT '{/a}'\n"), 7, "inside quoted text"},
        {S(DB "[handler h]\nsql=SELECT 1; SELECT 2\n"), 6, "one statement only"},
        {S(DB "[handler h]\nsql=SELECT\n  {event:when}\n"), 6, "{event:when} is not known"},
        {S(DB "[handler h]\nsql=;\n"), 6, "an empty statement"},
        {S(DB "[handler h]\nsql=SELECT 1\ntimeout=60s\n"), 7, too_long},
        {S(DB "[handler h]\nsql=SELECT 1\ntimeout=61s\n"), 7, too_long},
        {S(DB "[processor]\nlease=30s\n" HANDLER), 7, too_long}, /* by its default */
        {S(DB HANDLER "timeout=20s\n[processor]\nlease=20s\n"), 7, too_long},
        {S(DB "[route r]\nprovider=p\n"), 5, no_handler},
        {S(DB "[route r]\nprovider=p\non=a\n"), 5, no_handler},
        {S(DB "[route r]\nprovider=p\non=a\ninformational=b\n"), 5, no_handler},
        {S(DB HANDLER "[route r]\nprovider=p\nhandler=g\n"), 9, "there is no [handler g]"},
        {S(DB "[route r]\nprovider=p\nhandler=r\n"), 7, "there is no [handler r]"},
        {S(DB HANDLER "[route r]\nprovider=p\nhandler=H\n"), 9, "handler must be a name"},
        {S(DB HANDLER "[route r]\nprovider=p\nhandler=h\nretry=often\n"), 10, "not a retry rule"},
        {S(DB HANDLER "[route r]\nprovider=p\nhandler=h\nretry=3 tries\n"), 10, "needs a delay"},
        {S(DB HANDLER "[route r]\nprovider=p\nhandler=h\nretry=\n"), 10, "not a retry rule"},
    };
    (void)state;
    check_all_refused(rows, COUNT(rows));
}

static void append_routes(struct buf *text, const char *provider, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(buf_addf(text, "[route %s.%u]\nprovider=%s\nhandler=h\n", provider, i,
                                  provider),
                         HO_OK);
    }
}

static void takes_64_routes_of_a_provider_and_not_65(void **state)
{
    struct buf text;
    struct settings *s;
    (void)state;
    buf_init(&text, 65536);
    assert_int_equal(buf_add_str(&text, DB HANDLER), HO_OK);
    append_routes(&text, "a", 64);
    append_routes(&text, "b", 64);
    s = loaded(buf_cstr(&text));
    assert_int_equal(s->n_routes, 128);
    settings_free(s);
    assert_int_equal(buf_add_str(&text, "[route more]\nprovider=a\nhandler=h\n"), HO_OK);
    struct refusal r = {buf_span(&text), 6 + 128 * 3 + 1, "more than 64 routes for a"};
    check_refused(0, &r);
    buf_free(&text);
}

static void refuses_files_that_others_may_read(void **state)
{
    static const struct {
        mode_t mode;
        bool ok;
    } rows[] = {
        {0600, true},  {0400, true},  {0700, true},  {0640, false}, {0604, false},
        {0620, false}, {0602, false}, {0610, false}, {0666, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct settings *s = NULL;
        struct ho_err err;
        ho_err_clear(&err);
        write_file(conf_path, SPAN_LIT(DB), rows[i].mode);
        ROW(i, settings_load(conf_path, &s, &err) == (rows[i].ok ? HO_OK : HO_REJECT));
        ROW(i, rows[i].ok || strstr(err.text, "chmod 600") != NULL);
        ROW(i, (s != NULL) == rows[i].ok);
        settings_free(s);
    }
    (void)chmod(conf_path, 0600);
}

static void refuses_what_is_no_file(void **state)
{
    struct settings *s = NULL;
    struct ho_err err;
    (void)state;
    ho_err_clear(&err);
    assert_int_equal(settings_load(in_folder("absent.conf"), &s, &err), HO_REJECT);
    assert_non_null(strstr(err.text, "absent.conf"));
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(settings_load(folder, &s, &err), HO_REJECT);
    assert_non_null(strstr(err.text, "not a regular file"));
    assert_null(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_not_the_grammar),
        cmocka_unit_test(refuses_unknown_words_with_the_nearest),
        cmocka_unit_test(refuses_what_is_missing_or_twice),
        cmocka_unit_test(refuses_values_out_of_range),
        cmocka_unit_test(refuses_bad_sources_and_files),
        cmocka_unit_test(shows_no_secret),
        cmocka_unit_test(refuses_handlers_and_routes_that_cannot_work),
        cmocka_unit_test(takes_64_routes_of_a_provider_and_not_65),
        cmocka_unit_test(refuses_files_that_others_may_read),
        cmocka_unit_test(refuses_what_is_no_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
