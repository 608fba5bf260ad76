/* Batches that come at once, over the same events in another order. */
#include <pthread.h>

#include "batch.h"

static struct testdb t;

static int64_t count(const char *what)
{
    char sql[400];

    (void)snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM hookonce_%s", what);
    return testdb_int(t.outside, sql);
}

struct sender {
    pthread_t thread;
    pthread_barrier_t *start;
    size_t number;
    size_t seen[4];
    enum ho_code code;
    struct ho_err err;
};

/* Batches that overlap in their items, which stand in another order in each. */
static void *send(void *arg)
{
    struct sender *s = arg;
    struct request *q = ho_alloc(sizeof *q);
    struct db *own = db_open(&t.settings, DB_RECEIVER);

    request_make(q, 0, 60, "x");
    for (size_t i = 0; i < q->n; i++) {
        size_t other = (i * 7 + s->number * 13) % q->n;
        struct event swap = q->e[i];
        q->e[i] = q->e[other];
        q->e[other] = swap;
    }
    request_seal(q);
    if (db_connect(own, &s->err) != HO_OK) {
        s->code = HO_TRANSIENT;
    }
    (void)pthread_barrier_wait(s->start);
    s->code = inbox_record(own, q->all, q->n, TESTDB_KEY, deadline_in(10000), q->results, &s->err);
    for (size_t i = 0; i < q->n; i++) {
        s->seen[q->results[i]]++;
    }
    db_close(own);
    request_free(q);
    return NULL;
}

static int64_t deadlocks(void)
{
    return testdb_int(t.outside, "SELECT variable_value FROM information_schema.global_status"
                                 " WHERE variable_name = 'Innodb_deadlocks'");
}

static void the_same_batch_from_many_at_once(void **state)
{
    enum { SENDERS = 12, ROUNDS = 4 };
    int64_t before = deadlocks();
    (void)state;

    for (int round = 0; round < ROUNDS; round++) {
        struct sender all[SENDERS];
        pthread_barrier_t start;
        size_t fresh = 0;

        testdb_empty(&t);
        assert_int_equal(pthread_barrier_init(&start, NULL, SENDERS), 0);
        for (size_t i = 0; i < SENDERS; i++) {
            all[i] = (struct sender){.start = &start, .number = i};
            assert_int_equal(pthread_create(&all[i].thread, NULL, send, &all[i]), 0);
        }
        for (size_t i = 0; i < SENDERS; i++) {
            assert_int_equal(pthread_join(all[i].thread, NULL), 0);
            if (all[i].code != HO_OK) {
                fail_msg("sender %zu: %s", i, all[i].err.text);
            }
            assert_int_equal(all[i].seen[RECEIPT_CONFLICT] + all[i].seen[RECEIPT_REPEAT], 0);
            fresh += all[i].seen[RECEIPT_NEW];
        }
        (void)pthread_barrier_destroy(&start);
        assert_int_equal(fresh, 60);
        assert_int_equal(count("receipt"), 60);
        assert_int_equal(count("job"), 60);
        assert_int_equal(count("receipt r JOIN hookonce_body b"
                               " ON b.correlation_id = COALESCE(r.body_id, r.correlation_id)"),
                         60);
    }
    assert_int_equal(deadlocks() - before, 0);
}

static int begin(void **state)
{
    (void)state;
    testdb_begin(&t, "batch_races");
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_batch_from_many_at_once),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
