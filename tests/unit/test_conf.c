/* The grammar of config and recipe files, the table of keys, and errors that say where. */
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

static const struct conf_key table[] = {
    {"db", "name", CONF_TEXT, false, true, NULL, 0, 0, NULL, "h"},
    {"db", "port", CONF_INT, false, false, "3306", 1, 65535, NULL, "h"},
    {"db", "offset", CONF_INT, false, false, NULL, -5, 5, NULL, "h"},
    {"db", "any", CONF_INT, false, false, NULL, 0, 0, NULL, "h"},
    {"db", "lease", CONF_DURATION, false, false, "60s", 1000, 3600000, NULL, "h"},
    {"db", "cap", CONF_SIZE, false, false, "26m", 1024, 1073741824, NULL, "h"},
    {"db", "guard", CONF_BOOL, false, false, "no", 0, 0, NULL, "h"},
    {"db", "mode", CONF_WORD, false, false, "source", 0, 0, "source provider", "h"},
    {"db", "id", CONF_NAME, false, false, NULL, 0, 0, NULL, "h"},
    {"db", "note", CONF_TEXT, false, false, NULL, 0, 0, NULL, "h"},
    {"db", "file", CONF_PATH, false, false, NULL, 0, 0, NULL, "h"},
    {"db", "on", CONF_LIST, false, false, NULL, 0, 0, NULL, "h"},
    {"db", "secret", CONF_TEXT, true, false, NULL, 0, 0, NULL, "h"},
    {"source", "provider", CONF_NAME, false, true, NULL, 0, 0, NULL, "h"},
};

static void checks_against_the_table(void **state)
{
    static const struct {
        const char *in;
        const char *want; /* the error, NULL: none */
    } rows[] = {
        {"", NULL},
        {"[db]\nname=x", NULL},
        {"[db]\nname=x\n[source a]\nprovider=p\n[source b]\nprovider=q", NULL},
        {"[db]\n", "f:1: [db] needs name"},
        {"[source a]\n", "f:1: [source a] needs provider"},
        {"[db]\nname=\n", "f:2: name must be a text"},
        {"[bd]\nname=x", "f:1: unknown section \"bd\""},
        {"[sorce a]", "f:1: unknown section \"sorce\"; did you mean \"source\"?"},
        {"[db]\nname=x\nsecert=1",
         "f:3: unknown key \"secert\" in a section db; did you mean \"secret\"?"},
        {"[db]\nprt=1", "f:2: unknown key \"prt\" in a section db; did you mean \"port\"?"},
        {"[db]\nprovider=1", "f:2: unknown key \"provider\" in a section db"},
        {"[db]\nzzzzzzzz=1", "f:2: unknown key \"zzzzzzzz\" in a section db"},
        {"[db]\nname=x\nname=y", "f:3: a second name; the first is in line 2"},
        {"[db]\nname=x\nsecret=a\nsecret=b", NULL},
        {"[db]\nname=x\nnote=", NULL},
        {"[db]\nname=x\nport=1", NULL},
        {"[db]\nname=x\nport=65535", NULL},
        {"[db]\nname=x\nport=0", "f:3: port must be from 1 to 65535, not 0"},
        {"[db]\nname=x\nport=65536", "f:3: port must be from 1 to 65535, not 65536"},
        {"[db]\nname=x\nport=", "f:3: port must be a whole number, not \"\""},
        {"[db]\nname=x\nport=1x", "f:3: port must be a whole number, not 1x"},
        {"[db]\nname=x\nport=-1", "f:3: port must be from 1 to 65535, not -1"},
        {"[db]\nname=x\nport=99999999999999999999",
         "f:3: port must be a whole number, not 99999999999999999999"},
        {"[db]\nname=x\noffset=-5", NULL},
        {"[db]\nname=x\noffset=-6", "f:3: offset must be from -5 to 5, not -6"},
        {"[db]\nname=x\noffset=--5", "f:3: offset must be a whole number, not --5"},
        {"[db]\nname=x\nany=9223372036854775807", NULL},
        {"[db]\nname=x\nany=-9223372036854775807", NULL},
        {"[db]\nname=x\nlease=1s", NULL},
        {"[db]\nname=x\nlease=999ms", "f:3: lease must be from 1s to 1h, not 999ms"},
        {"[db]\nname=x\nlease=61m", "f:3: lease must be from 1s to 1h, not 61m"},
        {"[db]\nname=x\nlease=60",
         "f:3: lease must be a time like 250ms, 10s, 5m, 6h or 30d, not 60"},
        {"[db]\nname=x\ncap=1g", NULL},
        {"[db]\nname=x\ncap=2g", "f:3: cap must be from 1024 to 1073741824, not 2g"},
        {"[db]\nname=x\ncap=1mb", "f:3: cap must be a size like 512, 64k, 26m or 1g, not 1mb"},
        {"[db]\nname=x\nguard=yes", NULL},
        {"[db]\nname=x\nguard=true", "f:3: guard must be yes or no, not true"},
        {"[db]\nname=x\nmode=provider", NULL},
        {"[db]\nname=x\nmode=prov", "f:3: mode must be one of source provider, not prov"},
        {"[db]\nname=x\nmode=", "f:3: mode must be one of source provider, not \"\""},
        {"[db]\nname=x\nmode=source provider",
         "f:3: mode must be one of source provider, not \"source provider\""},
        {"[db]\nname=x\nid=a.b-c_d", NULL},
        {"[db]\nname=x\nid=A", "f:3: id must be a name of at most 64 of a-z 0-9 . _ -, not A"},
        {"[db]\nname=x\nfile=a b", NULL},
        {"[db]\nname=x\nfile=", "f:3: file must be a path"},
        {"[db]\nname=x\non=a, b ,c", NULL},
        {"[db]\nname=x\non=a,\n b", NULL},
        {"[db]\nname=x\non=a", NULL},
        {"[db]\nname=x\non=", "f:3: on must be texts with commas between"},
        {"[db]\nname=x\non=a,,b", "f:3: on must be texts with commas between"},
        {"[db]\nname=x\non=a,b,", "f:3: on must be texts with commas between"},
        /* the first mistake in file order, and a mistyped key before what it leaves missing */
        {"[db]\nport=x\nfoo=1", "f:2: port must be a whole number, not x"},
        {"[db]\nnmae=x", "f:2: unknown key \"nmae\" in a section db"},
        {"[source a]\nprovider=p\n[db]\nport=0\n[what]",
         "f:4: port must be from 1 to 65535, not 0"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct conf *c = NULL;
        struct ho_err err = {HO_OK, 0, ""};
        ROW(i, conf_parse("f", span_of(rows[i].in), &c, &err) == HO_OK);
        enum ho_code code = conf_check(c, table, COUNT(table), &err);
        ROW_TEXT(i, err.text, rows[i].want == NULL ? "" : rows[i].want);
        ROW(i, code == (rows[i].want == NULL ? HO_OK : HO_REJECT));
        conf_free(c);
    }
}

static void gives_typed_values_and_defaults(void **state)
{
    struct conf *c = NULL;
    (void)state;
    assert_int_equal(conf_parse("f", SPAN_LIT("[db]\nname = x y\nlease=5m\nguard=yes\ncap=64k\n"
                                              "secret=one\nsecret=two\noffset=-3\n[source s]\n"),
                                &c, NULL),
                     HO_OK);
    const struct conf_section *s = conf_first(c);
    const size_t n = COUNT(table);
    assert_string_equal(conf_text(s, "name", table, n), "x y");
    assert_string_equal(conf_text(s, "mode", table, n), "source");
    assert_null(conf_text(s, "note", table, n));
    assert_string_equal(conf_text(s, "secret", table, n), "one");
    assert_int_equal(conf_number(s, "lease", table, n), 300000);
    assert_int_equal(conf_number(s, "guard", table, n), 1);
    assert_int_equal(conf_number(s, "cap", table, n), 65536);
    assert_int_equal(conf_number(s, "port", table, n), 3306);
    assert_true(conf_number(s, "offset", table, n) == -3);
    const struct conf_entry *e = conf_find(s, "secret");
    assert_string_equal(e->value, "one");
    assert_int_equal(e->line, 6);
    assert_string_equal(e->next->value, "two");
    assert_null(conf_find(s, "note"));
    assert_int_equal(conf_number(s, "guard", table, n), 1);
    assert_null(s->next->entries);
    conf_free(c);
    conf_free(NULL);
    assert_null(conf_first(NULL));
}

static void ask_for(const char *key, bool number)
{
    struct conf *c = NULL;
    if (conf_parse("f", SPAN_LIT("[db]\nname=x\n"), &c, NULL) == HO_OK) {
        if (number) {
            (void)conf_number(conf_first(c), key, table, COUNT(table));
        } else {
            (void)conf_text(conf_first(c), key, table, COUNT(table));
        }
    }
}

static void ask_for_no_key(void)
{
    ask_for("nokey", false);
}

static void ask_for_no_value(void)
{
    ask_for("any", true);
}

static void ask_for_no_number(void)
{
    ask_for("id", true);
}

static void asking_for_what_the_table_lacks_is_a_bug(void **state)
{
    (void)state;
    char said[200];
    assert_int_equal(end_of(ask_for_no_key, said, sizeof said), 71);
    assert_string_equal(said, "hookonce: bug: no key nokey in the table of [db]\n");
    assert_int_equal(end_of(ask_for_no_value, said, sizeof said), 71);
    assert_string_equal(said, "hookonce: bug: no number for any in [db]\n");
    assert_int_equal(end_of(ask_for_no_number, said, sizeof said), 71);
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
        cmocka_unit_test(checks_against_the_table),
        cmocka_unit_test(gives_typed_values_and_defaults),
        cmocka_unit_test(asking_for_what_the_table_lacks_is_a_bug),
        cmocka_unit_test(paths_start_at_the_file),
        cmocka_unit_test(errors_of_others_say_where),
        cmocka_unit_test(the_text_need_not_stay),
        cmocka_unit_test(files_are_read_and_their_mode_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
