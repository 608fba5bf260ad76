/* Fetching the object of an event: the request, and what its answer means. */
#include "http_peer.h"

static struct route route;
static struct fetched got;
static struct json *doc;

static enum fetch_result fetch(const char *url)
{
    const struct ref_view view = {.event = &stored.event, .doc = doc};

    if (route.fetch.words != NULL) {
        reftext_free(&route.fetch);
        route.fetch = (struct reftext){.words = NULL};
    }
    if (reftext_parse(url, REFTEXT_URL, &route.fetch, &err) != HO_OK) {
        fail_msg("%s: %s", url, err.text);
    }
    fetched_free(&got);
    ho_err_clear(&err);
    return fetch_object(&settings, &route, &view, call.end, &got, &err);
}

static enum fetch_result fetch_from(struct span answer)
{
    struct peer p = peer_start(answer, 0);
    char url[128];

    (void)snprintf(url, sizeof url, "http://127.0.0.1:%u/subs/{/id}?v={/v}", p.port);
    enum fetch_result result = fetch(url);
    peer_end(&p);
    return result;
}

static int begin(void **state)
{
    (void)fresh(state);
    route = (struct route){.name = "r"};
    got = (struct fetched){.doc = NULL};
    return json_parse(SPAN_LIT("{\"id\":\"sub/1 \xC3\xA9&x\",\"v\":1.10}"), &doc, &err) == HO_OK ? 0 : -1;
}

static int end(void **state)
{
    fetched_free(&got);
    reftext_free(&route.fetch);
    json_free(doc);
    return done(state);
}

static void brings_the_object(void **state)
{
    (void)state;
    assert_int_equal(fetch_from(ANSWER("200 OK", "Content-Type: text/html\r\n", " {\"n\":1.50} ")),
                     FETCH_DONE);
    ASSERT_SPAN(buf_span(&got.body), " {\"n\":1.50} ");
    assert_int_equal(json_kind_of(json_at(got.doc, SPAN_LIT("/n"))), JSON_REAL);
    struct span rest = span_of(read_in_dir("request"));
    ASSERT_SPAN(span_cut(&rest, '\r'), "GET /subs/sub%2F1%20%C3%A9%26x?v=1.10 HTTP/1.1");
    assert_non_null(strstr(read_in_dir("request"), "\r\nAccept: application/json\r\n"));
    assert_null(strstr(read_in_dir("request"), "Authorization"));
}

/* A page of a proxy, or half a document, says nothing of the object. */
static void takes_nothing_but_json(void **state)
{
    const struct span answers[] = {
        ANSWER("200 OK", "", "plain text"),
        ANSWER("200 OK", "Content-Type: application/json\r\n", "<html>"),
        ANSWER("200 OK", "", "{\"status\":\"act"),
        ANSWER("200 OK", "", "{} {}"),
        ANSWER("200 OK", "", ""),
    };

    (void)state;
    for (size_t i = 0; i < COUNT(answers); i++) {
        ROW(i, fetch_from(answers[i]) == FETCH_FAILED);
        ROW(i, got.doc == NULL && got.body.len == 0);
        ROW(i, strstr(err.text, "fetch: what the server answers is no JSON document: ") == err.text);
    }
}

static void understands_statuses(void **state)
{
    static const struct {
        struct span answer;
        enum fetch_result result;
        int64_t wait_ms;
        const char *err;
    } rows[] = {
#define HEAD(status, more) S("HTTP/1.1 " status "\r\n" more "Connection: close\r\n\r\nbody")
        {HEAD("404 Not Found", ""), FETCH_GONE, 0, "the object is gone: status 404"},
        {HEAD("410 Gone", ""), FETCH_GONE, 0, "the object is gone: status 410"},
        {HEAD("429 Slow", "Retry-After: 5\r\n"), FETCH_DEFER, 5000,
         "fetch: the server answers with status 429"},
        {HEAD("503 Away", "Retry-After: 3600\r\n"), FETCH_DEFER, 3600000,
         "fetch: the server answers with status 503"},
        {HEAD("503 Away", "Retry-After: 3601\r\n"), FETCH_FAILED, 0,
         "fetch: the server answers with status 503"},
        {HEAD("429 Slow", ""), FETCH_FAILED, 0, "fetch: the server answers with status 429"},
        {HEAD("500 Oops", "Retry-After: 5\r\n"), FETCH_FAILED, 0,
         "fetch: the server answers with status 500"},
        {HEAD("401 Who", ""), FETCH_FAILED, 0, "fetch: the server answers with status 401"},
        {HEAD("204 Nothing", ""), FETCH_FAILED, 0, "fetch: the server answers with status 204"},
        {HEAD("206 Some", ""), FETCH_FAILED, 0, "fetch: the server answers with status 206"},
        {HEAD("302 There", "Location: http://127.0.0.1:9/\r\n"), FETCH_FAILED, 0,
         "fetch: the server answers with status 302 (redirects are not followed)"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        (void)state;
        ROW(i, fetch_from(rows[i].answer) == rows[i].result);
        ROW(i, got.wait_ms == rows[i].wait_ms);
        ROW_TEXT(i, err.text, rows[i].err);
        ROW(i, got.body.len == 0 && got.doc == NULL);
    }
}

static void fails_when_nobody_answers(void **state)
{
    char url[64];

    (void)state;
    assert_int_equal(fetch("http://127.0.0.1:1/{/id}"), FETCH_FAILED);
    assert_non_null(strstr(err.text, "fetch: "));
    assert_int_equal(fetch_from(SPAN_LIT("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}")), FETCH_FAILED);
    assert_int_equal(got.body.len, 0);
    struct peer p = peer_start(SPAN_NONE, 60000);
    call.end = deadline_in(300);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%u/{/id}", p.port);
    assert_int_equal(fetch(url), FETCH_FAILED);
    peer_end(&p);
}

static void never_asks_for_what_the_event_does_not_say(void **state)
{
    (void)state;
    assert_int_equal(fetch("http://127.0.0.1:1/{/no/such}"), FETCH_NEVER);
    assert_non_null(strstr(err.text, "{/no/such}"));
}

static void bounds_the_object(void **state)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
    size_t size = sizeof head - 1 + FETCHED_MAX;
    char *answer = ho_alloc(size + 1);

    (void)state;
    memset(answer, ' ', size + 1);
    memcpy(answer, head, sizeof head - 1);
    answer[sizeof head - 1] = '7';
    assert_int_equal(fetch_from(span_make(answer, size)), FETCH_DONE);
    assert_int_equal(got.body.len, FETCHED_MAX);
    assert_non_null(got.doc);
    assert_int_equal(fetch_from(span_make(answer, size + 1)), FETCH_FAILED);
    assert_non_null(strstr(err.text, "longer than 8388608 bytes"));
    free(answer);
}

static void says_who_asks(void **state)
{
    (void)state;
    (void)write_in_dir("token", "t0ken\n", 0600);
    route.fetch_auth = (struct setting_auth){AUTH_BEARER, ho_strdup(in_dir("token"))};
    assert_int_equal(fetch_from(ANSWER("200 OK", "", "{}")), FETCH_DONE);
    assert_non_null(strstr(read_in_dir("request"), "\r\nAuthorization: Bearer t0ken\r\n"));
    assert_int_equal(unlink(in_dir("token")), 0);
    assert_int_equal(fetch_from(ANSWER("200 OK", "", "{}")), FETCH_FAILED);
    ASSERT_TEXT(read_in_dir("request"), "");
    free(route.fetch_auth.path);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(brings_the_object),
        TEST(takes_nothing_but_json),
        TEST(understands_statuses),
        TEST(fails_when_nobody_answers),
        TEST(never_asks_for_what_the_event_does_not_say),
        TEST(bounds_the_object),
        TEST(says_who_asks),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
