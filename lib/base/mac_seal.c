/* AES-256-GCM by OpenSSL. */
#include "base/mac_seal.h"

#include <limits.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/mac.h"
#include "base/text.h"

#define NONCE_LEN 12
#define TAG_LEN 16
#define STEP (64UL * 1024 * 1024) /* OpenSSL counts in int */

static void must(bool worked)
{
    if (!worked) {
        ho_die("the cryptographic library failed: AES-256-GCM");
    }
}

bool seal_key_read(struct span text, struct seal_key *out)
{
    const struct span label = SPAN_LIT("hookonce body key print");
    unsigned char digest[MAC_MAX];
    struct buf bytes;

    buf_init(&bytes, SEAL_KEY_LEN);
    bool good = text_unhex(text, true, out->key, SEAL_KEY_LEN);
    if (!good && text_unbase64(text, &bytes) == HO_OK && bytes.len == SEAL_KEY_LEN) {
        memcpy(out->key, bytes.p, SEAL_KEY_LEN);
        good = true;
    }
    buf_wipe(&bytes);
    mac_hmac(MAC_SHA256, span_make(out->key, SEAL_KEY_LEN), &label, 1, digest);
    text_hex(digest, SEAL_PRINT_LEN / 2, out->print);
    out->print[SEAL_PRINT_LEN] = '\0';
    return good;
}

static EVP_CIPHER_CTX *begin(const struct seal_key *key, const unsigned char *nonce,
                             struct span where, int encrypt)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n = 0;

    must(ctx != NULL && where.len <= INT_MAX &&
         EVP_CipherInit_ex(ctx, EVP_aes_256_gcm(), NULL, key->key, nonce, encrypt) == 1 &&
         EVP_CipherUpdate(ctx, NULL, &n, where.p, (int)where.len) == 1);
    return ctx;
}

/* GCM is a stream: so many bytes in, so many out. */
static void all(EVP_CIPHER_CTX *ctx, struct span in, unsigned char *out)
{
    for (size_t at = 0; at < in.len; at += STEP) {
        size_t step = in.len - at < STEP ? in.len - at : STEP;
        int n = 0;

        must(EVP_CipherUpdate(ctx, out + at, &n, in.p + at, (int)step) == 1 && (size_t)n == step);
    }
}

enum ho_code seal(const struct seal_key *key, struct span where, struct span plain,
                  struct buf *out)
{
    unsigned char *at = plain.len <= out->max ? buf_room(out, plain.len + SEAL_MORE) : NULL;
    int n = 0;

    if (at == NULL) {
        return HO_REJECT;
    }
    mac_random(at, NONCE_LEN);
    EVP_CIPHER_CTX *ctx = begin(key, at, where, 1);
    unsigned char *tag = at + NONCE_LEN + plain.len;
    all(ctx, plain, at + NONCE_LEN);
    must(EVP_CipherFinal_ex(ctx, tag, &n) == 1 &&
         EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_GET_TAG, TAG_LEN, tag) == 1);
    EVP_CIPHER_CTX_free(ctx);
    out->len += plain.len + SEAL_MORE;
    return HO_OK;
}

enum ho_code seal_open(const struct seal_key *key, struct span where, struct span sealed,
                       struct buf *out)
{
    unsigned char tag[TAG_LEN];
    int n = 0;

    if (sealed.len < SEAL_MORE) {
        return HO_REJECT;
    }
    size_t len = sealed.len - SEAL_MORE;
    unsigned char *at = buf_room(out, len);
    if (at == NULL) {
        return HO_REJECT;
    }
    memcpy(tag, sealed.p + NONCE_LEN + len, TAG_LEN);
    EVP_CIPHER_CTX *ctx = begin(key, sealed.p, where, 0);
    all(ctx, span_make(sealed.p + NONCE_LEN, len), at);
    must(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_TAG, TAG_LEN, tag) == 1);
    bool genuine = EVP_CipherFinal_ex(ctx, at + len, &n) == 1;
    EVP_CIPHER_CTX_free(ctx);
    if (!genuine) {
        mac_wipe(at, len);
        return HO_REJECT;
    }
    out->len += len;
    return HO_OK;
}
