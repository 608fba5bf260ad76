/* Events: their MAC, their stored headers, and the accepted ones. */
#include "core/event.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "core/event_make.h"

struct accepted {
    struct event event;
    unsigned char room[]; /* what event's spans point to, but for the body */
};

/* Moves one span's bytes into the room; absent stays absent. */
static struct span settle(struct span s, unsigned char **at)
{
    struct span moved = {NULL, s.len};

    if (!span_present(s)) {
        return SPAN_NONE;
    }
    if (s.len > 0) {
        memcpy(*at, s.p, s.len);
    }
    moved.p = *at;
    *at += s.len;
    return moved;
}

struct accepted *accepted_make(const struct event *e)
{
    /* One byte more than the texts need, so that an empty span at the end points inside. */
    size_t room = e->provider.len + e->source.len + e->id.len + e->type.len + e->object.len +
                  e->document.len + e->headers.len + 1;
    struct accepted *a = ho_alloc(sizeof *a + room);
    unsigned char *at = a->room;

    a->event = *e;
    a->event.provider = settle(e->provider, &at);
    a->event.source = settle(e->source, &at);
    a->event.id = settle(e->id, &at);
    a->event.type = settle(e->type, &at);
    a->event.object = settle(e->object, &at);
    a->event.document = settle(e->document, &at);
    a->event.headers = settle(e->headers, &at);
    return a;
}

const struct event *accepted_event(const struct accepted *a)
{
    return &a->event;
}

void accepted_free(struct accepted *a)
{
    free(a);
}

/* Big-endian, so that the MAC is the same on every host of an installation. */
static void put_u64(unsigned char out[8], uint64_t v)
{
    for (int i = 7; i >= 0; i--) {
        out[i] = (unsigned char)(v & 0xff);
        v >>= 8;
    }
}

#define MAC_FIELDS 10 /* spans that go in with their length */

void event_mac_digests(const struct event *e, struct span key,
                       const unsigned char body_sha[SHA256_LEN],
                       const unsigned char headers_sha[SHA256_LEN], unsigned char out[SHA256_LEN])
{
    static const char label[] = "hookonce receipt 1";
    unsigned char lengths[MAC_FIELDS][8], occurred[9], result[MAC_MAX];
    struct span fields[MAC_FIELDS], parts[2 + 2 * MAC_FIELDS];
    size_t n = 0;

    fields[0] = span_of(e->cid);
    fields[1] = e->provider;
    fields[2] = e->source;
    fields[3] = e->id;
    fields[4] = e->type;
    fields[5] = e->object;
    fields[6] = e->document;
    fields[7] = span_make(body_sha, SHA256_LEN);
    fields[8] = span_make(headers_sha, SHA256_LEN);
    fields[9] = span_make(e->same, sizeof e->same);
    parts[n++] = span_make(label, sizeof label);
    for (size_t i = 0; i < MAC_FIELDS; i++) {
        /* An absent object and an empty one are different events. */
        put_u64(lengths[i], span_present(fields[i]) ? fields[i].len : UINT64_MAX);
        parts[n++] = span_make(lengths[i], sizeof lengths[i]);
        parts[n++] = fields[i];
    }
    occurred[0] = e->has_occurred ? 1 : 0;
    put_u64(occurred + 1, e->has_occurred ? (uint64_t)e->occurred_us : 0);
    parts[n++] = span_make(occurred, sizeof occurred);
    mac_hmac(MAC_SHA256, key, parts, n, result);
    memcpy(out, result, SHA256_LEN);
}

void event_mac(const struct event *e, struct span key, unsigned char out[SHA256_LEN])
{
    unsigned char body[SHA256_LEN], headers[SHA256_LEN];

    mac_sha256(e->body, body);
    mac_sha256(e->headers, headers);
    event_mac_digests(e, key, body, headers, out);
}

struct span event_header(struct span headers, const char *name)
{
    struct span rest = headers;

    while (span_present(rest)) {
        struct span value = span_cut(&rest, '\n');
        struct span found = span_cut(&value, ':');

        if (span_present(value) && span_is_nocase(found, name)) {
            return span_trim(value);
        }
    }
    return SPAN_NONE;
}
