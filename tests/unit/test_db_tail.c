/* Following what happens through a crowd: everything is told once, however much comes between two
 * looks, and what was told is not told again when so much came that the oldest of it is forgotten. */
#include "workdb.h"

#include "store/tail.h"

#define CROWD 2500   /* more than one look reads */
#define MEMORY 32768 /* so much is remembered, as told in tail.c */

static struct db *db;
static struct ho_err err;

static void count(void *arg, const struct span *cells)
{
    uint64_t *n = arg;

    assert_true(span_is(cells[TAIL_WHAT], "command") || span_is(cells[TAIL_WHAT], "received"));
    *n += 1;
}

/* Looks until there is no more -> how often it did; *told: of how many things. */
static unsigned look(struct tail *t, uint64_t *told)
{
    unsigned looks = 0;
    bool more = true;

    *told = 0;
    for (; more && looks < 20; looks++) {
        if (tail_look(t, db, count, told, &more, &err) != HO_OK) {
            fail_msg("look: %s", err.text);
        }
    }
    assert_false(more);
    return looks;
}

static void add_crowd(void)
{
    testdb_run(base.outside,
               "INSERT INTO hookonce_command (command) SELECT 'prune' FROM fifty AS a, fifty AS b");
}

static void a_crowd_is_told_once(void **state)
{
    struct tail *t = tail_new();
    uint64_t told;
    (void)state;

    add_crowd();
    assert_int_equal(look(t, &told), 1);
    assert_int_equal(told, 0); /* it only marks the place */
    for (unsigned n = 0; n < MEMORY + 4 * CROWD; n += CROWD) {
        add_crowd();
        assert_int_equal(look(t, &told), 2);
        assert_int_equal(told, CROWD);
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(look(t, &told), 1);
        assert_int_equal(told, 0);
    }
    tail_free(t);
}

/* A look that fails has told nothing, and the next one tells it. */
static void what_a_failed_look_did_not_tell_the_next_one_does(void **state)
{
    struct tail *t = tail_new();
    uint64_t told = 0;
    bool more;
    (void)state;

    (void)look(t, &told);
    work_events(1, "order.paid");
    testdb_run(base.outside, "ALTER TABLE hookonce_conflict RENAME COLUMN kind TO other");
    enum ho_code code = tail_look(t, db, count, &told, &more, &err);
    testdb_run(base.outside, "ALTER TABLE hookonce_conflict RENAME COLUMN other TO kind");
    assert_int_not_equal(code, HO_OK);
    assert_int_equal(told, 0);
    (void)look(t, &told);
    assert_int_equal(told, 1);
    tail_free(t);
}

static int begin(void **state)
{
    (void)state;
    (void)work_begin("tail");
    db = db_open(&base.settings, DB_OPERATOR);
    testdb_run(base.outside, "CREATE TABLE fifty (x INT)");
    testdb_run(base.outside, "INSERT INTO fifty VALUES (0), (0), (0), (0), (0)");
    testdb_run(base.outside, "INSERT INTO fifty SELECT a.x FROM fifty AS a, fifty AS b");
    testdb_run(base.outside, "INSERT INTO fifty SELECT x FROM fifty LIMIT 20");
    return 0;
}

static int end(void **state)
{
    (void)state;
    db_close(db);
    return work_end();
}

static int empty(void **state)
{
    (void)state;
    work_empty();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_crowd_is_told_once, empty),
        cmocka_unit_test_setup(what_a_failed_look_did_not_tell_the_next_one_does, empty),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
