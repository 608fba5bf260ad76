/* Getting the object that an event is about, as it is now. */
#include "work/handler.h"
#include "work/http_auth.h"
#include "work/http_call.h"

#define HEADERS_MAX 65536
#define URL_ROOM 8192
#define DEFER_MAX_MS (60 * 60 * INT64_C(1000)) /* a longer wait is a try */

void fetched_free(struct fetched *f)
{
    buf_free(&f->body);
    json_free(f->doc);
    *f = (struct fetched){.doc = NULL};
}

static enum fetch_result judge(const struct http_reply *reply, struct fetched *out,
                               struct ho_err *err)
{
    int status = reply->status;

    if (status == 200 || status == 203) {
        return FETCH_DONE;
    }
    if (status == 404 || status == 410) {
        (void)ho_fail(err, HO_PERMANENT, "the object is gone: status %d", status);
        return FETCH_GONE;
    }
    (void)ho_fail(err, HO_TRANSIENT, "fetch: the server answers with status %d%s", status,
                  status >= 300 && status < 400 ? " (redirects are not followed)" : "");
    if ((status != 429 && status != 503) || reply->retry_after_ms <= 0 ||
        reply->retry_after_ms > DEFER_MAX_MS) {
        return FETCH_FAILED;
    }
    out->wait_ms = reply->retry_after_ms;
    return FETCH_DEFER;
}

static enum fetch_result get(const struct settings *s, const struct route *r, const char *url,
                             struct deadline end, struct fetched *out, struct ho_err *err)
{
    struct http_call call = {.url = url, .ca_file = s->ca_file, .end = end, .whole = true};
    enum fetch_result result = FETCH_FAILED;
    struct http_reply reply;
    struct buf lines;

    buf_init(&lines, HEADERS_MAX);
    enum ho_code code = buf_add_str(&lines, "Accept: application/json\n");
    code = code == HO_OK ? http_auth(&r->fetch_auth, &lines, err) : code;
    if (code == HO_OK) {
        call.headers = buf_span(&lines);
        code = http_call(&call, &out->body, &reply, err);
    }
    buf_wipe(&lines);
    if (code == HO_OK) {
        result = judge(&reply, out, err);
    } else {
        ho_err_prefix(err, "fetch");
    }
    if (result != FETCH_DONE) {
        buf_clear(&out->body);
    }
    return result;
}

enum fetch_result fetch_object(const struct settings *s, const struct route *r,
                               const struct ref_view *v, struct deadline end, struct fetched *out,
                               struct ho_err *err)
{
    enum fetch_result result = FETCH_NEVER;
    struct buf url;

    *out = (struct fetched){.doc = NULL};
    buf_init(&out->body, FETCHED_MAX);
    buf_init(&url, URL_ROOM);
    if (reftext_render(&r->fetch, v, &url, err) == HO_OK) {
        result = get(s, r, buf_cstr(&url), end, out, err);
    } else {
        ho_err_prefix(err, "fetch");
    }
    buf_free(&url);
    if (result == FETCH_DONE && json_parse(buf_span(&out->body), &out->doc, err) != HO_OK) {
        ho_err_prefix(err, "fetch: what the server answers is no JSON document");
        buf_clear(&out->body);
        result = FETCH_FAILED;
    }
    return result;
}
