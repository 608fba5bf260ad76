/* Tokens as the provider makes them: a JWT with the claims that the recipe looks at, or a detached
 * JWS over the signed bytes. */
#include "base/mac_key.h"
#include "base/text.h"
#include "edge/sign_parts.h"

static enum ho_code add_json(const struct json *doc, struct buf *out)
{
    struct buf text;
    enum ho_code code;

    buf_init(&text, JWT_MAX);
    code = json_text(json_at(doc, SPAN_LIT("")), &text);
    if (code == HO_OK) {
        code = text_base64url(buf_span(&text), out);
    }
    buf_free(&text);
    return code;
}

/* The detached payload as base64url. */
static enum ho_code add_payload(struct made *m, struct buf *out, struct ho_err *err)
{
    struct span parts[EXPR_PIECES_MAX];
    struct buf tmp;
    struct buf whole;
    size_t n = 0;
    enum ho_code code;

    buf_init(&tmp, made_room(m));
    buf_init(&whole, made_room(m));
    code = made_signed(m, &tmp, parts, &n, err);
    for (size_t i = 0; i < n && code == HO_OK; i++) {
        code = buf_add_span(&whole, parts[i]);
    }
    if (code == HO_OK) {
        code = text_base64url(buf_span(&whole), out);
    }
    buf_free(&tmp);
    buf_free(&whole);
    return code;
}

static enum ho_code add_mac(const struct made *m, struct span input, struct buf *out,
                            struct ho_err *err)
{
    enum mac_alg digest = jose_digest(m->jose_alg);
    unsigned char mac[MAC_MAX];
    struct mac_key *key = NULL;
    struct buf sig;
    enum ho_code code;

    if (jose_is_shared(m->jose_alg)) {
        mac_hmac(digest, m->in->key, &input, 1, mac);
        return text_base64url(span_make(mac, mac_len(digest)), out);
    }
    if (mac_key_private(jose_kind(m->jose_alg), m->in->key, &key, err) != HO_OK) {
        ho_err_prefix(err, "the private key");
        return HO_PERMANENT;
    }
    buf_init(&sig, MAC_SIG_MAX);
    code = mac_key_sign(key, digest, true, &input, 1, &sig);
    if (code == HO_OK) {
        code = text_base64url(buf_span(&sig), out);
    }
    buf_free(&sig);
    mac_key_free(key);
    return code;
}

enum ho_code made_token(struct made *m, struct buf *out, struct ho_err *err)
{
    bool detached = m->alg.kind == ALG_JWS;
    struct buf input;
    size_t header;
    enum ho_code code;

    buf_init(&input, 2 * made_room(m) + 2 * JWT_MAX);
    code = add_json(m->jose, &input);
    header = input.len;
    if (code == HO_OK) {
        code = buf_add_byte(&input, '.');
    }
    if (code == HO_OK) {
        code = detached ? add_payload(m, &input, err) : add_json(m->claims, &input);
    }
    if (code == HO_OK) {
        code = buf_add_span(out, span_sub(buf_span(&input), 0, detached ? header : input.len));
    }
    if (code == HO_OK) {
        code = buf_add_str(out, detached ? ".." : ".");
    }
    if (code == HO_OK) {
        code = add_mac(m, buf_span(&input), out, err);
    }
    buf_free(&input);
    if (code == HO_REJECT) {
        return ho_fail(err, HO_PERMANENT, "the token is too long");
    }
    return code;
}
