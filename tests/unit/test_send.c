/* `hookonce send` without a receiver: where it may post, what it posts, what it counts. The posts
 * themselves go to a small server of this test. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "unit.h"

#include "core/settings.h"
#include "operator/send.h"

static void adds_the_source_to_the_url_once(void **state)
{
    static const struct {
        const char *base, *source, *want;
    } rows[] = {
        {"http://h/hook", "stripe", "http://h/hook/stripe"},
        {"http://h/hook/", "stripe", "http://h/hook/stripe"},
        {"http://h/hook/stripe", "stripe", "http://h/hook/stripe"},
        {"http://h/hook/stripe/", "stripe", "http://h/hook/stripe"},
        {"http://h/hook/mystripe", "stripe", "http://h/hook/mystripe/stripe"},
        {"http://h", "stripe", "http://h/stripe"},
        {"http://h/cgi?x=1", "gh", "http://h/cgi/gh?x=1"},
        {"http://h/gh?x=/1", "gh", "http://h/gh?x=/1"},
        {"gh", "gh", "gh/gh"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf out;
        buf_init(&out, 100);
        assert_int_equal(send_url(rows[i].base, rows[i].source, &out, NULL), HO_OK);
        ROW_TEXT(i, buf_cstr(&out), rows[i].want);
        buf_free(&out);
    }
    struct buf small;
    buf_init(&small, 10);
    assert_int_equal(send_url("http://h/hook", "stripe", &small, NULL), HO_REJECT);
    buf_free(&small);
}

static void posts_in_plain_text_only_to_this_machine(void **state)
{
    static const struct {
        const char *url;
        bool plain;
        enum ho_code want;
    } rows[] = {
        {"http://127.0.0.1:8080/hook", false, HO_OK},
        {"http://127.9.9.9/hook", false, HO_OK},
        {"http://localhost/hook", false, HO_OK},
        {"http://[::1]:80/hook", false, HO_OK},
        {"https://example.com/hook", false, HO_OK},
        {"http://example.com/hook", false, HO_REJECT},
        {"http://example.com/hook", true, HO_OK},
        {"http://127.0.0.1.example.com/hook", false, HO_REJECT},
        {"http://127.example.com/hook", false, HO_REJECT},
        {"http://localhost.example.com/", false, HO_REJECT},
        {"http://127.0.0.1@example.com/hook", false, HO_REJECT},
        {"https://user:pass@example.com/hook", false, HO_REJECT},
        {"ftp://127.0.0.1/hook", true, HO_REJECT},
        {"file:///etc/passwd", true, HO_REJECT},
        {"example.com/hook", true, HO_REJECT},
        {"", true, HO_REJECT},
        {"http://", true, HO_REJECT},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ho_err err = {HO_OK, 0, ""};
        if (http_post_check(rows[i].url, rows[i].plain, &err) != rows[i].want) {
            fail_msg("%s: %s", rows[i].url, err.text);
        }
    }
}

/* ---- what is posted ---- */

static struct span header(struct span lines, const char *name)
{
    while (span_present(lines)) {
        struct span line = span_cut(&lines, '\n');
        struct span value = line;
        if (span_is_nocase(span_cut(&value, ':'), name)) {
            return span_trim(value);
        }
    }
    return SPAN_NONE;
}

static void keep(struct span s, char *out, size_t size)
{
    assert_true(span_present(s));
    assert_true(s.len < size);
    memcpy(out, s.p, s.len);
    out[s.len] = '\0';
}

static struct send_plan github_plan(struct recipes *all)
{
    static const struct source source = {.name = "github", .provider = "github"};

    return (struct send_plan){
        .source = &source,
        .url = "http://127.0.0.1/github",
        .recipe = recipes_find(all, "github"),
        .key = SPAN_LIT("a secret of the test"),
        .type = "push",
        .content_type = "application/json",
        .time_us = 1790000000000000,
        .repeat = 2,
    };
}

static void repeats_an_event_then_makes_another(void **state)
{
    struct recipes *all = NULL;
    char id[4][80];
    char sig[4][80];
    (void)state;
    assert_int_equal(recipes_load(NULL, 0, &all, NULL), HO_OK);
    struct send_plan plan = github_plan(all);
    struct send_event e = {.plan = &plan};
    for (size_t i = 0; i < 4; i++) {
        struct http_post post;
        assert_int_equal(send_next(&e, i, &post, NULL), HO_OK);
        keep(header(post.headers, "x-github-delivery"), id[i], sizeof id[i]);
        keep(header(post.headers, "x-hub-signature-256"), sig[i], sizeof sig[i]);
        assert_true(span_is(header(post.headers, "x-github-event"), "push"));
    }
    assert_string_equal(id[0], id[1]);
    assert_string_equal(sig[0], sig[1]);
    assert_string_not_equal(id[1], id[2]);
    assert_string_equal(id[2], id[3]);
    assert_memory_equal(id[0], "test_", 5);
    assert_int_equal(e.made, 2);
    send_event_free(&e);
    recipes_free(all);
}

static void tampers_behind_the_signature(void **state)
{
    struct recipes *all = NULL;
    char sig[2][80];
    static const char body[] = "{\"a\":\"0123456789\"}";
    size_t differ = 0;
    (void)state;
    assert_int_equal(recipes_load(NULL, 0, &all, NULL), HO_OK);
    for (size_t i = 0; i < 2; i++) {
        struct send_plan plan = github_plan(all);
        struct send_event e = {.plan = &plan};
        struct http_post post;
        plan.id = "fixed-id";
        plan.body = span_of(body);
        plan.tamper = i == 1;
        assert_int_equal(send_next(&e, 0, &post, NULL), HO_OK);
        assert_true(span_is(header(post.headers, "x-github-delivery"), "fixed-id"));
        keep(header(post.headers, "x-hub-signature-256"), sig[i], sizeof sig[i]);
        assert_int_equal(post.body.len, strlen(body));
        for (size_t k = 0; k < post.body.len; k++) {
            differ += post.body.p[k] != (unsigned char)body[k] ? 1 : 0;
        }
        assert_int_equal(differ, i);
        send_event_free(&e);
    }
    assert_string_equal(sig[0], sig[1]);
    recipes_free(all);
}

static void refuses_what_cannot_be_posted(void **state)
{
    struct recipes *all = NULL;
    struct http_post post;
    char id[300];
    (void)state;
    assert_int_equal(recipes_load(NULL, 0, &all, NULL), HO_OK);
    struct send_plan plan = github_plan(all);
    struct send_event e = {.plan = &plan};
    memset(id, 'x', sizeof id);
    id[sizeof id - 1] = '\0';
    plan.id = id;
    assert_int_equal(send_next(&e, 0, &post, NULL), HO_REJECT);
    send_event_free(&e);

    plan.id = NULL;
    plan.body = SPAN_LIT("");
    plan.tamper = true;
    e = (struct send_event){.plan = &plan};
    assert_int_equal(send_next(&e, 0, &post, NULL), HO_REJECT);
    send_event_free(&e);
    recipes_free(all);
}

/* ---- posting and counting ---- */

/* Takes connections for ever: answers 200 with the body's bytes, or 503 where they begin with x. */
static void serve(int listener)
{
    for (;;) {
        char in[4096];
        char out[4200];
        size_t len = 0;
        int fd = accept(listener, NULL, NULL);
        if (fd < 0) {
            _exit(1);
        }
        for (;;) {
            ssize_t n = read(fd, in + len, sizeof in - 1 - len);
            if (n <= 0) {
                break;
            }
            len += (size_t)n;
            in[len] = '\0';
            const char *length = strstr(in, "Content-Length: ");
            const char *body = strstr(in, "\r\n\r\n");
            if (length == NULL || body == NULL ||
                strlen(body + 4) < (size_t)strtoul(length + 16, NULL, 10)) {
                continue;
            }
            int put = snprintf(out, sizeof out, "HTTP/1.1 %d X\r\nContent-Length: %zu\r\n"
                               "Connection: close\r\n\r\n%s", body[4] == 'x' ? 503 : 200,
                               strlen(body + 4), body + 4);
            (void)!write(fd, out, (size_t)put);
            break;
        }
        (void)close(fd);
    }
}

static pid_t start_server(char url[64])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
    assert_int_equal(listen(fd, 64), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    (void)snprintf(url, 64, "http://127.0.0.1:%u/hook", ntohs(at.sin_port));
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)alarm(60);
        serve(fd);
    }
    (void)close(fd);
    return pid;
}

struct posts {
    struct send_answers answers;
    size_t asked;
    size_t stop_at;
};

static bool next_of_test(void *arg, size_t i, struct http_post *post)
{
    struct posts *p = arg;
    assert_int_equal(i, p->asked);
    p->asked++;
    post->headers = span_of("X-Test: 1\nX-Empty: \nContent-Type: text/plain\n");
    post->body = span_of(i % 4 == 3 ? "x down\nmore" : "fine\n");
    return i < p->stop_at;
}

static void done_of_test(void *arg, size_t i, const struct http_answer *answer)
{
    struct posts *p = arg;
    assert_true(i < p->asked);
    send_count(&p->answers, answer);
}

static void run_posts(struct posts *p, const char *url, size_t total, unsigned parallel)
{
    const struct http_run run = {url, total, parallel, next_of_test, done_of_test, p};
    assert_int_equal(http_post_all(&run, NULL), HO_OK);
}

static void counts_every_answer_of_parallel_posts(void **state)
{
    char url[64];
    char out[1024];
    (void)state;
    pid_t server = start_server(url);
    struct posts p = {.stop_at = 40};
    run_posts(&p, url, 40, 8);
    assert_int_equal(p.asked, 40);
    assert_int_equal(p.answers.total, 40);
    assert_int_equal(p.answers.well, 30);
    assert_int_equal(p.answers.n, 2);

    FILE *f = tmpfile();
    assert_non_null(f);
    send_print(&p.answers, f, true);
    rewind(f);
    out[fread(out, 1, sizeof out - 1, f)] = '\0';
    (void)fclose(f);
    assert_ptr_equal(strstr(out, "{\"kind\":\"answer\",\"status\":200,\"times\":30,"), out);
    assert_non_null(strstr(out, "\"answer\":\"fine\"}\n"
                                "{\"kind\":\"answer\",\"status\":503,\"times\":10,"));
    assert_non_null(strstr(out, "\"answer\":\"x down\"}\n"));
    send_answers_free(&p.answers);

    struct posts stopped = {.stop_at = 5};
    run_posts(&stopped, url, 40, 3);
    assert_int_equal(stopped.answers.total, 5);
    send_answers_free(&stopped.answers);
    assert_int_equal(kill(server, SIGKILL), 0);
    assert_int_equal(waitpid(server, NULL, 0), server);
}

static void counts_posts_that_nobody_answers(void **state)
{
    struct posts p = {.stop_at = 3};
    (void)state;
    run_posts(&p, "http://127.0.0.1:1/hook", 3, 2);
    assert_int_equal(p.answers.total, 3);
    assert_int_equal(p.answers.well, 0);
    assert_int_equal(p.answers.at[0].status, 0);
    assert_true(p.answers.at[0].text[0] != '\0');
    send_answers_free(&p.answers);
}

static void tells_only_so_many_answers_apart(void **state)
{
    struct send_answers a = {.n = 0};
    char body[16];
    size_t counted = 0;
    (void)state;
    for (int i = 0; i < 100; i++) {
        (void)snprintf(body, sizeof body, "answer %d", i % 50);
        const struct http_answer answer = {.status = 200, .ms = i, .body = span_of(body)};
        send_count(&a, &answer);
    }
    assert_int_equal(a.n, SEND_ANSWERS_MAX);
    assert_int_equal(a.total, 100);
    assert_int_equal(a.well, 100);
    for (size_t i = 0; i < a.n; i++) {
        counted += a.at[i].n;
    }
    assert_int_equal(counted, 100);
    assert_string_equal(a.at[SEND_ANSWERS_MAX - 1].text, "(other answers)");
    send_answers_free(&a);
}

static void hints_at_what_to_look_at(void **state)
{
    static const struct {
        int status;
        const char *text; /* body, or why there is no answer */
        const char *want; /* part of the hint; NULL: none */
    } rows[] = {
        {200, "ok", NULL},
        {401, "bad signature", "secret"},
        {503, "busy", "hookonce check"},
        {404, "no such source", "no source of this name"},
        {404, "<html>404</html>", "web server answered, not hookonce"},
        {418, "", NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct send_answers a = {.n = 0};
        const struct http_answer well = {.status = 200, .body = S("ok")};
        const struct http_answer answer = {.status = rows[i].status, .body = span_of(rows[i].text)};
        send_count(&a, &well);
        send_count(&a, &answer);
        const char *hint = send_hint(&a, NULL);
        ROW(i, (hint == NULL) == (rows[i].want == NULL));
        ROW(i, hint == NULL || strstr(hint, rows[i].want) != NULL);
        send_answers_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_the_source_to_the_url_once),
        cmocka_unit_test(posts_in_plain_text_only_to_this_machine),
        cmocka_unit_test(repeats_an_event_then_makes_another),
        cmocka_unit_test(tampers_behind_the_signature),
        cmocka_unit_test(refuses_what_cannot_be_posted),
        cmocka_unit_test(counts_every_answer_of_parallel_posts),
        cmocka_unit_test(counts_posts_that_nobody_answers),
        cmocka_unit_test(tells_only_so_many_answers_apart),
        cmocka_unit_test(hints_at_what_to_look_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
