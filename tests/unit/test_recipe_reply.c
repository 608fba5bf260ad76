/* Reply mode, as far as recipes and sources say it: answers, ids, times. */
#include "edge_signed.h"
#include "recipe_site.h"

#define SOURCE "[source s]\nsecret = file:s.secret\nmode = reply\nhandler = h\nprovider = "
#define HANDLER "[handler h]\ncommand = /bin/true\n"
#define OWN "[hookonce]\nrecipes = own.conf\n"

/* ---- recipes ---- */

static void answers_have_defaults_and_limits(void **state)
{
    struct recipes *set;
    const struct recipe *r = site_mine(LIKE, &set);
    (void)state;
    assert_int_equal(r->answers[ANSWER_REPLY_OK].status, 200);
    assert_int_equal(r->answers[ANSWER_REPLY_FAIL].status, 500);
    assert_int_equal(r->answers[ANSWER_REPLY_BUSY].status, 503);
    assert_null(r->answers[ANSWER_REPLY_FAIL].text);
    assert_int_equal(r->reply_deadline_ms, 4000);
    assert_null(r->reply_id);
    recipes_free(set);
    r = site_mine(LIKE "reply-ok = 299 text/xml <a/>\nreply-fail = 200 text/plain Sorry. ; header X-A b\n"
                       "reply-busy = 429\nreply-deadline = 2500ms\n"
                       "reply-id = {header:x-id} ?? {arrival}\n", &set);
    assert_int_equal(r->answers[ANSWER_REPLY_OK].status, 299);
    assert_string_equal(r->answers[ANSWER_REPLY_OK].type, "text/xml");
    assert_int_equal(r->answers[ANSWER_REPLY_FAIL].n_headers, 1);
    assert_int_equal(r->answers[ANSWER_REPLY_BUSY].status, 429);
    assert_int_equal(r->reply_deadline_ms, 2500);
    assert_int_equal(r->reply_id->n_alts, 2);
    assert_int_equal(r->answers[ANSWER_OK].status, 200);
    assert_int_equal(r->answers[ANSWER_BUSY].status, 503);
    recipes_free(set);
}

static void mistakes_are_refused(void **state)
{
    static const struct refusal rows[] = {
        {LIKE "reply-ok = 300\n", "own.conf:3: reply-ok: the status is from 200 to 299"},
        {LIKE "reply-ok = 199\n", "own.conf:3: reply-ok: the status is a number"},
        {LIKE "reply-fail = \n", "reply-fail"},
        {LIKE "reply-fail = 600\n", "own.conf:3: reply-fail: the status is a number"},
        {LIKE "reply-fail = 200 text/html {json:/x}\n", "a browser would run it"},
        {LIKE "reply-busy = 200 json\n", "own.conf:3: reply-busy: the type is a word like"},
        {LIKE "reply-id = x\n", "own.conf:3: reply-id: an alternative without any {term}"},
        {LIKE "reply-id = {secret}\n", "own.conf:3: reply-id: secret stands only in"},
        {LIKE "reply-deadline = 61s\n", "reply-deadline"},
        {LIKE "type = {arrival}\n", "own.conf:3: type: arrival stands in `id` only"},
    };
    (void)state;
    check_refusals(rows, COUNT(rows));
}

/* A body that is no form is not covered by {formsorted}; an id of a form keeps such a body out, and
 * then so must the one for reply mode. */
static void a_reply_id_lets_no_uncovered_body_in(void **state)
{
    static const char forms[] = MINE "sig = header:x-sig\nalg = hmac-sha256\nenc = base64\n"
                                     "signed = {url}{formsorted}\nid = {form:Sid}\n";
    static const struct refusal refused[] = {
        {MINE "sig = header:x-sig\nalg = hmac-sha256\nenc = base64\nsigned = {url}{formsorted}\n"
              "id = {form:Sid}\nreply-id = {header:x-id} ?? {arrival}\n", "not covered"},
    };
    static const char *const taken[] = {
        forms,
        MINE "sig = header:x-sig\nalg = hmac-sha256\nenc = base64\nsigned = {url}{formsorted}\n"
             "id = {form:Sid}\nreply-id = {form:Sid}.{arrival}\n",
    };
    (void)state;
    check_refusals(refused, COUNT(refused));
    check_taken(taken, COUNT(taken));
}

static void answer_of(struct recipes *set, const char *name, enum answer_kind kind, struct answer *out)
{
    const struct source source = {.name = "s", .provider = name};
    const struct endpoint e = {.source = &source, .recipe = recipes_find(set, name)};

    assert_non_null(e.recipe);
    answer_for(&e, kind, NULL, out);
    assert_int_equal(answer_status(&e, kind), out->status);
    assert_true(answer_type(&e, kind) == out->type);
}

static void built_in_recipes_speak_their_providers_language(void **state)
{
    static const struct {
        const char *name;
        enum answer_kind kind;
        int status;
        const char *type, *body;
    } rows[] = {
        {"supabase", ANSWER_REPLY_OK, 200, "application/json", "{}"},
        {"supabase", ANSWER_REPLY_FAIL, 200, "application/json",
         "{\"error\":{\"http_code\":500,\"message\":\"The hook was not answered\"}}"},
        {"supabase", ANSWER_REPLY_BUSY, 503, "", ""},
        {"slack", ANSWER_REPLY_OK, 200, "", ""},
        {"slack", ANSWER_REPLY_FAIL, 200, "text/plain",
         "Sorry, that did not work. Please try again."},
        {"slack", ANSWER_REPLY_BUSY, 503, "", ""},
        {"twilio", ANSWER_REPLY_OK, 200, "text/xml", "<Response/>"},
        {"twilio", ANSWER_REPLY_FAIL, 200, "text/xml", "<Response/>"},
        {"twilio", ANSWER_REPLY_BUSY, 503, "", ""},
        {"stripe", ANSWER_REPLY_FAIL, 500, "", ""},
    };
    struct recipes *set;
    struct ho_err err;
    (void)state;
    assert_int_equal(recipes_load(NULL, 0, &set, &err), HO_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct answer a;
        answer_of(set, rows[i].name, rows[i].kind, &a);
        ROW(i, a.status == rows[i].status);
        ROW_TEXT(i, a.type != NULL ? a.type : "", rows[i].type);
        ROW_TEXT(i, buf_cstr(&a.body), rows[i].body);
        answer_free(&a);
    }
    recipes_free(set);
}

/* ---- sources ---- */

static void sources_take_the_recipes_time_or_their_own(void **state)
{
    static const struct {
        const char *conf;
        int64_t ms;
        bool guard;
    } rows[] = {
        {SOURCE "github\n" HANDLER, 4000, false},
        {SOURCE "github\nreply_timeout = 900ms\nguard = yes\n" HANDLER, 900, true},
        {SOURCE "slack\n" HANDLER, 2500, false},
        {"[source s]\nsecret = file:s.secret\nprovider = github\n", 4000, true},
    };
    (void)state;
    site_secret("s.secret", "k");
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct endpoints *all = site_load(rows[i].conf);
        const struct endpoint *e = endpoints_find(all, SPAN_LIT("s"));
        ROW(i, e != NULL && e->reply_ms == rows[i].ms && e->guard == rows[i].guard);
        endpoints_free(all);
    }
}

static void several_events_in_one_request_have_no_one_answer(void **state)
{
    struct endpoints *e;
    struct ho_err err;
    struct buf text;
    (void)state;
    site_secret("s.secret", "k");
    buf_init(&text, 4096);
    assert_int_equal(buf_addf(&text, "%s%s", SITE_DB, OWN SOURCE "mine\n" HANDLER), HO_OK);
    site_write("own.conf", SPAN_LIT("[recipe mine]\nsig = header:x-sig\nsigned = {body}\n"
                                    "alg = hmac-sha256\nbatch = .\nid = {json:./id}\n"), 0644);
    site_write("hookonce.conf", buf_span(&text), 0600);
    buf_free(&text);
    assert_int_equal(endpoints_load(site_conf, &e, &err), HO_REJECT);
    assert_non_null(strstr(err.text, "mode = reply is not for it"));
}

/* The id of the same request, without and in reply mode. */
static void the_other_id_is_for_reply_mode_only(void **state)
{
    static const struct {
        const char *conf, *id; /* NULL: the event's own correlation id */
    } rows[] = {
        {OWN "[source s]\nprovider = mine\nsecret = file:s.secret\n", "one"},
        {OWN SOURCE "mine\n" HANDLER, NULL},
    };
    const struct span body = SPAN_LIT("{\"id\":\"one\"}");
    (void)state;
    site_secret("s.secret", "k");
    site_write("own.conf", SPAN_LIT(FULL "reply-id = {header:x-none} ?? {arrival}\n"), 0644);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct endpoints *all = site_load(rows[i].conf);
        struct pair headers[3] = {{"x-sig", hex_mac(MAC_SHA256, "k", "", "", body)}};
        struct accepted *accepted = NULL;
        struct request r;
        post(&r, headers, body);
        ROW(i, judge(endpoints_find(all, SPAN_LIT("s")), &r, NOW, &accepted, NULL) == REASON_OK);
        const struct event *e = accepted_event(accepted);
        ROW(i, span_is(e->id, rows[i].id != NULL ? rows[i].id : e->cid));
        accepted_free(accepted);
        endpoints_free(all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_have_defaults_and_limits),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(a_reply_id_lets_no_uncovered_body_in),
        cmocka_unit_test(built_in_recipes_speak_their_providers_language),
        cmocka_unit_test(sources_take_the_recipes_time_or_their_own),
        cmocka_unit_test(several_events_in_one_request_have_no_one_answer),
        cmocka_unit_test(the_other_id_is_for_reply_mode_only),
    };
    return cmocka_run_group_tests(tests, site_start, site_end);
}
