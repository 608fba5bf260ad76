/* Sets of recipes: a site's are read and made at once, the built-in ones when they are asked for. A
 * recipe is made from its section and the sections it is like. */
#include "edge/recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "edge/recipe_parts.h"

#define LIKE_DEPTH_MAX 8

struct slot {
    struct conf *conf;       /* of a built-in one; NULL until it is asked for */
    struct recipe_text text; /* section NULL until it is read */
    struct recipe *made;     /* NULL until it is made */
};

struct recipes {
    struct conf **confs; /* the site's files */
    size_t n_confs;
    struct slot *site;
    size_t n_site;
    struct slot *built_in; /* one for each of recipe_files */
    const struct recipe_file **sorted;
};

/* ---- making ---- */

const char *recipe_plain(const struct recipe_text *t, const char *key)
{
    struct recipe_entry e = recipe_entry(t, key);
    size_t n;
    const struct conf_key *keys = recipe_keys(&n);

    for (size_t i = 0; e.entry == NULL && i < n; i++) {
        if (strcmp(keys[i].key, key) == 0) {
            return keys[i].dflt;
        }
    }
    return e.entry == NULL ? NULL : e.entry->value;
}

static int64_t number_of(const struct recipe_text *t, const char *key)
{
    size_t n;
    const struct conf_key *keys = recipe_keys(&n);

    return conf_number(recipe_entry(t, key).at, key, keys, n);
}

static void read_plain(struct recipe *r, const struct recipe_text *t)
{
    r->name = t->section->name;
    r->title = recipe_plain(t, "title");
    r->docs = recipe_plain(t, "docs");
    r->basis = recipe_plain(t, "basis");
    r->confidence = recipe_plain(t, "confidence");
    r->secret_at = recipe_plain(t, "secret-at");
    r->authoritative = recipe_plain(t, "authoritative");
    r->note = recipe_plain(t, "note");
    r->scope_provider = strcmp(recipe_plain(t, "scope"), "provider") == 0;
    r->empty_body = number_of(t, "empty-body") == 1;
    r->cap = number_of(t, "cap");
    r->deadline_ms = number_of(t, "deadline");
    r->reply_deadline_ms = number_of(t, "reply-deadline");
    r->retries_ms = number_of(t, "retries-for");
    r->resend_ms = number_of(t, "resend-for");
}

static void recipe_free(struct recipe *r)
{
    if (r == NULL) {
        return;
    }
    recipe_free_sig(r);
    recipe_free_alg(r);
    recipe_free_signed(r);
    recipe_free_event(r);
    recipe_free_answers(r);
    recipe_free_samples(r);
    free(r->facts_signature);
    free(r);
}

static enum ho_code read_parts(struct recipe *r, const struct recipe_text *t, struct ho_err *err)
{
    static enum ho_code (*const readers[])(struct recipe *r, const struct recipe_text *t,
                                           struct ho_err *err) = {
        recipe_read_sig, recipe_read_alg, recipe_read_signed, recipe_read_event,
        recipe_read_answers, recipe_read_samples,
    };

    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        enum ho_code code = readers[i](r, t, err);

        if (code != HO_OK) {
            return code;
        }
    }
    r->forms = recipe_reads_forms(r);
    return recipe_check_rules(r, t, err);
}

static enum ho_code make(struct slot *slot, struct ho_err *err)
{
    const struct conf_section *own = slot->text.section;
    struct recipe *r = ho_alloc(sizeof *r);
    enum ho_code code;

    memset(r, 0, sizeof *r);
    read_plain(r, &slot->text);
    code = read_parts(r, &slot->text, err);
    if (code != HO_OK) {
        /* The line may be that of a recipe which is well by itself. */
        if (err != NULL && strncmp(err->text, own->file, strlen(own->file)) != 0) {
            ho_err_prefix(err, "%s:%d: [recipe %s]", own->file, own->line, own->name);
        }
        recipe_free(r);
        return code;
    }
    r->unsigned_id = recipe_unsigned_id(r);
    recipe_describe(r);
    slot->made = r;
    return HO_OK;
}

/* ---- the built-in ones ---- */

static struct slot *find_built_in(struct recipes *set, const char *name, int depth);

static void die_built_in(const char *name, const char *why)
{
    ho_die("bug: the built-in recipe %s: %s", name, why);
}

/* Reads its text and those it is like. */
/* NOLINTNEXTLINE(misc-no-recursion): at most LIKE_DEPTH_MAX deep */
static void open_built_in(struct recipes *set, struct slot *slot, int depth)
{
    const struct recipe_file *file = &recipe_files[slot - set->built_in];
    const struct conf_section *section;
    const struct conf_entry *like;
    struct ho_err err = {HO_OK, 0, ""};
    struct slot *other;
    char name[TERM_NAME_MAX];
    size_t n;
    const struct conf_key *keys = recipe_keys(&n);

    (void)snprintf(name, sizeof name, "built-in %s.conf", file->name);
    if (conf_parse(name, span_of(file->text), &slot->conf, &err) != HO_OK ||
        conf_check(slot->conf, keys, n, &err) != HO_OK) {
        die_built_in(file->name, err.text);
    }
    section = conf_first(slot->conf);
    if (section == NULL || section->next != NULL || strcmp(section->name, file->name) != 0) {
        die_built_in(file->name, "its file does not hold it alone");
    }
    slot->text.section = section;
    like = conf_find(section, "like");
    if (like == NULL) {
        return;
    }
    other = depth < LIKE_DEPTH_MAX ? find_built_in(set, like->value, depth + 1) : NULL;
    if (other == NULL) {
        die_built_in(file->name, "what it is like is not there, or too deep");
    }
    slot->text.like = &other->text;
}

/* NULL: there is none of that name. What is returned has its text read. */
/* NOLINTNEXTLINE(misc-no-recursion): at most LIKE_DEPTH_MAX deep */
static struct slot *find_built_in(struct recipes *set, const char *name, int depth)
{
    for (size_t i = 0; i < recipe_files_n; i++) {
        if (strcmp(recipe_files[i].name, name) != 0) {
            continue;
        }
        if (set->built_in[i].text.section == NULL) {
            open_built_in(set, &set->built_in[i], depth);
        }
        return &set->built_in[i];
    }
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    const struct recipe_file *const *x = a;
    const struct recipe_file *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

/* ---- the site's ---- */

static struct slot *find_site(const struct recipes *set, const char *name)
{
    for (size_t i = 0; i < set->n_site; i++) {
        if (strcmp(set->site[i].text.section->name, name) == 0) {
            return &set->site[i];
        }
    }
    return NULL;
}

static bool is_built_in(const char *name)
{
    for (size_t i = 0; i < recipe_files_n; i++) {
        if (strcmp(recipe_files[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static enum ho_code add_section(struct recipes *set, const struct conf_section *s,
                                struct ho_err *err)
{
    const struct slot *other;

    if (s->name[0] == '\0') {
        return conf_fail(err, s, NULL, "a recipe needs a name: [recipe NAME]");
    }
    if (is_built_in(s->name)) {
        return conf_fail(err, s, NULL, "there is a recipe %s already, a built-in one; with another "
                                       "name this one can be `like = %s`", s->name, s->name);
    }
    other = find_site(set, s->name);
    if (other != NULL) {
        return conf_fail(err, s, NULL, "there is a recipe %s already, in %s:%d", s->name,
                         other->text.section->file, other->text.section->line);
    }
    set->site = ho_realloc(set->site, (set->n_site + 1) * sizeof *set->site);
    set->site[set->n_site++] = (struct slot){.text = {s, NULL}};
    return HO_OK;
}

static enum ho_code read_file(struct recipes *set, const char *file, struct ho_err *err)
{
    struct conf *conf;
    size_t n;
    const struct conf_key *keys = recipe_keys(&n);
    enum ho_code code = conf_read(file, false, &conf, err);

    if (code != HO_OK) {
        return code;
    }
    set->confs[set->n_confs++] = conf;
    code = conf_check(conf, keys, n, err);
    for (const struct conf_section *s = conf_first(conf); s != NULL && code == HO_OK; s = s->next) {
        code = add_section(set, s, err);
    }
    return code;
}

static enum ho_code link_slot(struct recipes *set, struct slot *slot, struct ho_err *err)
{
    const struct conf_section *own = slot->text.section;
    const struct conf_entry *e = conf_find(own, "like");
    struct slot *other;
    struct nearest near;

    if (e == NULL) {
        return HO_OK;
    }
    other = find_site(set, e->value);
    other = other == NULL ? find_built_in(set, e->value, 0) : other;
    if (other != NULL) {
        slot->text.like = &other->text;
        return HO_OK;
    }
    near = nearest_to(span_of(e->value));
    for (size_t i = 0; i < recipes_count(set); i++) {
        nearest_try(&near, recipes_name(set, i));
    }
    if (near.word == NULL) {
        return conf_fail(err, own, e, "like: no recipe %s; `hookonce providers` lists those there "
                                      "are", e->value);
    }
    return conf_fail(err, own, e, "like: no recipe %s; did you mean %s?", e->value, near.word);
}

static enum ho_code link_site(struct recipes *set, struct ho_err *err)
{
    for (size_t i = 0; i < set->n_site; i++) {
        enum ho_code code = link_slot(set, &set->site[i], err);

        if (code != HO_OK) {
            return code;
        }
    }
    for (size_t i = 0; i < set->n_site; i++) {
        const struct recipe_text *t = &set->site[i].text;
        int depth = 0;

        for (; t != NULL && depth < LIKE_DEPTH_MAX; t = t->like) {
            depth++;
        }
        if (t != NULL) {
            t = &set->site[i].text;
            return conf_fail(err, t->section, conf_find(t->section, "like"),
                             "like: runs in a circle, or over more than %d recipes",
                             LIKE_DEPTH_MAX);
        }
    }
    return HO_OK;
}

/* ---- sets ---- */

static struct recipes *new_set(size_t n_files)
{
    struct recipes *set = ho_alloc(sizeof *set);

    *set = (struct recipes){
        .confs = ho_alloc((n_files + 1) * sizeof(struct conf *)),
        .built_in = ho_alloc((recipe_files_n + 1) * sizeof *set->built_in),
        .sorted = ho_alloc((recipe_files_n + 1) * sizeof *set->sorted),
    };
    for (size_t i = 0; i < recipe_files_n; i++) {
        set->built_in[i] = (struct slot){.conf = NULL};
        set->sorted[i] = &recipe_files[i];
    }
    qsort(set->sorted, recipe_files_n, sizeof(const struct recipe_file *), by_name);
    return set;
}

enum ho_code recipes_load(char *const *files, size_t n_files, struct recipes **out,
                          struct ho_err *err)
{
    struct recipes *set = new_set(n_files);
    enum ho_code code = HO_OK;

    *out = NULL;
    for (size_t i = 0; i < n_files && code == HO_OK; i++) {
        code = read_file(set, files[i], err);
    }
    if (code == HO_OK) {
        code = link_site(set, err);
    }
    for (size_t i = 0; i < set->n_site && code == HO_OK; i++) {
        code = make(&set->site[i], err);
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
    for (size_t i = 0; i < r->n_site; i++) {
        recipe_free(r->site[i].made);
    }
    for (size_t i = 0; i < recipe_files_n; i++) {
        recipe_free(r->built_in[i].made);
        conf_free(r->built_in[i].conf);
    }
    for (size_t i = 0; i < r->n_confs; i++) {
        conf_free(r->confs[i]);
    }
    free(r->confs);
    free(r->site);
    free(r->built_in);
    free(r->sorted);
    free(r);
}

const struct recipe *recipes_find(struct recipes *r, const char *name)
{
    struct slot *slot = find_site(r, name);
    struct ho_err err = {HO_OK, 0, ""};

    slot = slot == NULL ? find_built_in(r, name, 0) : slot;
    if (slot != NULL && slot->made == NULL && make(slot, &err) != HO_OK) {
        die_built_in(name, err.text);
    }
    return slot == NULL ? NULL : slot->made;
}

size_t recipes_count(const struct recipes *r)
{
    return recipe_files_n + r->n_site;
}

const char *recipes_name(const struct recipes *r, size_t i)
{
    return i < recipe_files_n ? r->sorted[i]->name
                              : r->site[i - recipe_files_n].text.section->name;
}
