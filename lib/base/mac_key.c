/* Signatures: verifying and making them. */
#include "base/mac_key.h"

#include <stdlib.h>

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rsa.h>

#include "base/mac_key_parts.h"

#define ED25519_SIG 64
#define JOSE_HALF 32 /* bytes of r and of s: P-256 */
#define DER_SIG_MAX 72

void mac_key_free(struct mac_key *k)
{
    if (k != NULL) {
        EVP_PKEY_free(k->pkey);
        free(k);
    }
}

/* r||s as SEQUENCE { INTEGER r, INTEGER s }. */
static enum ho_code jose_to_der(struct span sig, struct buf *out)
{
    struct buf numbers;
    buf_init(&numbers, DER_SIG_MAX);
    enum ho_code code = mac_der_uint(span_sub(sig, 0, JOSE_HALF), &numbers);
    code = code == HO_OK ? mac_der_uint(span_sub(sig, JOSE_HALF, JOSE_HALF), &numbers) : code;
    code = code == HO_OK ? mac_der_head(0x30, numbers.len, out) : code;
    code = code == HO_OK ? buf_add_span(out, buf_span(&numbers)) : code;
    buf_free(&numbers);
    return code;
}

static enum ho_code der_to_jose(struct span sig, struct buf *out)
{
    unsigned char both[2 * JOSE_HALF];
    const unsigned char *p = sig.p;
    ECDSA_SIG *numbers = d2i_ECDSA_SIG(NULL, &p, (long)sig.len);
    bool fits = numbers != NULL &&
                BN_bn2binpad(ECDSA_SIG_get0_r(numbers), both, JOSE_HALF) == JOSE_HALF &&
                BN_bn2binpad(ECDSA_SIG_get0_s(numbers), both + JOSE_HALF, JOSE_HALF) == JOSE_HALF;
    ECDSA_SIG_free(numbers);
    return fits ? buf_add(out, both, sizeof both) : HO_REJECT;
}

/* The parts as one text, since Ed25519 goes over it twice. Borrowed from joined or from the only
 * part; joined is to be freed. */
static struct span whole_of(const struct span *parts, size_t n, struct buf *joined)
{
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        len += parts[i].len;
    }
    buf_init(joined, len + 1);
    if (n == 1 && parts[0].len > 0) {
        return parts[0];
    }
    for (size_t i = 0; i < n; i++) {
        if (parts[i].len > 0 && buf_add_span(joined, parts[i]) != HO_OK) {
            ho_die("the length of a signed text was counted wrong");
        }
    }
    return buf_span(joined);
}

static bool is_rsa(const struct mac_key *k)
{
    return k->kind == SIG_RSA;
}

static bool pkcs1(const struct mac_key *k, EVP_PKEY_CTX *of_ctx)
{
    return !is_rsa(k) || EVP_PKEY_CTX_set_rsa_padding(of_ctx, RSA_PKCS1_PADDING) == 1;
}

static EVP_MD_CTX *new_context(void)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    if (ctx == NULL) {
        ho_die("out of memory (signature)");
    }
    return ctx;
}

void mac_text_make(enum mac_sig kind, enum mac_alg digest, const struct span *parts, size_t n,
                   struct mac_text *out)
{
    *out = (struct mac_text){.kind = kind, .digest = digest};
    if (kind == SIG_ED25519) {
        out->whole = whole_of(parts, n, &out->joined);
    } else {
        mac_digest(digest, parts, n, out->hash);
    }
}

void mac_text_free(struct mac_text *t)
{
    buf_free(&t->joined);
}

static bool verify_hash(const struct mac_key *k, const struct mac_text *t, struct span sig)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(k->pkey, NULL);
    bool good = ctx != NULL && EVP_PKEY_verify_init(ctx) == 1 && pkcs1(k, ctx) &&
                EVP_PKEY_CTX_set_signature_md(ctx, mac_evp(t->digest)) == 1 &&
                EVP_PKEY_verify(ctx, sig.p, sig.len, t->hash, mac_len(t->digest)) == 1;
    EVP_PKEY_CTX_free(ctx);
    return good;
}

static bool verify_whole(const struct mac_key *k, struct span whole, struct span sig)
{
    EVP_MD_CTX *ctx = new_context();
    bool good = EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, k->pkey) == 1 &&
                EVP_DigestVerify(ctx, sig.p, sig.len, whole.p, whole.len) == 1;
    EVP_MD_CTX_free(ctx);
    return good;
}

static bool verify_jose(const struct mac_key *k, const struct mac_text *t, struct span sig)
{
    struct buf der;
    buf_init(&der, DER_SIG_MAX);
    bool good = sig.len == 2 * JOSE_HALF && jose_to_der(sig, &der) == HO_OK &&
                verify_hash(k, t, buf_span(&der));
    buf_free(&der);
    return good;
}

bool mac_key_verify_text(const struct mac_key *k, bool jose, const struct mac_text *t,
                         struct span sig)
{
    bool good = false;
    if (sig.p == NULL || k->kind != t->kind || (k->kind != SIG_ED25519 && t->digest == MAC_MD5)) {
        return false;
    }
    switch (k->kind) {
    case SIG_RSA:
        good = sig.len == (size_t)EVP_PKEY_size(k->pkey) && verify_hash(k, t, sig);
        break;
    case SIG_ECDSA:
        good = jose ? verify_jose(k, t, sig) : sig.len <= DER_SIG_MAX && verify_hash(k, t, sig);
        break;
    case SIG_ED25519:
        good = sig.len == ED25519_SIG && verify_whole(k, t->whole, sig);
        break;
    }
    ERR_clear_error();
    return good;
}

bool mac_key_verify(const struct mac_key *k, enum mac_alg digest, bool jose,
                    const struct span *parts, size_t n, struct span sig)
{
    struct mac_text text;
    mac_text_make(k->kind, digest, parts, n, &text);
    bool good = mac_key_verify_text(k, jose, &text, sig);
    mac_text_free(&text);
    return good;
}

static bool sign_parts(const struct mac_key *k, enum mac_alg digest, const struct span *parts,
                       size_t n, unsigned char *sig, size_t *len)
{
    EVP_MD_CTX *ctx = new_context();
    EVP_PKEY_CTX *of_ctx = NULL;
    bool made = EVP_DigestSignInit(ctx, &of_ctx, mac_evp(digest), NULL, k->pkey) == 1 &&
                pkcs1(k, of_ctx);
    for (size_t i = 0; made && i < n; i++) {
        made = parts[i].len == 0 || EVP_DigestSignUpdate(ctx, parts[i].p, parts[i].len) == 1;
    }
    made = made && EVP_DigestSignFinal(ctx, sig, len) == 1;
    EVP_MD_CTX_free(ctx);
    return made;
}

static bool sign_whole(const struct mac_key *k, const struct span *parts, size_t n,
                       unsigned char *sig, size_t *len)
{
    struct buf joined;
    struct span whole = whole_of(parts, n, &joined);
    EVP_MD_CTX *ctx = new_context();
    bool made = EVP_DigestSignInit(ctx, NULL, NULL, NULL, k->pkey) == 1 &&
                EVP_DigestSign(ctx, sig, len, whole.p, whole.len) == 1;
    EVP_MD_CTX_free(ctx);
    buf_free(&joined);
    return made;
}

enum ho_code mac_key_sign(const struct mac_key *k, enum mac_alg digest, bool jose,
                          const struct span *parts, size_t n, struct buf *out)
{
    unsigned char sig[MAC_SIG_MAX];
    size_t len = sizeof sig;
    if (!k->is_private || (k->kind != SIG_ED25519 && digest == MAC_MD5)) {
        return HO_REJECT;
    }
    bool made = k->kind == SIG_ED25519 ? sign_whole(k, parts, n, sig, &len)
                                       : sign_parts(k, digest, parts, n, sig, &len);
    enum ho_code code = HO_REJECT;
    if (made && k->kind == SIG_ECDSA && jose) {
        code = der_to_jose(span_make(sig, len), out);
    } else if (made) {
        code = buf_add(out, sig, len);
    }
    ERR_clear_error();
    return code;
}

enum mac_sig mac_key_kind(const struct mac_key *k)
{
    return k->kind;
}
