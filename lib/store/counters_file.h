/* The state file behind store/counters.h: its layout, and its life. Private to
 * store/counters*.c. */
#ifndef HO_STORE_COUNTERS_FILE_H
#define HO_STORE_COUNTERS_FILE_H

#include <stdatomic.h>

#include "store/counters.h"

#define NAME_WORDS 8 /* a source's name, at most 64 bytes, zeros behind it */
#define SPARE_COUNTS 16
#define SPARE_ALARMS 16
#define SPARE_WORDS 64

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "64-bit atomics must not need a lock");
#define AT_MISMATCHES (SPARE_COUNTS - 1) /* among the counts; so are the next two */
#define AT_BUSY_SINCE (SPARE_COUNTS - 2)
#define AT_UNSIGNED_SINCE (SPARE_COUNTS - 3)
_Static_assert(COUNT_N <= AT_UNSIGNED_SINCE && ALARM_N <= SPARE_ALARMS && WORD_N <= SPARE_WORDS,
               "more words than room");

/* A slot is taken by setting tag (a hash of the name, never 0). The name is written after that, by
 * whoever finds it missing: a process that dies in between leaves nothing locked. */
struct slot {
    _Atomic uint64_t tag;
    _Atomic uint64_t name[NAME_WORDS];
    _Atomic uint64_t counts[SPARE_COUNTS];
};

struct alarm_slot {
    _Atomic uint64_t times;
    _Atomic int64_t last_us;
    _Atomic int64_t logged_us;
};

#define MAGIC UINT64_C(0x686f6f6b6f6e6303) /* "hookonc", layout 3 */

struct layout {
    _Atomic uint64_t magic;
    _Atomic uint64_t words[SPARE_WORDS];
    struct alarm_slot alarms[SPARE_ALARMS];
    struct slot slots[COUNTERS_SOURCES];
    struct slot others; /* "*" */
};

struct state_file {
    struct layout *data;
    char *path;
    int fd; /* -1: data is in memory of this process alone */
};

/* Opens or makes <state_dir>/hookonce.state. Never fails: what can't be a file, or would lie on
 * another machine's disk, is memory. */
void state_file_open(struct state_file *f, const char *state_dir);
void state_file_close(struct state_file *f);

/* The data, safe to touch until the next call: a file that somebody cut short or removed is left
 * for a new one. One that was replaced by a program of another version is not replaced in turn. */
struct layout *state_file_data(struct state_file *f);

#endif
