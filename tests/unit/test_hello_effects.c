/* Handshakes that do more than echo: headers, secrets to save, URLs to visit, HMACs of challenges,
 * tokens held against settings; and answers made of the request. */
#include "edge_own.h"
#include "edge_signed.h"

#include "edge/hello.h"
#include "edge/recipe_parts.h"

#define SOURCE(name) "[source " name "]\nprovider = " name "\nsecret = file:a\nsecret = file:b\n"
#define SOURCES \
    SOURCE("save") SOURCE("visit") SOURCE("crc") SOURCE("glued") SOURCE("dotted") \
    SOURCE("hub") "param = verify tok-1\n" \
    SOURCE("inner") SOURCE("probe") SOURCE("answers") "[hookonce]\nrecipes = own.conf\n"

#define OWN \
    "[recipe base]\nsig = header:x-sig\nalg = hmac-sha256\nenc = hex\nsigned = {body}\n" \
    "id = {body|sha256|hex}\n" \
    "[recipe save]\nlike = base\nhello = unsigned POST header:x-secret => 204 ; header X-Secret " \
    "{header:x-secret} ; save header:x-secret\n" \
    "[recipe visit]\nlike = base\nhello = POST json:/type==confirm => 200 ; visit json:/url " \
    "from https://sns.*.example.com/confirm?t=*\n" \
    "[recipe crc]\nlike = base\nhello = unsigned GET query:crc => 200 application/json " \
    "{\"t\":\"sha256={query:crc|hmac-sha256|base64}\"}\n" \
    "[recipe glued]\nlike = crc\nsigned = {header:x-n}{body}\nempty-body = yes\n" \
    "[recipe dotted]\nlike = crc\nsigned = {header:x-n}.{body}\n" \
    "[recipe hub]\nlike = base\nparam = verify the token\nhello = unsigned GET query:mode==sub " \
    "query:token=={param:verify} => 200 text/plain {query:challenge}\n" \
    "[recipe inner]\nlike = base\nhello = POST json:/event==validate => 200 application/json " \
    "{\"p\":\"{json:/p|json}\",\"e\":\"{json:/p|hmac-sha256|hex}\"}\n" \
    "[recipe probe]\nlike = base\nhello = unsigned HEAD => 200\n" \
    "hello = unsigned OPTIONS header:webhook-request-origin => 200 ; header WebHook-Allowed-Origin " \
    "{header:webhook-request-origin}\nhello = GET header:x-ping => 202\n" \
    "[recipe answers]\nlike = base\nok = 200 application/json {\"id\":\"{json:/client|json}\"} ; " \
    "header X-Client {header:x-client}\nbad = 406 text/plain no {header:x-client}\n" \
    "never = 422\n"

static int load_site(void **state)
{
    int rc = site_start(state);
    if (rc == 0) {
        site_secret("a", "key-a\n");
        site_secret("b", "key-b\n");
        site_secret("own.conf", OWN);
        all = site_load(SOURCES);
    }
    return rc;
}

/* Method, one header and a query; free with verdict_free when it fits. */
static bool greeted(const char *source, const char *method, const char *name, const char *value,
                    const char *query, const char *body, struct verdict *v)
{
    struct pair headers[] = {{"content-type", "application/json"}, {name, value}, {NULL, NULL}};
    struct request r;
    post(&r, headers, span_of(body));
    r.method = span_of(method);
    r.query = span_of(query);
    return hello_answer(site_endpoint(all, source), &r, v);
}

static void echoes_and_saves_the_secret_it_is_given(void **state)
{
    char big[ANSWER_VALUE_MAX + 2];
    struct verdict v;
    (void)state;
    assert_true(greeted("save", "POST", "x-secret", "b7f2", "", "{}", &v));
    assert_true(v.is_hello && v.n_events == 0);
    assert_int_equal(v.answer.status, 204);
    assert_string_equal(buf_cstr(&v.answer.headers), "X-Secret: b7f2\r\n");
    assert_true(span_is(v.save, "b7f2") && !span_present(v.visit) && !span_present(v.wanted));
    verdict_free(&v);
    assert_false(greeted("save", "POST", "x-secret", "", "", "{}", &v));
    assert_false(greeted("save", "PUT", "x-secret", "b7f2", "", "{}", &v));

    /* What is no line of a header is left out of the answer. */
    static const char *const values[] = {"a\xc3\xa4", "a\tb", "a\x7f"};
    for (size_t i = 0; i < COUNT(values); i++) {
        ROW(i, greeted("save", "POST", "x-secret", values[i], "", "{}", &v));
        ROW(i, v.answer.headers.len == 0);
        verdict_free(&v);
    }
    memset(big, 'x', sizeof big);
    for (size_t len = ANSWER_VALUE_MAX; len <= ANSWER_VALUE_MAX + 1; len++) {
        big[len] = '\0';
        assert_true(greeted("save", "POST", "x-secret", big, "", "{}", &v));
        assert_int_equal(v.answer.headers.len, len > ANSWER_VALUE_MAX ? 0 : len + 12);
        verdict_free(&v);
        big[len] = 'x';
    }
}

static void lets_only_known_urls_be_visited(void **state)
{
    static const struct {
        const char *url;
        bool fits;
    } rows[] = {
        {"https://sns.eu-1.example.com/confirm?t=abc_-9", true},
        {"https://sns.eu-1.example.com/confirm?t=", false},
        {"https://sns.eu.west.example.com/confirm?t=a", false},
        {"https://sns.x.evil.test/?a.example.com/confirm?t=a", false},
        {"https://sns.eu-1.example.com/confirm?t=a&u=b", false},
        {"http://sns.eu-1.example.com/confirm?t=a", false},
        {"", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct verify_note note = {.trace = NULL};
        char body[256];
        struct request r;
        struct verdict v;
        (void)snprintf(body, sizeof body, "{\"type\":\"confirm\",\"url\":\"%s\"}", rows[i].url);
        const struct pair headers[] = {
            {"x-sig", hex_mac(MAC_SHA256, "key-a", "", "", span_of(body))}, {NULL, NULL}};
        post(&r, headers, span_of(body));
        ROW(i, verify_event(site_endpoint(all, "visit"), &r, NOW, site, &v, &note) == REASON_OK);
        ROW(i, v.is_hello == rows[i].fits && v.n_events == (rows[i].fits ? 0 : 1));
        ROW(i, rows[i].fits ? span_is(v.visit, rows[i].url) : !span_present(v.visit));
        ROW(i, !span_present(v.save));
        verdict_free(&v);
    }
}

/* Whoever asks gets an HMAC under the first secret, so only of what can never be a delivery. */
static void signs_challenges_that_are_no_deliveries(void **state)
{
    static const struct {
        const char *challenge;
        bool fits;
    } rows[] = {
        {"abc-DEF_09", true}, {"1", true}, {"", false}, {"a.b", false}, {"a%20b", false},
        {"%7B%22id%22%3A1%7D", false}, {"a%0A", false},
    };
    struct request r;
    struct verdict v;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char query[200];
        (void)snprintf(query, sizeof query, "crc=%s", rows[i].challenge);
        ROW(i, greeted("crc", "GET", NULL, NULL, query, "", &v) == rows[i].fits);
        if (rows[i].fits) {
            char want[200];
            const char *mac = base64_mac(SPAN_LIT("key-a"), rows[i].challenge, SPAN_LIT(""));
            (void)snprintf(want, sizeof want, "{\"t\":\"sha256=%s\"}", mac);
            ROW_TEXT(i, buf_cstr(&v.answer.body), want);
            verdict_free(&v);
        }
    }
    /* The HMAC that was handed out comes back as a signature. */
    static const char *const bodies[] = {"abc-DEF_09", "1", "abc.", "{}"};
    for (size_t i = 0; i < COUNT(bodies); i++) {
        struct pair headers[] = {
            {"x-sig", hex_mac(MAC_SHA256, "key-a", "", "", span_of(bodies[i]))}, {NULL, NULL}};
        post(&r, headers, span_of(bodies[i]));
        ROW(i, judge(site_endpoint(all, "crc"), &r, NOW, NULL, NULL) ==
                   (i < 2 ? REASON_SIGNATURE : REASON_OK));
        /* Nor may it be put together of several parts, or be a part. */
        headers[0].value = hex_mac(MAC_SHA256, "key-a", "abc", "", SPAN_LIT(""));
        struct pair glued[] = {headers[0], {"x-n", "abc"}, {NULL, NULL}};
        post(&r, glued, SPAN_LIT(""));
        ROW(i, judge(site_endpoint(all, "glued"), &r, NOW, NULL, NULL) == REASON_SIGNATURE);
        glued[0].value = hex_mac(MAC_SHA256, "key-a", "abc", ".", span_of(bodies[i]));
        post(&r, glued, span_of(bodies[i]));
        ROW(i, judge(site_endpoint(all, "dotted"), &r, NOW, NULL, NULL) ==
                   (i < 2 ? REASON_SIGNATURE : REASON_OK));
        headers[0].value = hex_mac(MAC_SHA256, "key-a", "", "", span_of(bodies[i]));
        post(&r, headers, span_of(bodies[i]));
        /* Where nothing is signed for strangers, a word is a body like any other. */
        ROW(i, judge(site_endpoint(all, "save"), &r, NOW, NULL, NULL) == REASON_OK);
    }
}

static void answers_only_who_knows_the_token(void **state)
{
    static const struct {
        const char *query;
        bool fits;
    } rows[] = {
        {"mode=sub&token=tok-1&challenge=42", true},
        {"mode=sub&token=tok-2&challenge=42", false},
        {"mode=sub&token=tok-1", false},
        {"mode=sub&token=&challenge=42", false},
        {"mode=sub&challenge=42", false},
        {"mode=un&token=tok-1&challenge=42", false},
        {"mode=sub&token=tok-1&token=tok-1&challenge=42", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct verdict v;
        ROW(i, greeted("hub", "GET", NULL, NULL, rows[i].query, "", &v) == rows[i].fits);
        if (rows[i].fits) {
            ROW_TEXT(i, buf_cstr(&v.answer.body), "42");
            verdict_free(&v);
        }
    }
}

/* Zoom's: the challenge comes in a delivery that is signed itself. */
static void signs_a_challenge_in_a_signed_delivery(void **state)
{
    const struct span body = SPAN_LIT("{\"event\":\"validate\",\"p\":\"qgg8vlvZRS6UYooatFL8Aw\"}");
    const char *good = hex_mac(MAC_SHA256, "key-a", "", "", body);
    const char *bad = hex_mac(MAC_SHA256, "key-c", "", "", body);
    struct verify_note note = {.trace = NULL};
    char want[256];
    struct request r;
    struct verdict v;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct pair headers[] = {{"x-sig", i == 0 ? good : bad}, {NULL, NULL}};
        post(&r, headers, body);
        assert_false(hello_answer(site_endpoint(all, "inner"), &r, &v));
        assert_int_equal(verify_event(site_endpoint(all, "inner"), &r, NOW, site, &v, &note),
                         i == 0 ? REASON_OK : REASON_SIGNATURE);
        assert_int_equal(v.is_hello, i == 0);
        (void)snprintf(want, sizeof want, "{\"p\":\"qgg8vlvZRS6UYooatFL8Aw\",\"e\":\"%s\"}",
                       hex_mac(MAC_SHA256, "key-a", "", "", SPAN_LIT("qgg8vlvZRS6UYooatFL8Aw")));
        assert_string_equal(i == 0 ? buf_cstr(&v.answer.body) : want, want);
        verdict_free(&v);
    }
}

static void answers_probes_of_other_methods(void **state)
{
    struct verify_note note = {.trace = NULL};
    struct request r;
    struct verdict v;
    (void)state;
    assert_true(greeted("probe", "HEAD", NULL, NULL, "", "", &v));
    assert_int_equal(v.answer.status, 200);
    verdict_free(&v);
    assert_true(greeted("probe", "OPTIONS", "webhook-request-origin", "events.example", "", "", &v));
    assert_string_equal(buf_cstr(&v.answer.headers), "WebHook-Allowed-Origin: events.example\r\n");
    verdict_free(&v);
    assert_false(greeted("probe", "OPTIONS", NULL, NULL, "", "", &v));
    assert_false(greeted("probe", "GET", NULL, NULL, "", "", &v));

    /* A signed handshake may come by a method that no delivery comes by. */
    for (size_t i = 0; i < 2; i++) {
        const struct pair headers[] = {
            {"x-sig", hex_mac(MAC_SHA256, "key-b", "", "", SPAN_LIT("{}"))},
            {i == 0 ? "x-ping" : "x-other", "1"},
            {NULL, NULL}};
        post(&r, headers, SPAN_LIT("{}"));
        r.method = SPAN_LIT("GET");
        assert_int_equal(verify_head(site_endpoint(all, "probe"), &r, NOW, &note), REASON_OK);
        assert_int_equal(verify_event(site_endpoint(all, "probe"), &r, NOW, site, &v, &note),
                         i == 0 ? REASON_OK : REASON_METHOD);
        assert_int_equal(v.is_hello, i == 0);
        verdict_free(&v);
    }
}

static void makes_answers_of_the_request(void **state)
{
    static const struct {
        enum answer_kind kind;
        const char *client, *body;
        int status;
        const char *text, *headers;
    } rows[] = {
        {ANSWER_OK, "c1", "{\"client\":\"a\\\"b\"}", 200, "{\"id\":\"a\\\"b\"}", "X-Client: c1\r\n"},
        {ANSWER_OK, "c1", "{}", 200, "", "X-Client: c1\r\n"}, /* the status is what counts */
        {ANSWER_OK, "", "{\"client\":\"x\"}", 200, "{\"id\":\"x\"}", ""},
        {ANSWER_BAD, "c1", "{}", 406, "no c1", ""},
        {ANSWER_FIXED, "c1", "{}", 406, "no c1", ""},
        {ANSWER_BUSY, "c1", "{}", 503, "", ""},
        {ANSWER_NEVER, "c1", "{}", 422, "", ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct pair headers[] = {{"x-client", rows[i].client}, {NULL, NULL}};
        struct request r;
        struct answer a;
        post(&r, headers, span_of(rows[i].body));
        answer_for(site_endpoint(all, "answers"), rows[i].kind, &r, &a);
        ROW(i, a.status == rows[i].status);
        ROW_TEXT(i, buf_cstr(&a.body), rows[i].text);
        ROW_TEXT(i, buf_cstr(&a.headers), rows[i].headers);
        answer_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(echoes_and_saves_the_secret_it_is_given),
        cmocka_unit_test(lets_only_known_urls_be_visited),
        cmocka_unit_test(signs_challenges_that_are_no_deliveries),
        cmocka_unit_test(answers_only_who_knows_the_token),
        cmocka_unit_test(signs_a_challenge_in_a_signed_delivery),
        cmocka_unit_test(answers_probes_of_other_methods),
        cmocka_unit_test(makes_answers_of_the_request),
    };
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
