/* Sources in reply mode: the receipt and its claimed job, answers, and taking over. */
#include "relay.h"

#include "store/answers.h"
#include "store/job.h"

static struct testdb t;
static struct db *db;

/* Of one receipt's answer, for an event that all of these tests share. */
static struct answer_of of_event(const char *cid)
{
    return (struct answer_of){cid, SPAN_LIT("supabase"), SPAN_LIT("the event")};
}

static struct reply_claim claim_of(unsigned char token, int64_t lease_ms)
{
    struct reply_claim c = {.worker = "host-1-reply", .lease_ms = lease_ms};

    memset(c.token, token, sizeof c.token);
    return c;
}

static enum receipt_result record(const struct event *e, const struct reply_claim *claim,
                                  char cid[ULID_LEN + 1])
{
    struct accepted *a = accepted_make(e);
    struct recorded out;
    struct ho_err err;

    if (inbox_record_reply(db, a, TESTDB_KEY, claim, deadline_in(3000), &out, &err) != HO_OK) {
        fail_msg("record: %s", err.text);
    }
    accepted_free(a);
    memcpy(cid, out.cid, sizeof out.cid);
    return out.result;
}

static enum reply_state look_at(const char *cid, uint64_t *job, struct reply_answer *answer)
{
    struct reply_look out;
    struct ho_err err;

    const struct answer_of of = of_event(cid);
    if (answers_look(db, &of, TESTDB_KEY, &out, &err) != HO_OK) {
        fail_msg("look: %s", err.text);
    }
    *job = out.job;
    *answer = out.answer;
    return out.state;
}

static enum reply_state look(const char *cid)
{
    struct reply_answer answer;
    uint64_t job;
    enum reply_state state = look_at(cid, &job, &answer);

    reply_answer_free(&answer);
    return state;
}

static bool take(const char *cid, const struct reply_claim *claim)
{
    struct reply_answer answer;
    struct ho_err err;
    uint64_t job;
    bool taken = false;

    (void)look_at(cid, &job, &answer);
    reply_answer_free(&answer);
    if (answers_take(db, cid, job, claim, deadline_in(3000), &taken, &err) != HO_OK) {
        fail_msg("take: %s", err.text);
    }
    return taken;
}

/* Settles the claim with that token as done, with an answer. false: it does not hold the job. */
static bool settle(const char *cid, unsigned char token, const char *type, const char *body)
{
    struct reply_claim claim = claim_of(token, 0);
    struct reply_answer answer = {.status = 201};
    struct reply_held h;
    struct settlement s = {.state = JOB_DONE, .outcome = OUTCOME_DONE, .worker = "w"};
    struct ho_err err;
    bool held;

    assert_int_equal(answers_held(db, cid, claim.token, &h, &err), HO_OK);
    if (!h.held) {
        return false;
    }
    s.started = h.started;
    (void)snprintf(answer.type, sizeof answer.type, "%s", type);
    buf_init(&answer.body, ANSWER_LONGEST);
    assert_int_equal(buf_add_str(&answer.body, body), HO_OK);
    assert_int_equal(db_begin(db, &err), HO_OK);
    assert_int_equal(job_fence(db, &h.job, &held, h.started, &err), HO_OK);
    assert_true(held);
    const struct answer_of of = of_event(cid);
    assert_int_equal(answers_put(db, &of, TESTDB_KEY, &answer, &err), HO_OK);
    assert_int_equal(job_settle(db, &h.job, &s, &held, &err), HO_OK);
    assert_true(held);
    assert_int_equal(db_commit(db, &err), HO_OK);
    reply_answer_free(&answer);
    return true;
}

static void run_out(void)
{
    testdb_run(t.outside,
               "UPDATE hookonce_job SET run_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND");
}

/* ---- recording ---- */

static void a_new_one_runs_from_the_start(void **state)
{
    const struct reply_claim claim = claim_of(1, 4000);
    struct event e = testdb_event("evt_1", "body");
    char cid[ULID_LEN + 1], text[256];
    (void)state;

    assert_int_equal(record(&e, &claim, cid), RECEIPT_NEW);
    assert_string_equal(cid, e.cid);
    testdb_assert_stored(&t, 1);
    assert_string_equal(testdb_text(t.outside, "SELECT CONCAT_WS(' ', j.state, j.route, j.claim_no,"
                                    " j.tries, HEX(j.claim_token), j.worker, r.status)"
                                    " FROM hookonce_job j JOIN hookonce_receipt r"
                                    " USING (correlation_id)", text),
                        "running (reply) 1 0 01010101010101010101010101010101 host-1-reply "
                        "processing");
    int64_t left_ms = testdb_int(t.outside, "SELECT TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6),"
                                            " run_at) DIV 1000 FROM hookonce_job");
    assert_in_range(left_ms, 2500, 4000);
    assert_int_equal(look(cid), REPLY_RUNS);
}

static void what_is_there_keeps_its_job(void **state)
{
    const struct reply_claim first = claim_of(1, 4000), second = claim_of(2, 4000);
    struct event e = testdb_event("evt_1", "body"), again = e, other = e;
    char cid[ULID_LEN + 1], same[ULID_LEN + 1];
    (void)state;

    assert_int_equal(record(&e, &first, cid), RECEIPT_NEW);
    assert_int_equal(record(&e, &first, same), RECEIPT_NEW); /* its COMMIT's answer was lost */
    assert_string_equal(same, cid);
    ulid_new(clock_wall_us(), again.cid);
    assert_int_equal(record(&again, &second, same), RECEIPT_DUPLICATE);
    assert_string_equal(same, cid);
    ulid_new(clock_wall_us(), other.cid);
    other.same[0] ^= 1;
    assert_int_equal(record(&other, &second, same), RECEIPT_CONFLICT);
    assert_string_equal(same, cid);
    testdb_assert_stored(&t, 1);
    assert_int_equal(testdb_int(t.outside, "SELECT COUNT(*) FROM hookonce_job"
                                           " WHERE claim_token = REPEAT(CHAR(1), 16)"), 1);
}

static void an_event_of_the_queue_has_no_such_job(void **state)
{
    struct event e = testdb_event("evt_1", "body");
    uint64_t job = 7;
    struct reply_answer answer;
    (void)state;

    assert_int_equal(testdb_record(db, &e), RECEIPT_NEW);
    assert_int_equal(look_at(e.cid, &job, &answer), REPLY_NONE);
    assert_int_equal(job, 0);
    assert_int_equal(look("01ARYZ6S41TSV4RRFFQ69G5FAV"), REPLY_NONE);
}

/* ---- answers ---- */

static void an_answer_comes_back_as_it_was_put(void **state)
{
    static const struct {
        const char *type, *body;
    } rows[] = {{"text/plain; charset=utf-8", "\xC3\xA4 body"}, {"", ""}, {"", "x"}, {"a/b", ""}};
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct reply_claim claim = claim_of(1, 4000);
        struct event e = testdb_event("evt_1", "body");
        struct reply_answer answer;
        char cid[ULID_LEN + 1];
        uint64_t job;

        testdb_empty(&t);
        assert_int_equal(record(&e, &claim, cid), RECEIPT_NEW);
        assert_true(settle(cid, 1, rows[i].type, rows[i].body));
        assert_int_equal(look_at(cid, &job, &answer), REPLY_ANSWERED);
        assert_int_equal(answer.status, 201);
        assert_string_equal(answer.type, rows[i].type);
        assert_true(span_is(buf_span(&answer.body), rows[i].body));
        reply_answer_free(&answer);
        assert_false(settle(cid, 1, "", "again"));
    }
}

static void an_answer_is_believed_with_its_proof_only(void **state)
{
    static const char *const changes[] = {
        "body = 'other'",
        "status = 200",
        "content_type = 'text/html'",
        "content_type = NULL",
        "content_type = 'text/plai', body = 'nbody'",
        "mac = REPEAT('x', 32)",
        "correlation_id = '01ARYZ6S41TSV4RRFFQ69G5FAV'",
        "content_type = 'text/plain\r\nSet-Cookie: a=b'",
        "body = REPEAT('x', 204801)",
        "status = 600",
        "status = 65535",
    };
    (void)state;

    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const struct reply_claim claim = claim_of(1, 4000);
        struct event e = testdb_event("evt_1", "body");
        char cid[ULID_LEN + 1], sql[300];

        testdb_empty(&t);
        testdb_run(t.outside, "DELETE FROM hookonce_answer");
        assert_int_equal(record(&e, &claim, cid), RECEIPT_NEW);
        assert_true(settle(cid, 1, "text/plain", "body"));
        assert_int_equal(look(cid), REPLY_ANSWERED);
        (void)snprintf(sql, sizeof sql, "UPDATE hookonce_answer SET %s", changes[i]);
        testdb_run(t.outside, sql);
        enum reply_state state_now = look(cid);
        if (state_now != REPLY_FORGED && !(i == 6 && state_now == REPLY_NONE)) {
            fail_msg("%s: %d", changes[i], (int)state_now);
        }
    }
}

static void a_forged_answer_is_none_while_the_handler_runs(void **state)
{
    const struct reply_claim claim = claim_of(1, 4000);
    struct event e = testdb_event("evt_1", "body");
    char cid[ULID_LEN + 1], sql[300];
    (void)state;

    assert_int_equal(record(&e, &claim, cid), RECEIPT_NEW);
    (void)snprintf(sql, sizeof sql, "INSERT INTO hookonce_answer VALUES ('%s', 200, NULL, 'x',"
                   " REPEAT('x', 32), UTC_TIMESTAMP(6), NULL)", cid);
    testdb_run(t.outside, sql);
    assert_int_equal(look(cid), REPLY_RUNS);
    assert_true(settle(cid, 1, "", "mine"));
    assert_int_equal(look(cid), REPLY_ANSWERED);
}

static void sound_answers(void **state)
{
    (void)state;
    assert_true(reply_answer_sound(200, SPAN_LIT("")));
    assert_true(reply_answer_sound(599, SPAN_LIT("text/plain; a=\"b\"")));
    assert_false(reply_answer_sound(199, SPAN_LIT("")));
    assert_false(reply_answer_sound(600, SPAN_LIT("")));
    assert_false(reply_answer_sound(200, SPAN_LIT("a/\nb")));
    assert_false(reply_answer_sound(200, SPAN_LIT("a/b\x7f")));
    assert_false(reply_answer_sound(200, SPAN_LIT("a/b; c=\xc3\xa4")));
    assert_false(reply_answer_sound(200, SPAN_LIT("html")));
    assert_false(reply_answer_sound(200, SPAN_LIT("text/")));
    assert_false(reply_answer_sound(200, SPAN_LIT("/html")));
    assert_false(reply_answer_sound(200, SPAN_LIT("text/a b")));
    char long_type[ANSWER_TYPE_ROOM + 1];
    memset(long_type, 'a', sizeof long_type);
    long_type[1] = '/';
    assert_true(reply_answer_sound(200, span_make(long_type, ANSWER_TYPE_ROOM - 1)));
    assert_false(reply_answer_sound(200, span_make(long_type, ANSWER_TYPE_ROOM)));
}

/* ---- taking over ---- */

static void only_what_is_free_is_taken(void **state)
{
    static const struct {
        const char *change; /* of the job */
        enum reply_state state;
        bool taken;
    } rows[] = {
        {"state = 'running'", REPLY_RUNS, false},
        {"run_at = UTC_TIMESTAMP(6) - INTERVAL 1 MICROSECOND", REPLY_FREE, true},
        {"state = 'dead', outcome = 'gave up', claim_token = NULL", REPLY_FREE, true},
        {"state = 'done'", REPLY_NONE, false},
        {"route = 'paid'", REPLY_NONE, false},
    };
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct reply_claim first = claim_of(1, 4000), second = claim_of(2, 5000);
        struct event e = testdb_event("evt_1", "body");
        char cid[ULID_LEN + 1], sql[300], text[256];

        testdb_empty(&t);
        assert_int_equal(record(&e, &first, cid), RECEIPT_NEW);
        (void)snprintf(sql, sizeof sql, "UPDATE hookonce_job SET %s", rows[i].change);
        testdb_run(t.outside, sql);
        if (look(cid) != rows[i].state || take(cid, &second) != rows[i].taken) {
            fail_msg("%s", rows[i].change);
        }
        if (rows[i].taken) {
            assert_string_equal(testdb_text(t.outside, "SELECT CONCAT_WS(' ', state, claim_no,"
                                            " HEX(claim_token), IFNULL(outcome, '-'))"
                                            " FROM hookonce_job", text),
                                "running 2 02020202020202020202020202020202 -");
            assert_string_equal(testdb_text(t.outside, "SELECT status FROM hookonce_receipt",
                                            text), "processing");
            assert_int_equal(look(cid), REPLY_RUNS);
            assert_false(settle(cid, 1, "", "late")); /* the first one wakes up */
            assert_true(settle(cid, 2, "", "mine"));
        }
    }
}

static void what_was_not_started_is_let_go(void **state)
{
    const struct reply_claim mine = claim_of(1, 4000), another = claim_of(2, 4000);
    struct event e = testdb_event("evt_1", "body");
    char cid[ULID_LEN + 1];
    struct ho_err err;
    (void)state;

    assert_int_equal(record(&e, &mine, cid), RECEIPT_NEW);
    assert_int_equal(answers_let_go(db, cid, &another, &err), HO_OK);
    assert_int_equal(look(cid), REPLY_RUNS);
    assert_int_equal(answers_let_go(db, cid, &mine, &err), HO_OK);
    assert_int_equal(look(cid), REPLY_FREE);
    assert_true(take(cid, &another));
    assert_int_equal(answers_let_go(db, cid, &mine, &err), HO_OK);
    assert_int_equal(look(cid), REPLY_RUNS);
}

static void what_vanished_is_in_the_history(void **state)
{
    const struct reply_claim first = claim_of(1, 4000), second = claim_of(2, 5000);
    struct event e = testdb_event("evt_1", "body");
    char cid[ULID_LEN + 1], text[256];
    (void)state;

    assert_int_equal(record(&e, &first, cid), RECEIPT_NEW);
    run_out();
    assert_true(take(cid, &second));
    assert_string_equal(testdb_text(t.outside, "SELECT CONCAT_WS(' ', claim_no, try_no, worker,"
                                    " outcome, ended_at IS NOT NULL) FROM hookonce_attempt", text),
                        "1 1 host-1-reply lease lost 1");
}

/* A job whose handler still runs is locked by it: whoever comes then waits for the lock, and gives
 * up. */
static void a_locked_one_is_not_taken(void **state)
{
    const struct reply_claim first = claim_of(1, 4000), second = claim_of(2, 5000);
    struct event e = testdb_event("evt_1", "body");
    struct reply_answer answer;
    char cid[ULID_LEN + 1];
    struct ho_err err;
    uint64_t job;
    bool taken = true;
    (void)state;

    assert_int_equal(record(&e, &first, cid), RECEIPT_NEW);
    run_out();
    assert_int_equal(look_at(cid, &job, &answer), REPLY_FREE);
    assert_int_equal(db_begin(t.outside, &err), HO_OK);
    testdb_run(t.outside, "SELECT id FROM hookonce_job FOR UPDATE");
    enum ho_code code = answers_take(db, cid, job, &second, deadline_in(500), &taken, &err);
    assert_true(code == HO_OK || (code == HO_TRANSIENT && testdb_waits_coarsely(t.outside)));
    assert_false(taken);
    db_rollback(t.outside);
    assert_true(take(cid, &second));
}

static void a_take_over_with_a_lost_answer_is_mine(void **state)
{
    static const enum cut cuts[] = {CUT_BEFORE, CUT_AFTER};
    (void)state;

    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        const struct reply_claim first = claim_of(1, 4000), second = claim_of(2, 5000);
        struct event e = testdb_event("evt_1", "body");
        struct settings s = t.settings;
        char *sockets[] = {relay.path}, cid[ULID_LEN + 1];
        struct reply_answer answer;
        struct ho_err err;
        uint64_t job;
        bool taken = false;

        testdb_empty(&t);
        assert_int_equal(record(&e, &first, cid), RECEIPT_NEW);
        run_out();
        assert_int_equal(look_at(cid, &job, &answer), REPLY_FREE);
        relay_start(t.sockets[0]);
        s.sockets = sockets;
        struct db *other = db_open(&s, DB_RECEIVER);
        assert_int_equal(db_connect(other, &err), HO_OK);
        atomic_store(&relay.sprung, 0);
        atomic_store(&relay.armed, (int)cuts[i]);
        assert_int_equal(answers_take(other, cid, job, &second, deadline_in(3000), &taken, &err),
                         HO_OK);
        assert_true(taken);
        assert_int_equal(atomic_load(&relay.sprung), 1);
        assert_int_equal(testdb_int(t.outside, "SELECT claim_no FROM hookonce_job"), 2);
        db_close(other);
        relay_stop();
    }
}

static int begin(void **state)
{
    (void)state;
    testdb_begin(&t, "answers");
    testdb_tables(&t);
    db = db_open(&t.settings, DB_RECEIVER);
    return 0;
}

static int each(void **state)
{
    (void)state;
    testdb_empty(&t);
    testdb_run(t.outside, "DELETE FROM hookonce_answer");
    testdb_run(t.outside, "DELETE FROM hookonce_attempt");
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
        cmocka_unit_test_setup(a_new_one_runs_from_the_start, each),
        cmocka_unit_test_setup(what_is_there_keeps_its_job, each),
        cmocka_unit_test_setup(an_event_of_the_queue_has_no_such_job, each),
        cmocka_unit_test_setup(an_answer_comes_back_as_it_was_put, each),
        cmocka_unit_test_setup(an_answer_is_believed_with_its_proof_only, each),
        cmocka_unit_test_setup(a_forged_answer_is_none_while_the_handler_runs, each),
        cmocka_unit_test(sound_answers),
        cmocka_unit_test_setup(only_what_is_free_is_taken, each),
        cmocka_unit_test_setup(what_was_not_started_is_let_go, each),
        cmocka_unit_test_setup(what_vanished_is_in_the_history, each),
        cmocka_unit_test_setup(a_locked_one_is_not_taken, each),
        cmocka_unit_test_setup(a_take_over_with_a_lost_answer_is_mine, each),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
