/* Numbers by value: whatever way they are written, none is rounded, and none takes long. */
#include "unit.h"

#include "base/buf.h"
#include "core/decimal.h"

static void knows_numbers_as_json_writes_them(void **state)
{
    static const struct {
        struct span text;
        bool number;
    } rows[] = {
        {S("0"), true},      {S("-0"), true},    {S("7"), true},       {S("-12"), true},
        {S("0.5"), true},    {S("-0.50"), true}, {S("1e5"), true},     {S("1E+5"), true},
        {S("1.5e-07"), true}, {S("0e0"), true},  {S("10"), true},      {S("1e400"), true},
        {S(""), false},      {S("-"), false},    {S("+1"), false},     {S("007"), false},
        {S("00"), false},    {S("-01"), false},  {S(".5"), false},     {S("1."), false},
        {S("1.e5"), false},  {S("1e"), false},   {S("1e+"), false},    {S("1e5.0"), false},
        {S("e5"), false},    {S("0x10"), false}, {S("1_000"), false},  {S("1,5"), false},
        {S(" 1"), false},    {S("1 "), false},   {S("1\0"), false},    {S("--1"), false},
        {S("1.2.3"), false}, {S("NaN"), false},  {S("Infinity"), false}, {S("1e5e5"), false},
        {NONE, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, decimal_is(rows[i].text) == rows[i].number);
    }
}

/* In order: each row is less than those behind it, and its writings are the same. */
static const char *const ladder[][6] = {
    {"-1e999999999999999"},
    {"-1e401"},
    {"-1e400", "-10e399"},
    {"-12.5", "-125e-1", "-12.50"},
    {"-12.49999999999999999999999999999999999999"},
    {"-1", "-1.0", "-10e-1", "-0.1e1"},
    {"-0.1"},
    {"-1e-400"},
    {"0", "-0", "0.000", "0e9", "-0.0e-5", "0e-999999999999999"},
    {"1e-999999999999999"},
    {"1e-401"},
    {"1e-400", "0.1e-399", "10e-401"},
    {"0.001", "1e-3", "0.0010", "10e-4"},
    {"0.0999999999999999999999999999999"},
    {"0.1", "1e-1", "0.10", "1E-01"},
    {"1", "1.0", "1e0", "0.01e2", "100e-2", "1e-0"},
    {"1.0000000000000000000000000000000000001"},
    {"1.1", "1.10", "11e-1", "0.11e1", "110E-2", "1.1e+0"},
    {"9.5"},
    {"10", "1e1", "10.0", "1E+1", "1e01", "100e-1"},
    {"99"},
    {"100", "1e2", "1e+002"},
    {"9007199254740992", "9007199254740992.0"},
    {"9007199254740993", "9007199254740993.000", "9.007199254740993e15"},
    {"18446744073709551615"},
    {"18446744073709551616", "1844674407370955161.6e1"},
    {"1e400", "10e399", "0.1e401"},
    {"1e401"},
    {"1e999999999999999"},
};

static void compares_by_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ladder); i++) {
        for (size_t k = 0; k < COUNT(ladder); k++) {
            for (size_t n = 0; n < 36; n++) {
                const char *a = ladder[i][n / 6], *b = ladder[k][n % 6];
                enum decimal_order want = i == k ? DECIMAL_SAME : i < k ? DECIMAL_LESS : DECIMAL_MORE;
                enum decimal_order got;
                if (a == NULL || b == NULL) {
                    continue;
                }
                if (!decimal_compare(span_of(a), span_of(b), &got) || got != want) {
                    fail_msg("%s against %s", a, b);
                }
            }
        }
    }
}

static void says_so_when_it_cannot_tell(void **state)
{
    static const char *const rows[] = {"x", "", "1e1000000000000000", "1e-99999999999999999999",
                                       "01"};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        enum decimal_order order = DECIMAL_MORE;
        ROW(i, !decimal_compare(span_of(rows[i]), SPAN_LIT("1"), &order));
        ROW(i, !decimal_compare(SPAN_LIT("1"), span_of(rows[i]), &order));
        ROW(i, order == DECIMAL_MORE);
    }
    enum decimal_order order;
    assert_true(decimal_compare(SPAN_LIT("1e000000000000000000000005"), SPAN_LIT("1e5"), &order));
    assert_int_equal(order, DECIMAL_SAME);
}

/* A million digits against a million digits, with exponents that no loop may run through. */
static void takes_steps_by_length_only(void **state)
{
    struct buf a, b;
    enum decimal_order order;
    (void)state;
    buf_init(&a, 1100000);
    buf_init(&b, 1100000);
    assert_int_equal(buf_add_str(&a, "1."), HO_OK);
    assert_int_equal(buf_add_byte(&b, '1'), HO_OK);
    for (int i = 0; i < 1000000; i++) {
        assert_int_equal(buf_add_byte(&a, '3'), HO_OK);
        assert_int_equal(buf_add_byte(&b, '3'), HO_OK);
    }
    assert_int_equal(buf_add_str(&a, "e900000000000000"), HO_OK);
    assert_int_equal(buf_add_str(&b, "e899999999000000"), HO_OK);
    assert_true(decimal_compare(buf_span(&a), buf_span(&b), &order));
    assert_int_equal(order, DECIMAL_SAME);
    b.p[500000] = '4';
    assert_true(decimal_compare(buf_span(&a), buf_span(&b), &order));
    assert_int_equal(order, DECIMAL_LESS);
    buf_free(&a);
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_numbers_as_json_writes_them),
        cmocka_unit_test(compares_by_value),
        cmocka_unit_test(says_so_when_it_cannot_tell),
        cmocka_unit_test(takes_steps_by_length_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
