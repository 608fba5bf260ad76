/* The little DER (X.690) that wraps numbers into a public key. */
#include "base/mac_key_parts.h"

enum ho_code mac_der_head(unsigned char tag, size_t len, struct buf *out)
{
    unsigned char head[4] = {tag, 0, 0, 0};
    if (len < 0x80) {
        head[1] = (unsigned char)len;
        return buf_add(out, head, 2);
    }
    if (len > 0xFFFF) {
        return HO_REJECT;
    }
    size_t bytes = len > 0xFF ? 2 : 1;
    head[1] = (unsigned char)(0x80U + bytes);
    head[2] = (unsigned char)(bytes == 2 ? len >> 8 : len);
    head[3] = (unsigned char)(len & 0xFFU);
    return buf_add(out, head, 2 + bytes);
}

enum ho_code mac_der_uint(struct span number, struct buf *out)
{
    while (number.len > 1 && number.p[0] == 0) {
        number = span_sub(number, 1, number.len);
    }
    /* The first bit is the sign, so a number that has it set gets a zero in front. */
    size_t zero = number.len == 0 || (number.p[0] & 0x80U) != 0 ? 1 : 0;
    if (mac_der_head(0x02, number.len + zero, out) != HO_OK ||
        (zero == 1 && buf_add_byte(out, 0) != HO_OK)) {
        return HO_REJECT;
    }
    return buf_add_span(out, number);
}

enum ho_code mac_der_rsa(struct span rsa_public_key, struct buf *out)
{
    /* SEQUENCE { OBJECT IDENTIFIER 1.2.840.113549.1.1.1, NULL } */
    static const unsigned char algorithm[] = {0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86,
                                              0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00};
    struct buf bits;
    buf_init(&bits, rsa_public_key.len + 8);
    enum ho_code code = mac_der_head(0x03, rsa_public_key.len + 1, &bits);
    code = code == HO_OK ? buf_add_byte(&bits, 0) : code; /* no bits unused */
    code = code == HO_OK ? buf_add_span(&bits, rsa_public_key) : code;
    code = code == HO_OK ? mac_der_head(0x30, sizeof algorithm + bits.len, out) : code;
    code = code == HO_OK ? buf_add(out, algorithm, sizeof algorithm) : code;
    code = code == HO_OK ? buf_add_span(out, buf_span(&bits)) : code;
    buf_free(&bits);
    return code;
}
