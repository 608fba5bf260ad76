/* Config and the secret of the source: asked for, tried, and written outside the web root. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "operator/setup.h"

#define TEXT_MAX ((size_t)64 * 1024)
#define SECRET_TRIAL "source.secret.trial" /* until it is known to be one */
#define ASKED_MAX 8
#define CRON_USUAL 5 /* minutes: what `processor_every` is without being said */

struct writing {
    struct setup *s;
    struct buf config;
    const struct recipe *recipe;
    struct recipe_facts facts;
    char params[ASKED_MAX][SETUP_TEXT_MAX];
    struct secret secret; /* of the source; empty: none is needed, or its file is there */
};

static void must(enum ho_code code)
{
    if (code != HO_OK) {
        ho_die("bug: a config is too long");
    }
}

/* ---- the text ---- */

/* All of it. trial: with the secret as it is before it is known to be one. */
static void put_config(struct writing *w, bool trial)
{
    const struct setup *s = w->s;
    struct buf *out = &w->config;
    struct span name, help;

    buf_clear(out);
    must(buf_add_str(out, "# Written by hookonce setup. hookonce.conf(5), in man/, explains every "
                          "key.\n\n"));
    setup_database_put(s, false, out);
    must(buf_addf(out, "\n[hookonce]\nurl = %s\n"
                       "\n[processor]\nafter_answer = auto\n", s->address));
    if (s->every > CRON_USUAL) {
        must(buf_addf(out, "\n[watch]\nprocessor_every = %um\n", s->every));
    }
    must(buf_addf(out, "\n[source %s]\nprovider = %s\n", s->source, s->provider));
    if (trial && w->secret.len > 0) {
        must(buf_add_str(out, "secret = file:" SECRET_TRIAL "\n"));
    } else if (!w->facts.fetched) {
        must(buf_addf(out, "secret = file:%s.secret\n", s->source));
    }
    if (w->facts.signs_url) {
        must(buf_addf(out, "url = %s/%s\n", s->address, s->source));
    }
    for (size_t i = 0; i < ASKED_MAX && recipe_param(w->recipe, i, &name, &help); i++) {
        must(buf_addf(out, "param = %.*s %s\n", (int)name.len, (const char *)name.p, w->params[i]));
    }
    must(buf_add_str(out, "\n# What is to be done for an event. README.md has examples to copy.\n"
                          "#[handler fulfil]\n"
                          "#sql = UPDATE orders SET status = 'paid' WHERE id = "
                          "{/data/object/client_reference_id}\n"
                          "#\n#[route paid]\n#provider = stripe\n"
                          "#on = checkout.session.completed\n#handler = fulfil\n"));
}

/* ---- the source ---- */

static int ask_params(struct writing *w)
{
    struct span name, help;
    char question[SETUP_TEXT_MAX];
    int status = EXIT_WELL;

    for (size_t i = 0; status == EXIT_WELL && recipe_param(w->recipe, i, &name, &help); i++) {
        if (i == ASKED_MAX) {
            return operator_fail(w->s->op, EXIT_USAGE, "%s wants more settings than are asked here",
                                 w->s->provider);
        }
        (void)snprintf(question, sizeof question, "%.*s: %.*s", (int)name.len,
                       (const char *)name.p, (int)help.len, (const char *)help.p);
        status = setup_ask(w->s, question, "a terminal", "", w->params[i]);
    }
    return status;
}

static int ask_secret(struct writing *w)
{
    struct setup *s = w->s;
    char path[SETUP_PATH_ROOM], name[SETUP_TEXT_MAX + 16], question[2 * SETUP_TEXT_MAX];

    (void)snprintf(name, sizeof name, "%s.secret", s->source);
    setup_in_folder(s, name, path);
    if (w->facts.fetched || w->facts.pairs) {
        return EXIT_WELL;
    }
    if (access(path, F_OK) == 0) {
        (void)printf("%s is there already, and is used.\n", path);
        return EXIT_WELL;
    }
    (void)printf("Tell %s this address: %s/%s\n", w->facts.title, s->address, s->source);
    if (w->facts.secret_at != NULL) {
        (void)printf("Its secret: %s\n", w->facts.secret_at);
    }
    (void)snprintf(question, sizeof question, "Signing secret of %s", s->source);
    return setup_ask_secret(s, question, "--secret-file", s->secret_file, &w->secret);
}

/* The recipes must stay until the facts are used no more. */
static int ask_source(struct writing *w, struct recipes *recipes)
{
    struct setup *s = w->s;
    int status = setup_ask(s, "Provider of the first source, as `hookonce providers` lists them",
                           "--source", "stripe", s->source);

    if (s->provider[0] == '\0') {
        (void)snprintf(s->provider, sizeof s->provider, "%s", s->source);
    }
    w->recipe = status == EXIT_WELL ? recipes_find(recipes, s->provider) : NULL;
    if (status == EXIT_WELL && w->recipe == NULL) {
        return operator_fail(s->op, EXIT_USAGE, "no provider '%s'; `./hookonce providers` lists "
                             "them, and --provider names another one than the source",
                             s->provider);
    }
    if (status == EXIT_WELL) {
        recipe_facts(w->recipe, &w->facts);
        status = ask_params(w);
    }
    return status == EXIT_WELL ? ask_secret(w) : status;
}

/* Whether the config, with the secret as it was given, is one. */
static enum ho_code try_config(struct writing *w, struct ho_err *err)
{
    struct endpoints *endpoints = NULL;
    char trial[SETUP_PATH_ROOM], secret[SETUP_PATH_ROOM];
    enum ho_code code = HO_OK;

    setup_in_folder(w->s, SECRET_TRIAL, secret);
    setup_in_folder(w->s, SETUP_CONFIG_TRIAL, trial);
    put_config(w, true);
    if (w->secret.len > 0) {
        code = file_write(secret, secret_span(&w->secret), true, err);
    }
    code = code == HO_OK ? file_write(trial, buf_span(&w->config), true, err) : code;
    code = code == HO_OK ? endpoints_load(trial, &endpoints, err) : code;
    if (code == HO_OK) {
        const struct endpoint *e = endpoints_find(endpoints, span_of(w->s->source));
        if (e != NULL && e->trouble != NULL && w->secret.len > 0) {
            code = ho_fail(err, HO_REJECT, "%s", e->trouble);
        }
    }
    endpoints_free(endpoints);
    (void)unlink(trial);
    (void)unlink(secret);
    return code;
}

/* Writes secret and config; what is wrong with them is said before they are in place. The config
 * comes last: where it is, all that it names is. */
static int write_all(struct writing *w)
{
    struct setup *s = w->s;
    struct ho_err err = {HO_OK, 0, ""};
    char secret[SETUP_PATH_ROOM], name[SETUP_TEXT_MAX + 16];
    enum ho_code code = try_config(w, &err);

    (void)snprintf(name, sizeof name, "%s.secret", s->source);
    setup_in_folder(s, name, secret);
    if (code == HO_OK && w->secret.len > 0) {
        code = file_write(secret, secret_span(&w->secret), false, &err);
    }
    put_config(w, false);
    code = code == HO_OK ? file_write(s->config, buf_span(&w->config), false, &err) : code;
    return code == HO_OK ? EXIT_WELL : operator_fail(s->op, EXIT_USAGE, "%s", err.text);
}

int setup_write(struct setup *s)
{
    struct writing w = {.s = s};
    struct recipes *recipes = NULL;
    struct ho_err err = {HO_OK, 0, ""};
    int status;

    if (s->kept) {
        return EXIT_WELL;
    }
    buf_init(&w.config, TEXT_MAX);
    status = setup_database(s);
    if (status == EXIT_WELL && recipes_load(NULL, 0, &recipes, &err) != HO_OK) {
        status = operator_fail(s->op, EXIT_BUG, "%s", err.text);
    }
    status = status == EXIT_WELL ? ask_source(&w, recipes) : status;
    status = status == EXIT_WELL ? write_all(&w) : status;
    if (status == EXIT_WELL) {
        (void)printf("Wrote %s and its secrets, for you alone.\n", s->config);
    }
    secret_free(&w.secret);
    buf_free(&w.config);
    recipes_free(recipes);
    return status;
}
