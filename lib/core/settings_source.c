/* The sources of the config: who sends, at which address, with which secrets. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/settings_parts.h"

#define PARAM_NAME_MAX 64

static const char *const reserved[] = {"health", "metrics", "status", "tick", "setup"};

/* "file:NAME" or "file:NAME until DATE". */
static enum ho_code load_secret(const struct conf_section *s, const struct conf_entry *e,
                                struct setting_secret *out, struct ho_err *err)
{
    struct span rest = span_of(e->value), file = span_cut(&rest, ' '), when;
    char *name;

    memset(out, 0, sizeof *out);
    if (!span_starts(file, "file:") || file.len == 5) {
        return conf_fail(err, s, e, "a secret stands in a file of its own (mode 0600): write "
                                    "`secret = file:NAME`");
    }
    if (span_present(rest)) {
        rest = span_trim(rest);
        when = span_trim(span_sub(rest, 6, rest.len));
        if (!span_starts(rest, "until ") ||
            (!text_rfc3339(when, &out->until_us) && !text_date(when, &out->until_us))) {
            return conf_fail(err, s, e, "behind the file only `until 2026-12-01` (a date, or an "
                                        "RFC 3339 time) may stand");
        }
        out->has_until = true;
    }
    name = ho_alloc(file.len - 5 + 1);
    memcpy(name, file.p + 5, file.len - 5);
    name[file.len - 5] = '\0';
    out->path = conf_resolve(s, name);
    free(name);
    return HO_OK;
}

static bool is_word_byte(unsigned char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           c == '-' || c == '_';
}

static bool is_param_name(struct span s)
{
    size_t i = 0;

    while (i < s.len && is_word_byte(s.p[i])) {
        i++;
    }
    return s.len > 0 && i == s.len && s.len <= PARAM_NAME_MAX;
}

/* "NAME VALUE"; nothing is shown of a value, which is nobody's business. */
static enum ho_code load_param(const struct conf_section *s, const struct conf_entry *e,
                               struct source *src, struct ho_err *err)
{
    struct span rest = span_of(e->value), name = span_cut(&rest, ' ');

    rest = span_trim(rest);
    if (!is_param_name(name) || rest.len == 0) {
        return conf_fail(err, s, e, "a param is a name of letters, digits, - and _, a blank, and "
                                    "its value");
    }
    for (size_t i = 0; i < rest.len; i++) {
        if (rest.p[i] < ' ' || rest.p[i] == 0x7F) {
            return conf_fail(err, s, e, "the value of a param stands in one line");
        }
    }
    for (size_t i = 0; i < src->n_params; i++) {
        if (span_eq(src->params[i].name, name)) {
            return conf_fail(err, s, e, "a second param %.*s", (int)name.len,
                             (const char *)name.p);
        }
    }
    src->params = ho_realloc(src->params, (src->n_params + 1) * sizeof *src->params);
    src->params[src->n_params++] = (struct setting_param){name, rest};
    return HO_OK;
}

/* host, host:port, [address] or [address]:port */
static bool is_authority(struct span s)
{
    bool address = span_starts(s, "[");
    size_t host = address ? 1 : 0;
    uint64_t port;

    while (host < s.len && (is_word_byte(s.p[host]) || s.p[host] == '.' ||
                            (address && s.p[host] == ':'))) {
        host++;
    }
    if (host == (address ? 1 : 0) || (address && (host == s.len || s.p[host++] != ']'))) {
        return false;
    }
    return host == s.len || (s.p[host] == ':' && text_uint(span_sub(s, host + 1, s.len), 65535,
                                                           &port) && port > 0);
}

/* http:// or https://, perhaps a user, and a host, all in printable ASCII. */
static bool is_absolute(struct span url)
{
    size_t scheme = span_starts(url, "https://") ? 8 : span_starts(url, "http://") ? 7 : 0;
    struct span host = span_sub(url, scheme, url.len);
    size_t len = 0;

    for (size_t i = 0; i < url.len; i++) {
        if (url.p[i] <= ' ' || url.p[i] >= 0x7F) {
            return false;
        }
    }
    while (len < host.len && !span_has(SPAN_LIT("/?#"), host.p[len])) {
        len++;
    }
    host = span_sub(host, 0, len);
    while (span_has(host, '@')) {
        (void)span_cut(&host, '@');
    }
    return scheme > 0 && is_authority(host);
}

static enum ho_code load_entries(struct source *src, const struct conf_section *s,
                                 struct ho_err *err)
{
    for (const struct conf_entry *e = s->entries; e != NULL; e = e->next) {
        if (strcmp(e->key, "param") == 0 && load_param(s, e, src, err) != HO_OK) {
            return HO_REJECT;
        }
        if (strcmp(e->key, "secret") != 0) {
            continue;
        }
        src->secrets = ho_realloc(src->secrets, (src->n_secrets + 1) * sizeof *src->secrets);
        if (load_secret(s, e, &src->secrets[src->n_secrets], err) != HO_OK) {
            return HO_REJECT;
        }
        src->n_secrets++;
    }
    return HO_OK;
}

enum ho_code settings_load_source(struct settings *out, const struct conf_section *s,
                                  struct ho_err *err)
{
    struct source *src;

    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (strcmp(s->name, reserved[i]) == 0) {
            return conf_fail(err, s, NULL, "`%s` is a name of ours: call the source otherwise",
                             s->name);
        }
    }
    out->sources = ho_realloc(out->sources, (out->n_sources + 1) * sizeof *out->sources);
    src = &out->sources[out->n_sources++];
    memset(src, 0, sizeof *src);
    src->name = s->name;
    src->provider = setting_text(s, "provider");
    src->url = setting_text(s, "url");
    src->tolerance_ms = conf_find(s, "tolerance") ? setting_number(s, "tolerance") : -1;
    src->guard = conf_find(s, "guard") ? (int)setting_number(s, "guard") : -1;
    src->scope = setting_text(s, "scope");
    src->at = s;
    if (src->url != NULL && !is_absolute(span_of(src->url))) {
        return conf_fail(err, s, conf_find(s, "url"), "url is the whole address as entered at the "
                                                      "provider: https://HOST/...");
    }
    return load_entries(src, s, err);
}
