/* The file of the installation's MAC key. */
#ifndef HO_STORE_KEYFILE_H
#define HO_STORE_KEYFILE_H

#include <stdbool.h>

#include "base/secret.h"

/* Makes a key file: 0600, 32 random bytes in hex, complete or not there at all. One that is there
 * already stays (HO_OK, *created false). The folder must exist. returns HO_OK | HO_PERMANENT. */
enum ho_code keyfile_make(const char *path, bool *created, struct ho_err *err) HO_MUST_CHECK;

/* Reads it, as any secret, and only in the form in which keyfile_make writes it: a file that was cut
 * short, or is another, is no key. out: *key - owned: secret_free; empty unless HO_OK
 * returns as secret_read, or HO_PERMANENT: not that form */
enum ho_code keyfile_read(const char *path, struct secret *key, struct ho_err *err) HO_MUST_CHECK;

#endif
