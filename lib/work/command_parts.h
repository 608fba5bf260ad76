/* Between the files of commands: command.c (the way), command_sound.c (what makes no sense),
 * command_look.c (what it is about), command_jobs.c and command_single.c (what is done with jobs),
 * command_answer.c (what came of it), command_more.c (all that is not about jobs). */
#ifndef HO_WORK_COMMAND_PARTS_H
#define HO_WORK_COMMAND_PARTS_H

#include "store/jobs.h"
#include "store/prune.h"
#include "work/command.h"

/* What came of one job. */
enum verdict {
    DID_OPENED,
    DID_AGAIN,
    DID_DISCARDED,
    DID_HELD,
    DID_RELEASED,
    DID_FREED,
    LEFT_RUNS,
    LEFT_DUE,
    LEFT_DONE,
    LEFT_DONE_BEFORE,
    LEFT_ACTED,
    LEFT_DOUBT,
    LEFT_ANSWERED,
    LEFT_NO_BODY,
    LEFT_NEWER,
    LEFT_ENDED,
    LEFT_TAKEN,
    LEFT_NO_KEY,
    LEFT_HELD,
    LEFT_WAITS,
    LEFT_NOT_HELD,
    LEFT_PAUSED,
    LEFT_GONE,
    VERDICT_N
};

struct command_job {
    uint64_t id;
    char cid[ULID_LEN + 1];
    char at[COMMAND_TIME_ROOM];
    char route[JOB_ROUTE_MAX + 1];
    enum job_state state;
    size_t row; /* of run->rows */
};

#define COMMAND_LISTED 20 /* ids in the answer to a dry run */

struct command_run {
    struct command_site site;
    struct command_claim claim;
    struct command_claim coming; /* what the guard writes */
    int64_t began_ms;         /* monotonic: when this run took it */
    bool looked;              /* for what it is about */
    bool more;                /* than was looked for at once */
    bool capped;              /* at_most was reached, and there were more */
    struct db_rows rows;      /* owned: what was found */
    struct command_job *jobs; /* owned */
    size_t n, next;
    uint32_t counts[VERDICT_N];
    struct buf listed; /* of a dry run: the first ids */
    size_t n_listed;
    uint64_t owner; /* LEFT_TAKEN: who has the business key */
    struct prune_place place;
    struct pruned pruned;
    bool ended;
    bool closed; /* its row says so too, or is not ours */
    bool lost;   /* somebody else has it */
    enum command_state state;
    struct buf answer;
    char cid[ULID_LEN + 1]; /* of the one event that it is about, or "" */
};

#define COMMAND_TOO_SOON                                                                           \
    "Nothing was done: test messages were sent within the last minute; see what came of them"

/* Ends it with these words; what does not fit is left out. */
void command_answer(struct command_run *run, enum command_state state, const char *fmt, ...)
    HO_PRINTF(3, 4);

/* One piece of each kind. They end the run by command_answer. */
enum ho_code command_jobs(struct command_run *run, struct ho_err *err) HO_MUST_CHECK;
enum ho_code command_pause(struct command_run *run, struct ho_err *err) HO_MUST_CHECK;
enum ho_code command_conflict(struct command_run *run, struct ho_err *err) HO_MUST_CHECK;
enum ho_code command_forget(struct command_run *run, struct ho_err *err) HO_MUST_CHECK;
enum ho_code command_prune(struct command_run *run, struct ho_err *err) HO_MUST_CHECK;
enum ho_code command_test_alert(struct command_run *run, struct ho_err *err) HO_MUST_CHECK;

/* Ends it as refused if it names something that the config has not; false: it does not.
 * in: begin - what the answer begins with */
bool command_refuse_name(struct command_run *run, const char *begin);

/* Between these two every transaction of the site's link begins with writing how far run->coming
 * has come: it is the fence, for whoever has lost the command, and is committed with what is
 * done. */
void command_guard(struct command_run *run);
void command_unguard(struct command_run *run);

/* One job of those that are done one by one. */
enum ho_code command_single(struct command_run *run, struct ho_err *err) HO_MUST_CHECK;

/* What came of a job; how far it has come; a job in the list of a dry run. */
void command_count(struct command_run *run, const struct command_job *job, enum verdict v);
void command_came(struct command_run *run, const struct command_claim *to);
void command_list(struct command_run *run, const struct command_job *job);

/* Ends it by what came of its jobs: run->counts. */
void command_conclude(struct command_run *run);

/* Finds what it is about, from where it has come to; keeps it in run->jobs. */
enum ho_code command_look(struct command_run *run, struct ho_err *err) HO_MUST_CHECK;

#endif
