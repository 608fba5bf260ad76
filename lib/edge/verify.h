/* From bytes to an accepted event, and nothing else makes one here. */
#ifndef HO_EDGE_VERIFY_H
#define HO_EDGE_VERIFY_H

#include "core/event.h"
#include "edge/endpoint.h"
#include "edge/reason.h"
#include "edge/request.h"
#include "edge/term.h"

/* What the log may say about a refusal; no secret, signature or MAC in it. Begin with all zero. */
struct verify_note {
    bool header_present;  /* the signature header */
    const char *header;   /* its name; lives as long as the endpoint */
    char which[TERM_SAID_MAX]; /* what is missing, malformed or there twice, as term_say has it;
                             "" when the reason is another */
    bool has_time;
    int64_t age_s;        /* now - signed time; negative: from the future */
    size_t secrets_tried;
    char body_digest[9];  /* first 8 hex digits of the body's SHA-256; "" when it was not read */
    struct buf *trace;    /* for `explain`: a line a step is appended, no secret in it; NULL: none.
                             The caller's to set; kept by verify */
};

/* Checks that need no body: the method, required headers there, once and parseable, signature
 * present (where it stands in the head), algorithm and time in its window, at least one usable
 * secret. now_us: the wall clock. */
enum reason verify_head(const struct endpoint *e, const struct request *r, int64_t now_us,
                        struct verify_note *note);

struct answer {
    int status;
    const char *type;   /* NULL: none; lives as long as the endpoint */
    struct buf body;
    struct buf headers; /* further lines, "Name: value\r\n" */
};
void answer_free(struct answer *a);

#define VERIFY_BATCH_MAX EVENTS_MAX

/* What came of a request. Free with verdict_free whatever the reason is. */
struct verdict {
    struct accepted **events; /* owned; all of one request, in its order; they borrow its body */
    size_t n_events;          /* 0 with REASON_OK: a handshake, or a batch of none */
    bool is_hello;            /* `answer` is the answer */
    struct answer answer;
    struct span save;         /* handshake: becomes the source's secret; in `kept` */
    struct span visit;        /* handshake: the processor is to get this URL; in `kept` */
    struct span wanted;       /* REASON_KEY_WANTED: URL of the missing key; REASON_OK: of one that
                                 fits, but is a day old; in `kept` */
    struct buf kept;
};
void verdict_free(struct verdict *v);

/* verify_head, then the signature over the raw bytes (every signature against every secret, in
 * constant time), the recipe's checks, then a handshake that needs the signature, else the events.
 * in:  state_dir - where fetched keys lie (base/cache.h)
 * returns REASON_OK or why not; out is set as said above. */
enum reason verify_event(const struct endpoint *e, const struct request *r, int64_t now_us,
                         const char *state_dir, struct verdict *out, struct verify_note *note);

/* Bodies longer than this are no handshake: nothing unverified is looked at beyond it. */
#define HELLO_BODY_MAX ((size_t)64 * 1024)

/* A handshake that needs no signature (slack's ssl_check): true, and out as for verify_event, if
 * one fits; else there is nothing to free. */
bool hello_answer(const struct endpoint *e, const struct request *r, struct verdict *out);

/* The same for a request whose signature none of our keys made: only `foreign` handshakes. */
bool hello_foreign(const struct endpoint *e, const struct request *r, struct verdict *out);

/* Whether the recipe has such a one for POST: only then is the body of an unsigned request read.
 * foreign: only of that kind. */
bool hello_unsigned(const struct endpoint *e, bool foreign);

/* The recipe's ok, bad, busy and never answers. r: what their templates look at, or NULL. A text
 * that cannot be made is left out, and so is a header. out: answer_free. */
void answer_for(const struct endpoint *e, enum answer_kind kind, const struct request *r,
                struct answer *out);

/* The status and type of one of the recipe's answers; the type NULL where it has none. */
int answer_status(const struct endpoint *e, enum answer_kind kind);
const char *answer_type(const struct endpoint *e, enum answer_kind kind);

#endif
