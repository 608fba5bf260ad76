/* A walk over the items of an array whose grammar is known to be good. */
#include "base/json_items.h"

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct span skip(struct span s, size_t n)
{
    s = span_sub(s, n, s.len);
    while (s.len > 0 && is_blank(s.p[0])) {
        s = span_sub(s, 1, s.len);
    }
    return s;
}

/* Where the string that begins at i ends. */
static size_t string_end(struct span s, size_t i)
{
    for (i++; i < s.len && s.p[i] != '"'; i++) {
        i += s.p[i] == '\\' ? 1 : 0;
    }
    return i < s.len ? i + 1 : s.len;
}

/* The length of the value that s begins with: up to what closes it or, of a bare one, up to what
 * cannot belong to it. */
static size_t value_len(struct span s)
{
    size_t depth = 0;
    size_t i = 0;

    while (i < s.len) {
        unsigned char c = s.p[i];
        bool opens = c == '{' || c == '[';
        bool closes = c == '}' || c == ']';

        if (depth == 0 && (c == ',' || closes || is_blank(c))) {
            break;
        }
        i = c == '"' ? string_end(s, i) : i + 1;
        depth += opens ? 1 : 0;
        depth -= closes ? 1 : 0;
        if (depth == 0 && (c == '"' || closes)) {
            break;
        }
    }
    return i;
}

bool json_items_next(struct span *rest, struct span *item)
{
    struct span s = *rest;

    *item = SPAN_NONE;
    if (s.len == 0 || (s.p[0] != '[' && s.p[0] != ',')) {
        return false;
    }
    s = skip(s, 1);
    *item = span_sub(s, 0, value_len(s));
    *rest = skip(s, item->len);
    if (item->len == 0) {
        *item = SPAN_NONE;
    }
    return span_present(*item);
}
