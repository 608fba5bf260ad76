/* Transactions: when they are run again, when not, and what a dead link does to them. */
#include "testdb.h"

static struct testdb t;

static enum ho_code run(struct db *db, const char *sql, struct ho_err *err)
{
    return db_run_built(db, sql, NULL, 0, NULL, err);
}

struct steps {
    int runs;
    int fail_runs;   /* so many runs fail as `how` says */
    const char *how; /* a statement */
};

static enum ho_code add_one(struct db *db, void *arg, struct ho_err *err)
{
    struct steps *s = arg;

    s->runs++;
    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = run(db, "INSERT INTO added (a) VALUES (1)", err);
    }
    if (code == HO_OK && s->runs <= s->fail_runs) {
        code = run(db, s->how, err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

static void transactions_run_again(void **state)
{
    static const struct {
        const char *how;
        int fail_runs, runs;
        enum ho_code code;
        int rows;
    } rows[] = {
        {"SELECT 1", 0, 1, HO_OK, 1},
        {"KILL CONNECTION_ID()", 1, 2, HO_OK, 1},
        {"KILL CONNECTION_ID()", 9, 6, HO_TRANSIENT, 0},
        {"SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213", 3, 4, HO_OK, 1},
        {"SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1205", 2, 3, HO_OK, 1},
        {"SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1020", 2, 3, HO_OK, 1},
        {"SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1290", 9, 1, HO_TRANSIENT, 0},
        {"SIGNAL SQLSTATE '08S01' SET MYSQL_ERRNO = 1047", 9, 1, HO_TRANSIENT, 0},
        {"SELECT * FROM nowhere", 9, 1, HO_PERMANENT, 0},
    };
    struct db *db = db_open(&t.settings, DB_PROCESSOR);
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct steps s = {.how = rows[i].how, .fail_runs = rows[i].fail_runs};
        struct ho_err err;
        testdb_run(t.outside, "DELETE FROM added");
        enum ho_code code = db_transact(db, deadline_in(5000), add_one, &s, &err);
        int64_t n = testdb_int(t.outside, "SELECT COUNT(*) FROM added");
        if (code != rows[i].code || s.runs != rows[i].runs || n != rows[i].rows) {
            fail_msg("%s: code %d after %d runs, %d rows: %s", rows[i].how, (int)code, s.runs,
                     (int)n, err.text);
        }
    }
    db_close(db);
}

static void not_again_after_the_deadline(void **state)
{
    struct db *db = db_open(&t.settings, DB_PROCESSOR);
    struct steps s = {.how = "KILL CONNECTION_ID()", .fail_runs = 9};
    struct ho_err err;
    (void)state;

    assert_int_equal(db_transact(db, deadline_in(0), add_one, &s, &err), HO_TRANSIENT);
    assert_int_equal(s.runs, 1);
    db_close(db);
}

/* The link dies while nobody uses it (an idle limit, an administrator): the next transaction
 * must work at once. */
static void idle_link_gone(void **state)
{
    struct db *db = db_open(&t.settings, DB_RECEIVER);
    struct steps s = {.how = "SELECT 1"};
    struct ho_err err;
    char sql[64];
    (void)state;

    assert_int_equal(db_transact(db, deadline_in(2000), add_one, &s, &err), HO_OK);
    (void)snprintf(sql, sizeof sql, "KILL %lu", db_thread_id(db));
    testdb_run(t.outside, sql);
    clock_sleep_ms(50);
    s.runs = 0;
    assert_int_equal(db_transact(db, deadline_in(2000), add_one, &s, &err), HO_OK);
    assert_int_equal(s.runs, 2);
    db_close(db);
}

static void commit_on_a_dead_link_fails(void **state)
{
    struct db *db = db_open(&t.settings, DB_RECEIVER);
    struct ho_err err;
    char sql[64];
    (void)state;

    testdb_run(t.outside, "DELETE FROM added");
    assert_int_equal(db_begin(db, &err), HO_OK);
    testdb_run(db, "INSERT INTO added VALUES (1)");
    (void)snprintf(sql, sizeof sql, "KILL %lu", db_thread_id(db));
    testdb_run(t.outside, sql);
    clock_sleep_ms(50);
    assert_int_equal(db_commit(db, &err), HO_TRANSIENT);
    assert_true(db_retry(&err));
    assert_int_equal(db_thread_id(db), 0);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM added"), 0);
    db_close(db);
}

static int begin(void **state)
{
    (void)state;
    testdb_begin(&t, "transact");
    testdb_run(t.outside, "CREATE TABLE added (a INT) ENGINE=InnoDB");
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
        cmocka_unit_test(transactions_run_again),
        cmocka_unit_test(not_again_after_the_deadline),
        cmocka_unit_test(idle_link_gone),
        cmocka_unit_test(commit_on_a_dead_link_fails),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
