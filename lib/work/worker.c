/* The loop of one worker: sign of life, ended leases, claim, run, wait. */
#include "work/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mac.h"
#include "base/text.h"
#include "store/job.h"
#include "store/migrate.h"
#include "store/setting.h"
#include "store/wake.h"
#include "work/command.h"
#include "work/dispatch.h"
#include "work/import.h"
#include "work/keep.h"
#include "work/leases.h"
#include "work/numbers.h"
#include "work/rest.h"
#include "work/signals.h"

#define SAY_EVERY_MS 10000
#define SETTLE_MS 200 /* between looks at a config that changed just now */
#define BACKOFF_FIRST_MS 250
#define BACKOFF_LAST_MS 5000
#define BACKOFF_USED_UP_MS 60000
#define CLAIM_TIME_MS 10000
#define IMPORT_TIME_MS 5000 /* then the jobs have their turn */
#define IMPORT_PAUSE_MS 5000
#define WATCH_END_MS 5000 /* for a look that is under way */
#define WATCH_END_ONCE_MS 30000
#define APART_END_ONCE_MS 45000
#define READ_SPARE_S 5 /* the server's own limit for a statement comes first */

/* ---- making it ---- */

static unsigned read_seconds(const struct settings *s)
{
    int64_t longest = 0;

    for (size_t i = 0; i < s->n_handlers; i++) {
        longest = s->handlers[i].timeout_ms > longest ? s->handlers[i].timeout_ms : longest;
    }
    longest = longest < s->lease_ms ? longest : s->lease_ms;
    return (unsigned)(longest / 1000) + READ_SPARE_S;
}

void worker_init(struct worker *w, const struct settings *settings, struct span key)
{
    unsigned char random[4];
    char hex[2 * sizeof random + 1];

    *w = (struct worker){.settings = settings, .key = key, .wake_fd = -1};
    w->config.read = settings->mark;
    mac_random(random, sizeof random);
    text_hex(random, sizeof random, hex);
    host_name(w->host);
    (void)snprintf(w->name, sizeof w->name, "%.36s-%ld-%s", w->host, (long)getpid(), hex);
    w->control = db_open(settings, DB_PROCESSOR);
    w->handler = db_open(settings, DB_PROCESSOR);
    db_set_read_timeout(w->handler, read_seconds(settings));
    w->queue = queue_of(w->control, w->name, settings->lease_ms, settings->batch);
    w->counters = counters_open(settings->state_dir);
    w->fetcher.settings = settings;
    w->fetcher.counters = w->counters;
    w->watcher.settings = settings;
    w->watcher.counters = w->counters;
}

void worker_free(struct worker *w)
{
    db_close(w->control);
    db_close(w->handler);
    counters_note_log(w->counters);
    counters_close(w->counters);
    pausing_free(&w->pausing);
}

/* ---- pauses ---- */

static bool time_is_up(const struct worker *w)
{
    return signals_stop() || deadline_left_ms(w->end) == 0;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Waits while the database is away: longer each time, a little at random, never past the end. */
static void back_off(struct worker *w, int64_t *ms, const struct ho_err *err)
{
    unsigned char random;

    mac_random(&random, 1);
    if (*ms == 0) {
        const struct log_pair pairs[] = {LOG_TEXT("why", err->text)};
        log_event(LOG_WARN, "busy", NULL, pairs, 1);
        *ms = BACKOFF_FIRST_MS;
    }
    *ms = db_used_up(err) ? BACKOFF_USED_UP_MS : *ms; /* it lasts until the hour is over */
    signals_wait(-1, least(*ms + *ms * random / 1024, deadline_left_ms(w->end)));
    *ms = least(*ms * 2, BACKOFF_LAST_MS);
}

/* ---- what comes before a claim ---- */

/* Before the first claim: tables that this program knows, and a key that they belong to. With
 * another key every genuine event would look forged. */
static enum ho_code check_tables(struct worker *w, struct ho_err *err)
{
    enum ho_code code = migrate_fits(w->control, w->key, w->counters, err);

    code = code == HO_REJECT ? HO_PERMANENT : code;
    w->checked = code == HO_OK;
    w->reached = w->reached || db_thread_id(w->control) != 0;
    return code;
}

/* The config that this worker goes by, for a console. Nothing else depends on it. */
static void show_settings(struct worker *w)
{
    struct ho_err err = {HO_OK, 0, ""};

    if (setting_write(w->control, w->host, w->settings, &err) != HO_OK) {
        const struct log_pair pairs[] = {LOG_TEXT("why", err.text)};
        log_event(LOG_DEBUG, "settings", NULL, pairs, 1);
    }
}

static enum ho_code say_hello(struct worker *w, struct ho_err *err)
{
    if (w->said_ms != 0 && clock_mono_ms() - w->said_ms < SAY_EVERY_MS) {
        return HO_OK;
    }
    enum ho_code code = worker_hello(&w->queue, w->host, (unsigned)getpid(), err);
    if (code == HO_OK && w->said_ms == 0) {
        show_settings(w);
    }
    if (code == HO_OK) {
        w->said_ms = clock_mono_ms();
        counters_processed(w->counters, w->said_ms);
    }
    return code;
}

/* ---- a batch ---- */

/* Before a job begins, most of the lease must be left: the handler's time is cut by it. */
static enum ho_code keep_lease(struct worker *w, struct claim *claim, size_t from,
                               struct ho_err *err)
{
    uint64_t held;

    if (deadline_left_ms(claim->lease) >= w->settings->lease_ms / 4 * 3) {
        return HO_OK;
    }
    return jobs_renew(&w->queue, claim, from, w->settings->lease_ms, &held, err);
}

/* Runs one job. A failure that is none of its own leaves it as it is; then, if the handlers' link
 * can't be opened, it is closed afterwards. */
static enum ho_code run_one(struct worker *w, struct claim *claim, size_t i, struct ho_err *err)
{
    struct ho_err why;
    enum ho_code code = i > 0 ? keep_lease(w, claim, i, err) : HO_OK;

    if (code == HO_OK) {
        code = dispatch_job(w, claim, i, err);
    }
    if (code != HO_OK && db_connect(w->handler, &why) != HO_OK) {
        *err = why;
        return why.code;
    }
    if (code == HO_PERMANENT || code == HO_BUG) {
        /* One bad record must not stop the others; its lease will end, and its tries too. */
        const struct log_pair pairs[] = {LOG_TEXT("why", err->text)};
        log_event(LOG_ALARM, "failed", claim->jobs[i].cid, pairs, 1);
        code = HO_OK;
    }
    return code;
}

static bool give_back(struct worker *w, const struct claim *claim, size_t from)
{
    struct ho_err ignored;

    return jobs_give_back(&w->queue, claim, from, &ignored) == HO_OK;
}

/* In the midst of a batch too a pause is seen within a second. Should the look fail, the next job
 * finds the same trouble. */
static bool all_paused(struct worker *w)
{
    struct ho_err ignored;

    return pausing_look(w, &ignored) == HO_OK && w->pausing.now.everything;
}

/* Runs the batch. When only the handlers' link can't be opened, the rest is given back at once: no
 * job is to blame. While the database is away the job in hand is held until its lease ends. */
static enum ho_code run_batch(struct worker *w, struct claim *claim, struct ho_err *err)
{
    int64_t backoff = 0;
    size_t i = 0;
    enum ho_code code = HO_OK;

    while (i < claim->n && !time_is_up(w) && !all_paused(w)) {
        code = run_one(w, claim, i, err);
        if (code == HO_OK) {
            backoff = 0;
            i++;
            continue;
        }
        if (db_thread_id(w->handler) == 0 && give_back(w, claim, i)) {
            return code;
        }
        if (deadline_left_ms(claim->lease) == 0) {
            return code;
        }
        back_off(w, &backoff, err);
    }
    (void)give_back(w, claim, i);
    return code;
}

/* ---- the loop ---- */

/* Whether to go on. While a changed config settles nothing is taken: an event that came just behind
 * the change would be given to the routes of before. */
static bool goes_on(struct worker *w)
{
    enum config_state state = CONFIG_SETTLES;

    while (state == CONFIG_SETTLES && !time_is_up(w)) {
        state = config_watch_look(&w->config, w->settings->file);
        if (state == CONFIG_SETTLES) {
            signals_wait(-1, least(SETTLE_MS, deadline_left_ms(w->end)));
        }
    }
    return state == CONFIG_SAME;
}

/* Takes every wake-up that was sent so far: whatever it was for is committed, and the claim that
 * follows sees it. Without this a burst of events would wake an idle worker once for each. */
static void drain(int fd)
{
    char bytes[512];
    ssize_t n;

    do {
        n = fd >= 0 ? read(fd, bytes, sizeof bytes) : 0; /* the descriptor does not block */
    } while (n > 0);
}

/* A while for what lies in the spool. Whatever fails there does not keep the jobs waiting.
 * returns true when there may be more at once */
static bool import(struct worker *w)
{
    const struct importer im = {.spool = spool_of(w->settings, w->key), .key = w->key,
                                .db = w->control, .counters = w->counters,
                                .quiet_until_ms = &w->import_quiet_ms};
    struct imported got;
    struct ho_err err;

    if (clock_mono_ms() < w->import_ms) {
        return false;
    }
    ho_err_clear(&err);
    if (import_spool(&im, deadline_in(least(IMPORT_TIME_MS, deadline_left_ms(w->end))), &got,
                     &err) != HO_OK || got.failed > 0) {
        w->import_ms = clock_mono_ms() + IMPORT_PAUSE_MS;
        return false;
    }
    return got.files > 0;
}

/* One look at the queue. *more: look again at once. */
static enum ho_code turn(struct worker *w, struct claim *claim, bool *more, struct ho_err *err)
{
    bool commands = false;

    *more = false;
    enum ho_code code = w->checked ? HO_OK : check_tables(w, err);
    if (code == HO_OK) {
        code = say_hello(w, err);
    }
    if (code == HO_OK) {
        code = leases_reap(w, err);
    }
    drain(w->wake_fd);
    if (code == HO_OK) {
        code = command_turn(w, &commands, err);
    }
    bool imported = code == HO_OK && import(w);
    if (code == HO_OK) {
        code = pausing_tend(w, more, err);
    }
    *more = *more || imported || commands;
    if (code == HO_OK && w->pausing.now.everything) {
        return HO_OK;
    }
    if (code == HO_OK) {
        code = db_connect(w->handler, err); /* what can't be run is not claimed */
    }
    if (code == HO_OK) {
        w->queue.batch = w->alone > 0 ? 1 : w->settings->batch;
        code = jobs_claim(&w->queue, deadline_in(CLAIM_TIME_MS), claim, err);
    }
    if (code != HO_OK) {
        return code;
    }
    w->alone -= w->alone > 0 && claim->n > 0 ? 1 : 0;
    if (claim->full) {
        (void)wake_send(w->settings->state_dir);
    }
    *more = *more || claim->more;
    return run_batch(w, claim, err);
}

/* One round of the loop. *ended: nothing is due, and it was to end then. */
static enum ho_code work_or_rest(struct worker *w, struct claim *claim, bool *ended,
                                 struct ho_err *err)
{
    bool more = false, calm = false;

    w->tried = true;
    claim->n = 0;
    enum ho_code code = rest_look(w, &calm, err);
    if (code == HO_OK && !calm) {
        code = turn(w, claim, &more, err);
    }
    if (code == HO_OK) {
        numbers_round(w);
    }
    if (code == HO_OK && !more) {
        keep_round(w);
        *ended = w->once && claim->n == 0;
        if (!w->once && !calm) {
            code = rest_after(w, claim->n > 0, err);
        }
    }
    return code;
}

enum ho_code worker_run(struct worker *w, struct ho_err *err)
{
    struct claim *claim = ho_alloc(sizeof *claim);
    int64_t backoff = 0;
    bool ended = false;
    enum ho_code code = HO_OK;

    while (!ended && !time_is_up(w) && goes_on(w)) {
        fetch_look(&w->fetcher);
        watch_look(&w->watcher);
        if (rest_a_while(w)) {
            continue;
        }
        code = work_or_rest(w, claim, &ended, err);
        if (code == HO_OK) {
            backoff = 0;
            continue;
        }
        if (code != HO_TRANSIENT) {
            break;
        }
        back_off(w, &backoff, err);
    }
    rest_no_more(w);
    command_leave(w);
    fetch_end(&w->fetcher, w->once && code == HO_OK);
    watch_end(&w->watcher, w->once ? WATCH_END_ONCE_MS : WATCH_END_MS);
    command_leave_apart(w, w->once ? APART_END_ONCE_MS : WATCH_END_MS);
    if (w->said_ms != 0) {
        worker_bye(&w->queue);
    }
    free(claim);
    return code == HO_TRANSIENT ? HO_OK : code;
}
