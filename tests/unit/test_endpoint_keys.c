/* From secret files to keys, and what a source must say for its recipe. */
#include "edge_site.h"
#include "mac_keys.h"

#include "edge/recipe_parts.h"

/* A recipe with that algorithm and key chain, a source with that secret, and more lines for both. */
static struct endpoints *load_key(const char *recipe, struct span secret, const char *source)
{
    static char conf[1024];
    static char own[1024];
    (void)snprintf(own, sizeof own,
                   "[recipe own]\nsig = header:x-sig\nsigned = {body}\nid = {json:/id}\n%s", recipe);
    site_secret("own.conf", own);
    site_write("a", secret, 0600);
    (void)snprintf(conf, sizeof conf,
                   "[hookonce]\nrecipes = own.conf\n[source s]\nprovider = own\n%s", source);
    return site_load(conf);
}

static void hex_of(const struct endpoint_key *k, char out[2 * SECRET_MAX + 1])
{
    text_hex(k->secret.p, k->secret.len, out);
}

static void makes_keys_as_the_recipe_says(void **state)
{
    static const struct {
        const char *recipe, *secret, *hex; /* hex NULL: no key, and says why */
        const char *says;
    } rows[] = {
        {"", "a b ", "61206220", NULL},
        {"key = utf8\n", "a\n", "61", NULL},
        {"key = unhex\n", "00fF\n", "00ff", NULL},
        {"key = unbase64\n", "AP8=", "00ff", NULL},
        {"key = strip:whsec_ | unbase64\n", "whsec_AP8=", "00ff", NULL},
        {"key = strip:whsec_ | unbase64\n", "AP8=", "00ff", NULL},
        {"key = strip:v1, | strip:whsec_ | unbase64\n", "v1,whsec_AP8=", "00ff", NULL},
        {"key = sha1\n", "abc", "a9993e364706816aba3e25717850c26c9cd0d89d", NULL},
        {"key = md5\n", "abc", "900150983cd24fb0d6963f7d28e17f72", NULL},
        {"key = unhex | sha256\n", "616263",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", NULL},
        {"key = {param:user}:{secret}\n", "pw", "6a6f653a7077", NULL},
        {"key = {secret|hex}{param:user} | unbase64\n", "p", NULL, "not base64"},
        {"key = unhex\n", "00f", NULL, "not hex"},
        {"key = unhex\n", "zz", NULL, "not hex"},
        {"key = unbase64\n", "AP8", NULL, "not base64"},
        {"key = unbase64\n", "AP9=", NULL, "not base64"},
        {"key = strip:x\n", "x", NULL, "empty; anybody could sign with an empty key"},
        {"key = strip:x | sha256\n", "x", NULL, "empty; anybody could sign with an empty key"},
        {"key = sha256\n", "\n", NULL, "empty"},
        {"key = {param:user}:{secret}\n", "\n", NULL, "empty"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char recipe[256], hex[2 * SECRET_MAX + 1] = "";
        (void)snprintf(recipe, sizeof recipe, "alg = hmac-sha256\nparam = user of it\n%s",
                       rows[i].recipe);
        struct endpoints *all = load_key(recipe, span_of(rows[i].secret),
                                         "secret = file:a\nparam = user joe\n");
        const struct endpoint *e = site_endpoint(all, "s");
        if (rows[i].hex == NULL) {
            ROW(i, e->n_keys == 0 && e->trouble != NULL);
            ROW(i, strstr(e->trouble, rows[i].says) != NULL);
        } else {
            ROW(i, e->n_keys == 1 && e->trouble == NULL && e->keys[0].pub == NULL);
            hex_of(&e->keys[0], hex);
            ROW_TEXT(i, hex, rows[i].hex);
            ROW(i, endpoint_signing_key(e, NOW).p == e->keys[0].secret.p);
        }
        endpoints_free(all);
    }
}

/* Some providers show the secrets that are valid now as one text. */
static void splits_a_file_into_keys(void **state)
{
    static const struct {
        const char *secret;
        size_t n;
        const char *says; /* NULL: no trouble */
    } rows[] = {
        {"v1,whsec_AAAA", 1, NULL},
        {"v1,whsec_AAAA|v1,whsec_AQAA|AgAA", 3, NULL},
        {"AAAA|!|AQAA", 2, "not base64"},
        {"AAAA|", 1, "empty"},
        {"|AAAA", 1, "empty"},
        {"A|A|A|A|A|A|A|A|A|A|A|A|A|A|A|A|A", 0, "not base64"},
        {"AAAA|AAAA|AAAA|AAAA|AAAA|AAAA|AAAA|AAAA|AAAA|AAAA|AAAA|AAAA|AAAA|AAAA|AAAA|AAAA|AAAA", 16,
         "more than 16 secrets in one file"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct endpoints *all = load_key(
            "alg = hmac-sha256\nkey = split:| | strip:v1, | strip:whsec_ | unbase64\n",
            span_of(rows[i].secret), "secret = file:a until 2027-01-01\n");
        const struct endpoint *e = site_endpoint(all, "s");
        ROW(i, e->n_keys == rows[i].n);
        ROW(i, rows[i].says == NULL ? e->trouble == NULL
                                    : strstr(e->trouble, rows[i].says) != NULL);
        for (size_t k = 0; k < e->n_keys; k++) {
            ROW(i, e->keys[k].number == 1 && e->keys[k].until_us < INT64_MAX);
            ROW(i, e->keys[k].secret.len == 3);
        }
        if (i == 1) {
            ROW(i, e->keys[0].secret.p[0] == 0 && e->keys[1].secret.p[0] == 1);
            ROW(i, e->keys[2].secret.p[0] == 2);
        }
        endpoints_free(all);
    }

    /* What else the recipe puts into a key must not make one of an empty secret. */
    struct endpoints *all = load_key(
        "alg = hmac-sha256\nparam = user of it\nkey = split:| | {param:user}[[{secret}]]\n",
        SPAN_LIT("a|"), "secret = file:a\nparam = user joe\n");
    assert_int_equal(site_endpoint(all, "s")->n_keys, 1);
    assert_true(span_is(secret_span(&site_endpoint(all, "s")->keys[0].secret), "joea"));
    assert_non_null(strstr(site_endpoint(all, "s")->trouble, "empty; anybody could sign"));
    endpoints_free(all);
}

static void parses_public_keys(void **state)
{
    static const char token[] = "signed = none\nweak = body\n";
    static const struct {
        const char *recipe, *file; /* of tests/unit/keys */
        bool token;
        bool usable;
    } rows[] = {
        {"alg = rsa-sha256\n", "rsa.pub", false, true},
        {"alg = rsa-sha256\n", "rsa-cert.pem", false, true},
        {"alg = ecdsa-sha256\n", "ec.pub", false, true},
        {"alg = ed25519\n", "ed25519.pub", false, true},
        {"alg = rsa-sha256\n", "ec.pub", false, false},
        {"alg = ecdsa-sha256\n", "ec-p384.pub", false, false},
        {"alg = ed25519\n", "rsa.pub", false, false},
        {"alg = rsa-sha256\n", "rsa-1000.pub", false, false},
        {"alg = rsa-sha256\n", "README.md", false, false},
        {"alg = jwt RS256\n", "rsa.pub", true, true},
        {"alg = jwt RS256\n", "ec.pub", true, false},
        {"alg = jwt RS512 ES256\n", "ec.pub", true, true},
        {"alg = jwt RS512 ES256\n", "ed25519.pub", true, false},
        {"alg = jwt EdDSA\n", "ed25519.pub", true, true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char own[512];
        struct buf text;
        buf_init(&text, KEY_TEXT);
        read_key(rows[i].file, &text);
        site_write("a", buf_span(&text), 0600);
        (void)snprintf(own, sizeof own, "[recipe own]\nsig = header:x-sig\nid = {json:/id}\n%s%s",
                       rows[i].recipe, rows[i].token ? token : "signed = {body}\n");
        site_secret("own.conf", own);
        struct endpoints *all = site_load("[hookonce]\nrecipes = own.conf\n[source s]\n"
                                          "provider = own\nsecret = file:a\n");
        const struct endpoint *e = site_endpoint(all, "s");
        ROW(i, (e->n_keys == 1) == rows[i].usable && (e->trouble == NULL) == rows[i].usable);
        ROW(i, !rows[i].usable || e->keys[0].pub != NULL);
        ROW(i, !span_present(endpoint_signing_key(e, NOW))); /* a public key signs nothing */
        endpoints_free(all);
        buf_free(&text);
    }
}

static void takes_raw_and_encoded_public_keys(void **state)
{
    static const char hex[] = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
    static const char der[] = "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
    static const struct {
        const char *key, *secret;
    } rows[] = {{"unhex", hex}, {"unbase64", der}, {"strip:whpk_ | unhex", hex}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char recipe[128];
        (void)snprintf(recipe, sizeof recipe, "alg = ed25519\nkey = %s\n", rows[i].key);
        struct endpoints *all = load_key(recipe, span_of(rows[i].secret), "secret = file:a\n");
        const struct endpoint *e = site_endpoint(all, "s");
        if (e->trouble != NULL) {
            fail_msg("case %zu: %s", i, e->trouble);
        }
        ROW(i, e->n_keys == 1 && e->keys[0].pub != NULL);
        endpoints_free(all);
    }
}

/* What is wrong with a key may be logged; what stands in the file may not. */
static void shows_nothing_of_a_secret(void **state)
{
    static const struct {
        const char *recipe, *secret;
    } rows[] = {
        {"alg = rsa-sha256\n", "topsecret-topsecret"},
        {"alg = rsa-sha256\n", "-----BEGIN PRIVATE KEY-----\ntopsecret\n-----END PRIVATE KEY-----\n"},
        {"alg = hmac-sha256\nkey = unhex\n", "topsecret"},
        {"alg = hmac-sha256\nkey = unbase64\n", "topsecret"},
        {"alg = hmac-sha256\nkey = split:| | unbase64\n", "topsecret|topsecret"},
        {"alg = ed25519\nkey = unbase64\n", "dG9wc2VjcmV0"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct endpoints *all = load_key(rows[i].recipe, span_of(rows[i].secret),
                                         "secret = file:a\n");
        const struct endpoint *e = site_endpoint(all, "s");
        ROW(i, e->n_keys == 0 && e->trouble != NULL && strstr(e->trouble, "topsecret") == NULL);
        ROW(i, strstr(e->trouble, "dG9wc2VjcmV0") == NULL);
        endpoints_free(all);
    }
}

static void needs_no_secret_where_keys_are_fetched(void **state)
{
    static const char recipe[] = "alg = ed25519\nkey = unhex\nkeys = pem https://a.example.com/k\n";
    static const char hex[] = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
    struct endpoints *all = load_key(recipe, SPAN_LIT("x"), "");
    (void)state;
    assert_true(endpoint_fetches(site_endpoint(all, "s")));
    assert_true(site_endpoint(all, "s")->n_keys == 0 && site_endpoint(all, "s")->trouble == NULL);
    endpoints_free(all);
    all = load_key(recipe, span_of(hex), "secret = file:a\n");
    assert_false(endpoint_fetches(site_endpoint(all, "s")));
    assert_int_equal(site_endpoint(all, "s")->n_keys, 1);
    endpoints_free(all);
    /* A pin that is broken must not open the door to whatever is fetched. */
    all = load_key(recipe, SPAN_LIT("zz"), "secret = file:a\n");
    assert_false(endpoint_fetches(site_endpoint(all, "s")));
    assert_true(site_endpoint(all, "s")->n_keys == 0 && site_endpoint(all, "s")->trouble != NULL);
    endpoints_free(all);
}

static void holds_a_source_to_its_recipe(void **state)
{
    static const struct {
        const char *source, *says; /* NULL: taken */
    } rows[] = {
        {"secret = file:a\nparam = app-id 7\nparam = user a b\n", NULL},
        {"secret = file:a\nparam = user a\nparam = app-id 7\n", NULL},
        {"param = app-id 7\nparam = user x\n",
         "hookonce.conf:7: own needs `secret = file:NAME`"},
        {"secret = file:a\nparam = app-id 7\n",
         "hookonce.conf:7: own needs `param = user VALUE`: who calls"},
        {"secret = file:a\n", "hookonce.conf:7: own needs `param = app-id VALUE`: number of the app"},
        {"secret = file:a\nparam = app-id 7\nparam = user x\nparam = usr y\n",
         "hookonce.conf:12: own has no param usr; did you mean user?"},
        {"secret = file:a\nparam = zzzz 7\n", "hookonce.conf:10: own has no param zzzz"},
        {"secret = file:a\ntolerance = 5m\n", "hookonce.conf:10: own signs no time"},
    };
    (void)state;
    site_secret("a", "key");
    site_secret("own.conf", "[recipe own]\nsig = header:x-sig\nsigned = {body}\nid = {json:/id}\n"
                            "alg = hmac-sha1\nparam = app-id number of the app\n"
                            "param = user who calls\n");
    for (size_t i = 0; i < COUNT(rows); i++) {
        char conf[512];
        struct endpoints *e;
        struct ho_err err;
        (void)snprintf(conf, sizeof conf, SITE_DB "[hookonce]\nrecipes = own.conf\n[source s]\n"
                                                  "provider = own\n%s", rows[i].source);
        site_write("hookonce.conf", span_of(conf), 0600);
        ho_err_clear(&err);
        ROW(i, (endpoints_load(site_conf, &e, &err) == HO_OK) == (rows[i].says == NULL));
        if (rows[i].says != NULL && strstr(err.text, rows[i].says) == NULL) {
            fail_msg("case %zu: \"%s\"", i, err.text);
        }
        endpoints_free(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_keys_as_the_recipe_says),
        cmocka_unit_test(splits_a_file_into_keys),
        cmocka_unit_test(parses_public_keys),
        cmocka_unit_test(takes_raw_and_encoded_public_keys),
        cmocka_unit_test(shows_nothing_of_a_secret),
        cmocka_unit_test(needs_no_secret_where_keys_are_fetched),
        cmocka_unit_test(holds_a_source_to_its_recipe),
    };
    return cmocka_run_group_tests(tests, site_start, site_end);
}
