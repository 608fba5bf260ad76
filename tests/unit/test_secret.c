/* Private files and secrets: who may read them, what is trimmed, and that errors say what to do. */
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/secret.h"

static char dir[] = "/tmp/hookonce-secret-XXXXXX";
static char path[64];

static void put(const char *name, mode_t mode, struct span content)
{
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    (void)unlink(path);
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
    assert_true(fd >= 0);
    for (size_t at = 0; at < content.len;) {
        ssize_t n = write(fd, content.p + at, content.len - at);
        assert_true(n > 0);
        at += (size_t)n;
    }
    assert_int_equal(fchmod(fd, mode), 0);
    assert_int_equal(close(fd), 0);
}

static void one_line_end_is_dropped(void **state)
{
    static const struct {
        struct span content, want;
    } rows[] = {
        {S("whsec_x"), S("whsec_x")},      {S("whsec_x\n"), S("whsec_x")},
        {S("whsec_x\r\n"), S("whsec_x")},  {S("whsec_x\n\n"), S("whsec_x\n")},
        {S(" whsec x \n"), S(" whsec x ")}, {S("\nx"), S("\nx")},
        {S("x\r"), S("x\r")},              {S("a\0b\n"), S("a\0b")},
        {S("x"), S("x")},                  {S("\r\r\n"), S("\r")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct secret secret;
        put("s", 0600, rows[i].content);
        ROW(i, secret_read(path, &secret, NULL) == HO_OK);
        ROW(i, span_eq(secret_span(&secret), rows[i].want));
        secret_free(&secret);
        ROW(i, secret.p == NULL && secret.len == 0);
        secret_free(&secret);
    }
}

static void an_empty_secret_is_refused(void **state)
{
    static const struct span rows[] = {S(""), S("\n"), S("\r\n")};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct secret secret;
        struct ho_err err;
        put("empty", 0600, rows[i]);
        ROW(i, secret_read(path, &secret, &err) == HO_REJECT);
        ROW(i, secret.p == NULL);
        ROW(i, strstr(err.text, "empty") != NULL);
    }
}

static void only_private_files_are_read(void **state)
{
    static const struct {
        mode_t mode;
        bool ok;
    } rows[] = {
        {0600, true},  {0400, true},  {0700, true},  {0640, false}, {0604, false},
        {0620, false}, {0602, false}, {0610, false}, {0601, false}, {0644, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct secret secret;
        struct ho_err err = {HO_OK, 0, ""};
        put("mode", rows[i].mode, (struct span)S("topsecret"));
        enum ho_code want = rows[i].ok ? HO_OK : HO_REJECT;
        ROW(i, secret_read(path, &secret, &err) == want);
        ROW(i, private_file_check(path, NULL) == want);
        ROW(i, rows[i].ok == (secret.p != NULL));
        ROW(i, rows[i].ok || strstr(err.text, "chmod 600") != NULL);
        ROW(i, rows[i].ok || strstr(err.text, path) != NULL);
        ROW(i, strstr(err.text, "topsecret") == NULL);
        secret_free(&secret);
    }
}

static void a_file_of_another_user_is_refused(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        put("mine", 0600, (struct span)S("x"));
        assert_int_equal(private_file_check(path, NULL), HO_OK);
        return; /* giving a file away takes root */
    }
    struct ho_err err;
    put("theirs", 0600, (struct span)S("x"));
    assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
    assert_int_equal(private_file_check(path, &err), HO_REJECT);
    assert_non_null(strstr(err.text, "uid 12345"));
}

static void what_is_no_regular_file_is_refused(void **state)
{
    struct secret secret;
    struct ho_err err;
    char fifo[64];
    (void)state;
    assert_int_equal(secret_read(dir, &secret, &err), HO_REJECT);
    assert_non_null(strstr(err.text, "regular"));
    (void)snprintf(fifo, sizeof fifo, "%s/fifo", dir);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(secret_read(fifo, &secret, &err), HO_REJECT); /* and does not wait */
    assert_int_equal(secret_read("/dev/null", &secret, &err), HO_REJECT);
    (void)snprintf(path, sizeof path, "%s/none", dir);
    assert_int_equal(secret_read(path, &secret, &err), HO_REJECT);
    assert_non_null(strstr(err.text, "No such file"));
    assert_non_null(strstr(err.text, path));
    assert_null(secret.p);
    assert_int_equal(private_file_check("", NULL), HO_REJECT);
    assert_int_equal(unlink(fifo), 0);
}

static void a_link_is_followed(void **state)
{
    char link_path[64];
    struct secret secret;
    (void)state;
    put("target", 0600, (struct span)S("x"));
    (void)snprintf(link_path, sizeof link_path, "%s/link", dir);
    assert_int_equal(symlink(path, link_path), 0);
    assert_int_equal(secret_read(link_path, &secret, NULL), HO_OK);
    secret_free(&secret);
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(secret_read(link_path, &secret, NULL), HO_REJECT);
}

static void the_length_is_limited(void **state)
{
    static unsigned char content[SECRET_MAX + 1];
    struct secret secret;
    struct ho_err err;
    (void)state;
    memset(content, 'k', sizeof content);
    put("long", 0600, span_make(content, SECRET_MAX));
    assert_int_equal(secret_read(path, &secret, NULL), HO_OK);
    assert_int_equal(secret.len, SECRET_MAX);
    secret_free(&secret);
    put("long", 0600, span_make(content, SECRET_MAX + 1));
    assert_int_equal(secret_read(path, &secret, &err), HO_REJECT);
    assert_non_null(strstr(err.text, "longer than 16384"));
    assert_null(secret.p);
    assert_int_equal(secret_copy(span_make(content, SECRET_MAX + 1), &secret), HO_REJECT);
    assert_int_equal(secret_copy(span_make(content, SECRET_MAX), &secret), HO_OK);
    secret_free(&secret);
}

static void a_copy_is_its_own(void **state)
{
    char bytes[] = "abc";
    struct secret secret;
    (void)state;
    assert_int_equal(secret_copy(span_of(bytes), &secret), HO_OK);
    bytes[0] = 'z';
    assert_true(span_is(secret_span(&secret), "abc"));
    secret_free(&secret);
    assert_int_equal(secret_copy(SPAN_NONE, &secret), HO_REJECT);
    assert_null(secret.p);
    assert_int_equal(secret_copy(SPAN_LIT(""), &secret), HO_OK);
    assert_true(span_is(secret_span(&secret), ""));
    secret_free(&secret);
}

static void files_of_any_length_are_read_whole(void **state)
{
    static const size_t lengths[] = {0, 1, 63, 64, 65, 4095, 4096, 4097, 9999, 10000, 10001};
    static unsigned char content[10001];
    (void)state;
    for (size_t i = 0; i < sizeof content; i++) {
        content[i] = (unsigned char)(i * 7);
    }
    for (size_t i = 0; i < COUNT(lengths); i++) {
        struct buf out;
        struct ho_err err;
        buf_init(&out, 10002);
        ROW(i, buf_add_str(&out, "ab") == HO_OK);
        put("file", 0644, span_make(content, lengths[i]));
        bool fits = lengths[i] <= 10000;
        ROW(i, file_read(path, false, &out, &err) == (fits ? HO_OK : HO_REJECT));
        ROW(i, out.len == 2 + (fits ? lengths[i] : 0));
        ROW(i, !fits || memcmp(out.p + 2, content, lengths[i]) == 0);
        ROW(i, strcmp((const char *)out.p, "ab") == 0 || fits);
        buf_free(&out);
    }
}

/* Files in /proc say that they are empty and are not: the end counts, not the size. */
static void the_end_of_the_file_counts(void **state)
{
    struct buf out;
    struct ho_err err;
    (void)state;
    buf_init(&out, 100000);
    assert_int_equal(file_read("/proc/self/status", false, &out, &err), HO_OK);
    assert_true(span_starts(buf_span(&out), "Name:"));
    assert_non_null(strstr(buf_cstr(&out), "Threads:"));
    size_t len = out.len;
    buf_free(&out);
    buf_init(&out, len / 2);
    assert_int_equal(file_read("/proc/self/status", false, &out, &err), HO_REJECT);
    assert_int_equal(out.len, 0);
    buf_free(&out);
}

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) == NULL;
}

static int remove_dir(void **state)
{
    static const char *const names[] = {"s",      "empty", "mode", "mine", "theirs",
                                        "target", "link",  "long", "file"};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        (void)unlink(path);
    }
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line_end_is_dropped),
        cmocka_unit_test(an_empty_secret_is_refused),
        cmocka_unit_test(only_private_files_are_read),
        cmocka_unit_test(a_file_of_another_user_is_refused),
        cmocka_unit_test(what_is_no_regular_file_is_refused),
        cmocka_unit_test(a_link_is_followed),
        cmocka_unit_test(the_length_is_limited),
        cmocka_unit_test(a_copy_is_its_own),
        cmocka_unit_test(files_of_any_length_are_read_whole),
        cmocka_unit_test(the_end_of_the_file_counts),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
