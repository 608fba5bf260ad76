/* Filters: the words there are, and what each makes of a value. */
#include "edge_site.h"

#include "base/text.h"
#include "edge/term.h"
#include "edge/words.h"

static void refuses_what_is_no_filter(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "\"|\" is no filter; there are lower, upper, trim, strip:TEXT"},
        {"sha384", "is no filter"},
        {"HEX", "is no filter"},
        {"hex ", "is no filter"},
        {"hex:x", "takes no text"},
        {"lower:", "takes no text"},
        {"hmac-sha256:key", "takes no text"},
        {"strip", "needs a text"},
        {"strip:", "needs a text"},
        {"ptr", "needs a pointer that begins with /"},
        {"ptr:", "needs a pointer"},
        {"ptr:id", "needs a pointer"},
        {"field", "needs a name"},
        {"field:", "needs a name"},
        {"field:a=b", "needs a name without separators"},
        {"field:a b", "needs a name without separators"},
        {"param:", "needs a name"},
        {"hdrs", "takes kv or v"},
        {"hdrs:", "takes kv or v"},
        {"hdrs:k", "takes kv or v"},
        {"as", "needs a text"},
        {"as:", "needs a text"},
        {"not:", "needs a text"},
        {"withform:x", "takes no text"},
    };
    struct filter f;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ho_err err;
        ho_err_clear(&err);
        ROW(i, filter_parse(span_of(rows[i].text), &f, &err) == HO_REJECT);
        ROW(i, strstr(err.text, rows[i].says) != NULL);
        ROW(i, f.text == NULL);
    }
    assert_int_equal(filter_parse(SPAN_LIT("strip:a\0b"), &f, NULL), HO_REJECT);
}

static const struct pair headers[] = {
    {"x-a", "1"},         {"x-b", "two, 2"},    {"x-twice", "1"}, {"x-twice", "2"},
    {"x-empty", ""},      {"date", "today"},    {NULL, NULL},
};

static void takes_every_word_as_it_is_shown(void **state)
{
    char joined[WORDS_JOINED_MAX];
    struct filter f;
    size_t n = 0;
    (void)state;
    for (; filter_words(n) != NULL; n++) {
        ROW(n, filter_parse(span_of(filter_words(n)->word), &f, NULL) == HO_OK);
        ROW(n, f.kind <= FILTER_WITH_FORM && strlen(filter_words(n)->help) > 5);
        filter_free(&f);
    }
    assert_int_equal(n, FILTER_WITH_FORM + 1);
    words_join(filter_words, joined);
    assert_non_null(strstr(joined, "hdrs:kv, hdrs:v, as:TEXT, not:TEXT and withform"));
}

static void makes_one_value_of_another(void **state)
{
    static const struct {
        const char *filter;
        struct span in;
        enum filter_result result;
        struct span out;
        bool hex; /* the result is shown so */
    } rows[] = {
        {"lower", S("AbZ\xc3\x89[@`{1"), FILTER_WELL, S("abz\xc3\x89[@`{1"), false},
        {"upper", S("aBz\xc3\xa9[@`{1"), FILTER_WELL, S("ABZ\xc3\xa9[@`{1"), false},
        {"lower", S(""), FILTER_WELL, S(""), false},
        {"trim", S(" \ta b\t "), FILTER_WELL, S("a b"), false},
        {"trim", S("\na\n"), FILTER_WELL, S("\na\n"), false},
        {"strip:sha256=", S("sha256=ab"), FILTER_WELL, S("ab"), false},
        {"strip:sha256=", S("sha256="), FILTER_WELL, S(""), false},
        {"strip:sha256=", S("SHA256=ab"), FILTER_NOTHING, NONE, false},
        {"strip:a:b", S("a:bc"), FILTER_WELL, S("c"), false},
        {"hex", S("\0\xff" "A"), FILTER_WELL, S("00ff41"), false},
        {"base64", S("\xff\xfe\xfd!"), FILTER_WELL, S("//79IQ=="), false},
        {"base64url", S("\xff\xfe\xfd!"), FILTER_WELL, S("__79IQ"), false},
        {"unhex", S("00Ff41"), FILTER_WELL, S("\0\xff" "A"), false},
        {"unhex", S("00f"), FILTER_NOTHING, NONE, false},
        {"unhex", S("0x"), FILTER_NOTHING, NONE, false},
        {"unbase64", S("//79IQ=="), FILTER_WELL, S("\xff\xfe\xfd!"), false},
        {"unbase64", S("//79IQ"), FILTER_NOTHING, NONE, false},
        {"unbase64", S("//79IR=="), FILTER_NOTHING, NONE, false},
        {"unbase64", S("__79IQ=="), FILTER_NOTHING, NONE, false},
        {"md5", S("abc"), FILTER_WELL, S("900150983cd24fb0d6963f7d28e17f72"), true},
        {"sha1", S("abc"), FILTER_WELL, S("a9993e364706816aba3e25717850c26c9cd0d89d"), true},
        {"sha256", S("abc"), FILTER_WELL,
         S("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), true},
        {"sha512", S("abc"), FILTER_WELL,
         S("ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
           "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"), true},
        {"crc32", S("123456789"), FILTER_WELL, S("3421780262"), false},
        {"crc32", S(""), FILTER_WELL, S("0"), false},
        {"json", S("a\"b\\c\n\x01/\xc3\xa9"), FILTER_WELL, S("a\\\"b\\\\c\\n\\u0001/\xc3\xa9"), false},
        {"json", S(""), FILTER_WELL, S(""), false},
        {"ptr:/a/b", S("{\"a\":{\"b\":\"v\"}}"), FILTER_WELL, S("v"), false},
        {"ptr:/a", S(" {\"a\":12} "), FILTER_WELL, S("12"), false},
        {"ptr:/a", S("{\"a\":1.5}"), FILTER_NOTHING, NONE, false},
        {"ptr:/a", S("{\"a\":null}"), FILTER_NOTHING, NONE, false},
        {"ptr:/a", S("{\"b\":1}"), FILTER_NOTHING, NONE, false},
        {"ptr:/a", S("{\"a\":1"), FILTER_NOTHING, NONE, false},
        {"ptr:/a", S(""), FILTER_NOTHING, NONE, false},
        {"field:algorithm", S("key=k1,algorithm=HMAC_SHA256"), FILTER_WELL, S("HMAC_SHA256"), false},
        {"field:b", S("a=1; b=2=3 ;c=4"), FILTER_WELL, S("2=3"), false},
        {"field:b", S("b=\t"), FILTER_NOTHING, NONE, false},
        {"field:b", S("b"), FILTER_NOTHING, NONE, false},
        {"field:b", S("ab=1,B=2"), FILTER_NOTHING, NONE, false},
        {"field:b", S("b=1,b=1"), FILTER_NOTHING, NONE, false},
        {"field:b", S("b=,b=1"), FILTER_NOTHING, NONE, false},
        {"param:endpoint", S("code"), FILTER_WELL, S("codehttps://h/e"), false},
        {"param:endpoint", S(""), FILTER_WELL, S("https://h/e"), false},
        {"param:none", S("code"), FILTER_NOTHING, NONE, false},
        {"as:a message", S("17"), FILTER_WELL, S("a message"), false},
        {"not:enabled", S("revoked"), FILTER_WELL, S("revoked"), false},
        {"not:enabled", S("enabled2"), FILTER_WELL, S("enabled2"), false},
        {"not:enabled", S("enabled"), FILTER_NOTHING, NONE, false},
        {"withform", S("https://h/?b=2&a=1"), FILTER_WELL, S("https://h/?a=1&b=2"), false},
        {"hdrs:kv", S("x-b,X-A"), FILTER_WELL, S("x-b:two, 2;x-a:1"), false},
        {"hdrs:kv", S("x-a"), FILTER_WELL, S("x-a:1"), false},
        {"hdrs:kv", S("x-empty date"), FILTER_WELL, S("x-empty:;date:today"), false},
        {"hdrs:v", S("x-a x-empty X-Date Date"), FILTER_NOTHING, NONE, false},
        {"hdrs:v", S("x-a x-empty Date"), FILTER_WELL, S("1..today"), false},
        {"hdrs:v", S("x-a,none"), FILTER_NOTHING, NONE, false},
        {"hdrs:v", S("x-a,x-twice"), FILTER_NOTHING, NONE, false},
        {"hdrs:v", S("x_a"), FILTER_NOTHING, NONE, false},
        {"hdrs:v", S(" ,"), FILTER_NOTHING, NONE, false},
    };
    struct setting_param param = {SPAN_LIT("endpoint"), SPAN_LIT("https://h/e")};
    const struct source source = {.params = &param, .n_params = 1};
    struct request r;
    (void)state;
    post(&r, headers, SPAN_LIT(""));
    const struct term_view v = {.request = &r, .source = &source};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct filter f;
        struct buf out;
        char hex[2 * 64 + 1] = "";
        buf_init(&out, 256);
        assert_int_equal(buf_add_str(&out, "kept"), HO_OK);
        ROW(i, filter_parse(span_of(rows[i].filter), &f, NULL) == HO_OK);
        ROW(i, filter_apply(&f, &v, rows[i].in, &out) == rows[i].result);
        struct span got = span_sub(buf_span(&out), 4, out.len);
        if (rows[i].hex) {
            assert_true(got.len <= 64);
            text_hex(got.p, got.len, hex);
            got = span_of(hex);
        }
        ROW(i, span_starts(buf_span(&out), "kept"));
        ROW(i, rows[i].result == FILTER_WELL ? span_eq(got, rows[i].out) : got.len == 0);
        filter_free(&f);
        buf_free(&out);
    }
}

static void takes_any_scalar_where_bytes_are_compared(void **state)
{
    struct filter f;
    struct buf out;
    (void)state;
    buf_init(&out, 64);
    assert_int_equal(filter_parse(SPAN_LIT("ptr:/a"), &f, NULL), HO_OK);
    assert_int_equal(
        filter_apply(&f, &(struct term_view){.exact = true}, SPAN_LIT("{\"a\":1.50}"), &out),
        FILTER_WELL);
    assert_true(span_is(buf_span(&out), "1.50"));
    filter_free(&f);
    buf_free(&out);
}

/* Else whoever asks gets a signature over whatever he likes. */
static void signs_nothing_but_challenges(void **state)
{
    static const char long_one[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                                   "0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF"
                                   "0";
    static const struct {
        const char *filter;
        struct span in;
        const char *hex; /* NULL: nothing */
    } rows[] = {
        {"hmac-sha1", S("challenge_1-A"), "535c649a77fe4aab6c26594b26e37d2da12012bb"},
        {"hmac-sha256", S("challenge_1-A"),
         "8bc926ff069813e94d32c0c34537f04b83e9ff62eee8c34b169bb64f2a6d02d1"},
        {"hmac-sha512", S("challenge_1-A"),
         "639f30b722005edaa3e212d6853fe2ab69679b6972734f183b9701cf39c77ce0"
         "5b61e3d3073bd702a3369b47254c4284a629af6428d4597272ee776532950c2a"},
        {"hmac-sha256", S(""), NULL},
        {"hmac-sha256", S("{\"id\":1}"), NULL},
        {"hmac-sha256", S("a.b"), NULL},
        {"hmac-sha256", S("a b"), NULL},
        {"hmac-sha256", S("a\n"), NULL},
        {"hmac-sha256", S("a\0"), NULL},
        {"hmac-sha256", S("a=b"), NULL},
        {"hmac-sha256", S("caf\xc3\xa9"), NULL},
    };
    const struct term_view v = {.secret = SPAN_LIT("key")};
    struct filter f;
    struct buf out;
    (void)state;
    buf_init(&out, 256);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char hex[2 * 64 + 1] = "";
        buf_clear(&out);
        ROW(i, filter_parse(span_of(rows[i].filter), &f, NULL) == HO_OK);
        ROW(i, filter_is_hmac(&f));
        ROW(i, filter_is_challenge(rows[i].in) == (rows[i].hex != NULL));
        ROW(i, filter_apply(&f, &v, rows[i].in, &out) ==
                   (rows[i].hex != NULL ? FILTER_WELL : FILTER_NOTHING));
        text_hex(out.p == NULL ? (const unsigned char *)"" : out.p, out.len, hex);
        ROW_TEXT(i, hex, rows[i].hex == NULL ? "" : rows[i].hex);
        filter_free(&f);
    }
    assert_int_equal(sizeof long_one - 1, CHALLENGE_MAX + 1);
    assert_true(filter_is_challenge(span_make(long_one, CHALLENGE_MAX)));
    assert_false(filter_is_challenge(span_make(long_one, CHALLENGE_MAX + 1)));
    /* Nor without a key. */
    assert_int_equal(filter_parse(SPAN_LIT("hmac-sha256"), &f, NULL), HO_OK);
    buf_clear(&out);
    assert_int_equal(filter_apply(&f, &(struct term_view){.secret = SPAN_NONE}, SPAN_LIT("a"), &out),
                     FILTER_NOTHING);
    assert_int_equal(
        filter_apply(&f, &(struct term_view){.secret = SPAN_LIT("")}, SPAN_LIT("a"), &out),
        FILTER_NOTHING);
    assert_int_equal(out.len, 0);
    filter_free(&f);
    assert_int_equal(filter_parse(SPAN_LIT("sha256"), &f, NULL), HO_OK);
    assert_false(filter_is_hmac(&f));
    filter_free(&f);
    buf_free(&out);
}

static void says_when_a_value_does_not_fit(void **state)
{
    static const struct {
        const char *filter, *in;
    } rows[] = {
        {"lower", "123456789"},   {"trim", "123456789"},   {"strip:1", "1234567890"},
        {"hex", "12345"},         {"base64", "1234567"},   {"base64url", "1234567"},
        {"unhex", "303132333435363738"}, {"unbase64", "MTIzNDU2Nzg5"}, {"md5", "x"},
        {"hmac-sha1", "x"},       {"crc32", "123456789"},  {"json", "1234567"},
        {"ptr:/a", "{\"a\":\"123456789\"}"}, {"field:a", "a=123456789"}, {"param:p", "123456789"},
        {"hdrs:kv", "x-a,x-a"},   {"as:123456789", "x"},   {"not:a", "123456789"},
        {"withform", "123456789"},
    };
    struct setting_param param = {SPAN_LIT("p"), SPAN_LIT("v")};
    const struct source source = {.params = &param, .n_params = 1};
    struct request r;
    (void)state;
    post(&r, headers, SPAN_LIT(""));
    const struct term_view v = {.request = &r, .secret = SPAN_LIT("key"), .source = &source};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct filter f;
        struct buf out;
        buf_init(&out, 8);
        ROW(i, filter_parse(span_of(rows[i].filter), &f, NULL) == HO_OK);
        ROW(i, filter_apply(&f, &v, span_of(rows[i].in), &out) == FILTER_FULL);
        ROW(i, out.len == 0);
        filter_free(&f);
        buf_free(&out);
    }
}

/* One header named very often must not make a value of any size. */
static void bounds_the_list_of_headers(void **state)
{
    struct filter f;
    struct request r;
    struct buf list;
    struct buf out;
    (void)state;
    post(&r, headers, SPAN_LIT(""));
    buf_init(&list, 1024);
    buf_init(&out, 65536);
    assert_int_equal(filter_parse(SPAN_LIT("hdrs:v"), &f, NULL), HO_OK);
    for (int i = 0; i < 64; i++) {
        assert_int_equal(buf_add_str(&list, "x-a "), HO_OK);
    }
    assert_int_equal(filter_apply(&f, &(struct term_view){.request = &r}, buf_span(&list), &out),
                     FILTER_WELL);
    assert_int_equal(out.len, 127);
    assert_int_equal(buf_add_str(&list, "x-a"), HO_OK);
    assert_int_equal(filter_apply(&f, &(struct term_view){.request = &r}, buf_span(&list), &out),
                     FILTER_NOTHING);
    assert_int_equal(out.len, 127);
    filter_free(&f);
    buf_free(&list);
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_no_filter),
        cmocka_unit_test(takes_every_word_as_it_is_shown),
        cmocka_unit_test(makes_one_value_of_another),
        cmocka_unit_test(takes_any_scalar_where_bytes_are_compared),
        cmocka_unit_test(signs_nothing_but_challenges),
        cmocka_unit_test(says_when_a_value_does_not_fit),
        cmocka_unit_test(bounds_the_list_of_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
