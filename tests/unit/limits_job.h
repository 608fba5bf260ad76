/* For the tests of handlers' limits: jobs that run, and what they ask. */
#ifndef HO_TESTS_LIMITS_JOB_H
#define HO_TESTS_LIMITS_JOB_H

#include "testdb.h"

#include "store/limits.h"
#include "unit.h"

static struct testdb base;
static struct db *db, *other;
static struct ho_err err;
static struct handler handler;
static int64_t wait_ms;

static inline int begin(void **state)
{
    (void)state;
    testdb_begin(&base, "limits");
    testdb_tables(&base);
    db = db_open(&base.settings, DB_PROCESSOR);
    other = db_open(&base.settings, DB_PROCESSOR);
    for (int i = 1; i <= 40; i++) {
        char sql[300];
        (void)snprintf(sql, sizeof sql,
                       "INSERT INTO hookonce_job (id, correlation_id, route, state, run_at, created_at,"
                       " claim_no) VALUES (%d, '%026d', 'r', 'running', UTC_TIMESTAMP(6),"
                       " UTC_TIMESTAMP(6), 1)", i, i);
        testdb_run(base.outside, sql);
    }
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    db_close(db);
    db_close(other);
    testdb_end(&base);
    return 0;
}

static inline int fresh(void **state)
{
    (void)state;
    testdb_run(base.outside, "DELETE FROM hookonce_handler");
    testdb_run(base.outside, "DELETE FROM hookonce_slot");
    testdb_run(base.outside, "UPDATE hookonce_job SET state = 'running', claim_no = 1");
    handler = (struct handler){.name = "crm"};
    return 0;
}

static inline struct job job_of(uint64_t id)
{
    return (struct job){.id = id, .claim_no = 1};
}

static inline enum limit_verdict enter_on(struct db *on, uint64_t id)
{
    enum limit_verdict verdict;
    const struct job job = job_of(id);

    assert_int_equal(db_begin(on, &err), HO_OK);
    if (limits_enter(on, &handler, &job, 60000, &verdict, &wait_ms, &err) != HO_OK) {
        fail_msg("enter: %s", err.text);
    }
    assert_int_equal(db_commit(on, &err), HO_OK);
    assert_true(verdict == LIMIT_GO ? wait_ms == 0 : wait_ms >= 1);
    return verdict;
}

static inline enum limit_verdict enter(uint64_t id)
{
    return enter_on(db, id);
}

static inline void leave(uint64_t id, enum limit_result result)
{
    const struct job job = job_of(id);

    assert_int_equal(db_begin(db, &err), HO_OK);
    if (limits_leave(db, &handler, &job, result, &err) != HO_OK) {
        fail_msg("leave: %s", err.text);
    }
    assert_int_equal(db_commit(db, &err), HO_OK);
}

static inline int64_t value(const char *sql)
{
    return testdb_int(base.outside, sql);
}

static inline void let_pass(const char *column, const char *time)
{
    char sql[200];

    (void)snprintf(sql, sizeof sql, "UPDATE hookonce_handler SET %s = %s - INTERVAL %s", column, column,
                   time);
    testdb_run(base.outside, sql);
}

#endif
