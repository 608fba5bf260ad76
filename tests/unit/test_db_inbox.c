/* Recording events: what is stored, what counts as the same, what is kept as a conflict. */
#include "testdb.h"

#include "core/key.h"

static struct testdb t;
static struct db *db;

static int64_t count(const char *what)
{
    char sql[400];

    (void)snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM hookonce_%s", what);
    return testdb_int(t.outside, sql);
}

/* The event that the tables hold, read back with nothing but SQL; strings live in rows. */
static struct event stored_event(struct db_rows *rows)
{
    static const char sql[] =
        "SELECT r.correlation_id, r.provider, r.source, r.event_id, r.event_type, r.object_key,"
        " TIMESTAMPDIFF(MICROSECOND, '1970-01-01', r.occurred_at), r.document, b.headers, b.bytes,"
        " r.same_digest, r.mac, r.body_sha256"
        " FROM hookonce_receipt r JOIN hookonce_body b ON b.correlation_id = r.correlation_id"
        " AND b.part = 0";
    struct event e = {0};
    struct ho_err err;

    assert_int_equal(db_run_once(t.outside, sql, NULL, 0, rows, &err), HO_OK);
    assert_int_equal(rows->n_rows, 1);
    memcpy(e.cid, db_cell(rows, 0, 0).p, ULID_LEN);
    e.provider = db_cell(rows, 0, 1);
    e.source = db_cell(rows, 0, 2);
    e.id = db_cell(rows, 0, 3);
    e.type = db_cell(rows, 0, 4);
    e.object = db_cell(rows, 0, 5);
    e.has_occurred = span_present(db_cell(rows, 0, 6));
    e.occurred_us = db_cell_int(rows, 0, 6);
    e.document = db_cell(rows, 0, 7);
    e.headers = db_cell(rows, 0, 8);
    e.body = db_cell(rows, 0, 9);
    memcpy(e.same, db_cell(rows, 0, 10).p, sizeof e.same);
    return e;
}

static void assert_mac_holds(void)
{
    struct db_rows rows = {0};
    unsigned char mac[SHA256_LEN];
    struct event e = stored_event(&rows);

    event_mac(&e, TESTDB_KEY, mac);
    assert_true(span_eq(db_cell(&rows, 0, 11), span_make(mac, sizeof mac)));
    db_rows_free(&rows);
}

static void new_event_is_stored_whole(void **state)
{
    struct event e = testdb_event("evt_1", "{\"n\":\"a\\u0000b\"}");
    struct db_rows rows = {0};
    unsigned char digest[SHA256_LEN];
    (void)state;

    assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
    struct event s = stored_event(&rows);
    assert_string_equal(s.cid, e.cid);
    assert_true(span_eq(s.provider, e.provider) && span_eq(s.source, e.source));
    assert_true(span_eq(s.id, e.id) && span_eq(s.type, e.type) && span_eq(s.object, e.object));
    assert_true(s.has_occurred);
    assert_int_equal(s.occurred_us, e.occurred_us);
    assert_true(span_eq(s.headers, e.headers) && span_eq(s.body, e.body));
    assert_true(span_eq(db_cell(&rows, 0, 10), span_make(e.same, sizeof e.same)));
    mac_sha256(e.body, digest);
    assert_true(span_eq(db_cell(&rows, 0, 12), span_make(digest, sizeof digest)));
    db_rows_free(&rows);
    assert_mac_holds();
    assert_int_equal(count("receipt WHERE status = 'received' AND body_len = 16 AND secret_no = 1"
                           " AND duplicates = 0 AND ABS(TIMESTAMPDIFF(SECOND, received_at,"
                           " UTC_TIMESTAMP(6))) < 5 AND received_at = recorded_at"),
                     1);
    assert_int_equal(count("job j JOIN hookonce_receipt r USING (correlation_id)"
                           " WHERE j.state = 'ready' AND j.route = '' AND j.tries = 0"
                           " AND j.run_at <= UTC_TIMESTAMP(6)"),
                     1);
}

static void absent_fields(void **state)
{
    struct event e = testdb_event("evt_1", "");
    (void)state;

    e.type = e.object = e.headers = e.body = SPAN_NONE;
    e.has_occurred = false;
    assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
    assert_int_equal(count("receipt WHERE event_type = '' AND object_key IS NULL"
                           " AND occurred_at IS NULL AND body_len = 0"),
                     1);
    assert_int_equal(count("body WHERE bytes = '' AND headers = ''"), 1);
    assert_mac_holds();
}

static void times_out_of_range_are_not_known(void **state)
{
    static const struct {
        int64_t us;
        const char *stored;
    } rows[] = {
        {0, "1970-01-01 00:00:00.000000"},
        {INT64_C(253402300799999999), "9999-12-31 23:59:59.999999"},
        {-1, "(null)"},
        {INT64_C(253402300800000000), "(null)"},
        {INT64_MAX, "(null)"},
        {INT64_MIN, "(null)"},
    };
    char text[256];
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct event e = testdb_event("evt_1", "x");
        testdb_empty(&t);
        e.occurred_us = rows[i].us;
        assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
        assert_string_equal(
            testdb_text(t.outside, "SELECT occurred_at FROM hookonce_receipt", text),
            rows[i].stored);
        assert_mac_holds();
    }
}

static void same_again_is_a_duplicate(void **state)
{
    struct event first = testdb_event("evt_1", "body");
    struct event again = testdb_event("evt_1", "body with other bytes");
    struct ho_err err;
    (void)state;

    assert_int_equal(testdb_record(db, &first), RECEIPT_NEW);
    memcpy(again.same, first.same, sizeof again.same);
    again.source = SPAN_LIT("shop-us"); /* another endpoint of the same account */
    assert_int_equal(testdb_record(db, &again), RECEIPT_DUPLICATE);
    assert_int_equal(testdb_record(db, &again), RECEIPT_DUPLICATE);
    assert_int_equal(count("receipt WHERE duplicates = 0"), 1);
    assert_int_equal(count("job"), 1);
    assert_int_equal(count("body"), 1);
    assert_int_equal(count("conflict"), 0);
    struct accepted *a = accepted_make(&again);
    const enum receipt_result results[] = {RECEIPT_DUPLICATE, RECEIPT_NEW};
    assert_int_equal(inbox_count_duplicates(db, &a, results, 1, &err), HO_OK);
    assert_int_equal(inbox_count_duplicates(db, &a, results, 1, &err), HO_OK);
    assert_int_equal(inbox_count_duplicates(db, &a, results + 1, 1, &err), HO_OK);
    accepted_free(a);
    assert_int_equal(count("receipt WHERE duplicates = 2 AND last_duplicate_at IS NOT NULL"), 1);
}

/* The very same delivery recorded twice is what a COMMIT with a lost answer looks like. */
static void own_correlation_id_means_it_took(void **state)
{
    struct event e = testdb_event("evt_1", "body");
    (void)state;

    e.has_guard = true;
    assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
    assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
    assert_int_equal(count("receipt"), 1);
    assert_int_equal(count("job"), 1);
}

static void ids_are_bytes(void **state)
{
#define ID(s) {s, sizeof(s) - 1}
    static const struct {
        const char *p;
        size_t len;
    } ids[] = {
        ID("evt_1Ab"), ID("evt_1ab"), ID("evt_1ab "), ID("\xc3\xa9"), ID("e"),        ID("a"),
        ID("a "),      ID("a\0"),     ID("a\0b"),     ID("\xff"),     ID("\xfe"),     ID("?"),
        ID("\xc3\x9f"), ID("ss"),     ID("a\\"),      ID("a'"),       ID("\xf0\x9f\x98\x80"),
        ID("\xf0\x9f\x98\x81"),
    };
    size_t n = sizeof ids / sizeof ids[0];
    (void)state;

    for (size_t i = 0; i < n; i++) {
        struct event e = testdb_event("", "body");
        e.id = span_make(ids[i].p, ids[i].len);
        if (testdb_record(db, &e) != RECEIPT_NEW) {
            fail_msg("id %zu was taken for another", i);
        }
    }
    assert_int_equal(count("receipt"), n);
    assert_int_equal(count("job"), n);
}

static void long_ids_stay_apart(void **state)
{
    char raw[4000];
    static const struct {
        size_t len;
        char last;
    } rows[] = {{255, 'a'}, {255, 'b'}, {256, 'b'}, {300, 'a'}, {300, 'b'}, {4000, 'a'}};
    size_t n = sizeof rows / sizeof rows[0];
    (void)state;

    memset(raw, 'x', sizeof raw);
    for (size_t i = 0; i < n; i++) {
        struct event e = testdb_event("", "body");
        struct buf key;
        buf_init(&key, EVENT_KEY_MAX);
        raw[rows[i].len - 1] = rows[i].last;
        assert_int_equal(key_stored(span_make(raw, rows[i].len), &key), HO_OK);
        raw[rows[i].len - 1] = 'x';
        e.id = buf_span(&key);
        assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
        buf_free(&key);
    }
    assert_int_equal(count("receipt"), n);
}

#ifndef HO_ABORT_ON_BUG
static void what_does_not_fit_is_refused(void **state)
{
    char raw[256];
    struct event e = testdb_event("", "body");
    enum receipt_result result;
    struct ho_err err;
    (void)state;

    memset(raw, 'x', sizeof raw);
    e.id = span_make(raw, 256);
    struct accepted *a = accepted_make(&e);
    assert_int_equal(inbox_record(db, &a, 1, TESTDB_KEY, deadline_in(1000), &result, &err), HO_BUG);
    accepted_free(a);
    e.id = SPAN_LIT("");
    a = accepted_make(&e);
    assert_int_equal(inbox_record(db, &a, 1, TESTDB_KEY, deadline_in(1000), &result, &err), HO_BUG);
    accepted_free(a);
    assert_int_equal(count("receipt"), 0);
}
#endif

static void another_meaning_is_a_conflict(void **state)
{
    struct event first = testdb_event("evt_1", "one");
    (void)state;

    assert_int_equal(testdb_record(db, &first), RECEIPT_NEW);
    for (int i = 0; i < 3; i++) {
        struct event other = testdb_event("evt_1", "two");
        other.has_guard = true; /* its guard must not stay behind */
        assert_int_equal(testdb_record(db, &other), RECEIPT_CONFLICT);
    }
    assert_int_equal(count("conflict c JOIN hookonce_receipt r"
                           " ON r.correlation_id = c.first_correlation_id"
                           " AND r.same_digest = c.first_same_digest"
                           " WHERE c.kind = 'meaning' AND c.body = 'two' AND c.seen = 3"
                           " AND c.event_id = 'evt_1' AND c.last_seen_at > c.first_seen_at"),
                     1);
    for (int i = 0; i < 25; i++) {
        char body[32];
        (void)snprintf(body, sizeof body, "other %d", i);
        struct event other = testdb_event("evt_1", body);
        assert_int_equal(testdb_record(db, &other), RECEIPT_CONFLICT);
    }
    assert_int_equal(count("conflict"), 20);
    assert_int_equal(testdb_int(t.outside, "SELECT SUM(seen) FROM hookonce_conflict"), 28);
    assert_int_equal(testdb_int(t.outside, "SELECT seen FROM hookonce_conflict ORDER BY id DESC"
                                           " LIMIT 1"),
                     7);
    assert_int_equal(count("guard"), 0);
    assert_int_equal(count("receipt"), 1);
    assert_int_equal(count("job"), 1);
    assert_int_equal(testdb_record(db, &first), RECEIPT_NEW); /* still its own */
}

static void guard_finds_a_replay_under_a_fresh_id(void **state)
{
    struct event first = testdb_event("id-1", "content");
    struct event again = testdb_event("id-1", "content");
    struct event other = testdb_event("id-2", "other content");
    (void)state;

    first.has_guard = again.has_guard = other.has_guard = true;
    memcpy(first.guard, first.same, sizeof first.guard);
    memcpy(again.guard, first.same, sizeof first.guard);
    memcpy(other.guard, other.same, sizeof first.guard);
    assert_int_equal(testdb_record(db, &first), RECEIPT_NEW);
    assert_int_equal(testdb_record(db, &again), RECEIPT_DUPLICATE);
    assert_int_equal(testdb_record(db, &other), RECEIPT_NEW);
    for (int i = 0; i < 25; i++) {
        char id[32];
        (void)snprintf(id, sizeof id, "fresh-%d", i);
        struct event replay = testdb_event(id, "content");
        replay.has_guard = true;
        memcpy(replay.guard, first.guard, sizeof replay.guard);
        assert_int_equal(testdb_record(db, &replay), RECEIPT_REPEAT);
        assert_int_equal(testdb_record(db, &replay), RECEIPT_REPEAT);
    }
    assert_int_equal(count("receipt"), 2);
    assert_int_equal(count("job"), 2);
    assert_int_equal(count("guard"), 2);
    assert_int_equal(count("conflict WHERE kind = 'repeat'"), 20);
    assert_int_equal(testdb_int(t.outside, "SELECT SUM(seen) FROM hookonce_conflict"), 50);
    /* another scope is another world */
    struct event elsewhere = first;
    elsewhere.provider = SPAN_LIT("other-shop");
    ulid_new(clock_wall_us(), elsewhere.cid);
    assert_int_equal(testdb_record(db, &elsewhere), RECEIPT_NEW);
}

/* A body in parts, by the server's packet; part 0 holds the headers too. */
static void large_bodies_in_parts(void **state)
{
    static const struct {
        const char *packet;
        size_t body, parts;
    } rows[] = {
        {"16777216", 1000, 1},
        {"16777216", 9 * 1024 * 1024, 3},
        {"1048576", 9 * 1024 * 1024, 10},
        {"1048576", 1048576, 2},
    };
    int64_t before = testdb_int(t.outside, "SELECT @@global.max_allowed_packet");
    char sql[96];
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        testdb_empty(&t);
        (void)snprintf(sql, sizeof sql, "SET GLOBAL max_allowed_packet = %s", rows[i].packet);
        testdb_run(t.outside, sql);
        db_disconnect(db); /* a session keeps the value that it began with */
        unsigned char *body = ho_alloc(rows[i].body);
        for (size_t j = 0; j < rows[i].body; j++) {
            body[j] = (unsigned char)(j * 7 + j / 251);
        }
        struct event e = testdb_event("evt_1", "");
        e.body = span_make(body, rows[i].body);
        assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
        assert_int_equal(count("body"), rows[i].parts);
        assert_int_equal(count("body WHERE (part = 0) = (headers IS NOT NULL)"), rows[i].parts);
        testdb_run(t.outside, "SET SESSION group_concat_max_len = 20000000");
        assert_int_equal(
            testdb_int(t.outside,
                       "SELECT (SELECT UNHEX(SHA2(GROUP_CONCAT(bytes ORDER BY part SEPARATOR ''),"
                       " 256)) FROM hookonce_body) = body_sha256 FROM hookonce_receipt"),
            1);
        struct event other = e;
        memset(other.same, 1, sizeof other.same);
        ulid_new(clock_wall_us(), other.cid);
        assert_int_equal(testdb_record(db, &other), RECEIPT_CONFLICT);
        assert_int_equal(count("conflict WHERE LENGTH(body) <= 1048576 AND body_len > 999"), 1);
        free(body);
    }
    (void)snprintf(sql, sizeof sql, "SET GLOBAL max_allowed_packet = %lld", (long long)before);
    testdb_run(t.outside, sql);
    db_disconnect(db);
}

static int begin(void **state)
{
    (void)state;
    testdb_begin(&t, "inbox");
    testdb_tables(&t);
    db = db_open(&t.settings, DB_RECEIVER);
    return 0;
}

static int each(void **state)
{
    (void)state;
    testdb_empty(&t);
    return 0;
}

static int end(void **state)
{
    (void)state;
    db_close(db);
    testdb_end(&t);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(new_event_is_stored_whole, each),
        cmocka_unit_test_setup(absent_fields, each),
        cmocka_unit_test_setup(times_out_of_range_are_not_known, each),
        cmocka_unit_test_setup(same_again_is_a_duplicate, each),
        cmocka_unit_test_setup(own_correlation_id_means_it_took, each),
        cmocka_unit_test_setup(ids_are_bytes, each),
        cmocka_unit_test_setup(long_ids_stay_apart, each),
#ifndef HO_ABORT_ON_BUG
        cmocka_unit_test_setup(what_does_not_fit_is_refused, each),
#endif
        cmocka_unit_test_setup(another_meaning_is_a_conflict, each),
        cmocka_unit_test_setup(guard_finds_a_replay_under_a_fresh_id, each),
        cmocka_unit_test_setup(large_bodies_in_parts, each),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
