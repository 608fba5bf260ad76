/* The pages' HTML: what text becomes, and how plots are drawn. */
#include "unit.h"

#include "operator/page.h"

static const char *text_of(struct buf *out, const char *text, size_t len, size_t max)
{
    buf_clear(out);
    page_text(out, span_make(text, len), max);
    return buf_cstr(out);
}

static void test_text_can_not_end_what_it_stands_in(void **state)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"<b>&\"'", "&lt;b&gt;&amp;&quot;&#39;"},
        {"a\nb\tc", "a b c"},
        {"\x01\x7F", "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xC2\x85", "\xEF\xBF\xBD"},                          /* a control character of two bytes */
        {"\xFF<", "\xEF\xBF\xBD&lt;"},                         /* no UTF-8 */
        {"\xC3", "\xEF\xBF\xBD"},                              /* half a character */
        {"\xE2\x80\xAE" "fdp", "\xEF\xBF\xBD" "fdp"},          /* turns the text around */
        {"\xE2\x80\x8B", "\xEF\xBF\xBD"},                      /* no width */
        {"\xF0\x9F\x98\x80 \xC3\xA9  ", "\xF0\x9F\x98\x80 \xC3\xA9  "}, /* emoji, accent, blanks */
    };
    struct buf out;
    (void)state;

    buf_init(&out, 4096);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(text_of(&out, cases[i].in, strlen(cases[i].in), 0), cases[i].out);
    }
    assert_string_equal(text_of(&out, "a\0b", 3, 0), "a\xEF\xBF\xBD" "b");
    assert_string_equal(text_of(&out, "abcdef", 6, 3), "abc\xE2\x80\xA6");
    assert_string_equal(text_of(&out, "abc", 3, 3), "abc");
    assert_string_equal(text_of(&out, "ab\xC3\xA9z", 5, 3), "ab\xC3\xA9\xE2\x80\xA6"); /* whole ones */
    buf_free(&out);
}

static const char *drawn(struct buf *out, const struct plot *p)
{
    buf_clear(out);
    page_plot(p, out);
    return buf_cstr(out);
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;

    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what)) {
        n++;
    }
    return n;
}

static void test_a_plot_of_nothing_says_so(void **state)
{
    struct plot p = {.title = "T", .span = "24 h", .n_slots = 4, .n_series = 1, .names = {"a"}};
    struct buf out;
    (void)state;

    buf_init(&out, 65536);
    assert_int_equal(count(drawn(&out, &p), "no numbers yet"), 1);
    p.bars = p.known[3] = true;
    assert_int_equal(count(drawn(&out, &p), "no numbers yet"), 0); /* zero is a number */
    assert_int_equal(count(buf_cstr(&out), "<rect"), 0);
    buf_free(&out);
}

static void test_bars_stand_upon_each_other_and_fill_the_axis(void **state)
{
    struct plot p = {.title = "T", .span = "24 h", .bars = true, .tone = 1, .n_slots = 2,
                     .n_series = 2, .names = {"a", "b"}, .known = {true, true},
                     .values = {{30, 0}, {10, 0}}};
    struct buf out;
    (void)state;

    buf_init(&out, 65536);
    const char *svg = drawn(&out, &p);
    assert_non_null(strstr(svg, ">40<")); /* the axis ends where the highest bar does */
    assert_non_null(strstr(svg, ">20<"));
    assert_non_null(strstr(svg, "<rect class=\"s1\" x=\"52.0\" y=\"40.0\" width=\"210.5\" height=\"90.0\"/>"));
    assert_non_null(strstr(svg, "<rect class=\"s2\" x=\"52.0\" y=\"10.0\" width=\"210.5\" height=\"30.0\"/>"));
    assert_int_equal(count(svg, "<rect"), 2);
    assert_non_null(strstr(svg, "a: 30"));
    buf_free(&out);
}

static void test_a_line_has_gaps_where_nothing_is_known(void **state)
{
    struct plot p = {.title = "T", .span = "7 d", .unit = PLOT_US, .n_slots = 5, .n_series = 1,
                     .names = {"p50"}, .known = {true, true, false, true, false},
                     .values = {{1000, 2000, 0, 1500, 0}}};
    struct buf out;
    (void)state;

    buf_init(&out, 65536);
    const char *svg = drawn(&out, &p);
    const char *path = strstr(svg, " d=\"");
    assert_non_null(path);
    assert_memory_equal(path, " d=\"M", 5);
    assert_int_equal(count(svg, "<circle"), 1); /* the one that stands alone */
    assert_non_null(strstr(svg, "p50: at most 2.0 ms"));
    buf_free(&out);
}

static void test_an_axis_ends_at_a_good_number(void **state)
{
    static const struct {
        enum plot_unit unit;
        int64_t most;
        const char *end, *half;
    } cases[] = {
        {PLOT_COUNT, 0, ">2<", ">1<"},      {PLOT_COUNT, 7, ">8<", ">4<"},
        {PLOT_COUNT, 11, ">20<", ">10<"},   {PLOT_COUNT, 999, ">1000<", ">500<"},
        {PLOT_S, 1801, ">60m<", ">30m<"},   {PLOT_S, 3, ">4s<", ">2s<"},
        {PLOT_S, 200000, ">4d<", ">2d<"},   {PLOT_US, 90000, ">100 ms<", ">50 ms<"},
        {PLOT_US, 1500000, ">2.0 s<", ">1.0 s<"}, {PLOT_COUNT, 123456, ">200k<", ">100k<"},
    };
    struct buf out;
    (void)state;

    buf_init(&out, 65536);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct plot p = {.title = "T", .span = "24 h", .unit = cases[i].unit, .n_slots = 1,
                               .n_series = 1, .names = {"a"}, .known = {true},
                               .values = {{cases[i].most}}};
        const char *svg = drawn(&out, &p);
        assert_non_null(strstr(svg, cases[i].end));
        assert_non_null(strstr(svg, cases[i].half));
    }
    buf_free(&out);
}

static void test_a_number_beyond_all_bounds_stays_within_the_drawing(void **state)
{
    struct plot p = {.title = "T", .span = "24 h", .bars = true, .n_slots = 1, .n_series = 1,
                     .names = {"a"}, .known = {true}, .values = {{INT64_MAX}}};
    struct buf out;
    (void)state;

    buf_init(&out, 65536);
    assert_non_null(strstr(drawn(&out, &p), "y=\"10.0\" width=\"421.5\" height=\"120.0\""));
    p.bars = false;
    assert_non_null(strstr(drawn(&out, &p), "cy=\"10.0\""));
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_can_not_end_what_it_stands_in),
        cmocka_unit_test(test_a_plot_of_nothing_says_so),
        cmocka_unit_test(test_bars_stand_upon_each_other_and_fill_the_axis),
        cmocka_unit_test(test_a_line_has_gaps_where_nothing_is_known),
        cmocka_unit_test(test_an_axis_ends_at_a_good_number),
        cmocka_unit_test(test_a_number_beyond_all_bounds_stays_within_the_drawing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
