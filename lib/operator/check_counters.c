/* What this host has counted, and which alarms it has raised. */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/host.h"
#include "base/text.h"
#include "operator/check.h"
#include "store/gate.h"
#include "store/sample.h"

#define RECENT_US (24LL * 3600 * 1000 * 1000)

/* What a person can do about an alarm; the runbook says more. */
static const char *const advice[ALARM_N] = {
    [ALARM_CONFIG] = "a changed config or secret was refused, the log says why; the old one works",
    [ALARM_NO_SECRET] = "a source without a usable secret: see `source` above",
    [ALARM_CONFLICT] = "a genuine delivery contradicts what is stored: hookonce list conflicts",
    [ALARM_DATABASE] = "deliveries were answered busy because of the database or a key",
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

#define MISMATCHES_MANY 3

struct mistrust {
    struct check *c;
    struct counters *counters;
    struct buf names; /* of sources whose deliveries do not verify */
};

/* A few wrong signatures at a source where others hold are somebody's try. */
static void mistrust_source(void *arg, struct span source, const uint64_t values[COUNT_N])
{
    struct mistrust *m = arg;
    uint64_t wrong = counters_mismatches(m->counters, source);
    uint64_t held = values[COUNT_NEW] + values[COUNT_DUPLICATE] + values[COUNT_CONFLICT] +
                    values[COUNT_REPEAT] + values[COUNT_SPOOLED];
    bool known = m->c->endpoints == NULL || endpoints_find(m->c->endpoints, source) != NULL;

    if (known && wrong > 0 && (held == 0 || wrong >= MISMATCHES_MANY) &&
        buf_addf(&m->names, "%s%.*s", m->names.len == 0 ? "" : ", ", (int)source.len,
                 (const char *)source.p) != HO_OK) {
        return; /* full: what fits is said */
    }
}

static void found_signatures(struct check *c, struct counters *counters)
{
    struct mistrust m = {.c = c, .counters = counters};
    int64_t last_us = 0;
    uint64_t times = counters_alarm_count(counters, ALARM_SIGNATURES, &last_us);
    char when[32];

    if (times == 0) {
        return;
    }
    buf_init(&m.names, 512);
    counters_each(counters, mistrust_source, &m);
    text_rfc3339_put(last_us, true, when);
    if (m.names.len > 0) {
        found_of(c, level_of(ALARM_SIGNATURES, clock_wall_us() - last_us), "alarm", "signatures",
                 "%llu time%s, last at %s; most of late at %s: forged deliveries, or our secret is "
                 "not the provider's", (unsigned long long)times, times == 1 ? "" : "s", when,
                 buf_cstr(&m.names));
    } else {
        found_of(c, FOUND_NOTE, "alarm", "signatures",
                 "%llu time%s, last at %s; somebody tries: other deliveries hold",
                 (unsigned long long)times, times == 1 ? "" : "s", when);
    }
    buf_free(&m.names);
}

/* One of two folders would say that what is wrong in the other is over. */
static void found_twin(struct check *c, struct counters *counters)
{
    char host[HOST_NAME_ROOM];
    struct ho_err ignored;
    bool twin = false;

    host_name(host);
    if (c->known && sample_twin(operator_db(c->op), host, counters, &twin, &ignored) == HO_OK &&
        twin) {
        found_of(c, FOUND_WARN, "host", host,
                 "another state folder reports under this name: a second installation, or a "
                 "container of the same name. Their numbers are added up, but each takes the "
                 "other's alerts for over; give each machine or container a name of its own, and "
                 "the programs of one machine one state_dir");
    }
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
    found_twin(c, counters);
    if (gate_is_open(counters)) {
        found_of(c, FOUND_WARN, "database", "breaker",
                 "the receivers leave the database alone for some seconds: it hung, or was away");
    }
    counters_each(counters, found_source, c);
    found_signatures(c, counters);
    c->told[ALARM_SIGNATURES] = true;
    for (int kind = 0; kind < ALARM_N; kind++) {
        found_alarm(c, counters, kind);
    }
    counters_close(counters);
}
