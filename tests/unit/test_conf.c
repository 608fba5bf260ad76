/* The grammar of config and recipe files, and errors that say where. */
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/conf.h"

/* A document as one line a section and entry: "kind|name|line" and " key=value|line". */
static void dump(const struct conf *c, struct buf *out)
{
    for (const struct conf_section *s = conf_first(c); s != NULL; s = s->next) {
        assert_int_equal(buf_addf(out, "%s|%s|%d\n", s->kind, s->name, s->line), HO_OK);
        for (const struct conf_entry *e = s->entries; e != NULL; e = e->next) {
            assert_int_equal(buf_addf(out, " %s=%s|%d\n", e->key, e->value, e->line), HO_OK);
        }
    }
}

static void reads_the_grammar(void **state)
{
    static const struct {
        struct span in;
        const char *want;
    } rows[] = {
        {S(""), ""},
        {S("\n\n"), ""},
        {S("# only\n; comments\n  # here"), ""},
        {S("[a]"), "a||1\n"},
        {S("[a]\nk=v"), "a||1\n k=v|2\n"},
        {S("[a]\nk=v\n"), "a||1\n k=v|2\n"},
        {S("[a]\r\nk = v\r\n\r\n"), "a||1\n k=v|2\n"},
        {S("\xef\xbb\xbf[a]\nk=v"), "a||1\n k=v|2\n"},
        {S("[ a   b ] # c\n"), "a|b|1\n"},
        {S("[a] # ]x"), "a||1\n"},
        {S("[source sb-signup_1.x]"), "source|sb-signup_1.x|1\n"},
        {S("[a]\nk ="), "a||1\n k=|2\n"},
        {S("[a]\nk = \t v w \t\n"), "a||1\n k=v w|2\n"},
        {S("[a]\nk = a = b"), "a||1\n k=a = b|2\n"},
        {S("[a]\nk = v # c # d"), "a||1\n k=v|2\n"},
        {S("[a]\nk = v\t# c"), "a||1\n k=v|2\n"},
        {S("[a]\nk = # c"), "a||1\n k=|2\n"},
        {S("[a]\nk =#c"), "a||1\n k=#c|2\n"},
        {S("[a]\nk = v#1 ;2"), "a||1\n k=v#1 ;2|2\n"},
        {S("[a]\nk = one\n  two\n\tthree # c\n"), "a||1\n k=one\ntwo\nthree|2\n"},
        {S("[a]\nk =\n  two\n"), "a||1\n k=two|2\n"},
        {S("[a]\nk = one\n# c\n  ; c\n  two\nl = 3"), "a||1\n k=one\ntwo|2\n l=3|6\n"},
        {S("[a]\nk = one\n  [b]\n"), "a||1\n k=one\n[b]|2\n"},
        {S("[a]\nk = one\n  l = 2\n"), "a||1\n k=one\nl = 2|2\n"},
        {S("[a]\nk=1\nk=2"), "a||1\n k=1|2\n k=2|3\n"},
        {S("[a x]\n[a y]\n[b x]\n[a]"), "a|x|1\na|y|2\nb|x|3\na||4\n"},
        {S("[a]\n\nk=1\n\n[b]\nk=2"), "a||1\n k=1|3\nb||5\n k=2|6\n"},
        {S("[a]\n2.x-y_z = $HOME ${x} %d {/a/b}"),
         "a||1\n 2.x-y_z=$HOME ${x} %d {/a/b}|2\n"},
        {S("[a]\nk = \xc3\xa4"), "a||1\n k=\xc3\xa4|2\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct conf *c = NULL;
        struct ho_err err = {HO_OK, 0, ""};
        struct buf b;
        buf_init(&b, 4096);
        enum ho_code code = conf_parse("f", rows[i].in, &c, &err);
        ROW_TEXT(i, err.text, "");
        ROW(i, code == HO_OK && c != NULL);
        dump(c, &b);
        ROW_TEXT(i, buf_cstr(&b), rows[i].want);
        buf_free(&b);
        conf_free(c);
    }
}

static void refuses_with_file_and_line(void **state)
{
    static const struct {
        struct span in;
        const char *want; /* the beginning */
    } rows[] = {
        {S("k = v"), "f:1: a key before the first"},
        {S("\n\nk = v"), "f:3: a key before the first"},
        {S("[a]\nhunter2"), "f:2: neither"},
        {S("[a]\n= v"), "f:2: neither"},
        {S("[a]\nK = v"), "f:2: neither"},
        {S("[a]\nk k = v"), "f:2: neither"},
        {S("[a]\n-k = v"), "f:2: neither"},
        {S("[a]\n  k = v"), "f:2: an indented line"},
        {S("[a]\nk = v\n\n  w"), "f:4: an indented line"},
        {S("  k = v"), "f:1: an indented line"},
        {S("[a]\n \t [b]"), "f:2: an indented line"},
        {S("[a"), "f:1: a section is written"},
        {S("[a] b"), "f:1: a section is written"},
        {S("[]"), "f:1: a section is written"},
        {S("["), "f:1: a section is written"},
        {S("[ ]"), "f:1: a section is written"},
        {S("[A]"), "f:1: a section is written"},
        {S("[a B]"), "f:1: a section is written"},
        {S("[a b c]"), "f:1: a section is written"},
        {S("[a/b]"), "f:1: a section is written"},
        {S("[a ../b]"), "f:1: a section is written"},
        {S("[a 12345678901234567890123456789012345678901234567890123456789012345]"),
         "f:1: a section is written"},
        {S("[a]\n[b]\n[a]"), "f:3: a second [a]; the first is in line 1"},
        {S("[a x]\nk=1\n[a x]"), "f:3: a second [a x]; the first is in line 1"},
        {S("[a]\nk = \0"), "f:2: a NUL byte"},
        {S("[a]\nk = \xff"), "f:2: not UTF-8"},
        {S("[a]\n# \xc3"), "f:2: not UTF-8"},
        {S("[a]\nk = \xc0\x80"), "f:2: not UTF-8"},
        {S("\xef\xbb\xbf\xef\xbb\xbf[a]"), "f:1: neither"},
        {S("[a]\rk = v"), "f:1: a section is written"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct conf *c = NULL;
        struct ho_err err = {HO_OK, 0, ""};
        ROW(i, conf_parse("f", rows[i].in, &c, &err) == HO_REJECT);
        ROW(i, c == NULL && err.code == HO_REJECT);
        if (strncmp(err.text, rows[i].want, strlen(rows[i].want)) != 0) {
            fail_msg("case %zu: \"%s\"", i, err.text);
        }
        ROW(i, strstr(err.text, "hunter2") == NULL);
    }
}

static enum ho_code parse_sized(size_t value_len, size_t file_len, struct ho_err *err)
{
    struct conf *c = NULL;
    char *text = malloc(file_len + 1);
    assert_non_null(text);
    memset(text, '#', file_len);
    memcpy(text, "[a]\nk=", 6);
    memset(text + 6, 'v', value_len);
    if (file_len > value_len + 6) {
        text[value_len + 6] = '\n';
    }
    enum ho_code code = conf_parse("f", span_make(text, file_len), &c, err);
    if (code == HO_OK) {
        assert_int_equal(strlen(conf_first(c)->entries->value), value_len);
    }
    conf_free(c);
    free(text);
    return code;
}

static void lengths_are_limited(void **state)
{
    struct ho_err err;
    (void)state;
    assert_int_equal(parse_sized(65536, 65542, &err), HO_OK);
    assert_int_equal(parse_sized(65537, 65543, &err), HO_REJECT);
    assert_string_equal(err.text, "f:2: the value is longer than 64 KiB");
    assert_int_equal(parse_sized(1, 1048576, &err), HO_OK);
    assert_int_equal(parse_sized(1, 1048577, &err), HO_REJECT);
    assert_string_equal(err.text, "f:0: the file is longer than 1 MiB");
}

static void a_continued_value_is_limited_too(void **state)
{
    enum { LINES = 700, LEN = 100 };
    static char text[6 + LINES * (LEN + 1)];
    struct conf *c = NULL;
    struct ho_err err;
    size_t at = 6;
    (void)state;
    memcpy(text, "[a]\nk=", 6);
    for (int i = 0; i < LINES; i++) {
        text[at] = i == 0 ? 'v' : ' ';
        memset(text + at + 1, 'v', LEN - 1);
        text[at + LEN] = '\n';
        at += LEN + 1;
    }
    assert_int_equal(conf_parse("f", span_make(text, at), &c, &err), HO_REJECT);
    assert_string_equal(err.text, "f:657: the value is longer than 64 KiB");
    assert_null(c);
}

static void paths_start_at_the_file(void **state)
{
    static const struct {
        const char *file, *path, *want; /* want without '/' in front: below the working directory */
    } rows[] = {
        {"/etc/hookonce/h.conf", "a.secret", "/etc/hookonce/a.secret"},
        {"/etc/hookonce/h.conf", "../a", "/etc/hookonce/../a"},
        {"/etc/hookonce/h.conf", "/abs/a", "/abs/a"},
        {"/h.conf", "a", "/a"},
        {"h.conf", "a", "a"},
        {"sub/h.conf", "a/b", "sub/a/b"},
        {"h.conf", "/abs", "/abs"},
    };
    char here[4096];
    char want[8192];
    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct conf *c = NULL;
        ROW(i, conf_parse(rows[i].file, SPAN_LIT("[a]"), &c, NULL) == HO_OK);
        char *got = conf_resolve(conf_first(c), rows[i].path);
        bool absolute = rows[i].want[0] == '/';
        (void)snprintf(want, sizeof want, "%s%s%s", absolute ? "" : here, absolute ? "" : "/",
                       rows[i].want);
        ROW_TEXT(i, got, want);
        free(got);
        conf_free(c);
    }
}

static void errors_of_others_say_where(void **state)
{
    struct conf *c = NULL;
    struct ho_err err;
    (void)state;
    assert_int_equal(conf_parse("x.conf", SPAN_LIT("\n[a]\nk=v"), &c, NULL), HO_OK);
    const struct conf_section *s = conf_first(c);
    assert_int_equal(conf_fail(&err, s, s->entries, "no %s", "such"), HO_REJECT);
    assert_string_equal(err.text, "x.conf:3: no such");
    assert_int_equal(conf_fail(&err, s, NULL, "%d", 7), HO_REJECT);
    assert_string_equal(err.text, "x.conf:2: 7");
    assert_int_equal(conf_fail(NULL, s, NULL, "x"), HO_REJECT);
    conf_free(c);
}

static void the_text_need_not_stay(void **state)
{
    char text[] = "[a n]\nk = v";
    char file[] = "f.conf";
    struct conf *c = NULL;
    (void)state;
    assert_int_equal(conf_parse(file, span_of(text), &c, NULL), HO_OK);
    memset(text, 'X', sizeof text - 1);
    memset(file, 'X', sizeof file - 1);
    const struct conf_section *s = conf_first(c);
    assert_string_equal(s->kind, "a");
    assert_string_equal(s->name, "n");
    assert_string_equal(s->file, "f.conf");
    assert_string_equal(s->entries->key, "k");
    assert_string_equal(s->entries->value, "v");
    conf_free(c);
}

static void files_are_read_and_their_mode_checked(void **state)
{
    char file[] = "/tmp/hookonce-conf-XXXXXX";
    struct conf *c = NULL;
    struct ho_err err;
    (void)state;
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "[a]\nk=v\n", 8), 8);
    assert_int_equal(conf_read(file, true, &c, &err), HO_OK);
    assert_string_equal(conf_first(c)->file, file);
    conf_free(c);
    assert_int_equal(fchmod(fd, 0644), 0);
    assert_int_equal(conf_read(file, true, &c, &err), HO_REJECT);
    assert_null(c);
    assert_memory_equal(err.text, file, strlen(file));
    assert_non_null(strstr(err.text, "chmod 600"));
    assert_int_equal(conf_read(file, false, &c, &err), HO_OK);
    conf_free(c);
    assert_int_equal(write(fd, "oops", 4), 4);
    assert_int_equal(conf_read(file, false, &c, &err), HO_REJECT);
    assert_memory_equal(err.text + strlen(file), ":3: neither", 11);
    assert_int_equal(ftruncate(fd, 1048577), 0);
    assert_int_equal(conf_read(file, false, &c, &err), HO_REJECT);
    assert_non_null(strstr(err.text, "longer than 1048576 bytes"));
    assert_int_equal(close(fd), 0);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(conf_read(file, false, &c, &err), HO_REJECT);
    assert_memory_equal(err.text, file, strlen(file));
    assert_null(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_grammar),
        cmocka_unit_test(refuses_with_file_and_line),
        cmocka_unit_test(lengths_are_limited),
        cmocka_unit_test(a_continued_value_is_limited_too),
        cmocka_unit_test(paths_start_at_the_file),
        cmocka_unit_test(errors_of_others_say_where),
        cmocka_unit_test(the_text_need_not_stay),
        cmocka_unit_test(files_are_read_and_their_mode_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
