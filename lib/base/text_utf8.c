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

static enum ho_code put_escaped(struct span s, struct buf *out)
{
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

static enum ho_code put_quoted(struct span s, size_t max_bytes, struct buf *out)
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
        if ((bad ? put_escaped(one, out) : buf_add_span(out, one)) != HO_OK) {
            return HO_REJECT;
        }
        shown = span_sub(shown, one.len, shown.len);
    }
    return left_out > 0 ? buf_addf(out, "\xE2\x80\xA6+%zu\"", left_out) : buf_add_byte(out, '"');
}

enum ho_code text_quote(struct span s, size_t max_bytes, struct buf *out)
{
    bool plain = s.len > 0 && s.len <= max_bytes;
    for (size_t i = 0; plain && i < s.len; i++) {
        plain = is_plain(s.p[i]);
    }
    if (plain) {
        return buf_add_span(out, s);
    }
    size_t start = out->len;
    enum ho_code code = put_quoted(s, max_bytes, out);
    if (code != HO_OK) {
        out->len = start;
    }
    return code;
}

static enum ho_code put_json_char(struct span one, uint32_t point, struct buf *out)
{
    static const char shorts[] = "\"\\\b\f\n\r\t";
    static const char letters[] = "\"\\bfnrt";
    const char *at = point > 0 && point < 0x80 ? strchr(shorts, (int)point) : NULL;
    if (at != NULL) {
        return buf_addf(out, "\\%c", letters[at - shorts]);
    }
    if (point < 0x20) {
        return buf_addf(out, "\\u%04x", (unsigned int)point);
    }
    return buf_add_span(out, one);
}

static enum ho_code put_json(struct span s, struct buf *out)
{
    if (buf_add_byte(out, '"') != HO_OK) {
        return HO_REJECT;
    }
    while (s.len > 0) {
        uint32_t point = 0;
        size_t len = text_utf8_next(s, &point);
        enum ho_code code = len == 0 ? buf_add_str(out, "\xEF\xBF\xBD")
                                     : put_json_char(span_sub(s, 0, len), point, out);
        if (code != HO_OK) {
            return code;
        }
        s = span_sub(s, len == 0 ? 1 : len, s.len);
    }
    return buf_add_byte(out, '"');
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
