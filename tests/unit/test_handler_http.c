/* URLs: what is sent to them, and how their answers are understood. */
#include "handler_post.h"

#include <time.h>

#include "base/text.h"
#include "work/http_call.h"

#define SIGN_KEY "whsec_c2lnbmluZyBrZXkgb2YgdGhlIHRlc3RzIQ=="

/* ---- answers ---- */

static void understands_statuses(void **state)
{
    static const struct {
        struct span answer;
        enum handler_result result;
        bool untouched;
        int64_t wait_ms;
        const char *err, *said;
    } rows[] = {
#define HEAD(status, more) S("HTTP/1.1 " status "\r\n" more "Connection: close\r\n\r\n")
#define TEXT(status, body) S("HTTP/1.1 " status "\r\nConnection: close\r\n\r\n" body)
        {HEAD("200 OK", ""), HANDLER_DONE, false, 0, "", ""},
        {TEXT("201 Created", "made"), HANDLER_DONE, false, 0, "", ""},
        {HEAD("204 No Content", "Retry-After: 5\r\n"), HANDLER_DONE, false, 0, "", ""},
        {S("HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\nHTTP/1.1 500 Oops\r\nConnection: "
           "close\r\n\r\n"), HANDLER_FAILED, false, 0, "the server answers with status 500", ""},
        {HEAD("301 Moved", "Location: http://127.0.0.1:9/\r\n"), HANDLER_FAILED, false, 0,
         "the server answers with status 301 (redirects are not followed)", ""},
        {TEXT("400 Bad", "\n  no such field\nsecond"), HANDLER_FAILED, false, 0,
         "the server answers with status 400", "no such field"},
        {HEAD("401 Who", ""), HANDLER_FAILED, false, 0, "the server answers with status 401", ""},
        {HEAD("404 Not Found", ""), HANDLER_FAILED, false, 0, "the server answers with status 404", ""},
        {HEAD("408 Slow", "Retry-After: 11\r\n"), HANDLER_FAILED, false, 11000,
         "the server answers with status 408", ""},
        {HEAD("409 Conflict", ""), HANDLER_FAILED, false, 0, "the server answers with status 409", ""},
        {HEAD("410 Gone", ""), HANDLER_GIVE_UP, true, 0,
         "the server refuses the event for good: status 410", ""},
        {TEXT("422 No", "bad"), HANDLER_GIVE_UP, true, 0,
         "the server refuses the event for good: status 422", "bad"},
        {HEAD("429 Slow down", ""), HANDLER_FAILED, true, 0, "the server cannot now: status 429", ""},
        {HEAD("429 Slow down", "retry-after: 30\r\n"), HANDLER_DEFER, true, 30000,
         "the server cannot now: status 429", ""},
        {HEAD("429 Slow down", "Retry-After: 0\r\n"), HANDLER_FAILED, true, 0,
         "the server cannot now: status 429", ""},
        {HEAD("429 Slow down", "Retry-After: soon\r\n"), HANDLER_FAILED, true, 0,
         "the server cannot now: status 429", ""},
        {HEAD("429 Slow down", "Retry-After: -5\r\n"), HANDLER_FAILED, true, 0,
         "the server cannot now: status 429", ""},
        {HEAD("503 Away", ""), HANDLER_FAILED, false, 0, "the server cannot now: status 503", ""},
        {HEAD("503 Away", "Retry-After: 3600\r\n"), HANDLER_DEFER, true, 3600000,
         "the server cannot now: status 503", ""},
        {HEAD("503 Away", "Retry-After: 3601\r\n"), HANDLER_FAILED, true, 3601000,
         "the server cannot now: status 503", ""},
        {HEAD("503 Away", "Retry-After: 9999999\r\n"), HANDLER_FAILED, true, 86400000,
         "the server cannot now: status 503", ""},
        {HEAD("503 Away", "Retry-After: 99999999999999999999\r\n"), HANDLER_FAILED, false, 0,
         "the server cannot now: status 503", ""},
        {HEAD("503 Away", "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), HANDLER_FAILED, true, 0,
         "the server cannot now: status 503", ""},
        {HEAD("500 Oops", ""), HANDLER_FAILED, false, 0, "the server answers with status 500", ""},
        {HEAD("599 Oops", ""), HANDLER_FAILED, false, 0, "the server answers with status 599", ""},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        (void)fresh(state);
        ROW(i, post_to(rows[i].answer) == rows[i].result);
        ROW(i, report.untouched == rows[i].untouched);
        ROW(i, report.wait_ms == rows[i].wait_ms);
        ROW_TEXT(i, err.text, rows[i].err);
        ROW_TEXT(i, buf_cstr(&report.said), rows[i].said);
        (void)done(state);
    }
}

static void waits_until_a_date(void **state)
{
    char answer[200], date[64];
    time_t at = (time_t)(clock_wall_us() / 1000000) + 100;
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"},
                      *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct tm t;

    (void)state;
    assert_non_null(gmtime_r(&at, &t));
    (void)snprintf(date, sizeof date, "%s, %02d %s %d %02d:%02d:%02d GMT", days[t.tm_wday], t.tm_mday,
                   months[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
    (void)snprintf(answer, sizeof answer,
                   "HTTP/1.1 503 Away\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n", date);
    assert_int_equal(post_to(span_of(answer)), HANDLER_DEFER);
    assert_in_range(report.wait_ms, 95000, 100000);
}

static void knows_whether_anything_was_sent(void **state)
{
    char url[64];

    peer_nobody(url);
    assert_int_equal(post(url), HANDLER_FAILED);
    assert_true(report.untouched);
    assert_non_null(strstr(err.text, "no answer: "));

    /* It takes the request and is never heard of again. */
    (void)done(state);
    (void)fresh(state);
    struct peer p = peer_start(SPAN_NONE, 60000);
    int64_t start = clock_mono_ms();
    call.end = deadline_in(400);
    assert_int_equal(post(p.url), HANDLER_UNKNOWN);
    assert_in_range(clock_mono_ms() - start, 350, 2000);
    assert_false(report.untouched);
    assert_non_null(strstr(err.text, "no answer in its time ("));
    peer_end(&p);

    /* It hangs up. */
    (void)done(state);
    (void)fresh(state);
    assert_int_equal(post_to(SPAN_NONE), HANDLER_UNKNOWN);
    assert_false(report.untouched);

    /* It breaks off. */
    assert_int_equal(post_to(SPAN_LIT("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort")),
                     HANDLER_UNKNOWN);

    /* There is no time to begin. */
    (void)done(state);
    (void)fresh(state);
    call.end = deadline_in(0);
    assert_int_equal(post(p.url), HANDLER_FAILED);
    assert_true(report.untouched);
}

static void bounds_answers(void **state)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
    size_t size = 3 * 1024 * 1024;
    char *answer = ho_alloc(size);

    memset(answer, 'x', size);
    memcpy(answer, head, sizeof head - 1);
    struct peer p = peer_start(span_make(answer, size), 60000);
    assert_int_equal(post(p.url), HANDLER_DONE); /* what it says more is not waited for */
    peer_end(&p);
    (void)done(state);
    (void)fresh(state);
    report.reply = true;
    assert_int_equal(post_to(span_make(answer, sizeof head - 1 + HANDLER_ANSWER_MAX)), HANDLER_DONE);
    assert_int_equal(report.body.len, HANDLER_ANSWER_MAX);
    (void)done(state);
    (void)fresh(state);
    report.reply = true;
    assert_int_equal(post_to(span_make(answer, sizeof head + HANDLER_ANSWER_MAX)), HANDLER_UNKNOWN);
    assert_int_equal(report.body.len, 0);
    free(answer);
}

static void hands_answers_on(void **state)
{
    report.reply = true;
    assert_int_equal(post_to(ANSWER("202 Fine", "Content-Type: application/json; charset=utf-8\r\n",
                                    "{\"a\":\"\0\"}")), HANDLER_DONE);
    assert_int_equal(report.status, 202);
    ASSERT_TEXT(report.type, "application/json; charset=utf-8");
    assert_true(span_eq(buf_span(&report.body), SPAN_LIT("{\"a\":\"\0\"}")));
    (void)done(state);
    (void)fresh(state);
    report.reply = true;
    assert_int_equal(post_to(ANSWER("403 No", "Content-Type: a\tb\x80\r\n", "no")), HANDLER_FAILED);
    assert_int_equal(report.status, 403);
    ASSERT_TEXT(report.type, "");
    ASSERT_SPAN(buf_span(&report.body), "no");
}

static void keeps_nothing_of_half_an_answer(void **state)
{
    static const struct {
        struct span answer;
        enum ho_code code;
    } rows[] = {
        {S("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"), HO_TRANSIENT},
        {S("HTTP/1.1 200 OK\r\nContent-Length: 21\r\n\r\nlonger than fits in it"), HO_REJECT},
        {S("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfits"), HO_OK},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct peer p = peer_start(rows[i].answer, 0);
        const struct http_call http = {.url = p.url, .end = call.end, .whole = true};
        struct http_reply reply;
        struct buf body;
        (void)state;
        buf_init(&body, 16);
        assert_int_equal(buf_add_str(&body, "before "), HO_OK);
        ROW(i, http_call(&http, &body, &reply, &err) == rows[i].code);
        ROW(i, (reply.status == 200) == (rows[i].code == HO_OK));
        ROW_TEXT(i, buf_cstr(&body), rows[i].code == HO_OK ? "before fits" : "before ");
        buf_free(&body);
        peer_end(&p);
    }
}

static void asks_no_wrong_address(void **state)
{
    static const char *const urls[] = {"http://example.com/", "ftp://localhost/", "localhost/",
                                       "https://u:p@localhost/", "file:///etc/passwd", ""};

    (void)state;
    for (size_t i = 0; i < COUNT(urls); i++) {
        const struct http_call http = {.url = urls[i], .end = call.end};
        struct http_reply reply;
        struct buf body;
        buf_init(&body, 16);
        ROW(i, http_call(&http, &body, &reply, &err) == HO_REJECT); /* without asking anybody */
        ROW(i, !reply.sent);
        buf_free(&body);
    }
}

/* ---- requests ---- */

static void sends_the_contract(void **state)
{
    char length[64];

    (void)state;
    assert_int_equal(post_to(ANSWER("200 OK", "", "")), HANDLER_DONE);
    assert_true(strncmp(read_in_dir("request"), "POST /in?a=1 HTTP/1.1\r\n", 23) == 0);
    (void)snprintf(length, sizeof length, "Content-Length: %zu", strlen(EVENT_BODY));
    static const char *const lines[] = {
        "Content-Type: application/json; charset=utf-8",
        "X-Hookonce-Provider: shop",
        "X-Hookonce-Source: shop-eu",
        "X-Hookonce-Id: evt_1",
        "X-Hookonce-Type: order.paid",
        "X-Hookonce-Object: ord_1",
        "X-Hookonce-Occurred-At: 2025-11-30T10:53:20.123456Z",
        "X-Hookonce-Correlation-Id: 01JQXK3Y8Z9ABCDEFGHJKMNPQR",
        "X-Hookonce-Idempotency-Key: " IDEMPOTENCY,
        "X-Hookonce-Attempt: 3",
        "Idempotency-Key: " IDEMPOTENCY,
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        ROW(i, sent(lines[i]));
    }
    assert_true(sent(length));
    ASSERT_TEXT(sent_body(), EVENT_BODY);
    assert_null(strstr(read_in_dir("request"), "Authorization:"));
    assert_null(strstr(read_in_dir("request"), "webhook-"));
}

static void lets_no_value_begin_a_header(void **state)
{
    (void)state;
    stored.event.id = SPAN_LIT("a\r\nX-Evil: 1\n100% \xC3\xA9 ");
    stored.event.document = SPAN_LIT("none");
    stored.event.headers = SPAN_LIT("content-type: text/\xC3\xA9\n");
    assert_int_equal(post_to(ANSWER("200 OK", "", "")), HANDLER_DONE);
    assert_true(sent("X-Hookonce-Id: a%0D%0AX-Evil: 1%0A100%25 %C3%A9%20"));
    assert_true(sent("Content-Type: application/octet-stream"));
    assert_null(strstr(read_in_dir("request"), "\nX-Evil"));
}

static void sends_any_body(void **state)
{
    size_t size = 5 * 1024 * 1024;
    char *body = ho_alloc(size), want[64];

    (void)state;
    memset(body, 0, size);
    call.body = span_make(body, size);
    assert_int_equal(post_to(ANSWER("200 OK", "", "")), HANDLER_DONE);
    (void)snprintf(want, sizeof want, "Content-Length: %zu", size);
    assert_true(sent(want));
    struct stat st;
    assert_int_equal(stat(in_dir("request"), &st), 0);
    assert_true((size_t)st.st_size > size);
    assert_null(strstr(read_in_dir("request"), "Expect:"));
    call.body = SPAN_LIT("");
    assert_int_equal(post_to(ANSWER("200 OK", "", "")), HANDLER_DONE);
    assert_true(sent("Content-Length: 0"));
    free(body);
}

static void sends_what_the_site_says(void **state)
{
    static char name_a[] = "X-Tenant", value_a[] = "acme", name_b[] = "X-Token";
    struct setting_header headers[] = {
        {name_a, value_a, NULL}, {name_b, NULL, ho_strdup(in_dir("token"))}};

    (void)write_in_dir("token", "t0ken\n", 0600);
    (void)write_in_dir("login", "user:pass word", 0600);
    handler.headers = headers;
    handler.n_headers = 2;
    handler.auth = (struct setting_auth){AUTH_BEARER, ho_strdup(in_dir("token"))};
    assert_int_equal(post_to(ANSWER("200 OK", "", "")), HANDLER_DONE);
    assert_true(sent("X-Tenant: acme"));
    assert_true(sent("X-Token: t0ken"));
    assert_true(sent("Authorization: Bearer t0ken"));
    free(handler.auth.path);
    handler.auth = (struct setting_auth){AUTH_BASIC, ho_strdup(in_dir("login"))};
    assert_int_equal(post_to(ANSWER("200 OK", "", "")), HANDLER_DONE);
    assert_true(sent("Authorization: Basic dXNlcjpwYXNzIHdvcmQ="));
    free(handler.auth.path);
    free(headers[1].path);
    (void)state;
}

static void sends_nothing_without_its_secret(void **state)
{
    static const struct {
        const char *name, *text;
        mode_t mode;
        enum auth_kind kind;
    } rows[] = {
        {"no-such-file", NULL, 0, AUTH_BEARER},   {"open", "secret", 0644, AUTH_BEARER},
        {"lines", "sec\nret\n", 0600, AUTH_BEARER}, {"nothing", "", 0600, AUTH_BEARER},
        {"login", "nocolon", 0600, AUTH_BASIC},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        (void)fresh(state);
        if (rows[i].text != NULL) {
            (void)write_in_dir(rows[i].name, rows[i].text, rows[i].mode);
        }
        handler.auth = (struct setting_auth){rows[i].kind, ho_strdup(in_dir(rows[i].name))};
        ROW(i, post_to(ANSWER("200 OK", "", "")) == HANDLER_FAILED);
        ROW(i, report.untouched);
        ROW(i, strstr(err.text, rows[i].name) != NULL);
        ROW(i, strstr(err.text, "secret") == NULL || rows[i].mode != 0600 ||
                   strcmp(rows[i].text, "") == 0);
        ROW_TEXT(i, read_in_dir("request"), "");
        free(handler.auth.path);
        (void)done(state);
    }
}

static void signs_as_standard_webhooks_say(void **state)
{
    unsigned char mac[MAC_MAX];
    char time[32], line[200];
    struct buf want;

    (void)state;
    (void)write_in_dir("sign", SIGN_KEY "\n", 0600);
    handler.sign_with = ho_strdup(in_dir("sign"));
    assert_int_equal(post_to(ANSWER("200 OK", "", "")), HANDLER_DONE);
    free(handler.sign_with);
    assert_true(sent("webhook-id: " IDEMPOTENCY));
    const char *at = strstr(read_in_dir("request"), "webhook-timestamp: ");
    assert_non_null(at);
    (void)snprintf(time, sizeof time, "%.10s", at + 19);
    assert_in_range(strtol(time, NULL, 10), clock_wall_us() / 1000000 - 5, clock_wall_us() / 1000000);
    const struct span parts[] = {SPAN_LIT(IDEMPOTENCY "."), span_of(time), SPAN_LIT("." EVENT_BODY)};
    mac_hmac(MAC_SHA256, SPAN_LIT("signing key of the tests!"), parts, 3, mac);
    buf_init(&want, 100);
    assert_int_equal(text_base64(span_make(mac, SHA256_LEN), &want), HO_OK);
    (void)snprintf(line, sizeof line, "webhook-signature: v1,%s", buf_cstr(&want));
    assert_true(sent(line));
    buf_free(&want);
}

static void signs_with_nothing_weak(void **state)
{
    static const char *const keys[] = {"whsec_", "whsec_c2hvcnQ=", "whsec_not base64",
                                       "v1a,whsec_c2lnbmluZyBrZXkgb2YgdGhlIHRlc3RzIQ=="};

    for (size_t i = 0; i < COUNT(keys); i++) {
        (void)fresh(state);
        (void)write_in_dir("sign", keys[i], 0600);
        handler.sign_with = ho_strdup(in_dir("sign"));
        ROW(i, post_to(ANSWER("200 OK", "", "")) == HANDLER_FAILED);
        ROW(i, report.untouched);
        ROW_TEXT(i, read_in_dir("request"), "");
        free(handler.sign_with);
        (void)done(state);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh, done)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(understands_statuses),
        TEST(waits_until_a_date),
        TEST(knows_whether_anything_was_sent),
        TEST(bounds_answers),
        TEST(hands_answers_on),
        TEST(keeps_nothing_of_half_an_answer),
        TEST(asks_no_wrong_address),
        TEST(sends_the_contract),
        TEST(lets_no_value_begin_a_header),
        TEST(sends_any_body),
        TEST(sends_what_the_site_says),
        TEST(sends_nothing_without_its_secret),
        TEST(signs_as_standard_webhooks_say),
        TEST(signs_with_nothing_weak),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
