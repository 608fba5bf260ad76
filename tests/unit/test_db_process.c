/* Whole runs of the processor, in processes of their own that can be stopped and killed. */
#include "workdb.h"

#include <sys/prctl.h>

#include "base/log.h"
#include "store/wake.h"
#include "work/process.h"
#include "work/signals.h"

/* The last handler hangs until the table tells it not to. */
static const char flow[] =
    "[processor]\nlease = 3s\npoll = 5s\nbatch = 10\n"
    "[handler note]\ntimeout = 2s\nsql = INSERT INTO fx (note) VALUES ({event:id})\n"
    "[route note]\nprovider = shop\non = note\nhandler = note\n"
    "[handler slow]\ntimeout = 2s\nsql = INSERT INTO fx (note) VALUES ({event:id})\n"
    "sql = SELECT SLEEP(1)\n"
    "[route slow]\nprovider = shop\non = slow\nhandler = slow\n"
    "[handler bad]\ntimeout = 2s\nsql = INSERT INTO fx (note) SELECT 1/0 FROM nowhere\n"
    "[route bad]\nprovider = shop\non = bad\nhandler = bad\nretry = 3 tries, 1s\n"
    "[handler switch]\ntimeout = 2s\n"
    "sql = INSERT INTO fx (note) SELECT {event:id} FROM switch WHERE SLEEP(slow) = 0\n"
    "[route switch]\nprovider = shop\non = switch\nhandler = switch\n";

static struct settings *settings;
static struct ho_err err;

static int begin(void **state)
{
    char path[256];
    (void)state;

    (void)work_begin("process");
    testdb_run(base.outside, "CREATE TABLE switch (slow DOUBLE) ENGINE=InnoDB");
    settings = work_settings(flow);
    (void)snprintf(path, sizeof path, "%s/hookonce.log", work_dir);
    log_into(path, LOG_INFO);
    return 0;
}

static int end(void **state)
{
    (void)state;
    settings_free(settings);
    log_open(NULL);
    return work_end();
}

static int empty(void **state)
{
    (void)state;
    work_empty();
    return 0;
}

/* A child's exit status: what process_run says in bits. */
enum { EXIT_FAILED = 64, EXIT_BUSY = 1, EXIT_REACHED = 2, EXIT_DEAD = 4 };

static pid_t start(const struct settings *s, int64_t for_ms, bool once, unsigned workers)
{
    const struct process_options options = {.for_ms = for_ms, .once = once, .workers = workers};
    struct process_result result;

    (void)fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failed test must leave nothing behind */
        enum ho_code code = process_run(s, TESTDB_KEY, &options, &result, &err);
        if (code != HO_OK) {
            (void)fprintf(stderr, "process_run: %s\n", err.text);
        }
        _exit((code != HO_OK ? EXIT_FAILED : 0) | (result.busy ? EXIT_BUSY : 0) |
              (result.reached ? EXIT_REACHED : 0) | (result.dead ? EXIT_DEAD : 0));
    }
    return pid;
}

/* The exit status, or minus the signal. */
static int finish(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Waits until so many rows are there; fails after 40 s. */
static void await(const char *what, int64_t want)
{
    struct deadline last = deadline_in(40000);

    while (work_count(what) != want) {
        if (deadline_left_ms(last) == 0) {
            fail_msg("%s: still not %lld", what, (long long)want);
        }
        clock_sleep_ms(20);
    }
}

static void each_event_once(int64_t n)
{
    ASSERT_COUNT("fx", n);
    assert_int_equal(testdb_int(base.outside, "SELECT COUNT(DISTINCT note) FROM fx"), n);
    ASSERT_COUNT("hookonce_job WHERE state = 'done'", n);
    ASSERT_COUNT("hookonce_receipt WHERE status = 'processed' AND outcome = 'done'", n);
}

/* ---- runs ---- */

static void once_ends_when_nothing_is_due(void **state)
{
    (void)state;

    work_events(25, "note");
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR"
                             " WHERE id = 25");
    assert_int_equal(finish(start(settings, 100000, true, 1)), EXIT_REACHED); /* the test has less */
    ASSERT_COUNT("fx", 24);
    ASSERT_COUNT("hookonce_job WHERE state = 'ready'", 1);
    ASSERT_COUNT("hookonce_worker", 0);
}

static void a_run_ends_in_its_time_and_takes_new_work_at_once(void **state)
{
    int64_t began = clock_mono_ms();
    (void)state;

    pid_t pid = start(settings, 6000, false, 1);
    await("hookonce_worker", 1);
    clock_sleep_ms(500);
    for (unsigned i = 0; i < 3; i++) {
        char id[8];
        (void)snprintf(id, sizeof id, "e%u", i);
        int64_t at = clock_mono_ms();
        work_event(id, "note", "{}");
        wake_send(work_dir);
        await("fx", i + 1);
        assert_true(clock_mono_ms() - at < 4000); /* it polls every 5 s */
    }
    assert_int_equal(finish(pid), EXIT_REACHED);
    assert_in_range(clock_mono_ms() - began, 5900, 20000);
    each_event_once(3);
}

/* Away in the middle of a batch: the worker holds on to it, and goes on when it is back. */
static void the_database_may_go_and_come_back(void **state)
{
    struct settings s = *settings;
    char path[128], links[160], *sockets[] = {path};
    (void)state;

    (void)snprintf(path, sizeof path, "%s/sock", work_dir);
    (void)snprintf(links, sizeof links,
                   "SELECT id FROM information_schema.processlist WHERE"
                   " db = '%s' AND id <> CONNECTION_ID()",
                   base.name);
    assert_int_equal(symlink(base.sockets[0], path), 0);
    s.sockets = sockets;
    s.lease_ms = 15000;
    work_events(4, "slow");
    pid_t pid = start(&s, 20000, true, 1);
    await("hookonce_job WHERE state = 'done'", 1);
    assert_int_equal(unlink(path), 0);
    struct db_rows rows = {0};
    assert_int_equal(db_run_once(base.outside, links, NULL, 0, &rows, &err), HO_OK);
    assert_int_equal(rows.n_rows, 2);
    for (size_t i = 0; i < rows.n_rows; i++) {
        char sql[64];
        (void)snprintf(sql, sizeof sql, "KILL %lld", (long long)db_cell_int(&rows, i, 0));
        testdb_run(base.outside, sql);
    }
    db_rows_free(&rows);
    clock_sleep_ms(1000);
    assert_int_equal(symlink(base.sockets[0], path), 0);
    assert_int_equal(finish(pid), EXIT_REACHED);
    assert_int_equal(unlink(path), 0);
    each_event_once(4);
    ASSERT_COUNT("hookonce_job WHERE claim_no = 1 AND tries = 1", 4);
}

static void a_retry_comes_when_it_is_due(void **state)
{
    (void)state;

    work_event("evt_1", "bad", "{}");
    pid_t pid = start(settings, 20000, false, 1);
    await("hookonce_job WHERE state = 'dead'", 1);
    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_int_equal(finish(pid), EXIT_REACHED | EXIT_DEAD);
    ASSERT_COUNT("hookonce_attempt WHERE outcome = 'failed'", 3);
    ASSERT_COUNT("hookonce_job WHERE state = 'dead' AND outcome = 'gave up'", 1);
    ASSERT_VALUE("SELECT MIN(TIMESTAMPDIFF(MICROSECOND, a.ended_at, b.started_at) BETWEEN 990000"
                 " AND 10000000) FROM hookonce_attempt a JOIN hookonce_attempt b ON"
                 " b.claim_no = a.claim_no + 1",
                 "1");
}

static void only_one_run_at_a_time(void **state)
{
    (void)state;

    pid_t first = start(settings, 100000, false, 1);
    await("hookonce_worker", 1);
    for (unsigned i = 0; i < 5; i++) { /* at once: the test has less than their time */
        assert_int_equal(finish(start(settings, 100000, false, 1)), EXIT_BUSY);
    }
    assert_int_equal(kill(first, SIGKILL), 0);
    assert_int_equal(finish(first), -SIGKILL);
    work_event("evt_1", "note", "{}");
    assert_int_equal(finish(start(settings, 10000, true, 1)), EXIT_REACHED);
    each_event_once(1);
}

static void workers_share_the_work(void **state)
{
    struct settings small = *settings;
    (void)state;

    small.batch = 1;
    work_events(12, "slow"); /* a second each */
    int64_t began = clock_mono_ms();
    assert_int_equal(finish(start(&small, 30000, true, 4)), EXIT_REACHED);
    assert_true(clock_mono_ms() - began < 12000); /* what one would take at least */
    each_event_once(12);
    assert_int_equal(testdb_int(base.outside, "SELECT COUNT(DISTINCT worker) FROM hookonce_job"),
                     4);
}

static void the_database_may_be_away(void **state)
{
    struct settings away = *settings;
    char path[] = "/tmp/hookonce-no-such-socket", *nowhere[] = {path};
    int64_t began = clock_mono_ms();
    (void)state;

    away.sockets = nowhere;
    assert_int_equal(finish(start(&away, 2000, false, 1)), 0);
    assert_in_range(clock_mono_ms() - began, 1900, 20000);
    assert_int_equal(finish(start(&away, 1000, false, 2)), 0);
}

static void tables_of_others_are_refused(void **state)
{
    (void)state;

    work_event("evt_1", "note", "{}");
    testdb_run(base.outside, "UPDATE hookonce_schema SET key_print = REPEAT('0', 32)");
    assert_int_equal(finish(start(settings, 3000, true, 1)), EXIT_FAILED | EXIT_REACHED);
    ASSERT_COUNT("hookonce_job WHERE state = 'ready'", 1);
    char print[KEY_PRINT_LEN + 1], sql[128];
    migrate_key_print(TESTDB_KEY, print);
    (void)snprintf(sql, sizeof sql, "UPDATE hookonce_schema SET key_print = '%s'", print);
    testdb_run(base.outside, sql);
    assert_int_equal(finish(start(settings, 3000, true, 1)), EXIT_REACHED);
    each_event_once(1);
}

/* ---- signals ---- */

static void sigterm_finishes_one_job_and_gives_back_the_rest(void **state)
{
    (void)state;

    for (unsigned workers = 1; workers <= 2; workers++) {
        work_empty();
        work_events(8, "slow");
        pid_t pid = start(settings, 100000, false, workers);
        await("information_schema.processlist WHERE info = 'SELECT SLEEP(1)'", 1);
        assert_int_equal(kill(pid, SIGTERM), 0);
        assert_int_equal(finish(pid), EXIT_REACHED);
        ASSERT_COUNT("hookonce_job WHERE state = 'running'", 0);
        ROW(workers, work_count("hookonce_job WHERE state = 'done'") >= 1);
        ROW(workers, work_count("hookonce_job WHERE state = 'ready' AND suspect = 0 AND"
                                " tries = 0") >= 4);
        ROW(workers, work_count("fx") == work_count("hookonce_job WHERE state = 'done'"));
    }
}

static void sigterm_ends_an_idle_run_at_once(void **state)
{
    (void)state;

    pid_t pid = start(settings, 100000, false, 1);
    await("hookonce_worker", 1);
    clock_sleep_ms(300);
    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_int_equal(finish(pid), EXIT_REACHED); /* the test has less than its time */
}

static void a_killed_worker_costs_a_lease_and_no_effect(void **state)
{
    (void)state;

    work_events(5, "switch");
    testdb_run(base.outside, "INSERT INTO switch VALUES (1.5)");
    pid_t pid = start(settings, 30000, false, 1);
    await("hookonce_job WHERE state = 'done'", 1); /* in the middle of its batch */
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(finish(pid), -SIGKILL);
    ASSERT_COUNT("hookonce_job WHERE state = 'running'", 4);
    testdb_run(base.outside, "UPDATE switch SET slow = 0");
    pid = start(settings, 100000, false, 1);
    await("hookonce_job WHERE state = 'done'", 5); /* the lease is 3 s */
    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_int_equal(finish(pid), EXIT_REACHED);
    each_event_once(5);
    ASSERT_COUNT("hookonce_attempt WHERE outcome = 'lease lost' AND claim_no = 1", 4);
    ASSERT_COUNT("hookonce_attempt WHERE outcome = 'done' AND claim_no = 2", 4);
    testdb_run(base.outside, "DELETE FROM switch");
}

static void a_killed_run_takes_its_workers_along(void **state)
{
    (void)state;

    work_events(20, "slow");
    pid_t pid = start(settings, 30000, false, 2);
    await("hookonce_worker", 2);
    await("hookonce_job WHERE state = 'running'", 20);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(finish(pid), -SIGKILL);
    char links[160];
    (void)snprintf(links, sizeof links,
                   "information_schema.processlist WHERE db = '%s' AND"
                   " id <> CONNECTION_ID()",
                   base.name);
    await(links, 0);
    await("hookonce_job WHERE state = 'running'", 20); /* and nobody has settled anything since */
    assert_int_equal(finish(start(settings, 1000, false, 1)), EXIT_REACHED);
}

/* Settings as of another host: the same tables, a state directory of its own. */
static char other_dir[128];

static struct settings other_host(void)
{
    struct settings s = *settings;

    (void)snprintf(other_dir, sizeof other_dir, "%s/other", work_dir);
    s.state_dir = other_dir;
    return s;
}

static void other_host_gone(void)
{
    static const char *const files[] = {"wake", "woken", "process.lock", "hookonce.state"};
    char path[160];

    for (size_t i = 0; i < COUNT(files); i++) {
        (void)snprintf(path, sizeof path, "%s/%s", other_dir, files[i]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(other_dir), 0);
}

/* Stopped while it holds a batch, longer than the lease: the job whose handler runs is locked and
 * stays its own, the others are taken over, and when it wakes up it finds that out. */
static void a_sleeper_finds_its_jobs_taken(void **state)
{
    (void)state;

    work_events(4, "switch");
    testdb_run(base.outside, "INSERT INTO switch VALUES (1.5)");
    pid_t sleeper = start(settings, 100000, false, 1);
    await("hookonce_job WHERE state = 'running'", 4);
    clock_sleep_ms(300);
    assert_int_equal(kill(sleeper, SIGSTOP), 0);
    testdb_run(base.outside, "UPDATE switch SET slow = 0");
    struct settings elsewhere = other_host();
    pid_t second = start(&elsewhere, 100000, false, 1);
    await("hookonce_job WHERE state = 'done'", 3);
    ASSERT_COUNT("hookonce_job WHERE state = 'running'", 1);
    assert_int_equal(kill(sleeper, SIGCONT), 0);
    await("hookonce_job WHERE state = 'done'", 4);
    clock_sleep_ms(300);
    assert_int_equal(kill(second, SIGTERM), 0);
    assert_int_equal(finish(second), EXIT_REACHED);
    assert_int_equal(kill(sleeper, SIGTERM), 0);
    assert_int_equal(finish(sleeper), EXIT_REACHED);
    each_event_once(4);
    ASSERT_COUNT("hookonce_attempt WHERE outcome = 'lease lost' AND claim_no = 1", 3);
    ASSERT_COUNT("hookonce_attempt WHERE outcome = 'done'", 4);
    ASSERT_COUNT("hookonce_job WHERE claim_no = 1", 1);
    testdb_run(base.outside, "DELETE FROM switch");
    other_host_gone();
}

/* A batch that takes longer than the lease, with another run that waits for ended leases. */
static void a_long_batch_keeps_its_jobs(void **state)
{
    (void)state;

    work_events(5, "slow"); /* a second each; the lease is 3 s */
    pid_t pid = start(settings, 30000, true, 1);
    await("hookonce_job WHERE state = 'running'", 5);
    struct settings elsewhere = other_host();
    pid_t second = start(&elsewhere, 30000, false, 1);
    assert_int_equal(finish(pid), EXIT_REACHED);
    assert_int_equal(kill(second, SIGTERM), 0);
    assert_int_equal(finish(second), EXIT_REACHED);
    each_event_once(5);
    ASSERT_COUNT("hookonce_attempt", 5);
    other_host_gone();
}

/* Killed at random while it works; in the end every event has one effect. */
static void killed_again_and_again_loses_and_doubles_nothing(void **state)
{
    struct settings quick = *settings;
    (void)state;

    quick.lease_ms = 2000;
    work_events(200, "note");
    for (unsigned round = 0; round < 12; round++) {
        pid_t pid = start(&quick, 20000, true, 1 + round % 2);
        clock_sleep_ms(20 + 13 * (int64_t)round);
        (void)kill(pid, SIGKILL);
        (void)finish(pid);
    }
    struct deadline last = deadline_in(60000);
    while (work_count("hookonce_job WHERE state = 'done'") < 200 && deadline_left_ms(last) > 0) {
        (void)finish(start(&quick, 3000, false, 1));
    }
    each_event_once(200);
}

static void hundreds_of_jobs_go_through(void **state)
{
    (void)state;

    work_events(300, "note");
    assert_int_equal(finish(start(settings, 60000, true, 1)), EXIT_REACHED);
    each_event_once(300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(once_ends_when_nothing_is_due, empty),
        cmocka_unit_test_setup(a_run_ends_in_its_time_and_takes_new_work_at_once, empty),
        cmocka_unit_test_setup(the_database_may_go_and_come_back, empty),
        cmocka_unit_test_setup(a_retry_comes_when_it_is_due, empty),
        cmocka_unit_test_setup(only_one_run_at_a_time, empty),
        cmocka_unit_test_setup(workers_share_the_work, empty),
        cmocka_unit_test_setup(the_database_may_be_away, empty),
        cmocka_unit_test_setup(tables_of_others_are_refused, empty),
        cmocka_unit_test_setup(sigterm_finishes_one_job_and_gives_back_the_rest, empty),
        cmocka_unit_test_setup(sigterm_ends_an_idle_run_at_once, empty),
        cmocka_unit_test_setup(a_killed_worker_costs_a_lease_and_no_effect, empty),
        cmocka_unit_test_setup(a_killed_run_takes_its_workers_along, empty),
        cmocka_unit_test_setup(a_sleeper_finds_its_jobs_taken, empty),
        cmocka_unit_test_setup(a_long_batch_keeps_its_jobs, empty),
        cmocka_unit_test_setup(killed_again_and_again_loses_and_doubles_nothing, empty),
        cmocka_unit_test_setup(hundreds_of_jobs_go_through, empty),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
