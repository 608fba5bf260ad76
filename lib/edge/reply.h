/* An answer as a CGI program gives it: a Status line and headers before the body. */
#ifndef HO_EDGE_REPLY_H
#define HO_EDGE_REPLY_H

#include "base/buf.h"
#include "base/span.h"

#define REPLY_HEAD_MAX 4096

struct reply {
    int status;
    const char *type;    /* NULL: none */
    struct span body;    /* may be empty */
    const char *headers; /* further complete lines, "Name: value\r\n…", or NULL */
    bool head_only;      /* HEAD: the length is sent, the body is not */
};

/* Appends status, headers and the empty line. More than REPLY_HEAD_MAX bytes are a bug: it dies. */
void reply_head(const struct reply *reply, struct buf *head);

/* Whether a body follows: not behind 204, 304, nor for HEAD. */
bool reply_has_body(const struct reply *reply);

#endif
