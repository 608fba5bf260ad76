/* Alerts in the tables: what one host sees and another does not, growth, ends, claims. */
#include "workdb.h"

#include "store/alert.h"

static void keep(const char *host, const struct alert_look *look)
{
    struct ho_err err;

    if (alert_keep(base.outside, host, look, &err) != HO_OK) {
        fail_msg("%s", err.text);
    }
}

/* A look of that host that sees n of a thing; 0: that it is not there. */
static void see(const char *host, enum alert_kind kind, const char *subject, uint64_t n)
{
    struct alert_look look = {.n = 0};

    alert_looked(&look, kind);
    if (n > 0) {
        alert_add(&look, kind, span_of(subject), n, NULL, "%llu", (unsigned long long)n);
    }
    keep(host, &look);
    alert_look_free(&look);
}

static struct alert_due_list due(uint64_t kinds)
{
    struct alert_due_list list;
    struct ho_err err;

    assert_int_equal(alert_due(base.outside, "mail", kinds, 3600000, &list, &err), HO_OK);
    return list;
}

static void told(const struct alert_due_list *list)
{
    unsigned char token[ALERT_TOKEN_LEN];
    struct ho_err err;
    bool got;

    assert_int_equal(alert_claim(base.outside, "mail", 60000, &got, token, &err), HO_OK);
    assert_true(got);
    assert_int_equal(alert_told(base.outside, "mail", token, list, &err), HO_OK);
}

static int empty(void **state)
{
    (void)state;
    testdb_run(base.outside, "DELETE FROM hookonce_alert");
    testdb_run(base.outside, "DELETE FROM hookonce_telling");
    return 0;
}

static void each_host_ends_its_own_and_all_end_the_databases(void **state)
{
    (void)state;
    see("a", ALERT_SPOOL, "", 3);
    see("b", ALERT_SPOOL, "", 0);
    ASSERT_COUNT("hookonce_alert WHERE state = 'firing' AND host = 'a'", 1);
    see("a", ALERT_DEAD, "paid", 2);
    ASSERT_COUNT("hookonce_alert WHERE state = 'firing' AND kind = 'dead-letters' AND host = ''", 1);
    see("b", ALERT_BREAKER, "h", 0); /* another kind says nothing of it */
    ASSERT_COUNT("hookonce_alert WHERE state = 'firing'", 2);
    see("b", ALERT_DEAD, "ship", 1);
    ASSERT_COUNT("hookonce_alert WHERE state = 'over' AND subject = 'paid' AND over_at IS NOT NULL", 1);
    see("a", ALERT_SPOOL, "", 0);
    ASSERT_COUNT("hookonce_alert WHERE state = 'firing'", 1);
}

static void what_begins_again_is_counted_and_begins_anew(void **state)
{
    (void)state;
    see("a", ALERT_DEAD, "paid", 9);
    see("a", ALERT_DEAD, "paid", 4);
    ASSERT_VALUE("SELECT CONCAT(n, ' ', peak, ' ', times) FROM hookonce_alert", "4 9 1");
    see("a", ALERT_DEAD, "paid", 0);
    testdb_run(base.outside, "UPDATE hookonce_alert SET began_at = '2020-01-01', grew_at = '2020-01-01'");
    see("a", ALERT_DEAD, "paid", 2);
    ASSERT_VALUE("SELECT CONCAT(n, ' ', peak, ' ', times, ' ', over_at IS NULL) FROM hookonce_alert",
                 "2 2 2 1");
    ASSERT_COUNT("hookonce_alert WHERE began_at > '2021-01-01' AND grew_at > '2021-01-01'", 1);
}

static void growth_is_more_or_newer_and_nothing_else(void **state)
{
    static const struct {
        uint64_t n;
        const char *newest;
        bool grew;
    } rows[] = {{3, NULL, false},        {2, NULL, false}, {3, NULL, true},
                {3, "2020-01-01", false}, {3, "2099-01-01", true}};
    (void)state;
    see("a", ALERT_DEAD, "paid", 3);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct alert_look look = {.n = 0};
        testdb_run(base.outside, "UPDATE hookonce_alert SET grew_at = '2020-01-01'");
        alert_add(&look, ALERT_DEAD, SPAN_LIT("paid"), rows[i].n, rows[i].newest, "x");
        keep("a", &look);
        alert_look_free(&look);
        ASSERT_COUNT("hookonce_alert WHERE grew_at > '2020-01-01'", rows[i].grew ? 1 : 0);
    }
}

static void hosts_that_are_gone_end_and_old_rows_go(void **state)
{
    (void)state;
    see("gone", ALERT_DISK, "state", 1);
    testdb_run(base.outside, "UPDATE hookonce_alert SET seen_at = seen_at - INTERVAL 25 HOUR");
    see("a", ALERT_DEAD, "", 0);
    ASSERT_COUNT("hookonce_alert WHERE state = 'over'", 1);
    testdb_run(base.outside, "UPDATE hookonce_alert SET over_at = over_at - INTERVAL 36 DAY");
    see("a", ALERT_DEAD, "", 0);
    ASSERT_COUNT("hookonce_alert", 0);
}

static void is_told_once_a_window_when_it_grew_daily_when_not_and_at_its_end(void **state)
{
    (void)state;
    assert_int_equal(due(UINT64_MAX).n, 0);
    see("a", ALERT_DEAD, "paid", 3);
    assert_int_equal(due(UINT64_C(1) << ALERT_BREAKER).n, 0);
    struct alert_due_list list = due(UINT64_MAX);
    assert_int_equal(list.n, 1);
    assert_true(list.all[0].kind == ALERT_DEAD && !list.all[0].over && list.all[0].n == 3 &&
                list.all[0].more == 3 && list.all[0].told_at[0] == '\0');
    told(&list);
    see("a", ALERT_DEAD, "paid", 5);
    assert_int_equal(due(UINT64_MAX).n, 0); /* within the window */
    testdb_run(base.outside, "UPDATE hookonce_telling SET told_at = told_at - INTERVAL 1 HOUR");
    list = due(UINT64_MAX);
    assert_true(list.n == 1 && list.all[0].n == 5 && list.all[0].more == 2);
    told(&list);
    testdb_run(base.outside, "UPDATE hookonce_telling SET told_at = told_at - INTERVAL 2 HOUR");
    testdb_run(base.outside, "UPDATE hookonce_alert SET grew_at = grew_at - INTERVAL 1 DAY");
    assert_int_equal(due(UINT64_MAX).n, 0); /* no more came */
    testdb_run(base.outside, "UPDATE hookonce_telling SET told_at = told_at - INTERVAL 23 HOUR");
    list = due(UINT64_MAX);
    assert_true(list.n == 1 && list.all[0].more == 0); /* it still stands */
    told(&list);
    see("a", ALERT_DEAD, "paid", 0);
    list = due(UINT64_MAX);
    assert_true(list.n == 1 && list.all[0].over);
    told(&list);
    assert_int_equal(due(UINT64_MAX).n, 0);
    see("a", ALERT_DEAD, "paid", 1); /* again, within the window of what was told last */
    assert_int_equal(due(UINT64_MAX).n, 0);
}

static void one_at_a_time_sends(void **state)
{
    unsigned char mine[ALERT_TOKEN_LEN], other[ALERT_TOKEN_LEN];
    struct alert_due_list none = {.n = 0};
    struct ho_err err;
    bool got;

    (void)state;
    assert_int_equal(alert_claim(base.outside, "mail", 60000, &got, mine, &err), HO_OK);
    assert_true(got);
    assert_int_equal(alert_claim(base.outside, "mail", 60000, &got, other, &err), HO_OK);
    assert_false(got);
    assert_int_equal(alert_claim(base.outside, "chat", 60000, &got, other, &err), HO_OK);
    assert_true(got);
    assert_int_equal(alert_told(base.outside, "mail", other, &none, &err), HO_OK); /* not theirs */
    assert_int_equal(alert_claim(base.outside, "mail", 60000, &got, other, &err), HO_OK);
    assert_false(got);
    /* a clock that was set back: the claim lies far ahead, and is over */
    testdb_run(base.outside, "UPDATE hookonce_telling SET claimed_until = NOW(6) + INTERVAL 3 DAY");
    assert_int_equal(alert_claim(base.outside, "mail", 60000, &got, other, &err), HO_OK);
    assert_true(got);
    /* the one that was cut off counts as failed, and so does one under way, until it is told */
    ASSERT_COUNT("hookonce_telling WHERE channel = 'mail' AND failures = 2 AND error LIKE 'cut off%'", 1);
    testdb_run(base.outside, "UPDATE hookonce_telling SET failures = 1 WHERE channel = 'mail'");
    for (int i = 0; i < 8; i++) {
        static const int waits[] = {60, 120, 240, 480, 960, 1920, 3600, 3600};
        assert_int_equal(alert_not_told(base.outside, "mail", other, "no route", &err), HO_OK);
        int64_t wait = testdb_int(base.outside,
                                  "SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6), next_at) + 1"
                                  " FROM hookonce_telling WHERE channel = 'mail'");
        assert_true(wait <= waits[i] && wait > waits[i] - 30);
        assert_int_equal(alert_claim(base.outside, "mail", 60000, &got, other, &err), HO_OK);
        assert_false(got);
        testdb_run(base.outside, "UPDATE hookonce_telling SET next_at = UTC_TIMESTAMP(6)");
        assert_int_equal(alert_claim(base.outside, "mail", 60000, &got, other, &err), HO_OK);
        assert_true(got);
    }
    assert_int_equal(alert_told(base.outside, "mail", other, &none, &err), HO_OK);
    ASSERT_COUNT("hookonce_telling WHERE channel = 'mail' AND failures = 0 AND error IS NULL", 1);
}

static int begin(void **state)
{
    (void)state;
    return work_begin("alert");
}

static int end(void **state)
{
    (void)state;
    return work_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_host_ends_its_own_and_all_end_the_databases, empty),
        cmocka_unit_test_setup(what_begins_again_is_counted_and_begins_anew, empty),
        cmocka_unit_test_setup(growth_is_more_or_newer_and_nothing_else, empty),
        cmocka_unit_test_setup(hosts_that_are_gone_end_and_old_rows_go, empty),
        cmocka_unit_test_setup(is_told_once_a_window_when_it_grew_daily_when_not_and_at_its_end, empty),
        cmocka_unit_test_setup(one_at_a_time_sends, empty),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
