/* What a site's SQL is given of the event. */
#include "handler_run.h"

static int begin(void **state)
{
    (void)state;
    return handler_begin("bind");
}

#define BODY \
    "{\"s\":\"it's \\u00e9\\u0000x\",\"i\":42,\"big\":18446744073709551614,\"r\":1.10,\"t\":true," \
    "\"f\":false,\"n\":null,\"o\":{\"k\":[1,\"2\"]},\"e\":\"\",\"huge\":123456789012345678901234}"

static const struct {
    const char *expression, *value; /* NULL: SQL's */
} values[] = {
    {"HEX({/s})", "6974277320C3A90078"},
    {"{/i}", "42"},
    {"{/i} + 1", "43"},
    {"{/big}", "18446744073709551614"},
    {"{/r}", "1.10"},
    {"{/t}", "1"},
    {"{/f}", "0"},
    {"{/n}", NULL},
    {"{/missing}", NULL},
    {"{/o/k/1}", "2"},
    {"{/o}", "{\"k\":[1,\"2\"]}"},
    {"CONCAT('<', {/e}, '>')", "<>"},
    {"{header:Content-Type}", "application/json"},
    {"{header:X-None}", NULL},
    {"{event:provider}", "shop"},
    {"{event:source}", "shop-eu"},
    {"{event:id}", "evt_1"},
    {"{event:type}", "a.b"},
    {"{event:object}", "ord_1"},
    {"{event:occurred_at}", "2025-11-30 10:53:20.123456"},
    {"LENGTH({event:correlation_id})", "26"},
    {"{event:attempt}", "3"},
    {"LENGTH({event:body})", "154"},
    {"{/s} = {/s}", "1"},
};

static void values_arrive_as_promised(void **state)
{
    char sql[300], got[256];
    (void)state;

    work_event("evt_1", "a.b", BODY);
    for (size_t i = 0; i < COUNT(values); i++) {
        testdb_run(base.outside, "DELETE FROM fx");
        (void)snprintf(sql, sizeof sql, "sql = INSERT INTO fx (note) SELECT %s",
                       values[i].expression);
        if (run(sql, 5000) != HANDLER_DONE) {
            fail_msg("%s: %s", sql, err.text);
        }
        ROW_TEXT(i, testdb_text(base.outside, "SELECT note FROM fx", got),
                 values[i].value != NULL ? values[i].value : "(null)");
    }
}

static void a_text_column_is_compared_as_text(void **state)
{
    (void)state;

    work_event("evt_1", "a", "{\"no\":12}");
    testdb_run(base.outside, "INSERT INTO fx (note) VALUES ('12'), ('12abc'), ('012')");
    assert_int_equal(run("sql = UPDATE fx SET note = 'paid' WHERE note = {/no}", 5000),
                     HANDLER_DONE);
    ASSERT_VALUE("SELECT GROUP_CONCAT(note ORDER BY id) FROM fx", "paid,12abc,012");
}

static void a_number_that_cannot_be_kept_is_a_failure(void **state)
{
    (void)state;

    work_event("evt_1", "a", BODY);
    assert_int_equal(run("sql = INSERT INTO fx (note) SELECT {/huge}", 5000), HANDLER_FAILED);
    assert_non_null(strstr(err.text, "/huge"));
    ASSERT_COUNT("fx", 0);
}

static void a_pointer_needs_a_document(void **state)
{
    static const struct {
        const char *sql;
        enum handler_result result;
    } rows[] = {
        {"sql = INSERT INTO fx (note) VALUES ({event:id})\nsql = UPDATE fx SET note = {/a}",
         HANDLER_FAILED},
        {"sql = INSERT INTO fx (note) VALUES ({event:id})\n"
         "sql = UPDATE fx SET note = {header:Content-Type}",
         HANDLER_DONE},
    };
    struct event e = testdb_event("evt_1", "not JSON");
    (void)state;

    e.document = SPAN_LIT("none");
    assert_int_equal(testdb_record(base.outside, &e), RECEIPT_NEW);
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, run(rows[i].sql, 5000) == rows[i].result);
        ROW_TEXT(i, err.text,
                 rows[i].result == HANDLER_DONE ? ""
                                                : "handler h: the event has no JSON document, but "
                                                  "statement 2 uses {/a}");
        ASSERT_COUNT("fx", rows[i].result == HANDLER_DONE ? 1 : 0);
    }
}

static void a_value_is_never_part_of_the_statement(void **state)
{
    (void)state;

    work_event("evt_1", "a", "{\"x\":\"'); DROP TABLE fx; -- \"}");
    assert_int_equal(run("sql = INSERT INTO fx (note) VALUES ({/x})", 5000), HANDLER_DONE);
    ASSERT_VALUE("SELECT note FROM fx", "'); DROP TABLE fx; -- ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(values_arrive_as_promised, empty),
        cmocka_unit_test_setup(a_text_column_is_compared_as_text, empty),
        cmocka_unit_test_setup(a_number_that_cannot_be_kept_is_a_failure, empty),
        cmocka_unit_test_setup(a_pointer_needs_a_document, empty),
        cmocka_unit_test_setup(a_value_is_never_part_of_the_statement, empty),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
