/* The numbers of each hour: exact, the same when counted again, kept when receipts are pruned. */
#include "testdb.h"

#include "base/clock.h"
#include "base/ulid.h"
#include "store/round.h"
#include "store/stat.h"

#define HOUR_US (INT64_C(3600) * 1000000)
#define STAT "FROM hookonce_stat WHERE "

static struct testdb t;
static struct ho_err err;
static unsigned made;

/* An event that came then, with that status; its cid is kept in `cid`. */
static char cid[ULID_LEN + 1];

static void event(int64_t us, const char *source, const char *type, const char *status,
                  const char *outcome)
{
    char sql[900];

    ulid_new(us, cid);
    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO hookonce_receipt (provider, event_id, correlation_id, source,"
                   " event_type, received_at, recorded_at, status, outcome, body_len, body_sha256,"
                   " same_digest, document, secret_no, mac) VALUES ('p', 'e%u', '%s', '%s', '%s',"
                   " TIMESTAMP('1970-01-01') + INTERVAL %lld MICROSECOND, UTC_TIMESTAMP(6), '%s',"
                   " '%s', 0, '', '', 'none', 1, '')",
                   ++made, cid, source, type, (long long)us, status, outcome);
    testdb_run(t.outside, sql);
}

/* A job of the last event; it has ended ago_s seconds ago. */
static void job(const char *state, int ago_s)
{
    char sql[400];

    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO hookonce_job (correlation_id, route, state, run_at, created_at)"
                   " VALUES ('%s', 'r%u', '%s', UTC_TIMESTAMP(6) - INTERVAL %d SECOND,"
                   " UTC_TIMESTAMP(6))",
                   cid, ++made, state, ago_s);
    testdb_run(t.outside, sql);
}

/* A try of the last job, so long after its event came, and so long; -1: it has not ended. */
static void attempt(int no, int64_t after_us, int64_t run_us)
{
    char sql[700];

    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO hookonce_attempt (job_id, claim_no, correlation_id, try_no, worker,"
                   " started_at, ended_at) SELECT MAX(j.id), %d, '%s', %d, 'w', r.received_at +"
                   " INTERVAL %lld MICROSECOND, IF(%lld < 0, NULL, r.received_at + INTERVAL %lld"
                   " MICROSECOND) FROM hookonce_job AS j JOIN hookonce_receipt AS r"
                   " ON r.correlation_id = j.correlation_id WHERE j.correlation_id = '%s'",
                   no, cid, no, (long long)after_us, (long long)run_us,
                   (long long)(after_us + run_us), cid);
    testdb_run(t.outside, sql);
}

static int64_t hour_now(void)
{
    return clock_wall_us() / HOUR_US * HOUR_US;
}

static int64_t number(const char *column, int64_t hour_us, const char *source, const char *type)
{
    char sql[400];

    (void)snprintf(sql, sizeof sql,
                   "SELECT COALESCE(SUM(%s), -1) FROM hookonce_stat WHERE source = '%s'"
                   " AND event_type = '%s' AND hour = TIMESTAMP('1970-01-01') + INTERVAL %lld"
                   " MICROSECOND",
                   column, source, type, (long long)hour_us);
    return testdb_int(t.outside, sql);
}

static void count(int64_t hour_us)
{
    assert_int_equal(stat_hour(t.outside, hour_us / 1000000, &err), HO_OK);
}

/* Two hours with events on their edges. */
static void an_hour_is_counted_exactly(void **state)
{
    const int64_t h = hour_now() - 5 * HOUR_US;
    (void)state;

    event(h - 1000, "shop", "paid", "received", "");
    event(h, "shop", "paid", "processed", "done");
    job("done", 60);
    attempt(1, 2000, 500);
    attempt(2, 9000, 700);
    event(h + HOUR_US - 1000, "shop", "paid", "failed", "gave up");
    job("dead", 60);
    attempt(1, 4000, -1);
    event(h + 5000, "shop", "seen", "processed", "ignored");
    job("done", 60);
    event(h + HOUR_US, "shop", "paid", "received", "");
    event(h + 7000, "crm", "paid", "processed", "informational");
    testdb_run(t.outside, "UPDATE hookonce_receipt SET duplicates = 3 WHERE status = 'failed'");
    for (int again = 0; again < 3; again++) {
        count(h);
        assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_stat"), 3);
        assert_int_equal(number("events", h, "shop", "paid"), 2);
        assert_int_equal(number("duplicates", h, "shop", "paid"), 3);
        assert_int_equal(number("processed", h, "shop", "paid"), 1);
        assert_int_equal(number("ignored", h, "shop", "paid"), 0);
        assert_int_equal(number("failed", h, "shop", "paid"), 1);
        assert_int_equal(number("jobs", h, "shop", "paid"), 2);
        assert_int_equal(number("tries", h, "shop", "paid"), 3);
        assert_int_equal(number("retried", h, "shop", "paid"), 1);
        assert_int_equal(number("wait_us", h, "shop", "paid"), 6000);
        assert_int_equal(number("wait_max_us", h, "shop", "paid"), 4000);
        assert_int_equal(number("run_us", h, "shop", "paid"), 1200);
        assert_int_equal(number("run_max_us", h, "shop", "paid"), 700);
        assert_int_equal(number("events", h, "shop", "seen"), 1);
        assert_int_equal(number("ignored", h, "shop", "seen"), 1);
        assert_int_equal(number("tries", h, "shop", "seen"), 0);
        assert_int_equal(number("ignored", h, "crm", "paid"), 1);
    }
    count(h - HOUR_US);
    count(h + HOUR_US);
    assert_int_equal(number("events", h - HOUR_US, "shop", "paid"), 1);
    assert_int_equal(number("events", h + HOUR_US, "shop", "paid"), 1);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) " STAT "last_at <> (SELECT MAX("
                                           "r.received_at) FROM hookonce_receipt AS r WHERE"
                                           " r.source = hookonce_stat.source AND r.event_type ="
                                           " hookonce_stat.event_type AND r.received_at >= hour"
                                           " AND r.received_at < hour + INTERVAL 1 HOUR)"),
                     0);
}

/* Names are bytes: case, trailing blanks and what is no UTF-8 tell them apart. */
static void types_are_told_apart_byte_by_byte(void **state)
{
    const int64_t h = hour_now() - 3 * HOUR_US;
    (void)state;

    event(h, "shop", "paid", "received", "");
    event(h, "shop", "Paid", "received", "");
    event(h, "shop", "paid ", "received", "");
    event(h, "shop", "p\xff", "received", "");
    count(h);
    count(h);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) " STAT "events = 1"), 4);
}

/* What is pruned stays counted, and what still changes is counted on. */
static void what_is_pruned_stays_counted(void **state)
{
    const int64_t h = hour_now() - 5 * HOUR_US;
    (void)state;

    event(h + 1, "shop", "paid", "processed", "done");
    job("done", 60);
    attempt(1, 100, 50);
    event(h + 1, "shop", "paid", "received", "");
    job("ready", 60);
    count(h);
    assert_int_equal(number("processed", h, "shop", "paid"), 1);
    testdb_run(t.outside, "UPDATE hookonce_receipt SET status = 'processed'");
    count(h);
    assert_int_equal(number("processed", h, "shop", "paid"), 2);
    testdb_run(t.outside, "DELETE FROM hookonce_attempt");
    testdb_run(t.outside, "DELETE FROM hookonce_receipt LIMIT 1");
    count(h);
    assert_int_equal(number("events", h, "shop", "paid"), 2);
    assert_int_equal(number("processed", h, "shop", "paid"), 2);
    assert_int_equal(number("run_us", h, "shop", "paid"), 50);
    testdb_run(t.outside, "DELETE FROM hookonce_receipt");
    count(h);
    assert_int_equal(number("events", h, "shop", "paid"), 2);
}

static uint64_t recent(const char *worker)
{
    uint64_t n;

    assert_int_equal(stat_recent(t.outside, worker, deadline_in(20000), &n, &err), HO_OK);
    return n;
}

static uint64_t days(void)
{
    uint64_t n;

    assert_int_equal(stat_days(t.outside, "w", deadline_in(20000), &n, &err), HO_OK);
    return n;
}

static void make_due(void)
{
    testdb_run(t.outside, "UPDATE hookonce_round SET due_at = UTC_TIMESTAMP(6)");
}

/* One of all processors, every five minutes; old hours when a job of theirs has ended. */
static void what_has_changed_is_counted_again(void **state)
{
    const int64_t h = hour_now() - 200 * HOUR_US;
    (void)state;

    event(h, "shop", "paid", "received", "");
    job("ready", 7200);
    event(hour_now(), "shop", "paid", "received", "");
    assert_int_equal(recent("w"), 2);
    assert_int_equal(recent("v"), 0); /* not due */
    assert_int_equal(number("events", hour_now(), "shop", "paid"), 1);
    assert_int_equal(number("events", h, "shop", "paid"), -1); /* stat_days does it */
    make_due();
    testdb_run(t.outside, "UPDATE hookonce_job SET state = 'done', run_at = UTC_TIMESTAMP(6)");
    testdb_run(t.outside, "UPDATE hookonce_receipt SET status = 'processed'");
    assert_in_range(recent("v"), 3, 4); /* an id's beginning may span two hours */
    assert_int_equal(number("processed", h, "shop", "paid"), 1);
    /* imported from a spool: an old hour, and a job that has just become due */
    event(h - 24 * HOUR_US, "shop", "paid", "received", "");
    job("ready", 0);
    make_due();
    (void)recent("w");
    assert_int_equal(number("events", h - 24 * HOUR_US, "shop", "paid"), 1);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_round WHERE name = 'stat'"
                                           " AND done_at IS NOT NULL AND due_at > UTC_TIMESTAMP(6)"
                                           " + INTERVAL 4 MINUTE"),
                     1);
    /* a clock that was set back does not stop it for years */
    testdb_run(t.outside, "UPDATE hookonce_round SET due_at = '2099-01-01'");
    assert_true(recent("w") > 0);
}

/* More old hours than one round counts are left to the walk over the days. */
static void a_crowd_of_old_hours_is_counted_by_and_by(void **state)
{
    const int64_t h = hour_now() - 300 * HOUR_US;
    (void)state;

    event(hour_now() - HOUR_US, "shop", "first", "received", "");
    assert_true(recent("w") > 0);
    assert_true(days() > 0);
    for (int i = 0; i < 120; i++) {
        event(h + i * HOUR_US, "shop", "paid", "processed", "done");
        job("done", 0);
    }
    make_due();
    (void)recent("w");
    assert_true(days() > 49); /* farther back than those of every day */
    assert_int_equal(testdb_int(t.outside, "SELECT SUM(events) " STAT "event_type = 'paid'"), 120);
}

/* The first time all there is; then three days, once a day. */
static void all_hours_are_counted_once_and_the_last_days_again(void **state)
{
    const int64_t h = hour_now();
    uint64_t n;
    (void)state;

    event(h - 100 * HOUR_US, "shop", "old", "received", "");
    event(h - 10 * HOUR_US, "shop", "new", "received", "");
    assert_int_equal(stat_days(t.outside, "w", deadline_in(0), &n, &err), HO_OK);
    assert_int_equal(n, 0); /* no time: it goes on from the oldest */
    make_due();
    assert_int_equal(days(), 101);
    assert_int_equal(number("events", h - 100 * HOUR_US, "shop", "old"), 1);
    assert_int_equal(days(), 0);
    testdb_run(t.outside, "UPDATE hookonce_receipt SET status = 'processed'");
    make_due();
    assert_int_equal(days(), 49); /* a day later it is three days */
    assert_int_equal(number("processed", h - 10 * HOUR_US, "shop", "new"), 1);
}

static void old_rows_go(void **state)
{
    (void)state;

    testdb_run(t.outside, "INSERT INTO hookonce_stat (hour, source, event_type, last_at, counted_at)"
                          " SELECT UTC_TIMESTAMP() - INTERVAL 401 DAY, 's', seq, NOW(), NOW()"
                          " FROM seq_1_to_2500");
    testdb_run(t.outside, "INSERT INTO hookonce_stat (hour, source, event_type, last_at, counted_at)"
                          " VALUES (UTC_TIMESTAMP() - INTERVAL 399 DAY, 's', 't', NOW(), NOW())");
    testdb_run(t.outside, "INSERT INTO hookonce_tally VALUES (UTC_TIMESTAMP() - INTERVAL 401 DAY,"
                          " 'h', 's', 'new', 1), (UTC_TIMESTAMP(), 'h', 's', 'new', 1)");
    testdb_run(t.outside, "INSERT INTO hookonce_host (host, seen_at, spool_files) VALUES"
                          " ('gone', UTC_TIMESTAMP() - INTERVAL 36 DAY, 0),"
                          " ('full', UTC_TIMESTAMP() - INTERVAL 36 DAY, 1),"
                          " ('here', UTC_TIMESTAMP(), 0)");
    testdb_run(t.outside, "INSERT INTO hookonce_seen VALUES ('gone', 7, 's', 'new', 1),"
                          " ('here', 7, 's', 'new', 1), ('here', 8, 's', 'new', 1),"
                          " ('here', 8, '', 'sampled', UNIX_TIMESTAMP() - 36 * 86400)");
    (void)days();
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_stat"), 1);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_tally"), 1);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_host"), 2);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_seen"), 1);
}

/* Who was put back while at it does not overwrite that. */
static void a_round_that_was_put_back_goes_on_from_there(void **state)
{
    struct round r = {.name = "x", .worker = "w"};
    bool mine;
    (void)state;

    assert_int_equal(round_claim(t.outside, &r, 60000, &mine, &err), HO_OK);
    assert_true(mine);
    assert_int_equal(round_leave(t.outside, &r, 5000000, 0, true, &err), HO_OK);
    assert_int_equal(round_claim(t.outside, &r, 60000, &mine, &err), HO_OK);
    assert_true(mine);
    assert_int_equal(r.upto_us, 5000000);
    assert_int_equal(round_back(t.outside, "x", 3000000, &err), HO_OK);
    assert_int_equal(round_back(t.outside, "x", 4000000, &err), HO_OK); /* is behind it already */
    assert_int_equal(round_leave(t.outside, &r, 9000000, 0, true, &err), HO_OK);
    assert_int_equal(round_claim(t.outside, &r, 60000, &mine, &err), HO_OK);
    assert_true(mine);
    assert_int_equal(r.upto_us, 3000000);
}

static int empty(void **state)
{
    static const char *const tables[] = {"receipt", "job", "attempt", "stat", "round",
                                         "tally",   "host", "seen"};
    char sql[64];
    (void)state;

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        (void)snprintf(sql, sizeof sql, "DELETE FROM hookonce_%s", tables[i]);
        testdb_run(t.outside, sql);
    }
    return 0;
}

static int begin(void **state)
{
    (void)state;
    testdb_begin(&t, "stat");
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
        cmocka_unit_test_setup(an_hour_is_counted_exactly, empty),
        cmocka_unit_test_setup(types_are_told_apart_byte_by_byte, empty),
        cmocka_unit_test_setup(what_is_pruned_stays_counted, empty),
        cmocka_unit_test_setup(what_has_changed_is_counted_again, empty),
        cmocka_unit_test_setup(a_crowd_of_old_hours_is_counted_by_and_by, empty),
        cmocka_unit_test_setup(all_hours_are_counted_once_and_the_last_days_again, empty),
        cmocka_unit_test_setup(old_rows_go, empty),
        cmocka_unit_test_setup(a_round_that_was_put_back_goes_on_from_there, empty),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
