/* Handlers that are somebody's URL. */
#include <string.h>

#include "base/text.h"
#include "work/contract_put.h"
#include "work/handler.h"
#include "work/http_auth.h"
#include "work/http_call.h"

#define HEADERS_MAX 131072
#define ANSWER_KEPT 65536              /* where no answer is wanted */
#define SAID_OF_ANSWER 300
#define REQUEST_MAX (256UL * 1024 * 1024) /* a body and a fetched object, written as JSON */
#define DEFER_MAX_MS (60 * 60 * INT64_C(1000)) /* a longer wait is a try */
#define WAIT_MAX_MS (24 * 60 * 60 * INT64_C(1000))

static enum ho_code headers(const struct handler_call *call, struct span body, struct buf *out,
                            struct ho_err *err)
{
    const struct handler *h = call->handler;
    enum ho_code code = contract_headers(call, out, err);

    for (size_t i = 0; i < h->n_headers && code == HO_OK; i++) {
        code = http_auth_header(&h->headers[i], out, err);
    }
    code = code == HO_OK ? http_auth(&h->auth, out, err) : code;
    if (code == HO_OK && h->sign_with != NULL) {
        code = http_auth_sign(h->sign_with,
                              call->idempotency_key != NULL ? call->idempotency_key : "",
                              clock_wall_us() / 1000000, body, out, err);
    }
    return code;
}

/* The first line of an answer that failed, for the row. */
static void keep_said(struct handler_report *report, struct span answer)
{
    struct span rest = answer, line = SPAN_NONE;

    while (span_present(rest) && line.len == 0) {
        line = span_trim_line(span_cut(&rest, '\n'));
    }
    buf_clear(&report->said);
    if (line.len > 0 && buf_add_span(&report->said, span_sub(line, 0, SAID_OF_ANSWER)) != HO_OK) {
        buf_clear(&report->said);
    }
}

/* No answer: has anything been sent? */
static enum handler_result judge_silence(const struct handler_call *call,
                                         struct handler_report *report,
                                         const struct http_reply *reply, struct ho_err *err)
{
    char limit[HANDLER_LIMIT_ROOM];

    handler_limit(call, limit);
    ho_err_prefix(err, reply->late ? "no answer in its time (%s)" : "no answer", limit);
    report->untouched = !reply->sent;
    return reply->sent ? HANDLER_UNKNOWN : HANDLER_FAILED;
}

/* 429 says that nothing was done, and so does 503 with Retry-After; a bare 503 may be a gateway's,
 * whose server vanished over the request. */
static enum handler_result judge_busy(struct handler_report *report,
                                      const struct http_reply *reply)
{
    report->untouched = reply->status == 429 || reply->retry_after_ms >= 0;
    return reply->retry_after_ms > 0 && reply->retry_after_ms <= DEFER_MAX_MS ? HANDLER_DEFER
                                                                              : HANDLER_FAILED;
}

static enum handler_result judge(struct handler_report *report, const struct http_reply *reply,
                                 struct ho_err *err)
{
    int status = reply->status;

    if (status >= 200 && status < 300) {
        return HANDLER_DONE;
    }
    report->wait_ms = reply->retry_after_ms < 0             ? 0
                      : reply->retry_after_ms > WAIT_MAX_MS ? WAIT_MAX_MS
                                                            : reply->retry_after_ms;
    switch (status) {
    case 410:
    case 422:
        report->wait_ms = 0;
        report->untouched = true;
        (void)ho_fail(err, HO_PERMANENT, "the server refuses the event for good: status %d",
                      status);
        return HANDLER_GIVE_UP;
    case 429:
    case 503:
        (void)ho_fail(err, HO_TRANSIENT, "the server cannot now: status %d", status);
        return judge_busy(report, reply);
    default:
        (void)ho_fail(err, HO_TRANSIENT, "the server answers with status %d%s", status,
                      status >= 300 && status < 400 ? " (redirects are not followed)" : "");
        return HANDLER_FAILED;
    }
}

static void take_answer(struct handler_report *report, const struct http_reply *reply,
                        struct span answer)
{
    report->status = (unsigned)reply->status;
    memcpy(report->type, reply->type, sizeof report->type);
    if (buf_add_span(&report->body, answer) != HO_OK) {
        buf_clear(&report->body);
    }
}

static enum handler_result request(const struct handler_call *call, struct span body,
                                   struct span lines, struct handler_report *report,
                                   struct ho_err *err)
{
    const struct http_call http = {.url = call->handler->url, .ca_file = call->settings->ca_file,
                                   .post = true, .headers = lines, .body = body,
                                   .end = call->end, .whole = report->reply};
    struct http_reply reply;
    struct buf answer;
    enum handler_result result;

    buf_init(&answer, report->reply ? HANDLER_ANSWER_MAX : ANSWER_KEPT);
    enum ho_code code = http_call(&http, &answer, &reply, err);
    if (code == HO_OK) {
        result = judge(report, &reply, err);
    } else {
        result = judge_silence(call, report, &reply, err);
    }
    if (report->reply && code == HO_OK) {
        take_answer(report, &reply, buf_span(&answer));
    }
    if (result != HANDLER_DONE && code == HO_OK) {
        keep_said(report, buf_span(&answer));
    }
    buf_free(&answer);
    return result;
}

enum handler_result handler_http_run(const struct handler_call *call,
                                     struct handler_report *report, struct ho_err *err)
{
    enum handler_result result = HANDLER_FAILED;
    struct buf lines, room;
    struct span body;

    report->untouched = true;
    buf_init(&lines, HEADERS_MAX);
    buf_init(&room, REQUEST_MAX);
    if (contract_request(call, &room, &body, err) != HO_OK) {
        result = HANDLER_GIVE_UP;
    } else if (headers(call, body, &lines, err) == HO_OK) {
        report->untouched = false;
        result = request(call, body, buf_span(&lines), report, err);
    }
    buf_wipe(&lines);
    buf_free(&room);
    return result;
}
