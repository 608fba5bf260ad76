/* Events: what the MAC holds together, what an accepted event owns, and reading stored headers. */
#include "unit.h"

#include "base/text.h"
#include "core/event.h"
#include "core/event_make.h"

static const unsigned char key_bytes[] = "0123456789abcdef0123456789abcdef";

static struct event sample(void)
{
    struct event e;
    memset(&e, 0, sizeof e);
    memcpy(e.cid, "01JDZK3V6Q8T9W2X4Y5Z7A8B9C", ULID_LEN + 1);
    e.provider = SPAN_LIT("stripe");
    e.source = SPAN_LIT("stripe-eu");
    e.id = SPAN_LIT("evt_1");
    e.type = SPAN_LIT("charge.succeeded");
    e.object = SPAN_LIT("ch_1");
    e.has_occurred = true;
    e.occurred_us = INT64_C(1764504000123456);
    memset(e.same, 0xab, sizeof e.same);
    e.has_guard = true;
    memset(e.guard, 0xcd, sizeof e.guard);
    e.secret_no = 1;
    e.document = SPAN_LIT("json");
    e.headers = SPAN_LIT("content-type: application/json\n");
    e.body = SPAN_LIT("{\"id\":\"evt_1\"}");
    return e;
}

struct mac {
    char hex[2 * SHA256_LEN + 1];
};

static struct mac mac_of(const struct event *e)
{
    struct mac m;
    unsigned char out[SHA256_LEN];
    event_mac(e, span_make(key_bytes, sizeof key_bytes - 1), out);
    text_hex(out, sizeof out, m.hex);
    return m;
}

/* Made by Python's hmac from the description. Rows of years carry it: it must never change. */
static void the_mac_is_the_same_for_ever(void **state)
{
    struct event e = sample();
    (void)state;
    assert_string_equal(mac_of(&e).hex,
                        "32118ba00ed0e7ac6df52549b6ac33d330a7109636b273fe3399734969477f39");
    e.object = SPAN_NONE;
    e.has_occurred = false;
    e.type = SPAN_LIT("");
    e.body = SPAN_NONE;
    assert_string_equal(mac_of(&e).hex,
                        "28b46cf71caa7e103a23e72e9a5b04260ed84b799c38a3933ebcd9c9872f088e");
}

enum change {
    CHANGE_NOTHING,
    CHANGE_CID,
    CHANGE_PROVIDER,
    CHANGE_SOURCE,
    CHANGE_ID,
    CHANGE_ID_CASE,
    CHANGE_ID_PADDED,
    CHANGE_TYPE,
    CHANGE_OBJECT,
    CHANGE_OBJECT_EMPTY,
    CHANGE_OBJECT_ABSENT,
    CHANGE_OCCURRED,
    CHANGE_OCCURRED_NEGATIVE,
    CHANGE_OCCURRED_ZERO,
    CHANGE_OCCURRED_ABSENT,
    CHANGE_SAME_FIRST,
    CHANGE_SAME_LAST,
    CHANGE_DOCUMENT,
    CHANGE_HEADERS,
    CHANGE_HEADERS_EMPTY,
    CHANGE_BODY,
    CHANGE_BODY_EMPTY,
    CHANGE_PROVIDER_TO_SOURCE, /* one byte over to the next field */
    CHANGE_SOURCE_TO_ID,
    CHANGE_ID_TO_TYPE,
    CHANGE_TYPE_TO_OBJECT,
    CHANGE_OBJECT_TO_DOCUMENT,
    CHANGE_SOURCE_AND_ID_SWAPPED,
    CHANGES
};

static struct event with_change(enum change change)
{
    struct event e = sample();
    switch (change) {
    case CHANGE_NOTHING: break;
    case CHANGE_CID: e.cid[ULID_LEN - 1] = 'D'; break;
    case CHANGE_PROVIDER: e.provider = SPAN_LIT("stripd"); break;
    case CHANGE_SOURCE: e.source = SPAN_LIT("stripe-us"); break;
    case CHANGE_ID: e.id = SPAN_LIT("evt_2"); break;
    case CHANGE_ID_CASE: e.id = SPAN_LIT("Evt_1"); break;
    case CHANGE_ID_PADDED: e.id = SPAN_LIT("evt_1\0"); break;
    case CHANGE_TYPE: e.type = SPAN_LIT("charge.succeedee"); break;
    case CHANGE_OBJECT: e.object = SPAN_LIT("ch_2"); break;
    case CHANGE_OBJECT_EMPTY: e.object = SPAN_LIT(""); break;
    case CHANGE_OBJECT_ABSENT: e.object = SPAN_NONE; break;
    case CHANGE_OCCURRED: e.occurred_us++; break;
    case CHANGE_OCCURRED_NEGATIVE: e.occurred_us = -e.occurred_us; break;
    case CHANGE_OCCURRED_ZERO: e.occurred_us = 0; break;
    case CHANGE_OCCURRED_ABSENT: e.has_occurred = false; break;
    case CHANGE_SAME_FIRST: e.same[0] ^= 0x80; break;
    case CHANGE_SAME_LAST: e.same[SHA256_LEN - 1] ^= 1; break;
    case CHANGE_DOCUMENT: e.document = SPAN_LIT("form"); break;
    case CHANGE_HEADERS: e.headers = SPAN_LIT("content-type: application/jsom\n"); break;
    case CHANGE_HEADERS_EMPTY: e.headers = SPAN_LIT(""); break;
    case CHANGE_BODY: e.body = SPAN_LIT("{\"id\":\"evt_2\"}"); break;
    case CHANGE_BODY_EMPTY: e.body = SPAN_LIT(""); break;
    case CHANGE_PROVIDER_TO_SOURCE:
        e.provider = SPAN_LIT("strip");
        e.source = SPAN_LIT("estripe-eu");
        break;
    case CHANGE_SOURCE_TO_ID:
        e.source = SPAN_LIT("stripe-e");
        e.id = SPAN_LIT("uevt_1");
        break;
    case CHANGE_ID_TO_TYPE:
        e.id = SPAN_LIT("evt_");
        e.type = SPAN_LIT("1charge.succeeded");
        break;
    case CHANGE_TYPE_TO_OBJECT:
        e.type = SPAN_LIT("charge.succeede");
        e.object = SPAN_LIT("dch_1");
        break;
    case CHANGE_OBJECT_TO_DOCUMENT:
        e.object = SPAN_LIT("ch_");
        e.document = SPAN_LIT("1json");
        break;
    case CHANGE_SOURCE_AND_ID_SWAPPED:
        e.source = SPAN_LIT("evt_1");
        e.id = SPAN_LIT("stripe-eu");
        break;
    case CHANGES: break;
    }
    return e;
}

static void every_field_and_border_is_in_the_mac(void **state)
{
    struct mac macs[CHANGES];
    (void)state;
    for (unsigned i = 0; i < CHANGES; i++) {
        struct event e = with_change((enum change)i);
        macs[i] = mac_of(&e);
        for (unsigned k = 0; k < i; k++) {
            if (strcmp(macs[i].hex, macs[k].hex) == 0) {
                fail_msg("changes %u and %u have the same MAC", k, i);
            }
        }
    }
}

static void what_is_not_in_a_receipt_is_not_in_the_mac(void **state)
{
    struct event e = sample();
    struct mac want = mac_of(&e);
    (void)state;
    e.has_guard = false;
    memset(e.guard, 0, sizeof e.guard);
    e.secret_no = 2;
    assert_string_equal(mac_of(&e).hex, want.hex);

    e.has_occurred = false;
    want = mac_of(&e);
    e.occurred_us = 5; /* means nothing without has_occurred */
    assert_string_equal(mac_of(&e).hex, want.hex);
}

static void another_key_gives_another_mac(void **state)
{
    static const struct span keys[] = {
        S("0123456789abcdef0123456789abcdef"), S("0123456789abcdef0123456789abcdeg"),
        S("0123456789abcdef0123456789abcde"),  S(""),
    };
    unsigned char macs[COUNT(keys)][SHA256_LEN];
    struct event e = sample();
    (void)state;
    for (size_t i = 0; i < COUNT(keys); i++) {
        event_mac(&e, keys[i], macs[i]);
        for (size_t k = 0; k < i; k++) {
            ROW(i, memcmp(macs[i], macs[k], SHA256_LEN) != 0);
        }
    }
}

static void reads_stored_headers(void **state)
{
    static const char stored[] = "content-type: application/json; charset=utf-8\n"
                                 "x-github-event: push\n"
                                 "x-empty: \n"
                                 "x-bare:\n"
                                 "x-blanks: \t a b \t\n"
                                 "x-colons: a:b: c\n"
                                 "x-twice: first\n"
                                 "x-twice: second\n"
                                 "x-github-event-2: other\n"
                                 "no colon here\n"
                                 ": nameless\n"
                                 "x-last: end";
    static const struct {
        const char *name;
        struct span want;
    } rows[] = {
        {"content-type", S("application/json; charset=utf-8")},
        {"Content-Type", S("application/json; charset=utf-8")},
        {"X-GitHub-Event", S("push")},
        {"x-empty", S("")},
        {"x-bare", S("")},
        {"x-blanks", S("a b")},
        {"x-colons", S("a:b: c")},
        {"x-twice", S("first")},
        {"x-last", S("end")},
        {"x-github", NONE},
        {"x-github-event-", NONE},
        {"github-event", NONE},
        {"no colon here", NONE},
        {"push", NONE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct span got = event_header(span_of(stored), rows[i].name);
        ROW(i, span_present(got) == span_present(rows[i].want) && span_eq(got, rows[i].want));
    }
    assert_false(span_present(event_header(SPAN_NONE, "x")));
    assert_false(span_present(event_header(SPAN_LIT(""), "x")));
    assert_false(span_present(event_header(SPAN_LIT("x"), "x")));
}

/* A copy of s in memory of its own and of just that size, for ASan to watch. */
static struct span on_heap(struct span s)
{
    unsigned char *p = malloc(s.len > 0 ? s.len : 1);
    assert_non_null(p);
    memcpy(p, s.p, s.len);
    return span_make(p, s.len);
}

static void spoil(struct span s)
{
    unsigned char *p = (unsigned char *)(uintptr_t)s.p;
    memset(p, 'X', s.len);
    free(p);
}

static void an_accepted_event_has_copies_of_all_but_the_body(void **state)
{
    static const unsigned char body[] = "{}";
    const struct event kept = sample();
    struct event e = kept;
    (void)state;
    e.provider = on_heap(kept.provider);
    e.source = on_heap(kept.source);
    e.id = on_heap(kept.id);
    e.type = on_heap(kept.type);
    e.object = on_heap(kept.object);
    e.document = on_heap(kept.document);
    e.headers = on_heap(kept.headers);
    e.body = span_make(body, 2);
    struct accepted *a = accepted_make(&e);
    spoil(e.provider);
    spoil(e.source);
    spoil(e.id);
    spoil(e.type);
    spoil(e.object);
    spoil(e.document);
    spoil(e.headers);
    memset(&e, 0x55, sizeof e);

    const struct event *got = accepted_event(a);
    assert_string_equal(got->cid, kept.cid);
    assert_true(span_eq(got->provider, kept.provider));
    assert_true(span_eq(got->source, kept.source));
    assert_true(span_eq(got->id, kept.id));
    assert_true(span_eq(got->type, kept.type));
    assert_true(span_eq(got->object, kept.object));
    assert_true(span_eq(got->document, kept.document));
    assert_true(span_eq(got->headers, kept.headers));
    assert_true(got->has_occurred && got->has_guard);
    assert_true(got->occurred_us == kept.occurred_us);
    assert_int_equal(got->secret_no, kept.secret_no);
    assert_memory_equal(got->same, kept.same, SHA256_LEN);
    assert_memory_equal(got->guard, kept.guard, SHA256_LEN);
    assert_ptr_equal(got->body.p, body); /* large, so borrowed */
    assert_int_equal(got->body.len, 2);
    accepted_free(a);
}

static void absent_and_empty_stay_apart_in_the_copy(void **state)
{
    struct event e = sample();
    (void)state;
    e.object = SPAN_NONE;
    e.type = SPAN_LIT("");
    e.headers = SPAN_LIT(""); /* at the very end of the room */
    struct accepted *a = accepted_make(&e);
    const struct event *got = accepted_event(a);
    assert_false(span_present(got->object));
    assert_true(span_present(got->type));
    assert_int_equal(got->type.len, 0);
    assert_true(span_present(got->headers));
    assert_string_equal(mac_of(got).hex, mac_of(&e).hex);
    accepted_free(a);

    memset(&e, 0, sizeof e);
    a = accepted_make(&e);
    assert_false(span_present(accepted_event(a)->provider));
    accepted_free(a);
    accepted_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mac_is_the_same_for_ever),
        cmocka_unit_test(every_field_and_border_is_in_the_mac),
        cmocka_unit_test(what_is_not_in_a_receipt_is_not_in_the_mac),
        cmocka_unit_test(another_key_gives_another_mac),
        cmocka_unit_test(reads_stored_headers),
        cmocka_unit_test(an_accepted_event_has_copies_of_all_but_the_body),
        cmocka_unit_test(absent_and_empty_stay_apart_in_the_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
