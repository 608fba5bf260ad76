/* Values of the config that name files with secrets. */
#include <stdlib.h>
#include <string.h>

#include "core/settings_parts.h"

enum ho_code setting_path(const struct conf_section *s, const struct conf_entry *e,
                          struct span value, char **out, struct ho_err *err)
{
    struct span named = span_sub(value, 5, value.len);
    char *copy;

    *out = NULL;
    if (!span_starts(value, "file:") || named.len == 0 || span_has(named, '\n')) {
        return conf_fail(err, s, e, "a secret stands in a file of its own (mode 0600): write "
                                    "file:PATH");
    }
    copy = ho_alloc(named.len + 1);
    memcpy(copy, named.p, named.len);
    copy[named.len] = '\0';
    *out = conf_resolve(s, copy);
    free(copy);
    return HO_OK;
}

enum ho_code setting_auth(const struct conf_section *s, const char *key, struct setting_auth *out,
                          struct ho_err *err)
{
    const struct conf_entry *e = conf_find(s, key);
    struct span file = span_of(e != NULL ? e->value : NULL), kind = span_cut(&file, ' ');

    *out = (struct setting_auth){.kind = AUTH_NONE};
    if (e == NULL) {
        return HO_OK;
    }
    if (!span_is(kind, "bearer") && !span_is(kind, "basic")) {
        return conf_fail(err, s, e, "`%s` is `bearer file:PATH` (a token) or `basic file:PATH` "
                                    "(user:password)", key);
    }
    out->kind = span_is(kind, "bearer") ? AUTH_BEARER : AUTH_BASIC;
    return setting_path(s, e, span_trim(file), &out->path, err);
}
