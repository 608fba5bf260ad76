/* One claimed job on its way to an outcome. */
#include "workdb.h"

#include "base/log.h"
#include "work/dispatch.h"

#define FLOW \
    "[processor]\nlease = 20s\n" \
    "[handler note]\ntimeout = 5s\n" \
    "sql = INSERT INTO fx (note) VALUES (CONCAT({event:type}, ' ', {event:attempt}))\n" \
    "[handler nowhere]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ('x')\n" \
    "sql = SELECT 1/0 FROM nowhere\n" \
    "[handler ddl]\ntimeout = 5s\nsql = CREATE TABLE IF NOT EXISTS made (a INT)\n" \
    "[handler slow]\ntimeout = 1s\nsql = INSERT INTO fx (note) VALUES ('x')\n" \
    "sql = SELECT SLEEP(8)\n" \
    "[handler dirty]\ntimeout = 5s\nsql = SET SESSION sql_mode = '', time_zone = '+05:00'\n" \
    "sql = SET @left = 7\nsql = SELECT GET_LOCK('hookonce-test', 0)\n" \
    "sql = CREATE TEMPORARY TABLE tt (a INT)\n" \
    "[handler gate]\ntimeout = 10s\nsql = INSERT INTO fx (note) VALUES ('through')\n" \
    "sql = UPDATE gate SET passed = passed + 1\n" \
    "[handler cut]\ntimeout = 5s\nsql = CALL cut()\n" \
    "[route cut]\nprovider = shop\non = cut\nhandler = cut\nretry = 3 tries, 10s\n" \
    "[route gate]\nprovider = shop\non = gate\nhandler = gate\n" \
    "[route one]\nprovider = shop\non = one.*, both\nhandler = note\n" \
    "informational = info.*\n" \
    "[route two]\nprovider = shop\non = both\nhandler = note\n" \
    "[route live]\nprovider = shop\non = live\nlivemode = true\nhandler = note\n" \
    "[route bad]\nprovider = shop\non = bad\nhandler = nowhere\nretry = 3 tries, 10s to 40s\n" \
    "[route ddl]\nprovider = shop\non = ddl\nhandler = ddl\n" \
    "[route slow]\nprovider = shop\non = slow\nhandler = slow\nretry = 2 tries, 10s\n" \
    "[route dirty]\nprovider = shop\non = dirty\nhandler = dirty\n" \
    "[route elsewhere]\nprovider = bank\nhandler = note\n"

static struct settings *settings;
static struct worker w;
static struct ho_err err;
static struct claim claim;

static int begin(void **state)
{
    char path[256];
    (void)state;

    (void)work_begin("dispatch");
    testdb_run(base.outside, "CREATE TABLE gate (passed INT NOT NULL) ENGINE=InnoDB");
    testdb_run(base.outside, "INSERT INTO gate VALUES (0)");
    /* It commits and loses its link within one statement: nobody can tell. */
    testdb_run(base.outside, "CREATE PROCEDURE cut() BEGIN INSERT INTO fx (note) VALUES ('cut');"
                             " COMMIT; KILL CONNECTION CONNECTION_ID(); END");
    settings = work_settings(FLOW);
    (void)snprintf(path, sizeof path, "%s/hookonce.log", work_dir);
    log_into(path, LOG_INFO);
    worker_init(&w, settings, TESTDB_KEY);
    return 0;
}

static int end(void **state)
{
    (void)state;
    worker_free(&w);
    settings_free(settings);
    log_open(NULL);
    return work_end();
}

static int empty(void **state)
{
    (void)state;
    work_empty();
    return 0;
}

static void take(size_t want)
{
    if (jobs_claim(&w.queue, deadline_in(5000), &claim, &err) != HO_OK) {
        fail_msg("claim: %s", err.text);
    }
    assert_int_equal(claim.n, want);
}

static void dispatch(size_t i)
{
    ho_err_clear(&err);
    if (dispatch_job(&w, &claim, i, &err) != HO_OK) {
        fail_msg("dispatch: %s", err.text);
    }
}

/* Claims what is due and runs it, round after round, until nothing is due. */
static void run_all(void)
{
    for (;;) {
        assert_int_equal(jobs_claim(&w.queue, deadline_in(5000), &claim, &err), HO_OK);
        if (claim.n == 0 && !claim.more) {
            return;
        }
        for (size_t i = 0; i < claim.n; i++) {
            dispatch(i);
        }
    }
}

#define JOBS \
    "SELECT GROUP_CONCAT(route, ' ', state, ' ', COALESCE(outcome, '-') ORDER BY id)" \
    " FROM hookonce_job"
#define RECEIPT "SELECT CONCAT(status, ' ', COALESCE(outcome, '-')) FROM hookonce_receipt"
#define NOTES "SELECT COALESCE(GROUP_CONCAT(note ORDER BY note), '') FROM fx"

static const struct {
    const char *type, *body, *jobs, *receipt, *notes;
} routes[] = {
    {"one.paid", "{}", "one done done", "processed done", "one.paid 1"},
    {"none", "{}", " done ignored", "processed ignored", ""},
    {"info.seen", "{}", " done informational", "processed informational", ""},
    {"both", "{}", "one done done,two done done", "processed done", "both 1,both 1"},
    {"live", "{\"livemode\":true}", "live done done", "processed done", "live 1"},
    {"live", "{\"livemode\":false}", " done ignored", "processed ignored", ""},
    {"live", "{}", " done ignored", "processed ignored", ""},
    {"ddl", "{}", "ddl dead bad handler", "failed bad handler", ""},
};

static void an_event_goes_where_the_routes_say(void **state)
{
    char got[256];
    (void)state;

    for (size_t i = 0; i < COUNT(routes); i++) {
        work_empty();
        work_event("evt_1", routes[i].type, routes[i].body);
        run_all();
        ROW_TEXT(i, testdb_text(base.outside, JOBS, got), routes[i].jobs);
        ROW_TEXT(i, testdb_text(base.outside, RECEIPT, got), routes[i].receipt);
        ROW_TEXT(i, testdb_text(base.outside, NOTES, got), routes[i].notes);
        ROW(i, work_count("hookonce_attempt a JOIN hookonce_job j ON j.id = a.job_id WHERE"
                          " a.outcome = j.outcome AND a.worker = j.worker AND a.try_no = 1 AND"
                          " a.ended_at >= a.started_at") == work_count("hookonce_job"));
    }
}

/* ---- failures ---- */

static void a_failing_handler_leaves_its_attempts_and_nothing_else(void **state)
{
    static const int least_s[] = {9, 39}, most_s[] = {12, 48};
    (void)state;

    work_event("evt_1", "bad", "{}");
    for (int try_no = 1; try_no <= 3; try_no++) {
        take(1);
        dispatch(0);
        assert_int_equal(work_count("hookonce_attempt WHERE outcome = 'failed' AND"
                                    " error LIKE '%handler nowhere, statement 2%'"),
                         try_no);
        assert_int_equal(work_count("fx"), 0);
        if (try_no < 3) {
            ASSERT_VALUE(JOBS, "bad ready failed");
            ASSERT_VALUE(RECEIPT, "received failed");
            int64_t wait =
                testdb_int(base.outside, "SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6),"
                                         " run_at) FROM hookonce_job");
            assert_in_range(wait, least_s[try_no - 1], most_s[try_no - 1]);
            testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6)");
        }
    }
    ASSERT_VALUE(JOBS, "bad dead gave up");
    ASSERT_VALUE(RECEIPT, "failed gave up");
    ASSERT_VALUE("SELECT CONCAT(tries, ' ', claim_no) FROM hookonce_job", "3 3");
    ASSERT_COUNT("hookonce_job WHERE last_error LIKE '%nowhere%'", 1);
    ASSERT_VALUE("SELECT GROUP_CONCAT(try_no ORDER BY claim_no) FROM hookonce_attempt", "1,2,3");
    take(0);
}

static void a_slow_handler_is_cut_and_counted(void **state)
{
    int64_t began = clock_mono_ms();
    (void)state;

    work_event("evt_1", "slow", "{}");
    take(1);
    dispatch(0);
    assert_true(clock_mono_ms() - began < 8000); /* what it would sleep */
    ASSERT_VALUE(JOBS, "slow ready failed");
    ASSERT_COUNT("fx", 0);
    ASSERT_COUNT("hookonce_job WHERE last_error LIKE '%not through in its time (timeout 1s)%'", 1);
}

static void a_handler_leaves_nothing_in_the_session(void **state)
{
    char got[256];
    (void)state;

    work_event("evt_1", "dirty", "{}");
    run_all();
    ASSERT_VALUE(JOBS, "dirty done done");
    ASSERT_COUNT("hookonce_job WHERE ABS(TIMESTAMPDIFF(SECOND, run_at, UTC_TIMESTAMP(6))) < 60",
                 1);
    assert_string_equal(testdb_text(w.handler,
                                    "SELECT CONCAT_WS(' ', @@sql_mode, @@time_zone,"
                                    " COALESCE(@left, '-'),"
                                    " IS_FREE_LOCK('hookonce-test'))",
                                    got),
                        "STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION +00:00 - 1");
    assert_int_not_equal(db_run_once(w.handler, "SELECT * FROM tt", NULL, 0, NULL, &err), HO_OK);
}

/* Runs the claimed job while another connection holds what the query locks, for longer than the
 * lock wait of the processor. */
static void dispatch_behind(const char *lock)
{
    struct db *rival = db_open(&base.settings, DB_OPERATOR);
    int status;

    assert_int_equal(db_begin(rival, &err), HO_OK);
    testdb_run(rival, lock);
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        clock_sleep_ms(4000);
        db_rollback(rival);
        _exit(0);
    }
    dispatch(0);
    assert_int_equal(waitpid(child, &status, 0), child);
    db_close(rival);
}

static void a_lock_that_is_held_costs_no_try(void **state)
{
    static const struct {
        const char *type, *lock;
    } locks[] = {
        {"gate", "SELECT * FROM gate FOR UPDATE"},              /* the handler waits */
        {"one.x", "SELECT * FROM hookonce_receipt FOR UPDATE"}, /* the settlement waits */
    };
    (void)state;

    for (size_t i = 0; i < COUNT(locks); i++) {
        work_empty();
        work_event("evt_1", locks[i].type, "{}");
        take(1);
        dispatch_behind(locks[i].lock);
        ROW(i,
            work_count("hookonce_job WHERE state = 'done' AND tries = 1 AND claim_no = 1") == 1);
        ROW(i, work_count("hookonce_attempt") == 1);
        ROW(i, work_count("fx") == 1);
    }
    ASSERT_VALUE("SELECT passed FROM gate", "1");
}

static void a_handler_that_loses_its_link_is_run_again_at_once_only_once(void **state)
{
    (void)state;

    work_event("evt_1", "cut", "{}");
    take(1);
    dispatch(0);
    ASSERT_VALUE(JOBS, "cut ready failed");
    ASSERT_COUNT("fx", 2);
    ASSERT_COUNT("hookonce_job WHERE tries = 1 AND last_error LIKE"
                 " 'handler cut, statement 1: database: the connection was %'",
                 1);
}

/* ---- not genuine ---- */

static void what_we_did_not_write_is_never_run(void **state)
{
    static const char *const changes[] = {
        "UPDATE hookonce_body SET bytes = '{\"n\":2}'",
        "UPDATE hookonce_body SET headers = 'x: y\n'",
        "UPDATE hookonce_receipt SET event_type = 'both'",
        "UPDATE hookonce_receipt SET event_id = 'evt_2'",
        "UPDATE hookonce_receipt SET provider = 'bank'",
        "UPDATE hookonce_receipt SET source = 'else'",
        "UPDATE hookonce_receipt SET object_key = 'ord_2'",
        "UPDATE hookonce_receipt SET object_key = NULL",
        "UPDATE hookonce_receipt SET occurred_at = occurred_at + INTERVAL 1 MICROSECOND",
        "UPDATE hookonce_receipt SET document = 'form'",
        "UPDATE hookonce_receipt SET same_digest = REPEAT('x', 32)",
        "UPDATE hookonce_receipt SET mac = REPEAT('x', 32)",
        "UPDATE hookonce_receipt SET correlation_id = '01J00000000000000000000000'",
        "UPDATE hookonce_job SET correlation_id = '01J00000000000000000000000'",
        "DELETE FROM hookonce_receipt",
        "INSERT INTO hookonce_body SELECT correlation_id, 1, NULL, 'more', NULL FROM hookonce_body",
        /* a whole event of their own, with a MAC that they could copy */
        "INSERT INTO hookonce_receipt (provider, event_id, correlation_id, source, event_type,"
        " received_at, recorded_at, status, body_len, body_sha256, same_digest, document,"
        " secret_no, mac) SELECT provider, 'evt_3', correlation_id, source, 'both', received_at,"
        " recorded_at, status, body_len, body_sha256, same_digest, document, 1, mac"
        " FROM hookonce_receipt",
    };
    (void)state;

    for (size_t i = 0; i < COUNT(changes); i++) {
        work_empty();
        work_event("evt_1", "one.paid", "{\"n\":1}");
        testdb_run(base.outside, changes[i]);
        run_all();
        ROW(i, work_count("fx") == 0);
        ROW(i, work_count("hookonce_job WHERE state = 'dead' AND outcome = 'forged row' AND"
                          " last_error <> ''") == 1);
        ROW(i, work_count("hookonce_attempt WHERE outcome = 'forged row'") == 1);
    }
    assert_true(counters_alarm_count(w.counters, ALARM_FORGED, NULL) >= COUNT(changes));
    work_empty();
    work_event("evt_1", "one.paid", "{\"n\":1}");
    testdb_run(base.outside, "DELETE FROM hookonce_body");
    run_all();
    ASSERT_COUNT("fx", 0);
    ASSERT_COUNT("hookonce_job WHERE state = 'dead' AND outcome = 'body gone'", 1);
    work_empty();
    work_event("evt_1", "one.paid", "{\"n\":1}");
    run_all();
    ASSERT_COUNT("fx", 1);
}

static void a_job_by_hand_gets_no_route_that_does_not_fit(void **state)
{
    static const char *const names[] = {"two", "elsewhere", "live", "gone", "ddl"};
    char sql[300];
    (void)state;

    for (size_t i = 0; i < COUNT(names); i++) {
        work_empty();
        work_event("evt_1", "one.paid", "{}");
        (void)snprintf(sql, sizeof sql, "UPDATE hookonce_job SET route = '%s'", names[i]);
        testdb_run(base.outside, sql);
        run_all();
        ROW(i, work_count("fx") == 0);
        ROW(i, work_count("hookonce_job WHERE state = 'dead' AND outcome = 'no route'") == 1);
    }
}

static void a_taken_place_in_the_queue_does_not_jam_it(void **state)
{
    (void)state;

    /* Somebody has put rows where attempt and job of a second route will be. */
    work_event("evt_1", "both", "{}");
    testdb_run(base.outside, "INSERT INTO hookonce_job (correlation_id, route, state, run_at,"
                             " created_at) SELECT correlation_id, 'two', 'done', run_at, run_at"
                             " FROM hookonce_job");
    testdb_run(base.outside,
               "INSERT INTO hookonce_attempt (job_id, claim_no, correlation_id, try_no,"
               " worker, started_at) VALUES (1, 1, 'x', 1, 'x', '2020-01-01')");
    run_all();
    ASSERT_VALUE(JOBS, "one done done,two done -");
    ASSERT_COUNT("fx", 1);
}

/* ---- bodies ---- */

static void a_body_in_parts_is_one_body(void **state)
{
    static const size_t len = 20 * 1024 * 1024; /* more than the server takes at once */
    char *body = ho_alloc(len + 1);
    (void)state;

    memset(body, ' ', len);
    memcpy(body, "{\"a\":1,", 7);
    memcpy(body + len - 7, "\"z\":2}", 7);
    work_event("evt_1", "one.big", body);
    free(body);
    assert_true(work_count("hookonce_body") > 1);
    run_all();
    ASSERT_VALUE(JOBS, "one done done");
}

/* ---- a claim that was lost ---- */

/* Numbers that a rolled back INSERT has used are gone. */
#define FX_NEXT \
    "SELECT AUTO_INCREMENT FROM information_schema.tables WHERE table_schema =" \
    " DATABASE() AND table_name = 'fx'"

static struct reap_rule one_try(void *unused, const char *route)
{
    (void)unused;
    (void)route;
    return (struct reap_rule){.tries = 1};
}

static void untold(void *unused, const struct job *job, enum outcome outcome)
{
    (void)unused;
    (void)job;
    assert_int_equal(outcome, OUTCOME_LEASE_LOST);
}

static void a_late_worker_runs_nothing(void **state)
{
    const struct reaper reaper = {one_try, untold, NULL};
    struct claim late;
    struct reaped reaped;
    (void)state;

    work_event("evt_1", "one.paid", "{}");
    take(1);
    late = claim;
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6)");
    assert_int_equal(jobs_reap(&w.queue, &reaper, &reaped, &err), HO_OK);
    assert_int_equal(reaped.opened, 1);
    take(1); /* the second, now with the job in hand */
    claim.jobs[0] = late.jobs[0];
    int64_t next = testdb_int(base.outside, FX_NEXT);
    dispatch(0);
    ASSERT_COUNT("fx", 0);
    assert_int_equal(testdb_int(base.outside, FX_NEXT), next); /* not even undone: not begun */
    ASSERT_VALUE("SELECT outcome FROM hookonce_attempt WHERE claim_no = 1", "lease lost");
    testdb_run(base.outside, "UPDATE hookonce_job SET state = 'ready', run_at = UTC_TIMESTAMP(6)");
    run_all();
    dispatch(0);
    ASSERT_COUNT("fx", 1);
    ASSERT_VALUE(JOBS, "one done done");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_event_goes_where_the_routes_say, empty),
        cmocka_unit_test_setup(a_failing_handler_leaves_its_attempts_and_nothing_else, empty),
        cmocka_unit_test_setup(a_slow_handler_is_cut_and_counted, empty),
        cmocka_unit_test_setup(a_handler_leaves_nothing_in_the_session, empty),
        cmocka_unit_test_setup(a_lock_that_is_held_costs_no_try, empty),
        cmocka_unit_test_setup(a_handler_that_loses_its_link_is_run_again_at_once_only_once, empty),
        cmocka_unit_test_setup(what_we_did_not_write_is_never_run, empty),
        cmocka_unit_test_setup(a_job_by_hand_gets_no_route_that_does_not_fit, empty),
        cmocka_unit_test_setup(a_taken_place_in_the_queue_does_not_jam_it, empty),
        cmocka_unit_test_setup(a_body_in_parts_is_one_body, empty),
        cmocka_unit_test_setup(a_late_worker_runs_nothing, empty),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
