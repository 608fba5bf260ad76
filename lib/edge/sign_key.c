/* Test keys: a fresh pair, and the public half as a source's secret has it. */
#include "edge/sign_key.h"

#include <string.h>

#include "base/text.h"
#include "edge/recipe_parts.h"

#define PEM_MAX 16384
#define ED25519_RAW 32

static enum jose_alg first_public(unsigned allowed)
{
    for (enum jose_alg a = JOSE_HS256; a < JOSE_N; a++) {
        if ((allowed & (1U << a)) != 0 && !jose_is_shared(a)) {
            return a;
        }
    }
    return JOSE_N;
}

bool sign_private(const struct recipe *r, enum mac_sig *kind)
{
    const struct alg *alg = &r->alg.choices[0].alg;
    enum jose_alg jose;

    switch (alg->kind) {
    case ALG_RSA:
        *kind = SIG_RSA;
        return true;
    case ALG_ECDSA:
        *kind = SIG_ECDSA;
        return true;
    case ALG_ED25519:
        *kind = SIG_ED25519;
        return true;
    case ALG_JWT:
    case ALG_JWS:
        jose = first_public(alg->jose);
        if (jose == JOSE_N) {
            return false;
        }
        *kind = jose_kind(jose);
        return true;
    case ALG_HMAC:
    case ALG_DIGEST:
    case ALG_EQUAL:
        break;
    }
    return false;
}

/* The bytes between the lines of a PEM text: DER SubjectPublicKeyInfo; of Ed25519 only the key. */
static enum ho_code der_of(enum mac_sig kind, struct span pem, struct buf *out)
{
    struct buf text;
    enum ho_code code = HO_OK;

    buf_init(&text, PEM_MAX);
    while (span_present(pem) && code == HO_OK) {
        struct span line = span_trim_line(span_cut(&pem, '\n'));

        if (line.len > 0 && line.p[0] != '-') {
            code = buf_add_span(&text, line);
        }
    }
    if (code == HO_OK) {
        code = text_unbase64(buf_span(&text), out);
    }
    buf_free(&text);
    if (code == HO_OK && kind == SIG_ED25519 && out->len > ED25519_RAW) {
        memmove(out->p, out->p + out->len - ED25519_RAW, ED25519_RAW);
        out->len = ED25519_RAW;
    }
    return code;
}

/* What stands in front in the secret's text: the strip steps, in their order. */
static enum ho_code put_prefixes(const struct recipe *r, struct buf *secret)
{
    enum ho_code code = HO_OK;

    for (size_t i = 0; i < r->n_key_steps && code == HO_OK; i++) {
        if (r->key_steps[i].kind == KEY_STRIP) {
            code = buf_add_span(secret, r->key_steps[i].text);
        }
    }
    return code;
}

static enum ho_code put_encoded(enum key_step_kind kind, struct span der, struct buf *secret)
{
    char hex[2 * PEM_MAX + 1];

    if (kind == KEY_UNBASE64) {
        return text_base64(der, secret);
    }
    if (der.len > PEM_MAX) {
        return HO_REJECT;
    }
    text_hex(der.p, der.len, hex);
    return buf_add_str(secret, hex);
}

static enum ho_code put_public(const struct recipe *r, enum mac_sig kind, struct span pem,
                               struct buf *secret)
{
    enum key_step_kind last = r->n_key_steps > 0 ? r->key_steps[r->n_key_steps - 1].kind
                                                 : KEY_STRIP;
    enum ho_code code = put_prefixes(r, secret);
    struct buf der;

    if (code != HO_OK || r->key_template != NULL) {
        return HO_PERMANENT;
    }
    if (last != KEY_UNBASE64 && last != KEY_UNHEX) {
        return buf_add_span(secret, pem);
    }
    buf_init(&der, PEM_MAX);
    code = der_of(kind, pem, &der);
    if (code == HO_OK) {
        code = put_encoded(last, buf_span(&der), secret);
    }
    buf_free(&der);
    return code;
}

enum ho_code sign_new_key(const struct recipe *r, struct buf *private_pem, struct buf *secret,
                          struct ho_err *err)
{
    enum mac_sig kind;
    struct buf pem;
    enum ho_code code;

    if (!sign_private(r, &kind)) {
        return ho_fail(err, HO_PERMANENT, "%s is signed with the source's secret; no key pair is "
                                          "needed", r->name);
    }
    buf_init(&pem, PEM_MAX);
    code = mac_key_make(kind, private_pem, &pem);
    if (code == HO_OK) {
        code = put_public(r, kind, buf_span(&pem), secret);
    }
    buf_free(&pem);
    return code == HO_OK ? code
                         : ho_fail(err, HO_PERMANENT, "no test key can be made for %s", r->name);
}
