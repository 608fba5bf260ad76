/* The words of states and outcomes: one for each, none twice, and the schema knows them. */
#include "unit.h"

#include "base/buf.h"
#include "base/file.h"
#include "core/outcome.h"

static const char *state_word(unsigned i)
{
    return job_state_word((enum job_state)i);
}

static const char *status_word(unsigned i)
{
    return receipt_status_word((enum receipt_status)i);
}

static const char *end_word(unsigned i)
{
    return outcome_word((enum outcome)i);
}

static const char *wait_word(unsigned i)
{
    return job_wait_word((enum job_wait)i);
}

static const struct {
    const char *(*word)(unsigned i);
    unsigned i;
    const char *want;
} words[] = {
    {state_word, JOB_READY, "ready"},
    {state_word, JOB_RUNNING, "running"},
    {state_word, JOB_DONE, "done"},
    {state_word, JOB_DEAD, "dead"},
    {state_word, JOB_WAITING, "waiting"},
    {status_word, RECEIPT_RECEIVED, "received"},
    {status_word, RECEIPT_PROCESSING, "processing"},
    {status_word, RECEIPT_PROCESSED, "processed"},
    {status_word, RECEIPT_FAILED, "failed"},
    {end_word, OUTCOME_NONE, ""},
    {end_word, OUTCOME_DONE, "done"},
    {end_word, OUTCOME_IGNORED, "ignored"},
    {end_word, OUTCOME_INFORMATIONAL, "informational"},
    {end_word, OUTCOME_FAILED, "failed"},
    {end_word, OUTCOME_GAVE_UP, "gave up"},
    {end_word, OUTCOME_LEASE_LOST, "lease lost"},
    {end_word, OUTCOME_WORKER_LOST, "worker lost"},
    {end_word, OUTCOME_FORGED, "forged row"},
    {end_word, OUTCOME_NO_ROUTE, "no route"},
    {end_word, OUTCOME_BAD_HANDLER, "bad handler"},
    {end_word, OUTCOME_ALREADY_DONE, "already done"},
    {end_word, OUTCOME_ALREADY_SO, "already so"},
    {end_word, OUTCOME_STALE, "stale"},
    {end_word, OUTCOME_NEED, "need not met"},
    {end_word, OUTCOME_UNKNOWN, "outcome unknown"},
    {end_word, OUTCOME_REFUSED, "handler gave up"},
    {end_word, OUTCOME_GONE, "gone"},
    {end_word, OUTCOME_KEY_OVER, "key over"},
    {end_word, OUTCOME_NO_KEY, "no key"},
    {end_word, OUTCOME_WAITED, "waited too long"},
    {end_word, OUTCOME_NO_BODY, "body gone"},
    {end_word, OUTCOME_DISCARDED, "discarded"},
    {end_word, OUTCOME_DEFERRED, "deferred"},
    {wait_word, WAIT_NONE, ""},
    {wait_word, WAIT_LANE, "lane"},
    {wait_word, WAIT_NEED, "need"},
    {wait_word, WAIT_OWNER, "owner"},
    {wait_word, WAIT_RELEASE, "release"},
    {wait_word, WAIT_BREAKER, "breaker"},
    {wait_word, WAIT_RATE, "rate"},
    {wait_word, WAIT_SLOT, "slot"},
    {wait_word, WAIT_HANDLER, "handler"},
    {wait_word, WAIT_TURN, "turn"},
};

static void each_value_has_its_word(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(words); i++) {
        assert_string_equal(words[i].word(words[i].i), words[i].want);
        assert_true(strlen(words[i].want) <= 32); /* the width of the columns */
    }
}

static void no_word_stands_for_two_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(words); i++) {
        for (size_t k = i + 1; k < COUNT(words); k++) {
            if (words[i].word == words[k].word && strcmp(words[i].want, words[k].want) == 0) {
                fail_msg("\"%s\" stands for two values", words[i].want);
            }
        }
    }
}

static void no_state(void)
{
    (void)job_state_word(JOB_WAITING + 1);
}

static void no_status(void)
{
    (void)receipt_status_word(RECEIPT_FAILED + 1);
}

static void no_wait(void)
{
    (void)job_wait_word(WAIT_N);
}

static void no_outcome(void)
{
    (void)outcome_word(OUTCOME_N);
}

static void last_outcome(void)
{
    (void)outcome_word(OUTCOME_DEFERRED);
}

static void a_value_without_a_word_dies(void **state)
{
    char said[200];
    (void)state;
    assert_int_equal(end_of(no_state, said, sizeof said), 71);
    assert_string_equal(said, "hookonce: a state or outcome without a word: 5\n");
    assert_int_equal(end_of(no_status, NULL, 0), 71);
    assert_int_equal(end_of(no_outcome, NULL, 0), 71);
    assert_int_equal(end_of(no_wait, NULL, 0), 71);
    assert_int_equal(end_of(last_outcome, NULL, 0), 0);
}

static void the_schema_has_the_same_states(void **state)
{
    struct buf schema;
    (void)state;
    buf_init(&schema, 1024 * 1024);
    assert_int_equal(file_read(HO_TESTS "/../schema/001-inbox.sql", false, &schema, NULL), HO_OK);
    assert_int_equal(file_read(HO_TESTS "/../schema/003-flow.sql", false, &schema, NULL), HO_OK);
    assert_non_null(strstr(buf_cstr(&schema),
                           "state ENUM('ready', 'running', 'done', 'dead', 'waiting')"));
    assert_non_null(strstr(buf_cstr(&schema),
                           "status ENUM('received', 'processing', 'processed', 'failed')"));
    buf_free(&schema);
}

static void a_receipt_is_as_its_worst_job(void **state)
{
    static const struct {
        unsigned ready, running, dead;
        enum receipt_status want;
    } rows[] = {
        {0, 0, 0, RECEIPT_PROCESSED}, {1, 0, 0, RECEIPT_RECEIVED}, {0, 1, 0, RECEIPT_PROCESSING},
        {5, 1, 0, RECEIPT_PROCESSING}, {0, 0, 1, RECEIPT_FAILED},  {0, 5, 1, RECEIPT_FAILED},
        {5, 0, 1, RECEIPT_FAILED},     {5, 5, 5, RECEIPT_FAILED},  {9, 0, 0, RECEIPT_RECEIVED},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(receipt_status_of(rows[i].ready, rows[i].running, rows[i].dead),
                         rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_value_has_its_word),
        cmocka_unit_test(no_word_stands_for_two_values),
        cmocka_unit_test(a_value_without_a_word_dies),
        cmocka_unit_test(the_schema_has_the_same_states),
        cmocka_unit_test(a_receipt_is_as_its_worst_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
