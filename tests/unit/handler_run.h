/* Running a handler's statements as dispatch does, for the tests of handlers. */
#ifndef HO_TESTS_HANDLER_RUN_H
#define HO_TESTS_HANDLER_RUN_H

#include "workdb.h"

#include "core/document.h"
#include "work/handler.h"

static struct db *db;
static struct ho_err err;

static inline int handler_begin(const char *module)
{
    (void)work_begin(module);
    db = db_open(&base.settings, DB_PROCESSOR);
    db_set_read_timeout(db, 20);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    db_close(db);
    return work_end();
}

static inline int empty(void **state)
{
    (void)state;
    work_empty();
    return 0;
}

/* Runs a handler of these statements on the only event, as dispatch does, and ends the
 * transaction: COMMIT when it is done, else ROLLBACK. */
static inline enum handler_result run(const char *sql, unsigned time_ms)
{
    char flow[2048], cid[256];
    struct stored stored;
    struct json *doc = NULL;
    uint64_t changed;

    assert_true(snprintf(flow, sizeof flow, "[handler h]\n%s\n", sql) > 0);
    struct settings *s = work_settings(flow);
    (void)testdb_text(base.outside, "SELECT correlation_id FROM hookonce_receipt", cid);
    ho_err_clear(&err);
    assert_int_equal(db_begin(db, &err), HO_OK);
    assert_int_equal(stored_load(db, cid, &stored, &err), HO_OK);
    assert_true(stored_genuine(&stored, TESTDB_KEY));
    assert_int_equal(document_open(stored.event.body, stored.event.document, &doc, &err), HO_OK);
    const struct handler_call call = {.handler = &s->handlers[0], .stored = &stored, .doc = doc,
                                      .try_no = 3, .end = deadline_in(time_ms), .rows = &changed};
    enum handler_result result = handler_sql_run(db, &call, &err);
    if (result == HANDLER_DONE) {
        struct ho_err commit_err;
        assert_int_equal(db_commit(db, &commit_err), HO_OK);
    } else {
        db_rollback(db);
    }
    db_disconnect(db);
    json_free(doc);
    stored_free(&stored);
    settings_free(s);
    return result;
}

#endif
