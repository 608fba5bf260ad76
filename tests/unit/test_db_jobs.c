/* The queue's rows: claiming, leases, fences, settling, against a real server. */
#include "workdb.h"

#include "store/job.h"
#include "store/reopen.h"

static struct db *db, *other;
static struct ho_err err;

#define FAR deadline_in(10000)

static int begin(void **state)
{
    (void)state;
    (void)work_begin("jobs");
    db = db_open(&base.settings, DB_PROCESSOR);
    other = db_open(&base.settings, DB_PROCESSOR);
    return 0;
}

static int end(void **state)
{
    (void)state;
    db_close(db);
    db_close(other);
    return work_end();
}

static int empty(void **state)
{
    (void)state;
    work_empty();
    return 0;
}

static struct claim claimed(struct queue *q)
{
    static struct claim c;

    if (jobs_claim(q, FAR, &c, &err) != HO_OK) {
        fail_msg("claim: %s", err.text);
    }
    return c;
}

/* Settles one claimed job in its own transaction; whether the claim still held. */
static bool settle(struct db *on, struct job *job, enum job_state to, enum outcome outcome)
{
    char started[JOB_TIME_ROOM];
    bool held = false;

    assert_int_equal(db_begin(on, &err), HO_OK);
    assert_int_equal(job_fence(on, job, &held, started, &err), HO_OK);
    if (held) {
        const struct settlement s = {.state = to,
                                     .outcome = outcome,
                                     .tries = job->tries + 1,
                                     .worker = "w",
                                     .started = started};
        assert_int_equal(job_settle(on, job, &s, &held, &err), HO_OK);
    }
    assert_int_equal(db_commit(on, &err), HO_OK);
    return held;
}

/* ---- claim ---- */

static void the_oldest_due_jobs_are_taken(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 2);
    (void)state;

    work_events(4, "a");
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) + INTERVAL"
                             " IF(id = 1, 60, -id) SECOND");
    struct claim c = claimed(&q);
    assert_int_equal(c.n, 2);
    assert_int_equal(c.jobs[0].id, 4);
    assert_int_equal(c.jobs[1].id, 3);
    assert_true(c.full && c.more);
    assert_int_equal(c.jobs[0].claim_no, 1);
    ASSERT_COUNT("hookonce_job WHERE state = 'running' AND id IN (3, 4) AND worker = 'w1' AND"
                 " claim_no = 1 AND tries = 0 AND LENGTH(claim_token) = 16 AND"
                 " run_at BETWEEN UTC_TIMESTAMP(6) + INTERVAL 55 SECOND AND"
                 " UTC_TIMESTAMP(6) + INTERVAL 60 SECOND",
                 2);
    ASSERT_COUNT("hookonce_receipt r JOIN hookonce_job j USING (correlation_id)"
                 " WHERE r.status = IF(j.state = 'running', 'processing', 'received')",
                 4);
    assert_int_equal(claimed(&q).n, 1);
    c = claimed(&q);
    assert_int_equal(c.n, 0);
    assert_false(c.more);
}

static void a_suspect_is_taken_alone_and_charged(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 20);
    (void)state;

    work_events(4, "a");
    testdb_run(base.outside, "UPDATE hookonce_job SET suspect = 1 WHERE id = 3");
    struct claim c = claimed(&q);
    assert_int_equal(c.n, 2);
    assert_true(c.more);
    c = claimed(&q);
    assert_int_equal(c.n, 1);
    assert_int_equal(c.jobs[0].id, 3);
    assert_int_equal(c.jobs[0].tries, 1);
    assert_int_equal(job_try_no(&c.jobs[0]), 1);
    ASSERT_VALUE("SELECT GROUP_CONCAT(tries ORDER BY id) FROM hookonce_job", "0,0,1,0");
}

static void the_low_water_mark_hides_nothing_for_long(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 2);
    (void)state;

    work_events(5, "a");
    assert_int_equal(claimed(&q).n, 2);
    assert_true(q.cursor[0] != '\0');
    /* An older one comes up behind the mark, as a retry does. */
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = '2020-01-01' WHERE id = 5");
    assert_int_equal(claimed(&q).n, 2);
    struct claim c = claimed(&q);
    assert_int_equal(c.n, 0);
    assert_true(c.more);
    c = claimed(&q);
    assert_int_equal(c.n, 1);
    assert_int_equal(c.jobs[0].id, 5);
}

static void what_another_claims_is_passed_over(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 20);
    (void)state;

    work_events(3, "a");
    assert_int_equal(db_begin(other, &err), HO_OK);
    testdb_run(other, "SELECT id FROM hookonce_job WHERE id = 1 FOR UPDATE");
    struct claim c = claimed(&q);
    db_rollback(other);
    assert_int_equal(c.n, 2);
    assert_int_equal(c.jobs[0].id, 2);
}

/* Each child claims until nothing comes and writes what it got into fx. */
static void claim_all(unsigned number)
{
    char name[16], sql[80];
    struct db *own = db_open(&base.settings, DB_PROCESSOR);
    struct db *notes = db_open(&base.settings, DB_OPERATOR);
    (void)snprintf(name, sizeof name, "w%u", number);
    struct queue q = queue_of(own, name, 60000, 7);
    unsigned idle = 0;

    while (idle < 3) {
        static struct claim c;
        if (jobs_claim(&q, FAR, &c, &err) != HO_OK) {
            (void)fprintf(stderr, "claim: %s\n", err.text);
            _exit(1);
        }
        idle = c.n == 0 ? idle + 1 : 0;
        for (size_t i = 0; i < c.n; i++) {
            (void)snprintf(sql, sizeof sql, "INSERT INTO fx (note) VALUES ('%llu')",
                           (unsigned long long)c.jobs[i].id);
            if (db_run_once(notes, sql, NULL, 0, NULL, &err) != HO_OK) {
                _exit(2);
            }
        }
    }
    _exit(0);
}

static void eight_processes_claim_no_job_twice(void **state)
{
    pid_t pids[8];
    int status;
    (void)state;

    work_events(1000, "a");
    for (unsigned i = 0; i < 8; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0) {
            claim_all(i);
        }
    }
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    ASSERT_COUNT("fx", 1000);
    ASSERT_VALUE("SELECT COUNT(DISTINCT note) FROM fx", "1000");
    ASSERT_COUNT("hookonce_job WHERE state = 'running' AND claim_no = 1", 1000);
}

/* ---- lease ---- */

static void a_renewed_lease_is_longer(void **state)
{
    struct queue q = queue_of(db, "w1", 5000, 20);
    (void)state;

    work_events(3, "a");
    struct claim c = claimed(&q);
    q.lease_ms = 90000;
    assert_int_equal(jobs_renew(&q, &c, 1, &err), HO_OK);
    assert_true(deadline_left_ms(c.lease) > 80000);
    ASSERT_VALUE("SELECT GROUP_CONCAT(run_at > UTC_TIMESTAMP(6) + INTERVAL 60 SECOND ORDER BY id)"
                 " FROM hookonce_job",
                 "0,1,1");
}

static void what_is_given_back_is_ready_and_uncharged(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 20);
    (void)state;

    work_events(3, "a");
    struct claim c = claimed(&q);
    testdb_run(base.outside,
               "UPDATE hookonce_job SET claim_no = 9 WHERE id = 3"); /* another's now */
    assert_int_equal(jobs_give_back(&q, &c, 1, &err), HO_OK);
    ASSERT_VALUE("SELECT GROUP_CONCAT(state, tries, suspect ORDER BY id) FROM hookonce_job",
                 "running00,ready00,running00");
    ASSERT_VALUE("SELECT GROUP_CONCAT(r.status ORDER BY j.id) FROM hookonce_job j JOIN"
                 " hookonce_receipt r USING (correlation_id)",
                 "processing,received,processing");
    assert_int_equal(claimed(&q).n, 1);
}

static unsigned three_tries(void *unused, const char *route)
{
    (void)unused;
    return strcmp(route, "five") == 0 ? 5 : 3;
}

static void told(void *unused, const struct job *job, bool dead)
{
    (void)unused;
    assert_int_equal(dead, job->suspect && job->tries >= three_tries(NULL, job->route));
}

static const struct reaper reaper = {three_tries, told, NULL};

static struct reaped reap(struct queue *q)
{
    struct reaped r;

    if (jobs_reap(q, &reaper, &r, &err) != HO_OK) {
        fail_msg("reap: %s", err.text);
    }
    return r;
}

#define LEASES_END \
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) -" \
                             " INTERVAL 1 SECOND WHERE state = 'running'")

static void an_ended_lease_makes_a_suspect(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 20);
    (void)state;

    work_events(2, "a");
    struct claim c = claimed(&q);
    assert_int_equal(reap(&q).opened, 0);
    LEASES_END;
    struct reaped r = reap(&q);
    assert_int_equal(r.opened, 2);
    assert_int_equal(r.dead, 0);
    ASSERT_COUNT("hookonce_job WHERE state = 'ready' AND suspect = 1 AND tries = 0 AND"
                 " claim_token IS NULL AND outcome = 'lease lost'",
                 2);
    ASSERT_COUNT(
        "hookonce_attempt WHERE claim_no = 1 AND try_no = 1 AND outcome = 'lease lost' AND"
        " worker = 'w1' AND ended_at > started_at",
        2);
    ASSERT_COUNT("hookonce_receipt WHERE status = 'received'", 2);
    assert_false(settle(db, &c.jobs[0], JOB_DONE, OUTCOME_DONE));
}

static void a_job_whose_handler_still_runs_is_left_alone(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 20);
    char started[JOB_TIME_ROOM];
    bool held;
    (void)state;

    work_events(1, "a");
    struct claim c = claimed(&q);
    LEASES_END;
    assert_int_equal(db_begin(other, &err), HO_OK);
    assert_int_equal(job_fence(other, &c.jobs[0], &held, started, &err), HO_OK);
    assert_true(held);
    assert_int_equal(reap(&q).opened, 0);
    db_rollback(other);
    assert_int_equal(reap(&q).opened, 1);
}

static void a_suspect_out_of_tries_is_dead(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 20);
    (void)state;

    work_events(2, "a");
    testdb_run(base.outside, "UPDATE hookonce_job SET route = IF(id = 1, 'three', 'five')");
    for (unsigned claims = 0; claims < 8; claims++) {
        (void)claimed(&q);
        LEASES_END;
        (void)reap(&q);
    }
    ASSERT_COUNT("hookonce_job WHERE id = 1 AND state = 'dead' AND outcome = 'worker lost' AND"
                 " tries = 3 AND last_error <> ''",
                 1);
    ASSERT_COUNT("hookonce_attempt WHERE job_id = 1 AND outcome = 'lease lost'", 4);
    ASSERT_VALUE("SELECT GROUP_CONCAT(try_no ORDER BY claim_no) FROM hookonce_attempt WHERE"
                 " job_id = 1",
                 "1,1,2,3");
    ASSERT_COUNT("hookonce_receipt r JOIN hookonce_job j USING (correlation_id) WHERE j.id = 1 AND"
                 " r.status = 'failed'",
                 1);
    ASSERT_COUNT("hookonce_job WHERE id = 2 AND state = 'ready'", 1);
}

static void a_row_that_nobody_claimed_does_not_stop_the_reaper(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 20);
    (void)state;

    testdb_run(base.outside, "INSERT INTO hookonce_job (correlation_id, state, run_at, created_at)"
                             " VALUES ('x', 'running', '2020-01-01', '2020-01-01')");
    work_events(1, "a");
    (void)claimed(&q);
    LEASES_END;
    assert_int_equal(reap(&q).opened, 2);
}

static void the_next_due_time_is_told(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 20);
    int64_t ms;
    (void)state;

    assert_int_equal(jobs_next_due(&q, &ms, &err), HO_OK);
    assert_int_equal(ms, -1);
    work_events(2, "a");
    testdb_run(base.outside,
               "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) + INTERVAL 60 SECOND");
    assert_int_equal(jobs_next_due(&q, &ms, &err), HO_OK);
    assert_in_range(ms, 55000, 60000);
    testdb_run(base.outside,
               "UPDATE hookonce_job SET state = 'running', run_at = UTC_TIMESTAMP(6) +"
               " INTERVAL 20 SECOND WHERE id = 2");
    assert_int_equal(jobs_next_due(&q, &ms, &err), HO_OK);
    assert_in_range(ms, 15000, 20000);
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = '2020-01-01'");
    assert_int_equal(jobs_next_due(&q, &ms, &err), HO_OK);
    assert_int_equal(ms, 0);
}

/* Hosts cut idle links after seconds. Whatever comes first after a pause opens a new one. */
static void a_link_that_was_cut_is_opened_again(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 20);
    static struct claim c;
    struct reaped reaped;
    (void)state;

    work_events(1, "a");
    for (int first = 0; first < 3; first++) {
        char sql[64];
        assert_int_equal(db_connect(db, &err), HO_OK);
        (void)snprintf(sql, sizeof sql, "KILL %lu", db_thread_id(db));
        testdb_run(base.outside, sql);
        clock_sleep_ms(50);
        ROW(first, (first == 0   ? worker_hello(&q, "host", 1, &err)
                    : first == 1 ? jobs_reap(&q, &reaper, &reaped, &err)
                                 : jobs_claim(&q, FAR, &c, &err)) == HO_OK);
    }
    assert_int_equal(c.n, 1);
    ASSERT_COUNT("hookonce_worker WHERE id = 'w1' AND host = 'host' AND pid = 1", 1);
    testdb_run(base.outside, "UPDATE hookonce_worker SET seen_at = '2020-01-01', started_at ="
                             " '2020-01-01'");
    assert_int_equal(worker_hello(&q, "host", 1, &err), HO_OK);
    ASSERT_COUNT("hookonce_worker WHERE started_at = '2020-01-01' AND seen_at > started_at", 1);
    testdb_run(base.outside, "UPDATE hookonce_worker SET id = 'gone', seen_at = '2020-01-01'");
    assert_int_equal(worker_hello(&q, "host", 1, &err), HO_OK);
    ASSERT_VALUE("SELECT GROUP_CONCAT(id) FROM hookonce_worker", "w1");
    worker_bye(&q);
    ASSERT_COUNT("hookonce_worker", 0);
}

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
    static const char *const routes[] = {"one", "two", "three"};
    struct queue q = queue_of(db, "w1", 60000, 20);
    (void)state;

    work_events(1, "a");
    struct claim c = claimed(&q);
    assert_int_equal(db_begin(db, &err), HO_OK);
    assert_int_equal(job_spread(db, &c.jobs[0], routes, 3, &err), HO_OK);
    assert_int_equal(job_spread(db, &c.jobs[0], routes, 3, &err),
                     HO_OK); /* as a second run does */
    assert_int_equal(db_commit(db, &err), HO_OK);
    ASSERT_VALUE("SELECT GROUP_CONCAT(route, ':', state ORDER BY id) FROM hookonce_job",
                 "one:running,two:ready,three:ready");
}

/* ---- opening dead letters ---- */

static void dead_letters_are_found_and_opened(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 20);
    struct db_rows rows = {0};
    bool opened = false;
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
    assert_int_equal(reopen_job(db, 1, span_of(c.jobs[0].cid), &opened, &err), HO_OK);
    assert_true(opened);
    assert_int_equal(reopen_job(db, 1, span_of(c.jobs[0].cid), &opened, &err), HO_OK);
    assert_false(opened);
    assert_int_equal(reopen_job(db, 3, span_of(c.jobs[2].cid), &opened, &err), HO_OK);
    assert_false(opened);
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
        const char *is;     /* what the job is made */
        bool opened;
        const char *becomes; /* "" when unchanged */
    } rows[] = {
        {"state = 'done', outcome = 'ignored', route = ''", true, "ready,0,-,now,received"},
        {"state = 'done', outcome = 'ignored', route = 'r'", false, ""},
        {"state = 'done', outcome = 'informational', route = ''", false, ""},
        {"state = 'done', outcome = 'done', route = 'r'", false, ""},
        {"state = 'running', outcome = NULL, route = 'r'", false, ""},
        {"state = 'ready', outcome = 'failed', route = 'r'", false, ""},
        {"state = 'ready', outcome = 'failed', route = 'r', run_at = UTC_TIMESTAMP(6) + INTERVAL 1"
         " HOUR", true, "ready,3,failed,now,received"},
    };
    static const char look[] = "SELECT CONCAT_WS(',', j.state, j.tries, IFNULL(j.outcome, '-'),"
                               " IF(j.run_at <= UTC_TIMESTAMP(6), 'now', 'later'), r.status) FROM"
                               " hookonce_job j JOIN hookonce_receipt r USING (correlation_id)";
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        char sql[300], before[256], after[256], cid[256];
        bool opened = false;
        work_empty();
        work_events(1, "a");
        (void)snprintf(sql, sizeof sql, "UPDATE hookonce_job SET tries = 3, %s", rows[i].is);
        testdb_run(base.outside, sql);
        (void)testdb_text(base.outside, look, before);
        (void)testdb_text(base.outside, "SELECT correlation_id FROM hookonce_job", cid);
        uint64_t id = (uint64_t)testdb_int(base.outside, "SELECT id FROM hookonce_job");
        ROW(i, reopen_job(db, id, span_of(cid), &opened, &err) == HO_OK);
        ROW(i, opened == rows[i].opened);
        (void)testdb_text(base.outside, look, after);
        ROW_TEXT(i, after, rows[i].becomes[0] != '\0' ? rows[i].becomes : before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_oldest_due_jobs_are_taken, empty),
        cmocka_unit_test_setup(a_suspect_is_taken_alone_and_charged, empty),
        cmocka_unit_test_setup(the_low_water_mark_hides_nothing_for_long, empty),
        cmocka_unit_test_setup(what_another_claims_is_passed_over, empty),
        cmocka_unit_test_setup(eight_processes_claim_no_job_twice, empty),
        cmocka_unit_test_setup(a_renewed_lease_is_longer, empty),
        cmocka_unit_test_setup(what_is_given_back_is_ready_and_uncharged, empty),
        cmocka_unit_test_setup(an_ended_lease_makes_a_suspect, empty),
        cmocka_unit_test_setup(a_job_whose_handler_still_runs_is_left_alone, empty),
        cmocka_unit_test_setup(a_suspect_out_of_tries_is_dead, empty),
        cmocka_unit_test_setup(a_row_that_nobody_claimed_does_not_stop_the_reaper, empty),
        cmocka_unit_test_setup(the_next_due_time_is_told, empty),
        cmocka_unit_test_setup(a_link_that_was_cut_is_opened_again, empty),
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
