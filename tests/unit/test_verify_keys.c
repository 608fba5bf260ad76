/* Signatures by private keys: pinned public keys of each kind, and keys that are fetched. */
#include "edge_tokens.h"

#include <time.h>

#include "base/cache.h"

#define EVENT SPAN_LIT("{\"id\":\"evt_1\"}")
#define JWKS "https://keys.example.com/jwks"
#define PEMS "https://keys.example.com/pem"
#define JSONS "https://keys.example.com/config"

#define SOURCES \
    "[source rsa]\nprovider = rsa\nsecret = file:rsa0\nsecret = file:rsa1\n" \
    "[source ec]\nprovider = ec\nsecret = file:ec0\n" \
    "[source ed]\nprovider = ed\nsecret = file:ed0\n" \
    "[source jwks]\nprovider = jwks\n" \
    "[source pinned]\nprovider = jwks\nsecret = file:rsa0\n" \
    "[source pem]\nprovider = pem\n" \
    "[source json]\nprovider = json\n" \
    "[source named]\nprovider = named\n" \
    "[hookonce]\nrecipes = own.conf\n"

#define OWN \
    "[recipe rsa]\nsig = header:x-sig ; list comma\nalg = rsa-sha256\nenc = base64\nkey = utf8\n" \
    "signed = {ts}.{body}\ntime = header:x-time ; s ; 300\nid = {json:/id}\n" \
    "[recipe ec]\nlike = rsa\nalg = ecdsa-sha256\n" \
    "[recipe ed]\nlike = rsa\nalg = ed25519\n" \
    "[recipe jwks]\nlike = rsa\nkeys = jwks " JWKS " ; kid header:x-kid\n" \
    "[recipe pem]\nlike = rsa\nkeys = pem " PEMS "\n" \
    "[recipe json]\nlike = rsa\nkeys = json " JSONS " ; at /config/key\n" \
    "[recipe named]\nlike = rsa\nkeys = pem header:x-cert ; from https://certs.example.com/*.pem " \
    "https://*.certs.example.com/v1/*/cert\n"

static struct endpoints *all;

static int load_site(void **state)
{
    static const struct {
        const char *name;
        enum mac_sig kind;
        size_t n;
    } files[] = {{"rsa0", SIG_RSA, 0}, {"rsa1", SIG_RSA, 1}, {"ec0", SIG_ECDSA, 0},
                 {"ed0", SIG_ED25519, 0}};
    int rc = site_start(state);
    if (rc == 0) {
        for (size_t i = 0; i < COUNT(files); i++) {
            site_write(files[i].name, buf_span(&keys_of(files[i].kind, files[i].n)->public_pem),
                       0600);
        }
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

/* Base64 of the n-th pair's signature over "TIME.BODY". Places take turns. */
static const char *signed_by(enum mac_sig kind, size_t n, enum mac_alg digest, const char *before,
                             struct span body)
{
    static char places[4][2048];
    static unsigned turn;
    char *place = places[turn++ % COUNT(places)];
    const struct span parts[] = {span_of(before), body};
    struct buf sig, text;
    buf_init(&sig, MAC_SIG_MAX);
    buf_init(&text, 2048);
    assert_int_equal(mac_key_sign(keys_of(kind, n)->key, digest, false, parts, 2, &sig), HO_OK);
    assert_int_equal(text_base64(buf_span(&sig), &text), HO_OK);
    (void)snprintf(place, sizeof places[0], "%s", buf_cstr(&text));
    buf_free(&sig);
    buf_free(&text);
    return place;
}

static void signed_post(struct request *r, const char *sig, const char *name, const char *value)
{
    static struct pair headers[4];
    headers[0] = (struct pair){"x-sig", sig};
    headers[1] = (struct pair){"x-time", "1790000000"};
    headers[2] = (struct pair){name, value};
    headers[3] = (struct pair){NULL, NULL};
    post(r, headers, EVENT);
}

static enum reason judged(const char *source, const char *sig, int *secret_no)
{
    struct accepted *a;
    struct request r;
    signed_post(&r, sig, NULL, NULL);
    enum reason reason = judge(site_endpoint(all, source), &r, NOW, &a, NULL);
    *secret_no = a == NULL ? -1 : accepted_event(a)->secret_no;
    accepted_free(a);
    return reason;
}

static void holds_to_kind_digest_and_bytes(void **state)
{
    static const struct {
        const char *source;
        enum mac_sig kind;
        size_t n;
        enum mac_alg digest;
        const char *before;
        enum reason want;
        int secret_no;
    } rows[] = {
        {"rsa", SIG_RSA, 0, MAC_SHA256, "1790000000.", REASON_OK, 1},
        {"rsa", SIG_RSA, 1, MAC_SHA256, "1790000000.", REASON_OK, 2},
        {"rsa", SIG_RSA, 0, MAC_SHA1, "1790000000.", REASON_SIGNATURE, -1},
        {"rsa", SIG_RSA, 0, MAC_SHA512, "1790000000.", REASON_SIGNATURE, -1},
        {"rsa", SIG_RSA, 0, MAC_SHA256, "1790000001.", REASON_SIGNATURE, -1},
        {"rsa", SIG_ECDSA, 0, MAC_SHA256, "1790000000.", REASON_SIGNATURE, -1},
        {"rsa", SIG_ED25519, 0, MAC_SHA256, "1790000000.", REASON_SIGNATURE, -1},
        {"ec", SIG_ECDSA, 0, MAC_SHA256, "1790000000.", REASON_OK, 1},
        {"ec", SIG_ECDSA, 1, MAC_SHA256, "1790000000.", REASON_SIGNATURE, -1},
        {"ec", SIG_ECDSA, 0, MAC_SHA1, "1790000000.", REASON_SIGNATURE, -1},
        {"ec", SIG_RSA, 0, MAC_SHA256, "1790000000.", REASON_SIGNATURE, -1},
        {"ed", SIG_ED25519, 0, MAC_SHA512, "1790000000.", REASON_OK, 1},
        {"ed", SIG_ED25519, 1, MAC_SHA512, "1790000000.", REASON_SIGNATURE, -1},
        {"ed", SIG_ED25519, 0, MAC_SHA512, "", REASON_SIGNATURE, -1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        int no;
        const char *sig =
            signed_by(rows[i].kind, rows[i].n, rows[i].digest, rows[i].before, EVENT);
        enum reason got = judged(rows[i].source, sig, &no);
        if (got != rows[i].want || no != rows[i].secret_no) {
            fail_msg("case %zu: %s, %d", i, reasons[got].word, no);
        }
    }
}

/* Each takes its time, and anybody may send them. */
static void tries_only_so_many(void **state)
{
    static const struct {
        const char *source;
        enum mac_sig kind;
    } rows[] = {{"rsa", SIG_RSA}, {"ec", SIG_ECDSA}, {"ed", SIG_ED25519}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t n = 8; n <= 9; n++) {
            struct buf all_of;
            int no;
            buf_init(&all_of, 65536);
            for (size_t j = 1; j < n; j++) {
                assert_int_equal(buf_addf(&all_of, "%s,", signed_by(rows[i].kind, 0, MAC_SHA256, "2.", EVENT)),
                                 HO_OK);
            }
            assert_int_equal(buf_add_str(&all_of, signed_by(rows[i].kind, 0, MAC_SHA256, "1790000000.", EVENT)),
                             HO_OK);
            ROW(10 * i + n, judged(rows[i].source, buf_cstr(&all_of), &no) ==
                                (n == 8 ? REASON_OK : REASON_HEADER_MALFORMED));
            buf_free(&all_of);
        }
    }
}

/* The public key is known to anybody: as the key of an HMAC it must open nothing. */
static void takes_no_public_key_for_a_secret(void **state)
{
    static const char *const sources[] = {"rsa", "ec", "ed"};
    (void)state;
    for (size_t i = 0; i < COUNT(sources); i++) {
        const struct endpoint *e = site_endpoint(all, sources[i]);
        unsigned char mac[MAC_MAX];
        const struct span parts[] = {SPAN_LIT("1790000000."), EVENT};
        struct buf text;
        int no;
        mac_hmac(MAC_SHA256, secret_span(&e->keys[0].secret), parts, 2, mac);
        buf_init(&text, 200);
        assert_int_equal(text_base64(span_make(mac, 32), &text), HO_OK);
        ROW(i, judged(sources[i], buf_cstr(&text), &no) == REASON_SIGNATURE);
        buf_free(&text);
    }
}

static void tries_every_signature_with_every_key(void **state)
{
    char both[4096];
    int no;
    (void)state;
    (void)snprintf(both, sizeof both, "AAAA,!!,%s,%s",
                   signed_by(SIG_ECDSA, 0, MAC_SHA256, "1790000000.", EVENT),
                   signed_by(SIG_RSA, 1, MAC_SHA256, "1790000000.", EVENT));
    assert_int_equal(judged("rsa", both, &no), REASON_OK);
    assert_int_equal(no, 2);
    assert_int_equal(judged("rsa", "!!,??", &no), REASON_HEADER_MALFORMED);
}

/* ---- fetched ---- */

static void cached(const char *url, const char *text, int64_t age_s)
{
    char name[CACHE_NAME_ROOM], path[400];
    struct timespec times[2];
    assert_int_equal(cache_write(site, span_of(url), span_of(text), NULL), HO_OK);
    cache_name(span_of(url), name);
    (void)snprintf(path, sizeof path, "%s/keys/%s", site, name);
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &times[0]), 0);
    times[0].tv_sec -= age_s;
    times[1] = times[0];
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* The verdict, and the URL that is wanted in wanted ("" for none). */
static enum reason fetched(const char *source, const char *sig, const char *name,
                           const char *value, char wanted[256])
{
    struct verify_note note = {.trace = NULL};
    struct request r;
    struct verdict v;
    signed_post(&r, sig, name, value);
    enum reason reason = verify_event(site_endpoint(all, source), &r, NOW, site, &v, &note);
    (void)snprintf(wanted, 256, "%.*s", (int)v.wanted.len,
                   v.wanted.len == 0 ? "" : (const char *)v.wanted.p);
    if (reason == REASON_OK) {
        assert_int_equal(v.n_events, 1);
        assert_int_equal(accepted_event(v.events[0])->secret_no, 0); /* none of the source's */
    }
    verdict_free(&v);
    return reason;
}

static void takes_a_fetched_pem(void **state)
{
    char wanted[256];
    const char *sig = signed_by(SIG_RSA, 0, MAC_SHA256, "1790000000.", EVENT);
    const char *other = signed_by(SIG_RSA, 1, MAC_SHA256, "1790000000.", EVENT);
    struct verify_note note = {.trace = NULL};
    struct request r;
    (void)state;
    signed_post(&r, sig, NULL, NULL);
    assert_int_equal(verify_head(site_endpoint(all, "pem"), &r, NOW, &note), REASON_OK);
    assert_int_equal(fetched("pem", sig, NULL, NULL, wanted), REASON_KEY_WANTED);
    assert_string_equal(wanted, PEMS);
    assert_int_equal(reasons[REASON_KEY_WANTED].kind, ANSWER_BUSY);
    cached(PEMS, buf_cstr(&keys_of(SIG_RSA, 0)->public_pem), 10);
    assert_int_equal(fetched("pem", sig, NULL, NULL, wanted), REASON_OK);
    assert_int_equal(fetched("pem", other, NULL, NULL, wanted), REASON_SIGNATURE);
    assert_string_equal(wanted, "");
    /* One that was replaced at its place is looked at again, but not for every bad signature. */
    cached(PEMS, buf_cstr(&keys_of(SIG_RSA, 0)->public_pem), 3700);
    assert_int_equal(fetched("pem", sig, NULL, NULL, wanted), REASON_OK);
    assert_string_equal(wanted, "");
    assert_int_equal(fetched("pem", other, NULL, NULL, wanted), REASON_KEY_WANTED);
    assert_string_equal(wanted, PEMS);
    /* One that is used is got again once a day, while deliveries go on. */
    cached(PEMS, buf_cstr(&keys_of(SIG_RSA, 0)->public_pem), 86390);
    assert_int_equal(fetched("pem", sig, NULL, NULL, wanted), REASON_OK);
    assert_string_equal(wanted, "");
    cached(PEMS, buf_cstr(&keys_of(SIG_RSA, 0)->public_pem), 86410);
    assert_int_equal(fetched("pem", sig, NULL, NULL, wanted), REASON_OK);
    assert_string_equal(wanted, PEMS);
    /* A key of another kind is none. */
    cached(PEMS, buf_cstr(&keys_of(SIG_ECDSA, 0)->public_pem), 10);
    assert_int_equal(fetched("pem", sig, NULL, NULL, wanted), REASON_SIGNATURE);
    cached(PEMS, "<html>down</html>", 61);
    assert_int_equal(fetched("pem", sig, NULL, NULL, wanted), REASON_KEY_WANTED);
}

static void takes_a_key_out_of_json(void **state)
{
    char wanted[256], text[4096];
    const char *sig = signed_by(SIG_RSA, 0, MAC_SHA256, "1790000000.", EVENT);
    struct buf quoted;
    (void)state;
    buf_init(&quoted, 4096);
    assert_int_equal(text_json_string(buf_span(&keys_of(SIG_RSA, 0)->public_pem), &quoted), HO_OK);
    (void)snprintf(text, sizeof text, "{\"config\":{\"key\":%s}}", buf_cstr(&quoted));
    buf_free(&quoted);
    assert_int_equal(fetched("json", sig, NULL, NULL, wanted), REASON_KEY_WANTED);
    assert_string_equal(wanted, JSONS);
    cached(JSONS, text, 10);
    assert_int_equal(fetched("json", sig, NULL, NULL, wanted), REASON_OK);
    cached(JSONS, "{\"config\":{\"key\":7}}", 10);
    assert_int_equal(fetched("json", sig, NULL, NULL, wanted), REASON_SIGNATURE);
    cached(JSONS, "{\"config\"", 10);
    assert_int_equal(fetched("json", sig, NULL, NULL, wanted), REASON_SIGNATURE);
}

/* A JWK of the key pair whose modulus is known by its PEM: taken from the DER that the PEM holds. */
static void put_jwk(struct buf *out, size_t n, const char *kid, const char *more)
{
    struct span pem = buf_span(&keys_of(SIG_RSA, n)->public_pem);
    struct buf text, der;
    buf_init(&text, 4096);
    buf_init(&der, 4096);
    while (span_present(pem)) {
        struct span line = span_trim_line(span_cut(&pem, '\n'));
        if (line.len > 0 && line.p[0] != '-') {
            assert_int_equal(buf_add_span(&text, line), HO_OK);
        }
    }
    assert_int_equal(text_unbase64(buf_span(&text), &der), HO_OK);
    /* 2048 bits: 256 bytes of modulus, then "02 03 01 00 01". */
    assert_int_equal(der.len, 294);
    assert_int_equal(buf_addf(out, "{\"kty\":\"RSA\",\"e\":\"AQAB\",\"n\":\""), HO_OK);
    assert_int_equal(text_base64url(span_sub(buf_span(&der), 33, 256), out), HO_OK);
    assert_int_equal(buf_addf(out, "\",\"kid\":\"%s\"%s}", kid, more), HO_OK);
    buf_free(&text);
    buf_free(&der);
}

static void picks_a_fetched_key_by_its_name(void **state)
{
    static const struct {
        size_t signer;
        const char *kid;
        int64_t age_s;
        enum reason want;
        bool wanted;
    } rows[] = {
        {0, "a", 10, REASON_OK, false},
        {1, "b", 10, REASON_OK, false},
        {0, "b", 10, REASON_SIGNATURE, false}, /* named, and not the one */
        {0, "b", 9999, REASON_SIGNATURE, false},
        {0, "c", 10, REASON_SIGNATURE, false}, /* not there, and the set is young */
        {0, "c", 58, REASON_SIGNATURE, false},
        {0, "c", 62, REASON_KEY_WANTED, true},
        {0, "enc", 10, REASON_SIGNATURE, false}, /* a key for another use */
        {0, "", 10, REASON_HEADER_MISSING, false},
    };
    struct buf set;
    (void)state;
    buf_init(&set, 65536);
    assert_int_equal(buf_add_str(&set, "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AA\",\"kid\":\"a\"},"),
                     HO_OK);
    put_jwk(&set, 0, "a", ",\"use\":\"sig\"");
    assert_int_equal(buf_add_str(&set, ",null,7,"), HO_OK);
    put_jwk(&set, 1, "b", "");
    assert_int_equal(buf_add_str(&set, ","), HO_OK);
    put_jwk(&set, 0, "enc", ",\"use\":\"enc\"");
    assert_int_equal(buf_add_str(&set, "]}"), HO_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char wanted[256];
        const char *sig = signed_by(SIG_RSA, rows[i].signer, MAC_SHA256, "1790000000.", EVENT);
        cached(JWKS, buf_cstr(&set), rows[i].age_s);
        enum reason got = fetched("jwks", sig, "x-kid", rows[i].kid, wanted);
        if (got != rows[i].want) {
            fail_msg("case %zu: %s", i, reasons[got].word);
        }
        ROW(i, (strcmp(wanted, JWKS) == 0) == rows[i].wanted);
    }
    buf_free(&set);
    /* A source that pins a key of its own asks nobody. */
    struct request r;
    signed_post(&r, signed_by(SIG_RSA, 0, MAC_SHA256, "1790000000.", EVENT), NULL, NULL);
    assert_int_equal(judge(site_endpoint(all, "pinned"), &r, NOW, NULL, NULL), REASON_OK);
    signed_post(&r, signed_by(SIG_RSA, 1, MAC_SHA256, "1790000000.", EVENT), "x-kid", "b");
    assert_int_equal(judge(site_endpoint(all, "pinned"), &r, NOW, NULL, NULL), REASON_SIGNATURE);
}

static void follows_no_url_but_those_of_the_recipe(void **state)
{
    static const struct {
        const char *url;
        enum reason want;
    } rows[] = {
        {"https://certs.example.com/a.pem", REASON_KEY_WANTED},
        {"https://certs.example.com/A-b_9.pem", REASON_KEY_WANTED},
        {"https://eu-1.certs.example.com/v1/x/cert", REASON_KEY_WANTED},
        {"https://certs.example.com/.pem", REASON_HEADER_MALFORMED},
        {"https://certs.example.com/a/b.pem", REASON_HEADER_MALFORMED},
        {"https://certs.example.com/a.b.pem", REASON_HEADER_MALFORMED},
        {"https://certs.example.com/a.pem?x", REASON_HEADER_MALFORMED},
        {"https://certs.example.com/a.pem#", REASON_HEADER_MALFORMED},
        {"https://certs.example.com/%61.pem", REASON_HEADER_MALFORMED},
        {"https://certs.example.com/a.PEM", REASON_HEADER_MALFORMED},
        {"http://certs.example.com/a.pem", REASON_HEADER_MALFORMED},
        {"HTTPS://certs.example.com/a.pem", REASON_HEADER_MALFORMED},
        {"https://certs.example.com.evil.test/a.pem", REASON_HEADER_MALFORMED},
        {"https://certs.example.com@evil.test/a.pem", REASON_HEADER_MALFORMED},
        {"https://evil.test/.certs.example.com/v1/x/cert", REASON_HEADER_MALFORMED},
        {"https://a.b.certs.example.com/v1/x/cert", REASON_HEADER_MALFORMED},
        {"https://evil.test#.certs.example.com/v1/x/cert", REASON_HEADER_MALFORMED},
        {" https://certs.example.com/a.pem", REASON_HEADER_MALFORMED},
        {"file:///etc/passwd", REASON_HEADER_MALFORMED},
        {"", REASON_HEADER_MISSING},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char wanted[256];
        const char *sig = signed_by(SIG_RSA, 0, MAC_SHA256, "1790000000.", EVENT);
        enum reason got = fetched("named", sig, "x-cert", rows[i].url, wanted);
        if (got != rows[i].want) {
            fail_msg("case %zu: %s", i, reasons[got].word);
        }
        ROW_TEXT(i, wanted, got == REASON_KEY_WANTED ? rows[i].url : "");
    }
    cached("https://certs.example.com/a.pem", buf_cstr(&keys_of(SIG_RSA, 0)->public_pem), 0);
    char wanted[256];
    assert_int_equal(fetched("named", signed_by(SIG_RSA, 0, MAC_SHA256, "1790000000.", EVENT),
                             "x-cert", "https://certs.example.com/a.pem", wanted), REASON_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_to_kind_digest_and_bytes),
        cmocka_unit_test(tries_only_so_many),
        cmocka_unit_test(takes_no_public_key_for_a_secret),
        cmocka_unit_test(tries_every_signature_with_every_key),
        cmocka_unit_test(takes_a_fetched_pem),
        cmocka_unit_test(takes_a_key_out_of_json),
        cmocka_unit_test(picks_a_fetched_key_by_its_name),
        cmocka_unit_test(follows_no_url_but_those_of_the_recipe),
    };
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
