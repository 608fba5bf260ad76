/* Conditions of routes: type and value, nothing lost, and what is not there. */
#include "unit.h"

#include "core/condition.h"

static const char document[] =
    "{\"text\":\"paid\",\"empty\":\"\",\"five\":\"5\",\"quote\":\"a\\\"b\\\\c\",\"nul\":\"a\\u0000b\","
    "\"comma\":\"a, b\",\"true_text\":\"true\",\"null_text\":\"null\",\"umlaut\":\"M\\u00fcller\","
    "\"yes\":true,\"no\":false,\"nothing\":null,\"zero\":0,\"int\":5,\"minus\":-5,\"price\":1.10,"
    "\"exp\":11e-1,\"huge\":1e400,\"max\":18446744073709551614,\"big\":123456789012345678901234567890,"
    "\"precise\":0.1000000000000000055511151231257827,\"list\":[\"paid\"],\"object\":{\"a\":1},"
    "\"a b\":1,\"c==d\":2}";

/* A header, an event and a document to look at. */
static bool holds(const char *text, const char *json, struct buf *why)
{
    struct condition c;
    struct ho_err err;
    struct json *doc = NULL;
    const struct event e = {
        .cid = "01JDXYZ0000000000000000000",
        .provider = SPAN_LIT("stripe"),
        .source = SPAN_LIT("eu"),
        .id = SPAN_LIT("evt_1"),
        .type = SPAN_LIT("invoice.paid"),
        .headers = SPAN_LIT("x-topic: orders/create\nx-n: 5\nx-empty:\n"),
        .has_occurred = true,
        .occurred_us = INT64_C(1796040000123456),
    };
    ho_err_clear(&err);
    if (condition_parse(text, &c, &err) != HO_OK) {
        fail_msg("\"%s\" was refused: %s", text, err.text);
    }
    if (json != NULL) {
        assert_int_equal(json_parse(span_of(json), &doc, NULL), HO_OK);
    }
    const struct ref_view v = {.event = &e, .doc = doc};
    bool result = condition_holds(&c, &v, why);
    json_free(doc);
    condition_free(&c);
    assert_null(c.words);
    assert_null(c.values);
    return result;
}

struct want {
    const char *text;
    bool holds;
};

static void check_each(const struct want *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (holds(rows[i].text, document, NULL) != rows[i].holds) {
            fail_msg("\"%s\" %s", rows[i].text, rows[i].holds ? "does not hold" : "holds");
        }
    }
}

static void texts_are_equal_byte_by_byte(void **state)
{
    static const struct want rows[] = {
        {"{/text} == paid", true},
        {"{/text}==paid", true},
        {"{/text} == \"paid\"", true},
        {"  {/text}\t==\n  paid  ", true},
        {"{/text} == Paid", false},
        {"{/text} == pai", false},
        {"{/text} == paid2", false},
        {"{/text} == \"paid \"", false},
        {"{/text} != paid", false},
        {"{/text} != unpaid", true},
        {"{/empty} == \"\"", true},
        {"{/empty} != \"\"", false},
        {"{/text} == \"\"", false},
        {"{/quote} == \"a\\\"b\\\\c\"", true},
        {"{/nul} == a", false},
        {"{/nul} == ab", false},
        {"{/nul} != a", true},
        {"{/comma} == \"a, b\"", true},
        {"{/umlaut} == M\xc3\xbcller", true},
        {"{/umlaut} == Muller", false},
        {"{/text} == two words", false},
        {"{/text} != two words", true},
        {"{/true_text} == \"true\"", true},
        {"{/null_text} == \"null\"", true},
        {"{/list/0} == paid", true},
    };
    (void)state;
    check_each(rows, COUNT(rows));
}

static void numbers_are_equal_by_value(void **state)
{
    static const struct want rows[] = {
        {"{/int} == 5", true},
        {"{/int} == 5.0", true},
        {"{/int} == 50e-1", true},
        {"{/int} == -5", false},
        {"{/minus} == -5", true},
        {"{/int} == 6", false},
        {"{/int} != 6", true},
        {"{/int} != 5.00", false},
        {"{/zero} == 0", true},
        {"{/zero} == -0.0", true},
        {"{/price} == 1.1", true},
        {"{/price} == 1.10", true},
        {"{/price} == 11e-1", true},
        {"{/price} == 1.11", false},
        {"{/price} == 1", false},
        {"{/exp} == 1.1", true},
        {"{/huge} == 1e400", true},
        {"{/huge} == 10e399", true},
        {"{/huge} == 1e401", false},
        {"{/huge} != 1e401", true},
        {"{/precise} == 0.1", false}, /* doubles would say so */
        {"{/precise} != 0.1", true},
        {"{/precise} == 0.1000000000000000055511151231257827", true},
        {"{/precise} == 0.1000000000000000055511151231257828", false},
        {"{/max} == 18446744073709551614", true},
        {"{/max} == 18446744073709551613", false},
        {"{/max} == 1.8446744073709551614e19", true},
    };
    (void)state;
    check_each(rows, COUNT(rows));
}

static void types_are_never_mixed(void **state)
{
    static const struct want rows[] = {
        {"{/five} == 5", false},        {"{/five} == \"5\"", true},
        {"{/int} == \"5\"", false},     {"{/int} != \"5\"", true},
        {"{/yes} == true", true},       {"{/yes} == false", false},
        {"{/yes} == \"true\"", false},  {"{/yes} == 1", false},
        {"{/no} == false", true},       {"{/no} != true", true},
        {"{/no} == 0", false},          {"{/no} == null", false},
        {"{/true_text} == true", false}, {"{/null_text} == null", false},
        {"{/zero} == false", false},    {"{/zero} == null", false},
        {"{/empty} == null", false},    {"{/five} == 007", false},
        {"{/yes} == True", false}, /* a text */
        {"{/list} == paid", false},     {"{/list} != paid", true},
        {"{/object} == 1", false},      {"{/object} != 1", true},
        {"{/list} in paid, true", false},
    };
    (void)state;
    check_each(rows, COUNT(rows));
}

static void lists_of_values(void **state)
{
    static const struct want rows[] = {
        {"{/text} in paid", true},
        {"{/text} in open, paid", true},
        {"{/text} in open,paid,void", true},
        {"{/text} in open,\n  void,\n  paid", true},
        {"{/text} in open, \"paid\"", true},
        {"{/text} in open, void", false},
        {"{/text} not in open, void", true},
        {"{/text} not in open, paid", false},
        {"{/text} not  in\topen", true},
        {"{/comma} in \"a, b\", c", true},
        {"{/comma} in a, b", false},
        {"{/int} in 4, 5.0, 6", true},
        {"{/int} in 4, \"5\", 6", false},
        {"{/int} not in \"5\", five, true, null", true},
        {"{/yes} in 1, true", true},
        {"{/nothing} in a, null", true},
        {"{/missing} in a, null", true},
    };
    (void)state;
    check_each(rows, COUNT(rows));
}

/* Missing and null are the same, nothing: never == or in, always != and not in. */
static void what_is_not_there(void **state)
{
    static const struct want rows[] = {
        {"{/text} exists", true},        {"{/text} missing", false},
        {"{/missing} exists", false},    {"{/missing} missing", true},
        {"{/nothing} exists", false},    {"{/nothing} missing", true},
        {"{/nothing} == null", true},    {"{/missing} == null", true},
        {"{/nothing} != null", false},   {"{/missing} != null", false},
        {"{/text} == null", false},      {"{/text} != null", true},
        {"{/missing} == paid", false},   {"{/missing} != paid", true},
        {"{/nothing} == paid", false},   {"{/nothing} != paid", true},
        {"{/missing} in a, b", false},   {"{/missing} not in a, b", true},
        {"{/nothing} in a, b", false},   {"{/nothing} not in a, b", true},
        {"{/missing} not in a, null", false},
        {"{/missing} == 0", false},      {"{/missing} != 0", true},
        {"{/missing} == false", false},  {"{/missing} != true", true},
        {"{/missing} == \"\"", false},   {"{/missing} != \"\"", true},
        {"{/empty} exists", true},       {"{/zero} exists", true},
        {"{/no} exists", true},          {"{/list} exists", true},
        {"{/object} exists", true},      {"{/big} exists", true},
        {"{/text/deeper} exists", false}, {"{/list/1} exists", false},
    };
    (void)state;
    check_each(rows, COUNT(rows));
}

/* Which of two integers beyond 64 bits it is, nobody can say: then nothing is claimed. */
static void a_number_too_big_to_be_kept_holds_nothing(void **state)
{
    static const struct want rows[] = {
        {"{/big} == 123456789012345678901234567890", false},
        {"{/big} != 123456789012345678901234567890", false},
        {"{/big} != 5", false},
        {"{/big} == 18446744073709551615", false},
        {"{/big} in 5, a", false},
        {"{/big} not in 5, a", false},
        {"{/big} == a", false},
        {"{/big} != a", true}, /* a number is no text */
        {"{/big} not in a, b", true},
        {"{/big} exists", true},
        {"{/big} missing", false},
    };
    struct buf why;
    (void)state;
    check_each(rows, COUNT(rows));
    buf_init(&why, 200);
    assert_false(holds("{/big} != 5", document, &why));
    assert_string_equal(buf_cstr(&why),
                        "it is a number beyond 64 bits, which cannot be compared exactly");
    buf_free(&why);
}

static void headers_and_fields_are_texts(void **state)
{
    static const struct want rows[] = {
        {"{header:X-Topic} == orders/create", true},
        {"{header:x-topic} != orders/create", false},
        {"{header:x-n} == \"5\"", true},
        {"{header:x-none} missing", true},
        {"{header:x-none} == null", true},
        {"{header:x-none} != x", true},
        {"{header:x-empty} exists", true},
        {"{header:x-empty} == \"\"", true},
        {"{event:provider} == stripe", true},
        {"{event:source} in us, eu", true},
        {"{event:type} == invoice.paid", true},
        {"{event:id} == evt_1", true},
        {"{event:object} missing", true},
        {"{event:occurred_at} == 2026-11-30T12:00:00.123456Z", true},
        {"{/a b} == 1", true},
        {"{/c==d} == 2", true},
    };
    (void)state;
    check_each(rows, COUNT(rows));
    assert_false(holds("{/text} == paid", NULL, NULL)); /* no document */
    assert_true(holds("{/text} != paid", NULL, NULL));
    assert_true(holds("{/text} missing", NULL, NULL));
    assert_true(holds("{event:type} exists", NULL, NULL));
}

static void says_what_it_found(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"{/text} == unpaid", "it is the text paid"},
        {"{/text} == paid", "it is the text paid"},
        {"{/empty} == x", "it is the text \"\""},
        {"{/nul} == x", "it is the text \"a\\x00b\""},
        {"{/five} == 5", "it is the text 5, and no number: a text is written in quotes"},
        {"{/five} in 4, 5", "it is the text 5, and no number: a text is written in quotes"},
        {"{/int} == \"5\"", "it is the number 5, and no text: a number is written without quotes"},
        {"{/int} == 6", "it is the number 5"},
        {"{/price} == 1.1", "it is the number 1.10"},
        {"{/yes} == \"true\"", "it is true"},
        {"{/no} exists", "it is false"},
        {"{/nothing} exists", "it is null"},
        {"{/missing} exists", "it is missing"},
        {"{/list} == paid", "it is a list"},
        {"{/object} == paid", "it is an object"},
        {"{/big} exists", "it is a number beyond 64 bits"},
        {"{header:x-topic} == x", "it is the text orders/create"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf why;
        buf_init(&why, 200);
        (void)holds(rows[i].text, document, &why);
        ROW_TEXT(i, buf_cstr(&why), rows[i].want);
        buf_free(&why);
    }
    struct buf small;
    buf_init(&small, 10);
    assert_int_equal(buf_add_str(&small, "when: "), HO_OK);
    assert_true(holds("{/text} == paid", document, &small));
    assert_string_equal(buf_cstr(&small), "when: ");
    buf_free(&small);
}

static void refuses_with_what_to_do(void **state)
{
    static const char one[] = "behind == and != stands one value: several stand behind `in`, and a "
                              "text with a comma in \"double quotes\"";
    static const char whole[] = "a text with quotes or line ends in it stands in \"double quotes\" "
                                "as a whole";
    static const char missing[] = "a value is missing; an empty text is written \"\"";
    static const char comma[] = "between two values stands a comma";
    static const char begin[] = "a condition begins with what it looks at, for example "
                                "{/data/object/status} == paid";
    static const char reference[] = "a value is compared with what stands there, not with another "
                                    "reference; each further condition is a `when` of its own";
    static const char escape[] = "in quotes, a backslash stands before \" or another backslash only";
    static const char equals[] = "behind == and != stands a value, not =; a text that begins with "
                                 "= stands in \"double quotes\"";
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"", begin},
        {"paid", begin},
        {"/text == paid", begin},
        {"\"{/text}\" == paid", begin},
        {"{ /text} == paid", begin},
        {"{data.status} == paid", "{data.status} is no reference: write a JSON pointer"},
        {"{/text", "a reference that begins with { has no }"},
        {"{event:kind} == x", "{event:kind} is not known: provider, "},
        {"{/te~xt} == paid", "{/te~xt} can never be found"},
        {"{fetched:/a} == x", "{fetched:/a} is not known yet when a route is chosen"},
        {"{event:attempt} == \"1\"", "{event:attempt} is not known yet when a route is chosen"},
        {"{event:idempotency_key} exists", "{event:idempotency_key} is not known yet"},
        {"{event:correlation_id} exists", "{event:correlation_id} is not known yet"},
        {"{event:body} exists", "{event:body} is not known yet"},
        {"{/text}", "behind {/text} stands ==, !=, in, not in, exists or missing, not \"\""},
        {"{/text} = paid", "not \"=\""},
        {"{/text} is paid", "not \"is\""},
        {"{/text} > 5", "not \">\""},
        {"{/text} <> paid", "not \"<>\""},
        {"{/text} EXISTS", "not \"EXISTS\""},
        {"{/text} not paid", "not \"not\""},
        {"{/text} notin paid", "not \"notin\""},
        {"{/text} inside paid", "not \"inside\""},
        {"{/text} exists paid", "nothing may stand behind exists and missing, not \"paid\""},
        {"{/text} missing ==", "nothing may stand behind exists and missing, not \"==\""},
        {"{/text} ==", missing},
        {"{/text} in", missing},
        {"{/text} in a,", missing},
        {"{/text} in a,,b", missing},
        {"{/text} in ,a", missing},
        {"{/text} === paid", equals},
        {"{/text} == a, b", one},
        {"{/text} == \"a\" b", one},
        {"{/text} != \"a\", \"b\"", one},
        {"{/text} in \"a\" b", comma},
        {"{/text} in \"a\"\"b\"", comma},
        {"{/text} == 'paid'", whole},
        {"{/text} == say \"hi\"", whole},
        {"{/text} == a\n b", whole},
        {"{/text} == \"paid", "the closing quote is missing"},
        {"{/text} == \"paid\\\"", "the closing quote is missing"},
        {"{/text} == \"", "the closing quote is missing"},
        {"{/text} == \"a\\nb\"", escape},
        {"{/text} == \"a\\", escape},
        {"{/text} == {/other}", reference},
        {"{/text} == paid and {/other} == x", reference},
        {"{/text} in a, {/other}", reference},
        {"{/text} == 1e1000000000000000", "a number with too large an exponent"},
        {"{header:x-n} == 5", "{header:x-n} is always a text: write \"5\" in quotes"},
        {"{header:x-n} in \"a\", 5", "{header:x-n} is always a text: write \"5\" in quotes"},
        {"{event:type} == true", "{event:type} is always a text: write \"true\" in quotes"},
        {"{event:type} != false", "{event:type} is always a text: write \"false\" in quotes"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct condition c;
        struct ho_err err;
        memset(&c, 0x55, sizeof c);
        ho_err_clear(&err);
        if (condition_parse(rows[i].text, &c, &err) != HO_REJECT) {
            fail_msg("\"%s\" was taken", rows[i].text);
        }
        if (strstr(err.text, rows[i].why) == NULL) {
            fail_msg("\"%s\" was refused with: %s", rows[i].text, err.text);
        }
        ROW(i, c.words == NULL && c.values == NULL && c.n_values == 0 && c.left.name == NULL);
    }
}

/* "{/text} in 0,1,2…" with n values. */
static enum ho_code parse_values(unsigned n, struct condition *c, struct ho_err *err)
{
    struct buf text;
    buf_init(&text, 65536);
    assert_int_equal(buf_add_str(&text, "{/text} in 0"), HO_OK);
    for (unsigned i = 1; i < n; i++) {
        assert_int_equal(buf_addf(&text, ",%u", i), HO_OK);
    }
    enum ho_code code = condition_parse(buf_cstr(&text), c, err);
    buf_free(&text);
    return code;
}

static void has_its_limits(void **state)
{
    struct condition c;
    struct ho_err err;
    struct buf text;
    (void)state;
    assert_int_equal(parse_values(CONDITION_VALUES_MAX, &c, &err), HO_OK);
    assert_int_equal(c.n_values, CONDITION_VALUES_MAX);
    condition_free(&c);
    assert_int_equal(parse_values(CONDITION_VALUES_MAX + 1, &c, &err), HO_REJECT);
    assert_string_equal(err.text, "more than 256 values");
    buf_init(&text, 65536);
    assert_int_equal(buf_add_str(&text, "{/text} == "), HO_OK);
    while (text.len <= 16384) {
        assert_int_equal(buf_add_byte(&text, 'a'), HO_OK);
    }
    assert_int_equal(condition_parse(buf_cstr(&text), &c, &err), HO_REJECT);
    assert_string_equal(err.text, "a condition may be at most 16384 bytes");
    text.len--;
    assert_int_equal(condition_parse(buf_cstr(&text), &c, &err), HO_OK);
    condition_free(&c);
    buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_equal_byte_by_byte),
        cmocka_unit_test(numbers_are_equal_by_value),
        cmocka_unit_test(types_are_never_mixed),
        cmocka_unit_test(lists_of_values),
        cmocka_unit_test(what_is_not_there),
        cmocka_unit_test(a_number_too_big_to_be_kept_holds_nothing),
        cmocka_unit_test(headers_and_fields_are_texts),
        cmocka_unit_test(says_what_it_found),
        cmocka_unit_test(refuses_with_what_to_do),
        cmocka_unit_test(has_its_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
