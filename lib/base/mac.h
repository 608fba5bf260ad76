/* Digests, message authentication and random bytes: the only user of OpenSSL. Out of memory or a
 * missing algorithm dies (the environment is broken), so these do not return errors. */
#ifndef HO_BASE_MAC_H
#define HO_BASE_MAC_H

#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

/* Once, before anything else of the library runs, in each program: the portable ones (lib/dist) must
 * not read the host's openssl.cnf, which may name modules that are made for another library. */
void mac_start(void);

enum mac_alg { MAC_MD5, MAC_SHA1, MAC_SHA256, MAC_SHA384, MAC_SHA512 };
#define MAC_MAX 64    /* the longest result */
#define SHA256_LEN 32

size_t mac_len(enum mac_alg alg); /* 16, 20, 32, 48, 64 */

/* The plain digest over the concatenation of the parts. out gets mac_len(alg) bytes. */
void mac_digest(enum mac_alg alg, const struct span *parts, size_t n, unsigned char out[MAC_MAX]);

void mac_sha256(struct span data, unsigned char out[SHA256_LEN]);
void mac_sha256_parts(const struct span *parts, size_t n, unsigned char out[SHA256_LEN]);

/* HMAC (RFC 2104) over the concatenation of the parts. out gets mac_len(alg) bytes. */
void mac_hmac(enum mac_alg alg, struct span key, const struct span *parts, size_t n,
              unsigned char out[MAC_MAX]);

/* Whether both are equal, in time that depends on the lengths only. */
bool mac_equal(struct span a, struct span b);

/* The same where the length of one is secret too: the digests are compared. */
bool mac_equal_secret(struct span a, struct span b);

void mac_random(unsigned char *out, size_t len);
void mac_wipe(void *p, size_t len); /* not removed by the optimiser */

#endif
