/* Endpoints: sources with their recipes and decoded secrets, kept up to date with their files. */
#include "edge/endpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/nearest.h"
#include "edge/endpoint_keys.h"
#include "edge/recipe_parts.h"

#define LOOK_EVERY_MS 1000

struct watch {
    char *path;
    struct file_mark seen;
};

struct endpoints {
    char *file;
    struct settings *settings;
    struct recipes *recipes;
    struct endpoint *all;
    size_t n;
    struct watch *watches;
    size_t n_watches;
    int64_t looked_ms;
    bool look_again; /* at the next refresh, whenever that is */
    struct ho_err refused; /* why the newest version was, as last reported */
};

/* ---- watching files ---- */

/* To be called before the file is read. */
static void watch(struct endpoints *e, const char *path)
{
    e->watches = ho_realloc(e->watches, (e->n_watches + 1) * sizeof *e->watches);
    e->watches[e->n_watches].path = ho_strdup(path);
    e->watches[e->n_watches++].seen = file_mark(path);
}

static bool any_changed(const struct endpoints *e)
{
    for (size_t i = 0; i < e->n_watches; i++) {
        const struct file_mark now = file_mark(e->watches[i].path);

        if (!file_mark_same(&e->watches[i].seen, &now)) {
            return true;
        }
    }
    return false;
}

/* ---- loading ---- */

static enum ho_code fail_provider(const struct recipes *recipes, const struct source *source,
                                  struct ho_err *err)
{
    const struct conf_entry *at = conf_find(source->at, "provider");
    struct nearest near = nearest_to(span_of(source->provider));

    for (size_t i = 0; i < recipes_count(recipes); i++) {
        nearest_try(&near, recipes_name(recipes, i));
    }
    if (near.word != NULL) {
        return conf_fail(err, source->at, at, "no recipe for provider %s; did you mean %s?",
                         source->provider, near.word);
    }
    return conf_fail(err, source->at, at, "no recipe for provider %s; `hookonce providers` lists "
                                          "those there are", source->provider);
}

static void watch_secret(void *set, const char *path)
{
    watch(set, path);
}

static enum ho_code load_endpoint(struct endpoints *set, const struct source *source,
                                  struct endpoint *e, struct ho_err *err)
{
    const struct recipe *r = recipes_find(set->recipes, source->provider);
    enum ho_code code;

    if (r == NULL) {
        return fail_provider(set->recipes, source, err);
    }
    code = endpoint_check(source, r, err);
    if (code != HO_OK) {
        return code;
    }
    *e = (struct endpoint){
        .source = source,
        .recipe = r,
        .tolerance_ms = source->tolerance_ms >= 0 ? source->tolerance_ms : r->time.tolerance_ms,
        .scope_provider = source->scope != NULL ? strcmp(source->scope, "provider") == 0
                                                : r->scope_provider,
        /* Who asks twice in the same words is answered twice. */
        .guard = source->guard >= 0 ? source->guard == 1 : r->guard != NULL && !source->reply,
        .cap = (uint64_t)r->cap,
        .deadline_ms = r->deadline_ms,
        .reply_ms = source->reply_timeout_ms >= 0 ? source->reply_timeout_ms : r->reply_deadline_ms,
    };
    endpoint_read_keys(e, watch_secret, set);
    return HO_OK;
}

static enum ho_code load(struct endpoints *set, struct ho_err *err)
{
    enum ho_code code;

    watch(set, set->file);
    code = settings_load(set->file, &set->settings, err);
    if (code != HO_OK) {
        return code;
    }
    for (size_t i = 0; i < set->settings->n_recipes; i++) {
        watch(set, set->settings->recipes[i]);
    }
    code = recipes_load(set->settings->recipes, set->settings->n_recipes, &set->recipes, err);
    if (code != HO_OK) {
        return code;
    }
    set->all = ho_alloc((set->settings->n_sources + 1) * sizeof *set->all);
    for (size_t i = 0; i < set->settings->n_sources && code == HO_OK; i++) {
        code = load_endpoint(set, &set->settings->sources[i], &set->all[i], err);
        set->n += code == HO_OK;
    }
    return code;
}

enum ho_code endpoints_load(const char *file, struct endpoints **out, struct ho_err *err)
{
    struct endpoints *set = ho_alloc(sizeof *set);
    enum ho_code code;

    *out = NULL;
    *set = (struct endpoints){.file = ho_strdup(file), .looked_ms = clock_mono_ms()};
    code = load(set, err);
    if (code != HO_OK) {
        endpoints_free(set);
        return code;
    }
    *out = set;
    return HO_OK;
}

void endpoints_free(struct endpoints *e)
{
    if (e == NULL) {
        return;
    }
    for (size_t i = 0; i < e->n; i++) {
        endpoint_free_keys(&e->all[i]);
    }
    for (size_t i = 0; i < e->n_watches; i++) {
        free(e->watches[i].path);
    }
    free(e->watches);
    free(e->all);
    recipes_free(e->recipes);
    settings_free(e->settings);
    free(e->file);
    free(e);
}

/* ---- refreshing ---- */

/* A source that worked and would no longer: its secret is half written, or was spoiled. */
static const struct endpoint *worsened(const struct endpoints *was, const struct endpoints *now)
{
    for (size_t i = 0; i < now->n; i++) {
        const struct endpoint *before = endpoints_find(was, span_of(now->all[i].source->name));

        if (now->all[i].trouble != NULL && before != NULL && before->trouble == NULL) {
            return &now->all[i];
        }
    }
    return NULL;
}

static enum ho_code load_newer(const struct endpoints *old, struct endpoints **newer,
                               struct ho_err *err)
{
    enum ho_code code = endpoints_load(old->file, newer, err);
    const struct endpoint *bad;

    if (code != HO_OK) {
        return code;
    }
    bad = worsened(old, *newer);
    if (bad == NULL) {
        return HO_OK;
    }
    code = conf_fail(err, bad->source->at, conf_find(bad->source->at, "secret"), "source %s: %s",
                     bad->source->name, bad->trouble);
    endpoints_free(*newer);
    *newer = NULL;
    return code;
}

enum ho_code endpoints_refresh(struct endpoints **e, bool *changed, struct ho_err *err)
{
    struct endpoints *old = *e;
    struct endpoints *newer;
    int64_t now_ms = clock_mono_ms();
    struct ho_err why;

    *changed = false;
    if (!old->look_again && now_ms - old->looked_ms < LOOK_EVERY_MS) {
        return HO_OK;
    }
    old->look_again = false;
    old->looked_ms = now_ms;
    /* While a version is refused this stays so, and it is tried again every time: what it lacks
     * may be in a file that only it names. */
    if (!any_changed(old)) {
        return HO_OK;
    }
    ho_err_clear(&why);
    if (load_newer(old, &newer, &why) == HO_OK) {
        endpoints_free(old);
        *e = newer;
        *changed = true;
        return HO_OK;
    }
    if (strcmp(old->refused.text, why.text) == 0) {
        return HO_OK;
    }
    old->refused = why;
    return ho_fail(err, HO_REJECT, "%s", why.text);
}

void endpoints_look_again(struct endpoints *e)
{
    e->look_again = true;
}

/* ---- asking ---- */

const struct settings *endpoints_settings(const struct endpoints *e)
{
    return e->settings;
}

struct recipes *endpoints_recipes(const struct endpoints *e)
{
    return e->recipes;
}

const struct endpoint *endpoints_find(const struct endpoints *e, struct span source)
{
    for (size_t i = 0; i < e->n; i++) {
        if (span_is(source, e->all[i].source->name)) {
            return &e->all[i];
        }
    }
    return NULL;
}

size_t endpoints_count(const struct endpoints *e)
{
    return e->n;
}

const struct endpoint *endpoints_at(const struct endpoints *e, size_t i)
{
    return &e->all[i];
}

const char *endpoint_scope(const struct endpoint *e)
{
    return e->scope_provider ? e->recipe->name : e->source->name;
}

bool endpoint_fetches(const struct endpoint *e)
{
    return e->recipe->keys.kind != KEYS_NONE && e->source->n_secrets == 0;
}

struct span endpoint_signing_key(const struct endpoint *e, int64_t now_us)
{
    for (size_t i = 0; i < e->n_keys; i++) {
        if (now_us < e->keys[i].until_us && e->keys[i].pub == NULL) {
            return secret_span(&e->keys[i].secret);
        }
    }
    return SPAN_NONE;
}
