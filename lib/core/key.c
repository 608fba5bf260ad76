/* Ids as keys. */
#include "core/key.h"

#include "base/text.h"

enum ho_code key_stored(struct span raw, struct buf *out)
{
    unsigned char digest[SHA256_LEN];
    char hex[2 * SHA256_LEN + 1];

    /* An id that looks like our mark must not be able to meet another id's digest. */
    if (raw.len <= EVENT_KEY_MAX && !span_starts(raw, KEY_MARK)) {
        return buf_add_span(out, raw);
    }
    mac_sha256(raw, digest);
    text_hex(digest, sizeof digest, hex);
    return buf_addf(out, "%s%s", KEY_MARK, hex);
}
