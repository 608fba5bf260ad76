/* The bounded buffer: the maximum holds to the byte, and what does not fit changes nothing. */
#include "unit.h"

#include "base/buf.h"

static void starts_empty_without_memory(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 10);
    assert_null(b.p);
    assert_true(span_is(buf_span(&b), ""));
    assert_true(span_present(buf_span(&b)));
    assert_string_equal(buf_cstr(&b), "");
    buf_clear(&b);
    assert_int_equal(buf_add(&b, NULL, 0), HO_OK);
    assert_int_equal(buf_add_span(&b, SPAN_NONE), HO_OK);
    assert_true(span_is(buf_span(&b), ""));
    buf_free(&b);
    buf_free(&b);
    buf_wipe(&b);
    assert_string_equal(buf_cstr(&b), "");
}

static void holds_its_maximum_and_no_byte_more(void **state)
{
    static const size_t maxima[] = {1, 2, 63, 64, 65, 127, 128, 129, 1000};
    (void)state;
    for (size_t m = 0; m < COUNT(maxima); m++) {
        struct buf b;
        buf_init(&b, maxima[m]);
        for (size_t i = 0; i < maxima[m]; i++) {
            ROW(m, buf_add_byte(&b, (unsigned char)('a' + i % 26)) == HO_OK);
            ROW(m, b.p[b.len] == '\0');
            ROW(m, b.cap <= b.max);
        }
        ROW(m, buf_add_byte(&b, '!') == HO_REJECT);
        ROW(m, buf_add_str(&b, "!!") == HO_REJECT);
        ROW(m, buf_addf(&b, "%d", 7) == HO_REJECT);
        ROW(m, buf_room(&b, 1) == NULL);
        ROW(m, buf_add(&b, "", 0) == HO_OK);
        ROW(m, buf_room(&b, 0) == b.p + b.len);
        ROW(m, b.len == maxima[m] && strlen(buf_cstr(&b)) == maxima[m]);
        for (size_t i = 0; i < maxima[m]; i++) {
            ROW(m, b.p[i] == 'a' + i % 26);
        }
        buf_free(&b);
    }
}

static void a_refused_append_changes_nothing(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 8);
    assert_int_equal(buf_add_str(&b, "abcde"), HO_OK);
    assert_int_equal(buf_add_str(&b, "wxyz"), HO_REJECT);
    assert_int_equal(buf_addf(&b, "%s", "wxyz"), HO_REJECT);
    assert_int_equal(buf_add(&b, "x", SIZE_MAX), HO_REJECT);
    assert_null(buf_room(&b, SIZE_MAX));
    assert_null(buf_room(&b, SIZE_MAX - 4));
    assert_string_equal(buf_cstr(&b), "abcde");
    assert_int_equal(buf_addf(&b, "%s%d", "x", 12), HO_OK);
    assert_string_equal(buf_cstr(&b), "abcdex12");
    buf_free(&b);
}

static void one_append_may_fill_it(void **state)
{
    char text[1001];
    struct buf b;
    (void)state;
    memset(text, 'x', 1000);
    text[1000] = '\0';
    buf_init(&b, 1000);
    assert_int_equal(buf_add_str(&b, text), HO_OK);
    assert_int_equal(b.p[1000], '\0');
    assert_string_equal(buf_cstr(&b), text);
    buf_free(&b);
    assert_int_equal(buf_addf(&b, "%s", text), HO_OK);
    assert_string_equal(buf_cstr(&b), text);
    buf_free(&b);
}

static void nothing_fits_into_a_refused_first_append(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 3);
    assert_int_equal(buf_add_str(&b, "abcd"), HO_REJECT);
    assert_string_equal(buf_cstr(&b), "");
    assert_int_equal(buf_add_str(&b, "abc"), HO_OK);
    assert_string_equal(buf_cstr(&b), "abc");
    buf_free(&b);
}

static void keeps_any_byte(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, SIZE_MAX);
    assert_int_equal(buf_add_span(&b, SPAN_LIT("a\0b")), HO_OK);
    assert_int_equal(buf_add_byte(&b, 0), HO_OK);
    assert_true(span_eq(buf_span(&b), SPAN_LIT("a\0b\0")));
    buf_clear(&b);
    assert_true(span_is(buf_span(&b), ""));
    assert_string_equal(buf_cstr(&b), "");
    assert_int_equal(buf_add_str(&b, "z"), HO_OK);
    assert_string_equal(buf_cstr(&b), "z");
    buf_wipe(&b);
    assert_null(b.p);
}

static void room_is_written_by_the_caller(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 300);
    assert_int_equal(buf_add_str(&b, "ab"), HO_OK);
    unsigned char *room = buf_room(&b, 298);
    assert_non_null(room);
    memset(room, 'x', 298);
    b.len += 5;
    assert_string_equal(buf_cstr(&b), "abxxxxx");
    assert_null(buf_room(&b, 294));
    assert_non_null(buf_room(&b, 293));
    assert_string_equal(buf_cstr(&b), "abxxxxx");
    buf_free(&b);
}

static void formats_across_a_growth(void **state)
{
    struct buf b;
    char want[2012];
    (void)state;
    buf_init(&b, 2000);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(buf_addf(&b, "%010d", i), HO_OK);
        (void)snprintf(want + 10 * i, 12, "%010d", i);
    }
    assert_string_equal(buf_cstr(&b), want);
    assert_int_equal(buf_addf(&b, "%s", ""), HO_OK);
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_empty_without_memory),
        cmocka_unit_test(holds_its_maximum_and_no_byte_more),
        cmocka_unit_test(a_refused_append_changes_nothing),
        cmocka_unit_test(one_append_may_fill_it),
        cmocka_unit_test(nothing_fits_into_a_refused_first_append),
        cmocka_unit_test(keeps_any_byte),
        cmocka_unit_test(room_is_written_by_the_caller),
        cmocka_unit_test(formats_across_a_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
