/* The spool's folder: what has room in it, in which order it is taken out, and what is moved away. */
#include "spool_files.h"

#include <signal.h>
#include <sys/resource.h>

#include "store/counters.h"

static struct spool_state look(void)
{
    struct spool_state s;
    struct ho_err err;
    assert_int_equal(spool_look(dir, &s, &err), HO_OK);
    return s;
}

static void only_our_names_count(void **state)
{
    static const struct {
        const char *text;
        enum spool_kind kind;
    } rows[] = {
        {CID "A.12.spool", SPOOL_COMPLETE},
        {CID "A.12.tmp", SPOOL_PART},
        {CID "A.9223372036854775807.spool", SPOOL_COMPLETE},
        {CID "A.9223372036854775808.spool", SPOOL_NONE},
        {CID "A.0.spool", SPOOL_NONE},
        {CID "A.012.spool", SPOOL_NONE},
        {CID "A.+1.spool", SPOOL_NONE},
        {CID "A..spool", SPOOL_NONE},
        {CID "A.12", SPOOL_NONE},
        {CID "A.12.spool.1", SPOOL_NONE},
        {CID "A.12.1.spool", SPOOL_COMPLETE},
        {CID "A.9223372036854775807.99.spool", SPOOL_COMPLETE},
        {CID "A.12.0.spool", SPOOL_NONE},
        {CID "A.12.100.spool", SPOOL_NONE},
        {CID "A.12.1.done", SPOOL_NONE},
        {CID "A.12.1.1.spool", SPOOL_NONE},
        {CID "A.12..spool", SPOOL_NONE},
        {CID "A.12.Spool", SPOOL_NONE},
        {CID ".12.spool", SPOOL_NONE},
        {CID "AA.12.spool", SPOOL_NONE},
        {CID "a.12.spool", SPOOL_NONE},
        {"8" CID ".12.spool", SPOOL_NONE},
        {"import.lock", SPOOL_NONE},
        {"quarantine", SPOOL_NONE},
        {"..", SPOOL_NONE},
        {"", SPOOL_NONE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, spool_name_of(rows[i].text).kind == rows[i].kind);
    }
}

static void no_folder_is_an_empty_one(void **state)
{
    struct spool_names l;
    struct spool_state s = look();
    struct ho_err err;
    (void)state;
    assert_int_equal(spool_list(dir, &l, &err), HO_OK);
    assert_int_equal(l.n, 0);
    assert_false(spool_any(dir));
    assert_int_equal(s.files + s.parts + s.bytes + s.quarantined, 0);
    spool_sweep(dir, 0);
}

static void they_come_out_oldest_first(void **state)
{
    struct spool s = spool();
    struct spool_names l;
    struct ho_err err;
    (void)state;
    for (const char *p = "C9AZ0B"; *p != '\0'; p++) {
        assert_int_equal(write_one(&s, *p), HO_OK);
    }
    put_file(CID "1.5.tmp", SPAN_LIT("12345"), 0600);
    put_file("readme", SPAN_LIT("x"), 0600);
    assert_int_equal(spool_list(dir, &l, &err), HO_OK);
    assert_int_equal(l.n, 6);
    for (size_t i = 0; i < l.n; i++) {
        assert_int_equal(l.all[i][ULID_LEN - 1], "09ABCZ"[i]);
    }
    spool_names_free(&l);
    struct spool_state there = look();
    assert_int_equal(there.files, 6);
    assert_int_equal(there.parts, 1);
    assert_true(there.bytes > 6 * 100 + 5);
    assert_true(there.oldest_us > INT64_C(1700000000000000) && there.oldest_us < INT64_C(1800000000000000));
}

static void a_full_spool_takes_no_more_and_keeps_what_it_has(void **state)
{
    struct spool s = spool();
    (void)state;
    s.files_max = 2;
    assert_int_equal(write_one(&s, 'A'), HO_OK);
    const uint64_t one = look().bytes;
    put_file(CID "1.5.tmp", SPAN_LIT("12345"), 0600); /* somebody is writing */
    assert_int_equal(write_one(&s, 'B'), HO_TRANSIENT);
    s.files_max = 100;
    s.bytes_max = one + 5 + one - 1;
    assert_int_equal(write_one(&s, 'B'), HO_TRANSIENT);
    s.bytes_max = one; /* less than there is: set lower later */
    assert_int_equal(write_one(&s, 'B'), HO_TRANSIENT);
    assert_int_equal(look().bytes, one + 5);
    s.bytes_max = one + 5 + one;
    assert_int_equal(write_one(&s, 'B'), HO_OK);
    assert_int_equal(look().files, 2);
}

/* The disk is full in the middle of a file: a limit of the process does the same here. */
static void what_cannot_be_written_leaves_nothing_behind(void **state)
{
    struct spool s = spool();
    struct rlimit was, small;
    struct event e = sample('A');
    static char body[4096];
    struct ho_err err;
    (void)state;
    memset(body, 'x', sizeof body);
    e.body = span_make(body, sizeof body);
    assert_int_equal(write_one(&s, '0'), HO_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    for (rlim_t most = 0; most < 4096; most += 500) {
        small = (struct rlimit){most, was.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        enum ho_code code = write_events(&s, &e, 1, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
        assert_int_equal(code, HO_TRANSIENT);
        assert_int_equal(look().files, 1);
        assert_int_equal(look().parts, 0);
    }
    (void)signal(SIGXFSZ, SIG_DFL);
    s.key = SPAN_NONE;
    assert_int_equal(write_one(&s, 'A'), HO_TRANSIENT);
    s = spool();
    s.dir = "/dev/null/spool";
    assert_int_equal(write_one(&s, 'A'), HO_TRANSIENT);
    s.dir = "/nonexistent/folder/spool";
    assert_int_equal(write_one(&s, 'A'), HO_TRANSIENT);
}

static void an_unfinished_file_is_swept_after_an_hour(void **state)
{
    const int64_t now_us = RECEIVED_US;
    static const int64_t ages_s[] = {0, 3599, 3601, -10};
    char name[SPOOL_NAME_ROOM];
    struct spool s = spool();
    (void)state;
    assert_int_equal(write_one(&s, 'Z'), HO_OK);
    for (size_t i = 0; i < COUNT(ages_s); i++) {
        const struct timespec at = {(time_t)(now_us / 1000000 - ages_s[i]), 0};
        const struct timespec both[2] = {at, at};
        spool_name_put(CID "A", 5, SPOOL_PART, name);
        put_file(name, SPAN_LIT("12345"), 0600);
        char *path = spool_path(dir, name);
        assert_int_equal(utimensat(AT_FDCWD, path, both, 0), 0);
        spool_sweep(dir, now_us);
        ROW(i, (access(path, F_OK) == 0) == (ages_s[i] <= 3600));
        free(path);
    }
    assert_int_equal(look().files, 1); /* complete ones are never swept */
}

static void what_is_done_stays_until_the_database_must_have_it(void **state)
{
    static const struct {
        int64_t age_s, uptime_s;
        enum spool_kind left; /* SPOOL_NONE: removed */
    } rows[] = {
        {0, 1000, SPOOL_DONE},   {6, 1000, SPOOL_DONE},  {7, 1000, SPOOL_NONE},
        {100, 1000, SPOOL_NONE}, {6, 7, SPOOL_COMPLETE}, {100, 90, SPOOL_COMPLETE},
        {3, 2, SPOOL_COMPLETE},  {-5, 1000, SPOOL_COMPLETE},
    };
    char name[SPOOL_NAME_ROOM];
    struct ho_err err;
    (void)state;
    assert_int_equal(mkdir(dir, 0700), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const int64_t began_us = RECEIVED_US - rows[i].age_s * 1000000;
        spool_name_put(CID "A", 5, SPOOL_COMPLETE, name);
        put_file(name, SPAN_LIT("12345"), 0600);
        assert_int_equal(spool_done(dir, name, began_us, &err), HO_OK);
        assert_int_equal(spool_done(dir, name, began_us, &err), HO_OK); /* by another importer */
        assert_int_equal(look().done, 1);
        assert_true(spool_any(dir));
        spool_name_put(CID "A", 5, SPOOL_DONE, name);
        char *path = spool_path(dir, name);
        spool_settle(dir, RECEIVED_US, 7, rows[i].uptime_s);
        struct spool_state left = look();
        ROW(i, left.done == (rows[i].left == SPOOL_DONE ? 1 : 0));
        ROW(i, left.files == (rows[i].left == SPOOL_COMPLETE ? 1 : 0));
        ROW(i, left.done + left.files > 0 || !spool_any(dir));
        (void)unlink(path);
        free(path);
        spool_name_put(CID "A", 5, SPOOL_COMPLETE, name);
        assert_int_equal(spool_remove(dir, name, &err), HO_OK);
    }
}

static void quarantine_replaces_nothing(void **state)
{
    char name[] = CID "A.3.spool", numbered[64];
    struct ho_err err;
    struct stat st;
    (void)state;
    assert_int_equal(mkdir(dir, 0700), 0);
    for (int i = 0; i < 3; i++) {
        put_file(name, span_make("abc" + i, (size_t)(3 - i)), 0600);
        assert_int_equal(spool_quarantine(dir, name, &err), HO_OK);
        assert_int_equal(look().files, 0);
        (void)snprintf(numbered, sizeof numbered, i == 0 ? SPOOL_QUARANTINE "/" CID "A.3.spool" :
                       SPOOL_QUARANTINE "/" CID "A.3.%d.spool", i);
        char *path = spool_path(dir, numbered);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_size, 3 - i);
        free(path);
    }
    assert_int_equal(look().quarantined, 3);
    assert_int_equal(spool_quarantine(dir, name, &err), HO_TRANSIENT);
}

static void one_importer_holds_the_lock(void **state)
{
    struct ho_err err;
    int first, second;
    (void)state;
    assert_int_equal(spool_lock(dir, &first, &err), HO_TRANSIENT); /* no folder */
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(spool_lock(dir, &first, &err), HO_OK);
    assert_true(first >= 0);
    assert_int_equal(spool_lock(dir, &second, &err), HO_OK);
    assert_int_equal(second, -1);
    assert_int_equal(close(first), 0);
    assert_int_equal(spool_lock(dir, &second, &err), HO_OK);
    assert_true(second >= 0);
    assert_int_equal(close(second), 0);
}

static void one_in_a_minute_looks_for_imports(void **state)
{
    struct counters *a, *b;
    (void)state;
    assert_int_equal(mkdir(dir, 0700), 0);
    a = counters_open(dir);
    b = counters_open(dir);
    assert_true(counters_turn(a, WORD_IMPORT, 100000, 60000));
    assert_false(counters_turn(b, WORD_IMPORT, 100000, 60000));
    assert_false(counters_turn(b, WORD_IMPORT, 159999, 60000));
    assert_true(counters_turn(b, WORD_IMPORT, 159999, 0)); /* a processor always may */
    assert_false(counters_turn(a, WORD_IMPORT, 160001, 60000));
    assert_true(counters_turn(a, WORD_IMPORT, 219999, 60000));
    assert_true(counters_turn(b, WORD_IMPORT, 5000, 60000)); /* the host was started anew */
    counters_close(a);
    counters_close(b);
    a = counters_open("/nonexistent/folder");
    assert_false(counters_turn(a, WORD_IMPORT, 100000, 60000)); /* each process would look */
    counters_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_our_names_count),
        cmocka_unit_test_teardown(no_folder_is_an_empty_one, empty),
        cmocka_unit_test_teardown(they_come_out_oldest_first, empty),
        cmocka_unit_test_teardown(a_full_spool_takes_no_more_and_keeps_what_it_has, empty),
        cmocka_unit_test_teardown(what_cannot_be_written_leaves_nothing_behind, empty),
        cmocka_unit_test_teardown(an_unfinished_file_is_swept_after_an_hour, empty),
        cmocka_unit_test_teardown(what_is_done_stays_until_the_database_must_have_it, empty),
        cmocka_unit_test_teardown(quarantine_replaces_nothing, empty),
        cmocka_unit_test_teardown(one_importer_holds_the_lock, empty),
        cmocka_unit_test_teardown(one_in_a_minute_looks_for_imports, empty),
    };
    return cmocka_run_group_tests(tests, make_top, remove_top);
}
