/* What a watch sees of its host, and what it must not call over because it could not look. */
#include <sys/stat.h>

#include "unit.h"

#include "work/watch.h"

#define LOOKED(look, kind) (((look)->looked & (UINT64_C(1) << (kind))) != 0)

static char dir[] = "/tmp/hookonce-watch-XXXXXX";
static char spool[64], quarantine[80], file[80];
static struct settings site;
static struct counters *counters;
static struct watch_source source;
static enum ho_code config;

static enum ho_code sources(const char *path, watch_source_fn *fn, void *arg, struct ho_err *err)
{
    (void)path;
    if (config != HO_OK) {
        return ho_fail(err, config, "line 3: unknown key");
    }
    fn(arg, &source);
    return HO_OK;
}

static const char *refusal(unsigned why)
{
    (void)why;
    return "refused";
}

static const struct watch_hooks hooks = {sources, refusal};

static struct alert_look see(void)
{
    struct alert_look look = {0};

    watch_host(&site, &hooks, counters, &look);
    return look;
}

/* The text of what it saw of this kind, or NULL. */
static const char *text_of(const struct alert_look *look, enum alert_kind kind)
{
    for (size_t i = 0; i < look->n; i++) {
        if (look->all[i].kind == kind) {
            return look->all[i].text;
        }
    }
    return NULL;
}

static void all_is_well(void **state)
{
    (void)state;
    struct alert_look look = see();
    assert_int_equal(look.n, 0);
    static const enum alert_kind kinds[] = {ALERT_CONFIG, ALERT_NO_SECRET, ALERT_REJECTED, ALERT_WINDOW, ALERT_SPOOL,
                                            ALERT_QUARANTINE, ALERT_DISK, ALERT_FETCH, ALERT_FORGED, ALERT_LOG};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        ROW(i, LOOKED(&look, kinds[i]));
    }
    alert_look_free(&look);
}

/* Nothing is known of the sources then: what was wrong with them is not over. */
static void a_config_that_can_not_be_read(void **state)
{
    (void)state;
    config = HO_REJECT;
    struct alert_look look = see();
    config = HO_OK;
    assert_string_equal(text_of(&look, ALERT_CONFIG), "line 3: unknown key");
    assert_true(LOOKED(&look, ALERT_CONFIG));
    assert_false(LOOKED(&look, ALERT_NO_SECRET));
    assert_false(LOOKED(&look, ALERT_REJECTED));
    assert_false(LOOKED(&look, ALERT_WINDOW));
    assert_true(LOOKED(&look, ALERT_SPOOL));
    alert_look_free(&look);
}

static void secrets(void **state)
{
    static const struct {
        bool usable;
        const char *trouble;
        enum alert_kind kind;
        const char *text;
    } rows[] = {
        {false, "shop.secret: no such file", ALERT_NO_SECRET, "shop.secret: no such file"},
        {false, NULL, ALERT_NO_SECRET, "every secret has ended"},
        {true, "shop.secret: the second is no key", ALERT_CONFIG, "shop.secret: the second is no key"},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        source.usable = rows[i].usable;
        source.trouble = rows[i].trouble;
        struct alert_look look = see();
        ROW(i, look.n == 1);
        ROW(i, text_of(&look, rows[i].kind) != NULL);
        ROW_TEXT(i, text_of(&look, rows[i].kind), rows[i].text);
        alert_look_free(&look);
    }
    source = (struct watch_source){.name = "shop", .usable = true};
}

/* A folder that can't be read says nothing of what lies in it. */
static void a_spool_that_can_not_be_read(void **state)
{
    (void)state;
    site.spool_dir = file; /* no folder */
    struct alert_look look = see();
    site.spool_dir = spool;
    assert_non_null(text_of(&look, ALERT_SPOOL));
    assert_false(LOOKED(&look, ALERT_QUARANTINE));
    alert_look_free(&look);
}

static void a_disk_that_fills(void **state)
{
    (void)state;
    site.disk_free = UINT64_MAX / 2;
    struct alert_look look = see();
    site.disk_free = 0;
    assert_non_null(strstr(text_of(&look, ALERT_DISK), "MiB are left, less than disk_free"));
    assert_int_equal(look.n, 1); /* the spool lies on the same disk */
    alert_look_free(&look);
}

static void what_was_raised_is_seen_for_a_while(void **state)
{
    static const struct {
        enum alarm alarm;
        enum alert_kind kind;
        int64_t hours;
    } rows[] = {
        {ALARM_FETCH, ALERT_FETCH, 1},
        {ALARM_FORGED, ALERT_FORGED, 24},
        {ALARM_LOG, ALERT_LOG, 1},
    };
    const int64_t hour = INT64_C(3600000000);
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        (void)counters_alarm(counters, rows[i].alarm, clock_wall_us() - rows[i].hours * hour - 60000000);
        struct alert_look look = see();
        ROW(i, look.n == 0);
        ROW(i, LOOKED(&look, rows[i].kind));
        alert_look_free(&look);
        (void)counters_alarm(counters, rows[i].alarm, clock_wall_us() - rows[i].hours * hour + 60000000);
        look = see();
        ROW(i, look.n == 1 && text_of(&look, rows[i].kind) != NULL);
        alert_look_free(&look);
        counters_alarm_clear(counters, rows[i].alarm);
    }
}

static int begin(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(dir));
    (void)snprintf(spool, sizeof spool, "%s/spool", dir);
    (void)snprintf(quarantine, sizeof quarantine, "%s/quarantine", spool);
    (void)snprintf(file, sizeof file, "%s/file", dir);
    assert_int_equal(mkdir(spool, 0700) | mkdir(quarantine, 0700), 0);
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
    counters = counters_open(dir);
    assert_non_null(counters);
    site = (struct settings){.state_dir = dir, .spool_dir = spool, .spool_files = 10, .spool_bytes = 1000};
    source = (struct watch_source){.name = "shop", .usable = true};
    return 0;
}

static int end(void **state)
{
    char path[80];
    (void)state;

    counters_close(counters);
    (void)snprintf(path, sizeof path, "%s/hookonce.state", dir);
    (void)unlink(path);
    (void)unlink(file);
    return rmdir(quarantine) | rmdir(spool) | rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_well),
        cmocka_unit_test(a_config_that_can_not_be_read),
        cmocka_unit_test(secrets),
        cmocka_unit_test(a_spool_that_can_not_be_read),
        cmocka_unit_test(a_disk_that_fills),
        cmocka_unit_test(what_was_raised_is_seen_for_a_while),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
