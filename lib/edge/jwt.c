/* Compact tokens: their form, and their window. What is signed by whom is verify_key.c's. */
#include "edge/jwt.h"

#include <string.h>

#include "base/text.h"

#define LEEWAY_S INT64_C(60)
#define NAME_MAX 32 /* bytes of an algorithm's name */

static const struct {
    const char *word;
    enum mac_alg digest;
    bool shared;
    enum mac_sig kind; /* where it is not shared */
} rows[JOSE_N] = {
    [JOSE_HS256] = {"HS256", MAC_SHA256, true, SIG_RSA},
    [JOSE_HS384] = {"HS384", MAC_SHA384, true, SIG_RSA},
    [JOSE_HS512] = {"HS512", MAC_SHA512, true, SIG_RSA},
    [JOSE_RS256] = {"RS256", MAC_SHA256, false, SIG_RSA},
    [JOSE_RS384] = {"RS384", MAC_SHA384, false, SIG_RSA},
    [JOSE_RS512] = {"RS512", MAC_SHA512, false, SIG_RSA},
    [JOSE_ES256] = {"ES256", MAC_SHA256, false, SIG_ECDSA},
    [JOSE_EDDSA] = {"EdDSA", MAC_SHA512, false, SIG_ED25519},
};

enum jose_alg jose_alg_of(struct span name)
{
    int i = 0;

    while (i < JOSE_N && !span_is(name, rows[i].word)) {
        i++;
    }
    return (enum jose_alg)i;
}

const char *jose_alg_word(enum jose_alg alg)
{
    return rows[alg].word;
}

bool jose_is_shared(enum jose_alg alg)
{
    return rows[alg].shared;
}

enum mac_alg jose_digest(enum jose_alg alg)
{
    return rows[alg].digest;
}

enum mac_sig jose_kind(enum jose_alg alg)
{
    return rows[alg].kind;
}

/* ---- form ---- */

/* A part's JSON, which must be an object. */
static enum ho_code parse_part(struct span part, const char *what, struct json **out,
                               struct ho_err *err)
{
    struct buf text;
    enum ho_code code;

    buf_init(&text, JWT_MAX);
    code = text_unbase64url(part, &text);
    if (code != HO_OK) {
        code = ho_fail(err, HO_REJECT, "the token's %s is no base64url", what);
    } else if (json_parse(buf_span(&text), out, NULL) != HO_OK) {
        code = ho_fail(err, HO_REJECT, "the token's %s is no JSON", what);
    } else if (json_kind_of(json_at(*out, SPAN_LIT(""))) != JSON_OBJECT) {
        code = ho_fail(err, HO_REJECT, "the token's %s is no JSON object", what);
    }
    buf_free(&text);
    return code;
}

/* Whether a node is that string. */
static bool node_is(const struct json_node *node, const char *want)
{
    struct buf text;
    bool is;

    if (json_kind_of(node) != JSON_STRING) {
        return false;
    }
    buf_init(&text, NAME_MAX);
    is = json_text(node, &text) == HO_OK && span_is(buf_span(&text), want);
    buf_free(&text);
    return is;
}

static enum ho_code read_alg(unsigned allowed, struct jwt *out, struct ho_err *err)
{
    const struct json_node *alg = json_at(out->header, SPAN_LIT("/alg"));

    if (json_kind_of(alg) != JSON_STRING) {
        return ho_fail(err, HO_REJECT, "the token names no algorithm");
    }
    for (int i = 0; i < JOSE_N; i++) {
        if ((allowed & 1U << i) != 0 && node_is(alg, rows[i].word)) {
            out->alg = (enum jose_alg)i;
            return HO_OK;
        }
    }
    return ho_fail(err, HO_PERMANENT, "the token's algorithm is none of the recipe's");
}

/* What a header calls critical must be understood, and here that is b64 alone. */
static enum ho_code read_crit(bool detached, struct jwt *out, struct ho_err *err)
{
    const struct json_node *crit = json_at(out->header, SPAN_LIT("/crit"));
    const struct json_node *b64 = json_at(out->header, SPAN_LIT("/b64"));
    bool known = detached && json_kind_of(crit) == JSON_ARRAY && json_count(crit) == 1 &&
                 node_is(json_item(crit, 0), "b64") && json_kind_of(b64) == JSON_BOOL;

    if (json_kind_of(crit) != JSON_ABSENT && !known) {
        return ho_fail(err, HO_REJECT, "the token's \"crit\" is not understood");
    }
    if (json_kind_of(b64) != JSON_ABSENT && !json_bool(b64) && !known) {
        return ho_fail(err, HO_REJECT, "the token's \"b64\" is not understood");
    }
    out->raw = json_kind_of(b64) != JSON_ABSENT && !json_bool(b64);
    return HO_OK;
}

enum ho_code jwt_parse(struct span text, unsigned allowed, bool detached, struct jwt *out,
                       struct ho_err *err)
{
    struct span rest = text;
    struct span header = span_cut(&rest, '.');
    struct span payload = span_cut(&rest, '.');
    enum ho_code code;

    *out = (struct jwt){.alg = JOSE_N};
    buf_init(&out->sig, MAC_SIG_MAX);
    if (text.len > JWT_MAX) {
        return ho_fail(err, HO_REJECT, "the token is over %zu bytes", JWT_MAX);
    }
    if (!span_present(rest) || span_has(rest, '.') || header.len == 0 || rest.len == 0 ||
        (payload.len == 0) != detached) {
        return ho_fail(err, HO_REJECT, "the token does not have the parts it should");
    }
    code = parse_part(header, "header", &out->header, err);
    if (code == HO_OK) {
        code = read_alg(allowed, out, err);
    }
    if (code == HO_OK) {
        code = read_crit(detached, out, err);
    }
    if (code == HO_OK && !detached) {
        code = parse_part(payload, "payload", &out->claims, err);
    }
    if (code == HO_OK && text_unbase64url(rest, &out->sig) != HO_OK) {
        code = ho_fail(err, HO_REJECT, "the token's signature is no base64url");
    }
    out->signing = span_sub(text, 0, detached ? header.len : header.len + 1 + payload.len);
    return code;
}

void jwt_free(struct jwt *t)
{
    json_free(t->header);
    json_free(t->claims);
    t->header = NULL;
    t->claims = NULL;
    buf_free(&t->sig);
}

/* ---- window ---- */

/* A NumericDate in whole seconds: fractions are dropped, exponents are no times. */
static bool read_date(const struct json_node *node, int64_t *seconds)
{
    enum json_kind kind = json_kind_of(node);
    struct span whole;
    uint64_t number = 0;
    bool well = false;
    struct buf text;

    if (kind != JSON_INT && kind != JSON_REAL) {
        return false;
    }
    buf_init(&text, 64);
    if (json_text(node, &text) == HO_OK) {
        struct span fraction = buf_span(&text);
        bool minus = span_starts(fraction, "-");

        fraction = span_sub(fraction, minus ? 1 : 0, fraction.len);
        whole = span_cut(&fraction, '.');
        well = text_uint(whole, INT64_MAX / 2, &number) &&
               (!span_present(fraction) || strspn(buf_cstr(&text), "-.0123456789") == text.len);
        *seconds = minus ? -(int64_t)number : (int64_t)number;
    }
    buf_free(&text);
    return well;
}

int jwt_window(const struct json *claims, int64_t now_us)
{
    const struct json_node *exp = json_at(claims, SPAN_LIT("/exp"));
    const struct json_node *nbf = json_at(claims, SPAN_LIT("/nbf"));
    int64_t now = now_us / 1000000;
    int64_t at;

    if (json_kind_of(exp) != JSON_ABSENT) {
        if (!read_date(exp, &at)) {
            return 2;
        }
        if (now >= at + LEEWAY_S) {
            return 1;
        }
    }
    if (json_kind_of(nbf) != JSON_ABSENT) {
        if (!read_date(nbf, &at)) {
            return 2;
        }
        if (at > now + LEEWAY_S) {
            return -1;
        }
    }
    return 0;
}
