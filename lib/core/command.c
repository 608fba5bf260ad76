#include "core/command.h"

static const char *const words[COMMAND_N] = {
    [COMMAND_RETRY] = "retry",     [COMMAND_REPLAY] = "replay",
    [COMMAND_DISCARD] = "discard", [COMMAND_HOLD] = "hold",
    [COMMAND_RELEASE] = "release", [COMMAND_PAUSE] = "pause",
    [COMMAND_RESUME] = "resume",   [COMMAND_FORGET] = "forget",
    [COMMAND_PRUNE] = "prune",     [COMMAND_TEST_ALERT] = "test-alert",
    [COMMAND_REPLAY_DONE] = "replay-done",
};

const char *command_word(enum command_kind o)
{
    return words[o];
}

bool command_find_word(struct span word, enum command_kind *out)
{
    for (unsigned i = 0; i < COMMAND_N; i++) {
        if (span_is(word, words[i])) {
            *out = (enum command_kind)i;
            return true;
        }
    }
    return false;
}
