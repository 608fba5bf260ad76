/* The gate before SQL handlers: one effect a business key, and the order of an object's events. */
#include "flow_routes.h"

#include <sys/wait.h>

static int begin(void **state)
{
    (void)state;
    return flow_begin("admit", FLOW);
}

/* ---- once per business key ---- */

static void the_second_event_of_a_key_is_already_done(void **state)
{
    char first[256];
    (void)state;

    flow_event("evt_1", "paid", "{\"order\":\"o1\"}", 0);
    flow_run();
    flow_event("evt_2", "paid", "{\"order\":\"o1\"}", 1);
    flow_event("evt_3", "also", "{\"order\":\"o1\"}", 2);
    flow_event("evt_4", "paid", "{\"order\":\"o2\"}", 3);
    flow_run();
    ASSERT_VALUE(NOTES, "evt_1,evt_4");
    ASSERT_VALUE(JOBS, "paid done done, paid done already done, also done already done, paid done "
                       "done");
    ASSERT_VALUE(RECEIPTS, "evt_1 processed done, evt_2 processed already done, evt_3 processed "
                           "already done, evt_4 processed done");
    ASSERT_VALUE(EFFECTS, "paid o1 done 1, paid o2 done 4");
    (void)testdb_text(base.outside, "SELECT correlation_id FROM hookonce_receipt WHERE event_id ="
                                    " 'evt_1'", first);
    ASSERT_VALUE("SELECT DISTINCT done_by FROM hookonce_job WHERE outcome = 'already done'", first);
}

static void an_event_without_the_key_runs_nothing(void **state)
{
    (void)state;

    flow_event("evt_1", "paid", "{\"other\":1}", 0);
    flow_event("evt_2", "paid", "{\"order\":null}", 0);
    flow_event("evt_3", "paid", "{\"order\":\"\"}", 0);
    flow_event("evt_4", "subs", "{}", 0);
    flow_event("evt_5", "same", "{\"object\":\"s\",\"v\":\"soon\"}", 0);
    flow_run();
    ASSERT_VALUE(NOTES, "");
    ASSERT_COUNT("hookonce_job WHERE state = 'dead' AND outcome = 'no key' AND tries = 0", 5);
    ASSERT_COUNT("hookonce_job WHERE last_error LIKE 'no business key: %{/order}%'", 3);
    ASSERT_COUNT("hookonce_job WHERE last_error LIKE 'no object key: %{/object}%'", 1);
    ASSERT_COUNT("hookonce_job WHERE last_error LIKE 'no order mark: %{/v}%'", 1);
    ASSERT_COUNT("hookonce_effect", 0);
}

/* What a failed try wrote is undone, the key with it: the next event may have it. */
static void a_failed_handler_leaves_the_key_free(void **state)
{
    (void)state;

    testdb_run(base.outside, "INSERT INTO orders VALUES ('o1', 'taken')");
    flow_event("evt_1", "strict", "{\"order\":\"o1\"}", 0);
    flow_run();
    ASSERT_VALUE(JOBS, "strict ready failed");
    ASSERT_COUNT("hookonce_effect", 0);
    testdb_run(base.outside, "DELETE FROM orders");
    flow_event("evt_2", "strict", "{\"order\":\"o1\"}", 1);
    flow_run();
    flow_hurry();
    flow_run();
    ASSERT_VALUE(JOBS, "strict done already done, strict done done");
    ASSERT_VALUE(NOTES, "evt_2");
}

/* One key is one key for the other side too, whichever event brings it. */
static void the_idempotency_key_is_that_of_the_business_key(void **state)
{
    char a[256], b[256];
    (void)state;

    flow_event("evt_1", "keys", "{\"order\":\"o1\"}", 0);
    flow_run();
    (void)testdb_text(base.outside, NOTES, a);
    testdb_run(base.outside, "DELETE FROM hookonce_effect");
    testdb_run(base.outside, "DELETE FROM fx");
    flow_event("evt_2", "keys", "{\"order\":\"o1\"}", 0);
    flow_run();
    ASSERT_VALUE(NOTES, a);
    testdb_run(base.outside, "DELETE FROM fx");
    flow_event("evt_3", "plain", "{}", 0);
    flow_run();
    (void)testdb_text(base.outside, NOTES, a);
    testdb_run(base.outside, "DELETE FROM fx");
    flow_event("evt_4", "plain", "{}", 0);
    flow_run();
    (void)testdb_text(base.outside, NOTES, b);
    assert_int_equal(strlen(a), 64);
    assert_int_equal(strlen(b), 64);
    assert_string_not_equal(a, b);
}

/* Another worker, in a process of its own, that runs what is due. */
static pid_t start_worker(void)
{
    pid_t child = fork();

    if (child == 0) {
        struct worker own;
        worker_init(&own, settings, TESTDB_KEY);
        own.end = deadline_in(20000);
        own.once = true;
        _exit(worker_run(&own, &err) == HO_OK ? 0 : 1);
    }
    return child;
}

static void two_workers_do_a_key_once(void **state)
{
    char body[64], id[16];
    pid_t workers[4];
    int status;
    (void)state;

    for (int i = 0; i < 40; i++) {
        (void)snprintf(body, sizeof body, "{\"order\":\"o%d\"}", i % 4);
        (void)snprintf(id, sizeof id, "evt_%d", i);
        flow_event(id, "slow", body, i);
    }
    db_disconnect(base.outside);
    db_disconnect(w.control);
    db_disconnect(w.handler);
    for (size_t i = 0; i < COUNT(workers); i++) {
        workers[i] = start_worker();
    }
    for (size_t i = 0; i < COUNT(workers); i++) {
        assert_int_equal(waitpid(workers[i], &status, 0), workers[i]);
        assert_int_equal(status, 0);
    }
    flow_hurry();
    flow_run();
    ASSERT_COUNT("fx", 4);
    ASSERT_COUNT("hookonce_effect WHERE state = 'done'", 4);
    ASSERT_COUNT("hookonce_job WHERE outcome = 'done'", 4);
    ASSERT_COUNT("hookonce_job WHERE outcome = 'already done' AND done_by IS NOT NULL AND tries = 0",
                 36);
}

/* Another transaction has the key's row for longer than a lock wait: the job waits without a try. */
static void a_key_that_is_held_puts_off(void **state)
{
    (void)state;

    flow_event("evt_1", "paid", "{\"order\":\"o1\"}", 0);
    assert_int_equal(db_begin(base.outside, &err), HO_OK);
    testdb_run(base.outside, "INSERT INTO hookonce_effect SET flow = 'paid', effect_key ="
                             " UNHEX(SHA2('o1', 256)), business_key = 'o1', state = 'done', job_id ="
                             " 99, correlation_id = '01ARZ3NDEKTSV4RRFFQ69G5FAV', reserved_at ="
                             " UTC_TIMESTAMP(6)");
    flow_take(1);
    flow_dispatch(0);
    assert_int_equal(db_commit(base.outside, &err), HO_OK);
    ASSERT_VALUE(JOBS, "paid ready - for owner");
    ASSERT_COUNT("hookonce_job WHERE tries = 0 AND waits = 1 AND waits_since IS NOT NULL AND"
                 " claim_token IS NULL AND last_error LIKE '%business key%'",
                 1);
    ASSERT_VALUE(RECEIPTS, "evt_1 received -");
    flow_hurry();
    flow_run();
    ASSERT_VALUE(JOBS, "paid done already done");
    ASSERT_COUNT("hookonce_attempt WHERE outcome <> 'already done'", 0);
}

/* An SQL route of a flow waits for a command of the same flow, and for a person. */
static void reserved_and_unknown_keys_put_off(void **state)
{
    static const char insert[] =
        "INSERT INTO hookonce_effect SET flow = 'paid', effect_key = UNHEX(SHA2('o1', 256)),"
        " business_key = 'o1', state = 'reserved', job_id = 1, correlation_id ="
        " '01ARZ3NDEKTSV4RRFFQ69G5FAV', reserved_at = UTC_TIMESTAMP(6)";
    (void)state;

    flow_event("evt_0", "plain", "{}", 0);
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = run_at + INTERVAL 1 DAY");
    testdb_run(base.outside, insert);
    flow_event("evt_1", "paid", "{\"order\":\"o1\"}", 0);
    flow_run();
    ASSERT_VALUE(JOBS, "- ready -, paid ready - for owner");
    ASSERT_COUNT("hookonce_job WHERE id = 2 AND done_by = '01ARZ3NDEKTSV4RRFFQ69G5FAV' AND"
                 " last_error LIKE 'job 1 of event 01ARZ3NDEKTSV4RRFFQ69G5FAV%' AND run_at BETWEEN"
                 " waits_since + INTERVAL 4 SECOND AND waits_since + INTERVAL 6 SECOND",
                 1);
    /* As long again as it has waited, to a minute at most. */
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6), waits_since ="
                             " UTC_TIMESTAMP(6) - INTERVAL 20 SECOND WHERE id = 2");
    flow_run();
    ASSERT_COUNT("hookonce_job WHERE id = 2 AND waits = 2 AND run_at BETWEEN waits_since +"
                 " INTERVAL 39 SECOND AND waits_since + INTERVAL 60 SECOND AND waits_since <"
                 " UTC_TIMESTAMP(6) - INTERVAL 19 SECOND",
                 1);
    testdb_run(base.outside, "UPDATE hookonce_effect SET state = 'unknown'");
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) WHERE id = 2");
    flow_run();
    ASSERT_VALUE(JOBS, "- ready -, paid ready - for release");
    ASSERT_COUNT("hookonce_job WHERE waits_since < UTC_TIMESTAMP(6) - INTERVAL 19 SECOND", 1);
    ASSERT_COUNT("hookonce_job WHERE last_error LIKE '%hookonce retry --release 1, or%discard 1 --acted yes --reason TEXT'", 1);
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6), waits_since ="
                             " UTC_TIMESTAMP(6) - INTERVAL 25 HOUR WHERE id = 2");
    flow_run();
    ASSERT_VALUE(JOBS, "- ready -, paid dead waited too long");
    ASSERT_COUNT("hookonce_effect WHERE state = 'unknown' AND job_id = 1", 1);
}

/* ---- order ---- */

#define SUB(status) "{\"object\":\"s\",\"status\":\"" status "\"}"
#define STATUS "SELECT status FROM orders WHERE id = 's'"

static void the_newest_event_wins_in_both_orders(void **state)
{
    (void)state;

    for (int late = 0; late <= 1; late++) {
        (void)flow_empty(NULL);
        flow_event("evt_a", "subs", late ? SUB("cancelled") : SUB("active"), late ? 20 : 10);
        flow_run();
        flow_event("evt_b", "subs", late ? SUB("active") : SUB("cancelled"), late ? 10 : 20);
        flow_run();
        ASSERT_VALUE(STATUS, "cancelled");
        ASSERT_VALUE(JOBS, late ? "subs done done, subs done stale"
                                : "subs done done, subs done done");
        ASSERT_VALUE("SELECT mark FROM hookonce_object", "1764500020000000");
    }
    ASSERT_VALUE("SELECT j.done_by = r.correlation_id FROM hookonce_job j, hookonce_receipt r WHERE"
                 " j.id = 2 AND r.event_id = 'evt_a'",
                 "1");
    ASSERT_COUNT("hookonce_object WHERE held_by IS NULL AND marked_by IS NOT NULL", 1);
    ASSERT_COUNT("hookonce_job WHERE lane IS NULL", 2);
}

static void equal_marks_do_as_the_route_says(void **state)
{
    (void)state;

    flow_event("evt_1", "same", "{\"object\":\"s\",\"v\":7}", 0);
    flow_event("evt_2", "ties", "{\"object\":\"s\",\"v\":7}", 0);
    flow_run();
    flow_event("evt_3", "same", "{\"object\":\"s\",\"v\":7}", 0);
    flow_event("evt_4", "ties", "{\"object\":\"s\",\"v\":7}", 0);
    flow_event("evt_5", "same", "{\"object\":\"s\",\"v\":8}", 0);
    flow_event("evt_6", "same", "{\"object\":\"s\",\"v\":-9}", 0);
    flow_run();
    ASSERT_VALUE(NOTES, "evt_1,evt_2,evt_4,evt_5");
    ASSERT_COUNT("hookonce_job WHERE outcome = 'stale'", 2);
    ASSERT_VALUE("SELECT GROUP_CONCAT(mark ORDER BY flow) FROM hookonce_object", "8,7");
}

/* Two routes of one flow see the same event: the second is no older one, whatever `tie` says. */
static void the_same_event_on_two_routes_is_no_tie(void **state)
{
    (void)state;

    flow_event("evt_1", "subs", SUB("active"), 5);
    flow_run();
    testdb_run(base.outside, "INSERT INTO hookonce_job (correlation_id, route, state, run_at,"
                             " created_at) SELECT correlation_id, 'more', 'ready', NOW(6), NOW(6)"
                             " FROM hookonce_receipt");
    testdb_run(base.outside, "UPDATE hookonce_receipt SET event_type = event_type");
    flow_run();
    ASSERT_VALUE(JOBS, "subs done done, more dead no route"); /* `on` fits one of them only */
    flow_event("evt_2", "more", SUB("active"), 5);
    flow_run();
    ASSERT_COUNT("hookonce_job WHERE outcome = 'stale'", 1);
    testdb_run(base.outside, "UPDATE hookonce_object SET marked_by = (SELECT correlation_id FROM"
                             " hookonce_receipt WHERE event_id = 'evt_2')");
    testdb_run(base.outside, "UPDATE hookonce_job SET state = 'ready', run_at = UTC_TIMESTAMP(6)"
                             " WHERE outcome = 'stale'");
    flow_run();
    ASSERT_VALUE(NOTES, "evt_2");
}

/* A time far ahead must not make everything until then stale. */
static void a_time_a_year_ahead_does_not_freeze_its_object(void **state)
{
    int64_t now = clock_wall_us() / 1000000 - INT64_C(1764500000);
    (void)state;

    flow_event("evt_1", "subs", SUB("active"), now - 100);
    flow_run();
    flow_event("evt_2", "subs", SUB("odd"), now + 366 * 86400);
    flow_run();
    ASSERT_VALUE(STATUS, "odd");
    flow_event("evt_3", "subs", SUB("cancelled"), now - 50);
    flow_event("evt_4", "subs", SUB("late"), now - 200);
    flow_run();
    ASSERT_VALUE(STATUS, "cancelled");
    ASSERT_VALUE(JOBS, "subs done done, subs done done, subs done done, subs done stale");
    flow_event("evt_5", "subs", SUB("soon"), now + 3600); /* a clock that is a little ahead */
    flow_event("evt_6", "subs", SUB("older"), now + 60);
    flow_run();
    ASSERT_VALUE(STATUS, "soon");
}

/* A newer event committed while the handler ran: its work is undone. */
static void stale_is_asked_again_at_the_settlement(void **state)
{
    (void)state;

    flow_event("evt_1", "subs", SUB("active"), 0);
    flow_run();
    flow_event("evt_2", "fast", SUB("late"), 10);
    flow_run();
    ASSERT_VALUE(JOBS, "subs done done, fast done stale");
    ASSERT_VALUE(NOTES, "");
    ASSERT_VALUE("SELECT mark FROM hookonce_object", "1764500000000000");
    ASSERT_COUNT("hookonce_object WHERE held_by IS NULL", 1);
}

/* The lane went to another while the handler ran: whatever it did, it did beside that one. */
static void a_lost_lane_undoes_the_work(void **state)
{
    (void)state;

    flow_event("evt_1", "rob", SUB("x"), 0);
    flow_take(1);
    flow_dispatch(0);
    ASSERT_VALUE(JOBS, "rob ready - for lane");
    ASSERT_VALUE(NOTES, "");
    ASSERT_COUNT("hookonce_job WHERE tries = 0 AND lane IS NULL", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_second_event_of_a_key_is_already_done, flow_empty),
        cmocka_unit_test_setup(an_event_without_the_key_runs_nothing, flow_empty),
        cmocka_unit_test_setup(a_failed_handler_leaves_the_key_free, flow_empty),
        cmocka_unit_test_setup(the_idempotency_key_is_that_of_the_business_key, flow_empty),
        cmocka_unit_test_setup(two_workers_do_a_key_once, flow_empty),
        cmocka_unit_test_setup(a_key_that_is_held_puts_off, flow_empty),
        cmocka_unit_test_setup(reserved_and_unknown_keys_put_off, flow_empty),
        cmocka_unit_test_setup(the_newest_event_wins_in_both_orders, flow_empty),
        cmocka_unit_test_setup(equal_marks_do_as_the_route_says, flow_empty),
        cmocka_unit_test_setup(the_same_event_on_two_routes_is_no_tie, flow_empty),
        cmocka_unit_test_setup(a_time_a_year_ahead_does_not_freeze_its_object, flow_empty),
        cmocka_unit_test_setup(stale_is_asked_again_at_the_settlement, flow_empty),
        cmocka_unit_test_setup(a_lost_lane_undoes_the_work, flow_empty),
    };

    return cmocka_run_group_tests(tests, begin, flow_end);
}
