/* Which keys are taken and which are refused, in every form that they come in; fresh ones. */
#include "mac_keys.h"

static void takes_files_of_the_right_kind_only(void **state)
{
    static const struct {
        const char *name;
        bool rsa, ecdsa, ed25519;
        const char *why; /* in the text of every refusal */
    } rows[] = {
        {"rsa.pub", true, false, false, "an RSA key, where"},
        {"rsa-pkcs1.pub", true, false, false, "an RSA key, where"},
        {"rsa-cert.pem", true, false, false, "an RSA key, where"},
        {"ec.pub", false, true, false, "an elliptic curve key, where"},
        {"ec-compressed.pub", false, true, false, "an elliptic curve key, where"},
        {"ec-cert.pem", false, true, false, "an elliptic curve key, where"},
        {"ed25519.pub", false, false, true, "an Ed25519 key, where"},
        {"rsa-1000.pub", false, false, false, ""},
        {"rsa-pss.pub", false, false, false, "a key of another kind, where"},
        {"ec-p384.pub", false, false, false, ""},
        {"ec-secp256k1.pub", false, false, false, ""},
        {"ec-explicit.pub", false, false, false, ""},
        {"rsa.pem", false, false, false, "a private key, where a public one"},
        {"ec.pem", false, false, false, "a private key, where a public one"},
        {"ec-sec1.pem", false, false, false, "a private key, where a public one"},
        {"rsa-encrypted.pem", false, false, false, "a private key, where a public one"},
        {"README.md", false, false, false, "no key that can be read"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const bool takes[] = {
            [SIG_RSA] = rows[i].rsa, [SIG_ECDSA] = rows[i].ecdsa, [SIG_ED25519] = rows[i].ed25519};
        struct buf text;
        buf_init(&text, KEY_TEXT);
        read_key(rows[i].name, &text);
        for (enum mac_sig kind = SIG_RSA; kind <= SIG_ED25519; kind++) {
            struct mac_key *k = NULL;
            struct ho_err err;
            ho_err_clear(&err);
            enum ho_code code = mac_key_public(kind, buf_span(&text), &k, &err);
            ROW(i, code == (takes[kind] ? HO_OK : HO_REJECT) && err.code == code);
            ROW(i, (k != NULL) == takes[kind]);
            ROW(i, takes[kind] || strstr(err.text, rows[i].why) != NULL);
            mac_key_free(k);
        }
        buf_free(&text);
    }
}

static void says_what_a_refused_key_is(void **state)
{
    static const struct {
        const char *name;
        enum mac_sig kind;
        const char *why;
    } rows[] = {
        {"rsa-1000.pub", SIG_RSA, "an RSA key of 1000 bits; it must have 1024 to 8192"},
        {"ec-p384.pub", SIG_ECDSA, "an elliptic curve key that is not on P-256"},
        {"ec-secp256k1.pub", SIG_ECDSA, "an elliptic curve key that is not on P-256"},
        {"ec-explicit.pub", SIG_ECDSA, "an elliptic curve key that is not on P-256"},
        {"ec.pub", SIG_ED25519, "an elliptic curve key, where an Ed25519 key was expected"},
        {"ed25519.pub", SIG_ECDSA,
         "an Ed25519 key, where an elliptic curve key on P-256 was expected"},
        {"README.md", SIG_RSA, "no key that can be read; an RSA key was expected"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf text;
        struct mac_key *k = NULL;
        struct ho_err err;
        ho_err_clear(&err);
        buf_init(&text, KEY_TEXT);
        read_key(rows[i].name, &text);
        ROW(i, mac_key_public(rows[i].kind, buf_span(&text), &k, &err) == HO_REJECT);
        ROW_TEXT(i, err.text, rows[i].why);
        buf_free(&text);
    }
}

static void der_and_raw_bytes_are_taken_whole(void **state)
{
    static const struct {
        enum mac_sig kind;
        bool ok;
        struct span bytes;
    } rows[] = {
        {SIG_RSA, true,
         S("\x30\x81\x9f\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00\x03\x81"
            "\x8d\x00\x30\x81\x89\x02\x81\x81\x00\xd4\xf7\x04\x0a\xa6\x20\x3b\x8e\x1d\xfc\x70"
            "\x8c\x4b\xd7\xe5\xfa\x62\xfb\x77\x25\x48\xbb\x99\xe4\xce\xa3\x54\x7f\x35\xda\x02"
            "\x1e\xb2\x9f\x8e\x61\x03\xf6\xd4\x6a\x93\x16\x23\x34\x7f\x23\x9f\xc3\x12\x26\x03"
            "\x6c\xf6\xb1\x37\x3a\xa6\xa5\x2b\x35\xb9\x6b\x02\x5d\x2f\x3b\xda\xb3\x6a\x9e\x5a"
            "\xd0\xf6\x33\x81\xbd\x75\x76\x95\x43\x07\x71\xa5\x68\x84\x7d\xdc\x47\x00\x4d\x7d"
            "\x4a\x91\xca\x80\xc3\xf5\x16\x4f\xeb\x73\x25\x43\xee\x16\xe7\xa9\xad\x8e\x92\x1b"
            "\x00\xf7\x77\x21\x52\xcc\x49\x87\x30\x63\x8d\xdc\x53\x65\x53\xaa\x53\x02\x03\x01"
            "\x00\x01")},
        /* exponents: 3 is one; 1, and 4 are none */
        {SIG_RSA, true,
         S("\x30\x81\x9d\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00\x03\x81"
            "\x8b\x00\x30\x81\x87\x02\x81\x81\x00\xd4\xf7\x04\x0a\xa6\x20\x3b\x8e\x1d\xfc\x70"
            "\x8c\x4b\xd7\xe5\xfa\x62\xfb\x77\x25\x48\xbb\x99\xe4\xce\xa3\x54\x7f\x35\xda\x02"
            "\x1e\xb2\x9f\x8e\x61\x03\xf6\xd4\x6a\x93\x16\x23\x34\x7f\x23\x9f\xc3\x12\x26\x03"
            "\x6c\xf6\xb1\x37\x3a\xa6\xa5\x2b\x35\xb9\x6b\x02\x5d\x2f\x3b\xda\xb3\x6a\x9e\x5a"
            "\xd0\xf6\x33\x81\xbd\x75\x76\x95\x43\x07\x71\xa5\x68\x84\x7d\xdc\x47\x00\x4d\x7d"
            "\x4a\x91\xca\x80\xc3\xf5\x16\x4f\xeb\x73\x25\x43\xee\x16\xe7\xa9\xad\x8e\x92\x1b"
            "\x00\xf7\x77\x21\x52\xcc\x49\x87\x30\x63\x8d\xdc\x53\x65\x53\xaa\x53\x02\x01\x03")},
        {SIG_RSA, false,
         S("\x30\x81\x9d\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00\x03\x81"
            "\x8b\x00\x30\x81\x87\x02\x81\x81\x00\xd4\xf7\x04\x0a\xa6\x20\x3b\x8e\x1d\xfc\x70"
            "\x8c\x4b\xd7\xe5\xfa\x62\xfb\x77\x25\x48\xbb\x99\xe4\xce\xa3\x54\x7f\x35\xda\x02"
            "\x1e\xb2\x9f\x8e\x61\x03\xf6\xd4\x6a\x93\x16\x23\x34\x7f\x23\x9f\xc3\x12\x26\x03"
            "\x6c\xf6\xb1\x37\x3a\xa6\xa5\x2b\x35\xb9\x6b\x02\x5d\x2f\x3b\xda\xb3\x6a\x9e\x5a"
            "\xd0\xf6\x33\x81\xbd\x75\x76\x95\x43\x07\x71\xa5\x68\x84\x7d\xdc\x47\x00\x4d\x7d"
            "\x4a\x91\xca\x80\xc3\xf5\x16\x4f\xeb\x73\x25\x43\xee\x16\xe7\xa9\xad\x8e\x92\x1b"
            "\x00\xf7\x77\x21\x52\xcc\x49\x87\x30\x63\x8d\xdc\x53\x65\x53\xaa\x53\x02\x01\x01")},
        {SIG_RSA, false,
         S("\x30\x81\x9d\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00\x03\x81"
            "\x8b\x00\x30\x81\x87\x02\x81\x81\x00\xd4\xf7\x04\x0a\xa6\x20\x3b\x8e\x1d\xfc\x70"
            "\x8c\x4b\xd7\xe5\xfa\x62\xfb\x77\x25\x48\xbb\x99\xe4\xce\xa3\x54\x7f\x35\xda\x02"
            "\x1e\xb2\x9f\x8e\x61\x03\xf6\xd4\x6a\x93\x16\x23\x34\x7f\x23\x9f\xc3\x12\x26\x03"
            "\x6c\xf6\xb1\x37\x3a\xa6\xa5\x2b\x35\xb9\x6b\x02\x5d\x2f\x3b\xda\xb3\x6a\x9e\x5a"
            "\xd0\xf6\x33\x81\xbd\x75\x76\x95\x43\x07\x71\xa5\x68\x84\x7d\xdc\x47\x00\x4d\x7d"
            "\x4a\x91\xca\x80\xc3\xf5\x16\x4f\xeb\x73\x25\x43\xee\x16\xe7\xa9\xad\x8e\x92\x1b"
            "\x00\xf7\x77\x21\x52\xcc\x49\x87\x30\x63\x8d\xdc\x53\x65\x53\xaa\x53\x02\x01\x04")},
        /* the same point, with a mark of which half it is in, which few know; and infinity */
        {SIG_ECDSA, false,
         S("\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d"
            "\x03\x01\x07\x03\x42\x00\x06\x3e\xc2\x2f\x4d\x77\x7c\x9b\x2c\x7c\x33\x43\x8a\xd3"
            "\x1d\xef\x2f\x3d\x7f\xfa\x3e\x53\xb8\x35\xb1\x9d\xc5\xc9\xfa\x21\xe5\x42\xdc\xaa"
            "\xcc\xe6\x8b\xbe\x56\xf1\x64\x4a\x8a\x70\x31\x7a\x95\xb3\x7b\x94\xee\x5d\x02\x62"
            "\xee\x8c\x15\xb5\xc7\xd5\x89\xb2\x71\x9e\x3c")},
        {SIG_ECDSA, false,
         S("\x30\x19\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d"
            "\x03\x01\x07\x03\x02\x00\x00")},
        {SIG_ED25519, true, S("0123456789abcdef0123456789abcdef")},
        {SIG_ED25519, false, S("0123456789abcdef0123456789abcde")},
        {SIG_ED25519, false, S("0123456789abcdef0123456789abcdef\n")},
        {SIG_RSA, false, S("0123456789abcdef0123456789abcdef")},
        {SIG_ECDSA, false, S("0123456789abcdef0123456789abcdef")},
        {SIG_RSA, false, S("")},
        {SIG_RSA, false, NONE},
        {SIG_ED25519, false, NONE},
        {SIG_RSA, false, S("0")},
        {SIG_RSA, false, S("-----BEGIN PUBLIC KEY-----\n")},
        {SIG_RSA, false, S("-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mac_key *k = NULL;
        ROW(i, mac_key_public(rows[i].kind, rows[i].bytes, &k, NULL) ==
                   (rows[i].ok ? HO_OK : HO_REJECT));
        ROW(i, (k != NULL) == rows[i].ok);
        mac_key_free(k);
        if (rows[i].ok && rows[i].kind != SIG_ED25519) {
            struct buf longer;
            buf_init(&longer, 1000);
            ROW(i, buf_add_span(&longer, rows[i].bytes) == HO_OK);
            ROW(i, buf_add_byte(&longer, '\n') == HO_OK);
            ROW(i, mac_key_public(rows[i].kind, buf_span(&longer), &k, NULL) == HO_REJECT);
            for (size_t len = 0; len < rows[i].bytes.len; len++) {
                struct span cut = span_sub(rows[i].bytes, 0, len);
                ROW(i, mac_key_public(rows[i].kind, cut, &k, NULL) == HO_REJECT);
            }
            buf_free(&longer);
        }
    }
}

/* The name of a kind is trusted to nobody: a PEM text with another one around the same bytes. */
static void a_pem_text_is_one_key(void **state)
{
    static const struct {
        const char *first, *second;
        bool ok;
    } rows[] = {
        {"rsa-cert.pem", "ec-cert.pem", true}, /* a chain: the first is the signer's */
        {"rsa.pub", "ec.pub", false},
        {"rsa.pub", "rsa.pub", false},
        {"rsa.pub", "README.md", true},
        {"README.md", "rsa.pub", true},
        {"ec-cert.pem", "rsa-cert.pem", false},
        {"rsa.pem", "rsa.pub", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf text;
        struct mac_key *k = NULL;
        buf_init(&text, KEY_TEXT);
        read_key(rows[i].first, &text);
        read_key(rows[i].second, &text);
        ROW(i, mac_key_public(SIG_RSA, buf_span(&text), &k, NULL) ==
                   (rows[i].ok ? HO_OK : HO_REJECT));
        ROW(i, (k != NULL) == rows[i].ok);
        mac_key_free(k);
        buf_free(&text);
    }
}

static void takes_private_keys_without_passphrase(void **state)
{
    static const struct {
        enum mac_sig kind;
        const char *name;
        bool ok;
    } rows[] = {
        {SIG_RSA, "rsa.pem", true},          {SIG_ECDSA, "ec.pem", true},
        {SIG_ECDSA, "ec-sec1.pem", true},    {SIG_ED25519, "ed25519.pem", true},
        {SIG_ECDSA, "rsa.pem", false},       {SIG_RSA, "ec.pem", false},
        {SIG_ED25519, "ec.pem", false},      {SIG_RSA, "rsa-encrypted.pem", false},
        {SIG_RSA, "rsa.pub", false},         {SIG_RSA, "rsa-cert.pem", false},
        {SIG_RSA, "README.md", false},
    };
    struct mac_key *k = NULL;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf text;
        buf_init(&text, KEY_TEXT);
        read_key(rows[i].name, &text);
        ROW(i, mac_key_private(rows[i].kind, buf_span(&text), &k, NULL) ==
                   (rows[i].ok ? HO_OK : HO_REJECT));
        ROW(i, (k != NULL) == rows[i].ok);
        mac_key_free(k);
        buf_free(&text);
    }
    assert_int_equal(mac_key_private(SIG_RSA, SPAN_NONE, &k, NULL), HO_REJECT);
    assert_int_equal(mac_key_private(SIG_RSA, SPAN_LIT(""), &k, NULL), HO_REJECT);
}

static void a_text_too_long_is_not_read(void **state)
{
    static char text[KEY_TEXT];
    struct buf key;
    struct mac_key *k = NULL;
    (void)state;
    buf_init(&key, KEY_TEXT);
    read_key("rsa.pem", &key);
    memset(text, '\n', sizeof text);
    memcpy(text, key.p, key.len);
    assert_int_equal(mac_key_private(SIG_RSA, span_make(text, 65536), &k, NULL), HO_OK);
    mac_key_free(k);
    assert_int_equal(mac_key_private(SIG_RSA, span_make(text, 65537), &k, NULL), HO_REJECT);
    buf_clear(&key);
    read_key("rsa.pub", &key);
    memset(text, '\n', sizeof text);
    memcpy(text, key.p, key.len);
    assert_int_equal(mac_key_public(SIG_RSA, span_make(text, 65536), &k, NULL), HO_OK);
    mac_key_free(k);
    assert_int_equal(mac_key_public(SIG_RSA, span_make(text, 65537), &k, NULL), HO_REJECT);
    buf_free(&key);
}

static void makes_pairs(void **state)
{
    static const struct span text = S("text");
    (void)state;
    for (enum mac_sig kind = SIG_RSA; kind <= SIG_ED25519; kind++) {
        struct buf priv, pub, sig, tight;
        struct mac_key *private_one = NULL;
        struct mac_key *public_one = NULL;
        buf_init(&priv, 4096);
        buf_init(&pub, 4096);
        buf_init(&sig, MAC_SIG_MAX);
        buf_init(&tight, 20);
        ROW(kind, buf_add_str(&priv, "x\n") == HO_OK);
        ROW(kind, mac_key_make(kind, &priv, &tight) == HO_REJECT);
        ROW(kind, priv.len == 2 && tight.len == 0);
        ROW(kind, mac_key_make(kind, &tight, &pub) == HO_REJECT && pub.len == 0);
        ROW(kind, mac_key_make(kind, &priv, &pub) == HO_OK);
        ROW(kind, span_starts(buf_span(&priv), "x\n-----BEGIN PRIVATE KEY-----\n"));
        ROW(kind, span_starts(buf_span(&pub), "-----BEGIN PUBLIC KEY-----\n"));
        ROW(kind, mac_key_private(kind, buf_span(&priv), &private_one, NULL) == HO_OK);
        ROW(kind, mac_key_public(kind, buf_span(&pub), &public_one, NULL) == HO_OK);
        ROW(kind, mac_key_sign(private_one, MAC_SHA256, false, &text, 1, &sig) == HO_OK);
        ROW(kind, kind != SIG_RSA || sig.len == 256);
        ROW(kind, mac_key_verify(public_one, MAC_SHA256, false, &text, 1, buf_span(&sig)));
        mac_key_free(private_one);
        mac_key_free(public_one);
        buf_wipe(&priv);
        buf_free(&pub);
        buf_free(&sig);
        buf_free(&tight);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_files_of_the_right_kind_only),
        cmocka_unit_test(says_what_a_refused_key_is),
        cmocka_unit_test(der_and_raw_bytes_are_taken_whole),
        cmocka_unit_test(a_pem_text_is_one_key),
        cmocka_unit_test(takes_private_keys_without_passphrase),
        cmocka_unit_test(a_text_too_long_is_not_read),
        cmocka_unit_test(makes_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
