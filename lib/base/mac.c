/* Digests, HMAC, constant-time comparison and random bytes, by OpenSSL. */
#include "base/mac.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/mac_hash.h"
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
    struct mac_hash h;

    mac_hash_init(&h, alg);
    for (size_t i = 0; i < n; i++) {
        mac_hash_add(&h, parts[i]);
    }
    mac_hash_end(&h, out);
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

/* A block of the key, each byte changed by `pad`. */
static void add_pad(struct mac_hash *h, const unsigned char *key, size_t block, unsigned char pad)
{
    unsigned char bytes[MAC_BLOCK_MAX];

    for (size_t i = 0; i < block; i++) {
        bytes[i] = key[i] ^ pad;
    }
    mac_hash_add(h, span_make(bytes, block));
    mac_wipe(bytes, sizeof bytes);
}

void mac_hmac(enum mac_alg alg, struct span key, const struct span *parts, size_t n,
              unsigned char out[MAC_MAX])
{
    unsigned char block[MAC_BLOCK_MAX] = {0}, inner[MAC_MAX];
    size_t len = mac_hash_block(alg);
    struct mac_hash h;

    if (key.len > len) {
        mac_digest(alg, &key, 1, block);
    } else if (key.len > 0) {
        memcpy(block, key.p, key.len);
    }
    mac_hash_init(&h, alg);
    add_pad(&h, block, len, 0x36);
    for (size_t i = 0; i < n; i++) {
        mac_hash_add(&h, parts[i]);
    }
    mac_hash_end(&h, inner);
    mac_hash_init(&h, alg);
    add_pad(&h, block, len, 0x5c);
    mac_hash_add(&h, span_make(inner, mac_len(alg)));
    mac_hash_end(&h, out);
    mac_wipe(block, sizeof block);
    mac_wipe(inner, sizeof inner);
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

/* Of kernels before 3.17, which have no call for it. */
static bool random_file(unsigned char *out, size_t len)
{
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC | O_NOCTTY);
    size_t have = 0;
    ssize_t n = 1;

    while (fd >= 0 && have < len && n > 0) {
        n = read(fd, out + have, len - have);
        have += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return have == len;
}

/* The kernel's own: that of a library would be filled from it, at a cost that a process of one delivery
 * pays in full. */
void mac_random(unsigned char *out, size_t len)
{
    size_t have = 0;

    while (have < len) {
        ssize_t n = getrandom(out + have, len - have, 0);

        if (n < 0 && errno != EINTR) {
            break;
        }
        have += n > 0 ? (size_t)n : 0;
    }
    must(have == len || random_file(out, len), "random bytes");
}

void mac_wipe(void *p, size_t len)
{
    if (p != NULL) {
        OPENSSL_cleanse(p, len);
    }
}
