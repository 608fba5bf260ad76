/* Bytes as text: hex, base64, percent-encoding, form fields. */
#include "base/text.h"

#include <string.h>

static int hex_value(unsigned char c, bool any_case)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (any_case && c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

bool text_unhex(struct span s, bool any_case, unsigned char *out, size_t out_len)
{
    if (s.p == NULL || s.len % 2 != 0 || s.len / 2 != out_len) {
        return false;
    }
    for (size_t i = 0; i < out_len; i++) {
        int high = hex_value(s.p[2 * i], any_case);
        int low = hex_value(s.p[2 * i + 1], any_case);
        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = (unsigned char)(high * 16 + low);
    }
    return true;
}

void text_hex(const unsigned char *p, size_t len, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < len; i++) {
        out[2 * i] = digits[p[i] >> 4];
        out[2 * i + 1] = digits[p[i] & 15U];
    }
    out[2 * len] = '\0';
}

static int base64_value(unsigned char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* One group of four characters, pads of them '=' at the end, into 3 - pads bytes. */
static bool base64_group(const unsigned char *p, size_t pads, unsigned char out[3])
{
    unsigned int bits = 0;
    for (size_t i = 0; i < 4; i++) {
        int value = i < 4 - pads ? base64_value(p[i]) : 0;
        if (value < 0) {
            return false;
        }
        bits = bits << 6 | (unsigned int)value;
    }
    out[0] = (unsigned char)(bits >> 16);
    out[1] = (unsigned char)(bits >> 8 & 255U);
    out[2] = (unsigned char)(bits & 255U);
    /* Canonical: what the padding leaves unused is zero. */
    return (bits & ((1U << (8 * pads)) - 1U)) == 0;
}

enum ho_code text_unbase64(struct span s, struct buf *out)
{
    if (s.p == NULL || s.len % 4 != 0) {
        return HO_REJECT;
    }
    size_t start = out->len;
    for (size_t i = 0; i < s.len; i += 4) {
        unsigned char bytes[3];
        size_t pads = 0;
        if (i + 4 == s.len) {
            pads = s.p[i + 3] != '=' ? 0 : s.p[i + 2] != '=' ? 1 : 2;
        }
        if (!base64_group(s.p + i, pads, bytes) || buf_add(out, bytes, 3 - pads) != HO_OK) {
            out->len = start;
            return HO_REJECT;
        }
    }
    return HO_OK;
}

enum ho_code text_base64(struct span s, struct buf *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (s.len / 3 >= out->max) {
        return s.len == 0 ? HO_OK : HO_REJECT;
    }
    size_t len = (s.len + 2) / 3 * 4;
    unsigned char *to = buf_room(out, len);
    if (to == NULL) {
        return HO_REJECT;
    }
    for (size_t i = 0; i < s.len; i += 3, to += 4) {
        size_t have = s.len - i < 3 ? s.len - i : 3;
        unsigned int bits = (unsigned int)s.p[i] << 16;
        bits |= have > 1 ? (unsigned int)s.p[i + 1] << 8 : 0;
        bits |= have > 2 ? (unsigned int)s.p[i + 2] : 0;
        to[0] = (unsigned char)digits[bits >> 18];
        to[1] = (unsigned char)digits[bits >> 12 & 63U];
        to[2] = (unsigned char)(have > 1 ? digits[bits >> 6 & 63U] : '=');
        to[3] = (unsigned char)(have > 2 ? digits[bits & 63U] : '=');
    }
    out->len += len;
    return HO_OK;
}

enum ho_code text_percent_decode(struct span s, bool plus_is_space, bool lenient, struct buf *out)
{
    size_t start = out->len;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = s.p[i];
        if (c == '+' && plus_is_space) {
            c = ' ';
        } else if (c == '%') {
            if (text_unhex(span_sub(s, i + 1, 2), true, &c, 1)) {
                i += 2;
            } else if (!lenient) {
                out->len = start;
                return HO_REJECT;
            }
        }
        if (buf_add_byte(out, c) != HO_OK) {
            out->len = start;
            return HO_REJECT;
        }
    }
    return HO_OK;
}

/* Whether an encoded field name reads as name. */
static bool name_is(struct span encoded, const char *name)
{
    struct buf decoded;
    buf_init(&decoded, strlen(name) + 1);
    bool same = text_percent_decode(encoded, true, true, &decoded) == HO_OK &&
                span_is(buf_span(&decoded), name);
    buf_free(&decoded);
    return same;
}

enum ho_code text_form_field(struct span form, const char *name, struct buf *out, bool *found)
{
    *found = false;
    while (span_present(form)) {
        struct span value = span_cut(&form, '&');
        struct span key = span_cut(&value, '=');
        if (key.len == 0 && !span_present(value)) {
            continue; /* "a=1&&b=2": nothing between the two */
        }
        if (name_is(key, name)) {
            *found = true;
            return text_percent_decode(value, true, true, out);
        }
    }
    return HO_OK;
}
