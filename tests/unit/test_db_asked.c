/* A command that was asked, and what that means for later: its idempotency key, the mark of its object,
 * what an operator changes in the config meanwhile. And waits: one clock for all of them. */
#include "flow_run.h"

#include "store/reopen.h"

#define ROUTE(more) "[route order]\nprovider = shop\non = order\n" more
#define SH(name, sh, more) \
    "[handler " name "]\ntimeout = 5s\ncommand = /bin/sh -c \"" sh "\"\n" more
#define TELL "echo $HOOKONCE_IDEMPOTENCY_KEY >&2; exit 1"

#define FLOW \
    "[processor]\nlease = 20s\n" \
    "[source asks]\nprovider = supabase\nsecret = file:hookonce.conf\nmode = reply\nhandler = note\n" \
    "[handler note]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ({event:idempotency_key})\n" \
    SH("tell", TELL, "") SH("renamed", TELL, "") SH("refuses", "exit 65", "") \
    SH("again", "exit 75", "") SH("well", "exit 0", "") SH("later", "exit 69", "") SH("unknown", "exit 1", "at_most_once = yes\n") \
    SH("kills", KILL_WORKER, "at_most_once = yes\n")

static int begin(void **state)
{
    (void)state;
    return flow_begin("asked", FLOW ROUTE("handler = note\n"));
}

/* Another config, as after an edit. */
static void configure(const char *flow)
{
    worker_free(&w); /* its links borrow the settings */
    settings_free(settings);
    settings = work_settings(flow);
    worker_init(&w, settings, TESTDB_KEY);
}

static void run_due(void)
{
    flow_hurry();
    flow_run();
}

#define BODY "{\"order\":\"o1\",\"number\":\"n1\"}"
#define TOLD "SELECT last_error FROM hookonce_job WHERE id = 1"

/* ---- the idempotency key ---- */

static void a_key_that_was_told_stays_whatever_is_renamed(void **state)
{
    static const char *const edits[] = {
        FLOW ROUTE("handler = renamed\nonce_per = {/order}\n"),
        FLOW ROUTE("handler = tell\nonce_per = {/order}\nflow = other\n"),
        FLOW ROUTE("handler = tell\nonce_per = {/number}\n"),
        FLOW ROUTE("handler = renamed\n"),
    };
    char first[256], second[256];
    (void)state;

    for (size_t i = 0; i < COUNT(edits); i++) {
        (void)flow_empty(NULL);
        configure(FLOW ROUTE("handler = tell\nonce_per = {/order}\n"));
        flow_event("evt_1", "order", BODY, 0);
        flow_run();
        ROW_TEXT(i, testdb_text(base.outside, JOBS, first), "order ready failed");
        (void)testdb_text(base.outside, TOLD, first);
        ROW(i, strlen(first) >= 64);
        ROW(i, work_count("hookonce_job WHERE last_error LIKE CONCAT('%', LOWER(HEX(idempotency_key)), '%')") == 1);
        configure(edits[i]);
        run_due();
        ROW(i, work_count("hookonce_job WHERE tries = 2") == 1);
        ROW_TEXT(i, testdb_text(base.outside, TOLD, second), first);
    }
}

/* A command that may have acted, and SQL that would: a person decides. */
static void what_was_asked_does_not_become_sql(void **state)
{
    (void)state;

    configure(FLOW ROUTE("handler = tell\nonce_per = {/order}\n"));
    flow_event("evt_1", "order", BODY, 0);
    flow_run();
    configure(FLOW ROUTE("handler = note\nonce_per = {/order}\n"));
    run_due();
    ASSERT_VALUE(JOBS, "order dead outcome unknown");
    ASSERT_VALUE(EFFECTS, "order o1 unknown 1");
    ASSERT_VALUE(NOTES, "");
    ASSERT_COUNT("hookonce_job WHERE last_error LIKE '%its handler is SQL now'", 1);
}

/* One that certainly did nothing may; and says the key that was told before. */
static void what_did_nothing_may_become_sql(void **state)
{
    (void)state;

    configure(FLOW ROUTE("handler = again\n"));
    flow_event("evt_1", "order", BODY, 0);
    flow_run();
    ASSERT_COUNT("hookonce_job WHERE first_try_at IS NULL AND idempotency_key IS NOT NULL", 1);
    configure(FLOW ROUTE("handler = note\n"));
    run_due();
    ASSERT_VALUE(JOBS, "order done done");
    ASSERT_COUNT("hookonce_job JOIN fx ON note = LOWER(HEX(idempotency_key))", 1);
}

/* ---- what it leaves in doubt ---- */

static enum reopened reopen(uint64_t id, bool release)
{
    enum reopened result;
    char cid[256];

    (void)testdb_text(base.outside, "SELECT correlation_id FROM hookonce_job WHERE id = 1", cid);
    if (reopen_job(w.control, id, span_of(cid), &(const struct reopen_how){.release = release}, &result, &err) != HO_OK) {
        fail_msg("reopen: %s", err.text);
    }
    return result;
}

#define KEYED(handler) FLOW ROUTE("once_per = {/order}\norder_by = {/number}\nhandler = " handler "\n")

/* It failed, and before its next try a newer event of its object ran: it has ended as stale, and nobody
 * knows whether it acted. A person may free its key all the same. */
static void a_key_in_doubt_is_freed_however_its_owner_ended(void **state)
{
    (void)state;

    configure(KEYED("tell"));
    flow_event("evt_1", "order", BODY, 5);
    flow_run();
    configure(KEYED("well"));
    flow_event("evt_2", "order", "{\"order\":\"o2\",\"number\":\"n1\"}", 10);
    flow_run();
    run_due();
    ASSERT_VALUE(JOBS, "order done stale, order done done");
    ASSERT_VALUE(EFFECTS, "order o1 unknown 1, order o2 done 2");
    flow_event("evt_3", "order", "{\"order\":\"o1\",\"number\":\"n3\"}", 11);
    flow_run();
    ASSERT_COUNT("hookonce_job WHERE id = 3 AND waiting_for = 'release'", 1);
    assert_int_equal(reopen(1, false), REOPEN_IN_DOUBT);
    ASSERT_VALUE(EFFECTS, "order o1 unknown 1, order o2 done 2");
    assert_int_equal(reopen(1, true), REOPEN_FREED);
    flow_run(); /* it looks at once */
    ASSERT_VALUE(JOBS, "order done stale, order done done, order done done");
    ASSERT_VALUE(EFFECTS, "order o1 done 3, order o2 done 2");
    assert_int_equal(reopen(1, true), REOPEN_NOTHING);
}

static void a_key_in_doubt_is_freed_when_its_owner_is_gone(void **state)
{
    (void)state;

    configure(FLOW ROUTE("handler = tell\nonce_per = {/order}\nretry = 1 tries, 10s\n"));
    flow_event("evt_1", "order", BODY, 0);
    flow_run();
    ASSERT_VALUE(EFFECTS, "order o1 unknown 1");
    testdb_run(base.outside, "DELETE FROM hookonce_job");
    assert_int_equal(reopen(1, false), REOPEN_IN_DOUBT);
    assert_int_equal(reopen(1, true), REOPEN_FREED);
    ASSERT_VALUE(EFFECTS, "");
}

/* ---- marks ---- */

/* A newer event whose command may have acted goes before an older one, also when it failed. */
static void what_may_have_acted_moves_the_mark(void **state)
{
    static const struct {
        const char *handler, *newer, *older;
        bool dies;
    } rows[] = {
        {"unknown", "outcome unknown", "done stale", false},
        {"kills", "outcome unknown", "done stale", true},
        {"tell\nretry = 1 tries, 10s", "gave up", "done stale", false},
        {"again\nretry = 1 tries, 10s", "gave up", "dead gave up", false},
        {"refuses", "handler gave up", "dead handler gave up", false},
    };
    char flow[2000], want[256], got[256];
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        (void)flow_empty(NULL);
        (void)snprintf(flow, sizeof flow, FLOW ROUTE("order_by = {/order}\nhandler = %s\n"),
                       rows[i].handler);
        configure(flow);
        flow_event("evt_1", "order", BODY, 10);
        if (rows[i].dies) {
            flow_run_and_die();
            ROW(i, flow_reap().dead == 1);
            configure(FLOW ROUTE("order_by = {/order}\nhandler = unknown\n"));
        } else {
            flow_run();
        }
        flow_event("evt_2", "order", BODY, 5);
        flow_run();
        (void)snprintf(want, sizeof want, "order dead %s, order %s", rows[i].newer, rows[i].older);
        ROW_TEXT(i, testdb_text(base.outside, JOBS, got), want);
        bool stale = strcmp(rows[i].older, "done stale") == 0;
        ROW(i, work_count("hookonce_object WHERE mark = 1764500010000000") == (stale ? 1 : 0));
        ROW(i, work_count("hookonce_job o JOIN hookonce_job n ON n.id = 1 AND o.done_by = n.correlation_id"
                          " WHERE o.id = 2") == (stale ? 1 : 0));
    }
}

/* ---- one clock for waiting ---- */

#define AGO(what, how_long) \
    "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6), waiting_for = '" what "', waits_since =" \
    " UTC_TIMESTAMP(6) - INTERVAL " how_long

static void the_clock_of_waits_goes_on_over_reasons(void **state)
{
    (void)state;

    configure(FLOW ROUTE("handler = later\n"));
    flow_event("evt_1", "order", BODY, 0);
    flow_run();
    testdb_run(base.outside, AGO("breaker", "23 HOUR"));
    flow_run();
    ASSERT_VALUE(JOBS, "order ready - for handler");
    ASSERT_COUNT("hookonce_job WHERE waits_since < UTC_TIMESTAMP(6) - INTERVAL 22 HOUR", 1);
    testdb_run(base.outside, AGO("owner", "25 HOUR"));
    flow_run();
    ASSERT_VALUE(JOBS, "order ready failed"); /* a day of it is a failed try, whatever it was for */
    ASSERT_COUNT("hookonce_job WHERE tries = 1 AND waits_since IS NULL", 1);
    run_due();
    ASSERT_COUNT("hookonce_job WHERE waits_since > UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE", 1);
}

/* A worker that vanished before it began has counted no try, so the wait goes on. */
static void a_lost_lease_without_a_try_leaves_the_clock(void **state)
{
    (void)state;

    configure(FLOW ROUTE("handler = note\n"));
    flow_event("evt_1", "order", BODY, 0);
    testdb_run(base.outside, AGO("need", "5 HOUR"));
    flow_take(1);
    assert_int_equal(flow_reap().opened, 1);
    ASSERT_COUNT("hookonce_job WHERE waits_since IS NOT NULL AND tries = 0", 1);
    flow_take(1); /* alone, and charged */
    assert_int_equal(flow_reap().opened, 1);
    ASSERT_COUNT("hookonce_job WHERE waits_since IS NULL AND tries = 1", 1);
}

static void waiting_for_its_turn_is_no_waiting(void **state)
{
    (void)state;

    configure(FLOW ROUTE("handler = later\npriority = low\n"));
    flow_event("evt_1", "order", BODY, 0);
    flow_take(1);
    flow_dispatch(0);
    ASSERT_VALUE(JOBS, "order ready - for turn");
    ASSERT_COUNT("hookonce_job WHERE waits_since IS NULL", 1);
}

/* ---- requests that want an answer, and the queue ---- */

static void the_queue_takes_nothing_of_a_source_that_answers(void **state)
{
    struct event e = testdb_event("evt_1", BODY);
    (void)state;

    configure(FLOW ROUTE("handler = note\n"));
    e.source = SPAN_LIT("asks");
    e.type = SPAN_LIT("order");
    assert_int_equal(testdb_record(base.outside, &e), RECEIPT_NEW);
    flow_event("evt_2", "order", BODY, 0);
    testdb_run(base.outside, "UPDATE hookonce_job SET route = '(reply)' WHERE id = 2");
    flow_run();
    ASSERT_VALUE(JOBS, "- dead no route, (reply) dead no route");
    ASSERT_COUNT("hookonce_job WHERE last_error LIKE 'its source answers requests%' OR last_error LIKE"
                 " 'it says that it answers a request%'", 2);
    ASSERT_VALUE(NOTES, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_key_that_was_told_stays_whatever_is_renamed, flow_empty),
        cmocka_unit_test_setup(what_was_asked_does_not_become_sql, flow_empty),
        cmocka_unit_test_setup(what_did_nothing_may_become_sql, flow_empty),
        cmocka_unit_test_setup(a_key_in_doubt_is_freed_however_its_owner_ended, flow_empty),
        cmocka_unit_test_setup(a_key_in_doubt_is_freed_when_its_owner_is_gone, flow_empty),
        cmocka_unit_test_setup(what_may_have_acted_moves_the_mark, flow_empty),
        cmocka_unit_test_setup(the_clock_of_waits_goes_on_over_reasons, flow_empty),
        cmocka_unit_test_setup(a_lost_lease_without_a_try_leaves_the_clock, flow_empty),
        cmocka_unit_test_setup(waiting_for_its_turn_is_no_waiting, flow_empty),
        cmocka_unit_test_setup(the_queue_takes_nothing_of_a_source_that_answers, flow_empty),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, begin, flow_end);
}
