/* Fetched files and wishes: written whole, private, bounded, and read back only as they were. */
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "base/cache.h"
#include "base/clock.h"

#define URL S("https://example.com/keys")

static char dir[] = "/tmp/hookonce-cache-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(dir) == NULL ? -1 : 0;
}

static const char *in_dir(const char *name)
{
    static char places[4][512];
    static unsigned turn;
    char *place = places[turn++ % COUNT(places)];
    assert_true(snprintf(place, sizeof places[0], "%s/%s", dir, name) > 0);
    return place;
}

/* Counts the files of a folder, and removes them when asked to. */
static size_t files_in(const char *folder, bool remove_them)
{
    DIR *d = opendir(in_dir(folder));
    const struct dirent *e;
    size_t n = 0;
    while (d != NULL && (e = readdir(d)) != NULL) {
        char path[1024];
        if (e->d_name[0] == '.') {
            continue;
        }
        n++;
        (void)snprintf(path, sizeof path, "%s/%s/%s", dir, folder, e->d_name);
        (void)(remove_them ? unlink(path) : 0);
    }
    if (d != NULL) {
        (void)closedir(d);
    }
    return n;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)files_in("keys", true);
    (void)files_in("wishes", true);
    (void)rmdir(in_dir("keys"));
    (void)rmdir(in_dir("wishes"));
    return rmdir(dir);
}

static void put_file(const char *path, struct span text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(fchmod(fd, mode), 0);
    assert_int_equal(write(fd, text.p, text.len), text.len);
    assert_int_equal(close(fd), 0);
}

static void make_old(const char *path, int seconds)
{
    struct timeval times[2] = {{clock_wall_us() / 1000000 - seconds, 0},
                               {clock_wall_us() / 1000000 - seconds, 0}};
    assert_int_equal(utimes(path, times), 0);
}

static const char *key_path(struct span url)
{
    char name[CACHE_NAME_ROOM];
    char relative[CACHE_NAME_ROOM + 8];
    cache_name(url, name);
    (void)snprintf(relative, sizeof relative, "keys/%s", name);
    return in_dir(relative);
}

static void names_are_digests(void **state)
{
    char name[CACHE_NAME_ROOM];
    (void)state;
    cache_name(SPAN_LIT("abc"), name);
    assert_string_equal(name, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void nothing_is_there_at_first(void **state)
{
    static const struct span url = URL;
    struct cache_wish *all = NULL;
    struct buf text;
    int64_t age = -1;
    size_t n = 7;
    (void)state;
    buf_init(&text, 64);
    assert_int_equal(cache_read(dir, url, &text, &age), HO_REJECT);
    assert_int_equal(cache_wishes(dir, &all, &n, NULL), HO_OK);
    assert_true(all == NULL && n == 0);
    assert_int_not_equal(access(in_dir("keys"), F_OK), 0);
    assert_int_not_equal(access(in_dir("wishes"), F_OK), 0);
    assert_int_equal(cache_write("/nonexistent/state", url, SPAN_LIT("x"), NULL), HO_REJECT);
    assert_int_equal(cache_wish("/nonexistent/state", "key", "acme", url, NULL), HO_REJECT);
    buf_free(&text);
}

static void what_is_written_is_read(void **state)
{
    static const struct span url = URL;
    struct buf text;
    struct stat st;
    int64_t age = -1;
    (void)state;
    buf_init(&text, 64);
    assert_int_equal(cache_write(dir, url, SPAN_LIT("one\0two\n"), NULL), HO_OK);
    assert_int_equal(buf_add_str(&text, "x"), HO_OK);
    assert_int_equal(cache_read(dir, url, &text, &age), HO_OK);
    assert_true(span_eq(buf_span(&text), SPAN_LIT("xone\0two\n")));
    assert_true(age >= 0 && age < 60000);
    assert_int_equal(stat(in_dir("keys"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(stat(key_path(url), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);

    make_old(key_path(url), 100);
    buf_clear(&text);
    assert_int_equal(cache_read(dir, url, &text, &age), HO_OK);
    assert_true(age >= 100000 && age < 160000);
    make_old(key_path(url), -100); /* written in the future */
    buf_clear(&text);
    assert_int_equal(cache_read(dir, url, &text, &age), HO_OK);
    assert_true(age == 0);

    assert_int_equal(cache_write(dir, url, SPAN_LIT("new"), NULL), HO_OK);
    buf_clear(&text);
    assert_int_equal(cache_read(dir, url, &text, &age), HO_OK);
    assert_string_equal(buf_cstr(&text), "new");
    assert_int_equal(cache_read(dir, SPAN_LIT("https://example.com/key"), &text, &age), HO_REJECT);
    assert_int_equal(files_in("keys", false), 1); /* nothing is left beside it */
    buf_free(&text);
}

static void only_private_files_count(void **state)
{
    static const struct span url = URL;
    static const mode_t modes[] = {0640, 0604, 0620, 0602};
    struct buf text;
    int64_t age;
    (void)state;
    buf_init(&text, 64);
    for (size_t i = 0; i < COUNT(modes); i++) {
        assert_int_equal(cache_write(dir, url, SPAN_LIT("text"), NULL), HO_OK);
        assert_int_equal(chmod(key_path(url), modes[i]), 0);
        ROW(i, cache_read(dir, url, &text, &age) == HO_REJECT);
        ROW(i, text.len == 0);
    }
    buf_free(&text);
}

static void a_folder_that_others_write_to_is_not_used(void **state)
{
    static const struct span url = URL;
    struct cache_wish *all = NULL;
    struct ho_err err;
    size_t n = 7;
    (void)state;
    ho_err_clear(&err);
    assert_int_equal(cache_write(dir, url, SPAN_LIT("text"), NULL), HO_OK);
    assert_int_equal(cache_wish(dir, "key", "acme", url, NULL), HO_OK);
    assert_int_equal(chmod(in_dir("keys"), 0770), 0);
    assert_int_equal(chmod(in_dir("wishes"), 0702), 0);
    assert_int_equal(cache_write(dir, url, SPAN_LIT("text"), &err), HO_REJECT);
    assert_non_null(strstr(err.text, "nobody else may write to"));
    assert_int_equal(cache_wish(dir, "key", "acme", url, NULL), HO_REJECT);
    assert_int_equal(cache_wishes(dir, &all, &n, NULL), HO_REJECT);
    assert_true(all == NULL && n == 0);
    assert_int_equal(chmod(in_dir("keys"), 0700), 0);
    assert_int_equal(chmod(in_dir("wishes"), 0700), 0);
    (void)files_in("wishes", true);
}

static void files_have_a_maximum(void **state)
{
    static char big[CACHE_FILE_MAX + 1];
    static const struct span url = URL;
    struct buf text;
    int64_t age;
    (void)state;
    memset(big, 'x', sizeof big);
    buf_init(&text, CACHE_FILE_MAX);
    assert_int_equal(cache_write(dir, url, span_make(big, sizeof big), NULL), HO_REJECT);
    assert_int_equal(cache_write(dir, url, SPAN_NONE, NULL), HO_REJECT);
    assert_int_equal(cache_write(dir, url, span_make(big, sizeof big - 1), NULL), HO_OK);
    assert_int_equal(cache_read(dir, url, &text, &age), HO_OK);
    assert_int_equal(text.len, CACHE_FILE_MAX);
    buf_free(&text);
    buf_init(&text, 10);
    assert_int_equal(cache_read(dir, url, &text, &age), HO_REJECT);
    assert_int_equal(text.len, 0);
    buf_free(&text);
}

static void what_a_killed_writer_left_goes_away(void **state)
{
    static const struct span url = URL;
    (void)state;
    (void)files_in("keys", true);
    assert_int_equal(cache_write(dir, url, SPAN_LIT("text"), NULL), HO_OK);
    put_file(in_dir("keys/abc.x1y2z3"), SPAN_LIT("half"), 0600);
    put_file(in_dir("keys/abc.x1y2z4"), SPAN_LIT("half"), 0600);
    make_old(in_dir("keys/abc.x1y2z3"), 3700);
    make_old(key_path(url), 1000000); /* a key stays, however old */
    assert_int_equal(cache_write(dir, SPAN_LIT("https://b.example/"), SPAN_LIT("b"), NULL), HO_OK);
    assert_int_not_equal(access(in_dir("keys/abc.x1y2z3"), F_OK), 0);
    assert_int_equal(access(in_dir("keys/abc.x1y2z4"), F_OK), 0);
    assert_int_equal(access(key_path(url), F_OK), 0);
}

static void wishes_come_back_oldest_first(void **state)
{
    static const struct {
        const char *word, *recipe, *url;
        int age_s;
    } rows[] = {
        {"key", "acme", "https://a.example/1", 30},
        {"visit", "amazon-sns", "https://sns.eu-west-1.amazonaws.com/?Action=x&Token=%20", 500},
        {"visit", "acme", "https://a.example/1", 7000},
    };
    static const size_t order[] = {2, 1, 0};
    struct cache_wish *all = NULL;
    size_t n = 7;
    (void)state;
    assert_int_equal(cache_wishes(dir, &all, &n, NULL), HO_OK);
    assert_int_equal(n, 0);
    cache_wishes_free(all, n);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char line[256], name[CACHE_NAME_ROOM], relative[100];
        struct span url = span_of(rows[i].url);
        ROW(i, cache_wish(dir, rows[i].word, rows[i].recipe, url, NULL) == HO_OK);
        (void)snprintf(line, sizeof line, "%s %s %s", rows[i].word, rows[i].recipe, rows[i].url);
        cache_name(span_of(line), name);
        (void)snprintf(relative, sizeof relative, "wishes/%s", name);
        make_old(in_dir(relative), rows[i].age_s);
        ROW(i, cache_wish(dir, rows[i].word, rows[i].recipe, url, NULL) == HO_OK); /* again */
        ROW(i, files_in("wishes", false) == i + 1);
    }
    assert_int_equal(cache_wishes(dir, &all, &n, NULL), HO_OK);
    assert_int_equal(n, COUNT(rows));
    for (size_t i = 0; i < n; i++) {
        size_t k = order[i];
        ROW_TEXT(i, all[i].word, rows[k].word);
        ROW_TEXT(i, all[i].recipe, rows[k].recipe);
        ROW_TEXT(i, all[i].url, rows[k].url);
        ROW(i, all[i].age_ms >= rows[k].age_s * 1000 && all[i].age_ms < rows[k].age_s * 1000 + 60000);
    }
    cache_wish_done(dir, &all[1]);
    cache_wish_done(dir, &all[1]); /* twice is fine */
    cache_wishes_free(all, n);
    assert_int_equal(cache_wishes(dir, &all, &n, NULL), HO_OK);
    assert_int_equal(n, 2);
    assert_string_equal(all[1].word, "key");
    cache_wishes_free(all, n);
    (void)files_in("wishes", true);
}

static void refuses_what_is_no_wish(void **state)
{
    static char long_url[2002];
    static const struct {
        const char *word, *recipe;
        struct span url;
        bool ok;
    } rows[] = {
        {"key", "acme", S("x"), true},
        {"key", "acme", S("~!"), true},
        {"key", "acme", {(const unsigned char *)long_url, 2000}, true},
        {"key", "acme", {(const unsigned char *)long_url, 2001}, false},
        {"key", "acme", S(""), false},
        {"key", "acme", NONE, false},
        {"key", "acme", S("https://a/ b"), false},
        {"key", "acme", S("https://a/\n"), false},
        {"key", "acme", S("https://a/\0"), false},
        {"key", "acme", S("https://a/\x7f"), false},
        {"key", "acme", S("https://a/\xc3\xa4"), false},
        {"Key", "acme", S("https://a/"), false},
        {"get", "acme", S("https://a/"), false},
        {"", "acme", S("https://a/"), false},
        {"key", "", S("https://a/"), false},
        {"key", "a b", S("https://a/"), false},
        {"key", "../a", S("https://a/"), false},
    };
    (void)state;
    memset(long_url, 'x', sizeof long_url);
    for (size_t i = 0; i < COUNT(rows); i++) {
        ROW(i, cache_wish(dir, rows[i].word, rows[i].recipe, rows[i].url, NULL) ==
                   (rows[i].ok ? HO_OK : HO_REJECT));
        ROW(i, files_in("wishes", true) == (rows[i].ok ? 1 : 0));
    }
}

static void only_so_many_wishes_are_open(void **state)
{
    struct cache_wish *all = NULL;
    struct ho_err err;
    size_t n = 0;
    char url[64];
    (void)state;
    ho_err_clear(&err);
    for (unsigned i = 0; i <= CACHE_WANTS_OF_RECIPE; i++) {
        (void)snprintf(url, sizeof url, "https://a.example/%u", i);
        ROW(i, cache_wish(dir, "key", "acme", span_of(url), &err) ==
                   (i < CACHE_WANTS_OF_RECIPE ? HO_OK : HO_REJECT));
    }
    assert_non_null(strstr(err.text, "16 URLs are asked for already, 16 of them for acme"));
    /* one that is open may be said again, and one that is done makes room */
    assert_int_equal(cache_wish(dir, "key", "acme", SPAN_LIT("https://a.example/7"), NULL), HO_OK);
    assert_int_equal(cache_wishes(dir, &all, &n, NULL), HO_OK);
    assert_int_equal(n, CACHE_WANTS_OF_RECIPE);
    cache_wish_done(dir, &all[0]);
    cache_wishes_free(all, n);
    assert_int_equal(cache_wish(dir, "key", "acme", span_of(url), NULL), HO_OK);
    /* nobody else is kept out by it */
    assert_int_equal(cache_wish(dir, "key", "other", SPAN_LIT("https://b.example/"), NULL), HO_OK);
    assert_int_equal(files_in("wishes", true), CACHE_WANTS_OF_RECIPE + 1);
}

static bool is_wished(const char *url)
{
    struct cache_wish *all = NULL;
    size_t n = 0;
    bool is = false;
    assert_int_equal(cache_wishes(dir, &all, &n, NULL), HO_OK);
    for (size_t i = 0; i < n; i++) {
        is = is || strcmp(all[i].url, url) == 0;
    }
    cache_wishes_free(all, n);
    return is;
}

/* Makes every wish a minute older. */
static void let_time_pass(void)
{
    struct cache_wish *all = NULL;
    size_t n = 0;
    assert_int_equal(cache_wishes(dir, &all, &n, NULL), HO_OK);
    for (size_t i = 0; i < n; i++) {
        struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = 0}};
        char relative[100];
        times[1].tv_sec = (time_t)((clock_wall_us() / 1000 - all[i].age_ms - 61000) / 1000);
        (void)snprintf(relative, sizeof relative, "wishes/%s", all[i].name);
        assert_int_equal(utimensat(AT_FDCWD, in_dir(relative), times, 0), 0);
    }
    cache_wishes_free(all, n);
}

static void a_wish_that_had_its_time_makes_room(void **state)
{
    char url[64];
    (void)state;
    assert_int_equal(cache_wish(dir, "key", "acme", SPAN_LIT("https://a.example/first"), NULL), HO_OK);
    let_time_pass();
    for (unsigned i = 1; i < CACHE_WANTS_OF_RECIPE; i++) {
        (void)snprintf(url, sizeof url, "https://a.example/%u", i);
        ROW(i, cache_wish(dir, "key", "acme", span_of(url), NULL) == HO_OK);
    }
    let_time_pass();
    assert_int_equal(cache_wish(dir, "key", "acme", SPAN_LIT("https://a.example/new"), NULL), HO_OK);
    assert_false(is_wished("https://a.example/first"));
    assert_true(is_wished("https://a.example/1"));
    assert_true(is_wished("https://a.example/new"));
    assert_true(is_wished("https://a.example/15"));
    assert_int_equal(files_in("wishes", true), CACHE_WANTS_OF_RECIPE);
}

static void a_file_that_is_no_wish_is_removed(void **state)
{
    static const struct {
        const char *text, *named; /* named: the text that the name is the digest of */
        mode_t mode;
        bool ok;
    } rows[] = {
        {"key acme https://a/", "key acme https://a/", 0600, true},
        {"key acme https://b/", "key acme https://a/", 0600, false},
        {"key acme https://a/\n", "key acme https://a/\n", 0600, false},
        {"key acme https://a/ x", "key acme https://a/ x", 0600, false},
        {"key acme", "key acme", 0600, false},
        {"key", "key", 0600, false},
        {"", "", 0600, false},
        {"get acme https://a/", "get acme https://a/", 0600, false},
        {"key Acme https://a/", "key Acme https://a/", 0600, false},
        {"key  https://a/", "key  https://a/", 0600, false},
        {"key acme https://a/", "key acme https://a/", 0644, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cache_wish *all = NULL;
        size_t n = 7;
        char name[CACHE_NAME_ROOM], relative[100];
        cache_name(span_of(rows[i].named), name);
        (void)snprintf(relative, sizeof relative, "wishes/%s", name);
        put_file(in_dir(relative), span_of(rows[i].text), rows[i].mode);
        ROW(i, cache_wishes(dir, &all, &n, NULL) == HO_OK);
        ROW(i, n == (rows[i].ok ? 1 : 0));
        ROW(i, files_in("wishes", true) == n);
        cache_wishes_free(all, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_digests),
        cmocka_unit_test(nothing_is_there_at_first),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(only_private_files_count),
        cmocka_unit_test(a_folder_that_others_write_to_is_not_used),
        cmocka_unit_test(files_have_a_maximum),
        cmocka_unit_test(what_a_killed_writer_left_goes_away),
        cmocka_unit_test(wishes_come_back_oldest_first),
        cmocka_unit_test(refuses_what_is_no_wish),
        cmocka_unit_test(only_so_many_wishes_are_open),
        cmocka_unit_test(a_wish_that_had_its_time_makes_room),
        cmocka_unit_test(a_file_that_is_no_wish_is_removed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
