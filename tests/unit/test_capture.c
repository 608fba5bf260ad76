/* Kept requests: into a file and back. */
#include "unit.h"

#include "edge/capture.h"

static struct buf text, head;

static struct request a_request(void)
{
    struct request r = {
        .method = SPAN_LIT("POST"),
        .target = SPAN_LIT("/hook/shop%2Dx?a=1&b=%20"),
        .https = true,
        .source = SPAN_LIT("shop-x"),
        .n_headers = 3,
        .has_length = true,
        .length = 7,
        .body = SPAN_LIT("a\n\n\0b:c"),
    };

    r.headers[0] = (struct header){SPAN_LIT("content-type"), SPAN_LIT("application/json")};
    r.headers[1] = (struct header){SPAN_LIT("x-signature"), SPAN_LIT("t=1, v1=\xc3\xa9: \"")};
    r.headers[2] = (struct header){SPAN_LIT("x-signature"), SPAN_LIT("")};
    return r;
}

static int begin(void **state)
{
    (void)state;
    buf_init(&text, CAPTURE_FILE_MAX);
    buf_init(&head, 4 * REQUEST_HEAD_MAX);
    return 0;
}

static int end(void **state)
{
    (void)state;
    buf_free(&text);
    buf_free(&head);
    return 0;
}

static void there_and_back(void **state)
{
    struct request r = a_request();
    struct capture c;
    struct ho_err err;
    size_t n;
    (void)state;

    assert_int_equal(capture_put(&r, 1764500000123456, "signature mismatch", &text), HO_OK);
    assert_int_equal(capture_get(buf_span(&text), &head, &c, &err), HO_OK);
    assert_int_equal(c.now_us, 1764500000123456);
    assert_true(span_is(c.source, "shop-x"));
    assert_true(span_is(c.reason, "signature mismatch"));
    assert_true(span_is(c.request.method, "POST"));
    assert_true(span_eq(c.request.target, r.target));
    assert_true(span_is(c.request.path, "/hook/shop-x"));
    assert_true(span_is(c.request.query, "a=1&b=%20"));
    assert_true(span_is(c.request.source, "shop-x"));
    assert_true(c.request.https);
    assert_true(c.request.has_length);
    assert_int_equal(c.request.length, 7);
    assert_true(span_eq(c.request.body, r.body));
    assert_int_equal(c.request.n_headers, 3);
    assert_true(span_is(request_header(&c.request, "content-type", &n), "application/json"));
    assert_true(span_eq(request_header(&c.request, "x-signature", &n), r.headers[1].value));
    assert_int_equal(n, 2);
}

static void bodies(void **state)
{
    static const struct {
        size_t len;
        bool absent, whole;
    } rows[] = {
        {0, false, true},
        {0, true, false},
        {CAPTURE_BODY_MAX, false, true},
        {CAPTURE_BODY_MAX + 1, false, false},
    };
    unsigned char *body = ho_alloc(CAPTURE_BODY_MAX + 1);
    (void)state;

    memset(body, '\n', CAPTURE_BODY_MAX + 1);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r = a_request();
        struct capture c;
        struct ho_err err;
        r.body = rows[i].absent ? SPAN_NONE : span_make(body, rows[i].len);
        r.https = false;
        buf_clear(&text);
        ROW(i, capture_put(&r, 1, "x", &text) == HO_OK);
        ROW(i, capture_get(buf_span(&text), &head, &c, &err) == HO_OK);
        ROW(i, span_present(c.request.body) == rows[i].whole);
        ROW(i, !rows[i].whole || c.request.body.len == rows[i].len);
        ROW(i, !c.request.https);
    }
    free(body);
}

static void what_is_none_is_refused(void **state)
{
#define HEAD "hookonce-request 1\nnow: 1\nsource: s\nreason: r\nmethod: POST\ntarget: /s\n"
    static const struct {
        const char *text;
        bool good;
    } rows[] = {
        {HEAD "https: off\nbody: whole\n\n", true},
        {HEAD "https: off\nbody: whole\nheader a: b\n\n", true},
        {HEAD "https: off\nbody: whole\nheader a: \n\nx", true},
        {HEAD "https: off\nbody: whole\n", false},
        {HEAD "https: off\nbody: whole", false},
        {HEAD "https: off\nbody: half\n\n", false},
        {HEAD "https: yes\nbody: whole\n\n", false},
        {HEAD "body: whole\nhttps: off\n\n", false},
        {HEAD "https: off\nbody: whole\nheader a:b\n\n", false},
        {HEAD "https: off\nbody: whole\nheader a\n\n", false},
        {HEAD "https: off\nbody: whole\nheader a=b: c\n\n", false},
        {HEAD "https: off\nbody: whole\nheader content-length: x\n\n", false},
        {HEAD "https: off\nbody: whole\nother: x\n\n", false},
        {"hookonce-request 2\nnow: 1\n", false},
        {"hookonce-request 1\nnow: -1\nsource: s\nreason: r\nmethod: POST\ntarget: /s\n"
         "https: off\nbody: whole\n\n", false},
        {"hookonce-request 1\nnow: 1\nsource: s\nreason: r\nmethod: POST\ntarget: /../s\n"
         "https: off\nbody: whole\n\n", false},
        {"", false},
    };
    struct capture c;
    struct ho_err err;
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, (capture_get(span_of(rows[i].text), &head, &c, &err) == HO_OK) == rows[i].good);
    }
}

static void no_line_ends_in_a_head(void **state)
{
    struct request r = a_request();
    (void)state;

    r.headers[1].value = SPAN_LIT("a\nheader b: c");
    assert_int_equal(capture_put(&r, 1, "x", &text), HO_REJECT);
    r = a_request();
    r.target = SPAN_LIT("/a\n");
    buf_clear(&text);
    assert_int_equal(capture_put(&r, 1, "x", &text), HO_REJECT);
}

static void too_many_headers(void **state)
{
    struct capture c;
    struct ho_err err;
    (void)state;

    for (int n = REQUEST_HEADERS_MAX; n <= REQUEST_HEADERS_MAX + 10; n++) {
        buf_clear(&text);
        assert_int_equal(buf_add_str(&text, HEAD "https: off\nbody: whole\n"), HO_OK);
        for (int i = 0; i < n; i++) {
            assert_int_equal(buf_addf(&text, "header a%d: b\n", i), HO_OK);
        }
        assert_int_equal(buf_add_str(&text, "\n"), HO_OK);
        assert_int_equal(capture_get(buf_span(&text), &head, &c, &err),
                         n == REQUEST_HEADERS_MAX ? HO_OK : HO_REJECT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(there_and_back, begin, end),
        cmocka_unit_test_setup_teardown(bodies, begin, end),
        cmocka_unit_test_setup_teardown(what_is_none_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(no_line_ends_in_a_head, begin, end),
        cmocka_unit_test_setup_teardown(too_many_headers, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
