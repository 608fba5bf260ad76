/* What a request of ours carries that is secret: read from its files when it is sent, so that a new
 * secret counts from the next request on. */
#ifndef HO_WORK_HTTP_AUTH_H
#define HO_WORK_HTTP_AUTH_H

#include "core/settings.h"

/* Appends "Authorization: …\n"; nothing with AUTH_NONE. out: a buf that is wiped afterwards.
 * returns HO_OK | HO_TRANSIENT (the file cannot be used, or holds what no header may). */
enum ho_code http_auth(const struct setting_auth *auth, struct buf *out, struct ho_err *err)
    HO_MUST_CHECK;

/* Appends "Name: value\n"; likewise. */
enum ho_code http_auth_header(const struct setting_header *header, struct buf *out,
                              struct ho_err *err) HO_MUST_CHECK;

/* Appends webhook-id, webhook-timestamp and webhook-signature (Standard Webhooks, v1): HMAC-SHA256
 * under the secret in the file, base64 behind an optional "whsec_", at least HTTP_SIGN_LEAST bytes.
 * in: now_s — unix seconds. returns as above */
#define HTTP_SIGN_LEAST 16
enum ho_code http_auth_sign(const char *path, const char *id, int64_t now_s, struct span body,
                            struct buf *out, struct ho_err *err) HO_MUST_CHECK;

#endif
