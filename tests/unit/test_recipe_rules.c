/* What a recipe's keys must hold together: the signature covers the body, the time and the query, or
 * the recipe says that it does not. */
#include "recipe_site.h"

#define NO_BODY "signed: without {body} anybody could exchange the body"
#define NO_TIE "nothing ties the body to the token: add a check like"
#define RENEW "time: not signed, so anybody could renew it"

static void covers_the_body(void **state)
{
    static const struct refusal bad[] = {
        {LIKE "signed = {header:x-id}\n", NO_BODY},
        {LIKE "signed = {json:/a}\n", NO_BODY},
        {LIKE "signed = {body|crc32}\n", NO_BODY},
        {LIKE "signed = {body|trim}\n", NO_BODY},
        {LIKE "signed = {body|ptr:/a}\n", NO_BODY},
        {LIKE "signed = {body|lower|sha256}\n", NO_BODY},
        {LIKE "signed = [[{header:x-id}{body}]]x\n", NO_BODY},
        {LIKE "signed = {header:x-id}{body} ?? {header:x-id}\n", NO_BODY},
        {LIKE "signed = {form:payload}\n", NO_BODY},
        {LIKE "signed = {header:a}\ncheck = {header:b} == {body|sha256|hex}\n", NO_BODY},
        {LIKE "signed = {header:a}\ncheck = {header:a} == {body|crc32}\n", NO_BODY},
        {LIKE "signed = {header:a}\ncheck = {header:a} == {json:/a}\n", NO_BODY},
        {LIKE "signed = {header:a}\ncheck = {header:a} == {body|sha256} ; if header:b\n", NO_BODY},
        {LIKE "signed = {header:a}\ncheck = {header:a} == {body|sha256} ; unless body\n", NO_BODY},
        {LIKE "signed = {header:a}\ncheck = {header:a} == {body|sha256} ; unless form\n", NO_BODY},
        {LIKE "signed = {header:a}[[{header:b}]]\ncheck = {header:b} == {body|sha256}\n", NO_BODY},
        {LIKE "signed = {header:a}\ncheck = {body|sha256} == [[{header:a}]]b\n", NO_BODY},
        {LIKE "signed = {header:a}\ncheck = {body|sha256|hex} == abc\n", NO_BODY},
        {LIKE "signed = {url}{formsorted}\n", "signed: a body that is no form is not covered"},
        {LIKE "signed = {url}{formsorted}\nid = {form:a} ?? {json:/a}\n", "no form is not covered"},
        {LIKE "signed = {url|withform}\nid = {json:/a}\n", "a body that is no form is not covered"},
        {LIKE "signed = {path|withform}{body}\n", "withform stands alone, and behind url only"},
        {LIKE "signed = {url|withform|sha256}\n", "withform stands alone, and behind url only"},
        {LIKE "signed = {formsorted}\ncheck = {query:a} == {body|sha256|hex} ; unless form\n",
         "no form is not covered"}, /* nobody signed the query */
        {TOKEN "alg = jwt HS256\n", "own.conf:1: " NO_TIE},
        {TOKEN "alg = jwt HS256\ncheck = {claim:iss} == me\n", NO_TIE},
        {TOKEN "alg = jwt HS256\ncheck = {header:a} == {body|sha256|hex}\n", NO_TIE},
        {MINE "sig = body header:a\nid = {claim:a}\nalg = jwt RS256\n", NO_TIE},
        {MINE "sig = body|trim\nid = {claim:a}\nalg = jwt RS256\n", NO_TIE},
        {MINE "sig = body ; list space\nid = {claim:a}\nalg = jwt RS256\n", NO_TIE},
    };
    static const char *const good[] = {
        LIKE "signed = a{body}b\n",
        LIKE "signed = {header:a}.{body|sha256|hex|upper}\n",
        LIKE "signed = {body|json} ?? {body|base64url}\n",
        LIKE "signed = [[{header:a}]]{body}\n",
        LIKE "signed = {header:a}\ncheck = {header:a} == SHA-256={body|sha256|base64}\n",
        LIKE "signed = {header:a}\ncheck = {body|md5|hex} == {header:a} ; if body\n",
        LIKE "signed = {url}{formsorted}\nid = {form:a} ?? {form:b}\n",
        LIKE "signed = {url}{formsorted}\ncheck = {query:a} == {body|sha256|hex} ; unless form\n",
        LIKE "signed = {url|withform}\nid = {form:a} ?? {form:b}\n",
        LIKE "signed = {header:a}\nweak = body\n",
        LIKE "signed = {json:/a}{body|crc32}\nweak = fields\n",
        TOKEN "alg = jwt HS256\ncheck = {claim:h} == {body|sha256|hex} ; if body\n",
        TOKEN "alg = jwt RS256 ES256\nweak = body\n",
        MINE "sig = body\nid = {claim:a}\nalg = jwt RS256\n",
        TOKEN "alg = jws RS256\nsigned = {body}\n",
        TOKEN "alg = equal\nweak = token\n",
    };
    (void)state;
    check_refusals(bad, COUNT(bad));
    check_taken(good, COUNT(good));
}

/* Where an empty body is a delivery too, `if body` alone would let anybody take one off. */
static void lets_no_body_be_taken_off(void **state)
{
    static const char off[] = "since an empty body is a delivery too, the body could be taken off";
    static const char *const checks[] = {
        "check = {claim:h} == {body|sha256|hex} ; if body\n", /* this one is in all of them */
        "check = {claim:h} == {body|sha256|hex} ; if claim:h\n",
        "check = x{body|sha256|hex} == x{claim:h} ; if claim:h\n",
        "check = {claim:h} == {body|sha256|hex} ; if claim:other\n",
        "check = {claim:h} == {body|sha256|hex} ; if header:h\n",
        "check = {claim:h} == {body|sha256|hex} ; if claim:h ; if header:h\n",
        "check = {claim:h} == {body|sha256|hex} ; unless claim:h\n",
        "check = {claim:h} == {body|crc32} ; if claim:h\n",
    };
    static const char *const empty[] = {"", "empty-body = yes\n", "methods = POST GET\n"};
    (void)state;
    for (size_t i = 0; i < COUNT(checks); i++) {
        for (size_t j = 0; j < COUNT(empty); j++) {
            char recipe[1024];
            (void)snprintf(recipe, sizeof recipe, "%s%salg = jwt HS256\n%s%s%s", TOKEN, empty[j],
                           checks[0], i > 0 ? checks[i] : "",
                           j == 2 ? "check = {claim:u} == {url|sha256|hex}\n" : "");
            if (j == 0 || i == 1 || i == 2) {
                check_taken((const char *const[]){recipe}, 1);
            } else {
                check_refusals(&(struct refusal){recipe, off}, 1);
            }
        }
    }
    static const struct refusal bad[] = {
        {LIKE "empty-body = yes\nsigned = {url}{formsorted}\n"
              "check = {query:a} == {body|sha256|hex} ; if body ; unless form\n", off},
        {LIKE "empty-body = yes\nsigned = {url}{formsorted}\n"
              "check = {query:a} == {body|sha256|hex} ; if body ; unless form\n"
              "check = {query:a} == {body|sha256|hex} ; if query:a ; if form\n", off},
    };
    static const char *const good[] = {
        LIKE "empty-body = yes\nsigned = {url}{formsorted}\n"
             "check = {query:a} == {body|sha256|hex} ; if body ; unless form\n"
             "check = {query:a} == {body|sha256|hex} ; if query:a\n",
        LIKE "empty-body = yes\nsigned = {url}{formsorted}\n"
             "check = {query:a} == {body|sha256|hex} ; if body ; unless form\n"
             "check = {query:a} == {body|sha256|hex} ; if query:a ; unless form\n",
        LIKE "empty-body = yes\nsigned = {url}{formsorted}\n"
             "check = {query:a} == {body|sha256|hex} ; unless form\n",
        LIKE "empty-body = yes\nsigned = {url}{formsorted}\nid = {form:a}\n",
    };
    check_refusals(bad, COUNT(bad));
    check_taken(good, COUNT(good));
}

static void says_weak_only_where_it_is(void **state)
{
    static const struct refusal bad[] = {
        {LIKE "weak = body\n", "own.conf:3: weak: the body is signed: it is not weak"},
        {LIKE "signed = {body|sha256}\nweak = fields\n", "weak: the body is signed"},
        {MINE "sig = body\nid = {claim:a}\nalg = jwt RS256\nweak = body\n", "the body is signed"},
    };
    (void)state;
    check_refusals(bad, COUNT(bad));
}

static void has_the_secret_in_a_digest(void **state)
{
    static const struct refusal bad[] = {
        {LIKE "alg = digest-sha256\n", "signed: without {secret} anybody could make the digest"},
        {LIKE "alg = digest-md5\nsigned = {body}[[{secret}]]\n", "signed: without {secret}"},
        {LIKE "alg = digest-sha1\nsigned = {secret}{body} ?? {body}\n", "signed: without {secret}"},
    };
    static const char *const good[] = {LIKE "alg = digest-sha384\nsigned = {secret}{body}\n"};
    (void)state;
    check_refusals(bad, COUNT(bad));
    check_taken(good, COUNT(good));
}

#define GO_ON "signed: a digest with {secret} in front shows all it takes to go on with it"

/* Length extension: whoever has seen the digest of secret and body has that of a longer body. */
static void admits_what_can_be_put_behind(void **state)
{
    static const struct refusal bad[] = {
        {LIKE "alg = digest-sha256\nsigned = {secret}{body}\n", "own.conf:4: " GO_ON},
        {LIKE "alg = digest-md5\nsigned = {secret}{body}\n", GO_ON},
        {LIKE "alg = digest-sha512\nsigned = a{secret}{method}{url}{body}\n", GO_ON},
        {LIKE "alg = digest-sha1\nsigned = {secret}{body}tail\n", GO_ON},
        {LIKE "alg = digest-sha1\nsigned = {secret}{body}{ts}\ntime = header:x ; s ; 9\n", GO_ON},
        {LIKE "alg = digest-sha1\nsigned = {secret}{body|sha256|hex}{json:/a}\n", GO_ON},
        {LIKE "alg = digest-sha1\nsigned = {secret}{body|sha256|hex}{header:a|unhex}\n", GO_ON},
        {LIKE "alg = digest-sha1\nsigned = {body}{secret} ?? {secret}{body}\n", GO_ON},
        {LIKE "alg = digest-sha1\nsigned = {secret}{body}[[{secret}]]\n", GO_ON},
        {LIKE "alg-by = header:a ; b digest-sha1 ; else digest-sha384\nsigned = {secret}{body}\n", GO_ON},
        {LIKE "alg = digest-sha1\nsigned = {body}{secret}\nweak = body\n", "it is not weak"},
        {LIKE "alg = digest-sha1\nsigned = {secret}{body}\nweak = fields\n", "it is not weak"},
        {LIKE "alg = hmac-sha1\nsigned = a{body}\nweak = body\n", "it is not weak"},
    };
    static const char *const good[] = {
        LIKE "alg = digest-sha256\nsigned = {secret}{body}\nweak = body\n",
        LIKE "alg = digest-sha256\nsigned = {body}{secret}\n",
        LIKE "alg = digest-sha256\nsigned = {secret}{body}{secret}\n",
        LIKE "alg = digest-sha256\nsigned = {secret}{body|sha256|hex}{header:a}\n",
        LIKE "alg = digest-sha256\nsigned = {secret}{body|base64}{url}\n",
        LIKE "alg = digest-sha256\nsigned = {secret}{json:/a}\nweak = fields\n",
    };
    (void)state;
    check_refusals(bad, COUNT(bad));
    check_taken(good, COUNT(good));
}

/* Only where a recipe looks at forms is a body ever one. */
static void reads_forms_where_they_are_looked_at(void **state)
{
    static const struct refusal bad[] = {
        {FULL "check = {json:/a} == b ; if form\n",
         "own.conf:6: check: no body is a form where the recipe looks at none"},
        {FULL "check = {json:/a} == b ; if body ; unless form\n", "no body is a form where"},
    };
    static const struct {
        const char *text;
        bool forms;
    } rows[] = {
        {FULL, false},
        {FULL "type = {query:form}\n", false},
        {FULL "form-json = payload\n", true},
        {LIKE, true},
        {LIKE "form-json = none\n", false},
        {FULL "check = {json:/a} == b ; if form:c\n", true},
        {FULL "check = {form:a} == b\n", true},
        {FULL "check = b{header:a} == {form:a}\n", true},
        {FULL "type = {json:/a} ?? x[[{form:b}]]\n", true},
        {FULL "object = {form:b}\n", true},
        {FULL "reply-id = {form:b}\n", true},
        {FULL "same = {json:/a} {form:b}\n", true},
        {FULL "guard = {form:b}\n", true},
        {FULL "at = json:/a ; s ?? form:b ; s\n", true},
        {FULL "time = json:/a ?? form:b ; s ; 300\n", true},
        {FULL "ok = 200 text/plain {form:b}\n", true},
        {FULL "never = 422 ; header X-A {form:b}\n", true},
        {FULL "hello = POST form:a==1 => 200\n", true},
        {FULL "hello = unsigned GET json:/a => 200 text/plain {form:b}\n", true},
        {FULL "hello = unsigned GET json:/a => 200 ; header X-A {form:b}\n", true},
        {FULL "hello = POST json:/a => 200 ; save form:b\n", true},
        {FULL "hello = POST json:/a => 200 ; visit form:b from https://a.example/*\n", true},
        {MINE "sig = header:x-sig form:sig\nsigned = {header:x}\nweak = body\n" REST, true},
        {MINE "sig = header:x-sig\nsigned = {url}{formsorted}{body}\n" REST, true},
        {MINE "sig = header:x-sig\nsigned = {url|withform}{body}\n" REST, true},
        {MINE "sig = header:x-sig\nsigned = {body}\nenc = hex\nid = {form:a} ?? {json:/id}\n"
              "alg-by = json:/alg ; a hmac-sha1 ; else hmac-sha256\n", true},
        {MINE "sig = header:x-sig\nsigned = {body}\nid = {json:/id}\n"
              "alg-by = form:alg ; a hmac-sha1 ; else hmac-sha256\n", true},
        {MINE "sig = header:x-sig\nsigned = {body}\nid = {json:/id}\nalg = rsa-sha256\n"
              "keys = pem json:/url ; from https://a.example/*\n", false},
        {MINE "sig = header:x-sig\nsigned = {body}\nid = {json:/id}\nalg = rsa-sha256\n"
              "keys = jwks https://a.example/k ; kid form:kid\n", true},
    };
    (void)state;
    check_refusals(bad, COUNT(bad));
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct recipes *set;
        const struct recipe *r = site_mine(rows[i].text, &set);
        ROW(i, r->forms == rows[i].forms);
        recipes_free(set);
    }
}

#define AT(where) "time = " where " ; s ; 300\n"

static void signs_the_time(void **state)
{
    static const struct refusal bad[] = {
        {TIMED "signed = {body}\n" AT("sig.t"), RENEW},
        {LIKE AT("header:x-t"), RENEW},
        {LIKE "headers = x-\n" AT("header:*t"), RENEW},
        {LIKE AT("query:t"), RENEW},
        {LIKE "signed = [[{ts}]]{body}\n" AT("header:x-t"), RENEW},
        {LIKE "signed = {ts}{body} ?? {body}\n" AT("header:x-t"), RENEW},
        {LIKE "signed = {header:x-u}{body}\n" AT("header:x-t"), RENEW},
        {LIKE "signed = {header:x-t|field:a}{body}\n" AT("header:x-t|field:b"), RENEW},
        {LIKE "signed = {header:x-t}{body}\n" AT("header:x-t ?? header:x-u"), RENEW},
        {LIKE "signed = {json:/a}\nweak = fields\n" AT("json:/t"), RENEW},
        {LIKE "signed = {url}{formsorted}\nid = {json:/a}\nweak = fields\n" AT("json:/t"), RENEW},
        {TOKEN "alg = jwt HS256\nweak = body\n" AT("header:x-t"), RENEW},
        {TOKEN "alg = jwt HS256\nweak = body\n" AT("json:/t"), RENEW},
        {TOKEN "alg = equal\nweak = token\n" AT("header:x-t"), RENEW},
        {TOKEN "alg = equal\nweak = token\n" AT("form:t"), RENEW},
    };
    static const char *const good[] = {
        LIKE AT("json:/t"),
        LIKE AT("form:t"),
        TIMED "signed = {ts}{body}\n" AT("sig.t"),
        LIKE "signed = {ts}{body}\n" AT("header:x-t ?? json:/t ?? query:t"),
        LIKE "signed = {header:x-t}{body}\n" AT("header:x-t|field:a"),
        LIKE "signed = {header:x-t|field:a}{body}\n" AT("header:x-t|field:a"),
        LIKE "signed = {header:x-t|sha256}{body}\n" AT("header:x-t"),
        LIKE "signed = {url}{body}\n" AT("query:t"),
        LIKE "signed = {json:/t}{json:/a}\nweak = body\n" AT("json:/t"),
        LIKE "signed = {json:/a}\nweak = fields\n" AT("form:t"),
        LIKE "signed = {url}{formsorted}\nid = {form:id}\n" AT("form:t"),
        TOKEN "alg = jwt HS256\nweak = body\n" AT("claim:iat"),
        TOKEN "alg = jws RS256\nsigned = {body}\n" AT("jose:ts"),
        TOKEN "alg = jwt HS256\ncheck = {claim:h} == {body|sha256|hex}\n" AT("json:/t"),
    };
    (void)state;
    check_refusals(bad, COUNT(bad));
    check_taken(good, COUNT(good));
}

/* Then one request can be sent again as any number of events, unless a guard is on. */
static void knows_ids_that_nobody_signs(void **state)
{
    static const struct {
        const char *text;
        bool is_unsigned;
    } rows[] = {
        {FULL, false},
        {FULL "guard = {body}\n", false},
        {LIKE "guard = none\nid = {header:x-id}\n", true},
        {LIKE "guard = {body}\nid = {header:x-id}\n", true},
        {LIKE "guard = none\nid = {body|sha256|hex}\n", false},
        {LIKE "guard = none\nid = {json:/id} ?? {header:x-id}\n", true},
        {LIKE "guard = none\nid = {header:x-id}.{body|sha256|hex}\n", true},
        {LIKE "guard = none\nid = {body|sha256|hex}[[.{query:id}]]\n", true},
        {LIKE "guard = none\nheaders = x-\nid = {header:*id}\n", true},
        {LIKE "guard = none\nheaders = x-\nid = {header:*id}\nsigned = {header:*id}.{body}\n", false},
        {LIKE "guard = none\nid = {header:x-id}\nsigned = {header:x-id}.{body}\n", false},
        {LIKE "guard = none\nid = {header:x-id}\nsigned = {header:x-id}.{body} ?? {body}\n", true},
        {LIKE "guard = none\nid = {header:x-id}\nsigned = [[{header:x-id}]]{body}\n", true},
        {LIKE "guard = none\nid = {query:id}\nsigned = {url}{body}\n", false},
        {LIKE "guard = none\nid = {query:id}\nsigned = {path}{body}\n", false},
        {LIKE "guard = none\nid = {header:x-t}.{json:/id}\nsigned = {ts}.{body}\n" AT("header:x-t"), false},
        {LIKE "guard = none\nid = {header:x-t}\nsigned = {ts}.{body}\n" AT("header:x-t ?? header:x-u"), true},
        {LIKE "guard = none\nid = {header:x-id}\ncheck = {header:x-id} == {json:/id}\n", false},
        {LIKE "guard = none\nid = {header:x-id}\ncheck = a{json:/id} == a{header:x-id}\n", false},
        {LIKE "guard = none\nid = {header:x-id}\ncheck = {header:x-id} == {json:/id} ; if json:/id\n", true},
        {LIKE "guard = none\nid = {header:x-id}\ncheck = {header:x-id} == {header:x-other}\n", true},
        {LIKE "guard = none\nid = {header:x-id}\nweak = fields\nsigned = {json:/a}\n"
              "check = {header:x-id} == {json:/id}\n", true},
        {LIKE "guard = none\nid = {header:x-id}\nweak = fields\nsigned = {json:/id}\n"
              "check = {header:x-id} == {json:/id}\n", false},
        {TOKEN "alg = equal\nweak = token\n", false},
        {MINE "sig = header:a\nid = {header:x-id}\nalg = equal\nweak = token\n", true},
        {MINE "sig = header:a\nid = {claim:jti}\nalg = jwt HS256\nweak = body\n", false},
        {MINE "sig = header:a\nid = {header:x-id}\nalg = jwt HS256\nweak = body\n"
              "check = {header:x-id} == {claim:jti}\n", false},
        {LIKE "guard = none\nid = none\nbatch = /a\n", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct recipes *set;
        struct recipe_facts f;
        recipe_facts(site_mine(rows[i].text, &set), &f);
        ROW(i, f.unsigned_id == rows[i].is_unsigned);
        recipes_free(set);
    }
}

/* {ts}{body}: nothing tells which of the two a digit between them belongs to. */
static void knows_where_time_and_body_run_together(void **state)
{
    static const struct {
        const char *text;
        bool before, behind;
    } rows[] = {
        {LIKE "signed = {ts}{body}\n" AT("header:t"), true, false},
        {LIKE "signed = {ts}{body}\ntime = header:t ; ms ; none\n", true, false},
        {LIKE "signed = {body}{ts}\n" AT("header:t"), false, true},
        {LIKE "signed = {body}{ts}{body}\n" AT("header:t"), true, true},
        {LIKE "signed = {header:t}{body}\n" AT("header:t"), true, false},
        {LIKE "signed = {body}{header:t|trim}\n" AT("header:t|trim"), false, true},
        {LIKE "signed = {header:u}{body|json}{ts}\n" AT("header:t ?? header:u"), true, true},
        {TIMED "signed = {body}{sig.t}\n" AT("sig.t"), false, true},
        {LIKE "signed = a{ts}[[.{header:x}]]{body}\n" AT("header:t"), true, false},
        {LIKE "signed = {body}.[[{ts}]]{body} ?? {body}[[.{header:x}]]{ts}\n" AT("json:/t"), true, true},
        {LIKE "signed = {ts}00{body}\n" AT("header:t"), true, false},
        {LIKE "signed = {ts}.{body}\n" AT("header:t"), false, false},
        {LIKE "signed = {body}\\n{ts}\n" AT("header:t"), false, false},
        {LIKE "signed = {ts}{url}{body}\n" AT("header:t"), false, false},
        {LIKE "signed = {ts}{body|sha256|hex}\n" AT("header:t"), false, false},
        {LIKE "signed = [[{ts}.]]{body}{ts}x\n" AT("json:/t"), false, true},
        {LIKE "signed = {ts}{body}\ntime = header:t ; rfc3339 ; 300\n", false, false},
        {LIKE "signed = {ts}{body}\ntime = header:t ; rfc2822 ; 300\n", false, false},
        {LIKE "signed = {header:t}{body}\n", false, false},
        {LIKE "signed = {header:u}{body}.{ts}\n" AT("header:t"), false, false},
    };
    static const struct refusal bad[] = {
        {LIKE "signed = {ts}{body|hex}\n" AT("header:t"), "signed: the time and the body run together"},
        {LIKE "signed = {body|base64}{ts}\n" AT("header:t"), "the time and the body run together"},
    };
    (void)state;
    check_refusals(bad, COUNT(bad));
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct recipes *set;
        const struct recipe *r = site_mine(rows[i].text, &set);
        ROW(i, r->time_before_body == rows[i].before);
        ROW(i, r->time_behind_body == rows[i].behind);
        recipes_free(set);
    }
}

static void signs_the_query_of_a_get(void **state)
{
    static const struct refusal bad[] = {
        {LIKE "methods = POST GET\n", "own.conf:3: methods: GET delivers its query"},
        {TOKEN "alg = jwt HS256\nmethods = GET\ncheck = {claim:h} == {body|sha256|hex}\n"
               "check = {claim:url} == {url|sha256|hex} ; if body\n", "methods: GET delivers"},
    };
    static const char *const good[] = {
        LIKE "methods = POST GET\nsigned = {url}{body}\n",
        LIKE "methods = GET\nsigned = {method}{path}{body}\n",
        LIKE "methods = POST PUT\n",
        TOKEN "alg = equal\nweak = token\nmethods = GET\n",
        TOKEN "alg = jwt HS256\nmethods = GET\ncheck = {claim:h} == {body|sha256|hex}\n"
              "check = {claim:url} == {url|sha256|hex}\n",
    };
    (void)state;
    check_refusals(bad, COUNT(bad));
    check_taken(good, COUNT(good));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers_the_body),
        cmocka_unit_test(lets_no_body_be_taken_off),
        cmocka_unit_test(says_weak_only_where_it_is),
        cmocka_unit_test(has_the_secret_in_a_digest),
        cmocka_unit_test(admits_what_can_be_put_behind),
        cmocka_unit_test(reads_forms_where_they_are_looked_at),
        cmocka_unit_test(signs_the_time),
        cmocka_unit_test(knows_ids_that_nobody_signs),
        cmocka_unit_test(knows_where_time_and_body_run_together),
        cmocka_unit_test(signs_the_query_of_a_get),
    };
    return cmocka_run_group_tests(tests, site_start, site_end);
}
