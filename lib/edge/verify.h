/* From bytes to an accepted event, and nothing else makes one here. */
#ifndef HO_EDGE_VERIFY_H
#define HO_EDGE_VERIFY_H

#include "core/event.h"
#include "edge/endpoint.h"
#include "edge/request.h"

/* What the log may say about a refusal; no secret, signature or MAC in it. */
struct verify_note {
    bool header_present;  /* the signature header */
    const char *header;   /* its name */
    bool has_time;
    int64_t age_s;        /* now - signed time; negative: from the future */
    size_t secrets_tried;
    char body_digest[9];  /* first 8 hex digits of the body's SHA-256 */
};

/* Checks that need no body: required headers there, once and parseable, signature present, time in
 * its window, at least one usable secret. now_us: the wall clock. */
enum reason verify_head(const struct endpoint *e, const struct request *r, int64_t now_us,
                        struct verify_note *note);

/* Whether some secret signed this request (all of verify_head again, then the MAC over the raw
 * bytes, every signature against every secret in constant time). *secret_no from 1. */
enum reason verify_signature(const struct endpoint *e, const struct request *r, int64_t now_us,
                             int *secret_no, struct verify_note *note);

/* verify_signature, then extraction. On REASON_OK *out is owned (accepted_free) and borrows the
 * request's body. */
enum reason verify_event(const struct endpoint *e, const struct request *r, int64_t now_us,
                         struct accepted **out, struct verify_note *note);

/* Handshakes. Answers if a `hello` of the recipe fits: unsigned ones when is_verified is false, the
 * others when it is true. Text into room (owned by caller). false: none fits. */
struct answer {
    int status;
    const char *type; /* NULL: none */
    struct buf body;  /* buf_free */
};
bool hello_answer(const struct endpoint *e, const struct request *r, bool is_verified,
                  struct answer *out);

/* The recipe's ok, bad and busy answers; a GET or HEAD probe gets ok's status. */
void answer_for(const struct endpoint *e, enum answer_kind kind, struct answer *out);

#endif
