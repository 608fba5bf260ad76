/* One request over HTTP, made to its end. https with a checked certificate, or http to this very
 * machine; redirects are not followed, nothing is unpacked, no connection is kept or used again, so
 * that nothing is ever sent twice without its caller knowing. */
#ifndef HO_WORK_HTTP_CALL_H
#define HO_WORK_HTTP_CALL_H

#include "base/buf.h"
#include "base/clock.h"

struct http_call {
    const char *url;
    const char *ca_file;  /* certificates to trust; NULL: the system's */
    bool post;            /* else it is a GET */
    struct span headers;  /* lines "Name: value\n", of a POST with its Content-Type; Host, User-Agent
                             and Accept are sent besides them */
    struct span body;     /* of a POST; may be empty */
    struct deadline end;  /* for all of it; the connection alone may take HTTP_CONNECT_MS */
    bool whole;           /* an answer that does not fit is an error; else its begin is kept */
};

#define HTTP_CONNECT_MS 10000
#define HTTP_DROPPED_MAX (1024L * 1024) /* beyond what is kept; then an answer is broken off */
#define HTTP_TYPE_ROOM 256

struct http_reply {
    int status;                /* 0: no answer, or only a part of one */
    bool sent;                 /* some of the request left: the other side may have acted on it */
    bool late;                 /* no answer, since the time was up */
    bool cut;                  /* the answer is longer than what was kept */
    int64_t retry_after_ms;    /* that the answer asks for, as seconds or as a date; -1: nothing */
    char type[HTTP_TYPE_ROOM]; /* Content-Type of the answer; "": none, or a strange one */
};

/* Makes the request and appends the answer's content to body, which is as it was on failure.
 * out: *reply — set in all cases
 * returns HO_OK (an answer, whatever its status) | HO_TRANSIENT (none: the text says why) |
 * HO_REJECT (not such a URL, a header line that is none, or, with `whole`, an answer that does not fit).
 * blocks: until call->end. Errors name host and port at most. */
enum ho_code http_call(const struct http_call *call, struct buf *body, struct http_reply *reply,
                       struct ho_err *err) HO_MUST_CHECK;

#endif
