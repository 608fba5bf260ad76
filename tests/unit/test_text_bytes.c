/* Hex, percent-encoding, a checksum, UTF-8, and untrusted text made safe to show. */
#include "unit.h"

#include "base/text.h"

/* The first n bytes of a literal, with the others right behind. */
#define CUT(s, n) {(const unsigned char *)(s), (n)}

static void reads_hex(void **state)
{
    static const struct {
        struct span in;
        bool any_case, ok;
        size_t out_len;
    } rows[] = {
        {S("00ff10"), false, true, 3},  {S("00FF10"), true, true, 3},
        {S("00Ff10"), false, false, 3}, {S(""), false, true, 0},
        {NONE, false, false, 0},        {S("00ff1"), false, false, 2},
        {S("00ff1"), false, false, 3},  {S("00ff10"), false, false, 2},
        {S("00ff10"), false, false, 4}, {S("0g"), true, false, 1},
        {S("g0"), true, false, 1},      {S("0x"), true, false, 1},
        {S(" 0"), true, false, 1},      {S("0\0"), true, false, 1},
        {S("0G"), true, false, 1},      {S("0@"), true, false, 1},
        {S("0`"), true, false, 1},      {S("0/"), true, false, 1},
        {S("0:"), true, false, 1},      {S("\xff\xff"), true, false, 1},
    };
    static const unsigned char want[] = {0x00, 0xff, 0x10};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned char out[5] = {0xAA, 0xAA, 0xAA, 0xAA, 0xAA};
        ROW(i, text_unhex(rows[i].in, rows[i].any_case, out, rows[i].out_len) == rows[i].ok);
        ROW(i, !rows[i].ok || memcmp(out, want, rows[i].out_len) == 0);
        ROW(i, out[rows[i].out_len] == 0xAA);
    }
}

static void every_byte_goes_through_hex(void **state)
{
    unsigned char all[256];
    unsigned char back[256];
    char text[2 * 256 + 1];
    (void)state;
    for (size_t i = 0; i < 256; i++) {
        all[i] = (unsigned char)i;
    }
    text_hex(all, 256, text);
    assert_int_equal(strlen(text), 512);
    assert_memory_equal(text + 20, "0a0b0c0d0e0f10", 14);
    assert_true(text_unhex(span_of(text), false, back, 256));
    assert_memory_equal(back, all, 256);
    text_hex(all, 0, text);
    assert_string_equal(text, "");
}

static void decodes_percent_once(void **state)
{
    static const struct {
        struct span in;
        bool plus, lenient;
        enum ho_code code;
        struct span want;
    } rows[] = {
        {S("a%20b"), false, false, HO_OK, S("a b")},
        {S("a+b"), false, false, HO_OK, S("a+b")},
        {S("a+b"), true, false, HO_OK, S("a b")},
        {S("a%2Bb"), true, false, HO_OK, S("a+b")},
        {S("%2520"), false, false, HO_OK, S("%20")},
        {S("%c3%A4"), false, false, HO_OK, S("\xc3\xa4")},
        {S("%00"), false, false, HO_OK, S("\0")},
        {S("%"), false, true, HO_OK, S("%")},
        {S("%4"), false, true, HO_OK, S("%4")},
        {S("%zz"), false, true, HO_OK, S("%zz")},
        {S("%%41"), false, true, HO_OK, S("%A")},
        {S("%+1"), true, true, HO_OK, S("% 1")},
        {S("100%"), false, false, HO_REJECT, S("")},
        {S("%4"), false, false, HO_REJECT, S("")},
        {S("ab%zz"), false, false, HO_REJECT, S("")},
        {S(""), false, false, HO_OK, S("")},
        {NONE, false, false, HO_OK, S("")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf b;
        buf_init(&b, 16);
        ROW(i, text_percent_decode(rows[i].in, rows[i].plus, rows[i].lenient, &b) ==
                   rows[i].code);
        ROW(i, span_eq(buf_span(&b), rows[i].want));
        buf_free(&b);
    }
}

static void checksums_as_zlib(void **state)
{
    static const struct {
        struct span in;
        uint32_t want;
    } rows[] = {
        {S(""), 0},
        {NONE, 0},
        {S("123456789"), UINT32_C(0xCBF43926)},
        {S("The quick brown fox jumps over the lazy dog"), UINT32_C(0x414FA339)},
        {S("\0"), UINT32_C(0xD202EF8D)},
        {S("\xff\xff\xff\xff"), UINT32_C(0xFFFFFFFF)},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, text_crc32(rows[i].in) == rows[i].want);
    }
}

static void knows_well_formed_utf8(void **state)
{
    static const struct {
        struct span in;
        bool ok;
    } rows[] = {
        {S(""), true},
        {S("a\0b"), true},
        {S("\x7f"), true},
        {S("\xc2\x80"), true},
        {S("\xdf\xbf"), true},
        {S("\xe0\xa0\x80"), true},
        {S("\xed\x9f\xbf"), true},
        {S("\xee\x80\x80"), true},
        {S("\xef\xbf\xbf"), true},
        {S("\xf0\x90\x80\x80"), true},
        {S("\xf4\x8f\xbf\xbf"), true},
        {S("\x80"), false},
        {S("\xbf"), false},
        {S("\xc0\x80"), false}, /* overlong NUL */
        {S("\xc1\xbf"), false},
        {S("\xe0\x80\xaf"), false}, /* overlong slash */
        {S("\xe0\x9f\xbf"), false},
        {S("\xf0\x8f\xbf\xbf"), false},
        {S("\xf0\x80\x80\xaf"), false},
        {S("\xed\xa0\x80"), false}, /* surrogates */
        {S("\xed\xbf\xbf"), false},
        {S("\xf4\x90\x80\x80"), false},
        {S("\xf5\x80\x80\x80"), false},
        {S("\xff"), false},
        {S("\xc3"), false},
        {S("\xe2\x82"), false},
        {S("\xf0\x9f\x98"), false},
        {S("\xc3\x28"), false},
        {S("\xe2\x28\xa1"), false},
        {S("\xe2\x82\x28"), false},
        {S("a\xc3"), false},
        {CUT("\xc3\xa4", 1), false}, /* the rest is there, but beyond the end */
        {CUT("\xe2\x82\xac", 2), false},
        {CUT("\xf0\x9f\x98\x80", 3), false},
        {S("\xf8\x88\x80\x80\x80"), false},
    };
    uint32_t point = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, text_is_utf8(rows[i].in) == rows[i].ok);
    }
    assert_int_equal(text_utf8_next(SPAN_LIT("\xf0\x9f\x98\x80x"), &point), 4);
    assert_int_equal(point, 0x1F600);
    assert_int_equal(text_utf8_next(SPAN_LIT("\xe2\x82\xac"), &point), 3);
    assert_int_equal(point, 0x20AC);
    assert_int_equal(text_utf8_next(SPAN_LIT(""), &point), 0);
}

static void quotes_for_one_line(void **state)
{
    static const struct {
        struct span in;
        size_t max;
        const char *want;
    } rows[] = {
        {S("evt_1.A:/@+-z"), 200, "evt_1.A:/@+-z"},
        {S(""), 200, "\"\""},
        {NONE, 200, "\"\""},
        {S("a b"), 200, "\"a b\""},
        {S("a=b"), 200, "\"a=b\""},
        {S("a\nb\r\t"), 200, "\"a\\x0ab\\x0d\\x09\""},
        {S("a\"b\\c"), 200, "\"a\\x22b\\x5cc\""},
        {S("a\0b"), 200, "\"a\\x00b\""},
        {S("\x1b[2J\x7f"), 200, "\"\\x1b[2J\\x7f\""},
        {S("\xc3\xa4\xf0\x9f\x98\x80"), 200, "\"\xc3\xa4\xf0\x9f\x98\x80\""},
        {S("\xff\xc3"), 200, "\"\\xff\\xc3\""},
        {S("\xc2\x9b" "31m"), 200, "\"\\xc2\\x9b31m\""},
        {S("\xe2\x80\xa8"), 200, "\"\\xe2\\x80\\xa8\""},
        {S("\xe2\x80\xae"), 200, "\"\\xe2\\x80\\xae\""},
        {S("abcdef"), 6, "abcdef"},
        {S("abcdefg"), 6, "\"abcdef\xe2\x80\xa6+1\""},
        {S("abcdefg"), 0, "\"\xe2\x80\xa6+7\""},
        {S("ab\xc3\xa4" "c"), 2, "\"ab\xe2\x80\xa6+3\""},
        {S("ab\xc3\xa4" "c"), 3, "\"ab\xe2\x80\xa6+3\""},
        {S("ab\xc3\xa4" "c"), 4, "\"ab\xc3\xa4\xe2\x80\xa6+1\""},
        {S("a\xf0\x9f\x98\x80" "c"), 4, "\"a\xe2\x80\xa6+5\""},
        {S("a\xf0\x9f\x98\x80" "c"), 5, "\"a\xf0\x9f\x98\x80\xe2\x80\xa6+1\""},
        {S("a\xff\xff"), 2, "\"a\\xff\xe2\x80\xa6+1\""},
        {S("a\nb"), 2, "\"a\\x0a\xe2\x80\xa6+1\""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf b;
        buf_init(&b, 200);
        ROW(i, text_quote(rows[i].in, rows[i].max, &b) == HO_OK);
        ROW_TEXT(i, buf_cstr(&b), rows[i].want);
        buf_free(&b);
    }
}

static void writes_json_strings(void **state)
{
    static const struct {
        struct span in;
        const char *want;
    } rows[] = {
        {S(""), "\"\""},
        {NONE, "\"\""},
        {S("a/b"), "\"a/b\""},
        {S("\"\\"), "\"\\\"\\\\\""},
        {S("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\""},
        {S("\0\x01\x1f\x7f"), "\"\\u0000\\u0001\\u001f\x7f\""},
        {S("\x0b\x0e\x10\x19\x1a"), "\"\\u000b\\u000e\\u0010\\u0019\\u001a\""},
        {S("ab\xff\xfe\"c\xc3\xa4\nd"), "\"ab\xef\xbf\xbd\xef\xbf\xbd\\\"c\xc3\xa4\\nd\""},
        {S("\xc3\xa4\xf0\x9f\x98\x80"), "\"\xc3\xa4\xf0\x9f\x98\x80\""},
        {S("a\xff" "b"), "\"a\xef\xbf\xbd" "b\""},
        {S("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {S("\xc3"), "\"\xef\xbf\xbd\""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf b;
        buf_init(&b, 64);
        ROW(i, text_json_string(rows[i].in, &b) == HO_OK);
        ROW_TEXT(i, buf_cstr(&b), rows[i].want);
        buf_free(&b);
    }
}

static void a_full_buffer_keeps_what_it_had(void **state)
{
    (void)state;
    for (size_t max = 3; max < 18; max++) {
        struct buf b;
        buf_init(&b, max);
        assert_int_equal(buf_add_str(&b, "abc"), HO_OK);
        ROW(max, text_quote(SPAN_LIT("x \nyyyyyy"), 5, &b) == HO_REJECT);
        ROW_TEXT(max, buf_cstr(&b), "abc");
        ROW(max, text_json_string(SPAN_LIT("x\n\xff\x01yyyy"), &b) == HO_REJECT);
        ROW_TEXT(max, buf_cstr(&b), "abc");
        ROW(max, text_percent_decode(SPAN_LIT("%41yyyyyyyyyyyyyyyyyy"), false, false, &b) ==
                     HO_REJECT);
        ROW_TEXT(max, buf_cstr(&b), "abc");
        buf_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_hex),
        cmocka_unit_test(every_byte_goes_through_hex),
        cmocka_unit_test(decodes_percent_once),
        cmocka_unit_test(checksums_as_zlib),
        cmocka_unit_test(knows_well_formed_utf8),
        cmocka_unit_test(quotes_for_one_line),
        cmocka_unit_test(writes_json_strings),
        cmocka_unit_test(a_full_buffer_keeps_what_it_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
