/* Comparing decimal numbers by their digits. */
#include "core/decimal.h"

#include <stdint.h>

#include "base/text.h"

#define EXPONENT_MAX INT64_C(999999999999999)

/* The digits of a number from the first that is not zero, the point among them, and where the point
 * is: value = 0.DIGITS * 10^scale. Zero has no digits. */
struct decimal {
    bool negative;
    struct span digits;
    int64_t scale;
};

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

/* How many digits stand from i on. */
static size_t run(struct span s, size_t i)
{
    size_t n = 0;

    while (i + n < s.len && is_digit(s.p[i + n])) {
        n++;
    }
    return n;
}

/* Where the parts of a number are; whole and fraction may be counted in digits. */
struct parts {
    size_t begin, whole, fraction; /* fraction 0: no point */
    struct span exponent;          /* with its sign; absent: none */
};

static bool take_apart(struct span s, struct parts *out)
{
    size_t i = s.len > 0 && s.p[0] == '-' ? 1 : 0;

    *out = (struct parts){.begin = i, .exponent = SPAN_NONE};
    out->whole = run(s, i);
    if (out->whole == 0 || (out->whole > 1 && s.p[i] == '0')) {
        return false;
    }
    i += out->whole;
    if (i < s.len && s.p[i] == '.') {
        out->fraction = run(s, i + 1);
        if (out->fraction == 0) {
            return false;
        }
        i += 1 + out->fraction;
    }
    if (i < s.len && (s.p[i] == 'e' || s.p[i] == 'E')) {
        size_t sign;

        out->exponent = span_sub(s, i + 1, s.len);
        sign = out->exponent.len > 0 &&
               (out->exponent.p[0] == '-' || out->exponent.p[0] == '+') ? 1 : 0;
        return out->exponent.len > sign && run(out->exponent, sign) == out->exponent.len - sign;
    }
    return i == s.len;
}

bool decimal_is(struct span s)
{
    struct parts parts;

    return take_apart(s, &parts);
}

/* false: too many digits. */
static bool read_exponent(struct span s, int64_t *out)
{
    bool negative = s.len > 0 && s.p[0] == '-';
    size_t i = s.len > 0 && !is_digit(s.p[0]) ? 1 : 0;
    uint64_t value = 0;

    while (i + 1 < s.len && s.p[i] == '0') {
        i++;
    }
    if (span_present(s) && !text_uint(span_sub(s, i, s.len), EXPONENT_MAX, &value)) {
        return false;
    }
    *out = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

static bool decimal_read(struct span s, struct decimal *out)
{
    struct parts parts;
    struct span digits;
    size_t zeros = 0;

    if (!take_apart(s, &parts) || !read_exponent(parts.exponent, &out->scale)) {
        return false;
    }
    out->negative = parts.begin > 0;
    digits = span_sub(s, parts.begin, parts.whole + (parts.fraction > 0 ? parts.fraction + 1 : 0));
    while (zeros < digits.len && (digits.p[zeros] == '0' || digits.p[zeros] == '.')) {
        zeros++;
    }
    /* Zeros before the point shift nothing, those behind it do. */
    out->scale += zeros <= parts.whole ? (int64_t)(parts.whole - zeros)
                                       : -(int64_t)(zeros - parts.whole - 1);
    out->digits = span_sub(digits, zeros, digits.len);
    return true;
}

/* Behind the last digit there are zeros without end. */
static unsigned char next_digit(struct span *s)
{
    unsigned char c = '0';

    if (s->len > 0 && s->p[0] == '.') {
        *s = span_sub(*s, 1, s->len);
    }
    if (s->len > 0) {
        c = s->p[0];
        *s = span_sub(*s, 1, s->len);
    }
    return c;
}

static enum decimal_order order_of(bool less)
{
    return less ? DECIMAL_LESS : DECIMAL_MORE;
}

/* Of two that are not zero, and positive. */
static enum decimal_order compare_sizes(struct decimal a, struct decimal b)
{
    if (a.scale != b.scale) {
        return order_of(a.scale < b.scale);
    }
    while (a.digits.len > 0 || b.digits.len > 0) {
        unsigned char x = next_digit(&a.digits), y = next_digit(&b.digits);

        if (x != y) {
            return order_of(x < y);
        }
    }
    return DECIMAL_SAME;
}

bool decimal_compare(struct span a, struct span b, enum decimal_order *out)
{
    struct decimal x, y;
    bool x_zero, y_zero;

    if (!decimal_read(a, &x) || !decimal_read(b, &y)) {
        return false;
    }
    x_zero = x.digits.len == 0;
    y_zero = y.digits.len == 0;
    if (x_zero && y_zero) {
        *out = DECIMAL_SAME;
    } else if (x_zero || y_zero) {
        *out = order_of(x_zero ? !y.negative : x.negative);
    } else if (x.negative != y.negative) {
        *out = order_of(x.negative);
    } else {
        *out = x.negative ? compare_sizes(y, x) : compare_sizes(x, y);
    }
    return true;
}
