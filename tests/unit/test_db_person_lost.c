/* What a person asks for, when the answer to its COMMIT is lost: it is done once, and said to be done. */
#include "relay.h"
#include "workdb.h"

#include "store/conflict_release.h"
#include "store/discard.h"
#include "store/pause.h"
#include "store/reopen.h"

static struct settings *settings;
static struct db *far; /* through the relay */
static struct ho_err err;

#define WELL(call) \
    do { \
        if ((call) != HO_OK) { \
            fail_msg("%s", err.text); \
        } \
    } while (0)

static void holds(void)
{
    enum held got = HOLD_MISSING;

    work_events(1, "a");
    WELL(hold_job(far, 1, &got, &err));
    assert_int_equal(got, HOLD_DONE);
    ASSERT_COUNT("hookonce_job WHERE state = 'waiting' AND waiting_for = 'hold'", 1);
}

static void releases(void)
{
    enum held got = HOLD_MISSING;

    work_events(1, "a");
    testdb_run(base.outside, "UPDATE hookonce_job SET state = 'waiting', waiting_for = 'hold', held_at = NOW(6)");
    WELL(hold_release(far, 1, &got, &err));
    assert_int_equal(got, HOLD_DONE);
    ASSERT_COUNT("hookonce_job WHERE state = 'ready' AND held_at IS NULL", 1);
}

static void pauses(void)
{
    const struct pause p = {.kind = PAUSE_SOURCE, .name = "shop-eu"};
    bool fresh = false;

    WELL(pause_set(far, &p, "anna", "why not", &fresh, &err));
    assert_true(fresh);
    ASSERT_COUNT("hookonce_pause WHERE who = 'anna'", 1);
}

static void resumes(void)
{
    const struct pause p = {.kind = PAUSE_SOURCE, .name = "shop-eu"};
    uint64_t waiting = 0;
    bool was = false;

    testdb_run(base.outside, "INSERT INTO hookonce_pause (kind, name) VALUES ('source', 'shop-eu')");
    WELL(pause_end(far, &p, &was, &waiting, &err));
    assert_true(was);
    ASSERT_COUNT("hookonce_pause", 0);
}

static void retries(void)
{
    const struct reopen_how how = {.release = false};
    enum reopened got = REOPEN_NOTHING;
    char cid[256];

    work_events(1, "a");
    testdb_run(base.outside, "UPDATE hookonce_job SET state = 'dead', outcome = 'gave up'");
    (void)testdb_text(base.outside, "SELECT correlation_id FROM hookonce_job", cid);
    WELL(reopen_job(far, 1, span_of(cid), &how, &got, &err));
    assert_int_equal(got, REOPENED);
    ASSERT_COUNT("hookonce_job WHERE state = 'ready' AND reopened = 1", 1);
}

static void discards(void)
{
    const struct discard d = {.acted = ACTED_UNSAID};
    struct discard_result got;
    char cid[256];

    work_events(1, "a");
    testdb_run(base.outside, "UPDATE hookonce_job SET state = 'dead', outcome = 'gave up'");
    (void)testdb_text(base.outside, "SELECT correlation_id FROM hookonce_job", cid);
    WELL(discard_job(far, 1, span_of(cid), &d, &got, &err));
    assert_int_equal(got.what, DISCARDED);
    ASSERT_COUNT("hookonce_job WHERE state = 'done' AND outcome = 'discarded'", 1);
}

static void lets_a_delivery_in(void)
{
    struct event e = testdb_event("evt_1", "{\"n\":1}");
    const struct conflict_release_how how = {.settings = settings, .key = TESTDB_KEY};
    enum conflict_released got = RELEASE_MISSING;
    char cid[ULID_LEN + 1];

    e.has_guard = true;
    assert_int_equal(testdb_record(base.outside, &e), RECEIPT_NEW);
    e.id = SPAN_LIT("evt_2");
    ulid_new(clock_wall_us(), e.cid);
    assert_int_equal(testdb_record(base.outside, &e), RECEIPT_REPEAT);
    uint64_t id = (uint64_t)testdb_int(base.outside, "SELECT id FROM hookonce_conflict");
    WELL(conflict_release(far, id, &how, &got, cid, &err));
    assert_int_equal(got, RELEASED);
    assert_string_equal(cid, e.cid);
    ASSERT_COUNT("hookonce_receipt", 2);
    ASSERT_COUNT("hookonce_job", 2);
}

static void is_done_once_and_said_to_be_done(void **state)
{
    static void (*const all[])(void) = {holds, releases, pauses, resumes, retries, discards, lets_a_delivery_in};
    struct settings through = base.settings;
    char *sockets[] = {relay.path};
    (void)state;

    through.sockets = sockets;
    for (size_t i = 0; i < COUNT(all); i++) {
        for (int cut = CUT_BEFORE; cut <= CUT_AFTER; cut++) {
            work_empty();
            testdb_run(base.outside, "DELETE FROM hookonce_guard");
            testdb_run(base.outside, "DELETE FROM hookonce_conflict");
            relay_start(base.sockets[0]);
            far = db_open(&through, DB_OPERATOR);
            WELL(db_connect(far, &err));
            atomic_store(&relay.sprung, 0);
            atomic_store(&relay.armed, cut);
            all[i]();
            ROW(i, atomic_load(&relay.sprung) == 1);
            db_close(far);
            relay_stop();
        }
    }
}

static int begin(void **state)
{
    (void)state;
    (void)work_begin("person");
    settings = work_settings("[handler note]\ntimeout = 5s\nsql = INSERT INTO fx (note) VALUES ('x')\n");
    return 0;
}

static int end(void **state)
{
    (void)state;
    settings_free(settings);
    return work_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_done_once_and_said_to_be_done)};

    return cmocka_run_group_tests(tests, begin, end);
}
