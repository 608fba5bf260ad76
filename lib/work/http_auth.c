/* Secrets of requests. */
#include "work/http_auth.h"

#include <stdio.h>

#include "base/mac.h"
#include "base/text.h"

#define SECRET_PREFIX "whsec_"
#define KEY_MAX 4096

/* A secret as a header holds it: not empty, no byte that would end the header. */
static enum ho_code read_plain(const char *path, struct secret *out, struct ho_err *err)
{
    if (secret_read(path, out, err) != HO_OK) {
        return HO_TRANSIENT;
    }
    struct span s = secret_span(out);
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] < ' ' || s.p[i] >= 0x7f) {
            secret_free(out);
            return ho_fail(err, HO_TRANSIENT, "%s: one line of printable ASCII is wanted", path);
        }
    }
    return HO_OK;
}

static enum ho_code full(struct ho_err *err)
{
    return ho_fail(err, HO_TRANSIENT, "too many headers for one request");
}

enum ho_code http_auth(const struct setting_auth *auth, struct buf *out, struct ho_err *err)
{
    struct secret secret;
    enum ho_code code;

    if (auth->kind == AUTH_NONE) {
        return HO_OK;
    }
    if (read_plain(auth->path, &secret, err) != HO_OK) {
        return HO_TRANSIENT;
    }
    struct span s = secret_span(&secret);
    if (auth->kind == AUTH_BEARER) {
        code = buf_add_str(out, "Authorization: Bearer ");
        code = code == HO_OK ? buf_add_span(out, s) : code;
    } else if (!span_has(s, ':')) {
        secret_free(&secret);
        return ho_fail(err, HO_TRANSIENT, "%s: user:password is wanted", auth->path);
    } else {
        code = buf_add_str(out, "Authorization: Basic ");
        code = code == HO_OK ? text_base64(s, out) : code;
    }
    code = code == HO_OK ? buf_add_byte(out, '\n') : code;
    secret_free(&secret);
    return code == HO_OK ? HO_OK : full(err);
}

enum ho_code http_auth_header(const struct setting_header *header, struct buf *out,
                              struct ho_err *err)
{
    struct secret secret = {NULL, 0};

    if (header->value == NULL && read_plain(header->path, &secret, err) != HO_OK) {
        return HO_TRANSIENT;
    }
    struct span value = header->value != NULL ? span_of(header->value) : secret_span(&secret);
    enum ho_code code = buf_addf(out, "%s: ", header->name);
    code = code == HO_OK ? buf_add_span(out, value) : code;
    code = code == HO_OK ? buf_add_byte(out, '\n') : code;
    secret_free(&secret);
    return code == HO_OK ? HO_OK : full(err);
}

/* The key's bytes, appended. */
static enum ho_code sign_key(const char *path, struct buf *key, struct ho_err *err)
{
    struct secret secret;

    if (secret_read(path, &secret, err) != HO_OK) {
        return HO_TRANSIENT;
    }
    struct span text = secret_span(&secret);
    if (span_starts(text, SECRET_PREFIX)) {
        text = span_sub(text, sizeof SECRET_PREFIX - 1, text.len);
    }
    enum ho_code code = text_unbase64(text, key);
    secret_free(&secret);
    if (code != HO_OK || key->len < HTTP_SIGN_LEAST) {
        return ho_fail(err, HO_TRANSIENT, "%s: a secret of Standard Webhooks is wanted: whsec_ and "
                                          "at least %d bytes as base64", path, HTTP_SIGN_LEAST);
    }
    return HO_OK;
}

enum ho_code http_auth_sign(const char *path, const char *id, int64_t now_s, struct span body,
                            struct buf *out, struct ho_err *err)
{
    unsigned char mac[MAC_MAX];
    char time[24];
    struct buf key;

    buf_init(&key, KEY_MAX);
    if (sign_key(path, &key, err) != HO_OK) {
        buf_wipe(&key);
        return HO_TRANSIENT;
    }
    (void)snprintf(time, sizeof time, "%lld", (long long)now_s);
    const struct span parts[] = {span_of(id), SPAN_LIT("."), span_of(time), SPAN_LIT("."), body};
    mac_hmac(MAC_SHA256, buf_span(&key), parts, sizeof parts / sizeof parts[0], mac);
    buf_wipe(&key);
    enum ho_code code = buf_addf(out, "webhook-id: %s\nwebhook-timestamp: %s\n"
                                      "webhook-signature: v1,", id, time);
    code = code == HO_OK ? text_base64(span_make(mac, SHA256_LEN), out) : code;
    code = code == HO_OK ? buf_add_byte(out, '\n') : code;
    return code == HO_OK ? HO_OK : full(err);
}
