/* For the tests of queue and processor: a database with tables, a config with handlers and routes,
 * events recorded as the receiver does it. */
#ifndef HO_TESTS_WORKDB_H
#define HO_TESTS_WORKDB_H

#include <sys/stat.h>

#include "testdb.h"

#include "unit.h"

#include "store/jobs.h"
#include "work/worker.h"

static struct testdb base;
static char work_dir[] = "/tmp/hookonce-work-XXXXXX";

/* A file of the test's own folder, in which commands run. */
static inline const char *work_file(const char *name)
{
    static char path[128];

    (void)snprintf(path, sizeof path, "%s/%s", work_dir, name);
    return path;
}

static inline int work_begin(const char *module)
{
    FILE *f;

    assert_non_null(mkdtemp(work_dir));
    testdb_begin(&base, module);
    f = fopen(base.key_file, "w");
    assert_non_null(f);
    assert_int_equal(fchmod(fileno(f), 0600), 0);
    assert_true(fputs((const char *)TESTDB_KEY.p, f) >= 0);
    assert_int_equal(fclose(f), 0);
    testdb_tables(&base);
    testdb_run(base.outside,
               "CREATE TABLE fx (id INT AUTO_INCREMENT PRIMARY KEY, note VARCHAR(255) "
               "CHARACTER SET utf8mb4) ENGINE=InnoDB");
    return 0;
}

static inline int work_end(void)
{
    static const char *const files[] = {"hookonce.conf", "hookonce.state", "wake", "woken",
                                        "process.lock", "hookonce.log"};
    char path[256];

    testdb_end(&base);
    for (size_t i = 0; i < COUNT(files); i++) {
        (void)snprintf(path, sizeof path, "%s/%s", work_dir, files[i]);
        (void)unlink(path);
    }
    return rmdir(work_dir);
}

/* A config with this flow behind the database; settings_free. */
static inline struct settings *work_settings(const char *flow)
{
    char path[128];
    struct settings *s = NULL;
    struct ho_err err;

    (void)snprintf(path, sizeof path, "%s/hookonce.conf", work_dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fchmod(fileno(f), 0600), 0);
    assert_true(fprintf(f,
                        "[database]\nsocket=%s\nname=%s\nuser=%s\n"
                        "[hookonce]\nstate=%s\nkey=file:%s\nlog=file:%s/hookonce.log\n%s",
                        base.sockets[0], base.name, base.settings.db_user, work_dir, base.key_file,
                        work_dir, flow) > 0);
    assert_int_equal(fclose(f), 0);
    if (settings_load(path, &s, &err) != HO_OK) {
        fail_msg("%s", err.text);
    }
    return s;
}

/* Empties our tables and the site's own one, fx; numbers begin at 1 again. */
static inline void work_empty(void)
{
    static const char *const tables[] = {"hookonce_receipt", "hookonce_body",   "hookonce_job",
                                         "hookonce_attempt", "hookonce_worker", "hookonce_effect",
                                         "hookonce_object",  "hookonce_handler", "hookonce_slot",
                                         "hookonce_command",
                                         "hookonce_pause", "fx"};
    char sql[64];

    for (size_t i = 0; i < COUNT(tables); i++) {
        (void)snprintf(sql, sizeof sql, "DELETE FROM %s", tables[i]);
        testdb_run(base.outside, sql);
    }
    testdb_run(base.outside, "ALTER TABLE hookonce_job AUTO_INCREMENT = 1");
}

/* Records an event of provider "shop". */
static inline void work_event(const char *id, const char *type, const char *body)
{
    struct event e = testdb_event(id, body);

    e.type = span_of(type);
    assert_int_equal(testdb_record(base.outside, &e), RECEIPT_NEW);
}

static inline void work_events(unsigned n, const char *type)
{
    char id[32];

    for (unsigned i = 0; i < n; i++) {
        (void)snprintf(id, sizeof id, "evt_%06u", i);
        work_event(id, type, "{\"n\":1}");
    }
}

static inline int64_t work_count(const char *what)
{
    char sql[400];

    (void)snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM %s", what);
    return testdb_int(base.outside, sql);
}

#define ASSERT_COUNT(what, want) \
    do { \
        int64_t got_ = work_count(what); \
        if (got_ != (want)) { \
            fail_msg("%s: %lld, not %lld", (what), (long long)got_, (long long)(want)); \
        } \
    } while (0)

/* The one value that the query gives. */
#define ASSERT_VALUE(sql, want) \
    do { \
        char room_[256]; \
        const char *got_ = testdb_text(base.outside, (sql), room_); \
        if (strcmp(got_, (want)) != 0) { \
            fail_msg("%s: \"%s\", not \"%s\"", (sql), got_, (want)); \
        } \
    } while (0)

#endif
