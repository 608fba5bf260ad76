/* Posting over HTTP, several requests at once. Never follows a redirect,
 * always checks certificates, bounds every request's time. Knows nothing of providers. */
#ifndef HO_OPERATOR_HTTP_H
#define HO_OPERATOR_HTTP_H

#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

#define HTTP_TIMEOUT_MS 10000
#define HTTP_PARALLEL_MAX 256
#define HTTP_ANSWER_MAX 4096 /* bytes of an answer's body that are kept */

struct http_post {
    struct span headers; /* lines "Name: value\n" */
    struct span body;
    const char *url;     /* NULL: the run's */
};

struct http_answer {
    int status;        /* 0: no answer came */
    int64_t ms;        /* from start to end */
    const char *type;  /* its Content-Type, or NULL */
    struct span body;  /* its first bytes, at most HTTP_ANSWER_MAX */
    const char *error; /* NULL, or why none came */
};

struct http_run {
    const char *url;
    size_t total;      /* requests to make, in order */
    unsigned parallel; /* at once, 1..HTTP_PARALLEL_MAX */
    /* Fills request i; what it points to need only last until the next call of any of the two.
     * returns false to start no more (those under way are still waited for). */
    bool (*next)(void *arg, size_t i, struct http_post *post);
    /* Request i has ended, in any order; answer lives for this call only. */
    void (*done)(void *arg, size_t i, const struct http_answer *answer);
    void *arg;
};

/* Whether a signed delivery may go there: https, or plain http on this very machine (127.x.x.x,
 * ::1, localhost), or any plain http where `plain` allows it. No user and password in it.
 * returns HO_OK | HO_REJECT (the text says why) */
enum ho_code http_post_check(const char *url, bool plain, struct ho_err *err) HO_MUST_CHECK;

/* Posts all of them. A request without an answer is no failure of the run.
 * returns HO_OK | HO_TRANSIENT (libcurl could not go on)
 * blocks: up to HTTP_TIMEOUT_MS a request */
enum ho_code http_post_all(const struct http_run *run, struct ho_err *err) HO_MUST_CHECK;

#endif
