/* One request with libcurl. */
#include "operator/http_ask.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <curl/curl.h>

#include "base/clock.h"
#include "base/host.h"
#include "base/version.h"

/* One request under way. */
struct asking {
    const struct http_ask *ask;
    struct http_told *told;
    CURL *easy;
    struct curl_slist *headers;
    size_t sent; /* bytes of an unmeasured body */
    char error[CURL_ERROR_SIZE];
};

static size_t keep_body(char *p, size_t size, size_t n, void *arg)
{
    struct http_told *told = arg;
    size_t len = size * n, room = HTTP_ASK_BODY_MAX - told->body.len;

    if (buf_add(&told->body, p, len < room ? len : room) != HO_OK) {
        return 0;
    }
    return len <= room ? len : 0;
}

static void keep_value(struct span value, char *out, size_t room)
{
    value = span_trim_line(value);
    (void)snprintf(out, room, "%.*s", (int)(value.len < room ? value.len : room - 1),
                   (const char *)value.p);
}

static size_t keep_header(char *p, size_t size, size_t n, void *arg)
{
    struct http_told *told = arg;
    const struct {
        const char *name;
        char *out;
        size_t room;
    } wanted[] = {{"server", told->server, sizeof told->server},
                  {"location", told->location, sizeof told->location},
                  {"date", told->date, sizeof told->date},
                  {"age", told->age, sizeof told->age}};
    struct span value = span_make(p, size * n);
    struct span name = span_cut(&value, ':');

    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && span_present(value); i++) {
        if (span_is_nocase(name, wanted[i].name)) {
            keep_value(value, wanted[i].out, wanted[i].room);
        }
    }
    return size * n;
}

static size_t give_body(char *p, size_t size, size_t n, void *arg)
{
    struct asking *a = arg;
    struct span rest = span_sub(a->ask->body, a->sent, size * n);

    if (rest.len > 0) {
        memcpy(p, rest.p, rest.len);
    }
    a->sent += rest.len;
    return rest.len;
}

static void add_header(struct asking *a, const char *line)
{
    struct curl_slist *more = curl_slist_append(a->headers, line);

    if (more == NULL) {
        ho_die("out of memory");
    }
    a->headers = more;
}

static void add_headers(struct asking *a)
{
    struct span rest = a->ask->headers;
    struct buf line;

    add_header(a, "Expect:");
    buf_init(&line, rest.len + 1);
    while (span_present(rest)) {
        struct span one = span_cut(&rest, '\n');
        buf_clear(&line);
        if (one.len > 0 && buf_add_span(&line, one) == HO_OK) {
            add_header(a, buf_cstr(&line));
        }
    }
    buf_free(&line);
    if (a->ask->unmeasured && !a->ask->http2) {
        add_header(a, "Transfer-Encoding: chunked");
    }
    curl_easy_setopt(a->easy, CURLOPT_HTTPHEADER, a->headers);
}

static void add_body(struct asking *a)
{
    const struct span body = a->ask->body;

    curl_easy_setopt(a->easy, CURLOPT_POST, 1L);
    if (a->ask->unmeasured) {
        curl_easy_setopt(a->easy, CURLOPT_READFUNCTION, give_body);
        curl_easy_setopt(a->easy, CURLOPT_READDATA, a);
        return;
    }
    curl_easy_setopt(a->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
    curl_easy_setopt(a->easy, CURLOPT_POSTFIELDS, body.len > 0 ? (const char *)body.p : "");
}

static void set_common(CURL *easy, const char *url, const char *ca_file)
{
    const char *bundle = ca_file != NULL ? ca_file : host_ca_bundle();

    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    if (bundle != NULL) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, bundle);
    }
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)HTTP_ASK_CONNECT_MS);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)HTTP_ASK_MS);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "hookonce/" HOOKONCE_VERSION);
}

static void set_up(struct asking *a)
{
    static const long families[] = {[HTTP_ANY_FAMILY] = CURL_IPRESOLVE_WHATEVER,
                                    [HTTP_IPV4] = CURL_IPRESOLVE_V4,
                                    [HTTP_IPV6] = CURL_IPRESOLVE_V6};

    set_common(a->easy, a->ask->url, a->ask->ca_file);
    curl_easy_setopt(a->easy, CURLOPT_IPRESOLVE, families[a->ask->family]);
    curl_easy_setopt(a->easy, CURLOPT_HTTP_VERSION,
                     a->ask->http2 ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(a->easy, CURLOPT_WRITEFUNCTION, keep_body);
    curl_easy_setopt(a->easy, CURLOPT_WRITEDATA, a->told);
    curl_easy_setopt(a->easy, CURLOPT_HEADERFUNCTION, keep_header);
    curl_easy_setopt(a->easy, CURLOPT_HEADERDATA, a->told);
    curl_easy_setopt(a->easy, CURLOPT_ERRORBUFFER, a->error);
    add_headers(a);
    if (!a->ask->get) {
        add_body(a);
    }
}

/* No route of that family on this machine is as if the name had no such address. */
static enum http_failure no_link(CURL *easy)
{
    long number = 0;

    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
    if (number == ENETUNREACH || number == EAFNOSUPPORT || number == EADDRNOTAVAIL) {
        return HTTP_NO_ADDRESS;
    }
    return number == ECONNREFUSED ? HTTP_REFUSED : HTTP_NO_LINK;
}

static bool was_linked(CURL *easy)
{
    curl_off_t us = 0;

    curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &us);
    return us > 0;
}

static enum http_failure failure_of(CURL *easy, CURLcode result)
{
    switch ((int)result) {
    case CURLE_OK:
        return HTTP_ANSWERED;
    case CURLE_COULDNT_RESOLVE_HOST:
        return HTTP_NO_ADDRESS;
    case CURLE_COULDNT_CONNECT:
        return no_link(easy);
    case CURLE_OPERATION_TIMEDOUT:
        return was_linked(easy) ? HTTP_BROKEN : HTTP_NO_LINK;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return HTTP_NO_TRUST;
    default:
        return HTTP_BROKEN;
    }
}

static void tell(struct asking *a, CURLcode result)
{
    struct http_told *told = a->told;
    long status = 0, version = 0;

    curl_easy_getinfo(a->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(a->easy, CURLINFO_HTTP_VERSION, &version);
    /* An answer that is too long was broken off by us; one to a body that was not taken to its end is
     * an answer too. */
    bool answered = result == CURLE_OK ||
                    (status >= 200 && (result == CURLE_WRITE_ERROR || result == CURLE_SEND_ERROR ||
                                       result == CURLE_RECV_ERROR));
    told->failure = answered ? HTTP_ANSWERED : failure_of(a->easy, result);
    told->status = answered ? (int)status : 0;
    told->http2 = version == CURL_HTTP_VERSION_2_0;
    if (!answered) {
        (void)snprintf(told->error, sizeof told->error, "%s",
                       a->error[0] != '\0' ? a->error : curl_easy_strerror(result));
    }
}

static CURL *start(void)
{
    CURL *easy = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? curl_easy_init() : NULL;

    if (easy == NULL) {
        ho_die("libcurl does not start");
    }
    return easy;
}

void http_ask(const struct http_ask *ask, struct http_told *told)
{
    struct asking a = {.ask = ask, .told = told, .easy = start()};
    int64_t before = clock_wall_us();

    *told = (struct http_told){.status = 0};
    buf_init(&told->body, HTTP_ASK_BODY_MAX);
    set_up(&a);
    CURLcode result = curl_easy_perform(a.easy);
    tell(&a, result);
    told->at_us = before + (clock_wall_us() - before) / 2;
    curl_easy_cleanup(a.easy);
    curl_slist_free_all(a.headers);
    curl_global_cleanup();
}

void http_told_free(struct http_told *told)
{
    buf_wipe(&told->body);
}

enum ho_code http_reach(const char *url, const char *ca_file, struct ho_err *err)
{
    char error[CURL_ERROR_SIZE] = "";
    CURL *easy = start();

    set_common(easy, url, ca_file);
    curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error);
    CURLcode result = curl_easy_perform(easy);
    curl_easy_cleanup(easy);
    curl_global_cleanup();
    if (result != CURLE_OK) {
        return ho_fail(err, HO_TRANSIENT, "%s",
                       error[0] != '\0' ? error : curl_easy_strerror(result));
    }
    return HO_OK;
}

bool http_has_http2(void)
{
    return (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP2) != 0;
}
