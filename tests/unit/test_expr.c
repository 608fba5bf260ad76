/* Templates: how they are read, which value comes out, and when there is none. */
#include "edge_site.h"

#include "edge/expr.h"

static void refuses_templates_that_cannot_be_meant(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "an empty template"},
        {"{body} ?? ", "an empty template"},
        {" ?? {body}", "an empty template"},
        {"a{body", "without its }"},
        {"{bdy}", "is not known"},
        {"{body}{x", "without its }"},
        {"{ts} ?? {ts} ?? {ts} ?? {ts} ?? {ts} ?? {ts} ?? {ts} ?? {ts} ?? {ts} ?? {ts} ?? {ts} ?? {ts}"
         " ?? {ts} ?? {ts} ?? {ts} ?? {ts} ?? {ts}",
         "more than 16 alternatives"},
        {"{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}"
         "{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}",
         "more than 32 pieces"},
        {"{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}"
         "{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}{ts}[[\\n{ts}]]",
         "more than 32 pieces"},
        {"{body|sha3}", "is no filter"},
        {"{body|strip:}", "needs a text"},
        {"[[{ts}", "a [[ without its ]]"},
        {"a[[{ts}] ]", "a [[ without its ]]"},
        {"[[a ?? {ts}]]", "a [[ without its ]]"},
        {"[[{ts}[[{body}]]]]", "a [[ within another"},
        {"[[a]]{ts}", "nothing in [[ ]]"},
        {"[[]]", "nothing in [[ ]]"},
        {"[[{ts}]][[x]]", "nothing in [[ ]]"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct expr *e;
        struct ho_err err;
        ho_err_clear(&err);
        ROW(i, expr_parse(span_of(rows[i].text), &e, &err) == HO_REJECT);
        ROW(i, e == NULL);
        ROW(i, strstr(err.text, rows[i].says) != NULL);
    }
}

#define DOC \
    "{\"id\":\"evt_1\",\"n\":12,\"big\":99999999999999999999,\"real\":1.5,\"yes\":true," \
    "\"null\":null,\"empty\":\"\",\"o\":{\"k\":\"v\"},\"a\":[1],\"nul\":\"a\\u0000b\",\"s\":\"12\"}"

static const struct pair headers[] = {
    {"x-id", "h1"},         {"x-twice", "1"},       {"x-twice", "1"},
    {"x-joined", "a, b"},   {"x-empty", ""},        {"svix-id", "family"},
    {"x-comma", "a,b"},     {NULL, NULL},
};

static void gives_the_first_alternative_that_is_there(void **state)
{
    static const struct {
        const char *text;
        enum term_result result;
        struct span want;
    } rows[] = {
        {"{json:/id}", TERM_OK, S("evt_1")},
        {"{json:/n}", TERM_OK, S("12")},
        {"{json:/s}", TERM_OK, S("12")},
        {"{json:/o/k}", TERM_OK, S("v")},
        {"{json:/a/0}", TERM_OK, S("1")},
        {"{json:/nul}", TERM_OK, S("a\0b")},
        {"{json:/big}", TERM_ABSENT, NONE},
        {"{json:/real}", TERM_ABSENT, NONE},
        {"{json:/yes}", TERM_ABSENT, NONE},
        {"{json:/null}", TERM_ABSENT, NONE},
        {"{json:/empty}", TERM_ABSENT, NONE},
        {"{json:/o}", TERM_ABSENT, NONE},
        {"{json:/a}", TERM_ABSENT, NONE},
        {"{json:/none}", TERM_ABSENT, NONE},
        {"{json:/none} ?? {json:/n}", TERM_OK, S("12")},
        {"x{json:/id}{json:/none} ?? y{json:/n}", TERM_OK, S("y12")},
        {"{header:X-Id}", TERM_OK, S("h1")},
        {"{header:x-comma}", TERM_OK, S("a,b")},
        {"{header:*id}", TERM_OK, S("family")},
        {"{header:*none}", TERM_ABSENT, NONE},
        {"{header:x-none}", TERM_ABSENT, NONE},
        {"{header:x-empty}", TERM_ABSENT, NONE},
        {"{header:x-twice}", TERM_TWICE, NONE},
        {"{header:x-joined}", TERM_TWICE, NONE},
        {"some{header:x-twice}", TERM_TWICE, NONE},
        {"some{json:/none}", TERM_ABSENT, NONE},
        {"{header:x-twice} ?? {json:/id}", TERM_TWICE, NONE}, /* no way round it */
        {"{sig.k}", TERM_OK, S("kv")},
        {"{sig.none}", TERM_ABSENT, NONE},
        {"{ts}.{body}", TERM_OK, S("17." DOC)},
        {"v0:{ts}:", TERM_OK, S("v0:17:")},
        {"a\\nb\\n{ts}\\n", TERM_OK, S("a\nb\n17\n")},
        {"{form:q}", TERM_ABSENT, NONE},
        {"{\"type\":1}{ts}", TERM_OK, S("{\"type\":1}17")},
        {"{}{ts}", TERM_OK, S("{}17")},
        {"{json:/n|sha256|hex}", TERM_OK,
         S("6b51d431df5d7f141cbececcf79edf3dd861c3b4069f0b11661a3eefacbba918")},
        {"{json:/none|sha256|hex}", TERM_ABSENT, NONE},
        {"{json:/none|sha256|hex} ?? {json:/id|upper}", TERM_OK, S("EVT_1")},
        {"{header:x-id|hex}{json:/id}{json:/n|hex}.{ts}{json:/o/k}", TERM_OK, S("6831evt_13132.17v")},
        /* Groups. */
        {"{ts}[[.{json:/none}]]", TERM_OK, S("17")},
        {"{ts}[[.{json:/id}]]!", TERM_OK, S("17.evt_1!")},
        {"[[{json:/id}:]][[{json:/none}:]][[{json:/n}:]]", TERM_OK, S("evt_1:12:")},
        {"[[a{json:/id}b{json:/none}c{json:/n}d]]e", TERM_OK, S("e")},
        {"[[{json:/none}a{json:/id}]]{ts}", TERM_OK, S("17")},
        {"[[{json:/empty}]]:[[{json:/null}]]:", TERM_OK, S("::")},
        {"[[{json:/none}]]", TERM_ABSENT, NONE}, /* nothing is left */
        {"[[{json:/none}]][[x{json:/none}]]", TERM_ABSENT, NONE},
        {"[[{json:/none}]] ?? {ts}", TERM_OK, S("17")},
        {"[[{json:/id}]]{json:/none} ?? [[{ts}]]", TERM_OK, S("17")},
        {"[[{header:x-twice}]]{ts}", TERM_TWICE, NONE}, /* no way round it either */
        {"[{ts}]", TERM_OK, S("[17]")},
        {"[[[{ts}]]]", TERM_OK, S("[17]")},
        {"{ts}]]", TERM_OK, S("17]]")},
        {"[{\"a\":[1]}]{ts}", TERM_OK, S("[{\"a\":[1]}]17")},
        {"[[{sig.k}\\n]]{ts}", TERM_OK, S("kv\n17")},
        /* Further lines. */
        {"{ts}.\n{sig.k}\n:", TERM_OK, S("17.kv:")},
        {"{ts}\\n\n{sig.k}", TERM_OK, S("17\nkv")},
        {"{json:/none}\n?? {ts}", TERM_OK, S("17")},
        {"{json:/none} ??\n{ts}", TERM_OK, S("17")},
        {"{json:/none}\n??\n{ts}", TERM_OK, S("17")},
        {"{ts}??{json:/none}??", TERM_ABSENT, NONE}, /* no blanks: literal text */
        {"{ts}??x", TERM_OK, S("17??x")},
    };
    static const struct sig_fields fields = {{{S("k"), S("kv")}}, 1};
    struct request r;
    struct json *doc;
    (void)state;
    post(&r, headers, SPAN_LIT(DOC));
    assert_int_equal(json_parse(r.body, &doc, NULL), HO_OK);
    const struct term_view v = {.request = &r, .family = "svix-", .ts = SPAN_LIT("17"),
                                .sig = &fields, .doc = doc};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct expr *e;
        struct buf out;
        buf_init(&out, 4096);
        assert_int_equal(buf_add_str(&out, "kept"), HO_OK);
        ROW(i, expr_parse(span_of(rows[i].text), &e, NULL) == HO_OK);
        ROW(i, expr_eval(e, &v, &out) == rows[i].result);
        struct span got = span_sub(buf_span(&out), 4, out.len);
        ROW(i, rows[i].result == TERM_OK ? span_eq(got, rows[i].want) : got.len == 0);
        expr_free(e);
        buf_free(&out);
    }
    json_free(doc);
}

static void reads_forms_and_sees_no_json_without_a_document(void **state)
{
    static const struct {
        const char *text, *want; /* NULL: absent */
    } rows[] = {
        {"{form:ssl_check}", "1"}, {"{form:text}", "a b&c"}, {"{form:empty}", NULL},
        {"{form:none}", NULL},     {"{json:/ssl_check}", NULL},
    };
    struct pair form[] = {{"content-type", "application/x-www-form-urlencoded; charset=utf-8"},
                          {NULL, NULL}};
    struct request r;
    (void)state;
    post(&r, form, SPAN_LIT("text=a+b%26c&empty=&ssl_check=1"));
    const struct term_view v = {.request = &r};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct expr *e;
        struct buf out;
        buf_init(&out, 64);
        ROW(i, expr_parse(span_of(rows[i].text), &e, NULL) == HO_OK);
        ROW(i, expr_eval(e, &v, &out) == (rows[i].want == NULL ? TERM_ABSENT : TERM_OK));
        ROW(i, span_is(buf_span(&out), rows[i].want == NULL ? "" : rows[i].want));
        expr_free(e);
        buf_free(&out);
    }
}

static void says_when_a_value_does_not_fit(void **state)
{
    static const char *const rows[] = {"{body}", "{form:a}", "12345{ts}", "{body|sha256|hex}"};
    struct pair form[] = {{"content-type", "application/x-www-form-urlencoded; charset=utf-8"},
                          {NULL, NULL}};
    struct request r;
    (void)state;
    post(&r, form, SPAN_LIT("a=12345"));
    const struct term_view v = {.request = &r, .ts = SPAN_LIT("1")};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct expr *e;
        struct buf out;
        buf_init(&out, 4);
        ROW(i, expr_parse(span_of(rows[i]), &e, NULL) == HO_OK);
        ROW(i, expr_eval(e, &v, &out) == TERM_FULL);
        ROW(i, out.len == 0);
        expr_free(e);
        buf_free(&out);
    }
}

static void hands_out_signed_bytes_without_a_copy(void **state)
{
    struct request r;
    struct span parts[EXPR_PIECES_MAX];
    struct expr *e;
    size_t n;
    (void)state;
    post(&r, headers, SPAN_LIT("raw"));
    const struct term_view v = {.request = &r, .family = "svix-", .ts = SPAN_LIT("17")};
    assert_int_equal(expr_parse(SPAN_LIT("{header:*id}.{ts}.{body}"), &e, NULL), HO_OK);
    assert_int_equal(expr_parts(e, &v, NULL, parts, &n), TERM_OK);
    assert_int_equal(n, 5);
    assert_ptr_equal(parts[4].p, r.body.p);
    expr_free(e);
    assert_int_equal(expr_parse(SPAN_LIT("{header:x-none}{body}"), &e, NULL), HO_OK);
    assert_int_equal(expr_parts(e, &v, NULL, parts, &n), TERM_ABSENT);
    assert_int_equal(n, 0);
    expr_free(e);
    assert_int_equal(expr_parse(SPAN_LIT("{body|hex}"), &e, NULL), HO_OK);
    assert_int_equal(expr_parts(e, &v, NULL, parts, &n), TERM_FULL); /* there is no room at all */
    expr_free(e);
}

/* The buffer moves while values are made, and what was made before must not stay behind. */
static void keeps_made_parts_while_the_buffer_grows(void **state)
{
    static unsigned char big[100000];
    struct request r;
    struct span parts[EXPR_PIECES_MAX];
    struct buf tmp;
    struct expr *e;
    size_t n;
    (void)state;
    memset(big, 'x', sizeof big);
    post(&r, headers, span_make(big, sizeof big));
    const struct term_view v = {.request = &r, .ts = SPAN_LIT("17")};
    buf_init(&tmp, 300000);
    assert_int_equal(buf_add_str(&tmp, "kept"), HO_OK);
    assert_int_equal(expr_parse(SPAN_LIT("{ts|hex}[[{ts|hex}{header:x-none}]]{header:x-id|upper}."
                                         "{body|upper}{body}{body|lower}{ts|hex}"),
                                &e, NULL), HO_OK);
    assert_int_equal(expr_parts(e, &v, &tmp, parts, &n), TERM_OK);
    assert_int_equal(n, 7);
    assert_true(span_is(parts[0], "3137"));
    assert_true(span_is(parts[1], "H1"));
    assert_true(span_is(parts[2], "."));
    assert_true(parts[3].len == sizeof big && parts[3].p[0] == 'X' && parts[3].p[99999] == 'X');
    assert_ptr_equal(parts[4].p, r.body.p);
    assert_true(parts[5].len == sizeof big && parts[5].p[99999] == 'x');
    assert_true(span_is(parts[6], "3137"));
    assert_true(span_starts(buf_span(&tmp), "kept3137"));
    for (size_t i = 0; i < n; i++) {
        bool inside = parts[i].p >= tmp.p && parts[i].p + parts[i].len <= tmp.p + tmp.len;
        ROW(i, inside == (i != 2 && i != 4));
    }
    expr_free(e);
    /* What cannot be had leaves nothing behind. */
    size_t len = tmp.len;
    assert_int_equal(expr_parse(SPAN_LIT("{ts|hex}{header:x-none} ?? {ts|hex}{header:x-empty}"), &e, NULL),
                     HO_OK);
    assert_int_equal(expr_parts(e, &v, &tmp, parts, &n), TERM_ABSENT);
    assert_true(n == 0 && tmp.len == len);
    expr_free(e);
    buf_free(&tmp);
}

static void tells_what_a_template_looks_at(void **state)
{
    static const struct {
        const char *text;
        bool body, url, single;
    } rows[] = {
        {"{ts}.{body}", true, false, false},
        {"{header:*id}.{ts}", false, false, false},
        {"{header:*id}", false, false, true},
        {"{header:x-id} ?? {json:/id}", true, false, true},
        {"{json:/id} ?? {header:x-id}", true, false, false},
        {"[[{header:x-id}]]", false, false, false},
        {"{header:x-id|lower}", false, false, false},
        {"{header:x-id}.", false, false, false},
        {"{query:id} ?? x{url}", false, true, false},
        {"{query:id} ?? [[{formsorted}]]", true, false, false},
        {"{claim:iat}{jose:kid}{secret}{param:a}{path}{method}", false, false, false},
        {"{item|sha256}", true, false, false},
        {"url", false, false, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct expr *e;
        ROW(i, expr_parse(span_of(rows[i].text), &e, NULL) == HO_OK);
        ROW(i, expr_needs_body(e) == rows[i].body);
        ROW(i, expr_has(e, TERM_URL) == rows[i].url);
        ROW(i, (expr_single_header(e) != NULL) == rows[i].single);
        expr_free(e);
    }
    assert_false(expr_needs_body(NULL));
    assert_false(expr_has(NULL, TERM_BODY));
    assert_null(expr_single_header(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_templates_that_cannot_be_meant),
        cmocka_unit_test(gives_the_first_alternative_that_is_there),
        cmocka_unit_test(reads_forms_and_sees_no_json_without_a_document),
        cmocka_unit_test(says_when_a_value_does_not_fit),
        cmocka_unit_test(hands_out_signed_bytes_without_a_copy),
        cmocka_unit_test(keeps_made_parts_while_the_buffer_grows),
        cmocka_unit_test(tells_what_a_template_looks_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
