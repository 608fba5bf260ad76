/* A site's SQL inside our transaction: everything that would break the promise that its work and
 * the mark "done" commit together. */
#include "handler_run.h"

static int begin(void **state)
{
    (void)state;
    (void)handler_begin("handler");
    testdb_run(base.outside, "CREATE TABLE my (a INT) ENGINE=MyISAM");
    testdb_run(base.outside, "CREATE TABLE ar (a INT) ENGINE=Aria");
    testdb_run(base.outside, "CREATE TABLE me (a INT) ENGINE=MEMORY");
    testdb_run(base.outside, "CREATE TABLE other (a INT PRIMARY KEY) ENGINE=InnoDB");
    testdb_run(base.outside, "INSERT INTO other VALUES (1), (2)");
    testdb_run(base.outside, "CREATE PROCEDURE commits() BEGIN INSERT INTO fx (note) VALUES ('c');"
                             " COMMIT; START TRANSACTION; END");
    testdb_run(base.outside, "CREATE PROCEDURE chains() BEGIN INSERT INTO fx (note) VALUES ('c');"
                             " COMMIT AND CHAIN; END");
    testdb_run(base.outside,
               "CREATE PROCEDURE swallows() BEGIN DECLARE CONTINUE HANDLER FOR"
               " SQLEXCEPTION BEGIN ROLLBACK; START TRANSACTION; END;"
               " INSERT INTO other VALUES (1); INSERT INTO fx (note) VALUES ('s'); END");
    testdb_run(base.outside, "CREATE PROCEDURE inner_savepoint() BEGIN SAVEPOINT own;"
                             " INSERT INTO fx (note) VALUES ('lost'); ROLLBACK TO own;"
                             " INSERT INTO fx (note) VALUES ('kept'); SELECT 1; SELECT 2; END");
    testdb_run(base.outside,
               "CREATE PROCEDURE commits_and_waits() BEGIN INSERT INTO fx (note) VALUES ('c');"
               " COMMIT; START TRANSACTION; UPDATE other SET a = 4 WHERE a = 2; END");
    testdb_run(base.outside, "CREATE TABLE logged (a INT PRIMARY KEY) ENGINE=InnoDB");
    testdb_run(base.outside, "INSERT INTO logged VALUES (1)");
    testdb_run(base.outside, "CREATE TRIGGER log_it BEFORE INSERT ON logged FOR EACH ROW"
                             " INSERT INTO my VALUES (NEW.a)");
    testdb_run(base.outside, "CREATE TABLE crossed (a INT) ENGINE=InnoDB");
    testdb_run(base.outside, "CREATE TRIGGER cross_it BEFORE INSERT ON crossed FOR EACH ROW BEGIN"
                             " INSERT INTO my VALUES (NEW.a); UPDATE other SET a = 1 WHERE a = 1;"
                             " END");
    return 0;
}

/* ---- what breaks the transaction ---- */

static const struct {
    const char *sql;
    enum handler_result result;
    const char *fx; /* notes that are there afterwards */
} cases[] = {
    {"sql = INSERT INTO fx (note) VALUES ('a')\nsql = UPDATE fx SET note = 'b'", HANDLER_DONE,
     "b"},
    {"sql = SELECT * FROM other\nsql = INSERT INTO fx (note) VALUES ('a')", HANDLER_DONE, "a"},
    {"sql = CALL inner_savepoint()", HANDLER_DONE, "kept"},
    {"sql = CREATE TEMPORARY TABLE tt (a INT) ENGINE=InnoDB\nsql = INSERT INTO tt VALUES (1)\n"
     "sql = INSERT INTO fx (note) SELECT a FROM tt",
     HANDLER_DONE, "1"},
    {"sql = SELECT GET_LOCK('x', 0)\nsql = INSERT INTO fx (note) VALUES ('a')", HANDLER_DONE, "a"},

    {"sql = INSERT INTO fx (note) VALUES ('a')\nsql = SELECT 1/0 FROM nowhere", HANDLER_FAILED,
     ""},
    {"sql = INSERT INTO fx (note) VALUES ('a')\nsql = INSERT INTO other VALUES (1)",
     HANDLER_FAILED, ""},
    {"sql = INSERT INTO fx (note) VALUES (REPEAT('x', 300))", HANDLER_FAILED, ""},
    {"sql = SELEC 1", HANDLER_FAILED, ""},

    {"sql = INSERT INTO fx (note) VALUES ('a')\nsql = CREATE TABLE made (a INT)", HANDLER_BAD,
     "a"},
    {"sql = TRUNCATE other2", HANDLER_BAD, ""}, /* even when it fails */
    {"sql = DROP TABLE IF EXISTS made", HANDLER_BAD, ""},
    {"sql = COMMIT", HANDLER_BAD, ""},
    {"sql = COMMIT AND CHAIN", HANDLER_BAD, ""},
    {"sql = ROLLBACK", HANDLER_BAD, ""},
    {"sql = START TRANSACTION", HANDLER_BAD, ""},
    {"sql = SET autocommit = 0\nsql = INSERT INTO fx (note) VALUES ('a')\n"
     "sql = SET autocommit = 1",
     HANDLER_BAD, "a"},
    {"sql = LOCK TABLES fx WRITE", HANDLER_BAD, ""},
    {"sql = CALL commits()", HANDLER_BAD, "c"},
    {"sql = CALL chains()", HANDLER_BAD, "c"},
    {"sql = CALL swallows()", HANDLER_BAD, ""},
    /* A failure after a hidden commit must not be tried again. */
    {"sql = CALL commits()\nsql = SELECT 1/0 FROM nowhere", HANDLER_BAD, "c"},
    {"sql = INSERT INTO fx (note) VALUES ('a')\nsql = ANALYZE TABLE fx\nsql = SELEC 1",
     HANDLER_BAD, "a"},

    {"sql = INSERT INTO my VALUES (1)", HANDLER_BAD, ""},
    {"sql = INSERT INTO ar VALUES (1)", HANDLER_BAD, ""},
    {"sql = INSERT INTO me VALUES (1)", HANDLER_BAD, ""},
    {"sql = INSERT INTO my VALUES (1)\nsql = INSERT INTO fx (note) VALUES ('a')", HANDLER_BAD, ""},
    {"sql = SELECT * FROM my\nsql = INSERT INTO fx (note) VALUES ('a')", HANDLER_DONE, "a"},
    /* The trigger has written, the statement has failed. */
    {"sql = INSERT INTO fx (note) VALUES ('a')\nsql = INSERT INTO logged VALUES (1)",
     HANDLER_BAD, ""},
    /* Behind a lost link nobody could ask what the statement before has done. */
    {"sql = CALL commits()\nsql = KILL CONNECTION CONNECTION_ID()", HANDLER_BAD, "c"},
};

static void every_way_out_of_the_transaction_is_seen(void **state)
{
    char got[256];
    (void)state;

    work_event("evt_1", "a", "{}");
    for (size_t i = 0; i < COUNT(cases); i++) {
        testdb_run(base.outside, "DELETE FROM fx");
        enum handler_result result = run(cases[i].sql, 8000);
        if (result != cases[i].result) {
            fail_msg("%s: result %d (%s)", cases[i].sql, (int)result, err.text);
        }
        ROW(i, (result == HANDLER_DONE) == (err.text[0] == '\0'));
        ROW_TEXT(i,
                 testdb_text(base.outside,
                             "SELECT COALESCE(GROUP_CONCAT(note ORDER BY id), '') FROM fx", got),
                 cases[i].fx);
    }
}

static void an_error_names_the_handler_and_the_statement(void **state)
{
    (void)state;

    work_event("evt_1", "a", "{}");
    assert_int_equal(run("sql = SELECT 1\nsql = SELECT 2 FROM nowhere", 8000), HANDLER_FAILED);
    assert_non_null(strstr(err.text, "handler h, statement 2: "));
    assert_non_null(strstr(err.text, "nowhere"));
}

/* ---- time ---- */

static void all_statements_share_the_time(void **state)
{
    static const char *const slow[] = {
        "sql = INSERT INTO fx (note) VALUES ('a')\nsql = SELECT SLEEP(10)",
        "sql = SELECT SLEEP(0.4)\nsql = SELECT SLEEP(0.4)\nsql = SELECT SLEEP(0.4)",
        "sql = UPDATE other SET a = a + 10 + SLEEP(5)",
        "sql = SET SESSION max_statement_time = 0\nsql = SELECT SLEEP(10)",
    };
    (void)state;

    work_event("evt_1", "a", "{}");
    for (size_t i = 0; i < COUNT(slow); i++) {
        int64_t began = clock_mono_ms();
        enum handler_result result = run(slow[i], 1000);
        if (result != HANDLER_FAILED) {
            fail_msg("%s: result %d (%s)", slow[i], (int)result, err.text);
        }
        ROW(i, clock_mono_ms() - began < 5000 || i == 1); /* what they would sleep */
        ROW(i, strstr(err.text, "not through in its time (timeout 30s)") != NULL);
        ASSERT_COUNT("fx", 0);
    }
    assert_int_equal(run("sql = SELECT SLEEP(0.2)", 1000), HANDLER_DONE);
    assert_int_equal(run("sql = SELECT 1", 0), HANDLER_FAILED);
}

/* ---- deadlock, lock wait, lost link ---- */

static void what_the_whole_transaction_can_cure_is_run_again(void **state)
{
    (void)state;

    work_event("evt_1", "a", "{}");
    assert_int_equal(run("sql = INSERT INTO fx (note) VALUES ('a')\n"
                         "sql = KILL CONNECTION CONNECTION_ID()",
                         5000),
                     HANDLER_AGAIN);
    struct db *holder = db_open(&base.settings, DB_OPERATOR);
    assert_int_equal(db_begin(holder, &err), HO_OK);
    testdb_run(holder, "UPDATE other SET a = 3 WHERE a = 2");
    assert_int_equal(run("sql = INSERT INTO fx (note) VALUES ('a')\n"
                         "sql = UPDATE other SET a = 4 WHERE a = 2",
                         8000),
                     HANDLER_AGAIN);
    assert_int_equal(err.sys, 1205);
    db_rollback(holder);
    db_close(holder);
    ASSERT_COUNT("fx", 0);
}

static void a_hidden_commit_is_seen_before_a_lock_wait_is_tried_again(void **state)
{
    struct db *holder = db_open(&base.settings, DB_OPERATOR);
    (void)state;

    work_event("evt_1", "a", "{}");
    assert_int_equal(db_begin(holder, &err), HO_OK);
    testdb_run(holder, "UPDATE other SET a = 3 WHERE a = 2");
    assert_int_equal(run("sql = CALL commits_and_waits()", 8000), HANDLER_BAD);
    assert_non_null(strstr(err.text, "ended the transaction"));
    db_rollback(holder);
    db_close(holder);
    ASSERT_COUNT("fx", 1);
}

#define SLEEPING "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User sleep'"

/* Another transaction, heavier than a handler, locks row 1 of other and later wants row 2. */
static pid_t cross(void)
{
    int locked[2];
    char byte;

    assert_int_equal(pipe(locked), 0);
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct db *rival = db_open(&base.settings, DB_OPERATOR);
        bool good = db_begin(rival, &err) == HO_OK;
        testdb_run(rival, "INSERT INTO my VALUES (9)");
        testdb_run(rival, "UPDATE other SET a = 1 WHERE a = 1");
        testdb_run(rival, "INSERT INTO crossed_out SELECT seq FROM seq_1_to_100");
        good = write(locked[1], "x", 1) == 1 && good;
        for (int i = 0; i < 1000 && testdb_int(rival, SLEEPING) == 0; i++) {
            clock_sleep_ms(10); /* until the handler has row 2 */
        }
        testdb_run(rival, "UPDATE other SET a = 2 WHERE a = 2");
        db_rollback(rival);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(read(locked[0], &byte, 1), 1);
    (void)close(locked[0]);
    (void)close(locked[1]);
    return child;
}

static void a_deadlock_is_no_fault_unless_something_stays(void **state)
{
    static const struct {
        const char *last;
        enum handler_result result;
    } rows[] = {
        {"UPDATE other SET a = 1 WHERE a = 1", HANDLER_AGAIN},
        {"INSERT INTO crossed VALUES (1)", HANDLER_BAD},
    };
    char sql[256];
    int status;
    (void)state;

    work_event("evt_1", "a", "{}");
    testdb_run(base.outside, "CREATE TABLE IF NOT EXISTS crossed_out (a INT) ENGINE=InnoDB");
    for (size_t i = 0; i < COUNT(rows); i++) {
        (void)snprintf(sql, sizeof sql, "sql = UPDATE other SET a = 2 WHERE a = 2\n"
                       "sql = SELECT SLEEP(1)\nsql = %s", rows[i].last);
        pid_t child = cross();
        enum handler_result result = run(sql, 8000);
        assert_int_equal(waitpid(child, &status, 0), child);
        ROW(i, status == 0);
        if (result != rows[i].result) {
            fail_msg("%s: result %d (%s)", sql, (int)result, err.text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_way_out_of_the_transaction_is_seen, empty),
        cmocka_unit_test_setup(an_error_names_the_handler_and_the_statement, empty),
        cmocka_unit_test_setup(all_statements_share_the_time, empty),
        cmocka_unit_test_setup(what_the_whole_transaction_can_cure_is_run_again, empty),
        cmocka_unit_test_setup(a_hidden_commit_is_seen_before_a_lock_wait_is_tried_again, empty),
        cmocka_unit_test_setup(a_deadlock_is_no_fault_unless_something_stays, empty),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
