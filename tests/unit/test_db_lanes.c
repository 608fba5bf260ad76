/* Objects and lanes: who holds one, whose mark counts, who is woken. */
#include "queue.h"

#include "store/lanes.h"

static struct flow_key key_of(const char *text)
{
    struct flow_key key = {.len = strlen(text)};

    (void)snprintf(key.text, sizeof key.text, "%s", text);
    mac_sha256(span_of(text), key.digest);
    return key;
}

static const struct job me = {.id = 1, .cid = "01ARZ3NDEKTSV4RRFFQ69G5FA1", .claim_no = 3};

static struct lane_state look(struct db *on, const struct job *job)
{
    const struct flow_key key = key_of("sub_1");
    struct lane_state lane;

    if (lane_look(on, "subs", &key, job, &lane, &err) != HO_OK) {
        fail_msg("look: %s", err.text);
    }
    return lane;
}

/* in: holder — what job 2 is, NULL: there is none; row — of the object */
static void set_up(const char *row, const char *holder)
{
    char sql[500];

    work_empty();
    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO hookonce_object SET flow = 'subs', object_key ="
                   " UNHEX(SHA2('sub_1', 256)), object_id = 'sub_1', changed_at ="
                   " UTC_TIMESTAMP(6)%s", row);
    testdb_run(base.outside, sql);
    if (holder != NULL) {
        (void)snprintf(sql, sizeof sql,
                       "INSERT INTO hookonce_job SET id = 2, correlation_id ="
                       " '01ARZ3NDEKTSV4RRFFQ69G5FA2', run_at = UTC_TIMESTAMP(6), created_at ="
                       " UTC_TIMESTAMP(6), %s", holder);
        testdb_run(base.outside, sql);
    }
}

#define HELD_BY_2 \
    ", held_by = 2, held_claim = 7, held_until = UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE"
#define HELD_BY_1 \
    ", held_by = 1, held_claim = 3, held_until = UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE"

static const struct {
    const char *row, *holder;
    bool held, ours;
} holders[] = {
    {"", NULL, false, false},
    {HELD_BY_2, "state = 'running', claim_no = 7", true, false},
    {HELD_BY_2, "state = 'running', claim_no = 8", false, false}, /* another claim of it */
    {HELD_BY_2, "state = 'ready', claim_no = 7", false, false},
    {HELD_BY_2, "state = 'waiting', claim_no = 7", false, false},
    {HELD_BY_2, "state = 'done', claim_no = 7", false, false},
    {HELD_BY_2, "state = 'dead', claim_no = 7", false, false},
    {HELD_BY_2, NULL, false, false},
    {", held_by = 2, held_claim = 7, held_until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND",
     "state = 'running', claim_no = 7", false, false},
    /* a clock that went back: it ends further ahead than twice its length; and one that is only off */
    {HELD_BY_2 ", held_from = UTC_TIMESTAMP(6) + INTERVAL 31 SECOND",
     "state = 'running', claim_no = 7", false, false},
    {HELD_BY_2 ", held_from = UTC_TIMESTAMP(6) + INTERVAL 20 SECOND",
     "state = 'running', claim_no = 7", true, false},
    {HELD_BY_1, NULL, false, true},
    {", held_by = 1, held_claim = 2, held_until = UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE", NULL,
     false, false}, /* an older claim of its own */
};

static void a_lane_is_held_by_a_running_claim(void **state)
{
    (void)state;

    for (size_t i = 0; i < COUNT(holders); i++) {
        set_up(holders[i].row, holders[i].holder);
        assert_int_equal(db_begin(db, &err), HO_OK);
        const struct lane_state lane = look(db, &me);
        db_rollback(db);
        ROW(i, lane.held == holders[i].held);
        ROW(i, lane.ours == holders[i].ours);
        ROW(i, !lane.has_mark && lane.marked_by[0] == '\0');
    }
}

/* A handler's transaction holds its job's row for as long as it runs: nobody waits for that. */
static void a_holder_at_work_is_not_waited_for(void **state)
{
    (void)state;

    set_up(HELD_BY_2, "state = 'ready', claim_no = 7"); /* as it will be, if that commits */
    assert_int_equal(db_begin(other, &err), HO_OK);
    testdb_run(other, "SELECT id FROM hookonce_job WHERE id = 2 FOR UPDATE");
    assert_int_equal(db_begin(db, &err), HO_OK);
    int64_t began = clock_mono_ms();
    assert_true(look(db, &me).held);
    assert_true(clock_mono_ms() - began < LOCK_WAIT_MS);
    db_rollback(db);
    db_rollback(other);
}

static void the_row_is_made_once_and_held(void **state)
{
    const struct flow_key key = key_of("sub_1");
    (void)state;

    assert_int_equal(db_begin(db, &err), HO_OK);
    assert_false(look(db, &me).held);
    assert_int_equal(lane_hold(db, "subs", &key, &me, NULL, 60000, &err), HO_OK);
    assert_true(look(db, &me).ours);
    assert_int_equal(db_commit(db, &err), HO_OK);
    ASSERT_COUNT("hookonce_object WHERE object_id = 'sub_1' AND held_by = 1 AND held_claim = 3 AND"
                 " held_until BETWEEN UTC_TIMESTAMP(6) + INTERVAL 50 SECOND AND UTC_TIMESTAMP(6) +"
                 " INTERVAL 60 SECOND",
                 1);
}

static void a_mark_only_moves_up(void **state)
{
#define TIME ", mark_of = 'time'"
    static const struct {
        const char *row, *of;
        int64_t mark, want;
        bool moves;
    } rows[] = {
        {"", "time", 5, 5, true},
        {", mark = 4" TIME, "time", 5, 5, true},
        {", mark = 5" TIME, "time", 5, 5, false},
        {", mark = 6" TIME, "time", 5, 6, false},
        {", mark = -9223372036854775808" TIME, "time", -1, -1, true},
        {", mark = 9223372036854775806" TIME, "time", INT64_MAX, INT64_MAX, true},
        {", mark = 6" TIME, "number {/version}", 5, 5, true},
        {", mark = 6" TIME, "time {/created}", 5, 5, true},
        {", mark = 6, mark_of = 'number {/version}'", "number {/version}", 5, 6, false},
    };
    const struct flow_key key = key_of("sub_1");
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        set_up(rows[i].row, NULL);
        assert_int_equal(db_begin(db, &err), HO_OK);
        const struct lane_mark mark = {rows[i].mark, rows[i].of};
        assert_int_equal(lane_mark(db, "subs", &key, &me, &mark, &err), HO_OK);
        const struct lane_state lane = look(db, &me);
        assert_int_equal(db_commit(db, &err), HO_OK);
        ROW(i, lane.has_mark && lane.mark == rows[i].want);
        ROW(i, strcmp(lane.mark_of, rows[i].of) == 0);
        ROW(i, (strcmp(lane.marked_by, me.cid) == 0) == rows[i].moves);
    }
}

/* ---- waking ---- */

#define STATES "SELECT GROUP_CONCAT(state ORDER BY id) FROM hookonce_job"

static void sleepers(unsigned n, char lane)
{
    char sql[400];

    for (unsigned i = 0; i < n; i++) {
        (void)snprintf(sql, sizeof sql,
                       "INSERT INTO hookonce_job SET correlation_id = '%c%u', state = 'waiting',"
                       " run_at = UTC_TIMESTAMP(6) + INTERVAL %u MINUTE, created_at ="
                       " UTC_TIMESTAMP(6), lane = REPEAT('%c', 32), waiting_for = 'lane'",
                       lane, i, 9 - i, lane);
        testdb_run(base.outside, sql);
    }
}

static void who_leaves_wakes_the_oldest_of_its_lane(void **state)
{
    const struct flow_key key = key_of("sub_1");
    static const char *const want[] = {
        "waiting,waiting,ready,waiting,waiting", "waiting,waiting,ready,ready,waiting",
        "waiting,waiting,ready,ready,ready", "waiting,waiting,ready,ready,ready"};
    unsigned char lane[SHA256_LEN];
    (void)state;

    set_up(HELD_BY_1, NULL);
    sleepers(2, 'a');
    sleepers(3, 'b');
    memset(lane, 'b', sizeof lane);
    for (size_t i = 0; i < COUNT(want); i++) {
        char got[256];
        bool woke = false;
        assert_int_equal(db_begin(db, &err), HO_OK);
        assert_int_equal(i == 0 ? lane_leave(db, "subs", &key, lane, &me, &woke, &err)
                                : lane_wake(db, lane, &woke, &err),
                         HO_OK);
        assert_int_equal(db_commit(db, &err), HO_OK);
        ROW(i, woke == (i < 3));
        ROW_TEXT(i, testdb_text(base.outside, STATES, got), want[i]);
    }
    ASSERT_COUNT("hookonce_job WHERE state = 'ready' AND run_at <= UTC_TIMESTAMP(6)", 3);
    ASSERT_COUNT("hookonce_object WHERE held_by IS NULL AND held_claim IS NULL AND held_until IS"
                 " NULL",
                 1);
}

/* Somebody else's lane stays as it is, whoever says that he leaves. */
static void only_its_own_claim_leaves_a_lane(void **state)
{
    const struct flow_key key = key_of("sub_1");
    const struct job late = {.id = 1, .claim_no = 2};
    const unsigned char lane[SHA256_LEN] = {0};
    bool woke;
    (void)state;

    set_up(HELD_BY_1, NULL);
    assert_int_equal(db_begin(db, &err), HO_OK);
    assert_int_equal(lane_leave(db, "subs", &key, lane, &late, &woke, &err), HO_OK);
    assert_int_equal(db_commit(db, &err), HO_OK);
    ASSERT_COUNT("hookonce_object WHERE held_by = 1", 1);
}

/* The object's lock orders who marks himself waiting and who leaves: whoever looks waits for it. */
static void looking_waits_for_who_leaves(void **state)
{
    const struct flow_key key = key_of("sub_1");
    const unsigned char lane[SHA256_LEN] = {0};
    const struct job second = {.id = 9, .claim_no = 1};
    struct lane_state seen;
    bool woke;
    (void)state;

    set_up(HELD_BY_1, NULL);
    testdb_run(base.outside, "INSERT INTO hookonce_job SET id = 1, correlation_id = 'a', state ="
                             " 'running', claim_no = 3, run_at = UTC_TIMESTAMP(6) + INTERVAL 1"
                             " MINUTE, created_at = UTC_TIMESTAMP(6)");
    testdb_run(other, "SET SESSION innodb_lock_wait_timeout = 1");
    assert_int_equal(db_begin(db, &err), HO_OK);
    assert_int_equal(lane_leave(db, "subs", &key, lane, &me, &woke, &err), HO_OK);
    assert_int_equal(db_begin(other, &err), HO_OK);
    assert_int_equal(lane_look(other, "subs", &key, &second, &seen, &err), HO_TRANSIENT);
    assert_int_equal(err.sys, 1205);
    db_rollback(other);
    assert_int_equal(db_commit(db, &err), HO_OK);
    assert_int_equal(db_begin(other, &err), HO_OK);
    assert_false(look(other, &second).held);
    db_rollback(other);
    db_disconnect(other);
}

/* A holder that vanished wakes nobody: sleepers look by themselves when their time has come. */
static void who_overslept_is_woken_by_the_reaper(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, 20);
    struct reaped reaped;
    (void)state;

    sleepers(3, 'a');
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND"
                             " WHERE correlation_id <> 'a1'");
    assert_int_equal(jobs_reap(&q, &(struct reaper){NULL, NULL, NULL}, &reaped, &err), HO_OK);
    assert_int_equal(reaped.woken, 2);
    ASSERT_VALUE(STATES, "ready,waiting,ready");
    int64_t due = -1;
    testdb_run(base.outside, "DELETE FROM hookonce_job WHERE state = 'ready'");
    assert_int_equal(jobs_next_due(&q, &due, &err), HO_OK);
    assert_in_range(due, 7 * 60000, 8 * 60000); /* a worker waits no longer than that */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_lane_is_held_by_a_running_claim, empty),
        cmocka_unit_test_setup(a_holder_at_work_is_not_waited_for, empty),
        cmocka_unit_test_setup(the_row_is_made_once_and_held, empty),
        cmocka_unit_test_setup(a_mark_only_moves_up, empty),
        cmocka_unit_test_setup(who_leaves_wakes_the_oldest_of_its_lane, empty),
        cmocka_unit_test_setup(only_its_own_claim_leaves_a_lane, empty),
        cmocka_unit_test_setup(looking_waits_for_who_leaves, empty),
        cmocka_unit_test_setup(who_overslept_is_woken_by_the_reaper, empty),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
