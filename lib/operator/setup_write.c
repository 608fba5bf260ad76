/* Config and secrets: asked for, tried, and written outside the web root. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "operator/setup.h"

#define TEXT_MAX ((size_t)64 * 1024)
#define PASSWORD_FILE "db.password"
#define TLS_FAILED 2026 /* the client library's number */
#define ASKED_MAX 8
#define CRON_USUAL 5 /* minutes: what `processor_every` is without being said */

/* How the way to a database on another host may be kept, the best first. */
static const char *const tls_words[] = {"verify", "on", "off"};

struct writing {
    struct setup *s;
    struct buf config;
    const char *tls; /* NULL: as it is without being said */
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

static void in_folder(const struct setup *s, const char *name, char out[SETUP_PATH_ROOM])
{
    (void)snprintf(out, SETUP_PATH_ROOM, "%s/%.*s", s->folder, SETUP_TEXT_MAX, name);
}

/* ---- the text ---- */

static void put_database(struct writing *w)
{
    const struct setup *s = w->s;
    struct buf *out = &w->config;

    must(buf_add_str(out, "# Written by hookonce setup. hookonce.conf(5), in man/, explains every key.\n"
                          "\n[database]\n"));
    if (s->host[0] == '/') {
        must(buf_addf(out, "socket = %s\n", s->host));
    } else if (strcmp(s->host, "localhost") != 0) {
        must(buf_addf(out, "host = %s\n", s->host));
    }
    if (s->port[0] != '\0') {
        must(buf_addf(out, "port = %s\n", s->port));
    }
    if (w->tls != NULL) {
        must(buf_addf(out, "tls = %s\n", w->tls));
    }
    must(buf_addf(out, "name = %s\nuser = %s\npassword = file:" PASSWORD_FILE "\n", s->database,
                  s->user));
    if (s->prefix[0] != '\0') {
        must(buf_addf(out, "table_prefix = %s\n", s->prefix));
    }
}

static void put_rest(struct writing *w)
{
    const struct setup *s = w->s;
    struct buf *out = &w->config;
    struct span name, help;

    must(buf_addf(out, "\n[hookonce]\nurl = %s\n"
                       "\n[processor]\nafter_answer = auto\n", s->address));
    if (s->every > CRON_USUAL) {
        must(buf_addf(out, "\n[watch]\nprocessor_every = %um\n", s->every));
    }
    must(buf_addf(out, "\n[source %s]\nprovider = %s\n", s->source, s->provider));
    if (!w->facts.fetched) {
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
                          "#sql = UPDATE orders SET status = 'paid' WHERE id = {/data/object/client_reference_id}\n"
                          "#\n#[route paid]\n#provider = stripe\n"
                          "#on = checkout.session.completed\n#handler = fulfil\n"));
}

/* ---- the database ---- */

/* Makes a private file, unless it is there. made: to be taken away should it prove wrong. */
static int make_secret(const struct setup *s, const char *path, const struct secret *secret,
                       bool *made)
{
    struct ho_err err = {HO_OK, 0, ""};

    *made = false;
    if (secret->len == 0) {
        return EXIT_WELL;
    }
    if (file_write(path, secret_span(secret), false, &err) != HO_OK) {
        return operator_fail(s->op, EXIT_TROUBLE, "%s", err.text);
    }
    *made = true;
    return EXIT_WELL;
}

/* Whether the config as it is so far lets us in. */
static enum ho_code try_database(struct writing *w, const char *trial, struct ho_err *err)
{
    struct settings *set = NULL;
    enum ho_code code = file_write(trial, buf_span(&w->config), true, err);

    code = code == HO_OK ? settings_load(trial, &set, err) : code;
    if (code == HO_OK &&
        (strcmp(set->db_name, w->s->database) != 0 || strcmp(set->db_user, w->s->user) != 0)) {
        code = ho_fail(err, HO_REJECT, "name and user of the database can't be written into a config "
                                       "as they are: they hold a # behind a blank, or end in blanks");
    }
    if (code == HO_OK) {
        struct db *db = db_open(set, DB_OPERATOR);
        code = db_connect(db, err);
        db_close(db);
    }
    settings_free(set);
    (void)unlink(trial);
    return code;
}

static bool is_elsewhere(const struct setup *s)
{
    return s->host[0] != '/' && strcmp(s->host, "localhost") != 0 &&
           strncmp(s->host, "127.", 4) != 0 && strcmp(s->host, "::1") != 0;
}

/* Over the best way that works: a foreign certificate is often one that nobody knows. */
static enum ho_code find_way(struct writing *w, struct ho_err *err)
{
    char trial[SETUP_PATH_ROOM];
    size_t ways = is_elsewhere(w->s) ? sizeof tls_words / sizeof tls_words[0] : 1;
    enum ho_code code = HO_BUG;

    in_folder(w->s, "hookonce.conf.trial", trial);
    for (size_t i = 0; i < ways; i++) {
        w->tls = i > 0 ? tls_words[i] : NULL;
        buf_clear(&w->config);
        put_database(w);
        ho_err_clear(err);
        code = try_database(w, trial, err);
        if (code == HO_OK || err->sys != TLS_FAILED) {
            break;
        }
    }
    if (code == HO_OK && w->tls != NULL) {
        (void)printf("The database's certificate can't be checked: `tls = %s` goes into the config.\n",
                     w->tls);
    }
    return code;
}

static int ask_database(struct writing *w)
{
    struct setup *s = w->s;
    int status = setup_ask(s, "Name of the database", "--database", "", s->database);

    status = status == EXIT_WELL ? setup_ask(s, "Its user", "--user", s->database, s->user) : status;
    return status == EXIT_WELL
               ? setup_ask(s, "Host of the database, or path of its socket", "--host", "localhost",
                           s->host)
               : status;
}

static int write_database(struct writing *w)
{
    struct setup *s = w->s;
    struct secret password = {NULL, 0};
    struct ho_err err = {HO_OK, 0, ""};
    char path[SETUP_PATH_ROOM];
    bool made = false;
    int status = ask_database(w);

    in_folder(s, PASSWORD_FILE, path);
    if (status == EXIT_WELL && access(path, F_OK) != 0) {
        status = setup_ask_secret(s, "Password of that user", "--password-file", s->password_file,
                                  &password);
    } else if (status == EXIT_WELL) {
        (void)printf("%s is there already, and is used.\n", path);
    }
    status = status == EXIT_WELL ? make_secret(s, path, &password, &made) : status;
    secret_free(&password);
    if (status == EXIT_WELL && find_way(w, &err) != HO_OK) {
        status = operator_db_fail(s->op, &err);
        (void)fprintf(stderr, "Nothing was written: look the four up in your host's panel, and run "
                              "this again.\n");
        if (made) {
            (void)unlink(path);
        }
    }
    return status;
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
    in_folder(s, name, path);
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
        return operator_fail(s->op, EXIT_USAGE, "no provider '%s'; `./hookonce providers` lists them, "
                             "and --provider names another one than the source", s->provider);
    }
    if (status == EXIT_WELL) {
        recipe_facts(w->recipe, &w->facts);
        status = ask_params(w);
    }
    return status == EXIT_WELL ? ask_secret(w) : status;
}

/* Writes secret and config; what is wrong with them is said before they are in place. */
static int write_all(struct writing *w)
{
    struct setup *s = w->s;
    struct endpoints *endpoints = NULL;
    struct ho_err err = {HO_OK, 0, ""};
    char trial[SETUP_PATH_ROOM], secret[SETUP_PATH_ROOM], name[SETUP_TEXT_MAX + 16];
    bool made = false;

    (void)snprintf(name, sizeof name, "%s.secret", s->source);
    in_folder(s, name, secret);
    in_folder(s, "hookonce.conf.trial", trial);
    put_rest(w);
    int status = make_secret(s, secret, &w->secret, &made);
    if (status != EXIT_WELL) {
        return status;
    }
    enum ho_code code = file_write(trial, buf_span(&w->config), true, &err);
    code = code == HO_OK ? endpoints_load(trial, &endpoints, &err) : code;
    if (code == HO_OK) {
        const struct endpoint *e = endpoints_find(endpoints, span_of(s->source));
        if (e != NULL && e->trouble != NULL && w->secret.len > 0) {
            code = ho_fail(&err, HO_REJECT, "%s", e->trouble);
        }
    }
    endpoints_free(endpoints);
    (void)unlink(trial);
    code = code == HO_OK ? file_write(s->config, buf_span(&w->config), false, &err) : code;
    if (code != HO_OK && made) {
        (void)unlink(secret);
    }
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
    status = write_database(&w);
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
