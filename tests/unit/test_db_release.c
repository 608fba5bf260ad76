/* Refused deliveries that a person releases: repeats become events, and nothing else does. */
#include "flow_routes.h"

#include "store/conflict_release.h"

static int begin(void **state)
{
    (void)state;
    return flow_begin("release", FLOW "[source quick]\nprovider = stripe\nsecret = file:x\nmode = reply\n"
                                      "handler = note\n");
}

static int empty(void **state)
{
    testdb_run(base.outside, "DELETE FROM hookonce_guard");
    testdb_run(base.outside, "DELETE FROM hookonce_conflict");
    return flow_empty(state);
}

/* The same signed content, under the guard, with this id. */
static struct event guarded(const char *id, const char *body)
{
    struct event e = testdb_event(id, body);

    e.type = SPAN_LIT("plain");
    e.has_guard = true;
    mac_sha256(e.body, e.guard);
    return e;
}

/* Records one, and the same again under another id; returns the number of the conflict. */
static uint64_t repeat(const char *body)
{
    const struct event first = guarded("evt_1", body), again = guarded("evt_2", body);

    assert_int_equal(testdb_record(base.outside, &first), RECEIPT_NEW);
    assert_int_equal(testdb_record(base.outside, &again), RECEIPT_REPEAT);
    return (uint64_t)testdb_int(base.outside, "SELECT MAX(id) FROM hookonce_conflict");
}

static enum conflict_released let_go(uint64_t id)
{
    const struct conflict_release_how how = {.settings = settings, .key = TESTDB_KEY};
    enum conflict_released what;
    char cid[ULID_LEN + 1];

    if (conflict_release(base.outside, id, &how, &what, cid, &err) != HO_OK) {
        fail_msg("release: %s", err.text);
    }
    assert_int_equal(strlen(cid), what == RELEASED ? ULID_LEN : 0);
    return what;
}

static void a_repeat_becomes_an_event_of_its_own_once(void **state)
{
    (void)state;

    uint64_t id = repeat("{\"n\":1}");
    flow_run();
    ASSERT_COUNT("fx", 1);
    assert_int_equal(let_go(id), RELEASED);
    assert_int_equal(let_go(id), RELEASE_BEFORE);
    ASSERT_COUNT("hookonce_receipt r JOIN hookonce_conflict c USING (correlation_id, provider, event_id,"
                 " source, event_type, object_key, occurred_at, same_digest, secret_no) WHERE"
                 " r.event_id = 'evt_2' AND r.received_at = c.first_seen_at AND r.document = 'json'"
                 " AND c.released_at IS NOT NULL", 1);
    flow_run();
    ASSERT_COUNT("fx", 2);
    /* Its sender tries on: it is a duplicate of the event that it has become. */
    const struct event again = guarded("evt_2", "{\"n\":1}");
    assert_int_equal(testdb_record(base.outside, &again), RECEIPT_DUPLICATE);
    ASSERT_COUNT("hookonce_conflict WHERE seen = 1", 1);
    /* Run, pruned, and asked for again: it is not done a second time. */
    testdb_run(base.outside, "DELETE FROM hookonce_receipt WHERE event_id = 'evt_2'");
    testdb_run(base.outside, "DELETE FROM hookonce_job WHERE id = 2");
    assert_int_equal(let_go(id), RELEASE_PRUNED);
    ASSERT_COUNT("hookonce_job", 1);
    /* Then it is for a person once more, in a row of its own. */
    assert_int_equal(testdb_record(base.outside, &again), RECEIPT_REPEAT);
    assert_int_equal(testdb_record(base.outside, &again), RECEIPT_REPEAT);
    ASSERT_COUNT("hookonce_conflict WHERE released_at IS NULL AND seen = 2", 1);
    ASSERT_COUNT("hookonce_conflict WHERE seen = 1", 1);
}

static void what_was_changed_is_not_released(void **state)
{
    static const struct {
        const char *change;
        enum conflict_released want;
    } rows[] = {
        {"body = '{\"n\":2}'", RELEASE_FORGED},
        {"headers = 'x: y\\n'", RELEASE_FORGED},
        {"event_id = 'evt_3'", RELEASE_FORGED},
        {"event_type = 'paid'", RELEASE_FORGED},
        {"source = 'other'", RELEASE_FORGED},
        {"object_key = NULL", RELEASE_FORGED},
        {"occurred_at = NULL", RELEASE_FORGED},
        {"document = 'form'", RELEASE_FORGED},
        {"correlation_id = '01AAAAAAAAAAAAAAAAAAAAAAAA'", RELEASE_FORGED},
        {"correlation_id = 'x'", RELEASE_FORGED},
        {"same_digest = REPEAT('s', 32)", RELEASE_FORGED},
        {"mac = REPEAT('m', 32)", RELEASE_FORGED},
        {"mac = (SELECT mac FROM hookonce_receipt WHERE event_id = 'evt_1')", RELEASE_FORGED},
        {"mac = NULL", RELEASE_CUT},
        {"body = ''", RELEASE_CUT},
        {"body_key = '0123456789abcdef'", RELEASE_SEALED},
        {"kind = 'meaning'", RELEASE_MEANING},
        {"id = id + 1", RELEASE_MISSING},
    };
    char sql[200];
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        (void)empty(NULL);
        uint64_t id = repeat("{\"n\":1}");
        (void)snprintf(sql, sizeof sql, "UPDATE hookonce_conflict SET %s", rows[i].change);
        testdb_run(base.outside, sql);
        ROW(i, let_go(id) == rows[i].want);
        ROW(i, work_count("hookonce_receipt") == 1 && work_count("hookonce_job") == 1);
        ROW(i, work_count("hookonce_conflict WHERE released_at IS NOT NULL") == 0);
    }
}

/* The MAC of its row is no receipt's: who can write to the table cannot make a receipt of it. */
static void the_row_proves_no_receipt(void **state)
{
    (void)state;

    (void)repeat("{\"n\":1}");
    flow_run();
    testdb_run(base.outside, "INSERT INTO hookonce_receipt (provider, event_id, correlation_id, source,"
                             " event_type, object_key, occurred_at, received_at, recorded_at, status,"
                             " body_len, body_sha256, same_digest, document, secret_no, mac)"
                             " SELECT provider, event_id, correlation_id, source, event_type,"
                             " object_key, occurred_at, first_seen_at, first_seen_at, 'received',"
                             " body_len, body_sha256, same_digest, document, secret_no, mac"
                             " FROM hookonce_conflict");
    testdb_run(base.outside, "INSERT INTO hookonce_body (correlation_id, part, headers, bytes)"
                             " SELECT correlation_id, 0, headers, body FROM hookonce_conflict");
    testdb_run(base.outside, "INSERT INTO hookonce_job (correlation_id, state, run_at, created_at)"
                             " SELECT correlation_id, 'ready', first_seen_at, first_seen_at"
                             " FROM hookonce_conflict");
    flow_run();
    ASSERT_COUNT("fx", 1);
    ASSERT_COUNT("hookonce_job WHERE outcome = 'forged row'", 1);
}

static void the_id_may_be_another_events_by_now(void **state)
{
    (void)state;

    uint64_t id = repeat("{\"n\":1}");
    flow_event("evt_2", "plain", "{\"n\":2}", 0);
    assert_int_equal(let_go(id), RELEASE_THERE);
    ASSERT_COUNT("hookonce_receipt", 2);
    ASSERT_COUNT("hookonce_conflict WHERE released_at IS NULL", 1);
}

static void only_what_was_kept_whole_is_released(void **state)
{
    const size_t len = 1024 * 1024 + 100;
    char *body = ho_alloc(len + 1);
    (void)state;

    memset(body, ' ', len);
    memcpy(body, "{}", 2);
    body[len] = '\0';
    uint64_t id = repeat(body);
    assert_int_equal(let_go(id), RELEASE_CUT);
    free(body);
    struct event first = testdb_event("evt_9", "{\"n\":1}"), other = testdb_event("evt_9", "{\"n\":2}");
    assert_int_equal(testdb_record(base.outside, &first), RECEIPT_NEW);
    assert_int_equal(testdb_record(base.outside, &other), RECEIPT_CONFLICT);
    ASSERT_COUNT("hookonce_conflict WHERE kind = 'meaning' AND mac IS NULL", 1);
    assert_int_equal(let_go((uint64_t)testdb_int(base.outside, "SELECT MAX(id) FROM hookonce_conflict")),
                     RELEASE_MEANING);
}

/* An item of a batch is an event with its item for a body. */
static void an_item_of_a_batch_is_released_alone(void **state)
{
    static const char body[] = "[{\"n\":1},{\"n\":2}]";
    struct event all[2] = {guarded("evt_1", body), guarded("evt_2", body)};
    struct accepted *made[2];
    enum receipt_result results[2];
    (void)state;

    (void)repeat("{\"n\":7}");
    testdb_run(base.outside, "DELETE FROM hookonce_conflict");
    for (size_t i = 0; i < 2; i++) {
        mac_sha256(SPAN_LIT("{\"n\":7}"), all[1].guard);
        all[i].id = i == 0 ? SPAN_LIT("evt_8") : SPAN_LIT("evt_9");
        all[i].document = i == 0 ? SPAN_LIT("json#/0") : SPAN_LIT("json#/1");
        all[i].body = span_of(body);
        made[i] = accepted_make(&all[i]);
    }
    assert_int_equal(inbox_record(base.outside, made, 2, TESTDB_KEY, deadline_in(3000), results, &err),
                     HO_OK);
    assert_int_equal(results[1], RECEIPT_REPEAT);
    accepted_free(made[0]);
    accepted_free(made[1]);
    assert_int_equal(let_go((uint64_t)testdb_int(base.outside, "SELECT MAX(id) FROM hookonce_conflict")),
                     RELEASED);
    ASSERT_VALUE("SELECT CONCAT(bytes) FROM hookonce_body b JOIN hookonce_receipt r USING (correlation_id)"
                 " WHERE event_id = 'evt_9' AND document = 'json'", "{\"n\":2}");
    flow_run();
    ASSERT_COUNT("fx WHERE note IS NOT NULL", 3);
    ASSERT_COUNT("hookonce_job WHERE state = 'done' AND outcome = 'done'", 3);
}

static void a_source_that_answers_requests_has_no_jobs(void **state)
{
    struct event first = guarded("evt_1", "{}"), again = guarded("evt_2", "{}");
    (void)state;

    first.source = again.source = SPAN_LIT("quick");
    assert_int_equal(testdb_record(base.outside, &first), RECEIPT_NEW);
    assert_int_equal(testdb_record(base.outside, &again), RECEIPT_REPEAT);
    assert_int_equal(let_go((uint64_t)testdb_int(base.outside, "SELECT MAX(id) FROM hookonce_conflict")),
                     RELEASE_REPLY);
    ASSERT_COUNT("hookonce_job", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_repeat_becomes_an_event_of_its_own_once, empty),
        cmocka_unit_test_setup(what_was_changed_is_not_released, empty),
        cmocka_unit_test_setup(the_row_proves_no_receipt, empty),
        cmocka_unit_test_setup(the_id_may_be_another_events_by_now, empty),
        cmocka_unit_test_setup(only_what_was_kept_whole_is_released, empty),
        cmocka_unit_test_setup(an_item_of_a_batch_is_released_alone, empty),
        cmocka_unit_test_setup(a_source_that_answers_requests_has_no_jobs, empty),
    };
    return cmocka_run_group_tests(tests, begin, flow_end);
}
