/* hookonce pause, resume: the jobs of a source, route or handler wait, or all. */
#include "operator/by_words.h"

static int run_pause(struct operator *op, int argc, char **argv)
{
    return by_words(op, COMMAND_PAUSE, argc, argv);
}

static int run_resume(struct operator *op, int argc, char **argv)
{
    return by_words(op, COMMAND_RESUME, argc, argv);
}

const struct command cmd_pause = {
    .name = "pause",
    .synopsis = "[--source NAME | --route NAME | --handler NAME] [--reason TEXT]",
    .summary = "lets the jobs of a source, route or handler wait, or all",
    .help = "Without a name: everything. Deliveries are received and answered as before; their jobs\n"
            "wait, which costs no try, until hookonce resume. What runs now is let finish. A\n"
            "source in reply mode cannot be paused: whoever asks it waits for the answer.\n",
    .run = run_pause,
};

const struct command cmd_resume = {
    .name = "resume",
    .synopsis = "[--source NAME | --route NAME | --handler NAME]",
    .summary = "ends a pause: what waited runs, the oldest first",
    .help = "Without a name: the pause of everything; those of sources, routes and handlers stay.\n"
            "Status 1: it was not paused.\n",
    .run = run_resume,
};
