/* What came of the jobs of a command, in words. */
#include "work/command_parts.h"

static const struct {
    const char *text;
} verdicts[VERDICT_N] = {
    [DID_OPENED] = {"opened again"},
    [DID_AGAIN] = {"to be done once more"},
    [DID_DISCARDED] = {"discarded"},
    [DID_HELD] = {"held until released"},
    [DID_RELEASED] = {"released"},
    [DID_FREED] = {"ended and stays so, its business key is free"},
    [LEFT_RUNS] = {"it runs now"},
    [LEFT_DUE] = {"it is due already, the next run takes it"},
    [LEFT_DONE] = {"it was processed: replay with again = yes and a reason does it once more"},
    [LEFT_DONE_BEFORE] =
        {"it was processed, or nothing more is to be done: replay with again = yes and "
         "a reason does it once more"},
    [LEFT_ACTED] =
        {"it was discarded as done: replay with again = yes and a reason does it once more"},
    [LEFT_DOUBT] =
        {"it may have done its work, nobody knows: find out, then release it, if it may be "
         "done again, or discard it with acted = yes"},
    [LEFT_ANSWERED] = {"it answered a request, and only its sender can ask again"},
    [LEFT_NO_BODY] = {"it has no body any more: it was pruned or forgotten"},
    [LEFT_NEWER] = {"a newer job does it once more already, or has done so"},
    [LEFT_ENDED] = {"it has ended, and nothing of it is in doubt"},
    [LEFT_TAKEN] = {"its business key belongs to another job: say acted = yes of that one"},
    [LEFT_NO_KEY] =
        {"its business key cannot be made, so it cannot be kept that it acted: without "
         "acted it can be discarded"},
    [LEFT_HELD] = {"it is held already"},
    [LEFT_WAITS] = {"it is held, or waits for a pause: release it, or resume"},
    [LEFT_NOT_HELD] = {"it is not held, and nothing of it is in doubt"},
    [LEFT_PAUSED] = {"it waits for a pause to end: resume"},
    [LEFT_GONE] = {"it is gone"},
};

static void add_counts(struct command_run *run, unsigned from, unsigned to, const char *first)
{
    bool any = false;

    for (unsigned v = from; v < to; v++) {
        if (run->counts[v] == 0) {
            continue;
        }
        const char *open = v < LEFT_RUNS ? " " : " (", *close = v < LEFT_RUNS ? "" : ")";
        if (buf_addf(&run->answer, "%s%u%s%s%s", any ? ", " : first, run->counts[v], open,
                     verdicts[v].text, close) != HO_OK) {
            return;
        }
        any = true;
    }
}

void command_conclude(struct command_run *run)
{
    const struct command_ask *ask = &run->claim.ask;
    bool one = command_names_one(ask), nothing = run->claim.did == 0;
    enum command_state state = one && nothing ? COMMAND_REFUSED : COMMAND_DONE;

    if (ask->dry_run &&
        buf_add_str(&run->answer, "Dry run, nothing was changed. It would be so. ") != HO_OK) {
        return;
    }
    command_answer(run, state, "%u of %u job%s", run->claim.did, run->claim.found,
                   run->claim.found == 1 ? "" : "s");
    add_counts(run, 0, LEFT_RUNS, ": ");
    add_counts(run, LEFT_RUNS, VERDICT_N, ". Left as they are: ");
    uint32_t here = 0;
    for (size_t v = 0; v < VERDICT_N; v++) {
        here += run->counts[v];
    }
    if (here < run->claim.found) {
        command_answer(run, state, ". It was cut off and taken up again behind job %u of these",
                       run->claim.found - here);
    }
    if (run->counts[LEFT_TAKEN] > 0) {
        command_answer(run, state, ". Job %llu has the business key",
                       (unsigned long long)run->owner);
    }
    if (run->capped) {
        command_answer(run, state, ". There are more: at_most = %u was reached", ask->at_most);
    }
    if (run->n_listed > 0) {
        command_answer(run, state, ". First: ");
        if (buf_add_span(&run->answer, buf_span(&run->listed)) != HO_OK) {
            return; /* what fits is said */
        }
    }
}
