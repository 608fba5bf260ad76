/* Pauses and holds: what they stop, what they cost (nothing), and that nothing is left behind. */
#include "flow_routes.h"

#include "base/text.h"
#include "store/pause.h"
#include "store/reopen.h"
#include "store/sql_jobs.h"
#include "store/sql_pause.h"
#include "work/pausing.h"

static int begin(void **state)
{
    (void)state;
    return flow_begin("pause", FLOW);
}

static int empty(void **state)
{
    w.pausing.looked_ms = w.pausing.tended_ms = 0;
    pauses_free(&w.pausing.now);
    return flow_empty(state);
}

/* ---- helpers ---- */

static struct pause pause_named(enum pause_kind kind, const char *name)
{
    struct pause p = {.kind = kind};

    (void)snprintf(p.name, sizeof p.name, "%s", name);
    return p;
}

static void set(enum pause_kind kind, const char *name)
{
    const struct pause p = pause_named(kind, name);
    bool fresh = false;

    assert_int_equal(pause_set(base.outside, &p, "me", "for a test", &fresh, &err), HO_OK);
    assert_true(fresh);
}

static uint64_t end_pause(enum pause_kind kind, const char *name)
{
    const struct pause p = pause_named(kind, name);
    uint64_t waiting = 0;
    bool was = false;

    assert_int_equal(pause_end(base.outside, &p, &was, &waiting, &err), HO_OK);
    assert_true(was);
    return waiting;
}

/* As a worker does between two claims, however long ago its last look was. */
static void tend(void)
{
    bool more;

    w.pausing.tended_ms = 0;
    assert_int_equal(pausing_tend(&w, &more, &err), HO_OK);
    assert_false(more);
}

static void turn(void)
{
    tend();
    if (!w.pausing.now.everything) {
        flow_run();
    }
}

static enum held hold(uint64_t id)
{
    enum held what;

    assert_int_equal(hold_job(base.outside, id, &what, &err), HO_OK);
    return what;
}

static enum held release(uint64_t id)
{
    enum held what;

    assert_int_equal(hold_release(base.outside, id, &what, &err), HO_OK);
    return what;
}

#define STATES "SELECT GROUP_CONCAT(CONCAT(state, IF(held_at IS NULL, '', CONCAT(' ', waiting_for)))" \
    " ORDER BY id) FROM hookonce_job"
#define PARKED "hookonce_job WHERE state = 'waiting' AND waiting_for = 'pause' AND held_at IS NOT NULL" \
    " AND run_at = '9999-12-31' AND lane IS NOT NULL AND tries = 0"

/* ---- pauses ---- */

static const struct {
    enum pause_kind kind;
    const char *name, *other; /* what it is not about: a type of event, NULL for none */
} kinds[] = {
    {PAUSE_EVERYTHING, "", NULL},
    {PAUSE_SOURCE, "shop-eu", NULL},
    {PAUSE_ROUTE, "plain", "high"},
    {PAUSE_HANDLER, "ask", "high"},
};

static void what_is_paused_waits_and_costs_nothing_and_the_rest_runs(void **state)
{
    (void)state;

    for (size_t i = 0; i < COUNT(kinds); i++) {
        (void)empty(NULL);
        set(kinds[i].kind, kinds[i].name);
        flow_event("evt_1", "plain", "{}", 0);
        flow_event("evt_2", "plain", "{}", 0);
        flow_event("evt_3", kinds[i].other != NULL ? kinds[i].other : "plain", "{}", 0);
        turn();
        ROW(i, work_count("fx") == (kinds[i].other != NULL ? 1 : 0));
        ROW(i, work_count(PARKED) == (kinds[i].other != NULL ? 2 : 3));
        ROW(i, work_count("hookonce_attempt") == work_count("fx"));
        ROW(i, work_count("hookonce_receipt WHERE status = 'received'") == work_count(PARKED));
        turn();
        flow_take(0); /* not claimed again, however often it is looked, nor woken */
        ROW(i, work_count("hookonce_job WHERE state = 'waiting' AND waits = 1") == work_count(PARKED));
        ROW(i, end_pause(kinds[i].kind, kinds[i].name) == (kinds[i].other != NULL ? 2 : 3));
        turn();
        ASSERT_COUNT("fx", 3);
        ASSERT_COUNT("hookonce_job WHERE state = 'done' AND tries = 1 AND held_at IS NULL AND lane IS"
                     " NULL AND waits_since IS NULL", 3);
    }
}

/* A row of another kind with that name, or of a like name, is another pause. */
static void names_are_taken_by_the_byte(void **state)
{
    (void)state;

    set(PAUSE_ROUTE, "ask");
    set(PAUSE_HANDLER, "plain");
    set(PAUSE_SOURCE, "shop");
    set(PAUSE_SOURCE, "SHOP-EU");
    flow_event("evt_1", "plain", "{}", 0);
    turn();
    ASSERT_COUNT("fx", 1);
}

/* It comes back to the share of the claims that it had, whether its route is known then or not. */
static void a_pause_does_not_change_whose_turn_it_is(void **state)
{
    (void)state;

    flow_event("evt_1", "low", "{}", 0);
    flow_take(1);
    flow_dispatch(0);
    ASSERT_COUNT("hookonce_job WHERE class = 2 AND route = 'low'", 1);
    set(PAUSE_SOURCE, "shop-eu");
    turn();
    ASSERT_COUNT("hookonce_job WHERE class = 2 AND route = 'low' AND waits = 2 AND held_at IS NOT NULL", 1);
}

/* The clock that bounds its waits stands still; what it had waited before still counts. */
static void a_pause_is_no_wait(void **state)
{
    (void)state;

    flow_event("evt_1", "need", "{\"order\":\"o1\"}", 0);
    flow_event("evt_2", "plain", "{}", 0);
    turn();
    set(PAUSE_SOURCE, "shop-eu");
    flow_event("evt_3", "plain", "{}", 0);
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6), waits_since ="
                             " UTC_TIMESTAMP(6) - INTERVAL 1 HOUR WHERE id = 1");
    turn();
    ASSERT_VALUE(STATES, "waiting pause,done,waiting pause");
    ASSERT_COUNT("hookonce_job WHERE id = 3 AND waits_since IS NULL AND waits = 1", 1);
    testdb_run(base.outside, "UPDATE hookonce_job SET held_at = held_at - INTERVAL 10 DAY,"
                             " waits_since = waits_since - INTERVAL 10 DAY WHERE id = 1");
    (void)end_pause(PAUSE_SOURCE, "shop-eu");
    tend();
    ASSERT_COUNT("hookonce_job WHERE id = 1 AND state = 'ready' AND run_at <= UTC_TIMESTAMP(6) AND"
                 " TIMESTAMPDIFF(MINUTE, waits_since, UTC_TIMESTAMP(6)) BETWEEN 59 AND 70", 1);
    ASSERT_COUNT("hookonce_job WHERE id = 3 AND state = 'ready' AND waits_since IS NULL", 1);
    flow_run();
    ASSERT_COUNT("hookonce_job WHERE waited_for = 'need,pause' AND need_waits = 2 AND tries = 0", 1);
}

/* A row that somebody deleted, a resume that was killed: the jobs are found by what they wait for. */
static void nobody_is_forgotten(void **state)
{
    const struct pauses none = {.n = 0};
    uint64_t woken = 0;
    (void)state;

    set(PAUSE_HANDLER, "ask");
    set(PAUSE_ROUTE, "high");
    work_events(250, "plain");
    flow_event("evt_h", "high", "{}", 0);
    turn();
    ASSERT_COUNT(PARKED, 251);
    testdb_run(base.outside, "DELETE FROM hookonce_pause WHERE kind = 'handler'");
    testdb_run(base.outside, "UPDATE hookonce_job SET state = 'ready', run_at = UTC_TIMESTAMP(6),"
                             " lane = NULL, held_at = NULL WHERE id <= 100");
    turn();
    ASSERT_COUNT("fx", 250);
    ASSERT_COUNT(PARKED, 1);
    assert_int_equal(pause_wake(base.outside, &none, deadline_in(5000), &woken, &err), HO_OK);
    assert_int_equal(woken, 1);
    ASSERT_COUNT(PARKED, 0);
}

/* In the midst of a batch it looks, too; what has to be done between batches is not put off by that. */
static void a_look_just_before_puts_nothing_off(void **state)
{
    bool more;
    (void)state;

    set(PAUSE_HANDLER, "ask");
    flow_event("evt_1", "plain", "{}", 0);
    turn();
    ASSERT_COUNT(PARKED, 1);
    (void)end_pause(PAUSE_HANDLER, "ask");
    clock_sleep_ms(PAUSING_LOOK_MS);
    assert_int_equal(pausing_look(&w, &err), HO_OK);
    assert_int_equal(pausing_tend(&w, &more, &err), HO_OK);
    ASSERT_COUNT(PARKED, 0);
}

static void the_oldest_go_first(void **state)
{
    (void)state;

    set(PAUSE_EVERYTHING, "");
    work_events(250, "high");
    turn();
    (void)end_pause(PAUSE_EVERYTHING, "");
    turn();
    ASSERT_COUNT("(SELECT id, note, LAG(note) OVER (ORDER BY id) AS before_it FROM fx) AS f"
                 " WHERE note < before_it", 0);
    ASSERT_COUNT("fx", 250);
}

/* A parked job that meets another pause when its own is over is parked for that one. */
static void the_last_of_several_pauses_counts(void **state)
{
    (void)state;

    set(PAUSE_SOURCE, "shop-eu");
    flow_event("evt_1", "plain", "{}", 0);
    turn();
    set(PAUSE_HANDLER, "ask");
    (void)end_pause(PAUSE_SOURCE, "shop-eu");
    turn();
    ASSERT_COUNT(PARKED, 1);
    ASSERT_COUNT("fx", 0);
    assert_int_equal(end_pause(PAUSE_HANDLER, "ask"), 1);
    turn();
    ASSERT_COUNT("fx", 1);
    ASSERT_COUNT("hookonce_job WHERE waited_for = 'pause' AND waits = 2", 1);
}

/* Whoever was woken for a lane and is parked hands the wake-up on: another route may share it. */
static void a_pause_does_not_swallow_a_wake_up(void **state)
{
    (void)state;

    for (int everything = 0; everything <= 1; everything++) {
        (void)empty(NULL);
        flow_event("evt_1", "subs", "{\"object\":\"s\",\"status\":\"a\"}", 0);
        flow_event("evt_2", "more", "{\"object\":\"s\"}", 1);
        testdb_run(base.outside, "UPDATE hookonce_job SET lane = REPEAT('l', 32), route ="
                                 " IF(id = 1, 'subs', 'more'), waiting_for = 'lane', waits_since ="
                                 " UTC_TIMESTAMP(6), state = IF(id = 1, 'ready', 'waiting'),"
                                 " run_at = UTC_TIMESTAMP(6) + INTERVAL IF(id = 1, 0, 60) SECOND");
        set(everything ? PAUSE_EVERYTHING : PAUSE_ROUTE, everything ? "" : "subs");
        turn();
        turn();
        ASSERT_VALUE(STATES, everything ? "waiting pause,waiting pause" : "waiting pause,done");
    }
}

static void one_that_a_worker_vanished_with_is_not_charged(void **state)
{
    (void)state;

    flow_event("evt_1", "plain", "{}", 0);
    flow_take(1);
    (void)flow_reap();
    ASSERT_COUNT("hookonce_job WHERE state = 'ready' AND suspect = 1 AND tries = 0", 1);
    set(PAUSE_HANDLER, "ask");
    turn();
    ASSERT_COUNT(PARKED, 1);
    ASSERT_COUNT("hookonce_job WHERE suspect = 1 AND route = 'plain'", 1);
}

static void a_pause_is_written_once(void **state)
{
    const struct pause p = pause_named(PAUSE_SOURCE, "shop-eu");
    char text[2100];
    bool fresh = true, was = false;
    uint64_t waiting;
    (void)state;

    set(PAUSE_SOURCE, "shop-eu");
    assert_int_equal(pause_set(base.outside, &p, "you", "again", &fresh, &err), HO_OK);
    assert_false(fresh);
    ASSERT_VALUE("SELECT CONCAT(who, ': ', reason) FROM hookonce_pause", "me: for a test");
    assert_int_equal(pause_end(base.outside, &p, &was, &waiting, &err), HO_OK);
    assert_true(was);
    assert_int_equal(pause_end(base.outside, &p, &was, &waiting, &err), HO_OK);
    assert_false(was);
    for (size_t i = 0; i < 2002; i += 2) {
        memcpy(text + i, "\xc3\xa4", 3);
    }
    assert_int_equal(pause_set(base.outside, &p, "me", text, &fresh, &err), HO_REJECT);
    assert_int_equal(pause_set(base.outside, &p, "me", text + 2, &fresh, &err), HO_OK);
    assert_int_equal(pause_set(base.outside, &p, "me", "\xff", &fresh, &err), HO_REJECT);
}

/* Rows that the statement reads, however it comes to them. */
static int64_t rows_read(const char *sql, const struct db_value *in, size_t n)
{
    struct db_rows rows = {0};
    int64_t read = 0;

    testdb_run(base.outside, "FLUSH STATUS");
    assert_int_equal(db_run(base.outside, sql, in, n, &rows, &err), HO_OK);
    assert_int_equal(db_run_once(base.outside, "SHOW SESSION STATUS LIKE 'Handler_read%'", NULL, 0, &rows,
                                 &err), HO_OK);
    for (size_t i = 0; i < rows.n_rows; i++) {
        read += db_cell_int(&rows, i, 1);
    }
    db_rows_free(&rows);
    return read;
}

/* A claim does not walk over what is parked, nor does the look for whom to wake over what waits for other
 * pauses, or what ended. */
static void what_is_parked_costs_no_look(void **state)
{
    static const struct pause one = {PAUSE_SOURCE, "many"}, other = {PAUSE_ROUTE, "few"};
    unsigned char first[SHA256_LEN], second[SHA256_LEN];
    const unsigned char *low = first, *high = second;
    char sql[600], hex[2][2 * SHA256_LEN + 1];
    (void)state;

    pause_lane(&one, first);
    pause_lane(&other, second);
    if (memcmp(first, second, SHA256_LEN) > 0) {
        low = second;
        high = first;
    }
    text_hex(low, SHA256_LEN, hex[0]);
    text_hex(high, SHA256_LEN, hex[1]);
    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO hookonce_job (correlation_id, state, run_at, created_at, waiting_for, held_at,"
                   " lane, class) SELECT seq, IF(seq %% 2, 'waiting', 'done'), IF(seq %% 2, '9999-12-31',"
                   " '2020-01-01'), '2020-01-01', 'pause', '2020-01-01', IF(seq %% 2, UNHEX(IF(seq > 5998,"
                   " '%s', '%s')), NULL), 0 FROM seq_1_to_6000", hex[1], hex[0]);
    testdb_run(base.outside, sql);
    flow_event("evt_1", "plain", "{}", 0);
    const struct db_value due[] = {DBV_INT(CLASS_FRESH), DBV_STR("1000-01-01 00:00:00"), DBV_UINT(100)};
    const struct db_value lane[] = {DBV_BYTES(span_make(low, SHA256_LEN)), DBV_BYTES(SPAN_LIT("pause;"))};
    const struct db_value next[] = {DBV_BYTES(span_make(high, SHA256_LEN)), DBV_INT(100)};
    const struct db_value asleep[] = {DBV_INT(100)};
    assert_in_range(rows_read(sql_jobs_due.look, due, 3), 1, 5);
    assert_in_range(rows_read(sql_jobs_next, NULL, 0), 1, 10);
    assert_in_range(rows_read(sql_jobs_asleep.look, asleep, 1), 0, 5);
    assert_in_range(rows_read(sql_pause_lane, lane, 2), 1, 5);
    assert_in_range(rows_read(sql_pause_next.look, next, 2), 1, 5);
    assert_in_range(rows_read(sql_pause_due.look, asleep, 1), 1, 5);
}

/* ---- holds ---- */

static void a_held_job_waits_for_its_release_only(void **state)
{
    const struct reopen_how how = {.release = true};
    enum reopened opened;
    char cid[256];
    (void)state;

    flow_event("evt_1", "plain", "{}", 0);
    flow_event("evt_2", "plain", "{}", 0);
    assert_int_equal(hold(1), HOLD_DONE);
    assert_int_equal(hold(1), HOLD_ALREADY);
    turn();
    ASSERT_VALUE(STATES, "waiting hold,done");
    ASSERT_COUNT("hookonce_receipt WHERE event_id = 'evt_1' AND status = 'received'", 1);
    (void)testdb_text(base.outside, "SELECT correlation_id FROM hookonce_job WHERE id = 1", cid);
    assert_int_equal(reopen_job(base.outside, 1, span_of(cid), &how, &opened, &err), HO_OK);
    assert_int_equal(opened, REOPEN_HELD);
    set(PAUSE_HANDLER, "ask");
    (void)end_pause(PAUSE_HANDLER, "ask");
    turn();
    ASSERT_COUNT("fx", 1);
    assert_int_equal(release(1), HOLD_DONE);
    assert_int_equal(release(1), HOLD_NOT);
    turn();
    ASSERT_COUNT("fx", 2);
}

static void hold_and_release_say_what_they_cannot_do(void **state)
{
    (void)state;

    flow_event("evt_1", "plain", "{}", 0);
    flow_take(1);
    assert_int_equal(hold(1), HOLD_RUNS);
    assert_int_equal(release(1), HOLD_NOT);
    flow_dispatch(0);
    assert_int_equal(hold(1), HOLD_ENDED);
    assert_int_equal(release(1), HOLD_NOT);
    assert_int_equal(hold(99), HOLD_MISSING);
    set(PAUSE_HANDLER, "ask");
    flow_event("evt_2", "plain", "{}", 0);
    turn();
    assert_int_equal(release(2), HOLD_PAUSED);
    /* Held while it is paused: the end of the pause does not touch it. */
    assert_int_equal(hold(2), HOLD_DONE);
    (void)end_pause(PAUSE_HANDLER, "ask");
    turn();
    ASSERT_VALUE(STATES, "done,waiting hold");
    assert_int_equal(release(2), HOLD_DONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_paused_waits_and_costs_nothing_and_the_rest_runs, empty),
        cmocka_unit_test_setup(names_are_taken_by_the_byte, empty),
        cmocka_unit_test_setup(a_pause_does_not_change_whose_turn_it_is, empty),
        cmocka_unit_test_setup(a_pause_is_no_wait, empty),
        cmocka_unit_test_setup(nobody_is_forgotten, empty),
        cmocka_unit_test_setup(a_look_just_before_puts_nothing_off, empty),
        cmocka_unit_test_setup(the_oldest_go_first, empty),
        cmocka_unit_test_setup(the_last_of_several_pauses_counts, empty),
        cmocka_unit_test_setup(a_pause_does_not_swallow_a_wake_up, empty),
        cmocka_unit_test_setup(one_that_a_worker_vanished_with_is_not_charged, empty),
        cmocka_unit_test_setup(a_pause_is_written_once, empty),
        cmocka_unit_test_setup(what_is_parked_costs_no_look, empty),
        cmocka_unit_test_setup(a_held_job_waits_for_its_release_only, empty),
        cmocka_unit_test_setup(hold_and_release_say_what_they_cannot_do, empty),
    };
    return cmocka_run_group_tests(tests, begin, flow_end);
}
