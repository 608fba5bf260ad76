/* Public keys from JSON Web Keys (RFC 7517, 7518 6, 8037). */
#include "base/mac_key.h"

#include <openssl/x509.h>

#include "base/mac_key_parts.h"
#include "base/text.h"

#define NUMBER_MAX 1025 /* bytes: 8192 bits and a zero in front */
#define FIELD_LEN 32    /* bytes of a coordinate of P-256, and of an Ed25519 key */

struct jwk_kind {
    const char *kty, *crv; /* crv NULL: there is none */
    const char *algs[3];
};

static const struct jwk_kind kinds[] = {
    [SIG_RSA] = {"RSA", NULL, {"RS256", "RS384", "RS512"}},
    [SIG_ECDSA] = {"EC", "P-256", {"ES256", NULL, NULL}},
    [SIG_ED25519] = {"OKP", "Ed25519", {"EdDSA", "Ed25519", NULL}},
};

/* A member that is a string, appended to out. false when it is another thing or not there. */
static bool member(const struct json_node *jwk, const char *pointer, struct buf *out)
{
    const struct json_node *node = json_in(jwk, span_of(pointer));
    return json_kind_of(node) == JSON_STRING && json_text(node, out) == HO_OK;
}

static bool member_is(const struct json_node *jwk, const char *pointer, const char *want)
{
    struct buf text;
    buf_init(&text, 64);
    bool same = member(jwk, pointer, &text) && span_is(buf_span(&text), want);
    buf_free(&text);
    return same;
}

static bool has(const struct json_node *jwk, const char *pointer)
{
    return json_kind_of(json_in(jwk, span_of(pointer))) != JSON_ABSENT;
}

/* A number's bytes, the highest first. */
static bool number(const struct json_node *jwk, const char *pointer, struct buf *out)
{
    struct buf text;
    buf_init(&text, 2 * NUMBER_MAX);
    bool is = member(jwk, pointer, &text) && text.len > 0 &&
              text_unbase64url(buf_span(&text), out) == HO_OK;
    buf_free(&text);
    return is;
}

static enum ho_code check_purpose(const struct jwk_kind *kind, const struct json_node *jwk,
                                  struct ho_err *err)
{
    bool known = !has(jwk, "/alg");
    if (!member_is(jwk, "/kty", kind->kty) ||
        (kind->crv != NULL && !member_is(jwk, "/crv", kind->crv))) {
        return ho_fail(err, HO_REJECT, "a JWK of another kind than %s%s%s", kind->kty,
                       kind->crv == NULL ? "" : " ", kind->crv == NULL ? "" : kind->crv);
    }
    for (size_t i = 0; i < sizeof kind->algs / sizeof kind->algs[0]; i++) {
        known = known || (kind->algs[i] != NULL && member_is(jwk, "/alg", kind->algs[i]));
    }
    if (!known || (has(jwk, "/use") && !member_is(jwk, "/use", "sig"))) {
        return ho_fail(err, HO_REJECT, "a JWK that is for something else");
    }
    return HO_OK;
}

static EVP_PKEY *from_spki(const struct buf *spki)
{
    const unsigned char *p = spki->p;
    return d2i_PUBKEY(NULL, &p, (long)spki->len);
}

static EVP_PKEY *read_rsa(const struct json_node *jwk)
{
    struct buf n, e, numbers, key, spki;
    EVP_PKEY *pkey = NULL;
    buf_init(&n, NUMBER_MAX);
    buf_init(&e, sizeof(uint64_t));
    buf_init(&numbers, NUMBER_MAX + 64);
    buf_init(&key, NUMBER_MAX + 64);
    buf_init(&spki, NUMBER_MAX + 128);
    if (number(jwk, "/n", &n) && number(jwk, "/e", &e) &&
        mac_der_uint(buf_span(&n), &numbers) == HO_OK &&
        mac_der_uint(buf_span(&e), &numbers) == HO_OK &&
        mac_der_head(0x30, numbers.len, &key) == HO_OK &&
        buf_add_span(&key, buf_span(&numbers)) == HO_OK &&
        mac_der_rsa(buf_span(&key), &spki) == HO_OK) {
        pkey = from_spki(&spki);
    }
    buf_free(&n);
    buf_free(&e);
    buf_free(&numbers);
    buf_free(&key);
    buf_free(&spki);
    return pkey;
}

static EVP_PKEY *read_ec(const struct json_node *jwk)
{
    /* SEQUENCE { SEQUENCE { id-ecPublicKey, prime256v1 }, BIT STRING { uncompressed point } } */
    static const unsigned char head[] = {0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48,
                                         0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
                                         0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04};
    struct buf spki;
    EVP_PKEY *pkey = NULL;
    buf_init(&spki, sizeof head + 2 * FIELD_LEN);
    if (buf_add(&spki, head, sizeof head) == HO_OK && number(jwk, "/x", &spki) &&
        spki.len == sizeof head + FIELD_LEN && number(jwk, "/y", &spki) &&
        spki.len == sizeof head + 2 * FIELD_LEN) {
        pkey = from_spki(&spki);
    }
    buf_free(&spki);
    return pkey;
}

static EVP_PKEY *read_ed25519(const struct json_node *jwk)
{
    struct buf x;
    EVP_PKEY *pkey = NULL;
    buf_init(&x, FIELD_LEN);
    if (number(jwk, "/x", &x) && x.len == FIELD_LEN) {
        pkey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, x.p, x.len);
    }
    buf_free(&x);
    return pkey;
}

enum ho_code mac_key_jwk(enum mac_sig kind, const struct json_node *jwk, struct mac_key **out,
                         struct ho_err *err)
{
    *out = NULL;
    if (check_purpose(&kinds[kind], jwk, err) != HO_OK) {
        return HO_REJECT;
    }
    EVP_PKEY *pkey = kind == SIG_RSA     ? read_rsa(jwk)
                     : kind == SIG_ECDSA ? read_ec(jwk)
                                         : read_ed25519(jwk);
    return mac_key_take(kind, pkey, false, out, err);
}
