/* The words for what a person may ask of us, in SQL, on the shell, in the config and in logs. */
#ifndef HO_CORE_COMMAND_H
#define HO_CORE_COMMAND_H

#include <stdbool.h>

#include "base/span.h"

enum command_kind {
    COMMAND_RETRY,
    COMMAND_REPLAY,
    COMMAND_DISCARD,
    COMMAND_HOLD,
    COMMAND_RELEASE,
    COMMAND_PAUSE,
    COMMAND_RESUME,
    COMMAND_FORGET,
    COMMAND_PRUNE,
    COMMAND_TEST_ALERT,
    COMMAND_REPLAY_DONE, /* replay with `again`; only in `sql_commands`, no word of the table */
    COMMAND_N
};

#define COMMAND_BIT(o) (1U << (unsigned)(o))

/* "retry", "test-alert", ...; the ENUM of hookonce_command has the same words. */
const char *command_word(enum command_kind o);

/* false: it is none of the words; *out is untouched. */
bool command_find_word(struct span word, enum command_kind *out);

#endif
