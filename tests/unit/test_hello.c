/* Handshakes: the one that nobody signs, those that are signed, and what they must not let in. */
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
    "hello = POST json:/ping==1 json:/who => 202 application/json {\"pong\":\"{json:/who}\"}\n" \
    "ok = 202 text/plain thank you\nbad = 406\nbusy = 429 application/json {\"wait\":true}\n"

static struct endpoints *all;

static int load_site(void **state)
{
    int rc = site_start(state);
    if (rc == 0) {
        site_secret("a", "key-a\n");
        site_secret("own.conf", OWN);
        all = site_load(SOURCES);
    }
    return rc;
}

static int drop_site(void **state)
{
    endpoints_free(all);
    return site_end(state);
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

/* Verifies as the receiver does after the unsigned handshakes. */
static enum reason signed_hello(const char *source, const struct request *r, struct accepted **a,
                                struct answer *answer)
{
    struct verify_note note;
    memset(answer, 0, sizeof *answer);
    return verify_event(site_endpoint(all, source), r, NOW, a, answer, &note);
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
        struct accepted *a;
        struct answer answer;
        slack_post(&r, "key-a", "application/json", span_of(rows[i].body));
        ROW(i, !hello_answer(site_endpoint(all, "slack"), &r, &answer));
        ROW(i, signed_hello("slack", &r, &a, &answer) == REASON_OK);
        ROW(i, a == NULL);
        ROW(i, answer.status == 200);
        ROW_TEXT(i, answer.type, "text/plain");
        ROW(i, span_is(buf_span(&answer.body), rows[i].challenge));
        buf_free(&answer.body);
        slack_post(&r, "wrong", "application/json", span_of(rows[i].body));
        ROW(i, signed_hello("slack", &r, &a, &answer) == REASON_SIGNATURE);
        ROW(i, answer.body.p == NULL);
        r.n_headers = 0;
        ROW(i, signed_hello("slack", &r, &a, &answer) == REASON_HEADER_MISSING);
        ROW(i, answer.body.p == NULL);
    }
}

static void echoes_a_long_challenge_and_no_endless_one(void **state)
{
    static char body[HELLO_BODY_MAX + 64];
    static const char head[] = "{\"type\":\"url_verification\",\"challenge\":\"";
    (void)state;
    for (size_t len = 10240; len <= HELLO_BODY_MAX; len += HELLO_BODY_MAX - 10240) {
        struct request r;
        struct accepted *a;
        struct answer answer;
        size_t n = sizeof head - 1;
        memcpy(body, head, n);
        memset(body + n, 'c', len);
        (void)snprintf(body + n + len, sizeof body - n - len, "\"}");
        slack_post(&r, "key-a", "application/json", span_of(body));
        assert_int_equal(signed_hello("slack", &r, &a, &answer), REASON_OK);
        if (len == 10240) {
            assert_null(a);
            assert_int_equal(answer.body.len, len);
            buf_free(&answer.body);
        } else {
            assert_non_null(a); /* over the limit: a delivery like any other */
        }
        accepted_free(a);
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
        struct accepted *a;
        struct answer answer;
        slack_post(&r, "key-a", "application/json", span_of(rows[i]));
        ROW(i, signed_hello("slack", &r, &a, &answer) == REASON_OK);
        ROW(i, a != NULL);
        accepted_free(a);
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
        {"POST", "text/plain", "ssl_check=1", false},
        {"GET", FORM, "ssl_check=1", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct pair typed[] = {{"content-type", rows[i].type}, {NULL, NULL}};
        struct request r;
        struct answer answer;
        post(&r, typed, span_of(rows[i].body));
        r.method = span_of(rows[i].method);
        ROW(i, hello_answer(site_endpoint(all, "slack"), &r, &answer) == rows[i].fits);
        if (rows[i].fits) {
            ROW(i, answer.status == 200 && answer.type == NULL && answer.body.len == 0);
            buf_free(&answer.body);
        }
        ROW(i, !hello_answer(site_endpoint(all, "github"), &r, &answer));
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
        struct answer answer;
        post(&r, typed, span_make(body, HELLO_BODY_MAX + over));
        assert_int_equal(hello_answer(site_endpoint(all, "slack"), &r, &answer), over == 0);
        if (over == 0) {
            buf_free(&answer.body);
        }
    }
    free(body);
}

static void says_whose_bodies_are_read_without_a_signature(void **state)
{
    (void)state;
    assert_true(hello_unsigned(site_endpoint(all, "slack")));
    assert_false(hello_unsigned(site_endpoint(all, "github")));
    assert_false(hello_unsigned(site_endpoint(all, "own"))); /* its unsigned one is a GET */
}

static void follows_a_recipe_of_the_sites_own(void **state)
{
    static const struct pair headers[] = {{"x-hello", "1"}, {NULL, NULL}};
    struct request r;
    struct accepted *a;
    struct answer answer;
    (void)state;
    post(&r, headers, SPAN_NONE);
    r.method = SPAN_LIT("GET");
    assert_true(hello_answer(site_endpoint(all, "own"), &r, &answer));
    assert_int_equal(answer.status, 204);
    buf_free(&answer.body);

    /* One that is signed never answers before the signature, whatever its conditions look at. */
    github_post(&r, "key-b", "d", "ping", SPAN_LIT("{\"id\":\"i\"}"));
    r.headers[r.n_headers].name = SPAN_LIT("x-kind");
    r.headers[r.n_headers++].value = SPAN_LIT("hello");
    assert_false(hello_answer(site_endpoint(all, "own"), &r, &answer));
    assert_int_equal(signed_hello("own", &r, &a, &answer), REASON_SIGNATURE);

    github_post(&r, "key-a", "d", "ping", SPAN_LIT("{\"ping\":1,\"who\":\"me\",\"id\":\"i\"}"));
    assert_int_equal(signed_hello("own", &r, &a, &answer), REASON_OK);
    assert_null(a);
    assert_int_equal(answer.status, 202);
    assert_string_equal(answer.type, "application/json");
    assert_string_equal(buf_cstr(&answer.body), "{\"pong\":\"me\"}");
    buf_free(&answer.body);

    github_post(&r, "key-a", "d", "ping", SPAN_LIT("{\"ping\":1,\"id\":\"i\"}"));
    assert_int_equal(signed_hello("own", &r, &a, &answer), REASON_OK);
    assert_non_null(a); /* one condition of two */
    accepted_free(a);
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
        answer_for(site_endpoint(all, rows[i].source), rows[i].kind, &answer);
        ROW(i, answer.status == rows[i].status);
        ROW(i, (answer.type == NULL) == (rows[i].type == NULL));
        ROW(i, answer.type == NULL || strcmp(answer.type, rows[i].type) == 0);
        ROW_TEXT(i, buf_cstr(&answer.body), rows[i].text);
        buf_free(&answer.body);
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
