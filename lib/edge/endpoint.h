/* Endpoints: the configured sources made ready for requests, each with its recipe and its secrets
 * decoded. Looks again at config, recipe and secret files at most once a second. */
#ifndef HO_EDGE_ENDPOINT_H
#define HO_EDGE_ENDPOINT_H

#include "base/secret.h"
#include "core/settings.h"
#include "edge/recipe.h"

/* One usable secret of a source. */
struct endpoint_key {
    struct secret secret; /* decoded by the recipe's key chain, never empty */
    struct mac_key *pub;  /* the same as a public key, where the algorithm wants one; else NULL */
    int64_t until_us;     /* not used any more from this moment on; INT64_MAX: no end */
    int number;           /* its place in the config, from 1; several of one file share it */
};

struct endpoint {
    const struct source *source;
    const struct recipe *recipe;
    struct endpoint_key *keys; /* in config order */
    size_t n_keys;             /* 0: unusable, the endpoint answers busy, unless keys are fetched */
    char *trouble;             /* why a secret is unusable, or NULL; no secret in it */
    int64_t tolerance_ms;      /* of the signed time, both ways; 0: the recipe signs none */
    bool scope_provider;
    bool guard;
    uint64_t cap;
    int64_t deadline_ms; /* for recording */
    int64_t reply_ms;    /* until the answer, in reply mode */
};

/* The dedupe scope of what arrives here: the recipe's name, or the source's own. */
const char *endpoint_scope(const struct endpoint *e);

/* Whether public keys are fetched (the recipe's `keys`) and the source pins none of its own. */
bool endpoint_fetches(const struct endpoint *e);

/* The key to sign with, as the provider would: the first that is not over. SPAN_NONE: none, or
 * public ones only. */
struct span endpoint_signing_key(const struct endpoint *e, int64_t now_us);

/* Whether a request of that method may be a delivery (the recipe's `methods`). */
bool endpoint_delivers(const struct endpoint *e, struct span method);

/* Whether the recipe has a handshake for that method, signed or not. */
bool endpoint_greets(const struct endpoint *e, struct span method);

#define ENDPOINT_ALLOW_ROOM 64

/* The methods that are answered at all, for a header Allow: "POST, GET, HEAD" and what else the
 * recipe takes. */
void endpoint_allow(const struct endpoint *e, char out[ENDPOINT_ALLOW_ROOM]);

struct endpoints; /* owned set: settings, recipes and endpoints of one moment */

/* in:  file - config path. returns HO_OK | HO_REJECT; a source whose secret is unusable does not
 * fail the load: it is there without that key and with trouble set. An unknown provider does, and a
 * source that has no secret at all where its recipe fetches none, or lacks a `param`. */
enum ho_code endpoints_load(const char *file, struct endpoints **out, struct ho_err *err)
    HO_MUST_CHECK;
void endpoints_free(struct endpoints *e);
const struct settings *endpoints_settings(const struct endpoints *e);
struct recipes *endpoints_recipes(const struct endpoints *e);
const struct endpoint *endpoints_find(const struct endpoints *e, struct span source);
size_t endpoints_count(const struct endpoints *e);
const struct endpoint *endpoints_at(const struct endpoints *e, size_t i);

/* Loads again if a second has passed since the last look and any of the files changed (device,
 * inode, size, mtime, ctime). A broken new version is refused: the old one stays, err says why,
 * and the same broken state is reported once. Broken is also a secret file that no longer holds a
 * usable secret where the old version had one: a half-written file must not stop deliveries.
 * returns HO_OK (*changed says whether *e is new) | HO_REJECT (old one kept). */
enum ho_code endpoints_refresh(struct endpoints **e, bool *changed, struct ho_err *err)
    HO_MUST_CHECK;

/* The next refresh looks at once: a file was changed by this very process. */
void endpoints_look_again(struct endpoints *e);

#endif
