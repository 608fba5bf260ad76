/* The gate before SQL handlers: lanes, needs, shares; what waits, costs no try, and is shown. */
#include "flow_routes.h"

#include "store/view.h"
#include "store/views.h"

static int begin(void **state)
{
    (void)state;
    return flow_begin("waits", FLOW);
}

/* ---- lanes ---- */

/* Makes the object's lane look held by a job that runs. */
static void hold_lane(void)
{
    testdb_run(base.outside, "INSERT INTO hookonce_job (id, correlation_id, route, state, claim_no,"
                             " run_at, created_at) VALUES (900, 'holder', 'x', 'running', 1,"
                             " UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, UTC_TIMESTAMP(6))");
    testdb_run(base.outside, "INSERT INTO hookonce_object SET flow = 'lane', object_key ="
                             " UNHEX(SHA2('s', 256)), object_id = 's', held_by = 900, held_claim = 1,"
                             " held_until = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, changed_at ="
                             " UTC_TIMESTAMP(6)");
}

#define LANES \
    "SELECT GROUP_CONCAT(CONCAT(state, IF(lane IS NULL, '', ' lane')) ORDER BY id) FROM" \
    " hookonce_job WHERE id <> 900"

static void a_busy_lane_is_slept_for_outside_the_claim_index(void **state)
{
    (void)state;

    hold_lane();
    flow_event("evt_1", "lane", "{\"object\":\"s\"}", 0);
    flow_event("evt_2", "lane", "{\"object\":\"s\"}", 0);
    flow_event("evt_3", "lane", "{\"object\":\"t\"}", 0);
    flow_run();
    ASSERT_VALUE(LANES, "waiting lane,waiting lane,done");
    ASSERT_VALUE(NOTES, "evt_3");
    ASSERT_COUNT("hookonce_job WHERE state = 'waiting' AND waiting_for = 'lane' AND waits = 1 AND"
                 " tries = 0 AND waits_since IS NOT NULL AND run_at > UTC_TIMESTAMP(6) + INTERVAL 50"
                 " SECOND AND last_error LIKE 'job 900 of the same object%'",
                 2);
    ASSERT_COUNT("hookonce_receipt WHERE status = 'received'", 2);
    flow_take(0); /* not claimed, however often */
    /* Its holder vanishes: the first that looks takes the lane, and wakes the other behind it. */
    testdb_run(base.outside, "DELETE FROM hookonce_job WHERE id = 900");
    testdb_run(base.outside, "UPDATE hookonce_job SET state = 'ready', run_at = UTC_TIMESTAMP(6)"
                             " WHERE id = 901");
    flow_run();
    ASSERT_VALUE(NOTES, "evt_3,evt_1,evt_2");
    ASSERT_COUNT("hookonce_job WHERE state = 'done' AND lane IS NULL AND waiting_for IS NULL", 3);
}

static size_t row_of(const struct db_rows *rows, int col, const char *want)
{
    for (size_t i = 0; i < rows->n_rows; i++) {
        if (span_is(db_cell(rows, i, (size_t)col), want)) {
            return i;
        }
    }
    fail_msg("no row with %s", want);
    return 0;
}

/* Everything that waits can be seen: with its reason, how often, and since when. */
static void what_waits_is_shown(void **state)
{
    struct view_filter received = {.status = SPAN_LIT("received"), .limit = 10};
    struct db_rows rows = {0};
    struct view_queue queue;
    struct view_since since;
    char cid[256];
    (void)state;

    hold_lane();
    flow_event("evt_1", "lane", "{\"object\":\"s\"}", 0);
    flow_event("evt_2", "need", "{\"order\":\"o1\"}", 0);
    flow_run();
    assert_int_equal(views_rows(base.outside, "queue", 10, &rows, &err), HO_OK);
    assert_int_equal(rows.n_rows, 3);
    size_t i = row_of(&rows, 2, "waiting");
    assert_true(span_is(db_cell(&rows, i, 6), "lane"));
    assert_int_equal(db_cell_int(&rows, i, 7), 1);
    assert_int_equal(db_cell(&rows, i, 8).len, 26);
    i = row_of(&rows, 2, "ready");
    assert_true(span_is(db_cell(&rows, i, 6), "need"));
    assert_int_equal(view_receipts(base.outside, &received, &rows, &err), HO_OK);
    assert_int_equal(rows.n_rows, 2);
    (void)testdb_text(base.outside, "SELECT correlation_id FROM hookonce_receipt WHERE event_id ="
                                    " 'evt_1'", cid);
    assert_int_equal(views_timeline(base.outside, span_of(cid), &rows, &err), HO_OK);
    i = row_of(&rows, 1, "waits");
    assert_true(span_starts(db_cell(&rows, i, 2), "job 901, for lane, put off once: "));
    (void)row_of(&rows, 1, "waiting");
    assert_int_equal(view_queue(base.outside, &queue, &err), HO_OK);
    assert_int_equal(queue.asleep, 1);
    assert_int_equal(queue.later, 1);
    assert_int_equal(view_since(base.outside, "2020-01-01", &since, &err), HO_OK);
    assert_int_equal(since.put_off, 2);
    assert_int_equal(since.waiting, 0);
    db_rows_free(&rows);
}

/* Whoever was woken and ends before its lane hands the wake-up on. */
static void a_wake_up_is_never_swallowed(void **state)
{
    static const char *const ends[] = {
        "UPDATE hookonce_receipt SET mac = REPEAT('x', 32) WHERE event_id = 'evt_1'",
        "UPDATE hookonce_job SET route = 'gone' WHERE id = 901",
    };
    (void)state;

    for (size_t i = 0; i < COUNT(ends); i++) {
        (void)flow_empty(NULL);
        hold_lane();
        flow_event("evt_1", "lane", "{\"object\":\"s\"}", 0);
        flow_event("evt_2", "lane", "{\"object\":\"s\"}", 0);
        flow_run();
        ROW(i, work_count("hookonce_job WHERE state = 'waiting'") == 2);
        testdb_run(base.outside, ends[i]);
        testdb_run(base.outside, "DELETE FROM hookonce_job WHERE id = 900");
        testdb_run(base.outside, "UPDATE hookonce_job SET state = 'ready', run_at ="
                                 " UTC_TIMESTAMP(6) WHERE id = 901");
        flow_run();
        ASSERT_VALUE(NOTES, "evt_2");
        ASSERT_COUNT("hookonce_job WHERE id = 901 AND state = 'dead'", 1);
    }
}

/* A worker that vanishes with the lane: the next is woken when its lease is found to have ended. */
static void a_vanished_holder_is_not_waited_for(void **state)
{
    (void)state;

    flow_event("evt_1", "lane", "{\"object\":\"s\"}", 0);
    flow_run();
    testdb_run(base.outside, "UPDATE hookonce_job SET state = 'running', claim_no = 5, claim_token ="
                             " REPEAT('t', 16), outcome = NULL, lane = REPEAT('l', 32), run_at ="
                             " UTC_TIMESTAMP(6) + INTERVAL 1 HOUR");
    testdb_run(base.outside, "UPDATE hookonce_object SET held_by = 1, held_claim = 5, held_until ="
                             " UTC_TIMESTAMP(6) + INTERVAL 1 HOUR");
    flow_event("evt_2", "lane", "{\"object\":\"s\"}", 0);
    flow_run();
    ASSERT_VALUE(LANES, "running lane,waiting lane");
    testdb_run(base.outside, "UPDATE hookonce_job a, hookonce_job b SET a.lane = b.lane WHERE a.id ="
                             " 1 AND b.id = 2");
    assert_int_equal(flow_reap().opened, 1);
    ASSERT_VALUE(LANES, "ready,ready lane");
    flow_run();
    ASSERT_VALUE(NOTES, "evt_1,evt_2,evt_1"); /* fresh before tried */
}

/* ---- what else a job waits for ---- */

static void a_need_is_waited_for_without_a_try(void **state)
{
    (void)state;

    flow_event("evt_1", "need", "{\"order\":\"o1\"}", 0);
    flow_run();
    ASSERT_VALUE(JOBS, "need ready - for need");
    ASSERT_COUNT("hookonce_job WHERE tries = 0 AND need_waits = 1 AND run_at BETWEEN"
                 " waits_since + INTERVAL 4 SECOND AND waits_since + INTERVAL 7 SECOND",
                 1);
    ASSERT_COUNT("hookonce_object WHERE held_by IS NULL", 1); /* it keeps nobody off meanwhile */
    testdb_run(base.outside, "INSERT INTO orders VALUES ('o1', 'new')");
    flow_hurry();
    flow_run();
    ASSERT_VALUE(JOBS, "need done done");
    ASSERT_VALUE(NOTES, "evt_1");
    ASSERT_COUNT("hookonce_attempt", 1);
}

static void a_need_that_does_not_come_is_a_dead_letter(void **state)
{
    (void)state;

    flow_event("evt_1", "need", "{\"order\":\"o1\"}", 0);
    for (int i = 0; i < 3; i++) {
        flow_hurry();
        flow_run();
        ASSERT_VALUE(JOBS, "need ready - for need");
    }
    flow_hurry();
    flow_run();
    ASSERT_VALUE(JOBS, "need dead need not met");
    ASSERT_COUNT("hookonce_job WHERE tries = 0 AND need_waits = 3 AND last_error LIKE '`needs` gave"
                 " no row; waited 3 times for it, as needs_wait says'",
                 1);
}

/* A reference that leads to nothing is NULL to the query, which may mean to have it so: it waits as any
 * other, and says from the first time which one that is. */
static void a_need_without_its_key_waits_and_says_so(void **state)
{
    (void)state;

    flow_event("evt_1", "once", "{\"order\":null}", 0);
    flow_event("evt_2", "maybe", "{\"order\":\"o1\"}", 0);
    flow_run();
    ASSERT_VALUE(JOBS, "once dead no key, maybe ready - for need");
    ASSERT_COUNT("hookonce_job WHERE last_error = '{/with} is NULL, for it leads to nothing in this event:"
                 " `needs` gives no row'", 1);
    testdb_run(base.outside, "INSERT INTO orders VALUES ('o1', 'new')");
    flow_hurry();
    flow_run();
    ASSERT_COUNT("hookonce_job WHERE id = 2 AND outcome = 'done'", 1);
    flow_event("evt_3", "maybe", "{\"order\":\"o3\"}", 0);
    for (int i = 0; i < 3; i++) {
        flow_hurry();
        flow_run();
    }
    ASSERT_COUNT("hookonce_job WHERE outcome = 'need not met' AND last_error LIKE '{/with} is NULL%: `needs`"
                 " gave no row; waited 2 times for it%'", 1);
}

/* What is done already needs nothing. */
static void a_key_counts_before_a_need(void **state)
{
    (void)state;

    flow_event("evt_1", "once", "{\"order\":\"o1\"}", 0);
    flow_run();
    ASSERT_VALUE(JOBS, "once ready - for need");
    ASSERT_COUNT("hookonce_effect", 0);
    testdb_run(base.outside, "INSERT INTO orders VALUES ('o1', 'new')");
    flow_event("evt_2", "once", "{\"order\":\"o1\"}", 0);
    flow_run();
    testdb_run(base.outside, "DELETE FROM orders");
    flow_hurry();
    flow_run();
    ASSERT_VALUE(JOBS, "once done already done, once done done");
}

static void what_is_so_already_is_not_done(void **state)
{
    (void)state;

    testdb_run(base.outside, "INSERT INTO orders VALUES ('o1', 'paid'), ('o2', 'new')");
    flow_event("evt_1", "skip", "{\"order\":\"o1\"}", 0);
    flow_event("evt_2", "skip", "{\"order\":\"o2\"}", 0);
    flow_run();
    ASSERT_VALUE(JOBS, "skip done already so, skip done done");
    ASSERT_VALUE(NOTES, "evt_2");
}

/* A query that cannot work is a failed try, and says which it is. */
static void a_broken_query_fails_the_try(void **state)
{
    (void)state;

    flow_event("evt_1", "bad", "{}", 0);
    flow_run();
    ASSERT_VALUE(JOBS, "bad ready failed");
    ASSERT_COUNT("hookonce_job WHERE tries = 1 AND last_error LIKE 'needs: %nowhere%'", 1);
    flow_hurry();
    flow_run();
    ASSERT_VALUE(JOBS, "bad dead gave up");
}

/* ---- shares ---- */

static void low_priority_goes_to_its_own_share(void **state)
{
    (void)state;

    flow_event("evt_1", "low", "{}", 0);
    flow_event("evt_2", "plain", "{}", 0);
    flow_event("evt_3", "high", "{}", 0);
    flow_take(3);
    for (size_t i = 0; i < 3; i++) {
        flow_dispatch(i);
    }
    ASSERT_VALUE(JOBS, "low ready - for turn, plain done done, high done done");
    ASSERT_COUNT("hookonce_job WHERE class = 2 AND run_at <= UTC_TIMESTAMP(6) AND tries = 0", 1);
    flow_run();
    ASSERT_VALUE(JOBS, "low done done, plain done done, high done done");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_busy_lane_is_slept_for_outside_the_claim_index, flow_empty),
        cmocka_unit_test_setup(what_waits_is_shown, flow_empty),
        cmocka_unit_test_setup(a_wake_up_is_never_swallowed, flow_empty),
        cmocka_unit_test_setup(a_vanished_holder_is_not_waited_for, flow_empty),
        cmocka_unit_test_setup(a_need_is_waited_for_without_a_try, flow_empty),
        cmocka_unit_test_setup(a_need_that_does_not_come_is_a_dead_letter, flow_empty),
        cmocka_unit_test_setup(a_need_without_its_key_waits_and_says_so, flow_empty),
        cmocka_unit_test_setup(a_key_counts_before_a_need, flow_empty),
        cmocka_unit_test_setup(what_is_so_already_is_not_done, flow_empty),
        cmocka_unit_test_setup(a_broken_query_fails_the_try, flow_empty),
        cmocka_unit_test_setup(low_priority_goes_to_its_own_share, flow_empty),
    };

    return cmocka_run_group_tests(tests, begin, flow_end);
}
