/* Correlation ids: the ULID form, in time's order. */
#include "unit.h"

#include "base/ulid.h"

static void the_first_ten_characters_are_the_time(void **state)
{
    static const struct {
        int64_t us;
        const char *want;
    } rows[] = {
        {INT64_C(1469918176385000), "01ARYZ6S41"}, /* the example of the ULID specification */
        {INT64_C(1469918176385999), "01ARYZ6S41"},
        {INT64_C(1469918176386000), "01ARYZ6S42"},
        {0, "0000000000"},
        {999, "0000000000"},
        {1000, "0000000001"},
        {INT64_C(281474976710655) * 1000, "7ZZZZZZZZZ"},
        {INT64_C(281474976710656) * 1000, "7ZZZZZZZZZ"},
        {INT64_MAX, "7ZZZZZZZZZ"},
        {-1, "0000000000"},
        {INT64_MIN, "0000000000"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char id[ULID_LEN + 1];
        ulid_new(rows[i].us, id);
        ROW(i, strlen(id) == ULID_LEN);
        ROW(i, memcmp(id, rows[i].want, 10) == 0);
        ROW(i, ulid_valid(span_of(id)));
    }
}

static void the_rest_is_random_in_every_place(void **state)
{
    bool seen[ULID_LEN - 10][256] = {{false}};
    char id[ULID_LEN + 1];
    char last[ULID_LEN + 1] = "";
    (void)state;
    for (int i = 0; i < 1500; i++) {
        ulid_new(0, id);
        assert_string_not_equal(id, last);
        for (size_t at = 10; at < ULID_LEN; at++) {
            seen[at - 10][(unsigned char)id[at]] = true;
        }
        memcpy(last, id, sizeof id);
    }
    for (size_t at = 0; at < ULID_LEN - 10; at++) {
        size_t kinds = 0;
        for (size_t c = 0; c < 256; c++) {
            kinds += seen[at][c] ? 1 : 0;
        }
        ROW(at, kinds == 32);
    }
}

static void ids_sort_by_time(void **state)
{
    char before[ULID_LEN + 1];
    char after[ULID_LEN + 1];
    (void)state;
    for (int64_t ms = 1; ms < (INT64_C(1) << 47); ms = ms * 3 + 1) {
        ulid_new((ms - 1) * 1000, before);
        ulid_new(ms * 1000, after);
        assert_true(strcmp(before, after) < 0);
    }
}

static void all_of_a_millisecond_lie_between_its_first_and_last(void **state)
{
    char id[ULID_LEN + 1], first[ULID_LEN + 1], last[ULID_LEN + 1], next[ULID_LEN + 1];
    (void)state;
    for (int i = 0; i < 100; i++) {
        ulid_new(INT64_C(1790000000123999), id);
        ulid_first(id, first);
        ulid_last(id, last);
        ulid_new(INT64_C(1790000000124000), next);
        assert_true(strcmp(first, id) <= 0 && strcmp(id, last) <= 0 && strcmp(last, next) < 0);
        assert_true(ulid_valid(span_of(first)) && ulid_valid(span_of(last)));
        assert_true(ulid_ms(span_of(first)) == ulid_ms(span_of(id)));
        ulid_first(id, id);
        assert_string_equal(id, first);
    }
}

static void only_the_canonical_form_is_valid(void **state)
{
    static const struct {
        struct span in;
        bool valid;
    } rows[] = {
        {S("01ARYZ6S41TSV4RRFFQ69G5FAV"), true},
        {S("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"), true},
        {S("8ZZZZZZZZZZZZZZZZZZZZZZZZZ"), false},
        {S("01ARYZ6S41TSV4RRFFQ69G5FA"), false},
        {S("01ARYZ6S41TSV4RRFFQ69G5FAVV"), false},
        {S("01aryz6s41tsv4rrffq69g5fav"), false},
        {S("01ARYZ6S41TSV4RRFFQ69G5FAI"), false},
        {S("01ARYZ6S41TSV4RRFFQ69G5FAL"), false},
        {S("01ARYZ6S41TSV4RRFFQ69G5FAO"), false},
        {S("01ARYZ6S41TSV4RRFFQ69G5FAU"), false},
        {S("01ARYZ6S41TSV4RRFFQ69G5FA\0"), false},
        {S("01ARYZ6S41TSV4RRFFQ69G5FA\xff"), false},
        {S(""), false},
        {NONE, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, ulid_valid(rows[i].in) == rows[i].valid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_ten_characters_are_the_time),
        cmocka_unit_test(the_rest_is_random_in_every_place),
        cmocka_unit_test(ids_sort_by_time),
        cmocka_unit_test(all_of_a_millisecond_lie_between_its_first_and_last),
        cmocka_unit_test(only_the_canonical_form_is_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
