/* Commands: that they end, when they shall, with all they started, and leave nothing of ours. */
#include "handler_sh.h"

#include <fcntl.h>

/* A zombie that its new parent has not collected yet is not alive. */
static bool alive(const char *pid_file)
{
    long pid = strtol(read_in_dir(pid_file), NULL, 10);
    char path[64], line[256] = "";

    assert_true(pid > 1);
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *f = fopen(path, "r");
    bool found = f != NULL && fgets(line, sizeof line, f) != NULL;
    if (f != NULL) {
        (void)fclose(f);
    }
    return found && strstr(line, ") Z ") == NULL;
}

static bool gone_soon(const char *pid_file)
{
    for (int i = 0; i < 100 && alive(pid_file); i++) {
        clock_sleep_ms(20);
    }
    return !alive(pid_file);
}

/* No child of ours is left, dead or alive. */
static void assert_no_child(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void does_not_wait_for_who_holds_its_pipes(void **state)
{
    int64_t start = clock_mono_ms();

    (void)state;
    assert_int_equal(sh("sleep 300 & echo $! > left; echo ok"), HANDLER_DONE);
    assert_true(clock_mono_ms() - start < 2000);
    assert_true(alive("left")); /* its own business */
    assert_int_equal(kill((pid_t)strtol(read_in_dir("left"), NULL, 10), SIGKILL), 0);
    assert_no_child();
}

static void ends_what_is_late(void **state)
{
    int64_t start = clock_mono_ms();

    (void)state;
    call.end = deadline_in(500);
    handler.timeout_ms = 500;
    assert_int_equal(sh("trap '' TERM; (trap '' TERM; sleep 300) & echo $! > inner; "
                        "echo $$ > outer; while :; do sleep 1; done"), HANDLER_UNKNOWN);
    int64_t took = clock_mono_ms() - start;
    assert_true(took >= 1500 && took < 3000);
    ASSERT_TEXT(err.text, "the command was not through in its time (timeout 500ms) and was killed");
    assert_true(gone_soon("outer"));
    assert_true(gone_soon("inner"));
    assert_false(report.untouched);
    assert_no_child();
}

static void lets_what_is_late_clean_up(void **state)
{
    int64_t start = clock_mono_ms();

    (void)state;
    call.end = deadline_in(300);
    assert_int_equal(sh("trap 'echo cleaned > trace; exit 0' TERM; sleep 300 & echo $! > inner; wait"),
                     HANDLER_UNKNOWN);
    assert_true(clock_mono_ms() - start < 1300); /* the second is not waited for */
    ASSERT_TEXT(read_in_dir("trace"), "cleaned\n");
    assert_true(gone_soon("inner"));
    assert_no_child();
}

static void ends_what_has_stopped_itself(void **state)
{
    (void)state;
    call.end = deadline_in(300);
    assert_int_equal(sh("trap 'echo heard > trace' TERM; kill -STOP $$"), HANDLER_UNKNOWN);
    ASSERT_TEXT(read_in_dir("trace"), "heard\n");
    assert_no_child();
}

static void leaves_nothing_behind_a_failure(void **state)
{
    (void)state;
    assert_int_equal(sh("sleep 300 & echo $! > left; exit 1"), HANDLER_FAILED);
    assert_true(gone_soon("left"));
    assert_int_equal(sh("sleep 300 & echo $! > left; kill -9 $$"), HANDLER_FAILED);
    assert_true(gone_soon("left"));
    assert_no_child();
}

/* It is a session of its own, and nobody's child: what daemons do. */
#define DAEMON "rm -f left; (setsid sh -c 'echo $$ > left; sleep 300' &); until [ -s left ]; do sleep 0.01; done; "

static void leaves_no_daemon_behind_a_failure(void **state)
{
    (void)state;
    assert_int_equal(sh(DAEMON "exit 1"), HANDLER_FAILED);
    assert_false(alive("left"));
    assert_no_child();
}

static void ends_a_daemon_when_it_is_late(void **state)
{
    (void)state;
    call.end = deadline_in(700);
    assert_int_equal(sh("rm -f left term; (setsid sh -c 'trap \"echo heard > term\" TERM; echo $$ > left; "
                        "while :; do sleep 0.1; done' &); until [ -s left ]; do sleep 0.01; done; "
                        "trap '' TERM; while :; do sleep 1; done"), HANDLER_UNKNOWN);
    assert_false(alive("left"));
    ASSERT_TEXT(read_in_dir("term"), "heard\n"); /* it was asked before */
    assert_no_child();
}

/* What was started properly is the handler's own business. */
static void leaves_a_daemon_alone_when_it_is_done(void **state)
{
    (void)state;
    assert_int_equal(sh(DAEMON "exit 0"), HANDLER_DONE);
    clock_sleep_ms(50);
    assert_true(alive("left"));
    assert_int_equal(kill(-(pid_t)strtol(read_in_dir("left"), NULL, 10), SIGKILL), 0);
    assert_no_child();
}

/* A worker of its own that runs the script, at work. */
static pid_t start_worker_of(const char *script)
{
    (void)unlink(in_dir("outer"));
    pid_t worker = fork();
    if (worker == 0) {
        (void)sh(script);
        _exit(0);
    }
    for (int i = 0; i < 250 && access(in_dir("outer"), F_OK) != 0; i++) {
        clock_sleep_ms(20);
    }
    clock_sleep_ms(50);
    assert_true(alive("outer"));
    return worker;
}

/* As a worker that is killed while the script runs. */
static void kill_worker_of(const char *script)
{
    pid_t worker = start_worker_of(script);

    assert_int_equal(kill(worker, SIGKILL), 0);
    assert_int_equal(waitpid(worker, NULL, 0), worker);
}

/* What it runs, and what that runs, ends with it. */
static void ends_with_its_worker(void **state)
{
    (void)state;
    kill_worker_of("sleep 300 & echo $! > inner; echo $$ > outer; wait");
    assert_true(gone_soon("outer"));
    assert_true(gone_soon("inner"));
}

/* A worker that is not scheduled any more does not see its lease end. */
static void ends_in_time_when_its_worker_stands_still(void **state)
{
    (void)state;
    call.end = deadline_in(1500);
    (void)unlink(in_dir("left"));
    pid_t worker = start_worker_of(DAEMON "sleep 300 & echo $! > inner; echo $$ > outer; wait");
    assert_int_equal(kill(worker, SIGSTOP), 0);
    for (int i = 0; i < 250 && (alive("outer") || alive("inner") || alive("left")); i++) {
        clock_sleep_ms(20);
    }
    assert_false(alive("outer"));
    assert_false(alive("inner"));
    assert_false(alive("left"));
    assert_int_equal(kill(worker, SIGKILL), 0);
    assert_int_equal(waitpid(worker, NULL, 0), worker);
}

/* Who kills the one that would end it ends with it. */
static void ends_without_its_guard(void **state)
{
    (void)state;
    assert_int_equal(sh("echo $$ > outer; sleep 300 & echo $! > inner; kill -9 $PPID; wait"), HANDLER_FAILED);
    ASSERT_TEXT(err.text, "the command was killed by signal 9");
    assert_false(report.untouched);
    assert_true(gone_soon("outer"));
    assert_true(gone_soon("inner"));
    assert_no_child();
}

static void leaves_signals_as_they_were(void **state)
{
    struct sigaction child;
    sigset_t mask;

    (void)state;
    assert_int_equal(sh("exit 0"), HANDLER_DONE);
    assert_int_equal(sigaction(SIGCHLD, NULL, &child), 0);
    assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &mask), 0);
    assert_true(child.sa_handler == SIG_DFL);
    assert_int_equal(sigismember(&mask, SIGCHLD), 0);
}

static int n_descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 1000; fd++) {
        n += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    }
    return n;
}

static void leaves_no_descriptor_open(void **state)
{
    int before = n_descriptors();

    (void)state;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(sh(i % 2 == 0 ? "exit 0" : "sleep 0 & exit 1"),
                         i % 2 == 0 ? HANDLER_DONE : HANDLER_FAILED);
    }
    assert_int_equal(n_descriptors(), before);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh, done)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(does_not_wait_for_who_holds_its_pipes),
        TEST(ends_what_is_late),
        TEST(lets_what_is_late_clean_up),
        TEST(ends_what_has_stopped_itself),
        TEST(leaves_nothing_behind_a_failure),
        TEST(leaves_no_daemon_behind_a_failure),
        TEST(ends_a_daemon_when_it_is_late),
        TEST(leaves_a_daemon_alone_when_it_is_done),
        TEST(ends_with_its_worker),
        TEST(ends_in_time_when_its_worker_stands_still),
        TEST(ends_without_its_guard),
        TEST(leaves_signals_as_they_were),
        TEST(leaves_no_descriptor_open),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
