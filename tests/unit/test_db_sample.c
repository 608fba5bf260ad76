/* What a host tells of itself: added once, whoever adds it, whenever it is killed; and silence. */
#include "testdb.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include "store/absence.h"
#include "store/sample.h"

#define SUM "SELECT COALESCE(SUM(n), 0) FROM hookonce_tally WHERE source = "

static struct testdb t;
static struct settings *s;
static struct counters *counters;
static struct ho_err err;
static char dir[64], file[96], spool[96];

static void add(const char *source, enum counter which, unsigned n)
{
    while (n-- > 0) {
        counters_add(counters, span_of(source), which);
    }
}

static void sample(const char *host)
{
    if (sample_take(t.outside, s, host, counters, &err) != HO_OK) {
        fail_msg("%s", err.text);
    }
}

/* As if five minutes had gone by. */
static void go_on(void)
{
    testdb_run(t.outside, "UPDATE hookonce_sample SET at = at - INTERVAL 300 SECOND ORDER BY at");
}

static int64_t sampled(const char *column)
{
    char sql[160];

    (void)snprintf(sql, sizeof sql, "SELECT %s FROM hookonce_sample ORDER BY at DESC LIMIT 1",
                   column);
    return testdb_int(t.outside, sql);
}

static void counters_are_added_once(void **state)
{
    (void)state;

    add("shop", COUNT_NEW, 5);
    add("shop", COUNT_DUPLICATE, 2);
    add("crm", COUNT_UNSIGNED, 3);
    add("crm", COUNT_BUSY, 1);
    for (int i = 0; i < 98; i++) {
        counters_ack(counters, 3000, clock_wall_us());
    }
    counters_ack(counters, 40000, clock_wall_us());
    counters_ack(counters, 700000, clock_wall_us());
    sample("one");
    sample("one"); /* within the same five minutes */
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_sample"), 1);
    assert_int_equal(testdb_int(t.outside, SUM "'shop' AND verdict = 'new'"), 5);
    assert_int_equal(testdb_int(t.outside, SUM "'crm' AND verdict = 'unsigned'"), 3);
    assert_int_equal(sampled("accepted"), 7);
    assert_int_equal(sampled("duplicates"), 2);
    assert_int_equal(sampled("refused"), 3);
    assert_int_equal(sampled("busy"), 1);
    assert_int_equal(sampled("ack_n"), 100);
    assert_int_equal(sampled("ack_us"), 98 * 3000 + 40000 + 700000);
    assert_int_equal(sampled("ack_p50_us"), 5000);
    assert_int_equal(sampled("ack_p95_us"), 5000);
    assert_int_equal(sampled("ack_p99_us"), 50000);
    go_on();
    add("shop", COUNT_NEW, 1);
    sample("one");
    assert_int_equal(testdb_int(t.outside, SUM "'shop' AND verdict = 'new'"), 6);
    assert_int_equal(sampled("accepted"), 1);
    assert_int_equal(sampled("ack_n"), 0);
    assert_int_equal(sampled("ack_p50_us IS NULL"), 1);
}

/* What is not committed is not noted as added either. */
static void what_was_broken_off_is_added_later(void **state)
{
    (void)state;

    add("shop", COUNT_NEW, 5);
    testdb_run(t.outside, "ALTER TABLE hookonce_sample RENAME TO hookonce_gone");
    assert_int_not_equal(sample_take(t.outside, s, "one", counters, &err), HO_OK);
    db_rollback(t.outside);
    testdb_run(t.outside, "ALTER TABLE hookonce_gone RENAME TO hookonce_sample");
    assert_int_equal(testdb_int(t.outside, SUM "'shop'"), 0);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_seen"), 0);
    add("shop", COUNT_NEW, 1);
    sample("one");
    assert_int_equal(testdb_int(t.outside, SUM "'shop'"), 6);
}

/* A state file that was made anew begins at zero; two hosts do not mix. */
static void each_state_file_counts_by_itself(void **state)
{
    (void)state;

    add("shop", COUNT_NEW, 5);
    sample("one");
    counters_close(counters);
    assert_int_equal(unlink(file), 0);
    counters = counters_open(dir);
    add("shop", COUNT_NEW, 7);
    go_on();
    sample("one");
    assert_int_equal(testdb_int(t.outside, SUM "'shop'"), 12);
    sample("two");
    assert_int_equal(testdb_int(t.outside, SUM "'shop' AND host = 'two'"), 7);
    assert_int_equal(testdb_int(t.outside, SUM "'shop' AND host = 'one'"), 12);
}

/* Two folders on machines or in containers of one name, whoever is first in the five minutes. */
static void two_state_folders_of_one_name_are_counted_apart(void **state)
{
    char other_dir[64] = "/tmp/ho-sample-XXXXXX", other_file[96];
    struct counters *mine = counters;
    bool twin = true;
    (void)state;

    assert_non_null(mkdtemp(other_dir));
    (void)snprintf(other_file, sizeof other_file, "%s/hookonce.state", other_dir);
    struct counters *other = counters_open(other_dir);
    counters_add(other, SPAN_LIT("shop"), COUNT_NEW);
    add("shop", COUNT_NEW, 5);
    sample("one");
    assert_int_equal(sample_twin(t.outside, "one", mine, &twin, &err), HO_OK);
    assert_false(twin);
    for (int i = 0; i < 6; i++) {
        counters = other;
        sample("one");
        sample("one");
        counters = mine;
        sample("one");
        if (i == 0) {
            assert_int_equal(sampled("accepted"), 6);
        }
        go_on();
    }
    assert_int_equal(testdb_int(t.outside, SUM "'shop'"), 6);
    testdb_run(t.outside, "UPDATE hookonce_seen SET n = n + 300 WHERE counter = 'sampled'");
    assert_int_equal(sample_twin(t.outside, "one", mine, &twin, &err), HO_OK);
    assert_true(twin);
    assert_int_equal(sample_twin(t.outside, "two", mine, &twin, &err), HO_OK);
    assert_false(twin);
    counters_close(other);
    assert_int_equal(unlink(other_file), 0);
    assert_int_equal(rmdir(other_dir), 0);
}

/* Memory in its place tells nothing of the file's counters: they are neither added nor forgotten. */
static void a_state_file_that_cannot_be_used_once_is_not_counted_anew(void **state)
{
    char gone[112];
    (void)state;

    add("shop", COUNT_NEW, 5);
    sample("one");
    counters_close(counters);
    (void)snprintf(gone, sizeof gone, "%s.bak", file);
    assert_int_equal(rename(file, gone), 0);
    assert_int_equal(mkdir(file, 0700), 0);
    counters = counters_open(dir);
    add("shop", COUNT_NEW, 9);
    go_on();
    sample("one");
    counters_close(counters);
    assert_int_equal(rmdir(file), 0);
    assert_int_equal(rename(gone, file), 0);
    counters = counters_open(dir);
    add("shop", COUNT_NEW, 1);
    go_on();
    sample("one");
    assert_int_equal(testdb_int(t.outside, SUM "'shop'"), 6);
}

/* Several processors of a host, and receivers that go on counting. */
static void several_at_once_add_it_once(void **state)
{
    pid_t children[4];
    (void)state;

    for (size_t i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            struct counters *own = counters_open(dir);
            struct db *db = db_open(&t.settings, DB_PROCESSOR);
            int bad = 0;
            for (int n = 0; n < 100; n++) {
                counters_add(own, SPAN_LIT("shop"), COUNT_NEW);
                bad += n % 10 == 0 && sample_take(db, s, "one", own, &err) != HO_OK ? 1 : 0;
            }
            _exit(bad);
        }
    }
    for (size_t i = 0; i < 4; i++) {
        int status = 1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    go_on();
    sample("one");
    assert_int_equal(testdb_int(t.outside, SUM "'shop'"), 400);
}

static void the_host_tells_of_its_spool_and_disk(void **state)
{
    char path[256];
    (void)state;

    (void)snprintf(path, sizeof path, "%s/01ARZ3NDEKTSV4RRFFQ69G5FAV.5.spool", spool);
    assert_int_equal(mkdir(spool, 0700), 0);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs("12345", f) > 0);
    assert_int_equal(fclose(f), 0);
    sample("one");
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_host WHERE host = 'one'"
                                           " AND spool_files = 1 AND spool_bytes = 5"
                                           " AND spool_oldest_at IS NOT NULL AND gate = 'closed'"
                                           " AND disk_free <= disk_size AND received_at IS NULL"
                                           " AND ABS(clock_ahead_ms) < 60000 AND version <> ''"
                                           " AND seen_at > UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE"),
                     1);
    assert_int_equal(sampled("spool_files"), 1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(spool), 0);
    sample("one");
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_host WHERE"
                                           " spool_oldest_at IS NULL AND spool_files = 0"),
                     1);
}

static void the_queue_is_sampled(void **state)
{
    (void)state;

    testdb_run(t.outside, "INSERT INTO hookonce_job (correlation_id, route, state, run_at, created_at)"
                          " VALUES ('a', '', 'ready', UTC_TIMESTAMP(6) - INTERVAL 90 SECOND, NOW()),"
                          " ('b', '', 'ready', UTC_TIMESTAMP(6) - INTERVAL 10 SECOND, NOW()),"
                          " ('c', '', 'ready', UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, NOW()),"
                          " ('d', '', 'waiting', '9999-12-31', NOW()),"
                          " ('e', '', 'dead', NOW(), NOW()), ('f', '', 'done', NOW(), NOW()),"
                          " ('g', '', 'running', NOW(), NOW()),"
                          " ('h', '(reply)', 'dead', NOW(), NOW())"); /* whoever asked is gone */
    sample("one");
    assert_int_equal(sampled("ready"), 2);
    assert_in_range(sampled("ready_oldest_s"), 90, 150);
    assert_int_equal(sampled("later"), 2);
    assert_int_equal(sampled("dead"), 1);
    assert_int_equal(sampled("running"), 1);
}

/* ---- silence ---- */

static struct setting_expect expects[3];

static void look(void)
{
    if (absence_refresh(t.outside, s, &err) != HO_OK) {
        fail_msg("%s", err.text);
    }
}

static unsigned silences(void)
{
    return (unsigned)testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_expect"
                                           " WHERE state = 'silent'");
}

/* Of the only one. */
static int64_t silence(const char *column)
{
    char sql[160];

    (void)snprintf(sql, sizeof sql, "SELECT %s FROM hookonce_expect WHERE state = 'silent'", column);
    return testdb_int(t.outside, sql);
}

/* Events of a type that came so many minutes ago. */
static void came(const char *source, const char *type, int minutes)
{
    char sql[400];

    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO hookonce_stat (hour, source, event_type, events, last_at, counted_at)"
                   " SELECT FROM_UNIXTIME(FLOOR(UNIX_TIMESTAMP(at) / 3600) * 3600), '%s', '%s', 1, at,"
                   " at FROM (SELECT UTC_TIMESTAMP(6) - INTERVAL %d MINUTE AS at) AS x"
                   " ON DUPLICATE KEY UPDATE last_at = GREATEST(last_at, VALUES(last_at))",
                   source, type, minutes);
    testdb_run(t.outside, sql);
}

static void expect(size_t n)
{
    s->expects = expects;
    s->n_expects = n;
}

static void a_silence_begins_once_and_ends_with_the_next_event(void **state)
{
    char since[256], again[256];
    (void)state;

    expects[0] = (struct setting_expect){.name = "", .source = "shop", .type = "*",
                                         .every_ms = 6 * 3600000};
    expect(1);
    look();
    assert_int_equal(silences(), 0); /* never an event, but it is expected only since now */
    testdb_run(t.outside, "UPDATE hookonce_expect SET expected_since = expected_since - INTERVAL 7 HOUR");
    look();
    assert_int_equal(silences(), 1);
    assert_int_equal(silence("last_at IS NULL"), 1);
    came("shop", "paid", 359);
    look();
    assert_int_equal(silences(), 0);
    testdb_run(t.outside, "UPDATE hookonce_stat SET last_at = last_at - INTERVAL 2 MINUTE");
    look();
    assert_int_equal(silences(), 0); /* it remembers the time that it knew */
    testdb_run(t.outside, "UPDATE hookonce_expect SET last_at = NULL");
    look();
    assert_int_equal(silences(), 1);
    assert_int_equal(silence("every_s"), 6 * 3600);
    assert_in_range(silence("silent_s"), 361 * 60, 363 * 60);
    (void)testdb_text(t.outside, "SELECT silent_since FROM hookonce_expect", since);
    look();
    assert_string_equal(testdb_text(t.outside, "SELECT silent_since FROM hookonce_expect", again),
                        since);
    came("other", "paid", 1);
    look();
    assert_int_equal(silences(), 1);
    came("shop", "seen", 1);
    look();
    assert_int_equal(silences(), 0);
    assert_int_equal(testdb_int(t.outside, "SELECT silent_since IS NULL FROM hookonce_expect"), 1);
}

static void types_have_silences_of_their_own(void **state)
{
    (void)state;

    expects[0] = (struct setting_expect){.name = "orders", .source = "shop", .type = "order.*",
                                         .every_ms = 3600000};
    expects[1] = (struct setting_expect){.name = "odd", .source = "shop", .type = "50%_|*",
                                         .every_ms = 3600000};
    expect(2);
    came("shop", "order.paid", 300);
    came("shop", "order.sent", 290);
    came("shop", "orders", 1);
    came("shop", "50%_|x", 2);
    came("shop", "50x_|x", 1);
    look();
    assert_int_equal(silences(), 1);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_expect WHERE name = 'orders'"
                                           " AND state = 'silent' AND TIMESTAMPDIFF(MINUTE, last_at,"
                                           " UTC_TIMESTAMP()) BETWEEN 289 AND 292"),
                     1);
    /* another type is another expectation */
    expects[0].type = "refund.*";
    look();
    assert_int_equal(silences(), 0);
    /* what is no longer in the config goes */
    expect(1);
    testdb_run(t.outside, "UPDATE hookonce_expect SET looked_at = looked_at - INTERVAL 2 HOUR");
    look();
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_expect"), 1);
}

/* The minute that it is, and some before and behind it. */
static void quiet_now(struct quiet *q)
{
    const int64_t day = 24 * 60, minute = clock_wall_us() / 60000000 % day;
    char text[64];

    (void)snprintf(text, sizeof text, "%02d:%02d-%02d:%02d", (int)((minute + day - 20) % day / 60),
                   (int)((minute + day - 20) % 60), (int)((minute + 20) % day / 60),
                   (int)((minute + 20) % 60));
    memset(q, 0, sizeof *q);
    assert_true(quiet_add(q, span_of(text)));
}

static void quiet_hours_and_full_spools_hold_it_back(void **state)
{
    (void)state;

    expects[0] = (struct setting_expect){.name = "", .source = "shop", .type = "*",
                                         .every_ms = 3600000};
    memset(expects[0].quiet.minutes, 0xff, sizeof expects[0].quiet.minutes);
    expects[0].quiet.total = QUIET_MINUTES;
    expect(1);
    came("shop", "paid", 600);
    look();
    assert_int_equal(silences(), 0);
    quiet_now(&expects[0].quiet);
    look();
    assert_int_equal(silences(), 0); /* too long already, but nobody is told at night */
    assert_true(testdb_int(t.outside, "SELECT silent_s FROM hookonce_expect") > 3600);
    memset(&expects[0].quiet, 0, sizeof expects[0].quiet);
    testdb_run(t.outside, "INSERT INTO hookonce_host (host, seen_at, spool_files)"
                          " VALUES ('h', UTC_TIMESTAMP(6), 1)");
    look();
    assert_int_equal(silences(), 0); /* it may be in there */
    testdb_run(t.outside, "UPDATE hookonce_host SET seen_at = seen_at - INTERVAL 2 HOUR");
    look();
    assert_int_equal(silences(), 1); /* nobody will import that */
    testdb_run(t.outside, "UPDATE hookonce_host SET seen_at = UTC_TIMESTAMP(6)");
    look();
    assert_int_equal(silences(), 1); /* what has begun goes on */
}

/* Every hour of nine weeks up to so many hours ago, or every such hour of a week. */
static void history(int from_hours, int to_hours, int every)
{
    char sql[500];

    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO hookonce_stat (hour, source, event_type, events, last_at, counted_at)"
                   " SELECT h, 'shop', 'paid', 900, h + INTERVAL 59 MINUTE, h FROM (SELECT"
                   " FROM_UNIXTIME(FLOOR(UNIX_TIMESTAMP(UTC_TIMESTAMP()) / 3600) * 3600 - seq * 3600)"
                   " AS h, seq FROM seq_%d_to_%d) AS x WHERE (seq - %d) %% %d = 0",
                   to_hours, from_hours, to_hours, every);
    testdb_run(t.outside, sql);
}

static void a_cadence_is_learnt(void **state)
{
    (void)state;

    expects[0] = (struct setting_expect){.name = "", .source = "shop", .type = "*", .every_ms = -1};
    expect(1);
    look();
    assert_int_equal(testdb_int(t.outside, "SELECT state = 'learning' FROM hookonce_expect"), 1);
    history(300, 100, 1); /* not two weeks */
    look();
    assert_int_equal(silences(), 0);
    assert_int_equal(testdb_int(t.outside, "SELECT state = 'learning' FROM hookonce_expect"), 1);
    testdb_run(t.outside, "DELETE FROM hookonce_stat");
    testdb_run(t.outside, "DELETE FROM hookonce_expect");
    history(1600, 2, 1); /* every hour, until two hours ago: not odd yet */
    look();
    assert_int_equal(silences(), 0);
    assert_int_equal(testdb_int(t.outside, "SELECT state = 'well' FROM hookonce_expect"), 1);
    testdb_run(t.outside, "DELETE FROM hookonce_stat WHERE hour > UTC_TIMESTAMP() - INTERVAL 5 HOUR");
    testdb_run(t.outside, "DELETE FROM hookonce_expect");
    look();
    assert_int_equal(silences(), 1);
    assert_int_equal(silence("every_s IS NULL"), 1);
    assert_true(testdb_int(t.outside, "SELECT odds FROM hookonce_expect") >= 1000);
    /* the silence itself teaches nothing: weeks later it still is one */
    testdb_run(t.outside, "UPDATE hookonce_stat SET hour = hour - INTERVAL 5 WEEK, last_at = last_at -"
                          " INTERVAL 5 WEEK ORDER BY hour");
    testdb_run(t.outside, "UPDATE hookonce_expect SET last_at = NULL");
    look();
    assert_int_equal(silences(), 1);
    came("shop", "paid", 1);
    look();
    assert_int_equal(silences(), 0);
}

/* Once a week, in the same hour: four days of silence are as usual, four weeks more are not. */
static void a_rare_event_is_not_missed_too_soon(void **state)
{
    (void)state;

    expects[0] = (struct setting_expect){.name = "", .source = "shop", .type = "*", .every_ms = -1};
    expect(1);
    history(168 * 9, 100, 168);
    look();
    assert_int_equal(silences(), 0);
    assert_int_equal(testdb_int(t.outside, "SELECT odds = 1 FROM hookonce_expect"), 1);
    testdb_run(t.outside, "UPDATE hookonce_stat SET hour = hour - INTERVAL 4 WEEK, last_at = last_at -"
                          " INTERVAL 4 WEEK ORDER BY hour");
    testdb_run(t.outside, "DELETE FROM hookonce_expect");
    look();
    assert_int_equal(silences(), 1);
}

static int empty(void **state)
{
    static const char *const tables[] = {"stat", "round", "tally",  "host",
                                         "seen", "sample", "expect", "job"};
    char sql[64];
    (void)state;

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        (void)snprintf(sql, sizeof sql, "DELETE FROM hookonce_%s", tables[i]);
        testdb_run(t.outside, sql);
    }
    if (counters != NULL) {
        counters_close(counters);
    }
    (void)unlink(file);
    counters = counters_open(dir);
    return 0;
}

static int begin(void **state)
{
    (void)state;
    testdb_begin(&t, "sample");
    testdb_tables(&t);
    (void)snprintf(dir, sizeof dir, "/tmp/hookonce-sample-XXXXXX");
    assert_non_null(mkdtemp(dir));
    (void)snprintf(file, sizeof file, "%s/hookonce.state", dir);
    (void)snprintf(spool, sizeof spool, "%s/spool", dir);
    s = &t.settings;
    s->state_dir = dir;
    s->spool_dir = spool;
    return 0;
}

static int end(void **state)
{
    (void)state;
    counters_close(counters);
    (void)unlink(file);
    (void)rmdir(dir);
    testdb_end(&t);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(counters_are_added_once, empty),
        cmocka_unit_test_setup(what_was_broken_off_is_added_later, empty),
        cmocka_unit_test_setup(each_state_file_counts_by_itself, empty),
        cmocka_unit_test_setup(two_state_folders_of_one_name_are_counted_apart, empty),
        cmocka_unit_test_setup(a_state_file_that_cannot_be_used_once_is_not_counted_anew, empty),
        cmocka_unit_test_setup(several_at_once_add_it_once, empty),
        cmocka_unit_test_setup(the_host_tells_of_its_spool_and_disk, empty),
        cmocka_unit_test_setup(the_queue_is_sampled, empty),
        cmocka_unit_test_setup(a_silence_begins_once_and_ends_with_the_next_event, empty),
        cmocka_unit_test_setup(types_have_silences_of_their_own, empty),
        cmocka_unit_test_setup(quiet_hours_and_full_spools_hold_it_back, empty),
        cmocka_unit_test_setup(a_cadence_is_learnt, empty),
        cmocka_unit_test_setup(a_rare_event_is_not_missed_too_soon, empty),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
