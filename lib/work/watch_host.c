/* What one host shows by itself: its files, its counters, its disk. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/spool.h"
#include "work/scratch.h"
#include "work/watch.h"

#define SECOND INT64_C(1000000) /* us */
#define HOUR (3600 * SECOND)
#define SPOOL_LATE (180 * SECOND) /* a processor looks every few seconds, a receiver every minute */
#define LAST_CHANCE (2 * HOUR)
#define REFUSED_ROW 3     /* so many in a row */
#define REFUSED_HALF_OF 5 /* more than half of so many */
#define REFUSED_MANY 20   /* so many in two hours */
#define PROBE_BYTES (4L * 1024 * 1024)
#define FILES_LEAST 200

struct host {
    const struct settings *settings;
    const struct watch_hooks *hooks;
    struct counters *counters;
    struct alert_look *look;
    int64_t now_us;
};

/* "90 minutes", "5 hours", "3 days". */
static const char *span_text(int64_t us, char room[32])
{
    int64_t minutes = us / (60 * SECOND);

    if (minutes < 180) {
        (void)snprintf(room, 32, "%lld minute%s", (long long)minutes, minutes == 1 ? "" : "s");
    } else if (minutes < 72 * 60) {
        (void)snprintf(room, 32, "%lld hours", (long long)(minutes / 60));
    } else {
        (void)snprintf(room, 32, "%lld days", (long long)(minutes / 60 / 24));
    }
    return room;
}

/* ---- sources ---- */

struct held {
    struct span source;
    uint64_t held;
};

static void add_held(void *arg, struct span source, const uint64_t values[COUNT_N])
{
    struct held *h = arg;

    if (source.len == h->source.len && memcmp(source.p, h->source.p, source.len) == 0) {
        h->held = values[COUNT_NEW] + values[COUNT_DUPLICATE] + values[COUNT_CONFLICT] +
                  values[COUNT_REPEAT] + values[COUNT_SPOOLED];
    }
}

/* Whether deliveries are refused there, or all ever were: a few where others hold are somebody's
 * try. */
static bool mistrusted(const struct host *h, struct span source, const struct refusals *r)
{
    struct held held = {source, 0};

    if (r->at_us == 0 || h->now_us - r->at_us >= 24 * HOUR) {
        return false;
    }
    counters_each(h->counters, add_held, &held);
    return r->in_a_row >= REFUSED_ROW || r->hours >= REFUSED_MANY ||
           (r->last >= REFUSED_HALF_OF && r->last_refused * 2 > r->last) ||
           (held.held == 0 && counters_mismatches(h->counters, source) > 0);
}

/* Whether who was turned away since then will soon give up, or has since then. */
static bool gives_up(const struct host *h, int64_t since_us, int64_t retries_us)
{
    int64_t last = since_us + retries_us;

    return since_us > 0 && h->now_us >= last - LAST_CHANCE && h->now_us < last + 24 * HOUR;
}

/* What a sender that never tries again was answered busy is lost, whatever came since. */
static void look_at_lost(const struct host *h, struct span name, uint64_t n)
{
    if (n > 0) {
        alert_add(h->look, ALERT_WINDOW, name, n, NULL, "%llu deliver%s answered busy, and this "
                  "sender does not send them again by itself: have it redeliver them",
                  (unsigned long long)n, n == 1 ? "y was" : "ies were");
    }
}

/* in: bad — its deliveries are refused, and not by somebody's try */
static void look_at_window(const struct host *h, const struct watch_source *s, bool bad)
{
    static const char *const words[] = {"answered busy", "refused for their signature"};
    struct span name = span_of(s->name);
    int64_t retries_us = s->retries_ms * 1000;
    char since[32], window[32];

    for (int how = REFUSED_BUSY; how <= REFUSED_UNSIGNED; how++) {
        int64_t at = counters_refused_since(h->counters, name, (enum refused)how);
        if (gives_up(h, at, retries_us) && (how == REFUSED_BUSY || bad)) {
            alert_add(h->look, ALERT_WINDOW, name, 1, NULL, "deliveries are %s for %s; this sender "
                      "tries again for %s in all", words[how], span_text(h->now_us - at, since),
                      span_text(retries_us, window));
            return;
        }
    }
}

static void look_at_refused(const struct host *h, struct span name, const struct refusals *r,
                            bool bad, const char *why)
{
    uint64_t n = counters_get(h->counters, name, COUNT_UNSIGNED) +
                 counters_get(h->counters, name, COUNT_REJECTED);
    char ago[32];

    /* Not how many there are: strangers would say how often somebody is told. */
    if (r->unusable > 0) {
        alert_add(h->look, ALERT_REJECTED, name, 1, NULL, "%llu deliver%s signed as it should be, "
                  "and could not be used: %s", (unsigned long long)r->unusable,
                  r->unusable == 1 ? "y was" : "ies were", why);
    } else if (bad) {
        alert_add(h->look, ALERT_REJECTED, name, 1, NULL, "%llu deliver%s refused so far, %u of "
                  "the last %u; the last one %s ago: %s", (unsigned long long)n,
                  n == 1 ? "y was" : "ies were", r->last_refused, r->last,
                  span_text(h->now_us - r->at_us, ago), why);
    }
}

/* Deliveries to a path that is no source: the address at the provider is wrong, or here. */
static void look_at_paths(const struct host *h)
{
    struct refusals r;

    counters_refusals(h->counters, SPAN_LIT("-"), &r);
    if (r.hours >= REFUSED_MANY) {
        alert_add(h->look, ALERT_REJECTED, SPAN_LIT("unknown-path"), 1, NULL,
                  "%llu deliveries within two hours went to a path that is no source of the config",
                  (unsigned long long)r.hours);
    }
}

static void look_at_source(void *arg, const struct watch_source *s)
{
    const struct host *h = arg;
    struct span name = span_of(s->name);
    struct refusals r;

    if (!s->usable) {
        alert_add(h->look, ALERT_NO_SECRET, name, 1, NULL, "%.350s",
                  s->trouble != NULL ? s->trouble : "every secret has ended");
    } else if (s->trouble != NULL) {
        alert_add(h->look, ALERT_CONFIG, name, 1, NULL, "%.350s", s->trouble);
    }
    counters_refusals(h->counters, name, &r);
    bool bad = mistrusted(h, name, &r);
    look_at_refused(h, name, &r, bad, h->hooks->refusal(r.why));
    if (s->retries_ms > 0 && !s->reply) {
        look_at_window(h, s, bad);
    } else if (!s->reply) {
        look_at_lost(h, name, r.lost);
    }
}

static void look_at_sources(struct host *h)
{
    static const enum alert_kind kinds[] = {ALERT_NO_SECRET, ALERT_REJECTED, ALERT_WINDOW};
    struct ho_err err;

    ho_err_clear(&err);
    alert_looked(h->look, ALERT_CONFIG);
    if (h->hooks->sources(h->settings->file, look_at_source, h, &err) != HO_OK) {
        alert_add(h->look, ALERT_CONFIG, SPAN_LIT(""), 1, NULL, "%.350s", err.text);
        return; /* of the sources nothing is known */
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        alert_looked(h->look, kinds[i]);
    }
}

/* ---- spool ---- */

static void look_at_spool(const struct host *h)
{
    const struct settings *s = h->settings;
    struct spool_state there;
    struct ho_err err;
    char age[32];

    if (spool_look(s->spool_dir, &there, &err) != HO_OK) {
        alert_add(h->look, ALERT_SPOOL, SPAN_LIT(""), 1, NULL, "%.350s", err.text);
        return;
    }
    alert_looked(h->look, ALERT_SPOOL);
    alert_looked(h->look, ALERT_QUARANTINE);
    bool full = there.files >= s->spool_files || there.bytes >= s->spool_bytes / 10 * 9;
    if (there.files > 0 && (full || h->now_us - there.oldest_us > SPOOL_LATE)) {
        alert_add(h->look, ALERT_SPOOL, span_of(full ? ALERT_SPOOL_FULL : ""), there.files, NULL,
                  "%llu deliveries wait, the oldest for %s%s", (unsigned long long)there.files,
                  span_text(h->now_us - there.oldest_us, age),
                  full ? "; it is full: more is answered busy" : "");
    }
    if (there.quarantined > 0) {
        alert_add(h->look, ALERT_QUARANTINE, SPAN_LIT(""), there.quarantined, NULL,
                  "%llu files could not be imported", (unsigned long long)there.quarantined);
    }
}

/* ---- disk ---- */

/* A quota shows only when something is written; what is asked for is given back at once. */
static int quota_left(const char *dir)
{
    char path[SCRATCH_ROOM];
    struct ho_err err;

    if (scratch_make(dir, SPAN_LIT("."), path, &err) != HO_OK) {
        return err.sys == ENOSPC || err.sys == EDQUOT ? err.sys : 0;
    }
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    int why = fd >= 0 ? posix_fallocate(fd, 0, PROBE_BYTES) : 0;
    (void)unlink(path);
    if (fd >= 0) {
        (void)close(fd);
    }
    return why == ENOSPC || why == EDQUOT ? why : 0;
}

static void look_at_disk(const struct host *h, const char *dir, const char *what)
{
    struct statvfs disk;

    if (statvfs(dir, &disk) != 0 || disk.f_blocks == 0) {
        return;
    }
    uint64_t left = (uint64_t)disk.f_bavail * disk.f_frsize;
    int why = left < h->settings->disk_free ? 0 : quota_left(dir);
    if (left < h->settings->disk_free) {
        alert_add(h->look, ALERT_DISK, span_of(what), 1, NULL, "%llu MiB are left, less than "
                  "disk_free (%llu MiB)", (unsigned long long)(left >> 20),
                  (unsigned long long)(h->settings->disk_free >> 20));
    } else if (disk.f_files > 0 && disk.f_favail < FILES_LEAST) {
        alert_add(h->look, ALERT_DISK, span_of(what), 1, NULL, "only %llu more files can be made",
                  (unsigned long long)disk.f_favail);
    } else if (why != 0) {
        alert_add(h->look, ALERT_DISK, span_of(what), 1, NULL, "4 MiB can't be written: %s",
                  strerror(why));
    }
}

/* ---- what was raised ---- */

static void look_at_raised(const struct host *h)
{
    static const struct {
        enum alarm alarm;
        enum alert_kind kind;
        int64_t recent_us;
        const char *what;
    } rows[] = {
        {ALARM_FETCH, ALERT_FETCH, HOUR, "a key could not be fetched, or a URL not visited"},
        {ALARM_FORGED, ALERT_FORGED, 24 * HOUR,
         "a row that this installation did not write was found, and nothing of it run"},
        {ALARM_LOG, ALERT_LOG, HOUR, "log lines could not be written"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t last_us = 0;
        uint64_t times = counters_alarm_count(h->counters, rows[i].alarm, &last_us);
        char ago[32];
        alert_looked(h->look, rows[i].kind);
        if (times > 0 && h->now_us - last_us < rows[i].recent_us) {
            alert_add(h->look, rows[i].kind, SPAN_LIT(""), times, NULL,
                      "%s: %llu time%s so far, the last one %s ago", rows[i].what,
                      (unsigned long long)times, times == 1 ? "" : "s",
                      span_text(h->now_us - last_us, ago));
        }
    }
}

/* Whether a path lies in a folder, or is it. */
static bool is_inside(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

void watch_host(const struct settings *s, const struct watch_hooks *hooks, struct counters *c,
                struct alert_look *look)
{
    struct host h = {s, hooks, c, look, clock_wall_us()};

    look_at_sources(&h);
    look_at_paths(&h);
    look_at_spool(&h);
    alert_looked(look, ALERT_DISK);
    look_at_disk(&h, s->state_dir, "state");
    if (!is_inside(s->spool_dir, s->state_dir)) {
        look_at_disk(&h, s->spool_dir, "spool");
    }
    look_at_raised(&h);
}
