/* Outcomes and waits: who is told. */
#include "base/log.h"
#include "store/wake.h"
#include "work/attempt.h"

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
    enum db_what what = db_what(why);

    return what == DB_DENIED || what == DB_NO_TABLE || what == DB_NO_SAVEPOINT ||
           what == DB_SYNTAX || what == DB_BAD_STATEMENT;
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
        [OUTCOME_ALREADY_DONE] = {LOG_INFO, "skipped", false},
        [OUTCOME_ALREADY_SO] = {LOG_INFO, "skipped", false},
        [OUTCOME_STALE] = {LOG_INFO, "skipped", false},
        [OUTCOME_NEED] = {LOG_WARN, "dead", true},
        [OUTCOME_UNKNOWN] = {LOG_WARN, "dead", true},
        [OUTCOME_REFUSED] = {LOG_WARN, "dead", true},
        [OUTCOME_GONE] = {LOG_WARN, "dead", true},
        [OUTCOME_KEY_OVER] = {LOG_WARN, "dead", true},
        [OUTCOME_NO_KEY] = {LOG_WARN, "dead", true},
        [OUTCOME_WAITED] = {LOG_WARN, "dead", true},
        [OUTCOME_NO_BODY] = {LOG_WARN, "dead", true},
        [OUTCOME_DISCARDED] = {LOG_DEBUG, NULL, false},
        [OUTCOME_DEFERRED] = {LOG_DEBUG, NULL, false},
        [OUTCOME_N] = {LOG_DEBUG, NULL, false},
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

/* A job that waits is worth a line when that is news. */
static void report_wait(const struct attempt *a)
{
    char job[24], ms[24];
    const char *why = a->why.text[0] != '\0' ? a->why.text : NULL;
    const struct log_pair pairs[] = {
        log_int("job", (int64_t)a->job->id, job),
        LOG_TEXT("route", a->job->route),
        LOG_TEXT("for", job_wait_word(a->waits)),
        log_int("ms", a->wait_ms, ms),
        LOG_TEXT("why", why),
    };

    log_event(a->job->waits == a->waits ? LOG_DEBUG : LOG_INFO, "waits", a->job->cid, pairs,
              sizeof pairs / sizeof pairs[0]);
    if (a->waits == WAIT_BREAKER) {
        settle_alarm(a->w, ALARM_BREAKER, a->job->cid, a->route->handler->name);
    }
}

/* What is odd about the order of an event that ran. */
static void report_order(const struct attempt *a)
{
    static const char *const future = "its time is more than a day ahead of its delivery: it ran, "
                                      "and does not count as the newest of its object";
    static const char *const reordered = "order_at is not what the newest event of its object was "
                                         "ordered by: they were not compared, and it ran";

    for (int i = 0; i < 2; i++) {
        const struct log_pair pairs[] = {LOG_TEXT("route", a->job->route),
                                         LOG_TEXT("why", i == 0 ? future : reordered)};

        if (i == 0 ? a->future : a->reordered) {
            log_event(LOG_WARN, i == 0 ? "future" : "reordered", a->job->cid, pairs, 2);
        }
    }
}

static void report_outcome(struct attempt *a)
{
    static const struct telling gone_skipped = {LOG_INFO, "skipped", false};
    const struct telling *t = telling_of(a->outcome);
    char job[24], try_no[24], ms[24], changed[24];
    const struct log_pair rows = log_int("rows", (int64_t)a->rows, changed);
    bool has_rows = a->outcome == OUTCOME_DONE && !attempt_outside(a);

    if (a->outcome == OUTCOME_GONE && a->route->gone == GONE_SKIP) {
        t = &gone_skipped;
    }
    if (t->event == NULL) {
        return;
    }
    const struct log_pair pairs[] = {
        log_int("job", (int64_t)a->job->id, job),
        LOG_TEXT("route", a->job->route[0] != '\0' ? a->job->route : NULL),
        LOG_TEXT("outcome", outcome_word(a->outcome)),
        log_int("try", job_try_no(a->job), try_no),
        log_int("ms", clock_mono_ms() - a->began_ms, ms),
        has_rows ? rows : LOG_TEXT("rows", NULL),
        LOG_TEXT("by", a->done_by[0] != '\0' ? a->done_by : NULL),
        LOG_TEXT("livemode", a->other_mode ? "another" : NULL),
        LOG_TEXT("why", a->why.text[0] != '\0' ? a->why.text : NULL),
    };
    log_event(t->level, t->event, a->job->cid, pairs, sizeof pairs / sizeof pairs[0]);
    raise_alarms(a, t->dead);
    a->w->settled += a->outcome != OUTCOME_LEASE_LOST ? 1 : 0;
    a->w->dead += t->dead ? 1 : 0;
}

void settle_report(struct attempt *a)
{
    if (a->woke) {
        (void)wake_send(a->w->settings->state_dir);
    }
    if (a->waits != WAIT_NONE) {
        report_wait(a);
        return;
    }
    if (a->outcome == OUTCOME_DONE || (a->tried && attempt_acted(a))) {
        report_order(a);
    }
    report_outcome(a);
}
