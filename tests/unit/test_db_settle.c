/* One job under its fence: settling, its receipt's status, dead letters opened again. */
#include "queue.h"

#include "store/reopen.h"

/* ---- fence and settlement ---- */

static bool fence_passes(struct job *job)
{
    char started[JOB_TIME_ROOM];
    bool held;

    assert_int_equal(db_begin(db, &err), HO_OK);
    assert_int_equal(job_fence(db, job, &held, started, &err), HO_OK);
    db_rollback(db);
    return held;
}

static void only_the_claim_itself_passes_the_fence(void **state)
{
    static const struct {
        const char *change;
        bool held;
    } cases[] = {
        {"UPDATE hookonce_job SET worker = 'x'", true},
        {"UPDATE hookonce_job SET claim_no = claim_no + 1", false},
        {"UPDATE hookonce_job SET claim_token = REPEAT('x', 16)", false},
        {"UPDATE hookonce_job SET claim_token = NULL", false},
        {"UPDATE hookonce_job SET state = 'ready'", false},
        {"UPDATE hookonce_job SET state = 'done'", false},
        {"DELETE FROM hookonce_job", false},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct queue q = queue_of(db, "w1", 60000, 20);
        work_empty();
        work_events(1, "a");
        struct claim c = claimed(&q);
        testdb_run(base.outside, cases[i].change);
        ROW(i, fence_passes(&c.jobs[0]) == cases[i].held);
        ROW(i, settle(db, &c.jobs[0], JOB_DONE, OUTCOME_DONE) == cases[i].held);
        ROW(i, work_count("hookonce_attempt") == (cases[i].held ? 1 : 0));
        /* The update alone must hold too, for a handler that has ended the transaction. */
        const struct settlement s = {
            .state = JOB_DEAD, .outcome = OUTCOME_DONE, .worker = "w", .started = "2026-01-01"};
        bool held = true;
        ROW(i, job_settle(db, &c.jobs[0], &s, &held, &err) == HO_OK && !held);
    }
}

static void a_receipts_status_follows_its_jobs(void **state)
{
    static const struct {
        const char *jobs, *status;
    } cases[] = {
        {"'done'", "processed"},
        {"'done','done'", "processed"},
        {"'done','ready'", "received"},
        {"'ready','running'", "processing"},
        {"'dead','running'", "failed"},
        {"'done','dead'", "failed"},
        {"'done','running'", "processing"},
    };
    char sql[300], got[256];
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        work_empty();
        work_events(1, "a");
        testdb_run(base.outside, "DELETE FROM hookonce_job");
        (void)snprintf(
            sql, sizeof sql,
            "INSERT INTO hookonce_job (correlation_id, route, state, run_at, created_at)"
            " SELECT correlation_id, n, ELT(n, %s), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6)"
            " FROM hookonce_receipt, (SELECT 1 n UNION SELECT 2) two WHERE ELT(n, %s)"
            " IS NOT NULL",
            cases[i].jobs, cases[i].jobs);
        testdb_run(base.outside, sql);
        (void)testdb_text(base.outside, "SELECT correlation_id FROM hookonce_receipt", got);
        ROW(i, receipt_update(db, got, OUTCOME_NONE, &err) == HO_OK);
        ROW_TEXT(i, testdb_text(base.outside, "SELECT status FROM hookonce_receipt", got),
                 cases[i].status);
    }
}

/* Two jobs of one receipt settle at once: the first holds its transaction open while the second
 * begins and waits. */
static void settling_together_leaves_no_stale_status(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 20);
    (void)state;

    for (int round = 0; round < 20; round++) {
        work_empty();
        work_events(1, "a");
        testdb_run(base.outside,
                   "INSERT INTO hookonce_job (correlation_id, route, state, run_at,"
                   " created_at) SELECT correlation_id, 'b', 'ready', run_at, created_at"
                   " FROM hookonce_job");
        struct claim c = claimed(&q);
        assert_int_equal(c.n, 2);
        (void)fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            struct db *own = db_open(&base.settings, DB_PROCESSOR);
            _exit(settle(own, &c.jobs[1], JOB_DONE, OUTCOME_DONE) ? 0 : 1);
        }
        int status;
        assert_true(settle(db, &c.jobs[0], JOB_DONE, OUTCOME_DONE));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        ASSERT_VALUE("SELECT status FROM hookonce_receipt", "processed");
    }
}

static void a_lost_claim_is_noted_once(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 20);
    enum outcome outcome;
    (void)state;

    work_events(2, "a");
    struct claim c = claimed(&q);
    assert_int_equal(job_lost(db, &c.jobs[0], "w1", &outcome, &err), HO_OK);
    assert_int_equal(outcome, OUTCOME_LEASE_LOST);
    assert_int_equal(job_lost(db, &c.jobs[0], "w1", &outcome, &err), HO_OK);
    assert_int_equal(outcome, OUTCOME_LEASE_LOST);
    /* This one had settled, only the answer was lost. */
    assert_true(settle(db, &c.jobs[1], JOB_DONE, OUTCOME_IGNORED));
    assert_int_equal(job_lost(db, &c.jobs[1], "w1", &outcome, &err), HO_OK);
    assert_int_equal(outcome, OUTCOME_IGNORED);
    ASSERT_VALUE("SELECT GROUP_CONCAT(outcome ORDER BY job_id) FROM hookonce_attempt",
                 "lease lost,ignored");
}

static void spreading_makes_one_job_a_route(void **state)
{
    static const struct job_route routes[] = {
        {"one", CLASS_FRESH}, {"two", CLASS_FRESH}, {"three", CLASS_LOW}};
    struct queue q = queue_of(db, "w1", 60000, 20);
    (void)state;

    work_events(1, "a");
    struct claim c = claimed(&q);
    assert_int_equal(db_begin(db, &err), HO_OK);
    assert_int_equal(job_spread(db, &c.jobs[0], routes, 3, &err), HO_OK);
    assert_int_equal(job_spread(db, &c.jobs[0], routes, 3, &err),
                     HO_OK); /* as a second run does */
    assert_int_equal(db_commit(db, &err), HO_OK);
    ASSERT_VALUE("SELECT GROUP_CONCAT(route, ':', state, class ORDER BY id) FROM hookonce_job",
                 "one:running0,two:ready0,three:ready2");
}

/* ---- opening dead letters ---- */

static void dead_letters_are_found_and_opened(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 20);
    struct db_rows rows = {0};
    enum reopened opened;
    (void)state;

    work_events(3, "a");
    struct claim c = claimed(&q);
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(c.jobs[i].route, sizeof c.jobs[i].route, "r%zu", i);
        testdb_run(base.outside, i == 0 ? "UPDATE hookonce_job SET route = 'r0' WHERE id = 1"
                                        : "UPDATE hookonce_job SET route = 'r1' WHERE id = 2");
        assert_true(settle(db, &c.jobs[i], JOB_DEAD, OUTCOME_GAVE_UP));
    }
    assert_int_equal(reopen_find(db, REOPEN_ALL, SPAN_NONE, &rows, &err), HO_OK);
    assert_int_equal(rows.n_rows, 2);
    assert_int_equal(reopen_find(db, REOPEN_ROUTE, SPAN_LIT("r1"), &rows, &err), HO_OK);
    assert_int_equal(rows.n_rows, 1);
    assert_int_equal(db_cell_int(&rows, 0, REOPEN_COL_ID), 2);
    assert_int_equal(reopen_find(db, REOPEN_JOB, SPAN_LIT("3"), &rows, &err), HO_OK);
    assert_true(span_is(db_cell(&rows, 0, REOPEN_COL_STATE), "running"));
    assert_int_equal(reopen_find(db, REOPEN_CID, span_of(c.jobs[0].cid), &rows, &err), HO_OK);
    assert_int_equal(rows.n_rows, 1);
    db_rows_free(&rows);
    assert_int_equal(reopen_job(db, 1, span_of(c.jobs[0].cid), &(const struct reopen_how){0}, &opened, &err),
                     HO_OK);
    assert_int_equal(opened, REOPENED);
    assert_int_equal(reopen_job(db, 1, span_of(c.jobs[0].cid), &(const struct reopen_how){0}, &opened, &err),
                     HO_OK);
    assert_int_equal(opened, REOPEN_NOTHING);
    assert_int_equal(reopen_job(db, 3, span_of(c.jobs[2].cid), &(const struct reopen_how){0}, &opened, &err),
                     HO_OK);
    assert_int_equal(opened, REOPEN_NOTHING);
    ASSERT_COUNT("hookonce_job WHERE id = 1 AND state = 'ready' AND tries = 0 AND suspect = 0 AND"
                 " outcome IS NULL AND run_at <= UTC_TIMESTAMP(6)",
                 1);
    ASSERT_VALUE("SELECT GROUP_CONCAT(r.status ORDER BY j.id) FROM hookonce_receipt r JOIN"
                 " hookonce_job j USING (correlation_id)",
                 "received,failed,processing");
}

/* Nothing ever ran for a job that was ignored; one that waits may be due earlier. No other is touched. */
static void ignored_jobs_are_opened_and_waiting_ones_hastened(void **state)
{
    static const struct {
        const char *is; /* what the job is made */
        enum reopened opened;
        const char *becomes; /* "" when unchanged */
    } rows[] = {
        {"state = 'done', outcome = 'ignored', route = ''", REOPENED, "ready,0,-,now,received"},
        {"state = 'done', outcome = 'ignored', route = 'r'", REOPEN_NOTHING, ""},
        {"state = 'done', outcome = 'informational', route = ''", REOPEN_NOTHING, ""},
        {"state = 'done', outcome = 'done', route = 'r'", REOPEN_NOTHING, ""},
        {"state = 'running', outcome = NULL, route = 'r'", REOPEN_NOTHING, ""},
        {"state = 'ready', outcome = 'failed', route = 'r'", REOPEN_NOTHING, ""},
        {"state = 'ready', outcome = 'failed', route = 'r', run_at = UTC_TIMESTAMP(6) + INTERVAL 1"
         " HOUR",
         REOPENED, "ready,3,failed,now,received"},
        {"state = 'waiting', outcome = NULL, waiting_for = 'lane', lane = REPEAT('l', 32), route ="
         " 'r', run_at = UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE",
         REOPENED, "ready,3,-,now,received"},
        {"state = 'done', outcome = 'stale', route = 'r'", REOPEN_NOTHING, ""},
        {"state = 'dead', outcome = 'outcome unknown', route = 'r'", REOPEN_IN_DOUBT, ""},
        {"state = 'dead', outcome = 'key over', route = 'r'", REOPEN_IN_DOUBT, ""},
        {"state = 'dead', outcome = 'worker lost', route = '(reply)'", REOPEN_ANSWERED, ""},
        {"state = 'dead', outcome = 'gave up', route = 'r'", REOPENED, "ready,0,-,now,received"},
    };
    static const char look[] = "SELECT CONCAT_WS(',', j.state, j.tries, IFNULL(j.outcome, '-'),"
                               " IF(j.run_at <= UTC_TIMESTAMP(6), 'now', 'later'), r.status) FROM"
                               " hookonce_job j JOIN hookonce_receipt r USING (correlation_id)";
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        char sql[400], before[256], after[256], cid[256];
        enum reopened opened;
        work_empty();
        work_events(1, "a");
        (void)snprintf(sql, sizeof sql, "UPDATE hookonce_job SET tries = 3, %s", rows[i].is);
        testdb_run(base.outside, sql);
        (void)testdb_text(base.outside, look, before);
        (void)testdb_text(base.outside, "SELECT correlation_id FROM hookonce_job", cid);
        uint64_t id = (uint64_t)testdb_int(base.outside, "SELECT id FROM hookonce_job");
        ROW(i, reopen_job(db, id, span_of(cid), &(const struct reopen_how){0}, &opened, &err) == HO_OK);
        ROW(i, opened == rows[i].opened);
        (void)testdb_text(base.outside, look, after);
        ROW_TEXT(i, after, rows[i].becomes[0] != '\0' ? rows[i].becomes : before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(only_the_claim_itself_passes_the_fence, empty),
        cmocka_unit_test_setup(a_receipts_status_follows_its_jobs, empty),
        cmocka_unit_test_setup(settling_together_leaves_no_stale_status, empty),
        cmocka_unit_test_setup(a_lost_claim_is_noted_once, empty),
        cmocka_unit_test_setup(spreading_makes_one_job_a_route, empty),
        cmocka_unit_test_setup(dead_letters_are_found_and_opened, empty),
        cmocka_unit_test_setup(ignored_jobs_are_opened_and_waiting_ones_hastened, empty),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
