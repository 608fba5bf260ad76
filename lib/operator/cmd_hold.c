/* hookonce hold, release: single jobs that wait for a person. */
#include "operator/by_words.h"
#include "operator/which.h"

static int run_hold(struct operator *op, int argc, char **argv)
{
    return by_words(op, COMMAND_HOLD, argc, argv);
}

static int run_release(struct operator *op, int argc, char **argv)
{
    return by_words(op, COMMAND_RELEASE, argc, argv);
}

const struct command cmd_hold = {
    .name = "hold",
    .synopsis = "ID... [--reason TEXT]",
    .summary = "keeps jobs from running until they are released",
    .help = "  ID             number of a job, a correlation id, or the provider's event id\n"
            WHICH_HELP
            "  --reason TEXT  why, for whoever asks later\n"
            "\n"
            "What runs now, or has ended, is left as it is. hookonce release lets them go.\n"
            "Status 1: for some id there was nothing to do.\n",
    .run = run_hold,
};

const struct command cmd_release = {
    .name = "release",
    .synopsis = "ID... | --conflict N",
    .summary = "lets go what is held, and what waits for a person's word",
    .help = "  ID            number of a job, a correlation id, or the provider's event id: what is\n"
            "                held runs; what may have done its work may do it (again), as by\n"
            "                hookonce retry --release: you have found out that it may\n"
            WHICH_HELP
            "  --conflict N  a refused delivery of kind \"repeat\" becomes an event of its own\n"
            "\n"
            "Status 1: for some id there was nothing to do.\n",
    .run = run_release,
};
