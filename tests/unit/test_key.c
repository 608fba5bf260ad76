/* Ids as keys: byte for byte as long as that can be, and never two ids under one key. */
#include "unit.h"

#include "base/text.h"
#include "core/key.h"

/* What must come out when the id cannot be its own key. */
static void put_marked(struct span raw, char out[sizeof KEY_MARK + 64])
{
    unsigned char digest[SHA256_LEN];
    mac_sha256(raw, digest);
    memcpy(out, KEY_MARK, sizeof KEY_MARK - 1);
    text_hex(digest, sizeof digest, out + sizeof KEY_MARK - 1);
}

static void keeps_an_id_byte_for_byte(void **state)
{
    static const struct span rows[] = {
        S("evt_1NG8Du2eZvKYlo2CUI79vXWy"),
        S(""),
        S(" a "),
        S("a\0b"),
        S("a\0"),
        S("\0"),
        S("\xff\xfe\x80"),
        S("EVT_1"),
        S("evt_1 "),
        S("sha256"),
        S("sha256;0"),
        S("SHA256:0"),
        S(" sha256:0"),
        S("xsha256:0"),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf out;
        buf_init(&out, EVENT_KEY_MAX);
        assert_int_equal(key_stored(rows[i], &out), HO_OK);
        assert_true(span_eq(buf_span(&out), rows[i]));
        buf_free(&out);
    }
}

static void cuts_nothing_at_the_limit(void **state)
{
    unsigned char id[EVENT_KEY_MAX + 2];
    char marked[sizeof KEY_MARK + 64];
    struct buf out;
    (void)state;
    memset(id, 'a', sizeof id);
    buf_init(&out, EVENT_KEY_MAX);

    assert_int_equal(EVENT_KEY_MAX, 255);
    assert_int_equal(key_stored(span_make(id, 255), &out), HO_OK);
    assert_true(span_eq(buf_span(&out), span_make(id, 255)));

    for (size_t len = 256; len <= sizeof id; len++) {
        buf_clear(&out);
        put_marked(span_make(id, len), marked);
        assert_int_equal(key_stored(span_make(id, len), &out), HO_OK);
        assert_string_equal(buf_cstr(&out), marked);
    }
    buf_free(&out);
}

/* A known digest, so that the form never changes unseen: rows of years depend on it. */
static void writes_the_mark_and_lower_case_hex(void **state)
{
    struct buf out;
    (void)state;
    buf_init(&out, EVENT_KEY_MAX);
    assert_int_equal(key_stored(SPAN_LIT("sha256:"), &out), HO_OK);
    assert_string_equal(buf_cstr(&out), "sha256:"
                        "9fd714ce6f63c3b320c944b70e80a5d105fd2f3e2d30ae2fa81370e223f50d07");
    buf_free(&out);
}

/* Who sends "sha256:<digest of another id>" must not meet that other id. */
static void a_marked_id_is_marked_again(void **state)
{
    unsigned char id[EVENT_KEY_MAX + 1];
    struct buf once, twice;
    (void)state;
    memset(id, 'x', sizeof id);
    buf_init(&once, EVENT_KEY_MAX);
    buf_init(&twice, EVENT_KEY_MAX);
    assert_int_equal(key_stored(span_make(id, sizeof id), &once), HO_OK);
    assert_int_equal(key_stored(buf_span(&once), &twice), HO_OK);
    assert_false(span_eq(buf_span(&once), buf_span(&twice)));
    assert_int_equal(twice.len, sizeof KEY_MARK - 1 + 64);
    buf_free(&once);
    buf_free(&twice);
}

static void refuses_what_does_not_fit(void **state)
{
    struct buf out;
    (void)state;
    buf_init(&out, 10);
    assert_int_equal(key_stored(SPAN_LIT("12345678901"), &out), HO_REJECT);
    assert_int_equal(key_stored(SPAN_LIT("sha256:1"), &out), HO_REJECT);
    assert_int_equal(out.len, 0);
    assert_int_equal(key_stored(SPAN_LIT("1234567890"), &out), HO_OK);
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_an_id_byte_for_byte),
        cmocka_unit_test(cuts_nothing_at_the_limit),
        cmocka_unit_test(writes_the_mark_and_lower_case_hex),
        cmocka_unit_test(a_marked_id_is_marked_again),
        cmocka_unit_test(refuses_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
