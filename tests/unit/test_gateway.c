/* The FastCGI side: a child process serves on a unix socket, and the test plays the web server,
 * byte by byte where it misbehaves. */
#include <time.h>

#include "fastcgi_peer.h"

static void hands_over_one_request_after_another(void **state)
{
    static const struct {
        const char *path, *announced;
        size_t len;
        const char *want;
    } rows[] = {
        {"/h/gh", "5", 5, OK_TEXT("POST /h/gh 0 headers, 5 bytes", "29")},
        {"/h/gh", NULL, 70000, OK_TEXT("POST /h/gh 0 headers, 70000 bytes", "33")},
        {"/h/gh", "100000", CAP, OK_TEXT("POST /h/gh 0 headers, 100000 bytes", "34")},
        {"/h/gh", NULL, CAP, OK_TEXT("POST /h/gh 0 headers, 100000 bytes", "34")},
        {"/h/gh", "100001", CAP + 1, BAD_TEXT("413 Content Too Large", "body too large", "14")},
        {"/h/gh", NULL, CAP + 1, BAD_TEXT("413 Content Too Large", "body too large", "14")},
        {"/h/gh", NULL, 3 * CAP, BAD_TEXT("413 Content Too Large", "body too large", "14")},
        {"/h/gh", "100", 60, BAD_TEXT("400 Bad Request", "body incomplete", "15")},
        {"/h/gh", "60", 100, BAD_TEXT("400 Bad Request", "body incomplete", "15")},
        {"/h/gh", "5x", 5, BAD_TEXT("400 Bad Request", "bad request", "11")},
        {"/h/%00", "5", 5, BAD_TEXT("400 Bad Request", "bad request", "11")},
        {"/h/early", "90000", 90000, OK_TEXT("POST /h/early 0 headers, 0 bytes", "32")},
        {"/h/gh", "0", 0, OK_TEXT("POST /h/gh 0 headers, 0 bytes", "29")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW_TEXT(i, exchange(rows[i].path, rows[i].announced, rows[i].len), rows[i].want);
    }
}

static void takes_long_and_many_headers(void **state)
{
    static char text[205][8300];
    const char *env[206] = {POST_TO("/h/gh"), "CONTENT_LENGTH=0"};
    int fd = dial();
    (void)state;
    for (size_t i = 0; i < 200; i++) {
        int n = snprintf(text[i], sizeof text[i], "HTTP_X_%zu=", i);
        memset(text[i] + n, 'v', i == 0 ? 8192 : 10);
        env[3 + i] = text[i];
    }
    begin(fd, 1, false);
    send_params(fd, env);
    send_record(fd, STDIN, NULL, 0);
    assert_string_equal(reply_of(fd), OK_TEXT("POST /h/gh 200 headers, 0 bytes", "31"));
    (void)close(fd);
}

static void sends_no_body_to_head(void **state)
{
    const char *env[] = {"REQUEST_METHOD=HEAD", "REQUEST_URI=/gh", NULL};
    int fd = dial();
    (void)state;
    begin(fd, 1, false);
    send_params(fd, env);
    send_record(fd, STDIN, NULL, 0);
    assert_string_equal(reply_of(fd), OK_TEXT("", "27"));
    (void)close(fd);
}

static void survives_what_is_no_whole_request(void **state)
{
    static const char *const env[] = {POST_TO("/h/gh"), "CONTENT_LENGTH=100", NULL};
    static const char *const unannounced[] = {POST_TO("/h/gh"), NULL};
    static const char *const none[] = {"SERVER_NAME=x", NULL};
    static const unsigned char half[] = {1, PARAMS, 0, 1, 0, 50, 0, 0, 5, 5, 'H'};
    int fd;
    (void)state;
    fd = dial(); /* closed at once */
    (void)close(fd);
    fd = dial(); /* closed inside the environment */
    begin(fd, 1, false);
    send_all(fd, half, sizeof half);
    (void)close(fd);
    fd = dial(); /* an environment without a request in it */
    begin(fd, 1, false);
    send_params(fd, none);
    send_record(fd, STDIN, NULL, 0);
    assert_string_equal(reply_of(fd), "");
    (void)close(fd);
    fd = dial(); /* aborted in the middle of the body */
    begin(fd, 1, false);
    send_params(fd, env);
    send_body(fd, 60);
    send_record(fd, ABORT, NULL, 0);
    assert_string_equal(reply_of(fd), BAD_TEXT("400 Bad Request", "body incomplete", "15"));
    (void)close(fd);
    fd = dial(); /* the same where no length tells that bytes are missing */
    begin(fd, 1, false);
    send_params(fd, unannounced);
    send_body(fd, 60);
    send_record(fd, ABORT, NULL, 0);
    assert_string_equal(reply_of(fd), BAD_TEXT("400 Bad Request", "body incomplete", "15"));
    (void)close(fd);
    fd = dial(); /* closed in the middle of the body */
    begin(fd, 1, false);
    send_params(fd, env);
    send_body(fd, 60);
    (void)close(fd);
    fd = dial(); /* an authorizer: silence would let everybody in */
    begin(fd, 2, false);
    send_params(fd, env);
    send_record(fd, STDIN, NULL, 0);
    assert_string_equal(reply_of(fd), "Status: 500 Internal Server Error\r\n\r\n");
    (void)close(fd);
    assert_string_equal(exchange("/h/gh", "5", 5), OK_TEXT("POST /h/gh 0 headers, 5 bytes", "29"));
}

static void gives_up_a_stalled_body(void **state)
{
    static const char *const env[] = {POST_TO("/h/gh"), "CONTENT_LENGTH=90000", NULL};
    static const struct {
        int wait_ms;
        long pause_ns;
    } drips[] = {{100, 0}, {0, 200000}};
    int64_t start;
    int fd = dial();
    (void)state;
    begin(fd, 1, false);
    send_params(fd, env);
    send_body(fd, 60);
    start = clock_mono_ms();
    assert_string_equal(reply_of(fd), BAD_TEXT("400 Bad Request", "body incomplete", "15"));
    assert_in_range(clock_mono_ms() - start, 200, 1500);
    (void)close(fd);

    for (size_t i = 0; i < COUNT(drips); i++) { /* a byte now and then does not prolong it */
        struct pollfd answered = {.fd = dial(), .events = POLLIN};
        begin(answered.fd, 1, false);
        send_params(answered.fd, env);
        start = clock_mono_ms();
        do {
            const struct timespec pause = {.tv_nsec = drips[i].pause_ns};
            send_body(answered.fd, 1);
            (void)nanosleep(&pause, NULL);
        } while (poll(&answered, 1, drips[i].wait_ms) == 0 && clock_mono_ms() - start < 1500);
        assert_in_range(clock_mono_ms() - start, 200, 1000);
        assert_string_equal(reply_of(answered.fd),
                            BAD_TEXT("400 Bad Request", "body incomplete", "15"));
        (void)close(answered.fd);
    }
}

/* What is announced as too large is refused without a byte of it, and without waiting for one. */
static void refuses_an_announced_length_unread(void **state)
{
    static const char *const env[] = {POST_TO("/h/gh"), "CONTENT_LENGTH=1073741824", NULL};
    int64_t start = clock_mono_ms();
    int fd = dial();
    (void)state;
    begin(fd, 1, false);
    send_params(fd, env);
    assert_string_equal(reply_of(fd), BAD_TEXT("413 Content Too Large", "body too large", "14"));
    assert_in_range(clock_mono_ms() - start, 0, 200);
    (void)close(fd);
}

static void answers_before_its_late_work(void **state)
{
    int64_t start = clock_mono_ms();
    (void)state;
    assert_string_equal(exchange("/late", "5", 5), OK_TEXT("POST /late 0 headers, 5 bytes", "29"));
    assert_in_range(clock_mono_ms() - start, 0, SOON_MS);
}

/* A web server that keeps its connection must not shut the others out while it is silent. */
static void serves_others_beside_a_kept_connection(void **state)
{
    static const char *const env[] = {POST_TO("/h/gh"), "CONTENT_LENGTH=5", NULL};
    int64_t start;
    int fd = dial();
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin(fd, 1, true);
        send_params(fd, env);
        send_body(fd, 5);
        send_record(fd, STDIN, NULL, 0);
        assert_string_equal(reply_of(fd), OK_TEXT("POST /h/gh 0 headers, 5 bytes", "29"));
    }
    start = clock_mono_ms();
    assert_string_equal(exchange("/h/gh", "5", 5), OK_TEXT("POST /h/gh 0 headers, 5 bytes", "29"));
    assert_in_range(clock_mono_ms() - start, 0, SOON_MS);
    (void)close(fd);
}

static void finishes_its_request_when_told_to_stop(void **state)
{
    static const char *const env[] = {POST_TO("/slow"), "CONTENT_LENGTH=5", NULL};
    static const int signals[] = {SIGTERM, SIGUSR1};
    (void)state;
    for (size_t i = 0; i < COUNT(signals); i++) {
        int status = -1;
        int fd = dial();
        int64_t start = clock_mono_ms();
        begin(fd, 1, false);
        send_params(fd, env);
        send_body(fd, 5);
        send_record(fd, STDIN, NULL, 0);
        clock_sleep_ms(PAUSE_MS / 3);
        assert_int_equal(kill(child, signals[i]), 0);
        ROW_TEXT(i, reply_of(fd), OK_TEXT("POST /slow 0 headers, 5 bytes", "29"));
        (void)close(fd);
        ROW(i, clock_mono_ms() - start >= PAUSE_MS); /* nothing in between was cut short */
        start = clock_mono_ms();
        ROW(i, waitpid(child, &status, 0) == child);
        ROW(i, clock_mono_ms() - start < SOON_MS);
        ROW(i, WIFEXITED(status) && WEXITSTATUS(status) == 0);
        child = 0;
        if (i + 1 < COUNT(signals)) {
            assert_int_equal(start_fastcgi(NULL), 0);
        }
    }
}

static void ends_at_once_when_idle(void **state)
{
    int64_t start;
    (void)state;
    assert_string_equal(exchange("/h/gh", "5", 5), OK_TEXT("POST /h/gh 0 headers, 5 bytes", "29"));
    start = clock_mono_ms();
    assert_int_equal(stop_child(NULL), 0);
    assert_in_range(clock_mono_ms() - start, 0, SOON_MS);
}

/* Of several that wait on one socket another may have taken the connection. An accept that then waits
 * could miss the signal that came just before it. */
static void comes_back_from_an_accept_that_another_was_faster_for(void **state)
{
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), status = -1;
    pid_t pid;
    (void)state;
    (void)unlink(address.sun_path);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 16), 0);
    (void)fflush(NULL);
    pid = fork();
    if (pid == 0) {
        struct gateway *g;
        (void)alarm(60);
        (void)dup2(listener, STDIN_FILENO);
        g = gateway_open();
        _exit(accept_request(g) == -EAGAIN ? 0 : 1);
    }
    assert_true(waitpid(pid, &status, 0) == pid);
    assert_int_equal(status, 0);
    (void)close(listener);
}

#define FASTCGI(test) cmocka_unit_test_setup_teardown(test, start_fastcgi, stop_child)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FASTCGI(hands_over_one_request_after_another),
        FASTCGI(takes_long_and_many_headers),
        FASTCGI(sends_no_body_to_head),
        FASTCGI(survives_what_is_no_whole_request),
        FASTCGI(gives_up_a_stalled_body),
        FASTCGI(refuses_an_announced_length_unread),
        FASTCGI(answers_before_its_late_work),
        FASTCGI(serves_others_beside_a_kept_connection),
        FASTCGI(finishes_its_request_when_told_to_stop),
        FASTCGI(ends_at_once_when_idle),
        cmocka_unit_test(comes_back_from_an_accept_that_another_was_faster_for),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
