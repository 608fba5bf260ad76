/* Filters of terms: each makes another value of the one before it. A closed list:
 *
 *   lower upper          ASCII letters
 *   trim                 blanks at both ends off
 *   strip:TEXT           TEXT off the front; absent when it is not there
 *   hex base64 base64url (no padding)   bytes into text
 *   unhex unbase64       text into bytes; absent when it is none
 *   md5 sha1 sha256 sha512   the digest's bytes
 *   crc32                CRC-32 (IEEE 802.3) as a decimal number
 *   hmac-sha1 hmac-sha256 hmac-sha512   bytes of the HMAC under the source's first key; only in
 *                        `hello`, and only of 1 to 128 bytes [A-Za-z0-9_-], else absent: else the
 *                        answer would be a signature over whatever a stranger sends
 *   as:TEXT              TEXT in place of any value that is there: names what was found
 *   not:TEXT             absent when the value is TEXT
 *   json                 the inside of a JSON string, escaped, without the quotes
 *   ptr:/POINTER         the scalar there, the value being JSON
 *   field:NAME           VALUE of NAME=VALUE in a list with commas, blanks or semicolons between;
 *                        absent when NAME stands twice
 *   param:NAME           the source's setting NAME put behind the value; absent without it
 *   hdrs:kv              the value being names of headers with commas or blanks between: the
 *                        headers as "name:value" with ';' between, names in lower case, in the
 *                        order of the list; hdrs:v: only the values, with '.' between. Absent when
 *                        one of them is not there (the official clients of both forms refuse it
 *                        then) or stands twice
 *   withform             of `url` alone: its query sorted, and the form's fields behind it, as
 *                        Plivo signs them (edge/formsort.h) */
#ifndef HO_EDGE_FILTER_H
#define HO_EDGE_FILTER_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

enum filter_kind {
    FILTER_LOWER, FILTER_UPPER, FILTER_TRIM, FILTER_STRIP, FILTER_HEX, FILTER_BASE64,
    FILTER_BASE64URL, FILTER_UNHEX, FILTER_UNBASE64, FILTER_MD5, FILTER_SHA1, FILTER_SHA256,
    FILTER_SHA512, FILTER_CRC32, FILTER_HMAC_SHA1, FILTER_HMAC_SHA256, FILTER_HMAC_SHA512,
    FILTER_JSON, FILTER_PTR, FILTER_FIELD, FILTER_PARAM, FILTER_HDRS_KV, FILTER_HDRS_V,
    FILTER_AS, FILTER_NOT, FILTER_WITH_FORM
};

#define FILTERS_MAX 6
#define CHALLENGE_MAX 128

struct filter {
    enum filter_kind kind;
    char *text; /* heap, behind the ':'; NULL for none */
};

/* Parses "name" or "name:TEXT". out: *out owned (filter_free).
 * returns HO_OK | HO_REJECT (names the word and the known ones). */
enum ho_code filter_parse(struct span text, struct filter *out, struct ho_err *err) HO_MUST_CHECK;
void filter_free(struct filter *f);

bool filter_is_hmac(const struct filter *f);

/* Whether s is what an hmac filter takes: 1 to CHALLENGE_MAX bytes [A-Za-z0-9_-]. */
bool filter_is_challenge(struct span s);

struct term_view;

enum filter_result { FILTER_WELL, FILTER_NOTHING, FILTER_FULL };

/* Appends the filtered value to out, or nothing at all. in must not lie in out. */
enum filter_result filter_apply(const struct filter *f, const struct term_view *v, struct span in,
                                struct buf *out);

#endif
