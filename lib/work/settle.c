/* Outcomes: what they mean for the job's row, and who is told. */
#include <string.h>

#include "base/log.h"
#include "base/mac.h"
#include "base/text.h"
#include "work/attempt.h"

/* The error as the row keeps it: one line, valid UTF-8, bounded. */
static void error_text(const char *from, char out[SETTLE_TEXT_ROOM])
{
    static const char hex[] = "0123456789abcdef";
    bool utf8 = text_is_utf8(span_of(from));
    size_t n = 0;

    for (const char *p = from; *p != '\0' && n + 5 < SETTLE_TEXT_ROOM; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 0x20 || c == 0x7f || (c >= 0x80 && !utf8)) {
            out[n++] = '\\';
            out[n++] = 'x';
            out[n++] = hex[c >> 4];
            out[n++] = hex[c & 15];
        } else {
            out[n++] = (char)c;
        }
    }
    out[n] = '\0';
}

static uint32_t random32(void)
{
    uint32_t r;

    mac_random((unsigned char *)&r, sizeof r);
    return r;
}

static void plan_failure(struct attempt *a, struct settlement *s)
{
    static const struct retry unknown = {1, 1000, 1000, 1};
    const struct retry *retry = a->route != NULL ? &a->route->retry : &unknown;
    unsigned try_no = job_try_no(a->job);

    s->attempt = OUTCOME_FAILED;
    s->tries = try_no;
    if (try_no >= retry->tries) {
        a->outcome = OUTCOME_GAVE_UP;
        s->outcome = OUTCOME_GAVE_UP;
        s->state = JOB_DEAD;
        return;
    }
    s->state = JOB_READY;
    s->delay_ms = retry_delay_ms(retry, try_no, random32());
}

struct settlement settle_plan(struct attempt *a, char text[SETTLE_TEXT_ROOM])
{
    struct settlement s = {
        .state = JOB_DEAD,
        .outcome = a->outcome,
        .tries = a->job->tries,
        .worker = a->w->name,
        .started = a->started,
    };

    switch (a->outcome) {
    case OUTCOME_DONE:
        s.tries = job_try_no(a->job);
        s.has_rows = true;
        s.rows = a->rows;
        s.state = JOB_DONE;
        break;
    case OUTCOME_IGNORED:
    case OUTCOME_INFORMATIONAL:
        s.state = JOB_DONE;
        break;
    case OUTCOME_FAILED:
    case OUTCOME_GAVE_UP:
        plan_failure(a, &s);
        break;
    case OUTCOME_BAD_HANDLER:
        s.tries = job_try_no(a->job);
        break;
    case OUTCOME_FORGED:
    case OUTCOME_NO_ROUTE:
    case OUTCOME_NONE:
    case OUTCOME_LEASE_LOST:
    case OUTCOME_WORKER_LOST:
        break;
    }
    if (s.state != JOB_DONE) {
        error_text(a->why.text, text);
        s.error = text;
    }
    return s;
}

enum ho_code settle_lost(struct attempt *a, struct ho_err *err)
{
    return job_lost(a->w->control, a->job, a->w->name, &a->outcome, err);
}

static enum ho_code alone_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct attempt *a = arg;
    char text[SETTLE_TEXT_ROOM], now[JOB_TIME_ROOM], route[JOB_ROUTE_MAX + 1];
    bool held = false;

    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        /* The row's own route was written by the transaction that is undone. */
        memcpy(route, a->job->route, sizeof route);
        code = job_fence(db, a->job, &held, now, err);
        memcpy(a->job->route, route, sizeof route);
    }
    if (code == HO_OK && held) {
        const struct settlement s = settle_plan(a, text);
        code = job_settle(db, a->job, &s, &held, err);
    }
    if (code == HO_OK && !held) {
        db_rollback(db);
        return settle_lost(a, err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code settle_alone(struct attempt *a, struct ho_err *err)
{
    return db_transact(a->w->control, a->lease, alone_tx, a, err);
}

/* ---- telling ---- */

void settle_alarm(struct worker *w, enum alarm kind, const char *cid, const char *why)
{
    if (counters_alarm(w->counters, kind, clock_wall_us())) {
        const struct log_pair pairs[] = {LOG_TEXT("alarm", alarm_words[kind]),
                                         LOG_TEXT("why", why)};
        log_event(LOG_ALARM, "alarm", cid, pairs, 2);
    }
}

/* Errors that no later try can be without: the statement or the account is wrong. */
static bool cannot_work(const struct ho_err *why)
{
    static const int numbers[] = {1044, 1046, 1054, 1064, 1136, 1142, 1143, 1146, 1305, 1370};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (why->sys == numbers[i]) {
            return true;
        }
    }
    return false;
}

struct telling {
    enum log_level level;
    const char *event;
    bool dead;
};

static const struct telling *telling_of(enum outcome outcome)
{
    static const struct telling table[] = {
        [OUTCOME_NONE] = {LOG_DEBUG, NULL, false},
        [OUTCOME_DONE] = {LOG_INFO, "done", false},
        [OUTCOME_IGNORED] = {LOG_INFO, "ignored", false},
        [OUTCOME_INFORMATIONAL] = {LOG_INFO, "ignored", false},
        [OUTCOME_FAILED] = {LOG_WARN, "failed", false},
        [OUTCOME_GAVE_UP] = {LOG_WARN, "dead", true},
        [OUTCOME_LEASE_LOST] = {LOG_WARN, "lease_lost", false},
        [OUTCOME_WORKER_LOST] = {LOG_WARN, "dead", true},
        [OUTCOME_FORGED] = {LOG_WARN, "forged", true},
        [OUTCOME_NO_ROUTE] = {LOG_WARN, "dead", true},
        [OUTCOME_BAD_HANDLER] = {LOG_WARN, "dead", true},
    };

    return &table[outcome];
}

static void raise_alarms(struct attempt *a, bool dead)
{
    const char *cid = a->job->cid;

    if (a->outcome == OUTCOME_FORGED) {
        settle_alarm(a->w, ALARM_FORGED, cid, a->why.text);
    } else if (dead) {
        settle_alarm(a->w, ALARM_DEAD, cid, a->why.text);
    }
    if (a->outcome == OUTCOME_BAD_HANDLER ||
        (a->outcome == OUTCOME_FAILED && cannot_work(&a->why))) {
        settle_alarm(a->w, ALARM_HANDLER, cid, a->why.text);
    }
}

void settle_report(struct attempt *a)
{
    const struct telling *t = telling_of(a->outcome);
    char job[24], try_no[24], ms[24], changed[24];
    const struct log_pair rows = log_int("rows", (int64_t)a->rows, changed);
    const char *route = a->job->route[0] != '\0' ? a->job->route : NULL;

    if (t->event == NULL) {
        return;
    }
    const char *why = a->why.text[0] != '\0' ? a->why.text : NULL;
    const struct log_pair pairs[] = {
        log_int("job", (int64_t)a->job->id, job),
        LOG_TEXT("route", route),
        LOG_TEXT("outcome", outcome_word(a->outcome)),
        log_int("try", job_try_no(a->job), try_no),
        log_int("ms", clock_mono_ms() - a->began_ms, ms),
        a->outcome == OUTCOME_DONE ? rows : LOG_TEXT("rows", NULL),
        LOG_TEXT("livemode", a->other_mode ? "another" : NULL),
        LOG_TEXT("why", why),
    };
    log_event(t->level, t->event, a->job->cid, pairs, sizeof pairs / sizeof pairs[0]);
    raise_alarms(a, t->dead);
    a->w->settled += a->outcome != OUTCOME_LEASE_LOST ? 1 : 0;
    a->w->dead += t->dead ? 1 : 0;
}
