/* The log: one event one line whatever the values hold, a bounded file shared by processes. */
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"

static char dir[] = "/tmp/hookonce-log-XXXXXX";
static char path[64];
static char old_path[64];

static int fresh(void **state)
{
    (void)state;
    (void)snprintf(path, sizeof path, "%s/log", dir);
    (void)snprintf(old_path, sizeof old_path, "%s/log.1", dir);
    (void)unlink(path);
    (void)unlink(old_path);
    log_into(path, LOG_INFO);
    return 0;
}

static int done(void **state)
{
    (void)state;
    log_open(NULL);
    return 0;
}

/* The log's content behind the 25 bytes of each time stamp, which it also checks; caller frees. */
static char *lines_without_time(const char *file)
{
    struct buf all;
    struct buf out;
    buf_init(&all, 1 << 20);
    buf_init(&out, 1 << 20);
    assert_int_equal(file_read(file, false, &all, NULL), HO_OK);
    struct span rest = buf_span(&all);
    while (rest.len > 0) {
        int64_t us;
        assert_true(text_rfc3339(span_sub(rest, 0, 24), &us));
        assert_int_equal(rest.p[24], ' ');
        struct span line = span_cut(&rest, '\n');
        assert_true(span_present(rest)); /* each line has its end */
        assert_int_equal(buf_addf(&out, "%.*s\n", (int)line.len - 25, line.p + 25), HO_OK);
    }
    char *copy = strdup(buf_cstr(&out));
    assert_non_null(copy);
    buf_free(&all);
    buf_free(&out);
    return copy;
}

static void assert_log(const char *want)
{
    char *got = lines_without_time(path);
    assert_string_equal(got, want);
    free(got);
}

static void one_event_is_one_line(void **state)
{
    char room[24];
    char room2[24];
    struct log_pair pairs[] = {
        LOG_TEXT("source", "stripe"),
        LOG_TEXT("id", "evt 1\nevent=forged \"x\""),
        LOG_TEXT("none", NULL),
        LOG_SPAN("type", SPAN_LIT("")),
        LOG_SPAN("nul", SPAN_LIT("a\0b")),
        log_int("n", INT64_MIN, room),
        log_int("m", 7, room2),
    };
    (void)state;
    log_event(LOG_INFO, "accepted", "01ARYZ6S41TSV4RRFFQ69G5FAV", pairs, COUNT(pairs));
    log_event(LOG_ALARM, "alarm", NULL, NULL, 0);
    assert_log("info cid=01ARYZ6S41TSV4RRFFQ69G5FAV event=accepted source=stripe"
               " id=\"evt 1\\x0aevent=forged \\x22x\\x22\" type=\"\" nul=\"a\\x00b\""
               " n=-9223372036854775808 m=7\n"
               "alarm cid=- event=alarm\n");
}

static void values_are_cut_at_200_bytes(void **state)
{
    char value[202];
    char want[300];
    (void)state;
    memset(value, 'v', sizeof value);
    value[200] = '\0';
    struct log_pair fits = LOG_TEXT("k", value);
    log_event(LOG_WARN, "rejected", NULL, &fits, 1);
    value[200] = 'v';
    value[201] = '\0';
    struct log_pair cut = LOG_TEXT("k", value);
    log_event(LOG_WARN, "rejected", NULL, &cut, 1);
    (void)snprintf(want, sizeof want, "warn cid=- event=rejected k=%.200s\n", value);
    char *got = lines_without_time(path);
    assert_memory_equal(got, want, strlen(want));
    (void)snprintf(want, sizeof want, "warn cid=- event=rejected k=\"%.200s…+1\"\n", value);
    assert_string_equal(strchr(got, '\n') + 1, want);
    free(got);
}

static void a_line_is_bounded_and_says_so(void **state)
{
    enum { MANY = 200 };
    char value[201];
    struct log_pair pairs[MANY];
    (void)state;
    memset(value, 1, 200); /* four bytes each, once escaped */
    value[200] = '\0';
    for (size_t i = 0; i < MANY; i++) {
        pairs[i] = LOG_TEXT("k", value);
    }
    log_event(LOG_INFO, "accepted", NULL, pairs, MANY);
    char *got = lines_without_time(path);
    size_t len = strlen(got);
    assert_in_range(len, 64000, 65536);
    assert_string_equal(got + len - 9, " cut=yes\n");
    assert_ptr_equal(strchr(got, '\n'), got + len - 1);
    free(got);
}

static void levels_below_the_least_are_left_out(void **state)
{
    (void)state;
    log_event(LOG_DEBUG, "duplicate", NULL, NULL, 0);
    log_event(LOG_INFO, "accepted", NULL, NULL, 0);
    log_into(path, LOG_ALARM);
    log_event(LOG_WARN, "rejected", NULL, NULL, 0);
    log_event(LOG_ALARM, "conflict", NULL, NULL, 0);
    log_into(path, LOG_DEBUG);
    log_event(LOG_DEBUG, "duplicate", NULL, NULL, 0);
    assert_log("info cid=- event=accepted\nalarm cid=- event=conflict\n"
               "debug cid=- event=duplicate\n");
}

static void the_file_is_private_and_appended_to(void **state)
{
    struct stat st;
    (void)state;
    mode_t mask = umask(0);
    (void)unlink(path);
    log_into(path, LOG_INFO);
    (void)umask(mask);
    log_event(LOG_INFO, "accepted", NULL, NULL, 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777U, 0600);
    log_into(path, LOG_INFO);
    log_event(LOG_INFO, "busy", NULL, NULL, 0);
    assert_log("info cid=- event=accepted\ninfo cid=- event=busy\n");
}

static void fill(const char *file, off_t size)
{
    assert_int_equal(truncate(file, size), 0);
}

static off_t size_of(const char *file)
{
    struct stat st;
    return stat(file, &st) == 0 ? st.st_size : -1;
}

static void a_full_file_is_moved_away(void **state)
{
    (void)state;
    log_event(LOG_INFO, "accepted", NULL, NULL, 0);
    fill(path, LOG_FILE_MAX - 1);
    log_event(LOG_INFO, "busy", NULL, NULL, 0); /* the last that goes into the old file */
    assert_true(size_of(path) > LOG_FILE_MAX);
    assert_int_equal(size_of(old_path), -1);
    log_event(LOG_INFO, "done", NULL, NULL, 0);
    assert_true(size_of(old_path) > LOG_FILE_MAX);
    assert_log("info cid=- event=done\n");
    fill(path, LOG_FILE_MAX);
    log_event(LOG_INFO, "run", NULL, NULL, 0); /* the one before is dropped */
    assert_int_equal(size_of(old_path), LOG_FILE_MAX);
    assert_log("info cid=- event=run\n");
}

static void follows_a_file_that_another_process_moved(void **state)
{
    (void)state;
    log_event(LOG_INFO, "accepted", NULL, NULL, 0);
    fill(path, LOG_FILE_MAX);
    assert_int_equal(rename(path, old_path), 0);
    int fd = open(path, O_CREAT | O_WRONLY | O_APPEND, 0600);
    assert_true(fd >= 0 && close(fd) == 0);
    log_event(LOG_INFO, "busy", NULL, NULL, 0);
    assert_int_equal(size_of(old_path), LOG_FILE_MAX);
    assert_log("info cid=- event=busy\n");
    assert_int_equal(unlink(path), 0);
    log_event(LOG_INFO, "done", NULL, NULL, 0);
    assert_log("info cid=- event=done\n");
}

static void follows_a_rotation_by_rename(void **state)
{
    (void)state;
    log_event(LOG_INFO, "accepted", NULL, NULL, 0);
    off_t before = size_of(path);
    assert_int_equal(rename(path, old_path), 0);
    log_event(LOG_INFO, "busy", NULL, NULL, 0);
    assert_int_equal(size_of(old_path), before);
    assert_log("info cid=- event=busy\n");
}

/* The lock is on the file that another process is about to move. */
static void does_not_wait_for_who_moves_the_file(void **state)
{
    int ready[2];
    int go[2];
    char byte = 0;
    (void)state;
    fill(path, LOG_FILE_MAX);
    assert_int_equal(pipe(ready) | pipe(go), 0);
    pid_t child = fork();
    if (child == 0) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int fd = open(path, O_WRONLY);
        bool locked = fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0;
        bool told = write(ready[1], "r", 1) == 1 && read(go[0], &byte, 1) == 1;
        _exit(locked && told ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    log_event(LOG_INFO, "accepted", NULL, NULL, 0);
    assert_int_equal(size_of(old_path), -1);
    assert_true(size_of(path) > LOG_FILE_MAX);
    int status;
    assert_int_equal(write(go[1], "g", 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    log_event(LOG_INFO, "busy", NULL, NULL, 0);
    assert_true(size_of(old_path) > LOG_FILE_MAX);
    assert_log("info cid=- event=busy\n");
    assert_int_equal(close(ready[0]) | close(ready[1]) | close(go[0]) | close(go[1]), 0);
}

static void processes_share_one_file_without_losing_lines(void **state)
{
    enum { CHILDREN = 4, LINES = 200 };
    (void)state;
    fill(path, LOG_FILE_MAX - 2000);
    for (int c = 0; c < CHILDREN; c++) {
        if (fork() == 0) {
            log_into(path, LOG_INFO);
            for (int i = 0; i < LINES; i++) {
                log_event(LOG_INFO, "run", NULL, NULL, 0);
            }
            _exit(log_lost() == 0 ? 0 : 1);
        }
    }
    for (int c = 0; c < CHILDREN; c++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    struct stat old;
    assert_int_equal(stat(old_path, &old), 0);
    off_t line = (off_t)strlen("2026-11-30T12:00:00.123Z info cid=- event=run\n");
    off_t before = LOG_FILE_MAX - 2000;
    assert_int_equal(size_of(old_path) - before + size_of(path), line * CHILDREN * LINES);
    assert_true(size_of(path) > 0 && size_of(path) < LOG_FILE_MAX);
}

static void open_what_cannot_be(void)
{
    log_into("/nonexistent/folder/log", LOG_INFO);
    log_event(LOG_INFO, "accepted", NULL, NULL, 0);
}

static void without_a_file_stderr_is_used(void **state)
{
    char said[1000];
    (void)state;
    assert_int_equal(end_of(open_what_cannot_be, said, sizeof said), 0);
    assert_non_null(strstr(said, " warn cid=- event=log file=/nonexistent/folder/log"
                                 " why=\"No such file or directory\"\n"));
    assert_non_null(strstr(said, " info cid=- event=accepted\n"));
}

static void write_to_a_full_disk(void)
{
    log_into("/dev/full", LOG_INFO);
    log_event(LOG_INFO, "accepted", NULL, NULL, 0);
    log_event(LOG_INFO, "accepted", NULL, NULL, 0);
    _exit(log_lost() == 2 ? 3 : 4);
}

static void lines_that_cannot_be_written_are_counted(void **state)
{
    char said[1000];
    (void)state;
    assert_int_equal(end_of(write_to_a_full_disk, said, sizeof said), 3);
    assert_non_null(strstr(said, " info cid=- event=accepted\n")); /* on stderr instead */
}

static void a_place_that_comes_back_is_used_again(void **state)
{
    char away[80];
    (void)state;
    (void)snprintf(away, sizeof away, "%s.away", dir);
    assert_int_equal(rename(dir, away), 0);
    int file = open(dir, O_WRONLY | O_CREAT | O_EXCL, 0600); /* a missing folder would be made */
    assert_true(file >= 0 && close(file) == 0);
    int was = dup(STDERR_FILENO), fd = open("/dev/null", O_WRONLY);
    assert_true(fd >= 0 && dup2(fd, STDERR_FILENO) >= 0 && close(fd) == 0);
    unsigned long lost = log_lost();
    log_into(path, LOG_INFO); /* says that it can't */
    log_event(LOG_INFO, "busy", NULL, NULL, 0);
    assert_true(dup2(was, STDERR_FILENO) >= 0 && close(was) == 0);
    assert_int_equal(log_lost(), lost + 2);
    assert_true(unlink(dir) == 0 && rename(away, dir) == 0);
    log_event(LOG_INFO, "accepted", NULL, NULL, 0);
    log_event(LOG_INFO, "done", NULL, NULL, 0);
    assert_int_equal(log_lost(), lost + 2);
    assert_log("info cid=- event=accepted\ninfo cid=- event=done\n");
}

/* Nobody reads the other end. */
static void fill_a_pipe(void)
{
    int fds[2];
    char value[201];
    struct timespec a, b;
    memset(value, 'v', 200);
    value[200] = '\0';
    const struct log_pair pairs[] = {LOG_TEXT("k", value)};
    log_open(NULL);
    if (pipe(fds) != 0 || dup2(fds[1], STDERR_FILENO) < 0 || clock_gettime(CLOCK_MONOTONIC, &a) != 0) {
        _exit(1);
    }
    for (int i = 0; i < 1000; i++) {
        log_event(LOG_INFO, "run", NULL, pairs, 1);
    }
    if (clock_gettime(CLOCK_MONOTONIC, &b) != 0) {
        _exit(1);
    }
    _exit(log_lost() > 500 && b.tv_sec - a.tv_sec < 10 ? 3 : 4); /* not 100 ms a line */
}

static void a_stderr_that_nobody_reads_holds_nobody_up(void **state)
{
    (void)state;
    assert_int_equal(end_of(fill_a_pipe, NULL, 0), 3);
}

static void log_an_unknown_event(void)
{
    log_event(LOG_INFO, "no_such_event", NULL, NULL, 0);
}

static void an_event_that_is_not_in_the_table_aborts_where_asked_for(void **state)
{
    char said[200];
    (void)state;
#ifdef HO_ABORT_ON_BUG
    assert_int_equal(end_of(log_an_unknown_event, said, sizeof said), -SIGABRT);
    assert_non_null(strstr(said, "no_such_event"));
#else
    assert_int_equal(end_of(log_an_unknown_event, said, sizeof said), 0);
    assert_log("info cid=- event=no_such_event\n");
#endif
}

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) == NULL;
}

static int remove_dir(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)unlink(old_path);
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_event_is_one_line, fresh, done),
        cmocka_unit_test_setup_teardown(values_are_cut_at_200_bytes, fresh, done),
        cmocka_unit_test_setup_teardown(a_line_is_bounded_and_says_so, fresh, done),
        cmocka_unit_test_setup_teardown(levels_below_the_least_are_left_out, fresh, done),
        cmocka_unit_test_setup_teardown(the_file_is_private_and_appended_to, fresh, done),
        cmocka_unit_test_setup_teardown(a_full_file_is_moved_away, fresh, done),
        cmocka_unit_test_setup_teardown(follows_a_file_that_another_process_moved, fresh, done),
        cmocka_unit_test_setup_teardown(follows_a_rotation_by_rename, fresh, done),
        cmocka_unit_test_setup_teardown(does_not_wait_for_who_moves_the_file, fresh, done),
        cmocka_unit_test_setup_teardown(processes_share_one_file_without_losing_lines, fresh,
                                        done),
        cmocka_unit_test_setup_teardown(without_a_file_stderr_is_used, fresh, done),
        cmocka_unit_test_setup_teardown(lines_that_cannot_be_written_are_counted, fresh, done),
        cmocka_unit_test_setup_teardown(a_place_that_comes_back_is_used_again, fresh, done),
        cmocka_unit_test_setup_teardown(a_stderr_that_nobody_reads_holds_nobody_up, fresh, done),
        cmocka_unit_test_setup_teardown(
            an_event_that_is_not_in_the_table_aborts_where_asked_for, fresh, done),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
