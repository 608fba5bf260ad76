/* One HTTP request as the web server handed it over. Everything lives until the next request. */
#ifndef HO_EDGE_REQUEST_H
#define HO_EDGE_REQUEST_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "edge/reason.h"

#define REQUEST_HEADERS_MAX 256      /* more headers: refused */
#define REQUEST_HEAD_MAX ((size_t)256 * 1024) /* bytes of all names and values together */

struct header {
    struct span name;  /* lower case, '-' for '_': "x-hub-signature-256" */
    struct span value; /* outer blanks trimmed */
};

struct request {
    struct span method;
    struct span path;   /* percent-decoded once, without query; from REQUEST_URI, else PATH_INFO */
    struct span query;  /* as received, without the '?'; may be empty */
    struct span target; /* path and query as received, from REQUEST_URI; else made of PATH_INFO */
    bool https;         /* HTTPS=on, or the proxy says X-Forwarded-Proto: https */
    struct span source; /* last non-empty segment of path, or SPAN_NONE */
    struct header headers[REQUEST_HEADERS_MAX];
    size_t n_headers;
    bool has_length;
    uint64_t length; /* Content-Length */
    struct span body; /* after gateway_read_body */
};

/* Makes a request of a CGI environment ("NAME=value", NULL behind the last). All bytes are copied
 * into head (emptied first), so they outlive the environment; body is left absent.
 * returns REASON_OK | REASON_BAD_REQUEST: a limit is passed, the length is no number, the path
 * holds a NUL, a bad escape or a `..` segment, or a value holds a line end. method is set even
 * then. */
enum reason request_from_env(char *const *env, struct buf *head, struct request *r);

/* The only header of that lower-case name. *n gets how many there are; with more than one (or a
 * value the server joined, see recipe) the caller decides. SPAN_NONE when absent. */
struct span request_header(const struct request *r, const char *name, size_t *n);

/* Whether a value looks like several header lines that a server made one of: "a, b". */
bool request_is_joined(struct span value);

#endif
