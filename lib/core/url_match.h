/* Patterns of URLs that may be fetched: full https URLs in which * stands for one or more letters,
 * digits, - and _, so that it never reaches over a dot, slash, colon or question mark. */
#ifndef HO_CORE_URL_MATCH_H
#define HO_CORE_URL_MATCH_H

#include "base/err.h"
#include "base/span.h"

#define URL_FETCH_MAX 2000 /* bytes of a URL that is fetched */

/* Whether it is a pattern that cannot lead elsewhere than it looks: "https://", a lower-case host
 * whose last two labels hold no * (or localhost), perhaps a port, a slash, printable ASCII.
 * A pattern without * is a plain URL. returns HO_OK | HO_REJECT (says what is wrong). */
enum ho_code url_pattern_check(struct span pattern, struct ho_err *err) HO_MUST_CHECK;

/* Whether the whole URL fits the pattern, byte for byte; longer than URL_FETCH_MAX never does. */
bool url_fits(struct span pattern, struct span url);

#endif
