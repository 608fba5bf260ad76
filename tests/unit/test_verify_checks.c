/* What must hold beside the signature: method, algorithm, time, and the recipe's checks. */
#include "edge_own.h"
#include "edge_posted.h"

#define SOURCE(name) "[source " name "]\nprovider = " name "\nsecret = file:a\n"
#define SOURCES \
    SOURCE("ahead") SOURCE("after") SOURCE("post") SOURCE("by") SOURCE("get") SOURCE("dated") SOURCE("tied") SOURCE("late") \
    "param = tenant acme\n" "[hookonce]\nrecipes = own.conf\n"

#define ID "id = {body|sha256|hex}\n"
#define OWN \
    "[recipe post]\nsig = header:x-sig\nalg = hmac-sha256\nenc = hex\nsigned = {body}\n" ID \
    "[recipe by]\nsig = header:x-sig\nalg-by = header:x-alg ; one hmac-sha256 ; two hmac-sha512 ; " \
    "none hmac-md5\nenc = hex\nsigned = {body}\n" ID \
    "[recipe get]\nweak = body\nmethods = GET\nsig = query:sig\nalg = hmac-sha256\nenc = hex\n" \
    "signed = {query:a}|{query:b}\nid = {query:a}\n" \
    "[recipe dated]\nsig = header:x-sig\nalg = hmac-sha256\nenc = hex\nsigned = {ts}{body}\n" \
    "time = header:x-date ; rfc2822 ; 300\n" ID \
    "[recipe ahead]\nsig = header:x-sig\nalg = hmac-sha256\nenc = hex\nsigned = {ts}{body}\n" \
    "time = header:x-t ; ms ; none\n" ID \
    "[recipe after]\nlike = ahead\nsigned = {body}{header:x-t}\n" \
    "[recipe tied]\nsig = header:x-sig\nalg = hmac-sha256\nenc = hex\nsigned = {header:x-digest}\n" \
    "check = {header:x-digest} == {body|sha256|hex} ; if body\n" \
    "check = {json:/live} == true ; unless header:x-test\n" \
    "check = {form:mode} == live ; if form\n" ID \
    "[recipe late]\nparam = tenant the tenant's name\nsig = header:x-sig\nalg = hmac-sha256\n" \
    "enc = hex\nsigned = {body}\ncheck = {json:/tenant|lower} == {param:tenant}\n" \
    "check = {json:/n} == 1.50\n" ID

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

static void lets_the_request_name_only_known_algorithms(void **state)
{
    static const struct {
        const char *name;
        enum mac_alg alg;
        enum reason want;
    } rows[] = {
        {"one", MAC_SHA256, REASON_OK},  {"two", MAC_SHA512, REASON_OK},
        {NULL, MAC_MD5, REASON_OK},      {"one", MAC_SHA512, REASON_SIGNATURE},
        {"two", MAC_MD5, REASON_SIGNATURE}, {NULL, MAC_SHA256, REASON_SIGNATURE},
        {"three", MAC_SHA256, REASON_NO_ACCEPTABLE_SIG},
        {"none", MAC_MD5, REASON_NO_ACCEPTABLE_SIG},
        {"One", MAC_SHA256, REASON_NO_ACCEPTABLE_SIG},
        {"one, two", MAC_SHA256, REASON_HEADER_DUPLICATE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        posted(&r, JSON, "x-sig", hex_mac(rows[i].alg, KEY, "", "", BODY), BODY);
        if (rows[i].name != NULL) {
            add_header(&r, "x-alg", rows[i].name);
        }
        expect(i, at("by"), &r, rows[i].want);
        struct verify_note note = {.trace = NULL};
        enum reason head = verify_head(at("by"), &r, NOW, &note);
        ROW(i, head == (rows[i].want == REASON_SIGNATURE ? REASON_OK : rows[i].want));
    }
}

static void takes_only_the_methods_of_the_recipe(void **state)
{
    static const struct {
        const char *source, *method;
        enum reason want;
    } rows[] = {
        {"get", "GET", REASON_OK},      {"get", "POST", REASON_METHOD},
        {"get", "HEAD", REASON_METHOD}, {"get", "get", REASON_METHOD},
        {"post", "GET", REASON_METHOD}, {"post", "PUT", REASON_METHOD},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        static const struct pair none[] = {{NULL, NULL}};
        struct verify_note note = {.trace = NULL};
        struct request r;
        post(&r, none, SPAN_LIT(""));
        r.method = span_of(rows[i].method);
        r.query = span_of(text("a=1&b=2&sig=%s", hex_mac(MAC_SHA256, KEY, "1|2", "", SPAN_LIT(""))));
        expect(i, at(rows[i].source), &r, rows[i].want);
        ROW(i, verify_head(at(rows[i].source), &r, NOW, &note) == rows[i].want);
    }
}

static void reads_dates_as_signed_times(void **state)
{
    static const struct {
        const char *date;
        enum reason want;
    } rows[] = {
        {"Mon, 21 Sep 2026 14:13:20 GMT", REASON_OK},
        {"Mon, 21 Sep 2026 14:08:20 GMT", REASON_OK},
        {"Mon, 21 Sep 2026 14:08:19 GMT", REASON_STALE},
        {"Mon, 21 Sep 2026 14:18:21 GMT", REASON_FUTURE},
        {"1790000000", REASON_HEADER_MALFORMED},
        {"yesterday", REASON_HEADER_MALFORMED},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        posted(&r, JSON, "x-sig", hex_mac(MAC_SHA256, KEY, rows[i].date, "", BODY), BODY);
        add_header(&r, "x-date", rows[i].date);
        expect(i, at("dated"), &r, rows[i].want);
    }
}

/* Without a border the same signature would fit as many bodies as the time has digits. */
static void takes_no_digits_from_the_time(void **state)
{
    static const struct {
        const char *source, *before, *behind; /* what is signed */
        const char *time, *body;
        enum reason want;
    } rows[] = {
        {"ahead", "1790", "{}", "1790", "{}", REASON_OK},
        {"ahead", "1790", "{}", "179", "0{}", REASON_SIGNATURE},
        {"ahead", "1790", "{}", "1", "790{}", REASON_SIGNATURE},
        {"ahead", "1790", "7", "1790", "7", REASON_SIGNATURE}, /* for all anybody knows */
        {"ahead", "1790", "{}7", "1790", "{}7", REASON_OK},
        {"ahead", "1790", " 7", "1790", " 7", REASON_OK},
        {"after", "{}", "1790", "1790", "{}", REASON_OK},
        {"after", "{}", "1790", "790", "{}1", REASON_SIGNATURE},
        {"after", "7", "1790", "1790", "7", REASON_SIGNATURE},
        {"after", "7 ", "1790", "1790", "7 ", REASON_OK},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request r;
        posted(&r, JSON, "x-sig", hex_mac(MAC_SHA256, KEY, rows[i].before, rows[i].behind, SPAN_LIT("")),
               span_of(rows[i].body));
        add_header(&r, "x-t", rows[i].time);
        expect(i, at(rows[i].source), &r, rows[i].want);
    }
}

/* The signature covers a digest in a header only; the check ties the body to it. */
static void holds_checks_where_their_guards_say(void **state)
{
    static const struct {
        const char *type, *body, *test;
        bool own; /* the digest is the body's */
        enum reason want;
    } rows[] = {
        {JSON, "{\"live\":true}", NULL, true, REASON_OK},
        {JSON, "{\"live\":\"true\"}", NULL, true, REASON_OK},
        {JSON, "{\"live\":true}", NULL, false, REASON_CHECK},
        {JSON, "{\"live\":false}", NULL, true, REASON_CHECK},
        {JSON, "{}", NULL, true, REASON_CHECK},
        {JSON, "{\"live\":false}", "1", true, REASON_OK},
        {JSON, "{\"live\":false}", "1", false, REASON_CHECK},
        {FORM, "mode=live", "1", true, REASON_OK},
        {FORM, "mode=test", "1", true, REASON_CHECK},
        {FORM, "x=1", "1", true, REASON_CHECK},
        {FORM, "mode=live&mode=live", "1", true, REASON_HEADER_DUPLICATE},
        {"text/plain", "mode=test", "1", true, REASON_CHECK}, /* its type makes it nothing else */
        {FORM, "{\"live\":true,\"x\":\"&mode=test\"}", NULL, true, REASON_OK},
        {FORM, "{&mode=test", NULL, true, REASON_CHECK},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned char digest[SHA256_LEN];
        char hex[2 * SHA256_LEN + 1];
        struct request r;
        mac_sha256(span_of(rows[i].own ? rows[i].body : "another"), digest);
        text_hex(digest, sizeof digest, hex);
        posted(&r, rows[i].type, "x-sig", hex_mac(MAC_SHA256, KEY, hex, "", SPAN_LIT("")),
               span_of(rows[i].body));
        add_header(&r, "x-digest", hex);
        if (rows[i].test != NULL) {
            add_header(&r, "x-test", rows[i].test);
        }
        expect(i, at("tied"), &r, rows[i].want);
    }
}

static void holds_values_against_settings(void **state)
{
    static const struct {
        const char *body;
        enum reason want;
    } rows[] = {
        {"{\"tenant\":\"ACME\",\"n\":1.50}", REASON_OK},
        {"{\"tenant\":\"acme\",\"n\":\"1.50\"}", REASON_OK},
        {"{\"tenant\":\"acme\",\"n\":1.5}", REASON_CHECK},
        {"{\"tenant\":\"acm\",\"n\":1.50}", REASON_CHECK},
        {"{\"n\":1.50}", REASON_CHECK},
        {"{\"tenant\":[\"acme\"],\"n\":1.50}", REASON_CHECK},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct span body = span_of(rows[i].body);
        struct request r;
        posted(&r, JSON, "x-sig", hex_mac(MAC_SHA256, KEY, "", "", body), body);
        expect(i, at("late"), &r, rows[i].want);
        /* A wrong signature is said before a check that does not hold. */
        posted(&r, JSON, "x-sig", hex_mac(MAC_SHA256, "x", "", "", body), body);
        expect(i, at("late"), &r, REASON_SIGNATURE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lets_the_request_name_only_known_algorithms),
        cmocka_unit_test(takes_only_the_methods_of_the_recipe),
        cmocka_unit_test(reads_dates_as_signed_times),
        cmocka_unit_test(takes_no_digits_from_the_time),
        cmocka_unit_test(holds_checks_where_their_guards_say),
        cmocka_unit_test(holds_values_against_settings),
    };
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
