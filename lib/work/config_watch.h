/* The config file while a worker goes by what was read of it. */
#ifndef HO_WORK_CONFIG_WATCH_H
#define HO_WORK_CONFIG_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file.h"

struct config_watch {
    struct file_mark read;   /* as it was when it was last read */
    struct file_mark looked; /* and when it was last looked at */
    int64_t looked_ms;       /* monotonic; 0: never */
    unsigned restless;       /* looks in a row at which it was changed, and not as the look before */
    bool changed;            /* it is another one now, and whole */
};

enum config_state {
    CONFIG_SAME,
    CONFIG_SETTLES, /* it changed just now, and is not known to be whole: take no new work, look again */
    CONFIG_CHANGED  /* read it again */
};

/* Looks at the file, at most once a second. A change counts when the file has stood still since the
 * look before: one that is being written in place may parse half-way. One that never stands still is
 * not waited for. */
enum config_state config_watch_look(struct config_watch *w, const char *file);

#endif
