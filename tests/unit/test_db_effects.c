/* Effects: who gets a business key, and what becomes of it. */
#include "queue.h"

#include <sys/wait.h>

#include "store/effects.h"

/* The key of every test here. */
static struct flow_key key_of(const char *text)
{
    struct flow_key key = {.len = strlen(text)};

    (void)snprintf(key.text, sizeof key.text, "%s", text);
    mac_sha256(span_of(text), key.digest);
    return key;
}

static const struct job me = {.id = 1, .cid = "01ARZ3NDEKTSV4RRFFQ69G5FA1", .claim_no = 1};
#define OTHER_CID "01ARZ3NDEKTSV4RRFFQ69G5FA2"

static enum effect_verdict take(enum effect_use use, struct effect *out)
{
    const struct flow_key key = key_of("order 7");

    assert_int_equal(db_begin(db, &err), HO_OK);
    if (effect_take(db, "fulfil", &key, &me, use, out, &err) != HO_OK) {
        fail_msg("take: %s", err.text);
    }
    assert_int_equal(db_commit(db, &err), HO_OK);
    return out->verdict;
}

#define ROW_NOW                                                                                   \
    "SELECT COALESCE((SELECT CONCAT(state, ' ', job_id, IF(done_at IS NULL, '', ' at')) FROM"     \
    " hookonce_effect), 'none')"

/* in: effect — state and owner of the row, NULL: none; owner — what the row of job 2 is, NULL: no job */
static void set_up(const char *effect, const char *owner)
{
    char sql[600];

    work_empty();
    if (effect != NULL) {
        (void)snprintf(sql, sizeof sql,
                       "INSERT INTO hookonce_effect SET flow = 'fulfil', effect_key ="
                       " UNHEX(SHA2('order 7', 256)), business_key = 'order 7', reserved_at ="
                       " UTC_TIMESTAMP(6), correlation_id = '" OTHER_CID "', %s", effect);
        testdb_run(base.outside, sql);
    }
    if (owner != NULL) {
        (void)snprintf(sql, sizeof sql,
                       "INSERT INTO hookonce_job SET id = 2, correlation_id = '" OTHER_CID "',"
                       " run_at = UTC_TIMESTAMP(6), created_at = UTC_TIMESTAMP(6), %s", owner);
        testdb_run(base.outside, sql);
    }
}

static const struct {
    const char *effect, *owner;
    enum effect_use use;
    enum effect_verdict want;
    const char *row;
} takings[] = {
    {NULL, NULL, EFFECT_RESERVE, EFFECT_MINE, "reserved 1"},
    {NULL, NULL, EFFECT_WRITE, EFFECT_MINE, "done 1 at"},
    {NULL, NULL, EFFECT_LOOK, EFFECT_MINE, "none"},
    /* its own */
    {"state = 'reserved', job_id = 1", NULL, EFFECT_RESERVE, EFFECT_MINE, "reserved 1"},
    {"state = 'reserved', job_id = 1", NULL, EFFECT_WRITE, EFFECT_MINE, "done 1 at"},
    {"state = 'done', job_id = 1", NULL, EFFECT_RESERVE, EFFECT_DONE, "done 1"},
    {"state = 'unknown', job_id = 1", NULL, EFFECT_RESERVE, EFFECT_UNKNOWN, "unknown 1"},
    /* done by another, whatever became of its job */
    {"state = 'done', job_id = 2", NULL, EFFECT_RESERVE, EFFECT_DONE, "done 2"},
    {"state = 'done', job_id = 2", "state = 'done', outcome = 'done'", EFFECT_WRITE, EFFECT_DONE,
     "done 2"},
    {"state = 'done', job_id = 2", NULL, EFFECT_LOOK, EFFECT_DONE, "done 2"},
    /* an open job is at it */
    {"state = 'reserved', job_id = 2", "state = 'running'", EFFECT_RESERVE, EFFECT_TAKEN,
     "reserved 2"},
    {"state = 'reserved', job_id = 2", "state = 'ready'", EFFECT_WRITE, EFFECT_TAKEN, "reserved 2"},
    {"state = 'reserved', job_id = 2", "state = 'waiting'", EFFECT_LOOK, EFFECT_TAKEN,
     "reserved 2"},
    /* its owner ended without a word to the effect */
    {"state = 'reserved', job_id = 2", "state = 'dead', first_try_at = UTC_TIMESTAMP(6)",
     EFFECT_RESERVE, EFFECT_UNKNOWN, "unknown 2"},
    {"state = 'reserved', job_id = 2", "state = 'dead'", EFFECT_RESERVE, EFFECT_MINE,
     "reserved 1"},
    {"state = 'reserved', job_id = 2", "state = 'dead'", EFFECT_WRITE, EFFECT_MINE, "done 1 at"},
    {"state = 'reserved', job_id = 2", "state = 'dead'", EFFECT_LOOK, EFFECT_MINE, "reserved 2"},
    {"state = 'reserved', job_id = 2", "state = 'done', outcome = 'stale'", EFFECT_RESERVE,
     EFFECT_MINE, "reserved 1"},
    {"state = 'reserved', job_id = 2",
     "state = 'done', outcome = 'done', first_try_at = UTC_TIMESTAMP(6)", EFFECT_RESERVE,
     EFFECT_DONE, "reserved 2"},
    {"state = 'reserved', job_id = 2", NULL, EFFECT_RESERVE, EFFECT_UNKNOWN, "unknown 2"},
    /* a person must say */
    {"state = 'unknown', job_id = 2", "state = 'dead'", EFFECT_RESERVE, EFFECT_UNKNOWN,
     "unknown 2"},
    {"state = 'unknown', job_id = 2", NULL, EFFECT_WRITE, EFFECT_UNKNOWN, "unknown 2"},
};

static void the_key_goes_to_one_job(void **state)
{
    struct effect effect;
    char got[256];
    (void)state;

    for (size_t i = 0; i < COUNT(takings); i++) {
        set_up(takings[i].effect, takings[i].owner);
        ROW(i, take(takings[i].use, &effect) == takings[i].want);
        ROW_TEXT(i, testdb_text(base.outside, ROW_NOW, got), takings[i].row);
        bool made = takings[i].effect == NULL && takings[i].use != EFFECT_LOOK;
        ROW_TEXT(i, effect.cid, takings[i].effect != NULL ? OTHER_CID : made ? me.cid : "");
    }
}

/* Whoever holds the owner's row works at it: it is open, and nobody waits for it. */
static void an_owner_at_work_is_not_waited_for(void **state)
{
    struct effect effect;
    (void)state;

    set_up("state = 'reserved', job_id = 2", "state = 'dead'");
    assert_int_equal(db_begin(other, &err), HO_OK);
    testdb_run(other, "SELECT id FROM hookonce_job WHERE id = 2 FOR UPDATE");
    int64_t began = clock_mono_ms();
    assert_int_equal(take(EFFECT_RESERVE, &effect), EFFECT_TAKEN);
    assert_true(clock_mono_ms() - began < LOCK_WAIT_MS);
    db_rollback(other);
    assert_int_equal(effect.owner, 2);
}

/* Two at once: the second waits for the first one's COMMIT or ROLLBACK, and then knows. */
static void two_at_once_are_one_after_the_other(void **state)
{
    const struct flow_key key = key_of("order 7");
    const struct job second = {.id = 2, .cid = OTHER_CID, .claim_no = 1};
    (void)state;

    for (int commits = 0; commits <= 1; commits++) {
        struct effect effect;
        int status = 0;
        work_empty();
        assert_int_equal(db_begin(db, &err), HO_OK);
        assert_int_equal(effect_take(db, "fulfil", &key, &me, EFFECT_WRITE, &effect, &err), HO_OK);
        pid_t child = fork();
        if (child == 0) {
            struct db *own = db_open(&base.settings, DB_PROCESSOR);
            bool good = db_begin(own, &err) == HO_OK &&
                        effect_take(own, "fulfil", &key, &second, EFFECT_WRITE, &effect, &err) ==
                            HO_OK &&
                        db_commit(own, &err) == HO_OK &&
                        effect.verdict == (commits == 1 ? EFFECT_DONE : EFFECT_MINE);
            _exit(good ? 0 : 1);
        }
        clock_sleep_ms(300);
        if (commits == 1) {
            assert_int_equal(db_commit(db, &err), HO_OK);
        } else {
            db_rollback(db);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        ASSERT_VALUE(ROW_NOW, commits == 1 ? "done 1 at" : "done 2 at");
    }
}

/* The flow is part of the key, and so is every byte of it. */
static void other_flows_and_keys_are_others(void **state)
{
    const struct flow_key keys[] = {key_of("a"), key_of("A"), key_of("a ")};
    const struct job second = {.id = 2, .cid = OTHER_CID, .claim_no = 1};
    struct effect effect;
    (void)state;

    assert_int_equal(db_begin(db, &err), HO_OK);
    for (size_t i = 0; i < COUNT(keys); i++) {
        assert_int_equal(effect_take(db, "f", &keys[i], &me, EFFECT_RESERVE, &effect, &err), HO_OK);
        assert_true(effect.fresh);
        assert_int_equal(effect_take(db, "g", &keys[i], &second, EFFECT_RESERVE, &effect, &err),
                         HO_OK);
        assert_true(effect.fresh && effect.verdict == EFFECT_MINE && effect.owner == 2);
    }
    assert_int_equal(db_commit(db, &err), HO_OK);
    ASSERT_COUNT("hookonce_effect", 6);
}

static enum ho_code do_done(void)
{
    const struct flow_key key = key_of("order 7");
    return effect_done(db, "fulfil", &key, &me, &err);
}

static enum ho_code do_free(void)
{
    const struct flow_key key = key_of("order 7");
    return effect_free(db, "fulfil", &key, &me, &err);
}

static enum ho_code do_end_untouched(void)
{
    return effect_owner_ended(db, 1, false, &err);
}

static enum ho_code do_end_acted(void)
{
    return effect_owner_ended(db, 1, true, &err);
}

static enum ho_code do_release(void)
{
    return effect_release(db, 1, &err);
}

static void only_the_owner_changes_it(void **state)
{
    static const struct {
        const char *effect;
        enum ho_code (*what)(void);
        const char *row;
    } rows[] = {
        {"state = 'reserved', job_id = 1", do_done, "done 1 at"},
        {"state = 'reserved', job_id = 2", do_done, "reserved 2"},
        {"state = 'reserved', job_id = 1", do_free, "none"},
        {"state = 'reserved', job_id = 2", do_free, "reserved 2"},
        {"state = 'done', job_id = 1", do_free, "done 1"},
        {"state = 'unknown', job_id = 1", do_free, "unknown 1"},
        {"state = 'reserved', job_id = 1", do_end_untouched, "none"},
        {"state = 'reserved', job_id = 1", do_end_acted, "unknown 1"},
        {"state = 'reserved', job_id = 2", do_end_acted, "reserved 2"},
        {"state = 'reserved', job_id = 2", do_end_untouched, "reserved 2"},
        {"state = 'done', job_id = 1", do_end_acted, "done 1"},
        {"state = 'done', job_id = 1", do_end_untouched, "done 1"},
        {"state = 'unknown', job_id = 1", do_end_untouched, "unknown 1"},
        {"state = 'unknown', job_id = 1", do_release, "reserved 1"},
        {"state = 'unknown', job_id = 2", do_release, "unknown 2"},
        {"state = 'done', job_id = 1", do_release, "done 1"},
    };
    char got[256];
    bool doubt;
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        set_up(rows[i].effect, NULL);
        assert_int_equal(effect_in_doubt(db, 1, &doubt, &err), HO_OK);
        ROW(i, doubt == (strcmp(rows[i].effect, "state = 'unknown', job_id = 1") == 0));
        ROW(i, rows[i].what() == HO_OK);
        ROW_TEXT(i, testdb_text(base.outside, ROW_NOW, got), rows[i].row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_key_goes_to_one_job, empty),
        cmocka_unit_test_setup(an_owner_at_work_is_not_waited_for, empty),
        cmocka_unit_test_setup(two_at_once_are_one_after_the_other, empty),
        cmocka_unit_test_setup(other_flows_and_keys_are_others, empty),
        cmocka_unit_test_setup(only_the_owner_changes_it, empty),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
