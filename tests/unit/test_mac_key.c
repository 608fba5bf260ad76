/* Signatures against the published vectors and the openssl command; what is no signature. */
#include "mac_keys.h"

static void hex_into(const char *hex, struct buf *out)
{
    size_t len = strlen(hex) / 2;
    unsigned char *to = buf_room(out, len);
    assert_non_null(to);
    assert_true(text_unhex(span_of(hex), false, to, len));
    out->len += len;
}

/* RFC 8032, section 7.1 */
static void ed25519_as_published(void **state)
{
    static const struct {
        const char *key, *text, *sig;
    } rows[] = {
        {"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
         "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
         "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
        {"3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
         "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
         "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
        {"fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
         "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
         "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf key, text, sig;
        struct mac_key *k = NULL;
        buf_init(&key, 32);
        buf_init(&text, 32);
        buf_init(&sig, 64);
        hex_into(rows[i].key, &key);
        hex_into(rows[i].text, &text);
        hex_into(rows[i].sig, &sig);
        ROW(i, mac_key_public(SIG_ED25519, buf_span(&key), &k, NULL) == HO_OK);
        struct span whole = buf_span(&text);
        ROW(i, mac_key_verify(k, MAC_SHA256, false, &whole, 1, buf_span(&sig)));
        ROW(i, whole.len > 0 || mac_key_verify(k, MAC_SHA256, false, NULL, 0, buf_span(&sig)));
        sig.p[0] ^= 1;
        ROW(i, !mac_key_verify(k, MAC_SHA256, false, &whole, 1, buf_span(&sig)));
        mac_key_free(k);
        buf_free(&key);
        buf_free(&text);
        buf_free(&sig);
    }
}

#define PAYLOAD \
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9l" \
    "eGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

static void jose_as_published(void **state)
{
    static const struct {
        enum mac_sig kind;
        const char *jwk, *text, *sig;
    } rows[] = {
        /* RFC 7515, appendices A.2 and A.3 */
        {SIG_RSA,
         "{\"kty\":\"RSA\",\"n\":\""
         "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJ"
         "PMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0"
         "LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uD"
         "Zlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2"
         "PAcDTW9gb54h4FRWyuXpoQ"
         "\",\"e\":\"AQAB\"}",
         "eyJhbGciOiJSUzI1NiJ9." PAYLOAD,
         "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF"
         "5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK"
         "5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqt"
         "FZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrB"
         "p0igcN_IoypGlUPQGe77Rw"},
        {SIG_ECDSA,
         "{\"kty\":\"EC\",\"crv\":\"P-256\","
         "\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","
         "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}",
         "eyJhbGciOiJFUzI1NiJ9." PAYLOAD,
         "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"},
        /* RFC 8037, appendix A.4 */
        {SIG_ED25519,
         "{\"kty\":\"OKP\",\"crv\":\"Ed25519\","
         "\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}",
         "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
         "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf sig;
        struct mac_key *k = jwk_key(rows[i].kind, rows[i].jwk);
        struct span whole = span_of(rows[i].text);
        struct span halves[] = {span_sub(whole, 0, 30), span_sub(whole, 30, whole.len)};
        buf_init(&sig, MAC_SIG_MAX);
        ROW(i, text_unbase64url(span_of(rows[i].sig), &sig) == HO_OK);
        ROW(i, mac_key_verify(k, MAC_SHA256, true, &whole, 1, buf_span(&sig)));
        ROW(i, mac_key_verify(k, MAC_SHA256, true, halves, 2, buf_span(&sig)));
        ROW(i, !mac_key_verify(k, MAC_SHA256, true, halves, 1, buf_span(&sig)));
        /* The same text for any number of signatures, but for keys of its kind only. */
        for (enum mac_sig kind = SIG_RSA; kind <= SIG_ED25519; kind++) {
            struct mac_text t;
            mac_text_make(kind, MAC_SHA256, halves, 2, &t);
            ROW(i, mac_key_verify_text(k, true, &t, buf_span(&sig)) == (kind == rows[i].kind));
            ROW(i, mac_key_verify_text(k, true, &t, buf_span(&sig)) == (kind == rows[i].kind));
            ROW(i, !mac_key_verify_text(k, true, &t, SPAN_LIT("")));
            mac_text_free(&t);
        }
        /* The other form of an ECDSA signature is none. */
        ROW(i, mac_key_verify(k, MAC_SHA256, false, &whole, 1, buf_span(&sig)) ==
                   (rows[i].kind != SIG_ECDSA));
        for (size_t len = 0; len < sig.len; len++) {
            ROW(i, !mac_key_verify(k, MAC_SHA256, true, &whole, 1, span_make(sig.p, len)));
        }
        assert_int_equal(buf_add_byte(&sig, 0), HO_OK);
        ROW(i, !mac_key_verify(k, MAC_SHA256, true, &whole, 1, buf_span(&sig)));
        sig.p[--sig.len - 1] ^= 1;
        ROW(i, !mac_key_verify(k, MAC_SHA256, true, &whole, 1, buf_span(&sig)));
        buf_free(&sig);
        mac_key_free(k);
    }
}

static const struct span openssl_text = S("signed by the openssl command\n");

/* Good, then with every byte changed, cut and made longer; no other digest, no other key. */
static void signatures_as_openssl_makes_them(void **state)
{
    static const struct {
        enum mac_sig kind;
        enum mac_alg digest;
        const char *key, *sig;
    } rows[] = {
        {SIG_RSA, MAC_SHA1, "rsa.pub",
         "ktQIG2TuC1t51yLD8rd2/jhLNj9MJJiTTYrmixp/x1X9+LB4Y6sgTbyLuN1oeVjxRPio4b5KECwZ6Eyd"
         "Dn9328Zfvotgb0yI01GqGwCUI8nLAl/2eymsaGxvFRvR5Opxxyv1m4tDn/NHZs7hH8iUknFv60tQsRkr"
         "w+f0mJTY8W8="},
        {SIG_RSA, MAC_SHA256, "rsa.pub",
         "DK3wNpgIWlBX/b96ADO0egnb+N/+Mw6th2vWOc/10/IEp4RWUMv2iQpYLBFGumNFor6yVjKLnmrmA4LY"
         "mVzzEc0cWfOz0OrWJypGf/b0fWdRlqEmg2Ip7/JmmeSQgpBDvLEacEU3TgQzAegPxZZcW3tWG2fMpe48"
         "0i4Ec23BFsc="},
        {SIG_RSA, MAC_SHA384, "rsa.pub",
         "ZFoEjh0eREjySC7PFVkPydBJ4bDXfykz/3/KOIORvuZeleswjTSWx9XoFY9JLA0bGed1W9jr96q9P59v"
         "NRbXlqEP6ETSqilhxs/tIpWzWPFxh4233gm3+oZY4VEn4jA4sNeq6BPWwGIqYNX/Iz7jwEaBTkDdp+PG"
         "TRsl25OxWsc="},
        {SIG_RSA, MAC_SHA512, "rsa.pub",
         "r8J89GdgZu+Are3EwXOQ2Kmw6IHCViC82RH+UU0HWkiKwP+wzVhyUtwPle3RTPpws6k8C/G860uas8kr"
         "PO9FkPR2DguHWNGqay0Plhn/0RrbgVUEcYxnlymfkr3aHii2AKCvUN+Yq/+DSlFjFh62QtIXMBd6J5BO"
         "9xAIQvZ8Q0M="},
        {SIG_ECDSA, MAC_SHA256, "ec.pub",
         "MEQCIBTisuE6S+fp0CTMsrt/N9XscK0J8aY5TJTLEf3ydFJPAiB1fixMWwO49LKuPmWiR6ADHtMkItpe"
         "mXPMCJeDcrwWng=="},
        {SIG_ECDSA, MAC_SHA512, "ec.pub",
         "MEQCIG4ELZ4vKjwfXhJ++ZOQbVmFmW9Bg2fHdVhO4raHIvTVAiB0yvSUKtv68tIx5IQEBKtdptTqCL7c"
         "Dva+S7ele9YqtQ=="},
        {SIG_ED25519, MAC_SHA256, "ed25519.pub",
         "ro/9vLavQ0/qE/ST3cTUjnCd7YlsD+4E9IS0FCf974vo57iOBFQ8xddhEDo0IkzEawMACThkU8A5xLj8"
         "F1w4DQ=="},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        enum mac_alg digest = rows[i].digest;
        struct mac_key *k = public_key(rows[i].kind, rows[i].key);
        struct buf sig;
        buf_init(&sig, MAC_SIG_MAX);
        ROW(i, text_unbase64(span_of(rows[i].sig), &sig) == HO_OK);
        ROW(i, mac_key_verify(k, digest, false, &openssl_text, 1, buf_span(&sig)));
        for (enum mac_alg other = MAC_MD5; other <= MAC_SHA512; other++) {
            ROW(i, mac_key_verify(k, other, false, &openssl_text, 1, buf_span(&sig)) ==
                       (rows[i].kind == SIG_ED25519 || other == digest));
        }
        for (size_t at = 0; at < sig.len; at++) {
            sig.p[at] ^= 0x10;
            ROW(i, !mac_key_verify(k, digest, false, &openssl_text, 1, buf_span(&sig)));
            sig.p[at] ^= 0x10;
            struct span cut = span_make(sig.p, at);
            ROW(i, !mac_key_verify(k, digest, false, &openssl_text, 1, cut));
        }
        assert_int_equal(buf_add_byte(&sig, 0), HO_OK);
        ROW(i, !mac_key_verify(k, digest, false, &openssl_text, 1, buf_span(&sig)));
        ROW(i, !mac_key_verify(k, digest, false, &openssl_text, 1, SPAN_NONE));
        ROW(i, !mac_key_verify(k, digest, false, NULL, 0, span_make(sig.p, sig.len - 1)));
        buf_free(&sig);
        mac_key_free(k);
    }
}

/* The padding is PKCS#1 v1.5, never the other one. */
static void a_pss_signature_is_none(void **state)
{
    struct mac_key *k = public_key(SIG_RSA, "rsa.pub");
    struct buf sig;
    (void)state;
    buf_init(&sig, MAC_SIG_MAX);
    assert_int_equal(
        text_unbase64(span_of("f4opbNnnlzuzwNr5a4gy9FyRPgqC/kXN5ZFsB/4frRs+r2x4Pilj1WeRMT2ySv5NPlc6w/oGeKd8y2wV"
                              "Z57g3KAcwMeDfR+jPof4ZSaPNeZWMYsPkSZ1xw2KnGjhz27LF37aKjyo9YYDJuOjKHJngOR5jSw35G0Q"
                              "WnHsz43g9Es="),
                      &sig),
        HO_OK);
    assert_int_equal(sig.len, 128);
    assert_false(mac_key_verify(k, MAC_SHA256, false, &openssl_text, 1, buf_span(&sig)));
    buf_free(&sig);
    mac_key_free(k);
}

/* r and s of 0, and a DER signature with one byte more than it needs. */
static void odd_ecdsa_signatures_are_none(void **state)
{
    static const struct {
        bool jose;
        struct span sig;
    } rows[] = {
        {true, S("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")},
        {false, S("\x30\x06\x02\x01\x00\x02\x01\x00")},
        {false, S("\x30\x00")},
        {false, S("")},
        {true, S("")},
    };
    struct mac_key *k = private_key(SIG_ECDSA, "ec.pem");
    struct buf sig, longer;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, !mac_key_verify(k, MAC_SHA256, rows[i].jose, &openssl_text, 1, rows[i].sig));
    }
    buf_init(&sig, MAC_SIG_MAX);
    buf_init(&longer, MAC_SIG_MAX);
    do { /* one whose r is short enough that a zero in front still fits into 72 bytes */
        buf_clear(&sig);
        assert_int_equal(mac_key_sign(k, MAC_SHA256, false, &openssl_text, 1, &sig), HO_OK);
    } while (sig.p[3] > 32);
    static const unsigned char zero = 0;
    assert_int_equal(buf_add(&longer, sig.p, 4), HO_OK);
    assert_int_equal(buf_add(&longer, &zero, 1), HO_OK);
    assert_int_equal(buf_add(&longer, sig.p + 4, sig.len - 4), HO_OK);
    longer.p[1]++;
    longer.p[3]++;
    assert_true(mac_key_verify(k, MAC_SHA256, false, &openssl_text, 1, buf_span(&sig)));
    assert_false(mac_key_verify(k, MAC_SHA256, false, &openssl_text, 1, buf_span(&longer)));
    buf_free(&sig);
    buf_free(&longer);
    mac_key_free(k);
}

static const struct {
    enum mac_sig kind;
    const char *priv, *pub;
    size_t jose_len; /* 0: as long as it happens to be */
} pairs[] = {
    {SIG_RSA, "rsa.pem", "rsa.pub", 128},
    {SIG_ECDSA, "ec.pem", "ec.pub", 64},
    {SIG_ECDSA, "ec-sec1.pem", "ec-compressed.pub", 64},
    {SIG_ED25519, "ed25519.pem", "ed25519.pub", 64},
};

static void what_is_signed_verifies(void **state)
{
    static const struct span parts[] = {S("one "), S(""), NONE, S("text")};
    static const struct span whole = S("one text");
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        struct mac_key *priv = private_key(pairs[i].kind, pairs[i].priv);
        struct mac_key *pub = public_key(pairs[i].kind, pairs[i].pub);
        /* An ECDSA signature has another length now and then. */
        for (int turn = 0; turn < 64; turn++) {
            bool jose = turn % 2 == 0;
            enum mac_alg digest = turn % 4 < 2 ? MAC_SHA256 : MAC_SHA512;
            struct buf sig;
            buf_init(&sig, MAC_SIG_MAX);
            ROW(i, mac_key_sign(priv, digest, jose, parts, 4, &sig) == HO_OK);
            ROW(i, !jose || sig.len == pairs[i].jose_len);
            ROW(i, mac_key_verify(pub, digest, jose, &whole, 1, buf_span(&sig)));
            ROW(i, mac_key_verify(priv, digest, jose, parts, 4, buf_span(&sig)));
            ROW(i, !mac_key_verify(pub, digest, jose, parts, 3, buf_span(&sig)));
            buf_free(&sig);
        }
        mac_key_free(priv);
        mac_key_free(pub);
    }
}

static void signing_has_its_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        struct mac_key *priv = private_key(pairs[i].kind, pairs[i].priv);
        struct mac_key *pub = public_key(pairs[i].kind, pairs[i].pub);
        struct buf sig, small;
        buf_init(&sig, MAC_SIG_MAX);
        buf_init(&small, 63);
        ROW(i, mac_key_sign(pub, MAC_SHA256, true, &openssl_text, 1, &sig) == HO_REJECT);
        ROW(i, mac_key_sign(priv, MAC_SHA256, true, &openssl_text, 1, &small) == HO_REJECT);
        ROW(i, mac_key_sign(priv, MAC_MD5, false, &openssl_text, 1, &sig) ==
                   (pairs[i].kind == SIG_ED25519 ? HO_OK : HO_REJECT));
        ROW(i, small.len == 0);
        buf_free(&sig);
        buf_free(&small);
        mac_key_free(priv);
        mac_key_free(pub);
    }
    mac_key_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ed25519_as_published),
        cmocka_unit_test(jose_as_published),
        cmocka_unit_test(signatures_as_openssl_makes_them),
        cmocka_unit_test(a_pss_signature_is_none),
        cmocka_unit_test(odd_ecdsa_signatures_are_none),
        cmocka_unit_test(what_is_signed_verifies),
        cmocka_unit_test(signing_has_its_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
