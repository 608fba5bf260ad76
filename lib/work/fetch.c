/* Rounds of fetching, each in a process of its own: it may hang on somebody's server, and it alone
 * carries the weight of TLS. */
#include "work/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/file.h"
#include "base/log.h"
#include "work/beside.h"

#define AGAIN_FIRST_MS 2000             /* between two tries of what fails, at least */
#define AGAIN_LAST_MS (5 * 60 * 1000)   /* and at most */
#define WISH_LONGEST_MS (60 * 60 * INT64_C(1000))
#define KEY_OLD_MS (24 * 60 * 60 * INT64_C(1000))
#define KEY_FRESH_MS 60000              /* so young that it is not fetched again */
#define OLD_EVERY_MS (15 * 60 * INT64_C(1000))

/* ---- one wish ---- */

static void say(enum log_level level, const char *event, const struct cache_wish *w,
                const char *why)
{
    struct span url = span_of(w->url);
    /* Without its query: there may be a token in it. */
    const struct log_pair pairs[] = {LOG_TEXT("what", w->word), LOG_TEXT("provider", w->recipe),
                                     LOG_SPAN("url", span_cut(&url, '?')),
                                     LOG_TEXT("reason", why)};

    log_event(level, event, NULL, pairs, 4);
}

/* ---- what failed last ---- */

#define FAILED_MAX 4096

/* Of a recipe's last failure, in the state folder. false: no such name. */
static bool failed_path(const char *state_dir, const char *recipe, char out[4096])
{
    int n = snprintf(out, 4096, "%s/fetch.failed.%s", state_dir, recipe);

    return conf_is_name(span_of(recipe)) && n > 0 && n < 4096;
}

/* For `hookonce check`; that it can't be written is no trouble of its own. */
static void note_failure(const struct fetcher *f, const struct cache_wish *w, const char *why)
{
    struct span url = span_of(w->url);
    struct span shown = span_cut(&url, '?');
    struct ho_err ignored;
    struct buf text;
    char path[4096];

    buf_init(&text, FAILED_MAX);
    if (failed_path(f->settings->state_dir, w->recipe, path) &&
        buf_addf(&text, "%.*s %s", (int)shown.len, (const char *)shown.p, why) == HO_OK) {
        (void)!file_write(path, buf_span(&text), true, &ignored);
    }
    buf_free(&text);
}

bool fetch_failed(const char *state_dir, const char *recipe, struct buf *text, int64_t *age_ms)
{
    char path[4096];

    if (!failed_path(state_dir, recipe, path)) {
        return false;
    }
    const struct file_mark mark = file_mark(path);
    *age_ms = (clock_wall_us() - (int64_t)mark.seen.st_mtim.tv_sec * 1000000) / 1000;
    *age_ms = *age_ms > 0 ? *age_ms : 0;
    return file_read(path, true, text, NULL) == HO_OK;
}

/* ---- serving ---- */

static void alarm_for(const struct fetcher *f, const struct cache_wish *w, const char *why)
{
    note_failure(f, w, why);
    if (counters_alarm(f->counters, ALARM_FETCH, clock_wall_us())) {
        say(LOG_ALARM, "wish", w, why);
    } else {
        say(LOG_WARN, "wish", w, why);
    }
}

/* Whether a key is there that cannot have grown old: many deliveries may have wished for it. */
static bool is_fresh(const struct fetcher *f, const struct cache_wish *w)
{
    struct buf text;
    int64_t age_ms = 0;

    buf_init(&text, CACHE_FILE_MAX);
    bool fresh = strcmp(w->word, "key") == 0 &&
                 cache_read(f->settings->state_dir, span_of(w->url), &text, &age_ms) == HO_OK &&
                 age_ms < KEY_FRESH_MS;
    buf_free(&text);
    return fresh;
}

static enum ho_code get(const struct fetcher *f, const struct cache_wish *w, struct ho_err *err)
{
    struct buf body;

    buf_init(&body, CACHE_FILE_MAX);
    enum ho_code code = f->hooks->get(f->settings, w->url, &body, err);
    if (code == HO_OK && strcmp(w->word, "key") == 0) {
        code = cache_write(f->settings->state_dir, span_of(w->url), buf_span(&body), err);
        code = code == HO_OK ? HO_OK : HO_TRANSIENT; /* a disk that is full */
    }
    buf_free(&body);
    return code;
}

/* A wish that is served, too old, or wrong is taken away; one that failed stays. */
static void serve(const struct fetcher *f, const struct cache_wish *w)
{
    bool is_key = strcmp(w->word, "key") == 0;
    struct ho_err err;

    ho_err_clear(&err);
    if (!f->hooks->may(f->settings, w->word, w->recipe, span_of(w->url))) {
        say(LOG_WARN, "wish", w, "its recipe does not ask for such a URL");
    } else if (!is_fresh(f, w)) {
        enum ho_code code = get(f, w, &err);
        if (code == HO_OK) {
            say(LOG_INFO, is_key ? "fetched" : "visited", w, NULL);
        } else if (w->age_ms > WISH_LONGEST_MS) {
            ho_err_prefix(&err, "given up after an hour");
            alarm_for(f, w, err.text);
        } else if (code == HO_TRANSIENT) {
            note_failure(f, w, err.text);
            say(LOG_WARN, "wish", w, err.text);
            return;
        } else {
            alarm_for(f, w, err.text);
        }
    }
    cache_wish_done(f->settings->state_dir, w);
}

/* ---- a round ---- */

/* Of several workers and runs one at a time. -1: another one is at it, or there is no folder. */
static int take_turn(const char *state_dir)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/fetch.lock", state_dir);
    int fd = n > 0 && (size_t)n < sizeof path
                 ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0600)
                 : -1;

    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        (void)close(fd);
        fd = -1;
    }
    return fd;
}

struct fetch_round {
    const struct fetcher *f;
    const struct cache_wish *all;
    size_t n;
};

/* In a process of its own. Cut off, nothing is lost: the wishes stay. */
static void serve_all(const void *arg)
{
    const struct fetch_round *round = arg;
    struct deadline end = deadline_in(FETCH_LONGEST_MS);

    if (take_turn(round->f->settings->state_dir) < 0) {
        return; /* the descriptor stays open until the process ends */
    }
    for (size_t i = 0; i < round->n && deadline_left_ms(end) > 0; i++) {
        serve(round->f, &round->all[i]);
    }
}

/* ---- what is due ---- */

static struct fetch_tried *tried(struct fetcher *f, const char *name)
{
    for (size_t i = 0; i < f->n_tried; i++) {
        if (strcmp(f->tried[i].name, name) == 0) {
            return &f->tried[i];
        }
    }
    return NULL;
}

static struct fetch_tried *oldest(struct fetcher *f)
{
    struct fetch_tried *t = &f->tried[0];

    for (size_t i = 1; i < f->n_tried; i++) {
        t = f->tried[i].at_ms < t->at_ms ? &f->tried[i] : t;
    }
    return t;
}

/* Notes that it is tried now; among too many the oldest note is forgotten. */
static void note_try(struct fetcher *f, const char *name, int64_t now_ms)
{
    struct fetch_tried *t = tried(f, name);

    if (t == NULL) {
        t = f->n_tried < FETCH_TRIED_MAX ? &f->tried[f->n_tried++] : oldest(f);
    }
    (void)snprintf(t->name, sizeof t->name, "%s", name);
    t->at_ms = now_ms;
}

/* A wish is tried at once, and then after times that grow with its age. */
static bool is_due(struct fetcher *f, const struct cache_wish *w, int64_t now_ms)
{
    const struct fetch_tried *t = tried(f, w->name);
    int64_t pause = w->age_ms / 2;

    if (t == NULL) {
        return true;
    }
    pause = pause < AGAIN_FIRST_MS ? AGAIN_FIRST_MS : pause;
    pause = pause > AGAIN_LAST_MS ? AGAIN_LAST_MS : pause;
    return now_ms - t->at_ms >= pause;
}

/* Wishes for the keys that the sources will need: those that are not there yet, or grow old. */
static void wish_for_keys(const struct fetcher *f)
{
    const struct settings *s = f->settings;
    struct buf url, text;
    struct ho_err ignored;
    int64_t age_ms;

    buf_init(&url, CACHE_FILE_MAX);
    buf_init(&text, CACHE_FILE_MAX);
    for (size_t i = 0; i < s->n_sources; i++) {
        const struct source *source = &s->sources[i];
        buf_clear(&url);
        buf_clear(&text);
        if (source->n_secrets == 0) {
            f->hooks->key_url(s, source->provider, &url);
        }
        if (url.len > 0 &&
            (cache_read(s->state_dir, buf_span(&url), &text, &age_ms) != HO_OK ||
             age_ms > KEY_OLD_MS)) {
            (void)!cache_wish(s->state_dir, "key", source->provider, buf_span(&url), &ignored);
        }
    }
    buf_free(&url);
    buf_free(&text);
}

/* Keeps those that are due in front; returns how many. */
static size_t choose(struct fetcher *f, struct cache_wish *all, size_t n)
{
    int64_t now_ms = clock_mono_ms();
    size_t due = 0;

    for (size_t i = 0; i < n; i++) {
        if (is_due(f, &all[i], now_ms)) {
            struct cache_wish w = all[due];
            note_try(f, all[i].name, now_ms);
            all[due++] = all[i];
            all[i] = w;
        }
    }
    return due;
}

void fetch_look(struct fetcher *f)
{
    struct cache_wish *all;
    struct ho_err ignored;
    size_t n;

    if (f->hooks == NULL) {
        return;
    }
    bool free_now = beside_ended(&f->child);
    if (f->wished_ms == 0 || clock_mono_ms() - f->wished_ms > OLD_EVERY_MS) {
        f->wished_ms = clock_mono_ms();
        wish_for_keys(f);
    }
    if (!free_now || cache_wishes(f->settings->state_dir, &all, &n, &ignored) != HO_OK) {
        return;
    }
    const struct fetch_round round = {f, all, choose(f, all, n)};
    if (round.n > 0) {
        f->child = beside_start(serve_all, &round);
    }
    cache_wishes_free(all, n);
}

void fetch_end(struct fetcher *f, bool wait)
{
    beside_end(&f->child, wait ? FETCH_LONGEST_MS + FETCH_GET_MS : 0);
}
