/* Breakers, places and rates of handlers, as several hosts share them. */
#include "limits_job.h"

/* ---- breaker ---- */

static void set_breaker(unsigned n)
{
    handler.breaker = n;
    handler.breaker_ms = 60000;
}

static void opens_after_failures_in_a_row(void **state)
{
    (void)state;
    set_breaker(3);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2; i++) {
            assert_int_equal(enter(1), LIMIT_GO);
            leave(1, LIMIT_FAILED);
        }
        assert_int_equal(enter(1), LIMIT_GO);
        leave(1, LIMIT_SUCCEEDED); /* begins anew */
        assert_int_equal(value("SELECT failures FROM hookonce_handler"), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(enter(1), LIMIT_GO);
        leave(1, LIMIT_FAILED);
        leave(2, LIMIT_NEITHER); /* says nothing of the handler */
    }
    assert_int_equal(enter(1), LIMIT_GO);
    leave(1, LIMIT_FAILED);
    assert_int_equal(enter(2), LIMIT_BREAKER);
    assert_in_range(wait_ms, 55000, 90000);
    assert_int_equal(value("SELECT failures FROM hookonce_handler"), 3);
}

static void opens_at_the_first_of_one(void **state)
{
    (void)state;
    set_breaker(1);
    leave(1, LIMIT_FAILED);
    assert_int_equal(enter(1), LIMIT_BREAKER);
}

static void open_breaker(void)
{
    set_breaker(2);
    leave(1, LIMIT_FAILED);
    leave(2, LIMIT_FAILED);
    assert_int_equal(enter(1), LIMIT_BREAKER);
}

static void lets_one_try_when_half_open(void **state)
{
    (void)state;
    open_breaker();
    let_pass("open_until", "2 MINUTE");
    assert_int_equal(enter(3), LIMIT_GO);
    assert_int_equal(enter(4), LIMIT_BREAKER);
    assert_int_equal(enter_on(other, 5), LIMIT_BREAKER);
    leave(3, LIMIT_FAILED); /* once is enough now */
    assert_int_equal(enter(4), LIMIT_BREAKER);
    assert_in_range(wait_ms, 55000, 90000);
    let_pass("open_until", "2 MINUTE");
    assert_int_equal(enter(4), LIMIT_GO);
    leave(4, LIMIT_SUCCEEDED);
    assert_int_equal(enter(5), LIMIT_GO);
    assert_int_equal(enter(6), LIMIT_GO);
    leave(5, LIMIT_FAILED);
    assert_int_equal(enter(6), LIMIT_GO); /* counted from nothing */
}

static void forgets_who_tried_and_vanished(void **state)
{
    (void)state;
    open_breaker();
    let_pass("open_until", "2 MINUTE");
    assert_int_equal(enter(3), LIMIT_GO);
    assert_int_equal(enter(4), LIMIT_BREAKER);
    let_pass("probe_until", "2 MINUTE");
    assert_int_equal(enter(4), LIMIT_GO);
}

static void tries_again_when_the_one_was_no_try(void **state)
{
    (void)state;
    open_breaker();
    let_pass("open_until", "2 MINUTE");
    assert_int_equal(enter(3), LIMIT_GO);
    leave(3, LIMIT_NEITHER);
    assert_int_equal(enter(4), LIMIT_GO); /* still one at a time */
    assert_int_equal(enter(5), LIMIT_BREAKER);
}

static void hears_who_began_before_it_opened(void **state)
{
    (void)state;
    open_breaker();
    let_pass("open_until", "30 SECOND");
    leave(7, LIMIT_FAILED);
    assert_int_equal(enter(1), LIMIT_BREAKER);
    assert_in_range(wait_ms, 1, 60000); /* it was not made longer */
    leave(8, LIMIT_SUCCEEDED);
    assert_int_equal(enter(1), LIMIT_BREAKER); /* it ended well, and knows nothing newer */
}

/* Half open: only the end of the one that tries it counts. */
static void listens_only_to_who_tries_it(void **state)
{
    static const enum limit_result results[] = {LIMIT_FAILED, LIMIT_SUCCEEDED, LIMIT_NEITHER};
    (void)state;

    for (size_t i = 0; i < COUNT(results); i++) {
        (void)fresh(NULL);
        open_breaker();
        let_pass("open_until", "2 MINUTE");
        assert_int_equal(enter(3), LIMIT_GO);
        leave(7, results[i]); /* began before it opened */
        ROW(i, value("SELECT COUNT(*) FROM hookonce_handler WHERE probe_job = 3 AND probe_claim = 1 AND"
                     " open_until < UTC_TIMESTAMP(6) AND failures = 2") == 1);
        ROW(i, enter(4) == LIMIT_BREAKER);
        leave(3, results[i]);
        ROW(i, value("SELECT COUNT(*) FROM hookonce_handler WHERE probe_job IS NULL AND probe_claim IS"
                     " NULL AND probe_until IS NULL AND probe_from IS NULL") == 1);
        ROW(i, enter(4) == (results[i] == LIMIT_FAILED ? LIMIT_BREAKER : LIMIT_GO));
        ROW(i, value("SELECT failures FROM hookonce_handler") == (int64_t)(2 + (i == 0) - 2 * (i == 1)));
    }
}

/* The config says a shorter time now: that is how a person closes one. */
static void heeds_a_shorter_time(void **state)
{
    int64_t ms = 0;
    (void)state;

    open_breaker();
    assert_int_equal(limits_rest(base.outside, &handler, &ms, &err), HO_OK);
    assert_in_range(ms, 50000, 60000);
    handler.breaker_ms = 40000;
    assert_int_equal(limits_rest(base.outside, &handler, &ms, &err), HO_OK);
    assert_int_equal(ms, 0);
    assert_int_equal(enter(3), LIMIT_GO);
    assert_int_equal(enter(4), LIMIT_BREAKER);
    leave(3, LIMIT_SUCCEEDED);
    assert_int_equal(enter(4), LIMIT_GO);
}

static void a_success_without_a_breaker_forgets_what_one_left(void **state)
{
    (void)state;
    open_breaker();
    handler.breaker = 0;
    assert_int_equal(enter(3), LIMIT_GO);
    leave(3, LIMIT_FAILED);
    assert_int_equal(value("SELECT COUNT(*) FROM hookonce_handler WHERE open_until IS NOT NULL"), 1);
    leave(3, LIMIT_SUCCEEDED);
    assert_int_equal(value("SELECT COUNT(*) FROM hookonce_handler WHERE open_until IS NULL AND failures = 0"), 1);
    set_breaker(2);
    assert_int_equal(enter(4), LIMIT_GO);
    assert_int_equal(enter(5), LIMIT_GO);
}

/* The clock of the database was set back by a day: nothing lasts longer than it may. */
static void survives_a_clock_that_goes_back(void **state)
{
    (void)state;
    open_breaker();
    let_pass("open_until", "-1 DAY");
    assert_int_equal(enter(3), LIMIT_GO);
    assert_int_equal(enter(4), LIMIT_BREAKER);
    let_pass("probe_until", "-1 DAY");
    let_pass("probe_from", "-1 DAY");
    assert_int_equal(enter(4), LIMIT_GO);
    assert_int_equal(enter(5), LIMIT_BREAKER);
    leave(4, LIMIT_SUCCEEDED);

    handler = (struct handler){.name = "crm", .rate = 1, .rate_ms = 60000};
    assert_int_equal(enter(6), LIMIT_GO);
    assert_int_equal(enter(7), LIMIT_RATE);
    let_pass("rate_from", "-1 MINUTE"); /* as the clock of another host may be off */
    assert_int_equal(enter(7), LIMIT_RATE);
    assert_in_range(wait_ms, 1, 75000);
    let_pass("rate_from", "-1 DAY");
    assert_int_equal(enter(7), LIMIT_GO);

    handler = (struct handler){.name = "crm", .concurrency = 1};
    assert_int_equal(enter(8), LIMIT_GO);
    testdb_run(base.outside, "UPDATE hookonce_slot SET held_from = held_from + INTERVAL 1 DAY,"
                             " held_until = held_until + INTERVAL 1 DAY");
    assert_int_equal(enter(9), LIMIT_GO);
}

static void asks_nobody_while_it_is_closed(void **state)
{
    (void)state;
    set_breaker(3);
    leave(1, LIMIT_FAILED);
    testdb_run(other, "SET autocommit = 0");
    testdb_run(other, "SELECT * FROM hookonce_handler FOR UPDATE");
    int64_t start = clock_mono_ms();
    assert_int_equal(enter(1), LIMIT_GO); /* not behind that lock */
    assert_true(clock_mono_ms() - start < LOCK_WAIT_MS);
    testdb_run(other, "COMMIT");
    testdb_run(other, "SET autocommit = 1");
}

static void writes_nothing_that_nobody_needs(void **state)
{
    (void)state;
    assert_false(limits_any(&handler));
    assert_int_equal(enter(1), LIMIT_GO);
    leave(1, LIMIT_FAILED);
    set_breaker(3);
    assert_true(limits_any(&handler));
    assert_int_equal(enter(1), LIMIT_GO);
    leave(1, LIMIT_SUCCEEDED);
    assert_int_equal(value("SELECT COUNT(*) FROM hookonce_handler"), 0);
    assert_int_equal(value("SELECT COUNT(*) FROM hookonce_slot"), 0);
}

/* ---- places ---- */

static void gives_so_many_places(void **state)
{
    (void)state;
    handler.concurrency = 2;
    assert_true(limits_any(&handler));
    assert_int_equal(enter(1), LIMIT_GO);
    assert_int_equal(enter_on(other, 2), LIMIT_GO);
    assert_int_equal(enter(3), LIMIT_SLOTS);
    assert_in_range(wait_ms, 500, 2000);
    leave(3, LIMIT_FAILED); /* had none: gives none back */
    assert_int_equal(enter(4), LIMIT_SLOTS);
    leave(1, LIMIT_SUCCEEDED);
    assert_int_equal(enter(4), LIMIT_GO);
    assert_int_equal(enter(5), LIMIT_SLOTS);
    assert_int_equal(value("SELECT COUNT(*) FROM hookonce_slot"), 2);
    assert_int_equal(value("SELECT slot FROM hookonce_slot WHERE job_id = 4"), 1);
    handler.name = "another";
    assert_int_equal(enter(6), LIMIT_GO);
}

static void asks_less_often_who_waits_long(void **state)
{
    struct job job = job_of(2);
    enum limit_verdict verdict;

    (void)state;
    handler.concurrency = 1;
    assert_int_equal(enter(1), LIMIT_GO);
    job.waited_ms = 3600000;
    assert_int_equal(limits_enter(db, &handler, &job, 60000, &verdict, &wait_ms, &err), HO_OK);
    assert_int_equal(verdict, LIMIT_SLOTS);
    assert_in_range(wait_ms, 15000, 45000);
}

static void frees_places_by_itself(void **state)
{
    static const char *const frees[] = {
        "UPDATE hookonce_slot SET held_until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND",
        "UPDATE hookonce_job SET state = 'ready' WHERE id = 1",
        "UPDATE hookonce_job SET state = 'done' WHERE id = 1",
        "UPDATE hookonce_job SET claim_no = 2 WHERE id = 1",
        "UPDATE hookonce_slot SET job_id = 1000",
    };
    static const char *const not[] = {
        "UPDATE hookonce_slot SET held_until = UTC_TIMESTAMP(6) + INTERVAL 1 SECOND",
        "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) - INTERVAL 1 HOUR WHERE id = 1",
        "UPDATE hookonce_job SET claim_no = 0 WHERE id = 1", /* as an older snapshot shows it */
    };

    for (size_t i = 0; i < COUNT(frees) + COUNT(not); i++) {
        bool is_free = i < COUNT(frees);
        (void)fresh(state);
        handler.concurrency = 1;
        assert_int_equal(enter(1), LIMIT_GO);
        assert_int_equal(enter(2), LIMIT_SLOTS);
        testdb_run(base.outside, is_free ? frees[i] : not[i - COUNT(frees)]);
        ROW(i, enter(2) == (is_free ? LIMIT_GO : LIMIT_SLOTS));
        ROW(i, value("SELECT COUNT(*) FROM hookonce_slot") == 1);
    }
}

static void gives_one_claim_one_place(void **state)
{
    (void)state;
    handler.concurrency = 2;
    handler.rate = 10;
    handler.rate_ms = 60000;
    assert_int_equal(enter(1), LIMIT_GO);
    assert_int_equal(enter(1), LIMIT_GO); /* the answer to the COMMIT was lost */
    assert_int_equal(value("SELECT COUNT(*) FROM hookonce_slot WHERE job_id = 1"), 1);
    assert_int_equal(value("SELECT rate_count FROM hookonce_handler"), 1);
    assert_int_equal(enter(2), LIMIT_GO);
    assert_int_equal(enter(3), LIMIT_SLOTS);
}

static void counts_all_when_the_limit_is_lowered(void **state)
{
    (void)state;
    handler.concurrency = 3;
    for (uint64_t id = 1; id <= 3; id++) {
        assert_int_equal(enter(id), LIMIT_GO);
    }
    handler.concurrency = 1;
    leave(1, LIMIT_SUCCEEDED);
    assert_int_equal(enter(4), LIMIT_SLOTS); /* place 1 is free, but two are at it */
    leave(2, LIMIT_SUCCEEDED);
    assert_int_equal(enter(4), LIMIT_SLOTS);
    leave(3, LIMIT_SUCCEEDED);
    assert_int_equal(enter(4), LIMIT_GO);
}

/* ---- rate ---- */

static void lets_so_many_begin_within_a_time(void **state)
{
    (void)state;
    handler.rate = 3;
    handler.rate_ms = 60000;
    for (uint64_t id = 1; id <= 3; id++) {
        assert_int_equal(enter(id), LIMIT_GO);
        leave(id, LIMIT_SUCCEEDED); /* ended, and counted all the same */
    }
    assert_int_equal(enter(4), LIMIT_RATE);
    assert_in_range(wait_ms, 50000, 75000);
    let_pass("rate_from", "59 SECOND");
    assert_int_equal(enter(4), LIMIT_RATE);
    assert_in_range(wait_ms, 1, 16000);
    let_pass("rate_from", "2 SECOND");
    assert_int_equal(enter(4), LIMIT_GO);
    assert_int_equal(value("SELECT rate_count FROM hookonce_handler"), 1);
}

/* ---- together ---- */

static void counts_only_who_may_go(void **state)
{
    (void)state;
    set_breaker(2);
    handler.concurrency = 1;
    handler.rate = 2;
    handler.rate_ms = 60000;
    assert_int_equal(enter(1), LIMIT_GO);
    assert_int_equal(enter(2), LIMIT_SLOTS); /* no use of the rate */
    leave(1, LIMIT_SUCCEEDED);
    assert_int_equal(enter(2), LIMIT_GO);
    leave(2, LIMIT_SUCCEEDED);
    assert_int_equal(enter(3), LIMIT_RATE); /* and of no place */
    assert_int_equal(value("SELECT COUNT(*) FROM hookonce_slot WHERE job_id IS NOT NULL"), 0);
    leave(4, LIMIT_FAILED);
    leave(5, LIMIT_FAILED);
    assert_int_equal(enter(3), LIMIT_BREAKER);
    let_pass("open_until", "2 MINUTE");
    assert_int_equal(enter(3), LIMIT_RATE); /* nor is it the one that tries */
    let_pass("rate_from", "2 MINUTE");
    assert_int_equal(enter(3), LIMIT_GO);
    assert_int_equal(enter(4), LIMIT_BREAKER);
    assert_int_equal(enter(3), LIMIT_GO); /* the same claim again */
}

static void does_not_bring_all_back_at_once(void **state)
{
    int64_t least = INT64_MAX, most = 0;

    (void)state;
    open_breaker();
    for (uint64_t id = 1; id <= 40; id++) {
        assert_int_equal(enter(id), LIMIT_BREAKER);
        least = wait_ms < least ? wait_ms : least;
        most = wait_ms > most ? wait_ms : most;
    }
    assert_true(most - least > 5000);
}

#define TEST(f) cmocka_unit_test_setup(f, fresh)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(opens_after_failures_in_a_row),
        TEST(opens_at_the_first_of_one),
        TEST(lets_one_try_when_half_open),
        TEST(forgets_who_tried_and_vanished),
        TEST(tries_again_when_the_one_was_no_try),
        TEST(hears_who_began_before_it_opened),
        TEST(listens_only_to_who_tries_it),
        TEST(heeds_a_shorter_time),
        TEST(a_success_without_a_breaker_forgets_what_one_left),
        TEST(survives_a_clock_that_goes_back),
        TEST(asks_nobody_while_it_is_closed),
        TEST(writes_nothing_that_nobody_needs),
        TEST(gives_so_many_places),
        TEST(asks_less_often_who_waits_long),
        TEST(frees_places_by_itself),
        TEST(gives_one_claim_one_place),
        TEST(counts_all_when_the_limit_is_lowered),
        TEST(lets_so_many_begin_within_a_time),
        TEST(counts_only_who_may_go),
        TEST(does_not_bring_all_back_at_once),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
