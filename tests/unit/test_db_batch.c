/* Several events of one request: one transaction, one body, a result each. */
#include "batch.h"

#include "store/conflict.h"
#include "store/stored.h"

static struct testdb t;
static struct db *db;

static int64_t count(const char *what)
{
    char sql[400];

    (void)snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM hookonce_%s", what);
    return testdb_int(t.outside, sql);
}

static void assert_recorded(struct request *q)
{
    struct ho_err err;

    if (request_record(db, q, &err) != HO_OK) {
        fail_msg("%s", err.text);
    }
}

static void assert_results(const struct request *q, const char *wanted)
{
    static const char letters[] = "NDCR";

    for (size_t i = 0; i < q->n; i++) {
        if (letters[q->results[i]] != wanted[i]) {
            fail_msg("item %zu: %c, not %c", i, letters[q->results[i]], wanted[i]);
        }
    }
}

/* Every receipt can be read back, is genuine, and has that body. */
static void assert_genuine(const struct request *q)
{
    struct db_rows rows = {0};
    struct ho_err err;

    assert_int_equal(db_run_once(t.outside, "SELECT correlation_id FROM hookonce_receipt", NULL, 0,
                                 &rows, &err),
                     HO_OK);
    for (size_t i = 0; i < rows.n_rows; i++) {
        char cid[ULID_LEN + 1] = "";
        struct stored s;
        memcpy(cid, db_cell(&rows, i, 0).p, ULID_LEN);
        assert_int_equal(stored_load(db, cid, &s, &err), HO_OK);
        assert_true(stored_genuine(&s, TESTDB_KEY));
        assert_true(span_eq(s.event.body, q->e[0].body));
        assert_true(span_eq(s.event.headers, q->e[0].headers));
        stored_free(&s);
    }
    db_rows_free(&rows);
}

static void one_body_for_all(void **state)
{
    struct request *q = ho_alloc(sizeof *q);
    (void)state;

    request_make(q, 0, 5, "x");
    request_seal(q);
    assert_recorded(q);
    assert_results(q, "NNNNN");
    assert_int_equal(count("receipt"), 5);
    assert_int_equal(count("job WHERE state = 'ready'"), 5);
    assert_int_equal(count("body"), 1);
    assert_int_equal(count("receipt WHERE body_id IS NULL"), 1);
    assert_int_equal(count("receipt r JOIN hookonce_body b"
                           " ON b.correlation_id = COALESCE(r.body_id, r.correlation_id)"),
                     5);
    assert_genuine(q);
    /* a body that names another one is not believed */
    testdb_run(t.outside, "UPDATE hookonce_body SET correlation_id ="
                          " '01ARZ3NDEKTSV4RRFFQ69G5FAV'");
    struct stored s;
    struct ho_err err;
    assert_int_equal(stored_load(db, q->e[3].cid, &s, &err), HO_OK);
    assert_false(stored_genuine(&s, TESTDB_KEY));
    stored_free(&s);
    request_free(q);
}

static void the_same_batch_again(void **state)
{
    struct request *q = ho_alloc(sizeof *q);
    struct ho_err err;
    (void)state;

    request_make(q, 0, 5, "x");
    request_seal(q);
    assert_recorded(q);
    assert_recorded(q); /* a COMMIT whose answer was lost */
    assert_results(q, "NNNNN");
    request_seal(q);
    assert_recorded(q);
    assert_results(q, "DDDDD");
    assert_int_equal(inbox_count_duplicates(db, q->all, q->results, q->n, &err), HO_OK);
    q->results[1] = RECEIPT_NEW;
    assert_int_equal(inbox_count_duplicates(db, q->all, q->results, q->n, &err), HO_OK);
    assert_int_equal(count("receipt WHERE duplicates = 2"), 4);
    assert_int_equal(count("receipt WHERE duplicates = 1"), 1);
    assert_int_equal(count("body"), 1);
    assert_int_equal(count("job"), 5);
    request_free(q);
}

/* What is new in a batch is stored whatever else is in it; the body lies under a new one. */
static void new_ones_among_known_ones(void **state)
{
    struct request *first = ho_alloc(sizeof *first), *q = ho_alloc(sizeof *q);
    (void)state;

    request_make(first, 2, 3, "x"); /* evt_2 .. evt_4 */
    request_seal(first);
    assert_recorded(first);
    request_make(q, 0, 7, "x"); /* evt_0 .. evt_6 */
    memset(q->e[3].same, 1, SHA256_LEN); /* evt_3 says something else */
    q->e[6].id = q->e[0].id;             /* twice in one request, the same */
    memcpy(q->e[6].same, q->e[0].same, SHA256_LEN);
    q->e[5].id = q->e[1].id;             /* and another meaning */
    request_seal(q);
    assert_recorded(q);
    assert_results(q, "NNDCDCD");
    assert_int_equal(count("receipt"), 5);
    assert_int_equal(count("body"), 2);
    assert_int_equal(count("job"), 5);
    assert_int_equal(count("receipt r JOIN hookonce_body b"
                           " ON b.correlation_id = COALESCE(r.body_id, r.correlation_id)"
                           " AND UNHEX(SHA2(b.bytes, 256)) = r.body_sha256"),
                     5);
    assert_int_equal(count("conflict WHERE kind = 'meaning' AND event_id = 'evt_000003'"
                           " AND body = '{\"n\":3,\"tag\":\"x\"}' AND body_len > 100"),
                     1);
    assert_int_equal(count("conflict c JOIN hookonce_receipt r"
                           " ON r.correlation_id = c.first_correlation_id"
                           " WHERE c.event_id = 'evt_000001'"
                           " AND c.body = '{\"n\":5,\"tag\":\"x\"}'"),
                     1);
    assert_recorded(q);
    assert_results(q, "NNDCDCD"); /* its own commit, seen again */
    assert_int_equal(count("conflict WHERE seen = 2"), 2);
    request_free(first);
    request_free(q);
}

static void set_guard(struct event *e, unsigned char value)
{
    e->has_guard = true;
    memset(e->guard, value, sizeof e->guard);
}

static void guards_in_a_batch(void **state)
{
    struct request *first = ho_alloc(sizeof *first), *q = ho_alloc(sizeof *q);
    (void)state;

    request_make(first, 0, 2, "x");
    set_guard(&first->e[0], 9);
    set_guard(&first->e[1], 8);
    request_seal(first);
    assert_recorded(first);
    assert_int_equal(count("guard"), 2);
    request_make(q, 1, 5, "x"); /* evt_1 .. evt_5 */
    set_guard(&q->e[0], 1);     /* evt_1 again, under another token: that must not stay */
    set_guard(&q->e[1], 9);     /* evt_2: content of evt_0 */
    set_guard(&q->e[2], 7);     /* new */
    set_guard(&q->e[3], 7);     /* content of the one before */
    set_guard(&q->e[4], 2);     /* new */
    request_seal(q);
    assert_recorded(q);
    assert_results(q, "DRNRN");
    assert_int_equal(count("guard"), 4);
    assert_int_equal(count("guard g JOIN hookonce_receipt r USING (correlation_id)"), 4);
    assert_int_equal(count("conflict WHERE kind = 'repeat'"), 2);
    assert_int_equal(count("receipt"), 4);
    request_free(first);
    request_free(q);
}

/* An item that fails undoes all others. */
static void all_or_none(void **state)
{
    struct request *q = ho_alloc(sizeof *q);
    struct ho_err err;
    (void)state;

    request_make(q, 0, 5, "x");
    set_guard(&q->e[1], 1);
    request_seal(q);
    testdb_run(t.outside, "CREATE TRIGGER refuse BEFORE INSERT ON hookonce_job FOR EACH ROW BEGIN"
                          " IF (SELECT COUNT(*) FROM hookonce_job) = 4 THEN"
                          " SIGNAL SQLSTATE '45000'; END IF; END");
    assert_int_equal(request_record(db, q, &err), HO_PERMANENT);
    testdb_run(t.outside, "DROP TRIGGER refuse");
    assert_int_equal(count("receipt"), 0);
    assert_int_equal(count("body"), 0);
    assert_int_equal(count("job"), 0);
    assert_int_equal(count("guard"), 0);
    assert_recorded(q);
    assert_results(q, "NNNNN");
    request_free(q);
}

#ifndef HO_ABORT_ON_BUG
static void only_what_came_together(void **state)
{
    struct request *q = ho_alloc(sizeof *q);
    struct ho_err err;
    (void)state;

    request_make(q, 0, 2, "x");
    q->e[1].body = SPAN_LIT("{\"all\":[]}");
    request_seal(q);
    assert_int_equal(request_record(db, q, &err), HO_BUG);
    q->e[1].body = q->e[0].body;
    q->e[1].headers = SPAN_LIT("x: y\n");
    request_seal(q);
    assert_int_equal(request_record(db, q, &err), HO_BUG);
    assert_int_equal(inbox_record(db, q->all, 0, TESTDB_KEY, deadline_in(1000), q->results, &err),
                     HO_BUG);
    assert_int_equal(count("receipt"), 0);
    request_free(q);
}
#endif

/* A thousand items stay well within a delivery's deadline, also when all of them are known, or
 * contradict. The bounds are wide: the machine of the tests may be busy. */
static void a_thousand_at_once(void **state)
{
    struct request *q = ho_alloc(sizeof *q);
    char tag[1001];
    struct ho_err err;
    (void)state;

    memset(tag, 'x', sizeof tag - 1);
    tag[sizeof tag - 1] = '\0';
    request_make(q, 0, MOST, tag); /* a body of 1 MB */
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < q->n && round == 2; i++) {
            memset(q->e[i].same, 1, SHA256_LEN);
        }
        request_seal(q);
        int64_t start = clock_mono_ms();
        assert_recorded(q);
        int64_t took = clock_mono_ms() - start;
        (void)fprintf(stderr, "1000 items, %s: %lld ms\n",
                      round == 0 ? "new" : round == 1 ? "known" : "contradicting",
                      (long long)took);
        assert_int_equal(q->results[0], round == 0   ? RECEIPT_NEW
                                        : round == 1 ? RECEIPT_DUPLICATE
                                                     : RECEIPT_CONFLICT);
        if (round == 1) {
            start = clock_mono_ms();
            assert_int_equal(inbox_count_duplicates(db, q->all, q->results, q->n, &err), HO_OK);
            (void)fprintf(stderr, "counted: %lld ms\n", (long long)(clock_mono_ms() - start));
        }
    }
    assert_int_equal(count("receipt WHERE duplicates = 1"), MOST);
    assert_int_equal(count("conflict"), MOST);
    assert_int_equal(count("body"), 1);
    assert_int_equal(count("job"), MOST);
    request_free(q);
}

static int begin(void **state)
{
    (void)state;
    testdb_begin(&t, "batch");
    testdb_tables(&t);
    db = db_open(&t.settings, DB_RECEIVER);
    return 0;
}

static int each(void **state)
{
    (void)state;
    testdb_empty(&t);
    return 0;
}

static int end(void **state)
{
    (void)state;
    db_close(db);
    testdb_end(&t);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_body_for_all, each),
        cmocka_unit_test_setup(the_same_batch_again, each),
        cmocka_unit_test_setup(new_ones_among_known_ones, each),
        cmocka_unit_test_setup(guards_in_a_batch, each),
        cmocka_unit_test_setup(all_or_none, each),
#ifndef HO_ABORT_ON_BUG
        cmocka_unit_test_setup(only_what_came_together, each),
#endif
        cmocka_unit_test_setup(a_thousand_at_once, each),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
