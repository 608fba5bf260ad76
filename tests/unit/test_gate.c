/* The breaker in front of the database: what opens it, for how long, one prober, impossible words. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "store/gate.h"

static char dir[] = "/tmp/hookonce-gate-XXXXXX";
static struct counters *counters;

static int begin(void **state)
{
    (void)state;
    counters = counters_open(dir);
    atomic_store(counters_word(counters, WORD_GATE), 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    counters_close(counters);
    return 0;
}

/* One try of so many ms that ends with that error of the database; 0: well. false: it was turned
 * away. */
static bool try_for(uint64_t ms, int number)
{
    struct gate gate;
    struct ho_err err = {.code = number != 0 ? HO_TRANSIENT : HO_OK, .sys = number};

    if (!gate_ask(&gate, counters, 1000)) {
        return false;
    }
    gate.began_ms -= ms;
    (void)gate_tell(&gate, err.code, &err);
    return true;
}

static bool try_with(int number)
{
    return try_for(1700, number);
}

/* As if so many ms had gone by: the time in the word is that much sooner. */
static void pass(uint64_t ms)
{
    uint64_t low = (UINT64_C(1) << 40) - 1;
    uint64_t word = atomic_load(counters_word(counters, WORD_GATE));

    atomic_store(counters_word(counters, WORD_GATE), (word & ~low) | ((word & low) - ms));
}

static void open_it(void)
{
    assert_true(try_with(2013));
    assert_true(try_with(2002));
    assert_true(gate_is_open(counters));
}

static void the_second_failure_in_a_row_opens(void **state)
{
    (void)state;
    assert_true(try_with(2013));
    assert_false(gate_is_open(counters));
    assert_true(try_with(0));
    assert_true(try_with(2013));
    assert_false(gate_is_open(counters)); /* a success between them */
    assert_true(try_with(1290));
    assert_true(gate_is_open(counters));
    assert_false(try_with(0));
}

static void trouble_of_one_row_opens_nothing(void **state)
{
    static const int numbers[] = {1213, 1205, 1020, 1146, 1062, 1054, 1142, 1406};
    (void)state;

    for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
        for (int i = 0; i < 4; i++) {
            assert_true(try_with(numbers[n]));
        }
    }
    assert_false(gate_is_open(counters));
}

static void trouble_of_the_whole_opens(void **state)
{
    static const int numbers[] = {2002, 2003, 2006, 2013, 1040, 1203, 1226, 1047, 1290, 1836, 1045, 1021, 1114};
    (void)state;

    for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
        atomic_store(counters_word(counters, WORD_GATE), 0);
        assert_true(try_with(numbers[n]));
        assert_true(try_with(numbers[n]));
        assert_true(gate_is_open(counters));
    }
}

static void an_error_that_is_not_the_databases_changes_nothing(void **state)
{
    struct ho_err err = {.code = HO_TRANSIENT, .sys = 0};
    struct gate gate;
    (void)state;

    open_it();
    pass(1000);
    assert_true(gate_ask(&gate, counters, 1000));
    assert_false(gate_tell(&gate, HO_TRANSIENT, &err));
    assert_true(gate_is_open(counters)); /* until the probe's own end */
}

static void it_is_open_for_1_then_2_then_5_seconds(void **state)
{
    static const uint64_t ms[] = {1000, 2000, 5000, 5000, 5000};
    (void)state;

    open_it();
    for (size_t i = 0; i < sizeof ms / sizeof ms[0]; i++) {
        pass(ms[i] - 300); /* 300 ms for a slow machine */
        assert_false(try_with(2013));
        pass(300);
        assert_true(try_with(2013)); /* the probe */
    }
    for (int i = 0; i < 300; i++) {
        pass(5000);
        assert_true(try_with(2013));
    }
    pass(5000);
    assert_true(try_with(0));
    assert_int_equal(atomic_load(counters_word(counters, WORD_GATE)), 0);
    assert_true(try_with(2013)); /* from the start */
    assert_false(gate_is_open(counters));
}

static void what_fails_at_once_is_tried_again_soon(void **state)
{
    (void)state;
    assert_true(try_for(0, 2002));
    assert_true(try_for(49, 2002));
    uint64_t until = atomic_load(counters_word(counters, WORD_GATE)) & ((UINT64_C(1) << 40) - 1);
    int64_t left = (int64_t)until - clock_mono_ms();
    assert_true(left > 0 && left <= 700); /* ten times 50 ms, and a slow machine's */
    pass((uint64_t)left);
    for (int i = 0; i < 9; i++) {
        assert_true(try_for(0, 2002)); /* never longer, however often */
        clock_sleep_ms(20);
    }
}

static void one_probes_and_holds_the_others_off(void **state)
{
    struct gate first, second;
    (void)state;

    open_it();
    pass(1000);
    assert_true(gate_ask(&first, counters, 2000));
    assert_true(first.probe != 0);
    assert_false(gate_ask(&second, counters, 2000));
    pass(1500);
    assert_false(gate_ask(&second, counters, 2000));
    pass(500); /* the first was killed */
    assert_true(gate_ask(&second, counters, 60000));
    pass(GATE_MOST_MS); /* whatever it said it may take */
    assert_true(gate_ask(&first, counters, 2000));
}

static void a_late_failure_does_not_make_it_longer(void **state)
{
    struct ho_err err = {.code = HO_TRANSIENT, .sys = 2013};
    struct gate late[4];
    (void)state;

    for (size_t i = 0; i < 4; i++) {
        assert_true(gate_ask(&late[i], counters, 1000));
        late[i].began_ms -= 1000;
    }
    assert_false(gate_tell(&late[0], HO_TRANSIENT, &err));
    assert_true(gate_tell(&late[1], HO_TRANSIENT, &err));
    uint64_t word = atomic_load(counters_word(counters, WORD_GATE));
    assert_false(gate_tell(&late[2], HO_TRANSIENT, &err));
    assert_int_equal(atomic_load(counters_word(counters, WORD_GATE)), word);
    assert_false(gate_tell(&late[3], HO_OK, &err)); /* but one that works closes it */
    assert_false(gate_is_open(counters));
}

static void a_word_that_is_not_possible_counts_as_closed(void **state)
{
    uint64_t now = (uint64_t)clock_mono_ms(), boot = (uint64_t)counters_boot(counters) << 48;
    const uint64_t words[] = {
        boot | UINT64_C(9) << 40 | (now + GATE_MOST_MS + 60000), /* too far ahead */
        (boot ^ UINT64_C(1) << 48) | UINT64_C(9) << 40 | (now + 4000), /* another boot's */
        UINT64_MAX,
    };
    (void)state;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        atomic_store(counters_word(counters, WORD_GATE), words[i]);
        assert_false(gate_is_open(counters));
        assert_true(try_with(2013));
        assert_false(gate_is_open(counters)); /* the first in a row */
    }
    atomic_store(counters_word(counters, WORD_GATE), boot | UINT64_C(9) << 40 | (now + 4000));
    assert_true(gate_is_open(counters));
}

static void of_many_processes_one_probes(void **state)
{
    int ways[2], probers = 0;
    char mark;
    (void)state;

    open_it();
    pass(1000);
    assert_int_equal(pipe(ways), 0);
    for (int i = 0; i < 8; i++) {
        if (fork() == 0) {
            struct counters *own = counters_open(dir);
            struct gate gate;
            mark = gate_ask(&gate, own, 4000) ? 'y' : 'n';
            _exit(write(ways[1], &mark, 1) == 1 ? 0 : 1);
        }
    }
    (void)close(ways[1]);
    while (read(ways[0], &mark, 1) == 1) {
        probers += mark == 'y';
    }
    (void)close(ways[0]);
    while (wait(NULL) > 0) {
    }
    assert_int_equal(probers, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_second_failure_in_a_row_opens, begin, end),
        cmocka_unit_test_setup_teardown(trouble_of_one_row_opens_nothing, begin, end),
        cmocka_unit_test_setup_teardown(trouble_of_the_whole_opens, begin, end),
        cmocka_unit_test_setup_teardown(an_error_that_is_not_the_databases_changes_nothing, begin, end),
        cmocka_unit_test_setup_teardown(it_is_open_for_1_then_2_then_5_seconds, begin, end),
        cmocka_unit_test_setup_teardown(what_fails_at_once_is_tried_again_soon, begin, end),
        cmocka_unit_test_setup_teardown(one_probes_and_holds_the_others_off, begin, end),
        cmocka_unit_test_setup_teardown(a_late_failure_does_not_make_it_longer, begin, end),
        cmocka_unit_test_setup_teardown(a_word_that_is_not_possible_counts_as_closed, begin, end),
        cmocka_unit_test_setup_teardown(of_many_processes_one_probes, begin, end),
    };

    if (mkdtemp(dir) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char file[80];
    (void)snprintf(file, sizeof file, "%s/hookonce.state", dir);
    (void)unlink(file);
    (void)rmdir(dir);
    return failed;
}
