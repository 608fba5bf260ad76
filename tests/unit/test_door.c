/* Doors that an operator opens, and the requests that are kept behind one of them. */
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "store/captures.h"
#include "store/door.h"

static char dir[64];

static int begin(void **state)
{
    (void)state;
    (void)snprintf(dir, sizeof dir, "/tmp/hookonce-door-XXXXXX");
    return mkdtemp(dir) != NULL ? 0 : -1;
}

static int end(void **state)
{
    char command[128];
    (void)state;

    (void)snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command);
}

static char *path_of(const char *name)
{
    static char path[160];

    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void open_look_close(void **state)
{
    const struct door_terms terms = {2000000, 5};
    struct door_terms got;
    struct ho_err err;
    struct stat st;
    (void)state;

    assert_false(door_look(dir, DOOR_PAIR, SPAN_LIT("shop"), 1000000, &got));
    assert_int_equal(door_open(dir, DOOR_PAIR, "shop", &terms, &err), HO_OK);
    assert_true(door_look(dir, DOOR_PAIR, SPAN_LIT("shop"), 1000000, &got));
    assert_int_equal(got.until_us, 2000000);
    assert_int_equal(got.files, 5);
    assert_true(door_look(dir, DOOR_PAIR, SPAN_LIT("shop"), 1999999, NULL));
    assert_false(door_look(dir, DOOR_PAIR, SPAN_LIT("shop"), 2000000, &got));
    assert_int_equal(got.until_us, 0);
    assert_false(door_look(dir, DOOR_PAIR, SPAN_LIT("other"), 1000000, NULL));
    assert_false(door_look(dir, DOOR_CAPTURE, SPAN_LIT("shop"), 1000000, NULL));
    assert_int_equal(stat(path_of("pair/shop"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(stat(path_of("pair"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_true(door_close(dir, DOOR_PAIR, SPAN_LIT("shop")));
    assert_false(door_close(dir, DOOR_PAIR, SPAN_LIT("shop")));
    assert_false(door_look(dir, DOOR_PAIR, SPAN_LIT("shop"), 1000000, NULL));
    assert_int_equal(door_open(dir, DOOR_CAPTURE, "shop", &terms, &err), HO_OK);
    assert_int_equal(stat(path_of("capture/shop.arm"), &st), 0);
}

static void names_that_are_none(void **state)
{
    static const char *const rows[] = {"", "..", ".x", "a/b", "../x", "a b", "a\n", "\xc3\xa9"};
    const struct door_terms terms = {2000000, 5};
    struct ho_err err;
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, door_open(dir, DOOR_PAIR, rows[i], &terms, &err) == HO_REJECT);
        ROW(i, !door_look(dir, DOOR_PAIR, span_of(rows[i]), 1, NULL));
        ROW(i, !door_close(dir, DOOR_PAIR, span_of(rows[i])));
    }
    assert_false(door_look(dir, DOOR_PAIR, SPAN_LIT("a\0b"), 1, NULL));
}

static void files_that_are_none(void **state)
{
    static const struct {
        const char *text;
        bool open;
    } rows[] = {
        {"until 2000000\nfiles 5\n", true},
        {"until 2000000\nfiles 5", false},
        {"until 2000000\n", false},
        {"until 2000000\nfiles 5\nmore\n", false},
        {"until 2000000\nfiles 101\n", false},
        {"until -1\nfiles 5\n", false},
        {"until 99999999999999999\nfiles 5\n", false}, /* longer than any door is open */
        {"", false},
    };
    struct ho_err err;
    (void)state;

    assert_int_equal(mkdir(path_of("pair"), 0700), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(file_write(path_of("pair/s"), span_of(rows[i].text), true, &err), HO_OK);
        ROW(i, door_look(dir, DOOR_PAIR, SPAN_LIT("s"), 1000000, NULL) == rows[i].open);
    }
    assert_int_equal(file_write(path_of("pair/s"), span_of(rows[0].text), true, &err), HO_OK);
    assert_int_equal(chmod(path_of("pair/s"), 0666), 0); /* anybody's */
    assert_false(door_look(dir, DOOR_PAIR, SPAN_LIT("s"), 1000000, NULL));
}

static size_t kept(const char *source)
{
    char **paths;
    size_t n;

    captures_list(dir, span_of(source), &paths, &n);
    captures_free(paths, n);
    return n;
}

static void the_newest_are_kept(void **state)
{
    const int64_t now = clock_wall_us();
    struct ho_err err;
    struct buf text;
    char **paths;
    size_t n;
    (void)state;

    assert_int_equal(kept("a"), 0);
    assert_int_equal(captures_add(dir, SPAN_LIT("a"), now, 3, SPAN_LIT("x"), &err), HO_REJECT);
    assert_int_equal(mkdir(path_of("capture"), 0700), 0);
    for (int i = 0; i < 10; i++) {
        char content[16];
        (void)snprintf(content, sizeof content, "%d", i);
        /* the first ones in the same microsecond */
        assert_int_equal(captures_add(dir, SPAN_LIT("a"), i < 5 ? now : now + i, 3,
                                      span_of(content), &err),
                         HO_OK);
        assert_int_equal(captures_add(dir, SPAN_LIT("a-1"), now, 2, SPAN_LIT("y"), &err), HO_OK);
    }
    assert_int_equal(kept("a"), 3);
    assert_int_equal(kept("a-1"), 2);
    captures_list(dir, SPAN_LIT("a"), &paths, &n);
    for (size_t i = 0; i < n; i++) {
        buf_init(&text, 16);
        assert_int_equal(file_read(paths[i], true, &text, &err), HO_OK);
        assert_int_equal(text.p[0], '7' + (int)i);
        buf_free(&text);
    }
    captures_free(paths, n);
}

static void what_is_old_is_swept(void **state)
{
    const int64_t now = clock_wall_us();
    const struct door_terms terms = {now + 1000000, 5};
    struct ho_err err;
    (void)state;

    assert_int_equal(door_open(dir, DOOR_CAPTURE, "a", &terms, &err), HO_OK);
    assert_int_equal(door_open(dir, DOOR_PAIR, "a", &terms, &err), HO_OK);
    assert_int_equal(captures_add(dir, SPAN_LIT("a"), now, 3, SPAN_LIT("x"), &err), HO_OK);
    captures_sweep(dir, now + (CAPTURES_KEPT_MS - 5000) * 1000);
    assert_int_equal(kept("a"), 1);
    assert_int_equal(access(path_of("pair/a"), F_OK), 0);
    captures_sweep(dir, now + (CAPTURES_KEPT_MS + 5000) * 1000);
    assert_int_equal(kept("a"), 0);
    assert_int_equal(access(path_of("pair/a"), F_OK), -1);
    assert_int_equal(access(path_of("capture/a.arm"), F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(open_look_close, begin, end),
        cmocka_unit_test_setup_teardown(names_that_are_none, begin, end),
        cmocka_unit_test_setup_teardown(files_that_are_none, begin, end),
        cmocka_unit_test_setup_teardown(the_newest_are_kept, begin, end),
        cmocka_unit_test_setup_teardown(what_is_old_is_swept, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
