/* Addresses that we ask: https, or this machine; nothing secret in them, nothing ambiguous. */
#include "unit.h"

#include "core/web_url.h"

static void takes_whole_addresses(void **state)
{
    static const struct {
        const char *url;
        size_t path;
    } rows[] = {
        {"https://api.example", 19},
        {"https://api.example/", 19},
        {"https://api.example/a/b?c=d", 19},
        {"https://api.example?c", 19},
        {"https://a-b_c.example:8443/x", 26},
        {"https://192.0.2.1/", 17},
        {"https://[2001:db8::1]:443/x", 25},
        {"http://localhost:8080/x", 21},
        {"http://LOCALHOST/", 16},
        {"http://127.0.0.1/", 16},
        {"http://127.255.1.2:1/", 20},
        {"http://[::1]/x", 12},
        {"https://api.example/a%20b;c,d!e~f@g:h", 19},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ho_err err;
        size_t path = 0;
        ho_err_clear(&err);
        if (web_url_check(span_of(rows[i].url), &path, &err) != HO_OK) {
            fail_msg("\"%s\": %s", rows[i].url, err.text);
        }
        ROW(i, path == rows[i].path);
        ROW(i, web_url_check(span_of(rows[i].url), NULL, NULL) == HO_OK);
    }
}

static void refuses_with_what_to_do(void **state)
{
    static const char whole[] = "write the whole address: https://HOST/...";
    static const char local[] = "http is for this machine only (localhost, 127.0.0.1, [::1]): write "
                                "https://";
    static const char user[] = "no user or password stands in an address: a secret stands in a file "
                               "of its own";
    static const char plain[] = "an address has at most 2000 bytes of printable ASCII, no blank and "
                                "no #";
    static const struct {
        struct span url;
        const char *why;
    } rows[] = {
        {S(""), whole},
        {NONE, whole},
        {S("api.example/x"), whole},
        {S("//api.example/x"), whole},
        {S("https:/api.example/x"), whole},
        {S("https:///x"), whole},
        {S("https://?x"), whole},
        {S("https://:443/"), whole},
        {S("https://api.example:/"), whole},
        {S("https://api.example:0/"), whole},
        {S("https://api.example:65536/"), whole},
        {S("https://api.example:44x/"), whole},
        {S("https://api,example/"), whole},
        {S("https://[::1/"), whole},
        {S("https://[]/"), whole},
        {S("https://[::1x:443/"), whole},
        {S("https://[::1]x/"), whole},
        {S("https://[api.example]/"), whole},
        {S("HTTPS://api.example/"), whole},
        {S("ftp://api.example/"), whole},
        {S("file:///etc/passwd"), whole},
        {S("http://api.example/"), local},
        {S("http://localhost.example/"), local},
        {S("http://127.0.0.1.example/"), local},
        {S("http://127.0.0.1.2/"), local},
        {S("http://127.0.0/"), local},
        {S("http://127.0.0.256/"), local},
        {S("http://127.0.0.01/"), local},
        {S("http://128.0.0.1/"), local},
        {S("http://[::2]/"), local},
        {S("http://0.0.0.0/"), local},
        {S("https://user@api.example/"), user},
        {S("https://user:secret@api.example/"), user},
        {S("https://api.example@evil.example/"), user},
        {S("https://api.example/a b"), plain},
        {S("https://api.example/#x"), plain},
        {S("https://api.example/\n"), plain},
        {S("https://api.example/\0"), plain},
        {S("https://api.example/\xc3\xbc"), plain},
        {S("https://api.example\\@evil.example/"), plain},
        {S("https://api.example/{/id}"), plain},
        {S("https://api.example/\x7f"), plain},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ho_err err;
        ho_err_clear(&err);
        ROW(i, web_url_check(rows[i].url, NULL, &err) == HO_REJECT);
        ROW_TEXT(i, err.text, rows[i].why);
    }
}

static void has_its_limit(void **state)
{
    static char url[2002] = "https://a.example/";
    (void)state;
    memset(url + strlen(url), 'a', sizeof url - 1 - strlen(url));
    assert_int_equal(web_url_check(span_make(url, 2000), NULL, NULL), HO_OK);
    assert_int_equal(web_url_check(span_make(url, 2001), NULL, NULL), HO_REJECT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_whole_addresses),
        cmocka_unit_test(refuses_with_what_to_do),
        cmocka_unit_test(has_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
