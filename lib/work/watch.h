/* The watch: looks whether all is well, keeps what is not in hookonce_alert, and tells whom the
 * config names (work/alert.h). What recipes and secrets say is not known here: it is handed in. */
#ifndef HO_WORK_WATCH_H
#define HO_WORK_WATCH_H

#include "base/buf.h"
#include "core/settings.h"
#include "store/alert.h"
#include "store/counters.h"

/* A source as the files say now. */
struct watch_source {
    const char *name;
    bool usable;         /* it has a secret that counts, or needs none */
    const char *trouble; /* why a secret is not usable, or NULL; no secret in it */
    bool reply;
    int64_t retries_ms;  /* for how long the sender tries again by itself; 0: never */
};
typedef void watch_source_fn(void *arg, const struct watch_source *source);

struct watch_hooks {
    /* Calls fn for every source of the config file as it is now.
     * returns HO_OK | HO_REJECT (config or recipe refused: the text says why) */
    enum ho_code (*sources)(const char *file, watch_source_fn *fn, void *arg, struct ho_err *err);
    const char *(*refusal)(unsigned why); /* struct refusals, in words */
};

#define WATCH_PRINTED "-" /* the channel of who has no [alert NAME]: what is printed */

struct watch_result {
    bool reached;  /* the database, and it took what was seen */
    bool forgets;  /* it is away, and without a state file that would be told at each look */
    size_t firing; /* things that this look saw */
    size_t failed; /* channels that did not take their message */
};

/* Looks once, at all that can be seen from this host, and tells. With the database away, or not to
 * be read or written, only this host's own state is there; both are told from the state file then.
 * in:  print — gets messages where the config has no [alert NAME], and why a sending failed; NULL:
 *              they are not told, only kept
 * out: err — why the database is of no use, if !result->reached
 * blocks: WATCH_DB_MS, and ALERT_SEND_MS for each channel that is told */
#define WATCH_DB_MS 15000
void watch_once(const struct settings *s, const struct watch_hooks *hooks, struct buf *print,
                struct watch_result *result, struct ho_err *err);

/* What a look sees, and nothing else: for who wants to see it. look — alert_look_free.
 * returns HO_OK | HO_PERMANENT | HO_TRANSIENT: the database is of no use, and look has what this
 *         host shows, and that */
enum ho_code watch_see(const struct settings *s, const struct watch_hooks *hooks,
                       struct alert_look *look, struct ho_err *err) HO_MUST_CHECK;

/* ---- beside the work ---- */

/* One process beside the worker, once a minute a host, so that no job waits for it. */
struct watcher {
    const struct watch_hooks *hooks; /* NULL: nothing is watched */
    const struct settings *settings;
    struct counters *counters;
    long child; /* that process; 0: none */
};

/* How long nobody need look while nothing happens but that time goes by: every_ms, unless `poll` is not
 * said. Then half an hour for alerts, an hour for numbers, or less: a twelfth of the shortest time in which
 * the config expects an event, five minutes where that is learnt. */
int64_t watch_quiet_ms(const struct settings *s, int64_t every_ms, bool alerts);

/* Whether a look may be left out that cron asks for: nothing was wrong at the last one, not half an hour
 * ago or what watch_quiet_ms says, nothing happened since, and this host shows nothing by itself. */
bool watch_is_calm(const struct settings *s, const struct watch_hooks *hooks);

/* Between two batches; does not wait. */
void watch_look(struct watcher *w);

/* The end of the run, as beside_end. */
void watch_end(struct watcher *w, int64_t ms);

/* ---- parts ---- */

/* What this host shows without the database. watch_host.c */
void watch_host(const struct settings *s, const struct watch_hooks *hooks, struct counters *c,
                struct alert_look *look);

#endif
