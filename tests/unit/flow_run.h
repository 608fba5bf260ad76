/* For the tests of flows: a worker on a database of its own, events with bodies and times, jobs
 * run as a worker does. */
#ifndef HO_TESTS_FLOW_RUN_H
#define HO_TESTS_FLOW_RUN_H

#include <signal.h>
#include <sys/wait.h>

#include "workdb.h"

#include "base/log.h"
#include "work/dispatch.h"

static struct settings *settings;
static struct worker w;
static struct ho_err err;
static struct claim claim;

static inline int flow_begin(const char *module, const char *flow)
{
    char path[256];

    (void)work_begin(module);
    testdb_run(base.outside, "CREATE TABLE orders (id VARCHAR(64) PRIMARY KEY, status VARCHAR(20)) "
                             "ENGINE=InnoDB");
    settings = work_settings(flow);
    (void)snprintf(path, sizeof path, "%s/hookonce.log", work_dir);
    log_into(path, LOG_DEBUG);
    worker_init(&w, settings, TESTDB_KEY);
    return 0;
}

static inline int flow_end(void **state)
{
    (void)state;
    worker_free(&w);
    settings_free(settings);
    log_open(NULL);
    return work_end();
}

static inline int flow_empty(void **state)
{
    (void)state;
    work_empty();
    testdb_run(base.outside, "DELETE FROM orders");
    w.alone = 0;
    w.queue = queue_of(w.control, w.name, settings->lease_ms, settings->batch);
    return 0;
}

/* An event that happened so many seconds after a fixed time of 2025. */
static inline void flow_event(const char *id, const char *type, const char *body, int64_t at_s)
{
    struct event e = testdb_event(id, body);

    e.type = span_of(type);
    e.occurred_us = (INT64_C(1764500000) + at_s) * 1000000;
    assert_int_equal(testdb_record(base.outside, &e), RECEIPT_NEW);
}

static inline void flow_take(size_t want)
{
    if (jobs_claim(&w.queue, deadline_in(5000), &claim, &err) != HO_OK) {
        fail_msg("claim: %s", err.text);
    }
    assert_int_equal(claim.n, want);
}

static inline void flow_dispatch(size_t i)
{
    ho_err_clear(&err);
    if (dispatch_job(&w, &claim, i, &err) != HO_OK) {
        fail_msg("dispatch: %s", err.text);
    }
}

/* Claims what is due and runs it, until nothing is due. */
static inline void flow_run(void)
{
    for (;;) {
        if (jobs_claim(&w.queue, deadline_in(5000), &claim, &err) != HO_OK) {
            fail_msg("claim: %s", err.text);
        }
        if (claim.n == 0 && !claim.more) {
            return;
        }
        for (size_t i = 0; i < claim.n; i++) {
            flow_dispatch(i);
        }
    }
}

/* What waits for its time is due now; so are the sleepers' own looks. */
static inline void flow_hurry(void)
{
    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) WHERE state IN "
                             "('ready', 'waiting')");
}

static inline struct reap_rule flow_rule(void *unused, const char *route)
{
    const struct route *r = settings_route(settings, span_of(route));
    (void)unused;

    return (struct reap_rule){.tries = r != NULL ? r->retry.tries : 8,
                              .at_most_once = r != NULL && r->handler->at_most_once};
}

static inline void flow_untold(void *unused, const struct job *job, enum outcome outcome)
{
    (void)unused;
    (void)job;
    (void)outcome;
}

/* Every lease has ended, and somebody has looked. */
static inline struct reaped flow_reap(void)
{
    const struct reaper reaper = {flow_rule, flow_untold, NULL};
    struct reaped reaped;

    testdb_run(base.outside, "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) WHERE state = "
                             "'running'");
    if (jobs_reap(&w.queue, &reaper, &reaped, &err) != HO_OK) {
        fail_msg("reap: %s", err.text);
    }
    return reaped;
}

/* In a command: its parent is its guard, and the worker is the guard's. */
#define KILL_WORKER "kill -9 $(grep ^PPid: /proc/$PPID/status | tr -dc 0-9)"

/* A worker in a process of its own, which the handler kills. */
static inline void flow_run_and_die(void)
{
    int status = 0;

    db_disconnect(base.outside);
    db_disconnect(w.control);
    db_disconnect(w.handler);
    pid_t child = fork();
    if (child == 0) {
        struct worker own;
        worker_init(&own, settings, TESTDB_KEY);
        own.end = deadline_in(10000);
        own.once = true;
        (void)!worker_run(&own, &err);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* All jobs in order: "ROUTE STATE OUTCOME", and behind it what it waits for. */
#define JOBS                                                                                      \
    "SELECT GROUP_CONCAT(CONCAT_WS(' ', IF(route = '', '-', route), state, COALESCE(outcome,"     \
    " '-'), IF(waiting_for IS NULL, NULL, CONCAT('for ', waiting_for))) ORDER BY id SEPARATOR "   \
    "', ') FROM hookonce_job"
#define RECEIPTS                                                                                  \
    "SELECT GROUP_CONCAT(CONCAT(event_id, ' ', status, ' ', COALESCE(outcome, '-')) ORDER BY"     \
    " event_id SEPARATOR ', ') FROM hookonce_receipt"
#define NOTES "SELECT COALESCE(GROUP_CONCAT(note ORDER BY id), '') FROM fx"
#define EFFECTS                                                                                   \
    "SELECT COALESCE(GROUP_CONCAT(CONCAT(flow, ' ', business_key, ' ', state, ' ', job_id) ORDER" \
    " BY business_key SEPARATOR ', '), '') FROM hookonce_effect"
#define ATTEMPTS                                                                                  \
    "SELECT COALESCE(GROUP_CONCAT(CONCAT(job_id, ':', try_no, ' ', COALESCE(outcome, '-')) ORDER" \
    " BY job_id, claim_no SEPARATOR ', '), '') FROM hookonce_attempt"

#endif
