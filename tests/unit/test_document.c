/* Where the JSON of a body is, and that the stored word leads back to the same document. */
#include "unit.h"

#include "core/document.h"

#define BOM "\xEF\xBB\xBF"
#define YES true
#define NO false
#define FIELD(name, value) \
    "--b\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" value "\r\n"
#define A_FILE(name) \
    "--b\r\nContent-Disposition: form-data; name=\"" name "\"; filename=\"f\"\r\n\r\n{}\r\n"
#define END "--b--\r\n"

struct row {
    struct span body;
    bool forms; /* whether the recipe looks at forms */
    const char *form_json;
    const char *word;
    const char *text; /* the whole document as compact JSON, NULL with "none" */
};

static const struct row rows[] = {
    {S("{\"a\":1}"), NO, NULL, "json", "{\"a\":1}"},
    {S(" [1, 2]\r\n"), NO, NULL, "json", "[1,2]"},
    {S("7"), NO, NULL, "json", "7"},
    {S(BOM "{\"a\":1}"), NO, NULL, "json", "{\"a\":1}"},
    /* should be JSON and is not: no form, where the recipe knows none */
    {S("{\"a\":"), NO, NULL, "none", NULL},
    {S("{\"a\":1} x"), NO, NULL, "none", NULL},
    {S(""), NO, NULL, "none", NULL},
    {NONE, NO, NULL, "none", NULL},
    {S("a=1"), NO, NULL, "none", NULL},
    {S("x&id=evt_1&type=paid"), NO, NULL, "none", NULL},
    {S(FIELD("a", "1") END), NO, NULL, "none", NULL},
    /* JSON stays JSON where forms may come too */
    {S("{\"a\":1}"), YES, NULL, "json", "{\"a\":1}"},
    {S("{\"a\":1}"), YES, "payload", "json", "{\"a\":1}"},
    {S("\r\n\t {\"a\":1}"), YES, NULL, "json", "{\"a\":1}"},
    {S(BOM " {\"a\":1}"), YES, NULL, "json", "{\"a\":1}"},
    {S("[{\"a\":\"x&payload=7\"}]"), YES, "payload", "json", "[{\"a\":\"x&payload=7\"}]"},
    {S("{\"a\":\"x&b=1\"}&b=2"), YES, NULL, "none", NULL},
    {S(" [&payload=7"), YES, "payload", "none", NULL},
    {S(BOM "{&a=1"), YES, NULL, "none", NULL},
    {S(""), YES, NULL, "none", NULL},
    {S(" \r\n"), YES, "payload", "none", NULL},
    {NONE, YES, "payload", "none", NULL},
    /* forms */
    {S("a=1&b=x+y%21"), YES, NULL, "form", "{\"a\":\"1\",\"b\":\"x y!\"}"},
    {S("a=1&a=2"), YES, NULL, "form", "{\"a\":\"1\"}"},
    {S("7"), YES, NULL, "json", "7"},
    {S("Hello, World!"), YES, NULL, "none", NULL},
    {S("b&a="), YES, NULL, "form", "{\"b\":\"\",\"a\":\"\"}"},
    {S("%7B=1"), YES, NULL, "form", "{\"{\":\"1\"}"},
    {S("a=1"), YES, "payload", "form", "{\"a\":\"1\"}"},
    {S("xpayload=7"), YES, "payload", "form", "{\"xpayload\":\"7\"}"},
    /* JSON inside a field of a form */
    {S("payload=%7B%22a%22%3A1%7D"), YES, "payload", "form:payload", "{\"a\":1}"},
    {S("x=1&payload=%7B%22a%22:+1%7D&y=2"), YES, "payload", "form:payload", "{\"a\":1}"},
    {S("payload=[1,2,3,4,5,6,7,8]"), YES, "payload", "form:payload", "[1,2,3,4,5,6,7,8]"},
    {S("payload=1&payload=2"), YES, "payload", "form:payload", "1"},
    {S("payload=%EF%BB%BF%7B%7D"), YES, "payload", "form:payload", "{}"},
    /* it is there but broken: not a form of fields instead */
    {S("payload=%7B%22a%22"), YES, "payload", "none", NULL},
    {S("payload="), YES, "payload", "none", NULL},
    {S("payload"), YES, "payload", "none", NULL},
    {S("payload&a=1"), YES, "payload", "none", NULL},
    {S("payload=%7B%7D+x"), YES, "payload", "none", NULL},
    {S("payload=x&payload=1"), YES, "payload", "none", NULL},
    /* a field that no word can name */
    {S("a%23b=7"), YES, "a#b", "form", "{\"a#b\":\"7\"}"},
    /* multipart forms */
    {S(FIELD("a", "1") FIELD("b", "x+y") END), YES, NULL, "form", "{\"a\":\"1\",\"b\":\"x+y\"}"},
    {S(FIELD("a", "1") FIELD("a", "2") END), YES, NULL, "form", "{\"a\":\"1\"}"},
    {S(A_FILE("f") FIELD("a", "1") END), YES, NULL, "form", "{\"a\":\"1\"}"},
    {S("--b \r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n" END), YES, NULL, "form",
     "{\"a\":\"1\"}"},
    {S(FIELD("json", "{\"a\":1}") END), YES, "json", "form:json", "{\"a\":1}"},
    {S(FIELD("x", "2") FIELD("json", "[1]") END), YES, "json", "form:json", "[1]"},
    {S(A_FILE("json") FIELD("json", "[1]") END), YES, "json", "form:json", "[1]"},
    {S(FIELD("x", "2") END), YES, "json", "form", "{\"x\":\"2\"}"},
    {S(A_FILE("json") END), YES, "json", "form", "{}"},
    {S(FIELD("json", "{") END), YES, "json", "none", NULL},
    {S(FIELD("json", "") END), YES, "json", "none", NULL},
    {S(FIELD("json", "{}")), YES, "json", "none", NULL},
    {S(FIELD("a", "1")), YES, NULL, "none", NULL},
    {S("--b\r\n=&a=1"), YES, NULL, "none", NULL},
    {S("--b=1&a=2"), YES, NULL, "form", "{\"--b\":\"1\",\"a\":\"2\"}"},
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
        const struct document_how how = {r->forms, r->form_json, false};
        char word[DOCUMENT_WORD_MAX] = "?";
        struct json *doc = NULL;
        struct json *again = NULL;
        struct ho_err err;
        ho_err_clear(&err);

        ROW(i, document_detect(r->body, &how, word, &doc) == HO_OK);
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
        {S(FIELD("a", "1")), S("form"), changed},
        {S(FIELD("a", "1") END), S("form:payload"), changed},
        {S(FIELD("a", "{") END), S("form:a"), changed},
        {S(FIELD("a", "{}")), S("form:a"), changed},
        /* items */
        {S("[1]"), S("json#"), unknown},
        {S("[1]"), S("json#0"), unknown},
        {S("[1]"), S("#/0"), unknown},
        {S("[1]"), S("none#/0"), unknown},
        {S("[1]"), S("xml#/0"), unknown},
        {S("a=1"), S("form#/a"), unknown},
        {S("[1]"), S("json#/1"), changed},
        {S("[1]"), S("json#/-"), changed},
        {S("[1]"), S("json#/00"), changed},
        {S("[1]"), S("json#/0/0"), changed},
        {S("{\"a\":[1]}"), S("json#/b/0"), changed},
        {S("[1"), S("json#/0"), changed},
        {S("a=[1]"), S("form:a#/1"), changed},
        {S("a=[1]"), S("form:b#/0"), changed},
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
    const struct document_how how = {true, name, false};
    assert_int_equal(document_detect(s, &how, word, &doc), HO_OK);
    assert_int_equal(strlen(word), DOCUMENT_WORD_MAX - 1);
    check_text(doc, "7");
    assert_int_equal(document_open(s, span_of(word), &again, NULL), HO_OK);
    check_text(again, "7");
    json_free(doc);
    json_free(again);
}

static void opens_items(void **state)
{
    static const struct {
        struct span body;
        const char *word, *pointer;
        size_t index;
        const char *item_word, *text;
    } items[] = {
        {S("[10,{\"a\":[1]}]"), "json", "", 0, "json#/0", "10"},
        {S("[10,{\"a\":[1]}]"), "json", "", 1, "json#/1", "{\"a\":[1]}"},
        {S("{\"events\":[0,1,2,3]}"), "json", "/events", 3, "json#/events/3", "3"},
        {S("{\"a\":{\"b~c\":[null]}}"), "json", "/a/b~0c", 0, "json#/a/b~0c/0", ""},
        {S("{\"#\":[7]}"), "json", "/#", 0, "json#/#/0", "7"},
        {S("p=[8,9]&x=1"), "form:p", "", 1, "form:p#/1", "9"},
        {S("p={\"e\":[8,9]}"), "form:p", "/e", 0, "form:p#/e/0", "8"},
        {S(FIELD("p", "[8,9]") END), "form:p", "", 1, "form:p#/1", "9"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(items); i++) {
        char word[DOCUMENT_WORD_MAX];
        struct json *doc = NULL;
        ROW(i, document_item_word(items[i].word, items[i].pointer, items[i].index, word, NULL) ==
                   HO_OK);
        ROW_TEXT(i, word, items[i].item_word);
        ROW(i, document_open(items[i].body, span_of(word), &doc, NULL) == HO_OK);
        check_text(doc, items[i].text);
        json_free(doc);
    }
}

static void finds_the_text_of_a_document(void **state)
{
    static const struct {
        struct span body;
        const char *word;
        enum ho_code code;
        const char *text; /* NULL: none */
    } cases[] = {
        {S(" {\"a\": 1}"), "json", HO_OK, " {\"a\": 1}"},
        {S("p=%7B%22a%22:+1%7D"), "form:p", HO_OK, "{\"a\": 1}"},
        {S(FIELD("p", "[8, 9]") END), "form:p", HO_OK, "[8, 9]"},
        {S("q=1"), "form:p", HO_REJECT, NULL},
        {S(FIELD("p", "[8, 9]")), "form:p", HO_REJECT, NULL},
        {S("p=1234567890"), "form:p", HO_REJECT, NULL}, /* no room */
        {S("p=1"), "form", HO_OK, NULL},
        {S("x"), "none", HO_OK, NULL},
        {S("{}"), "", HO_OK, NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf room;
        struct span text;
        buf_init(&room, 12);
        assert_int_equal(buf_add_str(&room, "had"), HO_OK);
        ROW(i, document_text(cases[i].body, span_of(cases[i].word), &room, &text) == cases[i].code);
        ROW(i, span_present(text) == (cases[i].text != NULL));
        ROW(i, cases[i].text == NULL || span_is(text, cases[i].text));
        ROW(i, span_starts(buf_span(&room), "had"));
        buf_free(&room);
    }
}

static void an_item_word_has_a_limit(void **state)
{
    /* "json#" and 56 letters and "/1" are 63 bytes, and the NUL. */
    static const char pointer[] = "/abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabc";
    char word[DOCUMENT_WORD_MAX];
    struct ho_err err;
    (void)state;
    ho_err_clear(&err);
    assert_int_equal(document_item_word("json", pointer, 1, word, &err), HO_OK);
    assert_int_equal(strlen(word), DOCUMENT_WORD_MAX - 1);
    assert_int_equal(document_item_word("json", pointer, 10, word, &err), HO_REJECT);
    assert_string_equal(word, "");
    assert_non_null(strstr(err.text, "longer than 63 bytes"));
}

static void knows_forms_by_their_bytes(void **state)
{
    static const struct {
        struct span body;
        enum document_kind kind; /* where there are forms */
    } bodies[] = {
        {S("a=1"), DOCUMENT_URLENCODED},
        {S("="), DOCUMENT_URLENCODED},
        {S("\0="), DOCUMENT_URLENCODED},
        {S(" a={"), DOCUMENT_URLENCODED},
        {S("\"{=\""), DOCUMENT_URLENCODED},
        {S("--b="), DOCUMENT_URLENCODED},
        {S(" --b\r\n="), DOCUMENT_URLENCODED},
        {S("a"), DOCUMENT_JSON},
        {S("--b"), DOCUMENT_JSON},
        {S("\"{\""), DOCUMENT_JSON},
        {S("--b\r\n"), DOCUMENT_MULTIPART},
        {S("--b\r\n{"), DOCUMENT_MULTIPART},
        {S("{}"), DOCUMENT_JSON},
        {S("{"), DOCUMENT_JSON},
        {S(" \t\r\n["), DOCUMENT_JSON},
        {S(BOM "\n{"), DOCUMENT_JSON},
        {S("\n"), DOCUMENT_JSON},
        {S(""), DOCUMENT_JSON},
        {NONE, DOCUMENT_JSON},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++) {
        ROW(i, document_kind(bodies[i].body, true) == bodies[i].kind);
        ROW(i, document_kind(bodies[i].body, false) == DOCUMENT_JSON);
    }
}

static void reads_fields_of_both_kinds(void **state)
{
    static const struct {
        struct span body;
        bool ok;
        size_t n;
        struct span want;
    } fields[] = {
        {S("a=1&b=x+y&a=2"), true, 2, S("1")},
        {S("a=x+y%21"), true, 1, S("x y!")},
        {S("b=1"), true, 0, S("")},
        {S(""), true, 0, S("")},
        {S(FIELD("a", "1") FIELD("a", "2") END), true, 2, S("1")},
        {S(FIELD("a", "x+y%21") END), true, 1, S("x+y%21")},
        {S(FIELD("a", "") END), true, 1, S("")},
        {S(FIELD("b", "1") A_FILE("a") END), true, 0, S("")},
        {S(FIELD("a", "1")), false, 0, S("")},
        {S(FIELD("b", "1")), false, 0, S("")},
        {NONE, false, 0, S("")},
        {S("a=123456789"), false, 1, S("")},
        {S(FIELD("a", "123456789") END), false, 1, S("")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(fields); i++) {
        struct buf out;
        size_t n = 77;
        buf_init(&out, 8);
        ROW(i, document_field(fields[i].body, "a", &out, &n) ==
                   (fields[i].ok ? HO_OK : HO_REJECT));
        ROW(i, n == fields[i].n);
        ROW(i, span_eq(buf_span(&out), fields[i].want));
        buf_free(&out);
    }
}

/* n times `piece` between the two ends. */
static struct span many(struct buf *out, const char *begin, const char *piece, size_t n, const char *end)
{
    buf_init(out, strlen(begin) + n * strlen(piece) + strlen(end) + 1);
    assert_int_equal(buf_add_str(out, begin), HO_OK);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(buf_add_str(out, piece), HO_OK);
    }
    assert_int_equal(buf_add_str(out, end), HO_OK);
    return buf_span(out);
}

/* Before the signature is seen to fit, anybody may have sent it. */
static void parses_only_so_much_early(void **state)
{
    static const struct {
        const char *begin, *piece, *end;
        size_t most; /* pieces that are taken early */
        bool forms;
        const char *word;
    } cases[] = {
        {"{\"a\":[{}", ",{}", "]}", 19997, NO, "json"},
        {"[1", ",1", "]", 100000, NO, "json"},
        {"[1", ",1", "]", 100000, YES, "json"},
        {"x=1", "&a=", "", 99999, YES, "form"},
        {"p=[1", ",1", "]", 100000, YES, "form:p"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t more = 0; more < 2; more++) {
            const struct document_how early = {cases[i].forms, "p", true};
            const struct document_how late = {cases[i].forms, "p", false};
            char word[DOCUMENT_WORD_MAX];
            struct json *doc;
            struct buf text;
            struct span body = many(&text, cases[i].begin, cases[i].piece, cases[i].most + more, cases[i].end);
            ROW(i, document_detect(body, &early, word, &doc) == (more == 0 ? HO_OK : HO_REJECT));
            ROW_TEXT(i, word, more == 0 ? cases[i].word : "none");
            ROW(i, (doc == NULL) == (more == 1));
            json_free(doc);
            ROW(i, document_detect(body, &late, word, &doc) == HO_OK);
            ROW_TEXT(i, word, cases[i].word);
            json_free(doc);
            buf_free(&text);
        }
    }
    /* What is no JSON at all is not too much of it. */
    const struct document_how early = {false, NULL, true};
    char word[DOCUMENT_WORD_MAX];
    struct json *doc;
    assert_int_equal(document_detect(SPAN_LIT("{\"a\":"), &early, word, &doc), HO_OK);
    assert_string_equal(word, "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_document_and_finds_it_again),
        cmocka_unit_test(refuses_a_word_or_body_that_does_not_fit),
        cmocka_unit_test(takes_the_longest_field_name_that_a_word_holds),
        cmocka_unit_test(opens_items),
        cmocka_unit_test(finds_the_text_of_a_document),
        cmocka_unit_test(an_item_word_has_a_limit),
        cmocka_unit_test(knows_forms_by_their_bytes),
        cmocka_unit_test(reads_fields_of_both_kinds),
        cmocka_unit_test(parses_only_so_much_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
