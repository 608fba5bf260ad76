/* Tokens: a JWT, whose payload are claims, and a detached JWS, which signs the recipe's bytes. */
#include "edge/verify_parts.h"

#include "base/text.h"

#define PARTS_MAX (EXPR_PIECES_MAX + 2)

/* What a token signs; the spans borrow from the token and the two buffers. */
struct signing {
    struct span parts[PARTS_MAX];
    size_t n;
    struct buf made, encoded;
};

static void signing_free(struct signing *s)
{
    buf_wipe(&s->made);
    buf_wipe(&s->encoded);
}

/* The payload of a detached token behind its header: as it is, or as base64url. */
static enum reason add_payload(const struct check *c, const struct jwt *t, struct signing *s)
{
    enum reason reason = verify_signed(c, &s->made, s->parts + 2, &s->n);
    enum ho_code code = HO_OK;
    struct buf whole;

    s->parts[1] = SPAN_LIT(".");
    if (reason != REASON_OK || t->raw) {
        s->n += 2;
        return reason;
    }
    buf_init(&whole, verify_signed_room(c) + REQUEST_HEAD_MAX);
    for (size_t i = 0; i < s->n && code == HO_OK; i++) {
        code = buf_add_span(&whole, s->parts[2 + i]);
    }
    if (code == HO_OK) {
        code = text_base64url(buf_span(&whole), &s->encoded);
    }
    buf_wipe(&whole);
    s->parts[2] = buf_span(&s->encoded);
    s->n = 3;
    return code == HO_OK ? REASON_OK : REASON_BAD_REQUEST;
}

static enum reason signing_make(const struct check *c, const struct jwt *t, struct signing *s)
{
    buf_init(&s->made, verify_signed_room(c));
    buf_init(&s->encoded, 2 * verify_signed_room(c));
    s->parts[0] = t->signing;
    s->n = 1;
    return c->alg.kind == ALG_JWS ? add_payload(c, t, s) : REASON_OK;
}

/* ---- keys ---- */

void verify_try_token(const struct check *c, const struct jwt *t, const struct span *parts,
                      size_t n, unsigned url, struct fit *fit)
{
    enum mac_alg digest = jose_digest(t->alg);
    unsigned char mac[MAC_MAX];

    for (size_t i = 0; i < c->endpoint->n_keys; i++) {
        if (verify_usable(c, i, false)) {
            mac_hmac(digest, secret_span(&c->endpoint->keys[i].secret), parts, n, mac);
            verify_keep(fit, (unsigned)i + 1, url,
                        mac_equal(span_make(mac, mac_len(digest)), buf_span(&t->sig)));
        }
    }
    mac_wipe(mac, sizeof mac);
}

static void try_keys(const struct jwt *t, const struct signing *s, const struct key_set *set,
                     unsigned url, struct fit *fit)
{
    for (size_t i = 0; i < set->n; i++) {
        if (set->keys[i] != NULL) {
            verify_keep(fit, (unsigned)i + 1, url,
                        mac_key_verify(set->keys[i], jose_digest(t->alg), true, s->parts, s->n,
                                       buf_span(&t->sig)));
        }
    }
}

static enum reason try_all(struct check *c, const struct jwt *t, const struct key_set *set,
                           struct fit *fit)
{
    size_t n_urls = verify_urls(c);
    enum reason why = REASON_OK;

    for (size_t u = 0; u < n_urls; u++) {
        struct signing s;

        verify_use_url(c, u);
        why = signing_make(c, t, &s);
        if (why == REASON_OK) {
            verify_say_signed(c, s.parts, s.n, u);
            if (jose_is_shared(t->alg)) {
                verify_try_token(c, t, s.parts, s.n, (unsigned)u + 1, fit);
            } else {
                try_keys(t, &s, set, (unsigned)u + 1, fit);
            }
        }
        signing_free(&s);
    }
    return why == REASON_OK ? REASON_SIGNATURE : why;
}

/* One token; when it fits it stays in c->token. */
static enum reason try_token(struct check *c, struct span text)
{
    struct ho_err err = {HO_OK, 0, ""};
    struct key_set set = {.n = 0};
    struct fit fit = {0, 0};
    enum ho_code code = jwt_parse(text, c->alg.jose, c->alg.kind == ALG_JWS, &c->token, &err);
    enum reason why = code == HO_PERMANENT ? REASON_NO_ACCEPTABLE_SIG : REASON_HEADER_MALFORMED;

    if (code == HO_OK) {
        c->view.jose = c->token.header; /* not believed yet: it names the key */
        why = jose_is_shared(c->token.alg)
                  ? REASON_OK
                  : verify_keys(c, jose_kind(c->token.alg), jose_alg_word(c->token.alg), &set);
    } else {
        verify_say(c, "%s", err.text);
    }
    if (code == HO_OK && why == REASON_OK) {
        why = try_all(c, &c->token, &set, &fit);
        verify_say(c, "token by %s: %s", jose_alg_word(c->token.alg),
                   fit.slot > 0 ? "fits" : "no key fits");
        if (fit.slot > 0) {
            c->view.claims = c->token.claims;
            verify_settle(c, &fit, set.is_fetched);
        }
        if (fit.slot > 0 || why == REASON_SIGNATURE) {
            why = verify_keys_done(c, &set, fit.slot > 0);
        }
    }
    verify_keys_free(&set);
    if (why != REASON_OK) {
        c->view.jose = NULL;
        jwt_free(&c->token);
    }
    return why;
}

/* exp, nbf, and a signed time among the claims. */
static enum reason check_window(struct check *c)
{
    switch (c->token.claims == NULL ? 0 : jwt_window(c->token.claims, c->now_us)) {
    case -1:
        return REASON_FUTURE;
    case 0:
        return verify_check_facts(c, PHASE_CLAIMS);
    case 1:
        return REASON_STALE;
    default:
        return REASON_HEADER_MALFORMED;
    }
}

enum reason verify_token(struct check *c)
{
    enum reason why = REASON_NO_ACCEPTABLE_SIG;

    for (size_t i = 0; i < c->parts.n_sigs; i++) {
        enum reason one = try_token(c, c->parts.sigs[i]);

        if (one == REASON_OK) {
            return check_window(c);
        }
        if (i == 0 || one == REASON_SIGNATURE) {
            why = one;
        }
        if (one == REASON_KEY_WANTED) {
            return one;
        }
    }
    return why;
}
