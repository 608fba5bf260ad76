/* Which URLs may be fetched. */
#include "unit.h"

#include "core/url_match.h"

static void patterns(void **state)
{
    static const struct {
        const char *text;
        bool good;
    } rows[] = {
        {"https://api.paypal.com/v1/*", true},
        {"https://sns.*.amazonaws.com/SimpleNotificationService-*.pem", true},
        {"https://localhost:8443/jwks", true},
        {"https://a.b/", true},
        {"http://a.b/", false},
        {"https://a.b", false},
        {"https://*/x", false},
        {"https://*.com/x", false},
        {"https://sns.*/x", false},
        {"https://a.b:80*/x", false},
        {"https://user@a.b/x", false},
        {"https://A.b/x", false},
        {"https://.b/x", false},
        {"https:///x", false},
        {"https://a.b/x#y", false},
        {"https://a.b/x y", false},
        {"https://a.b/\\", false},
        {"https://a.b/\xc3\xa9", false},
        {"HTTPS://a.b/", false},
        {"", false},
    };
    struct ho_err err;
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, (url_pattern_check(span_of(rows[i].text), &err) == HO_OK) == rows[i].good);
    }
}

static void fits(void **state)
{
    static const char sns[] = "https://sns.*.amazonaws.com/Simple-*.pem";
    static const struct {
        const char *pattern, *url;
        bool fits;
    } rows[] = {
        {"https://a.b/k", "https://a.b/k", true},
        {"https://a.b/k", "https://a.b/k?x=1", false},
        {"https://a.b/k", "https://a.b/", false},
        {"https://a.b/k", "https://A.b/k", false},
        {"https://a.b/*", "https://a.b/", false},
        {"https://a.b/*", "https://a.b/x-Y_9", true},
        {"https://a.b/*", "https://a.b/x/y", false},
        {"https://a.b/*", "https://a.b/*", false},
        {sns, "https://sns.eu-west-1.amazonaws.com/Simple-0a.pem", true},
        {sns, "https://sns.eu.west.amazonaws.com/Simple-0a.pem", false},
        {sns, "https://sns.evil.com/.amazonaws.com/Simple-0a.pem", false},
        {sns, "https://sns.x@evil.amazonaws.com/Simple-0a.pem", false},
        {sns, "https://sns.x.amazonaws.com/Simple-.pem", false},
        {sns, "https://sns.x.amazonaws.com/Simple-0a.pem?.pem", false},
        {sns, "https://sns.x.amazonaws.com/Simple-a.pem.pem", false},
        {sns, "https://sns.x.amazonaws.com:8/Simple-a.pem", false},
        {"https://a.b/*aa*b", "https://a.b/xaaaab", true},
        {"https://a.b/*aa*b", "https://a.b/xaab", false},
        {"https://a.b/**", "https://a.b/x", false},
        {"https://a.b/**", "https://a.b/xyz", true},
        {"", "", true},
        {"", "x", false},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, url_fits(span_of(rows[i].pattern), span_of(rows[i].url)) == rows[i].fits);
    }
}

static void long_ones_never_fit(void **state)
{
    char text[URL_FETCH_MAX + 2] = "https://a.b/";
    (void)state;

    memset(text + 12, 'x', sizeof text - 12);
    assert_false(url_fits(span_of("https://a.b/*"), span_make(text, URL_FETCH_MAX + 1)));
    assert_true(url_fits(span_of("https://a.b/*"), span_make(text, URL_FETCH_MAX)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns),
        cmocka_unit_test(fits),
        cmocka_unit_test(long_ones_never_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
