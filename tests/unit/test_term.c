/* Terms: the words there are, which value comes out, and when there is none. */
#include "edge_site.h"

#include "edge/term.h"
#include "edge/words.h"

static void names_the_known_words_for_an_unknown_one(void **state)
{
    static const struct {
        const char *term, *says;
    } rows[] = {
        {"jsn:/id", "\"jsn:/id\" is not known; there are body, item, method"},
        {"", "is not known"},
        {"bodyx", "is not known"},
        {"body:x", "is not known"},
        {"items", "is not known"},
        {"formsorted:x", "is not known"},
        {"Body", "is not known"},
        {" body", "is not known"},
        {"json:id", "begins with /"},
        {"json:", "begins with /"},
        {"json:.", "begins with /"},
        {"json:.id", "begins with /"},
        {"header:", "needs a name"},
        {"header:a b", "needs a name of letters"},
        {"header:a_b", "needs a name of letters"},
        {"header:a:b", "needs a name of letters"},
        {"header:*", "needs a name"},
        {"header:**a", "needs a name of letters"},
        {"query:", "needs a name"},
        {"form:", "needs a name"},
        {"claim:", "needs a name"},
        {"jose:", "needs a name"},
        {"sig.", "needs a name"},
        {"sig.a.b", "needs a name of letters"},
        {"param:", "needs a name"},
        {"param:a/b", "needs a name of letters"},
        {"header:0123456789012345678901234567890123456789012345678901234567890123456", "too long"},
        {"body|", "is no filter; there are lower, upper"},
        {"body|sha3", "\"|sha3\" is no filter"},
        {"body|sha256 |hex", "is no filter"},
        {"body|hex|hex|hex|hex|hex|hex|hex", "has too many filters"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct term t;
        struct ho_err err;
        ho_err_clear(&err);
        ROW(i, term_parse(span_of(rows[i].term), &t, &err) == HO_REJECT);
        ROW(i, strstr(err.text, rows[i].says) != NULL);
        ROW(i, t.name == NULL && t.filters == NULL && t.n_filters == 0);
    }
    struct term t;
    char pointer[5 + TERM_FIELD_MAX + 1] = "json:/";
    assert_int_equal(term_parse(SPAN_LIT("json:/a\0b"), &t, NULL), HO_REJECT);
    memset(pointer + 6, 'a', TERM_FIELD_MAX);
    assert_int_equal(term_parse(span_make(pointer, 5 + TERM_FIELD_MAX + 1), &t, NULL), HO_REJECT);
    assert_int_equal(term_parse(span_make(pointer, 5 + TERM_FIELD_MAX), &t, NULL), HO_OK);
    term_free(&t);
}

/* The words of the manual and of the errors are the ones that can be read. */
static void takes_every_word_as_it_is_shown(void **state)
{
    char joined[WORDS_JOINED_MAX], text[TERM_SAID_MAX];
    struct term t;
    size_t n = 0;
    (void)state;
    for (; term_words(n) != NULL; n++) {
        ROW(n, term_parse(span_of(term_words(n)->word), &t, NULL) == HO_OK);
        term_say(&t, "svix-", text);
        ROW(n, t.kind == TERM_FAMILY   ? strcmp(text, "svix-name") == 0
               : t.kind == TERM_HEADER ? strcmp(text, "name") == 0
               : t.kind == TERM_CLAIM  ? strcmp(text, "claim:/NAME") == 0
               : t.kind == TERM_JOSE   ? strcmp(text, "jose:/NAME") == 0
                                       : strcmp(text, term_words(n)->word) == 0);
        ROW(n, strlen(term_words(n)->help) > 5);
        term_free(&t);
    }
    assert_int_equal(n, TERM_ARRIVAL + 1);
    words_join(term_words, joined);
    assert_non_null(strstr(joined, "sig.NAME, secret, param:NAME and arrival"));
}

static void knows_where_a_value_comes_from(void **state)
{
    static const struct {
        const char *text, *name;
        enum term_kind kind;
        bool body, direct;
    } rows[] = {
        {"body", NULL, TERM_BODY, true, true},
        {"body|sha256", NULL, TERM_BODY, true, false},
        {"item", NULL, TERM_ITEM, true, true},
        {"method", NULL, TERM_METHOD, false, true},
        {"url", NULL, TERM_URL, false, true},
        {"url|withform", NULL, TERM_URL, true, false},
        {"path", NULL, TERM_PATH, false, true},
        {"header:X-Id", "x-id", TERM_HEADER, false, true},
        {"header:X-Id|lower", "x-id", TERM_HEADER, false, false},
        {"header:*ID", "id", TERM_FAMILY, false, true},
        {"query:a b", "a b", TERM_QUERY, false, false},
        {"form:a[b]", "a[b]", TERM_FORM, true, false},
        {"formsorted", NULL, TERM_FORMSORTED, true, false},
        {"json:/a/b", "/a/b", TERM_JSON, true, false},
        {"json:./a", "/a", TERM_ITEM_JSON, true, false},
        {"claim:iat", "/iat", TERM_CLAIM, false, false},
        {"claim:/a/b", "/a/b", TERM_CLAIM, false, false},
        {"claim:https://x~y", "/https:~1~1x~0y", TERM_CLAIM, false, false},
        {"jose:kid", "/kid", TERM_JOSE, false, false},
        {"ts", NULL, TERM_TS, false, true},
        {"sig.T_1", "T_1", TERM_SIG, false, true},
        {"secret", NULL, TERM_SECRET, false, true},
        {"param:app_id", "app_id", TERM_PARAM, false, true},
        {"arrival", NULL, TERM_ARRIVAL, false, true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct term t;
        ROW(i, term_parse(span_of(rows[i].text), &t, NULL) == HO_OK);
        ROW(i, t.kind == rows[i].kind);
        ROW(i, rows[i].name == NULL ? t.name == NULL : strcmp(t.name, rows[i].name) == 0);
        ROW(i, term_needs_body(&t) == rows[i].body);
        ROW(i, term_is_direct(&t) == rows[i].direct);
        term_free(&t);
    }
}

/* Evaluates one term; the value into out, which is emptied first. */
static enum term_result value_of(const char *text, const struct term_view *v, struct buf *out)
{
    struct term t;
    struct span value;
    struct buf tmp;
    buf_init(&tmp, 4096);
    buf_clear(out);
    assert_int_equal(buf_add_str(&tmp, "kept"), HO_OK);
    assert_int_equal(term_parse(span_of(text), &t, NULL), HO_OK);
    enum term_result result = term_value(&t, v, &tmp, &value);
    assert_true(span_present(value) == (result == TERM_OK));
    assert_true(span_starts(buf_span(&tmp), "kept"));
    assert_true(result == TERM_OK || tmp.len == 4);
    if (result == TERM_OK) {
        assert_int_equal(buf_add_span(out, value), HO_OK);
        /* What has to be made is all that was appended. */
        assert_true(tmp.len == (term_is_direct(&t) ? 4 : 4 + value.len));
    }
    term_free(&t);
    buf_free(&tmp);
    return result;
}

struct want {
    const char *text;
    enum term_result result;
    struct span value;
};

static void hold(const struct want *rows, size_t n, const struct term_view *v)
{
    struct buf out;
    buf_init(&out, 4096);
    for (size_t i = 0; i < n; i++) {
        enum term_result result = value_of(rows[i].text, v, &out);
        if (result != rows[i].result) {
            fail_msg("%s: result %d, want %d", rows[i].text, (int)result, (int)rows[i].result);
        }
        if (result == TERM_OK && !span_eq(buf_span(&out), rows[i].value)) {
            fail_msg("%s: \"%.*s\"", rows[i].text, (int)out.len, buf_cstr(&out));
        }
    }
    buf_free(&out);
}

static const struct pair headers[] = {
    {"x-id", "h1"},
    {"x-twice", "1"},
    {"x-twice", "1"},
    {"x-joined", "a, b"},
    {"x-empty", ""},
    {"x-comma", "a,b"},
    {"x-date", "Sun, 06 Nov 1994 08:49:37 GMT"},
    {"x-dates", "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT"},
    {"svix-id", "family"},
    {NULL, NULL},
};

static void reads_the_head(void **state)
{
    static const struct want rows[] = {
        {"method", TERM_OK, S("POST")},
        {"path", TERM_OK, S("/h%20k/x?a=1&b=2+%263&a=4&=&e=")},
        {"url", TERM_OK, S("https://h/")},
        {"header:X-Id", TERM_OK, S("h1")},
        {"header:x-comma", TERM_OK, S("a,b")},
        {"header:x-date", TERM_OK, S("Sun, 06 Nov 1994 08:49:37 GMT")},
        {"header:x-dates", TERM_TWICE, NONE},
        {"header:*id", TERM_OK, S("family")},
        {"header:*none", TERM_ABSENT, NONE},
        {"header:x-none", TERM_ABSENT, NONE},
        {"header:x-empty", TERM_ABSENT, NONE},
        {"header:x-twice", TERM_TWICE, NONE},
        {"header:x-twice|hex", TERM_TWICE, NONE},
        {"header:x-joined", TERM_TWICE, NONE},
        {"query:b", TERM_OK, S("2 &3")},
        {"query:a", TERM_TWICE, NONE},
        {"query:e", TERM_ABSENT, NONE},
        {"query:none", TERM_ABSENT, NONE},
        {"ts", TERM_OK, S("17")},
        {"sig.k", TERM_OK, S("kv")},
        {"sig.none", TERM_ABSENT, NONE},
        {"secret", TERM_OK, S("key")},
        {"param:app", TERM_OK, S("A1")},
        {"param:blank", TERM_ABSENT, NONE},
        {"param:none", TERM_ABSENT, NONE},
        {"arrival", TERM_OK, S("01ULID")},
    };
    static const struct want nothing[] = {
        {"url", TERM_ABSENT, NONE},     {"ts", TERM_ABSENT, NONE},      {"sig.k", TERM_ABSENT, NONE},
        {"secret", TERM_ABSENT, NONE},  {"param:app", TERM_ABSENT, NONE}, {"item", TERM_ABSENT, NONE},
        {"claim:a", TERM_ABSENT, NONE}, {"jose:a", TERM_ABSENT, NONE},  {"json:./a", TERM_ABSENT, NONE},
        {"json:/a", TERM_ABSENT, NONE}, {"arrival", TERM_ABSENT, NONE}, {"header:*id", TERM_ABSENT, NONE},
        {"body", TERM_OK, S("")},       {"body|hex", TERM_OK, S("")},   {"formsorted", TERM_ABSENT, NONE},
    };
    static const struct sig_fields fields = {{{S("k"), S("kv")}}, 1};
    struct setting_param params[] = {{SPAN_LIT("app"), SPAN_LIT("A1")},
                                     {SPAN_LIT("blank"), SPAN_LIT("")}};
    const struct source source = {.params = params, .n_params = 2};
    struct request r;
    (void)state;
    post(&r, headers, SPAN_LIT("{}"));
    r.target = SPAN_LIT("/h%20k/x?a=1&b=2+%263&a=4&=&e=");
    r.query = SPAN_LIT("a=1&b=2+%263&a=4&=&e=");
    const struct term_view v = {.request = &r, .family = "svix-", .ts = SPAN_LIT("17"), .sig = &fields,
                                .url = SPAN_LIT("https://h/"), .secret = SPAN_LIT("key"),
                                .source = &source, .arrival = SPAN_LIT("01ULID")};
    hold(rows, COUNT(rows), &v);
    r.body = SPAN_NONE;
    hold(nothing, COUNT(nothing), &(struct term_view){.request = &r});
}

#define DOC \
    "{\"id\":\"evt_1\",\"n\":12,\"minus\":-3,\"big\":99999999999999999999,\"real\":1.50,\"yes\":true," \
    "\"no\":false,\"null\":null,\"empty\":\"\",\"o\":{\"k\":\"v\"},\"a\":[1],\"nul\":\"a\\u0000b\"," \
    "\"s\":\"12\",\"https://x\":\"member\",\"items\":[{\"id\" : 7, \"t\":1.0},\"te\\\"xt\",null,4]}"

static void reads_documents_items_and_tokens(void **state)
{
    static const struct want rows[] = {
        {"json:/id", TERM_OK, S("evt_1")},
        {"json:/n", TERM_OK, S("12")},
        {"json:/minus", TERM_OK, S("-3")},
        {"json:/s", TERM_OK, S("12")},
        {"json:/o/k", TERM_OK, S("v")},
        {"json:/a/0", TERM_OK, S("1")},
        {"json:/nul", TERM_OK, S("a\0b")},
        {"json:/big", TERM_ABSENT, NONE},
        {"json:/real", TERM_ABSENT, NONE},
        {"json:/yes", TERM_ABSENT, NONE},
        {"json:/null", TERM_ABSENT, NONE},
        {"json:/empty", TERM_ABSENT, NONE},
        {"json:/o", TERM_ABSENT, NONE},
        {"json:/a", TERM_ABSENT, NONE},
        {"json:/none", TERM_ABSENT, NONE},
        {"json:/none|sha256", TERM_ABSENT, NONE},
        {"item", TERM_OK, S("{\"id\" : 7, \"t\":1.0}")}, /* as it stands there */
        {"item|hex", TERM_OK, S("7b22696422203a20372c202274223a312e307d")},
        {"json:./id", TERM_OK, S("7")},
        {"json:./t", TERM_ABSENT, NONE},
        {"json:./n", TERM_ABSENT, NONE},
        {"claim:id", TERM_OK, S("evt_1")},
        {"claim:https://x", TERM_OK, S("member")},
        {"claim:/o/k", TERM_OK, S("v")},
        {"claim:o", TERM_ABSENT, NONE},
        {"claim:real", TERM_ABSENT, NONE},
        {"jose:n", TERM_OK, S("12")},
    };
    static const struct want exact[] = {
        {"json:/id", TERM_OK, S("evt_1")},
        {"json:/n", TERM_OK, S("12")},
        {"json:/big", TERM_ABSENT, NONE}, /* its text is not kept */
        {"json:/real", TERM_OK, S("1.50")},
        {"json:/yes", TERM_OK, S("true")},
        {"json:/no", TERM_OK, S("false")},
        {"json:/null", TERM_ABSENT, NONE},
        {"json:/empty", TERM_ABSENT, NONE},
        {"json:/o", TERM_ABSENT, NONE},
        {"json:./t", TERM_OK, S("1.0")},
        {"claim:yes", TERM_OK, S("true")},
    };
    struct request r;
    struct json *doc;
    (void)state;
    post(&r, headers, SPAN_LIT(DOC));
    assert_int_equal(json_parse(r.body, &doc, NULL), HO_OK);
    struct term_view v = {.request = &r, .doc = doc, .claims = doc, .jose = doc,
                          .item = json_at(doc, SPAN_LIT("/items/0")),
                          .item_text = SPAN_LIT("{\"id\" : 7, \"t\":1.0}")};
    hold(rows, COUNT(rows), &v);
    v.exact = true;
    hold(exact, COUNT(exact), &v);
    json_free(doc);
}

#define FORM "application/x-www-form-urlencoded; charset=utf-8"
#define PARTS "multipart/form-data; boundary=b1"
#define PART(name, value) "--b1\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" value "\r\n"
#define FILE_PART "--b1\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\nfile\r\n"

static void reads_fields_of_forms_only(void **state)
{
    static const struct {
        const char *type;
        struct span body;
        const char *term;
        enum term_result result;
        const char *value;
    } rows[] = {
        {FORM, S("text=a+b%26c&e=&q=1&q=1"), "form:text", TERM_OK, "a b&c"},
        {FORM, S("text=a+b%26c&e=&q=1&q=1"), "form:e", TERM_ABSENT, ""},
        {FORM, S("text=a+b%26c&e=&q=1&q=1"), "form:none", TERM_ABSENT, ""},
        {FORM, S("text=a+b%26c&e=&q=1&q=1"), "form:q", TERM_TWICE, ""},
        {FORM, S("text=a+b%26c&e=&q=1&q=1"), "json:/text", TERM_ABSENT, ""},
        {FORM, S("a%5Bb%5D=1"), "form:a[b]", TERM_OK, "1"},
        /* What the type says does not count. */
        {"text/plain", S("text=a"), "form:text", TERM_OK, "a"},
        {NULL, S("text=a"), "form:text", TERM_OK, "a"},
        {PARTS, S("text=a"), "form:text", TERM_OK, "a"},
        {FORM, S("{\"a\":\"&text=b\"}"), "form:text", TERM_ABSENT, ""},
        {FORM, S("\n[&text=b"), "form:text", TERM_ABSENT, ""},
        {PARTS, S(PART("a", "1+%26") FILE_PART "--b1--\r\n"), "form:a", TERM_OK, "1+%26"},
        {PARTS, S(PART("a", "1+%26") FILE_PART "--b1--\r\n"), "form:f", TERM_ABSENT, ""},
        {PARTS, S(PART("a", "1") PART("a", "2") "--b1--\r\n"), "form:a", TERM_TWICE, ""},
        {PARTS, S(PART("a", "1") "--b1"), "form:a", TERM_FULL, ""}, /* broken off */
        {FORM, S("b=2&a=1"), "formsorted", TERM_OK, "a1b2"},
        {"application/json", S("a=1"), "formsorted", TERM_OK, "a1"},
        {PARTS, S("a=1"), "formsorted", TERM_OK, "a1"},
        {FORM, S("{}&a=1"), "formsorted", TERM_ABSENT, ""},
        {FORM, S("a=1&="), "formsorted", TERM_FULL, ""},
        {PARTS, S(PART("a", "1") "--b1"), "formsorted", TERM_FULL, ""},
        {FORM, S(PART("a", "1") "--b1--\r\n"), "formsorted", TERM_OK, "a1"},
        {PARTS, S(PART("a", "1") FILE_PART "--b1--\r\n"), "formsorted", TERM_ABSENT, ""},
        {FORM, S("b=2&a=1"), "formsorted|upper", TERM_OK, "A1B2"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct pair type[] = {{rows[i].type == NULL ? NULL : "content-type", rows[i].type},
                                    {NULL, NULL}};
        struct request r;
        struct buf out;
        buf_init(&out, 256);
        post(&r, type, rows[i].body);
        ROW(i, value_of(rows[i].term, &(struct term_view){.request = &r}, &out) == rows[i].result);
        ROW_TEXT(i, buf_cstr(&out), rows[i].value);
        buf_free(&out);
    }
    /* Where bytes are signed, no form adds nothing to them. */
    struct request r;
    struct buf out;
    buf_init(&out, 256);
    post(&r, &(const struct pair){NULL, NULL}, SPAN_LIT("{}"));
    assert_int_equal(value_of("formsorted", &(struct term_view){.request = &r, .exact = true}, &out), TERM_OK);
    assert_int_equal(out.len, 0);
    assert_int_equal(value_of("formsorted|sha256", &(struct term_view){.request = &r}, &out), TERM_ABSENT);
    buf_free(&out);
}

static void passes_values_through_filters_in_order(void **state)
{
    static const struct want rows[] = {
        {"body|sha256|hex", TERM_OK, S("388ef5287b75abc8086309a1fe7cb41695263a3bb48310515550b444835090f6")},
        {"body|hex|upper|lower|unhex|base64|strip:S", TERM_ABSENT, NONE},
        {"body|trim", TERM_OK, S("{\"Id\":\"A\"}")},
        {"body|ptr:/Id|lower", TERM_OK, S("a")},
        {"body|ptr:/none", TERM_ABSENT, NONE},
        {"body|unhex", TERM_ABSENT, NONE},
        {"header:x-id|strip:h", TERM_OK, S("1")},
        {"header:x-id|strip:h1", TERM_ABSENT, NONE}, /* nothing is left: as if it were empty */
        {"header:x-id|hex|unhex|base64|unbase64|upper", TERM_OK, S("H1")},
    };
    struct request r;
    struct span value;
    struct term t;
    (void)state;
    post(&r, headers, SPAN_LIT(" {\"Id\":\"A\"}\t"));
    const struct term_view v = {.request = &r};
    hold(rows, 1, &(struct term_view){.request = &(struct request){.body = SPAN_LIT("nine bytes")}});
    hold(rows + 1, COUNT(rows) - 1, &v);
    /* Nothing to put a made value into, however short it is. */
    assert_int_equal(term_parse(SPAN_LIT("header:x-id|strip:h"), &t, NULL), HO_OK);
    assert_int_equal(term_value(&t, &v, NULL, &value), TERM_FULL);
    term_free(&t);
    assert_int_equal(term_parse(SPAN_LIT("body"), &t, NULL), HO_OK);
    assert_int_equal(term_value(&t, &v, NULL, &value), TERM_OK);
    assert_ptr_equal(value.p, r.body.p);
    term_free(&t);
}

static void says_when_a_value_does_not_fit(void **state)
{
    static const char *const rows[] = {"form:a", "query:a", "body|hex", "formsorted", "json:/a",
                                       "item|hex", "claim:a"};
    const struct pair type[] = {{"content-type", FORM}, {NULL, NULL}};
    struct request r;
    struct json *doc;
    (void)state;
    post(&r, type, SPAN_LIT("a=12345"));
    r.query = SPAN_LIT("a=12345");
    assert_int_equal(json_parse(SPAN_LIT("{\"a\":\"12345\"}"), &doc, NULL), HO_OK);
    const struct term_view v = {.request = &r, .doc = doc, .claims = doc,
                                .item = json_at(doc, SPAN_LIT("")), .item_text = SPAN_LIT("{\"a\":\"12345\"}")};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct span value;
        struct term t;
        struct buf tmp;
        buf_init(&tmp, 4);
        ROW(i, term_parse(span_of(rows[i]), &t, NULL) == HO_OK);
        ROW(i, term_value(&t, &v, &tmp, &value) == TERM_FULL);
        ROW(i, tmp.len == 0 && !span_present(value));
        term_free(&t);
        buf_free(&tmp);
    }
    json_free(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_known_words_for_an_unknown_one),
        cmocka_unit_test(knows_where_a_value_comes_from),
        cmocka_unit_test(takes_every_word_as_it_is_shown),
        cmocka_unit_test(reads_the_head),
        cmocka_unit_test(reads_documents_items_and_tokens),
        cmocka_unit_test(reads_fields_of_forms_only),
        cmocka_unit_test(passes_values_through_filters_in_order),
        cmocka_unit_test(says_when_a_value_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
