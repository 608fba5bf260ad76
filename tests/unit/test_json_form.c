/* Forms as JSON documents: urlencoded and multipart. */
#include "unit.h"

#include "base/json.h"

static void a_form_becomes_an_object(void **state)
{
    static const struct {
        struct span form;
        const char *json;
    } rows[] = {
        {S("a=1&b=x+y"), "{\"a\":\"1\",\"b\":\"x y\"}"},
        {S("a=1&a=2"), "{\"a\":\"1\"}"},
        {S("a=&b"), "{\"a\":\"\",\"b\":\"\"}"},
        {S("&&a=1&&"), "{\"a\":\"1\"}"},
        {S("=x"), "{\"\":\"x\"}"},
        {S(""), "{}"},
        {S("a=%22%5c"), "{\"a\":\"\\\"\\\\\"}"},
        {S("a=b=c"), "{\"a\":\"b=c\"}"},
        {S("a%00b=1&a=2"), "{\"a\xef\xb7\x90" "b\":\"1\",\"a\":\"2\"}"},
        {S("a=x%00y"), "{\"a\":\"x\\u0000y\"}"},
        {S("a=%zz"), "{\"a\":\"%zz\"}"},
        {S("a%2Fb=1"), "{\"a/b\":\"1\"}"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct json *doc = NULL;
        struct buf b;
        buf_init(&b, 100);
        ROW(i, json_from_form(rows[i].form, &json_ample, &doc, NULL) == HO_OK);
        ROW(i, json_text(json_at(doc, SPAN_LIT("")), &b) == HO_OK);
        ROW_TEXT(i, buf_cstr(&b), rows[i].json);
        buf_free(&b);
        json_free(doc);
    }
    struct json *doc = NULL;
    assert_int_equal(json_from_form(SPAN_LIT("x%00y=1&a%2Fb=2"), &json_ample, &doc, NULL), HO_OK);
    assert_int_equal(json_kind_of(json_at(doc, SPAN_LIT("/x\0y"))), JSON_STRING);
    assert_int_equal(json_kind_of(json_at(doc, SPAN_LIT("/x"))), JSON_ABSENT);
    assert_int_equal(json_kind_of(json_at(doc, SPAN_LIT("/a~1b"))), JSON_STRING);
    json_free(doc);
    assert_int_equal(json_from_form(SPAN_NONE, &json_ample, &doc, NULL), HO_REJECT);
    assert_null(doc);
}

static void long_field_names_have_a_limit(void **state)
{
    static char form[65540];
    struct json *doc = NULL;
    (void)state;
    memset(form, 'a', sizeof form);
    form[65536] = '=';
    assert_int_equal(json_from_form(span_make(form, 65538), &json_ample, &doc, NULL), HO_OK);
    json_free(doc);
    form[65536] = 'a';
    assert_int_equal(json_from_form(span_make(form, 65537), &json_ample, &doc, NULL), HO_REJECT);
    assert_null(doc);
}

static void fields_have_a_limit(void **state)
{
    static char form[2 * 1000002];
    static const struct json_limits *const limits[] = {&json_ample, &json_tight};
    (void)state;
    for (size_t n = 0; n < 4; n++) {
        const struct json_limits *within = limits[n / 2];
        size_t fields = within->values + n % 2;
        struct json *doc = NULL;
        for (size_t i = 0; i < fields; i++) {
            memcpy(form + 2 * i, "a&", 2); /* the same, which cost no memory */
        }
        ROW(n, json_from_form(span_make(form, 2 * fields), within, &doc, NULL) ==
                   (n % 2 == 0 ? HO_OK : HO_PERMANENT));
        ROW(n, (doc != NULL) == (n % 2 == 0));
        json_free(doc);
    }
}

#define FIELD(name, value) \
    "--b\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" value "\r\n"
#define A_FILE "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\nx\r\n"
#define END "--b--\r\n"
#define TYPE S("multipart/form-data; boundary=b")

static void a_multipart_form_becomes_an_object(void **state)
{
    static const struct {
        struct span body, type;
        const char *json; /* NULL: refused */
    } rows[] = {
        {S(FIELD("a", "1") FIELD("b", "x y") END), TYPE, "{\"a\":\"1\",\"b\":\"x y\"}"},
        {S(FIELD("a", "1") FIELD("b", "x y") END), NONE, "{\"a\":\"1\",\"b\":\"x y\"}"},
        {S(FIELD("a", "1") FIELD("a", "2") END), NONE, "{\"a\":\"1\"}"},
        {S(FIELD("a", "%41+\r\n") END), NONE, "{\"a\":\"%41+\\r\\n\"}"},
        {S(FIELD("a", "") FIELD("", "x") END), NONE, "{\"a\":\"\",\"\":\"x\"}"},
        {S(FIELD("a", "x\0y") END), NONE, "{\"a\":\"x\\u0000y\"}"},
        {S(A_FILE FIELD("a", "1") END), NONE, "{\"a\":\"1\"}"},
        {S(A_FILE FIELD("f", "1") END), NONE, "{\"f\":\"1\"}"},
        {S(A_FILE END), NONE, "{}"},
        {S(FIELD("a", "1")), NONE, NULL},
        {S(FIELD("a", "1") "--b\r\n"), NONE, NULL},
        {S(FIELD("a", "1") END), S("multipart/form-data; boundary=c"), NULL},
        {S(FIELD("a", "1") END), S("multipart/mixed; boundary=b"), NULL},
        {S("a=1"), NONE, NULL},
        {S(""), NONE, NULL},
        {NONE, NONE, NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct json *doc = NULL;
        struct buf b;
        struct ho_err err;
        ho_err_clear(&err);
        buf_init(&b, 100);
        enum ho_code code = json_from_multipart(rows[i].body, rows[i].type, &doc, &err);
        ROW(i, code == (rows[i].json == NULL ? HO_REJECT : HO_OK) && err.code == code);
        ROW(i, (doc == NULL) == (rows[i].json == NULL));
        ROW(i, json_text(json_at(doc, SPAN_LIT("")), &b) == HO_OK);
        ROW_TEXT(i, buf_cstr(&b), rows[i].json == NULL ? "" : rows[i].json);
        buf_free(&b);
        json_free(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_form_becomes_an_object),
        cmocka_unit_test(long_field_names_have_a_limit),
        cmocka_unit_test(fields_have_a_limit),
        cmocka_unit_test(a_multipart_form_becomes_an_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
