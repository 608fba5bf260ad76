/* Public keys: the endpoint's own, or fetched ones out of the cache. Nothing is fetched here; what
 * is missing is told, for the processor to get. */
#include "edge/verify_parts.h"

#include <string.h>

#include "base/cache.h"
#include "core/url_match.h"

#define KID_MAX 1000 /* bytes of a key's name */
/* How old a file may be before it is got again: when a name is not in it, when a key without a name
 * does not fit, and when all is well. */
#define KID_AGAIN_MS INT64_C(60000)
#define KEY_AGAIN_MS INT64_C(3600000)
#define KEY_DAY_MS INT64_C(86400000)

bool verify_url_allowed(const struct span *from, size_t n, struct span url)
{
    for (size_t i = 0; i < n; i++) {
        if (url_fits(from[i], url)) {
            return true;
        }
    }
    return false;
}

/* The URL in out->kept, so that it outlives the request. */
static enum reason find_url(struct check *c, struct span *url)
{
    const struct keys_rule *rule = &c->recipe->keys;
    struct buf *kept = &c->out->kept;
    enum reason reason = REASON_OK;
    struct span value = rule->url;
    struct buf tmp;

    buf_init(&tmp, REQUEST_HEAD_MAX);
    if (!span_present(value)) {
        reason = verify_reason(term_value(&rule->term, &c->view, &tmp, &value));
        if (reason == REASON_OK && !verify_url_allowed(rule->from, rule->n_from, value)) {
            verify_say_text(c, "the recipe does not allow keys from", value);
            reason = REASON_HEADER_MALFORMED;
        }
        (void)verify_blame(c, &rule->term, reason);
    }
    if (reason == REASON_OK) {
        buf_clear(kept);
        if (buf_add_span(kept, value) != HO_OK) {
            reason = REASON_HEADER_MALFORMED;
        }
        *url = buf_span(kept);
    }
    buf_free(&tmp);
    return reason;
}

static enum reason want(struct check *c, struct span url)
{
    c->out->wanted = url;
    return REASON_KEY_WANTED;
}

static void add(struct key_set *set, struct mac_key *key)
{
    if (set->n == KEYS_MAX) {
        mac_key_free(key);
        return;
    }
    set->fetched[set->n] = key;
    set->keys[set->n++] = key;
}

/* Whether a member that may be missing says something else. */
static bool differs(const struct json_node *jwk, const char *pointer, struct span want_text)
{
    const struct json_node *node = json_in(jwk, span_of(pointer));
    struct buf text;
    bool other;

    if (json_kind_of(node) == JSON_ABSENT) {
        return false;
    }
    buf_init(&text, KID_MAX);
    other = json_kind_of(node) != JSON_STRING || json_text(node, &text) != HO_OK ||
            !span_eq(buf_span(&text), want_text);
    buf_free(&text);
    return other;
}

static void add_jwks(struct key_set *set, const struct json *doc, enum mac_sig kind,
                     struct span kid, const char *jose)
{
    const struct json_node *all = json_at(doc, SPAN_LIT("/keys"));
    size_t n = json_count(all);

    for (size_t i = 0; i < n && set->n < KEYS_MAX; i++) {
        const struct json_node *jwk = json_item(all, i);
        struct mac_key *key = NULL;

        if ((span_present(kid) && (json_kind_of(json_in(jwk, SPAN_LIT("/kid"))) == JSON_ABSENT ||
                                   differs(jwk, "/kid", kid))) ||
            differs(jwk, "/use", SPAN_LIT("sig")) ||
            (jose != NULL && differs(jwk, "/alg", span_of(jose)))) {
            continue;
        }
        if (mac_key_jwk(kind, jwk, &key, NULL) == HO_OK) {
            add(set, key);
        }
    }
}

static void add_pem(struct key_set *set, struct span text, enum mac_sig kind)
{
    struct mac_key *key = NULL;

    if (mac_key_public(kind, text, &key, NULL) == HO_OK) {
        add(set, key);
    }
}

static void add_pointed(struct key_set *set, const struct json *doc, struct span at,
                        enum mac_sig kind)
{
    const struct json_node *node = json_at(doc, at);
    struct buf text;

    buf_init(&text, CACHE_FILE_MAX);
    if (json_kind_of(node) == JSON_STRING && json_text(node, &text) == HO_OK) {
        add_pem(set, buf_span(&text), kind);
    }
    buf_free(&text);
}

/* What the file holds that may be meant. */
static void read_keys(const struct keys_rule *rule, struct span text, enum mac_sig kind,
                      struct span kid, const char *jose, struct key_set *set)
{
    struct json *doc = NULL;

    if (rule->kind == KEYS_PEM) {
        add_pem(set, text, kind);
    } else if (json_parse(text, &doc, NULL) == HO_OK) {
        if (rule->kind == KEYS_JWKS) {
            add_jwks(set, doc, kind, kid, jose);
        } else {
            add_pointed(set, doc, rule->at, kind);
        }
    }
    json_free(doc);
}

static enum reason fetched_keys(struct check *c, enum mac_sig kind, const char *jose,
                                struct key_set *set)
{
    const struct keys_rule *rule = &c->recipe->keys;
    struct span kid = SPAN_NONE;
    struct span url = SPAN_NONE;
    struct buf tmp;
    struct buf text;
    enum reason reason = find_url(c, &url);

    buf_init(&tmp, REQUEST_HEAD_MAX);
    buf_init(&text, CACHE_FILE_MAX);
    if (reason == REASON_OK && rule->kid_on) {
        reason = verify_blame(c, &rule->kid,
                              verify_reason(term_value(&rule->kid, &c->view, &tmp, &kid)));
    }
    if (reason == REASON_OK && cache_read(c->state_dir, url, &text, &set->age_ms) != HO_OK) {
        verify_say_text(c, "the key is not here yet, and is to be fetched from", url);
        reason = want(c, url);
    } else if (reason == REASON_OK) {
        read_keys(rule, buf_span(&text), kind, kid, jose, set);
        verify_say_text(c, "keys fetched from", url);
        verify_say(c, "fetched %lld s ago; keys among them that may be meant: %zu",
                   (long long)(set->age_ms / 1000), set->n);
        if (set->n == 0) {
            reason = set->age_ms > KID_AGAIN_MS ? want(c, url) : REASON_SIGNATURE;
        }
    }
    buf_free(&text);
    buf_free(&tmp);
    return reason;
}

enum reason verify_keys(struct check *c, enum mac_sig kind, const char *jose, struct key_set *out)
{
    const struct endpoint *e = c->endpoint;

    memset(out, 0, sizeof *out);
    out->is_fetched = endpoint_fetches(e);
    if (out->is_fetched) {
        return fetched_keys(c, kind, jose, out);
    }
    out->n = e->n_keys < KEYS_MAX ? e->n_keys : KEYS_MAX;
    for (size_t i = 0; i < out->n; i++) {
        bool usable = verify_usable(c, i, true) && mac_key_kind(e->keys[i].pub) == kind;

        out->keys[i] = usable ? e->keys[i].pub : NULL;
    }
    return REASON_OK;
}

void verify_keys_free(struct key_set *set)
{
    for (size_t i = 0; set->is_fetched && i < set->n; i++) {
        mac_key_free(set->fetched[i]);
    }
    set->n = 0;
}

enum reason verify_keys_done(struct check *c, const struct key_set *set, bool fits)
{
    struct span url = buf_span(&c->out->kept);

    if (fits) {
        if (set->is_fetched && set->age_ms > KEY_DAY_MS) {
            (void)want(c, url);
        }
        return REASON_OK;
    }
    /* A key that is picked by name is the one; without, it may have been replaced. */
    return set->is_fetched && !c->recipe->keys.kid_on && set->age_ms > KEY_AGAIN_MS
               ? want(c, url)
               : REASON_SIGNATURE;
}
