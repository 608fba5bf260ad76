/* multipart/form-data: parts as browsers and libraries write them, and everything that two readers
 * could take differently refused. */
#include "unit.h"

#include "base/multipart.h"

#define TYPE "multipart/form-data; boundary="
#define DISPOSITION "Content-Disposition: form-data; name="
#define FIELD(name, value) "--b\r\n" DISPOSITION "\"" name "\"\r\n\r\n" value "\r\n"
#define END "--b--\r\n"

static void opens_at_its_boundary(void **state)
{
    static const struct {
        struct span body, type;
        bool ok;
        struct span boundary;
    } rows[] = {
        {S("--b\r\n"), S(TYPE "b"), true, S("b")},
        {S("--b\r\n"), S(TYPE "\"b\""), true, S("b")},
        {S("--b\r\n"), S("Multipart/Form-Data;BOUNDARY=b"), true, S("b")},
        {S("--b\r\n"), S(" multipart/form-data ; charset=utf-8 ; boundary=b ; "), true, S("b")},
        {S("--b\r\n"), NONE, true, S("b")},
        {S("--b \t\r\n"), S(TYPE "b"), true, S("b")},
        {S("--b \t\r\n"), NONE, true, S("b")},
        {S("------WebKitFormBoundary7MA4YWxk\r\nx"), S(TYPE "----WebKitFormBoundary7MA4YWxk"), true,
         S("----WebKitFormBoundary7MA4YWxk")},
        {S("------WebKitFormBoundary7MA4YWxk\r\nx"), NONE, true,
         S("----WebKitFormBoundary7MA4YWxk")},
        {S("--a'()+_,-./:=? 9\r\n"), S(TYPE "\"a'()+_,-./:=? 9\""), true, S("a'()+_,-./:=? 9")},
        {S("--a'()+_,-./:=? 9\r\n"), NONE, true, S("a'()+_,-./:=? 9")},
        {S("--0123456789012345678901234567890123456789012345678901234567890123456789\r\n"), NONE, true,
         S("0123456789012345678901234567890123456789012345678901234567890123456789")},
        /* no such body */
        {S(""), S(TYPE "b"), false, NONE},
        {NONE, S(TYPE "b"), false, NONE},
        {NONE, NONE, false, NONE},
        {S("--b"), S(TYPE "b"), false, NONE},
        {S("--b"), NONE, false, NONE},
        {S("--b\n"), S(TYPE "b"), false, NONE},
        {S("--b\n"), NONE, false, NONE},
        {S("--b--\r\n"), S(TYPE "b"), false, NONE},
        {S("--bc\r\n"), S(TYPE "b"), false, NONE},
        {S("--B\r\n"), S(TYPE "b"), false, NONE},
        {S("-b\r\n"), S(TYPE "b"), false, NONE},
        {S("-b\r\n"), NONE, false, NONE},
        {S("b\r\n"), NONE, false, NONE},
        {S("--\r\n"), NONE, false, NONE},
        {S("-- b\r\n"), NONE, false, NONE},
        {S("\r\n--b\r\n"), S(TYPE "b"), false, NONE},
        {S("\r\n--b\r\n"), NONE, false, NONE},
        {S("preamble\r\n--b\r\n"), S(TYPE "b"), false, NONE},
        {S("--a;b\r\n"), NONE, false, NONE},
        {S("--a\0b\r\n"), NONE, false, NONE},
        {S("--a\rb\r\n"), NONE, false, NONE},
        {S("--01234567890123456789012345678901234567890123456789012345678901234567890\r\n"), NONE,
         false, NONE},
        /* no such type */
        {S("--b\r\n"), S(""), false, NONE},
        {S("--b\r\n"), S("multipart/form-data"), false, NONE},
        {S("--b\r\n"), S("multipart/mixed; boundary=b"), false, NONE},
        {S("--b\r\n"), S("multipart/form-data2; boundary=b"), false, NONE},
        {S("--b\r\n"), S("multipart/form-data boundary=b"), false, NONE},
        {S("--b\r\n"), S("multipart/form-data, multipart/form-data; boundary=b"), false, NONE},
        {S("--b\r\n"), S(TYPE), false, NONE},
        {S("--b\r\n"), S(TYPE "\"\""), false, NONE},
        {S("--b\r\n"), S(TYPE "\"b"), false, NONE},
        {S("--b\r\n"), S(TYPE "b x"), false, NONE},
        {S("--b\r\n"), S(TYPE "b; boundary=b"), false, NONE},
        {S("--b\r\n"), S(TYPE "c; boundary=b"), false, NONE},
        {S("-- b\r\n"), S(TYPE "\" b\""), false, NONE},
        {S("--b \r\n"), S(TYPE "\"b \""), false, NONE},
        {S("--b\\\"\r\n"), S(TYPE "\"b\\\"\""), false, NONE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct multipart m;
        ROW(i, multipart_open(rows[i].body, rows[i].type, &m) == rows[i].ok);
        ROW(i, span_eq(m.boundary, rows[i].boundary));
    }
}

/* All parts as "name=value|", files as "name@value|", and how it ended. */
static int all_parts(struct span body, struct buf *out)
{
    struct multipart m;
    struct multipart_part part;
    int got = -1;
    if (multipart_open(body, SPAN_NONE, &m)) {
        while ((got = multipart_next(&m, &part)) == 1) {
            assert_int_equal(buf_add_span(out, part.name), HO_OK);
            assert_int_equal(buf_add_byte(out, part.is_file ? '@' : '='), HO_OK);
            assert_int_equal(buf_add_span(out, part.value), HO_OK);
            assert_int_equal(buf_add_byte(out, '|'), HO_OK);
        }
        assert_false(span_present(part.name) || span_present(part.value));
        assert_int_equal(multipart_next(&m, &part), got); /* it stays so */
    }
    return got;
}

static void reads_whole_bodies(void **state)
{
    static const struct {
        struct span body;
        const char *want;
    } rows[] = {
        {S(FIELD("a", "1") END), "a=1|"},
        {S(FIELD("a", "1") "--b--"), "a=1|"},
        {S(FIELD("a", "1") "--b-- \r\n\r\n"), "a=1|"},
        {S(FIELD("a", "1") FIELD("b", "2") END), "a=1|b=2|"},
        {S(FIELD("a", "1") FIELD("a", "2") END), "a=1|a=2|"},
        {S(FIELD("a", "") END), "a=|"},
        {S(FIELD("", "x") END), "=x|"},
        {S(FIELD("a", "one\r\ntwo\r\n") END), "a=one\r\ntwo\r\n|"},
        {S(FIELD("a", "\r\n") END), "a=\r\n|"},
        {S(FIELD("a", "x\r") END), "a=x\r|"},
        {S(FIELD("a", "x\r\r\n-b\r\n--\r\n--a") END), "a=x\r\r\n-b\r\n--\r\n--a|"},
        {S(FIELD("a", "x--b--") END), "a=x--b--|"},
        {S(FIELD("a", "x\n--b--\n") END), "a=x\n--b--\n|"},
        {S(FIELD("a", "{\"x\": \"%41+\"}") END), "a={\"x\": \"%41+\"}|"},
        {S(FIELD("a\\\"b", "1") END), "a\\\"b=1|"},
        {S(FIELD("a%22b", "1") END), "a%22b=1|"},
        {S("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n" END), "a=1|"},
        {S("--b\r\nCONTENT-disposition:FORM-DATA;NAME=\"a\" ; \r\n\r\n1\r\n" END), "a=1|"},
        {S("--b\r\nContent-Disposition: form-data; size=3; name=\"a\"\r\n\r\n1\r\n" END), "a=1|"},
        {S("--b \r\n" DISPOSITION "\"a\"\r\nContent-Type: text/plain; charset=utf-8\r\n"
           "Content-Length: 1\r\n\r\n1\r\n--b\t\r\n" DISPOSITION "\"b\"\r\n\r\n2\r\n" END),
         "a=1|b=2|"},
        {S("--b\r\nContent-Transfer-Encoding: 8bit\r\n" DISPOSITION "\"a\"\r\n\r\n1\r\n" END), "a=1|"},
        {S("--b\r\n" DISPOSITION "\"a\"; filename=\"x.txt\"\r\n\r\n1\r\n" END), "a@1|"},
        {S("--b\r\n" DISPOSITION "\"a\"; filename=\"\"\r\n\r\n1\r\n" END), "a@1|"},
        {S("--b\r\n" DISPOSITION "\"a\"; FileName=x\r\n\r\n1\r\n" END), "a@1|"},
        {S("--b\r\n" DISPOSITION "\"a\"; filename*=UTF-8''x\r\n\r\n1\r\n" END), "a@1|"},
        {S("--b\r\n" DISPOSITION "\"a\"; filename=\"; name=\\\"z\\\"\"\r\n\r\n1\r\n" END), "a@1|"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf out;
        buf_init(&out, 256);
        ROW(i, all_parts(rows[i].body, &out) == 0);
        ROW_TEXT(i, buf_cstr(&out), rows[i].want);
        buf_free(&out);
    }
}

static void refuses_what_is_not_whole(void **state)
{
    static const struct {
        struct span body;
        const char *before; /* the parts that were whole */
    } rows[] = {
        {S("--b\r\n"), ""},
        {S("--b\r\n--b--\r\n"), ""},
        {S("--b\r\n\r\n1\r\n" END), ""},
        {S(FIELD("a", "1")), ""},
        {S(FIELD("a", "1") "--b"), ""},
        {S(FIELD("a", "1") "--b-"), ""},
        {S(FIELD("a", "1") "--b\n"), ""},
        {S(FIELD("a", "1") "--bc--\r\n"), ""},
        {S(FIELD("a", "1") "--b--x"), ""},
        {S(FIELD("a", "1") "--b--\r\nepilogue"), ""},
        {S(FIELD("a", "1") END FIELD("a", "2") END), ""},
        {S(FIELD("a", "1") FIELD("c", "2")), "a=1|"},
        {S(FIELD("a", "1") "--b\r\n"), "a=1|"},
        {S(FIELD("a", "1") "--b\r\n--b--\r\n"), "a=1|"},
        /* a line that only begins like the delimiter */
        {S(FIELD("a", "1\r\n--bx\r\n2") END), ""},
        {S(FIELD("a", "--b") END), ""},
        {S(FIELD("a", "--b--\r\n") END), ""},
        {S("--b\r\n--bx: y\r\n" DISPOSITION "\"a\"\r\n\r\n1\r\n" END), ""},
        /* headers */
        {S("--b\r\nContent-Type: text/plain\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\"\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\"\n\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\"\r\n" DISPOSITION "\"a\"\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\"\r\nContent-Disposition: form-data\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\"; name=\"a\"\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\"; name*=UTF-8''z\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\" x\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\"; x\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\"\";\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\\\"\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "a b\r\n\r\n1\r\n" END), ""},
        {S("--b\r\nContent-Disposition: form-data;\r\n name=\"a\"\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\"\r\n\tX: y\r\n\r\n1\r\n" END), ""},
        {S("--b\r\nContent-Disposition : form-data; name=\"a\"\r\n\r\n1\r\n" END), ""},
        {S("--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n" END), ""},
        {S("--b\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\n1\r\n" END), ""},
        {S("--b\r\nContent-Disposition: form-datax; name=\"a\"\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\0b\"\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\rb\"\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\x7f\"\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\"\r\nno header\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\"\r\n: x\r\n\r\n1\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\"\r\nContent-Transfer-Encoding: base64\r\n\r\nMQ==\r\n" END), ""},
        {S("--b\r\n" DISPOSITION "\"a\"\r\ncontent-transfer-encoding:\r\n\r\n1\r\n" END), ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf out;
        size_t n = 77;
        buf_init(&out, 256);
        ROW(i, all_parts(rows[i].body, &out) == -1);
        ROW_TEXT(i, buf_cstr(&out), rows[i].before);
        ROW(i, !span_present(multipart_field(rows[i].body, SPAN_NONE, "a", &n)) && n == 0);
        buf_free(&out);
    }
}

/* Every place at which a whole body may break off. */
static void a_body_cut_anywhere_is_not_whole(void **state)
{
    static const char body[] = FIELD("a", "1") FIELD("b", "x\r\ny") END;
    (void)state;
    for (size_t len = 0; len + 2 < sizeof body; len++) {
        struct buf out;
        unsigned char *copy = ho_alloc(len);
        memcpy(copy, body, len);
        buf_init(&out, 256);
        bool at_end = len == sizeof body - 3; /* the last line end may be missing */
        ROW(len, all_parts(span_make(copy, len), &out) == (at_end ? 0 : -1));
        buf_free(&out);
        free(copy);
    }
}

static void finds_fields(void **state)
{
    static const char file[] = "--b\r\n" DISPOSITION "\"f\"; filename=\"x\"\r\n\r\nfile\r\n";
    static const struct {
        struct span body, type;
        const char *name;
        size_t n;
        struct span want;
    } rows[] = {
        {S(FIELD("a", "1") FIELD("c", "2") END), S(TYPE "b"), "c", 1, S("2")},
        {S(FIELD("a", "1") FIELD("c", "2") END), NONE, "c", 1, S("2")},
        {S(FIELD("a", "1") FIELD("a", "2") END), NONE, "a", 2, S("1")},
        {S(FIELD("a", "") END), NONE, "a", 1, S("")},
        {S(FIELD("a", "1") END), NONE, "A", 0, NONE},
        {S(FIELD("ab", "1") END), NONE, "a", 0, NONE},
        {S(FIELD("a", "1") END), S("multipart/form-data; boundary=c"), "a", 0, NONE},
        {S(FIELD("a", "1") END), S("application/x-www-form-urlencoded"), "a", 0, NONE},
        {S("a=1"), NONE, "a", 0, NONE},
        {NONE, NONE, "a", 0, NONE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t n = 77;
        struct span got = multipart_field(rows[i].body, rows[i].type, rows[i].name, &n);
        ROW(i, n == rows[i].n);
        ROW(i, span_eq(got, rows[i].want));
    }
    /* A file is no field, in front of one of its name too. */
    struct buf body;
    size_t n = 77;
    buf_init(&body, 1000);
    assert_int_equal(buf_add_str(&body, file), HO_OK);
    assert_int_equal(buf_add_str(&body, FIELD("f", "text")), HO_OK);
    assert_int_equal(buf_add_str(&body, file), HO_OK);
    assert_int_equal(buf_add_str(&body, END), HO_OK);
    assert_true(span_is(multipart_field(buf_span(&body), SPAN_NONE, "f", &n), "text"));
    assert_int_equal(n, 1);
    buf_free(&body);
}

static void parts_and_headers_have_limits(void **state)
{
    (void)state;
    for (size_t parts = MULTIPART_PARTS_MAX; parts <= MULTIPART_PARTS_MAX + 1; parts++) {
        struct buf body, out;
        buf_init(&body, 200000);
        buf_init(&out, 200000);
        for (size_t i = 0; i < parts; i++) {
            assert_int_equal(buf_add_str(&body, FIELD("a", "1")), HO_OK);
        }
        assert_int_equal(buf_add_str(&body, END), HO_OK);
        ROW(parts, all_parts(buf_span(&body), &out) == (parts > MULTIPART_PARTS_MAX ? -1 : 0));
        buf_free(&body);
        buf_free(&out);
    }
    static const char front[] = "--b\r\n" DISPOSITION "\"a\"\r\nX: ";
    for (size_t over = 0; over <= 1; over++) {
        struct buf body, out;
        /* the head is from behind "--b" CR LF to the empty line, which is two bytes */
        size_t fill = MULTIPART_HEAD_MAX - (sizeof front - 1 - 5) - 4 + over;
        buf_init(&body, 20000);
        buf_init(&out, 20000);
        assert_int_equal(buf_add_str(&body, front), HO_OK);
        for (size_t i = 0; i < fill; i++) {
            assert_int_equal(buf_add_byte(&body, 'x'), HO_OK);
        }
        assert_int_equal(buf_add_str(&body, "\r\n\r\n1\r\n" END), HO_OK);
        ROW(over, all_parts(buf_span(&body), &out) == (over > 0 ? -1 : 0));
        buf_free(&body);
        buf_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_at_its_boundary),
        cmocka_unit_test(reads_whole_bodies),
        cmocka_unit_test(refuses_what_is_not_whole),
        cmocka_unit_test(a_body_cut_anywhere_is_not_whole),
        cmocka_unit_test(finds_fields),
        cmocka_unit_test(parts_and_headers_have_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
