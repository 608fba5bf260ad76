/* The config file: a whole one, its defaults, and where it is looked for. */
#include "settings_file.h"

#include <pwd.h>

#include "base/text.h"

/* The search asks the system who and where we are; here the cases say it. */
static const char *exe_path;
static const char *home_dir;

static ssize_t exe_is(const char *link, char *out, size_t size)
{
    size_t len = strlen(exe_path);
    assert_string_equal(link, "/proc/self/exe");
    assert_true(len < size);
    memcpy(out, exe_path, len);
    return len > 0 ? (ssize_t)len : -1;
}

static struct passwd *user_is(uid_t uid)
{
    static struct passwd user;
    static char dir[256];
    assert_int_equal(uid, getuid());
    assert_true(home_dir == NULL || strlen(home_dir) < sizeof dir);
    (void)snprintf(dir, sizeof dir, "%s", home_dir == NULL ? "" : home_dir);
    user.pw_dir = dir;
    return home_dir == NULL ? NULL : &user;
}

#define readlink exe_is
#define getpwuid user_is
#include "core/settings_find.c"
#undef readlink
#undef getpwuid

static const char whole[] =
    "# the shop's webhooks\n"
    "[database]\n"
    "socket = /run/mysqld/mysqld.sock,   # the first that answers\n"
    "  /tmp/mysql.sock\n"
    "name = acme_hooks\n"
    "user = acme_hooks\n"
    "password = file:db.password\n"
    "\n"
    "[hookonce]\n"
    "state = var\n"
    "key = file:/etc/hookonce.key\n"
    "log = file:logs/h.log\n"
    "recipes = more.conf\n"
    "recipes = /srv/other.conf\n"
    "url = https://shop.example/hookonce.fcgi\n"
    "\n"
    "[processor]\n"
    "lease = 90s\n"
    "batch = 7\n"
    "poll = 2s\n"
    "\n"
    "[route paid]                           # a handler may stand behind its route\n"
    "provider = stripe\n"
    "on = checkout.session.completed, checkout.session.async_payment_succeeded\n"
    "on = invoice.*\n"
    "livemode = true\n"
    "informational = payment_intent.succeeded,\n"
    "                charge.succeeded    # recorded, shown, no job\n"
    "handler = fulfil\n"
    "retry = 8 tries, 10s to 6h\n"
    "\n"
    "[source stripe]\n"
    "provider = stripe\n"
    "secret = file:stripe.old until 2026-12-01\n"
    "secret = file:stripe.new\n"
    "secret = file:/etc/s  until  2026-12-01T12:30:00.5Z\n"
    "tolerance = 10m\n"
    "guard = no\n"
    "scope = source\n"
    "\n"
    "[source gh.2_x-y]\n"
    "provider = github\n"
    "secret = file:gh.secret\n"
    "guard = yes\n"
    "scope = provider\n"
    "url = https://shop.example/hook/gh?x=1#y    # as entered there\n"
    "param = webhook-id  5GP0 28458E\n"
    "param = Client_ID2 a#1  # its own\n"
    "\n"
    "[handler fulfil]\n"
    "sql = UPDATE orders SET status = 'paid'  # with a comment\n"
    "  WHERE id = {/data/object/client_reference_id} AND status <> 'paid'\n"
    "sql = INSERT INTO log (t, h) VALUES ({event:type}, {header:User-Agent})\n"
    "timeout = 45s\n"
    "\n"
    "[route seen]\n"
    "provider = gh.2_x-y\n"
    "informational = *\n";

static void work_behind_an_answer_has_a_time_or_none(void **state)
{
    static const struct {
        const char *line;
        int64_t ms;
    } rows[] = {{"", 0}, {"after_answer = off\n", 0}, {"after_answer = no\n", 0},
                {"after_answer = auto\n", 3000}, {"after_answer = 2s\n", 2000}};
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[128];
        (void)snprintf(text, sizeof text, "[database]\nname = n\nuser = u\n[processor]\n%s",
                       rows[i].line);
        struct settings *s = loaded(text);
        assert_int_equal(s->after_answer_ms, rows[i].ms);
        settings_free(s);
    }
}

static void reads_the_single_sections(void **state)
{
    struct settings *s = loaded(whole);
    (void)state;
    assert_string_equal(s->file, conf_path);
    assert_int_equal(s->n_sockets, 2);
    assert_string_equal(s->sockets[0], "/run/mysqld/mysqld.sock");
    assert_string_equal(s->sockets[1], "/tmp/mysql.sock");
    assert_null(s->host);
    assert_string_equal(s->db_name, "acme_hooks");
    assert_string_equal(s->db_user, "acme_hooks");
    assert_string_equal(s->db_password_file, in_folder("db.password"));
    assert_string_equal(s->state_dir, in_folder("var"));
    assert_string_equal(s->key_file, "/etc/hookonce.key");
    assert_string_equal(s->log.path, in_folder("logs/h.log"));
    assert_int_equal(s->n_recipes, 2);
    assert_string_equal(s->recipes[0], in_folder("more.conf"));
    assert_string_equal(s->recipes[1], "/srv/other.conf");
    assert_string_equal(s->url, "https://shop.example/hookonce.fcgi");
    assert_int_equal(s->lease_ms, 90000);
    assert_int_equal(s->batch, 7);
    assert_int_equal(s->poll_ms, 2000);
    assert_false(s->paced);
    settings_free(s);
}

static void reads_sources_with_their_secrets(void **state)
{
    struct settings *s = loaded(whole);
    const struct source *stripe = settings_source(s, SPAN_LIT("stripe"));
    const struct source *gh = settings_source(s, SPAN_LIT("gh.2_x-y"));
    int64_t day;
    (void)state;
    assert_true(text_date(SPAN_LIT("2026-12-01"), &day));
    assert_int_equal(s->n_sources, 2);
    assert_non_null(stripe);
    assert_string_equal(stripe->provider, "stripe");
    assert_int_equal(stripe->at->line, 32);
    assert_int_equal(stripe->tolerance_ms, 600000);
    assert_int_equal(stripe->guard, 0);
    assert_string_equal(stripe->scope, "source");
    assert_int_equal(stripe->n_secrets, 3);
    assert_string_equal(stripe->secrets[0].path, in_folder("stripe.old"));
    assert_true(stripe->secrets[0].has_until && stripe->secrets[0].until_us == day);
    assert_string_equal(stripe->secrets[1].path, in_folder("stripe.new"));
    assert_false(stripe->secrets[1].has_until);
    assert_string_equal(stripe->secrets[2].path, "/etc/s");
    assert_true(stripe->secrets[2].until_us == day + INT64_C(45000500000));

    assert_non_null(gh);
    assert_int_equal(gh->guard, 1);
    assert_int_equal(gh->tolerance_ms, -1);
    assert_string_equal(gh->scope, "provider");
    assert_string_equal(gh->url, "https://shop.example/hook/gh?x=1#y");
    assert_int_equal(gh->n_params, 2);
    assert_true(span_is(gh->params[0].name, "webhook-id"));
    assert_true(span_is(gh->params[0].value, "5GP0 28458E"));
    assert_true(span_is(gh->params[1].name, "Client_ID2"));
    assert_true(span_is(gh->params[1].value, "a#1"));
    assert_null(settings_source(s, SPAN_LIT("gh")));
    assert_null(settings_source(s, SPAN_LIT("Stripe")));
    assert_null(settings_source(s, SPAN_LIT("stripe\0")));
    assert_null(settings_source(s, SPAN_NONE));
    settings_free(s);
}

static void reads_handlers_and_routes(void **state)
{
    struct settings *s = loaded(whole);
    const struct route *paid = settings_route(s, SPAN_LIT("paid"));
    const struct route *seen = settings_route(s, SPAN_LIT("seen"));
    (void)state;
    assert_int_equal(s->n_handlers, 1);
    assert_string_equal(s->handlers[0].name, "fulfil");
    assert_int_equal(s->handlers[0].timeout_ms, 45000);
    assert_int_equal(s->handlers[0].n_statements, 2);
    assert_string_equal(s->handlers[0].statements[0].sql,
                        "UPDATE orders SET status = 'paid'\nWHERE id = ? AND status <> 'paid'");
    assert_int_equal(s->handlers[0].statements[1].n_params, 2);

    assert_int_equal(s->n_routes, 2);
    assert_non_null(paid);
    assert_string_equal(paid->provider, "stripe");
    assert_int_equal(paid->n_on, 3);
    assert_string_equal(paid->on[0], "checkout.session.completed");
    assert_string_equal(paid->on[1], "checkout.session.async_payment_succeeded");
    assert_string_equal(paid->on[2], "invoice.*");
    assert_int_equal(paid->n_informational, 2);
    assert_string_equal(paid->informational[1], "charge.succeeded");
    assert_int_equal(paid->livemode, LIVEMODE_TRUE);
    assert_ptr_equal(paid->handler, &s->handlers[0]);
    assert_int_equal(paid->retry.tries, 8);
    assert_true(paid->retry.last_ms == 6 * 3600 * INT64_C(1000));

    assert_non_null(seen);
    assert_int_equal(seen->n_on, 0);
    assert_null(seen->handler);
    assert_int_equal(seen->livemode, LIVEMODE_ANY);
    assert_int_equal(seen->retry.tries, 8);
    assert_null(settings_route(s, SPAN_LIT("pai")));
    settings_free(s);
}

static void what_is_not_written_has_its_default(void **state)
{
    struct settings *s = loaded("[database]\nhost = db.example\nname = n\nuser = u\n"
                                "[source a]\nprovider = p\nsecret = file:s\n" HANDLER
                                "[route r]\nprovider = a\nhandler = h\nlivemode = false\n");
    (void)state;
    assert_int_equal(s->n_sockets, 0);
    assert_string_equal(s->host, "db.example");
    assert_int_equal(s->port, 3306);
    assert_null(s->db_password_file);
    assert_string_equal(s->state_dir, in_folder("state"));
    assert_string_equal(s->key_file, in_folder("hookonce.key"));
    assert_string_equal(s->log.path, in_folder("state/hookonce.log"));
    assert_int_equal(s->n_recipes, 0);
    assert_null(s->url);
    assert_int_equal(s->lease_ms, 60000);
    assert_int_equal(s->batch, 20);
    assert_int_equal(s->poll_ms, 60000);
    assert_true(s->paced);
    assert_int_equal(s->sources[0].tolerance_ms, -1);
    assert_int_equal(s->sources[0].guard, -1);
    assert_null(s->sources[0].scope);
    assert_null(s->sources[0].url);
    assert_int_equal(s->sources[0].n_params, 0);
    assert_int_equal(s->handlers[0].timeout_ms, 30000);
    assert_int_equal(s->routes[0].livemode, LIVEMODE_FALSE);
    assert_int_equal(s->routes[0].retry.tries, 8);
    settings_free(s);
}

static void finds_the_database_where_it_usually_is(void **state)
{
    struct settings *s = loaded("[database]\nname = n\nuser = u\n");

    (void)state;
    assert_int_equal(s->n_sockets, 3);
    assert_string_equal(s->sockets[0], "/run/mysqld/mysqld.sock");
    for (size_t i = 0; i < s->n_sockets; i++) { /* where nobody but root can put another server's */
        assert_null(strstr(s->sockets[i], "/tmp/"));
    }
    assert_string_equal(s->host, "127.0.0.1");
    assert_int_equal(s->tls_socket, DB_TLS_OFF);
    assert_int_equal(s->tls_host, DB_TLS_OFF);
    assert_string_equal(s->table_prefix, "hookonce_");
    settings_free(s);
}

static void encrypts_to_another_host_unless_told_not_to(void **state)
{
    static const struct {
        const char *text;
        enum db_tls by_socket, by_host;
    } rows[] = {
        {"host = db.example\n", DB_TLS_OFF, DB_TLS_VERIFY},
        {"host = db.example\ntls = off\n", DB_TLS_OFF, DB_TLS_OFF},
        {"host = db.example\ntls = on\n", DB_TLS_ON, DB_TLS_ON},
        {"host = db.example\ntls = verify\n", DB_TLS_VERIFY, DB_TLS_VERIFY},
        {"socket = /s\nhost = db.example\n", DB_TLS_OFF, DB_TLS_VERIFY},
        {"socket = /s\ntls = on\n", DB_TLS_ON, DB_TLS_ON},
        {"host = 127.0.0.1\n", DB_TLS_OFF, DB_TLS_OFF},
        {"host = localhost\n", DB_TLS_OFF, DB_TLS_OFF},
        {"host = ::1\n", DB_TLS_OFF, DB_TLS_OFF},
        {"host = 127.0.0.1\ntls_ca = ca.pem\n", DB_TLS_OFF, DB_TLS_VERIFY},
        {"host = 1270.example\n", DB_TLS_OFF, DB_TLS_VERIFY},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[200];
        (void)snprintf(text, sizeof text, "[database]\nname = n\nuser = u\n%s", rows[i].text);
        struct settings *s = loaded(text);
        assert_int_equal(s->tls_socket, rows[i].by_socket);
        assert_int_equal(s->tls_host, rows[i].by_host);
        settings_free(s);
    }
}

static void takes_these_too(void **state)
{
    static const char *const rows[] = {
        DB,
        DB "[hookonce]\nlog = stderr\n",
        DB "[processor]\nlease = 31s\n" HANDLER,
        DB "[processor]\nlease = 2s\n[handler h]\nsql = SELECT 1\ntimeout = 1999ms\n",
        DB "[handler h]\nsql = SELECT ';'\n",
        DB HANDLER "[route r]\nprovider=p\nhandler=h\nretry = 1 try\n",
        DB HANDLER "[route r]\nprovider=p\nhandler=h\nretry = 3 tries,\n  10s to 1m\n",
        DB HANDLER "[route r]\nprovider=p\nhandler=h\ninformational = a\n",
        DB "[source a]\nprovider=p\nsecret=file:x until 2026-12-01T00:00:00+02:00\n",
        DB "[source a]\nprovider=p\n", /* keys may be fetched */
        DB "[source a]\nprovider=p\nurl=http://localhost\n",
        DB "[source a]\nprovider=p\nurl=https://user:p@ss@h.example:8443/?q='x'&y=%20\n",
        DB "[source a]\nprovider=p\nurl=https://[2001:db8::1]:443/x\n",
        DB "[source a]\nprovider=p\nurl=https://[::1]?x\n",
        DB "[source a]\nprovider=p\nurl=https://h_1.example:65535#x\n",
        DB "[source a]\nprovider=p\nparam=x y\nparam=X y\nparam=x2 \xC3\xA4\n",
        ("\xEF\xBB\xBF" DB),
        "[database]\r\nsocket=/s\r\nname=n\r\nuser=u\r\n",
        "[database]\nsocket=/s\nname=n\nuser=u",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct settings *s = loaded(rows[i]);
        settings_free(s);
    }
    struct settings *s = loaded(rows[1]);
    assert_null(s->log.path);
    settings_free(s);
}

static void the_table_of_keys_is_sound(void **state)
{
    size_t n = 0;
    const struct conf_key *keys = settings_keys(&n);
    (void)state;
    assert_true(n > 20);
    for (size_t i = 0; i < n; i++) {
        bool ranged = keys[i].type == CONF_INT || keys[i].type == CONF_DURATION ||
                      keys[i].type == CONF_SIZE;
        ROW(i, keys[i].help != NULL && keys[i].help[0] != '\0');
        ROW(i, (keys[i].type == CONF_WORD) == (keys[i].words != NULL));
        ROW(i, ranged == (keys[i].max > keys[i].min));
        ROW(i, !keys[i].required || keys[i].dflt == NULL);
        for (size_t k = 0; k < i; k++) {
            ROW(i, strcmp(keys[i].section, keys[k].section) != 0 ||
                       strcmp(keys[i].key, keys[k].key) != 0);
        }
    }
}

static void touch(const char *name)
{
    write_file(in_folder(name), SPAN_LIT(""), 0600);
}

/* What is named, and then the nearest: each place is looked into only while none before it has a
 * file. A folder beside the web root may have the receiver's folder's name, for a second one. */
static void looks_in_these_places_in_this_order(void **state)
{
    static const char *const dirs[] = {"u", "u/shop", "u/hookonce", "u/web", "u/web/shop", "home", "home/shop",
                                       "home/hookonce"};
    static const char *const places[] = {
        "u/web/shop/hookonce.conf", "u/web/hookonce.conf", "u/shop/hookonce.conf",
        "u/hookonce/hookonce.conf", "u/hookonce.conf", "hookonce.conf", "home/shop/hookonce.conf",
        "home/hookonce/hookonce.conf", "home/hookonce.conf"};
    char exe[256], home[256];
    struct ho_err err;
    (void)state;
    (void)snprintf(exe, sizeof exe, "%s/u/web/shop/hookonce.fcgi", folder);
    (void)snprintf(home, sizeof home, "%s/home", folder);
    exe_path = exe;
    home_dir = home;
    for (size_t d = 0; d < COUNT(dirs); d++) {
        assert_int_equal(mkdir(in_folder(dirs[d]), 0700), 0);
    }
    for (size_t i = 0; i < COUNT(places); i++) {
        touch(places[i]);
    }
    (void)setenv("HOOKONCE_CONFIG", "/x/b.conf", 1);
    char *found = settings_find("/x/a.conf", &err);
    assert_string_equal(found, "/x/a.conf");
    free(found);
    found = settings_find(NULL, &err);
    assert_string_equal(found, "/x/b.conf");
    free(found);
    (void)setenv("HOOKONCE_CONFIG", "", 1);
    for (size_t i = 0; i < COUNT(places); i++) {
        ho_err_clear(&err);
        found = settings_find(NULL, &err);
        ROW_TEXT(i, found == NULL ? "" : found, in_folder(places[i]));
        free(found);
        (void)unlink(in_folder(places[i]));
    }
    assert_null(settings_find(NULL, &err));
    assert_non_null(strstr(err.text, "HOOKONCE_CONFIG or --config"));
    for (size_t d = COUNT(dirs); d-- > 0;) {
        assert_int_equal(rmdir(in_folder(dirs[d])), 0);
    }
}

/* The last resorts may be missing too: no /proc, no such user, a program in the root. */
static void finds_nothing_without_proc_and_user(void **state)
{
    static const char *const exes[] = {"", "/hookonce", "/x/hookonce"};
    (void)state;
    (void)unsetenv("HOOKONCE_CONFIG");
    home_dir = NULL;
    for (size_t i = 0; i < COUNT(exes); i++) {
        struct ho_err err;
        ho_err_clear(&err);
        exe_path = exes[i];
        assert_null(settings_find(NULL, &err));
        assert_int_equal(err.code, HO_REJECT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_single_sections),
        cmocka_unit_test(reads_sources_with_their_secrets),
        cmocka_unit_test(reads_handlers_and_routes),
        cmocka_unit_test(what_is_not_written_has_its_default),
        cmocka_unit_test(finds_the_database_where_it_usually_is),
        cmocka_unit_test(encrypts_to_another_host_unless_told_not_to),
        cmocka_unit_test(takes_these_too),
        cmocka_unit_test(work_behind_an_answer_has_a_time_or_none),
        cmocka_unit_test(the_table_of_keys_is_sound),
        cmocka_unit_test(looks_in_these_places_in_this_order),
        cmocka_unit_test(finds_nothing_without_proc_and_user),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
