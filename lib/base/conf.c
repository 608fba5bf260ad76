/* The grammar of config and recipe files: text into sections and entries. Which sections and keys
 * there may be is conf_check's business. */
#include "base/conf.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/text.h"

#define FILE_MAX_BYTES (1024UL * 1024)
#define VALUE_MAX_BYTES (64UL * 1024)

/* Strings of the document, freed with it. */
struct chunk {
    struct chunk *next;
    char text[];
};

struct conf {
    struct chunk *chunks;
    struct conf_section *first;
    const char *file;
};

struct parser {
    struct conf *conf;
    struct conf_section *section; /* NULL before the first */
    struct conf_entry *entry;     /* NULL before the first of the section */
    struct buf value;             /* of the entry, as far as it has come */
    bool open;                    /* whether an indented line may continue the value */
    int line;
    struct ho_err *err;
};

static const char *keep(struct conf *conf, struct span s)
{
    struct chunk *c = ho_alloc(sizeof *c + s.len + 1);
    c->next = conf->chunks;
    conf->chunks = c;
    memcpy(c->text, s.p, s.len);
    c->text[s.len] = '\0';
    return c->text;
}

static enum ho_code fail_here(struct parser *p, const char *what)
{
    return ho_fail(p->err, HO_REJECT, "%s:%d: %s", p->conf->file, p->line, what);
}

/* What is before a blank and '#', trimmed. */
static struct span without_comment(struct span s)
{
    for (size_t i = 1; i < s.len; i++) {
        if (s.p[i] == '#' && (s.p[i - 1] == ' ' || s.p[i - 1] == '\t')) {
            s.len = i;
        }
    }
    return span_trim(s);
}

static void finish_value(struct parser *p)
{
    if (p->entry != NULL) {
        p->entry->value = keep(p->conf, span_trim_line(buf_span(&p->value)));
    }
    buf_clear(&p->value);
    p->open = false;
}

static enum ho_code add_to_value(struct parser *p, struct span more)
{
    bool joined = p->value.len > 0 && more.len > 0;
    if ((joined && buf_add_byte(&p->value, '\n') != HO_OK) ||
        buf_add_span(&p->value, more) != HO_OK) {
        return fail_here(p, "the value is longer than 64 KiB");
    }
    return HO_OK;
}

static enum ho_code start_section(struct parser *p, struct span line)
{
    line = without_comment(line);
    if (line.p[line.len - 1] != ']') {
        return fail_here(p, "a section is written [kind] or [kind name]");
    }
    struct span name = span_trim(span_sub(line, 1, line.len - 2));
    struct span kind = span_cut(&name, ' ');
    name = span_present(name) ? span_trim(name) : SPAN_LIT("");
    if (!conf_is_name(kind) || (name.len > 0 && !conf_is_name(name))) {
        return fail_here(p, "a section is written [kind] or [kind name], each of at most 64 of "
                            "a-z 0-9 . _ - and beginning with a letter or digit");
    }
    struct conf_section *last = NULL;
    for (struct conf_section *s = p->conf->first; s != NULL; s = s->next) {
        if (span_is(kind, s->kind) && span_is(name, s->name)) {
            return ho_fail(p->err, HO_REJECT, "%s:%d: a second [%s%s%s]; the first is in line %d",
                           p->conf->file, p->line, s->kind, s->name[0] == '\0' ? "" : " ",
                           s->name, s->line);
        }
        last = s;
    }
    struct conf_section *s = ho_alloc(sizeof *s);
    *s = (struct conf_section){keep(p->conf, kind), keep(p->conf, name), p->conf->file, p->line,
                               NULL, NULL};
    *(last == NULL ? &p->conf->first : &last->next) = s;
    p->section = s;
    p->entry = NULL;
    return HO_OK;
}

static enum ho_code start_entry(struct parser *p, struct span line)
{
    struct span value = line;
    struct span key = span_trim(span_cut(&value, '='));
    if (!span_present(value) || !conf_is_name(key)) {
        /* The line is not shown: it may be a piece of a secret. */
        return fail_here(p, "neither [section], nor key = value, nor an indented line that "
                            "continues a value, nor a comment");
    }
    if (p->section == NULL) {
        return fail_here(p, "a key before the first [section]");
    }
    struct conf_entry *e = ho_alloc(sizeof *e);
    *e = (struct conf_entry){keep(p->conf, key), "", p->line, NULL};
    *(p->entry == NULL ? &p->section->entries : &p->entry->next) = e;
    p->entry = e;
    p->open = true;
    return add_to_value(p, without_comment(value));
}

static enum ho_code take_line(struct parser *p, struct span line)
{
    if (line.len > 0 && line.p[line.len - 1] == '\r') {
        line.len--;
    }
    struct span text = span_trim(line);
    if (text.len == 0) {
        p->open = false;
        return HO_OK;
    }
    if (text.p[0] == '#' || text.p[0] == ';') {
        return HO_OK;
    }
    if (text.p != line.p) {
        return p->open ? add_to_value(p, without_comment(text))
                       : fail_here(p, "an indented line, but no value right above to continue");
    }
    finish_value(p);
    return text.p[0] == '[' ? start_section(p, text) : start_entry(p, text);
}

static enum ho_code check_bytes(struct parser *p, struct span line)
{
    if (span_has(line, '\0')) {
        return fail_here(p, "a NUL byte");
    }
    return text_is_utf8(line) ? HO_OK : fail_here(p, "not UTF-8");
}

enum ho_code conf_parse(const char *file, struct span text, struct conf **out, struct ho_err *err)
{
    *out = NULL;
    struct conf *conf = ho_alloc(sizeof *conf);
    *conf = (struct conf){NULL, NULL, NULL};
    conf->file = keep(conf, span_of(file));
    struct parser p = {.conf = conf, .err = err};
    buf_init(&p.value, VALUE_MAX_BYTES);
    enum ho_code code = HO_OK;
    if (text.len > FILE_MAX_BYTES) {
        code = fail_here(&p, "the file is longer than 1 MiB");
    }
    if (span_starts(text, "\xEF\xBB\xBF")) {
        text = span_sub(text, 3, text.len);
    }
    while (code == HO_OK && span_present(text)) {
        struct span line = span_cut(&text, '\n');
        p.line++;
        code = check_bytes(&p, line);
        if (code == HO_OK) {
            code = take_line(&p, line);
        }
    }
    finish_value(&p);
    buf_wipe(&p.value);
    if (code != HO_OK) {
        conf_free(conf);
        return code;
    }
    *out = conf;
    return HO_OK;
}

enum ho_code conf_read(const char *file, bool private_only, struct conf **out, struct ho_err *err)
{
    *out = NULL;
    struct buf content;
    buf_init(&content, FILE_MAX_BYTES);
    enum ho_code code = file_read(file, private_only, &content, err);
    if (code == HO_OK) {
        code = conf_parse(file, buf_span(&content), out, err);
    }
    buf_wipe(&content);
    return code;
}

void conf_free(struct conf *c)
{
    if (c == NULL) {
        return;
    }
    for (struct conf_section *s = c->first; s != NULL;) {
        struct conf_section *next = s->next;
        for (struct conf_entry *e = s->entries; e != NULL;) {
            struct conf_entry *next_entry = e->next;
            free(e);
            e = next_entry;
        }
        free(s);
        s = next;
    }
    for (struct chunk *chunk = c->chunks; chunk != NULL;) {
        struct chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    free(c);
}

const struct conf_section *conf_first(const struct conf *c)
{
    return c == NULL ? NULL : c->first;
}

const struct conf_entry *conf_find(const struct conf_section *s, const char *key)
{
    const struct conf_entry *e = s->entries;
    while (e != NULL && strcmp(e->key, key) != 0) {
        e = e->next;
    }
    return e;
}

char *conf_resolve(const struct conf_section *s, const char *path)
{
    if (path[0] == '/') {
        return ho_strdup(path);
    }
    char here[PATH_MAX] = "";
    const char *slash = strrchr(s->file, '/');
    int dir_len = slash == NULL ? 0 : (int)(slash - s->file + 1);
    if (s->file[0] != '/' && getcwd(here, sizeof here) == NULL) {
        ho_die("the working directory is gone");
    }
    struct buf full;
    buf_init(&full, strlen(here) + strlen(s->file) + strlen(path) + 2);
    if (buf_addf(&full, "%s%s%.*s%s", here, s->file[0] == '/' ? "" : "/", dir_len, s->file,
                 path) != HO_OK) {
        ho_die("a path does not fit: %s", path);
    }
    char *copy = ho_strdup(buf_cstr(&full));
    buf_free(&full);
    return copy;
}

enum ho_code conf_fail(struct ho_err *err, const struct conf_section *s,
                       const struct conf_entry *e, const char *fmt, ...)
{
    char text[sizeof err->text];
    va_list ap;
    va_start(ap, fmt);
    if (vsnprintf(text, sizeof text, fmt, ap) < 0) {
        text[0] = '\0';
    }
    va_end(ap);
    return ho_fail(err, HO_REJECT, "%s:%d: %s", s->file, e == NULL ? s->line : e->line, text);
}
