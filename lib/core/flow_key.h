/* What an event meets others by: its business key, its object and lane, its order mark; and the
 * idempotency key that its handler gets. Same event and config, same keys, on every host and after
 * every restore: nothing of a table's own goes in. */
#ifndef HO_CORE_FLOW_KEY_H
#define HO_CORE_FLOW_KEY_H

#include "core/settings.h"

struct flow_key {
    unsigned char digest[SHA256_LEN]; /* SHA-256 of the key's text */
    char text[EVENT_KEY_MAX + 1];     /* stored form (core/key.h), NUL behind it */
    size_t len;
};

#define IDEMPOTENCY_KEY_LEN 64

enum flow_lack {
    FLOW_COMPLETE,
    FLOW_NO_BUSINESS_KEY, /* a reference of once_per leads to nothing */
    FLOW_NO_OBJECT_KEY,   /* of order_by or serialize_by */
    FLOW_NO_MARK          /* order_at leads to no time or whole number; or the event has no time */
};

struct flow_keys {
    bool has_business;        /* the route says once_per */
    struct flow_key business;
    bool has_object;          /* order_by or serialize_by */
    struct flow_key object;
    unsigned char lane[SHA256_LEN]; /* digest of flow and object */
    bool has_mark;            /* order_by */
    bool mark_is_time;        /* mark is in unix microseconds; else a number of the sender's own */
    int64_t mark;
    char mark_of[EVENT_KEY_MAX + 1]; /* what it is: "time", "number {/version}"; others compare not */
    char idempotency[IDEMPOTENCY_KEY_LEN + 1];
};

/* Everything of an event on a route, which has a handler.
 * returns HO_OK | HO_PERMANENT: *lack says what could not be made, the text by which reference. */
enum ho_code flow_keys_make(const struct route *r, const struct ref_view *v, struct flow_keys *out,
                            enum flow_lack *lack, struct ho_err *err) HO_MUST_CHECK;

/* One key: the digest and stored form of a rendered text. */
enum ho_code flow_key_make(const struct reftext *t, const struct ref_view *v, struct flow_key *out,
                           struct ho_err *err) HO_MUST_CHECK;

/* Lower-case hex SHA-256 of fields, each behind its length (8 bytes, big-endian): "hookonce",
 * handler, flow and business key where the route says once_per; else "hookonce", handler, route,
 * provider (dedupe scope) and event id. */
void flow_idempotency(const struct span *fields, size_t n, char out[IDEMPOTENCY_KEY_LEN + 1]);

/* The digest of a lane, likewise: of "hookonce lane", the flow, the digest of the object's key. */
void flow_lane(const char *flow, const unsigned char object[SHA256_LEN],
               unsigned char out[SHA256_LEN]);

/* Where an event stands to the newest one of its object that ran. */
enum flow_order {
    FLOW_NEWER,    /* or the first */
    FLOW_STALE,    /* an older one: nothing runs */
    FLOW_TIE_RUN,  /* equally old: as the route's `tie` says */
    FLOW_TIE_FETCH,
    FLOW_TIE_SKIP
};
enum flow_order flow_order(enum route_tie tie, int64_t mark, bool has_newest, int64_t newest);

/* Whether a mark is a time more than a day ahead of the receipt: such an event runs, and must not
 * move the object's mark, for everything until then would be stale. */
bool flow_from_future(const struct flow_keys *k, int64_t received_us);

#endif
