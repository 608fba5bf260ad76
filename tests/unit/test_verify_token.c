/* Tokens that come with a delivery: JWTs with claims that are held against it, and detached ones. */
#include "edge_tokens.h"

#include "base/cache.h"

#define T INT64_C(1790000000)
#define EVENT SPAN_LIT("{\"id\":\"evt_1\"}")
#define JWKS "https://keys.example.com/jwks"

#define SOURCES \
    "[source hs]\nprovider = hs\nsecret = file:a\nsecret = file:b\n" \
    "[source rs]\nprovider = rs\nsecret = file:rsa0\n" \
    "[source any]\nprovider = any\nsecret = file:rsa0\nsecret = file:ec0\nsecret = file:ed0\n" \
    "[source bound]\nprovider = bound\nsecret = file:a\nurl = https://x.example/hook?a=1\n" \
    "[source whole]\nprovider = whole\nsecret = file:a\n" \
    "[source jws]\nprovider = jws\nsecret = file:rsa0\n" \
    "[source jwshs]\nprovider = jwshs\nsecret = file:a\n" \
    "[source jwks]\nprovider = jwks\n" \
    "[hookonce]\nrecipes = own.conf\n"

#define OWN \
    "[recipe hs]\nweak = body\nsig = header:authorization ; strip Bearer\nalg = jwt HS256 HS512\n" \
    "id = {claim:jti} ?? {body|sha256|hex}\n" \
    "[recipe rs]\nlike = hs\nalg = jwt RS256\n" \
    "[recipe any]\nlike = hs\nalg = jwt RS256 RS384 RS512 ES256 EdDSA\n" \
    "[recipe bound]\nsig = header:authorization ; strip Bearer\nalg = jwt HS256\n" \
    "check = {claim:iss} == me\ncheck = {claim:url} == {url|sha256|hex}\n" \
    "check = {claim:sha} == {body|sha256|hex} ; if body\ncheck = {jose:typ} == JWT\n" \
    "time = claim:iat ; s ; 300\nid = {claim:jti}\n" \
    "[recipe whole]\nlike = hs\nweak = none\nsig = body\nid = {claim:jti}\ntype = {claim:what}\n" \
    "at = claim:iat ; s\n" \
    "[recipe jws]\nsig = header:x-jws\nalg = jws RS256 RS512\nsigned = {body}\nid = {json:/id}\n" \
    "[recipe jwshs]\nlike = jws\nalg = jws HS256\nsigned = {header:x-a}.{body}\n" \
    "[recipe jwks]\nlike = hs\nalg = jwt RS256 ES256\nkeys = jwks " JWKS " ; kid jose:kid\n"

static struct endpoints *all;

static int load_site(void **state)
{
    int rc = site_start(state);
    if (rc == 0) {
        site_secret("a", "key-a\n");
        site_secret("b", "key-b\n");
        site_write("rsa0", buf_span(&keys_of(SIG_RSA, 0)->public_pem), 0600);
        site_write("ec0", buf_span(&keys_of(SIG_ECDSA, 0)->public_pem), 0600);
        site_write("ed0", buf_span(&keys_of(SIG_ED25519, 0)->public_pem), 0600);
        site_secret("own.conf", OWN);
        all = site_load(SOURCES);
    }
    return rc;
}

static int drop_site(void **state)
{
    endpoints_free(all);
    keys_free();
    return site_end(state);
}

static void bearer(struct request *r, const char *text, struct span body)
{
    static char value[8192];
    static struct pair headers[2];
    (void)snprintf(value, sizeof value, "Bearer %s", text);
    headers[0] = (struct pair){"authorization", value};
    headers[1] = (struct pair){NULL, NULL};
    post(r, headers, body);
}

static enum reason judged(const char *source, const char *text)
{
    struct request r;
    bearer(&r, text, EVENT);
    return judge(site_endpoint(all, source), &r, NOW, NULL, NULL);
}

static void expect(size_t i, enum reason got, enum reason want)
{
    if (got != want) {
        fail_msg("case %zu: %s, want %s", i, reasons[got].word, reasons[want].word);
    }
}

static void holds_to_the_algorithms_of_the_recipe(void **state)
{
    static const struct {
        const char *source, *header;
        enum jose_alg signer;
        const char *key;
        enum reason want;
    } rows[] = {
        {"hs", "{\"alg\":\"HS256\"}", JOSE_HS256, "key-a", REASON_OK},
        {"hs", "{\"alg\":\"HS512\"}", JOSE_HS512, "key-b", REASON_OK},
        {"hs", "{\"alg\":\"HS384\"}", JOSE_HS384, "key-a", REASON_NO_ACCEPTABLE_SIG},
        {"hs", "{\"alg\":\"HS256\"}", JOSE_HS512, "key-a", REASON_SIGNATURE},
        {"hs", "{\"alg\":\"HS256\"}", JOSE_HS256, "key-c", REASON_SIGNATURE},
        {"hs", "{\"alg\":\"HS256\"}", JOSE_HS256, "", REASON_SIGNATURE},
        {"hs", "{\"alg\":\"none\"}", JOSE_HS256, "key-a", REASON_NO_ACCEPTABLE_SIG},
        {"hs", "{\"alg\":\"RS256\"}", JOSE_RS256, NULL, REASON_NO_ACCEPTABLE_SIG},
        {"hs", "{}", JOSE_HS256, "key-a", REASON_HEADER_MALFORMED},
        {"rs", "{\"alg\":\"RS256\"}", JOSE_RS256, NULL, REASON_OK},
        {"rs", "{\"alg\":\"RS256\"}", JOSE_RS512, NULL, REASON_SIGNATURE},
        {"rs", "{\"alg\":\"RS512\"}", JOSE_RS512, NULL, REASON_NO_ACCEPTABLE_SIG},
        {"any", "{\"alg\":\"RS256\"}", JOSE_RS256, NULL, REASON_OK},
        {"any", "{\"alg\":\"RS384\"}", JOSE_RS384, NULL, REASON_OK},
        {"any", "{\"alg\":\"RS512\"}", JOSE_RS512, NULL, REASON_OK},
        {"any", "{\"alg\":\"ES256\"}", JOSE_ES256, NULL, REASON_OK},
        {"any", "{\"alg\":\"EdDSA\"}", JOSE_EDDSA, NULL, REASON_OK},
        {"any", "{\"alg\":\"RS256\"}", JOSE_ES256, NULL, REASON_SIGNATURE},
        {"any", "{\"alg\":\"EdDSA\"}", JOSE_RS256, NULL, REASON_SIGNATURE},
        {"any", "{\"alg\":\"HS256\"}", JOSE_HS256, "key-a", REASON_NO_ACCEPTABLE_SIG},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        expect(i, judged(rows[i].source, token(rows[i].header, "{}", rows[i].signer, rows[i].key, 0)),
               rows[i].want);
    }
}

/* The known mistake: the public key as it lies about, taken for the secret of an HS token. */
static void takes_no_public_key_for_a_secret(void **state)
{
    char *pem = ho_strdup(buf_cstr(&keys_of(SIG_RSA, 0)->public_pem));
    (void)state;
    for (size_t trimmed = 0; trimmed <= 1; trimmed++) {
        expect(trimmed, judged("rs", token("{\"alg\":\"HS256\"}", "{}", JOSE_HS256, pem, 0)),
               REASON_NO_ACCEPTABLE_SIG);
        expect(trimmed, judged("rs", token("{\"alg\":\"RS256\"}", "{}", JOSE_HS256, pem, 0)),
               REASON_SIGNATURE);
        /* Not even a recipe of HS tokens would take a key that is known to be public. */
        struct endpoint mixed = *site_endpoint(all, "rs");
        struct request r;
        mixed.recipe = site_endpoint(all, "hs")->recipe;
        bearer(&r, token("{\"alg\":\"HS256\"}", "{}", JOSE_HS256, pem, 0), EVENT);
        expect(trimmed, judge(&mixed, &r, NOW, NULL, NULL), REASON_SIGNATURE);
        pem[strlen(pem) - 1] = '\0';
    }
    free(pem);
}

/* Neither text nor signature may be anything else. */
static void notices_every_changed_byte(void **state)
{
    const char *good = token("{\"alg\":\"HS256\"}", "{\"jti\":\"a\",\"n\":1}", JOSE_HS256, "key-a", 0);
    size_t let_in = 0;
    (void)state;
    for (size_t i = 0; i < strlen(good); i++) {
        char changed[512];
        (void)snprintf(changed, sizeof changed, "%s", good);
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        let_in += strcmp(changed, good) != 0 && judged("hs", changed) == REASON_OK;
    }
    assert_int_equal(let_in, 0);
    assert_int_equal(judged("hs", good), REASON_OK);
}

static const char *sha_hex(struct span text)
{
    static char places[4][2 * SHA256_LEN + 1];
    static unsigned turn;
    unsigned char digest[SHA256_LEN];
    char *place = places[turn++ % COUNT(places)];
    mac_sha256(text, digest);
    text_hex(digest, sizeof digest, place);
    return place;
}

static void holds_claims_against_the_request(void **state)
{
    const char *sha = sha_hex(EVENT);
    const char *url = sha_hex(SPAN_LIT("https://x.example/hook?a=1"));
    const char *port = sha_hex(SPAN_LIT("https://x.example:443/hook?a=1"));
    const char *zeros = sha_hex(SPAN_LIT(""));
    const struct {
        const char *header, *iss, *url, *sha, *times;
        enum reason want;
    } rows[] = {
        {"JWT", "me", url, sha, "\"iat\":1790000000", REASON_OK},
        {"JWT", "me", port, sha, "\"iat\":1790000000", REASON_OK}, /* another spelling of the URL */
        {"JWT", "me", url, sha, "\"iat\":1789999700", REASON_OK},
        {"JWT", "me", url, sha, "\"iat\":1789999699", REASON_STALE},
        {"JWT", "me", url, sha, "\"iat\":1790000301", REASON_FUTURE},
        {"JWT", "me", url, sha, "\"x\":1", REASON_HEADER_MISSING},
        {"JWT", "me", url, sha, "\"iat\":\"now\"", REASON_HEADER_MALFORMED},
        {"JWT", "me", url, sha, "\"iat\":1790000000,\"exp\":1789999000", REASON_STALE},
        {"JWT", "me", url, sha, "\"iat\":1790000000,\"nbf\":1790001000", REASON_FUTURE},
        {"JWT", "me", url, sha, "\"iat\":1790000000,\"exp\":\"never\"", REASON_HEADER_MALFORMED},
        {"JWT", "me", url, sha, "\"iat\":1790000000,\"exp\":1790000001", REASON_OK},
        {"JWT", "you", url, sha, "\"iat\":1790000000", REASON_CHECK},
        {"JWT", "", url, sha, "\"iat\":1790000000", REASON_CHECK},
        {"JWT", "me", zeros, sha, "\"iat\":1790000000", REASON_CHECK},
        {"JWT", "me", url, zeros, "\"iat\":1790000000", REASON_CHECK},
        {"JWT", "me", url, "", "\"iat\":1790000000", REASON_CHECK},
        {"JOT", "me", url, sha, "\"iat\":1790000000", REASON_CHECK},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char header[100], claims[512];
        struct request r;
        (void)snprintf(header, sizeof header, "{\"alg\":\"HS256\",\"typ\":\"%s\"}", rows[i].header);
        (void)snprintf(claims, sizeof claims,
                       "{\"jti\":\"j\",\"iss\":\"%s\",\"url\":\"%s\",\"sha\":\"%s\",%s}", rows[i].iss,
                       rows[i].url, rows[i].sha, rows[i].times);
        bearer(&r, token(header, claims, JOSE_HS256, "key-a", 0), EVENT);
        r.query = SPAN_LIT("a=1");
        r.target = SPAN_LIT("/hook?a=1");
        expect(i, judge(site_endpoint(all, "bound"), &r, NOW, NULL, NULL), rows[i].want);
        r.body = SPAN_LIT("{\"id\":\"evt_2\"}");
        enum reason other = judge(site_endpoint(all, "bound"), &r, NOW, NULL, NULL);
        ROW(i, other != REASON_OK);
    }
}

static void reads_an_event_out_of_the_token(void **state)
{
    const char *text = token("{\"alg\":\"HS256\"}", "{\"jti\":\"j1\",\"what\":\"a.b\",\"iat\":5}",
                             JOSE_HS256, "key-a", 0);
    static const struct pair none[] = {{NULL, NULL}};
    struct accepted *a;
    struct request r;
    (void)state;
    post(&r, none, span_of(text));
    assert_int_equal(judge(site_endpoint(all, "whole"), &r, NOW, &a, NULL), REASON_OK);
    const struct event *e = accepted_event(a);
    assert_true(span_is(e->id, "j1") && span_is(e->type, "a.b") && span_is(e->document, "none"));
    assert_true(e->has_occurred && e->occurred_us == 5000000);
    accepted_free(a);
    post(&r, none, SPAN_LIT("not a token"));
    assert_int_equal(judge(site_endpoint(all, "whole"), &r, NOW, NULL, NULL),
                     REASON_HEADER_MALFORMED);
    struct verify_note note = {.trace = NULL};
    assert_int_equal(verify_head(site_endpoint(all, "whole"), &r, NOW, &note), REASON_OK);
}

/* ---- detached ---- */

/* The token whose payload is the body as it is, and not as base64url (RFC 7797). */
static const char *raw_token(const char *header, const char *signed_text)
{
    static char place[2048];
    struct buf out, sig;
    buf_init(&out, sizeof place);
    buf_init(&sig, MAC_SIG_MAX);
    add_part(&out, span_of(header));
    const struct span parts[] = {buf_span(&out), SPAN_LIT("."), span_of(signed_text)};
    assert_int_equal(mac_key_sign(keys_of(SIG_RSA, 0)->key, MAC_SHA256, true, parts, 3, &sig),
                     HO_OK);
    int len = snprintf(place, sizeof place, "%s..", buf_cstr(&out));
    buf_clear(&out);
    add_part(&out, buf_span(&sig));
    (void)snprintf(place + len, sizeof place - (size_t)len, "%s", buf_cstr(&out));
    buf_free(&out);
    buf_free(&sig);
    return place;
}

static void signs_the_body_from_beside(void **state)
{
    static const char body[] = "{\"id\":\"evt_1\"}";
    static const char raw[] = "{\"alg\":\"RS256\",\"b64\":false,\"crit\":[\"b64\"]}";
    const char *whole = token("{\"alg\":\"RS256\"}", body, JOSE_RS256, NULL, 0);
    const struct {
        const char *text;
        enum reason want;
    } rows[] = {
        {detach(whole), REASON_OK},
        {detach(token("{\"alg\":\"RS512\",\"kid\":\"x\"}", body, JOSE_RS512, NULL, 0)), REASON_OK},
        {whole, REASON_HEADER_MALFORMED}, /* its own payload would be what was signed */
        {detach(token("{\"alg\":\"RS256\"}", "{\"id\":\"evt_2\"}", JOSE_RS256, NULL, 0)),
         REASON_SIGNATURE},
        {detach(token("{\"alg\":\"RS256\"}", body, JOSE_RS256, NULL, 1)), REASON_SIGNATURE},
        {detach(token("{\"alg\":\"RS256\"}", body, JOSE_RS512, NULL, 0)), REASON_SIGNATURE},
        {detach(token("{\"alg\":\"HS256\"}", body, JOSE_HS256, "key-a", 0)),
         REASON_NO_ACCEPTABLE_SIG},
        {raw_token(raw, body), REASON_OK},
        {detach(token(raw, body, JOSE_RS256, NULL, 0)), REASON_SIGNATURE},
        {detach(token("{\"alg\":\"RS256\",\"crit\":[\"exp\"]}", body, JOSE_RS256, NULL, 0)),
         REASON_HEADER_MALFORMED},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct pair headers[] = {{"x-jws", rows[i].text}, {NULL, NULL}};
        struct request r;
        post(&r, headers, span_of(body));
        expect(i, judge(site_endpoint(all, "jws"), &r, NOW, NULL, NULL), rows[i].want);
    }
}

static void signs_what_the_recipe_says(void **state)
{
    static const char *const values[] = {"a", "b"};
    const char *text =
        detach(token("{\"alg\":\"HS256\"}", "a.{\"id\":\"evt_1\"}", JOSE_HS256, "key-a", 0));
    (void)state;
    for (size_t i = 0; i < COUNT(values); i++) {
        const struct pair headers[] = {{"x-jws", text}, {"x-a", values[i]}, {NULL, NULL}};
        struct request r;
        post(&r, headers, EVENT);
        expect(i, judge(site_endpoint(all, "jwshs"), &r, NOW, NULL, NULL),
               i == 0 ? REASON_OK : REASON_SIGNATURE);
    }
}

/* ---- fetched ---- */

static void picks_a_fetched_key_by_the_tokens_kid(void **state)
{
    static const struct {
        const char *header;
        enum reason want;
    } rows[] = {
        {"{\"alg\":\"ES256\",\"kid\":\"e\"}", REASON_OK},
        {"{\"alg\":\"ES256\",\"kid\":\"other-alg\"}", REASON_SIGNATURE},
        {"{\"alg\":\"ES256\",\"kid\":\"unknown\"}", REASON_SIGNATURE},
        {"{\"alg\":\"ES256\"}", REASON_HEADER_MISSING},
        {"{\"alg\":\"ES256\",\"kid\":[\"e\"]}", REASON_HEADER_MISSING},
        {"{\"alg\":\"HS256\",\"kid\":\"e\"}", REASON_NO_ACCEPTABLE_SIG},
        /* A key that comes with the token is nobody's. */
        {"{\"alg\":\"ES256\",\"kid\":\"unknown\",\"jwk\":{\"kty\":\"EC\"}}", REASON_SIGNATURE},
    };
    struct span pem = buf_span(&keys_of(SIG_ECDSA, 0)->public_pem);
    struct buf text, der, set;
    (void)state;
    buf_init(&text, 1000);
    buf_init(&der, 1000);
    buf_init(&set, 4000);
    while (span_present(pem)) {
        struct span line = span_trim_line(span_cut(&pem, '\n'));
        if (line.len > 0 && line.p[0] != '-') {
            assert_int_equal(buf_add_span(&text, line), HO_OK);
        }
    }
    assert_int_equal(text_unbase64(buf_span(&text), &der), HO_OK);
    assert_int_equal(der.len, 91); /* the last 64 bytes are the point */
    assert_int_equal(buf_add_str(&set, "{\"keys\":["), HO_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(buf_add_str(&set, "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\""), HO_OK);
        add_part(&set, span_sub(buf_span(&der), 27, 32));
        assert_int_equal(buf_add_str(&set, "\",\"y\":\""), HO_OK);
        add_part(&set, span_sub(buf_span(&der), 59, 32));
        assert_int_equal(buf_add_str(&set, i == 0 ? "\",\"kid\":\"e\"},"
                                                  : "\",\"kid\":\"other-alg\",\"alg\":\"RS256\"}]}"),
                         HO_OK);
    }
    expect(99, judged("jwks", token(rows[0].header, "{}", JOSE_ES256, NULL, 0)), REASON_KEY_WANTED);
    assert_int_equal(cache_write(site, span_of(JWKS), buf_span(&set), NULL), HO_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        expect(i, judged("jwks", token(rows[i].header, "{}", JOSE_ES256, NULL, 0)), rows[i].want);
    }
    expect(98, judged("jwks", token(rows[0].header, "{}", JOSE_ES256, NULL, 1)), REASON_SIGNATURE);
    buf_free(&text);
    buf_free(&der);
    buf_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_to_the_algorithms_of_the_recipe),
        cmocka_unit_test(takes_no_public_key_for_a_secret),
        cmocka_unit_test(notices_every_changed_byte),
        cmocka_unit_test(holds_claims_against_the_request),
        cmocka_unit_test(reads_an_event_out_of_the_token),
        cmocka_unit_test(signs_the_body_from_beside),
        cmocka_unit_test(signs_what_the_recipe_says),
        cmocka_unit_test(picks_a_fetched_key_by_the_tokens_kid),
    };
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
