/* Recording when the database or the link to it fails: COMMITs whose answer is lost, killed links,
 * missing rights, limits, read-only servers. After each, what is stored must be all or nothing. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "testdb.h"

static struct testdb t;

/* ---- a relay between client and server that can cut a link at COMMIT ---- */

enum cut { CUT_NONE, CUT_BEFORE, CUT_AFTER, HOLE_BEFORE, HOLE_AFTER };

static struct {
    char path[64];
    int listener;
    atomic_int armed;  /* enum cut for the next COMMIT */
    atomic_int sprung; /* how often it did */
    atomic_bool stop;
    pthread_t thread;
} relay;

static int connect_to(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

static bool pass(int from, int to, char *data, size_t size, ssize_t *n)
{
    *n = read(from, data, size);
    return *n > 0 && (to < 0 || send(to, data, (size_t)*n, MSG_NOSIGNAL) == *n);
}

/* Does what is armed with the COMMIT in data. false: the link is to be closed. */
static bool at_commit(int server, const char *data, size_t n)
{
    int cut = atomic_exchange(&relay.armed, CUT_NONE);
    char answer[4096];
    ssize_t got = 0;

    if (cut == CUT_NONE) {
        return send(server, data, n, MSG_NOSIGNAL) == (ssize_t)n;
    }
    if (cut == CUT_AFTER || cut == HOLE_AFTER) {
        (void)send(server, data, n, MSG_NOSIGNAL);
        (void)pass(server, -1, answer, sizeof answer, &got);
    }
    atomic_fetch_add(&relay.sprung, 1);
    while ((cut == HOLE_BEFORE || cut == HOLE_AFTER) && !atomic_load(&relay.stop)) {
        clock_sleep_ms(10);
    }
    return false;
}

static void *relay_link(void *arg)
{
    int client = *(int *)arg, server = connect_to(t.sockets[0]);
    static const char commit[] = "\3COMMIT";
    char data[65536];
    bool open = server >= 0;

    free(arg);
    while (open && !atomic_load(&relay.stop)) {
        struct pollfd fds[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
        ssize_t n = 0;
        if (poll(fds, 2, 50) < 0) {
            break;
        }
        if (fds[0].revents != 0) {
            open = pass(client, -1, data, sizeof data, &n);
            bool is_commit = n == 11 && memcmp(data + 4, commit, 7) == 0;
            open = open && (is_commit ? at_commit(server, data, (size_t)n)
                                      : send(server, data, (size_t)n, MSG_NOSIGNAL) == n);
        }
        if (open && fds[1].revents != 0) {
            open = pass(server, client, data, sizeof data, &n);
        }
    }
    (void)close(client);
    (void)close(server);
    return NULL;
}

static void *relay_main(void *arg)
{
    (void)arg;
    while (!atomic_load(&relay.stop)) {
        struct pollfd fd = {relay.listener, POLLIN, 0};
        if (poll(&fd, 1, 50) > 0) {
            int *client = ho_alloc(sizeof *client);
            pthread_t thread;
            *client = accept(relay.listener, NULL, NULL);
            if (pthread_create(&thread, NULL, relay_link, client) == 0) {
                (void)pthread_detach(thread);
            }
        }
    }
    return NULL;
}

static void relay_start(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    (void)snprintf(relay.path, sizeof relay.path, "/tmp/hookonce-relay-%ld", (long)getpid());
    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s", relay.path);
    (void)unlink(relay.path);
    relay.listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(relay.listener, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(relay.listener, 16), 0);
    atomic_store(&relay.stop, false);
    assert_int_equal(pthread_create(&relay.thread, NULL, relay_main, NULL), 0);
}

static void relay_stop(void)
{
    atomic_store(&relay.stop, true);
    (void)pthread_join(relay.thread, NULL);
    (void)close(relay.listener);
    (void)unlink(relay.path);
    clock_sleep_ms(100); /* the links notice too */
}

/* ---- */

static void empty_tables(void)
{
    testdb_run(t.outside, "DELETE FROM hookonce_receipt");
    testdb_run(t.outside, "DELETE FROM hookonce_body");
    testdb_run(t.outside, "DELETE FROM hookonce_job");
}

static void assert_stored(int64_t n)
{
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_receipt"), n);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_body"), n);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_job"), n);
}

static enum ho_code record(struct db *db, const struct event *e, int64_t ms,
                           enum receipt_result *result, struct ho_err *err)
{
    struct accepted *a = accepted_make(e);
    enum ho_code code = inbox_record(db, a, TESTDB_KEY, deadline_in(ms), result, err);

    accepted_free(a);
    return code;
}

static void commits_with_a_lost_answer(void **state)
{
    static const struct {
        enum cut cut;
        int64_t deadline_ms;
        enum ho_code code;
        int64_t stored;               /* after the call */
        enum receipt_result provider; /* what its next delivery finds */
    } rows[] = {
        {CUT_BEFORE, 2000, HO_OK, 1, RECEIPT_DUPLICATE},
        {CUT_AFTER, 2000, HO_OK, 1, RECEIPT_DUPLICATE},
        /* no answer within the read timeout (2 s): the deadline is over */
        {HOLE_BEFORE, 1500, HO_TRANSIENT, 0, RECEIPT_NEW},
        {HOLE_AFTER, 1500, HO_TRANSIENT, 1, RECEIPT_DUPLICATE},
        /* time for a second look: the first transaction still holds the key, or it took */
        {HOLE_BEFORE, 3500, HO_TRANSIENT, 0, RECEIPT_NEW},
        {HOLE_AFTER, 3500, HO_OK, 1, RECEIPT_DUPLICATE},
    };
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct settings s = t.settings;
        char *sockets[] = {relay.path};
        struct event e = testdb_event("evt_1", "body");
        enum receipt_result result;
        struct ho_err err;

        empty_tables();
        relay_start();
        s.sockets = sockets;
        struct db *db = db_open(&s, DB_RECEIVER);
        assert_int_equal(db_connect(db, &err), HO_OK);
        atomic_store(&relay.sprung, 0);
        atomic_store(&relay.armed, (int)rows[i].cut);
        enum ho_code code = record(db, &e, rows[i].deadline_ms, &result, &err);
        int64_t stored = testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_job");
        if (code != rows[i].code || stored != rows[i].stored ||
            (code == HO_OK && result != RECEIPT_NEW) || atomic_load(&relay.sprung) != 1) {
            fail_msg("row %zu: code %d, result %d, %d stored: %s", i, (int)code, (int)result,
                     (int)stored, err.text);
        }
        db_close(db);
        relay_stop();
        db = db_open(&t.settings, DB_RECEIVER);
        ulid_new(clock_wall_us(), e.cid);
        assert_int_equal(record(db, &e, 2000, &result, &err), HO_OK);
        assert_int_equal(result, rows[i].provider);
        assert_stored(1);
        db_close(db);
    }
}

static void link_killed_while_idle(void **state)
{
    struct db *db = db_open(&t.settings, DB_RECEIVER);
    struct event e = testdb_event("evt_1", "body");
    char sql[64];
    (void)state;

    empty_tables();
    assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
    (void)snprintf(sql, sizeof sql, "KILL %lu", db_thread_id(db));
    testdb_run(t.outside, sql);
    clock_sleep_ms(50);
    e = testdb_event("evt_2", "body");
    int64_t start = clock_mono_ms();
    assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
    assert_true(clock_mono_ms() - start < 1000);
    assert_stored(2);
    db_close(db);
}

/* ---- an account with fewer rights ---- */

/* Opens a connection as hookonce_few, whose rights are those of run time; limits may be "". */
static struct db *open_as_few(struct settings *s, const char *limits)
{
    char sql[200];

    (void)snprintf(sql, sizeof sql, "GRANT SELECT, INSERT, UPDATE, DELETE ON %s.*"
                                    " TO hookonce_few@localhost %s",
                   t.name, limits);
    testdb_run(t.outside, sql);
    *s = t.settings;
    s->db_user = "hookonce_few";
    return db_open(s, DB_RECEIVER);
}

static void drop_few(struct db *db)
{
    db_close(db);
    testdb_run(t.outside, "DROP USER hookonce_few@localhost");
}

static void run_time_rights_suffice(void **state)
{
    struct settings s;
    struct db *db = open_as_few(&s, "");
    struct event e = testdb_event("evt_1", "body"), other = testdb_event("evt_1", "other");
    (void)state;

    empty_tables();
    e.has_guard = true;
    assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
    ulid_new(clock_wall_us(), e.cid);
    assert_int_equal(testdb_record(db, &e), RECEIPT_DUPLICATE);
    assert_int_equal(testdb_record(db, &other), RECEIPT_CONFLICT);
    drop_few(db);
}

/* The receipt can be written, the job can't: neither stays, and later all is well. */
static void no_receipt_without_its_job(void **state)
{
    struct settings s;
    struct db *db = open_as_few(&s, "");
    struct event e = testdb_event("evt_1", "body");
    enum receipt_result result;
    struct ho_err err;
    static const char *const without[] = {"job", "body"};
    char sql[200];
    (void)state;

    for (size_t i = 0; i < 2; i++) {
        empty_tables();
        (void)snprintf(sql, sizeof sql,
                       "CREATE TRIGGER refuse BEFORE INSERT ON hookonce_%s FOR EACH ROW"
                       " SIGNAL SQLSTATE '45000'",
                       without[i]);
        testdb_run(t.outside, sql);
        assert_int_equal(record(db, &e, 2000, &result, &err), HO_PERMANENT);
        assert_stored(0);
        testdb_run(t.outside, "DROP TRIGGER refuse");
        assert_int_equal(record(db, &e, 2000, &result, &err), HO_OK);
        assert_int_equal(result, RECEIPT_NEW);
        assert_stored(1);
    }
    drop_few(db);
}

static void rights_taken_away(void **state)
{
    struct settings s;
    struct db *db = open_as_few(&s, "");
    struct event e = testdb_event("evt_1", "body");
    enum receipt_result result;
    struct ho_err err;
    char sql[200];
    (void)state;

    empty_tables();
    assert_int_equal(db_connect(db, &err), HO_OK);
    (void)snprintf(sql, sizeof sql, "REVOKE INSERT ON %s.* FROM hookonce_few@localhost", t.name);
    testdb_run(t.outside, sql);
    (void)snprintf(sql, sizeof sql,
                   "GRANT INSERT ON %s.hookonce_receipt TO hookonce_few@localhost", t.name);
    testdb_run(t.outside, sql);
    (void)snprintf(sql, sizeof sql, "GRANT INSERT ON %s.hookonce_body TO hookonce_few@localhost",
                   t.name);
    testdb_run(t.outside, sql);
    db_disconnect(db);
    assert_int_equal(record(db, &e, 2000, &result, &err), HO_PERMANENT);
    assert_int_equal(err.sys, 1142);
    assert_non_null(strstr(err.text, "hookonce_job"));
    assert_stored(0);
    drop_few(db);
}

static void read_only_server(void **state)
{
    struct settings s;
    struct db *db = open_as_few(&s, "");
    struct event e = testdb_event("evt_1", "body");
    enum receipt_result result;
    struct ho_err err;
    (void)state;

    empty_tables();
    assert_int_equal(db_connect(db, &err), HO_OK);
    testdb_run(t.outside, "SET GLOBAL read_only = 1");
    enum ho_code code = record(db, &e, 2000, &result, &err);
    testdb_run(t.outside, "SET GLOBAL read_only = 0");
    assert_int_equal(code, HO_TRANSIENT);
    assert_int_equal(err.sys, 1290);
    assert_stored(0);
    assert_int_equal(record(db, &e, 2000, &result, &err), HO_OK);
    assert_stored(1);
    drop_few(db);
}

static void limits_of_the_account(void **state)
{
    static const struct {
        const char *limit;
        int number;
    } rows[] = {
        {"WITH MAX_USER_CONNECTIONS 1", 1226},
        {"WITH MAX_CONNECTIONS_PER_HOUR 1", 1226},
        {"WITH MAX_QUERIES_PER_HOUR 5", 1226},
    };
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct settings s;
        struct db *first = open_as_few(&s, rows[i].limit);
        struct db *db = db_open(&s, DB_RECEIVER);
        struct event e = testdb_event("evt_1", "body");
        enum receipt_result result;
        struct ho_err err;

        empty_tables();
        if (i < 2) {
            assert_int_equal(db_connect(first, &err), HO_OK);
        }
        enum ho_code code = record(db, &e, 2000, &result, &err);
        for (int n = 0; n < 4 && code == HO_OK; n++) {
            ulid_new(clock_wall_us(), e.cid);
            code = record(db, &e, 2000, &result, &err);
        }
        if (code != HO_TRANSIENT || err.sys != rows[i].number) {
            fail_msg("%s: code %d, number %d: %s", rows[i].limit, (int)code, err.sys, err.text);
        }
        assert_true(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_receipt") ==
                    testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_job"));
        db_close(db);
        drop_few(first);
    }
}

/* A server that takes the link and never speaks: busy, in bounded time. */
static void server_that_is_silent(void **state)
{
    struct settings s = t.settings;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char *sockets[] = {relay.path};
    struct event e = testdb_event("evt_1", "body");
    enum receipt_result result;
    struct ho_err err;
    (void)state;

    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s", relay.path);
    int silent = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(silent, (const struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(silent, 4), 0);
    s.sockets = sockets;
    struct db *db = db_open(&s, DB_RECEIVER);
    int64_t start = clock_mono_ms();
    assert_int_equal(record(db, &e, 1500, &result, &err), HO_TRANSIENT);
    assert_true(clock_mono_ms() - start < 3500);
    db_close(db);
    (void)close(silent);
    (void)unlink(relay.path);
}

static int begin(void **state)
{
    (void)state;
    testdb_begin(&t, "faults");
    testdb_tables(&t);
    return 0;
}

static int end(void **state)
{
    (void)state;
    testdb_end(&t);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commits_with_a_lost_answer), cmocka_unit_test(link_killed_while_idle),
        cmocka_unit_test(run_time_rights_suffice),    cmocka_unit_test(no_receipt_without_its_job),
        cmocka_unit_test(rights_taken_away),          cmocka_unit_test(read_only_server),
        cmocka_unit_test(limits_of_the_account),      cmocka_unit_test(server_that_is_silent),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
