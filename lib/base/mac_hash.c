/* Digests by OpenSSL's plain functions. Its newer interface looks each algorithm up in tables of names
 * that it fills first: two thirds of all that a receiver did for a delivery in plain CGI, where each is a
 * process of its own. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/mac_hash.h"

static void must(int worked)
{
    if (worked != 1) {
        ho_die("the cryptographic library failed: digest");
    }
}

size_t mac_hash_block(enum mac_alg alg)
{
    return alg == MAC_SHA384 || alg == MAC_SHA512 ? SHA512_CBLOCK : SHA256_CBLOCK;
}

void mac_hash_init(struct mac_hash *h, enum mac_alg alg)
{
    h->alg = alg;
    switch (alg) {
    case MAC_MD5:
        must(MD5_Init(&h->state.md5));
        return;
    case MAC_SHA1:
        must(SHA1_Init(&h->state.sha1));
        return;
    case MAC_SHA256:
        must(SHA256_Init(&h->state.sha256));
        return;
    case MAC_SHA384:
        must(SHA384_Init(&h->state.sha512));
        return;
    case MAC_SHA512:
        must(SHA512_Init(&h->state.sha512));
        return;
    }
    ho_die("unknown digest %d", (int)alg);
}

void mac_hash_add(struct mac_hash *h, struct span part)
{
    if (part.len == 0) {
        return;
    }
    switch (h->alg) {
    case MAC_MD5:
        must(MD5_Update(&h->state.md5, part.p, part.len));
        return;
    case MAC_SHA1:
        must(SHA1_Update(&h->state.sha1, part.p, part.len));
        return;
    case MAC_SHA256:
        must(SHA256_Update(&h->state.sha256, part.p, part.len));
        return;
    case MAC_SHA384:
        must(SHA384_Update(&h->state.sha512, part.p, part.len));
        return;
    case MAC_SHA512:
        must(SHA512_Update(&h->state.sha512, part.p, part.len));
        return;
    }
}

void mac_hash_end(struct mac_hash *h, unsigned char out[MAC_MAX])
{
    switch (h->alg) {
    case MAC_MD5:
        must(MD5_Final(out, &h->state.md5));
        break;
    case MAC_SHA1:
        must(SHA1_Final(out, &h->state.sha1));
        break;
    case MAC_SHA256:
        must(SHA256_Final(out, &h->state.sha256));
        break;
    case MAC_SHA384:
        must(SHA384_Final(out, &h->state.sha512));
        break;
    case MAC_SHA512:
        must(SHA512_Final(out, &h->state.sha512));
        break;
    }
    mac_wipe(&h->state, sizeof h->state);
}
