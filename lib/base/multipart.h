/* multipart/form-data bodies (RFC 7578, RFC 2046 5.1), read in place, and only where all readers
 * agree: no preamble or epilogue, no folded headers, no transfer encodings, one name a part. */
#ifndef HO_BASE_MULTIPART_H
#define HO_BASE_MULTIPART_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define MULTIPART_PARTS_MAX 1000 /* more are refused */
#define MULTIPART_HEAD_MAX 8192  /* bytes of one part's header */

struct multipart {
    struct span rest, boundary;
    size_t parts;
};

struct multipart_part {
    struct span name;  /* as written between the quotes; \" undone is not needed by anybody */
    struct span value; /* bytes up to the boundary */
    bool is_file;      /* it has a filename */
};

/* in:  content_type - of the request; SPAN_NONE: the boundary is the body's own first line
 * returns false when it is no multipart/form-data or the body does not begin with its boundary. */
bool multipart_open(struct span body, struct span content_type, struct multipart *m);

/* The next part. returns 1 | 0 (the end was there) | -1 (broken off, no header, too many). */
int multipart_next(struct multipart *m, struct multipart_part *part);

/* The first part of that name that is no file. *n gets how many there are; a body that is not
 * whole has none. Spans borrow from the body. */
struct span multipart_field(struct span body, struct span content_type, const char *name,
                            size_t *n);

#endif
