/* The state file: counting by many processes, kills, unfit and vanishing files. */
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"

/* The file under test, with what a test can't have: another machine's disk, one that is full. */
static const char *remote;
static int full;

static const char *fake_remote(int fd)
{
    return fd >= 0 ? remote : NULL;
}

static int fake_fallocate(int fd, off_t offset, off_t len)
{
    return full != 0 ? full : posix_fallocate(fd, offset, len);
}

#define file_remote fake_remote
#define posix_fallocate fake_fallocate
#include "store/counters_file.c"
#undef posix_fallocate
#undef file_remote

static char dir[] = "/tmp/hookonce-state-XXXXXX";
static char file[64];

static uint64_t total; /* of visited sources' COUNT_NEW */
static size_t visited;
static char names[1024];

static void visit(void *arg, struct span source, const uint64_t values[COUNT_N])
{
    (void)arg;
    total += values[COUNT_NEW];
    visited++;
    size_t len = strlen(names);
    (void)snprintf(names + len, sizeof names - len, "%.*s ", (int)source.len,
                   (const char *)source.p);
}

static void each(struct counters *c)
{
    total = 0;
    visited = 0;
    names[0] = '\0';
    counters_each(c, visit, NULL);
}

static void counts_stay_in_the_file(void **state)
{
    struct counters *c = counters_open(dir);
    struct stat st;
    (void)state;

    assert_int_equal(counters_get(c, SPAN_LIT("a"), COUNT_NEW), 0);
    counters_add(c, SPAN_LIT("a"), COUNT_NEW);
    counters_add(c, SPAN_LIT("a"), COUNT_NEW);
    counters_add(c, SPAN_LIT("b"), COUNT_BUSY);
    counters_close(c);
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_true((int64_t)st.st_blocks * 512 >= (int64_t)st.st_size); /* no holes: no SIGBUS */
    c = counters_open(dir);
    assert_int_equal(counters_get(c, SPAN_LIT("a"), COUNT_NEW), 2);
    assert_int_equal(counters_get(c, SPAN_LIT("a"), COUNT_BUSY), 0);
    assert_int_equal(counters_get(c, SPAN_LIT("b"), COUNT_BUSY), 1);
    each(c);
    assert_int_equal(visited, 2);
    assert_true(strcmp(names, "a b ") == 0 || strcmp(names, "b a ") == 0);
    counters_close(c);
}

/* Each bucket holds what is at most its edge, as monitoring wants it. */
static void times_of_answers_fall_into_their_buckets(void **state)
{
    static const struct {
        int64_t took_us;
        size_t bucket;
    } cases[] = {{-5, 0},       {0, 0},        {1000, 0},           {1001, 1},
                 {2500, 1},     {2501, 2},     {10000000, COUNTERS_ACKS - 2},
                 {10000001, COUNTERS_ACKS - 1}, {INT64_C(1) << 40, COUNTERS_ACKS - 1}};
    struct counters *c = counters_open(dir);
    struct counter_acks acks, before;
    (void)state;

    uint64_t born = counters_born(c);
    assert_true(born > 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        counters_acks(c, &before);
        counters_ack(c, cases[i].took_us, 77 + (int64_t)i);
        counters_acks(c, &acks);
        assert_int_equal(acks.n[cases[i].bucket], before.n[cases[i].bucket] + 1);
        assert_int_equal(acks.sum_us - before.sum_us, cases[i].took_us > 0 ? cases[i].took_us : 0);
        assert_int_equal(acks.last_us, 77 + i);
    }
    counters_close(c);
    c = counters_open(dir);
    assert_int_equal(counters_born(c), born);
    counters_acks(c, &acks);
    uint64_t n = 0;
    for (size_t i = 0; i < COUNTERS_ACKS; i++) {
        n += acks.n[i];
        assert_true(i == 0 || counter_ack_edges_us[i] > counter_ack_edges_us[i - 1]);
    }
    assert_int_equal(n, sizeof cases / sizeof cases[0]);
    counters_close(c);
}

static void many_processes_lose_nothing(void **state)
{
    pid_t children[8];
    (void)state;

    for (size_t i = 0; i < 8; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            struct counters *c = counters_open(dir);
            for (int n = 0; n < 5000; n++) {
                char name[16];
                (void)snprintf(name, sizeof name, "s%d", n % 10);
                counters_add(c, span_of(name), COUNT_NEW);
            }
            _exit(0);
        }
    }
    for (size_t i = 0; i < 8; i++) {
        int status = 1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    struct counters *c = counters_open(dir);
    each(c);
    assert_int_equal(visited, 10);
    assert_int_equal(total, 40000);
    assert_int_equal(counters_get(c, SPAN_LIT("s3"), COUNT_NEW), 4000);
    counters_close(c);
}

/* What was killed while it made a file leaves a part of it. */
static void remove_parts(void)
{
    char pattern[80];
    glob_t found;

    (void)snprintf(pattern, sizeof pattern, "%s.??????", file);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            (void)unlink(found.gl_pathv[i]);
        }
        globfree(&found);
    }
}

static void kills_leave_a_usable_file(void **state)
{
    (void)state;

    for (int round = 0; round < 20; round++) {
        pid_t child = fork();
        if (child == 0) {
            struct counters *c = counters_open(dir);
            for (unsigned n = 0;; n++) {
                char name[16];
                (void)snprintf(name, sizeof name, "k%u", n % 200);
                counters_add(c, span_of(name), COUNT_NEW);
            }
        }
        clock_sleep_ms(3);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        if (round % 5 == 4) {
            (void)unlink(file);
        }
    }
    struct counters *c = counters_open(dir);
    counters_add(c, SPAN_LIT("k7"), COUNT_DUPLICATE);
    assert_int_equal(counters_get(c, SPAN_LIT("k7"), COUNT_DUPLICATE), 1);
    counters_close(c);
    remove_parts();
}

static void more_sources_than_slots(void **state)
{
    struct counters *c = counters_open(dir);
    char name[80];
    (void)state;

    for (int i = 0; i < COUNTERS_SOURCES + 44; i++) {
        (void)snprintf(name, sizeof name, "source-%d", i);
        counters_add(c, span_of(name), COUNT_NEW);
        counters_add(c, span_of(name), COUNT_NEW);
    }
    each(c);
    assert_int_equal(visited, COUNTERS_SOURCES + 1);
    assert_int_equal(total, 2 * (COUNTERS_SOURCES + 44));
    assert_int_equal(counters_get(c, SPAN_LIT("*"), COUNT_NEW), 88);
    memset(name, 'x', sizeof name);
    counters_add(c, span_make(name, 64), COUNT_NEW); /* no room and no harm */
    counters_add(c, span_make(name, 80), COUNT_NEW);
    assert_int_equal(counters_get(c, SPAN_LIT("*"), COUNT_NEW), 90);
    counters_close(c);
}

static void long_names_are_whole(void **state)
{
    struct counters *c = counters_open(dir);
    char name[64];
    (void)state;

    memset(name, 'n', sizeof name);
    counters_add(c, span_make(name, 64), COUNT_NEW);
    counters_add(c, span_make(name, 63), COUNT_NEW);
    each(c);
    assert_int_equal(visited, 2);
    assert_int_equal(strlen(names), 64 + 63 + 2);
    counters_close(c);
}

static void put_file(const char *content, off_t size)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, strlen(content)), strlen(content));
    if (size > 0) {
        assert_int_equal(ftruncate(fd, size), 0);
    }
    (void)close(fd);
}

static void unfit_files_are_made_anew(void **state)
{
    struct counters *c = counters_open(dir);
    struct stat st;
    (void)state;

    counters_close(c);
    assert_int_equal(stat(file, &st), 0);
    const struct {
        const char *content;
        off_t size;
    } rows[] = {{"", 0}, {"foreign", 0}, {"", 1}, {"foreign", st.st_size}, {"", st.st_size * 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        put_file(rows[i].content, rows[i].size);
        c = counters_open(dir);
        counters_add(c, SPAN_LIT("a"), COUNT_NEW);
        counters_close(c);
        c = counters_open(dir);
        assert_int_equal(counters_get(c, SPAN_LIT("a"), COUNT_NEW), 1);
        counters_close(c);
    }
}

/* A page without room on the disk is a SIGBUS once the disk is full. */
static void holes_of_a_restored_file_are_filled(void **state)
{
    struct counters *c = counters_open(dir);
    struct stat whole, st;
    (void)state;

    counters_close(c);
    assert_int_equal(stat(file, &whole), 0);
    assert_int_equal(truncate(file, sizeof(uint64_t)), 0);
    assert_int_equal(truncate(file, whole.st_size), 0);
    assert_int_equal(stat(file, &st), 0);
    assert_true(st.st_blocks * 512 < whole.st_size);
    c = counters_open(dir);
    assert_int_equal(stat(file, &st), 0);
    assert_true(st.st_blocks * 512 >= whole.st_size);
    counters_close(c);
}

static void file_changed_under_us(void **state)
{
    struct counters *c = counters_open(dir);
    (void)state;

    counters_add(c, SPAN_LIT("a"), COUNT_NEW);
    assert_int_equal(truncate(file, 0), 0);
    counters_add(c, SPAN_LIT("a"), COUNT_NEW); /* would be a SIGBUS */
    assert_int_equal(counters_get(c, SPAN_LIT("a"), COUNT_NEW), 1);
    assert_int_equal(unlink(file), 0);
    counters_add(c, SPAN_LIT("a"), COUNT_NEW);
    counters_close(c);
    c = counters_open(dir);
    assert_int_equal(counters_get(c, SPAN_LIT("a"), COUNT_NEW), 1);
    /* a program of another version put its own there */
    assert_int_equal(unlink(file), 0);
    put_file("another version", 0);
    counters_add(c, SPAN_LIT("a"), COUNT_NEW);
    counters_close(c);
    int fd = open(file, O_RDONLY);
    char content[32] = "";
    assert_int_equal(read(fd, content, sizeof content), 15);
    (void)close(fd);
    assert_memory_equal(content, "another version", 15);
}

static void no_folder_counts_in_memory(void **state)
{
    struct counters *c = counters_open("/nonexistent/folder");
    (void)state;

    counters_add(c, SPAN_LIT("a"), COUNT_NEW);
    assert_int_equal(counters_get(c, SPAN_LIT("a"), COUNT_NEW), 1);
    assert_true(counters_alarm(c, ALARM_CONFIG, 1));
    counters_close(c);
}

/* Cut short behind our look at it: the touch finds memory, and the next look makes a new file. */
static void a_page_that_is_gone_is_memory(void **state)
{
    struct counters *c = counters_open(dir);
    _Atomic uint64_t *word = counters_word(c, WORD_IMPORT);
    (void)state;

    atomic_store(word, 7);
    assert_int_equal(truncate(file, 0), 0);
    assert_int_equal(atomic_load(word), 0);
    atomic_store(word, 8);
    assert_int_equal(atomic_load(word), 8);
    counters_add(c, SPAN_LIT("a"), COUNT_NEW);
    assert_true(counters_shared(c));
    assert_int_equal(atomic_load(counters_word(c, WORD_IMPORT)), 0);
    counters_close(c);
    c = counters_open(dir);
    assert_int_equal(counters_get(c, SPAN_LIT("a"), COUNT_NEW), 1);
    counters_close(c);
}

static void a_page_of_others_ends_the_process(void **state)
{
    struct counters *c = counters_open(dir);
    int status = 0;
    (void)state;

    pid_t child = fork();
    if (child == 0) {
        int fd = open(file, O_RDWR);
        (void)signal(SIGALRM, SIG_DFL);
        (void)alarm(10);
        char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (ftruncate(fd, 0) != 0) {
            _exit(1);
        }
        *(volatile char *)p = 1;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
#if !defined(__SANITIZE_ADDRESS__)
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
#endif
    counters_close(c);
}

static void another_machines_disk_and_a_full_one_mean_memory(void **state)
{
    struct counters *c;
    (void)state;

    full = ENOSPC;
    c = counters_open(dir);
    full = 0;
    counters_add(c, SPAN_LIT("a"), COUNT_NEW);
    assert_int_equal(counters_get(c, SPAN_LIT("a"), COUNT_NEW), 1);
    assert_false(counters_shared(c));
    assert_int_equal(access(file, F_OK), -1);
    counters_close(c);
    remote = "NFS";
    for (int i = 0; i < 2; i++) {
        c = counters_open(dir);
        counters_add(c, SPAN_LIT("a"), COUNT_NEW);
        assert_int_equal(counters_get(c, SPAN_LIT("a"), COUNT_NEW), 1);
        assert_false(counters_shared(c));
        counters_close(c);
    }
    remote = NULL;
    c = counters_open(dir);
    assert_true(counters_shared(c));
    assert_int_equal(counters_get(c, SPAN_LIT("a"), COUNT_NEW), 0);
    counters_close(c);
}

static void alarms_once_a_minute(void **state)
{
    struct counters *c = counters_open(dir);
    struct counters *other = counters_open(dir);
    const int64_t minute = 60 * INT64_C(1000000), now = 1000 * minute;
    int64_t last = -1;
    (void)state;

    assert_int_equal(counters_alarm_count(c, ALARM_DEAD, &last), 0);
    assert_true(counters_alarm(c, ALARM_DEAD, now));
    assert_false(counters_alarm(other, ALARM_DEAD, now + 1));
    assert_false(counters_alarm(c, ALARM_DEAD, now + minute - 1));
    assert_true(counters_alarm(c, ALARM_FORGED, now + 2)); /* another kind */
    assert_true(counters_alarm(other, ALARM_DEAD, now + minute));
    assert_int_equal(counters_alarm_count(c, ALARM_DEAD, &last), 4);
    assert_int_equal(last, now + minute);
    assert_true(counters_alarm(c, ALARM_DEAD, now - minute)); /* the clock was set back */
    counters_alarm_clear(c, ALARM_DEAD);
    assert_int_equal(counters_alarm_count(other, ALARM_DEAD, &last), 0);
    assert_int_equal(counters_alarm_count(other, ALARM_FORGED, NULL), 1);
    counters_close(c);
    counters_close(other);
}

static void signatures_that_did_not_hold_less_those_that_did(void **state)
{
    struct counters *c = counters_open(dir);
    (void)state;

    counters_signature(c, SPAN_LIT("a"), true);
    assert_int_equal(counters_mismatches(c, SPAN_LIT("a")), 0);
    for (int i = 0; i < 3; i++) {
        counters_signature(c, SPAN_LIT("a"), false);
    }
    counters_signature(c, SPAN_LIT("a"), true);
    counters_close(c);
    c = counters_open(dir);
    assert_int_equal(counters_mismatches(c, SPAN_LIT("a")), 2);
    assert_int_equal(counters_mismatches(c, SPAN_LIT("b")), 0);
    for (int i = 0; i < 100; i++) {
        counters_signature(c, SPAN_LIT("a"), false);
    }
    assert_int_equal(counters_mismatches(c, SPAN_LIT("a")), COUNTERS_MISMATCHES_MAX);
    each(c);
    assert_int_equal(total, 0); /* it is no count */
    counters_close(c);
}

static void refusals_are_told_by_row_by_share_and_by_day(void **state)
{
    struct counters *c = counters_open(dir);
    const struct span shop = SPAN_LIT("shop");
    struct refusals r;

    (void)state;
    counters_refusals(c, shop, &r);
    assert_true(r.last == 0 && r.at_us == 0 && r.hours == 0 && r.lost == 0);
    for (int i = 0; i < 40; i++) {
        counters_refused(c, shop, 7, i == 0);
    }
    counters_add(c, shop, COUNT_BUSY);
    counters_refusals(c, shop, &r);
    assert_true(r.last == 16 && r.last_refused == 16 && r.in_a_row == 16 && r.why == 7);
    assert_true(r.hours == 40 && r.unusable == 1 && r.lost == 1);
    for (int i = 0; i < 10; i++) {
        counters_add(c, shop, COUNT_NEW);
    }
    counters_refusals(c, shop, &r);
    assert_true(r.last == 16 && r.last_refused == 6 && r.in_a_row == 0);
    assert_true(r.hours == 40 && r.unusable == 1 && r.lost == 1); /* not ended by a good one */
    counters_close(c);
}

static void one_accepted_delivery_ends_a_row_of_refusals(void **state)
{
    struct counters *c = counters_open(dir);
    const struct span shop = SPAN_LIT("shop");

    (void)state;
    counters_add(c, shop, COUNT_NEW);
    assert_int_equal(counters_refused_since(c, shop, REFUSED_BUSY), 0);
    counters_add(c, shop, COUNT_BUSY);
    int64_t since = counters_refused_since(c, shop, REFUSED_BUSY);
    assert_true(since > 0 && since <= clock_wall_us());
    counters_add(c, shop, COUNT_BUSY);
    assert_true(counters_refused_since(c, shop, REFUSED_BUSY) == since);
    assert_int_equal(counters_refused_since(c, shop, REFUSED_UNSIGNED), 0);
    counters_add(c, shop, COUNT_UNSIGNED);
    counters_add(c, shop, COUNT_REJECTED);
    assert_true(counters_refused_since(c, shop, REFUSED_UNSIGNED) >= since);
    counters_add(c, shop, COUNT_SPOOLED);
    assert_int_equal(counters_refused_since(c, shop, REFUSED_BUSY), 0);
    assert_int_equal(counters_refused_since(c, shop, REFUSED_UNSIGNED), 0);
    counters_close(c);
}

static void nobody_at_work_is_seen_after_a_while(void **state)
{
    struct counters *c = counters_open(dir);

    (void)state;
    assert_false(counters_idle(c, 1000000, 900000)); /* who asks first sees none for no time */
    assert_false(counters_idle(c, 1899999, 900000));
    assert_true(counters_idle(c, 1900000, 900000));
    counters_processed(c, 1900000);
    assert_false(counters_idle(c, 1900001, 900000));
    assert_false(counters_idle(c, 5000, 900000)); /* the host was started anew */
    assert_true(counters_idle(c, 905000, 900000));
    counters_close(c);
}

static void starts_of_runs_tell_how_often_they_are(void **state)
{
    static const struct {
        int64_t at_ms, every_ms;
    } rows[] = {{60000, -1}, {120000, -1}, {180000, -1}, {240000, 60000}, {1140000, 340000}};
    struct counters *c = counters_open(dir);
    int64_t every_ms;

    (void)state;
    counters_runs(c, 1000, &every_ms);
    assert_int_equal(every_ms, -1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        counters_started(c, rows[i].at_ms);
        counters_runs(c, rows[i].at_ms, &every_ms);
        assert_int_equal(every_ms, rows[i].every_ms);
    }
    counters_runs(c, 5000, &every_ms); /* the host was started anew */
    assert_int_equal(every_ms, -1);
    counters_started(c, 5000);
    counters_runs(c, 5000, &every_ms);
    assert_int_equal(every_ms, -1);
    counters_close(c);
}

static void every_number_has_a_word(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_N; i++) {
        assert_non_null(counter_words[i]);
    }
    for (size_t i = 0; i < ALARM_N; i++) {
        assert_non_null(alarm_words[i]);
    }
}

static int begin(void **state)
{
    (void)state;
    (void)snprintf(file, sizeof file, "%s/hookonce.state", mkdtemp(dir));
    return 0;
}

static int fresh(void **state)
{
    (void)state;
    (void)unlink(file);
    return 0;
}

static int end(void **state)
{
    (void)unlink(file);
    (void)state;
    return rmdir(dir); /* fails when a part file was left behind */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(counts_stay_in_the_file, fresh),
        cmocka_unit_test_setup(times_of_answers_fall_into_their_buckets, fresh),
        cmocka_unit_test_setup(many_processes_lose_nothing, fresh),
        cmocka_unit_test_setup(more_sources_than_slots, fresh),
        cmocka_unit_test_setup(long_names_are_whole, fresh),
        cmocka_unit_test_setup(unfit_files_are_made_anew, fresh),
        cmocka_unit_test_setup(holes_of_a_restored_file_are_filled, fresh),
        cmocka_unit_test_setup(file_changed_under_us, fresh),
        cmocka_unit_test_setup(no_folder_counts_in_memory, fresh),
        cmocka_unit_test_setup(a_page_that_is_gone_is_memory, fresh),
        cmocka_unit_test_setup(a_page_of_others_ends_the_process, fresh),
        cmocka_unit_test_setup(another_machines_disk_and_a_full_one_mean_memory, fresh),
        cmocka_unit_test_setup(alarms_once_a_minute, fresh),
        cmocka_unit_test_setup(signatures_that_did_not_hold_less_those_that_did, fresh),
        cmocka_unit_test_setup(one_accepted_delivery_ends_a_row_of_refusals, fresh),
        cmocka_unit_test_setup(refusals_are_told_by_row_by_share_and_by_day, fresh),
        cmocka_unit_test_setup(nobody_at_work_is_seen_after_a_while, fresh),
        cmocka_unit_test_setup(starts_of_runs_tell_how_often_they_are, fresh),
        cmocka_unit_test_setup(every_number_has_a_word, fresh),
        cmocka_unit_test_setup(kills_leave_a_usable_file, fresh),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
