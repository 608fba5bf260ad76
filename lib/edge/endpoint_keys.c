/* From secret files to keys, as the recipe's key chain says. */
#include "edge/endpoint_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "edge/recipe_parts.h"
#include "edge/recipe_told.h"

#define SPLIT_MAX 16 /* keys in one file */

/* ---- what the source says ---- */

/* The line of the source's i-th `param`. */
static const struct conf_entry *param_entry(const struct source *s, size_t i)
{
    for (const struct conf_entry *e = s->at->entries; e != NULL; e = e->next) {
        if (strcmp(e->key, "param") == 0 && i-- == 0) {
            return e;
        }
    }
    return NULL;
}

static enum ho_code fail_param(const struct source *s, const struct recipe *r, size_t i,
                               struct ho_err *err)
{
    struct span given = s->params[i].name;
    struct nearest near = nearest_to(given);
    char *words[RECIPE_PARAMS_MAX];
    enum ho_code code;

    for (size_t k = 0; k < r->n_params; k++) {
        words[k] = recipe_copy(r->params[k].name, false);
        nearest_try(&near, words[k]);
    }
    code = conf_fail(err, s->at, param_entry(s, i), "%s has no param %.*s%s%s%s", r->name,
                     (int)(given.len < 40 ? given.len : 40), (const char *)given.p,
                     near.word != NULL ? "; did you mean " : "",
                     near.word != NULL ? near.word : "", near.word != NULL ? "?" : "");
    for (size_t k = 0; k < r->n_params; k++) {
        free(words[k]);
    }
    return code;
}

static enum ho_code check_params(const struct source *s, const struct recipe *r,
                                 struct ho_err *err)
{
    for (size_t i = 0; i < s->n_params; i++) {
        size_t k = 0;

        while (k < r->n_params && !span_eq(r->params[k].name, s->params[i].name)) {
            k++;
        }
        if (k == r->n_params) {
            return fail_param(s, r, i, err);
        }
    }
    for (size_t k = 0; k < r->n_params; k++) {
        const struct param_rule *rule = &r->params[k];
        size_t i = 0;

        while (i < s->n_params && !span_eq(rule->name, s->params[i].name)) {
            i++;
        }
        if (i == s->n_params) {
            return conf_fail(err, s->at, NULL, "%s needs `param = %.*s VALUE`: %.*s", r->name,
                             (int)rule->name.len, (const char *)rule->name.p,
                             (int)(rule->help.len < 200 ? rule->help.len : 200),
                             (const char *)rule->help.p);
        }
    }
    return HO_OK;
}

enum ho_code endpoint_check(const struct source *source, const struct recipe *r,
                            struct ho_err *err)
{
    if (source->tolerance_ms >= 0 && !r->time.on) {
        return conf_fail(err, source->at, conf_find(source->at, "tolerance"),
                         "%s signs no time, so there is no tolerance to set", r->name);
    }
    if (source->n_secrets == 0 && r->keys.kind == KEYS_NONE) {
        struct recipe_facts f;

        recipe_facts(r, &f);
        return conf_fail(err, source->at, NULL, "%s needs `secret = file:NAME`%s%s", r->name,
                         f.pairs ? ", the file that hookonce pair has its secret written to"
                         : recipe_is_public(r) ? ", the provider's public key as "
                                               : "",
                         recipe_is_public(r) ? recipe_key_form(r) : "");
    }
    if (source->reply && r->batch_on) {
        return conf_fail(err, source->at, conf_find(source->at, "mode"),
                         "%s sends several events in one request, which has one answer: mode = "
                         "reply is not for it", r->name);
    }
    return check_params(source, r, err);
}

/* ---- from text to key ---- */

/* What is made of a secret: two buffers in turn, each wiped before it is used again. */
struct making {
    struct buf bufs[2];
    unsigned turn;
    struct span now; /* the secret as far as it is decoded */
};

static struct buf *next_buf(struct making *m)
{
    struct buf *b = &m->bufs[m->turn++ % 2];

    buf_wipe(b);
    buf_init(b, SECRET_MAX);
    return b;
}

static enum ho_code fill_template(struct making *m, const struct endpoint *e, struct ho_err *err)
{
    const struct term_view view = {.secret = m->now, .source = e->source, .exact = true};
    struct buf *out = next_buf(m);

    if (expr_eval(e->recipe->key_template, &view, out) != TERM_OK) {
        return ho_fail(err, HO_REJECT, "the key that the recipe makes of it would be longer than "
                                       "%d bytes, or lacks a part", SECRET_MAX);
    }
    m->now = buf_span(out);
    return HO_OK;
}

static enum ho_code digest(struct making *m, enum mac_alg alg)
{
    struct buf *out = next_buf(m);
    unsigned char bytes[MAC_MAX];
    enum ho_code code;

    mac_digest(alg, &m->now, 1, bytes);
    code = buf_add(out, bytes, mac_len(alg));
    mac_wipe(bytes, sizeof bytes);
    m->now = buf_span(out);
    return code;
}

static enum ho_code unhex(struct making *m, struct ho_err *err)
{
    struct buf *out = next_buf(m);
    unsigned char *room = buf_room(out, m->now.len / 2);

    if (room == NULL || m->now.len % 2 != 0 ||
        !text_unhex(m->now, true, room, m->now.len / 2)) {
        return ho_fail(err, HO_REJECT, "not hex where the provider's secret is");
    }
    out->len = m->now.len / 2;
    m->now = buf_span(out);
    return HO_OK;
}

static enum ho_code unbase64(struct making *m, struct ho_err *err)
{
    struct buf *out = next_buf(m);

    if (text_unbase64(m->now, out) != HO_OK) {
        return ho_fail(err, HO_REJECT, "not base64 where the provider's secret is");
    }
    m->now = buf_span(out);
    return HO_OK;
}

static enum ho_code step(struct making *m, const struct key_step *s, struct ho_err *err)
{
    /* A digest of nothing would be a key that anybody knows. */
    if (m->now.len == 0) {
        return ho_fail(err, HO_REJECT, "empty; anybody could sign with an empty key");
    }
    switch (s->kind) {
    case KEY_STRIP:
        if (span_eq(span_sub(m->now, 0, s->text.len), s->text)) {
            m->now = span_sub(m->now, s->text.len, m->now.len);
        }
        return HO_OK;
    case KEY_UNBASE64:
        return unbase64(m, err);
    case KEY_UNHEX:
        return unhex(m, err);
    case KEY_MD5:
        return digest(m, MAC_MD5);
    case KEY_SHA1:
        return digest(m, MAC_SHA1);
    case KEY_SHA256:
        return digest(m, MAC_SHA256);
    }
    return HO_BUG;
}

/* A public key of one of the kinds that the recipe takes. */
static enum ho_code parse_public(unsigned kinds, struct span bytes, struct mac_key **out,
                                 struct ho_err *err)
{
    enum ho_code code = HO_REJECT;

    for (int kind = SIG_RSA; kind <= SIG_ED25519 && code != HO_OK; kind++) {
        if ((kinds & 1U << kind) != 0) {
            code = mac_key_public((enum mac_sig)kind, bytes, out, err);
        }
    }
    return code;
}

/* Says which form of public key is wanted behind what is wrong with the given one. */
static void say_form(const struct recipe *r, enum ho_code code, struct ho_err *err)
{
    const struct ho_err was = *err;

    (void)ho_fail(err, code, "%.300s; wanted is the provider's public key as %s", was.text,
                  recipe_key_form(r));
}

/* One secret's text into the next of e->keys. */
static enum ho_code make_key(const struct endpoint *e, struct span text, struct endpoint_key *key,
                             struct ho_err *err)
{
    const struct recipe *r = e->recipe;
    unsigned kinds = recipe_public_kinds(r);
    struct making m = {.now = text};
    enum ho_code code = HO_OK;

    buf_init(&m.bufs[0], SECRET_MAX);
    buf_init(&m.bufs[1], SECRET_MAX);
    *key = (struct endpoint_key){.pub = NULL};
    if (r->key_template != NULL) {
        code = fill_template(&m, e, err);
    }
    for (size_t i = 0; i < r->n_key_steps && code == HO_OK; i++) {
        code = step(&m, &r->key_steps[i], err);
    }
    if (code == HO_OK && (text.len == 0 || m.now.len == 0)) {
        code = ho_fail(err, HO_REJECT, "empty; anybody could sign with an empty key");
    }
    if (code == HO_OK && kinds != 0) {
        code = parse_public(kinds, m.now, &key->pub, err);
    }
    if (code != HO_OK && kinds != 0) {
        say_form(r, code, err);
    } else if (code == HO_OK) {
        code = secret_copy(m.now, &key->secret);
    }
    buf_wipe(&m.bufs[0]);
    buf_wipe(&m.bufs[1]);
    return code;
}

/* ---- all of a source ---- */

static void note_trouble(struct endpoint *e, int number, const char *path,
                         const struct ho_err *err)
{
    bool named = strstr(err->text, path) != NULL;
    struct buf text;

    if (e->trouble != NULL) {
        return;
    }
    buf_init(&text, 8192);
    if (buf_addf(&text, "secret %d: %s%s%s", number, named ? "" : path, named ? "" : ": ",
                 err->text) == HO_OK) {
        e->trouble = ho_strdup(buf_cstr(&text));
    } else {
        e->trouble = ho_strdup("a secret is unusable");
    }
    buf_free(&text);
}

static struct span cut_text(struct span *rest, struct span separator)
{
    struct span all = *rest;

    for (size_t i = 0; span_present(separator) && i + separator.len <= all.len; i++) {
        if (span_eq(span_sub(all, i, separator.len), separator)) {
            *rest = span_sub(all, i + separator.len, all.len);
            return span_sub(all, 0, i);
        }
    }
    *rest = SPAN_NONE;
    return all;
}

/* The keys of one file: one, or as many as the recipe splits it into. */
static void add_keys(struct endpoint *e, const struct setting_secret *from, int number,
                     struct span text)
{
    for (size_t n = 0; span_present(text); n++) {
        struct span one = cut_text(&text, e->recipe->key_split);
        struct endpoint_key key;
        struct ho_err err = {HO_OK, 0, ""};

        if (n == SPLIT_MAX) {
            (void)ho_fail(&err, HO_REJECT, "more than %d secrets in one file", SPLIT_MAX);
            note_trouble(e, number, from->path, &err);
            return;
        }
        if (make_key(e, one, &key, &err) != HO_OK) {
            note_trouble(e, number, from->path, &err);
            continue;
        }
        key.until_us = from->has_until ? from->until_us : INT64_MAX;
        key.number = number;
        e->keys = ho_realloc(e->keys, (e->n_keys + 1) * sizeof *e->keys);
        e->keys[e->n_keys++] = key;
    }
}

void endpoint_read_keys(struct endpoint *e, void (*watch)(void *arg, const char *path), void *arg)
{
    for (size_t i = 0; i < e->source->n_secrets; i++) {
        const struct setting_secret *from = &e->source->secrets[i];
        struct secret text;
        struct ho_err err = {HO_OK, 0, ""};

        watch(arg, from->path);
        if (secret_read(from->path, &text, &err) == HO_OK) {
            add_keys(e, from, (int)i + 1, secret_span(&text));
        } else {
            note_trouble(e, (int)i + 1, from->path, &err);
        }
        secret_free(&text);
    }
}

void endpoint_free_keys(struct endpoint *e)
{
    for (size_t i = 0; i < e->n_keys; i++) {
        secret_free(&e->keys[i].secret);
        mac_key_free(e->keys[i].pub);
    }
    free(e->keys);
    free(e->trouble);
}
