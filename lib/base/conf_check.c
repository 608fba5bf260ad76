/* Sections and entries held against a table of keys, and typed access to what has passed. */
#include "base/conf.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/nearest.h"
#include "base/text.h"

#define NAME_MAX_BYTES 64
#define SHOWN_MAX 60UL

bool conf_is_name(struct span s)
{
    if (s.len == 0 || s.len > NAME_MAX_BYTES) {
        return false;
    }
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = s.p[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!word && (i == 0 || (c != '.' && c != '_' && c != '-'))) {
            return false;
        }
    }
    return true;
}

static const struct conf_key *row_of(const struct conf_key *table, size_t n, const char *section,
                                     const char *key)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(table[i].section, section) == 0 &&
            (key == NULL || strcmp(table[i].key, key) == 0)) {
            return &table[i];
        }
    }
    return NULL;
}

static bool one_of(const char *words, struct span value)
{
    struct span rest = span_of(words);
    while (span_present(rest)) {
        struct span word = span_cut(&rest, ' ');
        if (word.len > 0 && span_eq(word, value)) {
            return true;
        }
    }
    return false;
}

static bool parse_int(struct span s, int64_t *out)
{
    uint64_t value;
    bool negative = s.len > 0 && s.p[0] == '-';
    if (!text_uint(span_sub(s, negative ? 1 : 0, s.len), INT64_MAX, &value)) {
        return false;
    }
    *out = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

static bool is_list(struct span s)
{
    while (span_present(s)) {
        if (span_trim_line(span_cut(&s, ',')).len == 0) {
            return false;
        }
    }
    return true;
}

/* Whether a value has the form of its type; *number is what it means, 0 for texts. */
static bool parse_value(const struct conf_key *row, struct span s, int64_t *number)
{
    *number = 0;
    switch (row->type) {
    case CONF_TEXT:
        return s.len > 0 || !row->required;
    case CONF_NAME:
        return conf_is_name(s);
    case CONF_WORD:
        return one_of(row->words, s);
    case CONF_BOOL:
        *number = span_is(s, "yes") ? 1 : 0;
        return *number == 1 || span_is(s, "no");
    case CONF_INT:
        return parse_int(s, number);
    case CONF_DURATION:
        return text_duration(s, number);
    case CONF_SIZE:
        return text_size(s, number);
    case CONF_PATH:
        return s.len > 0;
    case CONF_LIST:
        return is_list(s);
    }
    return false;
}

static const char *type_words(const struct conf_key *row)
{
    switch (row->type) {
    case CONF_TEXT:
        return "a text";
    case CONF_NAME:
        return "a name of at most 64 of a-z 0-9 . _ -";
    case CONF_WORD:
        return row->words;
    case CONF_BOOL:
        return "yes or no";
    case CONF_INT:
        return "a whole number";
    case CONF_DURATION:
        return "a time like 250ms, 10s, 5m, 6h or 30d";
    case CONF_SIZE:
        return "a size like 512, 64k, 26m or 1g";
    case CONF_PATH:
        return "a path";
    case CONF_LIST:
        return "texts with commas between";
    }
    return "?";
}

/* Fails with what the key wants and what it has. Texts are not shown: they may be secret. */
static enum ho_code fail_value(const struct conf_section *s, const struct conf_entry *e,
                               const struct conf_key *row, const char *wants, struct ho_err *err)
{
    bool one = row->type == CONF_WORD;
    if (row->type == CONF_TEXT || row->type == CONF_LIST || row->type == CONF_PATH) {
        return conf_fail(err, s, e, "%s must be %s", e->key, wants);
    }
    struct buf shown;
    buf_init(&shown, 8 * SHOWN_MAX);
    if (text_quote(span_of(e->value), SHOWN_MAX, &shown) != HO_OK) {
        buf_clear(&shown);
    }
    enum ho_code code = conf_fail(err, s, e, "%s must be %s%s, not %s", e->key,
                                  one ? "one of " : "", wants, buf_cstr(&shown));
    buf_free(&shown);
    return code;
}

static void put_limit(const struct conf_key *row, int64_t limit, char out[24])
{
    if (row->type == CONF_DURATION) {
        text_duration_put(limit, out);
    } else {
        (void)snprintf(out, 24, "%lld", (long long)limit);
    }
}

static enum ho_code check_entry(const struct conf_section *s, const struct conf_entry *e,
                                const struct conf_key *row, struct ho_err *err)
{
    int64_t number;
    const struct conf_entry *first = conf_find(s, e->key);
    if (first != e && !row->repeats) {
        return conf_fail(err, s, e, "a second %s; the first is in line %d", e->key, first->line);
    }
    if (!parse_value(row, span_of(e->value), &number)) {
        return fail_value(s, e, row, type_words(row), err);
    }
    bool ranged = row->type == CONF_INT || row->type == CONF_DURATION || row->type == CONF_SIZE;
    if (ranged && row->max != 0 && (number < row->min || number > row->max)) {
        char least[24];
        char most[24];
        char wants[64];
        put_limit(row, row->min, least);
        put_limit(row, row->max, most);
        (void)snprintf(wants, sizeof wants, "from %s to %s", least, most);
        return fail_value(s, e, row, wants, err);
    }
    return HO_OK;
}

static enum ho_code fail_unknown(const struct conf_section *s, const struct conf_entry *e,
                                 const char *word, struct ho_err *err)
{
    const char *given = e == NULL ? s->kind : e->key;
    bool hint = word != NULL;
    return conf_fail(err, s, e, "unknown %s \"%s\"%s%s%s%s%s", e == NULL ? "section" : "key",
                     given, e == NULL ? "" : " in a section ", e == NULL ? "" : s->kind,
                     hint ? "; did you mean \"" : "", hint ? word : "", hint ? "\"?" : "");
}

static enum ho_code check_section(const struct conf_section *s, const struct conf_key *table,
                                  size_t n, struct ho_err *err)
{
    if (row_of(table, n, s->kind, NULL) == NULL) {
        struct nearest near = nearest_to(span_of(s->kind));
        for (size_t i = 0; i < n; i++) {
            nearest_try(&near, table[i].section);
        }
        return fail_unknown(s, NULL, near.word, err);
    }
    for (const struct conf_entry *e = s->entries; e != NULL; e = e->next) {
        const struct conf_key *row = row_of(table, n, s->kind, e->key);
        if (row == NULL) {
            struct nearest near = nearest_to(span_of(e->key));
            for (size_t i = 0; i < n; i++) {
                if (strcmp(table[i].section, s->kind) == 0) {
                    nearest_try(&near, table[i].key);
                }
            }
            return fail_unknown(s, e, near.word, err);
        }
        enum ho_code code = check_entry(s, e, row, err);
        if (code != HO_OK) {
            return code;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (table[i].required && strcmp(table[i].section, s->kind) == 0 &&
            conf_find(s, table[i].key) == NULL) {
            return conf_fail(err, s, NULL, "[%s%s%s] needs %s", s->kind,
                             s->name[0] == '\0' ? "" : " ", s->name, table[i].key);
        }
    }
    return HO_OK;
}

enum ho_code conf_check(const struct conf *c, const struct conf_key *table, size_t n,
                        struct ho_err *err)
{
    for (const struct conf_section *s = conf_first(c); s != NULL; s = s->next) {
        enum ho_code code = check_section(s, table, n, err);
        if (code != HO_OK) {
            return code;
        }
    }
    return HO_OK;
}

static const struct conf_key *must_row(const struct conf_section *s, const char *key,
                                       const struct conf_key *table, size_t n)
{
    const struct conf_key *row = row_of(table, n, s->kind, key);
    if (row == NULL) {
        ho_die("bug: no key %s in the table of [%s]", key, s->kind);
    }
    return row;
}

const char *conf_text(const struct conf_section *s, const char *key, const struct conf_key *table,
                      size_t n)
{
    const struct conf_key *row = must_row(s, key, table, n);
    const struct conf_entry *e = conf_find(s, key);
    return e == NULL ? row->dflt : e->value;
}

int64_t conf_number(const struct conf_section *s, const char *key, const struct conf_key *table,
                    size_t n)
{
    int64_t number = 0;
    const char *text = conf_text(s, key, table, n);
    if (text == NULL || !parse_value(must_row(s, key, table, n), span_of(text), &number)) {
        ho_die("bug: no number for %s in [%s]", key, s->kind);
    }
    return number;
}
