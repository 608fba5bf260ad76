/* Listings: what a person sees, what a program reads, and that no cell can break either. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "operator/table.h"

#define LIT(s) {(const unsigned char *)(s), sizeof(s) - 1}

static void shows_cells_as_one_safe_line(void **state)
{
    static const struct {
        struct span in;
        unsigned max;
        const char *want;
    } rows[] = {
        {LIT("evt_1"), 0, "evt_1"},
        {LIT(""), 0, ""},
        {{NULL, 0}, 0, "-"},
        {LIT("a b"), 0, "a b"},
        {LIT("a "), 0, "a\\x20"},
        {LIT(" a"), 0, "\\x20a"},
        {LIT(" "), 0, "\\x20"},
        {LIT("a\nb\tc"), 0, "a\\x0ab\\x09c"},
        {LIT("\x1b[31mred"), 0, "\\x1b[31mred"},
        {LIT("a\0b"), 0, "a\\x00b"},
        {LIT("a\\x20"), 0, "a\\x5cx20"},
        {LIT("Plaça 😀"), 0, "Plaça 😀"},
        {LIT("\xff\xc3"), 0, "\\xff\\xc3"},
        {LIT("a\xe2\x80\xae" "b"), 0, "a\\xe2\\x80\\xaeb"}, /* right-to-left override */
        {LIT("\xc2\x9b" "31m"), 0, "\\xc2\\x9b31m"},        /* C1: the 8-bit escape sequence */
        {LIT("a\xe2\x80\x8b" "b"), 0, "a\\xe2\\x80\\x8bb"}, /* a blank that nobody sees */
        {LIT("abcdef"), 6, "abcdef"},
        {LIT("abcdefg"), 6, "abcde…"},
        {LIT("abcde\n"), 6, "abcde…"},
        {LIT("日本語"), 6, "日本語"},
        {LIT("日本語a"), 6, "日本…"},
        {LIT("ab"), 1, "…"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf out;
        buf_init(&out, 4096);
        table_cell(rows[i].in, rows[i].max, &out);
        assert_string_equal(buf_cstr(&out), rows[i].want);
        buf_free(&out);
    }
}

static void measures_what_a_terminal_shows(void **state)
{
    static const struct {
        struct span in;
        size_t want;
    } rows[] = {
        {LIT(""), 0},        {LIT("abc"), 3},        {LIT("ça"), 2}, {LIT("c\xcc\xa7" "a"), 2},
        {LIT("日本"), 4},    {LIT("\xf0\x9f\x98\x80!"), 3}, {LIT("…"), 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(table_width(rows[i].in), rows[i].want);
    }
}

static const struct table_col cols[] = {
    {"event_id", TABLE_TEXT, 4},
    {"tries", TABLE_NUMBER, 0},
    {"last_error", TABLE_TEXT, 0},
};

static void printed(bool json, char *out, size_t size)
{
    struct table *t = table_new("job", cols, 3);
    const struct span one[] = {LIT("日本"), LIT("7"), {NULL, 0}};
    const struct span two[] = {LIT("evt_1\xff"), LIT("12"), LIT("say \"no\"\n")};
    table_row(t, one);
    table_row(t, two);
    assert_int_equal(table_rows(t), 2);

    FILE *f = tmpfile();
    assert_non_null(f);
    table_print(t, f, json);
    rewind(f);
    size_t n = fread(out, 1, size - 1, f);
    out[n] = '\0';
    assert_int_equal(fclose(f), 0);
    table_free(t);
}

static void aligns_columns_for_people(void **state)
{
    char out[512];
    (void)state;
    printed(false, out, sizeof out);
    assert_string_equal(out, "EVENT ID   TRIES  LAST ERROR\n"
                             "日本           7  -\n"
                             "evt_1\\xff     12  say \"no\"\\x0a\n");
}

static void writes_an_object_a_line_for_programs(void **state)
{
    char out[512];
    (void)state;
    printed(true, out, sizeof out);
    assert_string_equal(out, "{\"kind\":\"job\",\"event_id\":\"日本\",\"tries\":7,"
                             "\"last_error\":null}\n"
                             "{\"kind\":\"job\",\"event_id\":\"evt_1\xef\xbf\xbd\","
                             "\"event_id_hex\":\"6576745f31ff\",\"tries\":12,"
                             "\"last_error\":\"say \\\"no\\\"\\n\"}\n");
    for (char *line = out, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        struct json *doc = NULL;
        assert_int_equal(json_parse(span_make(line, (size_t)(end - line)), &doc, NULL), HO_OK);
        assert_int_equal(json_kind_of(json_at(doc, span_of("/tries"))), JSON_INT);
        json_free(doc);
    }
}

static void prints_only_the_head_without_rows(void **state)
{
    char out[64] = "";
    (void)state;
    struct table *t = table_new(NULL, cols, 3);
    FILE *f = tmpfile();
    assert_non_null(f);
    table_print(t, f, true);
    assert_int_equal(ftell(f), 0);
    table_print(t, f, false);
    rewind(f);
    assert_non_null(fgets(out, sizeof out, f));
    assert_string_equal(out, "EVENT ID  TRIES  LAST ERROR\n");
    assert_null(fgets(out, sizeof out, f));
    assert_int_equal(fclose(f), 0);
    table_free(t);
    table_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_cells_as_one_safe_line),
        cmocka_unit_test(measures_what_a_terminal_shows),
        cmocka_unit_test(aligns_columns_for_people),
        cmocka_unit_test(writes_an_object_a_line_for_programs),
        cmocka_unit_test(prints_only_the_head_without_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
