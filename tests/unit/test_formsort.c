/* Fields of a form in the order in which they are signed. */
#include "unit.h"

#include "edge/formsort.h"

#define FORM "application/x-www-form-urlencoded; charset=utf-8"
#define PARTS "multipart/form-data; boundary=b1"
#define PART(name, value) "--b1\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" value "\r\n"
#define FILE_PART "--b1\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\nfile\r\n"

static void puts_every_field_once_and_in_order(void **state)
{
    static const struct {
        const char *type;
        struct span body;
        enum ho_code code;
        const char *want;
    } rows[] = {
        /* Names in byte order, values too, each pair once, everything decoded. */
        {FORM, S("b=2&a=1&B=3&_=4&a=0&a=1"), HO_OK, "B3_4a0a1b2"},
        {FORM, S("b=%2B+%26&a=&%62=%C3%A9"), HO_OK, "ab+ &b\xc3\xa9"},
        {FORM, S("ab=&a=b&a=bc"), HO_OK, "ababcab"},
        {FORM, S("&&x=1&&y"), HO_OK, "x1y"},
        {FORM, S(""), HO_OK, ""},
        {"application/json", S("a=1"), HO_OK, ""},
        {NULL, S("a=1"), HO_OK, ""},
        /* What form:NAME can see must be signed: no field of a multipart form is left out. */
        {PARTS, S(PART("b", "2") PART("a", " 1+") FILE_PART PART("b", "1") "--b1--\r\n"),
         HO_OK, "a 1+b1b2"},
        {PARTS, S(PART("b", "2") "--b1"), HO_REJECT, ""},
        {PARTS, S("a=1"), HO_REJECT, ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf out;
        buf_init(&out, 256);
        assert_int_equal(buf_add_str(&out, "kept"), HO_OK);
        ROW(i, form_sorted(rows[i].body, span_of(rows[i].type), &out) == rows[i].code);
        ROW(i, span_starts(buf_span(&out), "kept"));
        ROW_TEXT(i, buf_cstr(&out) + 4, rows[i].want);
        buf_free(&out);
    }
}

static void refuses_what_it_would_have_to_cut(void **state)
{
    const struct span type = SPAN_LIT(FORM);
    struct buf body;
    struct buf out;
    (void)state;
    buf_init(&out, 3);
    assert_int_equal(form_sorted(SPAN_LIT("ab=c"), type, &out), HO_OK);
    buf_clear(&out);
    assert_int_equal(form_sorted(SPAN_LIT("a=1&b=2"), type, &out), HO_REJECT);
    assert_int_equal(out.len, 0);
    buf_init(&body, 65536);
    for (int i = 0; i < FORM_FIELDS_MAX; i++) {
        assert_int_equal(buf_add_str(&body, "a=1&"), HO_OK);
    }
    assert_int_equal(form_sorted(buf_span(&body), type, &out), HO_OK);
    assert_true(span_is(buf_span(&out), "a1"));
    buf_clear(&out);
    assert_int_equal(buf_add_str(&body, "a=1"), HO_OK);
    assert_int_equal(form_sorted(buf_span(&body), type, &out), HO_REJECT);
    buf_free(&body);
    buf_free(&out);
}

static void puts_a_form_behind_a_sorted_query(void **state)
{
    static const struct {
        const char *url, *type;
        struct span body;
        enum ho_code code;
        const char *want;
    } rows[] = {
        {"https://h/p", FORM, S(""), HO_OK, "https://h/p"},
        {"https://h/p?", FORM, S(""), HO_OK, "https://h/p"},
        {"https://h/p?b=%C3%A9&a=2&a=+1&a=2&c", FORM, S(""), HO_OK,
         "https://h/p?a= 1&a=2&a=2&b=\xc3\xa9&c="},
        {"https://h/p", FORM, S("b=2&a=2&a=1&a=2"), HO_OK, "https://h/p?a1a2a2b2"},
        {"https://h/p?z=1&y=%26", FORM, S("b=x%3D&a="), HO_OK, "https://h/p?y=&&z=1.abx="},
        {"https://h/p?z=1", "application/json", S("a=1"), HO_OK, "https://h/p?z=1"},
        {"https://h/p?z=1", PARTS, S(PART("b", "2") PART("a", "1") "--b1--\r\n"), HO_OK,
         "https://h/p?z=1.a1b2"},
        {"https://h/p?z=1", PARTS, S(PART("b", "2") "--b1"), HO_REJECT, ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf out;
        buf_init(&out, 256);
        assert_int_equal(buf_add_str(&out, "kept"), HO_OK);
        ROW(i, url_with_form(span_of(rows[i].url), rows[i].body, span_of(rows[i].type), &out) ==
                   rows[i].code);
        ROW_TEXT(i, buf_cstr(&out) + 4, rows[i].want);
        buf_free(&out);
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
