/* Listings: what a person sees, what a program reads, and that no cell can break either. */
#include "unit.h"

#include "base/json.h"
#include "operator/table.h"

static void shows_cells_as_one_safe_line(void **state)
{
    static const struct {
        struct span in;
        unsigned max;
        const char *want;
    } rows[] = {
        {S("evt_1"), 0, "evt_1"},
        {S(""), 0, ""},
        {NONE, 0, "-"},
        {S("a b"), 0, "a b"},
        {S("a "), 0, "a\\x20"},
        {S(" a"), 0, "\\x20a"},
        {S(" "), 0, "\\x20"},
        {S("a\nb\tc"), 0, "a\\x0ab\\x09c"},
        {S("\x1b[31mred"), 0, "\\x1b[31mred"},
        {S("a\0b"), 0, "a\\x00b"},
        {S("a\\x20"), 0, "a\\x5cx20"},
        {S("Plaça 😀"), 0, "Plaça 😀"},
        {S("\xff\xc3"), 0, "\\xff\\xc3"},
        {S("a\xe2\x80\xae" "b"), 0, "a\\xe2\\x80\\xaeb"}, /* right-to-left override */
        {S("\xc2\x9b" "31m"), 0, "\\xc2\\x9b31m"},        /* C1: the 8-bit escape sequence */
        {S("a\xe2\x80\x8b" "b"), 0, "a\\xe2\\x80\\x8bb"}, /* a blank that nobody sees */
        {S("abcdef"), 6, "abcdef"},
        {S("abcdefg"), 6, "abcde…"},
        {S("abcde\n"), 6, "abcde…"},
        {S("日本語"), 6, "日本語"},
        {S("日本語a"), 6, "日本…"},
        {S("ab"), 1, "…"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf out;
        buf_init(&out, 4096);
        table_cell(rows[i].in, rows[i].max, &out);
        ROW_TEXT(i, buf_cstr(&out), rows[i].want);
        buf_free(&out);
    }
}

static void measures_what_a_terminal_shows(void **state)
{
    static const struct {
        struct span in;
        size_t want;
    } rows[] = {
        {S(""), 0},        {S("abc"), 3},        {S("ça"), 2}, {S("c\xcc\xa7" "a"), 2},
        {S("日本"), 4},    {S("\xf0\x9f\x98\x80!"), 3}, {S("…"), 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, table_width(rows[i].in) == rows[i].want);
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
    const struct span one[] = {S("日本"), S("7"), NONE};
    const struct span two[] = {S("evt_1\xff"), S("12"), S("say \"no\"\n")};
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

static void fits_the_columns_of_a_terminal(void **state)
{
    static const struct table_col fitted[] = {
        {"at", TABLE_TEXT, 0},       {"event_id", TABLE_TEXT, 20}, {"tries", TABLE_NUMBER, 0},
        {"outcome", TABLE_TEXT, 0},  {"error", TABLE_TEXT, 100},
    };
    static const struct {
        size_t columns;
        const char *want;
    } rows[] = {
        {0, "AT    EVENT ID                 TRIES  OUTCOME  ERROR\n"
            "noon  evt_of_twenty_two_chars      3  failed   no such table, and more of it\n"},
        {80, "AT    EVENT ID              TRIES  OUTCOME\n"
             "noon  evt_of_twenty_two_c…      3  failed\n"
             "    no such table, and more of it\n"},
        {42, "AT    EVENT ID              TRIES  OUTCOME\n"
             "noon  evt_of_twenty_two_c…      3  failed\n"
             "    no such table, and more of it\n"},
        {41, "AT    EVENT ID              OUTCOME\n"
             "noon  evt_of_twenty_two_c…  failed\n"
             "    no such table, and more of it\n"
             "(more columns: --wide or --json)\n"},
        {30, "AT    EVENT ID\n"
             "noon  evt_of_twenty_two_c…\n"
             "    no such table, and more of\n"
             "     it\n"
             "(more columns: --wide or --json)\n"},
        {20, "AT    EVENT ID\n"
             "noon  evt_of_twenty…\n"
             "    no such table, a\n"
             "    nd more of it\n"
             "(more columns: --wide or --json)\n"},
        {1, "AT    EVENT ID\n"
            "noon  evt_of_twen…\n"
            "    no such tabl\n"
            "    e, and more \n"
            "    of it\n"
            "(more columns: --wide or --json)\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct span cells[] = {S("noon"), S("evt_of_twenty_two_chars"), S("3"), S("failed"),
                                     S("no such table, and more of it")};
        char out[512];
        struct table *t = table_new(NULL, fitted, COUNT(fitted));
        table_rank(t, 2, 2);
        table_rank(t, 3, 1);
        table_rank(t, 4, TABLE_BELOW);
        table_row(t, cells);
        FILE *f = tmpfile();
        assert_non_null(f);
        table_print_at(t, f, rows[i].columns);
        rewind(f);
        out[fread(out, 1, sizeof out - 1, f)] = '\0';
        ROW_TEXT(i, out, rows[i].want);
        assert_int_equal(fclose(f), 0);
        table_free(t);
    }
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
        cmocka_unit_test(fits_the_columns_of_a_terminal),
        cmocka_unit_test(writes_an_object_a_line_for_programs),
        cmocka_unit_test(prints_only_the_head_without_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
