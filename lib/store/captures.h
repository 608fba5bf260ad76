/* Kept requests: private files state/capture/SOURCE-TIME-N.request, in names that sort by time.
 * What is in them is edge/capture.h's business. */
#ifndef HO_STORE_CAPTURES_H
#define HO_STORE_CAPTURES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "store/door.h"

#define CAPTURES_KEPT_MS DOOR_MAX_MS /* not less: by age open doors are told from old ones */

/* Writes a file of the source and removes its oldest ones beyond `most`.
 * returns HO_OK | HO_REJECT (the folder can't be written). */
enum ho_code captures_add(const char *state_dir, struct span source, int64_t now_us,
                          unsigned most, struct span bytes, struct ho_err *err) HO_MUST_CHECK;

/* Paths of the source's files, oldest first, and how many. *out owned: captures_free. A folder that
 * is not there holds none. */
void captures_list(const char *state_dir, struct span source, char ***out, size_t *n);
void captures_free(char **paths, size_t n);

/* Removes what is older than CAPTURES_KEPT_MS: files of every source, and doors of either kind. */
void captures_sweep(const char *state_dir, int64_t now_us);

#endif
