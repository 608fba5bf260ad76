/* Tickets. */
#include "core/ticket.h"

#include <stdio.h>
#include <string.h>

#include "base/mac.h"
#include "base/text.h"

#define NONCE_LEN 8
#define HEX_LEN ((size_t)2 * SHA256_LEN)

/* Keeps tickets apart from all else that is signed with the key. */
static const char label[] = "hookonce ticket 1\n";

static bool is_purpose(const char *purpose)
{
    size_t n = strlen(purpose);

    return n > 0 && n <= TICKET_PURPOSE_MAX &&
           strspn(purpose, "abcdefghijklmnopqrstuvwxyz") == n;
}

static void sign(struct span key, struct span head, char hex[HEX_LEN + 1])
{
    const struct span parts[] = {span_make(label, sizeof label - 1), head};
    unsigned char mac[MAC_MAX];

    mac_hmac(MAC_SHA256, key, parts, sizeof parts / sizeof parts[0], mac);
    text_hex(mac, SHA256_LEN, hex);
}

void ticket_make(struct span key, const char *purpose, int64_t expires_s, char out[TICKET_ROOM])
{
    unsigned char random[NONCE_LEN];
    char nonce[2 * NONCE_LEN + 1], mac[HEX_LEN + 1];

    if (!is_purpose(purpose) || key.len == 0 || expires_s < 0) {
        ho_die("bug: a ticket for '%s' without a purpose, a key or an end", purpose);
    }
    mac_random(random, sizeof random);
    text_hex(random, sizeof random, nonce);
    (void)snprintf(out, TICKET_ROOM, "%s.%lld.%s", purpose, (long long)expires_s, nonce);
    size_t len = strlen(out);
    if (len + 1 + HEX_LEN > TICKET_MAX) {
        ho_die("bug: a ticket of %zu bytes", len);
    }
    sign(key, span_make(out, len), mac);
    (void)snprintf(out + len, TICKET_ROOM - len, ".%s", mac);
}

/* The mac is judged before anything else is believed, and covers all that stands before it: no part of
 * a ticket can be moved into its neighbour. */
enum ticket_state ticket_holds(struct span key, const char *purpose, struct span text,
                               int64_t now_s)
{
    char mac[HEX_LEN + 1];
    uint64_t expires;

    if (!span_present(text) || text.len > TICKET_MAX || text.len <= HEX_LEN || key.len == 0 ||
        text.p[text.len - HEX_LEN - 1] != '.') {
        return TICKET_WRONG;
    }
    struct span head = span_sub(text, 0, text.len - HEX_LEN - 1);
    sign(key, head, mac);
    if (!mac_equal(span_sub(text, text.len - HEX_LEN, HEX_LEN), span_make(mac, HEX_LEN))) {
        return TICKET_WRONG;
    }
    if (!span_is(span_cut(&head, '.'), purpose) ||
        !text_uint(span_cut(&head, '.'), INT64_MAX, &expires)) {
        return TICKET_WRONG;
    }
    return now_s < (int64_t)expires ? TICKET_HOLDS : TICKET_EXPIRED;
}
