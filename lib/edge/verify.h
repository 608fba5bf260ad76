/* From bytes to an accepted event, and nothing else makes one here. */
#ifndef HO_EDGE_VERIFY_H
#define HO_EDGE_VERIFY_H

#include "core/event.h"
#include "edge/endpoint.h"
#include "edge/reason.h"
#include "edge/request.h"

/* What the log may say about a refusal; no secret, signature or MAC in it. */
struct verify_note {
    bool header_present;  /* the signature header */
    const char *header;   /* its name; lives as long as the endpoint */
    bool has_time;
    int64_t age_s;        /* now - signed time; negative: from the future */
    size_t secrets_tried;
    char body_digest[9];  /* first 8 hex digits of the body's SHA-256; "" when it was not read */
};

/* Checks that need no body: required headers there, once and parseable, signature present, time in
 * its window, at least one usable secret. now_us: the wall clock. */
enum reason verify_head(const struct endpoint *e, const struct request *r, int64_t now_us,
                        struct verify_note *note);

struct answer {
    int status;
    const char *type; /* NULL: none; lives as long as the endpoint */
    struct buf body;  /* buf_free */
};

/* verify_head, then the MAC over the raw bytes (every signature against every secret, in constant
 * time), then a handshake of the recipe that needs the signature, else extraction.
 * On REASON_OK exactly one is set: *out, owned (accepted_free), borrowing the request's body; or,
 * with *out NULL, *hello: the answer to a handshake, nothing to record. */
enum reason verify_event(const struct endpoint *e, const struct request *r, int64_t now_us,
                         struct accepted **out, struct answer *hello, struct verify_note *note);

/* Bodies longer than this are no handshake: nothing unverified is looked at beyond it. */
#define HELLO_BODY_MAX ((size_t)64 * 1024)

/* A handshake that needs no signature (slack's ssl_check): the answer, if one fits. */
bool hello_answer(const struct endpoint *e, const struct request *r, struct answer *out);

/* Whether the recipe has such a one for POST: only then is the body of an unsigned request read. */
bool hello_unsigned(const struct endpoint *e);

/* The recipe's ok, bad and busy answers; a GET or HEAD probe gets ok's status. */
void answer_for(const struct endpoint *e, enum answer_kind kind, struct answer *out);

#endif
