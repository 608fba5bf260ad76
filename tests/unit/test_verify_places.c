/* Signatures wherever they stand, and other mechanisms than one HMAC in one header. */
#include "edge_own.h"
#include "edge_posted.h"

#define SOURCE(name) "[source " name "]\nprovider = " name "\nsecret = file:a\n"
#define SOURCES \
    SOURCE("places") SOURCE("inside") SOURCE("whole") SOURCE("first") SOURCE("behind") \
    SOURCE("token") SOURCE("query") SOURCE("basic") SOURCE("digest") SOURCE("url") \
    SOURCE("comma") SOURCE("semicolon") SOURCE("bare") SOURCE("plain") \
    "[hookonce]\nrecipes = own.conf\n"

#define ID "id = {body|sha256|hex}\n"
#define OWN \
    "[recipe places]\nsig = header:x-sig query:sig header:x-old|strip:old-|lower\n" \
    "alg = hmac-sha256\nenc = hex\nsigned = {body}\n" ID \
    "[recipe inside]\nweak = fields\nsig = json:/meta/sig form:sig\nalg = hmac-sha256\nenc = hex\n" \
    "signed = {ts}.{json:/amount}.{json:/live} ?? {ts}.{form:amount}\n" \
    "time = json:/meta/at ?? form:at ; s ; 300\nid = {json:/meta/id} ?? {form:id}\n" \
    "[recipe whole]\nweak = token\nsig = body\nalg = equal\nenc = raw\n" ID \
    "[recipe first]\nsig = header:x-sig ; strip v1: ; list comma ; first at nonce\n" \
    "alg = hmac-sha256\nenc = hex\nsigned = {sig.nonce}{ts}{body}\ntime = sig.at ; ms ; 60\n" ID \
    "[recipe behind]\nsig = header:x-sig ; list amp ; behind |\nalg = hmac-sha1\nenc = hex\n" \
    "signed = {body}\n" ID \
    "[recipe comma]\nsig = header:x-sig ; list comma ; pair eq v1\nalg = hmac-sha256\n" \
    "enc = hex\nsigned = {ts}.{body}\ntime = sig.t ; s ; 300\n" ID \
    "[recipe semicolon]\nlike = comma\nsig = header:x-sig ; list semicolon ; pair eq v1\n" \
    "[recipe bare]\nlike = comma\nsig = header:x-sig ; list bare-comma ; pair eq v1\n" \
    "[recipe plain]\nsig = header:x-sig\nalg = hmac-sha256\nenc = hex\nsigned = {body}\n" ID \
    "[recipe token]\nweak = token\nsig = header:x-token header:authorization|strip:Bearer|trim\n" \
    "alg = equal\nenc = raw\n" ID \
    "[recipe query]\nweak = token\nsig = query:token\nalg = equal\nenc = raw\n" ID \
    "[recipe basic]\nweak = token\nsig = header:authorization ; strip Basic\nalg = equal\n" \
    "enc = base64\n" ID \
    "[recipe digest]\nsig = header:x-sig\nalg = digest-sha512\nenc = base64url\n" \
    "signed = {body}{secret}\n" ID \
    "[recipe url]\nsig = header:x-sig\nalg = hmac-sha256\nenc = hex\nsigned = {method}{url}{body}\n" \
    ID

static int load_site(void **state)
{
    return load_own(state, "user:key-a\n", OWN, SOURCES);
}

#define KEY "user:key-a"
#define BODY SPAN_LIT("{\"a\":1}")

static const struct endpoint *at(const char *source)
{
    return site_endpoint(all, source);
}

static void counts_every_place_that_is_there(void **state)
{
    const char *good = hex_mac(MAC_SHA256, KEY, "", "", BODY);
    const char *bad = hex_mac(MAC_SHA256, "other", "", "", BODY);
    struct request r;
    (void)state;
    posted(&r, JSON, "x-sig", good, BODY);
    expect(0, at("places"), &r, REASON_OK);
    posted(&r, JSON, "x-sig", bad, BODY);
    expect(1, at("places"), &r, REASON_SIGNATURE);
    r.query = span_of(text("x=1&sig=%s", good));
    expect(2, at("places"), &r, REASON_OK); /* the other place */
    r.query = span_of(text("sig=%s&sig=%s", good, good));
    expect(3, at("places"), &r, REASON_HEADER_DUPLICATE);
    posted(&r, JSON, NULL, NULL, BODY);
    expect(4, at("places"), &r, REASON_HEADER_MISSING);
    r.query = SPAN_LIT("sig=");
    expect(5, at("places"), &r, REASON_HEADER_MISSING);
    r.query = span_of(text("sig=%s", good));
    expect(6, at("places"), &r, REASON_OK);
    posted(&r, JSON, "x-old", text("old-%s", good), BODY);
    expect(7, at("places"), &r, REASON_OK);
    posted(&r, JSON, "x-old", good, BODY);
    expect(8, at("places"), &r, REASON_HEADER_MISSING);
}

static void finds_signature_time_and_content_in_the_body(void **state)
{
    const char *good = hex_mac(MAC_SHA256, KEY, "1790000000.1.50", ".", SPAN_LIT("true"));
    const struct {
        const char *sig, *at, *amount, *live;
        enum reason want;
    } rows[] = {
        {good, "1790000000", "1.50", "true", REASON_OK}, /* a number as it was written */
        {good, "\"1790000000\"", "\"1.50\"", "true", REASON_OK},
        {good, "1790000000", "1.5", "true", REASON_SIGNATURE},
        {good, "1790000000", "1.50", "false", REASON_SIGNATURE},
        {good, "1790000000", "1.50", "null", REASON_HEADER_MISSING},
        {good, "1790000000", "[1.50]", "true", REASON_HEADER_MISSING},
        {good, "1790000001", "1.50", "true", REASON_SIGNATURE},
        {good, "1789999699", "1.50", "true", REASON_STALE},
        {good, "1790000301", "1.50", "true", REASON_FUTURE},
        {good, "1790000000.0", "1.50", "true", REASON_HEADER_MISSING},
        {good, "null", "1.50", "true", REASON_HEADER_MISSING},
        {"zz", "1790000000", "1.50", "true", REASON_HEADER_MALFORMED},
        {"", "1790000000", "1.50", "true", REASON_HEADER_MISSING},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct verify_note note = {.trace = NULL};
        struct request r;
        posted(&r, JSON, NULL, NULL,
               span_of(text("{\"meta\":{\"sig\":\"%s\",\"at\":%s,\"id\":\"i\"},\"amount\":%s,"
                            "\"live\":%s}", rows[i].sig, rows[i].at, rows[i].amount, rows[i].live)));
        expect(i, at("inside"), &r, rows[i].want);
        /* Nothing of it can be told from the head. */
        r.body = SPAN_NONE;
        ROW(i, verify_head(at("inside"), &r, NOW, &note) == REASON_OK);
    }
    struct request r;
    posted(&r, JSON, NULL, NULL, SPAN_LIT("not json"));
    expect(99, at("inside"), &r, REASON_HEADER_MISSING);
}

/* Before the signature is found, anybody may have sent it. */
static void parses_no_end_of_values_to_find_them(void **state)
{
    (void)state;
    for (size_t n = 19999; n <= 20000; n++) {
        struct request r;
        struct buf body;
        buf_init(&body, 65536);
        assert_int_equal(buf_add_str(&body, "["), HO_OK);
        for (size_t i = 1; i <= n; i++) {
            assert_int_equal(buf_add_str(&body, i == 1 ? "{}" : ",{}"), HO_OK);
        }
        assert_int_equal(buf_add_str(&body, "]"), HO_OK);
        posted(&r, JSON, NULL, NULL, buf_span(&body));
        expect(n, at("inside"), &r, n == 19999 ? REASON_HEADER_MISSING : REASON_TOO_MANY);
        buf_free(&body);
    }
    assert_int_equal(reasons[REASON_TOO_MANY].kind, ANSWER_BAD);
}

static void finds_them_in_a_form(void **state)
{
    const char *good = hex_mac(MAC_SHA256, KEY, "1790000000.", "9 &", SPAN_LIT(""));
    const struct {
        const char *type, *body;
        enum reason want;
    } rows[] = {
        {FORM, text("sig=%s&at=1790000000&amount=9+%%26&id=i", good), REASON_OK},
        {FORM, text("id=i&amount=9%%20%%26&at=1790000000&sig=%s", good), REASON_OK},
        {FORM, text("sig=%s&at=1790000000&amount=9&id=i", good), REASON_SIGNATURE},
        {FORM, text("sig=%s&at=1790000000&amount=9+%%26&amount=8&id=i", good),
         REASON_HEADER_DUPLICATE},
        {FORM, text("sig=%s&sig=%s&at=1790000000&amount=9+%%26&id=i", good, good),
         REASON_HEADER_DUPLICATE},
        {FORM, text("sig=%s&at=1790000000&at=1790000000&amount=9+%%26&id=i", good),
         REASON_HEADER_DUPLICATE},
        {JSON, text("sig=%s&at=1790000000&amount=9+%%26&id=i", good), REASON_OK},
        {"text/plain", text("sig=%s&at=1790000000&amount=9+%%26&id=i", good), REASON_OK},
        {FORM, text("{&sig=%s&at=1790000000&amount=9+%%26&id=i", good), REASON_HEADER_MISSING},
        {FORM, text("{\"meta\":{\"sig\":\"%s\"}}", good), REASON_HEADER_MISSING},
        {"multipart/form-data; boundary=b",
         text("--b\r\nContent-Disposition: form-data; name=\"sig\"\r\n\r\n%s\r\n"
              "--b\r\nContent-Disposition: form-data; name=\"at\"\r\n\r\n1790000000\r\n"
              "--b\r\nContent-Disposition: form-data; name=\"amount\"\r\n\r\n9 &\r\n"
              "--b\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\ni\r\n--b--\r\n", good),
         REASON_OK},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        posted(&r, rows[i].type, NULL, NULL, span_of(rows[i].body));
        expect(i, at("inside"), &r, rows[i].want);
    }
}

static void takes_values_apart_by_place_and_mark(void **state)
{
    const char *good = hex_mac(MAC_SHA256, KEY, "n", "1790000000000", BODY);
    const char *sha1 = hex_mac(MAC_SHA1, KEY, "", "", BODY);
    const struct {
        const char *source, *value;
        enum reason want;
    } rows[] = {
        {"first", text("v1:1790000000000,n,%s", good), REASON_OK},
        {"first", text("v1: 1790000000000,n,00,%s", good), REASON_OK},
        {"first", text("1790000000000,n,%s", good), REASON_NO_ACCEPTABLE_SIG},
        {"first", text("v1:n,1790000000000,%s", good), REASON_HEADER_MALFORMED},
        {"first", text("v1:,n,%s", good), REASON_HEADER_MALFORMED},
        {"first", text("v1:1790000000000,,%s", good), REASON_HEADER_MALFORMED},
        {"first", text("v1:1790000000000,n"), REASON_NO_ACCEPTABLE_SIG},
        {"first", text("v1:1790000000000,%s", good), REASON_NO_ACCEPTABLE_SIG},
        {"first", text("v1:1789999939999,n,%s", good), REASON_STALE},
        {"behind", text("me|%s", sha1), REASON_OK},
        {"behind", text("|%s", sha1), REASON_OK},
        {"behind", text("you|00&me|%s", sha1), REASON_OK},
        {"behind", sha1, REASON_NO_ACCEPTABLE_SIG},
        {"behind", text("me|%s|x", sha1), REASON_HEADER_MALFORMED},
        {"behind", "me|", REASON_HEADER_MALFORMED},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        posted(&r, JSON, "x-sig", rows[i].value, BODY);
        expect(i, at(rows[i].source), &r, rows[i].want);
    }
}

/* Blanks around entries, where a list has commas or semicolons as most headers have them; what a
 * server joined is no list where the recipe has none. */
static void drops_blanks_around_the_entries_of_a_list(void **state)
{
    const char *good = hex_mac(MAC_SHA256, KEY, "1790000000.", "", BODY);
    const char *plain = hex_mac(MAC_SHA256, KEY, "", "", BODY);
    const struct {
        const char *source, *value;
        enum reason want;
    } rows[] = {
        {"comma", text("t=1790000000,v1=%s", good), REASON_OK},
        {"comma", text("t=1790000000, v1=%s", good), REASON_OK},
        {"comma", text("t=1790000000 ,\tv1=%s , v0=x", good), REASON_OK},
        {"comma", text("t=1790000000, v1=00, v1=%s", good), REASON_OK},
        {"comma", text("t=1790000000, v 1=00, v1=%s", good), REASON_HEADER_MALFORMED},
        {"comma", text("t=1790000000, =00, v1=%s", good), REASON_HEADER_MALFORMED},
        {"comma", text("t=1790000000, t=1790000001, v1=%s", good), REASON_HEADER_MALFORMED},
        {"comma", text("t= 1790000000, v1=%s", good), REASON_HEADER_MALFORMED},
        {"semicolon", text("t=1790000000; v1=%s", good), REASON_OK},
        {"semicolon", text("t=1790000000;v1=%s", good), REASON_OK},
        {"semicolon", text("t=1790000000;v1=%s, t=1790000000;v1=%s", good, good),
         REASON_HEADER_DUPLICATE},
        {"bare", text("t=1790000000,v1=%s", good), REASON_OK},
        {"bare", text("t=1790000000, v1=%s", good), REASON_HEADER_MALFORMED},
        {"bare", text("t=1790000000,v1=%s, t=1790000000,v1=%s", good, good),
         REASON_HEADER_MALFORMED},
        {"plain", plain, REASON_OK},
        {"plain", text("%s, %s", plain, plain), REASON_HEADER_DUPLICATE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        posted(&r, JSON, "x-sig", rows[i].value, BODY);
        expect(i, at(rows[i].source), &r, rows[i].want);
    }
}

static void compares_tokens_whole(void **state)
{
    static const struct {
        const char *source, *name, *value, *query, *body;
        enum reason want;
    } rows[] = {
        {"token", "x-token", KEY, "", "{}", REASON_OK},
        {"token", "authorization", "Bearer " KEY, "", "{}", REASON_OK},
        {"token", "authorization", "Basic " KEY, "", "{}", REASON_HEADER_MISSING},
        {"token", "authorization", KEY, "", "{}", REASON_HEADER_MISSING},
        {"token", "x-token", KEY "x", "", "{}", REASON_SIGNATURE},
        {"token", "x-token", "user:key-", "", "{}", REASON_SIGNATURE},
        {"token", "x-token", "user:key-A", "", "{}", REASON_SIGNATURE},
        {"token", "x-token", KEY ", " KEY, "", "{}", REASON_HEADER_DUPLICATE},
        {"token", "x-token", "", "", "{}", REASON_HEADER_MISSING},
        {"query", NULL, NULL, "token=user%3Akey-a", "{}", REASON_OK},
        {"query", NULL, NULL, "token=user:key-a&x=1", "{}", REASON_OK},
        {"query", NULL, NULL, "Token=user:key-a", "{}", REASON_HEADER_MISSING},
        {"query", NULL, NULL, "token=user:key", "{}", REASON_SIGNATURE},
        {"query", NULL, NULL, "", "{}", REASON_HEADER_MISSING},
        {"basic", "authorization", "Basic dXNlcjprZXktYQ==", "", "{}", REASON_OK},
        {"basic", "authorization", "Basic  dXNlcjprZXktYQ==", "", "{}", REASON_OK},
        {"basic", "authorization", "Basic dXNlcjprZXktYg==", "", "{}", REASON_SIGNATURE},
        {"basic", "authorization", "Basic dXNlcjprZXktYQ", "", "{}", REASON_HEADER_MALFORMED},
        {"basic", "authorization", "Bearer dXNlcjprZXktYQ==", "", "{}", REASON_NO_ACCEPTABLE_SIG},
        {"whole", NULL, NULL, "", KEY, REASON_OK},
        {"whole", NULL, NULL, "", KEY "\n", REASON_SIGNATURE},
        {"whole", NULL, NULL, "", "", REASON_EMPTY_BODY},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        posted(&r, JSON, rows[i].name, rows[i].value, span_of(rows[i].body));
        r.query = span_of(rows[i].query);
        expect(i, at(rows[i].source), &r, rows[i].want);
    }
}

static void digests_the_secret_with_the_content(void **state)
{
    const struct span parts[] = {BODY, SPAN_LIT(KEY)};
    unsigned char digest[MAC_MAX];
    struct request r;
    struct buf value;
    (void)state;
    mac_digest(MAC_SHA512, parts, 2, digest);
    buf_init(&value, 200);
    assert_int_equal(text_base64url(span_make(digest, 64), &value), HO_OK);
    posted(&r, JSON, "x-sig", buf_cstr(&value), BODY);
    expect(0, at("digest"), &r, REASON_OK);
    r.body = SPAN_LIT("{\"a\":2}");
    expect(1, at("digest"), &r, REASON_SIGNATURE);
    mac_digest(MAC_SHA512, parts, 1, digest); /* anybody can make that */
    buf_clear(&value);
    assert_int_equal(text_base64url(span_make(digest, 64), &value), HO_OK);
    posted(&r, JSON, "x-sig", buf_cstr(&value), BODY);
    expect(2, at("digest"), &r, REASON_SIGNATURE);
    buf_free(&value);
}

/* Without a URL of its own, the source's is what the request says. */
static void tries_the_spellings_of_the_url(void **state)
{
    static const struct {
        const char *url;
        enum reason want;
    } rows[] = {
        {"https://h.example/hook/url?a=1", REASON_OK},
        {"https://h.example:443/hook/url?a=1", REASON_OK},
        {"http://h.example/hook/url?a=1", REASON_SIGNATURE},
        {"https://h.example/hook/url", REASON_SIGNATURE},
        {"https://other.example/hook/url?a=1", REASON_SIGNATURE},
        {"", REASON_SIGNATURE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        posted(&r, "x", NULL, NULL, BODY);
        add_header(&r, "host", "h.example");
        add_header(&r, "x-sig", hex_mac(MAC_SHA256, KEY, "POST", rows[i].url, BODY));
        r.target = SPAN_LIT("/hook/url?a=1");
        r.path = SPAN_LIT("/hook/url");
        r.query = SPAN_LIT("a=1");
        r.https = true;
        expect(i, at("url"), &r, rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_every_place_that_is_there),
        cmocka_unit_test(finds_signature_time_and_content_in_the_body),
        cmocka_unit_test(parses_no_end_of_values_to_find_them),
        cmocka_unit_test(finds_them_in_a_form),
        cmocka_unit_test(takes_values_apart_by_place_and_mark),
        cmocka_unit_test(drops_blanks_around_the_entries_of_a_list),
        cmocka_unit_test(compares_tokens_whole),
        cmocka_unit_test(digests_the_secret_with_the_content),
        cmocka_unit_test(tries_the_spellings_of_the_url),
    };
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
