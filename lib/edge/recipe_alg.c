/* The keys of a recipe that say which algorithms and keys there are: alg, alg-by, enc, weak, key,
 * keys. */
#include <stdlib.h>

#include "edge/recipe_parts.h"

#define ALGS_KNOWN \
    "hmac-ALG digest-ALG rsa-ALG ecdsa-ALG (ALG: md5 sha1 sha256 sha384 sha512; of rsa and ecdsa " \
    "sha1 sha256 sha512), ed25519, jwt NAME..., jws NAME..., equal"
#define JOSE_KNOWN "HS256 HS384 HS512 RS256 RS384 RS512 ES256 EdDSA"

static const char *const digest_words[] = {[MAC_MD5] = "md5", [MAC_SHA1] = "sha1",
                                           [MAC_SHA256] = "sha256", [MAC_SHA384] = "sha384",
                                           [MAC_SHA512] = "sha512"};

/* The first four have a digest behind them. */
static const char *const kind_words[] = {
    [ALG_HMAC] = "hmac-",      [ALG_DIGEST] = "digest-", [ALG_RSA] = "rsa-", [ALG_ECDSA] = "ecdsa-",
    [ALG_ED25519] = "ed25519", [ALG_JWT] = "jwt",        [ALG_JWS] = "jws",  [ALG_EQUAL] = "equal"};

static bool has_digest(enum alg_kind kind)
{
    return kind == ALG_HMAC || kind == ALG_DIGEST || kind == ALG_RSA || kind == ALG_ECDSA;
}

enum ho_code recipe_alg_put(const struct alg *a, struct buf *out)
{
    enum ho_code code = buf_addf(out, "%s%s", kind_words[a->kind],
                                 has_digest(a->kind) ? digest_words[a->digest] : "");

    for (int i = 0; i < JOSE_N && code == HO_OK; i++) {
        if ((a->jose & 1U << i) != 0) {
            code = buf_addf(out, " %s", jose_alg_word((enum jose_alg)i));
        }
    }
    return code;
}

/* ---- alg ---- */

static enum ho_code read_jose(struct alg *alg, struct span names, struct ho_err *err)
{
    bool shared = false;
    bool public = false;

    for (struct span name = recipe_word(&names); span_present(name); name = recipe_word(&names)) {
        enum jose_alg one = jose_alg_of(name);

        if (one == JOSE_N || (alg->jose & 1U << one) != 0) {
            return recipe_unknown(err, "or repeated name", name, JOSE_KNOWN);
        }
        alg->jose |= 1U << one;
        shared = shared || jose_is_shared(one);
        public = public || !jose_is_shared(one);
    }
    if (alg->jose == 0) {
        return ho_fail(err, HO_REJECT, "%s needs the algorithms that may be, of " JOSE_KNOWN,
                       kind_words[alg->kind]);
    }
    return shared && public
               ? ho_fail(err, HO_REJECT, "HS and the others at once: a public key would pass for a "
                                         "shared secret")
               : HO_OK;
}

/* "hmac-sha256" and so on: the digest behind the kind. */
static bool read_digest(struct alg *alg, struct span word)
{
    for (size_t kind = 0; kind < sizeof kind_words / sizeof kind_words[0]; kind++) {
        for (size_t d = 0; d < sizeof digest_words / sizeof digest_words[0]; d++) {
            struct span rest = word;

            if (!has_digest((enum alg_kind)kind) || !span_starts(rest, kind_words[kind])) {
                continue;
            }
            rest = span_sub(rest, span_of(kind_words[kind]).len, rest.len);
            if (span_is(rest, digest_words[d])) {
                *alg = (struct alg){(enum alg_kind)kind, (enum mac_alg)d, 0};
                return (kind != ALG_RSA && kind != ALG_ECDSA) ||
                       (d != MAC_MD5 && d != MAC_SHA384);
            }
        }
    }
    return false;
}

static enum ho_code read_alg(struct alg *alg, struct span text, struct ho_err *err)
{
    struct span rest = text;
    struct span word = recipe_word(&rest);

    *alg = (struct alg){.kind = ALG_HMAC};
    if (span_is(word, "jwt") || span_is(word, "jws")) {
        alg->kind = span_is(word, "jwt") ? ALG_JWT : ALG_JWS;
        return read_jose(alg, rest, err);
    }
    if (span_is(word, "ed25519") || span_is(word, "equal")) {
        alg->kind = span_is(word, "equal") ? ALG_EQUAL : ALG_ED25519;
    } else if (!read_digest(alg, word)) {
        return recipe_unknown(err, "algorithm", word, ALGS_KNOWN);
    }
    return rest.len == 0 ? HO_OK
                         : ho_fail(err, HO_REJECT, "one algorithm; for several see alg-by");
}

static enum ho_code read_alg_one(struct recipe *r, struct span text, struct ho_err *err)
{
    r->alg.n = 1;
    r->alg.choices[0] = (struct alg_choice){SPAN_NONE, false, {ALG_HMAC, MAC_SHA256, 0}};
    return read_alg(&r->alg.choices[0].alg, text, err);
}

static enum ho_code read_choice(struct recipe *r, struct span text, struct ho_err *err)
{
    struct alg_rule *rule = &r->alg;
    struct alg_choice *c = &rule->choices[rule->n];
    struct span rest = text;
    struct span word = recipe_word(&rest);
    enum ho_code code;

    if (rule->n == ALGS_MAX) {
        return ho_fail(err, HO_REJECT, "more than %d choices", ALGS_MAX);
    }
    *c = (struct alg_choice){.absent = span_is(word, "none")};
    c->value = c->absent || span_is(word, "else") ? SPAN_NONE : word;
    for (size_t i = 0; i < rule->n; i++) {
        if (rule->choices[i].absent == c->absent && span_eq(rule->choices[i].value, c->value)) {
            return ho_fail(err, HO_REJECT, "a second choice for %.*s", (int)word.len,
                           (const char *)word.p);
        }
    }
    rule->n++;
    code = read_alg(&c->alg, rest, err);
    if (code != HO_OK) {
        return code;
    }
    if (!has_digest(c->alg.kind) || c->alg.kind != rule->choices[0].alg.kind) {
        return ho_fail(err, HO_REJECT, "the choices are all hmac, all digest, all rsa or all "
                                       "ecdsa, since they take the same keys");
    }
    return HO_OK;
}

static enum ho_code read_alg_by(struct recipe *r, struct span text, struct ho_err *err)
{
    struct recipe_place place = {
        .recipe = r,
        .kinds = TERM_BITS_HEAD | TERM_BIT(TERM_FORM) | TERM_BIT(TERM_JSON) | TERM_BIT(TERM_SIG) |
                 TERM_BIT(TERM_PARAM),
        .says = "the algorithm is told by header, query, form, json, sig or param only",
    };
    enum ho_code code;

    r->alg.by_on = true;
    code = recipe_read_term(&place, recipe_cut(&text, " ; "), &r->alg.by, err);
    while (code == HO_OK && span_present(text)) {
        code = read_choice(r, recipe_cut(&text, " ; "), err);
    }
    if (code == HO_OK && r->alg.n == 0) {
        return ho_fail(err, HO_REJECT, "written: TERM ; VALUE ALG ; VALUE ALG ; else ALG");
    }
    return code;
}

/* The nearest of alg and alg-by. */
static enum ho_code read_algs(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
{
    struct recipe_entry own = {t->section, NULL};

    for (; t != NULL; t = t->like) {
        struct recipe_entry alg = {t->section, conf_find(t->section, "alg")};
        struct recipe_entry by = {t->section, conf_find(t->section, "alg-by")};

        if (alg.entry != NULL && by.entry != NULL) {
            return recipe_blame(by, ho_fail(err, HO_REJECT, "stands in place of alg, not beside"),
                                err);
        }
        if (alg.entry != NULL) {
            return recipe_blame(alg, read_alg_one(r, recipe_value(alg), err), err);
        }
        if (by.entry != NULL) {
            return recipe_blame(by, read_alg_by(r, recipe_value(by), err), err);
        }
    }
    return recipe_blame(own, ho_fail(err, HO_REJECT, "[recipe %s] needs alg", r->name), err);
}

unsigned recipe_public_kinds(const struct recipe *r)
{
    unsigned kinds = 0;

    for (size_t i = 0; i < r->alg.n; i++) {
        const struct alg *a = &r->alg.choices[i].alg;

        kinds |= a->kind == ALG_RSA       ? 1U << SIG_RSA
                 : a->kind == ALG_ECDSA   ? 1U << SIG_ECDSA
                 : a->kind == ALG_ED25519 ? 1U << SIG_ED25519
                                          : 0;
        for (int j = 0; j < JOSE_N; j++) {
            if ((a->jose & 1U << j) != 0 && !jose_is_shared((enum jose_alg)j)) {
                kinds |= 1U << jose_kind((enum jose_alg)j);
            }
        }
    }
    return kinds;
}

/* ---- enc, weak, key ---- */

static enum ho_code read_enc(struct recipe *r, struct span word, struct ho_err *err)
{
    static const char *const words[] = {[ENC_HEX] = "hex", [ENC_HEX_ANY] = "hex-any",
                                        [ENC_BASE64] = "base64", [ENC_BASE64URL] = "base64url",
                                        [ENC_RAW] = "raw"};
    enum alg_kind kind = r->alg.choices[0].alg.kind;
    bool is_token = kind == ALG_JWT || kind == ALG_JWS;
    size_t i = 0;

    r->enc = is_token || kind == ALG_EQUAL ? ENC_RAW : ENC_HEX;
    if (!span_present(word)) {
        return HO_OK;
    }
    while (i < sizeof words / sizeof words[0] && !span_is(word, words[i])) {
        i++;
    }
    if (i == sizeof words / sizeof words[0]) {
        return recipe_unknown(err, "encoding", word, "hex hex-any base64 base64url raw");
    }
    r->enc = (enum recipe_enc)i;
    if (is_token && r->enc != ENC_RAW) {
        return ho_fail(err, HO_REJECT, "jwt and jws are taken as they are: raw");
    }
    if (r->enc == ENC_RAW && !is_token && kind != ALG_EQUAL) {
        return ho_fail(err, HO_REJECT, "raw is for equal, jwt and jws");
    }
    return HO_OK;
}

static enum ho_code read_weak(struct recipe *r, struct span word, struct ho_err *err)
{
    bool is_equal = r->alg.choices[0].alg.kind == ALG_EQUAL;

    r->weak = span_is(word, "body")     ? WEAK_BODY
              : span_is(word, "fields") ? WEAK_FIELDS
              : span_is(word, "token")  ? WEAK_TOKEN
                                        : WEAK_NONE;
    if (is_equal && r->weak != WEAK_TOKEN) {
        return ho_fail(err, HO_REJECT, "alg = equal proves nothing but a shared token: say "
                                       "weak = token");
    }
    return is_equal || r->weak != WEAK_TOKEN
               ? HO_OK
               : ho_fail(err, HO_REJECT, "token is for alg = equal");
}

static enum ho_code read_key_step(struct recipe *r, struct span word, struct ho_err *err)
{
    static const char *const words[] = {[KEY_UNBASE64] = "unbase64", [KEY_UNHEX] = "unhex",
                                        [KEY_MD5] = "md5", [KEY_SHA1] = "sha1",
                                        [KEY_SHA256] = "sha256"};
    struct key_step step = {KEY_STRIP, SPAN_NONE};

    for (size_t i = KEY_UNBASE64; i < sizeof words / sizeof words[0]; i++) {
        step.kind = span_is(word, words[i]) ? (enum key_step_kind)i : step.kind;
    }
    if (step.kind == KEY_STRIP && (!span_starts(word, "strip:") || word.len == 6)) {
        return recipe_unknown(err, "key step", word, "utf8, split:TEXT and a template of {secret}, "
                              "both in front, strip:TEXT unbase64 unhex md5 sha1 sha256");
    }
    step.text = step.kind == KEY_STRIP ? span_sub(word, 6, word.len) : SPAN_NONE;
    if (r->n_key_steps == KEY_STEPS_MAX) {
        return ho_fail(err, HO_REJECT, "more than %d steps", KEY_STEPS_MAX);
    }
    if (step.kind == KEY_STRIP && r->n_key_steps > 0 &&
        r->key_steps[r->n_key_steps - 1].kind != KEY_STRIP) {
        return ho_fail(err, HO_REJECT, "strip stands in front of what decodes");
    }
    r->key_steps[r->n_key_steps++] = step;
    return HO_OK;
}

static enum ho_code read_key_template(struct recipe *r, struct span text, struct ho_err *err)
{
    struct recipe_place place = {
        .recipe = r,
        .kinds = TERM_BIT(TERM_SECRET) | TERM_BIT(TERM_PARAM),
        .says = "a key is made of {secret} and {param:NAME} only",
    };
    enum ho_code code = recipe_read_expr(&place, text, &r->key_template, err);

    if (code == HO_OK && (r->key_template->n_alts > 1 ||
                          !expr_has(r->key_template, TERM_SECRET))) {
        return ho_fail(err, HO_REJECT, "the template of a key holds {secret}, and no alternatives");
    }
    return code;
}

static enum ho_code read_key(struct recipe *r, struct span text, struct ho_err *err)
{
    enum ho_code code = HO_OK;
    bool is_first = true;

    if (!span_present(text) || span_is(text, "utf8")) {
        return HO_OK;
    }
    for (; span_present(text) && code == HO_OK; is_first = false) {
        struct span part = recipe_cut(&text, " | ");

        if (is_first && span_starts(part, "split:") && part.len > 6) {
            r->key_split = span_sub(part, 6, part.len);
        } else if (r->key_template == NULL && r->n_key_steps == 0 && span_has(part, '{')) {
            code = read_key_template(r, part, err);
        } else {
            code = read_key_step(r, part, err);
        }
    }
    return code;
}

enum ho_code recipe_read_alg(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
{
    static const struct recipe_step steps[] = {
        {"enc", read_enc}, {"weak", read_weak}, {"key", read_key}, {"keys", recipe_read_keys},
    };
    enum ho_code code = read_algs(r, t, err);

    return code == HO_OK ? recipe_steps(steps, sizeof steps / sizeof steps[0], r, t, err) : code;
}

void recipe_free_alg(struct recipe *r)
{
    term_free(&r->alg.by);
    expr_free(r->key_template);
    term_free(&r->keys.term);
    term_free(&r->keys.kid);
}
