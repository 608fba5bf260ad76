/* Signatures as the provider makes them: a MAC, a digest, the token itself, or by a private key. */
#include "base/mac_key.h"
#include "base/text.h"
#include "edge/sign_parts.h"

enum ho_code made_signed(struct made *m, struct buf *tmp, struct span parts[EXPR_PIECES_MAX],
                         size_t *n, struct ho_err *err)
{
    enum term_result result;

    m->view.exact = true;
    m->view.secret = m->alg.kind == ALG_DIGEST ? m->in->key : SPAN_NONE;
    result = expr_parts(m->recipe->signed_bytes, &m->view, tmp, parts, n);
    m->view.exact = false;
    m->view.secret = SPAN_NONE;
    return result == TERM_OK
               ? HO_OK
               : ho_fail(err, HO_PERMANENT, "%s signs something that this body, its settings or "
                                            "its URL do not have", m->recipe->name);
}

static enum ho_code encode(enum recipe_enc enc, struct span bytes, struct buf *out)
{
    enum ho_code code = HO_OK;

    switch (enc) {
    case ENC_BASE64:
        return text_base64(bytes, out);
    case ENC_BASE64URL:
        return text_base64url(bytes, out);
    case ENC_RAW:
        return buf_add_span(out, bytes);
    case ENC_HEX:
    case ENC_HEX_ANY:
        break;
    }
    for (size_t i = 0; i < bytes.len && code == HO_OK; i++) {
        code = buf_addf(out, "%02x", bytes.p[i]);
    }
    return code;
}

static enum ho_code by_key(const struct made *m, const struct span *parts, size_t n,
                           struct buf *bytes, struct ho_err *err)
{
    enum mac_sig kind = m->alg.kind == ALG_RSA     ? SIG_RSA
                        : m->alg.kind == ALG_ECDSA ? SIG_ECDSA
                                                   : SIG_ED25519;
    struct mac_key *key = NULL;
    enum ho_code code = mac_key_private(kind, m->in->key, &key, err);

    if (code != HO_OK) {
        ho_err_prefix(err, "the private key");
        return HO_PERMANENT;
    }
    code = mac_key_sign(key, m->alg.digest, false, parts, n, bytes);
    mac_key_free(key);
    return code == HO_OK ? code : ho_fail(err, HO_PERMANENT, "the private key does not sign");
}

static enum ho_code sign_bytes(struct made *m, struct buf *bytes, struct ho_err *err)
{
    struct span parts[EXPR_PIECES_MAX];
    unsigned char mac[MAC_MAX];
    struct buf tmp;
    size_t n;
    enum ho_code code;

    buf_init(&tmp, made_room(m));
    code = made_signed(m, &tmp, parts, &n, err);
    if (code == HO_OK && (m->alg.kind == ALG_HMAC || m->alg.kind == ALG_DIGEST)) {
        if (m->alg.kind == ALG_HMAC) {
            mac_hmac(m->alg.digest, m->in->key, parts, n, mac);
        } else {
            mac_digest(m->alg.digest, parts, n, mac);
        }
        code = buf_add(bytes, mac, mac_len(m->alg.digest));
    } else if (code == HO_OK) {
        code = by_key(m, parts, n, bytes, err);
    }
    buf_wipe(&tmp);
    return code;
}

enum ho_code made_signature(struct made *m, struct buf *out, struct ho_err *err)
{
    struct buf bytes;
    enum ho_code code;

    buf_init(&bytes, SECRET_MAX);
    code = m->alg.kind == ALG_EQUAL ? buf_add_span(&bytes, m->in->key) : sign_bytes(m, &bytes, err);
    if (code == HO_OK && encode(m->recipe->enc, buf_span(&bytes), out) != HO_OK) {
        code = ho_fail(err, HO_PERMANENT, "the signature is too long");
    }
    buf_wipe(&bytes);
    return code;
}
