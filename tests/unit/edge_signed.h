/* For the tests of the edge: requests with signatures of our own making, computed here rather than
 * with edge/sign.h, so that signing and verifying cannot be wrong together. */
#ifndef HO_TESTS_EDGE_SIGNED_H
#define HO_TESTS_EDGE_SIGNED_H

#include "edge_site.h"

#include "base/mac.h"
#include "base/text.h"

/* HMAC of a + b + c in lower-case hex; a and b may be "". Places take turns. */
static inline const char *hex_mac(enum mac_alg alg, const char *key, const char *a, const char *b,
                                  struct span c)
{
    static char places[8][2 * MAC_MAX + 1];
    static unsigned turn;
    char *place = places[turn++ % COUNT(places)];
    unsigned char mac[MAC_MAX];
    const struct span parts[] = {span_of(a), span_of(b), c};
    mac_hmac(alg, span_of(key), parts, 3, mac);
    text_hex(mac, mac_len(alg), place);
    return place;
}

static inline const char *base64_mac(struct span key, const char *before, struct span body)
{
    static char places[4][128];
    static unsigned turn;
    char *place = places[turn++ % COUNT(places)];
    unsigned char mac[MAC_MAX];
    const struct span parts[] = {span_of(before), body};
    struct buf out;
    mac_hmac(MAC_SHA256, key, parts, 2, mac);
    buf_init(&out, 100);
    assert_int_equal(text_base64(span_make(mac, 32), &out), HO_OK);
    (void)snprintf(place, sizeof places[0], "%s", buf_cstr(&out));
    buf_free(&out);
    return place;
}

/* What verify_event says of a request that is one event: that into *out (may be NULL: freed here).
 * Named apart from struct verdict. */
static inline enum reason judge(const struct endpoint *e, const struct request *r, int64_t now_us,
                                struct accepted **out, struct verify_note *note)
{
    struct verdict v;
    struct verify_note unused = {.trace = NULL};
    enum reason reason = verify_event(e, r, now_us, site, &v, note == NULL ? &unused : note);
    if (reason == REASON_OK && (v.is_hello || v.n_events != 1)) {
        fail_msg("%s where one event was meant", v.is_hello ? "a handshake" : "another number");
    }
    if (out != NULL) {
        *out = NULL;
    }
    if (reason == REASON_OK && out != NULL) {
        *out = v.events[0];
        v.n_events = 0;
    }
    verdict_free(&v);
    return reason;
}

/* A GitHub delivery of that body, signed with the key. */
static inline void github_post(struct request *r, const char *key, const char *id, const char *type,
                               struct span body)
{
    static char signature[100];
    static struct pair headers[4];
    (void)snprintf(signature, sizeof signature, "sha256=%s",
                   hex_mac(MAC_SHA256, key, "", "", body));
    headers[0] = (struct pair){"x-hub-signature-256", signature};
    headers[1] = (struct pair){"x-github-delivery", id};
    headers[2] = (struct pair){"x-github-event", type};
    post(r, headers, body);
}

/* A Stripe delivery with the one signature header given. */
static inline void stripe_post(struct request *r, const char *signature, struct span body)
{
    static struct pair headers[3];
    headers[0] = (struct pair){"content-type", "application/json"};
    headers[1] = (struct pair){"stripe-signature", signature};
    headers[2] = (struct pair){NULL, NULL};
    post(r, headers, body);
}

/* "t=SECONDS,v1=MAC" for that body. */
static inline const char *stripe_signature(const char *key, int64_t seconds, struct span body)
{
    static char places[4][160];
    static unsigned turn;
    char *place = places[turn++ % COUNT(places)];
    char t[32];
    (void)snprintf(t, sizeof t, "%lld", (long long)seconds);
    (void)snprintf(place, sizeof places[0], "t=%s,v1=%s", t,
                   hex_mac(MAC_SHA256, key, t, ".", body));
    return place;
}

#endif
