/* Posting with libcurl, a bounded number at once. */
#include "operator/http.h"

#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "base/buf.h"
#include "base/host.h"
#include "base/version.h"

#define CONNECT_TIMEOUT_MS 5000L
#define DOWNLOAD_MAX (1024UL * 1024) /* an answer that goes on beyond this is broken off */

/* One place of the parallel ones; its handle, and with it the connection, is used again. */
struct slot {
    CURL *easy;
    struct curl_slist *headers;
    char error[CURL_ERROR_SIZE];
    unsigned char body[HTTP_ANSWER_MAX];
    size_t body_len;
    size_t received;
    size_t i;
    bool busy;
};

struct posts {
    const struct http_run *run;
    CURLM *multi;
    struct slot *slots;
    size_t next;  /* number of the request to start next */
    size_t under_way;
    bool stopped;
};

static bool is_loopback(const char *host)
{
    return strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 ||
           (strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == strlen(host));
}

/* A part of the URL, NULL where it has none; curl_free. */
static char *part(CURLU *u, CURLUPart which)
{
    char *text = NULL;
    return curl_url_get(u, which, &text, 0) == CURLUE_OK ? text : NULL;
}

enum ho_code http_post_check(const char *url, bool plain, struct ho_err *err)
{
    CURLU *u = curl_url();
    char *scheme = NULL;
    char *host = NULL;
    enum ho_code code = HO_OK;

    if (u == NULL) {
        ho_die("out of memory");
    }
    if (curl_url_set(u, CURLUPART_URL, url, CURLU_DISALLOW_USER) != CURLUE_OK ||
        (scheme = part(u, CURLUPART_SCHEME)) == NULL || (host = part(u, CURLUPART_HOST)) == NULL) {
        code = ho_fail(err, HO_REJECT, "not a URL that can be posted to; give one such as "
                                       "http://127.0.0.1:8080/hook, without user and password");
    } else if (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0) {
        code = ho_fail(err, HO_REJECT, "the URL must begin with http:// or https://");
    } else if (strcmp(scheme, "http") == 0 && !is_loopback(host) && !plain) {
        code = ho_fail(err, HO_REJECT, "plain http to another machine shows the event to the "
                                       "network; use https, or --insecure-http if that is fine");
    }
    curl_free(scheme);
    curl_free(host);
    curl_url_cleanup(u);
    return code;
}

static size_t keep_body(char *p, size_t size, size_t n, void *arg)
{
    struct slot *s = arg;
    size_t len = size * n;
    size_t room = sizeof s->body - s->body_len;
    size_t take = len < room ? len : room;

    memcpy(s->body + s->body_len, p, take);
    s->body_len += take;
    s->received += len;
    return s->received > DOWNLOAD_MAX ? 0 : len;
}

static struct curl_slist *append(struct curl_slist *list, const char *line)
{
    struct curl_slist *more = curl_slist_append(list, line);
    if (more == NULL) {
        ho_die("out of memory");
    }
    return more;
}

static struct curl_slist *header_list(struct span lines)
{
    struct curl_slist *list = append(NULL, "Expect:"); /* no 100-continue: nobody's sender asks */
    struct buf line;
    bool typed = false;

    buf_init(&line, lines.len + 2);
    while (span_present(lines)) {
        struct span one = span_cut(&lines, '\n');
        buf_clear(&line);
        if (!span_has(one, ':')) {
            continue;
        }
        struct span rest = one;
        typed = typed || span_is_nocase(span_cut(&rest, ':'), "content-type");
        /* "Name:" alone would take the header away; "Name;" sends it empty. */
        if (span_trim(rest).len == 0) {
            one = span_sub(one, 0, one.len - rest.len - 1);
        }
        if (buf_add_span(&line, one) == HO_OK &&
            (span_trim(rest).len > 0 || buf_add_str(&line, ";") == HO_OK)) {
            list = append(list, buf_cstr(&line));
        }
    }
    buf_free(&line);
    return typed ? list : append(list, "Content-Type:");
}

static void set_up(struct slot *s)
{
    s->easy = curl_easy_init();
    if (s->easy == NULL) {
        ho_die("out of memory");
    }
    curl_easy_setopt(s->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(s->easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(s->easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(s->easy, CURLOPT_SSL_VERIFYHOST, 2L);
    if (host_ca_bundle() != NULL) {
        curl_easy_setopt(s->easy, CURLOPT_CAINFO, host_ca_bundle());
    }
    curl_easy_setopt(s->easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
    curl_easy_setopt(s->easy, CURLOPT_TIMEOUT_MS, (long)HTTP_TIMEOUT_MS);
    curl_easy_setopt(s->easy, CURLOPT_NOPROXY, "localhost,127.0.0.1,::1");
    curl_easy_setopt(s->easy, CURLOPT_USERAGENT, "hookonce/" HOOKONCE_VERSION);
    curl_easy_setopt(s->easy, CURLOPT_WRITEFUNCTION, keep_body);
    curl_easy_setopt(s->easy, CURLOPT_WRITEDATA, s);
    curl_easy_setopt(s->easy, CURLOPT_ERRORBUFFER, s->error);
    curl_easy_setopt(s->easy, CURLOPT_PRIVATE, s);
}

static void start(struct posts *p, struct slot *s)
{
    struct http_post post = {SPAN_NONE, SPAN_NONE, NULL};

    if (!p->run->next(p->run->arg, p->next, &post)) {
        p->stopped = true;
        return;
    }
    if (s->easy == NULL) {
        set_up(s);
    }
    curl_slist_free_all(s->headers);
    s->headers = header_list(post.headers);
    s->error[0] = '\0';
    s->body_len = s->received = 0;
    s->i = p->next++;
    curl_easy_setopt(s->easy, CURLOPT_URL, post.url != NULL ? post.url : p->run->url);
    curl_easy_setopt(s->easy, CURLOPT_HTTPHEADER, s->headers);
    curl_easy_setopt(s->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post.body.len);
    if (curl_easy_setopt(s->easy, CURLOPT_COPYPOSTFIELDS,
                         post.body.len > 0 ? (const char *)post.body.p : "") != CURLE_OK ||
        curl_multi_add_handle(p->multi, s->easy) != CURLM_OK) {
        ho_die("out of memory");
    }
    s->busy = true;
    p->under_way++;
}

static void finish(struct posts *p, CURL *easy, CURLcode result)
{
    struct slot *s = NULL;
    long status = 0;
    const char *type = NULL;
    curl_off_t us = 0;

    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &s);
    curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(easy, CURLINFO_TOTAL_TIME_T, &us);
    struct http_answer answer = {
        .status = result == CURLE_OK ? (int)status : 0,
        .ms = (us + 500) / 1000,
        .type = type,
        .body = span_make(s->body, s->body_len),
    };
    if (result != CURLE_OK) {
        answer.error = s->error[0] != '\0' ? s->error : curl_easy_strerror(result);
    }
    curl_multi_remove_handle(p->multi, easy);
    p->run->done(p->run->arg, s->i, &answer);
    s->busy = false;
    p->under_way--;
}

static enum ho_code drive(struct posts *p, struct ho_err *err)
{
    do {
        for (unsigned k = 0; k < p->run->parallel; k++) {
            if (!p->slots[k].busy && !p->stopped && p->next < p->run->total) {
                start(p, &p->slots[k]);
            }
        }
        int running = 0;
        int left = 0;
        CURLMcode m = curl_multi_perform(p->multi, &running);
        if (m == CURLM_OK && running > 0) {
            m = curl_multi_poll(p->multi, NULL, 0, 1000, NULL);
        }
        if (m != CURLM_OK) {
            return ho_fail(err, HO_TRANSIENT, "sending stopped: %s", curl_multi_strerror(m));
        }
        for (CURLMsg *msg; (msg = curl_multi_info_read(p->multi, &left)) != NULL;) {
            if (msg->msg == CURLMSG_DONE) {
                finish(p, msg->easy_handle, msg->data.result);
            }
        }
    } while (p->under_way > 0 || (!p->stopped && p->next < p->run->total));
    return HO_OK;
}

enum ho_code http_post_all(const struct http_run *run, struct ho_err *err)
{
    struct posts p = {.run = run};

    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
        (p.multi = curl_multi_init()) == NULL) {
        return ho_fail(err, HO_TRANSIENT, "libcurl does not start");
    }
    p.slots = ho_alloc(run->parallel * sizeof *p.slots);
    memset(p.slots, 0, run->parallel * sizeof *p.slots);
    enum ho_code code = drive(&p, err);
    for (unsigned k = 0; k < run->parallel; k++) {
        if (p.slots[k].busy) {
            curl_multi_remove_handle(p.multi, p.slots[k].easy);
        }
        curl_slist_free_all(p.slots[k].headers);
        curl_easy_cleanup(p.slots[k].easy);
    }
    free(p.slots);
    curl_multi_cleanup(p.multi);
    curl_global_cleanup();
    return code;
}
