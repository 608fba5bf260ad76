/* For the tests of the queue: two connections and what a worker does with a job, without handlers. */
#ifndef HO_TESTS_QUEUE_H
#define HO_TESTS_QUEUE_H

#include "workdb.h"

#include "store/job.h"

static struct db *db, *other;
static struct ho_err err;

#define FAR deadline_in(10000)

static inline int begin(void **state)
{
    (void)state;
    (void)work_begin("queue");
    db = db_open(&base.settings, DB_PROCESSOR);
    other = db_open(&base.settings, DB_PROCESSOR);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    db_close(db);
    db_close(other);
    return work_end();
}

static inline int empty(void **state)
{
    (void)state;
    work_empty();
    return 0;
}

static inline struct claim claimed(struct queue *q)
{
    static struct claim c;

    if (jobs_claim(q, FAR, &c, &err) != HO_OK) {
        fail_msg("claim: %s", err.text);
    }
    return c;
}

/* Settles one claimed job in its own transaction; whether the claim still held. */
static inline bool settle(struct db *on, struct job *job, enum job_state to, enum outcome outcome)
{
    char started[JOB_TIME_ROOM];
    bool held = false;

    assert_int_equal(db_begin(on, &err), HO_OK);
    assert_int_equal(job_fence(on, job, &held, started, &err), HO_OK);
    if (held) {
        const struct settlement s = {.state = to,
                                     .outcome = outcome,
                                     .tries = job->tries + 1,
                                     .worker = "w",
                                     .started = started};
        assert_int_equal(job_settle(on, job, &s, &held, &err), HO_OK);
    }
    assert_int_equal(db_commit(on, &err), HO_OK);
    return held;
}

#endif
