/* Sets of recipes: the built-in ones, a site's own, `like` and `none`, and what is told of one. */
#include "recipe_site.h"

#include "edge/recipe.c" /* to see which built-in ones were read */

static void knows_the_built_in_ones(void **state)
{
    static const struct {
        const char *name, *signature;
        int64_t tolerance_ms;
        bool scope_provider, guard;
        int64_t cap;
    } rows[] = {
        {"clerk", "hmac-sha256 in svix-signature or webhook-signature", 300000, true, false,
         8 << 20},
        {"github", "hmac-sha256 in x-hub-signature-256", 0, false, true, 25 << 20},
        {"shopify", "hmac-sha256 in x-shopify-hmac-sha256 or shopify-hmac-sha256", 0, false, false,
         8 << 20},
        {"slack", "hmac-sha256 in x-slack-signature", 300000, true, false, 4 << 20},
        {"standard-webhooks", "hmac-sha256 in webhook-signature or svix-signature", 300000, false,
         false, 8 << 20},
        {"stripe", "hmac-sha256 in stripe-signature", 300000, true, false, 4 << 20},
        {"svix", "hmac-sha256 in svix-signature or webhook-signature", 300000, false, false,
         8 << 20},
    };
    struct recipes *set;
    struct ho_err err;
    (void)state;
    ho_err_clear(&err);
    if (recipes_load(NULL, 0, &set, &err) != HO_OK) {
        fail_msg("%s", err.text);
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct recipe_facts f;
        const struct recipe *r = recipes_find(set, rows[i].name);
        ROW(i, r != NULL && r == recipes_find(set, rows[i].name));
        recipe_facts(r, &f);
        ROW_TEXT(i, f.name, rows[i].name);
        ROW_TEXT(i, f.signature, rows[i].signature);
        ROW(i, f.tolerance_ms == rows[i].tolerance_ms);
        ROW(i, f.scope_provider == rows[i].scope_provider && f.guard == rows[i].guard);
        ROW(i, f.cap == rows[i].cap && f.deadline_ms <= 2000);
        ROW(i, f.weak == NULL && !f.fetched && !f.signs_url && !f.batch);
    }
    assert_null(recipes_find(set, "no-such-provider"));
    recipes_free(set);
}

/* One that is broken ends the process that asks for it, so all are asked for here. */
static void makes_every_built_in_one(void **state)
{
    struct recipes *set;
    (void)state;
    assert_int_equal(recipes_load(NULL, 0, &set, NULL), HO_OK);
    assert_true(recipes_count(set) >= 7);
    for (size_t i = 0; i < recipes_count(set); i++) {
        const char *name = recipes_name(set, i);
        const struct recipe *r = recipes_find(set, name);
        struct recipe_facts f;
        ROW(i, r != NULL && (i == 0 || strcmp(recipes_name(set, i - 1), name) < 0));
        recipe_facts(r, &f);
        if (strcmp(f.name, name) != 0 || f.title[0] == '\0' || f.cap < 1024 ||
            f.deadline_ms < 100) {
            fail_msg("%s: its facts", name);
        }
        if (f.id == NULL && !f.batch) {
            fail_msg("%s: no id", name);
        }
        struct span param, help; /* one spelling for all: words with dashes */
        for (size_t k = 0; recipe_param(r, k, &param, &help); k++) {
            ROW(i, !span_has(param, '_') && help.len > 0);
        }
    }
    recipes_free(set);
}

static void count_read(const struct recipes *set, size_t *n_read, size_t *n_made)
{
    *n_read = 0;
    *n_made = 0;
    for (size_t i = 0; i < recipe_files_n; i++) {
        *n_read += set->built_in[i].text.section != NULL;
        *n_made += set->built_in[i].made != NULL;
    }
}

/* A CGI program starts for every request: it must not read what its config does not name. */
static void reads_only_what_is_asked_for(void **state)
{
    struct recipes *set;
    size_t n_read, n_made;
    (void)state;
    assert_int_equal(recipes_load(NULL, 0, &set, NULL), HO_OK);
    count_read(set, &n_read, &n_made);
    assert_true(n_read == 0 && n_made == 0);
    assert_non_null(recipes_find(set, "clerk")); /* like svix, like standard-webhooks */
    count_read(set, &n_read, &n_made);
    assert_true(n_read == 3 && n_made == 1);
    assert_non_null(recipes_find(set, "svix"));
    count_read(set, &n_read, &n_made);
    assert_true(n_read == 3 && n_made == 2);
    recipes_free(set);

    (void)site_mine(LIKE, &set);
    count_read(set, &n_read, &n_made);
    assert_true(n_read == 1 && n_made == 0);
    recipes_free(set);
}

static void starts_from_another_recipe(void **state)
{
    struct recipe_facts f;
    struct recipes *set;
    (void)site_mine("[recipe shop-by-action]\n"
                    "like = mine\n"
                    "cap = 1m\n"
                    "[recipe mine]\n"
                    "like = shopify\n"
                    "id = {header:X-Shopify-Event-Id}\n"
                    "scope = provider\n",
                    &set);
    (void)state;
    recipe_facts(recipes_find(set, "shop-by-action"), &f);
    assert_string_equal(f.id, "{header:X-Shopify-Event-Id}");
    assert_string_equal(f.title, "Shopify");
    assert_true(f.scope_provider);
    assert_int_equal(f.cap, 1 << 20);
    recipe_facts(recipes_find(set, "mine"), &f);
    assert_int_equal(f.cap, 8 << 20);
    assert_string_equal(recipes_name(set, recipes_count(set) - 2), "shop-by-action");
    assert_string_equal(recipes_name(set, recipes_count(set) - 1), "mine");
    recipes_free(set);
}

static void follows_like_so_far_and_no_further(void **state)
{
    struct recipes *set;
    struct ho_err err;
    char text[1024];
    int len = snprintf(text, sizeof text, "[recipe r1]\nlike = github\n");
    (void)state;
    for (int i = 2; i < LIKE_DEPTH_MAX; i++) {
        len += snprintf(text + len, sizeof text - (size_t)len, "[recipe r%d]\nlike = r%d\n", i,
                        i - 1);
    }
    set = site_recipes(text, &err); /* with github that is LIKE_DEPTH_MAX */
    if (set == NULL) {
        fail_msg("%s", err.text);
    }
    recipes_free(set);
    (void)snprintf(text + len, sizeof text - (size_t)len, "[recipe r]\nlike = r%d\n",
                   LIKE_DEPTH_MAX - 1);
    assert_null(site_recipes(text, &err));
    assert_non_null(strstr(err.text, "or over more than 8 recipes"));
}

/* The nearest of alg and alg-by wins, and so do all lines of a key that repeats. */
static void takes_the_nearest_recipe_that_says_it(void **state)
{
    static const char base[] = "[recipe base]\n"
                               "param = one first\n"
                               "param = two second\n"
                               "sig = header:x-sig\n"
                               "alg-by = header:x-alg ; A hmac-sha1 ; none hmac-sha512\n"
                               "signed = {ts}{body}\n"
                               "time = header:x-t ; s ; 300\n"
                               "check = {header:a} == a\n"
                               "check = {header:b} == b\n"
                               "id = {json:/id}\n"
                               "guard = {body}\n"
                               "form-json = payload\n"
                               "needs = x-a\n"
                               "note = of base\n"
                               "hello = POST json:/a => 200\n"
                               "hello = POST json:/b => 200\n";
    struct recipes *set;
    char text[2048];
    (void)state;

    (void)snprintf(text, sizeof text, "%s%s", base, MINE "like = base\n");
    const struct recipe *r = site_mine(text, &set);
    assert_true(r->alg.by_on && r->alg.n == 2 && r->n_params == 2 && r->n_checks == 2);
    assert_true(r->time.on && r->n_hellos == 2 && r->n_needs == 1 && r->guard != NULL);
    recipes_free(set);

    (void)snprintf(text, sizeof text, "%s%s", base,
                   MINE "like = base\nalg = hmac-md5\nparam = three third\ncheck = {header:c} == c\n"
                        "hello = POST json:/c => 204\n");
    r = site_mine(text, &set);
    assert_true(!r->alg.by_on && r->alg.n == 1 && r->alg.choices[0].alg.digest == MAC_MD5);
    assert_true(r->n_params == 1 && r->n_checks == 1 && r->n_hellos == 1);
    recipes_free(set);

    (void)snprintf(text, sizeof text, "%s%s", base,
                   MINE "like = base\nsigned = {body}\ntime = none\nguard = none\nhello = none\n"
                        "check = none\nparam = none\nneeds = none\nform-json = none\nnote = none\n");
    r = site_mine(text, &set);
    assert_true(!r->time.on && r->guard == NULL && r->n_hellos == 0 && r->n_checks == 0);
    assert_true(r->n_params == 0 && r->n_needs == 0 && r->form_json == NULL && r->note == NULL);
    recipes_free(set);
}

static void tells_what_there_is_to_know(void **state)
{
    struct recipe_facts f;
    struct recipes *set;
    struct span name, help;
    const struct recipe *r = site_mine(MINE
        "title = Mine\nbasis = its code\nsecret-at = Settings\nauthoritative = paid\nnote = a note\n"
        "weak = fields\nparam = site-id the site's number\nsig = json:/mac|trim header:x-mac\n"
        "alg-by = header:x-alg ; A rsa-sha1 ; else rsa-sha256\n"
        "keys = pem https://keys.example.com/a\n"
        "signed = {url}{json:/a}{param:site-id}\nid = {json:/id}\n", &set);
    (void)state;
    recipe_facts(r, &f);
    assert_string_equal(f.title, "Mine");
    assert_string_equal(f.basis, "its code");
    assert_string_equal(f.secret_at, "Settings");
    assert_string_equal(f.authoritative, "paid");
    assert_string_equal(f.note, "a note");
    assert_string_equal(f.weak, "fields");
    assert_string_equal(f.signature, "rsa-sha1 or rsa-sha256 in json:/mac|trim");
    assert_string_equal(f.signed_bytes, "{url}{json:/a}{param:site-id}");
    assert_string_equal(f.id, "{json:/id}");
    assert_true(f.fetched && f.signs_url && !f.batch && !f.guard);
    assert_true(recipe_param(r, 0, &name, &help) && span_is(name, "site-id"));
    assert_true(span_is(help, "the site's number"));
    assert_false(recipe_param(r, 1, &name, &help));
    recipes_free(set);

    recipe_facts(site_mine(TOKEN "alg = jwt HS256 HS512\nweak = body\n", &set), &f);
    assert_string_equal(f.signature, "jwt HS256 HS512 in authorization");
    assert_string_equal(f.weak, "body");
    assert_null(f.signed_bytes);
    recipes_free(set);
}

static void says_which_file_is_not_there(void **state)
{
    char path[] = "/nonexistent/own.conf";
    char *files[] = {path};
    struct recipes *set;
    struct ho_err err;
    (void)state;
    ho_err_clear(&err);
    assert_int_equal(recipes_load(files, 1, &set, &err), HO_REJECT);
    assert_non_null(strstr(err.text, path));
    assert_null(set);
}

static void explains_every_key(void **state)
{
    size_t n;
    const struct conf_key *keys = recipe_keys(&n);
    (void)state;
    assert_true(n > 20);
    for (size_t i = 0; i < n; i++) {
        ROW_TEXT(i, keys[i].section, "recipe");
        ROW(i, keys[i].help != NULL && keys[i].help[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_built_in_ones),
        cmocka_unit_test(makes_every_built_in_one),
        cmocka_unit_test(reads_only_what_is_asked_for),
        cmocka_unit_test(starts_from_another_recipe),
        cmocka_unit_test(follows_like_so_far_and_no_further),
        cmocka_unit_test(takes_the_nearest_recipe_that_says_it),
        cmocka_unit_test(tells_what_there_is_to_know),
        cmocka_unit_test(says_which_file_is_not_there),
        cmocka_unit_test(explains_every_key),
    };
    return cmocka_run_group_tests(tests, site_start, site_end);
}
