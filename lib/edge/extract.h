/* A verified request's fields, for edge's own files. */
#ifndef HO_EDGE_EXTRACT_H
#define HO_EDGE_EXTRACT_H

#include "core/document.h"
#include "core/event.h"
#include "edge/endpoint.h"
#include "edge/reason.h"
#include "edge/recipe_parts.h"

struct extraction {
    struct event event; /* its spans point into what follows, the endpoint and the request */
    struct buf id, type, object, headers;
};

/* Fills x->event but for cid, secret_no and document, which verify knows.
 * in:  v - the whole view: family, fields, document and the item of a batch; index - the item's;
 *      body_sha - digest of the body
 * out: free with extraction_free, whatever is returned
 * returns REASON_OK | REASON_NO_ID | REASON_HEADER_DUPLICATE | REASON_BAD_REQUEST (headers over
 * EVENT_HEADERS_MAX) */
enum reason extract_event(const struct endpoint *e, const struct term_view *v, size_t index,
                          const unsigned char body_sha[SHA256_LEN], struct extraction *x);

/* The same for edge/sketch.c, where `instead` is the id of what has none (SPAN_NONE: refused). */
enum reason extract_sketch(const struct endpoint *e, const struct term_view *v, size_t index,
                           const unsigned char body_sha[SHA256_LEN], struct span instead,
                           struct extraction *x);
void extraction_free(struct extraction *x);

#endif
