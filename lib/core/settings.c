/* The config file as typed settings: reading, and what conf_check cannot know (names that must
 * exist, secrets' form, SQL, limits between keys). */
#include "core/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/settings_parts.h"

const char *setting_text(const struct conf_section *s, const char *key)
{
    size_t n;
    const struct conf_key *table = settings_keys(&n);

    return conf_text(s, key, table, n);
}

int64_t setting_number(const struct conf_section *s, const char *key)
{
    size_t n;
    const struct conf_key *table = settings_keys(&n);

    return conf_number(s, key, table, n);
}

void setting_add(char ***list, size_t *n, char *owned)
{
    *list = ho_realloc(*list, (*n + 1) * sizeof **list);
    (*list)[(*n)++] = owned;
}

/* Splits every value of a list key into its items. */
void setting_list(const struct conf_section *s, const char *key, char ***list, size_t *n)
{
    for (const struct conf_entry *e = s->entries; e != NULL; e = e->next) {
        struct span rest = span_of(e->value);

        while (strcmp(e->key, key) == 0 && span_present(rest)) {
            struct span item = span_trim_line(span_cut(&rest, ','));
            char *copy = ho_alloc(item.len + 1);

            memcpy(copy, item.p, item.len);
            copy[item.len] = '\0';
            setting_add(list, n, copy);
        }
    }
}

enum ho_code setting_file(const struct conf_section *s, const char *key, char **out,
                          struct ho_err *err)
{
    const struct conf_entry *e = conf_find(s, key);
    const char *value = e != NULL ? e->value : setting_text(s, key);

    *out = NULL;
    if (value == NULL) {
        return HO_OK;
    }
    if (!span_starts(span_of(value), "file:") || value[5] == '\0') {
        return conf_fail(err, s, e, "`%s` names a private file: write file:NAME", key);
    }
    *out = conf_resolve(s, value + 5);
    return HO_OK;
}

static void load_spool(struct settings *out, const struct conf_section *s)
{
    const char *mode = setting_text(s, "spool"), *dir = setting_text(s, "spool_dir");
    static const char name[] = "/spool";
    size_t room = strlen(out->state_dir) + sizeof name;

    out->spool = strcmp(mode, "always") == 0 ? SPOOL_ALWAYS
                 : strcmp(mode, "on") == 0   ? SPOOL_ON
                                             : SPOOL_OFF;
    out->spool_bytes = (uint64_t)setting_number(s, "spool_bytes");
    out->spool_files = (unsigned)setting_number(s, "spool_files");
    if (dir != NULL) {
        out->spool_dir = conf_resolve(s, dir);
    } else {
        out->spool_dir = ho_alloc(room);
        (void)snprintf(out->spool_dir, room, "%s%s", out->state_dir, name);
    }
}

static enum ho_code load_log(struct log_to *out, char **path, const struct conf_section *s,
                             struct ho_err *err)
{
    static const char *const levels[] = {"debug", "info", "warn", "alarm"};
    const char *to = setting_text(s, "log"), *level = setting_text(s, "log_level");

    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        out->least = strcmp(level, levels[i]) == 0 ? (enum log_level)i : out->least;
    }
    out->json = strcmp(setting_text(s, "log_format"), "json") == 0;
    if (strcmp(to, "stderr") == 0) {
        return HO_OK; /* as it is when nothing is set */
    }
    if (strcmp(to, "syslog") == 0 || span_starts(span_of(to), "syslog:/")) {
        out->place = LOG_TO_SYSLOG;
        *path = ho_strdup(to[6] == ':' ? to + 7 : LOG_SYSLOG);
    } else {
        out->place = LOG_TO_FILE;
        if (setting_file(s, "log", path, err) != HO_OK) {
            return HO_REJECT;
        }
    }
    out->path = *path;
    return HO_OK;
}

/* How what is stored is kept: sealed or not, and how long. */
static enum ho_code load_keeping(struct settings *out, const struct conf_section *s,
                                 struct ho_err *err)
{
    bool first = true;

    for (const struct conf_entry *e = s->entries; e != NULL; e = e->next) {
        char *path = NULL;
        if (strcmp(e->key, "body_key") != 0) {
            continue;
        }
        if (first && strcmp(e->value, "off") == 0) {
            out->seal_off = true;
        } else if (setting_path(s, e, span_of(e->value), &path, err) != HO_OK) {
            return HO_REJECT;
        } else {
            setting_add(&out->body_keys, &out->n_body_keys, path);
        }
        first = false;
    }
    out->keep_bodies_ms =
        setting_text(s, "keep_bodies") != NULL ? setting_number(s, "keep_bodies") : -1;
    out->keep_receipts_ms =
        setting_text(s, "keep_receipts") != NULL ? setting_number(s, "keep_receipts") : -1;
    return HO_OK;
}

static enum ho_code load_hookonce(struct settings *out, const struct conf_section *s,
                                  struct ho_err *err)
{
    out->state_dir = conf_resolve(s, setting_text(s, "state"));
    load_spool(out, s);
    out->url = setting_text(s, "url");
    if (setting_text(s, "ca_file") != NULL) {
        out->ca_file = conf_resolve(s, setting_text(s, "ca_file"));
    }
    if (setting_text(s, "program") != NULL) {
        out->program = conf_resolve(s, setting_text(s, "program"));
    }
    if (load_log(&out->log, &out->log_path, s, err) != HO_OK) {
        return HO_REJECT;
    }
    for (const struct conf_entry *e = s->entries; e != NULL; e = e->next) {
        if (strcmp(e->key, "recipes") == 0) {
            setting_add(&out->recipes, &out->n_recipes, conf_resolve(s, e->value));
        }
    }
    enum ho_code code = load_keeping(out, s, err);
    if (code == HO_OK) {
        code = setting_file(s, "page_token", &out->page_token_file, err);
    }
    if (code == HO_OK) {
        code = setting_file(s, "setup_token", &out->setup_token_file, err);
    }
    code = code == HO_OK ? settings_load_commands(out, s, err) : code;
    return code == HO_OK ? setting_file(s, "key", &out->key_file, err) : code;
}

/* A single section that may be absent: then every key has its default. */
static const struct conf_section *single(const struct settings *s, const char *kind,
                                         struct conf_section *stand_in)
{
    for (const struct conf_section *at = conf_first(s->conf); at != NULL; at = at->next) {
        if (strcmp(at->kind, kind) == 0) {
            return at;
        }
    }
    *stand_in = (struct conf_section){.kind = kind, .name = "", .file = s->file, .line = 1};
    return stand_in;
}

static enum ho_code check_names(const struct settings *s, struct ho_err *err)
{
    static const char *const singles[] = {"database", "hookonce", "processor", "watch"};

    for (const struct conf_section *at = conf_first(s->conf); at != NULL; at = at->next) {
        bool is_single = false;

        for (size_t i = 0; i < sizeof singles / sizeof singles[0]; i++) {
            is_single = is_single || strcmp(at->kind, singles[i]) == 0;
        }
        if (is_single && at->name[0] != '\0') {
            return conf_fail(err, at, NULL, "[%s] takes no name", at->kind);
        }
        if (!is_single && at->name[0] == '\0') {
            return conf_fail(err, at, NULL, "this section needs a name: [%s NAME]", at->kind);
        }
    }
    return HO_OK;
}

enum ho_code settings_load(const char *file, struct settings **out, struct ho_err *err)
{
    struct settings *s = ho_alloc(sizeof *s);
    struct conf_section none;
    size_t n;
    const struct conf_key *table = settings_keys(&n);
    enum ho_code code;

    memset(s, 0, sizeof *s);
    *out = NULL;
    s->file = ho_strdup(file);
    s->mark = file_mark(file);
    code = conf_read(file, true, &s->conf, err);
    if (code == HO_OK) {
        code = conf_check(s->conf, table, n, err);
    }
    if (code == HO_OK) {
        code = check_names(s, err);
    }
    if (code == HO_OK) {
        const struct conf_section *db = single(s, "database", &none);

        code = db == &none ? conf_fail(err, db, NULL, "there is no [database] section")
                           : settings_load_database(s, db, err);
    }
    if (code == HO_OK) {
        code = load_hookonce(s, single(s, "hookonce", &none), err);
    }
    if (code == HO_OK) {
        code = settings_load_processor(s, single(s, "processor", &none), err);
    }
    if (code == HO_OK) {
        settings_load_watch(s, single(s, "watch", &none));
        code = settings_load_flow(s, err);
    }
    if (code != HO_OK) {
        settings_free(s);
        return code;
    }
    *out = s;
    return HO_OK;
}
