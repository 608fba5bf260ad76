/* One GET with libcurl. */
#include "operator/http_get.h"

#include <stdbool.h>

#include <curl/curl.h>

#include "base/version.h"

#define CONNECT_TIMEOUT_MS 5000L
#define TIMEOUT_MS 10000L

struct download {
    struct buf *body;
    bool too_long;
};

static size_t take(char *p, size_t size, size_t n, void *arg)
{
    struct download *d = arg;

    if (buf_add(d->body, p, size * n) != HO_OK) {
        d->too_long = true;
        return 0; /* ends the transfer */
    }
    return size * n;
}

static bool set_up(CURL *easy, const char *url, const char *ca_file, struct download *d,
                   char *error)
{
    bool good = curl_easy_setopt(easy, CURLOPT_URL, url) == CURLE_OK &&
                curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L) == CURLE_OK &&
                curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L) == CURLE_OK &&
                curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK;

#if LIBCURL_VERSION_NUM >= 0x075500
    good = good && curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https") == CURLE_OK;
#else
    good = good && curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)CURLPROTO_HTTPS) == CURLE_OK;
#endif
    if (ca_file != NULL) {
        good = good && curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file) == CURLE_OK &&
               curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) == CURLE_OK;
    }
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, TIMEOUT_MS);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "hookonce/" HOOKONCE_VERSION);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, d);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error);
    return good;
}

static enum ho_code judge(CURLcode result, long status, const struct download *d,
                          const char *error, struct ho_err *err)
{
    if (d->too_long) {
        return ho_fail(err, HO_REJECT, "the answer is longer than %zu bytes", d->body->max);
    }
    if (result == CURLE_UNSUPPORTED_PROTOCOL || result == CURLE_URL_MALFORMAT) {
        return ho_fail(err, HO_REJECT, "no https URL");
    }
    if (result != CURLE_OK) {
        return ho_fail(err, HO_TRANSIENT, "%s",
                       error[0] != '\0' ? error : curl_easy_strerror(result));
    }
    if (status >= 200 && status < 300) {
        return HO_OK;
    }
    return ho_fail(err, status == 408 || status == 429 || status >= 500 ? HO_TRANSIENT : HO_REJECT,
                   "the server answers %ld", status);
}

enum ho_code http_get(const char *url, const char *ca_file, struct buf *body, struct ho_err *err)
{
    char error[CURL_ERROR_SIZE] = "";
    struct download d = {body, false};
    size_t start = body->len;
    long status = 0;

    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return ho_fail(err, HO_TRANSIENT, "libcurl does not start");
    }
    CURL *easy = curl_easy_init();
    if (easy == NULL) {
        ho_die("out of memory");
    }
    enum ho_code code = HO_REJECT;
    if (set_up(easy, url, ca_file, &d, error)) {
        CURLcode result = curl_easy_perform(easy);
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        code = judge(result, status, &d, error, err);
    } else {
        (void)ho_fail(err, HO_REJECT, "libcurl cannot do what is needed, or the URL is none");
    }
    if (code != HO_OK) {
        body->len = start;
    }
    curl_easy_cleanup(easy);
    curl_global_cleanup();
    return code;
}
