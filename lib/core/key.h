/* How an id becomes a key: byte for byte, or, where it cannot be, as a marked digest. Never cut,
 * folded, padded or merged with another. */
#ifndef HO_CORE_KEY_H
#define HO_CORE_KEY_H

#include "base/buf.h"
#include "base/span.h"
#include "core/event.h"

#define KEY_MARK "sha256:" /* followed by 64 lower-case hex digits */

/* Appends the stored form of a raw id, type or object: itself when it is at most EVENT_KEY_MAX
 * bytes and does not begin with the mark, else the mark and the SHA-256 of it.
 * returns HO_OK | HO_REJECT (out full). */
enum ho_code key_stored(struct span raw, struct buf *out) HO_MUST_CHECK;

#endif
