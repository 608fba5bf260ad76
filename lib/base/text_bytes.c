/* Bytes as text: hex, percent-encoding, and a checksum. */
#include "base/text.h"

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

uint32_t text_crc32(struct span s)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < s.len; i++) {
        crc ^= s.p[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ ((crc & 1U) != 0 ? UINT32_C(0xEDB88320) : 0);
        }
    }
    return crc ^ UINT32_MAX;
}

bool text_is_token(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] <= ' ' || s.p[i] >= 0x7f || span_has(SPAN_LIT("\"(),/:;<=>?@[\\]{}"), s.p[i])) {
            return false;
        }
    }
    return s.len > 0;
}
