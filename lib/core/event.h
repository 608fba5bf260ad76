/* An event: what one verified delivery says happened. The fields are the rows' columns. */
#ifndef HO_CORE_EVENT_H
#define HO_CORE_EVENT_H

#include <stdint.h>

#include "base/err.h"
#include "base/mac.h"
#include "base/span.h"
#include "base/ulid.h"

#define EVENT_PROVIDER_MAX 64  /* bytes, the width of the columns */
#define EVENT_KEY_MAX 255      /* id, type and object as stored (core/key.h makes them fit) */
#define EVENT_HEADERS_MAX 65536
#define EVENTS_MAX 1000        /* events in one request; more are refused */

struct event {
    char cid[ULID_LEN + 1]; /* correlation id: this delivery's own, and the receipt's if it is new */
    struct span provider;   /* dedupe scope, 1..64 bytes */
    struct span source;     /* who delivered, 1..64 bytes */
    struct span id;         /* stored form, 1..255 bytes */
    struct span type;       /* stored form, 0..255 bytes */
    struct span object;     /* stored form, or absent */
    bool has_occurred;
    int64_t occurred_us;             /* the provider's own time, unix microseconds */
    unsigned char same[SHA256_LEN];  /* equal digests = the same event said again */
    bool has_guard;
    unsigned char guard[SHA256_LEN]; /* of what is signed; finds a replay under a fresh id */
    int secret_no;                   /* which secret of the source matched, from 1 */
    struct span document;            /* where the JSON is: core/document.h */
    bool has_received;
    int64_t received_us;             /* when it came, if that was long ago: from the spool */
    struct span headers;             /* "name: value\n" lines, lower-case names, no credentials */
    struct span body;                /* the octets received */
};

/* An event that may be stored. Opaque on purpose: only core/event_make.h makes one, and only the
 * files named in tests/layers.sh may include that. The store takes nothing else, so storing what
 * nobody verified does not compile. */
struct accepted;

const struct event *accepted_event(const struct accepted *a); /* lives as long as a */
void accepted_free(struct accepted *a);                       /* NULL is fine */

/* The MAC that ties a receipt to this installation's key: over every field above except guard,
 * secret_no and received_us, lengths included, bodies and headers by digest. A row without it is
 * never run. out gets SHA256_LEN bytes. */
void event_mac(const struct event *e, struct span key, unsigned char out[SHA256_LEN]);

/* The same with the SHA-256 of body and headers at hand: the events of a batch share both. */
void event_mac_digests(const struct event *e, struct span key,
                       const unsigned char body_sha[SHA256_LEN],
                       const unsigned char headers_sha[SHA256_LEN], unsigned char out[SHA256_LEN]);

/* The value of a stored header (name in any case), or SPAN_NONE; lives as long as headers. */
struct span event_header(struct span headers, const char *name);

#endif
