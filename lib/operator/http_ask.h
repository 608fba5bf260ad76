/* One request, and everything that can be told of how it went: for the self-check of a host. Never
 * follows a redirect, always checks certificates, bounds its time. Knows nothing of the receiver. */
#ifndef HO_OPERATOR_HTTP_ASK_H
#define HO_OPERATOR_HTTP_ASK_H

#include <stdint.h>

#include "base/buf.h"

#define HTTP_ASK_CONNECT_MS 10000
#define HTTP_ASK_MS 30000
#define HTTP_ASK_BODY_MAX ((size_t)256 * 1024) /* of an answer; what is longer is broken off */

enum http_family { HTTP_ANY_FAMILY, HTTP_IPV4, HTTP_IPV6 };

struct http_ask {
    const char *url;
    const char *ca_file; /* certificates to trust; NULL: the system's */
    bool get;            /* else POST */
    struct span headers; /* lines "Name: value\n" */
    struct span body;    /* of a POST */
    bool unmeasured;     /* its length is not announced */
    bool http2;          /* HTTP/2 where the server has it; else HTTP/1.1 */
    enum http_family family;
};

enum http_failure {
    HTTP_ANSWERED,
    HTTP_NO_ADDRESS,    /* the name has none, or none of that family that can be used from here */
    HTTP_NO_LINK,       /* no route, or the time was up: it may be this machine's fault */
    HTTP_REFUSED,       /* that machine is there, and nobody listens */
    HTTP_NO_TRUST,      /* TLS, or the certificate */
    HTTP_BROKEN         /* anything else: no answer came, or not all of it */
};

struct http_told {
    enum http_failure failure;
    char error[256];   /* of a failure; else "" */
    int status;        /* 0 without an answer */
    bool http2;
    char server[128], location[512], date[64], age[16]; /* headers of the answer; "": not there */
    int64_t at_us;     /* this machine's clock, in the middle of the request */
    struct buf body;   /* its first HTTP_ASK_BODY_MAX bytes */
};

/* Makes the request. out: *told - in all cases; http_told_free
 * blocks: up to HTTP_ASK_MS */
void http_ask(const struct http_ask *ask, struct http_told *told);
void http_told_free(struct http_told *told);

/* Whether a connection to that URL's host can be made, with TLS where it says https; nothing is sent
 * over it. returns HO_OK | HO_TRANSIENT (the text says why). blocks: up to HTTP_ASK_CONNECT_MS */
enum ho_code http_reach(const char *url, const char *ca_file, struct ho_err *err) HO_MUST_CHECK;

/* Whether this program's libcurl speaks HTTP/2. */
bool http_has_http2(void);

#endif
