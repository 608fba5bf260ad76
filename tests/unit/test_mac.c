/* Digests and HMAC against the published vectors; comparison and random bytes. */
#include "unit.h"

#include "base/mac.h"
#include "base/text.h"

static void digests_as_published(void **state)
{
    static const struct {
        struct span in;
        const char *want;
    } rows[] = {
        {S(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {NONE, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {S("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {S("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {S("\0"), "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned char out[SHA256_LEN];
        char hex[2 * SHA256_LEN + 1];
        mac_sha256(rows[i].in, out);
        text_hex(out, sizeof out, hex);
        ROW_TEXT(i, hex, rows[i].want);
    }
}

static void every_digest_as_published(void **state)
{
    static const struct {
        enum mac_alg alg;
        struct span in;
        const char *want;
    } rows[] = {
        /* RFC 1321, A.5 */
        {MAC_MD5, S(""), "d41d8cd98f00b204e9800998ecf8427e"},
        {MAC_MD5, S("message digest"), "f96b697d7cb7938d525a2f31aaf161d0"},
        /* FIPS 180, examples */
        {MAC_SHA1, S("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d"},
        {MAC_SHA256, S("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {MAC_SHA384, S("abc"), "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                               "8086072ba1e7cc2358baeca134c825a7"},
        {MAC_SHA512, S("abc"), "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                               "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned char out[MAC_MAX + 1];
        char hex[2 * MAC_MAX + 1];
        size_t len = mac_len(rows[i].alg);
        struct span parts[] = {span_sub(rows[i].in, 0, 1), span_sub(rows[i].in, 1, SIZE_MAX)};
        memset(out, 0xEE, sizeof out);
        mac_digest(rows[i].alg, parts, 2, out);
        text_hex(out, len, hex);
        ROW_TEXT(i, hex, rows[i].want);
        ROW(i, out[len] == 0xEE);
    }
}

static void parts_count_as_one_text(void **state)
{
    static const struct span parts[] = {S("ab"), S(""), NONE, S("c")};
    unsigned char whole[SHA256_LEN];
    unsigned char pieces[SHA256_LEN];
    unsigned char mac[MAC_MAX];
    unsigned char mac_pieces[MAC_MAX];
    struct span abc = SPAN_LIT("abc");
    (void)state;
    mac_sha256(abc, whole);
    mac_sha256_parts(parts, 4, pieces);
    assert_memory_equal(whole, pieces, SHA256_LEN);
    mac_hmac(MAC_SHA512, SPAN_LIT("k"), &abc, 1, mac);
    mac_hmac(MAC_SHA512, SPAN_LIT("k"), parts, 4, mac_pieces);
    assert_memory_equal(mac, mac_pieces, 64);
    mac_sha256(SPAN_LIT(""), whole);
    mac_sha256_parts(NULL, 0, pieces);
    assert_memory_equal(whole, pieces, SHA256_LEN);
}

#define AA20 "\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa"
#define AA131 AA20 AA20 AA20 AA20 AA20 AA20 "\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa\xaa"
#define AA80 AA20 AA20 AA20 AA20
#define X0B20 "\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b"

static void hmac_as_published(void **state)
{
    static const struct {
        enum mac_alg alg;
        struct span key, data;
        const char *want;
    } rows[] = {
        /* RFC 2202, section 3 */
        {MAC_SHA1, S(X0B20), S("Hi There"), "b617318655057264e28bc0b6fb378c8ef146be00"},
        {MAC_SHA1, S("Jefe"), S("what do ya want for nothing?"),
         "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"},
        {MAC_SHA1, S(AA80), S("Test Using Larger Than Block-Size Key - Hash Key First"),
         "aa4ae5e15272d00e95705637ce8a3b55ed402112"},
        /* RFC 4231, sections 4.2, 4.3, 4.7 */
        {MAC_SHA256, S(X0B20), S("Hi There"),
         "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {MAC_SHA512, S(X0B20), S("Hi There"),
         "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
         "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"},
        {MAC_SHA256, S("Jefe"), S("what do ya want for nothing?"),
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {MAC_SHA512, S("Jefe"), S("what do ya want for nothing?"),
         "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
         "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"},
        {MAC_SHA256, S(AA131), S("Test Using Larger Than Block-Size Key - Hash Key First"),
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        {MAC_SHA384, S("Jefe"), S("what do ya want for nothing?"),
         "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e"
         "8e2240ca5e69e2c78b3239ecfab21649"},
        /* RFC 2202, section 2 */
        {MAC_MD5, S("Jefe"), S("what do ya want for nothing?"), "750c783e6ab0b503eaa86e310a5db738"},
        /* an empty key and an empty text */
        {MAC_SHA256, S(""), S(""),
         "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"},
        {MAC_SHA1, NONE, S(""), "fbdb1d1b18aa6c08324b7d64b71fb76370690e1d"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned char out[MAC_MAX + 1];
        char hex[2 * MAC_MAX + 1];
        size_t len = mac_len(rows[i].alg);
        memset(out, 0xEE, sizeof out);
        mac_hmac(rows[i].alg, rows[i].key, &rows[i].data, 1, out);
        text_hex(out, len, hex);
        ROW_TEXT(i, hex, rows[i].want);
        ROW(i, out[len] == 0xEE);
    }
    assert_int_equal(mac_len(MAC_MD5), 16);
    assert_int_equal(mac_len(MAC_SHA1), 20);
    assert_int_equal(mac_len(MAC_SHA256), 32);
    assert_int_equal(mac_len(MAC_SHA384), 48);
    assert_int_equal(mac_len(MAC_SHA512), 64);
}

static void equal_means_every_byte(void **state)
{
    unsigned char a[32];
    unsigned char b[32];
    (void)state;
    memset(a, 7, sizeof a);
    memcpy(b, a, sizeof b);
    assert_true(mac_equal(span_make(a, 32), span_make(b, 32)));
    for (size_t i = 0; i < 32; i++) {
        for (unsigned int bit = 0; bit < 8; bit++) {
            b[i] ^= (unsigned char)(1U << bit);
            ROW(i, !mac_equal(span_make(a, 32), span_make(b, 32)));
            b[i] ^= (unsigned char)(1U << bit);
        }
    }
    assert_false(mac_equal(span_make(a, 32), span_make(b, 31)));
    assert_false(mac_equal(span_make(a, 0), span_make(b, 1)));
    assert_true(mac_equal(span_make(a, 0), span_make(b, 0)));
    assert_false(mac_equal(SPAN_NONE, SPAN_NONE));
    assert_false(mac_equal(SPAN_NONE, span_make(b, 0)));
    assert_false(mac_equal(span_make(a, 0), SPAN_NONE));
}

static void secrets_are_equal_whole(void **state)
{
    static const struct {
        struct span a, b;
        bool same;
    } rows[] = {
        {S("token"), S("token"), true}, {S("token"), S("tokem"), false},
        {S("token"), S("Token"), false}, {S("token"), S("toke"), false},
        {S("toke"), S("token"), false}, {S("token\0"), S("token"), false},
        {S(""), S(""), true},           {S(""), S("t"), false},
        {NONE, NONE, false},            {NONE, S(""), false},
        {S(""), NONE, false},           {S("a\0b"), S("a\0b"), true},
        {S("a\0b"), S("a\0c"), false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, mac_equal_secret(rows[i].a, rows[i].b) == rows[i].same);
    }
}

static void random_bytes_differ(void **state)
{
    unsigned char a[33] = {0};
    unsigned char b[33] = {0};
    (void)state;
    mac_random(a, 32);
    mac_random(b, 32);
    assert_memory_not_equal(a, b, 32);
    assert_int_equal(a[32], 0);
    mac_random(a, 0);
}

static void wiping_zeroes_exactly_that(void **state)
{
    unsigned char a[5] = {1, 2, 3, 4, 5};
    static const unsigned char want[5] = {1, 0, 0, 0, 5};
    (void)state;
    mac_wipe(a + 1, 3);
    assert_memory_equal(a, want, 5);
    mac_wipe(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_as_published),
        cmocka_unit_test(every_digest_as_published),
        cmocka_unit_test(parts_count_as_one_text),
        cmocka_unit_test(hmac_as_published),
        cmocka_unit_test(equal_means_every_byte),
        cmocka_unit_test(secrets_are_equal_whole),
        cmocka_unit_test(random_bytes_differ),
        cmocka_unit_test(wiping_zeroes_exactly_that),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
