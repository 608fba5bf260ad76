/* The list of commands, in the order of the help. */
#include "operator/operator.h"

const struct command *const commands[] = {
    &cmd_setup, &cmd_check, &cmd_config, &cmd_migrate, &cmd_process, &cmd_tick_url, &cmd_serve, &cmd_watch,
    &cmd_list, &cmd_tail, &cmd_top, &cmd_body, &cmd_retry, &cmd_replay, &cmd_discard, &cmd_hold, &cmd_release, &cmd_pause,
    &cmd_resume, &cmd_send,
    &cmd_providers, &cmd_import, &cmd_capture, &cmd_explain, &cmd_routes, &cmd_pair, &cmd_grants,
    &cmd_rekey, &cmd_prune, &cmd_forget, &cmd_page, &cmd_reply,
};
const size_t commands_n = sizeof commands / sizeof commands[0];
