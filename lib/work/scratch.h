/* Private files that a command reads while it runs: its event's body, the object fetched for it. */
#ifndef HO_WORK_SCRATCH_H
#define HO_WORK_SCRATCH_H

#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

#define SCRATCH_ROOM 4096

/* Writes bytes into a new file (0600) of the state directory. The caller unlinks it.
 * out: path — absolute; "" on failure. returns HO_OK | HO_TRANSIENT */
enum ho_code scratch_make(const char *state_dir, struct span bytes, char path[SCRATCH_ROOM],
                          struct ho_err *err) HO_MUST_CHECK;

/* The same without a name, open for reading: gone when the last who has it closes it. Not a pipe,
 * for there the end of a worker that is killed looks like the end of the body.
 * out: *fd — close-on-exec; -1 on failure. returns HO_OK | HO_TRANSIENT */
enum ho_code scratch_open(const char *state_dir, struct span bytes, int *fd, struct ho_err *err)
    HO_MUST_CHECK;

/* Removes what workers left that were killed: files older than any command can run.
 * in: now_us — unix microseconds */
void scratch_sweep(const char *state_dir, int64_t now_us);

#endif
