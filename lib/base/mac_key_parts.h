/* Between the mac*.c files only: the one place that sees both a key and OpenSSL. */
#ifndef HO_BASE_MAC_KEY_PARTS_H
#define HO_BASE_MAC_KEY_PARTS_H

#include <openssl/evp.h>

#include "base/mac_key.h"

struct mac_key {
    enum mac_sig kind;
    bool is_private;
    EVP_PKEY *pkey; /* owned */
};

const EVP_MD *mac_evp(enum mac_alg alg);

/* Makes a key of pkey, which it owns from now on (NULL: was no key), after looking whether it is of
 * that kind and size. Clears OpenSSL's error queue. Results as mac_key_public. */
enum ho_code mac_key_take(enum mac_sig kind, EVP_PKEY *pkey, bool is_private,
                          struct mac_key **out, struct ho_err *err) HO_MUST_CHECK;

/* Appends a DER tag with the length of what follows, or an unsigned INTEGER. */
enum ho_code mac_der_head(unsigned char tag, size_t len, struct buf *out) HO_MUST_CHECK;
enum ho_code mac_der_uint(struct span number, struct buf *out) HO_MUST_CHECK;

/* Appends the SubjectPublicKeyInfo around a PKCS#1 RSAPublicKey. */
enum ho_code mac_der_rsa(struct span rsa_public_key, struct buf *out) HO_MUST_CHECK;

#endif
