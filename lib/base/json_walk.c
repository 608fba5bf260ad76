/* Steps over a JSON text without a parser. */
#include "base/json_walk.h"

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct span json_skip(struct span s, size_t n)
{
    s = span_sub(s, n, s.len);
    while (s.len > 0 && is_blank(s.p[0])) {
        s = span_sub(s, 1, s.len);
    }
    return s;
}

size_t json_string_len(struct span s)
{
    size_t i = 1;

    while (i < s.len && s.p[i] != '"') {
        i += s.p[i] == '\\' ? 2 : 1;
    }
    return i < s.len ? i + 1 : s.len;
}

size_t json_value_len(struct span s)
{
    size_t depth = 0, i = 0;

    while (i < s.len) {
        unsigned char c = s.p[i];
        bool closes = c == ']' || c == '}';

        if (depth == 0 && (c == ',' || closes || is_blank(c))) {
            return i;
        }
        depth += c == '{' || c == '[' ? 1 : 0;
        depth -= closes ? 1 : 0;
        i += c == '"' ? json_string_len(span_sub(s, i, s.len)) : 1;
        if (depth == 0 && (c == '"' || closes)) {
            return i;
        }
    }
    return i;
}
