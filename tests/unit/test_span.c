/* Spans: absent is not empty, bytes are bytes, nothing reaches beyond the end. */
#include "unit.h"

static void absent_is_not_empty(void **state)
{
    (void)state;
    assert_false(span_present(SPAN_NONE));
    assert_false(span_present(span_of(NULL)));
    assert_true(span_present(span_of("")));
    assert_true(span_present(SPAN_LIT("")));
    assert_true(span_eq(SPAN_NONE, SPAN_NONE));
    assert_false(span_eq(SPAN_NONE, span_of("")));
    assert_false(span_eq(span_of(""), SPAN_NONE));
    assert_true(span_eq(span_of(""), SPAN_LIT("")));
    assert_false(span_is(SPAN_NONE, ""));
    assert_false(span_is_nocase(SPAN_NONE, ""));
    assert_false(span_starts(SPAN_NONE, ""));
    assert_false(span_has(SPAN_NONE, 0));
    assert_false(span_present(span_trim(SPAN_NONE)));
    assert_false(span_present(span_sub(SPAN_NONE, 0, 1)));
}

static void compares_bytes(void **state)
{
    static const struct {
        struct span a, b;
        bool equal, nocase;
        int order;
    } rows[] = {
        {S("abc"), S("abc"), true, true, 0},
        {S("abc"), S("abd"), false, false, -1},
        {S("abc"), S("ab"), false, false, 1},
        {S("ab"), S("abc"), false, false, -1},
        {S(""), S("a"), false, false, -1},
        {S(""), S(""), true, true, 0},
        {S("aBz"), S("AbZ"), false, true, 1},
        {S("a\0b"), S("a\0c"), false, false, -1},
        {S("a\0b"), S("a"), false, false, 1},
        {S("\xff"), S("a"), false, false, 1}, /* unsigned */
        {S("["), S("{"), false, false, -1},   /* the byte behind Z and the one behind z */
        {S("@"), S("`"), false, false, -1},   /* the byte before A and the one before a */
        {S("\xc3\x84"), S("\xc3\xa4"), false, false, -1}, /* no case beyond ASCII */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char cstr[16];
        int order = span_cmp(rows[i].a, rows[i].b);
        ROW(i, span_eq(rows[i].a, rows[i].b) == rows[i].equal);
        ROW(i, (order > 0) - (order < 0) == rows[i].order);
        order = span_cmp(rows[i].b, rows[i].a);
        ROW(i, (order < 0) - (order > 0) == rows[i].order);
        if (!span_has(rows[i].b, '\0')) {
            memcpy(cstr, rows[i].b.p, rows[i].b.len);
            cstr[rows[i].b.len] = '\0';
            ROW(i, span_is(rows[i].a, cstr) == rows[i].equal);
            ROW(i, span_is_nocase(rows[i].a, cstr) == rows[i].nocase);
        }
    }
}

static void a_nul_byte_ends_no_comparison(void **state)
{
    (void)state;
    assert_false(span_is(SPAN_LIT("ab\0"), "ab"));
    assert_false(span_is_nocase(SPAN_LIT("ab\0"), "ab"));
    assert_true(span_has(SPAN_LIT("ab\0"), '\0'));
    assert_false(span_has(SPAN_LIT("ab"), '\0'));
    assert_false(span_has(SPAN_LIT(""), '\0'));
}

static void starts_with_a_prefix(void **state)
{
    (void)state;
    assert_true(span_starts(SPAN_LIT("v1=ab"), "v1="));
    assert_true(span_starts(SPAN_LIT("v1="), "v1="));
    assert_true(span_starts(SPAN_LIT("x"), ""));
    assert_false(span_starts(SPAN_LIT("v1"), "v1="));
    assert_false(span_starts(SPAN_LIT("V1="), "v1="));
}

static void trims_only_what_it_says(void **state)
{
    static const struct {
        struct span in, blanks, line;
    } rows[] = {
        {S("  a b\t"), S("a b"), S("a b")},
        {S("a"), S("a"), S("a")},
        {S(""), S(""), S("")},
        {S(" \t "), S(""), S("")},
        {S(" a\r\n"), S("a\r\n"), S("a")},
        {S("\n a \n"), S("\n a \n"), S("a")},
        {S("\va\f"), S("\va\f"), S("\va\f")},
        {S("\0 a \0"), S("\0 a \0"), S("\0 a \0")},
        {S("\xc2\xa0" "a"), S("\xc2\xa0" "a"), S("\xc2\xa0" "a")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, span_eq(span_trim(rows[i].in), rows[i].blanks));
        ROW(i, span_eq(span_trim_line(rows[i].in), rows[i].line));
        ROW(i, span_present(span_trim(rows[i].in)));
    }
}

static void a_part_never_reaches_beyond_the_end(void **state)
{
    static const struct {
        size_t offset, len;
        const char *want;
    } rows[] = {
        {0, 6, "abcdef"}, {0, 7, "abcdef"},        {0, 0, ""}, {2, 2, "cd"}, {5, 1, "f"},
        {5, 2, "f"},      {6, 1, ""},              {7, 1, ""}, {SIZE_MAX, SIZE_MAX, ""},
        {1, SIZE_MAX, "bcdef"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, span_is(span_sub(SPAN_LIT("abcdef"), rows[i].offset, rows[i].len), rows[i].want));
    }
}

static void cuts_into_all_pieces(void **state)
{
    static const struct {
        struct span in;
        const char *pieces[5];
    } rows[] = {
        {S("a,b,c"), {"a", "b", "c"}}, {S("a"), {"a"}},          {S(""), {""}},
        {S(","), {"", ""}},            {S("a,,b"), {"a", "", "b"}}, {S("a,"), {"a", ""}},
        {S(",a"), {"", "a"}},          {NONE, {NULL}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct span rest = rows[i].in;
        size_t n = 0;
        while (span_present(rest)) {
            struct span piece = span_cut(&rest, ',');
            ROW(i, n < 4 && rows[i].pieces[n] != NULL);
            ROW(i, span_is(piece, rows[i].pieces[n]));
            n++;
        }
        ROW(i, rows[i].pieces[n] == NULL);
    }
    struct span none = SPAN_NONE;
    assert_false(span_present(span_cut(&none, ',')));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absent_is_not_empty),
        cmocka_unit_test(compares_bytes),
        cmocka_unit_test(a_nul_byte_ends_no_comparison),
        cmocka_unit_test(starts_with_a_prefix),
        cmocka_unit_test(trims_only_what_it_says),
        cmocka_unit_test(a_part_never_reaches_beyond_the_end),
        cmocka_unit_test(cuts_into_all_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
