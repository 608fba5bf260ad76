/* Test keys for recipes whose provider signs with a private key. */
#ifndef HO_EDGE_SIGN_KEY_H
#define HO_EDGE_SIGN_KEY_H

#include "base/mac_key.h"
#include "edge/recipe.h"

/* Whether test deliveries need a private key (false: the source's secret signs); *kind gets which. */
bool sign_private(const struct recipe *r, enum mac_sig *kind);

/* Makes a pair. Appends the private key as PEM, and the public one as this recipe's secrets are
 * written: the recipe's key chain turned round.
 * returns HO_OK | HO_PERMANENT (the chain can't be turned round, or a buffer is full).
 * blocks: for RSA up to a second or two of computing. */
enum ho_code sign_new_key(const struct recipe *r, struct buf *private_pem, struct buf *secret,
                          struct ho_err *err) HO_MUST_CHECK;

#endif
