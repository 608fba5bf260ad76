/* Another prefix in the place of ours. */
#include "store/names.h"

#include <string.h>

#define OURS_LEN (sizeof TABLE_PREFIX - 1)

static const char *prefix_of(const struct settings *s)
{
    return s->table_prefix != NULL ? s->table_prefix : TABLE_PREFIX;
}

bool names_are_plain(const struct settings *s)
{
    return strcmp(prefix_of(s), TABLE_PREFIX) == 0;
}

static bool is_word(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Where the next of our names begins, from `from` on; text.len when there is none. */
static size_t next_name(struct span text, size_t from)
{
    for (size_t i = from; i + OURS_LEN <= text.len; i++) {
        if (memcmp(text.p + i, TABLE_PREFIX, OURS_LEN) == 0 &&
            (i == 0 || !is_word(text.p[i - 1]))) {
            return i;
        }
    }
    return text.len;
}

enum ho_code names_put(const struct settings *s, struct span text, struct buf *out)
{
    const struct span prefix = span_of(prefix_of(s));
    enum ho_code code = HO_OK;
    size_t at = 0;

    while (code == HO_OK && at < text.len) {
        size_t name = next_name(text, at);

        code = buf_add_span(out, span_sub(text, at, name - at));
        if (code == HO_OK && name < text.len) {
            code = buf_add_span(out, prefix);
        }
        at = name + OURS_LEN;
    }
    return code;
}

void names_text(const struct settings *s, const char *text, char *out, size_t room)
{
    struct buf named;

    buf_init(&named, strlen(text) * TABLE_PREFIX_MAX + 1);
    if (names_put(s, span_of(text), &named) != HO_OK) {
        ho_die("a name does not fit");
    }
    size_t len = named.len < room ? named.len : room - 1;
    if (len > 0) {
        memcpy(out, named.p, len);
    }
    out[len] = '\0';
    buf_free(&named);
}
