/* Looking things up in the table of findings. */
#include "operator/finding_parts.h"

#include <string.h>

const char *const finding_levels[FOUND_N] = {"ok", "note", "warn", "FAIL"};

const char *const host_kinds[HOST_KINDS] = {
    [HOST_ANY] = "any host",
    [HOST_APACHE] = "Apache",
    [HOST_FCGID] = "Apache with FastCGI",
    [HOST_LITESPEED] = "LiteSpeed",
    [HOST_LIGHTTPD] = "lighttpd",
    [HOST_NGINX] = "nginx",
};

const struct finding_row *finding_row(enum finding_id id)
{
    return id < FINDING_WEB_N ? &findings_web[id] : &findings_inside[id - FINDING_WEB_N];
}

const char *finding_mend(enum finding_id id, enum host_kind kind)
{
    const struct finding_row *row = finding_row(id);

    if (row->mend[kind] == NULL && kind == HOST_FCGID && row->mend[HOST_APACHE] != NULL) {
        return row->mend[HOST_APACHE];
    }
    return row->mend[kind] != NULL ? row->mend[kind] : row->mend[HOST_ANY];
}

/* Whether text has that word in it, in any case. */
static bool names(struct span text, const char *word)
{
    size_t len = strlen(word);

    for (size_t i = 0; i + len <= text.len; i++) {
        if (span_is_nocase(span_sub(text, i, len), word)) {
            return true;
        }
    }
    return false;
}

enum host_kind finding_host(struct span server, bool fastcgi)
{
    static const struct {
        const char *word;
        enum host_kind kind;
    } words[] = {{"litespeed", HOST_LITESPEED}, {"lighttpd", HOST_LIGHTTPD}, {"nginx", HOST_NGINX},
                 {"openresty", HOST_NGINX},     {"apache", HOST_APACHE}};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (names(server, words[i].word)) {
            return words[i].kind == HOST_APACHE && fastcgi ? HOST_FCGID : words[i].kind;
        }
    }
    return HOST_ANY;
}
