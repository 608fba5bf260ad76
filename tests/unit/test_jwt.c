/* Compact tokens: which forms are taken apart, which algorithms are let through, and the window. */
#include "edge_tokens.h"

#define ALL ((1U << JOSE_N) - 1)
#define BIT(alg) (1U << (alg))

/* Each part given as text; '!' in front: as it is, without base64url. */
static const char *assemble(const char *header, const char *payload, const char *sig)
{
    static char place[4096];
    const char *parts[] = {header, payload, sig};
    struct buf out;
    buf_init(&out, sizeof place - 1);
    for (size_t i = 0; i < 3; i++) {
        assert_true(i == 0 || buf_add_byte(&out, '.') == HO_OK);
        if (parts[i][0] == '!') {
            assert_int_equal(buf_add_str(&out, parts[i] + 1), HO_OK);
        } else {
            add_part(&out, span_of(parts[i]));
        }
    }
    (void)snprintf(place, sizeof place, "%s", buf_cstr(&out));
    buf_free(&out);
    return place;
}

static void takes_only_whole_tokens_of_allowed_algorithms(void **state)
{
    static const struct {
        const char *header, *payload, *sig;
        unsigned allowed;
        bool detached;
        enum ho_code want;
    } rows[] = {
        {"{\"alg\":\"HS256\"}", "{}", "s", ALL, false, HO_OK},
        {"{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"k\"}", "{\"a\":1}", "s", ALL, false, HO_OK},
        {"{\"alg\":\"EdDSA\"}", "{}", "s", BIT(JOSE_EDDSA), false, HO_OK},
        {"{\"alg\":\"RS512\"}", "!", "s", BIT(JOSE_RS512), true, HO_OK},
        /* Algorithms: what is not allowed is nothing, however it is spelled. */
        {"{\"alg\":\"HS256\"}", "{}", "s", BIT(JOSE_RS256), false, HO_PERMANENT},
        {"{\"alg\":\"RS256\"}", "{}", "s", BIT(JOSE_HS256), false, HO_PERMANENT},
        {"{\"alg\":\"none\"}", "{}", "s", ALL, false, HO_PERMANENT},
        {"{\"alg\":\"None\"}", "{}", "s", ALL, false, HO_PERMANENT},
        {"{\"alg\":\"NONE\"}", "{}", "!", ALL, false, HO_REJECT},
        {"{\"alg\":\"none\"}", "{}", "!", ALL, false, HO_REJECT},
        {"{\"alg\":\"hs256\"}", "{}", "s", ALL, false, HO_PERMANENT},
        {"{\"alg\":\"HS256 \"}", "{}", "s", ALL, false, HO_PERMANENT},
        {"{\"alg\":\"HS256\\u0000\"}", "{}", "s", ALL, false, HO_PERMANENT},
        {"{\"alg\":\"\"}", "{}", "s", ALL, false, HO_PERMANENT},
        {"{\"alg\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}", "{}", "s", ALL, false,
         HO_PERMANENT},
        {"{\"alg\":[\"HS256\"]}", "{}", "s", ALL, false, HO_REJECT},
        {"{\"alg\":256}", "{}", "s", ALL, false, HO_REJECT},
        {"{\"ALG\":\"HS256\"}", "{}", "s", ALL, false, HO_REJECT},
        {"{}", "{}", "s", ALL, false, HO_REJECT},
        {"{\"alg\":\"none\",\"alg\":\"HS256\"}", "{}", "s", ALL, false, HO_OK}, /* the last counts */
        /* Parts. */
        {"[\"HS256\"]", "{}", "s", ALL, false, HO_REJECT},
        {"\"HS256\"", "{}", "s", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\"", "{}", "s", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\"}x", "{}", "s", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\"}", "[]", "s", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\"}", "1", "s", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\"}", "{", "s", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\"}", "!", "s", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\"}", "{}", "s", ALL, true, HO_REJECT},
        {"!", "{}", "s", ALL, false, HO_REJECT},
        {"!e30", "!e30.e30", "s", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\"}", "{}", "!a.b", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\"}", "{}", "!YQ==", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\"}", "{}", "!YR", ALL, false, HO_REJECT}, /* unused bits */
        {"{\"alg\":\"HS256\"}", "{}", "!a+/a", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\"}", "!e30=", "s", ALL, false, HO_REJECT},
        {"!eyJhbGciOiJIUzI1NiJ9=", "{}", "s", ALL, false, HO_REJECT},
        {"! eyJhbGciOiJIUzI1NiJ9", "{}", "s", ALL, false, HO_REJECT},
        /* What is critical must be understood. */
        {"{\"alg\":\"HS256\",\"crit\":[]}", "{}", "s", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\",\"crit\":[\"exp\"],\"exp\":1}", "{}", "s", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\",\"crit\":[\"b64\"],\"b64\":false}", "{}", "s", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\",\"crit\":null}", "{}", "s", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\",\"b64\":false}", "{}", "s", ALL, false, HO_REJECT},
        {"{\"alg\":\"HS256\",\"b64\":true}", "{}", "s", ALL, false, HO_OK},
        {"{\"alg\":\"HS256\",\"b64\":false}", "!", "s", ALL, true, HO_REJECT},
        {"{\"alg\":\"HS256\",\"crit\":[\"b64\"],\"b64\":false}", "!", "s", ALL, true, HO_OK},
        {"{\"alg\":\"HS256\",\"crit\":[\"b64\"],\"b64\":true}", "!", "s", ALL, true, HO_OK},
        {"{\"alg\":\"HS256\",\"crit\":[\"b64\"],\"b64\":0}", "!", "s", ALL, true, HO_REJECT},
        {"{\"alg\":\"HS256\",\"crit\":[\"b64\"]}", "!", "s", ALL, true, HO_REJECT},
        {"{\"alg\":\"HS256\",\"crit\":[\"b64\",\"x\"],\"b64\":false}", "!", "s", ALL, true, HO_REJECT},
        {"{\"alg\":\"HS256\",\"crit\":\"b64\",\"b64\":false}", "!", "s", ALL, true, HO_REJECT},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *text = assemble(rows[i].header, rows[i].payload, rows[i].sig);
        struct ho_err err;
        struct jwt t;
        ho_err_clear(&err);
        enum ho_code got = jwt_parse(span_of(text), rows[i].allowed, rows[i].detached, &t, &err);
        if (got != rows[i].want) {
            fail_msg("case %zu: %d %s", i, (int)got, err.text);
        }
        if (got == HO_OK) {
            ROW(i, (t.claims == NULL) == rows[i].detached);
            ROW(i, span_is(buf_span(&t.sig), rows[i].sig));
        } else {
            ROW(i, err.text[0] != '\0');
        }
        jwt_free(&t);
    }
}

static void says_what_is_signed_and_how(void **state)
{
    static const char raw[] = "{\"alg\":\"HS256\",\"crit\":[\"b64\"],\"b64\":false}";
    struct jwt t;
    (void)state;
    const char *text = assemble("{\"alg\":\"RS384\"}", "{\"a\":[1]}", "\xff\xfe");
    assert_int_equal(jwt_parse(span_of(text), ALL, false, &t, NULL), HO_OK);
    assert_int_equal(t.alg, JOSE_RS384);
    assert_true(span_is(t.signing, "eyJhbGciOiJSUzM4NCJ9.eyJhIjpbMV19"));
    assert_int_equal(json_kind_of(json_at(t.claims, SPAN_LIT("/a/0"))), JSON_INT);
    assert_false(t.raw);
    jwt_free(&t);
    jwt_free(&t); /* twice is fine */

    text = assemble("{\"alg\":\"HS256\"}", "!", "s");
    assert_int_equal(jwt_parse(span_of(text), ALL, true, &t, NULL), HO_OK);
    assert_true(span_is(t.signing, "eyJhbGciOiJIUzI1NiJ9") && !t.raw);
    jwt_free(&t);
    assert_int_equal(jwt_parse(span_of(assemble(raw, "!", "s")), ALL, true, &t, NULL), HO_OK);
    assert_true(t.raw);
    jwt_free(&t);
}

/* A payload of 49,131 bytes, and as long a signature as is needed. */
static void bounds_the_length(void **state)
{
    static char payload[49132];
    static char text[JWT_MAX + 2];
    struct buf made;
    (void)state;
    memset(payload, ' ', sizeof payload - 1);
    payload[0] = '{';
    payload[sizeof payload - 2] = '}';
    buf_init(&made, JWT_MAX);
    add_part(&made, SPAN_LIT("{\"alg\":\"HS256\"}"));
    assert_int_equal(buf_add_byte(&made, '.'), HO_OK);
    add_part(&made, span_of(payload));
    assert_int_equal(buf_add_byte(&made, '.'), HO_OK);
    memset(text, 'A', sizeof text);
    memcpy(text, made.p, made.len);
    for (size_t over = 0; over <= 1; over++) {
        struct jwt t;
        assert_int_equal(jwt_parse(span_make(text, JWT_MAX + over), ALL, false, &t, NULL),
                         over == 0 ? HO_OK : HO_REJECT);
        jwt_free(&t);
    }
    buf_free(&made);
}

static void knows_its_algorithms(void **state)
{
    (void)state;
    for (enum jose_alg a = JOSE_HS256; a < JOSE_N; a++) {
        assert_int_equal(jose_alg_of(span_of(jose_alg_word(a))), a);
        assert_int_equal(jose_is_shared(a), jose_alg_word(a)[0] == 'H');
    }
    assert_int_equal(jose_alg_of(SPAN_LIT("none")), JOSE_N);
    assert_int_equal(jose_alg_of(SPAN_LIT("")), JOSE_N);
    assert_int_equal(jose_digest(JOSE_RS384), MAC_SHA384);
    assert_int_equal(jose_digest(JOSE_HS512), MAC_SHA512);
    assert_int_equal(jose_kind(JOSE_ES256), SIG_ECDSA);
    assert_int_equal(jose_kind(JOSE_EDDSA), SIG_ED25519);
    assert_int_equal(jose_kind(JOSE_RS256), SIG_RSA);
}

/* now is 1790000000.5; a minute of leeway both ways. */
static void holds_the_window(void **state)
{
    static const struct {
        const char *claims;
        int want;
    } rows[] = {
        {"{}", 0},
        {"{\"iat\":1}", 0},
        {"{\"exp\":1790000001}", 0},
        {"{\"exp\":1789999941}", 0},
        {"{\"exp\":1789999940}", 1},
        {"{\"exp\":0}", 1},
        {"{\"exp\":-5}", 1},
        {"{\"exp\":1789999941.9}", 0},
        {"{\"exp\":1789999940.9}", 1},
        {"{\"nbf\":1790000000}", 0},
        {"{\"nbf\":1790000060}", 0},
        {"{\"nbf\":1790000061}", -1},
        {"{\"nbf\":-1}", 0},
        {"{\"exp\":1789999940,\"nbf\":1790000061}", 1},
        {"{\"exp\":\"1790000001\"}", 2},
        {"{\"exp\":null}", 2},
        {"{\"exp\":true}", 2},
        {"{\"exp\":[1790000001]}", 2},
        {"{\"exp\":1.79e9}", 2},
        {"{\"exp\":99999999999999999999999}", 2},
        {"{\"nbf\":\"soon\"}", 2},
        {"{\"nbf\":{}}", 2},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct json *claims;
        assert_int_equal(json_parse(span_of(rows[i].claims), &claims, NULL), HO_OK);
        int got = jwt_window(claims, INT64_C(1790000000500000));
        if (got != rows[i].want) {
            fail_msg("case %zu: %d", i, got);
        }
        json_free(claims);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_only_whole_tokens_of_allowed_algorithms),
        cmocka_unit_test(says_what_is_signed_and_how),
        cmocka_unit_test(bounds_the_length),
        cmocka_unit_test(knows_its_algorithms),
        cmocka_unit_test(holds_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
