/* A walk over the tokens of a JSON text, without judging its grammar. */
#include "base/json_scan.h"

#include <stdint.h>
#include <string.h>

#include "base/json_walk.h"
#include "base/text.h"

#define NUL_ESCAPE "\\u0000"
#define KEY_NUL_ESCAPE "\\ufdd0"
#define DIGITS_KEPT 10 /* of a big integer, which has at least 19 */

static bool is_key(struct span behind)
{
    size_t i = 0;
    while (i < behind.len && behind.p[i] != '\0' && strchr(" \t\r\n", behind.p[i]) != NULL) {
        i++;
    }
    return i < behind.len && behind.p[i] == ':';
}

/* Finds the next \u0000 escape at or after *at in a string literal. */
static bool find_nul_escape(struct span literal, size_t *at)
{
    for (size_t i = *at; i < literal.len; i++) {
        if (literal.p[i] == '\\') {
            if (span_starts(span_sub(literal, i, literal.len), NUL_ESCAPE)) {
                *at = i;
                return true;
            }
            i++;
        }
    }
    return false;
}

static size_t number_length(struct span s)
{
    size_t len = 0;
    while (len < s.len && s.p[len] != '\0' && strchr("0123456789+-.eE", s.p[len]) != NULL) {
        len++;
    }
    return len;
}

/* A well-formed integer that neither int64 nor uint64 holds. */
static bool is_big_integer(struct span number)
{
    uint64_t value;
    bool negative = number.p[0] == '-';
    uint64_t max = negative ? (uint64_t)INT64_MAX + 1 : UINT64_MAX;
    struct span digits = span_sub(number, negative ? 1 : 0, number.len);
    if (digits.len < 19 || digits.p[0] == '0') {
        return false;
    }
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.p[i] < '0' || digits.p[i] > '9') {
            return false;
        }
    }
    return !text_uint(digits, max, &value);
}

/* Digits at *at; false: none. */
static bool skip_digits(struct span s, size_t *at)
{
    size_t from = *at;

    while (*at < s.len && s.p[*at] >= '0' && s.p[*at] <= '9') {
        (*at)++;
    }
    return *at > from;
}

/* RFC 8259 section 6; json-c also takes 007, 1. and 1e. */
static bool is_number(struct span s)
{
    size_t at = s.p[0] == '-' ? 1 : 0;
    bool zero = at < s.len && s.p[at] == '0';
    size_t from = at;

    if (!skip_digits(s, &at) || (zero && at > from + 1)) {
        return false;
    }
    if (at < s.len && s.p[at] == '.') {
        at++;
        if (!skip_digits(s, &at)) {
            return false;
        }
    }
    if (at < s.len && (s.p[at] == 'e' || s.p[at] == 'E')) {
        at++;
        at += at < s.len && (s.p[at] == '+' || s.p[at] == '-') ? 1 : 0;
        if (!skip_digits(s, &at)) {
            return false;
        }
    }
    return at == s.len;
}

/* Whether the string at the start of s is a key with an escaped NUL; replaces them in copy. */
static bool scan_key(struct span s, size_t len, unsigned char *copy)
{
    struct span literal = span_sub(s, 0, len);
    bool found = false;
    size_t at = 0;

    if (!is_key(span_sub(s, len, s.len))) {
        return false;
    }
    while (find_nul_escape(literal, &at)) {
        found = true;
        if (copy == NULL) {
            break;
        }
        memcpy(copy + at, KEY_NUL_ESCAPE, sizeof KEY_NUL_ESCAPE - 1);
        at += sizeof NUL_ESCAPE - 1;
    }
    return found;
}

static void shorten(unsigned char *number, size_t len)
{
    if (number != NULL) {
        memset(number + DIGITS_KEPT, ' ', len - DIGITS_KEPT);
    }
}

struct json_scan json_scan(struct span text, unsigned char *keys, unsigned char *numbers)
{
    struct json_scan found = {false, false, false, 0, 0};
    for (size_t i = 0; i < text.len;) {
        struct span rest = span_sub(text, i, text.len);
        unsigned char c = rest.p[0];
        size_t len = 1;
        if (c == '"') {
            len = json_string_len(rest);
            found.key_nul = scan_key(rest, len, keys == NULL ? NULL : keys + i) || found.key_nul;
        } else if (c == '-' || (c >= '0' && c <= '9')) {
            len = number_length(rest);
            found.not_json = found.not_json || !is_number(span_sub(rest, 0, len));
            if (is_big_integer(span_sub(rest, 0, len))) {
                found.big_integer = true;
                shorten(numbers == NULL ? NULL : numbers + i, len);
            }
        } else if (c == '\0' || strchr("{}[]:, \t\r\naeflnrstu", c) == NULL) {
            found.not_json = true;
        } else {
            found.containers += c == '{' || c == '[' ? 1 : 0;
            found.commas += c == ',' ? 1 : 0;
        }
        i += len;
    }
    return found;
}
