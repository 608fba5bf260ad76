/* Correlation ids: 26 characters of Crockford base32 that sort by time (the ULID form: 48 bits of
 * milliseconds, 80 random bits), ASCII, no case to fold. */
#ifndef HO_BASE_ULID_H
#define HO_BASE_ULID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

#define ULID_LEN 26

void ulid_new(int64_t wall_us, char out[ULID_LEN + 1]);
bool ulid_valid(struct span s);
int64_t ulid_ms(struct span s); /* the time in a valid one, milliseconds since 1970 UTC */

/* The first and the last id of the same millisecond: all that one request has made lie between.
 * in: cid - a valid one, which may lie in out */
void ulid_first(const char *cid, char out[ULID_LEN + 1]);
void ulid_last(const char *cid, char out[ULID_LEN + 1]);

#endif
