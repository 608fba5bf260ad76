/* Messages about alerts: what is in them, and that they stay plain and bounded. */
#include "unit.h"

#include "base/json.h"
#include "work/alert.h"

static const struct settings site = {.db_name = "acme"};

static struct alert_due_list all_kinds(bool over)
{
    struct alert_due_list list = {.now = "2026-12-01 12:00:00.000000"};

    for (size_t i = 0; i < ALERT_KINDS; i++) {
        list.all[list.n++] = (struct alert_due){.kind = (enum alert_kind)i, .over = over, .n = 12345};
    }
    return list;
}

static struct alert_row row_of(enum alert_kind kind, const char *subject, const char *text)
{
    struct alert_row r = {.kind = kind, .firing = true, .n = 3, .began_at = "2026-12-01 11:00:00"};

    (void)snprintf(r.subject, sizeof r.subject, "%s", subject);
    (void)snprintf(r.text, sizeof r.text, "%s", text);
    return r;
}

static void everything_at_once_is_one_bounded_message(void **state)
{
    enum { ROWS = 500 };
    static struct alert_row rows[ROWS];
    struct alert_due_list list = all_kinds(false);
    struct alert_message m;
    char text[ALERT_TEXT_ROOM];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (size_t i = 0; i < ROWS; i++) {
        rows[i] = row_of((enum alert_kind)(i % 4), "s", text);
    }
    alert_message_make(&m, &site, "web1", &list, rows, ROWS, 3600000);
    assert_int_equal(m.state, ALERT_FIRING);
    assert_true(strlen(m.subject) < sizeof m.subject && strlen(m.subject) > 100);
    assert_null(strchr(m.subject, '\n'));
    assert_non_null(strstr(buf_cstr(&m.text), "and 105 more")); /* 20 of 125 a kind */
    assert_non_null(strstr(m.kinds, "dead-letters,"));
    assert_non_null(strstr(m.kinds, "paused"));
    struct span json = buf_span(&m.json);
    struct json *doc = NULL;
    struct ho_err err;
    assert_int_equal(json_parse(json, &doc, &err), HO_OK);
    json_free(doc);
    alert_message_free(&m);
}

static void says_what_is_over_and_since_when(void **state)
{
    struct alert_row rows[3] = {row_of(ALERT_DEAD, "paid", "3 jobs"), row_of(ALERT_DEAD, "bygone", "1 job"),
                                row_of(ALERT_SILENCE, "stripe", "no event")};
    struct alert_due_list list = {.n = 1};
    struct alert_message m;

    (void)state;
    rows[0].firing = rows[1].firing = false;
    (void)snprintf(rows[0].over_at, sizeof rows[0].over_at, "2026-12-01 12:00:00");
    (void)snprintf(rows[1].over_at, sizeof rows[1].over_at, "2026-11-01 12:00:00");
    list.all[0] = (struct alert_due){.kind = ALERT_DEAD, .over = true, .told_at = "2026-12-01 11:30:00"};
    alert_message_make(&m, &site, "web1", &list, rows, 3, 3600000);
    const char *text = buf_cstr(&m.text);
    assert_int_equal(m.state, ALERT_OVER);
    assert_string_equal(m.subject, "[hookonce] over: dead letters");
    assert_non_null(strstr(text, "OVER: dead letters\n  - paid: over since 2026-12-01 12:00"));
    assert_null(strstr(text, "bygone"));
    assert_null(strstr(text, "stripe"));
    alert_message_free(&m);
}

static void firing_and_over_in_one_are_told_apart(void **state)
{
    struct alert_row rows[1] = {row_of(ALERT_SILENCE, "stripe", "no event for 9 hours")};
    struct alert_due_list list = {.n = 2};
    struct alert_message m;

    (void)state;
    list.all[0] = (struct alert_due){.kind = ALERT_DEAD, .over = true};
    list.all[1] = (struct alert_due){.kind = ALERT_SILENCE, .n = 1};
    alert_message_make(&m, &site, "web1", &list, rows, 1, 900000);
    assert_int_equal(m.state, ALERT_FIRING);
    assert_string_equal(m.subject, "[hookonce] silence");
    assert_non_null(strstr(buf_cstr(&m.text), "NOW: silence\n  Events that"));
    assert_non_null(strstr(buf_cstr(&m.text), "  - stripe: no event for 9 hours (since 2026-12-01 11:00"));
    assert_non_null(strstr(buf_cstr(&m.text), "nothing more is told for 15m"));
    assert_non_null(strstr(buf_cstr(&m.text), "OVER: dead letters"));
    alert_message_free(&m);
}

static void what_a_look_adds_is_plain(void **state)
{
    struct alert_look look = {.n = 0};

    (void)state;
    for (size_t i = 0; i < ALERTS_OF_KIND + 5; i++) {
        alert_add(&look, ALERT_CONFIG, SPAN_LIT("a\nBcc: x"), 0, NULL, "f\xc3\xbc\r\n.\x1b[31m");
    }
    assert_int_equal(look.n, ALERTS_OF_KIND + 1);
    assert_string_equal(look.all[ALERTS_OF_KIND].subject, ALERT_MORE);
    assert_string_equal(look.all[ALERTS_OF_KIND].text, "and 5 more like these");
    assert_int_equal(look.all[ALERTS_OF_KIND].n, 5);
    assert_string_equal(look.all[0].subject, "a?Bcc: x");
    assert_string_equal(look.all[0].text, "f????.?[31m");
    assert_int_equal(look.all[0].n, 1);
    assert_true(look.looked == UINT64_C(1) << ALERT_CONFIG);
    alert_add(&look, ALERT_PROCESSOR, SPAN_LIT(""), 1, NULL, "none"); /* no kind takes another's room */
    alert_add(&look, ALERT_CONFIG, SPAN_LIT("z"), 1, NULL, "one more");
    assert_int_equal(look.all[look.n - 1].kind, ALERT_PROCESSOR);
    assert_int_equal(look.all[ALERTS_OF_KIND].n, 6);
    alert_look_free(&look);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_at_once_is_one_bounded_message),
        cmocka_unit_test(says_what_is_over_and_since_when),
        cmocka_unit_test(firing_and_over_in_one_are_told_apart),
        cmocka_unit_test(what_a_look_adds_is_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
