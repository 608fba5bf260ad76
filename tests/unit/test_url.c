/* The public URL's spellings: which are tried, in which order, and whose host counts. */
#include "unit.h"

#include "edge/url.h"

#define LINES_MAX 2048

/* A request for that target; host and proto may be NULL. */
static void ask(struct request *r, const char *target, const char *host, bool https)
{
    struct span rest = span_of(target);
    *r = (struct request){.target = rest, .https = https};
    (void)span_cut(&rest, '?');
    r->query = span_present(rest) ? rest : SPAN_LIT("");
    if (host != NULL) {
        r->headers[0] = (struct header){SPAN_LIT("host"), span_of(host)};
        r->n_headers = 1;
    }
}

/* The candidates, one a line. */
static void lines_of(const char *url, const struct request *r, char out[LINES_MAX])
{
    const struct source source = {.url = url};
    struct urls u;
    size_t len = 0;
    urls_of(&source, r, &u);
    out[0] = '\0';
    for (size_t i = 0; i < u.n; i++) {
        assert_true(len + u.at[i].len + 2 < LINES_MAX);
        memcpy(out + len, u.at[i].p, u.at[i].len);
        len += u.at[i].len;
        out[len++] = '\n';
        out[len] = '\0';
    }
    urls_free(&u);
}

static void tries_the_own_url_and_its_host_with_the_target(void **state)
{
    static const struct {
        const char *url, *target, *want;
    } rows[] = {
        {"https://h/hook", "/hook", "https://h/hook\nhttps://h:443/hook\n"},
        {"http://h/hook", "/hook", "http://h/hook\nhttp://h:80/hook\n"},
        {"https://h:443/hook", "/hook", "https://h:443/hook\nhttps://h/hook\n"},
        {"https://h:8443/hook", "/hook", "https://h:8443/hook\nhttps://h/hook\n"},
        {"https://u:p@h/hook", "/hook", "https://u:p@h/hook\nhttps://u:p@h:443/hook\n"},
        {"https://u:p@[::1]:8443/hook", "/hook", "https://u:p@[::1]:8443/hook\nhttps://u:p@[::1]/hook\n"},
        {"https://[::1]/hook", "/hook", "https://[::1]/hook\nhttps://[::1]:443/hook\n"},
        {"https://h/hook#rc=3&rp=all", "/hook", "https://h/hook\nhttps://h:443/hook\n"},
        /* A proxy changed the path. */
        {"https://h/hook/", "/in/hook",
         "https://h/hook/\nhttps://h:443/hook/\nhttps://h/in/hook\nhttps://h:443/in/hook\n"},
        /* What the provider added to the URL is in the target only. */
        {"https://h/hook", "/hook?sha=00", "https://h/hook?sha=00\nhttps://h:443/hook?sha=00\n"},
        {"https://h/hook", "/in/hook?a=1&b=2",
         "https://h/hook?a=1&b=2\nhttps://h:443/hook?a=1&b=2\n"
         "https://h/in/hook?a=1&b=2\nhttps://h:443/in/hook?a=1&b=2\n"},
        {"https://h/hook?a=1", "/in/hook?a=1&b=2",
         "https://h/hook?a=1&b=2\nhttps://h:443/hook?a=1&b=2\n"
         "https://h/in/hook?a=1&b=2\nhttps://h:443/in/hook?a=1&b=2\n"},
        {"https://h/hook?a=1", "/hook?a=2", "https://h/hook?a=2\nhttps://h:443/hook?a=2\n"},
        {"https://h/hook?a=1", "/hook?a=1&b=2", "https://h/hook?a=1&b=2\nhttps://h:443/hook?a=1&b=2\n"},
        /* The same query, otherwise escaped. */
        {"https://h/hook?n=a b", "/hook?n=a+b",
         "https://h/hook?n=a b\nhttps://h:443/hook?n=a b\nhttps://h/hook?n=a+b\nhttps://h:443/hook?n=a+b\n"
         "https://h/hook?n=a%20b\nhttps://h:443/hook?n=a%20b\n"},
        {"https://h/hook?a=1", "/hook",
         "https://h/hook?a=1\nhttps://h:443/hook?a=1\nhttps://h/hook\nhttps://h:443/hook\n"},
        {"https://h?a=1", "/?a=1",
         "https://h?a=1\nhttps://h:443?a=1\nhttps://h/?a=1\nhttps://h:443/?a=1\n"},
        {"https://H.Example/Hook", "/Hook",
         "https://H.Example/Hook\nhttps://H.Example:443/Hook\n"
         "https://h.example/Hook\nhttps://h.example:443/Hook\n"},
        {"https://h/it's?n=O'B%27\"<\x80", "/it's?n=O'B%27\"<\x80",
         "https://h/it's?n=O'B%27\"<\x80\nhttps://h:443/it's?n=O'B%27\"<\x80\n"
         "https://h/it's?n=O%27B%27%22%3C%80\nhttps://h:443/it's?n=O%27B%27%22%3C%80\n"},
        {"hook", "/hook", ""},
        {"https:///hook", "/hook", ""},
        {"://h/hook", "/hook", ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        char got[LINES_MAX];
        /* Whom the request says that it went to does not count. */
        ask(&r, rows[i].target, "evil.example", true);
        lines_of(rows[i].url, &r, got);
        ROW_TEXT(i, got, rows[i].want);
    }
}

static void takes_the_requests_word_only_without_a_url(void **state)
{
    static const struct {
        const char *host;
        bool https;
        const char *want;
    } rows[] = {
        {"h.example", true, "https://h.example/x?a=1\nhttps://h.example:443/x?a=1\n"},
        {"h.example", false, "http://h.example/x?a=1\nhttp://h.example:80/x?a=1\n"},
        {"h:8443", true, "https://h:8443/x?a=1\nhttps://h/x?a=1\n"},
        {"[::1]", true, "https://[::1]/x?a=1\nhttps://[::1]:443/x?a=1\n"},
        {"[::1]:81", false, "http://[::1]:81/x?a=1\nhttp://[::1]/x?a=1\n"},
        {"", true, ""},
        {NULL, true, ""},
        {"h.example/evil?", true, ""},
        {"u@h.example", true, ""},
        {"h.example, h.example", true, ""},
        {"h example", true, ""},
    };
    struct request r;
    char got[LINES_MAX];
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ask(&r, "/x?a=1", rows[i].host, rows[i].https);
        lines_of(NULL, &r, got);
        ROW_TEXT(i, got, rows[i].want);
    }
    ask(&r, "/x", "h", true);
    r.headers[r.n_headers++] = (struct header){SPAN_LIT("host"), SPAN_LIT("h")};
    lines_of(NULL, &r, got);
    assert_string_equal(got, "");
}

/* What twilio-node 6.3.1 (lib/webhooks/webhooks.js, validateRequest) would try for a URL; each must
 * be tried here. Made by running it. */
static void tries_what_the_official_library_would(void **state)
{
    static const struct {
        const char *url, *tries[6];
    } rows[] = {
        {"https://h.example/hook",
         {"https://h.example/hook",
          "https://h.example:443/hook"}},
        {"https://u:p@H.Example:443/hook?a=1",
         {"https://u:p@H.Example/hook?a=1",
          "https://u:p@H.Example:443/hook?a=1",
          "https://u:p@h.example/hook?a=1",
          "https://u:p@h.example:443/hook?a=1"}},
        {"http://h.example:8080/?q=a+b%2Fc&e=&e2",
         {"http://h.example/?q=a+b%2Fc&e=&e2",
          "http://h.example:8080/?q=a+b%2Fc&e=&e2",
          "http://h.example/?q=a%20b%2Fc&e=&e2=",
          "http://h.example:8080/?q=a%20b%2Fc&e=&e2="}},
        {"https://h.example?name=O'Brien",
         {"https://h.example?name=O'Brien",
          "https://h.example:443?name=O'Brien",
          "https://h.example/?name=O%27Brien",
          "https://h.example:443/?name=O%27Brien",
          "https://h.example/?name=O'Brien",
          "https://h.example:443/?name=O'Brien"}},
        {"https://h.example/it's/{x}?name=O%27Brien&b=%C3%A9&name=a b",
         {"https://h.example/it's/{x}?name=O%27Brien&b=%C3%A9&name=a b",
          "https://h.example:443/it's/{x}?name=O%27Brien&b=%C3%A9&name=a b",
          "https://h.example/it's/%7Bx%7D?name=O%27Brien&b=%C3%A9&name=a%20b",
          "https://h.example:443/it's/%7Bx%7D?name=O%27Brien&b=%C3%A9&name=a%20b",
          "https://h.example/it's/%7Bx%7D?name=O'Brien&name=a%20b&b=%C3%A9",
          "https://h.example:443/it's/%7Bx%7D?name=O'Brien&name=a%20b&b=%C3%A9"}},
        {"https://[::1]/x?a=1&b=2&a=3&&c=%zz~!*()",
         {"https://[::1]/x?a=1&b=2&a=3&&c=%zz~!*()",
          "https://[::1]:443/x?a=1&b=2&a=3&&c=%zz~!*()",
          "https://[::1]/x?a=1&a=3&b=2&c=%25zz~!*()",
          "https://[::1]:443/x?a=1&a=3&b=2&c=%25zz~!*()"}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *slash = strchr(strstr(rows[i].url, "://") + 3, '/');
        struct request r;
        char got[LINES_MAX];
        ask(&r, slash == NULL ? "/" : slash, "evil.example", false);
        lines_of(rows[i].url, &r, got);
        for (size_t j = 0; j < 6 && rows[i].tries[j] != NULL; j++) {
            char line[LINES_MAX];
            char all[LINES_MAX + 1];
            (void)snprintf(line, sizeof line, "\n%s\n", rows[i].tries[j]);
            (void)snprintf(all, sizeof all, "\n%s", got);
            if (strstr(all, line) == NULL) {
                fail_msg("%s: %s is not in %s", rows[i].url, rows[i].tries[j], got);
            }
        }
        assert_null(strstr(got, "evil"));
    }
}

/* A URL that is too long is left out, not cut; so is a spelling that gets too long. */
static void leaves_long_urls_out(void **state)
{
    static const struct {
        size_t len; /* of the target, "/?" and a run of one byte */
        char filler;
        size_t n, longest;
    } rows[] = {
        {URL_ROOM - 13, 'a', 3, URL_ROOM}, /* behind "https://h:443"; Node puts a = behind it */
        {URL_ROOM - 12, 'a', 2, URL_ROOM - 2},
        {URL_ROOM - 9, 'a', 1, URL_ROOM},
        {URL_ROOM - 8, 'a', 0, 0},
        {URL_ROOM * 10, 'a', 0, 0},
        {URL_ROOM / 2, '<', 2, URL_ROOM / 2 + 13}, /* three bytes each, once it is escaped */
    };
    static char target[URL_ROOM * 10 + 1];
    const struct source source = {.url = "https://h/"};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        struct urls u;
        size_t longest = 0;
        memset(target, rows[i].filler, rows[i].len);
        target[0] = '/';
        target[1] = '?';
        target[rows[i].len] = '\0';
        ask(&r, target, NULL, true);
        urls_of(&source, &r, &u);
        for (size_t j = 0; j < u.n; j++) {
            longest = u.at[j].len > longest ? u.at[j].len : longest;
        }
        if (u.n != rows[i].n || longest != rows[i].longest) {
            fail_msg("case %zu: %zu URLs, the longest of %zu", i, u.n, longest);
        }
        urls_free(&u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tries_the_own_url_and_its_host_with_the_target),
        cmocka_unit_test(takes_the_requests_word_only_without_a_url),
        cmocka_unit_test(tries_what_the_official_library_would),
        cmocka_unit_test(leaves_long_urls_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
