/* The digests themselves. Between the mac*.c files only. */
#ifndef HO_BASE_MAC_HASH_H
#define HO_BASE_MAC_HASH_H

#include <openssl/md5.h>
#include <openssl/sha.h>

#include "base/mac.h"

#define MAC_BLOCK_MAX 128 /* bytes that a digest takes at once */

struct mac_hash {
    enum mac_alg alg;
    union {
        MD5_CTX md5;
        SHA_CTX sha1;
        SHA256_CTX sha256;
        SHA512_CTX sha512; /* SHA-384 too */
    } state;
};

size_t mac_hash_block(enum mac_alg alg); /* 64 or 128 */
void mac_hash_init(struct mac_hash *h, enum mac_alg alg);
void mac_hash_add(struct mac_hash *h, struct span part); /* an absent one adds nothing */
/* Ends it and wipes its state; out gets mac_len(alg) bytes. */
void mac_hash_end(struct mac_hash *h, unsigned char out[MAC_MAX]);

#endif
