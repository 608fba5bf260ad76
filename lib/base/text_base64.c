/* Base64 in both alphabets, canonical only. */
#include "base/text.h"

#define STANDARD "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
#define URL "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/* The last two of an alphabet tell it from the other. */
static int value_of(unsigned char c, const char *digits)
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
    return c == (unsigned char)digits[62] ? 62 : c == (unsigned char)digits[63] ? 63 : -1;
}

/* The 2 to 4 digits of a group into one byte less; false when a digit is none, or when bits that
 * stand for nothing are set. */
static bool group(struct span s, const char *digits, unsigned char out[3])
{
    unsigned int bits = 0;
    size_t missing = 4 - s.len;
    for (size_t i = 0; i < 4; i++) {
        int value = i < s.len ? value_of(s.p[i], digits) : 0;
        if (value < 0) {
            return false;
        }
        bits = bits << 6 | (unsigned int)value;
    }
    out[0] = (unsigned char)(bits >> 16);
    out[1] = (unsigned char)(bits >> 8 & 255U);
    out[2] = (unsigned char)(bits & 255U);
    return (bits & ((1U << (8 * missing)) - 1U)) == 0;
}

static enum ho_code decode(struct span s, const char *digits, struct buf *out)
{
    size_t start = out->len;
    if (s.p == NULL || s.len % 4 == 1) {
        return HO_REJECT;
    }
    for (size_t i = 0; i < s.len; i += 4) {
        unsigned char bytes[3];
        struct span four = span_sub(s, i, 4);
        if (!group(four, digits, bytes) || buf_add(out, bytes, four.len - 1) != HO_OK) {
            out->len = start;
            return HO_REJECT;
        }
    }
    return HO_OK;
}

enum ho_code text_unbase64(struct span s, struct buf *out)
{
    size_t pads = 0;
    if (s.p == NULL || s.len % 4 != 0) {
        return HO_REJECT;
    }
    while (pads < 2 && pads < s.len && s.p[s.len - 1 - pads] == '=') {
        pads++;
    }
    return decode(span_sub(s, 0, s.len - pads), STANDARD, out);
}

enum ho_code text_unbase64url(struct span s, struct buf *out)
{
    return decode(s, URL, out);
}

static enum ho_code encode(struct span s, const char *digits, bool padded, struct buf *out)
{
    if (s.len / 3 >= out->max) {
        return s.len == 0 ? HO_OK : HO_REJECT;
    }
    size_t len = padded ? (s.len + 2) / 3 * 4 : s.len / 3 * 4 + (s.len % 3 > 0 ? s.len % 3 + 1 : 0);
    unsigned char *to = buf_room(out, len);
    if (to == NULL) {
        return HO_REJECT;
    }
    for (size_t i = 0; i < s.len; i += 3) {
        size_t have = s.len - i < 3 ? s.len - i : 3;
        unsigned int bits = (unsigned int)s.p[i] << 16;
        bits |= have > 1 ? (unsigned int)s.p[i + 1] << 8 : 0;
        bits |= have > 2 ? (unsigned int)s.p[i + 2] : 0;
        for (size_t k = 0; k < 4; k++) {
            if (k <= have) {
                *to++ = (unsigned char)digits[bits >> (18 - 6 * k) & 63U];
            } else if (padded) {
                *to++ = '=';
            }
        }
    }
    out->len += len;
    return HO_OK;
}

enum ho_code text_base64(struct span s, struct buf *out)
{
    return encode(s, STANDARD, true, out);
}

enum ho_code text_base64url(struct span s, struct buf *out)
{
    return encode(s, URL, false, out);
}
