/* For the tests of tokens and public keys: tokens of our own making, and one key pair of each kind,
 * made when it is first asked for. */
#ifndef HO_TESTS_EDGE_TOKENS_H
#define HO_TESTS_EDGE_TOKENS_H

#include "edge_signed.h"

#include "base/mac_key.h"
#include "edge/jwt.h"

struct pair_of_keys {
    struct buf private_pem, public_pem;
    struct mac_key *key;
};

/* The n-th pair of a kind (0 or 1). */
static inline struct pair_of_keys *keys_of(enum mac_sig kind, size_t n)
{
    static struct pair_of_keys all[3][2];
    struct pair_of_keys *p = &all[kind][n];
    if (p->key == NULL) {
        buf_init(&p->private_pem, 8192);
        buf_init(&p->public_pem, 8192);
        assert_int_equal(mac_key_make(kind, &p->private_pem, &p->public_pem), HO_OK);
        assert_int_equal(mac_key_private(kind, buf_span(&p->private_pem), &p->key, NULL), HO_OK);
    }
    return p;
}

static inline void keys_free(void)
{
    for (int kind = SIG_RSA; kind <= SIG_ED25519; kind++) {
        for (size_t n = 0; n < 2; n++) {
            struct pair_of_keys *p = keys_of((enum mac_sig)kind, n);
            buf_free(&p->private_pem);
            buf_free(&p->public_pem);
            mac_key_free(p->key);
            p->key = NULL;
        }
    }
}

static inline void add_part(struct buf *out, struct span part)
{
    assert_int_equal(text_base64url(part, out), HO_OK);
}

/* "header.payload.signature" for that algorithm: with the key's text for HS, else with the n-th pair.
 * Places take turns. */
static inline const char *token(const char *header, const char *payload, enum jose_alg alg,
                                const char *key, size_t n)
{
    static char places[16][4096];
    static unsigned turn;
    char *place = places[turn++ % COUNT(places)];
    struct buf out, sig;
    buf_init(&out, sizeof places[0] - 1);
    buf_init(&sig, MAC_SIG_MAX);
    add_part(&out, span_of(header));
    assert_int_equal(buf_add_byte(&out, '.'), HO_OK);
    add_part(&out, span_of(payload));
    const struct span input = buf_span(&out);
    if (jose_is_shared(alg)) {
        unsigned char mac[MAC_MAX];
        mac_hmac(jose_digest(alg), span_of(key), &input, 1, mac);
        assert_int_equal(buf_add(&sig, mac, mac_len(jose_digest(alg))), HO_OK);
    } else {
        assert_int_equal(mac_key_sign(keys_of(jose_kind(alg), n)->key, jose_digest(alg), true,
                                      &input, 1, &sig), HO_OK);
    }
    assert_int_equal(buf_add_byte(&out, '.'), HO_OK);
    add_part(&out, buf_span(&sig));
    (void)snprintf(place, sizeof places[0], "%s", buf_cstr(&out));
    buf_free(&out);
    buf_free(&sig);
    return place;
}

/* The same with its middle part taken out: a detached one. */
static inline const char *detach(const char *whole)
{
    static char places[16][4096];
    static unsigned turn;
    char *place = places[turn++ % COUNT(places)];
    (void)snprintf(place, sizeof places[0], "%.*s.%s", (int)(strchr(whole, '.') - whole), whole,
                   strrchr(whole, '.'));
    return place;
}

#endif
