/* The key `keys` of a recipe: public keys that are fetched. */
#include "core/url_match.h"
#include "edge/recipe_parts.h"

#define WRITTEN "written: jwks URL ; kid TERM, or pem URL, or json URL ; at /POINTER; URL is " \
                "https://... or a TERM, and then ; from PATTERN..."

/* URL, or where it is told. */
static enum ho_code read_url(struct recipe *r, struct span word, struct ho_err *err)
{
    struct recipe_place place = {
        .recipe = r,
        .kinds = TERM_BIT(TERM_HEADER) | TERM_BIT(TERM_FAMILY) | TERM_BIT(TERM_JSON),
        .says = "the URL of a key is https://..., or told by a header or json",
    };

    if (!span_starts(word, "https://")) {
        return recipe_read_term(&place, word, &r->keys.term, err);
    }
    r->keys.url = word;
    return span_has(word, '*') ? ho_fail(err, HO_REJECT, "a fixed URL holds no *")
                               : url_pattern_check(word, err);
}

static enum ho_code read_kid(struct recipe *r, struct span text, struct ho_err *err)
{
    struct recipe_place place = {
        .recipe = r,
        .kinds = TERM_BITS_HEAD | TERM_BIT(TERM_FORM) | TERM_BIT(TERM_JSON) | TERM_BIT(TERM_SIG) |
                 TERM_BIT(TERM_JOSE),
        .says = "a key's id is told by header, query, form, json, sig or jose only",
    };

    r->keys.kid_on = true;
    return recipe_read_term(&place, text, &r->keys.kid, err);
}

static enum ho_code read_directive(struct recipe *r, struct span text, struct ho_err *err)
{
    struct keys_rule *keys = &r->keys;
    struct span word = recipe_word(&text);

    if (span_is(word, "kid") && !keys->kid_on && keys->kind == KEYS_JWKS) {
        return read_kid(r, text, err);
    }
    if (span_is(word, "at") && !span_present(keys->at) && keys->kind == KEYS_JSON) {
        keys->at = text;
        return span_starts(text, "/") ? HO_OK : ho_fail(err, HO_REJECT, "at needs a pointer");
    }
    if (span_is(word, "from") && keys->n_from == 0) {
        return recipe_read_from(text, keys->from, &keys->n_from, err);
    }
    return recipe_unknown(err, "or repeated directive", word,
                          "kid (of jwks), at (of json), from, once each");
}

enum ho_code recipe_read_keys(struct recipe *r, struct span text, struct ho_err *err)
{
    struct keys_rule *keys = &r->keys;
    struct span url, word;
    enum ho_code code;

    if (!span_present(text)) {
        return HO_OK;
    }
    if (recipe_public_kinds(r) == 0) {
        return ho_fail(err, HO_REJECT, "public keys are for rsa, ecdsa, ed25519 and jwt or jws "
                                       "with RS, ES or EdDSA");
    }
    url = recipe_cut(&text, " ; ");
    word = recipe_word(&url);
    keys->kind = span_is(word, "jwks")   ? KEYS_JWKS
                 : span_is(word, "pem")  ? KEYS_PEM
                 : span_is(word, "json") ? KEYS_JSON
                                         : KEYS_NONE;
    if (keys->kind == KEYS_NONE || url.len == 0) {
        return ho_fail(err, HO_REJECT, WRITTEN);
    }
    code = read_url(r, url, err);
    while (code == HO_OK && span_present(text)) {
        code = read_directive(r, recipe_cut(&text, " ; "), err);
    }
    if (code != HO_OK) {
        return code;
    }
    if (keys->kind == KEYS_JSON && !span_present(keys->at)) {
        return ho_fail(err, HO_REJECT, "json needs `at /POINTER`");
    }
    if (span_present(keys->url) != (keys->n_from == 0)) {
        return ho_fail(err, HO_REJECT, span_present(keys->url)
                                           ? "from is for a URL that the request tells"
                                           : "a URL that the request tells needs `from`: else "
                                             "anybody could have his own key used");
    }
    return HO_OK;
}
