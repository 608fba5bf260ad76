/* A look at a JSON text before the parser reads it, for what json-c would silently get wrong. */
#ifndef HO_BASE_JSON_SCAN_H
#define HO_BASE_JSON_SCAN_H

#include <stdbool.h>

#include "base/span.h"

/* An object key with a NUL would end at it and fall together with another key. So U+0000 inside
 * keys is kept as the noncharacter U+FDD0, which no text holds. This is its UTF-8. */
#define JSON_KEY_NUL "\xEF\xB7\x90"

struct json_scan {
    bool key_nul;     /* a key holds an escaped NUL */
    bool big_integer; /* an integer beyond 64 bits */
    bool not_json;    /* what no JSON has outside strings: 'x', NaN, comments, NUL, 007, 1., 1e */
    size_t containers; /* objects and arrays that begin */
    size_t commas;
};

/* in: keys    — NULL, or a writable copy of text, in which the escaped NULs in keys are replaced by
 *               escapes of U+FDD0, which are as long
 *     numbers — NULL, or another, in which each big integer is replaced by its first digits and
 *               blanks: as good a JSON as text is, with numbers that every parser takes */
struct json_scan json_scan(struct span text, unsigned char *keys, unsigned char *numbers);

#endif
