/* One worker: a process with two links to the database, one for the queue and one for handlers. */
#ifndef HO_WORK_WORKER_H
#define HO_WORK_WORKER_H

#include "base/clock.h"
#include "base/host.h"
#include "core/settings.h"
#include "store/counters.h"
#include "store/db.h"
#include "store/jobs.h"
#include "work/config_watch.h"
#include "work/fetch.h"
#include "work/watch.h"
#include "work/pausing.h"

#define WORKER_NAME_ROOM 65

struct worker {
    const struct settings *settings;
    struct span key;             /* of this installation, for the receipts' MAC */
    char name[WORKER_NAME_ROOM]; /* "host-pid-random", as the rows show it */
    char host[HOST_NAME_ROOM];
    struct db *control; /* claims, leases, failures */
    struct db *handler; /* a site's SQL, and what settles in its transaction */
    struct queue queue;
    struct counters *counters;
    struct fetcher fetcher;
    struct watcher watcher;
    int wake_fd;         /* -1: it polls */
    struct deadline end; /* nothing is begun after it */
    bool once;           /* end when nothing is due */
    unsigned alone;      /* so many claims to come take a single job */
    struct pausing pausing;
    struct config_watch config; /* `changed`: worker_run ended because of that */
    /* what came of it */
    int64_t import_quiet_ms; /* see struct importer */
    int64_t import_ms; /* not before then into the spool, monotonic: the last import failed */
    struct command_run *command; /* of a console, not through yet; NULL: none */
    long apart; /* the process that does one beside the jobs; 0: none */
    int64_t urgent_ms; /* not before then is looked beside a long one, monotonic */
    int64_t command_ms; /* not before then is a command looked for, monotonic: one was locked */
    int64_t keep_ms;   /* not before then is pruned again, monotonic */
    int64_t numbers_ms; /* not before then is counted again, monotonic */
    uint64_t scene; /* what its last look goes by: store/pace.h */
    bool rests;     /* it found nothing to do a moment ago */
    bool tried;     /* it has asked the database for something, or wanted to */
    bool checked; /* that the tables are ours */
    bool reached; /* the database, at least once */
    unsigned long settled, dead;
    int64_t said_ms, reaped_ms; /* when it last did so, monotonic; 0: never */
};

/* in: settings, key — borrowed. Opens no link yet. worker_free frees. */
void worker_init(struct worker *w, const struct settings *settings, struct span key);
void worker_free(struct worker *w);

/* Works until w->end, a signal to stop (work/signals.h), a change of the config file
 * (w->config.changed), or, with once, until nothing is due. The job in hand is finished, the rest of
 * its batch given back. A database that is away is waited for.
 * returns HO_OK, also when the database was never reached (see w->reached; err says why), or
 * HO_PERMANENT | HO_BUG: going on has no sense. */
enum ho_code worker_run(struct worker *w, struct ho_err *err) HO_MUST_CHECK;

#endif
