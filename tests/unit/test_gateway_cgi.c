/* The plain CGI side: one request on pipes, its end, and what is left to do behind the answer. */
#include "gateway_program.h"

struct cgi {
    int in, out; /* the child's stdin and stdout, our ends */
    pid_t pid;
};

static struct cgi start_cgi(const char *const *env)
{
    int in[2], out[2];
    struct cgi c;
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    (void)fflush(NULL);
    c.pid = fork();
    assert_true(c.pid >= 0);
    if (c.pid == 0) {
        (void)dup2(in[0], STDIN_FILENO);
        (void)dup2(out[1], STDOUT_FILENO);
        for (int fd = 3; fd < 64; fd++) {
            (void)close(fd);
        }
        (void)unsetenv("REQUEST_METHOD");
        for (; *env != NULL; env++) {
            char copy[128];
            char *equals;
            (void)snprintf(copy, sizeof copy, "%s", *env);
            equals = strchr(copy, '=');
            *equals = '\0';
            (void)setenv(copy, equals + 1, 1);
        }
        serve();
        _exit(0);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    c.in = in[1];
    c.out = out[0];
    return c;
}

/* Everything until the child lets go of its stdout; *ms: how long that took. */
static const char *output_of(struct cgi *c, int64_t *ms)
{
    static char out[4096];
    size_t len = 0;
    int64_t start = clock_mono_ms();
    ssize_t n;
    while ((n = read(c->out, out + len, sizeof out - 1 - len)) > 0) {
        len += (size_t)n;
    }
    out[len] = '\0';
    *ms = clock_mono_ms() - start;
    (void)close(c->out);
    return out;
}

static void serves_one_request_as_cgi(void **state)
{
    static const struct {
        const char *env[4];
        const char *input;
        bool close_input;
        const char *want;
    } rows[] = {
        /* A server may leave the pipe open behind the announced bytes. */
        {{POST_TO("/c/gh"), "CONTENT_LENGTH=5"}, "12345", false,
         OK_TEXT("POST /c/gh 0 headers, 5 bytes", "29")},
        {{POST_TO("/c/gh")}, "12345", true, OK_TEXT("POST /c/gh 0 headers, 5 bytes", "29")},
        {{POST_TO("/c/gh"), "CONTENT_LENGTH=6"}, "12345", true,
         BAD_TEXT("400 Bad Request", "body incomplete", "15")},
        {{POST_TO("/c/gh"), "CONTENT_LENGTH=4"}, "12345", true,
         OK_TEXT("POST /c/gh 0 headers, 4 bytes", "29")},
        {{POST_TO("/c/gh"), "CONTENT_LENGTH=100"}, "12345", false, /* silence */
         BAD_TEXT("400 Bad Request", "body incomplete", "15")},
        {{POST_TO("/c/../gh"), "CONTENT_LENGTH=5"}, "12345", true,
         BAD_TEXT("400 Bad Request", "bad request", "11")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cgi c = start_cgi(rows[i].env);
        int64_t ms;
        int status = -1;
        ROW(i, write(c.in, rows[i].input, strlen(rows[i].input)) > 0);
        if (rows[i].close_input) {
            (void)close(c.in);
        }
        ROW_TEXT(i, output_of(&c, &ms), rows[i].want);
        if (!rows[i].close_input) {
            (void)close(c.in);
        }
        ROW(i, waitpid(c.pid, &status, 0) == c.pid && status == 0);
    }
}

static void lets_a_cgi_client_go_before_late_work(void **state)
{
    static const char *const env[] = {POST_TO("/late"), NULL};
    struct cgi c = start_cgi(env);
    int64_t ms;
    int status = -1;
    (void)state;
    (void)close(c.in);
    assert_string_equal(output_of(&c, &ms), OK_TEXT("POST /late 0 headers, 0 bytes", "29"));
    assert_in_range(ms, 0, SOON_MS);
    assert_int_equal(waitpid(c.pid, &status, WNOHANG), 0); /* still at it */
    assert_int_equal(waitpid(c.pid, &status, 0), c.pid);
    assert_int_equal(status, 0);
}

static void says_what_it_is_to_a_person(void **state)
{
    static const char *const env[] = {NULL};
    struct cgi c = start_cgi(env);
    int64_t ms;
    int status = -1;
    (void)state;
    (void)close(c.in);
    assert_string_equal(output_of(&c, &ms), "");
    assert_int_equal(waitpid(c.pid, &status, 0), c.pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serves_one_request_as_cgi),
        cmocka_unit_test(lets_a_cgi_client_go_before_late_work),
        cmocka_unit_test(says_what_it_is_to_a_person),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
