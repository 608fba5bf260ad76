/* Playing the provider where the signature is no header, and where more than it is sent: the exact
 * bytes that go on the wire. */
#include "edge_own.h"
#include "edge_signed.h"

#include "edge/sign.h"

#define SOURCE(name) "[source " name "]\nprovider = " name "\nsecret = file:a\n"
#define SOURCES \
    SOURCE("query") SOURCE("json") SOURCE("form") SOURCE("first") SOURCE("behind") SOURCE("basic") \
    SOURCE("wrapped") SOURCE("tied") SOURCE("listed") SOURCE("by") SOURCE("none") SOURCE("dated") \
    SOURCE("circle") SOURCE("low") SOURCE("bare") SOURCE("field") SOURCE("hexed") SOURCE("jwt") SOURCE("formed") SOURCE("inner") \
    "[hookonce]\nrecipes = own.conf\n"

#define ID "id = {body|sha256|hex}\n"
#define OWN \
    "[recipe base]\nsig = header:x-sig\nalg = hmac-sha256\nenc = hex\nsigned = {body}\n" ID \
    "[recipe query]\nlike = base\nsig = query:sig\n" \
    "[recipe json]\nlike = base\nweak = fields\nsig = json:/meta/sig\nsigned = {json:/a}\n" \
    "[recipe form]\nlike = base\nweak = fields\nsig = form:sig\nsigned = {form:a}\n" \
    "[recipe first]\nlike = base\nsig = header:x-sig ; strip v1: ; list comma ; first at\n" \
    "signed = {ts}{body}\ntime = sig.at ; ms ; 60\n" \
    "[recipe behind]\nlike = base\nsig = header:x-sig ; list amp ; behind /SHA256/\n" \
    "[recipe basic]\nweak = token\nsig = header:authorization ; strip Basic\nalg = equal\n" \
    "enc = base64\n" ID \
    "[recipe wrapped]\nlike = base\nsig = header:x-sig|unbase64|ptr:/signature\n" \
    "[recipe low]\nlike = base\nsig = header:x-sig|trim|lower\n" \
    "[recipe bare]\nlike = base\nsig = header:x-sig|strip:v0=\n" \
    "[recipe field]\nlike = base\nsig = header:x-sig|field:s\n" \
    "[recipe hexed]\nlike = base\nsig = header:x-sig|unhex\n" \
    "[recipe tied]\nlike = base\nsigned = {header:x-digest}\n" \
    "check = {header:x-digest} == {body|sha256|hex} ; if body\n" \
    "[recipe listed]\nlike = base\nsig = header:x-sig ; list comma ; pair eq v1\n" \
    "signed = {sig.t}.{sig.h|hdrs:v}.{body}\ntime = sig.t ; s ; 300\n" \
    "[recipe by]\nlike = base\nalg-by = header:x-alg ; one hmac-sha512 ; two hmac-sha256\n" \
    "[recipe none]\nlike = base\nalg-by = header:x-alg ; one hmac-sha512 ; none hmac-sha256\n" \
    "[recipe dated]\nlike = base\nsigned = {method} {path} {header:host} {ts}\\n{body}\n" \
    "time = header:x-date ; rfc2822 ; 300\n" \
    "[recipe circle]\nlike = base\nsig = query:sig\nsigned = {url}{body}\n" \
    "[recipe jwt]\nsig = header:authorization ; strip Bearer\nalg = jwt HS256\n" \
    "check = {claim:iss} == me\ncheck = {claim:sha} == {body|sha256|hex}\n" \
    "time = claim:iat ; s ; 300\nid = {claim:jti}\n" \
    "[recipe inner]\nlike = json\nform-json = payload\n" \
    "[recipe formed]\nlike = form\nsample-form = yes\nsample = a={event:type}&id={event:id}\n"

static int load_site(void **state)
{
    return load_own(state, "user:key-a\n", OWN, SOURCES);
}

#define KEY "user:key-a"
#define JSON "application/json"
#define FORM "application/x-www-form-urlencoded"

/* Signs into out, whose buffers it begins. */
static enum ho_code sign(const char *source, const char *type, const char *body,
                         struct signed_request *out, struct ho_err *err)
{
    const struct endpoint *e = site_endpoint(all, source);
    const struct sign_input in = {.id = SPAN_LIT("i d"), .type = SPAN_LIT("t"), .time_us = NOW,
                                  .key = endpoint_signing_key(e, NOW), .body = span_of(body),
                                  .content_type = span_of(type),
                                  .url = SPAN_LIT("https://h.example/hook/x?a=1"),
                                  .source = e->source};
    buf_init(&out->headers, 65536);
    buf_init(&out->body, 65536);
    buf_init(&out->query, 65536);
    return sign_request(e->recipe, &in, out, err);
}

static void signed_free(struct signed_request *out)
{
    buf_free(&out->headers);
    buf_free(&out->body);
    buf_free(&out->query);
}

/* '@' in a form stands for the MAC. */
static const char *filled(const char *form, const char *mac)
{
    static char places[4][1024];
    static unsigned turn;
    char *place = places[turn++ % COUNT(places)];
    size_t len = 0;
    place[0] = '\0';
    for (; *form != '\0'; form++) {
        const char one[2] = {*form, '\0'};
        len += (size_t)snprintf(place + len, 1024 - len, "%s", *form == '@' ? mac : one);
        assert_true(len < 1024);
    }
    return place;
}

static void puts_the_signature_where_it_is_looked_for(void **state)
{
    const char *one = hex_mac(MAC_SHA256, KEY, "", "", SPAN_LIT("{\"a\":1}"));
    const char *value = hex_mac(MAC_SHA256, KEY, "1", "", SPAN_LIT(""));
    const char *space = hex_mac(MAC_SHA256, KEY, "x y", "", SPAN_LIT(""));
    const struct {
        const char *source, *type, *body, *mac, *headers, *want_body, *query;
    } rows[] = {
        {"query", JSON, "{\"a\":1}", one, "", "", "sig=@"},
        {"json", JSON, "{\"a\":1}", value, "", "{\"a\":1,\"meta\":{\"sig\":\"@\"}}", ""},
        {"json", JSON, "{\"meta\":{\"sig\":\"\",\"x\":1.50},\"a\":1}", value, "",
         "{\"meta\":{\"sig\":\"@\",\"x\":1.50},\"a\":1}", ""},
        {"form", FORM, "a=x+y&b=%2B", space, "", "a=x+y&b=%2B&sig=@", ""},
        {"form", FORM, "sig=old&a=x%20y", space, "", "a=x%20y&sig=@", ""},
        {"inner", FORM, "x=1&payload=%7B%22a%22%3A1%7D", value, "",
         "x=1&payload=%7B%22a%22%3A1%2C%22meta%22%3A%7B%22sig%22%3A%22@%22%7D%7D", ""},
        {"behind", JSON, "{\"a\":1}", one, "x-sig: /SHA256/@\n", "", ""},
        {"basic", JSON, "{\"a\":1}", one, "authorization: Basic dXNlcjprZXktYQ==\n", "", ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct signed_request out;
        struct ho_err err;
        char want[1200];
        ho_err_clear(&err);
        if (sign(rows[i].source, rows[i].type, rows[i].body, &out, &err) != HO_OK) {
            fail_msg("case %zu: %s", i, err.text);
        }
        (void)snprintf(want, sizeof want, "content-type: %s\n%s", rows[i].type,
                       filled(rows[i].headers, rows[i].mac));
        ROW_TEXT(i, buf_cstr(&out.headers), want);
        ROW_TEXT(i, buf_cstr(&out.body), filled(rows[i].want_body, rows[i].mac));
        ROW_TEXT(i, buf_cstr(&out.query), filled(rows[i].query, rows[i].mac));
        signed_free(&out);
    }
}

static void makes_up_what_is_signed_beside_the_body(void **state)
{
    static const char body[] = "{\"a\":1}";
    unsigned char digest[SHA256_LEN];
    char sha[2 * SHA256_LEN + 1], wrapped[200], hexed[4 * SHA256_LEN + 1];
    const char *mac = hex_mac(MAC_SHA256, KEY, "", "", span_of(body));
    struct buf base64;
    mac_sha256(span_of(body), digest);
    text_hex(digest, sizeof digest, sha);
    (void)snprintf(wrapped, sizeof wrapped, "{\"signature\":\"%s\"}", mac);
    text_hex((const unsigned char *)mac, strlen(mac), hexed);
    buf_init(&base64, 500);
    assert_int_equal(text_base64(span_of(wrapped), &base64), HO_OK);
    const struct {
        const char *source, *mac, *headers;
    } rows[] = {
        {"first", hex_mac(MAC_SHA256, KEY, "1790000000000", "", span_of(body)),
         "x-sig: v1:1790000000000,@\n"},
        {"wrapped", buf_cstr(&base64), "x-sig: @\n"},
        {"low", mac, "x-sig: @\n"},
        {"bare", mac, "x-sig: v0=@\n"},
        {"field", mac, "x-sig: s=@\n"},
        {"hexed", hexed, "x-sig: @\n"},
        {"tied", filled(filled("x-digest: @\nx-sig: ", sha), ""), ""},
        {"listed", hex_mac(MAC_SHA256, KEY, "1790000000.application/json.", "", span_of(body)),
         "x-sig: t=1790000000,h=content-type,v1=@\n"},
        {"by", hex_mac(MAC_SHA512, KEY, "", "", span_of(body)), "x-alg: one\nx-sig: @\n"},
        {"none", hex_mac(MAC_SHA256, KEY, "", "", span_of(body)), "x-sig: @\n"},
        {"dated", hex_mac(MAC_SHA256, KEY,
                          "POST /hook/x?a=1 h.example Mon, 21 Sep 2026 14:13:20 GMT\n", "",
                          span_of(body)),
         "x-date: Mon, 21 Sep 2026 14:13:20 GMT\nhost: h.example\nx-sig: @\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct signed_request out;
        struct ho_err err;
        char want[2048];
        ho_err_clear(&err);
        if (sign(rows[i].source, JSON, body, &out, &err) != HO_OK) {
            fail_msg("case %zu: %s", i, err.text);
        }
        if (strcmp(rows[i].source, "tied") == 0) {
            (void)snprintf(want, sizeof want, "content-type: " JSON "\nx-digest: %s\nx-sig: %s\n", sha,
                           hex_mac(MAC_SHA256, KEY, sha, "", SPAN_LIT("")));
        } else {
            (void)snprintf(want, sizeof want, "content-type: " JSON "\n%s",
                           filled(rows[i].headers, rows[i].mac));
        }
        ROW_TEXT(i, buf_cstr(&out.headers), want);
        signed_free(&out);
    }
    buf_free(&base64);
}

static void makes_a_token_of_the_claims(void **state)
{
    static const char body[] = "{\"a\":1}";
    struct signed_request out;
    struct request r;
    struct accepted *a;
    (void)state;
    assert_int_equal(sign("jwt", JSON, body, &out, NULL), HO_OK);
    struct span value = buf_span(&out.headers);
    (void)span_cut(&value, '\n');
    (void)span_cut(&value, ' ');
    const struct pair headers[] = {{"authorization", ho_strdup(buf_cstr(&out.headers) +
                                                               (value.p - out.headers.p))},
                                   {NULL, NULL}};
    struct buf part;
    struct span rest = span_trim_line(span_sub(value, sizeof "Bearer" - 1, value.len));
    buf_init(&part, 1000);
    assert_int_equal(text_unbase64url(span_cut(&rest, '.'), &part), HO_OK);
    assert_string_equal(buf_cstr(&part), "{\"alg\":\"HS256\"}");
    buf_clear(&part);
    assert_int_equal(text_unbase64url(span_cut(&rest, '.'), &part), HO_OK);
    assert_true(span_starts(buf_span(&part), "{\"jti\":\"i d\",\"iat\":1790000000,\"iss\":\"me\","
                                             "\"sha\":\""));
    buf_free(&part);
    post(&r, headers, span_of(body));
    r.headers[0].value = span_trim_line(r.headers[0].value);
    assert_int_equal(judge(site_endpoint(all, "jwt"), &r, NOW, &a, NULL), REASON_OK);
    assert_true(span_is(accepted_event(a)->id, "i d"));
    accepted_free(a);
    free((char *)(uintptr_t)headers[0].value);
    signed_free(&out);
}

static void says_what_has_no_place(void **state)
{
    static const struct {
        const char *source, *type, *body, *says;
    } rows[] = {
        {"inner", FORM, "a=1", "no place for the signature"},
        {"json", FORM, "a=1", "signs something that this body"},
        {"form", FORM, "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n",
         "no place for the signature"},
        {"json", JSON, "{\"b\":1}", "signs something that this body"},
        {"json", JSON, "{\"a\":1,\"meta\":7}", "cannot be put where"},
        {"form", JSON, "{\"a\":1}", "signs something that this body"},
        {"circle", JSON, "{}", "would have to sign itself"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct signed_request out;
        struct ho_err err;
        ho_err_clear(&err);
        ROW(i, sign(rows[i].source, rows[i].type, rows[i].body, &out, &err) == HO_PERMANENT);
        if (strstr(err.text, rows[i].says) == NULL) {
            fail_msg("case %zu: %s", i, err.text);
        }
        ROW(i, out.headers.len == 0 && out.body.len == 0 && out.query.len == 0);
        signed_free(&out);
    }
}

static void makes_samples_that_are_forms(void **state)
{
    const struct recipe *r = site_endpoint(all, "formed")->recipe;
    const char *type;
    struct buf body;
    (void)state;
    buf_init(&body, 1000);
    assert_int_equal(sign_sample(r, SPAN_LIT("a&b=\"c\""), SPAN_LIT("x y%"), NOW, &body, &type, NULL),
                     HO_OK);
    assert_string_equal(type, FORM);
    assert_string_equal(buf_cstr(&body), "a=x%20y%25&id=a%26b%3D%22c%22");
    buf_free(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_the_signature_where_it_is_looked_for),
        cmocka_unit_test(makes_up_what_is_signed_beside_the_body),
        cmocka_unit_test(makes_a_token_of_the_claims),
        cmocka_unit_test(says_what_has_no_place),
        cmocka_unit_test(makes_samples_that_are_forms),
    };
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
