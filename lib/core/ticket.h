/* A ticket: leave to ask this installation for one thing until a time, as text that a URL or a header
 * can bear: `<purpose>.<expires, Unix seconds>.<nonce>.<HMAC-SHA256 in hex>`. Whoever has the
 * installation's key can write and judge one; nothing is stored, so none can be called back before
 * it expires but by another key. */
#ifndef HO_CORE_TICKET_H
#define HO_CORE_TICKET_H

#include <stdint.h>

#include "base/span.h"

#define TICKET_PURPOSE_MAX 16 /* bytes, a-z only */
#define TICKET_MAX 128        /* bytes, without the NUL */
#define TICKET_ROOM (TICKET_MAX + 1)

#define TICKET_TICK "tick" /* start the processor */
#define TICKET_ECHO "echo" /* hear what the web server makes of a request */

/* Writes a ticket. Two made alike differ, by their nonce. A purpose that is too long, empty, or holds
 * anything but a-z dies: purposes are constants.
 * in:  key - of the installation (store/keyfile.h); an empty one dies
 *      expires_s - Unix seconds; it holds before this moment, and no longer at it
 * out: out - TICKET_ROOM bytes */
void ticket_make(struct span key, const char *purpose, int64_t expires_s, char out[TICKET_ROOM]);

enum ticket_state {
    TICKET_HOLDS,
    TICKET_WRONG,  /* not of this key, of another purpose, or no ticket at all */
    TICKET_EXPIRED /* genuine, and its time is over */
};

/* What a text is worth now. Takes the same time for every text of one length that looks like a ticket.
 * in: text - as it came; an absent or longer one is wrong; now_s - Unix seconds */
enum ticket_state ticket_holds(struct span key, const char *purpose, struct span text,
                               int64_t now_s);

#endif
