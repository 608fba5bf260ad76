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
    if (command_next(db, "w", &claim, &got, &err) != HO_OK || !got) {
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
    assert_int_equal(command_next(db, "other", &claim, &got, &err), HO_OK);
    assert_true(got);
    run = command_run_new(&at, &claim);
    step_to_the_end(run);
    assert_int_equal(command_run_told(run).did, 30);
    command_run_free(run);
    ASSERT_COUNT("hookonce_job WHERE state = 'ready'", 30);
    ASSERT_COUNT("hookonce_command WHERE state = 'done' AND found = 30 AND did = 30", 1);
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
    };

    return cmocka_run_group_tests(tests, begin, end);
}
