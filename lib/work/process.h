/* One run of the processor, as cron starts it: at most one at a time in a state directory. */
#ifndef HO_WORK_PROCESS_H
#define HO_WORK_PROCESS_H

#include "core/settings.h"
#include "work/fetch.h"
#include "work/watch.h"

#define PROCESS_WORKERS_MAX 64

struct process_options {
    int64_t for_ms;   /* nothing is begun after so much time */
    bool once;        /* end as soon as nothing is due */
    unsigned workers; /* 1: this process itself; more: forked */
    bool pass;        /* started behind an answer: beside a run, and with a lock of its own kind */
    const struct fetch_hooks *hooks; /* how keys are fetched; NULL: they are not */
    const struct watch_hooks *watch; /* NULL: nothing is watched */
};

struct process_result {
    bool busy;    /* another run is active: nothing was done */
    bool reached; /* the database, at least once */
    bool dead;    /* some job became a dead letter */
};

/* Works as the options say, by the config file as it is: a change is read before the next batch.
 * Also ends on SIGTERM and SIGINT: the job in hand is finished, what is claimed besides is given
 * back.
 * in: key — of the installation, for the receipts' MAC
 * returns HO_OK | HO_REJECT (the state directory cannot be used) | HO_PERMANENT | HO_BUG; err is
 * also set with HO_OK when the database was never reached. */
enum ho_code process_run(const struct settings *s, struct span key,
                         const struct process_options *options, struct process_result *result,
                         struct ho_err *err) HO_MUST_CHECK;

#endif
