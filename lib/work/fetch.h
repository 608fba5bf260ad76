/* Serving the wishes that receivers leave (base/cache.h): keys to be fetched into the cache, URLs to
 * be visited. What a recipe allows, and HTTP, are not known here: they are handed in. */
#ifndef HO_WORK_FETCH_H
#define HO_WORK_FETCH_H

#include "base/buf.h"
#include "core/settings.h"
#include "store/counters.h"

struct fetch_hooks {
    /* Whether the recipe of that name asks for such a URL; word is "key" or "visit". */
    bool (*may)(const struct settings *s, const char *word, const char *recipe, struct span url);
    /* Appends the URL of the recipe's keys, if it is a fixed one. */
    void (*key_url)(const struct settings *s, const char *recipe, struct buf *url);
    /* Gets it: HO_OK (2xx) | HO_TRANSIENT | HO_REJECT (asking again will not help). */
    enum ho_code (*get)(const struct settings *s, const char *url, struct buf *body,
                        struct ho_err *err);
};

#define FETCH_LONGEST_MS 60000 /* one round; a GET that has begun may take its own time more: */
#define FETCH_GET_MS 15000     /* no `get` takes longer */

/* Wishes that were tried lately, so that what fails is asked for less and less often. */
struct fetch_tried {
    char name[65];
    int64_t at_ms; /* monotonic */
};
#define FETCH_TRIED_MAX 64

struct fetcher {
    const struct fetch_hooks *hooks; /* NULL: nothing is ever fetched */
    const struct settings *settings;
    struct counters *counters;
    struct fetch_tried tried[FETCH_TRIED_MAX];
    size_t n_tried;
    int64_t wished_ms; /* when it last looked for keys that grow old; 0: never */
    long child;        /* process that serves a round; 0: none */
};

/* The last failure to serve a wish of that recipe: "URL REASON", the URL without its query.
 * out: text - appended; *age_ms - since then. false: none is known. */
bool fetch_failed(const char *state_dir, const char *recipe, struct buf *text, int64_t *age_ms);

/* Between two batches: starts a process that serves what is due, unless one is at it; does not wait
 * for it, so that no job waits for somebody else's server. Cheap when there is nothing to do. */
void fetch_look(struct fetcher *f);

/* The end: with `wait` a round that is under way is waited for, up to FETCH_LONGEST_MS and
 * FETCH_GET_MS, or the wish to stop; else, and then, it is killed, and its wishes stay. */
void fetch_end(struct fetcher *f, bool wait);

#endif
