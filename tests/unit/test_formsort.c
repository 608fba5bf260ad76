/* Fields of a form in the order in which they are signed. */
#include "unit.h"

#include "edge/formsort.h"

#define PART(name, value) "--b1\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" value "\r\n"
#define FILE_PART "--b1\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\nfile\r\n"

static void puts_every_field_once_and_in_order(void **state)
{
    static const struct {
        struct span body;
        enum term_result result;
        const char *want;
    } rows[] = {
        /* Names in byte order, values too, each pair once, everything decoded. */
        {S("b=2&a=1&B=3&_=4&a=0&a=1"), TERM_OK, "B3_4a0a1b2"},
        {S("b=%2B+%26&a=&%62=%C3%A9"), TERM_OK, "ab+ &b\xc3\xa9"},
        {S("ab=&a=b&a=bc"), TERM_OK, "ababcab"},
        {S("&&x=1&&y"), TERM_OK, "x1y"},
        {S(""), TERM_OK, ""},
        {NONE, TERM_OK, ""},
        {S("{\"a\":\"&b=1\"}"), TERM_OK, ""},
        {S(" ["), TERM_OK, ""},
        /* What form:NAME can see must be signed: no field of a multipart form is left out. */
        {S(PART("b", "2") PART("a", " 1+") PART("b", "1") "--b1--\r\n"), TERM_OK, "a 1+b1b2"},
        {S(PART("b", "2") "--b1"), TERM_FULL, ""},
        {S("="), TERM_FULL, ""},
        {S("a=1&=&b=2"), TERM_FULL, ""},
        {S(PART("", "") "--b1--\r\n"), TERM_FULL, ""},
        {S("a=1&=b"), TERM_OK, "ba1"},
        {S(PART("b", "2") FILE_PART "--b1"), TERM_FULL, ""},
        /* Nothing signs a file. */
        {S(PART("b", "2") FILE_PART "--b1--\r\n"), TERM_ABSENT, ""},
        {S(FILE_PART "--b1--\r\n"), TERM_ABSENT, ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct form_texts kept = {{{false, TERM_ABSENT, {NULL, 0, 0, 0}}}};
        struct span out, again;
        ROW(i, form_sorted(rows[i].body, FORM_ONCE, &kept, &out) == rows[i].result);
        ROW(i, span_is(rows[i].result == TERM_OK ? out : SPAN_LIT(""), rows[i].want));
        ROW(i, form_sorted(rows[i].body, FORM_ONCE, &kept, &again) == rows[i].result);
        ROW(i, again.p == out.p && again.len == out.len); /* made once */
        form_texts_free(&kept);
        ROW(i, !kept.of[FORM_ONCE].made);
    }
}

static void refuses_what_it_would_have_to_cut(void **state)
{
    struct form_texts kept = {{{false, TERM_ABSENT, {NULL, 0, 0, 0}}}};
    struct span out;
    struct buf body;
    (void)state;
    buf_init(&body, 65536);
    for (int i = 0; i < FORM_FIELDS_MAX; i++) {
        assert_int_equal(buf_add_str(&body, "a=1&"), HO_OK);
    }
    assert_int_equal(form_sorted(buf_span(&body), FORM_ONCE, &kept, &out), TERM_OK);
    assert_true(span_is(out, "a1"));
    form_texts_free(&kept);
    assert_int_equal(buf_add_str(&body, "a=1"), HO_OK);
    assert_int_equal(form_sorted(buf_span(&body), FORM_ONCE, &kept, &out), TERM_FULL);
    assert_false(span_present(out));
    form_texts_free(&kept);
    buf_free(&body);
}

static void puts_a_form_behind_a_sorted_query(void **state)
{
    static const struct {
        const char *url;
        struct span body;
        enum term_result result;
        const char *want;
    } rows[] = {
        {"https://h/p", S(""), TERM_OK, "https://h/p"},
        {"https://h/p?", S(""), TERM_OK, "https://h/p"},
        {"https://h/p?b=%C3%A9&a=2&a=+1&a=2&c", S(""), TERM_OK,
         "https://h/p?a= 1&a=2&a=2&b=\xc3\xa9&c="},
        {"https://h/p", S("b=2&a=2&a=1&a=2"), TERM_OK, "https://h/p?a1a2a2b2"},
        {"https://h/p?z=1&y=%26", S("b=x%3D&a="), TERM_OK, "https://h/p?y=&&z=1.abx="},
        {"https://h/p?z=1", S("{\"a\":1}"), TERM_OK, "https://h/p?z=1"},
        {"https://h/p?z=1", S(PART("b", "2") PART("a", "1") "--b1--\r\n"), TERM_OK,
         "https://h/p?z=1.a1b2"},
        {"https://h/p?z=1", S(PART("b", "2") FILE_PART "--b1--\r\n"), TERM_ABSENT, ""},
        {"https://h/p?z=1", S(PART("b", "2") "--b1"), TERM_FULL, ""},
        {"https://h/p?z=111111111111111111111111111111111111", S("a=1"), TERM_FULL, ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct form_texts kept = {{{false, TERM_ABSENT, {NULL, 0, 0, 0}}}};
        struct buf out;
        buf_init(&out, 44);
        assert_int_equal(buf_add_str(&out, "kept"), HO_OK);
        ROW(i, url_with_form(span_of(rows[i].url), rows[i].body, &kept, &out) == rows[i].result);
        ROW_TEXT(i, buf_cstr(&out) + 4, rows[i].want);
        buf_free(&out);
        form_texts_free(&kept);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_a_form_behind_a_sorted_query),
        cmocka_unit_test(puts_every_field_once_and_in_order),
        cmocka_unit_test(refuses_what_it_would_have_to_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
