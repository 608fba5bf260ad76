/* Writing into JSON: what is put where, what is made on the way, and what is refused. */
#include "unit.h"

#include "base/json.h"

static void puts_members_and_makes_the_way(void **state)
{
    static const struct {
        const char *before, *pointer, *text, *want; /* want NULL: refused */
    } rows[] = {
        {"{}", "/a", "x", "{\"a\":\"x\"}"},
        {"{\"a\":1}", "/a", "x", "{\"a\":\"x\"}"},
        {"{\"a\":{\"b\":1}}", "/a", "x", "{\"a\":\"x\"}"},
        {"{\"a\":{\"b\":1}}", "/a/b", "x", "{\"a\":{\"b\":\"x\"}}"},
        {"{\"a\":{\"b\":1}}", "/a/c", "x", "{\"a\":{\"b\":1,\"c\":\"x\"}}"},
        {"{}", "/a/b/c", "x", "{\"a\":{\"b\":{\"c\":\"x\"}}}"},
        {"{}", "/", "x", "{\"\":\"x\"}"},
        {"{}", "/a~1b/c~0d", "x", "{\"a/b\":{\"c~d\":\"x\"}}"},
        {"{\"a\":[{},{\"b\":1}]}", "/a/1/b", "x", "{\"a\":[{},{\"b\":\"x\"}]}"},
        {"{\"a\":1}", "/b", "q\"\n\\", "{\"a\":1,\"b\":\"q\\\"\\n\\\\\"}"},
        {"{\"n\":1.50,\"e\":1e3}", "/b", "", "{\"n\":1.50,\"e\":1e3,\"b\":\"\"}"},
        {"{}", "", "x", NULL},
        {"{}", "a", "x", NULL},
        {"{}", "/a~2", "x", NULL},
        {"{}", "/a~", "x", NULL},
        {"{\"a\":1}", "/a/b", "x", NULL},
        {"{\"a\":\"s\"}", "/a/b", "x", NULL},
        {"{\"a\":[1]}", "/a/0", "x", NULL},
        {"{\"a\":[1]}", "/a/1/b", "x", NULL},
        {"{\"a\":[1]}", "/a/-/b", "x", NULL},
        {"{\"a\":null}", "/a/b", "x", NULL},
        {"[1]", "/a", "x", NULL},
        {"7", "/a", "x", NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct json *doc;
        struct buf out;
        assert_int_equal(json_parse(span_of(rows[i].before), &doc, NULL), HO_OK);
        enum ho_code code = json_put_text(doc, span_of(rows[i].pointer), span_of(rows[i].text));
        ROW(i, code == (rows[i].want == NULL ? HO_REJECT : HO_OK));
        buf_init(&out, 1000);
        assert_int_equal(json_text(json_at(doc, SPAN_LIT("")), &out), HO_OK);
        if (rows[i].want != NULL) {
            ROW_TEXT(i, buf_cstr(&out), rows[i].want);
        }
        buf_free(&out);
        json_free(doc);
    }
}

static void puts_numbers(void **state)
{
    struct json *doc;
    struct buf out;
    (void)state;
    assert_int_equal(json_parse(SPAN_LIT("{\"a\":\"1\"}"), &doc, NULL), HO_OK);
    assert_int_equal(json_put_int(doc, SPAN_LIT("/a"), 1790000000), HO_OK);
    assert_int_equal(json_put_int(doc, SPAN_LIT("/b/c"), INT64_MIN), HO_OK);
    assert_int_equal(json_put_int(doc, SPAN_LIT("/a/b"), 1), HO_REJECT);
    assert_int_equal(json_kind_of(json_at(doc, SPAN_LIT("/a"))), JSON_INT);
    buf_init(&out, 100);
    assert_int_equal(json_text(json_at(doc, SPAN_LIT("")), &out), HO_OK);
    assert_string_equal(buf_cstr(&out), "{\"a\":1790000000,\"b\":{\"c\":-9223372036854775808}}");
    buf_free(&out);
    json_free(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_members_and_makes_the_way),
        cmocka_unit_test(puts_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
