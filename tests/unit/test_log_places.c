/* The log's other form and other place: JSON, and a syslog that may be away, new or stuck. */
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"

static char dir[] = "/tmp/hookonce-log-XXXXXX";
static char path[64];

static int fresh(void **state)
{
    (void)state;
    (void)snprintf(path, sizeof path, "%s/place", dir);
    (void)unlink(path);
    return 0;
}

static int done(void **state)
{
    (void)state;
    log_open(NULL);
    return 0;
}

/* ---- JSON ---- */

/* The only line of the log, behind its time. */
static char *json_line(void)
{
    static char text[70000];
    struct buf all;
    struct json *doc = NULL;

    buf_init(&all, sizeof text);
    assert_int_equal(file_read(path, false, &all, NULL), HO_OK);
    assert_true(span_starts(buf_span(&all), "{\"time\":\"2"));
    struct span line = buf_span(&all);
    assert_int_equal(line.p[line.len - 1], '\n');
    line.len--;
    assert_null(memchr(line.p, '\n', line.len));
    assert_int_equal(json_parse(line, &doc, NULL), HO_OK);
    json_free(doc);
    (void)snprintf(text, sizeof text, "%s", buf_cstr(&all) + 35);
    buf_free(&all);
    return text;
}

static void as_json(void)
{
    const struct log_to to = {LOG_TO_FILE, path, true, LOG_INFO};
    log_open(&to);
}

static void an_event_is_an_object(void **state)
{
    char room[24];
    const struct log_pair pairs[] = {
        LOG_TEXT("source", "stripe"),
        LOG_SPAN("id", SPAN_LIT("a \"b\"\\\n\0\x7F\xC3\xA4\xFF\xE2\x80\xAE\xE2\x80\xA8")),
        LOG_TEXT("none", NULL),
        LOG_TEXT("digits", "7"),
        LOG_SPAN("type", SPAN_LIT("")),
        log_int("n", INT64_MIN, room),
    };
    (void)state;
    as_json();
    log_event(LOG_WARN, "rejected", "01ARYZ6S41TSV4RRFFQ69G5FAV", pairs, COUNT(pairs));
    assert_string_equal(
        json_line(),
        "\"level\":\"warn\",\"cid\":\"01ARYZ6S41TSV4RRFFQ69G5FAV\",\"event\":\"rejected\",\"source\":"
        "\"stripe\",\"id\":\"a \\u0022b\\u0022\\u005c\\u000a\\u0000\\u007f\xC3\xA4\\ufffd\\u202e\\u2028\","
        "\"digits\":\"7\",\"type\":\"\",\"n\":-9223372036854775808}\n");
}

static void without_an_id_it_is_null(void **state)
{
    (void)state;
    as_json();
    log_event(LOG_ALARM, "alarm", NULL, NULL, 0);
    assert_string_equal(json_line(), "\"level\":\"alarm\",\"cid\":null,\"event\":\"alarm\"}\n");
}

static void a_long_value_and_a_long_line_say_so(void **state)
{
    enum { MANY = 200 };
    char value[202], want[300];
    struct log_pair pairs[MANY];
    (void)state;
    memset(value, 1, 201);
    value[201] = '\0';
    for (size_t i = 0; i < MANY; i++) {
        pairs[i] = LOG_TEXT("k", value);
    }
    as_json();
    log_event(LOG_INFO, "accepted", NULL, pairs, MANY);
    char *got = json_line();
    size_t len = strlen(got);
    assert_in_range(len, 64000, 65536);
    assert_string_equal(got + len - 13, ",\"cut\":true}\n");
    memset(value, 'v', 201);
    assert_int_equal(unlink(path), 0);
    log_event(LOG_INFO, "accepted", NULL, pairs, 1);
    (void)snprintf(want, sizeof want, "\"k\":\"%.200s…+1\"}\n", value);
    assert_non_null(strstr(json_line(), want));
}

/* ---- syslog ---- */

static int listen_there(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static void to_syslog(void)
{
    const struct log_to to = {LOG_TO_SYSLOG, path, false, LOG_DEBUG};
    log_open(&to);
}

/* What came: "<30>" and the line; what stands between is checked. */
static char *heard(int fd)
{
    static char text[1000];
    char message[1000], pid[40];
    ssize_t len = recv(fd, message, sizeof message - 1, MSG_DONTWAIT);

    assert_true(len > 0);
    message[len] = '\0';
    char *end = strchr(message, '>');
    assert_non_null(end);
    (void)snprintf(pid, sizeof pid, " hookonce[%ld]: 2", (long)getpid());
    char *body = strstr(message, pid);
    assert_ptr_equal(body, end + 1 + 15); /* "Nov 30 12:00:00" */
    assert_int_equal(end[4], ' ');
    assert_int_equal(end[10], ':');
    body = strchr(strchr(body, ':') + 2, ' ');
    (void)snprintf(text, sizeof text, "%.*s%s", (int)(end + 1 - message), message, body);
    return text;
}

static void syslog_gets_the_line_under_its_own_level(void **state)
{
    (void)state;
    int fd = listen_there();
    to_syslog();
    log_event(LOG_DEBUG, "done", NULL, NULL, 0);
    log_event(LOG_INFO, "accepted", "01ARYZ6S41TSV4RRFFQ69G5FAV", NULL, 0);
    log_event(LOG_WARN, "busy", NULL, NULL, 0);
    log_event(LOG_ALARM, "alarm", NULL, NULL, 0);
    assert_string_equal(heard(fd), "<31> debug cid=- event=done");
    assert_string_equal(heard(fd), "<30> info cid=01ARYZ6S41TSV4RRFFQ69G5FAV event=accepted");
    assert_string_equal(heard(fd), "<28> warn cid=- event=busy");
    assert_string_equal(heard(fd), "<25> alarm cid=- event=alarm");
    (void)close(fd);
}

static void a_syslog_that_was_started_anew_is_found(void **state)
{
    (void)state;
    int fd = listen_there();
    to_syslog();
    log_event(LOG_INFO, "accepted", NULL, NULL, 0);
    (void)close(fd);
    assert_int_equal(unlink(path), 0);
    fd = listen_there();
    unsigned long lost = log_lost();
    log_event(LOG_INFO, "busy", NULL, NULL, 0);
    assert_string_equal(heard(fd), "<30> info cid=- event=busy");
    assert_int_equal(log_lost(), lost);
    (void)close(fd);
}

static void log_to_nobody(void)
{
    to_syslog();
    log_event(LOG_INFO, "accepted", NULL, NULL, 0);
    _exit(log_lost() == 2 ? 3 : 4);
}

static void without_syslog_lines_go_to_stderr(void **state)
{
    char said[1000];
    (void)state;
    assert_int_equal(end_of(log_to_nobody, said, sizeof said), 3);
    assert_non_null(strstr(said, " warn cid=- event=log file="));
    assert_non_null(strstr(said, " why=\"No such file or directory\"\n"));
    assert_non_null(strstr(said, " info cid=- event=accepted\n"));
}

/* A socket whose queue is full takes nothing until somebody reads. */
static void a_syslog_that_is_stuck_costs_its_wait_once(void **state)
{
    enum { LINES = 2000 };
    struct timespec a, b;
    (void)state;
    int fd = listen_there(), was = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
    assert_true(null >= 0 && dup2(null, STDERR_FILENO) >= 0 && close(null) == 0);
    to_syslog();
    unsigned long lost = log_lost();
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &a), 0);
    for (int i = 0; i < LINES; i++) {
        log_event(LOG_INFO, "run", NULL, NULL, 0);
    }
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &b), 0);
    assert_true(dup2(was, STDERR_FILENO) >= 0 && close(was) == 0);
    assert_in_range(log_lost() - lost, 1, LINES - 1);
    assert_true(b.tv_sec - a.tv_sec < 30); /* and not LINES times LOG_WAIT_MS */
    lost = log_lost();
    assert_string_equal(heard(fd), "<30> info cid=- event=run");
    log_event(LOG_INFO, "run", NULL, NULL, 0);
    assert_int_equal(log_lost(), lost);
    (void)close(fd);
}

static void a_path_that_is_too_long_for_a_socket_is_an_error(void **state)
{
    char longest[200];
    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(log_syslog_connect(longest), -1);
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
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_event_is_an_object, fresh, done),
        cmocka_unit_test_setup_teardown(without_an_id_it_is_null, fresh, done),
        cmocka_unit_test_setup_teardown(a_long_value_and_a_long_line_say_so, fresh, done),
        cmocka_unit_test_setup_teardown(syslog_gets_the_line_under_its_own_level, fresh, done),
        cmocka_unit_test_setup_teardown(a_syslog_that_was_started_anew_is_found, fresh, done),
        cmocka_unit_test_setup_teardown(without_syslog_lines_go_to_stderr, fresh, done),
        cmocka_unit_test_setup_teardown(a_syslog_that_is_stuck_costs_its_wait_once, fresh, done),
        cmocka_unit_test(a_path_that_is_too_long_for_a_socket_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
