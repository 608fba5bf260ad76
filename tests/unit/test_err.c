/* The error record: what is kept, what is cut, and how the program dies. */
#include "unit.h"

#include <errno.h>

#include "base/err.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN
#endif

#define A100 \
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" \
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define A400 A100 A100 A100 A100
#define A479 A400 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void fail_records_code_and_text(void **state)
{
    struct ho_err err = {HO_OK, 99, "old"};
    (void)state;
    assert_int_equal(ho_fail(&err, HO_TRANSIENT, "no %s after %d", "answer", 7), HO_TRANSIENT);
    assert_int_equal(err.code, HO_TRANSIENT);
    assert_int_equal(err.sys, 0);
    assert_string_equal(err.text, "no answer after 7");
    assert_int_equal(ho_fail(NULL, HO_PERMANENT, "x"), HO_PERMANENT);
    ho_err_clear(&err);
    assert_int_equal(err.code, HO_OK);
    assert_string_equal(err.text, "");
    ho_err_clear(NULL);
}

static void fail_errno_keeps_the_number_and_errno(void **state)
{
    struct ho_err err;
    (void)state;
    errno = ENOENT;
    assert_int_equal(ho_fail_errno(&err, HO_REJECT, "%s", "a.conf"), HO_REJECT);
    assert_int_equal(err.sys, ENOENT);
    assert_int_equal(errno, ENOENT);
    assert_string_equal(err.text, "a.conf: No such file or directory");
    errno = EACCES;
    assert_int_equal(ho_fail_errno(NULL, HO_PERMANENT, "x"), HO_PERMANENT);
    assert_int_equal(errno, EACCES);
}

static void long_texts_end_in_dots(void **state)
{
    struct ho_err err;
    (void)state;
    assert_int_equal(sizeof err.text, 480);
    (void)ho_fail(&err, HO_REJECT, "%s", A479);
    assert_string_equal(err.text, A479); /* fits exactly */
    (void)ho_fail(&err, HO_REJECT, "%sb", A479);
    assert_int_equal(strlen(err.text), 479);
    assert_string_equal(err.text + 470, "aaaaaa...");
    errno = ENOENT;
    (void)ho_fail_errno(&err, HO_REJECT, "%s", A479);
    assert_int_equal(strlen(err.text), 479);
    assert_string_equal(err.text + 474, "aa...");
    assert_int_equal(err.sys, ENOENT);
}

static void a_cut_never_halves_a_character(void **state)
{
    struct ho_err err;
    char text[600];
    (void)state;
    for (size_t shift = 0; shift < 4; shift++) {
        memset(text, 'a', sizeof text);
        for (size_t i = shift; i + 4 < sizeof text; i += 4) {
            memcpy(text + i, "\xF0\x9F\x98\x80", 4);
        }
        text[sizeof text - 1] = '\0';
        (void)ho_fail(&err, HO_REJECT, "%s", text);
        size_t len = strlen(err.text);
        ROW(shift, len >= 476 && len <= 479);
        assert_string_equal(err.text + len - 3, "...");
        ROW(shift, (len - 3 - shift) % 4 == 0);
    }
}

static void prefix_adds_context_in_front(void **state)
{
    struct ho_err err;
    (void)state;
    (void)ho_fail(&err, HO_PERMANENT, "no table");
    err.sys = 1146;
    ho_err_prefix(&err, "job %d", 5);
    assert_string_equal(err.text, "job 5: no table");
    assert_int_equal(err.code, HO_PERMANENT);
    assert_int_equal(err.sys, 1146);
    ho_err_prefix(&err, "%s", A479);
    assert_int_equal(strlen(err.text), 479);
    assert_string_equal(err.text + 474, "aa...");
    ho_err_prefix(NULL, "x");
}

static void die(void)
{
    ho_die("no %s", "memory");
}

static void use_up_memory(void)
{
    free(ho_alloc(SIZE_MAX / 4));
}

static void report_a_bug(void)
{
    (void)ho_fail(NULL, HO_BUG, "two %s", "owners");
}

static void dying_says_why_and_exits_71(void **state)
{
    char said[256];
    (void)state;
    assert_int_equal(end_of(die, said, sizeof said), 71);
    assert_string_equal(said, "hookonce: no memory\n");
#ifndef UNDER_ASAN /* which ends the process itself, with a report */
    assert_int_equal(end_of(use_up_memory, said, sizeof said), 71);
    assert_non_null(strstr(said, "out of memory"));
#else
    (void)use_up_memory;
#endif
}

static void a_bug_aborts_where_that_is_asked_for(void **state)
{
    (void)state;
#ifdef HO_ABORT_ON_BUG
    char said[256];
    assert_int_equal(end_of(report_a_bug, said, sizeof said), -SIGABRT);
    assert_string_equal(said, "hookonce: bug: two owners\n");
#else
    assert_int_equal(end_of(report_a_bug, NULL, 0), 0);
#endif
}

static void memory_is_never_null(void **state)
{
    (void)state;
    char *p = ho_alloc(0);
    assert_non_null(p);
    p = ho_realloc(p, 0);
    assert_non_null(p);
    p = ho_realloc(p, 3);
    memcpy(p, "ab", 3);
    char *copy = ho_strdup(p);
    assert_string_equal(copy, "ab");
    assert_ptr_not_equal(copy, p);
    free(copy);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fail_records_code_and_text),
        cmocka_unit_test(fail_errno_keeps_the_number_and_errno),
        cmocka_unit_test(long_texts_end_in_dots),
        cmocka_unit_test(a_cut_never_halves_a_character),
        cmocka_unit_test(prefix_adds_context_in_front),
        cmocka_unit_test(dying_says_why_and_exits_71),
        cmocka_unit_test(a_bug_aborts_where_that_is_asked_for),
        cmocka_unit_test(memory_is_never_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
