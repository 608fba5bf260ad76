/* References as values of a statement, where no server is needed: what was fetched, and the key. */
#include "unit.h"

#include "work/handler.h"

static struct json *parsed(const char *text)
{
    struct json *doc = NULL;
    assert_int_equal(json_parse(span_of(text), &doc, NULL), HO_OK);
    return doc;
}

static void fetched_and_event_are_two_documents(void **state)
{
    struct stored stored = {.event = {.id = SPAN_LIT("evt_1")}};
    struct json *doc = parsed("{\"s\":\"old\"}"), *fetched = parsed("{\"s\":\"new\",\"n\":1.50}");
    struct statement s;
    struct bound b;
    struct ho_err err;
    struct handler_call call = {.stored = &stored, .doc = doc, .fetched = fetched,
                                .idempotency_key = "0123abcd"};
    (void)state;
    assert_int_equal(statement_parse("SELECT {/s}, {fetched:/s}, {fetched:/n}, {fetched:/x}, "
                                     "{event:idempotency_key}", &s, NULL), HO_OK);
    assert_int_equal(bind_params(&s, &call, &b, &err), HO_OK);
    assert_true(span_is(b.values[0].s, "old"));
    assert_true(span_is(b.values[1].s, "new"));
    assert_true(span_is(b.values[2].s, "1.50"));
    assert_int_equal(b.values[3].kind, DB_NULL);
    assert_int_equal(b.values[4].kind, DB_TEXT);
    assert_true(span_is(b.values[4].s, "0123abcd"));
    bound_free(&b);
    call.fetched = NULL;
    call.idempotency_key = NULL;
    assert_int_equal(bind_params(&s, &call, &b, &err), HO_OK);
    assert_true(span_is(b.values[0].s, "old"));
    assert_int_equal(b.values[1].kind, DB_NULL);
    assert_int_equal(b.values[4].kind, DB_NULL);
    bound_free(&b);
    statement_free(&s);
    json_free(doc);
    json_free(fetched);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fetched_and_event_are_two_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
