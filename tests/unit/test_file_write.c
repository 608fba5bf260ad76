/* Private files: whole, 0600, and an existing one only replaced where that is meant. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "unit.h"

static char folder[] = "/tmp/hookonce-file-XXXXXX";
static char path[64];

static void holds(const char *text)
{
    struct buf out;
    struct stat st;

    buf_init(&out, 4096);
    assert_int_equal(file_read(path, true, &out, NULL), HO_OK);
    assert_true(span_is(buf_span(&out), text));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    buf_free(&out);
}

static size_t files_in_folder(void)
{
    char command[128];
    size_t n = 0;
    FILE *list;

    (void)snprintf(command, sizeof command, "ls -A %s", folder);
    list = popen(command, "r");
    assert_non_null(list);
    for (int c = getc(list); c != EOF; c = getc(list)) {
        n += c == '\n';
    }
    (void)pclose(list);
    return n;
}

static void writes_and_replaces(void **state)
{
    (void)state;
    (void)umask(0);
    assert_int_equal(file_write(path, SPAN_LIT("one"), false, NULL), HO_OK);
    holds("one");
    assert_int_equal(file_write(path, SPAN_LIT("two"), true, NULL), HO_OK);
    holds("two");
    assert_int_equal(file_write(path, SPAN_LIT(""), true, NULL), HO_OK);
    holds("");
    assert_int_equal(files_in_folder(), 1);
}

static void keeps_what_is_there(void **state)
{
    struct ho_err err;
    (void)state;

    ho_err_clear(&err);
    assert_int_equal(file_write(path, SPAN_LIT("first"), true, NULL), HO_OK);
    assert_int_equal(file_write(path, SPAN_LIT("second"), false, &err), HO_REJECT);
    assert_non_null(strstr(err.text, path));
    holds("first");
    assert_int_equal(files_in_folder(), 1); /* nothing half written stays */
}

/* Whoever runs a program that is being replaced, or reads it, may do so at any time. */
static void what_others_may_run_is_never_closed_to_them(void **state)
{
    struct stat st;
    int status = -1;
    (void)state;

    assert_int_equal(file_put(path, SPAN_LIT("0"), 0755, NULL), HO_OK);
    pid_t child = fork();
    assert_true(child >= 0);
    while (child == 0) {
        if (stat(path, &st) != 0 || (st.st_mode & 0777) != 0755) {
            _exit(1);
        }
    }
    for (int i = 0; i < 60; i++) {
        assert_int_equal(file_put(path, SPAN_LIT("1"), 0755, NULL), HO_OK);
    }
    (void)kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(files_in_folder(), 1);
    assert_int_equal(unlink(path), 0);
}

static void says_where_it_cannot(void **state)
{
    struct ho_err err;
    (void)state;

    ho_err_clear(&err);
    assert_int_equal(file_write("/nowhere/at/all", SPAN_LIT("x"), true, &err), HO_REJECT);
    assert_non_null(strstr(err.text, "/nowhere/at/all"));
    assert_int_equal(file_write("/dev/full/x", SPAN_LIT("x"), true, &err), HO_REJECT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_and_replaces),
        cmocka_unit_test(keeps_what_is_there),
        cmocka_unit_test(what_others_may_run_is_never_closed_to_them),
        cmocka_unit_test(says_where_it_cannot),
    };
    int failed;

    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    (void)snprintf(path, sizeof path, "%s/file", folder);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(path);
    (void)rmdir(folder);
    return failed;
}
