/* Fields of urlencoded forms: by name, counted, and one after the other. */
#include "unit.h"

#include "base/text.h"

static void finds_the_first_field_of_a_form(void **state)
{
    static const struct {
        struct span form;
        const char *name;
        size_t n;
        struct span want;
    } rows[] = {
        {S("payload=%7B%7D"), "payload", 1, S("{}")},
        {S("a=1&payload=x+y&payload=z"), "payload", 2, S("x y")},
        {S("payload="), "payload", 1, S("")},
        {S("payload"), "payload", 1, S("")},
        {S("payloads=1&xpayload=2"), "payload", 0, S("")},
        {S("pay%6Coad=1"), "payload", 1, S("1")},
        {S("payload%00=1&payload=2"), "payload", 1, S("2")},
        {S("Payload=1"), "payload", 0, S("")},
        {S("a=b=c&d=e"), "a", 1, S("b=c")},
        {S("&&a=1&"), "a", 1, S("1")},
        {S("=1&a=2"), "", 1, S("1")},
        {S("a=1"), "", 0, S("")},
        {S("a+b=1"), "a b", 1, S("1")},
        {S("a=%zz%41"), "a", 1, S("%zzA")},
        {S("a=%00"), "a", 1, S("\0")},
        {S("a=1&%61=2&A=3&a"), "a", 3, S("1")},
        {S("a&a=1"), "a", 2, S("")},
        {S("=1&=2&"), "", 2, S("1")},
        {S("a%zz=1"), "a%zz", 1, S("1")},
        {S("a%=1"), "a%", 1, S("1")},
        {S("a%2=1"), "a%2", 1, S("1")},
        {S("a%2B=1"), "a+", 1, S("1")},
        {S("%C3%a4=1"), "\xc3\xa4", 1, S("1")},
        {S(""), "a", 0, S("")},
        {NONE, "a", 0, S("")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf b;
        size_t n = 77;
        buf_init(&b, 16);
        ROW(i, text_form_field(rows[i].form, rows[i].name, &b, &n) == HO_OK);
        ROW(i, n == rows[i].n);
        ROW(i, span_eq(buf_span(&b), rows[i].want));
        buf_free(&b);
    }
}

static void a_field_too_long_is_refused_whole(void **state)
{
    struct buf b;
    size_t n = 0;
    (void)state;
    buf_init(&b, 4);
    assert_int_equal(text_form_field(SPAN_LIT("a=12345"), "a", &b, &n), HO_REJECT);
    assert_int_equal(n, 1);
    assert_string_equal(buf_cstr(&b), "");
    assert_int_equal(text_form_field(SPAN_LIT("a=1234"), "a", &b, &n), HO_OK);
    assert_string_equal(buf_cstr(&b), "1234");
    buf_free(&b);
}

/* The fields as "name=value|…", which no field here holds itself. */
static void gives_each_field_in_order(void **state)
{
    static const struct {
        struct span form;
        const char *want;
    } rows[] = {
        {S("a=1&b=x+y%21"), "a=1|b=x y!|"},
        {S("a=1&a=2"), "a=1|a=2|"},
        {S("&&a=1&&b=2&&"), "a=1|b=2|"},
        {S("a&b=&=c&="), "a=|b=|=c|=|"},
        {S("a=b=c"), "a=b=c|"},
        {S("%zz=%"), "%zz=%|"},
        {S("a%26b=c%3Dd"), "a&b=c=d|"},
        {S(""), ""},
        {S("&&&"), ""},
        {NONE, ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct span rest = rows[i].form;
        struct buf name;
        struct buf value;
        struct buf all;
        bool more = true;
        buf_init(&name, 8);
        buf_init(&value, 8);
        buf_init(&all, 64);
        while (more) {
            ROW(i, text_form_next(&rest, &name, &value, &more) == HO_OK);
            ROW(i, !more || buf_addf(&all, "%s=%s|", buf_cstr(&name), buf_cstr(&value)) == HO_OK);
        }
        ROW(i, name.len == 0 && value.len == 0);
        ROW_TEXT(i, buf_cstr(&all), rows[i].want);
        buf_free(&name);
        buf_free(&value);
        buf_free(&all);
    }
}

static void a_full_name_or_value_ends_it(void **state)
{
    static const struct span rows[] = {S("12345=1"), S("1=12345"), S("12345")};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct span rest = rows[i];
        struct buf name;
        struct buf value;
        bool more = true;
        buf_init(&name, 4);
        buf_init(&value, 4);
        ROW(i, text_form_next(&rest, &name, &value, &more) == HO_REJECT);
        ROW(i, !more);
        buf_free(&name);
        buf_free(&value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_first_field_of_a_form),
        cmocka_unit_test(a_field_too_long_is_refused_whole),
        cmocka_unit_test(gives_each_field_in_order),
        cmocka_unit_test(a_full_name_or_value_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
