/* For the tests of the gateway: a program that says what request it was given. */
#ifndef HO_TESTS_GATEWAY_PROGRAM_H
#define HO_TESTS_GATEWAY_PROGRAM_H

#include "unit.h"

#include "edge/gateway.h"
/* A stalled body is given up sooner here. */
#undef GATEWAY_BODY_WAIT_MS
#define GATEWAY_BODY_WAIT_MS 300
#include "edge/gateway.c"

#define CAP 100000
#define PAUSE_MS 400 /* of a slow or late request */
#define SOON_MS 300  /* what does not wait for such a pause */

#define POST_TO(path) "REQUEST_METHOD=POST", "REQUEST_URI=" path
#define OK_TEXT(text, n) \
    "Status: 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " n "\r\n\r\n" text
#define BAD_TEXT(status, text, n) \
    "Status: " status "\r\nContent-Type: text/plain\r\nRetry-After: 1\r\nContent-Length: " n \
    "\r\n\r\n" text

static inline void answer(struct gateway *g, struct request *r, enum reason bad)
{
    struct buf text;
    struct reply reply = {.status = 200, .type = "text/plain",
                          .head_only = span_is(r->method, "HEAD")};
    if (bad == REASON_OK && !span_is(r->source, "early")) {
        bad = gateway_read_body(g, r, CAP);
    }
    if (span_is(r->source, "slow")) {
        clock_sleep_ms(PAUSE_MS);
    }
    buf_init(&text, 4096);
    if (bad != REASON_OK) {
        reply.status = reasons[bad].status;
        reply.headers = "Retry-After: 1\r\n";
        assert_int_equal(buf_add_str(&text, reasons[bad].word), HO_OK);
    } else {
        assert_int_equal(buf_addf(&text, "%.*s %.*s %zu headers, %zu bytes", (int)r->method.len,
                                  (const char *)r->method.p, (int)r->path.len,
                                  (const char *)r->path.p, r->n_headers, r->body.len), HO_OK);
    }
    reply.body = buf_span(&text);
    gateway_reply(g, &reply);
    buf_free(&text);
    if (span_is(r->source, "late")) {
        clock_sleep_ms(PAUSE_MS);
    }
}

static inline void serve(void)
{
    static struct request r;
    struct gateway *g = gateway_open();
    enum reason bad;
    while (gateway_next(g, &r, &bad) == 1) {
        answer(g, &r, bad);
        gateway_finish(g);
    }
    gateway_close(g);
}

#endif
