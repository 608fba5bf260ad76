/* JSON: what is taken and refused, how values read as text, and pointers into odd keys. */
#include "unit.h"

#include "base/json.h"

static void takes_exactly_one_value(void **state)
{
    static const struct {
        struct span in;
        bool ok;
    } rows[] = {
        {S("{}"), true},
        {S(" \t\r\n{\"a\":[1,2]} \t\r\n"), true},
        {S("12"), true},
        {S("12 "), true},
        {S("-"), false},
        {S("\"x\""), true},
        {S("null"), true},
        {S(" null "), true},
        {S("true"), true},
        {S("\xef\xbb\xbf{}"), true},
        {S("\xef\xbb\xbf\xef\xbb\xbf{}"), false},
        {S(" \xef\xbb\xbf{}"), false},
        {S("\xef\xbb\xbf"), false},
        {S(""), false},
        {NONE, false},
        {S("  "), false},
        {S("{}\0"), false},
        {S("\0{}"), false},
        {S("1\0"), false},
        {S("null\0"), false},
        {S("null\0\0"), false},
        {S("{}x"), false},
        {S("{} {}"), false},
        {S("{},"), false},
        {S("1 2"), false},
        {S("1,2"), false},
        {S("true1"), false},
        {S("nul"), false},
        {S("nulll"), false},
        {S("NULL"), false},
        {S("True"), false},
        {S("["), false},
        {S("{\"a\""), false},
        {S("{\"a\":"), false},
        {S("{\"a\":1"), false},
        {S("\"abc"), false},
        {S("\"abc\\"), false},
        {S("\"abc\\\""), false},
        {S("\"\\u12"), false},
        {S("\"\\x\""), false},
        {S("\"a\0b\""), false},
        {S("{\"\xc3\xa9\":\"\xc3\xa9 \xf0\x9f\x98\x80\"}"), true},
        {S("[\"\xc3\xa9\",]"), false},
        {S("[\"\xc3\xa9\" 1]"), false},
        {S("\xc3\xa9"), false},
        {S("{\xc3\xa9:1}"), false},
        {S("[1,]"), false},
        {S("{\"a\":1,}"), false},
        {S("{a:1}"), false},
        {S("{'a':1}"), false},
        {S("[1 2]"), false},
        {S("// c\n1"), false},
        {S("/* c */1"), false},
        {S("[NaN]"), false},
        {S("[007]"), false},
        {S("[0001.5]"), false},
        {S("[-01]"), false},
        {S("[1.]"), false},
        {S("[1.e3]"), false},
        {S("[1e]"), false},
        {S("[1e+]"), false},
        {S("[-]"), false},
        {S("[18446744073709551616,00068864886E]"), false},
        {S("[0,-0,0.10,1e3,1E-2,-1.5e+300]"), true},
        {S("NaN"), false},
        {S("[Infinity]"), false},
        {S("[-Infinity]"), false},
        {S("\"NaN Infinity\""), true},
        {S("{\"NaN\":\"I\\\"N\"}"), true},
        {S("[01]"), false},
        {S("[+1]"), false},
        {S("[.5]"), false},
        {S("[-]"), false},
        {S("[1e]"), false},
        {S("[0x10]"), false},
        {S("id=1&x=2"), false},
        {S("<xml/>"), false},
        {S("{\"a\":\"\xff\xc3\"}"), true},
        {S("{\"\xff\":1}"), true},
        {S("[\"\\ud800\"]"), true},
        {S("[18446744073709551616]"), true},
        {S("[18446744073709551616] 1"), false},
        {S("[18446744073709551616],"), false},
        {S("[18446744073709551616]]"), false},
        {S("[18446744073709551616"), false},
        {S("18446744073709551616"), true},
        {S("[-99999999999999999999, {\"a\": 18446744073709551616}]"), true},
        {S("[18446744073709551616,]"), false},
        {S("[18446744073709551616,[2,]]"), false},
        {S("{\"a\":18446744073709551616,}"), false},
        {S("[18446744073709551616,TRUE]"), false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct json *doc = NULL;
        struct ho_err err = {HO_OK, 0, ""};
        enum ho_code code = json_parse(rows[i].in, &doc, &err);
        ROW(i, code == (rows[i].ok ? HO_OK : HO_REJECT));
        ROW(i, (doc != NULL) == rows[i].ok);
        ROW(i, err.code == code);
        ROW(i, rows[i].ok || strncmp(err.text, "not JSON: ", 10) == 0);
        json_free(doc);
    }
}

static void errors_show_no_content(void **state)
{
    struct json *doc = NULL;
    struct ho_err err;
    (void)state;
    assert_int_equal(json_parse(SPAN_LIT("{\"card\": 4242 }}"), &doc, &err), HO_REJECT);
    assert_null(strstr(err.text, "4242"));
    assert_null(strstr(err.text, "card"));
    assert_non_null(strstr(err.text, "at byte 15"));
}

static void depth_is_bounded(void **state)
{
    char text[200001];
    (void)state;
    for (size_t depth = 1; depth <= 100000; depth = depth < 70 ? depth + 1 : depth * 10) {
        struct json *doc = NULL;
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        enum ho_code want = depth <= 64 ? HO_OK : HO_REJECT;
        ROW(depth, json_parse(span_make(text, 2 * depth), &doc, NULL) == want);
        json_free(doc);
    }
}

static const char odd[] =
    "{\"a\":1, \"a/b\":2, \"m~n\":3, \"\":4, \" \":5, \"a\\u0000b\":6, \"\\u0000\":7, \"~1\":8,"
    "\"\\\\u0000\":9, \"0\":10, \"list\":[\"x\",null,{\"y\":[true,false]}], \"nul\":null,"
    "\"\xc3\xa4\":11, \"\\ud83d\\ude00\":12, \"dup\":1, \"dup\":2, \"v\":\"a\\u0000b\","
    "\"o\":{\"a\\u0000\":1,\"a\":2}, \"z\" : {\"q\\u0000\" \t: 13},"
    "\"n\\u0000\\\\\\u0000\\u0000\":14}";

static void pointers_reach_every_key(void **state)
{
    static const struct {
        struct span pointer;
        enum json_kind kind;
        const char *text;
    } rows[] = {
        {S("/a"), JSON_INT, "1"},
        {S("/a~1b"), JSON_INT, "2"},
        {S("/m~0n"), JSON_INT, "3"},
        {S("/"), JSON_INT, "4"},
        {S("/ "), JSON_INT, "5"},
        {S("/a\0b"), JSON_INT, "6"},
        {S("/\0"), JSON_INT, "7"},
        {S("/~01"), JSON_INT, "8"},
        {S("/\\u0000"), JSON_INT, "9"},
        {S("/0"), JSON_INT, "10"},
        {S("/\xc3\xa4"), JSON_INT, "11"},
        {S("/\xf0\x9f\x98\x80"), JSON_INT, "12"},
        {S("/z/q\0"), JSON_INT, "13"},
        {S("/n\0\\\0\0"), JSON_INT, "14"},
        {S("/dup"), JSON_INT, "2"},
        {S("/nul"), JSON_NULL, ""},
        {S("/list"), JSON_ARRAY, "[\"x\",null,{\"y\":[true,false]}]"},
        {S("/list/0"), JSON_STRING, "x"},
        {S("/list/1"), JSON_NULL, ""},
        {S("/list/2/y/0"), JSON_BOOL, "true"},
        {S("/list/2/y/1"), JSON_BOOL, "false"},
        {S("/list/2"), JSON_OBJECT, "{\"y\":[true,false]}"},
        {S("/o/a"), JSON_INT, "2"},
        {S("/o/a\0"), JSON_INT, "1"},
        {S("/list/3"), JSON_ABSENT, ""},
        {S("/list/-"), JSON_ABSENT, ""},
        {S("/list/-1"), JSON_ABSENT, ""},
        {S("/list/00"), JSON_ABSENT, ""},
        {S("/list/0x0"), JSON_ABSENT, ""},
        {S("/list/18446744073709551616"), JSON_ABSENT, ""},
        {S("/list/"), JSON_ABSENT, ""},
        {S("/list/0/x"), JSON_ABSENT, ""},
        {S("/nul/x"), JSON_ABSENT, ""},
        {S("/a/"), JSON_ABSENT, ""},
        {S("/A"), JSON_ABSENT, ""},
        {S("/a\0"), JSON_ABSENT, ""},
        {S("/a/b"), JSON_ABSENT, ""},
        {S("a"), JSON_ABSENT, ""},
        {S("/m~n"), JSON_ABSENT, ""},
        {S("/m~"), JSON_ABSENT, ""},
        {S("/m~2n"), JSON_ABSENT, ""},
        {S("//"), JSON_ABSENT, ""},
        {NONE, JSON_ABSENT, ""},
    };
    struct json *doc = NULL;
    (void)state;
    assert_int_equal(json_parse(span_of(odd), &doc, NULL), HO_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf b;
        const struct json_node *node = json_at(doc, rows[i].pointer);
        buf_init(&b, 1000);
        ROW(i, json_kind_of(node) == rows[i].kind);
        ROW(i, (node == NULL) == (rows[i].kind == JSON_ABSENT));
        ROW(i, json_text(node, &b) == HO_OK);
        ROW_TEXT(i, buf_cstr(&b), rows[i].text);
        buf_free(&b);
    }
    assert_int_equal(json_kind_of(json_at(doc, SPAN_LIT(""))), JSON_OBJECT);
    assert_true(json_bool(json_at(doc, SPAN_LIT("/list/2/y/0"))));
    assert_false(json_bool(json_at(doc, SPAN_LIT("/list/2/y/1"))));
    assert_false(json_bool(json_at(doc, SPAN_LIT("/a"))));
    assert_false(json_bool(json_at(doc, SPAN_LIT("/nul"))));
    assert_false(json_bool(NULL));
    assert_null(json_at(NULL, SPAN_LIT("")));
    json_free(doc);
    json_free(NULL);
}

static void the_text_that_was_given_is_left_alone(void **state)
{
    char copy[sizeof odd];
    struct json *doc = NULL;
    (void)state;
    memcpy(copy, odd, sizeof odd);
    assert_int_equal(json_parse(span_of(copy), &doc, NULL), HO_OK);
    assert_memory_equal(copy, odd, sizeof odd);
    json_free(doc);
}

static void values_read_as_text(void **state)
{
    static const struct {
        struct span in;
        enum json_kind kind;
        struct span text;
    } rows[] = {
        {S("0"), JSON_INT, S("0")},
        {S("-0"), JSON_INT, S("0")}, /* json-c drops the sign */
        {S("12"), JSON_INT, S("12")},
        {S("9223372036854775807"), JSON_INT, S("9223372036854775807")},
        {S("9223372036854775808"), JSON_INT, S("9223372036854775808")},
        {S("18446744073709551614"), JSON_INT, S("18446744073709551614")},
        {S("-9223372036854775807"), JSON_INT, S("-9223372036854775807")},
        {S("18446744073709551615"), JSON_BIG, S("18446744073709551615")},
        {S("18446744073709551616"), JSON_BIG, S("18446744073709551615")},
        {S("99999999999999999999999999999"), JSON_BIG, S("18446744073709551615")},
        {S("-9223372036854775808"), JSON_BIG, S("-9223372036854775808")},
        {S("-9223372036854775809"), JSON_BIG, S("-9223372036854775808")},
        {S("1.10"), JSON_REAL, S("1.10")},
        {S("1e3"), JSON_REAL, S("1e3")},
        {S("1E+3"), JSON_REAL, S("1E+3")},
        {S("-0.0"), JSON_REAL, S("-0.0")},
        {S("0.30000000000000000000004"), JSON_REAL, S("0.30000000000000000000004")},
        {S("99999999999999999999.5"), JSON_REAL, S("99999999999999999999.5")},
        {S("1e999"), JSON_REAL, S("1e999")},
        {S("true"), JSON_BOOL, S("true")},
        {S("false"), JSON_BOOL, S("false")},
        {S("null"), JSON_NULL, S("")},
        {S("\"\""), JSON_STRING, S("")},
        {S("\"a\\u0000b\""), JSON_STRING, S("a\0b")},
        {S("\"\\u00e4\\ud83d\\ude00\""), JSON_STRING, S("\xc3\xa4\xf0\x9f\x98\x80")},
        {S("\"\\ud800\""), JSON_STRING, S("\xef\xbf\xbd")},
        {S("\"\\ud800x\""), JSON_STRING, S("\xef\xbf\xbdx")},
        {S("\"\\udc00\""), JSON_STRING, S("\xef\xbf\xbd")},
        {S("\"\xff\""), JSON_STRING, S("\xff")},
        {S("\"\\/\\\"\\\\\\b\\f\\n\\r\\t\""), JSON_STRING, S("/\"\\\b\f\n\r\t")},
        {S("\"\\\\u0000\""), JSON_STRING, S("\\u0000")},
        {S("{ \"a\" : [ 1 , 1.10 , \"\\u0000/\" ] }"), JSON_OBJECT,
         S("{\"a\":[1,1.10,\"\\u0000/\"]}")},
        {S("{\"b\":1,\"a\":2}"), JSON_OBJECT, S("{\"b\":1,\"a\":2}")},
        {S("[]"), JSON_ARRAY, S("[]")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct json *doc = NULL;
        struct buf b;
        buf_init(&b, 100);
        ROW(i, json_parse(rows[i].in, &doc, NULL) == HO_OK);
        const struct json_node *node = json_at(doc, SPAN_LIT(""));
        ROW(i, json_kind_of(node) == rows[i].kind);
        ROW(i, json_text(node, &b) == HO_OK);
        ROW(i, span_eq(buf_span(&b), rows[i].text));
        buf_free(&b);
        json_free(doc);
    }
}

static void a_value_too_long_is_refused_whole(void **state)
{
    struct json *doc = NULL;
    struct buf b;
    (void)state;
    buf_init(&b, 3);
    assert_int_equal(json_parse(SPAN_LIT("{\"s\":\"abcd\",\"n\":1234,\"t\":\"abc\"}"), &doc, NULL),
                     HO_OK);
    assert_int_equal(json_text(json_at(doc, SPAN_LIT("/s")), &b), HO_REJECT);
    assert_int_equal(json_text(json_at(doc, SPAN_LIT("/n")), &b), HO_REJECT);
    assert_string_equal(buf_cstr(&b), "");
    assert_int_equal(json_text(json_at(doc, SPAN_LIT("/t")), &b), HO_OK);
    assert_string_equal(buf_cstr(&b), "abc");
    buf_free(&b);
    json_free(doc);
}

static void an_empty_document_is_not_absent(void **state)
{
    struct json *doc = NULL;
    (void)state;
    assert_int_equal(json_parse(SPAN_LIT("null"), &doc, NULL), HO_OK);
    assert_non_null(doc);
    assert_int_equal(json_kind_of(json_at(doc, SPAN_LIT(""))), JSON_NULL);
    assert_int_equal(json_kind_of(json_at(doc, SPAN_LIT("/a"))), JSON_ABSENT);
    assert_int_equal(json_kind_of(NULL), JSON_ABSENT);
    json_free(doc);
}

/* Pointers from a value, items, and a document that is looked at from inside. */
static void looks_from_inside(void **state)
{
    static const struct {
        struct span focus, pointer;
        bool focuses;
        const char *text; /* NULL: leads nowhere */
    } rows[] = {
        {S(""), S("/list/2/y/1"), true, "false"},
        {S("/list"), S(""), true, "[\"x\",null,{\"y\":[true,false]}]"},
        {S("/list"), S("/0"), true, "x"},
        {S("/list/2"), S("/y/0"), true, "true"},
        {S("/list/2"), S("/a"), true, NULL},
        {S("/list/1"), S(""), true, ""},
        {S("/list/1"), S("/0"), true, NULL},
        {S("/a"), S(""), true, "1"},
        {S("/list/3"), S("/a"), false, "1"}, /* as it was */
        {S("list"), S("/a"), false, "1"},
        {NONE, S("/a"), false, "1"},
        {S("/list"), S("0"), true, NULL},
        {S("/list"), NONE, true, NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct json *doc = NULL;
        struct buf b;
        buf_init(&b, 100);
        ROW(i, json_parse(span_of(odd), &doc, NULL) == HO_OK);
        const struct json_node *from = json_at(doc, rows[i].focus);
        const struct json_node *inside = json_in(from, rows[i].pointer);
        ROW(i, json_focus(doc, rows[i].focus) == rows[i].focuses);
        const struct json_node *node = json_at(doc, rows[i].pointer);
        ROW(i, (node != NULL) == (rows[i].text != NULL));
        ROW(i, inside == (rows[i].focuses ? node : NULL));
        ROW(i, json_text(node, &b) == HO_OK);
        ROW_TEXT(i, buf_cstr(&b), rows[i].text == NULL ? "" : rows[i].text);
        /* once more, from there */
        ROW(i, !json_focus(doc, SPAN_LIT("/none")) && json_at(doc, rows[i].pointer) == node);
        buf_free(&b);
        json_free(doc);
    }
    assert_null(json_in(NULL, SPAN_LIT("")));
}

static void counts_items(void **state)
{
    static const struct {
        struct span in;
        size_t n;
    } rows[] = {
        {S("[]"), 0}, {S("[null]"), 1},    {S("[1,[2,3]]"), 2}, {S("{\"a\":1}"), 0},
        {S("7"), 0},  {S("\"text\""), 0}, {S("null"), 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct json *doc = NULL;
        ROW(i, json_parse(rows[i].in, &doc, NULL) == HO_OK);
        const struct json_node *node = json_at(doc, SPAN_LIT(""));
        ROW(i, json_count(node) == rows[i].n);
        ROW(i, json_item(node, rows[i].n) == NULL && json_item(node, SIZE_MAX) == NULL);
        for (size_t k = 0; k < rows[i].n; k++) {
            char pointer[32];
            (void)snprintf(pointer, sizeof pointer, "/%zu", k);
            ROW(i, json_item(node, k) != NULL);
            ROW(i, json_item(node, k) == json_at(doc, span_of(pointer)));
        }
        json_free(doc);
    }
    assert_int_equal(json_count(NULL), 0);
    assert_null(json_item(NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_exactly_one_value),
        cmocka_unit_test(errors_show_no_content),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(pointers_reach_every_key),
        cmocka_unit_test(the_text_that_was_given_is_left_alone),
        cmocka_unit_test(values_read_as_text),
        cmocka_unit_test(a_value_too_long_is_refused_whole),
        cmocka_unit_test(an_empty_document_is_not_absent),
        cmocka_unit_test(looks_from_inside),
        cmocka_unit_test(counts_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
