/* Every mistake in a recipe, with its place and the words there are. What keys must hold together
 * is in test_recipe_rules.c. */
#include "recipe_site.h"

#define TELLS(rows) check_refusals(rows, COUNT(rows))

static void in_files_and_sections(void **state)
{
    static const struct refusal rows[] = {
        {"[recipe]\nlike = stripe\n", "own.conf:1: a recipe needs a name"},
        {"[recipe stripe]\nlike = github\n", "own.conf:1: there is a recipe stripe already, a "
                                             "built-in one"},
        {MINE "[recipe mine]\n", "own.conf:2: a second [recipe mine]"},
        {"[source x]\n", "own.conf:1: unknown section \"source\""},
        {FULL "sgned = x\n", "own.conf:6: unknown key \"sgned\" in a section recipe; did you mean "
                             "\"signed\"?"},
        {MINE "like = strip\n", "own.conf:2: like: no recipe strip; did you mean stripe?"},
        {MINE "like = qqqqqq\n", "own.conf:2: like: no recipe qqqqqq; `hookonce providers` lists"},
        {MINE "like = mine\n", "own.conf:2: like: runs in a circle"},
        {"[recipe a]\nlike = b\n[recipe b]\nlike = a\n", "own.conf:2: like: runs in a circle"},
        {FULL "sig = header:y\n", "own.conf:6: a second sig; the first is in line 2"},
        {FULL "cap = 65m\n", "own.conf:6: cap must be"},
        {FULL "scope = site\n", "own.conf:6: scope must be one of source provider"},
        {FULL "weak = much\n", "own.conf:6: weak must be one of body fields token none"},
        {FULL "hello = none\nhello = POST json:/a => 200\n", "own.conf:7: hello: `none` and others"},
        {FULL "check = {header:a} == a\ncheck = none\n", "own.conf:7: check: `none` and others"},
        {LIKE "alg = ed25519\nenc = raw\n", "own.conf:4: enc: raw is for equal"},
    };
    (void)state;
    TELLS(rows);
}

/* A mistake in a line that was well in the recipe it stands in is told with both places. */
static void in_lines_that_are_inherited(void **state)
{
    static const struct refusal rows[] = {
        {LIKE "alg = equal\nweak = token\n", "own.conf:1: [recipe mine]: built-in github.conf:"},
        {LIKE "alg = equal\nweak = token\n", ": signed: alg = equal signs nothing"},
        {LIKE "alg = equal\nenc = raw\nsigned = none\n", "own.conf:1: alg = equal proves nothing"},
        {LIKE "sig = none\n", "own.conf:3: sig: \"none\" is not known"},
        {LIKE "id = none\n", "own.conf:1: [recipe mine] needs id"},
    };
    (void)state;
    TELLS(rows);
}

static void where_something_is_missing(void **state)
{
    static const struct refusal rows[] = {
        {MINE, "own.conf:1: [recipe mine] needs sig"},
        {MINE "sig = header:x\n", "own.conf:1: [recipe mine] needs alg"},
        {MINE "sig = header:x\nalg = hmac-sha256\n", "own.conf:1: [recipe mine] needs signed"},
        {MINE "sig = header:x\nalg = hmac-sha256\nsigned = {body}\n",
         "own.conf:1: [recipe mine] needs id"},
        {MINE "sig = header:x\nalg = equal\n", "own.conf:1: alg = equal proves nothing"},
        {FULL "headers =\n", "own.conf:6: headers: no value"},
        {FULL "ok =\n", "own.conf:6: ok: no value"},
        {FULL "check =\n", "own.conf:6: check: no value"},
        {FULL "form-json =\n", "own.conf:6: form-json: no value"},
    };
    (void)state;
    TELLS(rows);
}

static void in_the_signature(void **state)
{
    static const struct refusal rows[] = {
        {LIKE "headers = x-a\n", "own.conf:3: headers: a prefix ends in -"},
        {LIKE "headers = a- b- c- d- e-\n", "headers: more than 4 prefixes"},
        {LIKE "methods = POST PATCH\n", "methods: unknown or repeated method \"PATCH\"; there are "
                                        "POST GET PUT"},
        {LIKE "methods = POST POST\n", "repeated method \"POST\""},
        {LIKE "param = Id the id\n", "own.conf:3: param: a name of lower-case letters"},
        {LIKE "param = a.b the id\n", "own.conf:3: param: a name of lower-case letters"},
        {LIKE "param = id\n", "param: behind the name say what it is"},
        {LIKE "param = id a\nparam = id b\n", "own.conf:4: param: a second id"},
        {LIKE "param = a a\nparam = b b\nparam = c c\nparam = d d\nparam = e e\nparam = f f\n"
              "param = g g\n", "own.conf:9: param: more than 6"},
        {LIKE "form-json = a#b\n", "form-json: a field's name of at most 58 bytes, without #"},
        {LIKE "batch = events\n", "batch: a pointer to the array"},
        {LIKE "batch = /a0000000000000000000000000000000000000000000000000000000000\n",
         "batch: the pointer is too long"},
        {LIKE "sig = ; strip v0=\n", "sig: "},
        {LIKE "sig = url\n", "own.conf:3: sig: signatures are read from header, query, form"},
        {LIKE "sig = ts\n", "own.conf:3: sig: signatures are read from"},
        {LIKE "sig = hdr:x\n", "own.conf:3: sig: \"hdr:x\" is not known; there are"},
        {LIKE "sig = header:*x\n", "own.conf:3: sig: header:*x needs the key `headers`"},
        {LIKE "sig = header:a|hmac-sha256\n", "sig: hmac filters stand only in the answer"},
        {LIKE "sig = header:x|param:p\n", "sig: param:p needs a key `param = p HELP`"},
        {LIKE "sig = body body body body body body body body body\n", "sig: more than 8 places"},
        {LIKE "sig = header:x ; strp v\n", "own.conf:3: sig: unknown or repeated directive "
                                           "\"strp\"; there are strip list first pair behind"},
        {LIKE "sig = header:x ; strip a ; strip b\n", "repeated directive \"strip\""},
        {LIKE "sig = header:x ; list comma ; list space\n", "repeated directive \"list\""},
        {LIKE "sig = header:x ; strip\n", "sig: strip needs a text"},
        {LIKE "sig = header:x ; behind\n", "sig: behind needs a text"},
        {LIKE "sig = header:x ; list\n", "sig: list needs comma, space"},
        {LIKE "sig = header:x ; list tab\n", "sig: unknown list \"tab\"; there are comma space"},
        {LIKE "sig = header:x ; pair is v1\n", "sig: unknown pair \"is\"; there are eq colon"},
        {LIKE "sig = header:x ; pair eq\n", "sig: pair needs one name behind eq"},
        {LIKE "sig = header:x ; pair eq v1 v2\n", "sig: pair needs one name"},
        {LIKE "sig = header:x ; first t\n", "sig: first needs list"},
        {LIKE "sig = header:x ; list comma ; first\n", "sig: first needs names"},
        {LIKE "sig = header:x ; list comma ; first a a\n", "sig: first has one name twice"},
        {LIKE "sig = header:x ; list comma ; first a b c d e\n", "sig: first has more than 4"},
        {LIKE "sig = header:x ; list comma ; first a ; pair eq v1\n", "sig: of first, pair and"},
        {LIKE "sig = header:x ; pair eq v1 ; behind |\n", "sig: of first, pair and behind only"},
        {LIKE "needs = x|sha256|hex\n", "needs: at most 8 names of headers"},
        {LIKE "needs = a b c d e f g h i\n", "needs: at most 8 names of headers"},
        {LIKE "needs = *a\n", "needs: header:*a needs the key `headers`"},
    };
    (void)state;
    TELLS(rows);
}

static void in_algorithms_and_keys(void **state)
{
    static const struct refusal rows[] = {
        {LIKE "alg = hmac-md4\n", "own.conf:3: alg: unknown algorithm \"hmac-md4\"; there are "
                                  "hmac-ALG digest-ALG rsa-ALG ecdsa-ALG"},
        {LIKE "alg = rsa-md5\n", "alg: unknown algorithm \"rsa-md5\""},
        {LIKE "alg = ecdsa-sha384\n", "alg: unknown algorithm \"ecdsa-sha384\""},
        {LIKE "alg = ed25519-sha256\n", "alg: unknown algorithm"},
        {LIKE "alg = hmac-sha256 hmac-sha1\n", "alg: one algorithm; for several see alg-by"},
        {LIKE "alg = jwt\n", "alg: jwt needs the algorithms that may be, of HS256"},
        {LIKE "alg = jwt none\n", "alg: unknown or repeated name \"none\"; there are HS256"},
        {LIKE "alg = jws RS256 RS256\n", "repeated name \"RS256\""},
        {LIKE "alg = jwt HS256 RS256\n", "alg: HS and the others at once: a public key would pass"},
        {LIKE "alg = hmac-sha1\nalg-by = header:a ; else hmac-sha1\n",
         "own.conf:4: alg-by: stands in place of alg"},
        {LIKE "alg-by = header:a\n", "own.conf:3: alg-by: written: TERM ; VALUE ALG"},
        {LIKE "alg-by = url ; else hmac-sha1\n", "alg-by: the algorithm is told by header"},
        {LIKE "alg-by = header:a ; A hmac-sha1 ; B rsa-sha1\n", "alg-by: the choices are all hmac"},
        {LIKE "alg-by = header:a ; A equal\n", "alg-by: the choices are all hmac"},
        {LIKE "alg-by = header:a ; A jwt HS256\n", "alg-by: the choices are all hmac"},
        {LIKE "alg-by = header:a ; A hmac-sha1 ; A hmac-sha256\n", "alg-by: a second choice for A"},
        {LIKE "alg-by = header:a ; else hmac-sha1 ; else hmac-sha256\n", "a second choice for else"},
        {LIKE "alg-by = header:a ; A\n", "alg-by: unknown algorithm \"\""},
        {LIKE "enc = base32\n", "enc: unknown encoding \"base32\"; there are hex hex-any base64 "
                                "base64url raw"},
        {LIKE "enc = raw\n", "enc: raw is for equal, jwt and jws"},
        {TOKEN "alg = jwt HS256\nweak = body\nenc = hex\n", "enc: jwt and jws are taken as they"},
        {LIKE "weak = token\n", "own.conf:3: weak: token is for alg = equal"},
        {TOKEN "alg = equal\nweak = body\n", "weak: alg = equal proves nothing but a shared token"},
        {LIKE "key = rot13\n", "key: unknown key step \"rot13\"; there are utf8"},
        {LIKE "key = unhex | strip:x\n", "key: strip stands in front of what decodes"},
        {LIKE "key = strip:\n", "key: unknown key step \"strip:\""},
        {LIKE "key = strip:a | split:b\n", "key: unknown key step \"split:b\""},
        {LIKE "key = unhex | {secret}\n", "key: unknown key step \"{secret}\""},
        {LIKE "key = sha1 | sha1 | sha1 | sha1 | sha1 | sha1 | sha1\n", "key: more than 6 steps"},
        {LIKE "key = {header:a}{secret}\n", "key: a key is made of {secret} and {param:NAME} only"},
        {LIKE "key = {param:id}\nparam = id of it\n", "key: the template of a key holds {secret}"},
        {LIKE "key = {secret} ?? {secret}\n", "key: the template of a key holds {secret}, and no"},
        {LIKE "key = {param:id}{secret}\n", "key: param:id needs a key `param = id HELP`"},
    };
    (void)state;
    TELLS(rows);
}

#define FETCH MINE "sig = header:x-sig\nsigned = {body}\nid = {json:/id}\nalg = rsa-sha256\n"

static void in_keys_that_are_fetched(void **state)
{
    static const struct refusal rows[] = {
        {LIKE "keys = jwks https://a.example.com/k\n", "own.conf:3: keys: public keys are for rsa"},
        {TOKEN "alg = jwt HS256\nweak = body\nkeys = jwks https://a.example.com/k\n",
         "keys: public keys are for rsa, ecdsa, ed25519 and jwt or jws with RS"},
        {FETCH "keys = pgp https://a.example.com/k\n", "own.conf:6: keys: written: jwks URL ; kid"},
        {FETCH "keys = pem\n", "keys: written: jwks URL"},
        {FETCH "keys = pem http://a.example.com/k\n", "keys: \"http://a.example.com/k\" is not known"},
        {FETCH "keys = pem https://a.example.com/*\n", "keys: a fixed URL holds no *"},
        {FETCH "keys = pem https://user@a.example.com/\n", "keys: the host of a URL"},
        {FETCH "keys = pem query:url ; from https://a.example.com/*\n",
         "keys: the URL of a key is https://..., or told by a header or json"},
        {FETCH "keys = pem header:x-url\n", "keys: a URL that the request tells needs `from`"},
        {FETCH "keys = pem header:x-url ; from\n", "keys: from needs patterns"},
        {FETCH "keys = pem header:x-url ; from https://*.com/a\n", "keys: a * in the last two"},
        {FETCH "keys = pem header:x-url ; from http://a.example.com/a\n", "begins with https://"},
        {FETCH "keys = pem header:x-url ; from https://a.b.example.com\n", "keys: "},
        {FETCH "keys = pem https://a.example.com/ ; from https://a.example.com/\n",
         "keys: from is for a URL that the request tells"},
        {FETCH "keys = pem https://a.example.com/ ; kid header:k\n", "unknown or repeated directive "
                                                                     "\"kid\""},
        {FETCH "keys = jwks https://a.example.com/ ; kid url\n", "keys: a key's id is told by"},
        {FETCH "keys = jwks https://a.example.com/ ; kid jose:kid\n", "keys: jose:kid needs alg = "
                                                                      "jwt or jws"},
        {FETCH "keys = json https://a.example.com/\n", "keys: json needs `at /POINTER`"},
        {FETCH "keys = json https://a.example.com/ ; at a\n", "keys: at needs a pointer"},
    };
    (void)state;
    TELLS(rows);
}

static void in_what_is_signed(void **state)
{
    static const struct refusal rows[] = {
        {LIKE "signed = {ts}{body}\n", "signed: ts needs the key `time`"},
        {LIKE "signed = {secret}{body}\n", "signed: secret stands only in `key`, and in `signed` of"},
        {LIKE "signed = {body}{claim:a}\n", "signed: what is signed is known before the events"},
        {LIKE "signed = {body}{jose:a}\n", "signed: jose:a needs alg = jwt or jws"},
        {LIKE "batch = .\nsigned = {body}{item}\n", "signed: what is signed is known before"},
        {LIKE "signed = {body}{json:./a}\n", "signed: what is signed is known before the events"},
        {LIKE "signed = {body}{arrival}\n", "signed: what is signed is known before the events"},
        {LIKE "signed = {body}{param:a}\n", "signed: param:a needs a key `param = a HELP`"},
        {LIKE "signed = {body}{sig.t}\n", "signed: sig.t needs `pair` or `first` in sig"},
        {TIMED "signed = {sig.v1}{body}\n", "signed: sig.v1 is the signature itself"},
        {MINE REST "sig = header:x ; list comma ; first t\nsigned = {sig.u}{body}\n",
         "signed: sig.u is not among the names behind `first`"},
        {LIKE "signed = {bdy}\n", "own.conf:3: signed: \"bdy\" is not known"},
        {LIKE "check = {header:a}\n", "own.conf:3: check: written: TEMPLATE == TEMPLATE"},
        {LIKE "check = a == {header:a}\n", "check: on the left without any {term}"},
        {LIKE "check = {header:a} ?? a == b\n", "check: on the left without any {term}"},
        {LIKE "check = {header:a} == a ; when body\n", "check: unknown word \"when\"; there are if "
                                                       "unless"},
        {LIKE "check = {header:a} == a ; if sky\n", "check: \"sky\" is not known"},
        {LIKE "check = {header:a} == a ; if header:a ; if header:b ; if header:c ; if header:d\n",
         "check: more than 3 of if and unless"},
        {LIKE "check = {secret} == a\n", "check: secret stands only in `key`"},
        {LIKE "check = {header:a|hmac-sha256|hex} == a\n", "check: hmac filters stand only in"},
        {LIKE "check = {claim:a} == a\n", "check: claim:a needs alg = jwt"},
        {TIMED "signed = {ts}{body}\ntime = sig.v1 ; s ; 300\n", "time: sig.v1 is the signature"},
        {TIMED "signed = {ts}{body}\ntime = url ; s ; 300\n", "time: the signed time is in header"},
        {TIMED "signed = {ts}{body}\ntime = sig.t ; m ; 300\n", "time: the unit must be one of s ms "
                                                                "rfc3339 rfc2822"},
        {TIMED "signed = {ts}{body}\ntime = sig.t ; s ; 5m\n", "time: the tolerance is 1 to 604800 "
                                                               "seconds, or none"},
        {TIMED "signed = {ts}{body}\ntime = sig.t ; s\n", "time: the tolerance is 1 to 604800"},
        {TIMED "signed = {ts}{body}\ntime = sig.t ; s ; 0\n", "time: the tolerance is 1 to 604800"},
        {TIMED "signed = {ts}{body}\ntime = sig.t ; s ; 604801\n", "time: the tolerance is 1 to"},
        {TIMED "signed = {ts}{body}\ntime = sig.t ; s ; 1 ; 2\n", "time: written: TERM ; UNIT ; SEC"},
        {TIMED "signed = {ts}{body}\ntime = sig.a ?? sig.b ?? sig.c ?? sig.d ?? sig.e ; s ; 1\n",
         "time: more than 4 alternatives"},
    };
    (void)state;
    TELLS(rows);
}

static void in_what_events_are(void **state)
{
    static const struct refusal rows[] = {
        {LIKE "id = constant\n", "id: an alternative without any {term} is always"},
        {LIKE "id = {json:/id} ?? nothing\n", "id: an alternative without any {term}"},
        {LIKE "param = p of it\nid = {param:p}\n", "id: an alternative without any {term}"},
        {LIKE "id = {jsn:/id}\n", "own.conf:3: id: \"jsn:/id\" is not known"},
        {LIKE "id = {ts}\n", "id: ts needs the key `time`"},
        {LIKE "id = {secret}\n", "id: secret stands only in `key`"},
        {LIKE "id = {json:./id}\n", "id: item and json:./ need the key `batch`"},
        {LIKE "type = {header:*t}\n", "type: header:*t needs the key `headers`"},
        {LIKE "type = {arrival}\n", "type: arrival stands in `id` only"},
        {LIKE "object = {\n", "object: an alternative without any {term}"}, /* text, so constant */
        {LIKE "batch = /events\nguard = none\n", "id: in a batch each alternative looks at the item"},
        {LIKE "batch = /events\nid = {json:./id}\n", "guard: in a batch each alternative looks at"},
        {LIKE "batch = /events\nguard = none\nid = {json:./id} ?? {json:/id}\n", "id: in a batch"},
        {LIKE "at = json:/t\n", "at: the unit must be one of s ms rfc3339"},
        {LIKE "at = {json:/t} ; s\n", "at: \"{json:/t}\" is not known"},
        {LIKE "at = ts ; s\n", "at: ts needs the key `time`"},
        {LIKE "at = json:/a ; s ?? json:/b ; s ?? json:/c ; s ?? json:/d ; s ?? json:/e ; s\n",
         "at: more than 4 alternatives"},
        {LIKE "same = {json:/a} ?? {json:/b}\n", "same: no alternatives here"},
        {LIKE "same = {json:/a}-{json:/b}\n", "same: only {term}s with blanks"},
        {LIKE "same = [[{json:/a}]] {json:/b}\n", "same: only {term}s with blanks"},
    };
    (void)state;
    TELLS(rows);
}

#define JSON "hello = POST json:/a => 200 application/json "

static void in_answers(void **state)
{
    static const struct refusal rows[] = {
        {LIKE "hello = POST json:/a\n", "hello: written: [unsigned | foreign] METHOD"},
        {LIKE "hello = PUT json:/a => 200\n", "hello: the method is one of POST GET HEAD OPTIONS"},
        {LIKE "hello = POST => 200\n", "hello: at least one condition"},
        {LIKE "methods = GET\nsigned = {url}{body}\nhello = unsigned GET => 200\n",
         "hello: at least one condition"},
        {LIKE "hello = POST json:/a== => 200\n", "hello: nothing behind =="},
        {LIKE "hello = POST json:/a=={json:/b} => 200\n", "hello: behind == stands a text or {param"},
        {LIKE "hello = POST json:/a=={param:b} => 200\n", "hello: param:b needs a key"},
        {LIKE "hello = POST json:/a json:/b json:/c json:/d json:/e => 200\n",
         "hello: more than 4 conditions"},
        {LIKE "hello = POST json:/a => ok\n", "hello: the status is a number from"},
        {LIKE "hello = POST json:/a => 600\n", "hello: the status is a number from"},
        {LIKE "hello = POST json:/a => 200 text\n", "hello: the type is a word like"},
        {LIKE "hello = POST json:/a => 200 text/html {json:/a}\n", "hello: what a request says is"},
        {LIKE "hello = POST json:/a => 200 text/plain {secret}\n", "hello: secret stands only in"},
        {LIKE "hello = POST json:/a|hmac-sha256|hex==b => 200\n", "hello: hmac filters stand only"},
        {LIKE "hello = POST json:/a => 200 text/plain {json:/a|hmac-sha256}\n",
         "hello: an hmac ends in |hex, |base64 or |base64url"},
        {LIKE JSON "{\"a\":\"{json:/a}\"}\n", "hello: in JSON each {term} stands inside quotes"},
        {LIKE JSON "{\"a\":\"{json:/a|json|trim}\"}\n", "hello: in JSON each {term} stands inside"},
        {LIKE JSON "{\"a\":{json:/a|json}}\n", "hello: in JSON each {term} stands inside quotes"},
        {LIKE JSON "{\"a\":\"\\{json:/a|json}\"}\n", "hello: in JSON each {term} stands inside"},
        {LIKE JSON "{\"a\":\"x{json:/a|json}}\n", "hello: a quote of the JSON is not closed"},
        {LIKE "hello = POST json:/a => 200 text/cal+json \"{json:/a}\"\n", "hello: in JSON each"},
        {LIKE "hello = unsigned POST body => 200\n", "hello: before the signature only header"},
        {LIKE "headers = a-\nhello = unsigned POST header:*a => 200\n", "hello: before the signature"},
        {LIKE "hello = unsigned GET query:a => 200 text/plain {url}\n", "hello: before the signature"},
        {LIKE "hello = POST json:/a => 200 ; heder A b\n", "hello: unknown or repeated directive "
                                                           "\"heder\"; there are header save visit"},
        {LIKE "hello = POST json:/a => 200 ; save json:/a ; save json:/b\n", "repeated directive \""},
        {LIKE "hello = POST json:/a => 200 ; save body\n", "hello: a secret is saved from header"},
        {LIKE "hello = POST json:/a => 200 ; visit json:/a\n", "hello: written: visit TERM from"},
        {LIKE "hello = POST json:/a => 200 ; visit json:/a from\n", "hello: from needs patterns"},
        {LIKE "hello = POST json:/a => 200 ; visit json:/a from http://a.example.com/\n",
         "hello: a URL to fetch begins with https://"},
        {LIKE "hello = unsigned POST json:/a => 200 ; visit json:/a from https://a.example.com/\n",
         "hello: visit needs the signature"},
        {LIKE "hello = POST json:/a => 200 ; header Location {json:/a}\n", "hello: written: header"},
        {LIKE "hello = POST json:/a => 200 ; header A:\n", "hello: written: header NAME TEMPLATE"},
        {LIKE "hello = POST json:/a => 200 ; header A\n", "hello: written: header NAME TEMPLATE"},
        {LIKE "hello = POST json:/a => 200 ; header A a ; header B b ; header C c\n",
         "hello: more than 2 headers"},
        {FETCH "hello = POST json:/a => 200 text/plain {json:/a|hmac-sha256|hex}\n", "hello: hmac"},
        {FETCH "hello = POST json:/a => 200 ; save json:/a\n", "hello: save is for shared secrets"},
        {LIKE "ok = 400\n", "own.conf:3: ok: the status is from 200 to 299"},
        {LIKE "ok = 199\n", "ok: the status is a number from 200 to 599"},
        {LIKE "bad = 500\n", "bad: the status is from 400 to 499"},
        {LIKE "busy = 200\n", "busy: the status is from 400 to 599"},
        {LIKE "never = 503\n", "never: the status is from 400 to 499"},
        {LIKE "ok = 200 text\n", "ok: the type is a word like text/plain"},
        {LIKE "ok = 200 text/plain {body}\n", "ok: an answer looks at header, query, form, json"},
        {LIKE "ok = 200 text/html {header:a}\n", "ok: what a request says is shown as text/plain"},
        {LIKE "ok = 200 application/json {\"a\":\"{header:a}\"}\n", "ok: in JSON each {term} stands"},
        {LIKE "ok = 200 ; save json:/a\n", "ok: unknown directive \"save\"; there are header NAME"},
        {LIKE "bad = 401 text/plain {header:a|hmac-sha1|hex}\n", "bad: hmac filters stand only in"},
    };
    (void)state;
    TELLS(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_files_and_sections),
        cmocka_unit_test(in_lines_that_are_inherited),
        cmocka_unit_test(where_something_is_missing),
        cmocka_unit_test(in_the_signature),
        cmocka_unit_test(in_algorithms_and_keys),
        cmocka_unit_test(in_keys_that_are_fetched),
        cmocka_unit_test(in_what_is_signed),
        cmocka_unit_test(in_what_events_are),
        cmocka_unit_test(in_answers),
    };
    return cmocka_run_group_tests(tests, site_start, site_end);
}
