/* Texts with references: keys and addresses out of an event, or a word on what is missing. */
#include "unit.h"

#include "core/reftext.h"

static const char document[] =
    "{\"id\":\"sub_1\",\"n\":5,\"price\":1.10,\"real\":1e3,\"yes\":true,\"no\":false,\"nothing\":null,"
    "\"empty\":\"\",\"list\":[1],\"object\":{\"a\":\"deep\"},\"odd\":\"a/b?c=d&e#f %\\u00fc\\u0000\","
    "\"dot\":\".\",\"dots\":\"..\",\"dotty\":\"..a\",\"big\":123456789012345678901234567890,"
    "\"max\":18446744073709551614,\"line\":\"a\\nb\"}";

static const struct event event = {
    .cid = "01JDXYZ0000000000000000000",
    .provider = {(const unsigned char *)"stripe", 6},
    .source = {(const unsigned char *)"eu", 2},
    .id = {(const unsigned char *)"evt_1", 5},
    .type = {(const unsigned char *)"a b", 3},
    .headers = {(const unsigned char *)"x-shop: s.example\nx-empty:\n", 27},
    .has_occurred = true,
    .occurred_us = INT64_C(1796040000123456),
};

/* Renders into out, with the document (and nothing fetched). */
static enum ho_code render(const char *text, enum reftext_use use, struct buf *out,
                           struct ho_err *err)
{
    struct reftext t;
    struct json *doc = NULL;
    ho_err_clear(err);
    if (reftext_parse(text, use, &t, err) != HO_OK) {
        fail_msg("\"%s\" was refused: %s", text, err->text);
    }
    assert_int_equal(json_parse(span_of(document), &doc, NULL), HO_OK);
    const struct ref_view v = {.event = &event, .doc = doc};
    enum ho_code code = reftext_render(&t, &v, out, err);
    json_free(doc);
    reftext_free(&t);
    assert_null(t.words);
    return code;
}

struct want {
    const char *text, *want;
};

static void check_each(const struct want *rows, size_t n, enum reftext_use use)
{
    for (size_t i = 0; i < n; i++) {
        struct ho_err err;
        struct buf out;
        buf_init(&out, REFTEXT_MAX);
        assert_int_equal(buf_add_str(&out, "="), HO_OK);
        if (render(rows[i].text, use, &out, &err) != HO_OK) {
            fail_msg("\"%s\": %s", rows[i].text, err.text);
        }
        ROW_TEXT(i, buf_cstr(&out) + 1, rows[i].want);
        buf_free(&out);
    }
}

static void keys_hold_the_values_as_they_are(void **state)
{
    static const struct want rows[] = {
        {"{/id}", "sub_1"},
        {"  {/id}\n", "sub_1"},
        {"order:{/id}", "order:sub_1"},
        {"{/id}:{/n}", "sub_1:5"},
        {"{/n} of {/id}.", "5 of sub_1."},
        {"{/price}", "1.10"},
        {"{/real}", "1e3"},
        {"{/max}", "18446744073709551614"},
        {"{/yes}/{/no}", "true/false"},
        {"{/object/a}", "deep"},
        {"{/list/0}", "1"},
        {"{/line}", "a\nb"},
        {"{header:X-Shop}:{/id}", "s.example:sub_1"},
        {"{event:source}:{event:type}", "eu:a b"},
        {"{event:provider} {event:id}", "stripe evt_1"},
        {"{event:occurred_at}", "2026-11-30T12:00:00.123456Z"},
        {"100% of {/id} [x] (y) 'z' \"w\"", "100% of sub_1 [x] (y) 'z' \"w\""},
    };
    (void)state;
    check_each(rows, COUNT(rows), REFTEXT_KEY);
}

static void addresses_hold_them_encoded(void **state)
{
    static const struct want rows[] = {
        {"https://api.example/subs/{/id}", "https://api.example/subs/sub_1"},
        {"https://api.example/", "https://api.example/"},
        {"https://api.example/{/odd}",
         "https://api.example/a%2Fb%3Fc%3Dd%26e%23f%20%25%C3%BC%00"},
        {"https://api.example:8443/a?id={/id}&t={event:type}",
         "https://api.example:8443/a?id=sub_1&t=a%20b"},
        {"https://api.example/{/id}{/n}", "https://api.example/sub_15"},
        {"https://api.example/{/dotty}/x", "https://api.example/..a/x"},
        {"https://api.example/a?x={/dots}", "https://api.example/a?x=.."},
        {"https://api.example/a?x=/../{/id}", "https://api.example/a?x=/../sub_1"},
        {"https://api.example/v{/price}", "https://api.example/v1.10"},
        {"http://127.0.0.1:8080/{/id}", "http://127.0.0.1:8080/sub_1"},
        {"http://localhost/{/id}", "http://localhost/sub_1"},
        {"http://[::1]:8080/{/id}", "http://[::1]:8080/sub_1"},
        {"https://api.example/%7B{/id}%7D", "https://api.example/%7Bsub_1%7D"},
    };
    (void)state;
    check_each(rows, COUNT(rows), REFTEXT_URL);
}

static void names_what_is_missing(void **state)
{
    static const struct {
        const char *text;
        enum reftext_use use;
        enum ho_code code;
        const char *why;
    } rows[] = {
        {"{/id}:{/missing}", REFTEXT_KEY, HO_REJECT, "{/missing} is missing"},
        {"{/nothing}", REFTEXT_KEY, HO_REJECT, "{/nothing} is missing"},
        {"x{/object/b}", REFTEXT_KEY, HO_REJECT, "{/object/b} is missing"},
        {"{/object}", REFTEXT_KEY, HO_REJECT, "{/object} is an object, no single value"},
        {"{/list}", REFTEXT_KEY, HO_REJECT, "{/list} is a list, no single value"},
        {"{/empty}", REFTEXT_KEY, HO_REJECT, "{/empty} is empty"},
        {"x:{/empty}", REFTEXT_KEY, HO_REJECT, "{/empty} is empty"},
        {"{header:x-none}", REFTEXT_KEY, HO_REJECT, "{header:x-none} is missing"},
        {"{header:x-empty}", REFTEXT_KEY, HO_REJECT, "{header:x-empty} is empty"},
        {"{event:object}", REFTEXT_KEY, HO_REJECT, "{event:object} is missing"},
        {"{/big}", REFTEXT_KEY, HO_PERMANENT, "the number at {/big} is too large to be kept exactly"},
        {"https://a.example/{/missing}", REFTEXT_URL, HO_REJECT, "{/missing} is missing"},
        {"https://a.example/{/empty}/x", REFTEXT_URL, HO_REJECT, "{/empty} is empty"},
        {"https://a.example/{/dot}", REFTEXT_URL, HO_PERMANENT,
         "with these values the address has . or .. in it"},
        {"https://a.example/x/{/dots}/y", REFTEXT_URL, HO_PERMANENT,
         "with these values the address has . or .. in it"},
        {"https://a.example/{/dot}{/dot}/y", REFTEXT_URL, HO_PERMANENT,
         "with these values the address has . or .. in it"},
        {"https://a.example/.{/dot}?y", REFTEXT_URL, HO_PERMANENT,
         "with these values the address has . or .. in it"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ho_err err;
        struct buf out;
        buf_init(&out, REFTEXT_MAX);
        assert_int_equal(buf_add_str(&out, "="), HO_OK);
        ROW(i, render(rows[i].text, rows[i].use, &out, &err) == rows[i].code);
        ROW_TEXT(i, err.text, rows[i].why);
        ROW(i, err.code == rows[i].code);
        ROW_TEXT(i, buf_cstr(&out), "=");
        buf_free(&out);
    }
}

static void without_a_document_everything_in_it_is_missing(void **state)
{
    struct reftext t;
    struct ho_err err;
    struct buf out;
    const struct ref_view v = {.event = &event};
    (void)state;
    buf_init(&out, 100);
    assert_int_equal(reftext_parse("{/id}", REFTEXT_KEY, &t, &err), HO_OK);
    assert_int_equal(reftext_render(&t, &v, &out, &err), HO_REJECT);
    assert_string_equal(err.text, "{/id} is missing");
    reftext_free(&t);
    buf_free(&out);
}

static void refuses_with_what_to_do(void **state)
{
    static const char steady[] = " is not the same for every delivery and try of an event";
    static const char brace[] = "a { or } that belongs to no reference";
    static const char constant[] = "a constant text would be the same for all events: name what "
                                   "tells them apart, for example {/data/object/id}";
    static const char full[] = "host and the / behind it must stand there in full, before any "
                               "reference";
    static const char whole[] = "write the whole address: https://HOST/...";
    static const char local[] = "http is for this machine only";
    static const char plain[] = "an address has at most 2000 bytes of printable ASCII, no blank "
                                "and no #";
    static const char raw[] = "a blank, # and \\ \" < > ^ ` | do not stand in an address as they "
                              "are: write %XX";
    static const struct {
        const char *text;
        enum reftext_use use;
        const char *why;
    } rows[] = {
        {"", REFTEXT_KEY, "it is empty, or longer than 4096 bytes"},
        {" \n", REFTEXT_KEY, "it is empty, or longer than 4096 bytes"},
        {"orders", REFTEXT_KEY, constant},
        {"data/object/id", REFTEXT_KEY, constant},
        {"{/a}{/b}", REFTEXT_KEY, "between {/a} and {/b} must stand something, for example a colon: "
                                  "1 and 23 would be the same as 12 and 3"},
        {"x{/a}{header:b}", REFTEXT_KEY, "between {/a} and {header:b} must stand something"},
        {"{event:attempt}", REFTEXT_KEY, steady},
        {"{/a}:{event:attempt}", REFTEXT_KEY, steady},
        {"{event:correlation_id}", REFTEXT_KEY, steady},
        {"{event:idempotency_key}", REFTEXT_KEY, steady},
        {"{event:body}", REFTEXT_KEY, steady},
        {"{fetched:/id}", REFTEXT_KEY, steady},
        {"{data.id}", REFTEXT_KEY, "{data.id} is no reference: write a JSON pointer"},
        {"{event:nope}", REFTEXT_KEY, "{event:nope} is not known: "},
        {"{/a", REFTEXT_KEY, "a reference that begins with { has no }"},
        {"{ /a}", REFTEXT_KEY, brace},
        {"{/a}}", REFTEXT_KEY, brace},
        {"{{/a}", REFTEXT_KEY, brace},
        {"{/a}\n:{/b}", REFTEXT_KEY, "it stands in one line, without control characters"},
        {"https://{/host}/x", REFTEXT_URL, full},
        {"https://api.example{/x}", REFTEXT_URL, full},
        {"https://api.example?x={/x}", REFTEXT_URL, full},
        {"https://api.example:{/port}/x", REFTEXT_URL, full},
        {"https://{header:host}", REFTEXT_URL, full},
        {"https://api.example", REFTEXT_URL, full},
        {"https://api.example?a/b", REFTEXT_URL, "behind the host must stand a /"},
        {"https://.example:44x/{/x}", REFTEXT_URL, whole},
        {"{/url}", REFTEXT_URL, whole},
        {"https{/x}", REFTEXT_URL, full},
        {"/subs/{/id}", REFTEXT_URL, whole},
        {"ftp://api.example/{/id}", REFTEXT_URL, whole},
        {"http://api.example/{/id}", REFTEXT_URL, local},
        {"http://127.0.0.1.example/{/id}", REFTEXT_URL, local},
        {"https://u:p@api.example/{/id}", REFTEXT_URL, "no user or password stands in an address"},
        {"https://api.example/a b/{/id}", REFTEXT_URL, plain},
        {"https://api.example/#{/id}", REFTEXT_URL, plain},
        {"https://api.example/{/id}#x", REFTEXT_URL, raw},
        {"https://api.example/{/id}/a b", REFTEXT_URL, raw},
        {"https://api.example/{/id}/\xc3\xbc", REFTEXT_URL, "an address is ASCII"},
        {"https://api.example/{event:attempt}", REFTEXT_URL, steady},
        {"https://api.example/{fetched:/x}", REFTEXT_URL, steady},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct reftext t;
        struct ho_err err;
        memset(&t, 0x55, sizeof t);
        ho_err_clear(&err);
        if (reftext_parse(rows[i].text, rows[i].use, &t, &err) != HO_REJECT) {
            fail_msg("\"%s\" was taken", rows[i].text);
        }
        if (strstr(err.text, rows[i].why) == NULL) {
            fail_msg("\"%s\" was refused with: %s", rows[i].text, err.text);
        }
        ROW(i, t.words == NULL && t.parts == NULL && t.n_parts == 0);
    }
}

static void has_its_limits(void **state)
{
    struct reftext t;
    struct ho_err err;
    struct buf json, out;
    struct json *doc;
    (void)state;
    buf_init(&json, 10000);
    buf_init(&out, 10000);
    assert_int_equal(buf_add_str(&json, "{\"a\":\""), HO_OK);
    for (int i = 0; i < 4096; i++) {
        assert_int_equal(buf_add_byte(&json, 'x'), HO_OK);
    }
    assert_int_equal(buf_add_str(&json, "\"}"), HO_OK);
    assert_int_equal(json_parse(buf_span(&json), &doc, NULL), HO_OK);
    const struct ref_view v = {.event = &event, .doc = doc};

    assert_int_equal(reftext_parse("{/a}", REFTEXT_KEY, &t, &err), HO_OK);
    assert_int_equal(reftext_render(&t, &v, &out, &err), HO_OK);
    assert_int_equal(out.len, 4096);
    reftext_free(&t);
    buf_clear(&out);
    assert_int_equal(reftext_parse("{/a}.", REFTEXT_KEY, &t, &err), HO_OK);
    assert_int_equal(reftext_render(&t, &v, &out, &err), HO_PERMANENT);
    assert_int_equal(out.len, 0);
    reftext_free(&t);
    assert_int_equal(reftext_parse("https://a.example/{/a}", REFTEXT_URL, &t, &err), HO_OK);
    assert_int_equal(reftext_render(&t, &v, &out, &err), HO_PERMANENT);
    assert_string_equal(err.text, "it is too long with the value of {/a}");
    reftext_free(&t);
    buf_free(&out);
    buf_init(&out, 10); /* what it is appended to may be full too */
    assert_int_equal(reftext_parse("{/a}", REFTEXT_KEY, &t, &err), HO_OK);
    assert_int_equal(reftext_render(&t, &v, &out, &err), HO_PERMANENT);
    assert_int_equal(out.len, 0);
    reftext_free(&t);
    json_free(doc);
    buf_free(&out);
    buf_free(&json);
}

static void the_same_is_written_the_same(void **state)
{
    struct reftext a, b, c;
    const struct reftext none = {.words = NULL};
    struct ho_err err;
    (void)state;
    assert_int_equal(reftext_parse("{/a}:x", REFTEXT_KEY, &a, &err), HO_OK);
    assert_int_equal(reftext_parse(" {/a}:x\n", REFTEXT_KEY, &b, &err), HO_OK);
    assert_int_equal(reftext_parse("{/a}:y", REFTEXT_KEY, &c, &err), HO_OK);
    assert_true(reftext_same(&a, &b));
    assert_false(reftext_same(&a, &c));
    assert_false(reftext_same(&a, &none));
    assert_false(reftext_same(&none, &none));
    reftext_free(&a);
    reftext_free(&b);
    reftext_free(&c);
}

/* What is fetched is another document, and the two are never mixed up. */
static void references_look_where_they_say(void **state)
{
    static const char *const texts[] = {"{/id}", "{fetched:/id}", "{header:x-shop}", "{event:id}"};
    static const char *const want[] = {"mine", "theirs", "s.example", "evt_1"};
    struct json *doc, *fetched;
    (void)state;
    assert_int_equal(json_parse(SPAN_LIT("{\"id\":\"mine\"}"), &doc, NULL), HO_OK);
    assert_int_equal(json_parse(SPAN_LIT("{\"id\":\"theirs\"}"), &fetched, NULL), HO_OK);
    const struct ref_view both = {.event = &event, .doc = doc, .fetched = fetched};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct span rest = span_of(texts[i]);
        struct ref r;
        struct buf out;
        char words[REF_WORDS];
        buf_init(&out, 100);
        assert_int_equal(ref_parse(&rest, &r, NULL), HO_OK);
        ROW(i, rest.len == 0);
        ROW(i, ref_text(&r, &both, &out, NULL) == HO_OK);
        ROW_TEXT(i, buf_cstr(&out), want[i]);
        ROW_TEXT(i, ref_words(&r, words), texts[i]);
        ref_free(&r);
        buf_free(&out);
    }
    json_free(doc);
    json_free(fetched);
}

static void long_names_are_cut_in_messages(void **state)
{
    struct buf text;
    struct ref r;
    char words[REF_WORDS];
    (void)state;
    buf_init(&text, 1000);
    assert_int_equal(buf_add_str(&text, "{header:"), HO_OK);
    for (int i = 0; i < 300; i++) {
        assert_int_equal(buf_add_byte(&text, 'h'), HO_OK);
    }
    assert_int_equal(buf_add_byte(&text, '}'), HO_OK);
    struct span rest = buf_span(&text);
    assert_int_equal(ref_parse(&rest, &r, NULL), HO_OK);
    assert_true(strlen(ref_words(&r, words)) < REF_WORDS);
    assert_non_null(strstr(words, "{header:hhhh"));
    assert_non_null(strstr(words, "hhh...}"));
    ref_free(&r);
    buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_hold_the_values_as_they_are),
        cmocka_unit_test(addresses_hold_them_encoded),
        cmocka_unit_test(names_what_is_missing),
        cmocka_unit_test(without_a_document_everything_in_it_is_missing),
        cmocka_unit_test(refuses_with_what_to_do),
        cmocka_unit_test(has_its_limits),
        cmocka_unit_test(the_same_is_written_the_same),
        cmocka_unit_test(references_look_where_they_say),
        cmocka_unit_test(long_names_are_cut_in_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
