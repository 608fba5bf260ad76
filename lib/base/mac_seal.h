/* Sealing bytes: AES-256-GCM under a key from a file. What was changed, moved or cut does not
 * open. */
#ifndef HO_BASE_MAC_SEAL_H
#define HO_BASE_MAC_SEAL_H

#include "base/buf.h"
#include "base/span.h"

#define SEAL_KEY_LEN 32
#define SEAL_PRINT_LEN 16 /* characters that name a key; they tell nothing of it */
#define SEAL_MORE 28      /* bytes by which a sealed text is longer: nonce and tag */

struct seal_key {
    unsigned char key[SEAL_KEY_LEN];
    char print[SEAL_PRINT_LEN + 1];
};

/* A key from the text of its file: 32 bytes as 64 hex digits, or in base64. false: neither. */
bool seal_key_read(struct span text, struct seal_key *out) HO_MUST_CHECK;

/* Appends nonce, sealed text and tag. The nonce is random, so a key serves for billions of texts.
 * in:  where — what the text belongs to; it opens only with the same
 * returns HO_OK | HO_REJECT (it does not fit into out) */
enum ho_code seal(const struct seal_key *key, struct span where, struct span plain,
                  struct buf *out) HO_MUST_CHECK;

/* Appends the text. returns HO_OK | HO_REJECT (another key or place, changed, or does not fit);
 * then out is as it was. */
enum ho_code seal_open(const struct seal_key *key, struct span where, struct span sealed,
                       struct buf *out) HO_MUST_CHECK;

#endif
