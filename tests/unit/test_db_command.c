/* A command in hand when something goes wrong: the answer to a COMMIT is lost, somebody else took
 * it up meanwhile, whoever had it leaves in the middle. */
#include "relay.h"
#include "workdb.h"

#include "work/command.h"

#define ALL_DONE "UPDATE hookonce_job SET state = 'done', outcome = 'done', route = 'r'"
#define ALL_DEAD "UPDATE hookonce_job SET state = 'dead', outcome = 'gave up', route = 'r'"

static struct settings *settings;
static struct db *db;
static struct ho_err err;

static struct command_site site(struct db *on)
{
    return (struct command_site){settings, TESTDB_KEY, on};
}

/* Claims what a console asks by this row. */
static struct command_run *claimed(const char *columns, const char *values)
{
    struct command_claim claim;
    const struct command_site at = site(db);
    char sql[400];
    bool got = false;

    (void)snprintf(sql, sizeof sql, "INSERT INTO hookonce_command (%s) VALUES (%s)", columns, values);
    testdb_run(base.outside, sql);
    if (command_next(db, "w", false, &claim, &got, &err) != HO_OK || !got) {
        fail_msg("not claimed: %s", err.text);
    }
    return command_run_new(&at, &claim);
}

static void step_to_the_end(struct command_run *run)
{
    bool ended = false;

    for (int i = 0; i < 100 && !ended; i++) {
        if (command_run_step(run, &ended, &err) != HO_OK) {
            fail_msg("step: %s", err.text);
        }
    }
    assert_true(ended);
}

/* ---- the link breaks at COMMIT ---- */

static void replay_with_a_cut_at(enum cut cut)
{
    struct settings through = base.settings;
    char *sockets[] = {relay.path};
    const struct command_ask ask = {.kind = COMMAND_REPLAY, .source = SPAN_LIT("shop-eu"), .again = true,
                                    .at_most = 100, .reason = SPAN_LIT("once more"),
                                    .asked_by = SPAN_LIT("test")};
    struct command_claim claim;
    char answer[256];

    work_empty();
    work_events(25, "order.paid");
    testdb_run(base.outside, ALL_DONE);
    relay_start(base.sockets[0]);
    through.sockets = sockets;
    struct db *far = db_open(&through, DB_PROCESSOR);
    const struct command_site at = site(far);
    assert_int_equal(command_begin(far, &ask, "test", COMMAND_LEASE_MS, &claim, &err), HO_OK);
    struct command_run *run = command_run_new(&at, &claim);
    atomic_store(&relay.sprung, 0);
    atomic_store(&relay.armed, (int)cut);
    step_to_the_end(run);
    assert_int_equal(atomic_load(&relay.sprung), 1);
    (void)snprintf(answer, sizeof answer, "%.*s", (int)command_run_told(run).answer.len,
                   (const char *)command_run_told(run).answer.p);
    assert_string_equal(answer, "25 of 25 jobs: 25 to be done once more");
    command_run_free(run);
    db_close(far);
    relay_stop();
    ASSERT_COUNT("hookonce_job WHERE state = 'ready' AND replay_no = 1", 25);
    ASSERT_COUNT("hookonce_job", 50);
    ASSERT_COUNT("hookonce_command WHERE state = 'done' AND found = 25 AND did = 25", 1);
}

static void a_lost_answer_to_commit_doubles_and_miscounts_nothing(void **state)
{
    (void)state;
    replay_with_a_cut_at(CUT_BEFORE);
    replay_with_a_cut_at(CUT_AFTER);
}

/* ---- somebody else has it ---- */

static void whoever_lost_it_does_nothing_more_and_does_not_call_it_done(void **state)
{
    static const struct {
        const char *columns, *values;
    } rows[] = {
        {"command, source", "'retry', 'shop-eu'"},
        {"command, source, dry_run", "'retry', 'shop-eu', 'yes'"},
        {"command, source, reason", "'discard', 'shop-eu', 'a test'"},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        work_empty();
        work_events(3, "order.paid");
        testdb_run(base.outside, ALL_DEAD);
        struct command_run *run = claimed(rows[i].columns, rows[i].values);
        testdb_run(base.outside, "UPDATE hookonce_command SET claim_token = REPEAT('x', 16)");
        step_to_the_end(run);
        assert_int_equal(command_run_told(run).state, COMMAND_FAILED);
        assert_true(command_run_told(run).answer.len > 0);
        command_run_free(run);
        ASSERT_COUNT("hookonce_job WHERE state = 'dead' AND outcome = 'gave up'", 3);
        ASSERT_COUNT("hookonce_command WHERE state = 'running' AND answer IS NULL AND found = 0", 1);
        ASSERT_COUNT("hookonce_command WHERE lease_until > UTC_TIMESTAMP(6)", 1);
    }
}

/* ---- it is left in the middle ---- */

static void what_is_left_in_the_middle_is_taken_up_at_once_where_it_stopped(void **state)
{
    struct command_claim claim;
    const struct command_site at = site(db);
    bool ended = false, got = false;
    (void)state;

    work_events(30, "order.paid");
    testdb_run(base.outside, ALL_DEAD);
    struct command_run *run = claimed("command, source, per_minute", "'retry', 'shop-eu', 60000");
    assert_int_equal(command_run_step(run, &ended, &err), HO_OK);
    assert_false(ended);
    command_run_free(run);
    int64_t opened = work_count("hookonce_job WHERE state = 'ready'");
    assert_in_range(opened, 1, 29);
    assert_int_equal(command_next(db, "other", false, &claim, &got, &err), HO_OK);
    assert_true(got);
    run = command_run_new(&at, &claim);
    step_to_the_end(run);
    assert_int_equal(command_run_told(run).did, 30);
    command_run_free(run);
    ASSERT_COUNT("hookonce_job WHERE state = 'ready'", 30);
    ASSERT_COUNT("hookonce_command WHERE state = 'done' AND found = 30 AND did = 30", 1);
}

/* ---- what is said of one job ---- */

#define RETRY_IT {.kind = COMMAND_RETRY}
#define RELEASE_IT {.kind = COMMAND_RELEASE}
#define HOLD_IT {.kind = COMMAND_HOLD}
#define AGAIN .kind = COMMAND_REPLAY, .again = true
#define DISCARD_IT(word) {.kind = COMMAND_DISCARD, .acted = word}
#define GOOD "1 of 1 job: 1 "
#define LEFT "0 of 1 job. Left as they are: 1 ("

static const struct said_row {
    const char *is, *effect; /* of the job; state of its effect, or NULL */
    struct command_ask ask;
    const char *answer; /* begins so */
    const char *becomes;
} said[] = {
    {"state = 'dead', outcome = 'gave up'", NULL, RETRY_IT, GOOD "opened again", "ready"},
    {"state = 'running'", NULL, RETRY_IT, LEFT "it runs now", "running"},
    {"state = 'done', outcome = 'done'", NULL, RETRY_IT, LEFT "it was processed, or nothing", "done"},
    {"state = 'dead', outcome = 'outcome unknown'", "unknown", RETRY_IT, LEFT "it may have done its",
     "dead"},
    {"state = 'waiting', waiting_for = 'hold', held_at = NOW(6)", NULL, RETRY_IT,
     LEFT "it is held, or waits for a pause", "waiting"},
    {"state = 'dead', outcome = 'gave up', route = '(reply)'", NULL, RETRY_IT, LEFT "it answered", "dead"},
    {"state = 'done', outcome = 'done', route = '(reply)'", NULL, {AGAIN}, LEFT "it answered", "done"},
    /* release */
    {"state = 'waiting', waiting_for = 'hold', held_at = NOW(6)", NULL, RELEASE_IT, GOOD "released",
     "ready"},
    {"state = 'waiting', waiting_for = 'pause', held_at = NOW(6)", NULL, RELEASE_IT,
     LEFT "it waits for a pause to end", "waiting"},
    {"state = 'ready'", NULL, RELEASE_IT, LEFT "it is not held, and nothing", "ready"},
    {"state = 'dead', outcome = 'outcome unknown'", "unknown", RELEASE_IT, GOOD "released", "ready"},
    {"state = 'done', outcome = 'stale'", "unknown", RELEASE_IT,
     GOOD "ended and stays so, its business key is free", "done"},
    {"state = 'done', outcome = 'done'", NULL, RELEASE_IT, LEFT "it is not held, and nothing", "done"},
    /* hold */
    {"state = 'ready'", NULL, HOLD_IT, GOOD "held until released", "waiting"},
    {"state = 'waiting', waiting_for = 'hold', held_at = NOW(6)", NULL, HOLD_IT, LEFT "it is held already",
     "waiting"},
    {"state = 'running'", NULL, HOLD_IT, LEFT "it runs now", "running"},
    {"state = 'done', outcome = 'done'", NULL, HOLD_IT, LEFT "it has ended", "done"},
    /* discard, with a word */
    {"state = 'dead', outcome = 'outcome unknown'", "unknown", DISCARD_IT(ACTED_YES), GOOD "discarded",
     "done"},
    {"state = 'dead', outcome = 'outcome unknown'", "unknown", DISCARD_IT(ACTED_NO), GOOD "discarded",
     "done"},
    {"state = 'running'", NULL, DISCARD_IT(ACTED_NO), LEFT "it runs now", "running"},
    {"state = 'done', outcome = 'done'", "done", DISCARD_IT(ACTED_NO), LEFT "it has ended", "done"},
};

/* A job of one event. -> its number. */
static uint64_t one_job(const char *is, const char *effect)
{
    char sql[400];

    work_empty();
    work_events(1, "order.paid");
    (void)snprintf(sql, sizeof sql, "UPDATE hookonce_job SET route = 'r', first_try_at = NOW(6), %s", is);
    testdb_run(base.outside, sql);
    if (effect != NULL) {
        (void)snprintf(sql, sizeof sql,
                       "INSERT INTO hookonce_effect (flow, effect_key, business_key, reserved_at,"
                       " correlation_id, job_id, state) SELECT 'r', REPEAT('k', 32), 'k', NOW(6),"
                       " correlation_id, id, '%s' FROM hookonce_job", effect);
        testdb_run(base.outside, sql);
    }
    return (uint64_t)testdb_int(base.outside, "SELECT id FROM hookonce_job");
}

static void say(size_t i, struct command_ask ask, char answer[256])
{
    struct command_claim claim;
    const struct command_site at = site(db);

    ask.asked_by = ask.reason = SPAN_LIT("test");
    ask.at_most = COMMAND_AT_MOST;
    if (command_begin(db, &ask, "test", COMMAND_LEASE_MS, &claim, &err) != HO_OK) {
        fail_msg("row %zu: %s", i, err.text);
    }
    struct command_run *run = command_run_new(&at, &claim);
    step_to_the_end(run);
    const struct command_told told = command_run_told(run);
    (void)snprintf(answer, 256, "%.*s", (int)told.answer.len, (const char *)told.answer.p);
    ROW(i, told.did == (strstr(answer, "1 of 1 job") != NULL ? 1 : 0));
    ROW(i, told.state == (told.did == 1 ? COMMAND_DONE : COMMAND_REFUSED));
    command_run_free(run);
}

static void each_job_is_told_what_came_of_it(void **state)
{
    char answer[256], is[256];
    (void)state;

    for (size_t i = 0; i < COUNT(said); i++) {
        struct command_ask ask = said[i].ask;

        ask.job = one_job(said[i].is, said[i].effect);
        say(i, ask, answer);
        ROW_TEXT(i, testdb_text(base.outside, "SELECT state FROM hookonce_job", is), said[i].becomes);
        answer[strlen(said[i].answer) < 255 ? strlen(said[i].answer) : 255] = '\0';
        ROW_TEXT(i, answer, said[i].answer);
    }
}

static void a_dry_run_changes_nothing_and_promises_what_is_done(void **state)
{
    static const char dry[] = "Dry run, nothing was changed. It would be so. ";
    char answer[256], is[256], before[256];
    (void)state;

    for (size_t i = 0; i < COUNT(said); i++) {
        struct command_ask ask = said[i].ask;

        if (ask.acted != ACTED_UNSAID) {
            continue; /* only doing it tells */
        }
        ask.dry_run = true;
        ask.job = one_job(said[i].is, said[i].effect);
        (void)testdb_text(base.outside, "SELECT state FROM hookonce_job", before);
        say(i, ask, answer);
        ROW_TEXT(i, testdb_text(base.outside, "SELECT state FROM hookonce_job", is), before);
        ROW(i, strncmp(answer, dry, sizeof dry - 1) == 0);
        memmove(answer, answer + sizeof dry - 1, strlen(answer + sizeof dry - 1) + 1);
        answer[strlen(said[i].answer) < 200 ? strlen(said[i].answer) : 200] = '\0';
        ROW_TEXT(i, answer, said[i].answer);
    }
}

/* What was in doubt when its job went can be let go by the job's number only. */
static void a_key_that_a_job_left_behind_is_released(void **state)
{
    static const struct {
        const char *effect;
        bool dry;
        const char *answer, *key;
    } rows[] = {
        {"unknown", false, "The job is gone; its business key was in doubt, and is free now", "(null)"},
        {"unknown", true, "Nothing was done: there is no such job", "unknown"},
        {"done", false, "Nothing was done: there is no such job", "done"},
        {NULL, false, "Nothing was done: there is no such job", "(null)"},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct command_ask ask = {.kind = COMMAND_RELEASE, .dry_run = rows[i].dry, .at_most = 1,
                                        .asked_by = SPAN_LIT("test"),
                                        .job = one_job("state = 'dead'", rows[i].effect)};
        struct command_claim claim;
        const struct command_site at = site(db);
        char answer[256], key[256];

        testdb_run(base.outside, "DELETE FROM hookonce_job");
        assert_int_equal(command_begin(db, &ask, "test", COMMAND_LEASE_MS, &claim, &err), HO_OK);
        struct command_run *run = command_run_new(&at, &claim);
        step_to_the_end(run);
        const struct command_told told = command_run_told(run);
        (void)snprintf(answer, sizeof answer, "%.*s", (int)told.answer.len, (const char *)told.answer.p);
        ROW_TEXT(i, answer, rows[i].answer);
        ROW(i, told.state == (strncmp(answer, "The job", 7) == 0 ? COMMAND_DONE : COMMAND_REFUSED));
        command_run_free(run);
        ROW_TEXT(i, testdb_text(base.outside, "SELECT MAX(state) FROM hookonce_effect", key), rows[i].key);
    }
}

static int begin(void **state)
{
    (void)state;
    (void)work_begin("command");
    settings = work_settings("sql_commands = retry, discard\n"
                             "[source shop-eu]\nprovider = stripe\nsecret = file:hookonce.conf\n"
                             "[handler note]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ('x')\n"
                             "[route r]\nprovider = shop-eu\nhandler = note\n");
    db = db_open(&base.settings, DB_PROCESSOR);
    return 0;
}

static int end(void **state)
{
    (void)state;
    db_close(db);
    settings_free(settings);
    return work_end();
}

static int empty(void **state)
{
    (void)state;
    work_empty();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_lost_answer_to_commit_doubles_and_miscounts_nothing, empty),
        cmocka_unit_test_setup(whoever_lost_it_does_nothing_more_and_does_not_call_it_done, empty),
        cmocka_unit_test_setup(what_is_left_in_the_middle_is_taken_up_at_once_where_it_stopped, empty),
        cmocka_unit_test_setup(each_job_is_told_what_came_of_it, empty),
        cmocka_unit_test_setup(a_dry_run_changes_nothing_and_promises_what_is_done, empty),
        cmocka_unit_test_setup(a_key_that_a_job_left_behind_is_released, empty),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
