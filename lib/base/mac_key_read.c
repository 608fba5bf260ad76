/* Keys from PEM, certificates, DER and raw bytes, and what a key must be to be taken. */
#include "base/mac_key.h"

#include <string.h>

#include <openssl/asn1.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/mac_key_parts.h"

#define KEY_TEXT_MAX 65536 /* bytes of a PEM text */
#define RSA_BITS_MIN 1024
#define RSA_BITS_MAX 8192
#define RAW_LEN 32

static const char *const kind_names[] = {
    [SIG_RSA] = "an RSA key",
    [SIG_ECDSA] = "an elliptic curve key on P-256",
    [SIG_ED25519] = "an Ed25519 key",
};

static const char *name_of(const EVP_PKEY *pkey)
{
    switch (EVP_PKEY_base_id(pkey)) {
    case EVP_PKEY_RSA:
        return "an RSA key";
    case EVP_PKEY_EC:
        return "an elliptic curve key";
    case EVP_PKEY_ED25519:
        return "an Ed25519 key";
    default:
        return "a key of another kind";
    }
}

static int id_of(enum mac_sig kind)
{
    return kind == SIG_RSA ? EVP_PKEY_RSA : kind == SIG_ECDSA ? EVP_PKEY_EC : EVP_PKEY_ED25519;
}

/* The exponent of a PKCS#1 RSAPublicKey: odd, at least 3 and of at most 64 bits. With 1 every text
 * would be its own signature. */
static bool exponent_fits(struct span key)
{
    const unsigned char *p = key.p;
    uint64_t exponent = 0;
    ASN1_SEQUENCE_ANY *numbers = d2i_ASN1_SEQUENCE_ANY(NULL, &p, (long)key.len);
    bool fits = numbers != NULL && sk_ASN1_TYPE_num(numbers) == 2;
    if (fits) {
        const ASN1_TYPE *second = sk_ASN1_TYPE_value(numbers, 1);
        fits = ASN1_TYPE_get(second) == V_ASN1_INTEGER &&
               ASN1_INTEGER_get_uint64(&exponent, second->value.integer) == 1;
    }
    sk_ASN1_TYPE_pop_free(numbers, ASN1_TYPE_free);
    return fits && exponent >= 3 && exponent % 2 == 1;
}

/* The curve is named as P-256, and the point is one of its own: not the one at infinity. */
static bool point_fits(const X509_ALGOR *algorithm, struct span point)
{
    const void *curve = NULL;
    int type = V_ASN1_UNDEF;
    X509_ALGOR_get0(NULL, &type, &curve, algorithm);
    if (type != V_ASN1_OBJECT || OBJ_obj2nid(curve) != NID_X9_62_prime256v1) {
        return false;
    }
    return (point.len == 65 && point.p[0] == 4) ||
           (point.len == 33 && (point.p[0] == 2 || point.p[0] == 3));
}

/* The public half as it would be written, so that both OpenSSL 1.1.1 and 3 can be asked. */
static bool parts_fit(enum mac_sig kind, EVP_PKEY *pkey)
{
    X509_PUBKEY *written = NULL;
    X509_ALGOR *algorithm = NULL;
    const unsigned char *p = NULL;
    int len = 0;
    bool fits = X509_PUBKEY_set(&written, pkey) == 1 &&
                X509_PUBKEY_get0_param(NULL, &p, &len, &algorithm, written) == 1 && len > 0;
    if (fits) {
        struct span bits = span_make(p, (size_t)len);
        fits = kind == SIG_RSA     ? exponent_fits(bits)
               : kind == SIG_ECDSA ? point_fits(algorithm, bits)
                                   : bits.len == RAW_LEN;
    }
    X509_PUBKEY_free(written);
    return fits;
}

static enum ho_code check(enum mac_sig kind, EVP_PKEY *pkey, struct ho_err *err)
{
    if (pkey == NULL) {
        return ho_fail(err, HO_REJECT, "no key that can be read; %s was expected",
                       kind_names[kind]);
    }
    if (EVP_PKEY_base_id(pkey) != id_of(kind)) {
        return ho_fail(err, HO_REJECT, "%s, where %s was expected", name_of(pkey),
                       kind_names[kind]);
    }
    int bits = EVP_PKEY_bits(pkey);
    if (kind == SIG_RSA && (bits < RSA_BITS_MIN || bits > RSA_BITS_MAX)) {
        return ho_fail(err, HO_REJECT, "an RSA key of %d bits; it must have %d to %d", bits,
                       RSA_BITS_MIN, RSA_BITS_MAX);
    }
    if (!parts_fit(kind, pkey)) {
        return ho_fail(err, HO_REJECT, kind == SIG_ECDSA
                                           ? "an elliptic curve key that is not on P-256"
                                           : "a key with numbers that no such key has");
    }
    return HO_OK;
}

enum ho_code mac_key_take(enum mac_sig kind, EVP_PKEY *pkey, bool is_private,
                          struct mac_key **out, struct ho_err *err)
{
    *out = NULL;
    enum ho_code code = check(kind, pkey, err);
    if (code == HO_OK) {
        struct mac_key *k = ho_alloc(sizeof *k);
        *k = (struct mac_key){kind, is_private, pkey};
        *out = k;
    } else {
        EVP_PKEY_free(pkey);
    }
    ERR_clear_error();
    return code;
}

static EVP_PKEY *from_spki(struct span der)
{
    const unsigned char *p = der.p;
    EVP_PKEY *pkey = d2i_PUBKEY(NULL, &p, (long)der.len);
    if (pkey != NULL && p != der.p + der.len) {
        EVP_PKEY_free(pkey);
        pkey = NULL;
    }
    return pkey;
}

static EVP_PKEY *from_pkcs1(struct span der)
{
    struct buf spki;
    buf_init(&spki, der.len + 64);
    EVP_PKEY *pkey = mac_der_rsa(der, &spki) == HO_OK ? from_spki(buf_span(&spki)) : NULL;
    buf_free(&spki);
    return pkey;
}

static EVP_PKEY *from_certificate(struct span der)
{
    const unsigned char *p = der.p;
    X509 *certificate = d2i_X509(NULL, &p, (long)der.len);
    EVP_PKEY *pkey = certificate == NULL ? NULL : X509_get_pubkey(certificate);
    X509_free(certificate);
    return pkey;
}

static BIO *open_text(struct span text)
{
    BIO *bio = BIO_new_mem_buf(text.p, (int)text.len);
    if (bio == NULL) {
        ho_die("out of memory (key)");
    }
    return bio;
}

struct block {
    char *name, *header;
    unsigned char *der;
    long len;
};

static bool next_block(BIO *bio, struct block *b)
{
    memset(b, 0, sizeof *b);
    return PEM_read_bio(bio, &b->name, &b->header, &b->der, &b->len) == 1;
}

static void free_block(struct block *b)
{
    OPENSSL_free(b->name);
    OPENSSL_free(b->header);
    OPENSSL_clear_free(b->der, b->len > 0 ? (size_t)b->len : 0);
}

/* *pkey gets the key of the text's first block, NULL when it holds none; of a chain of certificates
 * the first is the signer's own. */
static enum ho_code from_pem(struct span text, EVP_PKEY **pkey, struct ho_err *err)
{
    struct block b;
    struct block second;
    BIO *bio = open_text(text);
    enum ho_code code = HO_OK;
    *pkey = NULL;
    if (next_block(bio, &b) && b.len > 0 && b.header[0] == '\0') {
        struct span name = span_of(b.name);
        struct span der = span_make(b.der, (size_t)b.len);
        if (span_is(name, "CERTIFICATE")) {
            *pkey = from_certificate(der);
        } else if (span_is(name, "PUBLIC KEY")) {
            *pkey = from_spki(der);
        } else if (span_is(name, "RSA PUBLIC KEY")) {
            *pkey = from_pkcs1(der);
        } else if (span_is(name, "PRIVATE KEY") || span_is(name, "RSA PRIVATE KEY") ||
                   span_is(name, "EC PRIVATE KEY") || span_is(name, "ENCRYPTED PRIVATE KEY")) {
            code = ho_fail(err, HO_REJECT, "a private key, where a public one was expected");
        }
        if (code == HO_OK && !span_is(name, "CERTIFICATE") && next_block(bio, &second)) {
            code = ho_fail(err, HO_REJECT, "more than one key in a text");
            free_block(&second);
        }
    }
    free_block(&b);
    BIO_free(bio);
    if (code != HO_OK) {
        EVP_PKEY_free(*pkey);
        *pkey = NULL;
    }
    return code;
}

enum ho_code mac_key_public(enum mac_sig kind, struct span bytes, struct mac_key **out,
                            struct ho_err *err)
{
    EVP_PKEY *pkey = NULL;
    enum ho_code code = HO_OK;
    *out = NULL;
    if (bytes.p == NULL || bytes.len == 0 || bytes.len > KEY_TEXT_MAX) {
        return ho_fail(err, HO_REJECT, "no key: %s",
                       bytes.len > KEY_TEXT_MAX ? "too long" : "nothing is there");
    }
    if (kind == SIG_ED25519 && bytes.len == RAW_LEN) {
        pkey = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes.p, bytes.len);
    } else {
        code = from_pem(bytes, &pkey, err);
        if (code == HO_OK && pkey == NULL) {
            pkey = from_spki(bytes);
        }
    }
    if (code != HO_OK) {
        ERR_clear_error();
        return code;
    }
    return mac_key_take(kind, pkey, false, out, err);
}

/* Never asks at a terminal. */
static int no_passphrase(char *to, int size, int writing, void *of)
{
    (void)to;
    (void)size;
    (void)writing;
    (void)of;
    return -1;
}

enum ho_code mac_key_private(enum mac_sig kind, struct span pem, struct mac_key **out,
                             struct ho_err *err)
{
    *out = NULL;
    if (pem.p == NULL || pem.len == 0 || pem.len > KEY_TEXT_MAX) {
        return ho_fail(err, HO_REJECT, "no private key: %s",
                       pem.len > KEY_TEXT_MAX ? "too long" : "nothing is there");
    }
    BIO *bio = open_text(pem);
    EVP_PKEY *pkey = PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL);
    BIO_free(bio);
    return mac_key_take(kind, pkey, true, out, err);
}
