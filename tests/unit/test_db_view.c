/* What an operator reads: right rows, in order, and never by reading a whole table. */
#include "testdb.h"

#include "store/view.h"
#include "store/views.h"

static struct testdb t;

static size_t column(const struct db_rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->n_cols; i++) {
        if (strcmp(rows->cols[i].name, name) == 0) {
            return i;
        }
    }
    fail_msg("there is no column %s", name);
    return 0;
}

static void assert_cell(const struct db_rows *rows, size_t row, size_t col, const char *wanted)
{
    struct span got = db_cell(rows, row, col);

    if (!span_is(got, wanted)) {
        fail_msg("row %zu, column %zu: got \"%.*s\", wanted \"%s\"", row, col, (int)got.len,
                 got.p != NULL ? (const char *)got.p : "", wanted);
    }
}

/* Receipt i: job state and receipt status as given; ids e1, e2, ...; provider p<i % 2>. */
static const struct fixture {
    const char *state, *run_at, *status, *outcome, *error;
} fixtures[] = {
    {"done", "UTC_TIMESTAMP(6) - INTERVAL 9 MINUTE", "processed", "done", "NULL"},
    {"dead", "UTC_TIMESTAMP(6) - INTERVAL 8 MINUTE", "failed", "gave up", "'first reason'"},
    {"dead", "UTC_TIMESTAMP(6) - INTERVAL 7 MINUTE", "failed", "forged row", "NULL"},
    {"ready", "UTC_TIMESTAMP(6) - INTERVAL 100 SECOND", "received", "", "NULL"},
    {"ready", "UTC_TIMESTAMP(6) + INTERVAL 5 MINUTE", "received", "failed", "'later'"},
    {"running", "UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE", "processing", "", "NULL"},
    {"running", "UTC_TIMESTAMP(6) - INTERVAL 3 SECOND", "processing", "", "NULL"},
};
#define FIXTURES (sizeof fixtures / sizeof fixtures[0])

static char cids[FIXTURES][ULID_LEN + 1];

static void put_fixtures(void)
{
    struct db *db = db_open(&t.settings, DB_RECEIVER);
    char id[16], sql[600];

    for (size_t i = 0; i < FIXTURES; i++) {
        const struct fixture *f = &fixtures[i];
        (void)snprintf(id, sizeof id, "e%zu", i + 1);
        struct event e = testdb_event(id, "body");
        e.provider = i % 2 == 0 ? SPAN_LIT("p0") : SPAN_LIT("p1");
        e.source = i == 4 || i == 6 ? SPAN_LIT("second") : e.source;
        ulid_new(1700000000000000 + (int64_t)i * 1000000, e.cid);
        memcpy(cids[i], e.cid, sizeof cids[i]);
        assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
        (void)snprintf(sql, sizeof sql,
                       "UPDATE hookonce_job SET state = '%s', run_at = %s, route = 'main',"
                       " tries = %zu, outcome = '%s', last_error = %s"
                       " WHERE correlation_id = '%s'",
                       f->state, f->run_at, i, f->outcome, f->error, e.cid);
        testdb_run(t.outside, sql);
        (void)snprintf(sql, sizeof sql,
                       "UPDATE hookonce_receipt SET status = '%s' WHERE correlation_id = '%s'",
                       f->status, e.cid);
        testdb_run(t.outside, sql);
    }
    db_close(db);
}

static void receipts_by_filter(void **state)
{
    static const struct {
        const char *provider, *status;
        unsigned limit;
        const char *source;
        const char *events; /* newest first */
    } rows[] = {
        {NULL, NULL, 100, NULL, "e7 e6 e5 e4 e3 e2 e1 "}, {NULL, NULL, 2, NULL, "e7 e6 "},
        {"p0", NULL, 100, NULL, "e7 e5 e3 e1 "},          {NULL, "failed", 100, NULL, "e3 e2 "},
        {"p1", "failed", 100, NULL, "e2 "},               {NULL, "received", 100, NULL, "e5 e4 "},
        {NULL, "received", 1, NULL, "e5 "},               {NULL, "processing", 100, NULL, "e7 e6 "},
        {NULL, "processed", 100, NULL, "e1 "},            {"p1", "processed", 100, NULL, ""},
        {"nobody", NULL, 100, NULL, ""},                  {NULL, NULL, 100, "second", "e7 e5 "},
        {NULL, "processing", 100, "second", "e7 "},       {"p1", NULL, 100, "second", ""},
    };
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct view_filter f = {span_of(rows[i].provider), span_of(rows[i].status), rows[i].limit,
                                span_of(rows[i].source)};
        struct db_rows got = {0};
        struct ho_err err;
        char events[100] = "";
        if (view_receipts(t.outside, &f, &got, &err) != HO_OK) {
            fail_msg("row %zu: %s", i, err.text);
        }
        for (size_t r = 0; r < got.n_rows; r++) {
            size_t len = strlen(events);
            (void)snprintf(events + len, sizeof events - len, "%.*s ",
                           (int)db_cell(&got, r, VIEW_R_EVENT).len,
                           (const char *)db_cell(&got, r, VIEW_R_EVENT).p);
        }
        assert_string_equal(events, rows[i].events);
        assert_int_equal(got.n_cols, VIEW_R_N);
        db_rows_free(&got);
    }
}

static void found_by_any_of_its_names(void **state)
{
    struct db *db = db_open(&t.settings, DB_RECEIVER);
    struct event twin = testdb_event("e1", "twin"), longer = testdb_event("", "longer");
    struct db_rows got = {0};
    struct ho_err err;
    unsigned char digest[SHA256_LEN];
    char raw[300], key[80] = "sha256:";
    (void)state;

    twin.provider = SPAN_LIT("another");
    assert_int_equal(testdb_record(db, &twin), RECEIPT_NEW);
    memset(raw, 'r', sizeof raw);
    mac_sha256(span_make(raw, sizeof raw), digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        (void)snprintf(key + 7 + 2 * i, 3, "%02x", digest[i]);
    }
    longer.id = span_of(key);
    assert_int_equal(testdb_record(db, &longer), RECEIPT_NEW);

    assert_int_equal(view_find(t.outside, span_of(cids[2]), &got, &err), HO_OK);
    assert_int_equal(got.n_rows, 1);
    assert_cell(&got, 0, VIEW_R_EVENT, "e3");
    assert_cell(&got, 0, VIEW_R_CID, cids[2]);
    assert_int_equal(view_find(t.outside, SPAN_LIT("e1"), &got, &err), HO_OK);
    assert_int_equal(got.n_rows, 2);
    assert_cell(&got, 0, VIEW_R_PROVIDER, "another");
    assert_cell(&got, 1, VIEW_R_PROVIDER, "p0");
    assert_int_equal(view_find(t.outside, span_make(raw, sizeof raw), &got, &err), HO_OK);
    assert_int_equal(got.n_rows, 1);
    assert_int_equal(view_find(t.outside, span_of(key), &got, &err), HO_OK);
    assert_int_equal(got.n_rows, 1);
    assert_int_equal(view_find(t.outside, SPAN_LIT("nothing"), &got, &err), HO_OK);
    assert_int_equal(got.n_rows, 0);
    db_rows_free(&got);
    testdb_run(t.outside, "DELETE FROM hookonce_receipt WHERE provider IN ('another', 'shop')");
    testdb_run(t.outside, "DELETE FROM hookonce_job WHERE route = ''");
    db_close(db);
}

static void dead_letters_and_open_jobs(void **state)
{
    struct db_rows got = {0};
    struct ho_err err;
    (void)state;

    assert_int_equal(views_rows(t.outside, "dead_letters", 10, &got, &err), HO_OK);
    assert_int_equal(got.n_rows, 2);
    assert_cell(&got, 0, column(&got, "event_id"), "e3");
    assert_cell(&got, 0, column(&got, "outcome"), "forged row");
    assert_cell(&got, 1, column(&got, "event_id"), "e2");
    assert_cell(&got, 1, column(&got, "last_error"), "first reason");
    assert_cell(&got, 1, column(&got, "tries"), "1");
    assert_int_equal(got.n_cols, VIEW_D_N);
    assert_int_equal(column(&got, "tries"), VIEW_D_TRIES);
    assert_int_equal(column(&got, "event_id_raw"), VIEW_D_EVENT);
    assert_int_equal(views_rows(t.outside, "dead_letters", 1, &got, &err), HO_OK);
    assert_int_equal(got.n_rows, 1);
    assert_int_equal(views_rows(t.outside, "queue", 3, &got, &err), HO_OK);
    assert_int_equal(got.n_rows, 3);
    assert_cell(&got, 0, column(&got, "correlation_id"), cids[3]);
    assert_cell(&got, 1, column(&got, "correlation_id"), cids[6]);
    assert_cell(&got, 2, column(&got, "correlation_id"), cids[5]);
    assert_cell(&got, 2, column(&got, "state"), "running");
    db_rows_free(&got);
}

static void numbers_of_the_queue(void **state)
{
    struct view_queue q;
    struct ho_err err;
    (void)state;

    assert_int_equal(view_queue(t.outside, &q, &err), HO_OK);
    assert_int_equal(q.due, 1);
    assert_int_equal(q.later, 1);
    assert_int_equal(q.running, 2);
    assert_int_equal(q.expired, 1);
    assert_int_equal(q.dead, 2);
    assert_int_equal(q.conflicts, 0);
    assert_in_range(q.oldest_due_s, 99, 130);
    assert_int_equal(q.worker_s, -1);
    assert_false(q.any_try);
    testdb_run(t.outside, "INSERT INTO hookonce_worker VALUES ('w1', 'h', 7, UTC_TIMESTAMP(6)"
                          " - INTERVAL 1 HOUR, UTC_TIMESTAMP(6) - INTERVAL 40 SECOND)");
    assert_int_equal(view_queue(t.outside, &q, &err), HO_OK);
    assert_in_range(q.worker_s, 40, 60);
    struct db_rows got = {0};
    assert_int_equal(views_rows(t.outside, "workers", 10, &got, &err), HO_OK);
    assert_int_equal(got.n_rows, 1);
    assert_cell(&got, 0, column(&got, "worker"), "w1");
    assert_in_range(db_cell_int(&got, 0, column(&got, "seconds_ago")), 40, 60);
    db_rows_free(&got);
}

static void what_became_of_jobs_since_a_moment(void **state)
{
    struct view_since since;
    struct ho_err err;
    char now[32];
    (void)state;

    assert_int_equal(view_now(t.outside, now, &err), HO_OK);
    assert_int_equal(view_since(t.outside, now, &since, &err), HO_OK);
    assert_int_equal(since.done, 0);
    assert_int_equal(since.dead, 0);
    assert_int_equal(since.waiting, 1);
    assert_int_equal(strlen(since.next), 26);
    assert_string_equal(since.error, "later");
    assert_int_equal(view_since(t.outside, "2020-01-01 00:00:00.000000", &since, &err), HO_OK);
    assert_int_equal(since.done, 1);
    assert_int_equal(since.dead, 2);
}

static void one_receipts_story(void **state)
{
    struct db *db = db_open(&t.settings, DB_RECEIVER);
    struct event e = testdb_event("story", "body"), other = testdb_event("story", "other");
    struct db_rows got = {0};
    struct ho_err err;
    static const char *const wanted[][2] = {
        {"received", "by shop-eu, order.paid, 4 bytes, secret 1"},
        {"job", "route main"},
        {"meaning", "seen once, refused delivery"},
        {"duplicate", "the last of 1;"},
        {"started", "try 1, w1"},
        {"failed", "try 1: no such table"},
        {"discarded", "by me@here, acted: no: the shop is closed"},
        {"done", "discarded"},
    };
    char sql[400];
    (void)state;

    assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
    assert_int_equal(testdb_record(db, &other), RECEIPT_CONFLICT);
    struct accepted *a = accepted_make(&e);
    const enum receipt_result again = RECEIPT_DUPLICATE;
    assert_int_equal(inbox_count_duplicates(db, &a, &again, 1, &err), HO_OK);
    accepted_free(a);
    testdb_run(db, "UPDATE hookonce_job SET route = 'main', run_at = run_at + INTERVAL 1 MINUTE"
                   " WHERE route = ''");
    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO hookonce_attempt SELECT id, 1, correlation_id, 1, 'w1',"
                   " UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) + INTERVAL 1 SECOND, 'failed',"
                   " NULL, 'no such table' FROM hookonce_job WHERE correlation_id = '%s'",
                   e.cid);
    testdb_run(db, sql);
    (void)snprintf(sql, sizeof sql,
                   "UPDATE hookonce_job SET state = 'done', outcome = 'discarded', command_id = 5,"
                   " run_at = run_at + INTERVAL 1 HOUR"
                   " WHERE correlation_id = '%s'", e.cid);
    testdb_run(db, sql);
    testdb_run(t.outside, "INSERT INTO hookonce_command (id, command, job, acted, asked_by, reason, state)"
                   " VALUES (5, 'discard', 1, 'no', 'me@here', 'the shop is closed', 'done')");
    assert_int_equal(views_timeline(t.outside, span_of(e.cid), &got, &err), HO_OK);
    assert_int_equal(got.n_rows, sizeof wanted / sizeof wanted[0]);
    for (size_t i = 0; i < got.n_rows; i++) {
        char detail[300];
        struct span d = db_cell(&got, i, 2);
        (void)snprintf(detail, sizeof detail, "%.*s", (int)d.len, (const char *)d.p);
        assert_cell(&got, i, 1, wanted[i][0]);
        if (strstr(detail, wanted[i][1]) == NULL) {
            fail_msg("step %zu: \"%s\" lacks \"%s\"", i, detail, wanted[i][1]);
        }
    }
    assert_int_equal(views_rows(t.outside, "attempts", 5, &got, &err), HO_OK);
    assert_int_equal(got.n_rows, 1);
    assert_cell(&got, 0, column(&got, "correlation_id"), e.cid);
    assert_cell(&got, 0, column(&got, "try"), "1");
    assert_cell(&got, 0, column(&got, "outcome"), "failed");
    assert_cell(&got, 0, column(&got, "error"), "no such table");
    assert_int_equal(views_rows(t.outside, "conflicts", 5, &got, &err), HO_OK);
    assert_int_equal(got.n_rows, 1);
    assert_cell(&got, 0, column(&got, "what"), "meaning");
    assert_cell(&got, 0, column(&got, "correlation_id"), other.cid);
    assert_cell(&got, 0, column(&got, "first_correlation_id"), e.cid);
    db_rows_free(&got);
    db_close(db);
}

/* With thousands of finished rows every query must still read a few only. */
static void no_query_reads_whole_tables(void **state)
{
    struct db *db = db_open(&t.settings, DB_OPERATOR);
    struct view_filter failed = {.status = SPAN_LIT("failed"), .limit = 20};
    struct view_filter newest = {.limit = 20};
    static const char reads[] =
        "SELECT SUM(variable_value) FROM information_schema.session_status WHERE variable_name"
        " IN ('Handler_read_next', 'Handler_read_rnd_next', 'Handler_read_prev',"
        " 'Handler_read_key', 'Handler_read_first', 'Handler_read_last', 'Handler_read_rnd')";
    struct db_rows got = {0};
    struct ho_err err;
    (void)state;

    testdb_run(db, "INSERT INTO hookonce_receipt SELECT 'bulk', CONCAT('b', seq),"
                   " CONCAT('00000000000000000000', LPAD(seq, 6, '0')), 's', 't', NULL, NULL,"
                   " NOW(6), NOW(6), 'processed', 'done', 0, '', '', 'none', 1, 0, NULL, '', NULL"
                   " FROM seq_1_to_20000");
    testdb_run(db, "INSERT INTO hookonce_job (correlation_id, state, run_at, created_at)"
                   " SELECT correlation_id, 'done', NOW(6), NOW(6) FROM hookonce_receipt"
                   " WHERE provider = 'bulk'");
    testdb_run(db, "INSERT INTO hookonce_attempt SELECT id, 1, correlation_id, 1, 'w1', NOW(6),"
                   " NOW(6), 'done', 1, NULL FROM hookonce_job WHERE route = ''");
    testdb_run(db, "INSERT INTO hookonce_command (id, command, job, reason, created_at, state)"
                   " SELECT id + 10, 'discard', id, 'x', '2020-01-01' + INTERVAL id MINUTE, 'done'"
                   " FROM hookonce_job WHERE state = 'done'");
    testdb_run(db, "UPDATE hookonce_job SET command_id = id + 10, outcome = 'discarded'"
                   " WHERE state = 'done'");
    testdb_run(db, "INSERT INTO hookonce_effect (flow, effect_key, business_key, state, job_id,"
                   " correlation_id, reserved_at) SELECT CONCAT('bulk', seq % 3), UNHEX(MD5(seq)), seq,"
                   " 'done', seq, '', NOW(6) FROM seq_1_to_20000");
    testdb_run(db, "ANALYZE TABLE hookonce_receipt, hookonce_job, hookonce_command,"
                   " hookonce_effect");
    for (int i = 0; i < 15; i++) {
        struct view_queue q;
        struct view_since since;
        int64_t effects = 0, objects = 0;
        int64_t before = testdb_int(db, reads);
        enum ho_code code =
            i == 0   ? view_receipts(db, &newest, &got, &err)
            : i == 1 ? view_receipts(db, &failed, &got, &err)
            : i == 2 ? view_find(db, span_of(cids[0]), &got, &err)
            : i == 3 ? view_find(db, SPAN_LIT("b777"), &got, &err)
            : i == 4 ? views_rows(db, "dead_letters", 20, &got, &err)
            : i == 5 ? views_rows(db, "queue", 20, &got, &err)
            : i == 6 ? views_timeline(db, span_of(cids[0]), &got, &err)
            : i == 11 ? view_breakers(db, &got, &err)
            : i == 12 ? view_failing(db, &got, &err)
            : i == 13 ? view_flows(db, &got, &err)
            : i == 14 ? view_flow(db, SPAN_LIT("bulk2"), &effects, &objects, &err)
            : i == 10 ? view_discarded(db, 20, &got, &err)
            : i == 7 ? views_rows(db, "attempts", 20, &got, &err)
            : i == 8 ? view_since(db, "2020-01-01 00:00:00.000000", &since, &err)
                     : view_queue(db, &q, &err);
        int64_t read = testdb_int(db, reads) - before;
        if (code != HO_OK || read > 3000) {
            fail_msg("query %d: code %d, read %lld rows", i, (int)code, (long long)read);
        }
    }
    db_rows_free(&got);
    db_close(db);
}

static int begin(void **state)
{
    (void)state;
    testdb_begin(&t, "view");
    testdb_tables(&t);
    put_fixtures();
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
        cmocka_unit_test(receipts_by_filter),   cmocka_unit_test(found_by_any_of_its_names),
        cmocka_unit_test(dead_letters_and_open_jobs), cmocka_unit_test(numbers_of_the_queue),
        cmocka_unit_test(what_became_of_jobs_since_a_moment),
        cmocka_unit_test(one_receipts_story),   cmocka_unit_test(no_query_reads_whole_tables),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
