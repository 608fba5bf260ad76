/* The gate before SQL handlers: one effect a business key, order, lanes, needs. */
#include "flow_run.h"

#include <sys/wait.h>

#include "store/view.h"

#define ROUTE(name, more) "[route " name "]\nprovider = shop\non = " name "\n" more
#define NOTE "handler = note\n"

#define FLOW \
    "[processor]\nlease = 20s\n" \
    "[handler note]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ({event:id})\n" \
    "[handler ask]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ({event:idempotency_key})\n" \
    "[handler picky]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ({event:id})\n" \
    "sql = INSERT INTO orders VALUES ({/order}, 'paid')\n" \
    "[handler slow]\ntimeout = 9s\nsql = INSERT INTO fx (note) VALUES ({event:id})\n" \
    "sql = SELECT SLEEP(0.5)\n" \
    "[handler status]\ntimeout = 5s\n" \
    "sql = REPLACE INTO orders VALUES ({/object}, {/status})\n" \
    "[handler overtaken]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ('never')\n" \
    "sql = UPDATE hookonce_object SET mark = mark + 1000000000000, marked_by = 'newer'\n" \
    "[handler robbed]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ('never')\n" \
    "sql = UPDATE hookonce_object SET held_by = 999, held_claim = 1\n" \
    ROUTE("paid", NOTE "once_per = {/order}\n") \
    ROUTE("also", NOTE "once_per = {/order}\nflow = paid\n") \
    ROUTE("keys", "handler = ask\nonce_per = {/order}\n") \
    ROUTE("plain", "handler = ask\n") \
    ROUTE("strict", "handler = picky\nonce_per = {/order}\nretry = 2 tries, 10s\n") \
    ROUTE("slow", "handler = slow\nonce_per = {/order}\n") \
    ROUTE("subs", "handler = status\norder_by = {/object}\n") \
    ROUTE("more", NOTE "order_by = {/object}\nflow = subs\ntie = skip\n") \
    ROUTE("same", NOTE "order_by = {/object}\ntie = skip\norder_at = {/v}\n") \
    ROUTE("ties", NOTE "order_by = {/object}\norder_at = {/v}\n") \
    ROUTE("fast", "handler = overtaken\norder_by = {/object}\nflow = subs\n") \
    ROUTE("rob", "handler = robbed\nserialize_by = {/object}\n") \
    ROUTE("lane", NOTE "serialize_by = {/object}\n") \
    ROUTE("need", NOTE "serialize_by = {/order}\n" \
          "needs = SELECT 1 FROM orders WHERE id = {/order}\nneeds_wait = 3 tries, 5s to 1m\n") \
    ROUTE("once", NOTE "once_per = {/order}\nneeds = SELECT 1 FROM orders WHERE id = {/order}\n") \
    ROUTE("skip", NOTE "skip_if = SELECT 1 FROM orders WHERE id = {/order} AND status = 'paid'\n") \
    ROUTE("bad", NOTE "needs = SELECT 1 FROM nowhere\nretry = 2 tries, 10s\n") \
    ROUTE("low", NOTE "priority = low\n") \
    ROUTE("high", NOTE "priority = high\n")

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
                 " UTC_TIMESTAMP(6) + INTERVAL 3 SECOND AND UTC_TIMESTAMP(6) + INTERVAL 6 SECOND",
                 1);
    /* As long again as it has waited, to a minute at most. */
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6), waits_since ="
                             " UTC_TIMESTAMP(6) - INTERVAL 20 SECOND WHERE id = 2");
    flow_run();
    ASSERT_COUNT("hookonce_job WHERE id = 2 AND waits = 2 AND run_at BETWEEN UTC_TIMESTAMP(6) +"
                 " INTERVAL 18 SECOND AND UTC_TIMESTAMP(6) + INTERVAL 25 SECOND AND waits_since <"
                 " UTC_TIMESTAMP(6) - INTERVAL 19 SECOND",
                 1);
    testdb_run(base.outside, "UPDATE hookonce_effect SET state = 'unknown'");
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) WHERE id = 2");
    flow_run();
    ASSERT_VALUE(JOBS, "- ready -, paid ready - for release");
    ASSERT_COUNT("hookonce_job WHERE waits_since > UTC_TIMESTAMP(6) - INTERVAL 5 SECOND", 1);
    ASSERT_COUNT("hookonce_job WHERE last_error LIKE '%hookonce retry --release 1'", 1);
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
    assert_int_equal(view_open_jobs(base.outside, 10, &rows, &err), HO_OK);
    assert_int_equal(rows.n_rows, 3);
    size_t i = row_of(&rows, VIEW_J_STATE, "waiting");
    assert_true(span_is(db_cell(&rows, i, VIEW_J_WAITING_FOR), "lane"));
    assert_int_equal(db_cell_int(&rows, i, VIEW_J_WAITS), 1);
    assert_int_equal(db_cell(&rows, i, VIEW_J_WAITS_SINCE).len, 26);
    i = row_of(&rows, VIEW_J_STATE, "ready");
    assert_true(span_is(db_cell(&rows, i, VIEW_J_WAITING_FOR), "need"));
    assert_int_equal(view_receipts(base.outside, &received, &rows, &err), HO_OK);
    assert_int_equal(rows.n_rows, 2);
    (void)testdb_text(base.outside, "SELECT correlation_id FROM hookonce_receipt WHERE event_id ="
                                    " 'evt_1'", cid);
    assert_int_equal(view_timeline(base.outside, span_of(cid), &rows, &err), HO_OK);
    i = row_of(&rows, VIEW_T_WHAT, "waits");
    assert_true(span_starts(db_cell(&rows, i, VIEW_T_DETAIL), "job 901, for lane, put off 1 times: "));
    (void)row_of(&rows, VIEW_T_WHAT, "waiting");
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
                 " UTC_TIMESTAMP(6) + INTERVAL 4 SECOND AND UTC_TIMESTAMP(6) + INTERVAL 7 SECOND",
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
                 " no row, looked 4 times'",
                 1);
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
        cmocka_unit_test_setup(a_busy_lane_is_slept_for_outside_the_claim_index, flow_empty),
        cmocka_unit_test_setup(what_waits_is_shown, flow_empty),
        cmocka_unit_test_setup(a_wake_up_is_never_swallowed, flow_empty),
        cmocka_unit_test_setup(a_vanished_holder_is_not_waited_for, flow_empty),
        cmocka_unit_test_setup(a_need_is_waited_for_without_a_try, flow_empty),
        cmocka_unit_test_setup(a_need_that_does_not_come_is_a_dead_letter, flow_empty),
        cmocka_unit_test_setup(a_key_counts_before_a_need, flow_empty),
        cmocka_unit_test_setup(what_is_so_already_is_not_done, flow_empty),
        cmocka_unit_test_setup(a_broken_query_fails_the_try, flow_empty),
        cmocka_unit_test_setup(low_priority_goes_to_its_own_share, flow_empty),
    };

    return cmocka_run_group_tests(tests, begin, flow_end);
}
