/* Correlation ids in the ULID form. */
#include "base/ulid.h"

#include <string.h>

#include "base/mac.h"

#define TIME_CHARS 10
#define TIME_MAX_MS ((INT64_C(1) << 48) - 1)

static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

void ulid_new(int64_t wall_us, char out[ULID_LEN + 1])
{
    int64_t ms = wall_us / 1000;
    uint64_t t = (uint64_t)(ms < 0 ? 0 : ms > TIME_MAX_MS ? TIME_MAX_MS : ms);
    unsigned char noise[ULID_LEN - TIME_CHARS];
    for (int i = TIME_CHARS - 1; i >= 0; i--) {
        out[i] = alphabet[t & 31U];
        t >>= 5;
    }
    /* One random byte a character, of which five bits count: 80 random bits in all. */
    mac_random(noise, sizeof noise);
    for (size_t i = 0; i < sizeof noise; i++) {
        out[TIME_CHARS + i] = alphabet[noise[i] & 31U];
    }
    out[ULID_LEN] = '\0';
}

bool ulid_valid(struct span s)
{
    if (s.p == NULL || s.len != ULID_LEN || s.p[0] > '7') {
        return false;
    }
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '\0' || strchr(alphabet, s.p[i]) == NULL) {
            return false;
        }
    }
    return true;
}

int64_t ulid_ms(struct span s)
{
    int64_t ms = 0;

    for (size_t i = 0; i < TIME_CHARS && i < s.len; i++) {
        const char *at = strchr(alphabet, s.p[i]);
        ms = ms * 32 + (at != NULL ? at - alphabet : 0);
    }
    return ms;
}

static void edge(const char *cid, char fill, char out[ULID_LEN + 1])
{
    memmove(out, cid, TIME_CHARS);
    memset(out + TIME_CHARS, fill, ULID_LEN - TIME_CHARS);
    out[ULID_LEN] = '\0';
}

void ulid_first(const char *cid, char out[ULID_LEN + 1])
{
    edge(cid, '0', out);
}

void ulid_last(const char *cid, char out[ULID_LEN + 1])
{
    edge(cid, 'Z', out);
}
