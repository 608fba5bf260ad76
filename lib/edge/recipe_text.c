/* Small tools for reading the keys of a recipe. */
#include <string.h>

#include "edge/recipe_parts.h"

struct recipe_entry recipe_entry(const struct recipe_text *t, const char *key)
{
    struct recipe_entry found = {t->section, NULL};

    for (; t != NULL && found.entry == NULL; t = t->like) {
        found.at = t->section;
        found.entry = conf_find(t->section, key);
    }
    return found;
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

struct span recipe_cut(struct span *rest, const char *separator)
{
    struct span all = *rest;
    size_t len = strlen(separator);

    for (size_t i = 0; i + len <= all.len; i++) {
        if (memcmp(all.p + i, separator, len) != 0) {
            continue;
        }
        *rest = span_sub(all, i + len, all.len);
        return span_trim_line(span_sub(all, 0, i));
    }
    *rest = SPAN_NONE;
    return span_trim_line(all);
}

enum ho_code recipe_unit(struct span word, enum time_unit *out, struct ho_err *err)
{
    static const char *const words[] = {[TIME_S] = "s", [TIME_MS] = "ms",
                                        [TIME_RFC3339] = "rfc3339"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (span_is(word, words[i])) {
            *out = (enum time_unit)i;
            return HO_OK;
        }
    }
    return ho_fail(err, HO_REJECT, "the unit must be one of s ms rfc3339");
}

enum ho_code recipe_check_term(const struct recipe *r, const struct term *t, struct ho_err *err)
{
    char name[TERM_NAME_MAX];

    if (t->kind == TERM_SIG && r->sig.pair == 0) {
        return ho_fail(err, HO_REJECT, "sig.%s needs `pair` in sig", t->name);
    }
    if (t->kind == TERM_SIG && span_is(r->sig.name, t->name)) {
        return ho_fail(err, HO_REJECT, "sig.%s is the signature itself", t->name);
    }
    if (t->kind == TERM_TS && !r->time.on) {
        return ho_fail(err, HO_REJECT, "ts needs the key `time`");
    }
    if (t->kind != TERM_FAMILY) {
        return HO_OK;
    }
    if (r->n_families == 0) {
        return ho_fail(err, HO_REJECT, "header:*%s needs the key `headers`", t->name);
    }
    for (size_t i = 0; i < r->n_families; i++) {
        term_header_name(t, r->families[i], name);
        if (name[0] == '\0') {
            return ho_fail(err, HO_REJECT, "the name of header:*%s is too long", t->name);
        }
    }
    return HO_OK;
}
