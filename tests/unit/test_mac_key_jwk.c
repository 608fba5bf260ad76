/* Which JSON Web Keys are taken and which are refused. */
#include "mac_keys.h"

#define N \
    "1PcECqYgO44d_HCMS9fl-mL7dyVIu5nkzqNUfzXaAh6yn45hA_bUapMWIzR_I5_DEiYDbPaxNzqmpSs1" \
    "uWsCXS872rNqnlrQ9jOBvXV2lUMHcaVohH3cRwBNfUqRyoDD9RZP63MlQ-4W56mtjpIbAPd3IVLMSYcw" \
    "Y43cU2VTqlM"

/* 1024 bits; one byte less, and with zeros in front. */
static void takes_json_web_keys(void **state)
{
    static const struct {
        enum mac_sig kind;
        bool ok;
        const char *jwk;
    } rows[] = {
        {SIG_RSA, true, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":\"AQAB\"}"},
        {SIG_RSA, true, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":\"Aw\"}"},
        {SIG_RSA, true, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":\"AAEAAQ\"}"},
        {SIG_RSA, true, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":\"AQAB\",\"use\":\"sig\","
                        "\"alg\":\"RS512\",\"kid\":\"1\",\"x5c\":[]}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":\"AQAB\",\"use\":\"enc\"}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":\"AQAB\",\"use\":null}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":\"AQAB\",\"alg\":\"PS256\"}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":\"AQAB\",\"alg\":\"HS256\"}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":\"AQAB\",\"alg\":256}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":\"AQ\"}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":\"AA\"}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":\"BA\"}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":\"\"}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":65537}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":\"AQAAAAAAAAAB\"}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"" N "\"}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"" N "=\",\"e\":\"AQAB\"}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"" N "AA\",\"e\":\"AQAB\"}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"*" N "\",\"e\":\"AQAB\"}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"n\":\"\",\"e\":\"AQAB\"}"},
        {SIG_RSA, false, "{\"kty\":\"RSA\",\"e\":\"AQAB\"}"},
        {SIG_RSA, false, "{\"kty\":\"rsa\",\"n\":\"" N "\",\"e\":\"AQAB\"}"},
        {SIG_RSA, false, "{\"n\":\"" N "\",\"e\":\"AQAB\"}"},
        {SIG_ECDSA, false, "{\"kty\":\"RSA\",\"n\":\"" N "\",\"e\":\"AQAB\"}"},
        {SIG_RSA, false, "{\"kty\":\"oct\",\"k\":\"" N "\"}"},
        {SIG_RSA, false, "null"},
        {SIG_RSA, false, "[]"},
        {SIG_RSA, false, "\"RSA\""},
#define EC(rest) "{\"kty\":\"EC\",\"crv\":\"P-256\"," rest "}"
#define X "\"x\":\"PsIvTXd8myx8M0OK0x3vLz1_-j5TuDWxncXJ-iHlQtw\""
#define Y "\"y\":\"qszmi75W8WRKinAxepWze5TuXQJi7owVtcfVibJxnjw\""
        {SIG_ECDSA, true, EC(X "," Y)},
        {SIG_ECDSA, true, EC(X "," Y ",\"alg\":\"ES256\",\"use\":\"sig\"")},
        {SIG_ECDSA, false, EC(X "," Y ",\"alg\":\"ES384\"")},
        {SIG_ECDSA, false, EC(X "," Y ",\"crv\":\"P-384\"")},
        {SIG_ECDSA, false, "{\"kty\":\"EC\"," X "," Y "}"},
        {SIG_ECDSA, false, "{\"kty\":\"OKP\",\"crv\":\"P-256\"," X "," Y "}"},
        {SIG_ECDSA, false, EC(X)},
        {SIG_ECDSA, false, EC(Y)},
        {SIG_ECDSA, false, EC(X ",\"y\":\"\"")},
        {SIG_ECDSA, false, EC(X ",\"y\":\"qszmi75W8WRKinAxepWze5TuXQJi7owVtcfVibJxnj0\"")}, /* not on it */
        {SIG_ECDSA, false, EC(X ",\"y\":\"AAAA\"")},
        {SIG_ECDSA, false, EC("\"x\":\"AA\",\"y\":\"AA\"")},
        {SIG_ECDSA, false, EC(X ",\"y\":\"AAqszmi75W8WRKinAxepWze5TuXQJi7owVtcfVibJxnjw\"")},
        /* the same 64 bytes, cut elsewhere */
        {SIG_ECDSA, false, EC("\"x\":\"PsIvTXd8myx8M0OK0x3vLz1_-j5TuDWxncXJ-iHlQg\","
                              "\"y\":\"3KrM5ou-VvFkSopwMXqVs3uU7l0CYu6MFbXH1YmycZ48\"")},
        {SIG_RSA, false, EC(X "," Y)},
        {SIG_ED25519, false, EC(X "," Y)},
#define OKP(x) "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":" x "}"
        {SIG_ED25519, true, OKP("\"eiyNGH8U6HP_FVSPprGG9ZoYDVBaMFLTqQU6c85Z3P4\"")},
        {SIG_ED25519, true, OKP("\"eiyNGH8U6HP_FVSPprGG9ZoYDVBaMFLTqQU6c85Z3P4\",\"alg\":\"EdDSA\"")},
        {SIG_ED25519, false, OKP("\"eiyNGH8U6HP_FVSPprGG9ZoYDVBaMFLTqQU6c85Z3P4\",\"alg\":\"ES256\"")},
        {SIG_ED25519, false, OKP("\"eiyNGH8U6HP_FVSPprGG9ZoYDVBaMFLTqQU6c85Z3P4AA\"")},
        {SIG_ED25519, false, OKP("\"eiyNGH8U6HP_FVSPprGG9ZoYDVBaMFLTqQU6c85Z3P4=\"")},
        {SIG_ED25519, false, OKP("\"\"")},
        {SIG_ED25519, false, OKP("null")},
        {SIG_ED25519, false,
         "{\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"eiyNGH8U6HP_FVSPprGG9ZoYDVBaMFLTqQU6c85Z3P4\"}"},
        {SIG_ECDSA, false, OKP("\"eiyNGH8U6HP_FVSPprGG9ZoYDVBaMFLTqQU6c85Z3P4\"")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct json *doc = NULL;
        struct mac_key *k = NULL;
        struct ho_err err;
        ho_err_clear(&err);
        ROW(i, json_parse(span_of(rows[i].jwk), &doc, NULL) == HO_OK);
        enum ho_code code = mac_key_jwk(rows[i].kind, json_at(doc, SPAN_LIT("")), &k, &err);
        ROW(i, code == (rows[i].ok ? HO_OK : HO_REJECT) && err.code == code);
        ROW(i, (k != NULL) == rows[i].ok);
        mac_key_free(k);
        json_free(doc);
    }
    struct mac_key *k = NULL;
    assert_int_equal(mac_key_jwk(SIG_RSA, NULL, &k, NULL), HO_REJECT);
}

static void rsa_numbers_have_a_limit(void **state)
{
    static const struct {
        size_t zeros, bytes;
        bool ok;
    } rows[] = {{0, 128, true},   {1, 128, true},  {0, 127, false}, {0, 1024, true},
                {1, 1024, true},  {0, 1025, false}, {2, 1024, false}, {0, 1400, false}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned char n[1500];
        struct buf text;
        struct json *doc = NULL;
        struct mac_key *k = NULL;
        memset(n, 0, sizeof n);
        memset(n + rows[i].zeros, 0xC5, rows[i].bytes);
        buf_init(&text, 4096);
        ROW(i, buf_add_str(&text, "{\"kty\":\"RSA\",\"e\":\"AQAB\",\"n\":\"") == HO_OK);
        ROW(i, text_base64url(span_make(n, rows[i].zeros + rows[i].bytes), &text) == HO_OK);
        ROW(i, buf_add_str(&text, "\"}") == HO_OK);
        ROW(i, json_parse(buf_span(&text), &doc, NULL) == HO_OK);
        ROW(i, mac_key_jwk(SIG_RSA, json_at(doc, SPAN_LIT("")), &k, NULL) ==
                   (rows[i].ok ? HO_OK : HO_REJECT));
        mac_key_free(k);
        json_free(doc);
        buf_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_json_web_keys),
        cmocka_unit_test(rsa_numbers_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
