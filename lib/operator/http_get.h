/* Getting one small file over https. */
#ifndef HO_OPERATOR_HTTP_GET_H
#define HO_OPERATOR_HTTP_GET_H

#include "base/buf.h"
#include "base/err.h"

/* Appends what the server sends to body. https only, with its certificate checked against ca_file
 * (NULL: the system's certificates); redirects are not followed, and nothing is unpacked.
 * returns HO_OK (a 2xx) | HO_TRANSIENT (no answer, 408, 429, 5xx) | HO_REJECT (any other status,
 * longer than body may hold, no https URL)
 * blocks: up to 5 s for the connection, 10 s in all */
enum ho_code http_get(const char *url, const char *ca_file, struct buf *body,
                      struct ho_err *err) HO_MUST_CHECK;

#endif
