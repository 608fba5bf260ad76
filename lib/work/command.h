/* Doing what a person asks for (store/command.h): by the processor, a while at a time between its
 * jobs, or by the shell in one go. */
#ifndef HO_WORK_COMMAND_H
#define HO_WORK_COMMAND_H

#include "base/buf.h"
#include "core/settings.h"
#include "store/command.h"

/* Of whom it asks what; borrowed. */
struct command_site {
    const struct settings *settings;
    struct span key; /* of this installation */
    struct db *db;
};

struct command_run;

/* A claimed command that is to be done; takes *c over. command_run_free frees, and gives back what
 * is not through. */
struct command_run *command_run_new(const struct command_site *site, struct command_claim *c);
void command_run_free(struct command_run *run);

/* Does a piece of it, and with the last one writes what came of it into its row.
 * out: *ended - it is through, or somebody else has it
 * returns HO_OK, also when the command is refused | HO_TRANSIENT: it may be gone on with.
 * blocks: some seconds at most, 30 for the piece that looks for what is meant */
enum ho_code command_run_step(struct command_run *run, bool *ended,
                              struct ho_err *err) HO_MUST_CHECK;

/* What has come of it so far. */
struct command_told {
    enum command_state state;
    struct span answer; /* "" before its end; borrowed from the run */
    uint64_t id;
    uint32_t found, did, all; /* all: how many it is about; 0: not known yet */
};
struct command_told command_run_told(struct command_run *run);

/* Whether a command makes sense by itself, as the table's constraints say too.
 * returns HO_OK | HO_REJECT: what is wrong, and how to write it */
enum ho_code command_sound(const struct command_ask *ask, struct ho_err *err) HO_MUST_CHECK;

/* ---- in the processor ---- */

struct worker;

/* Does commands of consoles for some hundred milliseconds; w->command holds one that is not
 * through. One whose row somebody has locked is left for a while: jobs go on.
 * out: *more - there is more to do at once. returns HO_OK | HO_TRANSIENT | HO_PERMANENT */
enum ho_code command_turn(struct worker *w, bool *more, struct ho_err *err) HO_MUST_CHECK;
void command_leave(struct worker *w);

/* Ends the process of one that is done beside the worker, as beside_end: whoever comes next does
 * what was not through. */
void command_leave_apart(struct worker *w, int64_t ms);

#endif
