/* Jobs discarded by a person: which may be, what becomes of their business key, what is kept. */
#include "queue.h"

#include "store/discard.h"
#include "store/reopen.h"

static const struct discard_row {
    const char *is;     /* what the job is made */
    const char *effect; /* state of the effect that it owns; NULL: none */
    enum discard_acted acted;
    enum discarded what;
    enum discard_has key;
    const char *becomes; /* "" when nothing changed */
} rows[] = {
    /* without a word about what it did */
    {"state = 'dead', outcome = 'gave up'", NULL, ACTED_UNSAID, DISCARDED, DISCARD_KEY_NONE,
     "done,discarded,processed,discarded"},
    {"state = 'ready', outcome = 'failed'", "reserved", ACTED_UNSAID, DISCARDED, DISCARD_KEY_NONE,
     "done,discarded,processed,discarded"},
    {"state = 'ready', first_try_at = NOW(6)", "reserved", ACTED_UNSAID, DISCARDED,
     DISCARD_KEY_UNKNOWN, "done,discarded,processed,discarded asked unknown"},
    {"state = 'dead', outcome = 'outcome unknown', first_try_at = NOW(6)", "unknown", ACTED_UNSAID,
     DISCARDED, DISCARD_KEY_UNKNOWN, "done,discarded,processed,discarded asked unknown"},
    {"state = 'waiting', waiting_for = 'lane'", NULL, ACTED_UNSAID, DISCARDED, DISCARD_KEY_NONE,
     "done,discarded,processed,discarded"},
    /* with */
    {"state = 'dead', outcome = 'outcome unknown', first_try_at = NOW(6)", "unknown", ACTED_YES,
     DISCARDED, DISCARD_KEY_DONE, "done,discarded,processed,discarded asked done"},
    {"state = 'dead', outcome = 'outcome unknown', first_try_at = NOW(6)", "unknown", ACTED_NO,
     DISCARDED, DISCARD_KEY_NONE, "done,discarded,processed,discarded"},
    {"state = 'ready', first_try_at = NOW(6)", "reserved", ACTED_NO, DISCARDED, DISCARD_KEY_NONE,
     "done,discarded,processed,discarded"},
    {"state = 'dead', outcome = 'gave up'", NULL, ACTED_YES, DISCARDED, DISCARD_KEY_NONE,
     "done,discarded,processed,discarded"},
    /* what has ended: only while it is in doubt, and only with a word */
    {"state = 'done', outcome = 'discarded', first_try_at = NOW(6)", "unknown", ACTED_YES,
     DISCARDED, DISCARD_KEY_DONE, "done,discarded,processed,discarded asked done"},
    {"state = 'done', outcome = 'stale', first_try_at = NOW(6)", "unknown", ACTED_NO, DISCARDED,
     DISCARD_KEY_NONE, "done,discarded,processed,discarded"},
    {"state = 'done', outcome = 'discarded', first_try_at = NOW(6)", "unknown", ACTED_UNSAID,
     DISCARD_NOTHING, DISCARD_KEY_UNKNOWN, ""},
    {"state = 'done', outcome = 'done', first_try_at = NOW(6)", "done", ACTED_NO, DISCARD_NOTHING,
     DISCARD_KEY_DONE, ""},
    {"state = 'done', outcome = 'ignored'", NULL, ACTED_YES, DISCARD_NOTHING, DISCARD_KEY_NONE, ""},
    {"state = 'running'", NULL, ACTED_YES, DISCARD_RUNS, DISCARD_KEY_NONE, ""},
};

static void set_up(const struct discard_row *row, char cid[256])
{
    char sql[600];

    work_empty();
    work_events(1, "a");
    (void)snprintf(sql, sizeof sql,
                   "UPDATE hookonce_job SET route = 'r', claim_no = 4, run_at = NOW(6) + INTERVAL 1"
                   " DAY, %s", row->is);
    testdb_run(base.outside, sql);
    (void)testdb_text(base.outside, "SELECT correlation_id FROM hookonce_job", cid);
    if (row->effect != NULL) {
        (void)snprintf(sql, sizeof sql,
                       "INSERT INTO hookonce_effect SET flow = 'r', effect_key = REPEAT('k', 32),"
                       " business_key = 'k', reserved_at = NOW(6), correlation_id = '%s',"
                       " job_id = (SELECT id FROM hookonce_job), state = '%s'", cid, row->effect);
        testdb_run(base.outside, sql);
    }
}

static void a_job_is_discarded_with_its_business_key(void **state)
{
    static const char look[] =
        "SELECT CONCAT(j.state, ',', IFNULL(j.outcome, '-'), ',', r.status, ',',"
        " IFNULL(r.outcome, '-'), IF(j.first_try_at IS NULL, '', ' asked'),"
        " COALESCE((SELECT CONCAT(' ', e.state) FROM hookonce_effect e), ''))"
        " FROM hookonce_job j JOIN hookonce_receipt r USING (correlation_id)";
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct discard d = {.acted = rows[i].acted, .command = 77};
        struct discard_result got;
        char cid[256], before[256], after[256];

        set_up(&rows[i], cid);
        (void)testdb_text(base.outside, look, before);
        uint64_t id = (uint64_t)testdb_int(base.outside, "SELECT id FROM hookonce_job");
        if (discard_job(db, id, span_of(cid), &d, &got, &err) != HO_OK) {
            fail_msg("row %zu: %s", i, err.text);
        }
        ROW(i, got.what == rows[i].what);
        ROW(i, got.key == rows[i].key);
        (void)testdb_text(base.outside, look, after);
        ROW_TEXT(i, after, rows[i].becomes[0] != '\0' ? rows[i].becomes : before);
        ROW(i, testdb_int(base.outside, "SELECT command_id FROM hookonce_job") ==
                   (rows[i].what == DISCARDED ? 77 : 0));
        ROW(i, testdb_int(base.outside, "SELECT claim_no FROM hookonce_job") ==
                   (rows[i].what == DISCARDED ? 5 : 4));
    }
}

/* A job that was woken for its lane and is discarded before it runs must hand the wake-up on. */
static void who_waits_behind_it_is_woken(void **state)
{
    const struct discard d = {.acted = ACTED_UNSAID};
    struct discard_result got;
    char cid[256];
    (void)state;

    work_empty();
    work_events(2, "a");
    testdb_run(base.outside, "UPDATE hookonce_job SET lane = REPEAT('l', 32), state ="
                             " IF(id = 1, 'ready', 'waiting'), run_at = NOW(6) + INTERVAL 1 DAY");
    (void)testdb_text(base.outside, "SELECT correlation_id FROM hookonce_job WHERE id = 1", cid);
    assert_int_equal(discard_job(db, 1, span_of(cid), &d, &got, &err), HO_OK);
    assert_int_equal(got.what, DISCARDED);
    ASSERT_COUNT("hookonce_job WHERE id = 2 AND state = 'ready' AND run_at <= UTC_TIMESTAMP(6)", 1);
    ASSERT_COUNT("hookonce_job WHERE id = 1 AND state = 'done' AND lane IS NULL", 1);
}

/* A claim that was made before, and comes back late, changes nothing any more. */
static void a_claim_from_before_is_over(void **state)
{
    const struct discard d = {.acted = ACTED_UNSAID};
    struct queue q = queue_of(db, "w1", 60000, 20);
    struct discard_result got;
    (void)state;

    work_empty();
    work_events(1, "a");
    struct claim c = claimed(&q);
    testdb_run(base.outside, "UPDATE hookonce_job SET state = 'ready'");
    assert_int_equal(discard_job(other, c.jobs[0].id, span_of(c.jobs[0].cid), &d, &got, &err),
                     HO_OK);
    testdb_run(base.outside, "UPDATE hookonce_job SET state = 'running'");
    assert_false(settle(db, &c.jobs[0], JOB_DONE, OUTCOME_DONE));
}

static const struct {
    const char *is;
    bool release;
    enum reopened opened;
} again[] = {
    {"first_try_at = NULL", false, REOPENED},
    {"first_try_at = NOW(6)", false, REOPEN_IN_DOUBT},
    {"first_try_at = NOW(6)", true, REOPENED},
    {"route = '(reply)'", false, REOPEN_ANSWERED},
};

static void a_discarded_job_may_be_opened_again(void **state)
{
    static const struct discard_row dead = {"state = 'dead'", NULL, ACTED_UNSAID, DISCARDED,
                                            DISCARD_KEY_NONE, ""};
    (void)state;

    for (size_t i = 0; i < COUNT(again); i++) {
        const struct discard d = {.acted = ACTED_UNSAID};
        struct discard_result got;
        enum reopened opened;
        char cid[256], sql[200];

        set_up(&dead, cid);
        uint64_t id = (uint64_t)testdb_int(base.outside, "SELECT id FROM hookonce_job");
        (void)snprintf(sql, sizeof sql, "UPDATE hookonce_job SET %s", again[i].is);
        testdb_run(base.outside, sql);
        ROW(i, discard_job(db, id, span_of(cid), &d, &got, &err) == HO_OK);
        ROW(i, got.what == DISCARDED);
        ROW(i, reopen_job(db, id, span_of(cid), &(const struct reopen_how){.release = again[i].release}, &opened, &err) == HO_OK);
        ROW(i, opened == again[i].opened);
        ROW(i, testdb_int(base.outside, "SELECT state = 'ready' FROM hookonce_job") ==
                   (opened == REOPENED));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_job_is_discarded_with_its_business_key, empty),
        cmocka_unit_test_setup(who_waits_behind_it_is_woken, empty),
        cmocka_unit_test_setup(a_claim_from_before_is_over, empty),
        cmocka_unit_test_setup(a_discarded_job_may_be_opened_again, empty),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
