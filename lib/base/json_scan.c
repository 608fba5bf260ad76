/* A walk over the tokens of a JSON text, without judging its grammar. */
#include "base/json_scan.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

#define NUL_ESCAPE "\\u0000"
#define KEY_NUL_ESCAPE "\\ufdd0"

/* The length of the string literal at the start of s, with its quotes; all of s if it never ends. */
static size_t string_length(struct span s)
{
    size_t i = 1;
    while (i < s.len && s.p[i] != '"') {
        i += s.p[i] == '\\' ? 2 : 1;
    }
    return i < s.len ? i + 1 : s.len;
}

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

struct json_scan json_scan(struct span text, unsigned char *copy)
{
    struct json_scan found = {false, false, false, 0, 0};
    for (size_t i = 0; i < text.len;) {
        struct span rest = span_sub(text, i, text.len);
        unsigned char c = rest.p[0];
        size_t len = 1;
        if (c == '"') {
            size_t at = 0;
            len = string_length(rest);
            struct span literal = span_sub(rest, 0, len);
            while (find_nul_escape(literal, &at) && is_key(span_sub(rest, len, rest.len))) {
                found.key_nul = true;
                if (copy == NULL) {
                    break;
                }
                memcpy(copy + i + at, KEY_NUL_ESCAPE, sizeof KEY_NUL_ESCAPE - 1);
                at += sizeof NUL_ESCAPE - 1;
            }
        } else if (c == '-' || (c >= '0' && c <= '9')) {
            len = number_length(rest);
            found.not_json = found.not_json || !is_number(span_sub(rest, 0, len));
            found.big_integer = found.big_integer || is_big_integer(span_sub(rest, 0, len));
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
