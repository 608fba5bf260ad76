/* One request with libcurl. */
#include "work/http_call.h"

#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "base/host.h"
#include "base/mac.h"
#include "base/text.h"
#include "base/version.h"
#include "core/web_url.h"

#define RETRY_AFTER_MAX_S (366 * 24 * 60 * 60) /* so that milliseconds fit everywhere */
#define LINE_MAX_BYTES 32768

struct transfer {
    const struct http_call *call;
    struct buf *body;
    struct http_reply *reply;
    size_t dropped;
    bool broken_off; /* by us, for its length */
    struct curl_slist *headers;
    char error[CURL_ERROR_SIZE];
};

/* ---- the answer ---- */

static size_t take_body(char *p, size_t size, size_t n, void *arg)
{
    struct transfer *t = arg;
    size_t len = size * n;
    size_t room = t->body->max - t->body->len;
    size_t keep = len < room ? len : room;

    if (keep > 0 && buf_add(t->body, p, keep) != HO_OK) {
        keep = 0;
    }
    t->dropped += len - keep;
    t->reply->cut = t->dropped > 0;
    t->broken_off = t->reply->cut && (t->call->whole || t->dropped > HTTP_DROPPED_MAX);
    return t->broken_off ? 0 : len;
}

static int64_t retry_after(struct span value)
{
    uint64_t seconds;
    int64_t at_us, left_ms;

    if (text_uint(value, RETRY_AFTER_MAX_S, &seconds)) {
        return (int64_t)seconds * 1000;
    }
    if (!text_rfc2822(value, &at_us)) {
        return -1;
    }
    left_ms = (at_us - clock_wall_us() + 999) / 1000;
    if (left_ms > RETRY_AFTER_MAX_S * INT64_C(1000)) {
        return -1;
    }
    return left_ms > 0 ? left_ms : 0;
}

static bool is_printable(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if ((s.p[i] < ' ' && s.p[i] != '\t') || s.p[i] >= 0x7f) {
            return false;
        }
    }
    return true;
}

static void keep_type(struct http_reply *reply, struct span value)
{
    bool fits = value.len < sizeof reply->type && is_printable(value);

    if (fits) {
        memcpy(reply->type, value.p, value.len);
    }
    reply->type[fits ? value.len : 0] = '\0';
}

static size_t take_header(char *p, size_t size, size_t n, void *arg)
{
    struct transfer *t = arg;
    struct span rest = span_make(p, size * n), name;

    if (span_starts(rest, "HTTP/")) { /* a further answer: what stood in a 100 does not count */
        t->reply->retry_after_ms = -1;
        t->reply->type[0] = '\0';
        return size * n;
    }
    name = span_cut(&rest, ':');
    rest = span_trim_line(rest);
    if (span_is_nocase(name, "retry-after")) {
        t->reply->retry_after_ms = retry_after(rest);
    } else if (span_is_nocase(name, "content-type")) {
        keep_type(t->reply, rest);
    }
    return size * n;
}

/* ---- the request ---- */

static void append(struct transfer *t, const char *line)
{
    struct curl_slist *more = curl_slist_append(t->headers, line);

    if (more == NULL) {
        ho_die("out of memory");
    }
    t->headers = more;
}

static bool is_name(struct span name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = name.p[i];

        if (c <= ' ' || c >= 0x7f || span_has(SPAN_LIT("\"(),/:;<=>?@[\\]{}"), c)) {
            return false;
        }
    }
    return name.len > 0;
}

/* "Name:" alone would take the header away; "Name;" sends it empty. */
static enum ho_code add_header(struct transfer *t, struct span line, struct ho_err *err)
{
    struct span rest = line, name = span_cut(&rest, ':');
    struct span value = span_trim(rest);
    struct buf text;

    if (!is_name(name) || !span_present(rest) || !is_printable(value)) {
        return ho_fail(err, HO_REJECT, "a header of the request is none: a name, a colon, and "
                                       "printable ASCII");
    }
    buf_init(&text, LINE_MAX_BYTES);
    enum ho_code code = buf_add_span(&text, name);
    if (code == HO_OK) {
        code = buf_add_str(&text, value.len > 0 ? ": " : ";");
    }
    if (code == HO_OK && value.len > 0) {
        code = buf_add_span(&text, value);
    }
    if (code == HO_OK) {
        append(t, buf_cstr(&text));
    }
    buf_wipe(&text); /* it may have been a secret */
    return code == HO_OK ? HO_OK : ho_fail(err, HO_REJECT, "a header of the request is too long");
}

static enum ho_code add_headers(struct transfer *t, struct ho_err *err)
{
    struct span lines = t->call->headers;
    enum ho_code code = HO_OK;

    append(t, "Expect:"); /* no waiting for a 100 */
    while (span_present(lines) && code == HO_OK) {
        struct span line = span_cut(&lines, '\n');

        if (line.len > 0) {
            code = add_header(t, line, err);
        }
    }
    return code;
}

/* What protects, and therefore must be there. */
static bool set_guards(CURL *easy, const struct http_call *call, bool tls)
{
    bool good = curl_easy_setopt(easy, CURLOPT_URL, call->url) == CURLE_OK &&
                curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L) == CURLE_OK &&
                curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L) == CURLE_OK &&
                curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK;

#if LIBCURL_VERSION_NUM >= 0x075500
    good = good && curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR,
                                    tls ? "https" : "http") == CURLE_OK;
#else
    good = good && curl_easy_setopt(easy, CURLOPT_PROTOCOLS,
                                    (long)(tls ? CURLPROTO_HTTPS : CURLPROTO_HTTP)) == CURLE_OK;
#endif
    if (tls) {
        good = good && curl_easy_setopt(easy, CURLOPT_SSLVERSION,
                                        (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK;
    }
    const char *ca_file = call->ca_file != NULL ? call->ca_file : host_ca_bundle();

    if (ca_file != NULL) {
        good = good && curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file) == CURLE_OK &&
               curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) == CURLE_OK;
    }
    return good;
}

static bool set_up(CURL *easy, struct transfer *t)
{
    const struct http_call *call = t->call;
    bool tls = span_starts(span_of(call->url), "https:");
    int64_t left_ms = deadline_left_ms(call->end);

    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)(left_ms > 0 ? left_ms : 1));
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)HTTP_CONNECT_MS);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, tls ? "localhost,127.0.0.1,::1" : "*");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "hookonce/" HOOKONCE_VERSION);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, t);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, t->error);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, t->headers);
    if (call->post) {
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.len);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call->body.len > 0 ? call->body.p
                                                                      : SPAN_LIT("").p);
    }
    return set_guards(easy, call, tls);
}

static enum ho_code judge(const struct transfer *t, CURL *easy, CURLcode result,
                          struct ho_err *err)
{
    struct http_reply *reply = t->reply;
    long status = 0, request_size = 0;

    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &request_size);
    reply->sent = request_size > 0;
    if (result == CURLE_OK || t->broken_off) {
        reply->status = (int)status;
    }
    if (t->broken_off && t->call->whole) {
        reply->status = 0;
        return ho_fail(err, HO_REJECT, "the answer is longer than %zu bytes", t->body->max);
    }
    if (reply->status != 0) {
        return HO_OK;
    }
    reply->late = result == CURLE_OPERATION_TIMEDOUT;
    return ho_fail(err, HO_TRANSIENT, "%s",
                   t->error[0] != '\0' ? t->error : curl_easy_strerror(result));
}

static enum ho_code perform(struct transfer *t, struct ho_err *err)
{
    CURL *easy = curl_easy_init();

    if (easy == NULL) {
        ho_die("out of memory");
    }
    enum ho_code code = add_headers(t, err);
    if (code == HO_OK && !set_up(easy, t)) {
        code = ho_fail(err, HO_REJECT, "libcurl cannot do what is needed, or the URL is none");
    }
    if (code == HO_OK) {
        CURLcode result = curl_easy_perform(easy);
        code = judge(t, easy, result, err);
    }
    for (struct curl_slist *h = t->headers; h != NULL; h = h->next) {
        mac_wipe(h->data, strlen(h->data));
    }
    curl_slist_free_all(t->headers);
    curl_easy_cleanup(easy);
    return code;
}

enum ho_code http_call(const struct http_call *call, struct buf *body, struct http_reply *reply,
                       struct ho_err *err)
{
    struct transfer t = {.call = call, .body = body, .reply = reply};
    size_t before = body->len;

    *reply = (struct http_reply){.retry_after_ms = -1};
    enum ho_code code = web_url_check(span_of(call->url), NULL, err);
    if (code != HO_OK) {
        return code;
    }
    if (deadline_left_ms(call->end) == 0) {
        reply->late = true;
        return ho_fail(err, HO_TRANSIENT, "no time is left for it");
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return ho_fail(err, HO_TRANSIENT, "libcurl does not start");
    }
    code = perform(&t, err);
    if (code != HO_OK) {
        body->len = before;
    }
    curl_global_cleanup();
    return code;
}
