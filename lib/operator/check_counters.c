/* What this host has counted, and which alarms it has raised. */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "operator/check.h"
#include "store/gate.h"

#define RECENT_US (24LL * 3600 * 1000 * 1000)

/* What a person can do about an alarm; the runbook says more. */
static const char *const advice[ALARM_N] = {
    [ALARM_CONFIG] = "a changed config or secret was refused, the log says why; the old one works",
    [ALARM_NO_SECRET] = "a source without a usable secret: see `source` above",
    [ALARM_CONFLICT] = "a genuine delivery contradicts what is stored: hookonce list conflicts",
    [ALARM_SIGNATURES] = "forged deliveries, or our secret is not the provider's",
    [ALARM_DATABASE] = "deliveries were answered busy because of the database",
    [ALARM_FORGED] = "rows that this installation did not write: who else writes to the database?",
    [ALARM_DEAD] = "jobs were given up: hookonce list dead",
    [ALARM_FETCH] = "a key could not be fetched, or a URL not visited; the log's lines "
                     "event=wish say which and why",
    [ALARM_SPOOL] = ("events were kept in the spool because of the database, or could not be "
                     "imported from it: see `spool` above"),
    [ALARM_BREAKER] = ("a handler failed so often in a row that its jobs wait: see its errors with "
                       "`hookonce list jobs`"),
    [ALARM_LOG] = "log lines went to stderr or were lost: see `log` above",
    [ALARM_HANDLER] = ("a handler that cannot work: `hookonce list jobs` shows what waits, "
                       "`hookonce list dead` what was given up, each with the reason"),
};

static void found_source(void *arg, struct span source, const uint64_t values[COUNT_N])
{
    struct check *c = arg;
    char name[80];
    struct buf line;

    buf_init(&line, 512);
    for (size_t i = 0; i < COUNT_N; i++) {
        if (values[i] != 0 && buf_addf(&line, "%s%llu %s", line.len == 0 ? "" : ", ",
                                       (unsigned long long)values[i], counter_words[i]) != HO_OK) {
            break;
        }
    }
    if (span_is(source, "-")) {
        source = SPAN_LIT("(no such source)");
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)source.len, (const char *)source.p);
    if (line.len > 0) {
        found_of(c, FOUND_OK, "counted", name, "%s", buf_cstr(&line));
    }
    buf_free(&line);
}

/* An old alarm is a note; forged rows mean that somebody is in the database. */
static enum finding level_of(int kind, int64_t age_us)
{
    if (age_us >= RECENT_US) {
        return FOUND_NOTE;
    }
    return kind == ALARM_FORGED ? FOUND_FAIL : FOUND_WARN;
}

static void found_alarm(struct check *c, struct counters *counters, int kind)
{
    int64_t last_us = 0;
    uint64_t times = counters_alarm_count(counters, (enum alarm)kind, &last_us);
    bool over = c->over[kind];
    char when[32];

    if (times == 0 || c->told[kind]) {
        return;
    }
    text_rfc3339_put(last_us, true, when);
    found_of(c, over ? FOUND_NOTE : level_of(kind, clock_wall_us() - last_us), "alarm",
             alarm_words[kind], "%llu time%s, last at %s; %s", (unsigned long long)times,
             times == 1 ? "" : "s", when, over ? "(over)" : advice[kind]);
}

void check_counters(struct check *c)
{
    const char *state = c->op->settings->state_dir;
    char path[4096];

    /* Opening would make the file, perhaps as another account than the receiver's. */
    int n = snprintf(path, sizeof path, "%s/hookonce.state", state);
    if (n < 0 || (size_t)n >= sizeof path || access(path, R_OK | W_OK) != 0) {
        return;
    }
    struct counters *counters = counters_open(state);
    if (!counters_shared(counters)) {
        found_of(c, FOUND_WARN, "state", state,
                 "on a disk of another machine (NFS, ...), or full: counters, alarms and the "
                 "breaker of the database are each process's own; a state_dir on this host's disk "
                 "mends that");
    }
    if (gate_is_open(counters)) {
        found_of(c, FOUND_WARN, "database", "breaker",
                 "the receivers leave the database alone for some seconds: it hung, or was away");
    }
    counters_each(counters, found_source, c);
    for (int kind = 0; kind < ALARM_N; kind++) {
        found_alarm(c, counters, kind);
    }
    counters_close(counters);
}
