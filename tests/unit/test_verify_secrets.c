/* Several secrets, when they end, what their text means, and the header families of one scheme. */
#include "edge_own.h"
#include "edge_signed.h"

#define T INT64_C(1790000000)
#define EVENT SPAN_LIT("{\"id\":\"evt_1\",\"type\":\"a.b\",\"created\":1789999999}")

#define SOURCES \
    "[source stripe]\nprovider = stripe\nsecret = file:a\nsecret = file:b until 2027-01-01\n" \
    "[source ends]\nprovider = stripe\nsecret = file:a until 2026-09-21\n" \
    "[source svix]\nprovider = svix\nsecret = file:whsec\n" \
    "[source same]\nprovider = stripe\nsecret = file:whsec\n" \
    "[source bare]\nprovider = standard-webhooks\nsecret = file:bare\n" \
    "[source none]\nprovider = svix\nsecret = file:broken\n"

static int load_site(void **state)
{
    int rc = site_start(state);
    if (rc == 0) {
        site_secret("a", "key-a\n");
        site_secret("b", "key-b");
        site_secret("whsec", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        site_secret("bare", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        site_secret("broken", "whsec_");
        all = site_load(SOURCES);
    }
    return rc;
}

static const struct endpoint *at(const char *source)
{
    return site_endpoint(all, source);
}

static void tries_every_secret_that_is_not_over(void **state)
{
    static const struct {
        const char *key;
        int64_t seconds;
        enum reason want;
        int number;
        size_t tried;
    } rows[] = {
        {"key-a", T, REASON_OK, 1, 2},
        {"key-b", T, REASON_OK, 2, 2},
        {"key-c", T, REASON_SIGNATURE, 0, 2},
        {"key-a\n", T, REASON_SIGNATURE, 0, 2}, /* one line end of the file is dropped */
        {"", T, REASON_SIGNATURE, 0, 2},
        {"key-b", 1798761599, REASON_OK, 2, 2},        /* the last second of 2026 */
        {"key-b", 1798761600, REASON_SIGNATURE, 0, 1}, /* from then on it is over */
        {"key-a", 1798761600, REASON_OK, 1, 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        struct accepted *a;
        struct verify_note note = {.trace = NULL};
        stripe_post(&r, stripe_signature(rows[i].key, rows[i].seconds, EVENT), EVENT);
        ROW(i, judge(at("stripe"), &r, rows[i].seconds * 1000000, &a, &note) == rows[i].want);
        ROW(i, note.secrets_tried == rows[i].tried);
        ROW(i, (a == NULL) == (rows[i].number == 0));
        ROW(i, a == NULL || accepted_event(a)->secret_no == rows[i].number);
        accepted_free(a);
    }
}

/* The same text is one provider's key and another's base64. */
static void reads_a_secret_as_the_provider_does(void **state)
{
    static const char text[] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    struct request r;
    struct buf key;
    char headers_signed[2][128];
    (void)state;
    buf_init(&key, 100);
    assert_int_equal(text_unbase64(span_of(text + 6), &key), HO_OK);
    (void)snprintf(headers_signed[0], sizeof headers_signed[0], "v1,%s",
                   base64_mac(buf_span(&key), "msg_1.1790000000.", EVENT));
    (void)snprintf(headers_signed[1], sizeof headers_signed[1], "v1,%s",
                   base64_mac(span_of(text), "msg_1.1790000000.", EVENT));
    for (size_t i = 0; i < 2; i++) {
        const struct pair webhook[] = {{"webhook-id", "msg_1"},
                                       {"webhook-timestamp", "1790000000"},
                                       {"webhook-signature", headers_signed[i]},
                                       {NULL, NULL}};
        enum reason want = i == 0 ? REASON_OK : REASON_SIGNATURE;
        post(&r, webhook, EVENT);
        assert_int_equal(judge(at("svix"), &r, NOW, NULL, NULL), want);
        assert_int_equal(judge(at("bare"), &r, NOW, NULL, NULL), want);
    }
    stripe_post(&r, stripe_signature(text, T, EVENT), EVENT);
    assert_int_equal(judge(at("same"), &r, NOW, NULL, NULL), REASON_OK);
    stripe_post(&r, stripe_signature(text + 6, T, EVENT), EVENT);
    assert_int_equal(judge(at("same"), &r, NOW, NULL, NULL), REASON_SIGNATURE);
    buf_free(&key);
}

static void uses_one_family_of_headers_whole(void **state)
{
    static const struct {
        struct pair headers[8];
        enum reason want;
    } rows[] = {
        {{{"svix-id", "m"}, {"svix-timestamp", "1790000000"}, {"svix-signature", "@"}}, REASON_OK},
        {{{"webhook-id", "m"}, {"webhook-timestamp", "1790000000"}, {"webhook-signature", "@"}},
         REASON_OK},
        {{{"webhook-id", "m"}, {"svix-timestamp", "1790000000"}, {"svix-signature", "@"}},
         REASON_HEADER_MISSING},
        {{{"svix-id", "m"}, {"webhook-timestamp", "1790000000"}, {"svix-signature", "@"}},
         REASON_HEADER_MISSING},
        {{{"svix-id", "n"}, {"svix-timestamp", "1790000000"}, {"svix-signature", "@"}},
         REASON_SIGNATURE},
        {{{"svix-id", "m"}, {"svix-id", "m"}, {"svix-timestamp", "1790000000"},
          {"svix-signature", "@"}}, REASON_HEADER_DUPLICATE},
        {{{"svix-id", "m, m"}, {"svix-timestamp", "1790000000"}, {"svix-signature", "@"}},
         REASON_HEADER_DUPLICATE},
        {{{"svix-id", "m"}, {"svix-timestamp", "1790000000, 1790000000"}, {"svix-signature", "@"}},
         REASON_HEADER_DUPLICATE},
        {{{"svix-id", "m"}, {"svix-timestamp", "1790000000"}, {"svix-signature", "v1,AA=="},
          {"svix-signature", "@"}}, REASON_OK},
        {{{"svix-id", "m"}, {"svix-timestamp", "1790000000"}, {"svix-signature", "@, v1,AA=="}},
         REASON_OK},
        {{{"svix-id", "m"}, {"svix-timestamp", "1790000000"}, {"svix-signature", ""},
          {"webhook-id", "m"}, {"webhook-timestamp", "1790000000"}, {"webhook-signature", "@"}},
         REASON_OK},
        {{{"svix-id", "m"}, {"svix-timestamp", "1790000000"}, {"svix-signature", "v1,AA=="},
          {"webhook-id", "m"}, {"webhook-timestamp", "1790000000"}, {"webhook-signature", "@"}},
         REASON_SIGNATURE}, /* the first family that signs is the one */
    };
    struct buf key;
    char good[128], joined[160];
    (void)state;
    buf_init(&key, 100);
    assert_int_equal(text_unbase64(SPAN_LIT("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), &key), HO_OK);
    (void)snprintf(good, sizeof good, "v1,%s",
                   base64_mac(buf_span(&key), "m.1790000000.", SPAN_LIT("")));
    (void)snprintf(joined, sizeof joined, "%s, v1,AA==", good);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        post(&r, rows[i].headers, SPAN_LIT("")); /* an empty body is a delivery here */
        for (size_t j = 0; j < r.n_headers; j++) {
            if (span_starts(r.headers[j].value, "@")) {
                r.headers[j].value = span_of(r.headers[j].value.len == 1 ? good : joined);
            }
        }
        enum reason got = judge(at("svix"), &r, NOW, NULL, NULL);
        if (got != rows[i].want) {
            fail_msg("case %zu: %s", i, reasons[got].word);
        }
    }
    buf_free(&key);
}

/* Busy, not refused: the sender is genuine perhaps, and it is us who can't tell. */
static void lets_nobody_in_without_a_usable_secret(void **state)
{
    static const struct pair webhook[] = {{"svix-id", "m"}, {"svix-timestamp", "1790000000"},
                                          {"svix-signature", "v1,AA=="}, {NULL, NULL}};
    struct request r;
    struct verify_note note = {.trace = NULL};
    (void)state;
    post(&r, webhook, SPAN_LIT("{}"));
    assert_int_equal(judge(at("none"), &r, NOW, NULL, &note), REASON_NO_SECRET);
    assert_int_equal(note.secrets_tried, 0);
    assert_int_equal(reasons[REASON_NO_SECRET].kind, ANSWER_BUSY);
    r.n_headers = 0;
    assert_int_equal(verify_head(at("none"), &r, NOW, &note), REASON_NO_SECRET);

    stripe_post(&r, stripe_signature("key-a", 1789948799, EVENT), EVENT);
    assert_int_equal(judge(at("ends"), &r, INT64_C(1789948799999999), NULL, NULL), REASON_OK);
    assert_int_equal(judge(at("ends"), &r, INT64_C(1789948800000000), NULL, NULL),
                     REASON_NO_SECRET);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tries_every_secret_that_is_not_over),
        cmocka_unit_test(reads_a_secret_as_the_provider_does),
        cmocka_unit_test(uses_one_family_of_headers_whole),
        cmocka_unit_test(lets_nobody_in_without_a_usable_secret),
    };
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
