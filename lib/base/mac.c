/* Digests, HMAC, constant-time comparison and random bytes, by OpenSSL. */
#include "base/mac.h"

#include <limits.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "base/mac_key_parts.h"

static void must(bool worked, const char *what)
{
    if (!worked) {
        ho_die("the cryptographic library failed: %s", what);
    }
}

void mac_start(void)
{
#ifdef HO_PORTABLE
    must(OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) == 1, "start");
#endif
}

size_t mac_len(enum mac_alg alg)
{
    switch (alg) {
    case MAC_MD5:
        return 16;
    case MAC_SHA1:
        return 20;
    case MAC_SHA256:
        return 32;
    case MAC_SHA384:
        return 48;
    case MAC_SHA512:
        return 64;
    }
    ho_die("unknown digest %d", (int)alg);
}

const EVP_MD *mac_evp(enum mac_alg alg)
{
    switch (alg) {
    case MAC_MD5:
        return EVP_md5();
    case MAC_SHA1:
        return EVP_sha1();
    case MAC_SHA256:
        return EVP_sha256();
    case MAC_SHA384:
        return EVP_sha384();
    case MAC_SHA512:
        return EVP_sha512();
    }
    ho_die("unknown digest %d", (int)alg);
}

void mac_digest(enum mac_alg alg, const struct span *parts, size_t n, unsigned char out[MAC_MAX])
{
    unsigned int got = 0;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    must(ctx != NULL && EVP_DigestInit_ex(ctx, mac_evp(alg), NULL) == 1, "digest");
    for (size_t i = 0; i < n; i++) {
        if (parts[i].len > 0) {
            must(EVP_DigestUpdate(ctx, parts[i].p, parts[i].len) == 1, "digest");
        }
    }
    must(EVP_DigestFinal_ex(ctx, out, &got) == 1 && got == mac_len(alg), "digest");
    EVP_MD_CTX_free(ctx);
}

void mac_sha256(struct span data, unsigned char out[SHA256_LEN])
{
    mac_sha256_parts(&data, 1, out);
}

void mac_sha256_parts(const struct span *parts, size_t n, unsigned char out[SHA256_LEN])
{
    unsigned char digest[MAC_MAX];
    mac_digest(MAC_SHA256, parts, n, digest);
    memcpy(out, digest, SHA256_LEN);
}

void mac_hmac(enum mac_alg alg, struct span key, const struct span *parts, size_t n,
              unsigned char out[MAC_MAX])
{
    static const unsigned char no_key[1];
    const unsigned char *key_bytes = key.p == NULL ? no_key : key.p;
    size_t len = mac_len(alg);
    EVP_PKEY *pkey = EVP_PKEY_new_raw_private_key(EVP_PKEY_HMAC, NULL, key_bytes, key.len);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    must(pkey != NULL && ctx != NULL, "hmac key");
    must(EVP_DigestSignInit(ctx, NULL, mac_evp(alg), NULL, pkey) == 1, "hmac");
    for (size_t i = 0; i < n; i++) {
        if (parts[i].len > 0) {
            must(EVP_DigestSignUpdate(ctx, parts[i].p, parts[i].len) == 1, "hmac");
        }
    }
    size_t got = MAC_MAX;
    must(EVP_DigestSignFinal(ctx, out, &got) == 1 && got == len, "hmac");
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(pkey);
}

bool mac_equal(struct span a, struct span b)
{
    if (a.p == NULL || b.p == NULL || a.len != b.len) {
        return false;
    }
    return CRYPTO_memcmp(a.p, b.p, a.len) == 0;
}

bool mac_equal_secret(struct span a, struct span b)
{
    unsigned char da[SHA256_LEN];
    unsigned char db[SHA256_LEN];
    if (a.p == NULL || b.p == NULL) {
        return false;
    }
    mac_sha256(a, da);
    mac_sha256(b, db);
    return CRYPTO_memcmp(da, db, sizeof da) == 0;
}

void mac_random(unsigned char *out, size_t len)
{
    must(len <= INT_MAX && RAND_bytes(out, (int)len) == 1, "random bytes");
}

void mac_wipe(void *p, size_t len)
{
    if (p != NULL) {
        OPENSSL_cleanse(p, len);
    }
}
