/* Loading recipes: all files are read first, then each recipe is made from its section and the
 * sections it is like. */
#include "edge/recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "core/document.h"
#include "edge/recipe_parts.h"

#define LIKE_DEPTH_MAX 8

struct recipes {
    struct conf **confs;
    size_t n_confs;
    struct recipe_text *texts; /* one a recipe, in the order of the files */
    size_t n;
    struct recipe **all; /* made from the texts */
    size_t made;
};

/* ---- reading ---- */

static enum ho_code add_conf(struct recipes *set, struct conf *conf, struct ho_err *err)
{
    size_t n_keys;
    const struct conf_key *keys = recipe_keys(&n_keys);
    enum ho_code code = conf_check(conf, keys, n_keys, err);

    set->confs[set->n_confs++] = conf;
    for (const struct conf_section *s = conf_first(conf); s != NULL && code == HO_OK; s = s->next) {
        if (s->name[0] == '\0') {
            return conf_fail(err, s, NULL, "a recipe needs a name: [recipe NAME]");
        }
        for (size_t i = 0; i < set->n; i++) {
            if (strcmp(set->texts[i].section->name, s->name) == 0) {
                return conf_fail(err, s, NULL, "there is a recipe %s already, in %s:%d", s->name,
                                 set->texts[i].section->file, set->texts[i].section->line);
            }
        }
        set->texts = ho_realloc(set->texts, (set->n + 1) * sizeof *set->texts);
        set->texts[set->n++] = (struct recipe_text){s, NULL};
    }
    return code;
}

static enum ho_code read_all(struct recipes *set, char *const *files, size_t n_files,
                             struct ho_err *err)
{
    enum ho_code code = HO_OK;
    struct conf *conf;

    set->confs = ho_alloc((recipe_files_n + n_files + 1) * sizeof(struct conf *));
    for (size_t i = 0; i < recipe_files_n && code == HO_OK; i++) {
        char name[TERM_NAME_MAX];

        (void)snprintf(name, sizeof name, "built-in %s.conf", recipe_files[i].name);
        code = conf_parse(name, span_of(recipe_files[i].text), &conf, err);
        if (code == HO_OK) {
            code = add_conf(set, conf, err);
        }
    }
    for (size_t i = 0; i < n_files && code == HO_OK; i++) {
        code = conf_read(files[i], false, &conf, err);
        if (code == HO_OK) {
            code = add_conf(set, conf, err);
        }
    }
    return code;
}

static const struct recipe_text *find_text(const struct recipes *set, const char *name)
{
    for (size_t i = 0; i < set->n; i++) {
        if (strcmp(set->texts[i].section->name, name) == 0) {
            return &set->texts[i];
        }
    }
    return NULL;
}

/* ---- `like` ---- */

static enum ho_code link_text(struct recipes *set, struct recipe_text *t, struct ho_err *err)
{
    const struct conf_entry *e = conf_find(t->section, "like");
    struct buf names;
    enum ho_code code;

    if (e == NULL) {
        return HO_OK;
    }
    t->like = find_text(set, e->value);
    if (t->like != NULL) {
        return HO_OK;
    }
    buf_init(&names, sizeof err->text / 2);
    for (size_t i = 0; i < set->n; i++) {
        if (buf_addf(&names, " %s", set->texts[i].section->name) != HO_OK) {
            break;
        }
    }
    code = conf_fail(err, t->section, e, "like: no recipe %s; there are%s", e->value,
                     buf_cstr(&names));
    buf_free(&names);
    return code;
}

static enum ho_code link_all(struct recipes *set, struct ho_err *err)
{
    for (size_t i = 0; i < set->n; i++) {
        enum ho_code code = link_text(set, &set->texts[i], err);

        if (code != HO_OK) {
            return code;
        }
    }
    for (size_t i = 0; i < set->n; i++) {
        const struct recipe_text *t = &set->texts[i];
        int depth = 0;

        for (; t != NULL && depth <= LIKE_DEPTH_MAX; t = t->like) {
            depth++;
        }
        if (t != NULL) {
            return conf_fail(err, set->texts[i].section, conf_find(set->texts[i].section, "like"),
                             "like: runs in a circle, or over more than %d recipes",
                             LIKE_DEPTH_MAX);
        }
    }
    return HO_OK;
}

/* ---- making ---- */

/* Where the value of a key comes from: the section that has it, else the recipe's own. */
static const struct conf_section *holder(const struct recipe_text *t, const char *key)
{
    struct recipe_entry e = recipe_entry(t, key);

    return e.entry != NULL ? e.at : t->section;
}

static const char *text_of(const struct recipe_text *t, const char *key)
{
    size_t n;
    const struct conf_key *keys = recipe_keys(&n);

    return conf_text(holder(t, key), key, keys, n);
}

static int64_t number_of(const struct recipe_text *t, const char *key)
{
    size_t n;
    const struct conf_key *keys = recipe_keys(&n);

    return conf_number(holder(t, key), key, keys, n);
}

static enum ho_code read_plain(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
{
    r->title = text_of(t, "title");
    r->docs = text_of(t, "docs");
    r->confidence = text_of(t, "confidence");
    r->scope_provider = strcmp(text_of(t, "scope"), "provider") == 0;
    r->form_json = text_of(t, "form-json");
    r->empty_body = number_of(t, "empty-body") == 1;
    r->cap = number_of(t, "cap");
    r->deadline_ms = number_of(t, "deadline");
    r->retries_ms = number_of(t, "retries-for");
    r->resend_ms = number_of(t, "resend-for");
    r->sample = text_of(t, "sample");
    r->sample_type = text_of(t, "sample-type");
    if (r->form_json != NULL && (r->form_json[0] == '\0' ||
                                 strlen(r->form_json) > DOCUMENT_WORD_MAX - sizeof "form:")) {
        return recipe_blame(recipe_entry(t, "form-json"),
                            ho_fail(err, HO_REJECT, "a field's name of at most %d bytes",
                                    DOCUMENT_WORD_MAX - (int)sizeof "form:"),
                            err);
    }
    return HO_OK;
}

static void describe(struct recipe *r)
{
    static const char *const algs[] = {
        [MAC_SHA1] = "hmac-sha1", [MAC_SHA256] = "hmac-sha256", [MAC_SHA512] = "hmac-sha512"};
    struct buf text;

    buf_init(&text, 1024);
    if (buf_addf(&text, "%s in", algs[r->alg]) != HO_OK) {
        return;
    }
    for (size_t i = 0; i < r->sig.n_names; i++) {
        if (buf_addf(&text, "%s %s", i > 0 ? " or" : "", r->sig.names[i]) != HO_OK) {
            break;
        }
    }
    r->facts_signature = ho_strdup(buf_cstr(&text));
    buf_free(&text);
}

static void recipe_free(struct recipe *r)
{
    recipe_free_sig(r);
    recipe_free_event(r);
    recipe_free_answers(r);
    free(r->facts_signature);
    free(r);
}

static enum ho_code make(struct recipes *set, const struct recipe_text *t, struct ho_err *err)
{
    struct recipe *r = ho_alloc(sizeof *r);
    enum ho_code code;

    memset(r, 0, sizeof *r);
    r->name = t->section->name;
    code = read_plain(r, t, err);
    if (code == HO_OK) {
        code = recipe_read_sig(r, t, err);
    }
    if (code == HO_OK) {
        code = recipe_read_event(r, t, err);
    }
    if (code == HO_OK) {
        code = recipe_read_answers(r, t, err);
    }
    if (code != HO_OK) {
        recipe_free(r);
        return code;
    }
    describe(r);
    set->all[set->made++] = r;
    return HO_OK;
}

enum ho_code recipes_load(char *const *files, size_t n_files, struct recipes **out,
                          struct ho_err *err)
{
    struct recipes *set = ho_alloc(sizeof *set);
    enum ho_code code;

    *out = NULL;
    *set = (struct recipes){0};
    code = read_all(set, files, n_files, err);
    if (code == HO_OK) {
        code = link_all(set, err);
    }
    if (code == HO_OK) {
        set->all = ho_alloc((set->n + 1) * sizeof(struct recipe *));
    }
    for (size_t i = 0; i < set->n && code == HO_OK; i++) {
        code = make(set, &set->texts[i], err);
    }
    if (code != HO_OK) {
        recipes_free(set);
        return code;
    }
    *out = set;
    return HO_OK;
}

void recipes_free(struct recipes *r)
{
    if (r == NULL) {
        return;
    }
    for (size_t i = 0; i < r->made; i++) {
        recipe_free(r->all[i]);
    }
    free(r->all);
    free(r->texts);
    for (size_t i = 0; i < r->n_confs; i++) {
        conf_free(r->confs[i]);
    }
    free(r->confs);
    free(r);
}

const struct recipe *recipes_find(const struct recipes *r, const char *name)
{
    for (size_t i = 0; i < r->made; i++) {
        if (strcmp(r->all[i]->name, name) == 0) {
            return r->all[i];
        }
    }
    return NULL;
}

size_t recipes_count(const struct recipes *r)
{
    return r->made;
}

const struct recipe *recipes_at(const struct recipes *r, size_t i)
{
    return r->all[i];
}

void recipe_facts(const struct recipe *r, struct recipe_facts *out)
{
    *out = (struct recipe_facts){
        .name = r->name,
        .title = r->title,
        .docs = r->docs,
        .confidence = r->confidence,
        .signature = r->facts_signature,
        .id = r->id_text,
        .tolerance_ms = r->time.tolerance_ms,
        .retries_ms = r->retries_ms,
        .resend_ms = r->resend_ms,
        .cap = r->cap,
        .deadline_ms = r->deadline_ms,
        .scope_provider = r->scope_provider,
        .guard = r->guard != NULL,
    };
}
