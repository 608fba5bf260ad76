/* Which headers are kept with an event: none that lets somebody in, and not too many. */
#include "edge_own.h"
#include "edge_signed.h"

#define SOURCES \
    "[source open]\nprovider = github\nsecret = file:a\nguard = no\nscope = provider\n" \
    "[source tokens]\nprovider = tokens\nsecret = file:a\nparam = state s3\n" \
    "[hookonce]\nrecipes = own.conf\n"

#define OWN \
    "[recipe tokens]\nlike = github\nparam = state the state\nat = header:date ; rfc2822\n" \
    "sig = header:x-hub-signature-256 header:x-other ; strip sha256=\n" \
    "check = {header:x-state} == {param:state}\ncheck = {header:x-plain} == p\n" \
    "hello = unsigned POST header:x-save => 200 ; save header:x-save\n"

static int load_site(void **state)
{
    return load_own(state, "key-a\n", OWN, SOURCES);
}

static void keeps_no_credential_among_the_headers(void **state)
{
    static const struct pair more[] = {
        {"authorization", "Bearer SECRET"}, {"proxy-authorization", "SECRET"},
        {"cookie", "SECRET"},               {"x-hub-signature", "sha1=SECRET"},
        {"x-twice", "1"},                   {"x-twice", "2"},
        {"content-type", "text/x; a=b"},    {"x-empty", ""},
    };
    struct request r;
    struct accepted *a;
    (void)state;
    github_post(&r, "key-a", "d", "push", SPAN_LIT("{}"));
    for (size_t i = 0; i < COUNT(more); i++) {
        r.headers[r.n_headers].name = span_of(more[i].name);
        r.headers[r.n_headers++].value = span_of(more[i].value);
    }
    assert_int_equal(judge(site_endpoint(all, "open"), &r, NOW, &a, NULL), REASON_OK);
    assert_true(span_is(accepted_event(a)->headers,
                        "x-github-delivery: d\nx-github-event: push\nx-twice: 1\nx-twice: 2\n"
                        "content-type: text/x; a=b\nx-empty: \n"));
    accepted_free(a);
}

/* Whatever lets somebody in: every place of a signature, what is held against a setting, and what a
 * handshake brings. */
static void knows_the_credentials_of_a_recipe(void **state)
{
    static const struct pair more[] = {
        {"x-other", "sha256=SECRET"}, {"x-state", "s3"}, {"x-plain", "p"}, {"x-save", ""},
        {"date", "Mon, 21 Sep 2026 14:13:15 +0000"},
    };
    struct request r;
    struct accepted *a;
    (void)state;
    github_post(&r, "key-a", "d", "push", SPAN_LIT("{}"));
    for (size_t i = 0; i < COUNT(more); i++) {
        r.headers[r.n_headers].name = span_of(more[i].name);
        r.headers[r.n_headers++].value = span_of(more[i].value);
    }
    assert_int_equal(judge(site_endpoint(all, "tokens"), &r, NOW, &a, NULL), REASON_OK);
    assert_true(span_is(accepted_event(a)->headers,
                        "x-github-delivery: d\nx-github-event: push\nx-plain: p\n"
                        "date: Mon, 21 Sep 2026 14:13:15 +0000\n"));
    assert_true(accepted_event(a)->has_occurred);
    assert_int_equal(accepted_event(a)->occurred_us, INT64_C(1789999995000000));
    accepted_free(a);
}

static void refuses_headers_over_the_limit_rather_than_cut(void **state)
{
    size_t fixed = sizeof "x-github-delivery: d\nx-github-event: push\nx-big: \n" - 1;
    unsigned char *big = malloc(EVENT_HEADERS_MAX);
    (void)state;
    assert_non_null(big);
    memset(big, 'v', EVENT_HEADERS_MAX);
    for (size_t over = 0; over <= 1; over++) {
        struct request r;
        github_post(&r, "key-a", "d", "push", SPAN_LIT("{}"));
        r.headers[r.n_headers].name = SPAN_LIT("x-big");
        r.headers[r.n_headers++].value = span_make(big, EVENT_HEADERS_MAX - fixed + over);
        assert_int_equal(judge(site_endpoint(all, "open"), &r, NOW, NULL, NULL),
                         over == 0 ? REASON_OK : REASON_BAD_REQUEST);
    }
    free(big);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_no_credential_among_the_headers),
        cmocka_unit_test(knows_the_credentials_of_a_recipe),
        cmocka_unit_test(refuses_headers_over_the_limit_rather_than_cut),
    };
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
