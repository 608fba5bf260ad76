/* Where the JSON of a body is, and that the stored word leads back to the same document. */
#include "unit.h"

#include "core/document.h"

#define FORM S("application/x-www-form-urlencoded")
#define BOM "\xEF\xBB\xBF"

struct row {
    struct span body, content_type;
    const char *form_json;
    const char *word;
    const char *text; /* the whole document as compact JSON, NULL with "none" */
};

static const struct row rows[] = {
    {S("{\"a\":1}"), S("application/json"), NULL, "json", "{\"a\":1}"},
    {S("{\"a\":1}"), S("application/json; charset=utf-8"), NULL, "json", "{\"a\":1}"},
    {S("{\"a\":1}"), NONE, NULL, "json", "{\"a\":1}"},
    {S("{\"a\":1}"), S("text/plain"), NULL, "json", "{\"a\":1}"},
    {S("{\"a\":1}"), S(""), NULL, "json", "{\"a\":1}"},
    {S(" [1, 2]\r\n"), S("application/json"), NULL, "json", "[1,2]"},
    {S("7"), S("application/json"), NULL, "json", "7"},
    {S(BOM "{\"a\":1}"), S("application/json"), NULL, "json", "{\"a\":1}"},
    {S("{\"a\":1}"), S("application/json"), "payload", "json", "{\"a\":1}"},
    /* should be JSON and is not */
    {S("{\"a\":"), S("application/json"), NULL, "none", NULL},
    {S("{\"a\":1} x"), S("application/json"), NULL, "none", NULL},
    {S(""), S("application/json"), NULL, "none", NULL},
    {NONE, S("application/json"), NULL, "none", NULL},
    {NONE, NONE, NULL, "none", NULL},
    {S("a=1"), S("application/json"), NULL, "none", NULL},
    {S("a=1"), NONE, "payload", "none", NULL},
    {S("a=1"), S("application/x-www-form-urlencoded2"), NULL, "none", NULL},
    {S("a=1"), S("text/plain; x=application/x-www-form-urlencoded"), NULL, "none", NULL},
    /* forms */
    {S("a=1&b=x+y%21"), FORM, NULL, "form", "{\"a\":\"1\",\"b\":\"x y!\"}"},
    {S("a=1&a=2"), FORM, NULL, "form", "{\"a\":\"1\"}"},
    {S("a=1"), S("Application/X-WWW-Form-URLencoded ; charset=UTF-8"), NULL, "form",
     "{\"a\":\"1\"}"},
    {S("{\"a\":1}"), FORM, NULL, "form", "{\"{\\\"a\\\":1}\":\"\"}"},
    {S(""), FORM, NULL, "form", "{}"},
    {S("a=1"), FORM, "payload", "form", "{\"a\":\"1\"}"},
    {S("xpayload=7"), FORM, "payload", "form", "{\"xpayload\":\"7\"}"},
    {NONE, FORM, NULL, "none", NULL},
    {NONE, FORM, "payload", "none", NULL},
    /* JSON inside a field of a form */
    {S("payload=%7B%22a%22%3A1%7D"), FORM, "payload", "form:payload", "{\"a\":1}"},
    {S("x=1&payload=%7B%22a%22:+1%7D&y=2"), FORM, "payload", "form:payload", "{\"a\":1}"},
    {S("payload=[1,2,3,4,5,6,7,8]"), FORM, "payload", "form:payload", "[1,2,3,4,5,6,7,8]"},
    {S("payload=1&payload=2"), FORM, "payload", "form:payload", "1"},
    {S("payload=%EF%BB%BF%7B%7D"), FORM, "payload", "form:payload", "{}"},
    /* it is there but broken: not a form of fields instead */
    {S("payload=%7B%22a%22"), FORM, "payload", "none", NULL},
    {S("payload="), FORM, "payload", "none", NULL},
    {S("payload"), FORM, "payload", "none", NULL},
    {S("payload=%7B%7D+x"), FORM, "payload", "none", NULL},
    {S("payload=x&payload=1"), FORM, "payload", "none", NULL},
};

static void check_text(const struct json *doc, const char *want)
{
    struct buf text;
    buf_init(&text, 4096);
    assert_int_equal(json_text(json_at(doc, SPAN_LIT("")), &text), HO_OK);
    assert_string_equal(buf_cstr(&text), want);
    buf_free(&text);
}

static void finds_the_document_and_finds_it_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *r = &rows[i];
        char word[DOCUMENT_WORD_MAX] = "?";
        struct json *doc = NULL;
        struct json *again = NULL;
        struct ho_err err;
        ho_err_clear(&err);

        document_detect(r->body, r->content_type, r->form_json, word, &doc);
        if (strcmp(word, r->word) != 0) {
            fail_msg("row %zu: \"%s\", not \"%s\"", i, word, r->word);
        }
        assert_int_equal(document_open(r->body, span_of(word), &again, &err), HO_OK);
        if (r->text == NULL) {
            assert_null(doc);
            assert_null(again);
        } else {
            check_text(doc, r->text);
            check_text(again, r->text);
        }
        json_free(doc);
        json_free(again);
    }
}

static void refuses_a_word_or_body_that_does_not_fit(void **state)
{
    static const char unknown[] = "the receipt's document word is not known";
    static const char changed[] = "the stored body is no longer the document it was";
    static const struct {
        struct span body, word;
        const char *why;
    } bad[] = {
        {S("{}"), S(""), unknown},
        {S("{}"), NONE, unknown},
        {S("{}"), S("JSON"), unknown},
        {S("{}"), S("json "), unknown},
        {S("{}"), S("jso"), unknown},
        {S("{}"), S("json\0"), unknown},
        {S("{}"), S("none\0"), unknown},
        {S("a={}"), S("form\0"), unknown},
        {S("a={}"), S("form;a"), unknown},
        {S("a={}"), S("form:a\0b"), unknown},
        {S("a={}"), S("xml"), unknown},
        {S("a={}"), S("form:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), unknown},
        {S("{"), S("json"), changed},
        {S(""), S("json"), changed},
        {NONE, S("json"), changed},
        {NONE, S("form"), changed},
        {S("a=1"), S("form:payload"), changed},
        {S("payload=%7B"), S("form:payload"), changed},
        {S("a={}"), S("form:"), changed},
        {NONE, S("form:payload"), changed},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct json *doc = NULL;
        struct ho_err err;
        ho_err_clear(&err);
        if (document_open(bad[i].body, bad[i].word, &doc, &err) != HO_PERMANENT) {
            fail_msg("row %zu was opened", i);
        }
        assert_string_equal(err.text, bad[i].why);
        assert_null(doc);
    }
}

static void takes_the_longest_field_name_that_a_word_holds(void **state)
{
    /* "form:" and 58 letters are 63 bytes, and the NUL. */
    static const char name[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdef";
    char body[128];
    char word[DOCUMENT_WORD_MAX];
    struct json *doc = NULL;
    struct json *again = NULL;
    (void)state;
    assert_int_equal(sizeof name - 1, 58);
    memcpy(body, name, sizeof name - 1);
    memcpy(body + sizeof name - 1, "=7", 2);
    struct span s = span_make(body, sizeof name + 1);
    document_detect(s, span_of("application/x-www-form-urlencoded"), name, word, &doc);
    assert_int_equal(strlen(word), DOCUMENT_WORD_MAX - 1);
    check_text(doc, "7");
    assert_int_equal(document_open(s, span_of(word), &again, NULL), HO_OK);
    check_text(again, "7");
    json_free(doc);
    json_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_document_and_finds_it_again),
        cmocka_unit_test(refuses_a_word_or_body_that_does_not_fit),
        cmocka_unit_test(takes_the_longest_field_name_that_a_word_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
