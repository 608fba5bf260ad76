/* Making the installation's MAC key. It is read like any secret (base/secret.h). */
#ifndef HO_STORE_KEYFILE_H
#define HO_STORE_KEYFILE_H

#include <stdbool.h>

#include "base/err.h"

/* Makes a key file: 0600, 32 random bytes in hex, complete or not there at all. One that is there
 * already stays (HO_OK, *created false). The folder must exist. returns HO_OK | HO_PERMANENT. */
enum ho_code keyfile_make(const char *path, bool *created, struct ho_err *err) HO_MUST_CHECK;

#endif
