/* Endpoints: which sources are usable, why one is not, and what happens when their files change. */
#include "edge_site.h"

#include "edge/endpoint.c" /* to let the second between two looks pass at once */

#define STRIPE "[source s]\nprovider = stripe\nsecret = file:a\n"

static struct endpoints *refreshed(struct endpoints *e, bool want_changed, enum ho_code want,
                                   struct ho_err *err)
{
    bool changed = !want_changed;
    ho_err_clear(err);
    e->looked_ms -= LOOK_EVERY_MS;
    if (endpoints_refresh(&e, &changed, err) != want || changed != want_changed) {
        fail_msg("changed %d, \"%s\"", changed, err->text);
    }
    return e;
}

static void takes_the_sources_words_over_the_recipes(void **state)
{
    static const struct {
        const char *more;
        int64_t tolerance_ms;
        bool scope_provider, guard;
        const char *scope;
    } rows[] = {
        {"", 300000, true, false, "stripe"},
        {"tolerance = 30s\n", 30000, true, false, "stripe"},
        {"scope = source\n", 300000, false, false, "s"},
        {"scope = provider\nguard = yes\n", 300000, true, true, "stripe"},
        {"guard = no\n", 300000, true, false, "stripe"},
    };
    (void)state;
    site_secret("a", "key-a");
    for (size_t i = 0; i < COUNT(rows); i++) {
        char conf[256];
        (void)snprintf(conf, sizeof conf, STRIPE "%s", rows[i].more);
        struct endpoints *all = site_load(conf);
        const struct endpoint *e = site_endpoint(all, "s");
        ROW(i, e->tolerance_ms == rows[i].tolerance_ms);
        ROW(i, e->scope_provider == rows[i].scope_provider && e->guard == rows[i].guard);
        ROW_TEXT(i, endpoint_scope(e), rows[i].scope);
        ROW(i, e->cap == 4 << 20 && e->deadline_ms == 2000);
        ROW(i, e->n_keys == 1 && e->trouble == NULL);
        ROW(i, endpoints_count(all) == 1 && endpoints_at(all, 0) == e);
        ROW(i, endpoints_find(all, SPAN_LIT("S")) == NULL);
        endpoints_free(all);
    }
}

/* A source without a usable secret is there and unusable; an empty key would let anybody sign. */
static void says_why_a_secret_is_unusable(void **state)
{
    static const struct {
        const char *provider, *secret; /* secret NULL: no file */
        mode_t mode;
        const char *says; /* NULL: usable */
    } rows[] = {
        {"stripe", "key", 0600, NULL},
        {"stripe", "whsec_", 0600, NULL}, /* a text like any other to Stripe */
        {"svix", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", 0600, NULL},
        {"svix", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", 0600, NULL},
        {"stripe", "", 0600, "empty"},
        {"stripe", "\n", 0600, "empty"},
        {"stripe", "\r\n", 0600, "empty"},
        {"stripe", "key", 0640, "secret 1: "},
        {"stripe", "key", 0604, "secret 1: "},
        {"stripe", NULL, 0, "secret 1: "},
        {"svix", "whsec_", 0600, "empty; anybody could sign with an empty key"},
        {"svix", "whsec_!!!!", 0600, "not base64"},
        {"svix", "whsec_MfKQ9r8", 0600, "not base64"},
        {"hexed", "00ff1", 0600, "not hex"},
        {"hexed", "00gg", 0600, "not hex"},
        {"hexed", "00FF", 0600, NULL},
    };
    (void)state;
    site_secret("own.conf", "[recipe hexed]\nlike = github\nkey = unhex\n");
    for (size_t i = 0; i < COUNT(rows); i++) {
        char conf[256];
        struct span key;
        (void)unlink(site_path("a"));
        if (rows[i].secret != NULL) {
            site_write("a", span_of(rows[i].secret), rows[i].mode);
        }
        (void)snprintf(conf, sizeof conf,
                       "[hookonce]\nrecipes = own.conf\n[source s]\nprovider = %s\n"
                       "secret = file:a\n", rows[i].provider);
        struct endpoints *all = site_load(conf);
        const struct endpoint *e = site_endpoint(all, "s");
        key = endpoint_signing_key(e, NOW);
        ROW(i, (e->n_keys == 0) == (rows[i].says != NULL));
        ROW(i, (e->trouble == NULL) == (rows[i].says == NULL));
        ROW(i, span_present(key) == (rows[i].says == NULL) && (key.len > 0) == span_present(key));
        ROW(i, e->trouble == NULL || strstr(e->trouble, rows[i].says) != NULL);
        ROW(i, e->trouble == NULL || strstr(e->trouble, site_path("a")) != NULL);
        ROW(i, e->trouble == NULL || rows[i].secret == NULL || strlen(rows[i].secret) < 3 ||
                   strstr(e->trouble, rows[i].secret) == NULL);
        endpoints_free(all);
    }
}

static void uses_the_good_ones_of_several_secrets(void **state)
{
    (void)state;
    site_secret("a", "key-a");
    site_secret("b", "");
    site_secret("c", "key-c");
    struct endpoints *all = site_load("[source s]\nprovider = stripe\n"
                                      "secret = file:a until 2026-09-21\nsecret = file:b\n"
                                      "secret = file:c\n");
    const struct endpoint *e = site_endpoint(all, "s");
    assert_int_equal(e->n_keys, 2);
    assert_int_equal(e->keys[0].number, 1);
    assert_int_equal(e->keys[0].until_us, INT64_C(1789948800000000));
    assert_int_equal(e->keys[1].number, 3);
    assert_int_equal(e->keys[1].until_us, INT64_MAX);
    assert_true(span_is(secret_span(&e->keys[1].secret), "key-c"));
    assert_non_null(strstr(e->trouble, "secret 2: "));
    assert_true(span_is(endpoint_signing_key(e, INT64_C(1789948799999999)), "key-a"));
    assert_true(span_is(endpoint_signing_key(e, INT64_C(1789948800000000)), "key-c"));
    endpoints_free(all);
}

static void refuses_a_config_that_cannot_be_meant(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {SITE_DB "[source s]\nprovider = strip\nsecret = file:a\n",
         "hookonce.conf:6: no recipe for provider strip; did you mean stripe?"},
        {SITE_DB "[source s]\nprovider = qqqqqq\nsecret = file:a\n",
         "hookonce.conf:6: no recipe for provider qqqqqq; `hookonce providers` lists"},
        {SITE_DB "[source s]\nprovider = github\n", "hookonce.conf:5: github needs `secret = "},
        {SITE_DB "[source s]\nprovider = github\nsecret = file:a\ntolerance = 5m\n",
         "hookonce.conf:8: github signs no time"},
        {SITE_DB "[hookonce]\nrecipes = none.conf\n", "none.conf"},
        {SITE_DB "[hookonce]\nrecipes = own.conf\n", "own.conf:2: like: no recipe x"},
        {"[source s]\n", "hookonce.conf:"},
    };
    (void)state;
    site_secret("own.conf", "[recipe y]\nlike = x\n");
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct endpoints *e;
        struct ho_err err;
        ho_err_clear(&err);
        site_write("hookonce.conf", span_of(rows[i].text), 0600);
        ROW(i, endpoints_load(site_conf, &e, &err) == HO_REJECT);
        ROW(i, e == NULL);
        if (strstr(err.text, rows[i].says) == NULL) {
            fail_msg("case %zu: \"%s\"", i, err.text);
        }
    }
}

static void looks_at_most_once_a_second(void **state)
{
    struct ho_err err;
    bool changed;
    (void)state;
    site_secret("a", "one");
    struct endpoints *e = site_load(STRIPE);
    site_secret("a", "two");
    assert_int_equal(endpoints_refresh(&e, &changed, &err), HO_OK);
    assert_false(changed);
    e = refreshed(e, true, HO_OK, &err);
    assert_true(span_is(secret_span(&site_endpoint(e, "s")->keys[0].secret), "two"));
    e = refreshed(e, false, HO_OK, &err);
    site_secret("a", "three");
    endpoints_look_again(e);
    assert_int_equal(endpoints_refresh(&e, &changed, &err), HO_OK);
    assert_true(changed);
    site_secret("a", "four");
    assert_int_equal(endpoints_refresh(&e, &changed, &err), HO_OK);
    assert_false(changed);
    endpoints_free(e);
}

static void sees_every_kind_of_change(void **state)
{
    struct ho_err err;
    (void)state;
    site_secret("a", "one");
    site_secret("own.conf", "[recipe mine]\nlike = stripe\n");
    struct endpoints *e = site_load(STRIPE "[hookonce]\nrecipes = own.conf\n");
    e = refreshed(e, false, HO_OK, &err);

    site_secret("own.conf", "[recipe mine]\nlike = stripe\nscope = source\n");
    e = refreshed(e, true, HO_OK, &err);

    /* As many bytes in place: only its times tell, and those are no finer than a few ms. */
    clock_sleep_ms(20);
    int fd = open(site_path("a"), O_WRONLY);
    assert_true(fd >= 0 && write(fd, "eno", 3) == 3 && close(fd) == 0);
    e = refreshed(e, true, HO_OK, &err);
    assert_true(span_is(secret_span(&site_endpoint(e, "s")->keys[0].secret), "eno"));

    site_write("hookonce.conf", SPAN_LIT(SITE_DB STRIPE "[source t]\nprovider = github\n"
                                                        "secret = file:a\n"), 0600);
    e = refreshed(e, true, HO_OK, &err);
    assert_int_equal(endpoints_count(e), 2);
    endpoints_free(e);
}

/* A broken version is reported once and never used; the old one stays until a good one is there. */
static void keeps_the_old_while_the_new_is_broken(void **state)
{
    struct ho_err err;
    (void)state;
    site_secret("a", "one");
    struct endpoints *e = site_load(STRIPE);

    site_write("hookonce.conf", SPAN_LIT("[databse]\n"), 0600);
    e = refreshed(e, false, HO_REJECT, &err);
    assert_non_null(strstr(err.text, "hookonce.conf:1: unknown section \"databse\""));
    e = refreshed(e, false, HO_OK, &err);
    site_write("hookonce.conf", SPAN_LIT("[database]\n"), 0600);
    e = refreshed(e, false, HO_REJECT, &err); /* broken in another way: said again */
    e = refreshed(e, false, HO_OK, &err);
    assert_int_equal(chmod(site_conf, 0644), 0);
    e = refreshed(e, false, HO_REJECT, &err);
    assert_true(span_is(secret_span(&site_endpoint(e, "s")->keys[0].secret), "one"));

    /* What repairs it may be a file that only the new version names. */
    site_write("hookonce.conf", SPAN_LIT(SITE_DB STRIPE "[hookonce]\nrecipes = late.conf\n"), 0600);
    e = refreshed(e, false, HO_REJECT, &err);
    site_secret("late.conf", "[recipe late]\nlike = stripe\n");
    e = refreshed(e, true, HO_OK, &err);
    assert_non_null(recipes_find(endpoints_recipes(e), "late"));
    e = refreshed(e, false, HO_OK, &err);
    endpoints_free(e);
}

/* `echo new > file` is empty for a moment: that must not stop deliveries. */
static void keeps_a_secret_while_its_file_is_half_written(void **state)
{
    struct ho_err err;
    (void)state;
    site_secret("a", "one");
    struct endpoints *e = site_load(STRIPE);
    site_secret("a", "");
    e = refreshed(e, false, HO_REJECT, &err);
    assert_non_null(strstr(err.text, "hookonce.conf:7: source s: secret 1: "));
    assert_int_equal(site_endpoint(e, "s")->n_keys, 1);
    e = refreshed(e, false, HO_OK, &err);
    assert_int_equal(unlink(site_path("a")), 0);
    e = refreshed(e, false, HO_REJECT, &err);
    site_secret("a", "two");
    e = refreshed(e, true, HO_OK, &err);
    assert_true(span_is(secret_span(&site_endpoint(e, "s")->keys[0].secret), "two"));
    endpoints_free(e);

    /* One that never worked stops nothing, and works once it is there. */
    assert_int_equal(unlink(site_path("a")), 0);
    e = site_load(STRIPE);
    assert_int_equal(site_endpoint(e, "s")->n_keys, 0);
    site_secret("a", "");
    e = refreshed(e, true, HO_OK, &err);
    assert_int_equal(site_endpoint(e, "s")->n_keys, 0);
    site_secret("a", "three");
    e = refreshed(e, true, HO_OK, &err);
    assert_int_equal(site_endpoint(e, "s")->n_keys, 1);
    endpoints_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_sources_words_over_the_recipes),
        cmocka_unit_test(says_why_a_secret_is_unusable),
        cmocka_unit_test(uses_the_good_ones_of_several_secrets),
        cmocka_unit_test(refuses_a_config_that_cannot_be_meant),
        cmocka_unit_test(looks_at_most_once_a_second),
        cmocka_unit_test(sees_every_kind_of_change),
        cmocka_unit_test(keeps_the_old_while_the_new_is_broken),
        cmocka_unit_test(keeps_a_secret_while_its_file_is_half_written),
    };
    return cmocka_run_group_tests(tests, site_start, site_end);
}
