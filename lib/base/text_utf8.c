/* UTF-8: checking it, and writing untrusted bytes as a log value or a JSON string. */
#include "base/text.h"

#include <string.h>

/* Also 0: overlong forms, surrogates, beyond U+10FFFF, cut off. */
size_t text_utf8_next(struct span s, uint32_t *point)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (s.len == 0) {
        return 0;
    }
    unsigned char c = s.p[0];
    size_t len = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
    if (len == 0 || s.len < len) {
        return 0;
    }
    uint32_t value = len == 1 ? c : c & (0x7FU >> len);
    for (size_t i = 1; i < len; i++) {
        if ((s.p[i] & 0xC0U) != 0x80U) {
            return 0;
        }
        value = value << 6 | (s.p[i] & 0x3FU);
    }
    if (value < smallest[len] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
        return 0;
    }
    *point = value;
    return len;
}

bool text_is_utf8(struct span s)
{
    uint32_t point;
    while (s.len > 0) {
        size_t len = text_utf8_next(s, &point);
        if (len == 0) {
            return false;
        }
        s = span_sub(s, len, s.len);
    }
    return true;
}

static bool is_plain(unsigned char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("_.:/@+-", c) != NULL);
}

/* Would break the line, steer the terminal, or turn the reading direction. */
static bool is_unsafe(uint32_t point)
{
    return point < 0x20 || (point >= 0x7F && point <= 0x9F) || point == '"' || point == '\\' ||
           (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

/* in: point - 0 where s is no character */
static enum ho_code put_escaped(struct span s, uint32_t point, bool json, struct buf *out)
{
    if (json) {
        return buf_addf(out, "\\u%04x", point != 0 || s.p[0] == 0 ? point : 0xFFFD);
    }
    for (size_t i = 0; i < s.len; i++) {
        if (buf_addf(out, "\\x%02x", s.p[i]) != HO_OK) {
            return HO_REJECT;
        }
    }
    return HO_OK;
}

/* At most max bytes, less when that would cut a character that is whole in s. */
static struct span head(struct span s, size_t max)
{
    struct span all = span_sub(s, 0, max);
    for (size_t back = 1; back <= 3 && back <= all.len && all.len < s.len; back++) {
        uint32_t point;
        size_t at = all.len - back;
        size_t len = text_utf8_next(span_sub(s, at, s.len), &point);
        if (len > 0) {
            return len > back ? span_sub(s, 0, at) : all;
        }
    }
    return all;
}

static enum ho_code put_quoted(struct span s, size_t max_bytes, bool json, struct buf *out)
{
    struct span shown = head(s, max_bytes);
    size_t left_out = s.len - shown.len;
    if (buf_add_byte(out, '"') != HO_OK) {
        return HO_REJECT;
    }
    while (shown.len > 0) {
        uint32_t point = 0;
        size_t len = text_utf8_next(shown, &point);
        bool bad = len == 0 || is_unsafe(point);
        struct span one = span_sub(shown, 0, len == 0 ? 1 : len);
        if ((bad ? put_escaped(one, point, json, out) : buf_add_span(out, one)) != HO_OK) {
            return HO_REJECT;
        }
        shown = span_sub(shown, one.len, shown.len);
    }
    return left_out > 0 ? buf_addf(out, "\xE2\x80\xA6+%zu\"", left_out) : buf_add_byte(out, '"');
}

static enum ho_code quote(struct span s, size_t max_bytes, bool json, struct buf *out)
{
    size_t start = out->len;
    enum ho_code code = put_quoted(s, max_bytes, json, out);
    if (code != HO_OK) {
        out->len = start;
    }
    return code;
}

enum ho_code text_quote(struct span s, size_t max_bytes, struct buf *out)
{
    bool plain = s.len > 0 && s.len <= max_bytes;
    for (size_t i = 0; plain && i < s.len; i++) {
        plain = is_plain(s.p[i]);
    }
    return plain ? buf_add_span(out, s) : quote(s, max_bytes, false, out);
}

enum ho_code text_quote_json(struct span s, size_t max_bytes, struct buf *out)
{
    return quote(s, max_bytes, true, out);
}

/* How many bytes stand for themselves in a JSON string, one after the other. */
static size_t json_run(struct span s)
{
    size_t len = 0;
    while (len < s.len) {
        uint32_t point = 0;
        unsigned char c = s.p[len];
        if (c < 0x20 || c == '"' || c == '\\') {
            break;
        }
        size_t one = c < 0x80 ? 1 : text_utf8_next(span_sub(s, len, s.len), &point);
        if (one == 0) {
            break;
        }
        len += one;
    }
    return len;
}

/* One byte that does not stand for itself: an ASCII character, or one that is no UTF-8. A body may
 * be nothing but these, so nothing is printed. to: 6 bytes; returns how many were written. */
static size_t put_json_byte(unsigned char c, unsigned char *to)
{
    static const char shorts[0x20] = {
        ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    static const char digits[] = "0123456789abcdef";
    static const unsigned char no_utf8[] = {0xEF, 0xBF, 0xBD}, escape[] = {'\\', 'u', '0', '0'};
    char letter = c < 0x20 ? shorts[c] : (char)c;
    if (c >= 0x80) {
        memcpy(to, no_utf8, sizeof no_utf8);
        return 3;
    }
    if (letter != '\0') {
        to[0] = '\\';
        to[1] = (unsigned char)letter;
        return 2;
    }
    memcpy(to, escape, sizeof escape);
    to[4] = (unsigned char)digits[c >> 4];
    to[5] = (unsigned char)digits[c & 15U];
    return 6;
}

static enum ho_code put_json_bytes(struct span *s, struct buf *out)
{
    unsigned char some[60];
    size_t len = 0;
    while (s->len > 0 && len + 6 <= sizeof some && json_run(span_sub(*s, 0, 4)) == 0) {
        len += put_json_byte(s->p[0], some + len);
        *s = span_sub(*s, 1, s->len);
    }
    return buf_add(out, some, len);
}

static enum ho_code put_json(struct span s, struct buf *out)
{
    enum ho_code code = buf_add_byte(out, '"');
    while (s.len > 0 && code == HO_OK) {
        size_t len = json_run(s);
        code = buf_add_span(out, span_sub(s, 0, len));
        s = span_sub(s, len, s.len);
        if (code == HO_OK) {
            code = put_json_bytes(&s, out);
        }
    }
    return code == HO_OK ? buf_add_byte(out, '"') : code;
}

enum ho_code text_json_string(struct span s, struct buf *out)
{
    size_t start = out->len;
    enum ho_code code = put_json(s, out);
    if (code != HO_OK) {
        out->len = start;
    }
    return code;
}
