/* What of a value is shown goes by its key. */
#include "core/settings_shown.h"

#include <string.h>

enum showing {
    WHOLE,
    FILES,  /* only the names of files */
    ADDRESS, /* a URL, or one for each line: without user, password and query */
    HOST,    /* a URL that is a secret itself, as chats have them: only its host */
    PROGRAM /* the first word */
};

static const struct {
    const char *key;
    enum showing how;
} rules[] = {
    {"password", FILES}, {"receiver_password", FILES}, {"key", FILES},       {"body_key", FILES},
    {"page_token", FILES}, {"setup_token", FILES},     {"secret", FILES},    {"param", FILES},
    {"auth", FILES},       {"fetch_auth", FILES},      {"sign_with", FILES}, {"header", FILES},
    {"url", ADDRESS},      {"fetch", ADDRESS},         {"command", PROGRAM},
};

static enum showing how_shown(const char *section, const char *key)
{
    if (strcmp(section, "alert") == 0 && strcmp(key, "url") == 0) {
        return HOST;
    }
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (strcmp(rules[i].key, key) == 0) {
            return rules[i].how;
        }
    }
    return WHOLE;
}

bool settings_secret(const char *key)
{
    return how_shown("", key) == FILES;
}

static void add(struct buf *out, struct span text)
{
    if (buf_add_span(out, text) != HO_OK) {
        ho_die("a setting is longer than a config may be");
    }
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* The next word of *rest. */
static struct span word(struct span *rest)
{
    while (rest->len > 0 && is_blank(rest->p[0])) {
        *rest = span_sub(*rest, 1, rest->len);
    }
    size_t n = 0;
    while (n < rest->len && !is_blank(rest->p[n])) {
        n++;
    }
    struct span found = span_sub(*rest, 0, n);
    *rest = span_sub(*rest, n, rest->len);
    return found;
}

static void show_files(struct span value, struct buf *out)
{
    while (value.len > 0) {
        struct span at = word(&value);
        size_t from = 0;

        if (!span_starts(at, "file:")) {
            continue;
        }
        for (size_t i = 5; i < at.len; i++) {
            from = at.p[i] == '/' ? i + 1 : from;
        }
        add(out, span_of(out->len > 0 ? " file:" : "file:"));
        add(out, span_sub(at, from > 5 ? from : 5, at.len));
    }
    if (out->len == 0) {
        add(out, span_of("(not shown)"));
    }
}

static void show_address(struct span value, struct buf *out)
{
    size_t end = 0, user = 0, start = 0;

    for (size_t i = 0; i + 2 < value.len && start == 0; i++) {
        start = memcmp(value.p + i, "://", 3) == 0 ? i + 3 : 0;
    }
    while (end < value.len && value.p[end] != '?' && value.p[end] != '#') {
        end++;
    }
    for (size_t i = start; i < end && value.p[i] != '/'; i++) {
        user = value.p[i] == '@' ? i + 1 : user;
    }
    add(out, span_sub(value, 0, start));
    start = user > start ? user : start;
    add(out, span_sub(value, start, end > start ? end - start : 0));
    add(out, span_of(end < value.len ? "?..." : ""));
}

static void show_host(struct span value, struct buf *out)
{
    show_address(value, out);
    struct span shown = buf_span(out);
    size_t end = span_starts(shown, "https://") ? 8 : span_starts(shown, "http://") ? 7 : 0;

    while (end < shown.len && shown.p[end] != '/') {
        end++;
    }
    out->len = end;
    add(out, span_of("/..."));
}

static void show_program(struct span value, struct buf *out)
{
    add(out, word(&value));
    add(out, span_of(span_trim_line(value).len > 0 ? " ..." : ""));
}

/* Cuts *out between two characters. */
static void shorten(struct buf *out)
{
    if (out->len > SHOWN_MAX) {
        size_t n = SHOWN_MAX - 3;

        while (n > 0 && (buf_span(out).p[n] & 0xc0) == 0x80) {
            n--;
        }
        out->len = n;
        add(out, span_of("..."));
    }
}

static void show(struct shown_setting *setting, const char *value, struct buf *room,
                 shown_setting_fn *fn, void *arg)
{
    struct span whole = span_of(value);

    buf_clear(room);
    switch (how_shown(setting->section, setting->key)) {
    case FILES: show_files(whole, room); break;
    case ADDRESS: show_address(whole, room); break;
    case HOST: show_host(whole, room); break;
    case PROGRAM: show_program(whole, room); break;
    case WHOLE:
    default: add(room, whole); break;
    }
    shorten(room);
    setting->value = buf_span(room);
    fn(arg, setting);
}

/* The defaults of one section; at may be NULL: it is absent. */
static void show_defaults(struct shown_setting *setting, const struct conf_section *at,
                          struct buf *room, shown_setting_fn *fn, void *arg)
{
    size_t n;
    const struct conf_key *table = settings_keys(&n);

    setting->is_default = true;
    setting->line = 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(table[i].section, setting->section) == 0 && table[i].dflt != NULL &&
            (at == NULL || conf_find(at, table[i].key) == NULL)) {
            setting->key = table[i].key;
            show(setting, table[i].dflt, room, fn, arg);
        }
    }
}

void settings_shown(const struct settings *s, shown_setting_fn *fn, void *arg)
{
    static const char *const single[] = {"hookonce", "processor", "watch"};
    struct buf room;

    buf_init(&room, 1024UL * 1024);
    for (const struct conf_section *at = conf_first(s->conf); at != NULL; at = at->next) {
        struct shown_setting setting = {.section = at->kind, .name = at->name, .file = at->file};

        for (const struct conf_entry *e = at->entries; e != NULL; e = e->next) {
            setting.key = e->key;
            setting.line = e->line;
            show(&setting, e->value, &room, fn, arg);
        }
        show_defaults(&setting, at, &room, fn, arg);
    }
    for (size_t i = 0; i < sizeof single / sizeof single[0]; i++) {
        const struct conf_section *at = conf_first(s->conf);
        struct shown_setting setting = {.section = single[i], .name = "", .file = s->file};

        while (at != NULL && strcmp(at->kind, single[i]) != 0) {
            at = at->next;
        }
        if (at == NULL) {
            show_defaults(&setting, NULL, &room, fn, arg);
        }
    }
    buf_free(&room);
}
