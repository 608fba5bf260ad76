/* Serving wishes: what is fetched, kept, dropped, tried again, and how a round ends. */
#include "unit.h"

#include <sys/stat.h>

#include "base/cache.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "work/fetch.h"

#define KEY_URL "https://keys.example/jwks"

static char dir[64];
static struct settings settings;
static struct source source;
static struct fetcher f;
static enum ho_code answer;
static int64_t hang_ms;

/* A line a call, so that what a child did can be seen. */
static void note(const char *what)
{
    char path[128];

    (void)snprintf(path, sizeof path, "%s/calls", dir);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    assert_true(fprintf(file, "%s\n", what) > 0);
    assert_int_equal(fclose(file), 0);
}

static bool may(const struct settings *s, const char *word, const char *recipe, struct span url)
{
    (void)s;
    (void)word;
    return strcmp(recipe, "good") == 0 && span_starts(url, "https://keys.example/");
}

static void key_url(const struct settings *s, const char *recipe, struct buf *url)
{
    (void)s;
    if (strcmp(recipe, "fixed") == 0) {
        assert_int_equal(buf_add_str(url, KEY_URL), HO_OK);
    }
}

static enum ho_code get(const struct settings *s, const char *url, struct buf *body,
                        struct ho_err *err)
{
    (void)s;
    note(url);
    clock_sleep_ms(hang_ms);
    if (answer != HO_OK) {
        return ho_fail(err, answer, "no");
    }
    return buf_add_str(body, "the key");
}

static const struct fetch_hooks hooks = {may, key_url, get};

static int begin(void **state)
{
    (void)state;
    (void)snprintf(dir, sizeof dir, "/tmp/hookonce-fetch-XXXXXX");
    assert_non_null(mkdtemp(dir));
    source = (struct source){.name = "s", .provider = "good"};
    settings = (struct settings){.state_dir = dir, .sources = &source, .n_sources = 1};
    f = (struct fetcher){
        .hooks = &hooks, .settings = &settings, .counters = counters_open(dir)};
    answer = HO_OK;
    hang_ms = 0;
    log_into("/dev/null", LOG_INFO);
    return 0;
}

static int end(void **state)
{
    char command[128];
    (void)state;

    fetch_end(&f, false);
    counters_close(f.counters);
    (void)snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command);
}

static void wish(const char *word, const char *recipe, const char *url)
{
    struct ho_err err;

    assert_int_equal(cache_wish(dir, word, recipe, span_of(url), &err), HO_OK);
}

static size_t wishes(void)
{
    struct cache_wish *all;
    struct ho_err err;
    size_t n;

    assert_int_equal(cache_wishes(dir, &all, &n, &err), HO_OK);
    cache_wishes_free(all, n);
    return n;
}

static void look(void)
{
    fetch_look(&f);
    fetch_end(&f, true);
}

static size_t calls(void)
{
    char path[128];
    struct buf text;
    struct ho_err err;
    size_t n = 0;

    (void)snprintf(path, sizeof path, "%s/calls", dir);
    buf_init(&text, 65536);
    if (file_read(path, false, &text, &err) == HO_OK) {
        for (size_t i = 0; i < text.len; i++) {
            n += text.p[i] == '\n';
        }
    }
    buf_free(&text);
    return n;
}

static bool cached(const char *url)
{
    struct buf text;
    int64_t age_ms;

    buf_init(&text, 64);
    bool is = cache_read(dir, span_of(url), &text, &age_ms) == HO_OK &&
              span_is(buf_span(&text), "the key");
    buf_free(&text);
    return is;
}

/* What came of it, by the kind of wish and of answer. */
static void each_answer(void **state)
{
    static const struct {
        const char *word, *recipe, *url;
        enum ho_code answer;
        size_t calls, left;
        bool cached;
    } rows[] = {
        {"key", "good", KEY_URL, HO_OK, 1, 0, true},
        {"key", "good", KEY_URL, HO_TRANSIENT, 1, 1, false},
        {"key", "good", KEY_URL, HO_REJECT, 1, 0, false},
        {"visit", "good", KEY_URL, HO_OK, 1, 0, false},
        {"visit", "good", KEY_URL, HO_TRANSIENT, 1, 1, false},
        {"visit", "good", KEY_URL, HO_REJECT, 1, 0, false},
        {"key", "other", KEY_URL, HO_OK, 0, 0, false},
        {"key", "good", "https://keys.example.evil/", HO_OK, 0, 0, false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf text;
        int64_t age_ms = 0;

        wish(rows[i].word, rows[i].recipe, rows[i].url);
        answer = rows[i].answer;
        look();
        ROW(i, calls() == rows[i].calls);
        ROW(i, wishes() == rows[i].left);
        ROW(i, cached(rows[i].url) == rows[i].cached);
        buf_init(&text, 256);
        ROW(i, fetch_failed(dir, rows[i].recipe, &text, &age_ms) ==
                   (rows[i].calls > 0 && rows[i].answer != HO_OK));
        ROW(i, text.len == 0 || (span_is(buf_span(&text), KEY_URL " no") && age_ms < 60000));
        buf_free(&text);
        assert_int_equal(end(state), 0);
        assert_int_equal(begin(state), 0);
    }
}

static void nothing_without_hooks(void **state)
{
    (void)state;
    f.hooks = NULL;
    wish("key", "good", KEY_URL);
    look();
    assert_int_equal(wishes(), 1);
    assert_int_equal(f.child, 0);
}

static void what_fails_is_not_tried_at_once(void **state)
{
    (void)state;
    answer = HO_TRANSIENT;
    wish("key", "good", KEY_URL);
    look();
    look();
    look();
    assert_int_equal(calls(), 1);
    assert_int_equal(f.n_tried, 1);
    f.tried[0].at_ms -= 2100;
    look();
    assert_int_equal(calls(), 2);
    wish("key", "good", "https://keys.example/other"); /* a new one does not wait for it */
    look();
    assert_int_equal(calls(), 3);
}

static void many_wishes_are_remembered_within_bounds(void **state)
{
    char url[64];
    (void)state;

    answer = HO_TRANSIENT;
    for (int i = 0; i < CACHE_WANTS_OF_RECIPE; i++) {
        (void)snprintf(url, sizeof url, "https://keys.example/%d", i);
        wish("key", "good", url);
    }
    look();
    assert_int_equal(f.n_tried, CACHE_WANTS_OF_RECIPE);
    assert_int_equal(calls(), CACHE_WANTS_OF_RECIPE);
    answer = HO_REJECT;
    for (size_t i = 0; i < f.n_tried; i++) {
        f.tried[i].at_ms -= 600000;
    }
    look();
    assert_int_equal(wishes(), 0);
    wish("key", "good", "https://keys.example/new");
    look();
    assert_true(f.n_tried <= FETCH_TRIED_MAX);
    assert_int_equal(calls(), 2 * CACHE_WANTS_OF_RECIPE + 1);
}

static void a_fresh_key_is_not_fetched_again(void **state)
{
    struct ho_err err;
    (void)state;

    assert_int_equal(cache_write(dir, SPAN_LIT(KEY_URL), SPAN_LIT("the key"), &err), HO_OK);
    wish("key", "good", KEY_URL);
    look();
    assert_int_equal(calls(), 0);
    assert_int_equal(wishes(), 0);
}

static void fixed_keys_are_wished_for_unless_pinned(void **state)
{
    (void)state;
    source.provider = "fixed";
    fetch_look(&f);
    fetch_end(&f, true);
    assert_int_equal(calls(), 0); /* this recipe may not, but it was asked */
    assert_int_equal(f.n_tried, 1);
    f.n_tried = 0;
    f.wished_ms = 0;
    source.n_secrets = 1;
    look();
    assert_int_equal(f.n_tried, 0);
}

static void a_look_does_not_wait(void **state)
{
    int64_t start = clock_mono_ms();
    (void)state;

    hang_ms = 30000;
    wish("key", "good", KEY_URL);
    fetch_look(&f);
    assert_int_not_equal(f.child, 0);
    long child = f.child;
    fetch_look(&f); /* one round at a time */
    assert_int_equal(f.child, child);
    fetch_end(&f, false);
    assert_int_equal(f.child, 0);
    assert_true(clock_mono_ms() - start < 5000);
    assert_int_equal(wishes(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_answer, begin, end),
        cmocka_unit_test_setup_teardown(nothing_without_hooks, begin, end),
        cmocka_unit_test_setup_teardown(what_fails_is_not_tried_at_once, begin, end),
        cmocka_unit_test_setup_teardown(many_wishes_are_remembered_within_bounds, begin, end),
        cmocka_unit_test_setup_teardown(a_fresh_key_is_not_fetched_again, begin, end),
        cmocka_unit_test_setup_teardown(fixed_keys_are_wished_for_unless_pinned, begin, end),
        cmocka_unit_test_setup_teardown(a_look_does_not_wait, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
