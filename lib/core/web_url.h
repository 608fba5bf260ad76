/* Addresses that are asked by us, with what may be secret: https, or http to this very machine. */
#ifndef HO_CORE_WEB_URL_H
#define HO_CORE_WEB_URL_H

#include "base/err.h"
#include "base/span.h"

/* Whether url is "https://HOST…", or "http://…" with localhost, 127.x.x.x or [::1], in printable
 * ASCII, without user or password (a secret stands in a file) and without #.
 * out: *path — offset of what stands behind host and port; may be NULL
 * returns HO_OK | HO_REJECT (what to do). */
enum ho_code web_url_check(struct span url, size_t *path, struct ho_err *err) HO_MUST_CHECK;

#endif
