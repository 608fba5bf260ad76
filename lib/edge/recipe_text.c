/* Small tools for reading the keys of a recipe. */
#include <string.h>

#include "base/buf.h"
#include "core/url_match.h"
#include "edge/recipe_parts.h"

/* The keys that `none` switches off again where a recipe is like another. */
static const char *const switched[] = {
    "basis",  "secret-at", "authoritative", "note", "weak",  "param", "headers",   "keys",
    "signed", "check",     "time",          "id",   "type",  "batch", "object",    "at",
    "same",   "guard",     "needs",         "hello", "sample", "form-json",
    "sample-for",
};

static bool is_off(const struct conf_entry *e)
{
    if (strcmp(e->value, "none") != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof switched / sizeof switched[0]; i++) {
        if (strcmp(e->key, switched[i]) == 0) {
            return true;
        }
    }
    return false;
}

struct recipe_entry recipe_entry(const struct recipe_text *t, const char *key)
{
    const struct recipe_entry absent = {t->section, NULL};
    struct recipe_entry found = absent;

    for (; t != NULL && found.entry == NULL; t = t->like) {
        found = (struct recipe_entry){t->section, conf_find(t->section, key)};
    }
    return found.entry == NULL || is_off(found.entry) ? absent : found;
}

struct span recipe_value(struct recipe_entry e)
{
    return e.entry == NULL ? SPAN_NONE : span_of(e.entry->value);
}

enum ho_code recipe_blame(struct recipe_entry e, enum ho_code code, struct ho_err *err)
{
    if (code != HO_OK && e.entry != NULL) {
        ho_err_prefix(err, "%s:%d: %s", e.at->file, e.entry->line, e.entry->key);
    } else if (code != HO_OK) {
        ho_err_prefix(err, "%s:%d", e.at->file, e.at->line);
    }
    return code;
}

static enum ho_code read_entry(const struct recipe_step *step, struct recipe *r,
                               struct recipe_entry e, struct ho_err *err)
{
    struct span text = recipe_value(e);
    enum ho_code code;

    if (span_present(text) && text.len == 0) {
        code = ho_fail(err, HO_REJECT, "no value");
    } else {
        code = step->read(r, text, err);
    }
    return recipe_blame(e, code, err);
}

enum ho_code recipe_steps(const struct recipe_step *steps, size_t n, struct recipe *r,
                          const struct recipe_text *t, struct ho_err *err)
{
    for (size_t i = 0; i < n; i++) {
        enum ho_code code = read_entry(&steps[i], r, recipe_entry(t, steps[i].key), err);

        if (code != HO_OK) {
            return code;
        }
    }
    return HO_OK;
}

enum ho_code recipe_each(const struct recipe_step *step, size_t most, struct recipe *r,
                         const struct recipe_text *t, struct ho_err *err)
{
    struct recipe_entry e = {NULL, NULL};
    size_t n = 0;
    bool off = false;

    for (; t != NULL && e.entry == NULL; t = t->like) {
        e = (struct recipe_entry){t->section, conf_find(t->section, step->key)};
    }
    for (; e.entry != NULL; e.entry = e.entry->next) {
        enum ho_code code = HO_OK;

        if (strcmp(e.entry->key, step->key) != 0) {
            continue;
        }
        n++;
        off = off || is_off(e.entry);
        if (off && n > 1) {
            code = recipe_blame(e, ho_fail(err, HO_REJECT, "`none` and others at once"), err);
        } else if (n > most) {
            code = recipe_blame(e, ho_fail(err, HO_REJECT, "more than %zu", most), err);
        } else if (!off) {
            code = read_entry(step, r, e, err);
        }
        if (code != HO_OK) {
            return code;
        }
    }
    return HO_OK;
}

/* ---- texts ---- */

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static bool begins_with(const unsigned char *p, const char *separator)
{
    for (; *separator != '\0'; separator++, p++) {
        if (*separator == ' ' ? !is_blank(*p) : *p != (unsigned char)*separator) {
            return false;
        }
    }
    return true;
}

struct span recipe_cut(struct span *rest, const char *separator)
{
    struct span all = *rest;
    size_t len = strlen(separator);

    for (size_t i = 0; i + len <= all.len; i++) {
        if (begins_with(all.p + i, separator)) {
            *rest = span_trim_line(span_sub(all, i + len, all.len));
            return span_trim_line(span_sub(all, 0, i));
        }
    }
    *rest = SPAN_NONE;
    return span_trim_line(all);
}

struct span recipe_word(struct span *rest)
{
    struct span all = span_present(*rest) ? span_trim_line(*rest) : SPAN_LIT("");
    size_t len = 0;

    while (len < all.len && !is_blank(all.p[len])) {
        len++;
    }
    *rest = span_trim_line(span_sub(all, len, all.len));
    return len == 0 ? SPAN_NONE : span_sub(all, 0, len);
}

enum ho_code recipe_unknown(struct ho_err *err, const char *what, struct span word,
                            const char *known)
{
    return ho_fail(err, HO_REJECT, "unknown %s \"%.*s\"; there are %s", what,
                   (int)(word.len < 40 ? word.len : 40),
                   word.len == 0 ? "" : (const char *)word.p, known);
}

char *recipe_copy(struct span s, bool lower)
{
    char *copy = ho_alloc(s.len + 1);

    for (size_t i = 0; i < s.len; i++) {
        bool upper = s.p[i] >= 'A' && s.p[i] <= 'Z';

        copy[i] = (char)(lower && upper ? s.p[i] - 'A' + 'a' : s.p[i]);
    }
    copy[s.len] = '\0';
    return copy;
}

enum ho_code recipe_unit(struct span word, enum time_unit *out, struct ho_err *err)
{
    static const char *const words[] = {[TIME_S] = "s", [TIME_MS] = "ms",
                                        [TIME_RFC3339] = "rfc3339", [TIME_RFC2822] = "rfc2822"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (span_is(word, words[i])) {
            *out = (enum time_unit)i;
            return HO_OK;
        }
    }
    return ho_fail(err, HO_REJECT, "the unit must be one of s ms rfc3339 rfc2822");
}

enum ho_code recipe_read_from(struct span words, struct span from[FROM_MAX], size_t *n,
                              struct ho_err *err)
{
    for (struct span word = recipe_word(&words); span_present(word); word = recipe_word(&words)) {
        enum ho_code code = url_pattern_check(word, err);

        if (code != HO_OK) {
            return code;
        }
        if (*n == FROM_MAX) {
            return ho_fail(err, HO_REJECT, "more than %d patterns of URLs", FROM_MAX);
        }
        from[(*n)++] = word;
    }
    return *n > 0 ? HO_OK
                  : ho_fail(err, HO_REJECT, "from needs patterns like https://*.example.com/*");
}
