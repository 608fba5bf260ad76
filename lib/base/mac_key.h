/* Asymmetric keys: signatures by RSA, ECDSA on P-256 and Ed25519, by OpenSSL. */
#ifndef HO_BASE_MAC_KEY_H
#define HO_BASE_MAC_KEY_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mac.h"

enum mac_sig { SIG_RSA, SIG_ECDSA, SIG_ED25519 }; /* RSA: PKCS#1 v1.5 */

#define MAC_SIG_MAX 1024 /* bytes of the longest signature: RSA of 8192 bits */

struct mac_key; /* owned: mac_key_free */

/* A public key from PEM (one key, or certificates, of which the first counts), DER
 * SubjectPublicKeyInfo, or 32 raw bytes (Ed25519 only). RSA has 1024 to 8192 bits, ECDSA is P-256.
 * Of a certificate only the key is taken: nobody looks at its dates or who signed it.
 * out: *out owned, NULL on failure. returns HO_OK | HO_REJECT (no such key; says what it is). */
enum ho_code mac_key_public(enum mac_sig kind, struct span bytes, struct mac_key **out,
                            struct ho_err *err) HO_MUST_CHECK;

/* A public key from a JWK (RFC 7517, 8037): kty RSA (n, e), EC with crv P-256 (x, y), OKP with crv
 * Ed25519 (x). `use` and `alg`, where they are there, must say so too. Same results. */
enum ho_code mac_key_jwk(enum mac_sig kind, const struct json_node *jwk, struct mac_key **out,
                         struct ho_err *err) HO_MUST_CHECK;

/* A private key from PEM without a passphrase, for signing test deliveries. Same results. */
enum ho_code mac_key_private(enum mac_sig kind, struct span pem, struct mac_key **out,
                             struct ho_err *err) HO_MUST_CHECK;

/* A fresh key pair as PEM, appended: PKCS#8 and SubjectPublicKeyInfo (RSA: 2048 bits; may take a
 * second). returns HO_OK | HO_REJECT (a buffer is full). */
enum ho_code mac_key_make(enum mac_sig kind, struct buf *private_pem, struct buf *public_pem)
    HO_MUST_CHECK;

void mac_key_free(struct mac_key *k); /* NULL is fine */

enum mac_sig mac_key_kind(const struct mac_key *k);

/* Whether sig is the key's signature over the parts. digest: not looked at for Ed25519. An ECDSA
 * signature is DER, or with jose 64 bytes r||s (RFC 7518 3.4). */
bool mac_key_verify(const struct mac_key *k, enum mac_alg digest, bool jose,
                    const struct span *parts, size_t n, struct span sig);

/* A text under verification, gone over once for all keys of a kind and all signatures that are
 * tried: RSA and ECDSA sign its digest. Ed25519 goes over it each time. */
struct mac_text {
    enum mac_sig kind;
    enum mac_alg digest;
    unsigned char hash[MAC_MAX];
    struct span whole; /* for Ed25519: the only part, or joined */
    struct buf joined;
};

/* in: parts - live as long as out, which mac_text_free frees. */
void mac_text_make(enum mac_sig kind, enum mac_alg digest, const struct span *parts, size_t n,
                   struct mac_text *out);
void mac_text_free(struct mac_text *t);

/* The same as mac_key_verify; false for a key of another kind. */
bool mac_key_verify_text(const struct mac_key *k, bool jose, const struct mac_text *t,
                         struct span sig);

/* Appends the signature. returns HO_OK | HO_REJECT (not a private key, or out is full). */
enum ho_code mac_key_sign(const struct mac_key *k, enum mac_alg digest, bool jose,
                          const struct span *parts, size_t n, struct buf *out) HO_MUST_CHECK;

#endif
