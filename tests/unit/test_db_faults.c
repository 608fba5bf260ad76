/* Recording when the database or the link to it fails: killed links, missing rights, limits,
 * read-only and silent servers. After each, what is stored must be all or nothing. */
#include <sys/socket.h>
#include <sys/un.h>

#include "testdb.h"

static struct testdb t;

static void link_killed_while_idle(void **state)
{
    struct db *db = db_open(&t.settings, DB_RECEIVER);
    struct event e = testdb_event("evt_1", "body");
    char sql[64];
    (void)state;

    testdb_empty(&t);
    assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
    (void)snprintf(sql, sizeof sql, "KILL %lu", db_thread_id(db));
    testdb_run(t.outside, sql);
    clock_sleep_ms(50);
    e = testdb_event("evt_2", "body");
    assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
    testdb_assert_stored(&t, 2);
    db_close(db);
}

/* ---- an account with fewer rights ---- */

/* Opens a connection as hookonce_few, whose rights are those of run time; limits may be "". */
static struct db *open_as_few(struct settings *s, const char *limits)
{
    char sql[200];

    (void)snprintf(sql, sizeof sql, "GRANT SELECT, INSERT, UPDATE, DELETE ON %s.*"
                                    " TO hookonce_few@localhost %s",
                   t.name, limits);
    testdb_run(t.outside, sql);
    *s = t.settings;
    s->db_user = "hookonce_few";
    return db_open(s, DB_RECEIVER);
}

static void drop_few(struct db *db)
{
    db_close(db);
    testdb_run(t.outside, "DROP USER hookonce_few@localhost");
}

static void run_time_rights_suffice(void **state)
{
    struct settings s;
    struct db *db = open_as_few(&s, "");
    struct event e = testdb_event("evt_1", "body"), other = testdb_event("evt_1", "other");
    (void)state;

    testdb_empty(&t);
    e.has_guard = true;
    assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
    ulid_new(clock_wall_us(), e.cid);
    assert_int_equal(testdb_record(db, &e), RECEIPT_DUPLICATE);
    assert_int_equal(testdb_record(db, &other), RECEIPT_CONFLICT);
    drop_few(db);
}

/* The receipt can be written, the job can't: neither stays, and later all is well. */
static void no_receipt_without_its_job(void **state)
{
    struct settings s;
    struct db *db = open_as_few(&s, "");
    struct event e = testdb_event("evt_1", "body");
    enum receipt_result result;
    struct ho_err err;
    static const char *const without[] = {"job", "body"};
    char sql[200];
    (void)state;

    for (size_t i = 0; i < 2; i++) {
        testdb_empty(&t);
        (void)snprintf(sql, sizeof sql,
                       "CREATE TRIGGER refuse BEFORE INSERT ON hookonce_%s FOR EACH ROW"
                       " SIGNAL SQLSTATE '45000'",
                       without[i]);
        testdb_run(t.outside, sql);
        assert_int_equal(testdb_try(db, &e, 2000, &result, &err), HO_PERMANENT);
        testdb_assert_stored(&t, 0);
        testdb_run(t.outside, "DROP TRIGGER refuse");
        assert_int_equal(testdb_try(db, &e, 2000, &result, &err), HO_OK);
        assert_int_equal(result, RECEIPT_NEW);
        testdb_assert_stored(&t, 1);
    }
    drop_few(db);
}

static void rights_taken_away(void **state)
{
    struct settings s;
    struct db *db = open_as_few(&s, "");
    struct event e = testdb_event("evt_1", "body");
    enum receipt_result result;
    struct ho_err err;
    char sql[200];
    (void)state;

    testdb_empty(&t);
    assert_int_equal(db_connect(db, &err), HO_OK);
    (void)snprintf(sql, sizeof sql, "REVOKE INSERT ON %s.* FROM hookonce_few@localhost", t.name);
    testdb_run(t.outside, sql);
    (void)snprintf(sql, sizeof sql,
                   "GRANT INSERT ON %s.hookonce_receipt TO hookonce_few@localhost", t.name);
    testdb_run(t.outside, sql);
    (void)snprintf(sql, sizeof sql, "GRANT INSERT ON %s.hookonce_body TO hookonce_few@localhost",
                   t.name);
    testdb_run(t.outside, sql);
    db_disconnect(db);
    assert_int_equal(testdb_try(db, &e, 2000, &result, &err), HO_PERMANENT);
    assert_int_equal(err.sys, 1142);
    assert_non_null(strstr(err.text, "hookonce_job"));
    testdb_assert_stored(&t, 0);
    drop_few(db);
}

static void read_only_server(void **state)
{
    struct settings s;
    struct db *db = open_as_few(&s, "");
    struct event e = testdb_event("evt_1", "body");
    enum receipt_result result;
    struct ho_err err;
    (void)state;

    testdb_empty(&t);
    assert_int_equal(db_connect(db, &err), HO_OK);
    testdb_run(t.outside, "SET GLOBAL read_only = 1");
    enum ho_code code = testdb_try(db, &e, 2000, &result, &err);
    testdb_run(t.outside, "SET GLOBAL read_only = 0");
    assert_int_equal(code, HO_TRANSIENT);
    assert_int_equal(err.sys, 1290);
    testdb_assert_stored(&t, 0);
    assert_int_equal(testdb_try(db, &e, 2000, &result, &err), HO_OK);
    testdb_assert_stored(&t, 1);
    drop_few(db);
}

static void limits_of_the_account(void **state)
{
    static const struct {
        const char *limit;
        int number;
    } rows[] = {
        {"WITH MAX_USER_CONNECTIONS 1", 1226},
        {"WITH MAX_CONNECTIONS_PER_HOUR 1", 1226},
        {"WITH MAX_QUERIES_PER_HOUR 5", 1226},
    };
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct settings s;
        struct db *first = open_as_few(&s, rows[i].limit);
        struct db *db = db_open(&s, DB_RECEIVER);
        struct event e = testdb_event("evt_1", "body");
        enum receipt_result result;
        struct ho_err err;

        testdb_empty(&t);
        if (i < 2) {
            assert_int_equal(db_connect(first, &err), HO_OK);
        }
        enum ho_code code = testdb_try(db, &e, 2000, &result, &err);
        for (int n = 0; n < 4 && code == HO_OK; n++) {
            ulid_new(clock_wall_us(), e.cid);
            code = testdb_try(db, &e, 2000, &result, &err);
        }
        if (code != HO_TRANSIENT || err.sys != rows[i].number) {
            fail_msg("%s: code %d, number %d: %s", rows[i].limit, (int)code, err.sys, err.text);
        }
        assert_true(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_receipt") ==
                    testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_job"));
        db_close(db);
        drop_few(first);
    }
}

/* It counts what is sent as text only, and a delivery's statements are prepared: whichever way a
 * server has it, nothing is half there. */
static void updates_of_the_account(void **state)
{
    struct settings s;
    struct db *db = open_as_few(&s, "WITH MAX_UPDATES_PER_HOUR 1");
    struct event e = testdb_event("evt_1", "body");
    enum receipt_result result;
    char id[16];
    (void)state;

    testdb_empty(&t);
    int64_t stored = 0;
    for (int n = 0; n < 4; n++) {
        struct ho_err err = {HO_OK, 0, ""};
        (void)snprintf(id, sizeof id, "evt_%d", n);
        e.id = span_of(id);
        ulid_new(clock_wall_us(), e.cid);
        enum ho_code code = testdb_try(db, &e, 2000, &result, &err);
        assert_true(code == HO_OK || (code == HO_TRANSIENT && err.sys == 1226));
        stored += code == HO_OK ? 1 : 0;
    }
    testdb_assert_stored(&t, stored);
    drop_few(db);
}

/* A server that takes the link and never speaks: busy, in bounded time. */
static void server_that_is_silent(void **state)
{
    struct settings s = t.settings;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char path[64];
    char *sockets[] = {path};
    struct event e = testdb_event("evt_1", "body");
    enum receipt_result result;
    struct ho_err err;
    (void)state;

    (void)snprintf(path, sizeof path, "/tmp/hookonce-silent-%ld", (long)getpid());
    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    int silent = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(silent, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(silent, 4), 0);
    s.sockets = sockets;
    struct db *db = db_open(&s, DB_RECEIVER);
    int64_t start = clock_mono_ms();
    assert_int_equal(testdb_try(db, &e, 1500, &result, &err), HO_TRANSIENT);
    assert_true(clock_mono_ms() - start < 15000);
    db_close(db);
    (void)close(silent);
    (void)unlink(path);
}

static int begin(void **state)
{
    (void)state;
    testdb_begin(&t, "faults");
    testdb_tables(&t);
    return 0;
}

static int end(void **state)
{
    (void)state;
    testdb_end(&t);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(link_killed_while_idle),
        cmocka_unit_test(run_time_rights_suffice),    cmocka_unit_test(no_receipt_without_its_job),
        cmocka_unit_test(rights_taken_away),          cmocka_unit_test(read_only_server),
        cmocka_unit_test(updates_of_the_account),
        cmocka_unit_test(limits_of_the_account),      cmocka_unit_test(server_that_is_silent),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
