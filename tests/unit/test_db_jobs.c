/* The queue's rows: claiming and leases, against a real server. */
#include "queue.h"

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
                 " run_at BETWEEN UTC_TIMESTAMP(6) + INTERVAL 40 SECOND AND"
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
    assert_true(q.cursor[CLASS_FRESH][0] != '\0');
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
    uint64_t held = 0;
    (void)state;

    work_events(3, "a");
    struct claim c = claimed(&q);
    q.lease_ms = 90000;
    assert_int_equal(jobs_renew(&q, &c, 1, q.lease_ms, &held, &err), HO_OK);
    assert_int_equal(held, 2);
    assert_true(deadline_left_ms(c.lease) > 60000);
    ASSERT_VALUE("SELECT GROUP_CONCAT(run_at > UTC_TIMESTAMP(6) + INTERVAL 40 SECOND ORDER BY id)"
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

static void a_suspect_that_is_given_back_gets_its_try_back(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 20);
    (void)state;

    work_events(1, "a");
    testdb_run(base.outside, "UPDATE hookonce_job SET suspect = 1, tries = 2");
    struct claim c = claimed(&q);
    ASSERT_VALUE("SELECT tries FROM hookonce_job", "3");
    assert_int_equal(jobs_give_back(&q, &c, 0, &err), HO_OK);
    ASSERT_VALUE("SELECT CONCAT(state, tries, suspect) FROM hookonce_job", "ready21");
}

static struct reap_rule three_tries(void *unused, const char *route)
{
    (void)unused;
    return (struct reap_rule){.tries = strcmp(route, "five") == 0 ? 5 : 3,
                              .at_most_once = strcmp(route, "at most once") == 0,
                              .ends = strcmp(route, "(reply)") == 0};
}

static void told(void *unused, const struct job *job, enum outcome outcome)
{
    (void)unused;
    if (outcome == OUTCOME_LEASE_LOST || outcome == OUTCOME_WORKER_LOST) {
        assert_int_equal(outcome == OUTCOME_WORKER_LOST,
                         three_tries(NULL, job->route).ends ||
                             (job->counted && job->tries >= three_tries(NULL, job->route).tries));
    }
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

static void a_row_that_is_none_of_ours_stops_nobody(void **state)
{
    static const char *const odd[] = {
        "claim_no = 4294967295",
        "tries = 4294967295",
        "tries = 4294967295, suspect = 1",
        "id = 9223372036854775808",
        "id = 18446744073709551615",
    };
    char sql[200];
    int64_t ms;
    (void)state;

    for (size_t i = 0; i < COUNT(odd); i++) {
        struct queue q = queue_of(db, "w1", 60000, 20);
        work_empty();
        work_events(3, "a");
        (void)snprintf(sql, sizeof sql, "UPDATE hookonce_job SET %s WHERE id = 1", odd[i]);
        testdb_run(base.outside, sql);
        ROW(i, claimed(&q).n == 2);
        ROW(i, jobs_next_due(&q, &ms, &err) == HO_OK && ms > 50000);
        LEASES_END;
        (void)snprintf(sql, sizeof sql,
                       "UPDATE hookonce_job SET state = 'running', run_at = '2020-01-01'"
                       " WHERE state = 'ready' AND %.*s",
                       (int)strcspn(odd[i], ","), odd[i]);
        testdb_run(base.outside, sql);
        ROW(i, reap(&q).opened == 2);
        ROW(i, work_count("hookonce_job WHERE state = 'running'") == 1);
    }
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
    assert_in_range(ms, 45000, 60000);
    testdb_run(base.outside,
               "UPDATE hookonce_job SET state = 'running', run_at = UTC_TIMESTAMP(6) +"
               " INTERVAL 20 SECOND WHERE id = 2");
    assert_int_equal(jobs_next_due(&q, &ms, &err), HO_OK);
    assert_in_range(ms, 5000, 20000);
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
        cmocka_unit_test_setup(a_suspect_that_is_given_back_gets_its_try_back, empty),
        cmocka_unit_test_setup(an_ended_lease_makes_a_suspect, empty),
        cmocka_unit_test_setup(a_job_whose_handler_still_runs_is_left_alone, empty),
        cmocka_unit_test_setup(a_suspect_out_of_tries_is_dead, empty),
        cmocka_unit_test_setup(a_row_that_nobody_claimed_does_not_stop_the_reaper, empty),
        cmocka_unit_test_setup(a_row_that_is_none_of_ours_stops_nobody, empty),
        cmocka_unit_test_setup(the_next_due_time_is_told, empty),
        cmocka_unit_test_setup(a_link_that_was_cut_is_opened_again, empty),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
