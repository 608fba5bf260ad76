/* A refused request as a file, so that it can be looked at and verified again later. Text lines,
 * each with its LF, an empty line, then the body's bytes to the end:
 *
 *   hookonce-request 1
 *   now: 1764500000123456          unix microseconds when it came
 *   source: stripe
 *   reason: signature mismatch
 *   method: POST
 *   target: /hook/stripe?x=1
 *   https: on                      or off
 *   body: whole                    or missing: it was not read, or too long to be kept
 *   header NAME: VALUE             repeats
 */
#ifndef HO_EDGE_CAPTURE_H
#define HO_EDGE_CAPTURE_H

#include "edge/request.h"

#define CAPTURE_BODY_MAX ((size_t)1024 * 1024)
#define CAPTURE_FILE_MAX (CAPTURE_BODY_MAX + 2 * REQUEST_HEAD_MAX)

/* Appends it; a body that is absent or longer than CAPTURE_BODY_MAX is "missing".
 * returns HO_OK | HO_REJECT (out is full, or a line end where none can be). */
enum ho_code capture_put(const struct request *r, int64_t now_us, const char *reason,
                         struct buf *out) HO_MUST_CHECK;

struct capture {
    struct request request; /* as request_from_env makes it; body absent when it is missing */
    int64_t now_us;
    struct span source, reason; /* in the text */
};

/* Reads one. in: head - initialised with at least 2 * REQUEST_HEAD_MAX; request's spans lie in it
 * and, of the body, in text.
 * returns HO_OK | HO_REJECT (no such file, or not whole: the text says what is wrong). */
enum ho_code capture_get(struct span text, struct buf *head, struct capture *out,
                         struct ho_err *err) HO_MUST_CHECK;

#endif
