/* What a verified delivery becomes: id, type, object, time, the digests that tell events apart, and
 * which headers are kept. */
#include "edge_own.h"
#include "edge_signed.h"

#define SOURCES \
    "[source stripe]\nprovider = stripe\nsecret = file:a\n" \
    "[source mine]\nprovider = stripe\nsecret = file:a\nscope = source\nguard = yes\n" \
    "[source github]\nprovider = github\nsecret = file:a\n" \
    "[source open]\nprovider = github\nsecret = file:a\nguard = no\nscope = provider\n" \
    "[source half]\nprovider = half\nsecret = file:a\n" \
    "[source times]\nprovider = times\nsecret = file:a\n" \
    "[hookonce]\nrecipes = own.conf\n"

#define OWN \
    "[recipe half]\nlike = github\nguard = {json:/token} ?? {body}\nsame = {json:/x} {json:/y}\n" \
    "[recipe times]\nlike = github\nid = {json:/a}-{json:/b} ?? {json:/id} ?? {body|sha256|hex}\n" \
    "at = header:x-at ; rfc3339 ?? json:/at ; s ?? json:/at ; rfc3339 ?? json:/at ; ms\n"

static int load_site(void **state)
{
    return load_own(state, "key-a\n", OWN, SOURCES);
}

static struct accepted *stripe_event(const char *source, struct span body)
{
    struct accepted *a;
    struct request r;
    stripe_post(&r, stripe_signature("key-a", NOW / 1000000, body), body);
    assert_int_equal(judge(site_endpoint(all, source), &r, NOW, &a, NULL), REASON_OK);
    return a;
}

static struct accepted *github_event(const char *source, const char *id, struct span body)
{
    struct accepted *a;
    struct request r;
    github_post(&r, "key-a", id, "push", body);
    assert_int_equal(judge(site_endpoint(all, source), &r, NOW, &a, NULL), REASON_OK);
    return a;
}

static void names_source_and_scope(void **state)
{
    static const struct {
        const char *source, *provider;
        bool guard;
    } rows[] = {
        {"stripe", "stripe", false},
        {"mine", "mine", true},
        {"github", "github", true},
        {"open", "github", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct span body = SPAN_LIT("{\"id\":\"evt_1\",\"type\":\"t\"}");
        struct accepted *a = i < 2 ? stripe_event(rows[i].source, body)
                                   : github_event(rows[i].source, "d", body);
        const struct event *e = accepted_event(a);
        ROW(i, span_is(e->source, rows[i].source) && span_is(e->provider, rows[i].provider));
        ROW(i, e->has_guard == rows[i].guard);
        ROW(i, ulid_valid(span_of(e->cid)));
        ROW(i, e->body.p == body.p && e->secret_no == 1);
        ROW(i, span_is(e->document, "json"));
        accepted_free(a);
    }
}

static void takes_only_texts_and_whole_numbers_as_ids(void **state)
{
    static const struct {
        const char *id, *want; /* NULL: refused */
    } rows[] = {
        {"\"evt_1\"", "evt_1"}, {"\"12\"", "12"}, {"12", "12"},     {"\" a \"", " a "},
        {"null", NULL},         {"\"\"", NULL},   {"{}", NULL},     {"[]", NULL},
        {"true", NULL},         {"1.5", NULL},    {"1e3", NULL},    {"[\"evt_1\"]", NULL},
        {"99999999999999999999999", NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[128];
        struct span body;
        struct request r;
        struct accepted *a;
        (void)snprintf(text, sizeof text, "{\"id\":%s,\"type\":\"t\"}", rows[i].id);
        body = span_of(text);
        stripe_post(&r, stripe_signature("key-a", NOW / 1000000, body), body);
        enum reason got = judge(site_endpoint(all, "stripe"), &r, NOW, &a, NULL);
        ROW(i, got == (rows[i].want == NULL ? REASON_NO_ID : REASON_OK));
        ROW(i, a == NULL || span_is(accepted_event(a)->id, rows[i].want));
        accepted_free(a);
    }
}

static void needs_no_more_than_an_id(void **state)
{
    static const struct {
        const char *body, *type, *object; /* object NULL: none */
    } rows[] = {
        {"{\"id\":\"e\"}", "", NULL},
        {"{\"id\":\"e\",\"type\":null,\"data\":null}", "", NULL},
        {"{\"id\":\"e\",\"type\":\"t\",\"request\":null,\"data\":{\"object\":{\"id\":\"o\"}}}", "t",
         "o"},
        {"{\"id\":\"e\",\"type\":\"t\",\"request\":\"req\",\"data\":\"x\"}", "t", NULL},
        {"{\"id\":\"e\",\"type\":\"t\",\"account\":\"acct_1\",\"request\":{\"id\":1}}", "t", NULL},
        {"{\"id\":\"e\",\"object\":\"v2.core.event\",\"type\":\"v1.t\",\"related_object\":{\"id\":"
         "\"m\"}}", "v1.t", "m"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct accepted *a = stripe_event("stripe", span_of(rows[i].body));
        const struct event *e = accepted_event(a);
        ROW(i, span_is(e->type, rows[i].type) && span_present(e->type));
        ROW(i, rows[i].object == NULL ? !span_present(e->object)
                                      : span_is(e->object, rows[i].object));
        accepted_free(a);
    }
}

static void stores_what_is_too_long_as_a_digest(void **state)
{
    char id[EVENT_KEY_MAX + 2];
    struct accepted *a;
    (void)state;
    memset(id, 'x', sizeof id);
    for (size_t len = EVENT_KEY_MAX; len <= EVENT_KEY_MAX + 1; len++) {
        struct request r;
        id[len] = '\0';
        github_post(&r, "key-a", id, id, SPAN_LIT("{}"));
        assert_int_equal(judge(site_endpoint(all, "open"), &r, NOW, &a, NULL), REASON_OK);
        const struct event *e = accepted_event(a);
        assert_int_equal(e->id.len, len == EVENT_KEY_MAX ? EVENT_KEY_MAX : 71);
        assert_int_equal(span_starts(e->id, "sha256:"), len > EVENT_KEY_MAX);
        assert_true(span_eq(e->id, e->type));
        accepted_free(a);
        id[len] = 'x';
    }
}

static void takes_bodies_that_are_no_json_where_the_id_is_elsewhere(void **state)
{
    static const struct {
        struct span body;
        const char *document;
    } rows[] = {
        {S("{\"m\":\"a\\u0000b\",\"s\":\"\\ud800\"}"), NULL}, /* whichever the parser says */
        {S("{\"a\":1}\0"), "none"},
        {S("\xff\xfe"), "none"},
        {S("Hello, World!"), "none"},
        {S("Hello=World!"), "form"}, /* github has forms */
        {S("{\"m\":\"&payload={}\"} "), "json"},
        {S("{&payload={}"), "none"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct accepted *a = github_event("open", "d", rows[i].body);
        ROW(i, span_eq(accepted_event(a)->body, rows[i].body));
        ROW(i, rows[i].document == NULL || span_is(accepted_event(a)->document, rows[i].document));
        accepted_free(a);
    }
}

static void reads_the_time_it_happened(void **state)
{
    static const struct {
        const char *header, *body;
        int64_t want; /* microseconds, -1: none */
    } rows[] = {
        {"2026-09-21T14:13:15.877041743Z", "{}", INT64_C(1789999995877041)},
        {"2026-09-21T16:13:15+02:00", "{}", INT64_C(1789999995000000)},
        {"2020-01-01T00:00:00Z", "{\"at\":5}", INT64_C(1577836800000000)},
        {"yesterday", "{\"at\":1789999998}", INT64_C(1789999998000000)},
        {"", "{\"at\":\"2026-09-21T14:13:15Z\"}", INT64_C(1789999995000000)},
        {"", "{\"at\":1789999998500}", INT64_C(1789999998500000)},
        {"", "{\"at\":253402300799}", INT64_C(253402300799000000)},
        {"", "{\"at\":253402300799999}", INT64_C(253402300799999000)},
        {"", "{\"at\":253402300800000}", -1},
        {"", "{\"at\":1789999998.375624}", INT64_C(1789999998375624)},
        {"", "{\"at\":1789999998.3756249}", INT64_C(1789999998375624)},
        {"", "{\"at\":\"1789999998.5\"}", INT64_C(1789999998500000)},
        {"", "{\"at\":1.789999998E9}", INT64_C(1789999998000000)},
        {"", "{\"at\":1.7899999985e+9}", INT64_C(1789999998500000)},
        {"", "{\"at\":1e99}", -1},
        {"", "{\"at\":1.5e-3}", -1},
        {"", "{\"at\":\"1789999998.\"}", -1},
        {"", "{\"at\":\".5\"}", -1},
        {"", "{\"at\":\"17899 99998\"}", -1},
        {"", "{\"at\":-1}", -1},
        {"1969-12-31T23:59:59Z", "{}", -1},
        {"", "{\"at\":true}", -1},
        {"", "{}", -1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        struct accepted *a;
        github_post(&r, "key-a", "d", "push", span_of(rows[i].body));
        r.headers[r.n_headers].name = SPAN_LIT("x-at");
        r.headers[r.n_headers++].value = span_of(rows[i].header);
        ROW(i, judge(site_endpoint(all, "times"), &r, NOW, &a, NULL) == REASON_OK);
        const struct event *e = accepted_event(a);
        ROW(i, e->has_occurred == (rows[i].want >= 0));
        ROW(i, !e->has_occurred || e->occurred_us == rows[i].want);
        accepted_free(a);
    }
}

static void composes_an_id_or_falls_back(void **state)
{
    static const struct {
        const char *body, *want;
    } rows[] = {
        {"{\"a\":\"x\",\"b\":7,\"id\":\"i\"}", "x-7"},
        {"{\"a\":\"x\",\"id\":\"i\"}", "i"},
        {"{}", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct accepted *a = github_event("times", "d", span_of(rows[i].body));
        ROW(i, span_is(accepted_event(a)->id, rows[i].want));
        accepted_free(a);
    }
}

#define BASE "\"id\":\"evt_1\",\"type\":\"t\",\"created\":5,\"livemode\":false"

/* Two deliveries of one Stripe event differ in bytes; another event under the same id does too. */
static void tells_the_same_event_from_another(void **state)
{
    static const struct {
        const char *body;
        bool same;
    } rows[] = {
        {"{" BASE ",\"account\":null,\"pending_webhooks\":2,\"data\":{\"object\":{\"id\":\"o\"}}}",
         true},
        {"{" BASE ",\"pending_webhooks\":1,\"api_version\":\"2020-01-01\","
         "\"data\":{\"object\":{\"id\":\"o\",\"new_field\":1}}}", true},
        {"{" BASE ",\"data\":{\"object\":{\"id\":\"p\"}}}", false},
        {"{" BASE ",\"data\":{\"object\":{}}}", false},
        {"{" BASE ",\"account\":\"acct\",\"data\":{\"object\":{\"id\":\"o\"}}}", false},
        {"{\"id\":\"evt_1\",\"type\":\"u\",\"created\":5,\"livemode\":false,"
         "\"data\":{\"object\":{\"id\":\"o\"}}}", false},
        {"{\"id\":\"evt_1\",\"type\":\"t\",\"created\":6,\"livemode\":false,"
         "\"data\":{\"object\":{\"id\":\"o\"}}}", false},
        {"{\"id\":\"evt_1\",\"type\":\"t\",\"created\":5,\"livemode\":true,"
         "\"data\":{\"object\":{\"id\":\"o\"}}}", false},
        {"{\"id\":\"evt_1\",\"type\":\"t5\",\"livemode\":false,"
         "\"data\":{\"object\":{\"id\":\"o\"}}}", false},
        /* The object's id in the place of the related one's. */
        {"{" BASE ",\"related_object\":{\"id\":\"o\"}}", false},
    };
    unsigned char first[SHA256_LEN];
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct accepted *a = stripe_event("stripe", span_of(rows[i].body));
        if (i == 0) {
            memcpy(first, accepted_event(a)->same, sizeof first);
        }
        ROW(i, (memcmp(first, accepted_event(a)->same, sizeof first) == 0) == rows[i].same);
        accepted_free(a);
    }
}

static void digests_the_body_where_nothing_else_is_said(void **state)
{
    const struct span body = SPAN_LIT("{\"z\":1}");
    const struct span token = SPAN_LIT("{\"token\":\"t\",\"x\":{\"k\":1}}");
    unsigned char sha[SHA256_LEN];
    struct accepted *a = github_event("github", "d", body);
    (void)state;
    mac_sha256(body, sha);
    assert_memory_equal(accepted_event(a)->same, sha, sizeof sha);
    assert_memory_equal(accepted_event(a)->guard, sha, sizeof sha);
    accepted_free(a);

    a = github_event("half", "d", body); /* none of its terms is there */
    assert_memory_equal(accepted_event(a)->same, sha, sizeof sha);
    assert_memory_equal(accepted_event(a)->guard, sha, sizeof sha);
    accepted_free(a);

    a = github_event("half", "d", token);
    mac_sha256(token, sha);
    assert_memory_not_equal(accepted_event(a)->same, sha, sizeof sha);
    mac_sha256(SPAN_LIT("t"), sha);
    assert_memory_equal(accepted_event(a)->guard, sha, sizeof sha);
    accepted_free(a);

    /* Switched on where the recipe has none. */
    a = stripe_event("mine", SPAN_LIT("{\"id\":\"e\"}"));
    mac_sha256(SPAN_LIT("{\"id\":\"e\"}"), sha);
    assert_memory_equal(accepted_event(a)->guard, sha, sizeof sha);
    accepted_free(a);
}

static void finds_the_json_in_a_form(void **state)
{
    const struct span body =
        SPAN_LIT("payload=%7B%22repository%22%3A%7B%22id%22%3A7%7D%7D&x=1");
    struct request r;
    struct accepted *a;
    (void)state;
    github_post(&r, "key-a", "d", "push", body);
    r.headers[r.n_headers].name = SPAN_LIT("content-type");
    r.headers[r.n_headers++].value = SPAN_LIT("application/x-www-form-urlencoded");
    assert_int_equal(judge(site_endpoint(all, "open"), &r, NOW, &a, NULL), REASON_OK);
    assert_true(span_is(accepted_event(a)->document, "form:payload"));
    assert_true(span_is(accepted_event(a)->object, "7"));
    accepted_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_source_and_scope),
        cmocka_unit_test(takes_only_texts_and_whole_numbers_as_ids),
        cmocka_unit_test(needs_no_more_than_an_id),
        cmocka_unit_test(stores_what_is_too_long_as_a_digest),
        cmocka_unit_test(takes_bodies_that_are_no_json_where_the_id_is_elsewhere),
        cmocka_unit_test(reads_the_time_it_happened),
        cmocka_unit_test(composes_an_id_or_falls_back),
        cmocka_unit_test(tells_the_same_event_from_another),
        cmocka_unit_test(digests_the_body_where_nothing_else_is_said),
        cmocka_unit_test(finds_the_json_in_a_form),
    };
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
