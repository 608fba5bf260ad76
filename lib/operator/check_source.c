/* What `hookonce check` says of sources: their secrets, and how far their deliveries can be believed. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "operator/check.h"
#include "operator/providers.h"

#define STANDARD_KEY_MIN 24  /* the Standard Webhooks specification: 24 to 64 bytes */
#define DAY_US (24LL * 3600 * 1000 * 1000)

/* Whether the recipe follows the Standard Webhooks specification, which sets a least key. */
static bool is_standard(const struct endpoint *e)
{
    struct recipe_facts f;

    recipe_facts(e->recipe, &f);
    return span_starts(span_of(f.signature), "hmac-sha256 in ") && f.signed_bytes != NULL &&
           strcmp(f.signed_bytes, "{header:*id}.{ts}.{body}") == 0;
}

/* What a provider hands out besides, and is put here by mistake. */
static const struct {
    const char *provider, *begins, *advice;
} mistaken[] = {
    {"stripe", "sk_", "an API key of Stripe; wanted is the endpoint's signing secret, whsec_..."},
    {"stripe", "pk_", "an API key of Stripe; wanted is the endpoint's signing secret, whsec_..."},
    {"stripe", "rk_", "an API key of Stripe; wanted is the endpoint's signing secret, whsec_..."},
};

static void check_mistaken(struct check *c, const struct source *s, const struct endpoint_key *key)
{
    for (size_t i = 0; i < sizeof mistaken / sizeof mistaken[0]; i++) {
        if (strcmp(s->provider, mistaken[i].provider) == 0 &&
            span_starts(secret_span(&key->secret), mistaken[i].begins)) {
            found_of(c, FOUND_WARN, "source", s->name, "secret %d looks like %s", key->number,
                     mistaken[i].advice);
        }
    }
}

static void check_until(struct check *c, const struct endpoint *e, int64_t now_us)
{
    int64_t last = 0;
    char when[32];

    for (size_t i = 0; i < e->n_keys; i++) {
        last = e->keys[i].until_us > last ? e->keys[i].until_us : last;
        if (e->keys[i].until_us <= now_us) {
            found_of(c, FOUND_NOTE, "source", e->source->name,
                     "secret %d has ended; its line can go, and then its file", e->keys[i].number);
        }
    }
    if (e->n_keys == 0 || last == INT64_MAX) {
        return;
    }
    text_rfc3339_put(last, true, when);
    if (last <= now_us) {
        found_of(c, FOUND_FAIL, "source", e->source->name,
                 "every secret has ended, the last one at %s: deliveries are answered busy", when);
    } else if (last - now_us < 7 * DAY_US) {
        found_of(c, FOUND_WARN, "source", e->source->name,
                 "its last secret ends at %s, and no other follows", when);
    }
}

/* How far what arrives here can be believed. */
static void check_strength(struct check *c, const struct endpoint *e)
{
    const char *name = e->source->name;
    struct recipe_facts f;

    recipe_facts(e->recipe, &f);
    if (strcmp(f.confidence, "unconfirmed") == 0) {
        found_of(c, FOUND_WARN, "source", name,
                 "the recipe %s is unconfirmed: send it a real delivery before you rely on it",
                 f.name);
    }
    if (f.weak != NULL && strcmp(f.weak, "token") == 0) {
        found_of(c, FOUND_NOTE, "source", name,
                 "%s sends a shared token and signs nothing: who sees one request can send others",
                 f.title);
    } else if (f.weak != NULL) {
        found_of(c, FOUND_NOTE, "source", name, "of the body %s signs %s: handlers should ask its "
                 "API for what matters", f.title, providers_covered(&f));
    }
    if (f.unsigned_id && !e->guard && f.weak == NULL) {
        found_of(c, FOUND_NOTE, "source", name,
                 "nobody signs the id of an event, and the guard is off: who holds one request can "
                 "send it again under a new id, as another event; where equal bodies are not usual, "
                 "set guard = yes");
    }
    if (f.signs_url && e->source->url == NULL) {
        found_of(c, FOUND_WARN, "source", name,
                 "%s signs the URL; set url to what was entered there, else host and scheme are "
                 "taken from the request, and a proxy may change them", f.title);
    }
}

/* How many of its secrets count now. */
static size_t usable(const struct endpoint *e, int64_t now_us)
{
    size_t n = 0;

    for (size_t i = 0; i < e->n_keys; i++) {
        n += now_us < e->keys[i].until_us;
    }
    return n;
}

/* A secret that can't be used. Receivers that run refuse the new state and go on with what they
 * have, so that taking a file away revokes nothing. */
static void check_trouble(struct check *c, const struct endpoint *e, int64_t now_us)
{
    struct recipe_facts f;

    recipe_facts(e->recipe, &f);
    if (e->trouble == NULL) {
        return;
    }
    if (f.pairs && e->n_keys == 0 && access(e->source->secrets[0].path, F_OK) != 0) {
        found_of(c, FOUND_FAIL, "source", e->source->name,
                 "its secret comes in a handshake and has not come yet: run hookonce pair %s, then "
                 "create the webhook at %s; till then deliveries are answered busy",
                 e->source->name, f.title);
    } else if (usable(e, now_us) > 0) {
        found_of(c, FOUND_WARN, "source", e->source->name,
                 "%s; the others are used (receivers that run go on with what they read while all "
                 "were good)",
                 e->trouble);
    } else {
        found_of(c, FOUND_FAIL, "source", e->source->name,
                 "%s; deliveries are answered busy (receivers that run go on with what they read "
                 "while it was good)",
                 e->trouble);
    }
}

static void check_source(struct check *c, const struct endpoint *e, int64_t now_us)
{
    const struct source *s = e->source;
    size_t n = usable(e, now_us);

    check_trouble(c, e, now_us);
    for (size_t i = 0; i < e->n_keys; i++) {
        check_mistaken(c, s, &e->keys[i]);
        if (is_standard(e) && e->keys[i].secret.len < STANDARD_KEY_MIN) {
            found_of(c, FOUND_WARN, "source", s->name,
                     "secret %d is a key of %zu bytes; the specification asks for 24 to 64",
                     e->keys[i].number, e->keys[i].secret.len);
        }
    }
    for (size_t i = 0; i < s->n_secrets; i++) {
        check_secret_ending(c, "source", s->name, s->secrets[i].path);
    }
    check_until(c, e, now_us);
    check_strength(c, e);
    if (s->reply) {
        check_reply(c, e);
    }
    check_keep(c, e);
    check_doors(c, e, now_us);
    if (endpoint_fetches(e)) {
        check_fetched(c, e);
    } else if (n > 0) {
        found_of(c, FOUND_OK, "source", s->name, "%s, %zu usable secret%s", s->provider, n,
                 n == 1 ? "" : "s");
    }
    c->over[ALARM_NO_SECRET] = c->over[ALARM_NO_SECRET] && (n > 0 || endpoint_fetches(e));
}

void check_sources(struct check *c)
{
    int64_t now_us = clock_wall_us();

    if (endpoints_count(c->endpoints) == 0) {
        found(c, FOUND_WARN, "config", "there is no source: nothing can be delivered");
    }
    c->over[ALARM_CONFIG] = true;
    c->over[ALARM_NO_SECRET] = true;
    c->over[ALARM_FETCH] = true;
    for (size_t i = 0; i < endpoints_count(c->endpoints); i++) {
        check_source(c, endpoints_at(c->endpoints, i), now_us);
        c->over[ALARM_CONFIG] =
            c->over[ALARM_CONFIG] && endpoints_at(c->endpoints, i)->trouble == NULL;
    }
}
