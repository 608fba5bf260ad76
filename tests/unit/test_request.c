/* A request out of a CGI environment: path, target, source, headers, length, and what is refused. */
#include "unit.h"

#include "edge/request.h"

#define POST_TO(uri) "REQUEST_METHOD=POST", "REQUEST_URI=" uri

static enum reason request_of(const char *const *env, struct buf *head, struct request *r)
{
    char *copy[REQUEST_HEADERS_MAX + 64];
    size_t n = 0;
    for (; env[n] != NULL; n++) {
        assert_true(n + 1 < COUNT(copy));
        copy[n] = strdup(env[n]);
        assert_non_null(copy[n]);
    }
    copy[n] = NULL;
    enum reason reason = request_from_env(copy, head, r);
    while (n > 0) {
        free(copy[--n]); /* nothing of the request may point there */
    }
    return reason;
}

static void finds_path_query_and_source(void **state)
{
    static const struct {
        const char *uri, *path, *query, *source; /* source NULL: none */
        const char *target;                      /* NULL: the URI as it is */
    } rows[] = {
        {"/hook/stripe", "/hook/stripe", "", "stripe", NULL},
        {"/hook/stripe?a=1&b=/x", "/hook/stripe", "a=1&b=/x", "stripe", NULL},
        {"//hook//stripe//", "//hook//stripe//", "", "stripe", NULL},
        {"/hook/%73tripe", "/hook/stripe", "", "stripe", NULL},
        {"/hook/%2573tripe", "/hook/%73tripe", "", "%73tripe", NULL}, /* once, not twice */
        {"/hook/a%2Fb", "/hook/a/b", "", "b", NULL},
        {"/hook/a+b", "/hook/a+b", "", "a+b", NULL},
        {"/hook/stripe;v=1", "/hook/stripe;v=1", "", "stripe;v=1", NULL},
        {"/hook/...", "/hook/...", "", "...", NULL},
        {"/", "/", "", NULL, NULL},
        {"/?x", "/", "x", NULL, NULL},
        {"/gh?", "/gh", "", "gh", NULL},
        {"/gh?a?b=c://d", "/gh", "a?b=c://d", "gh", NULL},
        {"/http://h/gh", "/http://h/gh", "", "gh", NULL},
        {"http://evil.example:99/hook/g%68?q=%31", "/hook/gh", "q=%31", "gh", "/hook/g%68?q=%31"},
        {"https://h/", "/", "", NULL, "/"},
        {"http://h", "/", "", NULL, ""},
        {"http://h?x=/y", "/", "x=/y", NULL, "?x=/y"},
        {"/hook/x%0d%0a", "/hook/x\r\n", "", "x\r\n", NULL},
        {"*", "*", "", "*", NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char uri[128];
        const char *env[] = {"REQUEST_METHOD=POST", uri, NULL};
        struct request r;
        struct buf head;
        buf_init(&head, 2 * (REQUEST_HEAD_MAX + 1));
        (void)snprintf(uri, sizeof uri, "REQUEST_URI=%s", rows[i].uri);
        ROW(i, request_of(env, &head, &r) == REASON_OK);
        ROW(i, span_is(r.path, rows[i].path));
        ROW(i, span_is(r.query, rows[i].query));
        ROW(i, span_is(r.target, rows[i].target == NULL ? rows[i].uri : rows[i].target));
        ROW(i, rows[i].source == NULL ? !span_present(r.source)
                                      : span_is(r.source, rows[i].source));
        buf_free(&head);
    }
}

static void takes_path_info_where_there_is_no_target(void **state)
{
    const char *env[] = {"REQUEST_METHOD=GET", "PATH_INFO=/gh", "QUERY_STRING=a=b", NULL};
    struct request r;
    struct buf head;
    (void)state;
    buf_init(&head, 2 * (REQUEST_HEAD_MAX + 1));
    assert_int_equal(request_of(env, &head, &r), REASON_OK);
    assert_true(span_is(r.source, "gh"));
    assert_true(span_is(r.query, "a=b"));
    assert_true(span_is(r.target, "/gh?a=b"));
    assert_true(span_is(r.method, "GET"));
    assert_false(r.has_length);
    env[2] = "QUERY_STRING=";
    assert_int_equal(request_of(env, &head, &r), REASON_OK);
    assert_true(span_is(r.target, "/gh"));
    env[1] = "QUERY_STRING=";
    assert_int_equal(request_of(env, &head, &r), REASON_OK);
    assert_true(span_is(r.target, ""));
    buf_free(&head);
}

/* Everything of one request lies in one piece of memory, however long the target is. */
static void holds_a_target_of_any_length(void **state)
{
    static const struct {
        const char *name, *rest;
    } rows[] = {{"REQUEST_URI=/", "?"}, {"PATH_INFO=/", ""}};
    char *text = malloc(200001);
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *env[] = {text, strdup("HTTP_X_A=last"), NULL};
        struct request r;
        struct buf head;
        size_t n;
        buf_init(&head, 2 * (REQUEST_HEAD_MAX + 1));
        memset(text, 'a', 200000);
        memcpy(text, rows[i].name, strlen(rows[i].name));
        memcpy(text + 100000, rows[i].rest, strlen(rows[i].rest));
        text[200000] = '\0';
        ROW(i, request_from_env(env, &head, &r) == REASON_OK);
        text[200000 - 1] = 'b'; /* it was copied */
        ROW(i, r.target.len == 200001 - strlen(rows[i].name));
        ROW(i, r.target.p[0] == '/' && r.target.p[r.target.len - 1] == 'a');
        ROW(i, span_is(request_header(&r, "x-a", &n), "last"));
        ROW(i, head.p <= r.target.p && r.target.p + r.target.len <= head.p + head.len);
        ROW(i, head.p <= r.path.p && r.path.p + r.path.len <= head.p + head.len);
        free(env[1]);
        buf_free(&head);
    }
    free(text);
}

static void knows_whether_the_client_spoke_tls(void **state)
{
    static const struct {
        const char *env[3];
        bool https;
    } rows[] = {
        {{NULL}, false},
        {{"HTTPS=on"}, true},
        {{"HTTPS=ON"}, true},
        {{"HTTPS=off"}, false},
        {{"HTTPS="}, false},
        {{"HTTP_X_FORWARDED_PROTO=https"}, true},
        {{"HTTP_X_FORWARDED_PROTO=HTTPS"}, true},
        {{"HTTP_X_FORWARDED_PROTO=https, http"}, true},
        {{"HTTP_X_FORWARDED_PROTO=http, https"}, false},
        {{"HTTP_X_FORWARDED_PROTO=http"}, false},
        {{"HTTPS=on", "HTTP_X_FORWARDED_PROTO=http"}, true},
        {{"HTTP_X_FORWARDED_PROTO=https", "HTTP_X_FORWARDED_PROTO=http"}, false},
        {{"HTTP_HTTPS=on"}, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *env[] = {POST_TO("/gh"), rows[i].env[0], rows[i].env[1], NULL};
        struct request r;
        struct buf head;
        buf_init(&head, 2 * (REQUEST_HEAD_MAX + 1));
        ROW(i, request_of(env, &head, &r) == REASON_OK);
        ROW(i, r.https == rows[i].https);
        buf_free(&head);
    }
}

static void refuses_what_no_server_should_pass(void **state)
{
    static const char *const rows[][4] = {
        {POST_TO("/hook/%00")},
        {POST_TO("/hook/gh%00")},
        {POST_TO("/hook/../gh")},
        {POST_TO("/hook/%2e%2E/gh")},
        {POST_TO("/hook/gh/..")},
        {POST_TO("/hook/%zz")},
        {POST_TO("/hook/%4")},
        {POST_TO("/gh"), "CONTENT_LENGTH=-5"},
        {POST_TO("/gh"), "CONTENT_LENGTH=+5"},
        {POST_TO("/gh"), "CONTENT_LENGTH=5x"},
        {POST_TO("/gh"), "CONTENT_LENGTH= 5"},
        {POST_TO("/gh"), "CONTENT_LENGTH=5, 5"},
        {POST_TO("/gh"), "CONTENT_LENGTH=99999999999999999999"},
        {POST_TO("/gh"), "HTTP_X_A=a\nb"},
        {POST_TO("/gh"), "HTTP_X_A=a\rb"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        struct buf head;
        buf_init(&head, 2 * (REQUEST_HEAD_MAX + 1));
        ROW(i, request_of(rows[i], &head, &r) == REASON_BAD_REQUEST);
        ROW(i, span_is(r.method, "POST"));
        buf_free(&head);
    }
}

static void reads_the_announced_length(void **state)
{
    static const struct {
        const char *env;
        bool has;
        uint64_t length;
    } rows[] = {
        {"CONTENT_LENGTH=0", true, 0},       {"CONTENT_LENGTH=00005", true, 5},
        {"CONTENT_LENGTH=", false, 0},       {"X=1", false, 0},
        {"CONTENT_LENGTH=26214400", true, 26214400},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *env[] = {POST_TO("/gh"), rows[i].env, NULL};
        struct request r;
        struct buf head;
        buf_init(&head, 2 * (REQUEST_HEAD_MAX + 1));
        ROW(i, request_of(env, &head, &r) == REASON_OK);
        ROW(i, r.has_length == rows[i].has && r.length == rows[i].length);
        buf_free(&head);
    }
}

static void keeps_every_header_of_a_name(void **state)
{
    const char *env[] = {
        POST_TO("/gh"),
        "CONTENT_TYPE=application/json",
        "HTTP_CONTENT_TYPE=text/copy",
        "HTTP_CONTENT_LENGTH=7",
        "HTTP_X_HUB_SIGNATURE_256= a\t",
        "HTTP_X_Mixed=m",
        "HTTP_X_TWICE=1",
        "HTTP_X_TWICE=2",
        "HTTP_X_EMPTY=",
        "HTTP_=nameless",
        "HTTPS=on",
        "SERVER_SIGNATURE=s",
        NULL,
    };
    struct request r;
    struct buf head;
    size_t n;
    (void)state;
    buf_init(&head, 2 * (REQUEST_HEAD_MAX + 1));
    assert_int_equal(request_of(env, &head, &r), REASON_OK);
    assert_int_equal(r.n_headers, 6);
    assert_true(span_is(request_header(&r, "content-type", &n), "application/json"));
    assert_int_equal(n, 1);
    assert_true(span_is(request_header(&r, "x-hub-signature-256", &n), "a"));
    assert_true(span_is(request_header(&r, "x-mixed", &n), "m"));
    assert_true(span_is(request_header(&r, "x-twice", &n), "1"));
    assert_int_equal(n, 2);
    assert_true(span_is(request_header(&r, "x-empty", &n), ""));
    assert_int_equal(n, 1);
    assert_false(span_present(request_header(&r, "x-none", &n)));
    assert_int_equal(n, 0);
    buf_free(&head);
}

static void bounds_number_and_size_of_headers(void **state)
{
    char *env[REQUEST_HEADERS_MAX + 8];
    char *big = malloc(REQUEST_HEAD_MAX);
    struct request r;
    struct buf head;
    size_t n = 0;
    (void)state;
    assert_non_null(big);
    buf_init(&head, 2 * (REQUEST_HEAD_MAX + 1));
    env[n++] = strdup("REQUEST_METHOD=HEAD");
    env[n++] = strdup("REQUEST_URI=/gh");
    for (size_t i = 0; i < REQUEST_HEADERS_MAX; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, "HTTP_X_%zu=v", i);
        env[n++] = strdup(text);
    }
    env[n] = NULL;
    assert_int_equal(request_from_env(env, &head, &r), REASON_OK);
    assert_int_equal(r.n_headers, REQUEST_HEADERS_MAX);
    env[n++] = strdup("HTTP_ONE_MORE=v");
    env[n] = NULL;
    assert_int_equal(request_from_env(env, &head, &r), REASON_BAD_REQUEST);

    memset(big, 'a', REQUEST_HEAD_MAX - 1);
    memcpy(big, "HTTP_BIG=", 9);
    big[REQUEST_HEAD_MAX - 1] = '\0';
    free(env[n - 1]);
    env[n - 1] = big;
    assert_int_equal(request_from_env(env, &head, &r), REASON_BAD_REQUEST);
    assert_true(span_is(r.method, "HEAD")); /* known even so: the answer has no body */
    while (n > 0) {
        free(env[--n]);
    }
    buf_free(&head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_path_query_and_source),
        cmocka_unit_test(takes_path_info_where_there_is_no_target),
        cmocka_unit_test(holds_a_target_of_any_length),
        cmocka_unit_test(knows_whether_the_client_spoke_tls),
        cmocka_unit_test(refuses_what_no_server_should_pass),
        cmocka_unit_test(reads_the_announced_length),
        cmocka_unit_test(keeps_every_header_of_a_name),
        cmocka_unit_test(bounds_number_and_size_of_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
