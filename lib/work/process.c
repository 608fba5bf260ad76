/* A run: the lock, and one worker or several. The lock only bounds how much runs at once, and the
 * kernel frees it whatever happens; that no job runs twice is the leases' doing. */
#include "work/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/log.h"
#include "store/captures.h"
#include "store/pace.h"
#include "store/spool.h"
#include "store/wake.h"
#include "work/scratch.h"
#include "work/signals.h"
#include "work/worker.h"

#define ROUNDS_MAX 1000 /* of a run: changes of its config; a pass has some seconds for each */
#define GRACE_MS 15000 /* for a worker that does not end, beyond its handler's time */

struct run {
    const struct settings *settings;
    struct span key;
    const struct process_options *options;
    struct deadline end;
};

/* ---- the lock ---- */

/* *fd -1 with HO_OK: another run has it. It stays locked until the descriptor is closed. A pass keeps no
 * run of cron away: that would leave a minute to nobody. */
static enum ho_code take_lock(const char *state_dir, bool pass, int *fd, struct ho_err *err)
{
    char path[4096];

    *fd = -1;
    if (mkdir(state_dir, 0700) != 0 && errno != EEXIST) {
        return ho_fail_errno(err, HO_REJECT, "%s: cannot be made", state_dir);
    }
    int n = snprintf(path, sizeof path, "%s/%s.lock", state_dir, pass ? "pass" : "process");
    if (n < 0 || (size_t)n >= sizeof path) {
        return ho_fail(err, HO_REJECT, "%s: the path is too long", state_dir);
    }
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    if (lock < 0) {
        return ho_fail_errno(err, HO_REJECT, "%s: cannot be opened", path);
    }
    if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
        *fd = lock;
        return HO_OK;
    }
    int why = errno;
    (void)close(lock);
    if (why == EWOULDBLOCK || why == EINTR) {
        return HO_OK;
    }
    errno = why;
    return ho_fail_errno(err, HO_REJECT, "%s: cannot be locked", path);
}

/* ---- one worker ---- */

/* The settings that a worker goes by: those of the run, or newer ones that it has read itself. */
struct current {
    const struct settings *settings;
    struct settings *owned; /* NULL: they are the run's */
    struct file_mark config; /* as it was when last read, taken or refused */
};

/* Reads the changed config. A broken one is refused and the old one kept, and so is one with another
 * state directory, for the run holds the lock of the old one. */
static void reload(struct current *c, struct counters *counters)
{
    struct settings *fresh = NULL;
    struct ho_err err = {HO_OK, 0, ""};

    c->config = file_mark(c->settings->file);
    enum ho_code code = settings_load(c->settings->file, &fresh, &err);
    if (code == HO_OK && strcmp(fresh->state_dir, c->settings->state_dir) != 0) {
        code = ho_fail(&err, HO_REJECT, "%s: another `state` counts from the next run on",
                       fresh->file);
    }
    const struct log_pair pairs[] = {LOG_TEXT("why", code == HO_OK ? "read again" : err.text)};
    if (code == HO_OK) {
        settings_free(c->owned);
        c->owned = fresh;
        c->settings = fresh;
        log_open(&fresh->log);
        log_event(LOG_INFO, "config", NULL, pairs, 1);
        return;
    }
    settings_free(fresh);
    if (counters_alarm(counters, ALARM_CONFIG, clock_wall_us())) {
        log_event(LOG_ALARM, "config", NULL, pairs, 1);
    }
}

/* Works with one state of the settings. *again: they have changed, or a pass was called while it ended:
 * whoever called it went away believing that it was heard. */
static enum ho_code work_round(const struct run *run, struct current *current,
                               struct process_result *result, bool *again, struct ho_err *err)
{
    struct worker w;
    char count[24], dead[24];

    worker_init(&w, current->settings, run->key);
    w.config.read = current->config;
    w.wake_fd = wake_open(current->settings->state_dir);
    w.end = run->end;
    w.once = run->options->once;
    w.fetcher.hooks = run->options->hooks;
    w.watcher.hooks = run->options->watch;
    enum ho_code code = worker_run(&w, err);
    result->reached = result->reached || w.reached || !w.tried;
    result->dead = result->dead || w.dead > 0;
    bool called = w.reached && run->options->pass && !pace_is_calm(w.counters, w.settings);
    const struct log_pair pairs[] = {
        LOG_TEXT("worker", w.name),
        log_int("jobs", (int64_t)w.settled, count),
        log_int("dead", (int64_t)w.dead, dead),
        LOG_TEXT("why", code != HO_OK ? err->text : NULL),
    };
    log_event(w.settled > 0 || code != HO_OK ? LOG_INFO : LOG_DEBUG, "stopped", NULL, pairs, 4);
    *again = code == HO_OK && (w.config.changed || called) && !signals_stop();
    if (*again && w.config.changed) {
        reload(current, w.counters);
    }
    worker_free(&w);
    return code;
}

static enum ho_code work(const struct run *run, struct process_result *result, struct ho_err *err)
{
    struct current current = {run->settings, NULL, run->settings->mark};
    struct run now = *run;
    bool again = true;
    enum ho_code code = HO_OK;

    for (unsigned n = 0; again && n < ROUNDS_MAX; n++) {
        code = work_round(&now, &current, result, &again, err);
        now.end = run->options->pass ? deadline_in(run->options->for_ms) : run->end;
    }
    settings_free(current.owned);
    return code;
}

/* ---- several ---- */

/* A child's exit status. */
enum { CHILD_FAILED = 64, CHILD_REACHED = 1, CHILD_DEAD = 2 };

static HO_NORETURN void child(const struct run *run, pid_t parent)
{
    struct process_result result = {false, false, false};
    struct ho_err err = {HO_OK, 0, ""};

#ifdef __linux__
    /* A worker must not outlive the run that bounds how many there are. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) {
        _exit(CHILD_FAILED);
    }
    enum ho_code code = work(run, &result, &err);
    if (code != HO_OK) {
        (void)fprintf(stderr, "hookonce process: %s\n", err.text);
    }
    _exit((code != HO_OK ? CHILD_FAILED : 0) | (result.reached ? CHILD_REACHED : 0) |
          (result.dead ? CHILD_DEAD : 0));
}

struct children {
    pid_t pids[PROCESS_WORKERS_MAX]; /* 0: ended */
    unsigned n, left, failed;
};

static void signal_all(const struct children *c, int number)
{
    for (unsigned i = 0; i < c->n; i++) {
        if (c->pids[i] > 0) {
            (void)kill(c->pids[i], number);
        }
    }
}

static void collect(struct children *c, struct process_result *result)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (unsigned i = 0; i < c->n; i++) {
            if (c->pids[i] != pid) {
                continue;
            }
            int code = WIFEXITED(status) ? WEXITSTATUS(status) : CHILD_FAILED;
            c->pids[i] = 0;
            c->left--;
            c->failed += (code & CHILD_FAILED) != 0 ? 1 : 0;
            result->reached = result->reached || (code & CHILD_REACHED) != 0;
            result->dead = result->dead || (code & CHILD_DEAD) != 0;
        }
    }
}

/* How long a job in hand may take. A worker may go by a newer config than this process has read:
 * then any handler's time may be the longest that a config can say. */
static int64_t longest_job_ms(const struct settings *s)
{
    const struct file_mark now = file_mark(s->file);
    int64_t longest = file_mark_same(&now, &s->mark) ? 0 : HANDLER_TIMEOUT_MAX_MS;

    for (size_t i = 0; i < s->n_handlers; i++) {
        longest = s->handlers[i].timeout_ms > longest ? s->handlers[i].timeout_ms : longest;
    }
    return longest;
}

/* Waits for the children; passes a wish to stop on to them, and ends what does not end. */
static void wait_children(const struct run *run, struct children *c, struct process_result *result)
{
    const struct timespec second = {1, 0};
    int64_t last_ms = run->end.end_ms; /* no job is begun after it */
    bool told = false;
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGCHLD);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    for (collect(c, result); c->left > 0; collect(c, result)) {
        int number = sigtimedwait(&set, NULL, &second);
        if (!told && (number == SIGTERM || number == SIGINT)) {
            told = true;
            signal_all(c, SIGTERM);
            last_ms = clock_mono_ms();
        }
        int64_t over_ms = clock_mono_ms() - last_ms;
        if (over_ms > GRACE_MS && over_ms > GRACE_MS + longest_job_ms(run->settings)) {
            signal_all(c, SIGKILL);
        }
    }
}

static enum ho_code work_forked(const struct run *run, struct process_result *result,
                                struct ho_err *err)
{
    struct children c = {.n = 0};
    pid_t parent = getpid();

    for (unsigned i = 0; i < run->options->workers; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            child(run, parent);
        }
        if (pid < 0) {
            break; /* with fewer, then */
        }
        c.pids[c.n++] = pid;
        c.left++;
    }
    if (c.n == 0) {
        return ho_fail_errno(err, HO_PERMANENT, "no worker could be started");
    }
    wait_children(run, &c, result);
    if (c.failed > 0) {
        return ho_fail(err, HO_PERMANENT,
                       "%u of %u workers ended with an error; the log says more", c.failed, c.n);
    }
    if (!result->reached) {
        (void)ho_fail(err, HO_TRANSIENT, "the database was not to be reached");
    }
    return HO_OK;
}

/* How often runs are started, `hookonce check` says. */
static void note_start(const struct settings *s)
{
    struct counters *c = counters_open(s->state_dir);

    counters_started(c, clock_mono_ms());
    counters_close(c);
}

enum ho_code process_run(const struct settings *s, struct span key,
                         const struct process_options *options, struct process_result *result,
                         struct ho_err *err)
{
    struct run run = {s, key, options, deadline_in(options->for_ms)};
    int lock;

    *result = (struct process_result){false, false, false};
    enum ho_code code = take_lock(s->state_dir, options->pass, &lock, err);
    if (code != HO_OK || lock < 0) {
        result->busy = code == HO_OK;
        return code;
    }
    if (!options->pass) {
        note_start(s);
    }
    captures_sweep(s->state_dir, clock_wall_us());
    scratch_sweep(s->state_dir, clock_wall_us());
    spool_sweep(s->spool_dir, clock_wall_us());
    signals_take();
    signals_reset();
    code = options->workers > 1 ? work_forked(&run, result, err) : work(&run, result, err);
    (void)close(lock);
    return code;
}
