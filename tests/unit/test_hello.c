/* Handshakes: the one that nobody signs, those that are signed, and what they must not let in. */
#include "edge_own.h"
#include "edge_signed.h"

#define T INT64_C(1790000000)

#define SOURCES \
    "[source slack]\nprovider = slack\nsecret = file:a\n" \
    "[source github]\nprovider = github\nsecret = file:a\n" \
    "[source own]\nprovider = own\nsecret = file:a\n" \
    "[hookonce]\nrecipes = own.conf\n"

#define OWN \
    "[recipe own]\nlike = github\nid = {json:/id}\n" \
    "hello = unsigned GET header:x-hello => 204\n" \
    "hello = POST header:x-kind==hello => 200\n" \
    "hello = POST json:/ping==1 json:/who => 202 application/json {\"pong\":\"{json:/who|json}\"}\n" \
    "ok = 202 text/plain thank you\nbad = 406\nbusy = 429 application/json {\"wait\":true}\n"

static int load_site(void **state)
{
    return load_own(state, "key-a\n", OWN, SOURCES);
}

static void slack_post(struct request *r, const char *key, const char *type, struct span body)
{
    static char signature[100];
    static struct pair headers[4];
    (void)snprintf(signature, sizeof signature, "v0=%s",
                   hex_mac(MAC_SHA256, key, "v0:1790000000:", "", body));
    headers[0] = (struct pair){"x-slack-signature", signature};
    headers[1] = (struct pair){"x-slack-request-timestamp", "1790000000"};
    headers[2] = (struct pair){"content-type", type};
    post(r, headers, body);
}

/* Verifies as the receiver does after the unsigned handshakes. Free with verdict_free. */
static enum reason signed_hello(const char *source, const struct request *r, struct verdict *v)
{
    struct verify_note note = {.trace = NULL};
    return verify_event(site_endpoint(all, source), r, NOW, site, v, &note);
}

/* Whether an unsigned handshake fits; what it says is freed. */
static bool greets(const char *source, const struct request *r)
{
    struct verdict v;
    bool fits = hello_answer(site_endpoint(all, source), r, &v);
    if (fits) {
        verdict_free(&v);
    }
    return fits;
}

static void echoes_the_signed_challenge(void **state)
{
    static const struct {
        const char *body, *challenge;
    } rows[] = {
        {"{\"type\":\"url_verification\",\"challenge\":\"3eZbrw1a\",\"token\":\"t\"}", "3eZbrw1a"},
        {"{\"challenge\":\"a\\\"b\\nc<script>\",\"type\":\"url_verification\"}",
         "a\"b\nc<script>"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        struct verdict v;
        slack_post(&r, "key-a", "application/json", span_of(rows[i].body));
        ROW(i, !greets("slack", &r));
        ROW(i, signed_hello("slack", &r, &v) == REASON_OK);
        ROW(i, v.is_hello && v.n_events == 0);
        ROW(i, v.answer.status == 200);
        ROW_TEXT(i, v.answer.type, "text/plain");
        ROW(i, span_is(buf_span(&v.answer.body), rows[i].challenge));
        verdict_free(&v);
        slack_post(&r, "wrong", "application/json", span_of(rows[i].body));
        ROW(i, signed_hello("slack", &r, &v) == REASON_SIGNATURE);
        ROW(i, !v.is_hello && v.answer.body.p == NULL);
        verdict_free(&v);
        r.n_headers = 0;
        ROW(i, signed_hello("slack", &r, &v) == REASON_HEADER_MISSING);
        ROW(i, !v.is_hello && v.answer.body.p == NULL);
        verdict_free(&v);
    }
}

static void echoes_a_long_challenge_and_no_endless_one(void **state)
{
    static char body[HELLO_BODY_MAX + 64];
    static const char head[] = "{\"type\":\"url_verification\",\"challenge\":\"";
    (void)state;
    for (size_t len = 10240; len <= HELLO_BODY_MAX; len += HELLO_BODY_MAX - 10240) {
        struct request r;
        struct verdict v;
        size_t n = sizeof head - 1;
        memcpy(body, head, n);
        memset(body + n, 'c', len);
        (void)snprintf(body + n + len, sizeof body - n - len, "\"}");
        slack_post(&r, "key-a", "application/json", span_of(body));
        assert_int_equal(signed_hello("slack", &r, &v), REASON_OK);
        if (len == 10240) {
            assert_true(v.is_hello && v.n_events == 0);
            assert_int_equal(v.answer.body.len, len);
        } else {
            assert_int_equal(v.n_events, 1); /* over the limit: a delivery like any other */
        }
        verdict_free(&v);
    }
}

static void treats_what_only_looks_like_one_as_a_delivery(void **state)
{
    static const char *const rows[] = {
        "{\"type\":\"url_verification\"}",
        "{\"type\":\"url_verification\",\"challenge\":\"\"}",
        "{\"type\":\"url_verification\",\"challenge\":{}}",
        "{\"type\":\"url_verification2\",\"challenge\":\"c\"}",
        "{\"type\":[\"url_verification\"],\"challenge\":\"c\"}",
        "{\"event\":{\"type\":\"url_verification\"},\"challenge\":\"c\",\"event_id\":\"E\"}",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        struct verdict v;
        slack_post(&r, "key-a", "application/json", span_of(rows[i]));
        ROW(i, signed_hello("slack", &r, &v) == REASON_OK);
        ROW(i, !v.is_hello && v.n_events == 1);
        verdict_free(&v);
    }
}

#define FORM "application/x-www-form-urlencoded"

static void answers_the_unsigned_probe_with_nothing(void **state)
{
    static const struct {
        const char *method, *type, *body;
        bool fits;
    } rows[] = {
        {"POST", FORM, "ssl_check=1&token=t", true},
        {"POST", FORM, "token=t&command=%2Fdeploy&ssl_check=1", true},
        {"POST", FORM, "ssl%5Fcheck=1", true},
        {"POST", FORM, "ssl_check=0", false},
        {"POST", FORM, "ssl_check=11", false},
        {"POST", FORM, "ssl_check=0&ssl_check=1", false},
        {"POST", FORM, "text=ssl_check%3D1", false},
        {"POST", FORM, "{\"ssl_check\":1}", false},
        {"POST", FORM, "", false},
        {"POST", "application/json", "{\"text\":\"a&ssl_check=1&b\"}", false},
        {"POST", "text/plain", "ssl_check=1", true}, /* what it says it is does not count */
        {"POST", "application/json", "ssl_check=1", true},
        {"POST", FORM, "{&ssl_check=1&", false},
        {"GET", FORM, "ssl_check=1", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct pair typed[] = {{"content-type", rows[i].type}, {NULL, NULL}};
        struct request r;
        struct verdict v;
        post(&r, typed, span_of(rows[i].body));
        r.method = span_of(rows[i].method);
        ROW(i, hello_answer(site_endpoint(all, "slack"), &r, &v) == rows[i].fits);
        if (rows[i].fits) {
            ROW(i, v.answer.status == 200 && v.answer.type == NULL && v.answer.body.len == 0);
            verdict_free(&v);
        }
        ROW(i, !greets("github", &r));
    }
}

static void looks_at_no_unsigned_body_over_the_limit(void **state)
{
    unsigned char *body = malloc(HELLO_BODY_MAX + 1);
    (void)state;
    assert_non_null(body);
    memset(body, 'x', HELLO_BODY_MAX + 1);
    memcpy(body, "ssl_check=1&y=", 14);
    for (size_t over = 0; over <= 1; over++) {
        struct pair typed[] = {{"content-type", FORM}, {NULL, NULL}};
        struct request r;
        post(&r, typed, span_make(body, HELLO_BODY_MAX + over));
        assert_int_equal(greets("slack", &r), over == 0);
    }
    free(body);
}

static void says_whose_bodies_are_read_without_a_signature(void **state)
{
    (void)state;
    assert_true(hello_unsigned(site_endpoint(all, "slack"), false));
    assert_false(hello_unsigned(site_endpoint(all, "github"), false));
    assert_false(hello_unsigned(site_endpoint(all, "own"), false)); /* its unsigned one is a GET */
}

static void follows_a_recipe_of_the_sites_own(void **state)
{
    static const struct pair headers[] = {{"x-hello", "1"}, {NULL, NULL}};
    struct request r;
    struct verdict v;
    (void)state;
    post(&r, headers, SPAN_NONE);
    r.method = SPAN_LIT("GET");
    assert_true(hello_answer(site_endpoint(all, "own"), &r, &v));
    assert_int_equal(v.answer.status, 204);
    verdict_free(&v);

    /* One that is signed never answers before the signature, whatever its conditions look at. */
    github_post(&r, "key-b", "d", "ping", SPAN_LIT("{\"id\":\"i\"}"));
    r.headers[r.n_headers].name = SPAN_LIT("x-kind");
    r.headers[r.n_headers++].value = SPAN_LIT("hello");
    assert_false(greets("own", &r));
    assert_int_equal(signed_hello("own", &r, &v), REASON_SIGNATURE);
    verdict_free(&v);

    github_post(&r, "key-a", "d", "ping", SPAN_LIT("{\"ping\":1,\"who\":\"m\\\"e\",\"id\":\"i\"}"));
    assert_int_equal(signed_hello("own", &r, &v), REASON_OK);
    assert_true(v.is_hello && v.n_events == 0);
    assert_int_equal(v.answer.status, 202);
    assert_string_equal(v.answer.type, "application/json");
    assert_string_equal(buf_cstr(&v.answer.body), "{\"pong\":\"m\\\"e\"}");
    verdict_free(&v);

    github_post(&r, "key-a", "d", "ping", SPAN_LIT("{\"ping\":1,\"id\":\"i\"}"));
    assert_int_equal(signed_hello("own", &r, &v), REASON_OK);
    assert_int_equal(v.n_events, 1); /* one condition of two */
    verdict_free(&v);
}

static void gives_the_fixed_answers(void **state)
{
    static const struct {
        const char *source;
        enum answer_kind kind;
        int status;
        const char *type, *text;
    } rows[] = {
        {"slack", ANSWER_OK, 200, NULL, ""},
        {"slack", ANSWER_BAD, 401, NULL, ""},
        {"slack", ANSWER_BUSY, 503, NULL, ""},
        {"own", ANSWER_OK, 202, "text/plain", "thank you"},
        {"own", ANSWER_BAD, 406, NULL, ""},
        {"own", ANSWER_BUSY, 429, "application/json", "{\"wait\":true}"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct answer answer;
        answer_for(site_endpoint(all, rows[i].source), rows[i].kind, NULL, &answer);
        ROW(i, answer.status == rows[i].status);
        ROW(i, (answer.type == NULL) == (rows[i].type == NULL));
        ROW(i, answer.type == NULL || strcmp(answer.type, rows[i].type) == 0);
        ROW_TEXT(i, buf_cstr(&answer.body), rows[i].text);
        answer_free(&answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(echoes_the_signed_challenge),
        cmocka_unit_test(echoes_a_long_challenge_and_no_endless_one),
        cmocka_unit_test(treats_what_only_looks_like_one_as_a_delivery),
        cmocka_unit_test(answers_the_unsigned_probe_with_nothing),
        cmocka_unit_test(looks_at_no_unsigned_body_over_the_limit),
        cmocka_unit_test(says_whose_bodies_are_read_without_a_signature),
        cmocka_unit_test(follows_a_recipe_of_the_sites_own),
        cmocka_unit_test(gives_the_fixed_answers),
    };
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
