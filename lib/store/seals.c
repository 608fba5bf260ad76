/* Keys, and the values that they seal. */
#include "store/seals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mac.h"
#include "base/secret.h"
#include "base/ulid.h"

static bool read_key(const char *path, struct seal_key *out, char why[480])
{
    struct secret text = {NULL, 0};
    struct ho_err err = {HO_OK, 0, ""};
    bool good = secret_read(path, &text, &err) == HO_OK;

    if (!good) {
        (void)snprintf(why, 480, "%s", err.text);
    } else if (!seal_key_read(secret_span(&text), out)) {
        (void)snprintf(why, 480, "%s: not 32 bytes in hex or base64", path);
        good = false;
    }
    secret_free(&text);
    return good;
}

struct seal_ring *seal_ring_load(const struct settings *s)
{
    struct seal_ring *ring = ho_alloc(sizeof *ring);
    char why[480];

    *ring = (struct seal_ring){.keys = ho_alloc((s->n_body_keys + 1) * sizeof(struct seal_key)),
                               .wanted = s->n_body_keys > 0 && !s->seal_off,
                               .complete = true};
    for (size_t i = 0; i < s->n_body_keys; i++) {
        if (read_key(s->body_keys[i], &ring->keys[ring->n], why)) {
            ring->first = i == 0 && ring->wanted ? ring->keys : ring->first;
            ring->n++;
        } else if (ring->complete) {
            ring->complete = false;
            memcpy(ring->why, why, sizeof why);
        }
    }
    return ring;
}

void seal_ring_free(struct seal_ring *ring)
{
    if (ring != NULL) {
        mac_wipe(ring->keys, ring->n * sizeof *ring->keys);
        free(ring->keys);
        free(ring);
    }
}

enum ho_code seal_ready(const struct seal_ring *ring, struct ho_err *err)
{
    if (ring->wanted && ring->first == NULL) {
        return ho_fail(err, HO_TRANSIENT, "body_key: %s", ring->why);
    }
    return HO_OK;
}

static struct span place_text(const struct seal_place *at, char room[128])
{
    int n = snprintf(room, 128, "hookonce %s %s %u", at->what, at->cid, at->part);

    if (n < 0 || n >= 128) {
        ho_die("bug: the place of a sealed value does not fit");
    }
    return span_make(room, (size_t)n);
}

struct span seal_value(const struct seal_ring *ring, const struct seal_place *at,
                       struct span plain, struct buf *room)
{
    char where[128];

    buf_init(room, plain.len + SEAL_MORE);
    if (ring->first == NULL) {
        return plain;
    }
    if (seal(ring->first, place_text(at, where), plain, room) != HO_OK) {
        ho_die("bug: a sealed value does not fit");
    }
    return buf_span(room);
}

struct db_value seal_print(const struct seal_ring *ring)
{
    return ring->first != NULL ? DBV_STR(ring->first->print) : DBV_NULL;
}

enum seal_opened seal_get(const struct seal_ring *ring, struct span print,
                          const struct seal_place *at, struct span value, struct buf *out)
{
    char where[128];

    if (!span_present(print)) {
        return buf_add_span(out, value) == HO_OK ? SEAL_OPENED : SEAL_BROKEN;
    }
    if (strlen(at->cid) != ULID_LEN) {
        return SEAL_BROKEN;
    }
    for (size_t i = 0; i < ring->n; i++) {
        if (span_is(print, ring->keys[i].print)) {
            return seal_open(&ring->keys[i], place_text(at, where), value, out) == HO_OK
                       ? SEAL_OPENED
                       : SEAL_BROKEN;
        }
    }
    return SEAL_NO_KEY;
}

void seal_digest(struct span key, const unsigned char in[SHA256_LEN],
                 unsigned char out[SHA256_LEN])
{
    static const char label[] = "hookonce digest of content 1";
    const struct span parts[] = {span_make(label, sizeof label), span_make(in, SHA256_LEN)};
    unsigned char result[MAC_MAX];

    mac_hmac(MAC_SHA256, key, parts, 2, result);
    memcpy(out, result, SHA256_LEN);
}
