/* The table of findings: whole, in its order, and the right advice for each kind of host. */
#include "unit.h"

#include "operator/finding.h"

static void every_row_is_whole(void **state)
{
    (void)state;
    for (int i = 0; i < FINDING_N; i++) {
        const struct finding_row *row = finding_row((enum finding_id)i);
        assert_non_null(row->id);
        assert_true(row->level > FOUND_OK && row->level < FOUND_N);
        assert_true(row->what != NULL && row->why != NULL && row->mend[HOST_ANY] != NULL);
        /* A line is put together of them. */
        const char *texts[] = {row->what, row->why, row->mend[HOST_ANY]};
        for (size_t t = 0; t < 3; t++) {
            assert_true(strlen(texts[t]) > 5 && texts[t][strlen(texts[t]) - 1] != '.');
            assert_true(strlen(texts[t]) < 400 && strchr(texts[t], '\n') == NULL);
        }
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(row->id, finding_row((enum finding_id)k)->id);
        }
    }
}

static void a_server_is_known_by_what_it_calls_itself(void **state)
{
    static const struct {
        const char *server;
        bool fastcgi;
        enum host_kind kind;
    } rows[] = {
        {"Apache/2.4.62 (Debian)", false, HOST_APACHE},
        {"Apache/2.4.62 (Debian) mod_fcgid/2.3.9", true, HOST_FCGID},
        {"Apache", true, HOST_FCGID},
        {"LiteSpeed", false, HOST_LITESPEED},
        {"LiteSpeed", true, HOST_LITESPEED},
        {"lighttpd/1.4.69", true, HOST_LIGHTTPD},
        {"nginx/1.22.1", true, HOST_NGINX},
        {"openresty/1.25", true, HOST_NGINX},
        {"NGINX", false, HOST_NGINX},
        {"cloudflare", false, HOST_ANY},
        {"", true, HOST_ANY},
        {"apach", false, HOST_ANY},
        {NULL, true, HOST_ANY},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(finding_host(span_of(rows[i].server), rows[i].fastcgi), rows[i].kind);
    }
}

static void advice_is_that_of_the_host_or_of_any(void **state)
{
    (void)state;
    assert_non_null(strstr(finding_mend(FINDING_BODY_LIMIT, HOST_FCGID), "FcgidMaxRequestLen"));
    assert_non_null(strstr(finding_mend(FINDING_BODY_LIMIT, HOST_APACHE), "LimitRequestBody"));
    assert_non_null(strstr(finding_mend(FINDING_BODY_LIMIT, HOST_NGINX), "client_max_body_size"));
    assert_non_null(strstr(finding_mend(FINDING_BODY_LIMIT, HOST_LIGHTTPD), "max-request-size"));
    assert_non_null(strstr(finding_mend(FINDING_BODY_LIMIT, HOST_LITESPEED), "maxReqBodySize"));
    /* FastCGI below Apache has no words of its own here, and so Apache's. */
    assert_string_equal(finding_mend(FINDING_AUTHORIZATION, HOST_FCGID),
                        finding_row(FINDING_AUTHORIZATION)->mend[HOST_APACHE]);
    assert_string_equal(finding_mend(FINDING_PLAIN_HTTP, HOST_NGINX),
                        finding_row(FINDING_PLAIN_HTTP)->mend[HOST_ANY]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_whole),
        cmocka_unit_test(a_server_is_known_by_what_it_calls_itself),
        cmocka_unit_test(advice_is_that_of_the_host_or_of_any),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
