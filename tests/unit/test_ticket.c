/* Tickets: what was made holds, and nothing that was not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/ticket.h"

#define NOW INT64_C(1800000000)

#define KEY SPAN_LIT("00112233445566778899aabbccddeeff")

static void make(char out[TICKET_ROOM])
{
    ticket_make(KEY, TICKET_TICK, NOW + 60, out);
}

static void test_made_one_holds_until_its_moment(void **state)
{
    char t[TICKET_ROOM];

    (void)state;
    make(t);
    assert_memory_equal(t, "tick.1800000060.", 16);
    assert_int_equal(ticket_holds(KEY, TICKET_TICK, span_of(t), NOW), TICKET_HOLDS);
    assert_int_equal(ticket_holds(KEY, TICKET_TICK, span_of(t), NOW + 59), TICKET_HOLDS);
    assert_int_equal(ticket_holds(KEY, TICKET_TICK, span_of(t), NOW + 60), TICKET_EXPIRED);
    assert_int_equal(ticket_holds(KEY, TICKET_TICK, span_of(t), NOW + 1000), TICKET_EXPIRED);
}

static void test_two_made_alike_differ(void **state)
{
    char a[TICKET_ROOM], b[TICKET_ROOM];

    (void)state;
    make(a);
    make(b);
    assert_string_not_equal(a, b);
}

static void test_other_key_or_purpose_is_wrong(void **state)
{
    char t[TICKET_ROOM];

    (void)state;
    make(t);
    assert_int_equal(ticket_holds(SPAN_LIT("other"), TICKET_TICK, span_of(t), NOW), TICKET_WRONG);
    assert_int_equal(ticket_holds(SPAN_LIT(""), TICKET_TICK, span_of(t), NOW), TICKET_WRONG);
    assert_int_equal(ticket_holds(KEY, TICKET_ECHO, span_of(t), NOW), TICKET_WRONG);
    assert_int_equal(ticket_holds(KEY, "tic", span_of(t), NOW), TICKET_WRONG);
}

/* Every byte counts, and so does every length. */
static void test_altered_one_is_wrong(void **state)
{
    char t[TICKET_ROOM], longer[TICKET_ROOM + 1];

    (void)state;
    make(t);
    for (size_t i = 0; i < strlen(t); i++) {
        char kept = t[i];
        t[i] = kept == '0' ? '1' : '0';
        assert_int_equal(ticket_holds(KEY, TICKET_TICK, span_of(t), NOW), TICKET_WRONG);
        t[i] = kept;
        assert_int_equal(ticket_holds(KEY, TICKET_TICK, span_make(t, i), NOW), TICKET_WRONG);
        assert_int_equal(ticket_holds(KEY, TICKET_TICK, span_make(t + i, strlen(t) - i), NOW),
                         i == 0 ? TICKET_HOLDS : TICKET_WRONG);
    }
    (void)snprintf(longer, sizeof longer, "%s0", t);
    assert_int_equal(ticket_holds(KEY, TICKET_TICK, span_of(longer), NOW), TICKET_WRONG);
}

static void test_what_is_none_is_wrong(void **state)
{
    static const char *const texts[] = {"", ".", "tick", "tick.1.a.b", "....", "tick.1800000060.00."};
    char many[4096];

    (void)state;
    memset(many, '0', sizeof many);
    many[sizeof many - 65] = '.';
    assert_int_equal(ticket_holds(KEY, TICKET_TICK, SPAN_NONE, NOW), TICKET_WRONG);
    assert_int_equal(ticket_holds(KEY, TICKET_TICK, span_make(many, sizeof many), NOW),
                     TICKET_WRONG);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(ticket_holds(KEY, TICKET_TICK, span_of(texts[i]), NOW), TICKET_WRONG);
    }
}

/* It must stand in a URL as it is. */
static void test_its_bytes_need_no_escape(void **state)
{
    char t[TICKET_ROOM];

    (void)state;
    ticket_make(KEY, "abcdefghijklmnop", INT64_C(253402300799), t);
    assert_true(strlen(t) <= TICKET_MAX);
    assert_int_equal(strspn(t, "abcdefghijklmnopqrstuvwxyz0123456789."), strlen(t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made_one_holds_until_its_moment),
        cmocka_unit_test(test_two_made_alike_differ),
        cmocka_unit_test(test_other_key_or_purpose_is_wrong),
        cmocka_unit_test(test_altered_one_is_wrong),
        cmocka_unit_test(test_what_is_none_is_wrong),
        cmocka_unit_test(test_its_bytes_need_no_escape),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
