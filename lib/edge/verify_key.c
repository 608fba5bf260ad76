/* Signatures by private keys, and tokens (JWT, detached JWS). */
#include "edge/verify_parts.h"

#include "base/text.h"

static enum mac_sig kind_of(enum alg_kind kind)
{
    if (kind == ALG_RSA) {
        return SIG_RSA;
    }
    return kind == ALG_ECDSA ? SIG_ECDSA : SIG_ED25519;
}

bool verify_too_many(const struct check *c)
{
    if (c->parts.n_sigs > PUBLIC_SIGS_MAX) {
        verify_say(c, "more than %d tokens, or signatures by private keys, are not tried", PUBLIC_SIGS_MAX);
    }
    return c->parts.n_sigs > PUBLIC_SIGS_MAX;
}

/* Every signature against every key, with the URL that the view shows. */
static enum reason try_keys(struct check *c, const struct sig_bytes *sigs,
                            const struct key_set *set, unsigned url, struct fit *fit)
{
    struct span parts[EXPR_PIECES_MAX];
    struct mac_text text;
    enum reason why;
    struct buf tmp;
    size_t n;

    buf_init(&tmp, verify_signed_room(c));
    why = verify_signed(c, &tmp, parts, &n);
    if (why != REASON_OK) {
        buf_wipe(&tmp);
        return why;
    }
    verify_say_signed(c, parts, n, url - 1);
    mac_text_make(kind_of(c->alg.kind), c->alg.digest, parts, n, &text);
    for (size_t i = 0; i < set->n; i++) {
        for (size_t j = 0; set->keys[i] != NULL && j < sigs->n; j++) {
            verify_keep(fit, (unsigned)i + 1, url,
                        mac_key_verify_text(set->keys[i], false, &text, buf_span(&sigs->at[j])));
        }
    }
    mac_text_free(&text);
    buf_wipe(&tmp);
    return REASON_SIGNATURE;
}

static void say_keys(const struct check *c, const struct key_set *set, unsigned slot)
{
    for (size_t i = 0; i < set->n; i++) {
        const char *how = set->keys[i] == NULL ? "is of another kind, or over"
                          : slot == i + 1      ? "fits"
                                               : "does not fit";

        if (set->is_fetched) {
            verify_say(c, "fetched key %zu: %s", i + 1, how);
        } else {
            verify_say(c, "secret %d: %s", c->endpoint->keys[i].number, how);
        }
    }
}

enum reason verify_public(struct check *c)
{
    struct key_set set;
    struct sig_bytes sigs;
    struct fit fit = {0, 0};
    size_t n_urls = verify_urls(c);
    enum reason why;

    if (verify_too_many(c)) {
        return REASON_HEADER_MALFORMED;
    }
    why = verify_keys(c, kind_of(c->alg.kind), NULL, &set);
    sigs.n = 0;
    if (why == REASON_OK) {
        why = verify_decode(c, &sigs);
    }
    if (why == REASON_OK) {
        for (size_t u = 0; u < n_urls; u++) {
            verify_use_url(c, u);
            why = try_keys(c, &sigs, &set, (unsigned)u + 1, &fit);
        }
        say_keys(c, &set, fit.slot);
        if (fit.slot > 0 || why == REASON_SIGNATURE) {
            why = verify_keys_done(c, &set, fit.slot > 0);
        }
    }
    if (fit.slot > 0) {
        verify_settle(c, &fit, set.is_fetched);
    }
    verify_decode_free(&sigs);
    verify_keys_free(&set);
    return why;
}
