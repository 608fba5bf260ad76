/* Text forms of numbers, times, sizes and bytes: strict, locale-free, bounded. "Strict" means that
 * the whole span must be consumed; nothing is skipped, trimmed or guessed. */
#ifndef HO_BASE_TEXT_H
#define HO_BASE_TEXT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/* Decimal digits only (no sign, blank or leading zero except "0" itself) into *out.
 * returns false, *out untouched, when malformed or above max. */
bool text_uint(struct span s, uint64_t max, uint64_t *out) HO_MUST_CHECK;

/* "10s", "5m", "6h", "30d", "250ms" or a bare "0" into milliseconds. */
bool text_duration(struct span s, int64_t *out_ms) HO_MUST_CHECK;
/* "512", "64k", "26m", "1g" (powers of 1024) into bytes. */
bool text_size(struct span s, int64_t *out_bytes) HO_MUST_CHECK;
/* The shortest of those forms for a value: "90s" stays "90s", 3600000 is "1h". */
void text_duration_put(int64_t ms, char out[24]);

/* Hex into bytes. any_case = false refuses upper case. out_len must be exactly s.len / 2. */
bool text_unhex(struct span s, bool any_case, unsigned char *out, size_t out_len) HO_MUST_CHECK;
/* Lower-case hex; out gets 2 * len + 1 bytes with the NUL. */
void text_hex(const unsigned char *p, size_t len, char *out);

/* Padded canonical base64 (RFC 4648 section 4): wrong padding, foreign bytes, or unused bits that
 * are not zero are refused. Appends to out. returns HO_OK | HO_REJECT. */
enum ho_code text_unbase64(struct span s, struct buf *out) HO_MUST_CHECK;
enum ho_code text_base64(struct span s, struct buf *out) HO_MUST_CHECK;

/* The same in the URL alphabet without padding (RFC 4648 section 5), as JOSE has it. */
enum ho_code text_unbase64url(struct span s, struct buf *out) HO_MUST_CHECK;
enum ho_code text_base64url(struct span s, struct buf *out) HO_MUST_CHECK;

/* CRC-32 (IEEE 802.3, as zlib has it). */
uint32_t text_crc32(struct span s);

/* Percent-decoding (RFC 3986 2.1) once; plus_is_space for forms. A lone or bad % is kept as it is
 * when lenient, else HO_REJECT. Appends to out. */
enum ho_code text_percent_decode(struct span s, bool plus_is_space, bool lenient, struct buf *out)
    HO_MUST_CHECK;

/* The first field `name` of an application/x-www-form-urlencoded text (or query), decoded and
 * appended to out. *n says how many there are. HO_REJECT when out is full. */
enum ho_code text_form_field(struct span form, const char *name, struct buf *out, size_t *n)
    HO_MUST_CHECK;

/* Cuts the next `name=value` off *rest and decodes both into name and value (emptied first); an
 * empty piece between two & is skipped. returns HO_OK | HO_REJECT (full); *more false: there was
 * none left. */
enum ho_code text_form_next(struct span *rest, struct buf *name, struct buf *value, bool *more)
    HO_MUST_CHECK;

/* Unix microseconds of an RFC 3339 time, with "Z" or an offset, any number of fraction digits
 * (beyond microseconds dropped). Also accepts a blank for the T. false when malformed. */
bool text_rfc3339(struct span s, int64_t *out_us) HO_MUST_CHECK;
/* Unix microseconds of an RFC 5322 date, which HTTP dates (IMF-fixdate) are too: "Sun, 06 Nov 1994
 * 08:49:37 GMT" or "+0000"; the name of the day may be missing and is not checked. */
bool text_rfc2822(struct span s, int64_t *out_us) HO_MUST_CHECK;
/* "2026-11-30T12:00:00.123Z" (millis = true) or with microseconds, 32 bytes are enough. */
void text_rfc3339_put(int64_t us, bool millis, char out[32]);
/* "2026-12-01" or an RFC 3339 time: midnight UTC of that day. */
bool text_date(struct span s, int64_t *out_us) HO_MUST_CHECK;

bool text_is_token(struct span s); /* a name as HTTP knows it: RFC 9110 5.6.2; not empty */
bool text_is_utf8(struct span s); /* well-formed UTF-8, no surrogates, no overlong forms */

/* Bytes of the character at the start of s, and its code point; 0 when s is empty or what is there
 * is not well-formed UTF-8. */
size_t text_utf8_next(struct span s, uint32_t *point);

/* Appends s for a log line or terminal: quoted with "…" when it holds anything but
 * [A-Za-z0-9_.:/@+-] or is empty; control bytes, quotes, backslash and invalid UTF-8 as \xNN;
 * after max_bytes input bytes it ends in "…" and the number of bytes left out. */
enum ho_code text_quote(struct span s, size_t max_bytes, struct buf *out) HO_MUST_CHECK;

/* The same as a JSON string, always quoted, with \u00NN for those bytes that are characters and U+FFFD
 * for each byte of invalid UTF-8. */
enum ho_code text_quote_json(struct span s, size_t max_bytes, struct buf *out) HO_MUST_CHECK;

/* Appends s as a JSON string with quotes; invalid UTF-8 bytes become U+FFFD. */
enum ho_code text_json_string(struct span s, struct buf *out) HO_MUST_CHECK;

/* Whether name fits a pattern in which '*' stands for any run of bytes. Takes at most the product of
 * both lengths in steps. */
bool text_glob(const char *pattern, struct span name);

#endif
