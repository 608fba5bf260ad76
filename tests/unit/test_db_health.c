/* The health check: silent on a good server, and it must find each thing that is wrong. */
#include "testdb.h"

#include "store/health.h"

static struct testdb t;

/* The row of that name; one of verdict HEALTH_NONE when there is none. */
#define HEALTH_NONE ((enum health_verdict)99)
static struct health_row row_of(const struct health *h, const char *name)
{
    struct health_row none = {.verdict = HEALTH_NONE};

    for (size_t i = 0; i < h->n; i++) {
        if (strcmp(h->rows[i].name, name) == 0) {
            return h->rows[i];
        }
    }
    return none;
}

static void look(struct db *db, struct health *h)
{
    struct ho_err err;

    if (health_check(db, h, &err) != HO_OK) {
        fail_msg("health: %s", err.text);
    }
}

static void print(const struct health *h)
{
    for (size_t i = 0; i < h->n; i++) {
        print_message("%d %s: %s %s\n", (int)h->rows[i].verdict, h->rows[i].name,
                      h->rows[i].value, h->rows[i].advice);
    }
}

static void good_server_has_no_failure(void **state)
{
    static const char *const wanted[] = {
        "server",     "read_only", "innodb_flush_log_at_trx_commit", "binlog",      "sql_mode",
        "time_zone",  "isolation", "max_allowed_packet",             "connections", "hourly limits",
        "clock",      "tables",    "key columns",                    "keys",        "rights",
        "trial",
    };
    struct health h;
    char all[64];
    (void)state;

    look(t.outside, &h);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        struct health_row row = row_of(&h, wanted[i]);
        if (row.verdict != HEALTH_OK || row.advice[0] != '\0') {
            print(&h);
            fail_msg("%s is not well", wanted[i]);
        }
    }
    assert_int_equal(h.n, sizeof wanted / sizeof wanted[0]);
    (void)snprintf(all, sizeof all, "%lld, InnoDB, Dynamic",
                   (long long)testdb_int(t.outside, "SELECT COUNT(*) FROM information_schema.tables"
                                                    " WHERE table_schema = DATABASE()"
                                                    " AND table_type = 'BASE TABLE'"));
    assert_string_equal(row_of(&h, "tables").value, all); /* none is left out */
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_guard"), 0);
}

/* Each change must be found, under that name, and be gone when it is taken back. */
static void finds_what_is_wrong(void **state)
{
    static const struct {
        const char *change, *back;
        const char *name;
        enum health_verdict verdict;
        const char *value; /* part of it */
    } rows[] = {
        {"SET GLOBAL innodb_flush_log_at_trx_commit = 0",
         "SET GLOBAL innodb_flush_log_at_trx_commit = 1", "innodb_flush_log_at_trx_commit",
         HEALTH_FAIL, "0"},
        {"SET GLOBAL innodb_flush_log_at_trx_commit = 2",
         "SET GLOBAL innodb_flush_log_at_trx_commit = 1", "innodb_flush_log_at_trx_commit",
         HEALTH_WARN, "2"},
        {"SET GLOBAL read_only = 1", "SET GLOBAL read_only = 0", "read_only", HEALTH_FAIL, "ON"},
        {"SET GLOBAL max_allowed_packet = 524288", "SET GLOBAL max_allowed_packet = 16777216",
         "max_allowed_packet", HEALTH_WARN, "524288"},
        {"SET GLOBAL max_allowed_packet = 131072", "SET GLOBAL max_allowed_packet = 16777216",
         "max_allowed_packet", HEALTH_FAIL, "131072"},
        {"ALTER TABLE hookonce_guard ENGINE=MyISAM",
         "ALTER TABLE hookonce_guard ENGINE=InnoDB ROW_FORMAT=DYNAMIC", "hookonce_guard",
         HEALTH_FAIL, "MyISAM"},
        {"ALTER TABLE hookonce_guard ENGINE=MyISAM",
         "ALTER TABLE hookonce_guard ENGINE=InnoDB ROW_FORMAT=DYNAMIC", "trial", HEALTH_FAIL,
         "after ROLLBACK 1"},
        {"ALTER TABLE hookonce_body ROW_FORMAT=COMPACT",
         "ALTER TABLE hookonce_body ROW_FORMAT=DYNAMIC", "hookonce_body", HEALTH_FAIL, "Compact"},
        {"ALTER TABLE hookonce_receipt CONVERT TO CHARACTER SET utf8mb4"
         " COLLATE utf8mb4_unicode_ci",
         "ALTER TABLE hookonce_receipt MODIFY correlation_id CHAR(26) CHARACTER SET ascii"
         " COLLATE ascii_bin NOT NULL, MODIFY body_id CHAR(26) CHARACTER SET ascii"
         " COLLATE ascii_bin NULL",
         "hookonce_receipt.correlation_id", HEALTH_FAIL, "unicode_ci"},
        {"ALTER TABLE hookonce_receipt DROP body_id",
         "ALTER TABLE hookonce_receipt ADD body_id CHAR(26) CHARACTER SET ascii COLLATE ascii_bin",
         "hookonce_receipt.body_id", HEALTH_FAIL, ""},
        {"ALTER TABLE hookonce_guard MODIFY event_id VARCHAR(255) CHARACTER SET latin1 NOT NULL",
         "ALTER TABLE hookonce_guard MODIFY event_id VARBINARY(255) NOT NULL",
         "hookonce_guard.event_id", HEALTH_FAIL, "varchar(255)"},
        {"ALTER TABLE hookonce_receipt DROP PRIMARY KEY",
         "ALTER TABLE hookonce_receipt ADD PRIMARY KEY (provider, event_id)",
         "hookonce_receipt key PRIMARY", HEALTH_FAIL, "missing"},
        {"ALTER TABLE hookonce_receipt DROP PRIMARY KEY, ADD PRIMARY KEY (provider, event_id,"
         " received_at)",
         "ALTER TABLE hookonce_receipt DROP PRIMARY KEY, ADD PRIMARY KEY (provider, event_id)",
         "hookonce_receipt key PRIMARY", HEALTH_FAIL, "changed"},
        {"ALTER TABLE hookonce_job DROP KEY once, ADD KEY once (correlation_id, route, replay_no)",
         "ALTER TABLE hookonce_job DROP KEY once, ADD UNIQUE KEY once (correlation_id, route,"
         " replay_no)",
         "hookonce_job key once", HEALTH_FAIL, "changed"},
        {"ALTER TABLE hookonce_job DROP KEY claim",
         "ALTER TABLE hookonce_job ADD KEY claim (state, run_at, id)", "hookonce_job key claim",
         HEALTH_FAIL, "missing"},
        {"RENAME TABLE hookonce_worker TO kept", "RENAME TABLE kept TO hookonce_worker",
         "hookonce_worker", HEALTH_FAIL, "missing"},
        {"CREATE TABLE orders (a INT) ENGINE=MyISAM", "DROP TABLE orders", "other tables",
         HEALTH_WARN, "orders (MyISAM)"},
    };
    struct health h;
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct db *db = db_open(&t.settings, DB_OPERATOR);
        testdb_run(t.outside, rows[i].change);
        look(db, &h);
        struct health_row row = row_of(&h, rows[i].name);
        testdb_run(t.outside, rows[i].back);
        if (row.verdict != rows[i].verdict ||
            strstr(row.value, rows[i].value) == NULL || row.advice[0] == '\0') {
            print(&h);
            fail_msg("%s: not found", rows[i].change);
        }
        db_disconnect(db);
        look(db, &h);
        for (size_t r = 0; r < h.n; r++) {
            if (h.rows[r].verdict != HEALTH_OK) {
                print(&h);
                fail_msg("%s: still there after %s", rows[i].change, rows[i].back);
            }
        }
        db_close(db);
    }
}

static void rights_and_limits_of_the_account(void **state)
{
    struct settings s = t.settings;
    char sql[300];
    struct health h;
    (void)state;

    (void)snprintf(sql, sizeof sql,
                   "GRANT SELECT, INSERT, UPDATE, DELETE ON %s.* TO hookonce_few@localhost"
                   " IDENTIFIED BY '' WITH MAX_UPDATES_PER_HOUR 7000 MAX_USER_CONNECTIONS 5",
                   t.name);
    testdb_run(t.outside, sql);
    s.db_user = "hookonce_few";
    struct db *db = db_open(&s, DB_OPERATOR);
    look(db, &h);
    assert_int_equal(row_of(&h, "rights").verdict, HEALTH_OK);
    assert_int_equal(row_of(&h, "hourly limits").verdict, HEALTH_WARN);
    assert_string_equal(row_of(&h, "hourly limits").value, "MAX_UPDATES_PER_HOUR 7000");
    assert_int_equal(row_of(&h, "connections").verdict, HEALTH_WARN);
    assert_non_null(strstr(row_of(&h, "connections").value, "max_user_connections = 5,"));
    (void)snprintf(sql, sizeof sql, "REVOKE UPDATE ON %s.* FROM hookonce_few@localhost", t.name);
    testdb_run(t.outside, sql);
    db_disconnect(db);
    look(db, &h);
    assert_int_equal(row_of(&h, "rights").verdict, HEALTH_FAIL);
    assert_non_null(strstr(row_of(&h, "rights").value, "UPDATE on hookonce_receipt"));
    assert_int_equal(row_of(&h, "trial").verdict, HEALTH_OK);
    (void)snprintf(sql, sizeof sql, "REVOKE INSERT ON %s.* FROM hookonce_few@localhost", t.name);
    testdb_run(t.outside, sql);
    db_disconnect(db);
    look(db, &h);
    assert_int_equal(row_of(&h, "trial").verdict, HEALTH_FAIL);
    testdb_run(t.outside, "SET GLOBAL read_only = 1");
    look(db, &h);
    testdb_run(t.outside, "SET GLOBAL read_only = 0");
    assert_int_equal(row_of(&h, "read_only").verdict, HEALTH_FAIL);
    db_close(db);
    testdb_run(t.outside, "DROP USER hookonce_few@localhost");
}

static void no_tables_yet(void **state)
{
    static struct testdb empty;
    struct health h;
    (void)state;

    testdb_begin(&empty, "health_empty");
    look(empty.outside, &h);
    assert_int_equal(row_of(&h, "hookonce_receipt").verdict, HEALTH_FAIL);
    assert_int_equal(row_of(&h, "trial").verdict, HEALTH_NONE);
    testdb_end(&empty);
}

static int begin(void **state)
{
    (void)state;
    testdb_begin(&t, "health");
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
        cmocka_unit_test(good_server_has_no_failure),
        cmocka_unit_test(finds_what_is_wrong),
        cmocka_unit_test(rights_and_limits_of_the_account),
        cmocka_unit_test(no_tables_yet),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
