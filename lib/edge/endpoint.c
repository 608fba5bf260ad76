/* Endpoints: sources with their recipes and decoded secrets, kept up to date with their files. */
#include "edge/endpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
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

/* ---- secrets ---- */

/* The secret as the recipe's key chain makes a key of it. */
static enum ho_code decode_key(const struct recipe *r, struct span text, struct secret *out,
                               struct ho_err *err)
{
    enum ho_code code = HO_OK;
    struct buf bytes;

    *out = (struct secret){NULL, 0};
    buf_init(&bytes, SECRET_MAX);
    for (size_t i = 0; i < r->n_key_steps && code == HO_OK; i++) {
        const struct key_step *step = &r->key_steps[i];
        unsigned char *room;

        switch (step->kind) {
        case KEY_STRIP:
            if (span_eq(span_sub(text, 0, step->text.len), step->text)) {
                text = span_sub(text, step->text.len, text.len);
            }
            break;
        case KEY_UNBASE64:
            if (text_unbase64(text, &bytes) != HO_OK) {
                code = ho_fail(err, HO_REJECT, "not base64 where the provider's secret is");
            }
            text = buf_span(&bytes);
            break;
        case KEY_UNHEX:
            room = buf_room(&bytes, text.len / 2);
            if (room == NULL || text.len % 2 != 0 || !text_unhex(text, true, room, text.len / 2)) {
                code = ho_fail(err, HO_REJECT, "not hex where the provider's secret is");
            }
            bytes.len = text.len / 2;
            text = buf_span(&bytes);
            break;
        }
    }
    if (code == HO_OK && text.len == 0) {
        code = ho_fail(err, HO_REJECT, "empty; anybody could sign with an empty key");
    }
    if (code == HO_OK) {
        code = secret_copy(text, out);
    }
    buf_wipe(&bytes);
    return code;
}

static void note_trouble(struct endpoint *e, int number, const char *path,
                         const struct ho_err *err)
{
    struct buf text;

    if (e->trouble != NULL) {
        return;
    }
    buf_init(&text, 2 * sizeof err->text);
    if (buf_addf(&text, "secret %d: %s%s%s", number,
                 strstr(err->text, path) == NULL ? path : "",
                 strstr(err->text, path) == NULL ? ": " : "", err->text) == HO_OK) {
        e->trouble = ho_strdup(buf_cstr(&text));
    } else {
        e->trouble = ho_strdup("a secret is unusable");
    }
    buf_free(&text);
}

static void load_keys(struct endpoints *set, struct endpoint *e)
{
    const struct source *source = e->source;

    e->keys = ho_alloc((source->n_secrets + 1) * sizeof *e->keys);
    for (size_t i = 0; i < source->n_secrets; i++) {
        const struct setting_secret *from = &source->secrets[i];
        struct endpoint_key *key = &e->keys[e->n_keys];
        struct secret text;
        struct ho_err err;
        enum ho_code code;

        ho_err_clear(&err);
        watch(set, from->path);
        code = secret_read(from->path, &text, &err);
        if (code == HO_OK) {
            code = decode_key(e->recipe, secret_span(&text), &key->secret, &err);
        }
        secret_free(&text);
        if (code != HO_OK) {
            note_trouble(e, (int)i + 1, from->path, &err);
            continue;
        }
        key->until_us = from->has_until ? from->until_us : INT64_MAX;
        key->number = (int)i + 1;
        e->n_keys++;
    }
}

/* ---- loading ---- */

static enum ho_code fail_provider(const struct recipes *recipes, const struct source *source,
                                  struct ho_err *err)
{
    struct buf names;
    enum ho_code code;

    buf_init(&names, sizeof err->text / 2);
    for (size_t i = 0; i < recipes_count(recipes); i++) {
        if (buf_addf(&names, " %s", recipes_at(recipes, i)->name) != HO_OK) {
            break;
        }
    }
    code = conf_fail(err, source->at, conf_find(source->at, "provider"),
                     "no recipe for provider %s; there are%s", source->provider,
                     buf_cstr(&names));
    buf_free(&names);
    return code;
}

static enum ho_code load_endpoint(struct endpoints *set, const struct source *source,
                                  struct endpoint *e, struct ho_err *err)
{
    const struct recipe *r = recipes_find(set->recipes, source->provider);

    if (r == NULL) {
        return fail_provider(set->recipes, source, err);
    }
    if (source->tolerance_ms >= 0 && !r->time.on) {
        return conf_fail(err, source->at, conf_find(source->at, "tolerance"),
                         "%s signs no time, so there is no tolerance to set", r->name);
    }
    *e = (struct endpoint){
        .source = source,
        .recipe = r,
        .tolerance_ms = source->tolerance_ms >= 0 ? source->tolerance_ms : r->time.tolerance_ms,
        .scope_provider = source->scope != NULL ? strcmp(source->scope, "provider") == 0
                                                : r->scope_provider,
        .guard = source->guard >= 0 ? source->guard == 1 : r->guard != NULL,
        .cap = (uint64_t)r->cap,
        .deadline_ms = r->deadline_ms,
    };
    load_keys(set, e);
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
        for (size_t j = 0; j < e->all[i].n_keys; j++) {
            secret_free(&e->all[i].keys[j].secret);
        }
        free(e->all[i].keys);
        free(e->all[i].trouble);
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
    if (now_ms - old->looked_ms < LOOK_EVERY_MS) {
        return HO_OK;
    }
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

/* ---- asking ---- */

const struct settings *endpoints_settings(const struct endpoints *e)
{
    return e->settings;
}

const struct recipes *endpoints_recipes(const struct endpoints *e)
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

struct span endpoint_signing_key(const struct endpoint *e, int64_t now_us)
{
    for (size_t i = 0; i < e->n_keys; i++) {
        if (now_us < e->keys[i].until_us) {
            return secret_span(&e->keys[i].secret);
        }
    }
    return SPAN_NONE;
}
