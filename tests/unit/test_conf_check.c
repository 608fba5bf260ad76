/* Config held against a table of keys: the first mistake with its line, typed values, defaults. */
#include "unit.h"

#include "base/conf.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_against_the_table),
        cmocka_unit_test(gives_typed_values_and_defaults),
        cmocka_unit_test(asking_for_what_the_table_lacks_is_a_bug),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
