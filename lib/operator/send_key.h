/* Keys of test deliveries whose provider signs with a private key. */
#ifndef HO_OPERATOR_SEND_KEY_H
#define HO_OPERATOR_SEND_KEY_H

#include "edge/endpoint.h"
#include "operator/operator.h"

/* Finds the key to sign with: the source's own secret, or the private key in `file` (--key).
 * out: *owned holds what *key borrows, secret_free; *key in the form that sign_request wants
 * returns EXIT_WELL or the status to end with, after a message. */
int send_key_find(const struct operator *op, const struct endpoint *e, const char *file,
                  int64_t now_us, struct secret *owned, struct span *key);

/* Makes a pair for the source's recipe: the private key into `file` (0600, not there before), the
 * public one into file.pub as the source's secret has it, and says what to do with them. */
int send_key_make(const struct operator *op, const struct endpoint *e, const char *file);

#endif
