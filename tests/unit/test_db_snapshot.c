/* A snapshot that is held for long, by a dump or an export, keeps every finished job in the index:
 * claims must pass them by and not walk through them. */
#include "queue.h"

#define JOBS 100000
#define BATCH 20
#define SAMPLE 50 /* claims at the begin, and at the end, that are compared */
#define RATIO 3   /* so much longer may one at the end take; without the mark it is over ten */

/* Of a busy machine's times the least tells most. */
static int64_t least(const int64_t *times)
{
    int64_t found = times[0];

    for (int i = 1; i < SAMPLE; i++) {
        found = times[i] < found ? times[i] : found;
    }
    return found;
}

static void finish(uint64_t from, uint64_t to)
{
    char sql[200];

    (void)snprintf(sql, sizeof sql,
                   "UPDATE hookonce_job SET state = 'done', run_at = UTC_TIMESTAMP(6), claim_token ="
                   " NULL WHERE id BETWEEN %llu AND %llu",
                   (unsigned long long)from, (unsigned long long)to);
    testdb_run(other, sql);
}

static uint64_t claim_and_finish(struct queue *q, int64_t times[SAMPLE])
{
    uint64_t last = 0;

    for (int i = 0; i < SAMPLE; i++) {
        int64_t began = clock_wall_us();
        struct claim c = claimed(q);
        times[i] = clock_wall_us() - began;
        assert_int_equal(c.n, BATCH);
        last = c.jobs[BATCH - 1].id;
        finish(c.jobs[0].id, last);
    }
    return last;
}

static void claims_stay_as_fast_as_they_were(void **state)
{
    struct queue q = queue_of(db, "w1", 60000, BATCH);
    struct db *dump = db_open(&base.settings, DB_OPERATOR);
    int64_t first[SAMPLE], last[SAMPLE];
    (void)state;

    testdb_run(base.outside,
               "INSERT INTO hookonce_job (correlation_id, state, run_at, created_at)"
               " SELECT LPAD(seq, 26, '0'), 'ready', UTC_TIMESTAMP(6) - INTERVAL 1 HOUR +"
               " INTERVAL seq MICROSECOND, UTC_TIMESTAMP(6) FROM seq_1_to_100000");
    testdb_run(dump, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    assert_int_equal(db_begin_reading(dump, &err), HO_OK);
    assert_int_equal(testdb_int(dump, "SELECT COUNT(*) FROM hookonce_job"), JOBS);
    uint64_t id = claim_and_finish(&q, first);
    finish(id + 1, JOBS - (SAMPLE + 1) * BATCH); /* as other workers would */
    struct claim c = claimed(&q);                /* walks past those, once */
    finish(c.jobs[0].id, c.jobs[BATCH - 1].id);
    (void)claim_and_finish(&q, last);
    assert_int_equal(testdb_int(dump, "SELECT COUNT(*) FROM hookonce_job WHERE state = 'ready'"),
                     JOBS);
    db_rollback(dump);
    db_close(dump);
    if (least(last) > RATIO * least(first)) {
        fail_msg("a claim takes %lld us at the end, and took %lld", (long long)least(last),
                 (long long)least(first));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_stay_as_fast_as_they_were),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
