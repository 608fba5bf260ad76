/* The connection: session, values, results, errors, against a real server. */
#include "testdb.h"

static struct testdb t;

static enum ho_code run(struct db *db, const char *sql, struct ho_err *err)
{
    return db_run_once(db, sql, NULL, 0, NULL, err);
}

static void session_is_ours(void **state)
{
    struct db *db = db_open(&t.settings, DB_RECEIVER);
    char text[256];
    (void)state;

    assert_string_equal(testdb_text(db, "SELECT @@sql_mode", text),
                        "STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION");
    assert_string_equal(testdb_text(db, "SELECT @@time_zone", text), "+00:00");
    assert_string_equal(testdb_text(db, "SELECT @@tx_isolation", text), "READ-COMMITTED");
    assert_string_equal(testdb_text(db, "SELECT @@character_set_client", text), "utf8mb4");
    assert_string_equal(testdb_text(db, "SELECT @@character_set_results", text), "utf8mb4");
    assert_int_equal(testdb_int(db, "SELECT @@innodb_lock_wait_timeout"), 1);
    assert_int_equal(testdb_int(db, "SELECT @@idle_write_transaction_timeout"), 10);
    assert_true(db_is_mariadb(db));
    assert_true(db_server_version(db) > 100300);
    assert_int_equal(db_thread_id(db), testdb_int(db, "SELECT CONNECTION_ID()"));
    assert_int_equal(db_max_packet(db), testdb_int(db, "SELECT @@max_allowed_packet"));
    db_close(db);
}

static void one_statement_a_call(void **state)
{
    struct ho_err err;
    (void)state;

    assert_int_equal(run(t.outside, "SELECT 1; SELECT 2", &err), HO_PERMANENT);
    assert_int_equal(err.sys, 1064);
}

static void values_come_back_as_sent(void **state)
{
    unsigned char all[256];
    struct db_rows rows = {0};
    struct ho_err err;
    (void)state;

    for (size_t i = 0; i < sizeof all; i++) {
        all[i] = (unsigned char)i;
    }
    struct db_value in[] = {DBV_BYTES(span_make(all, sizeof all)), DBV_INT(INT64_MIN),
                            DBV_UINT(UINT64_MAX),                  DBV_STR("\xf0\x9f\x98\x80"),
                            DBV_NULL,                              DBV_BYTES(SPAN_LIT("")),
                            DBV_BYTES(SPAN_NONE)};
    assert_int_equal(db_run_once(t.outside, "SELECT ?, ?, ?, ? AS face, ?, ?, ?", in, 7, &rows,
                                 &err),
                     HO_OK);
    assert_int_equal(rows.n_rows, 1);
    assert_int_equal(rows.n_cols, 7);
    assert_true(span_eq(db_cell(&rows, 0, 0), span_make(all, sizeof all)));
    assert_true(span_is(db_cell(&rows, 0, 1), "-9223372036854775808"));
    assert_true(span_is(db_cell(&rows, 0, 2), "18446744073709551615"));
    assert_true(span_is(db_cell(&rows, 0, 3), "\xf0\x9f\x98\x80"));
    assert_string_equal(rows.cols[3].name, "face");
    assert_false(span_present(db_cell(&rows, 0, 4)));
    assert_true(span_present(db_cell(&rows, 0, 5)));
    assert_int_equal(db_cell(&rows, 0, 5).len, 0);
    assert_false(span_present(db_cell(&rows, 0, 6)));
    assert_false(span_present(db_cell(&rows, 1, 0)));
    db_rows_free(&rows);
}

static void kinds_of_columns_as_text(void **state)
{
    struct db_rows rows = {0};
    struct ho_err err;
    static const char *const wanted[] = {"12.50", "2026-11-30 12:00:00.123456", "1.5",
                                         "2026-11-30", "-3", "b", "00:00:01.250000"};
    (void)state;

    testdb_run(t.outside, "CREATE TABLE kinds (a DECIMAL(8,2), b DATETIME(6), c DOUBLE, d DATE,"
                          " e TINYINT, f ENUM('a','b'), g TIME(6)) ENGINE=InnoDB");
    testdb_run(t.outside, "INSERT INTO kinds VALUES (12.5, '2026-11-30 12:00:00.123456', 1.5,"
                          " '2026-11-30', -3, 'b', '00:00:01.25')");
    assert_int_equal(db_run_once(t.outside, "SELECT * FROM kinds", NULL, 0, &rows, &err), HO_OK);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (!span_is(db_cell(&rows, 0, i), wanted[i])) {
            fail_msg("column %zu: got \"%.*s\", wanted \"%s\"", i,
                        (int)db_cell(&rows, 0, i).len, (const char *)db_cell(&rows, 0, i).p,
                        wanted[i]);
        }
    }
    db_rows_free(&rows);
}

static void large_values_and_bounds(void **state)
{
    struct db *db = db_open(&t.settings, DB_PROCESSOR);
    struct db_rows rows = {0};
    struct ho_err err;
    (void)state;

    size_t len = 5 * 1024 * 1024;
    unsigned char *big = ho_alloc(len);
    memset(big, 'x', len);
    struct db_value in[] = {DBV_BYTES(span_make(big, len))};
    assert_int_equal(db_run_once(db, "SELECT ?, 'tail'", in, 1, &rows, &err), HO_OK);
    assert_true(span_eq(db_cell(&rows, 0, 0), span_make(big, len)));
    assert_true(span_is(db_cell(&rows, 0, 1), "tail"));
    /* 70 MB in 7 rows: over the bound, with more to come; the link is given up. */
    unsigned long before = db_thread_id(db);
    assert_int_equal(db_run_once(db, "SELECT REPEAT('y', 10000000) FROM"
                                     " (SELECT 1 a UNION SELECT 2 UNION SELECT 3 UNION SELECT 4"
                                     " UNION SELECT 5 UNION SELECT 6 UNION SELECT 7) AS n",
                                 NULL, 0, &rows, &err),
                     HO_PERMANENT);
    assert_int_equal(rows.n_rows, 0);
    assert_int_equal(testdb_int(db, "SELECT 5"), 5);
    assert_true(db_thread_id(db) != before);
    free(big);
    db_rows_free(&rows);
    db_close(db);
}

static const char SQL_ONE[] = "SELECT ?";
static const char SQL_TWO[] = "SELECT 1 + ?";

static void prepared_once_a_link(void **state)
{
    struct db *db = db_open(&t.settings, DB_OPERATOR);
    struct db_value in[] = {DBV_INT(7)};
    struct db_rows rows = {0};
    struct ho_err err;
    static const char prepares[] =
        "SELECT variable_value FROM information_schema.session_status"
        " WHERE variable_name = 'Com_stmt_prepare'";
    (void)state;

    for (int i = 0; i < 3; i++) {
        assert_int_equal(db_run(db, SQL_ONE, in, 1, &rows, &err), HO_OK);
        assert_int_equal(db_cell_int(&rows, 0, 0), 7);
        assert_int_equal(db_run(db, SQL_TWO, in, 1, &rows, &err), HO_OK);
        assert_int_equal(db_cell_int(&rows, 0, 0), 8);
    }
    /* two, and the question itself */
    assert_int_equal(testdb_int(db, prepares), 3);
    db_disconnect(db);
    assert_int_equal(db_run(db, SQL_ONE, in, 1, &rows, &err), HO_OK);
    assert_int_equal(db_cell_int(&rows, 0, 0), 7);
    assert_int_equal(db_reset(db, &err), HO_OK);
    assert_int_equal(db_run(db, SQL_ONE, in, 1, &rows, &err), HO_OK);
    assert_int_equal(testdb_int(db, "SELECT @@tx_isolation = 'READ-COMMITTED'"), 1);
    db_rows_free(&rows);
    db_close(db);
}

static void reset_undoes_a_handlers_traces(void **state)
{
    struct db *db = db_open(&t.settings, DB_PROCESSOR);
    struct ho_err err;
    char text[256];
    (void)state;

    testdb_run(db, "CREATE TEMPORARY TABLE traces (a INT) ENGINE=InnoDB");
    testdb_run(db, "SET @trace = 1");
    testdb_run(db, "SET SESSION sql_mode = '', time_zone = '+05:00', autocommit = 0");
    testdb_run(db, "USE information_schema");
    assert_int_equal(db_reset(db, &err), HO_OK);
    assert_string_equal(testdb_text(db, "SELECT @trace", text), "(null)");
    assert_string_equal(testdb_text(db, "SELECT DATABASE()", text), t.name);
    assert_string_equal(testdb_text(db, "SELECT @@time_zone", text), "+00:00");
    assert_int_equal(testdb_int(db, "SELECT @@autocommit"), 1);
    assert_int_equal(run(db, "SELECT * FROM traces", &err), HO_PERMANENT);
    assert_int_equal(err.sys, 1146);
    db_close(db);
}

static void tracker_sees_tables_without_transactions(void **state)
{
    struct db *db = db_open(&t.settings, DB_PROCESSOR);
    struct ho_err err;
    (void)state;

    testdb_run(db, "CREATE TABLE loose (a INT) ENGINE=MyISAM");
    testdb_run(db, "CREATE TABLE tight (a INT) ENGINE=InnoDB");
    assert_int_equal(db_begin(db, &err), HO_OK);
    testdb_run(db, "INSERT INTO tight VALUES (1)");
    assert_false(db_wrote_untransacted(db));
    testdb_run(db, "INSERT INTO loose VALUES (1)");
    assert_true(db_wrote_untransacted(db));
    testdb_run(db, "INSERT INTO tight VALUES (2)");
    assert_true(db_wrote_untransacted(db));
    db_rollback(db);
    assert_int_equal(db_begin(db, &err), HO_OK);
    assert_false(db_wrote_untransacted(db));
    assert_int_equal(db_commit(db, &err), HO_OK);
    db_close(db);
}

static void calls_bring_several_results(void **state)
{
    struct db *db = db_open(&t.settings, DB_PROCESSOR);
    struct db_rows rows = {0};
    struct ho_err err;
    (void)state;

    testdb_run(db, "CREATE TABLE called (a INT) ENGINE=InnoDB");
    testdb_run(db, "CREATE PROCEDURE several() BEGIN SELECT 1 AS one UNION SELECT 2; SELECT 3;"
                   " INSERT INTO called VALUES (1); END");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(db_run_once(db, "CALL several()", NULL, 0, &rows, &err), HO_OK);
        assert_int_equal(rows.n_rows, 2);
        assert_string_equal(rows.cols[0].name, "one");
    }
    assert_int_equal(testdb_int(db, "SELECT COUNT(*) FROM called"), 2);
    db_rows_free(&rows);
    db_close(db);
}

static void affected_and_warnings(void **state)
{
    struct db_rows rows = {0};
    struct ho_err err;
    (void)state;

    testdb_run(t.outside, "CREATE TABLE counted (a INT PRIMARY KEY, b VARBINARY(3)) ENGINE=InnoDB");
    testdb_run(t.outside, "INSERT INTO counted VALUES (1, ''), (2, ''), (3, '')");
    assert_int_equal(db_run_once(t.outside, "UPDATE counted SET b = 'x' WHERE a < 3", NULL, 0,
                                 &rows, &err),
                     HO_OK);
    assert_int_equal(rows.affected, 2);
    assert_int_equal(rows.warnings, 0);
    assert_int_equal(db_run_once(t.outside, "INSERT IGNORE INTO counted VALUES (4, 'long')", NULL,
                                 0, &rows, &err),
                     HO_OK);
    assert_int_equal(rows.affected, 1);
    assert_int_equal(rows.warnings, 1);
    assert_int_equal(db_run_once(t.outside, "SELECT * FROM counted", NULL, 0, &rows, &err), HO_OK);
    assert_int_equal(rows.affected, 0);
    assert_int_equal(rows.n_rows, 4);
    db_rows_free(&rows);
}

/* Errors of the server: what they mean for us, and that no value gets into the text. */
static void errors_by_their_number(void **state)
{
    static const struct {
        const char *sql;
        enum ho_code code;
        int number;
        const char *said; /* in the text */
    } rows[] = {
        {"SELEC 1", HO_PERMANENT, 1064, "syntax"},
        {"SELECT * FROM nowhere", HO_PERMANENT, 1146, "nowhere"},
        {"SELECT nothing", HO_PERMANENT, 1054, "nothing"},
        {"INSERT INTO errs VALUES ('s3cret-7', 1)", HO_PERMANENT, 1062, "'by_id'"},
        {"INSERT INTO errs VALUES (REPEAT('s3cret-7', 9), 1)", HO_PERMANENT, 1406, "'id'"},
        {"INSERT INTO errs VALUES ('a', 's3cret-7')", HO_PERMANENT, 1366, "1366"},
        {"SELECT SLEEP(3)", HO_TRANSIENT, 1969, "longer"},
        {"KILL QUERY CONNECTION_ID()", HO_TRANSIENT, 1317, "interrupted"},
        {"KILL CONNECTION_ID()", HO_TRANSIENT, 1927, "killed"},
        {"SELECT 1", HO_OK, 0, ""},
    };
    struct db *db = db_open(&t.settings, DB_OPERATOR);
    (void)state;

    testdb_run(db, "CREATE TABLE errs (id VARCHAR(20), n INT, UNIQUE KEY by_id (id))"
                   " ENGINE=InnoDB");
    testdb_run(db, "INSERT INTO errs VALUES ('s3cret-7', 1)");
    testdb_run(db, "SET SESSION max_statement_time = 0.2");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ho_err err;
        ho_err_clear(&err);
        enum ho_code code = run(db, rows[i].sql, &err);
        if (code != rows[i].code || err.sys != rows[i].number ||
            strstr(err.text, rows[i].said) == NULL || strstr(err.text, "s3cret") != NULL) {
            fail_msg("%s: code %d, number %d: %s", rows[i].sql, (int)code, err.sys, err.text);
        }
    }
    db_close(db);
}

static void refused_and_away(void **state)
{
    struct settings s = t.settings;
    struct ho_err err;
    char nowhere[] = "/nonexistent/mysql.sock";
    char *sockets[] = {nowhere, t.sockets[0]};
    (void)state;

    s.db_name = "there_is_no_such_database";
    struct db *db = db_open(&s, DB_RECEIVER);
    assert_int_equal(db_connect(db, &err), HO_PERMANENT);
    assert_int_equal(err.sys, 1049);
    assert_false(db_retry(&err));
    s.db_name = t.name;
    s.db_user = "there_is_no_such_user";
    assert_int_equal(db_connect(db, &err), HO_PERMANENT);
    assert_int_equal(err.sys, 1045);
    s.db_user = t.settings.db_user;
    s.sockets = sockets;
    s.n_sockets = 1;
    assert_int_equal(db_connect(db, &err), HO_TRANSIENT);
    assert_int_equal(err.sys, 2002);
    assert_false(db_retry(&err));
    s.n_sockets = 2; /* the second one answers */
    assert_int_equal(db_connect(db, &err), HO_OK);
    db_close(db);
}

static void password_comes_from_its_file(void **state)
{
    struct settings s = t.settings;
    char path[] = "/tmp/hookonce-test-XXXXXX", sql[160];
    struct ho_err err;
    (void)state;

    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, "pass word\n", 10) == 10 && close(fd) == 0);
    (void)snprintf(sql, sizeof sql, "GRANT ALL ON %s.* TO hookonce_pw@localhost IDENTIFIED BY"
                                    " 'pass word'", t.name);
    testdb_run(t.outside, sql);
    s.db_user = "hookonce_pw";
    struct db *db = db_open(&s, DB_RECEIVER);
    assert_int_equal(db_connect(db, &err), HO_PERMANENT);
    s.db_password_file = path;
    assert_int_equal(db_connect(db, &err), HO_OK);
    db_close(db);
    testdb_run(t.outside, "DROP USER hookonce_pw@localhost");
    (void)unlink(path);
}

static void too_large_for_a_packet(void **state)
{
    struct db *db = db_open(&t.settings, DB_RECEIVER);
    struct ho_err err;
    (void)state;

    size_t len = db_connect(db, &err) == HO_OK ? (size_t)db_max_packet(db) + 1 : 0;
    assert_true(len > 1 && len < 64 * 1024 * 1024);
    unsigned char *big = ho_alloc(len);
    memset(big, 'x', len);
    struct db_value in[] = {DBV_BYTES(span_make(big, len))};
    assert_int_equal(db_run_once(db, "SELECT LENGTH(?)", in, 1, NULL, &err), HO_PERMANENT);
    assert_false(db_retry(&err));
    free(big);
    assert_int_equal(testdb_int(db, "SELECT 1"), 1);
    db_close(db);
}

static int begin(void **state)
{
    (void)state;
    testdb_begin(&t, "link");
    return 0;
}

static int end(void **state)
{
    (void)state;
    testdb_end(&t);
    return 0;
}

/* Else what is left of a transaction would run on a new link, each statement by itself. */
static void what_is_left_of_a_lost_transaction_runs_on_no_other_link(void **state)
{
    struct db *db = db_open(&t.settings, DB_PROCESSOR);
    struct ho_err err;
    char sql[64];
    (void)state;

    testdb_run(t.outside, "CREATE OR REPLACE TABLE left_over (a INT) ENGINE=InnoDB");
    assert_int_equal(db_begin(db, &err), HO_OK);
    (void)snprintf(sql, sizeof sql, "KILL %lu", db_thread_id(db));
    testdb_run(t.outside, sql);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run(db, "INSERT INTO left_over VALUES (1)", &err), HO_TRANSIENT);
        assert_true(db_retry(&err));
        assert_true(i > 0 || err.sys == 2013 || err.sys == 2006);
        assert_true(i == 0 || err.sys == 2013);
    }
    assert_int_equal(db_commit(db, &err), HO_TRANSIENT);
    db_rollback(db);
    assert_int_equal(run(db, "INSERT INTO left_over VALUES (2)", &err), HO_OK);
    assert_int_equal(testdb_int(t.outside, "SELECT SUM(a) FROM left_over"), 2);
    testdb_run(t.outside, "DROP TABLE left_over");
    db_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(session_is_ours),
        cmocka_unit_test(what_is_left_of_a_lost_transaction_runs_on_no_other_link),
        cmocka_unit_test(one_statement_a_call),
        cmocka_unit_test(values_come_back_as_sent),
        cmocka_unit_test(kinds_of_columns_as_text),
        cmocka_unit_test(large_values_and_bounds),
        cmocka_unit_test(prepared_once_a_link),
        cmocka_unit_test(reset_undoes_a_handlers_traces),
        cmocka_unit_test(tracker_sees_tables_without_transactions),
        cmocka_unit_test(calls_bring_several_results),
        cmocka_unit_test(affected_and_warnings),
        cmocka_unit_test(errors_by_their_number),
        cmocka_unit_test(refused_and_away),
        cmocka_unit_test(password_comes_from_its_file),
        cmocka_unit_test(too_large_for_a_packet),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
