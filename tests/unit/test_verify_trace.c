/* What `explain` shows: each step, the reason, and the known mistake that would explain a signature
 * that does not fit. Never a secret, a MAC or a signature. */
#include "edge_own.h"
#include "edge_signed.h"

#define SECRET "c2VjcmV0LWtleS0wMDAwMDAwMQ==" /* base64, and hex digits below */
#define BODY SPAN_LIT("{ \"a\": 1 }\n")

#define SOURCE(name, file) "[source " name "]\nprovider = " name "\nsecret = file:" file "\n"
#define SOURCES \
    SOURCE("plain", "b64") SOURCE("decoded", "whsec") SOURCE("hex", "hex") SOURCE("url", "b64") \
    "url = https://h.example/hook\n" SOURCE("digest", "b64") SOURCE("padded", "spaces") \
    SOURCE("stripe", "b64") "secret = file:hex\n" SOURCE("quoted", "quoted") \
    SOURCE("needs", "b64") SOURCE("several", "b64") SOURCE("ms", "b64") SOURCE("bad", "empty") \
    SOURCE("nourl", "b64") \
    "[hookonce]\nrecipes = own.conf\n"

#define OWN \
    "[recipe plain]\nsig = header:x-sig ; list comma\nalg = hmac-sha256\nenc = hex\n" \
    "key = utf8\nsigned = {body}\nid = {json:/a}\n" \
    "[recipe decoded]\nlike = plain\nkey = strip:whsec_ | unbase64\n" \
    "[recipe hex]\nlike = plain\nkey = unhex\n" \
    "[recipe padded]\nlike = plain\n" \
    "[recipe url]\nlike = plain\nsigned = {url}{body}\n" \
    "[recipe quoted]\nlike = plain\n[recipe nourl]\nlike = url\n" \
    "[recipe bad]\nlike = plain\n" \
    "[recipe needs]\nlike = plain\nneeds = x-time\n" \
    "signed = {header:x-part}{body}\n" \
    "[recipe several]\nlike = plain\nsigned = {header:x-part}{body} ?? {query:part}{body}\n" \
    "[recipe ms]\nlike = plain\nsig = header:x-sig ; list comma ; pair eq v1\n" \
    "signed = {ts}{body}\ntime = sig.t ; ms ; 300\n" \
    "[recipe digest]\nlike = plain\nweak = body\nalg = digest-sha256\nsigned = {secret}{body}\n"

static int load_site(void **state)
{
    int rc = site_start(state);
    if (rc == 0) {
        site_secret("b64", SECRET);
        site_secret("whsec", "whsec_" SECRET);
        site_secret("hex", "00ff10aa");
        site_secret("spaces", " key ");
        site_secret("quoted", "\"" SECRET "\"\n");
        site_secret("empty", "");
        site_secret("own.conf", OWN);
        all = site_load(SOURCES);
    }
    return rc;
}

/* The trace of one request; lives until the next. */
static struct verify_note note;

static const char *traced(const char *source, const char *name, const char *sig, struct span body,
                          enum reason *reason)
{
    static char text[16384];
    const struct pair headers[] = {{name, sig}, {NULL, NULL}};
    struct buf trace;
    struct request r;
    struct verdict v;
    note = (struct verify_note){.trace = NULL};
    buf_init(&trace, sizeof text - 1);
    note.trace = &trace;
    post(&r, headers, body);
    r.target = SPAN_LIT("/hook");
    r.path = r.target;
    *reason = verify_event(site_endpoint(all, source), &r, NOW, site, &v, &note);
    verdict_free(&v);
    assert_ptr_equal(note.trace, &trace);
    (void)snprintf(text, sizeof text, "%s", buf_cstr(&trace));
    buf_free(&trace);
    return text;
}

static void has(size_t i, const char *text, const char *want)
{
    if (strstr(text, want) == NULL) {
        fail_msg("case %zu: no \"%s\" in:\n%s", i, want, text);
    }
}

/* A signature that is some kind of MAC over some form of the body. */
static const char *mac_of(enum mac_alg alg, struct span key, const char *before, struct span body)
{
    static char places[32][2 * MAC_MAX + 1];
    static unsigned turn;
    char *place = places[turn++ % COUNT(places)];
    const struct span parts[] = {span_of(before), body};
    unsigned char mac[MAC_MAX];
    mac_hmac(alg, key, parts, 2, mac);
    text_hex(mac, mac_len(alg), place);
    return place;
}

static void tells_each_step_of_a_good_one(void **state)
{
    enum reason reason;
    char sig[400];
    (void)state;
    (void)snprintf(sig, sizeof sig, "t=1790000000,v1=zz,v1=%s",
                   mac_of(MAC_SHA256, span_of("00ff10aa"), "1790000000.", SPAN_LIT("{\"id\":\"e\"}")));
    const char *text = traced("stripe", "stripe-signature", sig, SPAN_LIT("{\"id\":\"e\"}"), &reason);
    assert_int_equal(reason, REASON_OK);
    has(0, text, "signature looked for in stripe-signature: there, 2 of the recipe's kind\n");
    has(1, text, "signed time: 0 s old, tolerance 5m\n");
    has(2, text, "signatures in the recipe's encoding: 1 of 2\n");
    has(3, text, "signed bytes: 21, sha256 ");
    has(4, text, "secret 1: does not fit\nsecret 2: fits\n");
    has(5, text, "event id: e\n");
    has(6, text, "verdict: ok\n");
    assert_null(strstr(text, "would"));
}

static void tells_why_one_is_refused_before_its_signature(void **state)
{
    enum reason reason;
    const char *text = traced("stripe", "stripe-signature", "t=1789990000,v1=00", BODY, &reason);
    (void)state;
    assert_int_equal(reason, REASON_STALE);
    has(0, text, "signed time: 10000 s old, tolerance 5m: outside\n");
    has(1, text, "verdict: timestamp too old\n");
    text = traced("stripe", "x-other", "1", BODY, &reason);
    has(2, text, "signature looked for in stripe-signature: not there, 0 of the recipe's kind\n");
    has(3, text, "verdict: header missing\n");
}

static void names_what_is_missing_or_malformed(void **state)
{
    static const struct {
        const char *source, *name, *sig;
        enum reason want;
        const char *which, *says;
    } rows[] = {
        {"needs", "x-sig", "00", REASON_HEADER_MISSING, "x-time", "x-time: header missing\n"},
        {"several", "x-sig", "00", REASON_HEADER_MISSING, "x-part", "x-part: header missing\n"},
        {"stripe", "stripe-signature", "v1=00", REASON_HEADER_MALFORMED, "sig.t",
         "sig.t: header malformed\n"},
        {"stripe", "stripe-signature", "t=soon,v1=00", REASON_HEADER_MALFORMED, "sig.t",
         "sig.t: header malformed\n"},
        {"stripe", "stripe-signature", "t=1790000000, v1=00", REASON_HEADER_MALFORMED, "",
         "stripe-signature: entry 2 has a blank in or around its name\n"},
        {"stripe", "stripe-signature", "t=1790000000,t=1790000001,v1=00", REASON_HEADER_MALFORMED,
         "", "stripe-signature: entry 2 gives a field again, with another value\n"},
        {"bad", "x-sig", "00", REASON_NO_SECRET, "", "no secret can be used: secret 1: "},
        {"nourl", "x-sig", "00", REASON_HEADER_MISSING, "url",
         "no url is set for the source: the request's own is used\n"},
        {"stripe", "stripe-signature", "t=1790000000123,v1=00", REASON_FUTURE, "",
         "it looks like milliseconds, and the recipe says s\n"},
        {"ms", "x-sig", "t=1790000000,v1=00", REASON_STALE, "",
         "it looks like seconds, and the recipe says ms\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        enum reason reason;
        const char *text = traced(rows[i].source, rows[i].name, rows[i].sig, BODY, &reason);

        if (reason != rows[i].want || strcmp(note.which, rows[i].which) != 0) {
            fail_msg("case %zu: %s, which \"%s\" in:\n%s", i, reasons[reason].word, note.which, text);
        }
        has(i, text, rows[i].says);
    }
    enum reason reason;
    assert_null(strstr(traced("stripe", "stripe-signature", "t=1789990000,v1=00", BODY, &reason),
                       "looks like"));
}

static void guesses_known_mistakes(void **state)
{
    const struct span key = span_of(SECRET);
    struct buf decoded;
    (void)state;
    buf_init(&decoded, 64);
    assert_int_equal(text_unbase64(key, &decoded), HO_OK);
    const struct span bytes = buf_span(&decoded);
    const struct {
        const char *source, *sig, *want;
    } rows[] = {
        {"plain", mac_of(MAC_SHA256, key, "", SPAN_LIT("{ \"a\": 1 }")),
         "if blanks and line ends around the body were taken off\n"},
        {"plain", mac_of(MAC_SHA256, key, "", SPAN_LIT("{ \"a\": 1 }\n\n")),
         "if a line end were added to the body\n"},
        {"plain", mac_of(MAC_SHA256, key, "", SPAN_LIT("{ \"a\": 1 }\r\n")),
         "if the body's line ends were CRLF\n"},
        {"plain", mac_of(MAC_SHA256, key, "", SPAN_LIT("")), "if the body were empty\n"},
        {"plain", mac_of(MAC_SHA1, key, "", BODY), "if the algorithm were another: by sha1\n"},
        {"plain", mac_of(MAC_SHA512, key, "", BODY), "if the algorithm were another: by sha512\n"},
        {"plain", mac_of(MAC_SHA256, bytes, "", BODY), "if the secret were taken as base64\n"},
        {"plain", mac_of(MAC_SHA1, bytes, "", BODY), "if the secret were taken as base64 by sha1\n"},
        {"decoded", mac_of(MAC_SHA256, span_of("whsec_" SECRET), "", BODY),
         "if the secret's text were the key as it is\n"},
        {"decoded", mac_of(MAC_SHA256, key, "", BODY),
         "if the secret were taken without its prefix, as it is\n"},
        {"hex", mac_of(MAC_SHA256, span_of("00ff10aa"), "", BODY),
         "if the secret's text were the key as it is\n"},
        {"padded", mac_of(MAC_SHA256, SPAN_LIT("key"), "", BODY),
         "if the secret had no blanks around it\n"},
        {"quoted", mac_of(MAC_SHA256, key, "", BODY), "if the secret had no quotes around it\n"},
        {"quoted", mac_of(MAC_SHA256, bytes, "", BODY),
         "if the secret had no quotes around it, as base64\n"},
        {"plain", mac_of(MAC_SHA256, SPAN_LIT("whsec_" SECRET), "", BODY),
         "if the secret had whsec_ in front\n"},
        {"url", mac_of(MAC_SHA256, key, "http://h.example/hook", BODY),
         "if the URL were: http://h.example/hook\n"},
        {"url", mac_of(MAC_SHA256, key, "https://h.example/hook/", BODY),
         "if the URL were: https://h.example/hook/\n"},
        {"plain", mac_of(MAC_SHA256, SPAN_LIT("other"), "", BODY), "no known mistake explains it"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char sig[300];
        enum reason reason;
        (void)snprintf(sig, sizeof sig, "%s", rows[i].sig);
        const char *text = traced(rows[i].source, "x-sig", sig, BODY, &reason);
        ROW(i, reason == REASON_SIGNATURE);
        has(i, text, rows[i].want);
    }
    buf_free(&decoded);
}

static void guesses_another_way_to_write_the_signature(void **state)
{
    const struct span key = span_of(SECRET);
    const struct span body = BODY;
    enum reason reason;
    char upper[2 * MAC_MAX + 1];
    (void)state;
    const char *text = traced("plain", "x-sig", base64_mac(key, "", body), body, &reason);
    assert_int_equal(reason, REASON_HEADER_MALFORMED);
    has(0, text, "it would fit if the signature were read as base64\n");
    (void)snprintf(upper, sizeof upper, "%s", mac_of(MAC_SHA256, key, "", body));
    for (size_t i = 0; upper[i] != '\0'; i++) {
        upper[i] = (char)(upper[i] >= 'a' ? upper[i] - 'a' + 'A' : upper[i]);
    }
    text = traced("plain", "x-sig", upper, body, &reason);
    has(1, text, "it would fit if the signature were read as hex of either case\n");
}

/* Neither what opens the door nor what would: whatever the verdict is. */
static void keeps_secrets_to_itself(void **state)
{
    const struct span key = span_of(SECRET);
    const struct span body = BODY;
    const struct span both[] = {key, body};
    unsigned char digest[MAC_MAX];
    char hex[2 * MAC_MAX + 1];
    enum reason reason;
    (void)state;
    mac_digest(MAC_SHA256, both, 2, digest);
    text_hex(digest, 32, hex);
    const struct {
        const char *source, *sig;
        enum reason want;
    } rows[] = {
        {"plain", mac_of(MAC_SHA256, key, "", body), REASON_OK},
        {"plain", mac_of(MAC_SHA256, SPAN_LIT("x"), "", body), REASON_SIGNATURE},
        {"plain", mac_of(MAC_SHA1, key, "", body), REASON_SIGNATURE},
        {"digest", hex, REASON_OK},
        {"digest", mac_of(MAC_SHA256, key, "", body), REASON_SIGNATURE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char sig[300];
        (void)snprintf(sig, sizeof sig, "%s", rows[i].sig);
        const char *text = traced(rows[i].source, "x-sig", sig, body, &reason);
        ROW(i, reason == rows[i].want);
        ROW(i, strstr(text, SECRET) == NULL && strstr(text, sig) == NULL);
        ROW(i, strstr(text, hex) == NULL);
        ROW(i, strstr(text, mac_of(MAC_SHA256, key, "", body)) == NULL);
    }
    has(99, traced("digest", "x-sig", hex, body, &reason), "the signed bytes hold the secret");
}

static void stops_where_its_room_ends(void **state)
{
    const struct pair headers[] = {{"x-sig", "00"}, {NULL, NULL}};
    (void)state;
    for (size_t room = 1; room < 400; room += 7) {
        note = (struct verify_note){.trace = NULL};
        struct request r;
        struct verdict v;
        struct buf trace;
        buf_init(&trace, room);
        note.trace = &trace;
        post(&r, headers, BODY);
        assert_int_equal(verify_event(site_endpoint(all, "plain"), &r, NOW, site, &v, &note),
                         REASON_SIGNATURE);
        ROW(room, trace.len <= room);
        verdict_free(&v);
        buf_free(&trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_each_step_of_a_good_one),
        cmocka_unit_test(tells_why_one_is_refused_before_its_signature),
        cmocka_unit_test(names_what_is_missing_or_malformed),
        cmocka_unit_test(guesses_known_mistakes),
        cmocka_unit_test(guesses_another_way_to_write_the_signature),
        cmocka_unit_test(keeps_secrets_to_itself),
        cmocka_unit_test(stops_where_its_room_ends),
    };
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
