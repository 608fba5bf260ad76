/* Values as they stand in their text: by pointer, and all items of an array one after the other. */
#include "unit.h"

#include "base/json.h"
#include "base/json_items.h"
#include "base/json_slice.h"

static void finds_values_by_their_pointer(void **state)
{
    static const struct {
        struct span text;
        const char *pointer;
        const char *want; /* NULL: nothing is there */
    } rows[] = {
        {S(" {\"a\": 1 } "), "", "{\"a\": 1 }"},
        {S("\xEF\xBB\xBF\n7\n"), "", "7"},
        {S("{\"a\": 1 , \"b\":[ 2,{\"c\" :\"x,}\"} ]}"), "/a", "1"},
        {S("{\"a\": 1 , \"b\":[ 2,{\"c\" :\"x,}\"} ]}"), "/b", "[ 2,{\"c\" :\"x,}\"} ]"},
        {S("{\"a\": 1 , \"b\":[ 2,{\"c\" :\"x,}\"} ]}"), "/b/1/c", "\"x,}\""},
        {S("{\"a\": 1 , \"b\":[ 2,{\"c\" :\"x,}\"} ]}"), "/b/2", NULL},
        {S("{\"a\": 1 , \"b\":[ 2,{\"c\" :\"x,}\"} ]}"), "/c", NULL},
        {S("{\"a\": 1 , \"b\":[ 2,{\"c\" :\"x,}\"} ]}"), "/a/0", NULL},
        {S("{\"a\":1,\"a\":2}"), "/a", "2"},
        {S("{\"\\u0061\":1,\"a~/\":2}"), "/a", "1"},
        {S("{\"\\u0061\":1,\"a~/\":2}"), "/a~0~1", "2"},
        {S("[[],[[]],\"]\"]"), "/1/0", "[]"},
        {S("[[],[[]],\"]\"]"), "/2", "\"]\""},
        {S("[1]"), "a", NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct span found = json_slice(rows[i].text, span_of(rows[i].pointer));
        ROW(i, span_present(found) == (rows[i].want != NULL));
        ROW(i, rows[i].want == NULL || span_is(found, rows[i].want));
    }
}

static void goes_through_all_items(void **state)
{
    static const struct {
        struct span text;
        const char *want[5];
    } rows[] = {
        {S("[]"), {NULL}},
        {S("[ ]"), {NULL}},
        {S("[1]"), {"1"}},
        {S("[ -1.5e+3 ,true,null , \"a\" ]"), {"-1.5e+3", "true", "null", "\"a\""}},
        {S("[{\"a\":[1,2]},[{},[]],\"\\\"],\\\\\",\"\"]"), {"{\"a\":[1,2]}", "[{},[]]", "\"\\\"],\\\\\"", "\"\""}},
        {S("[\n[\"[\"]\n,\t{\"}\":\"{\"}\r]"), {"[\"[\"]", "{\"}\":\"{\"}"}},
        {S("[[[]],{}]"), {"[[]]", "{}"}},
        /* what no array is */
        {S("{}"), {NULL}},
        {S("1"), {NULL}},
        {S(""), {NULL}},
        {NONE, {NULL}},
        /* broken off: nothing beyond the end */
        {S("["), {NULL}},
        {S("[\"a"), {"\"a"}},
        {S("[\"a\\"), {"\"a\\"}},
        {S("[{\"a\":"), {"{\"a\":"}},
        {S("[1,"), {"1"}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct span rest = rows[i].text;
        struct span item;
        size_t n = 0;
        while (json_items_next(&rest, &item)) {
            ROW(i, n < 4 && rows[i].want[n] != NULL && span_is(item, rows[i].want[n]));
            n++;
        }
        ROW(i, rows[i].want[n] == NULL && !span_present(item));
        ROW(i, !json_items_next(&rest, &item)); /* it stays at its end */
    }
}

/* The parser and the walk see the same items. */
static void agrees_with_the_parser(void **state)
{
    const struct span text = SPAN_LIT("[1,\"a\\u005d\",[2,[3]],{\"x\":[4,{}]},null,1.10,99999999999999999999]");
    struct span rest = text;
    struct span item;
    struct json *doc;
    size_t n = 0;
    (void)state;
    assert_int_equal(json_parse(text, &doc, NULL), HO_OK);
    assert_false(json_is_exact(doc));
    while (json_items_next(&rest, &item)) {
        char pointer[24];
        struct json *one;
        assert_int_equal(json_parse(item, &one, NULL), HO_OK);
        ROW(n, json_kind_of(json_at(one, SPAN_LIT(""))) ==
                   json_kind_of(json_item(json_at(doc, SPAN_LIT("")), n)));
        (void)snprintf(pointer, sizeof pointer, "/%zu", n);
        ROW(n, json_slice(text, span_of(pointer)).p == item.p);
        ROW(n, json_slice(text, span_of(pointer)).len == item.len);
        json_free(one);
        n++;
    }
    assert_int_equal(n, json_count(json_at(doc, SPAN_LIT(""))));
    json_free(doc);
    assert_int_equal(json_parse(SPAN_LIT("[18446744073709551614]"), &doc, NULL), HO_OK);
    assert_true(json_is_exact(doc));
    json_free(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_values_by_their_pointer),
        cmocka_unit_test(goes_through_all_items),
        cmocka_unit_test(agrees_with_the_parser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
