/* Secrets from files: read with their permissions checked, wiped when done, never logged. */
#ifndef HO_BASE_SECRET_H
#define HO_BASE_SECRET_H

#include "base/err.h"
#include "base/span.h"

struct secret {
    unsigned char *p; /* heap; wiped by secret_free */
    size_t len;
};

#define SECRET_MAX 16384 /* a longer file is refused */

/* Reads a secret file. One final LF or CRLF is dropped, nothing else is trimmed.
 * in:  path — absolute or relative to the working directory
 * out: *out owned by the caller (secret_free), empty on failure
 * returns HO_OK | HO_REJECT (missing, empty, too long, not a regular file, or readable by group or
 * others: the text says what to do). */
enum ho_code secret_read(const char *path, struct secret *out, struct ho_err *err) HO_MUST_CHECK;

enum ho_code secret_copy(struct span bytes, struct secret *out) HO_MUST_CHECK;
struct span secret_span(const struct secret *s); /* lives as long as the secret */
void secret_free(struct secret *s);

/* HO_OK when the file may be used as private: a regular file, owner us or root, mode & 077 == 0. */
enum ho_code private_file_check(const char *path, struct ho_err *err) HO_MUST_CHECK;

#endif
