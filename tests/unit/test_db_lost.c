/* Recording when the answer to COMMIT is lost: what is stored is all or nothing, the caller is
 * told what is sure, and the sender's next delivery finds the truth. */
#include "relay.h"

static struct testdb t;

static void commits_with_a_lost_answer(void **state)
{
    static const struct {
        enum cut cut;
        int64_t deadline_ms;
        enum ho_code code;
        int64_t stored;               /* after the call */
        enum receipt_result provider; /* what its next delivery finds */
    } rows[] = {
        {CUT_BEFORE, 2000, HO_OK, 1, RECEIPT_DUPLICATE},
        {CUT_AFTER, 2000, HO_OK, 1, RECEIPT_DUPLICATE},
        /* no answer within the read timeout (2 s): the deadline is over */
        {HOLE_BEFORE, 1500, HO_TRANSIENT, 0, RECEIPT_NEW},
        {HOLE_AFTER, 1500, HO_TRANSIENT, 1, RECEIPT_DUPLICATE},
        /* time for a second look: the first transaction still holds the key, or it took */
        {HOLE_BEFORE, 3500, HO_TRANSIENT, 0, RECEIPT_NEW},
        {HOLE_AFTER, 3500, HO_OK, 1, RECEIPT_DUPLICATE},
    };
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct settings s = t.settings;
        char *sockets[] = {relay.path};
        struct event e = testdb_event("evt_1", "body");
        enum receipt_result result;
        struct ho_err err;

        testdb_empty(&t);
        relay_start(t.sockets[0]);
        s.sockets = sockets;
        struct db *db = db_open(&s, DB_RECEIVER);
        assert_int_equal(db_connect(db, &err), HO_OK);
        atomic_store(&relay.sprung, 0);
        atomic_store(&relay.armed, (int)rows[i].cut);
        enum ho_code code = testdb_try(db, &e, rows[i].deadline_ms, &result, &err);
        int64_t stored = testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_job");
        if (code != rows[i].code || stored != rows[i].stored ||
            (code == HO_OK && result != RECEIPT_NEW) || atomic_load(&relay.sprung) != 1) {
            fail_msg("row %zu: code %d, result %d, %d stored: %s", i, (int)code, (int)result,
                     (int)stored, err.text);
        }
        db_close(db);
        relay_stop();
        db = db_open(&t.settings, DB_RECEIVER);
        ulid_new(clock_wall_us(), e.cid);
        assert_int_equal(testdb_try(db, &e, 2000, &result, &err), HO_OK);
        assert_int_equal(result, rows[i].provider);
        testdb_assert_stored(&t, 1);
        db_close(db);
    }
}

static int begin(void **state)
{
    (void)state;
    testdb_begin(&t, "lost");
    testdb_tables(&t);
    return 0;
}

static int end(void **state)
{
    (void)state;
    testdb_end(&t);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(commits_with_a_lost_answer)};

    return cmocka_run_group_tests(tests, begin, end);
}
