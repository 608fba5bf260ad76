/* What handlers are told: one table, the same names and values wherever they stand. */
#include "unit.h"

#include "core/contract.h"

static void each_field_has_its_names(void **state)
{
    static const struct contract_row want[] = {
        {FIELD_PROVIDER, "provider", "HOOKONCE_PROVIDER", "X-Hookonce-Provider"},
        {FIELD_SOURCE, "source", "HOOKONCE_SOURCE", "X-Hookonce-Source"},
        {FIELD_ID, "id", "HOOKONCE_ID", "X-Hookonce-Id"},
        {FIELD_TYPE, "type", "HOOKONCE_TYPE", "X-Hookonce-Type"},
        {FIELD_OCCURRED_AT, "occurred_at", "HOOKONCE_OCCURRED_AT", "X-Hookonce-Occurred-At"},
        {FIELD_OBJECT, "object", "HOOKONCE_OBJECT", "X-Hookonce-Object"},
        {FIELD_CORRELATION_ID, "correlation_id", "HOOKONCE_CORRELATION_ID",
         "X-Hookonce-Correlation-Id"},
        {FIELD_IDEMPOTENCY_KEY, "idempotency_key", "HOOKONCE_IDEMPOTENCY_KEY",
         "X-Hookonce-Idempotency-Key"},
        {FIELD_ATTEMPT, "attempt", "HOOKONCE_ATTEMPT", "X-Hookonce-Attempt"},
    };
    size_t n = 0;
    const struct contract_row *rows = contract_rows(&n);
    (void)state;
    assert_int_equal(n, COUNT(want) + 1);
    for (size_t i = 0; i < COUNT(want); i++) {
        ROW(i, rows[i].field == want[i].field && rows[i].field == (enum contract_field)i);
        ROW_TEXT(i, rows[i].name, want[i].name);
        ROW_TEXT(i, rows[i].variable, want[i].variable);
        ROW_TEXT(i, rows[i].header, want[i].header);
    }
    assert_int_equal(rows[COUNT(want)].field, FIELD_BODY);
    assert_string_equal(rows[COUNT(want)].name, "body");
    assert_null(rows[COUNT(want)].variable);
    assert_null(rows[COUNT(want)].header);
}

/* Environment and header are the name, and nothing else, in another writing. */
static void the_names_follow_one_rule(void **state)
{
    size_t n = 0;
    const struct contract_row *rows = contract_rows(&n);
    (void)state;
    for (size_t i = 0; i + 1 < n; i++) {
        char variable[64] = "HOOKONCE_", header[64] = "X-Hookonce-";
        size_t v = strlen(variable), h = strlen(header);
        for (size_t k = 0; rows[i].name[k] != '\0'; k++) {
            char c = rows[i].name[k];
            bool first = k == 0 || rows[i].name[k - 1] == '_';
            variable[v++] = c == '_' ? '_' : (char)(c - 32);
            header[h++] = c == '_' ? '-' : first ? (char)(c - 32) : c;
        }
        ROW_TEXT(i, rows[i].variable, variable);
        ROW_TEXT(i, rows[i].header, header);
    }
}

static void finds_fields_by_name(void **state)
{
    size_t n = 0;
    const struct contract_row *rows = contract_rows(&n);
    enum contract_field field = FIELD_BODY;
    (void)state;
    for (size_t i = 0; i < n; i++) {
        ROW(i, contract_find(span_of(rows[i].name), &field) && field == rows[i].field);
        ROW_TEXT(i, contract_name(rows[i].field), rows[i].name);
    }
    assert_false(contract_find(SPAN_LIT("ID"), &field));
    assert_false(contract_find(SPAN_LIT("id "), &field));
    assert_false(contract_find(SPAN_LIT("received_at"), &field));
    assert_false(contract_find(SPAN_LIT(""), &field));
    assert_false(contract_find(SPAN_NONE, &field));
}

static void each_field_has_its_value(void **state)
{
    struct event e = {
        .cid = "01JDXYZ0000000000000000000",
        .provider = SPAN_LIT("stripe"),
        .source = SPAN_LIT("stripe-eu"),
        .id = SPAN_LIT("evt_1"),
        .type = SPAN_LIT("a b\n"),
        .object = SPAN_LIT("sub_\0x"),
        .has_occurred = true,
        .occurred_us = INT64_C(1796040000123456),
        .body = SPAN_LIT("{}"),
    };
    struct contract_try t = {.idempotency_key = "abc", .attempt = 12};
    static const struct span want[] = {
        S("stripe"), S("stripe-eu"), S("evt_1"), S("a b\n"), S("2026-11-30T12:00:00.123456Z"),
        S("sub_\0x"), S("01JDXYZ0000000000000000000"), S("abc"), S("12"), S("{}"),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(want); i++) {
        char room[CONTRACT_ROOM];
        ROW(i, span_eq(contract_value((enum contract_field)i, &e, &t, room), want[i]));
    }
}

static void what_is_not_there_is_absent_and_not_empty(void **state)
{
    static const enum contract_field absent[] = {FIELD_OCCURRED_AT, FIELD_OBJECT,
                                                 FIELD_IDEMPOTENCY_KEY, FIELD_ATTEMPT};
    const struct event e = {.provider = SPAN_LIT("p"), .type = SPAN_LIT(""),
                            .occurred_us = 5};
    const struct contract_try t = {.idempotency_key = NULL};
    char room[CONTRACT_ROOM];
    (void)state;
    for (size_t i = 0; i < COUNT(absent); i++) {
        ROW(i, !span_present(contract_value(absent[i], &e, &t, room)));
    }
    struct span type = contract_value(FIELD_TYPE, &e, &t, room);
    assert_true(span_present(type) && type.len == 0);
}

static void headers_hold_no_line_ends(void **state)
{
    static const struct {
        struct span value;
        const char *want;
    } rows[] = {
        {S("evt_1"), "evt_1"},
        {S("Order created"), "Order created"},
        {S(" a b "), "%20a b%20"},
        {S(" "), "%20"},
        {S("  "), "%20%20"},
        {S(""), ""},
        {S("a\r\nX-Evil: 1"), "a%0D%0AX-Evil: 1"},
        {S("a\0b\tc\x7f"), "a%00b%09c%7F"},
        {S("100%"), "100%25"},
        {S("M\xc3\xbcller"), "M%C3%BCller"},
        {S("!\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~"), "!\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf out;
        buf_init(&out, 200);
        ROW(i, contract_header_value(rows[i].value, &out) == HO_OK);
        ROW_TEXT(i, buf_cstr(&out), rows[i].want);
        buf_free(&out);
    }
    struct buf small;
    buf_init(&small, 5);
    assert_int_equal(buf_add_str(&small, "ab"), HO_OK);
    assert_int_equal(contract_header_value(SPAN_LIT("c\nd"), &small), HO_REJECT);
    assert_string_equal(buf_cstr(&small), "ab");
    buf_free(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_field_has_its_names),
        cmocka_unit_test(the_names_follow_one_rule),
        cmocka_unit_test(finds_fields_by_name),
        cmocka_unit_test(each_field_has_its_value),
        cmocka_unit_test(what_is_not_there_is_absent_and_not_empty),
        cmocka_unit_test(headers_hold_no_line_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
