/* Schema versions and the key that belongs to the tables. */
#include <pthread.h>
#include <sys/stat.h>

#include "testdb.h"

#include "base/secret.h"
#include "store/keyfile.h"

static struct testdb t;

static enum ho_code migrate(struct migrate_state *before, struct ho_err *err)
{
    ho_err_clear(err);
    return migrate_run(t.outside, t.key_file, before, err);
}

static void file_key_print(char out[KEY_PRINT_LEN + 1])
{
    struct secret key;
    struct ho_err err;

    assert_int_equal(secret_read(t.key_file, &key, &err), HO_OK);
    migrate_key_print(secret_span(&key), out);
    secret_free(&key);
}

static void from_nothing_and_again(void **state)
{
    struct migrate_state s;
    struct ho_err err;
    struct stat st;
    char print[KEY_PRINT_LEN + 1];
    (void)state;

    assert_int_equal(migrate_status(t.outside, &s, &err), HO_OK);
    assert_int_equal(s.have, 0);
    assert_int_equal(s.want, schema_files[schema_n - 1].version);
    assert_string_equal(s.key_print, "");
    assert_int_equal(migrate(&s, &err), HO_OK);
    assert_int_equal(s.have, 0);
    assert_true(s.key_created);
    assert_int_equal(stat(t.key_file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(st.st_size, 65);
    assert_int_equal(migrate_status(t.outside, &s, &err), HO_OK);
    assert_int_equal(s.have, s.want);
    file_key_print(print);
    assert_string_equal(s.key_print, print);

    testdb_run(t.outside, "INSERT INTO hookonce_worker VALUES ('w', 'h', 1, NOW(6), NOW(6))");
    assert_int_equal(migrate(&s, &err), HO_OK);
    assert_int_equal(s.have, s.want);
    assert_false(s.key_created);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_worker"), 1);
}

/* A run that broke off in the middle is completed by the next one. */
static void half_done(void **state)
{
    struct migrate_state s;
    struct ho_err err;
    (void)state;

    assert_int_equal(migrate(&s, &err), HO_OK);
    testdb_run(t.outside, "DROP TABLE hookonce_job");
    testdb_run(t.outside, "DELETE FROM hookonce_schema");
    assert_int_equal(migrate(&s, &err), HO_OK);
    assert_int_equal(s.have, 0);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_job"), 0);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_schema"
                                           " WHERE version = 1 AND name = '001-inbox'"
                                           " AND key_print IS NOT NULL"),
                     1);
}

/* Runs a schema file as a person's console would: statement by statement. */
static void import(const char *sql)
{
    struct buf statement;
    struct span rest = span_of(sql);

    buf_init(&statement, 65536);
    while (span_present(rest)) {
        struct span line = span_cut(&rest, '\n');
        if (span_starts(line, "--")) {
            continue;
        }
        assert_int_equal(buf_add_span(&statement, line), HO_OK);
        assert_int_equal(buf_add_byte(&statement, '\n'), HO_OK);
        if (line.len > 0 && line.p[line.len - 1] == ';') {
            testdb_run(t.outside, buf_cstr(&statement));
            buf_clear(&statement);
        }
    }
    buf_free(&statement);
}

/* Tables of an older version get what is new, and what is in them stays. */
static void from_an_older_version(void **state)
{
    struct migrate_state s;
    struct ho_err err;
    (void)state;

    for (size_t old = 1; old < schema_n; old++) {
        if (old > 1) {
            testdb_end(&t);
            testdb_begin(&t, "migrate");
        }
        for (size_t i = 0; i < old; i++) {
            import(schema_files[i].sql);
        }
        testdb_run(t.outside, "INSERT INTO hookonce_receipt SET provider = 'p', event_id = 'e',"
                              " correlation_id = '01ARZ3NDEKTSV4RRFFQ69G5FAV', source = 's',"
                              " event_type = '', received_at = NOW(6), recorded_at = NOW(6),"
                              " status = 'received', body_len = 0, body_sha256 = '',"
                              " same_digest = '', document = 'none', secret_no = 1, mac = ''");
        testdb_run(t.outside, "INSERT INTO hookonce_job (correlation_id, route, state, run_at, tries,"
                              " claim_token, created_at) VALUES ('a', 'r', 'ready', NOW(6), 3, NULL,"
                              " NOW(6)), ('b', 'r', 'running', NOW(6), 0, REPEAT('t', 16), NOW(6)),"
                              " ('c', 'r', 'dead', NOW(6), 8, NULL, NOW(6)), ('d', '', 'done',"
                              " NOW(6), 1, NULL, NOW(6))");
        assert_int_equal(migrate_status(t.outside, &s, &err), HO_OK);
        assert_int_equal(s.have, schema_files[old - 1].version);
        assert_true(s.want > s.have);
        assert_int_equal(migrate_fits(t.outside, SPAN_LIT("k"), NULL, &err), HO_PERMANENT);
        assert_non_null(strstr(err.text, "older than this program"));
        assert_int_equal(migrate(&s, &err), HO_OK);
        assert_int_equal(s.have, schema_files[old - 1].version);
        assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_receipt"
                                               " WHERE body_id IS NULL AND event_id = 'e'"),
                         1);
        assert_int_equal(testdb_int(t.outside,
                                    "SELECT COUNT(*) FROM hookonce_job WHERE (correlation_id, state,"
                                    " tries) IN (('a', 'ready', 3), ('b', 'running', 0), ('c',"
                                    " 'dead', 8), ('d', 'done', 1)) AND class = 0 AND lane IS NULL"
                                    " AND waits = 0 AND waiting_for IS NULL AND first_try_at IS"
                                    " NULL"),
                         4);
        for (size_t i = 0; i < schema_n; i++) {
            import(schema_files[i].sql); /* again, by hand */
        }
        testdb_run(t.outside, "UPDATE hookonce_job SET state = 'waiting', lane = REPEAT('l', 32)"
                              " WHERE correlation_id = 'a'");
        assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_schema"), schema_n);
        assert_int_equal(migrate(&s, &err), HO_OK);
        assert_int_equal(s.have, s.want);
        (void)unlink(t.key_file);
    }
}

static void newer_tables_of_the_same_hundred_serve_and_others_are_refused(void **state)
{
    struct migrate_state s;
    struct secret key;
    struct ho_err err;
    (void)state;

    assert_int_equal(migrate(&s, &err), HO_OK);
    assert_int_equal(keyfile_read(t.key_file, &key, &err), HO_OK);
    testdb_run(t.outside, "INSERT INTO hookonce_schema (version, name, applied_at)"
                          " VALUES (99, 'future', UTC_TIMESTAMP(6))");
    assert_int_equal(migrate(&s, &err), HO_OK);
    assert_int_equal(s.have, 99);
    assert_int_equal(migrate_fits(t.outside, secret_span(&key), NULL, &err), HO_OK);
    testdb_run(t.outside, "UPDATE hookonce_schema SET version = 100 WHERE version = 99");
    assert_int_equal(migrate(&s, &err), HO_PERMANENT);
    assert_non_null(strstr(err.text, "version 100"));
    assert_int_equal(s.have, 100);
    assert_int_equal(migrate_fits(t.outside, secret_span(&key), NULL, &err), HO_PERMANENT);
    secret_free(&key);
}

static void another_key_is_refused(void **state)
{
    struct migrate_state s;
    struct ho_err err;
    bool created = false;
    char before[KEY_PRINT_LEN + 1], text[256];
    (void)state;

    assert_int_equal(migrate(&s, &err), HO_OK);
    file_key_print(before);
    assert_int_equal(unlink(t.key_file), 0);
    assert_int_equal(migrate(&s, &err), HO_PERMANENT);
    assert_non_null(strstr(err.text, "copy the key file from the first host"));
    assert_non_null(strstr(err.text, "missing"));
    assert_int_equal(access(t.key_file, F_OK), -1); /* none was made */
    assert_int_equal(keyfile_make(t.key_file, &created, &err), HO_OK);
    assert_true(created);
    assert_int_equal(migrate(&s, &err), HO_PERMANENT);
    assert_non_null(strstr(err.text, "copy the key file from the first host"));
    assert_int_equal(access(t.key_file, F_OK), 0); /* not ours to remove */
    assert_string_equal(testdb_text(t.outside, "SELECT key_print FROM hookonce_schema", text),
                        before);
}

static void unusable_key_files(void **state)
{
    struct migrate_state s;
    struct ho_err err;
    bool created = true;
    (void)state;

    assert_int_equal(keyfile_make(t.key_file, &created, &err), HO_OK);
    assert_int_equal(chmod(t.key_file, 0644), 0);
    assert_int_equal(migrate(&s, &err), HO_PERMANENT);
    assert_non_null(strstr(err.text, t.key_file));
    assert_int_equal(migrate_status(t.outside, &s, &err), HO_OK);
    assert_int_equal(s.have, 0); /* nothing was made for a key that can't be used */
    assert_int_equal(chmod(t.key_file, 0600), 0);
    assert_int_equal(keyfile_make(t.key_file, &created, &err), HO_OK);
    assert_false(created);
    assert_int_equal(keyfile_make("/nonexistent/folder/key", &created, &err), HO_PERMANENT);
    assert_int_equal(migrate(&s, &err), HO_OK);
    assert_false(s.key_created);
}

/* CREATE, INDEX and the rights of run time are all that is needed; without them it says so. */
static void few_rights(void **state)
{
    struct settings few = t.settings;
    struct migrate_state s;
    struct ho_err err;
    char sql[200];
    (void)state;

    (void)snprintf(sql, sizeof sql, "GRANT SELECT, INSERT, UPDATE, DELETE ON %s.* TO"
                                    " hookonce_few@localhost", t.name);
    testdb_run(t.outside, sql);
    few.db_user = "hookonce_few";
    struct db *db = db_open(&few, DB_OPERATOR);
    assert_int_equal(migrate_run(db, t.key_file, &s, &err), HO_PERMANENT);
    assert_int_equal(err.sys, 1142);
    assert_non_null(strstr(err.text, "001-inbox"));
    (void)snprintf(sql, sizeof sql, "GRANT CREATE, INDEX, ALTER ON %s.* TO"
                                    " hookonce_few@localhost",
                   t.name);
    testdb_run(t.outside, sql);
    db_disconnect(db);
    assert_int_equal(migrate_run(db, t.key_file, &s, &err), HO_OK);
    db_close(db);
    testdb_run(t.outside, "DROP USER hookonce_few@localhost");
}

struct racer {
    pthread_t thread;
    const char *key_file;
    pthread_barrier_t *start;
    enum ho_code code;
    struct ho_err err;
};

static void *race(void *arg)
{
    struct racer *r = arg;
    struct db *db = db_open(&t.settings, DB_OPERATOR);
    struct migrate_state s;

    if (db_connect(db, &r->err) == HO_OK) {
        (void)pthread_barrier_wait(r->start);
    }
    r->code = migrate_run(db, r->key_file, &s, &r->err);
    db_close(db);
    return NULL;
}

/* The database, empty again. */
static void drop_tables(void)
{
    static const char *const words[] = {"DROP DATABASE", "CREATE DATABASE", "USE"};
    char sql[100];

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        (void)snprintf(sql, sizeof sql, "%s %s", words[i], t.name);
        testdb_run(t.outside, sql);
    }
}

/* Several at once on one host share the key file; on several hosts one key wins, and the others'
 * new files are gone again. */
static void several_at_once(void **state)
{
    char files[4][80];
    (void)state;

    for (int hosts = 1; hosts <= 4; hosts += 3) {
        struct racer racers[4];
        pthread_barrier_t start;
        int done = 0, files_left = 0;
        drop_tables();
        assert_int_equal(pthread_barrier_init(&start, NULL, 4), 0);
        for (int i = 0; i < 4; i++) {
            (void)snprintf(files[i], sizeof files[i], "%s.%d", t.key_file, i % hosts);
            racers[i] = (struct racer){.key_file = files[i], .start = &start};
            assert_int_equal(pthread_create(&racers[i].thread, NULL, race, &racers[i]), 0);
        }
        for (int i = 0; i < 4; i++) {
            assert_int_equal(pthread_join(racers[i].thread, NULL), 0);
            if (racers[i].code == HO_OK) {
                done++;
            } else if (hosts == 1 || strstr(racers[i].err.text, "copy the key file") == NULL) {
                fail_msg("%d hosts: %s", hosts, racers[i].err.text);
            }
        }
        (void)pthread_barrier_destroy(&start);
        for (int i = 0; i < hosts; i++) {
            files_left += access(files[i], F_OK) == 0 ? 1 : 0;
            (void)unlink(files[i]);
        }
        assert_int_equal(done, hosts == 1 ? 4 : 1);
        assert_int_equal(files_left, 1);
        assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_schema"), schema_n);
    }
}

/* The file as a person imports it, statement by statement, says the same as the program. */
static void schema_files_are_plain(void **state)
{
    (void)state;

    for (size_t i = 0; i < schema_n; i++) {
        const char *sql = schema_files[i].sql;
        char record[80];
        assert_true(i == 0 || schema_files[i].version > schema_files[i - 1].version);
        assert_null(strstr(sql, "DELIMITER"));
        assert_null(strstr(sql, "utf8mb4_0900"));
        (void)snprintf(record, sizeof record, "VALUES (%d, '%s', UTC_TIMESTAMP(6));\n",
                       schema_files[i].version, schema_files[i].name);
        const char *last = strstr(sql, record);
        assert_non_null(last);
        assert_string_equal(last + strlen(record), "");
    }
}

static void every_column_and_table_says_what_it_is(void **state)
{
    struct migrate_state s;
    struct ho_err err;
    (void)state;

    assert_int_equal(migrate(&s, &err), HO_OK);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM information_schema.columns"
                                           " JOIN information_schema.tables USING (table_schema, table_name)"
                                           " WHERE table_schema = DATABASE() AND table_type <> 'VIEW'"
                                           " AND column_comment = ''"),
                     0);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_help WHERE meaning = ''"), 0);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_help WHERE column_name = ''"
                                           " AND served_by IS NULL"), 0);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM information_schema.tables"
                                           " WHERE table_schema = DATABASE() AND (table_comment ="
                                           " '' OR engine <> 'InnoDB' OR row_format <> 'Dynamic')"),
                     0);
}

static int fresh(void **state)
{
    (void)state;
    testdb_begin(&t, "migrate");
    (void)unlink(t.key_file);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    testdb_end(&t);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(from_nothing_and_again, fresh, drop),
        cmocka_unit_test_setup_teardown(half_done, fresh, drop),
        cmocka_unit_test_setup_teardown(from_an_older_version, fresh, drop),
        cmocka_unit_test_setup_teardown(newer_tables_of_the_same_hundred_serve_and_others_are_refused, fresh, drop),
        cmocka_unit_test_setup_teardown(another_key_is_refused, fresh, drop),
        cmocka_unit_test_setup_teardown(unusable_key_files, fresh, drop),
        cmocka_unit_test_setup_teardown(few_rights, fresh, drop),
        cmocka_unit_test_setup_teardown(several_at_once, fresh, drop),
        cmocka_unit_test(schema_files_are_plain),
        cmocka_unit_test_setup_teardown(every_column_and_table_says_what_it_is, fresh, drop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
