/* Fresh key pairs, for tests and for signing test deliveries. */
#include "base/mac_key.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "base/mac_key_parts.h"

#define RSA_BITS 2048

static bool set_up(enum mac_sig kind, EVP_PKEY_CTX *ctx)
{
    switch (kind) {
    case SIG_RSA:
        return EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, RSA_BITS) == 1;
    case SIG_ECDSA:
        return EVP_PKEY_CTX_set_ec_paramgen_curve_nid(ctx, NID_X9_62_prime256v1) == 1 &&
               EVP_PKEY_CTX_set_ec_param_enc(ctx, OPENSSL_EC_NAMED_CURVE) == 1;
    case SIG_ED25519:
        return true;
    }
    return false;
}

static EVP_PKEY *generate(enum mac_sig kind)
{
    static const int ids[] = {
        [SIG_RSA] = EVP_PKEY_RSA, [SIG_ECDSA] = EVP_PKEY_EC, [SIG_ED25519] = EVP_PKEY_ED25519};
    EVP_PKEY *pkey = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(ids[kind], NULL);
    if (ctx == NULL || EVP_PKEY_keygen_init(ctx) != 1 || !set_up(kind, ctx) ||
        EVP_PKEY_keygen(ctx, &pkey) != 1) {
        ho_die("the cryptographic library failed: making a key");
    }
    EVP_PKEY_CTX_free(ctx);
    return pkey;
}

typedef int (*writer)(BIO *, EVP_PKEY *);

static int write_private(BIO *bio, EVP_PKEY *pkey)
{
    return PEM_write_bio_PKCS8PrivateKey(bio, pkey, NULL, NULL, 0, NULL, NULL);
}

static int write_public(BIO *bio, EVP_PKEY *pkey)
{
    return PEM_write_bio_PUBKEY(bio, pkey);
}

static enum ho_code put_pem(EVP_PKEY *pkey, writer write, struct buf *out)
{
    char *text = NULL;
    BIO *bio = BIO_new(BIO_s_mem());
    if (bio == NULL || write(bio, pkey) != 1) {
        ho_die("the cryptographic library failed: writing a key");
    }
    long len = BIO_get_mem_data(bio, &text);
    enum ho_code code = buf_add(out, text, len > 0 ? (size_t)len : 0);
    BIO_free(bio); /* wipes what it held */
    return code;
}

enum ho_code mac_key_make(enum mac_sig kind, struct buf *private_pem, struct buf *public_pem)
{
    size_t start = private_pem->len;
    EVP_PKEY *pkey = generate(kind);
    enum ho_code code = put_pem(pkey, write_private, private_pem);
    if (code == HO_OK) {
        code = put_pem(pkey, write_public, public_pem);
        if (code != HO_OK) {
            mac_wipe(private_pem->p + start, private_pem->len - start);
            private_pem->len = start;
        }
    }
    EVP_PKEY_free(pkey);
    ERR_clear_error();
    return code;
}
