/* The keys of events: the same for the same, on every host, for ever. The digests below were made
 * with another program, and must never change: they are in databases, and other sides know them. */
#include "unit.h"

#include "base/text.h"
#include "core/flow_key.h"

#define IDEMPOTENCY_EACH "a215e30e07bfa97f76c6feb43d5c10b1e17b663c97924177431b02d1add6ce34"
#define IDEMPOTENCY_ONCE "cb02cc912ff5fd8bb0923b3156824f6f72d9f11eb1b95abcea118d2c10e4185d"
#define SHA_CS_1 "df49cb665346890a99e6cbda11993715301aadef8fbbc8e0b77f25087055d2d6"
#define SHA_SUB_1 "13a076fce7d175418cc5f004c44c106152903cf35ea51ec3c73a20ff6ffa02ec"
#define LANE "f0b6be3443c9a7ac32953811edaaf46c31d49079de41bf4b813fcf90c1313289"

static const struct handler crm = {.name = "crm", .kind = HANDLER_URL};

static const char document[] =
    "{\"id\":\"cs_1\",\"object\":\"sub_1\",\"at\":\"2026-11-30T12:00:00Z\",\"n\":42,"
    "\"version\":-7,\"text\":\"1796040000\",\"real\":1.5,\"max\":9223372036854775807,"
    "\"over\":9223372036854775808,\"big\":123456789012345678901234567890,\"empty\":\"\","
    "\"list\":[],\"bad\":\"yesterday\",\"yes\":true,\"min\":\"-9223372036854775807\"}";

static struct event sample(void)
{
    return (struct event){
        .cid = "01JDXYZ0000000000000000000",
        .provider = SPAN_LIT("stripe"),
        .source = SPAN_LIT("stripe-eu"),
        .id = SPAN_LIT("evt_1"),
        .type = SPAN_LIT("a"),
        .has_occurred = true,
        .occurred_us = INT64_C(1796040000123456),
    };
}

struct texts {
    const char *once_per, *order_by, *order_at, *serialize_by;
};

static void parse(const char *text, struct reftext *out)
{
    if (text != NULL) {
        assert_int_equal(reftext_parse(text, REFTEXT_KEY, out, NULL), HO_OK);
    }
}

/* The keys of e on a route with these texts. */
static enum ho_code keys_of(const struct texts *t, const struct event *e, struct flow_keys *out,
                            enum flow_lack *lack, struct ho_err *err)
{
    struct route r = {.name = "paid", .flow = "sale", .handler = &crm};
    struct json *doc = NULL;
    ho_err_clear(err);
    parse(t->once_per, &r.once_per);
    parse(t->order_by, &r.order_by);
    parse(t->serialize_by, &r.serialize_by);
    if (t->order_at != NULL) {
        struct span rest = span_of(t->order_at);
        assert_int_equal(ref_parse(&rest, &r.order_at, NULL), HO_OK);
    }
    assert_int_equal(json_parse(span_of(document), &doc, NULL), HO_OK);
    const struct ref_view v = {.event = e, .doc = doc};
    memset(out, 0x55, sizeof *out);
    enum ho_code code = flow_keys_make(&r, &v, out, lack, err);
    json_free(doc);
    reftext_free(&r.once_per);
    reftext_free(&r.order_by);
    reftext_free(&r.serialize_by);
    ref_free(&r.order_at);
    return code;
}

static struct flow_keys good_keys(const struct texts *t)
{
    const struct event e = sample();
    struct flow_keys keys;
    enum flow_lack lack;
    struct ho_err err;
    if (keys_of(t, &e, &keys, &lack, &err) != HO_OK) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(lack, FLOW_COMPLETE);
    return keys;
}

static void assert_hex(const unsigned char digest[SHA256_LEN], const char *want)
{
    char hex[2 * SHA256_LEN + 1];
    text_hex(digest, SHA256_LEN, hex);
    assert_string_equal(hex, want);
}

static void the_digests_are_what_they_always_were(void **state)
{
    const struct texts none = {.once_per = NULL};
    const struct texts all = {.once_per = "{/id}", .order_by = "{/object}"};
    struct flow_keys keys = good_keys(&none);
    (void)state;
    assert_false(keys.has_business || keys.has_object || keys.has_mark);
    assert_string_equal(keys.idempotency, IDEMPOTENCY_EACH);

    keys = good_keys(&all);
    assert_true(keys.has_business && keys.has_object && keys.has_mark && keys.mark_is_time);
    assert_string_equal(keys.idempotency, IDEMPOTENCY_ONCE);
    assert_hex(keys.business.digest, SHA_CS_1);
    assert_string_equal(keys.business.text, "cs_1");
    assert_int_equal(keys.business.len, 4);
    assert_hex(keys.object.digest, SHA_SUB_1);
    assert_string_equal(keys.object.text, "sub_1");
    assert_hex(keys.lane, LANE);
    assert_true(keys.mark == INT64_C(1796040000123456));
}

/* What is in a key changes it, and what is not does not. */
static void each_part_counts_and_nothing_else(void **state)
{
    const struct texts none = {.once_per = NULL}, once = {.once_per = "{/id}"};
    struct flow_keys keys;
    enum flow_lack lack;
    struct ho_err err;
    struct event e = sample();
    (void)state;
    memcpy(e.cid, "01JDXYZ9999999999999999999", ULID_LEN);
    e.source = SPAN_LIT("another");
    e.type = SPAN_LIT("b");
    e.object = SPAN_LIT("o");
    e.has_occurred = false;
    e.body = SPAN_LIT("x");
    assert_int_equal(keys_of(&none, &e, &keys, &lack, &err), HO_OK);
    assert_string_equal(keys.idempotency, IDEMPOTENCY_EACH);
    e.id = SPAN_LIT("evt_2");
    assert_int_equal(keys_of(&none, &e, &keys, &lack, &err), HO_OK);
    assert_string_not_equal(keys.idempotency, IDEMPOTENCY_EACH);
    /* under a business key, another event of another provider is the same outcome */
    e.provider = SPAN_LIT("paddle");
    assert_int_equal(keys_of(&once, &e, &keys, &lack, &err), HO_OK);
    assert_string_equal(keys.idempotency, IDEMPOTENCY_ONCE);
    e.id = SPAN_LIT("evt_1");
    assert_int_equal(keys_of(&none, &e, &keys, &lack, &err), HO_OK);
    assert_string_not_equal(keys.idempotency, IDEMPOTENCY_EACH);
}

/* "ab", "c" and "a", "bc" are different fields. */
static void fields_are_kept_apart(void **state)
{
    static const struct span rows[][3] = {
        {S("ab"), S("c"), S("")}, {S("a"), S("bc"), S("")}, {S("abc"), S(""), S("")},
        {S(""), S("abc"), S("")}, {S("ab"), S(""), S("c")}, {S("abc"), S("\0"), S("")},
    };
    char keys[COUNT(rows) + 1][IDEMPOTENCY_KEY_LEN + 1];
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        flow_idempotency(rows[i], 3, keys[i]);
    }
    flow_idempotency(rows[0], 2, keys[COUNT(rows)]);
    for (size_t i = 0; i < COUNT(keys); i++) {
        for (size_t k = 0; k < i; k++) {
            ROW(i, strcmp(keys[i], keys[k]) != 0);
        }
    }
}

static void flows_have_lanes_of_their_own(void **state)
{
    const struct texts t = {.serialize_by = "{/object}"};
    struct flow_keys keys = good_keys(&t);
    unsigned char lane[SHA256_LEN];
    (void)state;
    assert_true(keys.has_object);
    assert_false(keys.has_mark);
    assert_hex(keys.lane, LANE); /* as with order_by */
    flow_lane("other", keys.object.digest, lane);
    assert_memory_not_equal(lane, keys.lane, SHA256_LEN);
    flow_lane("sale", keys.object.digest, lane);
    assert_memory_equal(lane, keys.lane, SHA256_LEN);
    lane[0] ^= 1;
    flow_lane("sale", lane, lane);
    assert_memory_not_equal(lane, keys.lane, SHA256_LEN);
}

static void long_keys_are_stored_as_digests(void **state)
{
    struct reftext t;
    struct flow_key key;
    struct event e = sample();
    const struct ref_view v = {.event = &e};
    char id[256];
    (void)state;
    memset(id, 'i', sizeof id);
    assert_int_equal(reftext_parse("{event:id}", REFTEXT_KEY, &t, NULL), HO_OK);
    e.id = span_make(id, 255);
    assert_int_equal(flow_key_make(&t, &v, &key, NULL), HO_OK);
    assert_int_equal(key.len, 255);
    assert_memory_equal(key.text, id, 255);
    assert_int_equal(key.text[255], 0);
    e.id = span_make(id, 256);
    assert_int_equal(flow_key_make(&t, &v, &key, NULL), HO_OK);
    assert_int_equal(key.len, 7 + 64);
    assert_true(span_starts(span_of(key.text), "sha256:"));
    assert_hex(key.digest, key.text + 7); /* of the key itself, not of how it is stored */
    e.id = SPAN_LIT("sha256:x");
    assert_int_equal(flow_key_make(&t, &v, &key, NULL), HO_OK);
    assert_int_equal(key.len, 7 + 64);
    assert_hex(key.digest, key.text + 7);
    e.id = SPAN_LIT("a\0b");
    assert_int_equal(flow_key_make(&t, &v, &key, NULL), HO_OK);
    assert_int_equal(key.len, 3);
    assert_memory_equal(key.text, "a\0b", 4);
    e.id = SPAN_LIT("");
    assert_int_equal(flow_key_make(&t, &v, &key, NULL), HO_REJECT);
    reftext_free(&t);
}

static void marks_are_times_or_whole_numbers(void **state)
{
    static const struct {
        const char *order_at;
        bool time;
        int64_t mark;
        const char *of;
    } rows[] = {
        {NULL, true, INT64_C(1796040000123456), "time"},
        {"{/at}", true, INT64_C(1796040000000000), "time {/at}"},
        {"{event:occurred_at}", true, INT64_C(1796040000123456), "time {event:occurred_at}"},
        {"{/n}", false, 42, "number {/n}"},
        {"{/version}", false, -7, "number {/version}"},
        {"{/text}", false, 1796040000, "number {/text}"},
        {"{/max}", false, INT64_MAX, "number {/max}"},
        {"{/min}", false, -INT64_MAX, "number {/min}"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct texts t = {.order_by = "{/object}", .order_at = rows[i].order_at};
        struct flow_keys keys = good_keys(&t);
        ROW(i, keys.has_mark && keys.mark_is_time == rows[i].time && keys.mark == rows[i].mark);
        ROW(i, strcmp(keys.mark_of, rows[i].of) == 0);
    }
}

static void says_what_could_not_be_made(void **state)
{
    static const struct {
        struct texts texts;
        bool timeless;
        enum flow_lack lack;
        const char *why;
    } rows[] = {
        {{.once_per = "{/none}"}, false, FLOW_NO_BUSINESS_KEY, "no business key: {/none} is missing"},
        {{.once_per = "{/empty}"}, false, FLOW_NO_BUSINESS_KEY, "no business key: {/empty} is empty"},
        {{.once_per = "{/list}"}, false, FLOW_NO_BUSINESS_KEY,
         "no business key: {/list} is a list, no single value"},
        {{.once_per = "{/big}"}, false, FLOW_NO_BUSINESS_KEY,
         "no business key: the number at {/big} is too large to be kept exactly"},
        {{.once_per = "{/none}", .order_by = "{/gone}"}, false, FLOW_NO_BUSINESS_KEY,
         "no business key: {/none} is missing"},
        {{.once_per = "{/id}", .order_by = "{/gone}"}, false, FLOW_NO_OBJECT_KEY,
         "no object key: {/gone} is missing"},
        {{.serialize_by = "{/gone}"}, false, FLOW_NO_OBJECT_KEY, "no object key: {/gone} is missing"},
        {{.order_by = "{/id}"}, true, FLOW_NO_MARK,
         "no order mark: the event has no time of its own: say order_at"},
        {{.order_by = "{/id}", .order_at = "{/none}"}, false, FLOW_NO_MARK,
         "no order mark: {/none} is missing"},
        {{.order_by = "{/id}", .order_at = "{/real}"}, false, FLOW_NO_MARK,
         "no order mark: {/real} is no RFC 3339 time, and no whole number of at most 63 bits"},
        {{.order_by = "{/id}", .order_at = "{/over}"}, false, FLOW_NO_MARK, "no order mark: {/over} is "},
        {{.order_by = "{/id}", .order_at = "{/big}"}, false, FLOW_NO_MARK, "no order mark: the number"},
        {{.order_by = "{/id}", .order_at = "{/bad}"}, false, FLOW_NO_MARK, "no order mark: {/bad} is "},
        {{.order_by = "{/id}", .order_at = "{/yes}"}, false, FLOW_NO_MARK, "no order mark: {/yes} is "},
        {{.order_by = "{/id}", .order_at = "{/empty}"}, false, FLOW_NO_MARK, "no order mark: {/empty}"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct event e = sample();
        struct flow_keys keys;
        enum flow_lack lack = FLOW_COMPLETE;
        struct ho_err err;
        e.has_occurred = !rows[i].timeless;
        ROW(i, keys_of(&rows[i].texts, &e, &keys, &lack, &err) == HO_PERMANENT);
        ROW(i, lack == rows[i].lack && err.code == HO_PERMANENT);
        if (!span_starts(span_of(err.text), rows[i].why)) {
            fail_msg("case %zu: %s", i, err.text);
        }
    }
}

static void older_ones_are_stale_and_ties_are_as_said(void **state)
{
    static const struct {
        enum route_tie tie;
        int64_t mark;
        bool has_newest;
        int64_t newest;
        enum flow_order want;
    } rows[] = {
        {TIE_RUN, 5, false, 0, FLOW_NEWER},
        {TIE_RUN, 5, false, 9, FLOW_NEWER},
        {TIE_RUN, -5, false, 0, FLOW_NEWER},
        {TIE_SKIP, 5, true, 4, FLOW_NEWER},
        {TIE_FETCH, 5, true, 4, FLOW_NEWER},
        {TIE_RUN, 5, true, 6, FLOW_STALE},
        {TIE_SKIP, 5, true, 6, FLOW_STALE},
        {TIE_FETCH, 5, true, 6, FLOW_STALE},
        {TIE_RUN, -5, true, 0, FLOW_STALE},
        {TIE_RUN, 0, true, -5, FLOW_NEWER},
        {TIE_RUN, 5, true, 5, FLOW_TIE_RUN},
        {TIE_FETCH, 5, true, 5, FLOW_TIE_FETCH},
        {TIE_SKIP, 5, true, 5, FLOW_TIE_SKIP},
        {TIE_SKIP, INT64_MIN, true, INT64_MAX, FLOW_STALE},
        {TIE_SKIP, INT64_MAX, true, INT64_MIN, FLOW_NEWER},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, flow_order(rows[i].tie, rows[i].mark, rows[i].has_newest, rows[i].newest) ==
                   rows[i].want);
    }
}

static void only_a_time_can_be_in_the_future(void **state)
{
    const int64_t day = INT64_C(86400000000), now = INT64_C(1796040000000000);
    struct flow_keys keys = {.has_mark = true, .mark_is_time = true, .mark = now + day};
    (void)state;
    assert_false(flow_from_future(&keys, now));
    keys.mark++;
    assert_true(flow_from_future(&keys, now));
    keys.mark_is_time = false;
    assert_false(flow_from_future(&keys, now));
    keys.mark_is_time = true;
    keys.has_mark = false;
    assert_false(flow_from_future(&keys, now));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_digests_are_what_they_always_were),
        cmocka_unit_test(each_part_counts_and_nothing_else),
        cmocka_unit_test(fields_are_kept_apart),
        cmocka_unit_test(flows_have_lanes_of_their_own),
        cmocka_unit_test(long_keys_are_stored_as_digests),
        cmocka_unit_test(marks_are_times_or_whole_numbers),
        cmocka_unit_test(says_what_could_not_be_made),
        cmocka_unit_test(older_ones_are_stale_and_ties_are_as_said),
        cmocka_unit_test(only_a_time_can_be_in_the_future),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
