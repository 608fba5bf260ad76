/* References in a site's SQL: found where the server would see a value, never inside a text. */
#include "unit.h"

#include "base/buf.h"
#include "core/params.h"

struct want {
    const char *text;
    const char *sql;
    const char *params; /* "kind:name" with blanks between, as listed() writes them */
};

/* "json:/a header:X event:id" */
static void listed(const struct statement *s, struct buf *out)
{
    static const char *const kinds[] = {"json", "header", "event", "fetched"};
    for (size_t i = 0; i < s->n_params; i++) {
        assert_int_equal(buf_addf(out, "%s%s:%s", i > 0 ? " " : "", kinds[s->params[i].kind],
                                  s->params[i].name),
                         HO_OK);
    }
}

static void check_each(const struct want *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct statement s;
        struct ho_err err;
        struct buf params;
        ho_err_clear(&err);
        if (statement_parse(rows[i].text, &s, &err) != HO_OK) {
            fail_msg("\"%s\" was refused: %s", rows[i].text, err.text);
        }
        buf_init(&params, 65536);
        listed(&s, &params);
        assert_string_equal(s.sql, rows[i].sql);
        assert_string_equal(buf_cstr(&params), rows[i].params);
        buf_free(&params);
        statement_free(&s);
        assert_null(s.sql);
    }
}

static void references_become_parameters(void **state)
{
    static const struct want rows[] = {
        {"UPDATE t SET s = {/data/status}", "UPDATE t SET s = ?", "json:/data/status"},
        {"{/a}", "?", "json:/a"},
        {"{/a} = {/b}", "? = ?", "json:/a json:/b"},
        {"{/a}{/b}", "??", "json:/a json:/b"},
        {"f({/})", "f(?)", "json:/"},
        {"f({/a b})", "f(?)", "json:/a b"},
        {"f({/a'b})", "f(?)", "json:/a'b"},
        {"f({/a;b})", "f(?)", "json:/a;b"},
        {"f({/a?b})", "f(?)", "json:/a?b"},
        {"f({/a{b})", "f(?)", "json:/a{b"},
        {"f({/a--b/#/*})", "f(?)", "json:/a--b/#/*"},
        {"f({/~0/~1})", "f(?)", "json:/~0/~1"},
        {"f({/prénom})", "f(?)", "json:/prénom"},
        {"f({header:X-GitHub-Event})", "f(?)", "header:X-GitHub-Event"},
        {"f({header:!#$%&'*+-.^_`|~09})", "f(?)", "header:!#$%&'*+-.^_`|~09"},
        {"a = {/a}, b = {header:X}, c = {event:id}", "a = ?, b = ?, c = ?",
         "json:/a header:X event:id"},
        {"a = {fetched:/a/0} + {fetched:/}", "a = ? + ?", "fetched:/a/0 fetched:/"},
    };
    (void)state;
    check_each(rows, COUNT(rows));
}

static void each_event_name_is_known(void **state)
{
    static const struct {
        const char *text;
        enum contract_field want;
    } rows[] = {
        {"{event:provider}", FIELD_PROVIDER},
        {"{event:source}", FIELD_SOURCE},
        {"{event:id}", FIELD_ID},
        {"{event:type}", FIELD_TYPE},
        {"{event:occurred_at}", FIELD_OCCURRED_AT},
        {"{event:object}", FIELD_OBJECT},
        {"{event:correlation_id}", FIELD_CORRELATION_ID},
        {"{event:idempotency_key}", FIELD_IDEMPOTENCY_KEY},
        {"{event:attempt}", FIELD_ATTEMPT},
        {"{event:body}", FIELD_BODY},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct statement s;
        assert_int_equal(statement_parse(rows[i].text, &s, NULL), HO_OK);
        assert_int_equal(s.n_params, 1);
        assert_int_equal(s.params[0].kind, REF_EVENT);
        assert_int_equal(s.params[0].field, rows[i].want);
        statement_free(&s);
    }
}

static void other_braces_stay(void **state)
{
    static const struct want rows[] = {
        {"SELECT {d '2026-11-30'}", "SELECT {d '2026-11-30'}", ""},
        {"SELECT { /a }", "SELECT { /a }", ""},
        {"SELECT {", "SELECT {", ""},
        {"SELECT {}", "SELECT {}", ""},
        {"SELECT }", "SELECT }", ""},
        {"SELECT {{/a}}", "SELECT {?}", "json:/a"},
        {"SELECT {fn now()}, {/a}", "SELECT {fn now()}, ?", "json:/a"},
    };
    (void)state;
    check_each(rows, COUNT(rows));
}

static void texts_and_comments_stay(void **state)
{
    static const struct want rows[] = {
        {"SELECT 'a?b;c{d'", "SELECT 'a?b;c{d'", ""},
        {"SELECT \"a?b;c{d\"", "SELECT \"a?b;c{d\"", ""},
        {"SELECT `a?b;c{d`", "SELECT `a?b;c{d`", ""},
        {"SELECT 'it''s', {/a}", "SELECT 'it''s', ?", "json:/a"},
        {"SELECT \"a\"\"b\", {/a}", "SELECT \"a\"\"b\", ?", "json:/a"},
        {"SELECT `a``b`, {/a}", "SELECT `a``b`, ?", "json:/a"},
        {"SELECT 'a\\'b', {/a}", "SELECT 'a\\'b', ?", "json:/a"},
        {"SELECT \"a\\\"b\", {/a}", "SELECT \"a\\\"b\", ?", "json:/a"},
        {"SELECT 'a\\\\', {/a}", "SELECT 'a\\\\', ?", "json:/a"},
        {"SELECT `a\\`, {/a}", "SELECT `a\\`, ?", "json:/a"}, /* names know no backslash */
        {"SELECT '\"`', {/a}", "SELECT '\"`', ?", "json:/a"},
        {"SELECT \"'`\", {/a}", "SELECT \"'`\", ?", "json:/a"},
        {"SELECT `'\"`, {/a}", "SELECT `'\"`, ?", "json:/a"},
        {"SELECT '-- ', {/a}", "SELECT '-- ', ?", "json:/a"},
        {"SELECT '/*', {/a}, '*/'", "SELECT '/*', ?, '*/'", "json:/a"},
        {"SELECT '#', {/a}", "SELECT '#', ?", "json:/a"},
        {"SELECT '', {/a}", "SELECT '', ?", "json:/a"},
        {"SELECT {/a}# what's ?;\n, {/b}", "SELECT ?# what's ?;\n, ?", "json:/a json:/b"},
        {"SELECT {/a}-- what's ?;\n, {/b}", "SELECT ?-- what's ?;\n, ?", "json:/a json:/b"},
        {"SELECT {/a}--\twhat's ?;\n, {/b}", "SELECT ?--\twhat's ?;\n, ?", "json:/a json:/b"},
        {"SELECT {/a}--\n, {/b}", "SELECT ?--\n, ?", "json:/a json:/b"},
        {"SELECT {/a}--\x01'\n, {/b}", "SELECT ?--\x01'\n, ?", "json:/a json:/b"},
        {"SELECT {/a}--\x7f'\n, {/b}", "SELECT ?--\x7f'\n, ?", "json:/a json:/b"},
        {"SELECT {/a}/* what's ?;\n */, {/b}", "SELECT ?/* what's ?;\n */, ?", "json:/a json:/b"},
        {"SELECT {/a}/**/, {/b}", "SELECT ?/**/, ?", "json:/a json:/b"},
        {"SELECT {/a}/***/, {/b}", "SELECT ?/***/, ?", "json:/a json:/b"},
        {"SELECT {/a} # the end", "SELECT ? # the end", "json:/a"},
        {"SELECT {/a} -- the end", "SELECT ? -- the end", "json:/a"},
        {"SELECT {/a} --", "SELECT ? --", "json:/a"},
        {"SELECT 1--{/a}", "SELECT 1--?", "json:/a"}, /* minus minus, not a comment */
        {"SELECT 1-{/a}", "SELECT 1-?", "json:/a"},
        {"SELECT 4/{/a}", "SELECT 4/?", "json:/a"},
        {"SELECT 4 */ 2", "SELECT 4 */ 2", ""},
        {"-- first\nSELECT {/a}", "-- first\nSELECT ?", "json:/a"},
        {"/* first */ SELECT {/a}", "/* first */ SELECT ?", "json:/a"},
    };
    (void)state;
    check_each(rows, COUNT(rows));
}

static void ends_are_trimmed(void **state)
{
    static const struct want rows[] = {
        {"  SELECT 1  ", "SELECT 1", ""},
        {"\r\n\tSELECT 1\n", "SELECT 1", ""},
        {"SELECT 1;", "SELECT 1", ""},
        {"SELECT 1 ; ", "SELECT 1", ""},
        {"SELECT 1 ;\n;;", "SELECT 1", ""},
        {"SELECT {/a};", "SELECT ?", "json:/a"},
        {"SELECT ';';", "SELECT ';'", ""},
        {"SELECT\n  1", "SELECT\n  1", ""},
    };
    (void)state;
    check_each(rows, COUNT(rows));
}

#define FIELDS \
    "provider, source, id, type, occurred_at, object, correlation_id, idempotency_key, attempt, body"
#define NAMES \
    "a header's name has no blank, a pointer begins with / and its ~ is written ~0"

static void refuses_with_what_to_do(void **state)
{
    static const char in_text[] = "a reference stands inside quoted text: write it without quotes "
                                  "around it, it is bound as a value";
    static const char in_comment[] = "a reference stands inside a comment: write it without quotes "
                                     "around it, it is bound as a value";
    static const char open_text[] = "quoted text is not closed";
    static const char open_comment[] = "a comment is not closed";
    static const char empty[] = "an empty statement";
    static const char second[] = "one statement only: write each further one as a `sql` of its own";
    static const char mark[] = "a ? outside quotes: name what it stands for, for example "
                               "{/data/object/id}";
    static const char use[] = "USE is not for handlers: write the database's name before the "
                              "table's, for example shop.orders";
    static const char no_end[] = "a reference that begins with { has no }";
    static const char no_name[] = "a reference without a name, or one that is too long";
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"f({data.object.id})", "{data.object.id} is no reference: write a JSON pointer, for example "
                                "{/data/object/id}, or {header:NAME}, {event:NAME}"},
        {"f({Event:id})", "{Event:id} is no reference: write a JSON pointer, for example "
                          "{/data/object/id}, or {header:NAME}, {event:NAME}"},
        {"f({id})", "{id} is no reference: write a JSON pointer, for example {/data/object/id}, or "
                    "{header:NAME}, {event:NAME}"},
        {"", empty},
        {" \r\n\t", empty},
        {";", empty},
        {" ; ; ", empty},
        {"-- nothing", empty},
        {"# nothing", empty},
        {"/* nothing */ ;", empty},
        {"SELECT '{/a}'", in_text},
        {"SELECT \"{/a}\"", in_text},
        {"SELECT `{/a}`", in_text},
        {"SELECT 'x {header:X} y'", in_text},
        {"SELECT '{event:id}'", in_text},
        {"SELECT 'it''s {/a}'", in_text},
        {"SELECT 'it\\'s {/a}'", in_text},
        {"SELECT '{/a'", in_text},
        {"SELECT 1 -- {/a}", in_comment},
        {"SELECT 1 # {/a}\n", in_comment},
        {"SELECT 1 --\v{/a}", in_comment},
        {"SELECT /* {event:id} */ 1", in_comment},
        {"SELECT /*! {/a} */ 1", in_comment},
        {"SELECT 'a", open_text},
        {"SELECT '", open_text},
        {"SELECT \"a'", open_text},
        {"SELECT `a", open_text},
        {"SELECT 'a\\'", open_text},
        {"SELECT 'a\\", open_text},
        {"SELECT 'a''", open_text},
        {"SELECT /* a", open_comment},
        {"SELECT /*", open_comment},
        {"SELECT /*/", open_comment},
        {"SELECT 1; SELECT 2", second},
        {"; SELECT 1", second},
        {"SELECT 1; -- done", second},
        {"USE shop", use},
        {"use`shop`", use},
        {" /* my */\nUse\tshop;", use},
        {"SELECT ?", mark},
        {"?", mark},
        {"SELECT {/a", no_end},
        {"SELECT {header:X", no_end},
        {"SELECT {event:", no_end},
        {"SELECT {event:}", no_name},
        {"SELECT {header:}", no_name},
        {"SELECT {event:ID}", "{event:ID} is not known: " FIELDS},
        {"SELECT {event:received_at}", "{event:received_at} is not known: " FIELDS},
        {"SELECT {event: id}", "{event: id} is not known: " FIELDS},
        {"SELECT {header: X}", "{header: X} can never be found: " NAMES},
        {"SELECT {header:X:Y}", "{header:X:Y} can never be found: " NAMES},
        {"SELECT {header:\xc3\xa9}", "{header:\xc3\xa9} can never be found: " NAMES},
        {"SELECT {/a~b}", "{/a~b} can never be found: " NAMES},
        {"SELECT {/a~}", "{/a~} can never be found: " NAMES},
        {"SELECT {fetched:/a~2}", "{fetched:/a~2} can never be found: " NAMES},
        {"SELECT {fetched:a}", "{fetched:a} can never be found: " NAMES},
        {"SELECT {fetched:}", no_name},
        {"SELECT '{fetched:/a}'", in_text},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct statement s;
        struct ho_err err;
        memset(&s, 0x55, sizeof s);
        ho_err_clear(&err);
        if (statement_parse(rows[i].text, &s, &err) != HO_REJECT) {
            fail_msg("\"%s\" was taken as \"%s\"", rows[i].text, s.sql);
        }
        if (strcmp(err.text, rows[i].why) != 0) {
            fail_msg("\"%s\" was refused with: %s", rows[i].text, err.text);
        }
        assert_null(s.sql);
        assert_null(s.params);
        assert_int_equal(s.n_params, 0);
    }
}

/* n references, {/0} and so on; heap. */
static char *with_references(unsigned n)
{
    struct buf text;
    buf_init(&text, 4096);
    assert_int_equal(buf_add_str(&text, "SELECT 0"), HO_OK);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(buf_addf(&text, ",{/%u}", i), HO_OK);
    }
    char *copy = ho_strdup(buf_cstr(&text));
    buf_free(&text);
    return copy;
}

static void takes_64_references_and_not_65(void **state)
{
    struct statement s;
    struct ho_err err;
    char *most = with_references(64);
    char *more = with_references(65);
    (void)state;
    assert_int_equal(statement_parse(most, &s, NULL), HO_OK);
    assert_int_equal(s.n_params, 64);
    assert_string_equal(s.params[0].name, "/0");
    assert_string_equal(s.params[63].name, "/63");
    assert_int_equal(strlen(s.sql), strlen("SELECT 0") + (size_t)2 * 64);
    statement_free(&s);
    ho_err_clear(&err);
    assert_int_equal(statement_parse(more, &s, &err), HO_REJECT);
    assert_string_equal(err.text, "more than 64 references in one statement");
    assert_null(s.params);
    free(most);
    free(more);
}

/* A text of `before`, then n letters, then `after`; heap. */
static char *padded(const char *before, size_t n, const char *after)
{
    struct buf text;
    buf_init(&text, n + 1024);
    assert_int_equal(buf_add_str(&text, before), HO_OK);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(buf_add_byte(&text, 'a'), HO_OK);
    }
    assert_int_equal(buf_add_str(&text, after), HO_OK);
    char *copy = ho_strdup(buf_cstr(&text));
    buf_free(&text);
    return copy;
}

static void lengths_have_their_limits(void **state)
{
    static const char too_long[] = "a reference without a name, or one that is too long";
    static const char statement[] = "a statement may be at most 65536 bytes";
    static const struct {
        const char *before;
        size_t n;
        const char *after;
        const char *why; /* NULL: taken */
    } rows[] = {
        {"SELECT {/", 511, "}", NULL},
        {"SELECT {/", 512, "}", too_long},
        {"SELECT {header:", 512, "}", NULL},
        {"SELECT {header:", 513, "}", too_long},
        {"SELECT {/", 65000, "}", too_long},
        {"", 65536, "", NULL},
        {"", 65537, "", statement},
        {"'", 65534, "'", NULL},
        {"'", 65535, "'", statement},
        {"", 65535, "{/long}", NULL},
        {"", 65536, "{/long}", statement},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct statement s;
        struct ho_err err;
        char *text = padded(rows[i].before, rows[i].n, rows[i].after);
        ho_err_clear(&err);
        enum ho_code code = statement_parse(text, &s, &err);
        assert_int_equal(code, rows[i].why == NULL ? HO_OK : HO_REJECT);
        assert_string_equal(err.text, rows[i].why == NULL ? "" : rows[i].why);
        statement_free(&s);
        free(text);
    }
}

/* An unknown name is shown, but not more of it than a message holds. */
static void long_unknown_names_are_cut_in_the_message(void **state)
{
    struct statement s;
    struct ho_err err;
    char *text = padded("SELECT {event:", 300, "}");
    (void)state;
    ho_err_clear(&err);
    assert_int_equal(statement_parse(text, &s, &err), HO_REJECT);
    assert_non_null(strstr(err.text, "{event:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa} is not"));
    free(text);
}

static void a_query_begins_as_one(void **state)
{
    static const struct {
        const char *text;
        bool query;
    } rows[] = {
        {"SELECT 1", true},
        {"select{/a}", true},
        {"Select\n1", true},
        {"  /* a */ -- b\n# c\n SELECT 1", true},
        {"(SELECT 1) UNION (SELECT 2)", true},
        {"WITH t AS (SELECT 1) SELECT * FROM t", true},
        {"VALUES (1)", true},
        {"TABLE t", true},
        {"SELECTED 1", false},
        {"INSERT INTO t SELECT 1", false},
        {"/* SELECT */ DELETE FROM t", false},
        {"-- SELECT\nUPDATE t SET a = 1", false},
        {"CALL select_it()", false},
        {"SHOW TABLES", false},
        {"{/a}", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct statement s;
        assert_int_equal(statement_parse(rows[i].text, &s, NULL), HO_OK);
        ROW(i, statement_is_query(&s) == rows[i].query);
        statement_free(&s);
    }
}

static void finds_the_first_reference_of_a_kind(void **state)
{
    struct statement s;
    (void)state;
    assert_int_equal(statement_parse("SELECT {event:id}, {/a}, {fetched:/b}, {fetched:/c}", &s, NULL),
                     HO_OK);
    assert_ptr_equal(statement_uses(&s, REF_FETCHED), &s.params[2]);
    assert_ptr_equal(statement_uses(&s, REF_JSON), &s.params[1]);
    assert_null(statement_uses(&s, REF_HEADER));
    statement_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_become_parameters),
        cmocka_unit_test(each_event_name_is_known),
        cmocka_unit_test(other_braces_stay),
        cmocka_unit_test(texts_and_comments_stay),
        cmocka_unit_test(ends_are_trimmed),
        cmocka_unit_test(refuses_with_what_to_do),
        cmocka_unit_test(takes_64_references_and_not_65),
        cmocka_unit_test(lengths_have_their_limits),
        cmocka_unit_test(a_query_begins_as_one),
        cmocka_unit_test(finds_the_first_reference_of_a_kind),
        cmocka_unit_test(long_unknown_names_are_cut_in_the_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
