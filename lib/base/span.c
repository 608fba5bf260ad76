/* Borrowed runs of bytes. Pure: no allocation, no locale, no C string rules. */
#include "base/span.h"

#include <string.h>

static unsigned char lower(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c + ('a' - 'A')) : c;
}

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t';
}

static bool is_line_blank(unsigned char c)
{
    return is_blank(c) || c == '\r' || c == '\n';
}

struct span span_of(const char *cstr)
{
    return cstr == NULL ? SPAN_NONE : span_make(cstr, strlen(cstr));
}

struct span span_make(const void *p, size_t len)
{
    return (struct span){p, len};
}

bool span_eq(struct span a, struct span b)
{
    if (a.p == NULL || b.p == NULL) {
        return a.p == b.p;
    }
    return a.len == b.len && memcmp(a.p, b.p, a.len) == 0;
}

bool span_is(struct span a, const char *cstr)
{
    return span_eq(a, span_of(cstr));
}

bool span_is_nocase(struct span a, const char *cstr)
{
    struct span b = span_of(cstr);
    if (a.p == NULL || b.p == NULL || a.len != b.len) {
        return a.p == NULL && b.p == NULL;
    }
    for (size_t i = 0; i < a.len; i++) {
        if (lower(a.p[i]) != lower(b.p[i])) {
            return false;
        }
    }
    return true;
}

bool span_starts(struct span s, const char *prefix)
{
    size_t len = strlen(prefix);
    return s.p != NULL && s.len >= len && memcmp(s.p, prefix, len) == 0;
}

bool span_has(struct span s, unsigned char byte)
{
    return s.p != NULL && memchr(s.p, byte, s.len) != NULL;
}

static struct span trim(struct span s, bool (*drop)(unsigned char))
{
    if (s.p == NULL) {
        return s;
    }
    while (s.len > 0 && drop(s.p[s.len - 1])) {
        s.len--;
    }
    while (s.len > 0 && drop(s.p[0])) {
        s.p++;
        s.len--;
    }
    return s;
}

struct span span_trim(struct span s)
{
    return trim(s, is_blank);
}

struct span span_trim_line(struct span s)
{
    return trim(s, is_line_blank);
}

struct span span_sub(struct span s, size_t offset, size_t len)
{
    if (s.p == NULL) {
        return s;
    }
    if (offset > s.len) {
        offset = s.len;
    }
    size_t left = s.len - offset;
    return (struct span){s.p + offset, len < left ? len : left};
}

struct span span_cut(struct span *rest, unsigned char separator)
{
    struct span all = *rest;
    const unsigned char *at = all.p == NULL ? NULL : memchr(all.p, separator, all.len);
    if (at == NULL) {
        *rest = SPAN_NONE;
        return all;
    }
    size_t len = (size_t)(at - all.p);
    *rest = span_sub(all, len + 1, all.len);
    return (struct span){all.p, len};
}

int span_cmp(struct span a, struct span b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len == 0 ? 0 : memcmp(a.p, b.p, len);
    if (order != 0) {
        return order;
    }
    return (a.len > b.len) - (a.len < b.len);
}
