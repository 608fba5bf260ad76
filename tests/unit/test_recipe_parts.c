/* What the words of a recipe become. */
#include "recipe_site.h"

static bool is(struct span s, const char *text)
{
    return text == NULL ? !span_present(s) : span_is(s, text);
}

static void takes_each_word_that_there_is(void **state)
{
    static const char *const rows[] = {
        FULL,
        LIKE "sig = header:x ; list space comma-space semicolon amp ; pair colon v\n",
        LIKE "sig = header:x ; list comma comma-space\n",
        LIKE "sig = header:x ; list bare-comma\n",
        LIKE "sig = query:s form:s json:/s body|field:s ; strip a b\n",
        LIKE "sig = header:x ;\n  list comma ;\n  behind /SHA256/\n",
        LIKE "alg = hmac-sha1\nenc = hex-any\nkey = utf8\n",
        LIKE "alg = hmac-sha384\nenc = base64url\nkey = strip:a | strip:b | unhex\n",
        LIKE "signed = {ts}{body}\ntime = header:x-t ; rfc2822 ; none\n",
        LIKE "at = json:/a ; s ?? header:b ; ms\n  ?? json:/c ; rfc3339 ?? json:/d ; rfc2822\n",
        LIKE "guard = {json:/id}{body}\n",
        LIKE "same = {json:/a}\n  {header:b}\n",
        LIKE "needs = a b c d\n  e f g h\n",
        LIKE "hello = unsigned GET header:x-hello => 204\n"
             "hello = POST json:/a==b form:c => 200 application/json {\"a\":\"{json:/a|json}\"}\n",
        LIKE "ok = 202 text/plain thank you\nbad = 406\nbusy = 429\nnever = 410\n",
        LIKE "batch = .\nid = none\nguard = none\n",
        LIKE "id = {json:/id}.{arrival}\n",
    };
    (void)state;
    check_taken(rows, COUNT(rows));
}

static void reads_where_signatures_are(void **state)
{
    struct recipes *set;
    const struct recipe *r = site_mine(MINE "alg = hmac-sha1\n"
        "headers = X-A- b-\nmethods = POST PUT\nparam = p_1 the first\nparam = q the\n  second\n"
        "sig = header:*Sig query:s|unbase64 ; strip v1 x ; list comma amp ; first t h\n"
        "signed = {sig.t}{sig.h}{body}\nneeds = *id X-Other\nbatch = /a/events\n"
        "id = {json:./id}\n", &set);
    (void)state;
    assert_true(r->post && r->put && !r->get);
    assert_int_equal(r->n_families, 2);
    assert_string_equal(r->families[0], "x-a-");
    assert_int_equal(r->n_params, 2);
    assert_true(is(r->params[1].name, "q") && is(r->params[1].help, "the\nsecond"));
    assert_int_equal(r->sig.n_places, 2);
    assert_true(r->sig.places[1].kind == TERM_QUERY && r->sig.places[1].n_filters == 1);
    assert_int_equal(r->sig.n_names, 2);
    assert_string_equal(r->sig.names[0], "x-a-sig");
    assert_string_equal(r->sig.names[1], "b-sig");
    assert_true(is(r->sig.strip, "v1 x") && is(r->sig.behind, NULL) && r->sig.pair == 0);
    assert_true(r->sig.list.on && r->sig.list.comma && r->sig.list.amp && !r->sig.list.space);
    assert_true(r->sig.n_firsts == 2 && is(r->sig.firsts[1], "h"));
    assert_int_equal(r->n_needs, 2);
    assert_string_equal(r->needs[1].name, "x-other");
    assert_true(r->batch_on && is(r->batch, "/a/events"));
    recipes_free(set);

    r = site_mine(LIKE "sig = json:/mac|trim header:b ; pair dot v1\nbatch = .\nguard = none\n"
                       "id = {item|sha256|hex}\n", &set);
    assert_true(r->sig.n_names == 1 && r->sig.pair == '.' && is(r->sig.name, "v1"));
    assert_string_equal(r->sig.names[0], "json:/mac|trim");
    assert_true(r->batch_on && is(r->batch, ""));
    assert_true(r->post && !r->get && !r->put);
    recipes_free(set);
}

static void reads_algorithms(void **state)
{
    static const struct {
        const char *text;
        enum alg_kind kind;
        enum mac_alg digest;
        unsigned jose, kinds;
        enum recipe_enc enc;
    } rows[] = {
        {LIKE "alg = hmac-sha384\n", ALG_HMAC, MAC_SHA384, 0, 0, ENC_HEX},
        {LIKE "alg = digest-md5\nsigned = {secret}{body}\nenc = base64\n", ALG_DIGEST, MAC_MD5, 0, 0,
         ENC_BASE64},
        {LIKE "alg = rsa-sha512\nenc = base64url\n", ALG_RSA, MAC_SHA512, 0, 1U << SIG_RSA,
         ENC_BASE64URL},
        {LIKE "alg = ecdsa-sha1\nenc = hex-any\n", ALG_ECDSA, MAC_SHA1, 0, 1U << SIG_ECDSA,
         ENC_HEX_ANY},
        {LIKE "alg = ed25519\n", ALG_ED25519, MAC_SHA1, 0, 1U << SIG_ED25519, ENC_HEX},
        {TOKEN "alg = equal\nweak = token\n", ALG_EQUAL, MAC_SHA1, 0, 0, ENC_RAW},
        {TOKEN "alg = equal\nweak = token\nenc = base64\n", ALG_EQUAL, MAC_SHA1, 0, 0, ENC_BASE64},
        {TOKEN "alg = jwt HS256 HS512\nweak = body\n", ALG_JWT, MAC_SHA1,
         1U << JOSE_HS256 | 1U << JOSE_HS512, 0, ENC_RAW},
        {TOKEN "alg = jws RS512\n  EdDSA\nsigned = {body}\nenc = raw\n", ALG_JWS, MAC_SHA1,
         1U << JOSE_RS512 | 1U << JOSE_EDDSA, 1U << SIG_RSA | 1U << SIG_ED25519, ENC_RAW},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct recipes *set;
        const struct recipe *r = site_mine(rows[i].text, &set);
        const struct alg *a = &r->alg.choices[0].alg;
        bool digested = a->kind <= ALG_ECDSA;
        ROW(i, r->alg.n == 1 && !r->alg.by_on && !span_present(r->alg.choices[0].value));
        ROW(i, a->kind == rows[i].kind && (!digested || a->digest == rows[i].digest));
        ROW(i, a->jose == rows[i].jose && recipe_public_kinds(r) == rows[i].kinds);
        ROW(i, r->enc == rows[i].enc);
        ROW(i, (r->signed_bytes == NULL) == (a->kind == ALG_JWT || a->kind == ALG_EQUAL));
        recipes_free(set);
    }
}

static void reads_choices_of_algorithms(void **state)
{
    struct recipes *set;
    const struct recipe *r = site_mine(LIKE "alg-by = header:x-alg|lower ; a hmac-sha1 ;\n"
                                            "  b hmac-sha256 ; none hmac-sha512 ; else hmac-md5\n",
                                       &set);
    static const struct {
        const char *value;
        bool absent;
        enum mac_alg digest;
    } rows[] = {
        {"a", false, MAC_SHA1},
        {"b", false, MAC_SHA256},
        {NULL, true, MAC_SHA512},
        {NULL, false, MAC_MD5},
    };
    (void)state;
    assert_true(r->alg.by_on && r->alg.by.kind == TERM_HEADER && r->alg.n == COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct alg_choice *c = &r->alg.choices[i];
        ROW(i, is(c->value, rows[i].value) && c->absent == rows[i].absent);
        ROW(i, c->alg.kind == ALG_HMAC && c->alg.digest == rows[i].digest);
    }
    recipes_free(set);
}

static void reads_key_chains(void **state)
{
    struct recipes *set;
    const struct recipe *r = site_mine(LIKE
        "param = user of it\n"
        "key = split:| | {param:user}:{secret} | strip:v1, | strip:whsec_ |\n  unbase64 | sha256\n",
        &set);
    static const enum key_step_kind kinds[] = {KEY_STRIP, KEY_STRIP, KEY_UNBASE64, KEY_SHA256};
    (void)state;
    assert_true(is(r->key_split, "|") && r->key_template != NULL);
    assert_int_equal(r->n_key_steps, COUNT(kinds));
    for (size_t i = 0; i < COUNT(kinds); i++) {
        ROW(i, r->key_steps[i].kind == kinds[i]);
    }
    assert_true(is(r->key_steps[1].text, "whsec_"));
    recipes_free(set);
}

static void reads_keys_that_are_fetched(void **state)
{
    static const struct {
        const char *words;
        enum keys_kind kind;
        const char *url;
        enum term_kind told; /* where url is NULL */
        const char *from, *at;
        bool kid;
    } rows[] = {
        {"jwks https://a.example.com/k ; kid header:x-kid", KEYS_JWKS, "https://a.example.com/k",
         TERM_BODY, NULL, NULL, true},
        {"jwks https://a.example.com/k", KEYS_JWKS, "https://a.example.com/k", TERM_BODY, NULL, NULL,
         false},
        {"pem header:x-url ; from https://a.b.example.com/*\n  https://*.example.com/*", KEYS_PEM,
         NULL, TERM_HEADER, "https://a.b.example.com/*", NULL, false},
        {"json json:/url ; at /key/pem ; from https://a.example.com/*", KEYS_JSON, NULL, TERM_JSON,
         "https://a.example.com/*", "/key/pem", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct recipes *set;
        char text[512];
        (void)snprintf(text, sizeof text, LIKE "alg = rsa-sha256\nkeys = %s\n", rows[i].words);
        const struct keys_rule *k = &site_mine(text, &set)->keys;
        ROW(i, k->kind == rows[i].kind && is(k->url, rows[i].url) && is(k->at, rows[i].at));
        ROW(i, rows[i].url != NULL || k->term.kind == rows[i].told);
        ROW(i, k->kid_on == rows[i].kid && (rows[i].from == NULL ? k->n_from == 0
                                                                 : is(k->from[0], rows[i].from)));
        recipes_free(set);
    }
}

static void reads_time_and_checks(void **state)
{
    struct recipes *set;
    const struct recipe *r = site_mine(LIKE
        "signed = {ts}{body}\ntime = header:a ?? json:/b ; rfc3339 ; none\n"
        "check = {header:x} == {body|sha256|hex} ; if body ; unless form ; if query:q\n"
        "check = {method} ?? {header:y} == POST\n", &set);
    (void)state;
    assert_true(r->time.on && r->time.n_terms == 2 && r->time.terms[1].kind == TERM_JSON);
    assert_true(r->time.unit == TIME_RFC3339 && r->time.tolerance_ms == 0);
    assert_int_equal(r->n_checks, 2);
    const struct check_rule *c = &r->checks[0];
    assert_true(c->n_guards == 3 && c->guards[0].kind == GUARD_BODY && !c->guards[0].unless);
    assert_true(c->guards[1].kind == GUARD_FORM && c->guards[1].unless);
    assert_true(c->guards[2].kind == GUARD_TERM && c->guards[2].term.kind == TERM_QUERY);
    assert_true(r->checks[1].left->n_alts == 2 && r->checks[1].n_guards == 0);
    recipes_free(set);

    r = site_mine(TIMED "signed = {ts}{body}\ntime = sig.t ; ms ; 604800\n", &set);
    assert_true(r->time.unit == TIME_MS && r->time.tolerance_ms == INT64_C(604800000));
    recipes_free(set);
}

static void reads_handshakes(void **state)
{
    struct recipes *set;
    const struct recipe *r = site_mine(LIKE
        "param = token of it\n"
        "hello = unsigned GET query:mode==go query:t=={param:token} => 200 TEXT/plain {query:c}\n"
        "hello = POST header:x-s => 204 ; header X-S {header:x-s} ; header X-T b ; save header:x-s\n"
        "hello = POST json:/u => 200 ; visit json:/u from https://a.example.com/*\n"
        "hello = unsigned HEAD => 200\n"
        "hello = unsigned GET query:crc => 200 application/json\n"
        "  {\"t\":\"sha256={query:crc|hmac-sha256|base64}\"}\n", &set);
    const struct hello *h = r->hellos;
    (void)state;
    assert_int_equal(r->n_hellos, 5);
    assert_true(h[0].is_unsigned && is(h[0].method, "GET") && h[0].n_conditions == 2);
    assert_true(is(h[0].conditions[0].equals, "go") && h[0].conditions[0].value == NULL);
    assert_true(is(h[0].conditions[1].equals, NULL) && h[0].conditions[1].value != NULL);
    assert_string_equal(h[0].type, "text/plain");
    assert_true(h[0].status == 200 && h[0].reply != NULL && h[0].n_headers == 0);
    assert_true(!h[1].is_unsigned && h[1].status == 204 && h[1].type == NULL && h[1].reply == NULL);
    assert_true(is(h[1].conditions[0].equals, NULL) && h[1].conditions[0].value == NULL);
    assert_true(h[1].n_headers == 2 && is(h[1].headers[0].name, "X-S"));
    assert_true(h[1].save_on && h[1].save.kind == TERM_HEADER && !h[1].visit_on);
    assert_true(h[2].visit_on && h[2].visit.kind == TERM_JSON && h[2].n_from == 1);
    assert_true(is(h[2].from[0], "https://a.example.com/*") && !h[2].save_on);
    assert_true(h[3].n_conditions == 0 && is(h[3].method, "HEAD"));
    assert_true(r->signs_challenges);
    recipes_free(set);
    r = site_mine(LIKE "hello = POST json:/a => 200\n", &set);
    assert_false(r->signs_challenges);
    recipes_free(set);
}

static void reads_answers(void **state)
{
    struct recipes *set;
    const struct recipe *r = site_mine(LIKE
        "ok = 202 text/plain Hello ; header X-Id {header:x-id}\nnever = 410\n", &set);
    const struct fixed_answer *a = r->answers;
    (void)state;
    assert_true(a[ANSWER_OK].status == 202 && a[ANSWER_OK].text != NULL);
    assert_string_equal(a[ANSWER_OK].type, "text/plain");
    assert_true(a[ANSWER_OK].n_headers == 1 && is(a[ANSWER_OK].headers[0].name, "X-Id"));
    assert_true(a[ANSWER_BAD].status == 401 && a[ANSWER_BAD].text == NULL);
    assert_true(a[ANSWER_BUSY].status == 503 && a[ANSWER_NEVER].status == 410);
    recipes_free(set);
    r = site_mine(LIKE, &set);
    assert_int_equal(r->answers[ANSWER_NEVER].status, 422);
    recipes_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_each_word_that_there_is),
        cmocka_unit_test(reads_where_signatures_are),
        cmocka_unit_test(reads_algorithms),
        cmocka_unit_test(reads_choices_of_algorithms),
        cmocka_unit_test(reads_key_chains),
        cmocka_unit_test(reads_keys_that_are_fetched),
        cmocka_unit_test(reads_time_and_checks),
        cmocka_unit_test(reads_handshakes),
        cmocka_unit_test(reads_answers),
    };
    return cmocka_run_group_tests(tests, site_start, site_end);
}
