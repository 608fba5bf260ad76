/* Commands behind the gate: tries that are committed before, keys of jobs that die, workers that vanish. */
#include "flow_run.h"

#include "store/reopen.h"

#define ROUTE(name, more) "[route " name "]\nprovider = shop\non = " name "\n" more
#define COMMAND(name, sh, more) \
    "[handler " name "]\ntimeout = 5s\ncommand = /bin/sh -c \"" sh "\"\n" more

#define FLOW \
    "[processor]\nlease = 20s\n" \
    COMMAND("well", "exit 0", "") COMMAND("fails", "echo no paper >&2; exit 1", "") \
    COMMAND("refuses", "exit 65", "") COMMAND("later", "echo retry-after: 7; exit 69", "") \
    COMMAND("again", "exit 75", "") \
    "[handler slow]\ntimeout = 1s\ncommand = /bin/sleep 60\n" \
    COMMAND("kills", KILL_WORKER, "") COMMAND("kills-once", KILL_WORKER, "at_most_once = yes\n") \
    COMMAND("fails-once", "exit 1", "at_most_once = yes\n") \
    COMMAND("aged", "exit 1", "key_lifetime = 10m\n") \
    COMMAND("switch", "test -e " SWITCH " && exit 65; exit 1", "") \
    "[handler note]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ({event:id})\n" \
    ROUTE("well", "handler = well\nonce_per = {/order}\n") \
    ROUTE("fails", "handler = fails\nonce_per = {/order}\nretry = 2 tries, 10s\n") \
    ROUTE("slow", "handler = slow\nonce_per = {/order}\nretry = 2 tries, 10s\n") \
    ROUTE("refuses", "handler = refuses\nonce_per = {/order}\n") \
    ROUTE("later", "handler = later\nonce_per = {/order}\n") \
    ROUTE("again", "handler = again\nonce_per = {/order}\nretry = 2 tries, 10s\n") \
    ROUTE("kills", "handler = kills\nonce_per = {/order}\nretry = 2 tries, 10s\n") \
    ROUTE("once", "handler = kills-once\nonce_per = {/order}\n") \
    ROUTE("exit1", "handler = fails-once\n") \
    ROUTE("aged", "handler = aged\nonce_per = {/order}\nflow = aged\n") \
    ROUTE("switch", "handler = switch\nonce_per = {/order}\n") \
    ROUTE("lane", "handler = well\norder_by = {/object}\n") \
    ROUTE("plain", "handler = note\n") \
    ROUTE("sql", "handler = note\nonce_per = {/order}\nflow = fails\n")

#define SWITCH "switch"
#define ORDER "{\"order\":\"o1\"}"

static int begin(void **state)
{
    (void)state;
    return flow_begin("outside", FLOW);
}

static int empty(void **state)
{
    (void)unlink(work_file(SWITCH));
    return flow_empty(state);
}

#define TRY "SELECT CONCAT_WS(' ', tries, suspect, first_try_at IS NOT NULL) FROM hookonce_job"

/* ---- how a try ends ---- */

static const struct {
    const char *type;
    unsigned rounds;
    const char *job, *tries, *effects, *attempts;
} ends[] = {
    {"well", 1, "well done done", "1 0 1", "well o1 done 1", "1:1 done"},
    /* it may have acted: others wait while it is tried again, and a person must say in the end */
    {"fails", 1, "fails ready failed", "1 0 1", "fails o1 reserved 1", "1:1 failed"},
    {"fails", 2, "fails dead gave up", "2 0 1", "fails o1 unknown 1", "1:1 failed, 1:2 failed"},
    {"slow", 1, "slow ready failed", "1 0 1", "slow o1 reserved 1", "1:1 outcome unknown"},
    {"slow", 2, "slow dead outcome unknown", "2 0 1", "slow o1 unknown 1",
     "1:1 outcome unknown, 1:2 outcome unknown"},
    /* it says that it did nothing */
    {"refuses", 1, "refuses dead handler gave up", "1 0 0", "", "1:1 handler gave up"},
    {"again", 1, "again ready failed", "1 0 0", "again o1 reserved 1", "1:1 failed"},
    {"again", 2, "again dead gave up", "2 0 0", "", "1:1 failed, 1:2 failed"},
    /* not now: no try */
    {"later", 1, "later ready - for handler", "0 0 0", "", "1:1 deferred"},
    {"later", 2, "later ready - for handler", "0 0 0", "", "1:1 deferred, 1:1 deferred"},
};

static void a_try_ends_as_the_command_says(void **state)
{
    char got[256];
    (void)state;

    for (size_t i = 0; i < COUNT(ends); i++) {
        (void)empty(NULL);
        flow_event("evt_1", ends[i].type, ORDER, 0);
        for (unsigned round = 0; round < ends[i].rounds; round++) {
            flow_hurry();
            flow_run();
        }
        ROW_TEXT(i, testdb_text(base.outside, JOBS, got), ends[i].job);
        ROW_TEXT(i, testdb_text(base.outside, TRY, got), ends[i].tries);
        ROW_TEXT(i, testdb_text(base.outside, EFFECTS, got), ends[i].effects);
        ROW_TEXT(i, testdb_text(base.outside, ATTEMPTS, got), ends[i].attempts);
        ROW(i, work_count("hookonce_attempt WHERE ended_at IS NULL") == 0);
    }
}

/* While the owner retries, others of its key wait; when it is done, they are done already. */
static void others_wait_for_the_owner(void **state)
{
    (void)state;

    flow_event("evt_1", "again", ORDER, 0);
    flow_run();
    flow_event("evt_2", "again", ORDER, 1);
    flow_run();
    ASSERT_VALUE(JOBS, "again ready failed, again ready - for owner");
    ASSERT_VALUE(EFFECTS, "again o1 reserved 1");
    ASSERT_COUNT("hookonce_job WHERE id = 2 AND tries = 0 AND first_try_at IS NULL", 1);
    testdb_run(base.outside, "UPDATE hookonce_effect SET state = 'done'");
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) WHERE id = 2");
    flow_run();
    ASSERT_VALUE(JOBS, "again ready failed, again done already done");
}

static void what_the_command_says_is_kept(void **state)
{
    (void)state;

    flow_event("evt_1", "fails", ORDER, 0);
    flow_run();
    ASSERT_COUNT("hookonce_job WHERE last_error LIKE '%exit code 1: no paper'", 1);
    flow_event("evt_2", "later", ORDER, 0);
    flow_run();
    ASSERT_COUNT("hookonce_job WHERE route = 'later' AND run_at BETWEEN waits_since + INTERVAL"
                 " 5 SECOND AND waits_since + INTERVAL 8 SECOND",
                 1);
}

/* "Not now" for a day is a failed try after all. */
static void not_now_has_an_end(void **state)
{
    (void)state;

    flow_event("evt_1", "later", ORDER, 0);
    flow_run();
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6), waits_since ="
                             " UTC_TIMESTAMP(6) - INTERVAL 25 HOUR");
    flow_run();
    ASSERT_VALUE(JOBS, "later ready failed");
    ASSERT_VALUE(TRY, "1 0 0");
}

/* One doubtful try is enough: a later "nothing done" speaks of itself only. */
static void nothing_done_does_not_clear_an_earlier_doubt(void **state)
{
    (void)state;

    flow_event("evt_1", "switch", ORDER, 0);
    flow_run();
    ASSERT_VALUE(JOBS, "switch ready failed");
    FILE *f = fopen(work_file(SWITCH), "w");
    assert_non_null(f);
    (void)fclose(f);
    flow_hurry();
    flow_run();
    ASSERT_VALUE(JOBS, "switch dead handler gave up");
    ASSERT_VALUE(EFFECTS, "switch o1 unknown 1");
}

/* ---- the key of a job that died ---- */

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

static void a_key_in_doubt_waits_for_a_person(void **state)
{
    (void)state;

    flow_event("evt_1", "fails", ORDER, 0);
    flow_run();
    flow_hurry();
    flow_run();
    ASSERT_VALUE(EFFECTS, "fails o1 unknown 1");
    flow_event("evt_2", "sql", ORDER, 1);
    flow_run();
    ASSERT_VALUE(JOBS, "fails dead gave up, sql ready - for release");
    assert_int_equal(reopen(1, false), REOPEN_IN_DOUBT);
    ASSERT_VALUE(JOBS, "fails dead gave up, sql ready - for release");
    assert_int_equal(reopen(1, true), REOPENED);
    ASSERT_VALUE(EFFECTS, "fails o1 reserved 1"); /* its own: nobody comes in between */
    ASSERT_VALUE("SELECT CONCAT_WS(' ', tries, first_try_at IS NULL) FROM hookonce_job WHERE id = 1",
                 "0 1");
    flow_hurry();
    flow_run();
    ASSERT_VALUE(JOBS, "fails ready failed, sql ready - for owner");
}

static void a_key_past_its_life_is_not_used_again(void **state)
{
    (void)state;

    flow_event("evt_1", "aged", ORDER, 0);
    flow_run();
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6), first_try_at ="
                             " first_try_at - INTERVAL 9 MINUTE");
    flow_run();
    ASSERT_VALUE(JOBS, "aged ready failed");
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6), first_try_at ="
                             " first_try_at - INTERVAL 2 MINUTE");
    flow_run();
    ASSERT_VALUE(JOBS, "aged dead key over");
    ASSERT_VALUE(EFFECTS, "aged o1 unknown 1");
    ASSERT_VALUE("SELECT tries FROM hookonce_job", "2");
    assert_int_equal(reopen(1, false), REOPEN_IN_DOUBT);
    assert_int_equal(reopen(1, true), REOPENED);
    flow_run();
    ASSERT_VALUE(JOBS, "aged ready failed"); /* as new */
}

/* Stamped while the clock was two days ahead: how old the key is, nobody knows. */
static void a_key_from_the_future_is_past_its_life(void **state)
{
    (void)state;

    flow_event("evt_1", "aged", ORDER, 0);
    flow_run();
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6), first_try_at ="
                             " first_try_at + INTERVAL 2 DAY");
    flow_run();
    ASSERT_VALUE(JOBS, "aged dead key over");
    ASSERT_COUNT("hookonce_job WHERE last_error LIKE '%stamped in what is the future now'", 1);
}

/* ---- workers that vanish ---- */

static void a_try_counts_before_its_command_starts(void **state)
{
    (void)state;

    flow_event("evt_1", "kills", ORDER, 0);
    flow_run_and_die();
    ASSERT_VALUE(JOBS, "kills running -");
    ASSERT_VALUE(TRY, "1 0 1");
    ASSERT_VALUE(ATTEMPTS, "1:1 -");
    ASSERT_VALUE(EFFECTS, "kills o1 reserved 1");
    assert_int_equal(flow_reap().opened, 1);
    ASSERT_VALUE(JOBS, "kills ready lease lost");
    ASSERT_VALUE(EFFECTS, "kills o1 reserved 1");
    flow_run_and_die();
    ASSERT_VALUE(TRY, "2 1 1"); /* a suspect's try is counted once, not by claim and gate */
    assert_int_equal(flow_reap().dead, 1);
    ASSERT_VALUE(JOBS, "kills dead worker lost");
    ASSERT_VALUE(ATTEMPTS, "1:1 lease lost, 1:2 lease lost");
    ASSERT_VALUE(EFFECTS, "kills o1 unknown 1");
}

static void at_most_once_is_never_started_again(void **state)
{
    (void)state;

    flow_event("evt_1", "once", ORDER, 0);
    flow_run_and_die();
    assert_int_equal(flow_reap().dead, 1);
    ASSERT_VALUE(JOBS, "once dead outcome unknown");
    ASSERT_VALUE(EFFECTS, "once o1 unknown 1");
    flow_event("evt_2", "exit1", "{}", 0);
    flow_run();
    ASSERT_VALUE(JOBS, "once dead outcome unknown, exit1 dead outcome unknown");
    assert_int_equal(reopen(1, false), REOPEN_IN_DOUBT);
    assert_int_equal(reopen(2, false), REOPEN_IN_DOUBT);
    /* A row that was made ready by hand is not run either: the gate looks too. */
    testdb_run(base.outside, "UPDATE hookonce_job SET state = 'ready', run_at = UTC_TIMESTAMP(6)"
                             " WHERE id = 2");
    flow_run();
    ASSERT_COUNT("hookonce_job WHERE id = 2 AND state = 'dead' AND tries = 1 AND outcome ="
                 " 'outcome unknown'",
                 1);
}

/* ---- claims ---- */

/* What asks outside may take long: what was claimed with it is for others. */
static void a_command_gives_the_rest_of_its_claim_back(void **state)
{
    (void)state;

    flow_event("evt_0", "plain", "{}", 0);
    flow_event("evt_1", "well", "{\"order\":\"o1\"}", 0);
    flow_event("evt_2", "plain", "{}", 0);
    flow_event("evt_3", "well", "{\"order\":\"o2\"}", 0);
    flow_take(4);
    flow_dispatch(0);
    assert_int_equal(claim.n, 4);
    flow_dispatch(1);
    assert_int_equal(claim.n, 2);
    assert_true(w.alone > 0);
    ASSERT_VALUE(JOBS, "plain done done, well done done, - ready -, - ready -");
    ASSERT_COUNT("hookonce_job WHERE state = 'ready' AND tries = 0 AND suspect = 0", 2);
    flow_run();
    ASSERT_VALUE(NOTES, "evt_0,evt_2");
    ASSERT_COUNT("hookonce_job WHERE outcome = 'done'", 4);
}

static void commands_keep_lane_and_mark(void **state)
{
    (void)state;

    flow_event("evt_1", "lane", "{\"object\":\"s\"}", 10);
    flow_event("evt_2", "lane", "{\"object\":\"s\"}", 5);
    flow_run();
    ASSERT_VALUE(JOBS, "lane done done, lane done stale");
    ASSERT_COUNT("hookonce_object WHERE held_by IS NULL AND mark = 1764500010000000", 1);
    ASSERT_VALUE(ATTEMPTS, "1:1 done, 2:1 stale");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_try_ends_as_the_command_says, empty),
        cmocka_unit_test_setup(others_wait_for_the_owner, empty),
        cmocka_unit_test_setup(what_the_command_says_is_kept, empty),
        cmocka_unit_test_setup(not_now_has_an_end, empty),
        cmocka_unit_test_setup(nothing_done_does_not_clear_an_earlier_doubt, empty),
        cmocka_unit_test_setup(a_key_in_doubt_waits_for_a_person, empty),
        cmocka_unit_test_setup(a_key_past_its_life_is_not_used_again, empty),
        cmocka_unit_test_setup(a_key_from_the_future_is_past_its_life, empty),
        cmocka_unit_test_setup(a_try_counts_before_its_command_starts, empty),
        cmocka_unit_test_setup(at_most_once_is_never_started_again, empty),
        cmocka_unit_test_setup(a_command_gives_the_rest_of_its_claim_back, empty),
        cmocka_unit_test_setup(commands_keep_lane_and_mark, empty),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, begin, flow_end);
}
