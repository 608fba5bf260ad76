/* Sealing: opens as it was, and only under its key, in its place, unchanged. */
#include <string.h>

#include "base/mac.h"
#include "base/mac_seal.h"
#include "unit.h"

static struct seal_key key_of(const char *text)
{
    struct seal_key key;

    assert_true(seal_key_read(span_of(text), &key));
    return key;
}

#define HEX_A "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define HEX_B "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define BASE64_A "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

static void a_key_is_read_in_hex_or_base64_and_nothing_else(void **state)
{
    static const char *const bad[] = {"", "00", HEX_A "00", HEX_A " ", "AAEC", BASE64_A "AA==",
                                      "zz0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"};
    struct seal_key a = key_of(HEX_A), same = key_of(BASE64_A), b = key_of(HEX_B), none;
    (void)state;

    assert_memory_equal(a.key, same.key, SEAL_KEY_LEN);
    assert_string_equal(a.print, same.print);
    assert_int_equal(strlen(a.print), SEAL_PRINT_LEN);
    assert_string_not_equal(a.print, b.print);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(seal_key_read(span_of(bad[i]), &none));
    }
}

static void sealed_opens_as_it_was_and_is_never_twice_the_same(void **state)
{
    const struct seal_key key = key_of(HEX_A);
    const struct span where = SPAN_LIT("here"), plain[] = {SPAN_LIT(""), SPAN_LIT("x"),
                                                           SPAN_LIT("a longer text, with \0 in it")};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        struct buf one, two, open;
        buf_init(&one, 100);
        buf_init(&two, 100);
        buf_init(&open, 100);
        assert_int_equal(seal(&key, where, plain[i], &one), HO_OK);
        assert_int_equal(seal(&key, where, plain[i], &two), HO_OK);
        assert_int_equal(one.len, plain[i].len + SEAL_MORE);
        assert_memory_not_equal(one.p, two.p, one.len);
        assert_int_equal(seal_open(&key, where, buf_span(&one), &open), HO_OK);
        assert_true(span_eq(buf_span(&open), plain[i]));
        buf_free(&one);
        buf_free(&two);
        buf_free(&open);
    }
}

static void every_change_is_found(void **state)
{
    const struct seal_key key = key_of(HEX_A), other = key_of(HEX_B);
    const struct span where = SPAN_LIT("here");
    struct buf sealed, open;
    (void)state;

    buf_init(&sealed, 100);
    buf_init(&open, 100);
    assert_int_equal(seal(&key, where, SPAN_LIT("twelve bytes"), &sealed), HO_OK);
    assert_int_equal(seal_open(&other, where, buf_span(&sealed), &open), HO_REJECT);
    assert_int_equal(seal_open(&key, SPAN_LIT("herf"), buf_span(&sealed), &open), HO_REJECT);
    assert_int_equal(seal_open(&key, SPAN_LIT(""), buf_span(&sealed), &open), HO_REJECT);
    for (size_t i = 0; i < sealed.len; i++) {
        assert_int_equal(seal_open(&key, where, span_make(sealed.p, i), &open), HO_REJECT);
        sealed.p[i] ^= 1;
        assert_int_equal(seal_open(&key, where, buf_span(&sealed), &open), HO_REJECT);
        sealed.p[i] ^= 1;
    }
    assert_int_equal(open.len, 0);
    assert_int_equal(seal_open(&key, where, buf_span(&sealed), &open), HO_OK);
    buf_free(&sealed);
    buf_free(&open);
}

static void what_does_not_fit_is_refused(void **state)
{
    const struct seal_key key = key_of(HEX_A);
    struct buf sealed, open;
    (void)state;

    buf_init(&sealed, SEAL_MORE + 3);
    buf_init(&open, 3);
    assert_int_equal(seal(&key, SPAN_LIT("w"), SPAN_LIT("four"), &sealed), HO_REJECT);
    assert_int_equal(seal(&key, SPAN_LIT("w"), SPAN_LIT("abc"), &sealed), HO_OK);
    assert_int_equal(buf_add(&open, "x", 1), HO_OK);
    assert_int_equal(seal_open(&key, SPAN_LIT("w"), buf_span(&sealed), &open), HO_REJECT);
    assert_int_equal(open.len, 1);
    buf_free(&sealed);
    buf_free(&open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_read_in_hex_or_base64_and_nothing_else),
        cmocka_unit_test(sealed_opens_as_it_was_and_is_never_twice_the_same),
        cmocka_unit_test(every_change_is_found),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
