/* Commands: what they are given, and how what they say is understood. */
#include "handler_sh.h"

#include <fcntl.h>

#include "base/fork.h"
#include "base/text.h"
#include "work/scratch.h"

static void understands_exit_codes(void **state)
{
    static const struct {
        const char *script;
        enum handler_result result;
        bool untouched;
        int64_t wait_ms;
        int code;
        const char *err, *said;
    } rows[] = {
        {"exit 0", HANDLER_DONE, false, 0, 0, "", ""},
        {"echo fine; echo odd >&2", HANDLER_DONE, false, 0, 0, "", "odd"},
        {"echo out; echo; echo no such table >&2; echo >&2; exit 1", HANDLER_FAILED, false, 0, 1,
         "the command failed with exit code 1", "no such table"},
        {"echo first; echo last; exit 2", HANDLER_FAILED, false, 0, 2,
         "the command failed with exit code 2", "last"},
        {"exit 127", HANDLER_FAILED, false, 0, 127, "the command failed with exit code 127", ""},
        {"exit 75", HANDLER_FAILED, true, 0, 75, "the command failed with exit code 75", ""},
        {"exit 69", HANDLER_DEFER, true, 60000, 69, "the command puts it off (exit code 69)", ""},
        {"echo retry-after: 30; exit 69", HANDLER_DEFER, true, 30000, 69,
         "the command puts it off (exit code 69)", "retry-after: 30"},
        {"echo Retry-After: 7; echo 8; exit 69", HANDLER_DEFER, true, 7000, 69,
         "the command puts it off (exit code 69)", "8"},
        {"echo retry-after: 0; exit 69", HANDLER_DEFER, true, 60000, 69,
         "the command puts it off (exit code 69)", "retry-after: 0"},
        {"echo retry-after: 1e9; exit 69", HANDLER_DEFER, true, 60000, 69,
         "the command puts it off (exit code 69)", "retry-after: 1e9"},
        {"echo retry-after: 9999999; exit 69", HANDLER_DEFER, true, 60000, 69,
         "the command puts it off (exit code 69)", "retry-after: 9999999"},
        {"exit 65", HANDLER_GIVE_UP, true, 0, 65,
         "the command refuses it for good (exit code 65)", ""},
        {"exit 78", HANDLER_GIVE_UP, true, 0, 78,
         "the command refuses it for good (exit code 78)", ""},
        {"kill -9 $$", HANDLER_FAILED, false, 0, -1, "the command was killed by signal 9", ""},
        {"kill -15 $$", HANDLER_FAILED, false, 0, -1, "the command was killed by signal 15", ""},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        (void)fresh(state);
        ROW(i, sh(rows[i].script) == rows[i].result);
        ROW(i, report.untouched == rows[i].untouched);
        ROW(i, report.wait_ms == rows[i].wait_ms);
        ROW(i, report.exit_code == rows[i].code);
        ROW_TEXT(i, err.text, rows[i].err);
        ROW_TEXT(i, buf_cstr(&report.said), rows[i].said);
        (void)done(state);
    }
}

static void says_what_cannot_be_started(void **state)
{
    static const struct {
        const char *name, *text;
        mode_t mode;
        const char *why;
    } rows[] = {
        {"missing", NULL, 0, "No such file or directory"},
        {"plain", "#!/bin/sh\n", 0600, "Permission denied"},
        {"noshell", "#!/no/such/shell\n", 0700, "No such file or directory"},
        {"empty", "", 0700, "Exec format error"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char want[256], path[128];
        (void)fresh(state);
        (void)snprintf(path, sizeof path, "%s", in_dir(rows[i].name));
        if (rows[i].text != NULL) {
            (void)write_in_dir(rows[i].name, rows[i].text, rows[i].mode);
        }
        argv[0] = path;
        argv[1] = NULL;
        handler.argv = argv;
        ROW(i, handler_cmd_run(&call, &report, &err) == HANDLER_FAILED);
        ROW(i, report.untouched);
        ROW(i, report.exit_code == -1);
        (void)snprintf(want, sizeof want, "%s cannot be started: %s", path, rows[i].why);
        ROW_TEXT(i, err.text, want);
        (void)done(state);
    }
}

/* ---- what it is given ---- */

static void gets_the_contract_and_nothing_else(void **state)
{
    char want[2048];

    (void)state;
    assert_int_equal(setenv("SECRET_OF_OURS", "x", 1), 0);
    assert_int_equal(setenv("HOOKONCE_CONFIG", "/etc/hookonce.conf", 1), 0);
    assert_int_equal(sh("env | grep -v -e ^PWD= -e ^OLDPWD= -e ^_= -e ^HOME=/ -e ^SHLVL= | sort > env; "
                        "printf '%s|' \"$@\" > args"), HANDLER_DONE);
    (void)snprintf(want, sizeof want,
                   "HOOKONCE_ATTEMPT=3\nHOOKONCE_CORRELATION_ID=01JQXK3Y8Z9ABCDEFGHJKMNPQR\n"
                   "HOOKONCE_ID=evt_1\nHOOKONCE_IDEMPOTENCY_KEY=" IDEMPOTENCY "\n"
                   "HOOKONCE_OBJECT=ord_1\nHOOKONCE_OCCURRED_AT=2025-11-30T10:53:20.123456Z\n"
                   "HOOKONCE_PROVIDER=shop\nHOOKONCE_SOURCE=shop-eu\nHOOKONCE_TYPE=order.paid\n"
                   "LANG=C.UTF-8\nPATH=/usr/local/bin:/usr/bin:/bin\n");
    ASSERT_TEXT(read_in_dir("env"), want);
    ASSERT_TEXT(read_in_dir("args"), "a b|");
}

static void leaves_out_what_the_event_has_not(void **state)
{
    (void)state;
    stored.event.object = SPAN_NONE;
    stored.event.has_occurred = false;
    assert_int_equal(sh("env | grep -c -e OBJECT -e OCCURRED > n; true"), HANDLER_DONE);
    ASSERT_TEXT(read_in_dir("n"), "0\n");
}

static void refuses_a_value_that_no_environment_holds(void **state)
{
    (void)state;
    stored.event.id = SPAN_LIT("a\0b");
    assert_int_equal(sh("touch ran"), HANDLER_GIVE_UP);
    assert_true(report.untouched);
    ASSERT_TEXT(err.text, "a NUL byte in it: HOOKONCE_ID cannot hold that");
    assert_int_equal(access(in_dir("ran"), F_OK), -1);
}

static void takes_no_value_for_code(void **state)
{
    (void)state;
    stored.event.id = SPAN_LIT("$(touch hit) `touch hit` ; touch hit\n\"'");
    stored.event.type = SPAN_LIT("() { :;}; touch hit");
    call.body = SPAN_LIT("$(touch hit) `touch hit` \"'\n");
    assert_int_equal(sh("printf %s \"$HOOKONCE_ID\" > id; cat > body"), HANDLER_DONE);
    ASSERT_TEXT(read_in_dir("id"), "$(touch hit) `touch hit` ; touch hit\n\"'");
    ASSERT_TEXT(read_in_dir("body"), "$(touch hit) `touch hit` \"'\n");
    assert_int_equal(access(in_dir("hit"), F_OK), -1);
}

/* 128 KiB is what no argument and no variable may have; 5 MB is more than a pipe holds. */
static void gets_a_body_of_any_size(void **state)
{
    static const size_t sizes[] = {0, 1, 4096, 131072, 5 * 1024 * 1024 + 1};

    for (size_t i = 0; i < COUNT(sizes); i++) {
        unsigned char *body = ho_alloc(sizes[i] + 1);
        unsigned char digest[SHA256_LEN];
        char hex[2 * SHA256_LEN + 5];
        (void)fresh(state);
        for (size_t k = 0; k < sizes[i]; k++) {
            body[k] = (unsigned char)(k * 7 + k / 251);
        }
        call.body = span_make(body, sizes[i]);
        mac_sha256(call.body, digest);
        text_hex(digest, sizeof digest, hex);
        (void)memcpy(hex + sizeof digest * 2, "  -\n", 5);
        ROW(i, sh("sleep 0.1; sha256sum > sum") == HANDLER_DONE);
        ROW_TEXT(i, read_in_dir("sum"), hex);
        (void)done(state);
        free(body);
    }
}

static void need_not_read_its_body(void **state)
{
    char *body = ho_alloc(1024 * 1024);

    (void)state;
    memset(body, 'x', 1024 * 1024);
    call.body = span_make(body, 1024 * 1024);
    assert_int_equal(sh("exit 0"), HANDLER_DONE);
    assert_int_equal(sh("exec <&-; exit 0"), HANDLER_DONE);
    free(body);
}

/* A pipe would end when its worker is killed, and half a body look like a whole one. */
static void gets_its_body_as_a_file_without_a_name(void **state)
{
    (void)state;
    assert_int_equal(sh("stat -L -c '%F %h' /dev/stdin > kind; ls | grep -c ^command > n; "
                        "echo more 2> /dev/null >&0 || cat > body"), HANDLER_DONE);
    ASSERT_TEXT(read_in_dir("kind"), "regular file 0\n");
    ASSERT_TEXT(read_in_dir("n"), "0\n");
    ASSERT_TEXT(read_in_dir("body"), EVENT_BODY); /* which it cannot write to */
}

/* As under a cron that starts with nothing open. */
static void runs_where_nothing_is_open(void **state)
{
    (void)state;
    (void)unlink(in_dir("body"));
    pid_t worker = fork();
    if (worker == 0) {
        fork_close_from(0, 3);
        _exit(sh("cat > body; echo out; echo error >&2") == HANDLER_DONE &&
                      strcmp(buf_cstr(&report.said), "error") == 0 ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(worker, &status, 0), worker);
    assert_int_equal(status, 0);
    ASSERT_TEXT(read_in_dir("body"), EVENT_BODY);
}

static void prints_without_end(void **state)
{
    (void)state;
    assert_int_equal(sh("yes | head -c 3000000; yes no | head -c 3000000 >&2; echo the end >&2; exit 1"),
                     HANDLER_FAILED);
    ASSERT_TEXT(buf_cstr(&report.said), "the end");
}

/* The mask that stands behind `name`, without signals 32 and 33: those are the C library's own, and
 * no program may set them, whatever started it. */
static unsigned long long own_signals(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    assert_non_null(at);
    return strtoull(at + strlen(name), NULL, 16) & ~0x180000000ULL;
}

static void starts_as_from_a_shell(void **state)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigset_t block, old;

    (void)state;
    (void)sigemptyset(&block);
    (void)sigaddset(&block, SIGTERM);
    assert_int_equal(sigaction(SIGPIPE, &ignore, &before), 0);
    assert_int_equal(sigprocmask(SIG_BLOCK, &block, &old), 0);
    int kept = open("/dev/null", O_RDONLY); /* not close-on-exec */
    int high = fcntl(kept, F_DUPFD, 700);
    assert_int_equal(sh("grep -e ^SigBlk -e ^SigIgn /proc/self/status > signals; "
                        "ls /proc/self/fd > fds; cut -d' ' -f5 /proc/$$/stat > group; "
                        "echo $$ > pid"), HANDLER_DONE);
    (void)close(kept);
    (void)close(high);
    (void)sigprocmask(SIG_SETMASK, &old, NULL);
    (void)sigaction(SIGPIPE, &before, NULL);
    assert_int_equal(own_signals(read_in_dir("signals"), "SigBlk:"), 0);
    assert_int_equal(own_signals(read_in_dir("signals"), "SigIgn:"), 0);
    ASSERT_TEXT(read_in_dir("fds"), "0\n1\n2\n3\n"); /* 3: of ls, for the folder */
    ASSERT_TEXT(read_in_dir("group"), read_in_dir("pid"));
}

static void runs_in_the_folder_of_the_config(void **state)
{
    char want[96];

    (void)state;
    assert_int_equal(sh("echo $OLDPWD > was"), HANDLER_DONE);
    (void)snprintf(want, sizeof want, "%s\n", dir);
    ASSERT_TEXT(read_in_dir("was"), want);
}

/* ---- the fetched object ---- */

static void finds_the_fetched_object_in_a_file(void **state)
{
    (void)state;
    call.fetched_body = SPAN_LIT("{\"id\":7}");
    assert_int_equal(sh("cat \"$HOOKONCE_FETCHED\" > object; stat -c %a \"$HOOKONCE_FETCHED\" > mode; "
                        "echo \"$HOOKONCE_FETCHED\" > name"), HANDLER_DONE);
    ASSERT_TEXT(read_in_dir("object"), "{\"id\":7}");
    ASSERT_TEXT(read_in_dir("mode"), "600\n");
    const char *name = read_in_dir("name");
    assert_true(strncmp(name, dir, strlen(dir)) == 0);
    assert_int_equal(sh("ls | grep -c ^command\\. > left; true"), HANDLER_DONE);
    ASSERT_TEXT(read_in_dir("left"), "1\n"); /* that of this very run */
    call.fetched_body = SPAN_LIT("");        /* gone */
    assert_int_equal(sh("echo \"${HOOKONCE_FETCHED-unset}\" > name; ls | grep -c ^command\\. > left; true"),
                     HANDLER_DONE);
    ASSERT_TEXT(read_in_dir("name"), "unset\n");
    ASSERT_TEXT(read_in_dir("left"), "0\n");
}

static void sweeps_what_killed_workers_left(void **state)
{
    int64_t now_us = clock_wall_us();
    char path[SCRATCH_ROOM];

    (void)state;
    (void)write_in_dir("commands", "x", 0600);
    assert_int_equal(scratch_make(dir, SPAN_LIT("x"), path, &err), HO_OK);
    scratch_sweep(dir, now_us);
    assert_int_equal(access(path, F_OK), 0);
    scratch_sweep(dir, now_us + INT64_C(3) * 3600 * 1000000);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(in_dir("commands"), F_OK), 0);
    assert_int_equal(scratch_make("/no/such/dir", SPAN_LIT("x"), path, &err), HO_TRANSIENT);
}

/* ---- answers ---- */

static void understands_answers(void **state)
{
    static const struct {
        const char *script;
        enum handler_result result;
        unsigned status;
        const char *type, *body;
    } plain[] = {
        {"true", HANDLER_DONE, 200, "", ""},
        {"printf '{\"a\":1}'", HANDLER_DONE, 200, "", "{\"a\":1}"},
        {"printf 'Status: 404\\nContent-Type: text/html\\n\\nx'", HANDLER_DONE, 200, "",
         "Status: 404\nContent-Type: text/html\n\nx"},
        {"printf 'Status: 99'", HANDLER_DONE, 200, "", "Status: 99"},
        {"printf '\\nx'", HANDLER_DONE, 200, "", "\nx"},
        {"echo ok; exit 1", HANDLER_FAILED, 0, "", ""},
    }, headers[] = {
        {"printf 'Status: 404 Not Found\\nContent-Type: text/plain\\n\\nno\\n\\nno'", HANDLER_DONE, 404,
         "text/plain", "no\n\nno"},
        {"printf 'content-type: application/json\\r\\n\\r\\n{}'", HANDLER_DONE, 200, "application/json",
         "{}"},
        {"printf 'Status: 204\\n\\n'", HANDLER_DONE, 204, "", ""},
        {"printf '\\nStatus: 404\\n\\nx'", HANDLER_DONE, 200, "", "Status: 404\n\nx"},
        {"printf 'Content-Type: text/html; charset=utf-8\\n\\n'", HANDLER_DONE, 200,
         "text/html; charset=utf-8", ""},
        {"printf 'Hello: world\\n\\nx'", HANDLER_FAILED, 0, "", ""},
        {"printf '{}'", HANDLER_FAILED, 0, "", ""},
        {"true", HANDLER_FAILED, 0, "", ""},
        {"printf 'Status: 202'", HANDLER_FAILED, 0, "", ""},
        {"printf 'Status: 202\\n'", HANDLER_FAILED, 202, "", ""},
        {"printf 'Status: 200\\nbody'", HANDLER_FAILED, 200, "", ""},
        {"printf 'Status: 200\\nStatus: 201\\n\\nx'", HANDLER_FAILED, 200, "", ""},
        {"printf 'Content-Type: a/b\\nContent-Type: a/c\\n\\nx'", HANDLER_FAILED, 0, "a/b", ""},
        {"printf 'Status: 99\\n\\nx'", HANDLER_FAILED, 0, "", ""},
        {"printf 'Status: 199\\n\\nx'", HANDLER_FAILED, 0, "", ""},
        {"printf 'Status: 600\\n\\nx'", HANDLER_FAILED, 0, "", ""},
        {"printf 'Status: 0200\\n\\nx'", HANDLER_FAILED, 0, "", ""},
        {"printf 'Status: 200x\\n\\nx'", HANDLER_FAILED, 0, "", ""},
        {"printf 'Status: 200 a\\001b\\n\\nx'", HANDLER_FAILED, 0, "", ""},
        {"printf 'Content-Type:\\n\\nx'", HANDLER_FAILED, 0, "", ""},
        {"printf 'Content-Type: json\\n\\nx'", HANDLER_FAILED, 0, "", ""},
        {"printf 'Content-Type: a/b c/d\\n\\nx'", HANDLER_FAILED, 0, "", ""},
        {"printf 'Content-Type: text/a\\tb\\n\\nx'", HANDLER_FAILED, 0, "", ""},
    };

    for (size_t i = 0; i < COUNT(plain) + COUNT(headers); i++) {
        bool with = i >= COUNT(plain);
        size_t at = with ? i - COUNT(plain) : i;
        (void)fresh(state);
        report.reply = true;
        handler.prints_headers = with;
        ROW(i, sh((with ? headers : plain)[at].script) == (with ? headers : plain)[at].result);
        ROW(i, report.status == (with ? headers : plain)[at].status);
        ROW_TEXT(i, report.type, (with ? headers : plain)[at].type);
        ROW_TEXT(i, buf_cstr(&report.body), (with ? headers : plain)[at].body);
        (void)done(state);
    }
    handler.prints_headers = false;
}

static void bounds_answers(void **state)
{
    (void)state;
    report.reply = true;
    assert_int_equal(sh("head -c 1048576 /dev/zero"), HANDLER_DONE);
    assert_int_equal(report.body.len, 1048576);
    buf_clear(&report.body);
    assert_int_equal(sh("head -c 1048577 /dev/zero"), HANDLER_FAILED);
    assert_int_equal(report.body.len, 0);
    ASSERT_TEXT(err.text, "its answer is longer than 1048576 bytes");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh, done)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(understands_exit_codes),
        TEST(says_what_cannot_be_started),
        TEST(gets_the_contract_and_nothing_else),
        TEST(leaves_out_what_the_event_has_not),
        TEST(refuses_a_value_that_no_environment_holds),
        TEST(takes_no_value_for_code),
        TEST(gets_a_body_of_any_size),
        TEST(need_not_read_its_body),
        TEST(gets_its_body_as_a_file_without_a_name),
        TEST(runs_where_nothing_is_open),
        TEST(prints_without_end),
        TEST(starts_as_from_a_shell),
        TEST(runs_in_the_folder_of_the_config),
        TEST(finds_the_fetched_object_in_a_file),
        TEST(sweeps_what_killed_workers_left),
        TEST(understands_answers),
        TEST(bounds_answers),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
