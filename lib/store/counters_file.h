/* The state file behind store/counters.h: its layout, and its life. Private to
 * store/counters*.c. */
#ifndef HO_STORE_COUNTERS_FILE_H
#define HO_STORE_COUNTERS_FILE_H

#include <stdatomic.h>

#include "store/counters.h"

#define NAME_WORDS 8 /* a source's name, at most 64 bytes, zeros behind it */
#define SPARE_COUNTS 32
#define SPARE_ALARMS 16
#define SPARE_WORDS 64

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "64-bit atomics must not need a lock");
/* Among the counts, from the end. */
enum {
    AT_REFUSED_WHY = 19, /* of the last one */
    AT_LOST_N,           /* answered busy since at least a day was without */
    AT_LOST_AT,          /* us, the last one */
    AT_UNUSABLE_N,       /* the same for what was signed well and could not be used */
    AT_UNUSABLE_AT,
    AT_HOUR_REFUSED, /* of even hours; of odd ones */
    AT_HOUR_REFUSED_ODD,
    AT_HOUR,       /* the one that was counted last */
    AT_REFUSED_AT, /* us, the last one */
    AT_LAST,       /* how the last ones ended: a 1, then a bit each, 1: refused */
    AT_UNSIGNED_SINCE,
    AT_BUSY_SINCE,
    AT_MISMATCHES
};
_Static_assert(AT_MISMATCHES == SPARE_COUNTS - 1, "the last one");
_Static_assert((int)COUNT_N <= (int)AT_REFUSED_WHY && ALARM_N <= SPARE_ALARMS &&
                   WORD_N <= SPARE_WORDS,
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

#define MAGIC UINT64_C(0x686f6f6b6f6e6304) /* "hookonc", layout 4 */

struct layout {
    _Atomic uint64_t magic;
    _Atomic uint64_t words[SPARE_WORDS];
    struct alarm_slot alarms[SPARE_ALARMS];
    struct slot slots[COUNTERS_SOURCES];
    struct slot others; /* "*" */
};

/* The slot of a source; with `take` a free one becomes its own, without free ones "*". */
struct slot *counters_slot(struct counters *c, struct span name, bool take);

/* Notes how a delivery ended, by what it is counted as. counters_refused.c */
void counters_note(struct slot *s, enum counter which);

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
