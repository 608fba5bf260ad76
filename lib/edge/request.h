/* One HTTP request as the web server handed it over. Everything lives until the next request. */
#ifndef HO_EDGE_REQUEST_H
#define HO_EDGE_REQUEST_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define REQUEST_HEADERS_MAX 256      /* more headers: refused */
#define REQUEST_HEAD_MAX (256 * 1024) /* bytes of all names and values together */

struct header {
    struct span name;  /* lower case, '-' for '_': "x-hub-signature-256" */
    struct span value; /* outer blanks trimmed */
};

struct request {
    struct span method;
    struct span path;   /* percent-decoded once, without query; from REQUEST_URI, else PATH_INFO */
    struct span query;  /* as received, without the '?'; may be empty */
    struct span source; /* last non-empty segment of path, or SPAN_NONE */
    struct header headers[REQUEST_HEADERS_MAX];
    size_t n_headers;
    bool has_length;
    uint64_t length; /* Content-Length */
    struct span body; /* after gateway_read_body */
};

/* The only header of that lower-case name. *n gets how many there are; with more than one (or a
 * value the server joined, see recipe) the caller decides. SPAN_NONE when absent. */
struct span request_header(const struct request *r, const char *name, size_t *n);

#endif
