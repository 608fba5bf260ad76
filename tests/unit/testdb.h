/* What the tests against a real database share: settings for the server that the environment
 * names, a database of their own, raw SQL as a check from outside.
 * HOOKONCE_TEST_SOCKET, HOOKONCE_TEST_USER (may create databases, no password), HOOKONCE_TEST_DB
 * (prefix of the databases made). */
#ifndef HO_TESTS_TESTDB_H
#define HO_TESTS_TESTDB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/event_make.h"
#include "store/inbox.h"
#include "store/migrate.h"

#define LOCK_WAIT_MS 3000 /* what a processor waits for a row's lock at least, see db_session.c */

struct testdb {
    struct settings settings; /* of the test's own database */
    char *sockets[1];
    char name[64];
    char key_file[64];
    struct db *outside; /* DB_OPERATOR, for looking and preparing */
};

static inline const char *testdb_env(const char *name)
{
    const char *value = getenv(name);

    if (value == NULL || value[0] == '\0') {
        (void)fprintf(stderr, "%s is not set: start a MariaDB for the tests first (tests/run)\n",
                      name);
        exit(1);
    }
    return value;
}

/* Runs one statement; fails the test when it does not work. */
static inline void testdb_run(struct db *db, const char *sql)
{
    struct ho_err err;

    if (db_run_built(db, sql, NULL, 0, NULL, &err) != HO_OK) {
        fail_msg("%s: %s", sql, err.text);
    }
}

/* The first value of a query as a number. */
static inline int64_t testdb_int(struct db *db, const char *sql)
{
    struct db_rows rows = {0};
    struct ho_err err;

    if (db_run_once(db, sql, NULL, 0, &rows, &err) != HO_OK) {
        fail_msg("%s: %s", sql, err.text);
    }
    int64_t value = db_cell_int(&rows, 0, 0);
    db_rows_free(&rows);
    return value;
}

/* The first value of a query as text; NULL is "(null)". */
static inline const char *testdb_text(struct db *db, const char *sql, char out[256])
{
    struct db_rows rows = {0};
    struct ho_err err;

    if (db_run_once(db, sql, NULL, 0, &rows, &err) != HO_OK) {
        fail_msg("%s: %s", sql, err.text);
    }
    struct span s = db_cell(&rows, 0, 0);
    (void)snprintf(out, 256, "%.*s", s.p != NULL ? (int)s.len : 6,
                   s.p != NULL ? (const char *)s.p : "(null)");
    db_rows_free(&rows);
    return out;
}

/* A database of its own, empty; dropped by testdb_end. */
/* Before MariaDB 10.6 the server looks once a second whether a wait for a lock is over: one may end
 * a second late, and then it is the link's own limit that ends it. */
static inline bool testdb_waits_coarsely(struct db *db)
{
    return testdb_int(db, "SELECT CAST(SUBSTRING_INDEX(VERSION(), '.', 1) * 100 + SUBSTRING_INDEX("
                          "SUBSTRING_INDEX(VERSION(), '.', 2), '.', -1) AS SIGNED)") < 1006;
}

static inline void testdb_begin(struct testdb *t, const char *module)
{
    char sql[160];

    memset(t, 0, sizeof *t);
    t->sockets[0] = ho_strdup(testdb_env("HOOKONCE_TEST_SOCKET"));
    t->settings.sockets = t->sockets;
    t->settings.n_sockets = 1;
    t->settings.db_user = testdb_env("HOOKONCE_TEST_USER");
    t->settings.db_name = "information_schema";
    (void)snprintf(t->name, sizeof t->name, "%.20s_%s_%ld", testdb_env("HOOKONCE_TEST_DB"), module,
                   (long)getpid());
    (void)snprintf(t->key_file, sizeof t->key_file, "/tmp/hookonce-test-%ld.key", (long)getpid());
    t->outside = db_open(&t->settings, DB_OPERATOR);
    (void)snprintf(sql, sizeof sql, "CREATE DATABASE %s DEFAULT CHARACTER SET latin1", t->name);
    testdb_run(t->outside, sql);
    db_disconnect(t->outside);
    t->settings.db_name = t->name;
}

static inline void testdb_tables(struct testdb *t)
{
    struct migrate_state state;
    struct ho_err err;

    if (migrate_run(t->outside, t->key_file, &state, &err) != HO_OK) {
        fail_msg("migrate: %s", err.text);
    }
}

static inline void testdb_end(struct testdb *t)
{
    char sql[100];

    (void)snprintf(sql, sizeof sql, "DROP DATABASE %s", t->name);
    testdb_run(t->outside, sql);
    db_close(t->outside);
    (void)unlink(t->key_file);
    free(t->sockets[0]);
}

/* An event with all fields set; the spans point to constants. */
static inline struct event testdb_event(const char *id, const char *body)
{
    struct event e = {
        .provider = SPAN_LIT("shop"),
        .source = SPAN_LIT("shop-eu"),
        .id = span_of(id),
        .type = SPAN_LIT("order.paid"),
        .object = SPAN_LIT("ord_1"),
        .has_occurred = true,
        .occurred_us = INT64_C(1764500000123456),
        .secret_no = 1,
        .document = SPAN_LIT("json"),
        .headers = SPAN_LIT("content-type: application/json\n"),
        .body = span_of(body),
    };
    ulid_new(clock_wall_us(), e.cid);
    mac_sha256(e.body, e.same);
    return e;
}

#define TESTDB_KEY SPAN_LIT("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")

/* Records e; fails the test on an error. */
static inline enum receipt_result testdb_record(struct db *db, const struct event *e)
{
    struct accepted *a = accepted_make(e);
    enum receipt_result result = RECEIPT_NEW;
    struct ho_err err;

    if (inbox_record(db, &a, 1, TESTDB_KEY, deadline_in(3000), &result, &err) != HO_OK) {
        fail_msg("record: %s", err.text);
    }
    accepted_free(a);
    return result;
}

/* No event is left in the tables. */
static inline void testdb_empty(struct testdb *t)
{
    static const char *const tables[] = {"receipt", "guard", "conflict", "body", "job"};
    char sql[64];

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        (void)snprintf(sql, sizeof sql, "DELETE FROM hookonce_%s", tables[i]);
        testdb_run(t->outside, sql);
    }
}

/* That many events, each with its body and its job. */
static inline void testdb_assert_stored(struct testdb *t, int64_t n)
{
    assert_int_equal(testdb_int(t->outside, "SELECT COUNT(*) FROM hookonce_receipt"), n);
    assert_int_equal(testdb_int(t->outside, "SELECT COUNT(*) FROM hookonce_body"), n);
    assert_int_equal(testdb_int(t->outside, "SELECT COUNT(*) FROM hookonce_job"), n);
}

/* Records e within ms. */
static inline enum ho_code testdb_try(struct db *db, const struct event *e, int64_t ms,
                                      enum receipt_result *result, struct ho_err *err)
{
    struct accepted *a = accepted_make(e);
    enum ho_code code = inbox_record(db, &a, 1, TESTDB_KEY, deadline_in(ms), result, err);

    accepted_free(a);
    return code;
}

#endif
