/* Shares of the claims: no kind of job keeps another from its turn. */
#include "queue.h"

/* So many due jobs of each class, in that order: the numbers of a class follow each other. */
static void jobs_of(const unsigned n[CLASS_N])
{
    char sql[120];
    unsigned at = 1;

    work_events(n[0] + n[1] + n[2], "a");
    for (unsigned c = 0; c < CLASS_N; at += n[c], c++) {
        (void)snprintf(sql, sizeof sql,
                       "UPDATE hookonce_job SET class = %u WHERE id >= %u AND id < %u", c, at,
                       at + n[c]);
        testdb_run(base.outside, sql);
    }
}

static void each_class_has_its_share_of_the_claims(void **state)
{
    static const unsigned n[CLASS_N] = {40, 40, 40};
    static const unsigned batches[] = {1, 2, 3};
    (void)state;

    for (size_t b = 0; b < COUNT(batches); b++) {
        struct queue q = queue_of(db, "w1", 60000, batches[b]);
        unsigned got[CLASS_N] = {0};
        work_empty();
        jobs_of(n);
        for (int i = 0; i < 10; i++) {
            const struct claim c = claimed(&q);
            ROW(b, c.n == batches[b]);
            for (size_t k = 0; k < c.n; k++) {
                got[c.jobs[k].class]++;
            }
        }
        ROW(b, got[CLASS_FRESH] == 6 * batches[b]);
        ROW(b, got[CLASS_TRIED] == 3 * batches[b]);
        ROW(b, got[CLASS_LOW] == batches[b]);
    }
}

static void what_one_class_leaves_goes_to_the_others(void **state)
{
    static const unsigned mixes[][CLASS_N] = {
        {3, 3, 3}, {0, 9, 0}, {0, 0, 9}, {9, 0, 0}, {0, 5, 4}, {1, 0, 8}, {8, 1, 0},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(mixes); i++) {
        struct queue q = queue_of(db, "w1", 60000, 20);
        work_empty();
        jobs_of(mixes[i]);
        ROW(i, claimed(&q).n == 9);
    }
}

/* A class that was short a moment ago is not asked for its own sake; but before it is said that
 * nothing is due, all have been asked. */
static void nothing_due_means_of_no_class(void **state)
{
    static const unsigned fresh[CLASS_N] = {2, 0, 0};
    struct queue q = queue_of(db, "w1", 60000, 20);
    (void)state;

    jobs_of(fresh);
    assert_int_equal(claimed(&q).n, 2);
    assert_true(q.empty_ms[CLASS_TRIED] != 0 && q.empty_ms[CLASS_LOW] != 0);
    testdb_run(base.outside, "UPDATE hookonce_job SET state = 'ready', class = id, run_at ="
                             " UTC_TIMESTAMP(6), claim_token = NULL");
    assert_int_equal(claimed(&q).n, 2);
    assert_int_equal(claimed(&q).n, 0);
}

/* Retries without end do not keep what is fresh waiting, nor the other way round. */
static void a_backlog_of_one_kind_does_not_starve_another(void **state)
{
    static const unsigned n[CLASS_N] = {60, 60, 0};
    struct queue q = queue_of(db, "w1", 60000, 5);
    int rounds = 0;
    (void)state;

    jobs_of(n);
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = run_at - INTERVAL 1 DAY WHERE class"
                             " = 1"); /* older than all that is fresh */
    testdb_run(base.outside, "DELETE FROM hookonce_job WHERE class = 0 AND id > 1");
    while (work_count("hookonce_job WHERE id = 1 AND state = 'ready'") == 1) {
        (void)claimed(&q);
        rounds++;
    }
    assert_true(rounds <= 2);
}

static void each_class_has_its_own_low_water_mark(void **state)
{
    static const unsigned n[CLASS_N] = {3, 3, 0};
    struct queue q = queue_of(db, "w1", 60000, 2);
    unsigned left = 6;
    (void)state;

    jobs_of(n);
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = run_at - INTERVAL 1 DAY WHERE class"
                             " = 1");
    for (int i = 0; i < 6 && left > 0; i++) {
        left -= (unsigned)claimed(&q).n;
    }
    assert_int_equal(left, 0);
}

static void a_row_of_no_class_is_passed_over(void **state)
{
    static const unsigned n[CLASS_N] = {1, 0, 0};
    struct queue q = queue_of(db, "w1", 60000, 2);
    int64_t due;
    (void)state;

    jobs_of(n);
    testdb_run(base.outside, "UPDATE hookonce_job SET class = 9");
    assert_int_equal(claimed(&q).n, 0);
    assert_int_equal(jobs_next_due(&q, &due, &err), HO_OK);
    assert_int_equal(due, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_class_has_its_share_of_the_claims, empty),
        cmocka_unit_test_setup(what_one_class_leaves_goes_to_the_others, empty),
        cmocka_unit_test_setup(nothing_due_means_of_no_class, empty),
        cmocka_unit_test_setup(a_backlog_of_one_kind_does_not_starve_another, empty),
        cmocka_unit_test_setup(each_class_has_its_own_low_water_mark, empty),
        cmocka_unit_test_setup(a_row_of_no_class_is_passed_over, empty),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
