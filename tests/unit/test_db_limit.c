/* Calls under a limit of milliseconds, and what is looked at on every new link. */
#include <sys/socket.h>
#include <sys/un.h>

#include "testdb.h"
#include "unit.h"

#include "store/db_link.h"

#define LATE_MS 700 /* a whole second would be the client library's */
#define TRIES 5     /* of what is measured: a busy machine may hold up one */

static struct testdb t;

static enum ho_code run(struct db *db, const char *sql, struct ho_err *err)
{
    return db_run_once(db, sql, NULL, 0, NULL, err);
}

static void an_answer_is_not_waited_for_beyond_the_limit(void **state)
{
    static const int64_t limits_ms[] = {1, 150, 400};
    struct db *db = db_open(&t.settings, DB_RECEIVER);
    struct ho_err err;
    (void)state;

    for (size_t i = 0; i < sizeof limits_ms / sizeof limits_ms[0]; i++) {
        int64_t late_ms = INT64_MAX;
        for (int n = 0; n < TRIES && late_ms > LATE_MS; n++) {
            db_limit(db, DB_NO_LIMIT);
            assert_int_equal(run(db, "SELECT 1", &err), HO_OK);
            int64_t began = clock_mono_ms();
            db_limit(db, deadline_in(limits_ms[i]));
            assert_int_equal(run(db, "SELECT SLEEP(5)", &err), HO_TRANSIENT);
            assert_int_equal(err.sys, 2013);
            late_ms = clock_mono_ms() - began - limits_ms[i];
            assert_true(late_ms >= 0);
            assert_int_equal(db_thread_id(db), 0);
        }
        ROW(i, late_ms <= LATE_MS);
    }
    db_limit(db, deadline_in(5000));
    assert_int_equal(run(db, "SELECT SLEEP(0.2)", &err), HO_OK);
    db_close(db);
}

static enum ho_code slow_tx(struct db *db, void *arg, struct ho_err *err)
{
    enum ho_code code = db_begin(db, err);
    int *runs = arg;

    (*runs)++;
    for (int i = 0; i < 100 && code == HO_OK; i++) {
        code = run(db, "SELECT SLEEP(0.1)", err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

/* Should the library have moved what is set in it, this says so. */
static void the_bound_is_where_it_is_looked_for(void **state)
{
    struct db *db = db_open(&t.settings, DB_RECEIVER);
    struct ho_err err;
    (void)state;

    assert_int_equal(db_connect(db, &err), HO_OK);
    assert_true(db->is_exact);
    db_close(db);
}

static void many_calls_together_keep_to_it(void **state)
{
    struct db *db = db_open(&t.settings, DB_RECEIVER);
    struct deadline end = deadline_in(450);
    int64_t began = clock_mono_ms();
    struct ho_err err;
    int runs = 0;
    (void)state;

    db_limit(db, end);
    assert_int_equal(db_transact(db, end, slow_tx, &runs, &err), HO_TRANSIENT);
    assert_true(clock_mono_ms() - began < 10000); /* what it would take */
    assert_int_equal(runs, 1);
    db_close(db);
}

/* A server that takes connections and never greets. */
static void a_greeting_is_not_waited_for_beyond_the_limit(void **state)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct testdb mute = t;
    struct ho_err err;
    (void)state;

    (void)snprintf(at.sun_path, sizeof at.sun_path, "/tmp/hookonce-mute-%d", (int)getpid());
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fd, 8), 0);
    char *sockets[] = {at.sun_path, at.sun_path};
    mute.settings.sockets = sockets;
    for (size_t n = 1; n <= 2; n++) {
        mute.settings.n_sockets = n;
        struct db *db = db_open(&mute.settings, DB_RECEIVER);
        int64_t took = INT64_MAX;
        for (int i = 0; i < TRIES && took > 300 + LATE_MS; i++) {
            int64_t began = clock_mono_ms();
            db_limit(db, deadline_in(300));
            assert_int_equal(run(db, "SELECT 1", &err), HO_TRANSIENT);
            took = clock_mono_ms() - began;
            assert_true(took >= 290);
        }
        assert_true(took < 300 + LATE_MS);
        db_close(db);
    }
    (void)close(fd);
    (void)unlink(at.sun_path);
}

/* ---- a row that is locked, and a limit ---- */

static enum ho_code take_row_tx(struct db *db, void *arg, struct ho_err *err)
{
    enum ho_code code = db_begin(db, err);
    (void)arg;

    if (code == HO_OK) {
        code = run(db, "UPDATE held SET a = a + 1", err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

/* Also where the time ends in the middle of the second wait: it is still the row's error, and not
 * one of the database. */
static void a_locked_row_is_told_as_one(void **state)
{
    struct db *holder = db_open(&t.settings, DB_OPERATOR);
    struct db *db = db_open(&t.settings, DB_RECEIVER);
    struct deadline end;
    struct ho_err err;
    (void)state;

    assert_int_equal(db_connect(db, &err), HO_OK);
    testdb_run(t.outside, "CREATE TABLE held (a INT PRIMARY KEY) ENGINE=InnoDB");
    testdb_run(t.outside, "INSERT INTO held VALUES (1)");
    assert_int_equal(db_begin(holder, &err), HO_OK);
    assert_int_equal(run(holder, "UPDATE held SET a = 7", &err), HO_OK);
    int64_t began = clock_mono_ms();
    end = deadline_in(1600);
    db_limit(db, end);
    assert_int_equal(db_transact(db, end, take_row_tx, NULL, &err), HO_TRANSIENT);
    assert_true(err.sys == 1205 || (err.sys == 2013 && testdb_waits_coarsely(t.outside)));
    assert_true(clock_mono_ms() - began < 10000);
    db_rollback(holder);
    db_close(holder);
    db_close(db);
}

/* A table that is locked holds everybody up: it shows as a server that hangs. */
static void a_locked_table_is_told_as_a_database_that_hangs(void **state)
{
    struct db *holder = db_open(&t.settings, DB_OPERATOR);
    struct db *db = db_open(&t.settings, DB_RECEIVER);
    struct deadline end;
    struct ho_err err;
    (void)state;

    testdb_run(holder, "LOCK TABLES held WRITE"); /* which not every server prepares */
    end = deadline_in(1600);
    db_limit(db, end);
    assert_int_equal(db_transact(db, end, take_row_tx, NULL, &err), HO_TRANSIENT);
    assert_int_equal(err.sys, 2013);
    db_close(holder);
    db_close(db);
}

/* ---- every new link ---- */

struct look {
    int times;
    enum ho_code says;
};

static enum ho_code look_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct look *look = arg;

    look->times++;
    return look->says == HO_OK ? run(db, "SELECT 1", err) : ho_fail(err, look->says, "it does not fit");
}

static void every_new_link_is_looked_at(void **state)
{
    struct db *db = db_open(&t.settings, DB_RECEIVER);
    struct look look = {0, HO_OK};
    struct ho_err err;
    char kill[64];
    (void)state;

    db_on_link(db, look_tx, &look);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(db_transact(db, deadline_in(5000), take_row_tx, NULL, &err), HO_OK);
        assert_int_equal(look.times, 1);
    }
    (void)snprintf(kill, sizeof kill, "KILL %lu", db_thread_id(db));
    testdb_run(t.outside, kill);
    look.says = HO_PERMANENT; /* what is behind the renewed link is another database */
    assert_int_equal(db_transact(db, deadline_in(5000), take_row_tx, NULL, &err), HO_PERMANENT);
    assert_string_equal(err.text, "it does not fit");
    assert_int_equal(look.times, 2);
    assert_int_equal(db_thread_id(db), 0);
    assert_int_equal(run(db, "SELECT 1", &err), HO_PERMANENT);
    look.says = HO_OK;
    assert_int_equal(run(db, "SELECT 1", &err), HO_OK);
    assert_int_equal(look.times, 4);
    db_close(db);
}

static int begin(void **state)
{
    (void)state;
    testdb_begin(&t, "limit");
    return 0;
}

static int end_all(void **state)
{
    (void)state;
    testdb_end(&t);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_not_waited_for_beyond_the_limit),
        cmocka_unit_test(the_bound_is_where_it_is_looked_for),
        cmocka_unit_test(many_calls_together_keep_to_it),
        cmocka_unit_test(a_greeting_is_not_waited_for_beyond_the_limit),
        cmocka_unit_test(a_locked_row_is_told_as_one),
        cmocka_unit_test(a_locked_table_is_told_as_a_database_that_hangs),
        cmocka_unit_test(every_new_link_is_looked_at),
    };

    return cmocka_run_group_tests(tests, begin, end_all);
}
