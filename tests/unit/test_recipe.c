/* Recipes: the built-in ones, a site's own, `like`, and every mistake with its place and the words
 * there are. */
#include "edge_site.h"

#include "base/conf.h"
#include "edge/recipe.h"

static struct recipes *load_text(const char *text, struct ho_err *err, enum ho_code *code)
{
    struct recipes *set = NULL;
    char path[64];
    char *files[] = {path};
    (void)snprintf(path, sizeof path, "%s/own.conf", site);
    site_write("own.conf", span_of(text), 0644);
    ho_err_clear(err);
    *code = recipes_load(files, 1, &set, err);
    return set;
}

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
    assert_int_equal(recipes_count(set), COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct recipe_facts f;
        const struct recipe *r = recipes_find(set, rows[i].name);
        ROW(i, r != NULL && r == recipes_at(set, i));
        recipe_facts(r, &f);
        ROW_TEXT(i, f.name, rows[i].name);
        ROW_TEXT(i, f.signature, rows[i].signature);
        ROW(i, f.tolerance_ms == rows[i].tolerance_ms);
        ROW(i, f.scope_provider == rows[i].scope_provider && f.guard == rows[i].guard);
        ROW(i, f.cap == rows[i].cap && f.deadline_ms <= 2000);
        ROW(i, f.title[0] != '\0' && strncmp(f.docs, "https://", 8) == 0);
        ROW_TEXT(i, f.confidence, "official");
    }
    assert_null(recipes_find(set, "paddle"));
    recipes_free(set);
}

static void starts_from_another_recipe(void **state)
{
    struct ho_err err;
    enum ho_code code;
    struct recipe_facts f;
    struct recipes *set = load_text("[recipe shop-by-action]\n"
                                    "like = mine\n"
                                    "cap = 1m\n"
                                    "[recipe mine]\n"
                                    "like = shopify\n"
                                    "id = {header:X-Shopify-Event-Id}\n"
                                    "scope = provider\n",
                                    &err, &code);
    (void)state;
    if (set == NULL) {
        fail_msg("%s", err.text);
    }
    recipe_facts(recipes_find(set, "shop-by-action"), &f);
    assert_string_equal(f.id, "{header:X-Shopify-Event-Id}");
    assert_string_equal(f.title, "Shopify");
    assert_true(f.scope_provider);
    assert_int_equal(f.cap, 1 << 20);
    recipe_facts(recipes_find(set, "mine"), &f);
    assert_int_equal(f.cap, 8 << 20);
    recipes_free(set);
}

#define MINE "[recipe mine]\n"
#define LIKE MINE "like = github\n"
#define REST "alg = hmac-sha256\nid = {json:/id}\n"
#define FULL MINE "sig = header:x-sig\nsigned = {body}\n" REST /* five lines */
#define TIMED MINE "sig = header:x-sig ; list comma ; pair eq v1\n" REST

static void points_at_every_mistake(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"[recipe]\nlike = stripe\n", "own.conf:1: a recipe needs a name"},
        {"[recipe stripe]\nlike = github\n", "own.conf:1: there is a recipe stripe already, in "
                                             "built-in stripe.conf:"},
        {MINE "[recipe mine]\n", "own.conf:2: a second [recipe mine]"},
        {"[source x]\n", "own.conf:1: unknown section \"source\""},
        {FULL "sgned = x\n", "own.conf:6: unknown key \"sgned\" in a section recipe; did you mean "
                             "\"signed\"?"},
        {MINE "like = strip\n", "own.conf:2: like: no recipe strip; there are clerk github"},
        {MINE "like = mine\n", "own.conf:2: like: runs in a circle"},
        {"[recipe a]\nlike = b\n[recipe b]\nlike = a\n", "own.conf:2: like: runs in a circle"},
        {MINE, "own.conf:1: [recipe mine] needs sig"},
        {MINE "sig = header:x\n", "own.conf:1: [recipe mine] needs alg"},
        {MINE "sig = header:x\nalg = hmac-sha256\n", "own.conf:1: [recipe mine] needs signed"},
        {MINE "sig = header:x\nalg = hmac-sha256\nsigned = {body}\n", "own.conf:1: [recipe mine] "
                                                                      "needs id"},
        {FULL "sig = header:y\n", "own.conf:6: a second sig; the first is in line 2"},
        {LIKE "sig = body\n", "own.conf:3: sig: signatures are read from header:"},
        {LIKE "sig = hdr:x\n", "own.conf:3: sig: \"hdr:x\" is not known; there are"},
        {LIKE "sig = header:*x\n", "own.conf:3: sig: header:*x needs the key `head"},
        {LIKE "sig = header:x ; strp v\n", "own.conf:3: sig: unknown or repeated "
                                                          "directive \"strp\"; there are strip"},
        {LIKE "sig = header:x ; strip a ; strip b\n", "repeated directive \"strip\""},
        {LIKE "sig = header:x ; strip\n", "sig: strip needs a text"},
        {LIKE "sig = header:x ; list\n", "sig: list needs comma, space"},
        {LIKE "sig = header:x ; list tab\n", "sig: unknown list \"tab\"; there are "
                                                            "comma space"},
        {LIKE "sig = header:x ; list comma comma-space\n", "cannot be comma and"},
        {LIKE "sig = header:x ; pair is v1\n", "sig: unknown pair \"is\"; there are"},
        {LIKE "sig = header:x ; pair eq\n", "sig: pair needs one name behind eq"},
        {LIKE "sig = header:x ; pair eq v1 v2\n", "sig: pair needs one name"},
        {LIKE "headers = x-a\n", "own.conf:3: headers: a prefix ends in -"},
        {LIKE "headers =\n", "own.conf:3: headers: no value"},
        {LIKE "alg = hmac-md5\n", "own.conf:3: alg: unknown algorithm \"hmac-md5\"; "
                                                 "there are hmac-sha1 hmac-sha256 hmac-sha512"},
        {LIKE "enc = base32\n", "enc: unknown encoding \"base32\"; there are hex"},
        {LIKE "key = rot13\n", "key: unknown key step \"rot13\"; there are utf8"},
        {LIKE "key = unhex | strip:x\n", "key: unbase64 or unhex is the last step"},
        {LIKE "key = strip:\n", "key: unknown key step \"strip:\""},
        {LIKE "signed = {ts}{body}\n", "signed: ts needs the key `time`"},
        {LIKE "signed = {header:x-id}\n", "signed: without {body} anybody could"},
        {LIKE "signed = {json:/a}{body}\n", "signed: only body, headers, ts and"},
        {LIKE "signed = {body} ?? {body}x\n", "signed: only body, headers, ts and"},
        {LIKE "signed = {sig.t}{body}\n", "signed: sig.t needs `pair` in sig"},
        {TIMED "signed = {body}\ntime = sig.t ; s ; 300\n", "signed: without {ts} anybody could"},
        {TIMED "signed = {ts}{body}\ntime = sig.v1 ; s ; 300\n", "time: sig.v1 is the signature"},
        {TIMED "signed = {ts}{body}\ntime = json:/t ; s ; 300\n", "time: the signed time is in"},
        {TIMED "signed = {ts}{body}\ntime = sig.t ; m ; 300\n", "time: the unit must be one of s"},
        {TIMED "signed = {ts}{body}\ntime = sig.t ; rfc3339 ; 300\n", "time: the signed time is"},
        {TIMED "signed = {ts}{body}\ntime = sig.t ; s ; 5m\n", "time: the tolerance is 1 to 604"},
        {TIMED "signed = {ts}{body}\ntime = sig.t ; s\n", "time: the tolerance is 1 to 604800"},
        {TIMED "signed = {ts}{body}\ntime = sig.t ; s ; 0\n", "time: the tolerance is 1 to 604800"},
        {LIKE "id = constant\n", "id: an alternative without any {term} is always"},
        {LIKE "id = {json:/id} ?? none\n", "id: an alternative without any {term}"},
        {LIKE "id = {jsn:/id}\n", "own.conf:3: id: \"jsn:/id\" is not known"},
        {LIKE "id = {ts}\n", "id: ts needs the key `time`"},
        {LIKE "type = {header:*t}\n", "type: header:*t needs the key `headers`"},
        {LIKE "object = {\n", NULL}, /* a lone brace is text, so constant: */
        {LIKE "at = json:/t\n", "at: the unit must be one of s ms rfc3339"},
        {LIKE "at = {json:/t} ; s\n", "at: \"{json:/t}\" is not known"},
        {LIKE "same = {json:/a} ?? {json:/b}\n", "same: no alternatives here"},
        {LIKE "same = {json:/a}-{json:/b}\n", "same: only {term}s with blanks"},
        {LIKE "needs = x|sha256|hex\n", "needs: at most 8 names of headers"},
        {LIKE "needs = a b c d e f g h i\n", "needs: at most 8 names of headers"},
        {LIKE "form-json =\n", "form-json: a field's name of at most"},
        {LIKE "hello = POST json:/a\n", "hello: written: [unsigned] METHOD"},
        {LIKE "hello = PUT json:/a => 200\n", "hello: the method is one of POST GET"},
        {LIKE "hello = POST => 200\n", "hello: at least one condition"},
        {LIKE "hello = POST json:/a => ok\n", "hello: the status is a number from"},
        {LIKE "hello = POST json:/a => 200 text\n", "hello: the type is a word like"},
        {LIKE "hello = unsigned POST json:/a => 200\n", "hello: before the signature "
                                                                       "only headers and forms"},
        {LIKE "hello = unsigned POST form:a => 200 text/plain {form:a}\n",
         "hello: an unsigned request gets no text back"},
        {LIKE "ok = 400\n", "own.conf:3: ok: the status is from 200 to 299"},
        {LIKE "bad = 500\n", "bad: the status is from 400 to 499"},
        {LIKE "busy = 200\n", "busy: the status is from 400 to 599"},
        {LIKE "ok = 200 text\n", "ok: the type is a word like text/plain"},
        {LIKE "cap = 65m\n", "own.conf:3: cap must be"},
        {LIKE "scope = site\n", "own.conf:3: scope must be one of source provider"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ho_err err;
        enum ho_code code;
        struct recipes *set = load_text(rows[i].text, &err, &code);
        const char *says = rows[i].says != NULL ? rows[i].says : "always the same";
        if (code != HO_REJECT || set != NULL || strstr(err.text, says) == NULL) {
            fail_msg("case %zu: got \"%s\", want \"%s\"", i, err.text, says);
        }
    }
}

static void takes_each_word_that_there_is(void **state)
{
    static const char *const rows[] = {
        FULL,
        LIKE "sig = header:x ; list space comma-space semicolon ; pair colon v\n",
        LIKE "sig = header:x ; strip a b ; list comma ; pair dot v\n",
        LIKE "alg = hmac-sha1\nenc = hex-any\nkey = utf8\n",
        LIKE "alg = hmac-sha512\nenc = hex\nkey = strip:a | strip:b | unhex\n",
        TIMED "signed = {ts}{body}\ntime = sig.t ; ms ; 604800\n",
        TIMED "signed = {ts}{body}\ntime = header:x-t ; s ; 1\n",
        LIKE "at = json:/a ; s ?? header:b ; ms ?? json:/c ; rfc3339\n",
        LIKE "guard = none\n",
        LIKE "guard = {json:/id}{body}\n",
        LIKE "same = {json:/a}\n  {header:b}\n",
        LIKE "needs = a b c d e f g h\n",
        LIKE "hello = unsigned GET header:x-hello => 204\n"
             "hello = POST json:/a==b form:c => 200 application/json {\"a\":\"{json:/a}\"}\n",
        LIKE "ok = 202 text/plain thank you\nbad = 406\nbusy = 429\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ho_err err;
        enum ho_code code;
        struct recipes *set = load_text(rows[i], &err, &code);
        if (code != HO_OK) {
            fail_msg("case %zu: %s", i, err.text);
        }
        ROW(i, recipes_find(set, "mine") != NULL);
        recipes_free(set);
    }
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
        cmocka_unit_test(starts_from_another_recipe),
        cmocka_unit_test(points_at_every_mistake),
        cmocka_unit_test(takes_each_word_that_there_is),
        cmocka_unit_test(says_which_file_is_not_there),
        cmocka_unit_test(explains_every_key),
    };
    return cmocka_run_group_tests(tests, site_start, site_end);
}
