/* Base64 in both alphabets: the published examples, and that only one text stands for some bytes. */
#include "unit.h"

#include "base/text.h"

/* The first n bytes of a literal, with the others right behind. */
#define CUT(s, n) {(const unsigned char *)(s), (n)}

static void base64_goes_both_ways(void **state)
{
    static const struct {
        struct span bytes;
        const char *text;
    } rows[] = {
        /* RFC 4648, section 10 */
        {S(""), ""},
        {S("f"), "Zg=="},
        {S("fo"), "Zm8="},
        {S("foo"), "Zm9v"},
        {S("foob"), "Zm9vYg=="},
        {S("fooba"), "Zm9vYmE="},
        {S("foobar"), "Zm9vYmFy"},
        {S("\0"), "AA=="},
        {S("\xff\xff\xff"), "////"},
        {S("\xfb\xef\xbe"), "++++"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf b;
        buf_init(&b, 64);
        ROW(i, text_base64(rows[i].bytes, &b) == HO_OK);
        ROW_TEXT(i, buf_cstr(&b), rows[i].text);
        buf_clear(&b);
        ROW(i, text_unbase64(span_of(rows[i].text), &b) == HO_OK);
        ROW(i, span_eq(buf_span(&b), rows[i].bytes));
        buf_free(&b);
    }
}

static void base64_must_be_canonical(void **state)
{
    static const struct span rows[] = {
        NONE,           S("Z"),         S("Zg"),          S("Zg="),       S("Zm9"),
        S("Zg==="),     S("Zg==Zg=="),  S("Zm8=Zm8="),    S("Z==="),      S("===="),
        S("="),         S("Zh=="),      S("Zm9="),        S("Zv=="),      S("Zg=A"),
        S("Z=g="),      S("=Zg="),      S("Zm9v\n"),      S("Zm9v Zm9"),  S("Zm-_"),
        S("Zm9v\0\0\0\0"), S("Zm9\0"),  S("Zm9\xff"),     S("Zm9v===="),  S(" Zg="),
        S("AB=="),      S("AAB="),      CUT("Zm9vZm9v", 7), CUT("Zm9vZm9v", 6),
        CUT("Zg==Zg==", 5), CUT("Zg==", 3),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf b;
        buf_init(&b, 64);
        ROW(i, buf_add_str(&b, "before") == HO_OK);
        ROW(i, text_unbase64(rows[i], &b) == HO_REJECT);
        ROW_TEXT(i, buf_cstr(&b), "before");
        buf_free(&b);
    }
}

static void base64_respects_the_maximum(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 8);
    assert_int_equal(text_base64(SPAN_LIT("1234567"), &b), HO_REJECT);
    assert_int_equal(text_base64(SPAN_LIT("123456"), &b), HO_OK);
    assert_string_equal(buf_cstr(&b), "MTIzNDU2");
    assert_int_equal(text_base64(SPAN_LIT(""), &b), HO_OK);
    assert_int_equal(text_base64(span_make("", SIZE_MAX), &b), HO_REJECT);
    buf_free(&b);
    buf_init(&b, 5);
    assert_int_equal(text_unbase64(SPAN_LIT("MTIzNDU2"), &b), HO_REJECT);
    assert_string_equal(buf_cstr(&b), "");
    assert_int_equal(text_unbase64(SPAN_LIT("MTIzNDU="), &b), HO_OK);
    assert_string_equal(buf_cstr(&b), "12345");
    buf_free(&b);
}

static void base64url_goes_both_ways(void **state)
{
    static const struct {
        struct span bytes;
        const char *text;
    } rows[] = {
        {S(""), ""},
        {S("f"), "Zg"},
        {S("fo"), "Zm8"},
        {S("foo"), "Zm9v"},
        {S("foob"), "Zm9vYg"},
        {S("fooba"), "Zm9vYmE"},
        {S("foobar"), "Zm9vYmFy"},
        {S("\0"), "AA"},
        {S("\xff\xff\xff"), "____"},
        {S("\xfb\xef\xbe"), "----"},
        /* RFC 7515, appendix C */
        {S("\x03\xec\xff\xe0\xc1"), "A-z_4ME"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf b;
        buf_init(&b, 64);
        ROW(i, text_base64url(rows[i].bytes, &b) == HO_OK);
        ROW_TEXT(i, buf_cstr(&b), rows[i].text);
        buf_clear(&b);
        ROW(i, text_unbase64url(span_of(rows[i].text), &b) == HO_OK);
        ROW(i, span_eq(buf_span(&b), rows[i].bytes));
        buf_free(&b);
    }
}

static void base64url_must_be_canonical(void **state)
{
    static const struct span rows[] = {
        NONE,         S("Z"),       S("Zm9vZ"),   S("Zg=="),      S("Zg="),    S("Zm8="),
        S("="),       S("===="),    S("Zh"),      S("Zv"),        S("Zm9"),    S("Zm9vZh"),
        S("++++"),    S("////"),    S("Zm+_"),    S("Zm9v\n"),    S(" Zg"),    S("Zg "),
        S("Zg\0\0"),  S("Zm9\xff"), S("AB"),      S("AAB"),       S("Zm.v"),   CUT("Zm9v", 1),
        CUT("Zm9vZm9v", 5), CUT("Zm9v", 3),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf b;
        buf_init(&b, 64);
        ROW(i, buf_add_str(&b, "before") == HO_OK);
        ROW(i, text_unbase64url(rows[i], &b) == HO_REJECT);
        ROW_TEXT(i, buf_cstr(&b), "before");
        buf_free(&b);
    }
}

/* Every length and every byte value, both ways in both alphabets. */
static void everything_comes_back(void **state)
{
    unsigned char all[300];
    struct buf text;
    struct buf back;
    (void)state;
    buf_init(&text, 1000);
    buf_init(&back, 1000);
    for (size_t i = 0; i < sizeof all; i++) {
        all[i] = (unsigned char)(i * 37);
    }
    for (size_t len = 0; len <= sizeof all; len++) {
        struct span bytes = span_make(all, len);
        buf_clear(&text);
        buf_clear(&back);
        ROW(len, text_base64(bytes, &text) == HO_OK && text.len == (len + 2) / 3 * 4);
        ROW(len, text_unbase64(buf_span(&text), &back) == HO_OK);
        ROW(len, span_eq(buf_span(&back), bytes));
        buf_clear(&text);
        buf_clear(&back);
        ROW(len, text_base64url(bytes, &text) == HO_OK && text.len == (len * 4 + 2) / 3);
        ROW(len, text_unbase64url(buf_span(&text), &back) == HO_OK);
        ROW(len, span_eq(buf_span(&back), bytes));
    }
    buf_free(&text);
    buf_free(&back);
}

static void base64url_respects_the_maximum(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 7);
    assert_int_equal(text_base64url(SPAN_LIT("123456"), &b), HO_REJECT);
    assert_int_equal(text_base64url(SPAN_LIT("12345"), &b), HO_OK);
    assert_string_equal(buf_cstr(&b), "MTIzNDU");
    assert_int_equal(text_base64url(span_make("", SIZE_MAX), &b), HO_REJECT);
    buf_free(&b);
    buf_init(&b, 5);
    assert_int_equal(text_unbase64url(SPAN_LIT("MTIzNDU2"), &b), HO_REJECT);
    assert_string_equal(buf_cstr(&b), "");
    assert_int_equal(text_unbase64url(SPAN_LIT("MTIzNDU"), &b), HO_OK);
    assert_string_equal(buf_cstr(&b), "12345");
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_goes_both_ways),
        cmocka_unit_test(base64_must_be_canonical),
        cmocka_unit_test(base64_respects_the_maximum),
        cmocka_unit_test(base64url_goes_both_ways),
        cmocka_unit_test(base64url_must_be_canonical),
        cmocka_unit_test(base64url_respects_the_maximum),
        cmocka_unit_test(everything_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
