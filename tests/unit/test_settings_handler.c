/* Handlers of the config: SQL, commands and URLs, their limits, and sources that answer. */
#include "settings_file.h"

#define H "[handler h]\n"

static void reads_commands(void **state)
{
    struct settings *s = loaded(DB "[handler a]\ncommand = /home/u/bin/thumbs --fast \"two words\"\n"
                                   "timeout = 20s\nkey_lifetime = 24h\nat_most_once = yes\n"
                                   "concurrency = 3\nrate = 10 per 1s\nbreaker = 5 failures, 30s\n"
                                   "[handler b]\ncommand = bin/thumbs\n  'a\tb'\n");
    const struct handler *a = settings_handler(s, SPAN_LIT("a"));
    const struct handler *b = settings_handler(s, SPAN_LIT("b"));
    (void)state;
    assert_int_equal(a->kind, HANDLER_COMMAND);
    assert_int_equal(a->argc, 3);
    assert_string_equal(a->argv[0], "/home/u/bin/thumbs");
    assert_string_equal(a->argv[1], "--fast");
    assert_string_equal(a->argv[2], "two words");
    assert_null(a->argv[3]);
    assert_int_equal(a->timeout_ms, 20000);
    assert_int_equal(a->key_lifetime_ms, 24 * 3600 * 1000);
    assert_true(a->at_most_once);
    assert_int_equal(a->concurrency, 3);
    assert_int_equal(a->rate, 10);
    assert_int_equal(a->rate_ms, 1000);
    assert_int_equal(a->breaker, 5);
    assert_int_equal(a->breaker_ms, 30000);
    assert_int_equal(a->n_statements, 0);
    assert_null(a->url);
    assert_string_equal(b->argv[0], in_folder("bin/thumbs"));
    assert_string_equal(b->argv[1], "a\tb");
    assert_int_equal(b->argc, 2);
    assert_null(settings_handler(s, SPAN_LIT("c")));
    settings_free(s);
}

static void reads_urls(void **state)
{
    struct settings *s = loaded(DB "[handler a]\nurl = https://crm.example/hooks?x=1\n"
                                   "header = X-Api-Key: file:crm.key\n"
                                   "header = X-Tenant:  acme, inc.#7  # a comment\n"
                                   "header = Authorization: file:/etc/crm.auth\n"
                                   "sign_with = file:crm.secret\n"
                                   "[handler b]\nurl = http://127.0.0.1:9/\nauth = basic file:b.auth\n"
                                   "[handler c]\nurl = https://c.example\nauth = bearer  file:/c\n"
                                   "breaker = off\n");
    const struct handler *a = settings_handler(s, SPAN_LIT("a"));
    const struct handler *b = settings_handler(s, SPAN_LIT("b"));
    const struct handler *c = settings_handler(s, SPAN_LIT("c"));
    (void)state;
    assert_int_equal(a->kind, HANDLER_URL);
    assert_string_equal(a->url, "https://crm.example/hooks?x=1");
    assert_int_equal(a->n_headers, 3);
    assert_string_equal(a->headers[0].name, "X-Api-Key");
    assert_null(a->headers[0].value);
    assert_string_equal(a->headers[0].path, in_folder("crm.key"));
    assert_string_equal(a->headers[1].name, "X-Tenant");
    assert_string_equal(a->headers[1].value, "acme, inc.#7");
    assert_null(a->headers[1].path);
    assert_string_equal(a->headers[2].path, "/etc/crm.auth");
    assert_string_equal(a->sign_with, in_folder("crm.secret"));
    assert_int_equal(a->auth.kind, AUTH_NONE);
    assert_null(a->auth.path);
    assert_int_equal(b->auth.kind, AUTH_BASIC);
    assert_string_equal(b->auth.path, in_folder("b.auth"));
    assert_null(b->sign_with);
    assert_int_equal(c->auth.kind, AUTH_BEARER);
    assert_string_equal(c->auth.path, "/c");
    assert_int_equal(c->breaker, 0);
    assert_int_equal(c->breaker_ms, 0);
    settings_free(s);
}

static void what_is_not_written_has_its_default(void **state)
{
    static const char *const texts[] = {DB HANDLER, DB H "command = /a\n",
                                        DB H "url = https://a.example/\n"};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct settings *s = loaded(texts[i]);
        const struct handler *h = &s->handlers[0];
        ROW(i, h->kind == (enum handler_kind)i);
        ROW(i, h->timeout_ms == 30000 && h->key_lifetime_ms == 0 && !h->at_most_once);
        ROW(i, h->concurrency == 0 && h->rate == 0 && h->rate_ms == 0);
        ROW(i, h->breaker == (i == 0 ? 0U : 10U) && h->breaker_ms == (i == 0 ? 0 : 60000));
        settings_free(s);
    }
}

static void sql_may_have_limits_too(void **state)
{
    struct settings *s = loaded(DB HANDLER "concurrency = 1\nrate = 1000000 per 1d\n"
                                           "breaker = 1 failures, 1d\n");
    const struct handler *h = &s->handlers[0];
    (void)state;
    assert_int_equal(h->concurrency, 1);
    assert_int_equal(h->rate, 1000000);
    assert_int_equal(h->rate_ms, 86400000);
    assert_int_equal(h->breaker, 1);
    settings_free(s);
}

static void refuses_mixed_kinds(void **state)
{
    static const char one[] = "a handler has one of `sql`, `command` and `url`: `sql` is in line 6";
    static const struct refusal rows[] = {
        {S(DB H), 5, "[handler h] needs one of `sql`, `command` and `url`"},
        {S(DB H "concurrency=1\n"), 5, "[handler h] needs one of"},
        {S(DB HANDLER "command=/a\n"), 7, one},
        {S(DB HANDLER "sql=SELECT 2\nurl=https://a.example/\n"), 8, one},
        {S(DB H "url=https://a.example/\nsql=SELECT 1\n"), 7, "`url` is in line 6"},
        {S(DB H "command=/a\ncommand=/b\n"), 7, "a second command; the first is in line 6"},
        {S(DB H "url=https://a.example/\nurl=https://a.example/\n"), 7, "a second url"},
        {S(DB HANDLER "prints=body\n"), 7, "only a `command` prints its answer"},
        {S(DB H "url=https://a.example/\nprints=headers\n"), 7, "only a `command` prints its answer"},
        {S(DB H "command=/a\nprints=cgi\n"), 7, "prints must be one of body headers, not cgi"},
        {S(DB HANDLER "at_most_once=yes\n"), 7, "an `sql` handler commits together with its mark, so "
                                                "that it is exactly once; leave at_most_once out"},
        {S(DB HANDLER "at_most_once=no\n"), 7, "leave at_most_once out"},
        {S(DB HANDLER "key_lifetime=1d\n"), 7, "leave key_lifetime out"},
        {S(DB HANDLER "header=A: b\n"), 7, "only a request to a `url` has headers"},
        {S(DB HANDLER "auth=bearer file:a\n"), 7, "only a request to a `url` says who asks"},
        {S(DB H "command=/a\nsign_with=file:a\n"), 7, "only a request to a `url` is signed"},
        {S(DB H "command=/a\nheader=A: b\n"), 7, "only a request to a `url` has headers"},
        {S(DB H "command=/a\nauth=bearer file:a\n"), 7, "only a request to a `url` says who asks"},
    };
    (void)state;
    check_all_refused(rows, COUNT(rows));
}

static void refuses_bad_commands_and_limits(void **state)
{
    static const char rate[] = "a rate is N per TIME, for example `10 per 1s`: 1 to 1000000 within 1s "
                               "to 1d";
    static const char breaker[] = "a breaker is off, or N failures, TIME, for example `10 failures, "
                                  "1m`: 1 to 1000, and 1s to 1d";
    static const char timeout[] = "a handler's timeout must be shorter than [processor] lease";
    static const struct refusal rows[] = {
        {S(DB H "command=\n"), 6, "an empty command"},
        {S(DB H "command=''\n"), 6, "the program's name is empty"},
        {S(DB H "command=/a | b\n"), 6, "there is no shell"},
        {S(DB H "command=/a {/data/id}\n"), 6, "there is no shell"},
        {S(DB H "command=/a 'b\n"), 6, "a closing quote is missing"},
        {S(DB H "command=/a\ntimeout=60s\n"), 7, timeout},
        {S(DB H "url=https://a.example/\ntimeout=60s\n"), 7, timeout},
        {S(DB H "command=/a\nat_most_once=on\n"), 7, "at_most_once must be yes or no, not on"},
        {S(DB H "command=/a\nkey_lifetime=30s\n"), 7, "key_lifetime must be from 1m to 366d, not 30s"},
        {S(DB H "command=/a\nkey_lifetime=367d\n"), 7, "key_lifetime must be from 1m to 366d"},
        {S(DB HANDLER "concurrency=1001\n"), 7, "concurrency must be from 0 to 1000, not 1001"},
        {S(DB HANDLER "concurrency=-1\n"), 7, "concurrency must be from 0 to 1000, not -1"},
        {S(DB HANDLER "rate=\n"), 7, rate},
        {S(DB HANDLER "rate=10\n"), 7, rate},
        {S(DB HANDLER "rate=10 per second\n"), 7, rate},
        {S(DB HANDLER "rate=0 per 1s\n"), 7, rate},
        {S(DB HANDLER "rate=1000001 per 1s\n"), 7, rate},
        {S(DB HANDLER "rate=10 per 999ms\n"), 7, rate},
        {S(DB HANDLER "rate=10 per 2d\n"), 7, rate},
        {S(DB HANDLER "rate=10 per 1s burst\n"), 7, rate},
        {S(DB HANDLER "rate=10 in 1s\n"), 7, rate},
        {S(DB HANDLER "rate=1.5 per 1s\n"), 7, rate},
        {S(DB HANDLER "breaker=on\n"), 7, breaker},
        {S(DB HANDLER "breaker=10\n"), 7, breaker},
        {S(DB HANDLER "breaker=10 failures\n"), 7, breaker},
        {S(DB HANDLER "breaker=0 failures, 1m\n"), 7, breaker},
        {S(DB HANDLER "breaker=1001 failures, 1m\n"), 7, breaker},
        {S(DB HANDLER "breaker=10 failures, 0\n"), 7, breaker},
        {S(DB HANDLER "breaker=10 failures, 25h\n"), 7, breaker},
        {S(DB HANDLER "breaker=off, 1m\n"), 7, breaker},
    };
    (void)state;
    check_all_refused(rows, COUNT(rows));
}

#define U DB H "url=https://a.example/\n"

static void refuses_bad_requests(void **state)
{
    static const char header[] = "a header is NAME: VALUE, in one line of printable ASCII; a secret "
                                 "VALUE is written file:PATH";
    static const char file[] = "a secret stands in a file of its own (mode 0600): write file:PATH";
    static const char auth[] = "`auth` is `bearer file:PATH` (a token) or `basic file:PATH` "
                               "(user:password)";
    static const struct refusal rows[] = {
        {S(DB H "url=a.example\n"), 6, "write the whole address: https://HOST/..."},
        {S(DB H "url=http://a.example/\n"), 6, "http is for this machine only"},
        {S(DB H "url=https://u:p@a.example/\n"), 6, "no user or password stands in an address"},
        {S(DB H "url=https://a.example/{/id}\n"), 6, "an address has at most 2000 bytes"},
        {S(U "header=A\n"), 7, header},
        {S(U "header=A:\n"), 7, header},
        {S(U "header=: b\n"), 7, header},
        {S(U "header=A b: c\n"), 7, header},
        {S(U "header=A : c\n"), 7, header},
        {S(U "header=A: b\n  c\n"), 7, header},
        {S(U "header=A: \xc3\xbc\n"), 7, header},
        {S(U "header=A: file:\n"), 7, file},
        {S(U "header=Host: b\n"), 7, "Host is set by hookonce itself"},
        {S(U "header=content-length: 5\n"), 7, "content-length is set by hookonce itself"},
        {S(U "header=Content-Type: text/plain\n"), 7, "is set by hookonce itself"},
        {S(U "header=Transfer-Encoding: chunked\n"), 7, "is set by hookonce itself"},
        {S(U "header=Idempotency-Key: 1\n"), 7, "is set by hookonce itself"},
        {S(U "header=X-Hookonce-Id: 1\n"), 7, "is set by hookonce itself"},
        {S(U "header=x-hookonce-: 1\n"), 7, "is set by hookonce itself"},
        {S(U "header=Webhook-Signature: v1,a\n"), 7, "is set by hookonce itself"},
        {S(U "header=Authorization: Bearer abc\n"), 7, "the value of Authorization is secret"},
        {S(U "header=cookie: a=b\n"), 7, "the value of cookie is secret"},
        {S(U "header=A: b\nheader=a: file:c\n"), 8, "a second header A"},
        {S(U "auth=bearer file:a\nheader=authorization: file:b\n"), 8,
         "`auth` sets Authorization already"},
        {S(U "auth=abc\n"), 7, auth},
        {S(U "auth=Bearer file:a\n"), 7, auth},
        {S(U "auth=digest file:a\n"), 7, auth},
        {S(U "auth=bearer\n"), 7, file},
        {S(U "auth=bearer abc\n"), 7, file},
        {S(U "auth=basic user:password\n"), 7, file},
        {S(U "auth=bearer file:\n"), 7, file},
        {S(U "sign_with=whsec_abc\n"), 7, "`sign_with` names a private file: write file:NAME"},
    };
    (void)state;
    check_all_refused(rows, COUNT(rows));
}

static void headers_have_their_limit(void **state)
{
    struct buf text;
    struct settings *s = NULL;
    struct ho_err err;
    (void)state;
    buf_init(&text, 10000);
    assert_int_equal(buf_add_str(&text, U), HO_OK);
    for (int i = 0; i <= HANDLER_HEADERS_MAX; i++) {
        write_file(conf_path, buf_span(&text), 0600);
        assert_int_equal(settings_load(conf_path, &s, &err), HO_OK);
        settings_free(s);
        assert_int_equal(buf_addf(&text, "header=X-%d: y\n", i), HO_OK);
    }
    write_file(conf_path, buf_span(&text), 0600);
    assert_int_equal(settings_load(conf_path, &s, &err), HO_REJECT);
    assert_non_null(strstr(err.text, "more than 32 headers"));
    buf_free(&text);
}

/* What may be a secret is not repeated in a message. */
static void shows_no_secret(void **state)
{
    static const char *const rows[] = {
        U "auth=hunter2\n",           U "auth=bearer hunter2\n",
        U "header=hunter2\n",         U "header=A hunter2: b\n",
        U "header=Cookie: hunter2\n", U "header=A: b\nheader=A: hunter2\n",
        U "sign_with=hunter2\n",      DB H "url=https://u:hunter2@a.example/\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct settings *s = NULL;
        struct ho_err err;
        ho_err_clear(&err);
        write_file(conf_path, span_of(rows[i]), 0600);
        ROW(i, settings_load(conf_path, &s, &err) == HO_REJECT);
        ROW(i, strstr(err.text, "hunter2") == NULL);
    }
}

#define REPLY "[source s]\nprovider=p\nsecret=file:a\n"

static void reads_sources_that_answer(void **state)
{
    struct settings *s = loaded(DB REPLY "mode = reply\nhandler = h\nreply_timeout = 2500ms\n" HANDLER
                                   "[source t]\nprovider=p\nmode=reply\nhandler=h\n"
                                   "[source q]\nprovider=p\nmode=queue\n"
                                   "[source d]\nprovider=p\n");
    const struct source *a = settings_source(s, SPAN_LIT("s"));
    const struct source *t = settings_source(s, SPAN_LIT("t"));
    const struct source *q = settings_source(s, SPAN_LIT("q"));
    const struct source *d = settings_source(s, SPAN_LIT("d"));
    (void)state;
    assert_true(a->reply);
    assert_ptr_equal(a->handler, &s->handlers[0]);
    assert_int_equal(a->reply_timeout_ms, 2500);
    assert_true(t->reply);
    assert_int_equal(t->reply_timeout_ms, -1);
    assert_false(q->reply);
    assert_null(q->handler);
    assert_false(d->reply);
    assert_null(d->handler);
    assert_int_equal(d->reply_timeout_ms, -1);
    settings_free(s);
}

static void refuses_answers_that_cannot_be(void **state)
{
    static const struct refusal rows[] = {
        {S(DB REPLY "mode=sync\n"), 8, "mode must be one of queue reply, not sync"},
        {S(DB REPLY "mode=reply\n"), 8, "`mode = reply` needs `handler = NAME`: what answers the "
                                        "request"},
        {S(DB REPLY "mode=reply\nhandler=g\n" HANDLER), 9, "there is no [handler g]"},
        {S(DB REPLY "handler=h\n" HANDLER), 8, "`handler` is for a source with `mode = reply`"},
        {S(DB REPLY "mode=queue\nhandler=h\n" HANDLER), 9, "`handler` is for a source with"},
        {S(DB REPLY "reply_timeout=2s\n"), 8, "`reply_timeout` is for a source with"},
        {S(DB REPLY "mode=reply\nhandler=h\nreply_timeout=99ms\n" HANDLER), 10,
         "reply_timeout must be from 100ms to 1m, not 99ms"},
        {S(DB REPLY "mode=reply\nhandler=h\nreply_timeout=61s\n" HANDLER), 10,
         "reply_timeout must be from 100ms to 1m"},
        {S(DB REPLY "mode=reply\nhandler=h\n[handler h]\nsql=SELECT {fetched:/a}\n"), 9,
         "[handler h] uses {fetched:...}, and nothing is fetched for a reply"},
    };
    (void)state;
    check_all_refused(rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_commands),
        cmocka_unit_test(reads_urls),
        cmocka_unit_test(what_is_not_written_has_its_default),
        cmocka_unit_test(sql_may_have_limits_too),
        cmocka_unit_test(refuses_mixed_kinds),
        cmocka_unit_test(refuses_bad_commands_and_limits),
        cmocka_unit_test(refuses_bad_requests),
        cmocka_unit_test(headers_have_their_limit),
        cmocka_unit_test(shows_no_secret),
        cmocka_unit_test(reads_sources_that_answer),
        cmocka_unit_test(refuses_answers_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
