/* hookonce replay: events done that are not, and, when asked, once more. */
#include "operator/by_words.h"
#include "operator/which.h"

static int run_replay(struct operator *op, int argc, char **argv)
{
    return by_words(op, COMMAND_REPLAY, argc, argv);
}

const struct command cmd_replay = {
    .name = "replay",
    .synopsis = "ID... | [--provider P] [--source S] [--route R] [--handler H] [--event-type T]\n"
                "[--status S] [--outcome O] [--from-time T] [--to-time T] [--at-most N]\n"
                "[--per-minute N] [--again --reason TEXT] [--dry-run]",
    .summary = "has events done that are not; with --again also those that are",
    .help = "  ID                 number of a job, a correlation id, or the provider's event id\n"
            WHICH_HELP
            "  --provider NAME    events of this provider, or dedupe scope\n"
            "  --source NAME      that this source delivered\n"
            "  --route NAME       only jobs of this route; --handler NAME: of this handler\n"
            "  --event-type TYPE  of this type; a * stands for anything: 'customer.*'\n"
            "  --status STATUS    received, processing, processed or failed\n"
            "  --outcome WORD     only jobs that ended so: 'gave up'\n"
            "  --from-time TIME   received then or later: 2026-11-30, '2026-11-30 12:00', UTC\n"
            "  --to-time TIME     received before then\n"
            "  --at-most N        not more jobs, those of the oldest events (100); with --again\n"
            "                     nothing is done if more match: the next would be the same ones\n"
            "  --per-minute N     so many of them become due a minute; else all at once\n"
            "  --again            also what is done is done once more; wants a reason\n"
            "  --reason TEXT      why, for whoever asks later: hookonce list commands\n"
            "  --dry-run          only says what would be done, and lists the first 20\n"
            "\n"
            "In the order in which the events happened. What is dead, discarded or ignored is opened\n"
            "again. What is done gets a new job with --again: it runs under the idempotency key\n"
            "of the first, so a receiver that knows keys may do nothing; where a route says\n"
            "once_per it ends as \"already done\". What runs, or waits, is left.\n"
            "Give the same in a console by a row in hookonce_command. Status 1: nothing was done.\n"
            "\n"
            "examples:\n"
            "  hookonce replay --route crm --from-time '2026-11-30 12:00' --dry-run\n"
            "  hookonce replay evt_1PqWxYz --again --reason 'the mail was lost'\n",
    .run = run_replay,
};
