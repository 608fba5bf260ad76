/* Signatures under shared secrets. Every signature is compared with every secret and URL, without a
 * way out or a branch in between, so that the time it takes tells nothing about which of them fits;
 * tests/unit/test_timing.c holds that. */
#include "edge/verify_parts.h"

#define SIG_ROOM SECRET_MAX /* bytes of a signature; a token that is compared may be as long */

void verify_keep(struct fit *fit, unsigned slot, unsigned url, bool fits)
{
    /* All ones when this one fits and nothing did before. */
    unsigned none = ((fit->slot - 1U) & ~fit->slot) >> (sizeof(unsigned) * 8 - 1);
    unsigned mask = 0U - (none & (unsigned)fits);

    fit->slot |= slot & mask;
    fit->url |= url & mask;
}

enum reason verify_decode(const struct check *c, struct sig_bytes *out)
{
    out->n = 0;
    for (size_t i = 0; i < c->parts.n_sigs; i++) {
        struct buf *bytes = &out->at[out->n];

        buf_init(bytes, SIG_ROOM);
        if (sig_decode(c->recipe->enc, c->parts.sigs[i], bytes)) {
            out->n++;
        } else {
            buf_wipe(bytes);
        }
    }
    verify_say(c, "signatures in the recipe's encoding: %zu of %zu", out->n, c->parts.n_sigs);
    return out->n > 0 ? REASON_OK : REASON_HEADER_MALFORMED;
}

void verify_decode_free(struct sig_bytes *s)
{
    for (size_t i = 0; i < s->n; i++) {
        buf_wipe(&s->at[i]);
    }
}

/* ---- signed bytes ---- */

size_t verify_urls(const struct check *c)
{
    bool tried = c->recipe->signed_bytes != NULL && c->urls.n > 0 &&
                 expr_has(c->recipe->signed_bytes, TERM_URL);

    return tried ? c->urls.n : 1;
}

void verify_use_url(struct check *c, size_t u)
{
    if (u < c->urls.n) {
        c->view.url = c->urls.at[u];
    }
}

size_t verify_signed_room(const struct check *c)
{
    return c->request->body.len * 8 + REQUEST_HEAD_MAX; /* escaped for JSON it is up to six times */
}

/* A handshake hands out HMACs of short words to anybody: such a word is never a delivery. */
static bool is_challenge(const struct span *parts, size_t n)
{
    unsigned char all[CHALLENGE_MAX];
    size_t len = 0;

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < parts[i].len; j++) {
            if (len == sizeof all) {
                return false;
            }
            all[len++] = parts[i].p[j];
        }
    }
    return filter_is_challenge(span_make(all, len));
}

/* Which of the signed values it is that is not as it must be; of several ways the first counts. */
static enum reason blame(const struct check *c, enum term_result result)
{
    const struct expr_alt *alt = &c->recipe->signed_bytes->alts[0];
    struct term_view view = c->view;
    struct buf tmp;

    view.exact = true;
    buf_init(&tmp, verify_signed_room(c));
    for (size_t i = 0; i < alt->n; i++) {
        const struct expr_piece *piece = &alt->pieces[i];
        struct span value;

        if (piece->is_term && piece->group == 0 && c->note->which[0] == '\0' &&
            term_value(&piece->term, &view, &tmp, &value) == result) {
            (void)verify_blame(c, &piece->term, verify_reason(result));
        }
        buf_clear(&tmp);
    }
    buf_wipe(&tmp);
    return verify_reason(result);
}

enum reason verify_signed(const struct check *c, struct buf *tmp,
                          struct span parts[EXPR_PIECES_MAX], size_t *n)
{
    struct term_view view = c->view;
    enum term_result result;

    view.exact = true;
    result = expr_parts(c->recipe->signed_bytes, &view, tmp, parts, n);
    if (result != TERM_OK) {
        *n = 0;
        return c->note->which[0] != '\0' ? verify_reason(result) : blame(c, result);
    }
    return c->recipe->signs_challenges && is_challenge(parts, *n) ? REASON_SIGNATURE : REASON_OK;
}

/* ---- secrets ---- */

bool verify_usable(const struct check *c, size_t i, bool as_public)
{
    const struct endpoint_key *key = &c->endpoint->keys[i];

    return c->now_us < key->until_us && (key->pub != NULL) == as_public;
}

/* Whether one of the signatures is the bytes. */
static bool any_equal(const struct check *c, const struct sig_bytes *sigs, struct span want)
{
    bool fits = false;

    for (size_t i = 0; i < sigs->n; i++) {
        struct span sig = buf_span(&sigs->at[i]);

        fits |= c->alg.kind == ALG_EQUAL ? mac_equal_secret(sig, want) : mac_equal(sig, want);
    }
    return fits;
}

/* One secret with the URL that the view shows. *why: the signed bytes could not be put together. */
static bool fits_one(struct check *c, const struct sig_bytes *sigs, struct span secret,
                     enum reason *why)
{
    struct span parts[EXPR_PIECES_MAX];
    unsigned char mac[MAC_MAX];
    struct buf tmp;
    bool fits = false;
    size_t n;

    if (c->alg.kind == ALG_EQUAL) {
        return any_equal(c, sigs, secret);
    }
    buf_init(&tmp, verify_signed_room(c));
    c->view.secret = secret;
    *why = verify_signed(c, &tmp, parts, &n);
    if (*why == REASON_OK) {
        if (c->alg.kind == ALG_DIGEST) {
            mac_digest(c->alg.digest, parts, n, mac);
        } else {
            mac_hmac(c->alg.digest, secret, parts, n, mac);
        }
        fits = any_equal(c, sigs, span_make(mac, mac_len(c->alg.digest)));
        mac_wipe(mac, sizeof mac);
    }
    buf_wipe(&tmp);
    return fits;
}

void verify_try_shared(struct check *c, const struct sig_bytes *sigs, struct fit *fit,
                       enum reason *why)
{
    size_t n_urls = verify_urls(c);
    enum reason worst = REASON_SIGNATURE;
    bool built = false;

    *fit = (struct fit){0, 0};
    for (size_t u = 0; u < n_urls; u++) {
        verify_use_url(c, u);
        for (size_t i = 0; i < c->endpoint->n_keys; i++) {
            enum reason reason = REASON_OK;
            bool fits;

            if (!verify_usable(c, i, false)) {
                continue;
            }
            fits = fits_one(c, sigs, secret_span(&c->endpoint->keys[i].secret), &reason);
            verify_keep(fit, (unsigned)i + 1, (unsigned)u + 1, fits);
            built = built || reason == REASON_OK;
            worst = reason == REASON_OK ? worst : reason;
        }
    }
    c->view.secret = SPAN_NONE;
    *why = built ? REASON_SIGNATURE : worst;
}

void verify_settle(struct check *c, const struct fit *fit, bool fetched)
{
    verify_use_url(c, fit->url - 1);
    c->number = 0;
    if (!fetched) {
        c->number = c->endpoint->keys[fit->slot - 1].number;
        c->view.secret = secret_span(&c->endpoint->keys[fit->slot - 1].secret);
    }
}

/* What was signed, for people; where the secret is in it, its digest would be the signature. */
static void say_signed(struct check *c)
{
    struct span parts[EXPR_PIECES_MAX];
    struct buf tmp;
    size_t n;

    if (c->note->trace == NULL || c->recipe->signed_bytes == NULL) {
        return;
    }
    for (size_t u = 0; u < verify_urls(c); u++) {
        verify_use_url(c, u);
        buf_init(&tmp, verify_signed_room(c));
        if (expr_has(c->recipe->signed_bytes, TERM_SECRET)) {
            verify_say(c, "the signed bytes hold the secret, and are not shown");
        } else if (verify_signed(c, &tmp, parts, &n) == REASON_OK) {
            verify_say_signed(c, parts, n, u);
        }
        buf_wipe(&tmp);
    }
}

enum reason verify_shared(struct check *c)
{
    struct sig_bytes sigs;
    struct fit fit = {0, 0};
    enum reason why = verify_decode(c, &sigs);

    if (why == REASON_OK) {
        say_signed(c);
        verify_try_shared(c, &sigs, &fit, &why);
        for (size_t i = 0; i < c->endpoint->n_keys; i++) {
            if (verify_usable(c, i, false)) {
                verify_say(c, "secret %d: %s", c->endpoint->keys[i].number,
                           fit.slot == i + 1 ? "fits" : "does not fit");
            }
        }
    }
    verify_decode_free(&sigs);
    if (fit.slot == 0) {
        return why;
    }
    verify_settle(c, &fit, false);
    return REASON_OK;
}
