/* Which routes want an event: globs, livemode, types that only inform, conditions; and why. */
#include "unit.h"

#include "core/route.h"

/* Lists for the routes below; the code under test never writes into them. */
static char one[] = "checkout.session.completed";
static char paid[] = "checkout.session.*_succeeded";
static char subs[] = "customer.subscription.*";
static char any[] = "*";
static char middle[] = "a.*.z";
static char dots[] = "a.b";
static char *on_one[] = {one, paid};
static char *on_subs[] = {subs};
static char *on_any[] = {any};
static char *on_middle[] = {middle, dots};

static const struct handler fulfil = {.name = "fulfil"};

#define LIST(name) .on = (name), .n_on = COUNT(name)
#define INFORMS(name) .informational = (name), .n_informational = COUNT(name)
#define ROUTE(n) .name = (n), .provider = "stripe"

static const struct route all = {ROUTE("all"), .handler = &fulfil};
static const struct route ones = {ROUTE("one"), LIST(on_one), .handler = &fulfil};
static const struct route stars = {ROUTE("stars"), LIST(on_any), .handler = &fulfil};
static const struct route middles = {ROUTE("middle"), LIST(on_middle), .handler = &fulfil};
static const struct route informs = {ROUTE("informs"), INFORMS(on_subs)};
static const struct route both = {ROUTE("both"), LIST(on_subs), INFORMS(on_subs),
                                  .handler = &fulfil};
static const struct route rest = {ROUTE("rest"), INFORMS(on_subs), .handler = &fulfil};
static const struct route live = {ROUTE("live"), .handler = &fulfil, .livemode = LIVEMODE_TRUE};
static const struct route test = {ROUTE("test"), .handler = &fulfil, .livemode = LIVEMODE_FALSE};
static const struct route live_informs = {ROUTE("live-informs"), INFORMS(on_subs),
                                          .livemode = LIVEMODE_TRUE};

static struct json *parsed(const char *text)
{
    struct json *doc = NULL;
    if (text != NULL) {
        assert_int_equal(json_parse(span_of(text), &doc, NULL), HO_OK);
    }
    return doc;
}

static const char *const verdicts[] = {"no", "yes", "informational", "other mode"};

static void each_route_knows_what_it_wants(void **state)
{
    static const struct {
        const struct route *route;
        struct span provider, type;
        const char *doc;
        enum route_verdict want;
    } rows[] = {
        /* whose events */
        {&all, S("stripe"), S("x"), NULL, ROUTE_YES},
        {&all, S("stripe"), S(""), NULL, ROUTE_YES},
        {&all, S("Stripe"), S("x"), NULL, ROUTE_NO},
        {&all, S("stripe "), S("x"), NULL, ROUTE_NO},
        {&all, S("stripe\0"), S("x"), NULL, ROUTE_NO},
        {&all, S("strip"), S("x"), NULL, ROUTE_NO},
        {&all, S(""), S("x"), NULL, ROUTE_NO},
        {&all, NONE, S("x"), NULL, ROUTE_NO},
        /* types */
        {&ones, S("stripe"), S("checkout.session.completed"), NULL, ROUTE_YES},
        {&ones, S("stripe"), S("checkout.session.async_payment_succeeded"), NULL, ROUTE_YES},
        {&ones, S("stripe"), S("checkout.session._succeeded"), NULL, ROUTE_YES},
        {&ones, S("stripe"), S("checkout.session.succeeded"), NULL, ROUTE_NO},
        {&ones, S("stripe"), S("checkout.session.completed2"), NULL, ROUTE_NO},
        {&ones, S("stripe"), S("xcheckout.session.completed"), NULL, ROUTE_NO},
        {&ones, S("stripe"), S("Checkout.Session.Completed"), NULL, ROUTE_NO},
        {&ones, S("stripe"), S("checkoutXsession.completed"), NULL, ROUTE_NO},
        {&ones, S("stripe"), S("checkout.session.completed\0"), NULL, ROUTE_NO},
        {&ones, S("stripe"), S(""), NULL, ROUTE_NO},
        {&ones, S("github"), S("checkout.session.completed"), NULL, ROUTE_NO},
        {&stars, S("stripe"), S("x"), NULL, ROUTE_YES},
        {&stars, S("stripe"), S(""), NULL, ROUTE_YES},
        {&middles, S("stripe"), S("a.1.z"), NULL, ROUTE_YES},
        {&middles, S("stripe"), S("a..z"), NULL, ROUTE_YES},
        {&middles, S("stripe"), S("a.z"), NULL, ROUTE_NO},
        {&middles, S("stripe"), S("a.1.z.z"), NULL, ROUTE_YES},
        {&middles, S("stripe"), S("a.1.zy"), NULL, ROUTE_NO},
        {&middles, S("stripe"), S("a.b"), NULL, ROUTE_YES},
        {&middles, S("stripe"), S("acb"), NULL, ROUTE_NO},
        /* types that inform */
        {&informs, S("stripe"), S("customer.subscription.updated"), NULL, ROUTE_INFORMATIONAL},
        {&informs, S("stripe"), S("customer.created"), NULL, ROUTE_NO},
        {&informs, S("github"), S("customer.subscription.updated"), NULL, ROUTE_NO},
        {&both, S("stripe"), S("customer.subscription.updated"), NULL, ROUTE_INFORMATIONAL},
        {&both, S("stripe"), S("customer.created"), NULL, ROUTE_NO},
        {&rest, S("stripe"), S("customer.subscription.updated"), NULL, ROUTE_INFORMATIONAL},
        {&rest, S("stripe"), S("customer.created"), NULL, ROUTE_YES},
        /* live or test */
        {&all, S("stripe"), S("x"), "{\"livemode\":false}", ROUTE_YES},
        {&all, S("stripe"), S("x"), "{\"livemode\":true}", ROUTE_YES},
        {&live, S("stripe"), S("x"), "{\"livemode\":true}", ROUTE_YES},
        {&live, S("stripe"), S("x"), "{\"livemode\":false}", ROUTE_OTHER_MODE},
        {&test, S("stripe"), S("x"), "{\"livemode\":false}", ROUTE_YES},
        {&test, S("stripe"), S("x"), "{\"livemode\":true}", ROUTE_OTHER_MODE},
        /* asked for, and not said: neither */
        {&live, S("stripe"), S("x"), "{}", ROUTE_OTHER_MODE},
        {&test, S("stripe"), S("x"), "{}", ROUTE_OTHER_MODE},
        {&live, S("stripe"), S("x"), NULL, ROUTE_OTHER_MODE},
        {&test, S("stripe"), S("x"), NULL, ROUTE_OTHER_MODE},
        {&live, S("stripe"), S("x"), "{\"livemode\":\"true\"}", ROUTE_OTHER_MODE},
        {&live, S("stripe"), S("x"), "{\"livemode\":1}", ROUTE_OTHER_MODE},
        {&test, S("stripe"), S("x"), "{\"livemode\":null}", ROUTE_OTHER_MODE},
        {&test, S("stripe"), S("x"), "{\"livemode\":0}", ROUTE_OTHER_MODE},
        {&live, S("stripe"), S("x"), "{\"data\":{\"livemode\":true}}", ROUTE_OTHER_MODE},
        {&live, S("stripe"), S("x"), "[true]", ROUTE_OTHER_MODE},
        {&live, S("github"), S("x"), "{}", ROUTE_NO},
        {&live_informs, S("stripe"), S("customer.subscription.x"), "{\"livemode\":true}",
         ROUTE_INFORMATIONAL},
        {&live_informs, S("stripe"), S("customer.subscription.x"), "{}", ROUTE_OTHER_MODE},
        {&live_informs, S("stripe"), S("customer.created"), "{}", ROUTE_NO},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct json *doc = parsed(rows[i].doc);
        const struct event e = {.provider = rows[i].provider, .type = rows[i].type};
        const struct ref_view v = {.event = &e, .doc = doc};
        enum route_verdict got = route_wants(rows[i].route, &v);
        ROW_TEXT(i, verdicts[got], verdicts[rows[i].want]);
        json_free(doc);
    }
}

static void plan_for(const struct settings *s, const char *provider, const char *type,
                     const struct json *doc, struct route_plan *out)
{
    const struct event e = {.provider = span_of(provider), .type = span_of(type)};
    const struct ref_view v = {.event = &e, .doc = doc};
    route_plan(s, &v, out);
}

static void a_plan_has_every_route_in_order(void **state)
{
    struct route routes[] = {ones, all, informs, live, test, both, stars};
    struct settings s = {.routes = routes, .n_routes = COUNT(routes)};
    struct route_plan plan;
    struct json *doc = parsed("{\"livemode\":false}");
    (void)state;
    memset(&plan, 0x55, sizeof plan);
    plan_for(&s, "stripe", "customer.subscription.updated", doc, &plan);
    assert_int_equal(plan.n, 3);
    assert_string_equal(plan.routes[0]->name, "all");
    assert_string_equal(plan.routes[1]->name, "test");
    assert_string_equal(plan.routes[2]->name, "stars");
    assert_ptr_equal(plan.routes[2], &routes[6]);
    assert_true(plan.informational);
    assert_true(plan.other_mode);

    plan_for(&s, "github", "push", doc, &plan);
    assert_int_equal(plan.n, 0);
    assert_false(plan.informational);
    assert_false(plan.other_mode);
    json_free(doc);

    s.n_routes = 3; /* ones, all, informs */
    plan_for(&s, "stripe", "checkout.session.completed", NULL, &plan);
    assert_int_equal(plan.n, 2);
    assert_string_equal(plan.routes[0]->name, "one");
    assert_false(plan.informational);
    assert_false(plan.other_mode);
}

static void a_plan_holds_as_many_as_a_config_may_have(void **state)
{
    struct route routes[SETTINGS_ROUTES_MAX];
    struct settings s = {.routes = routes, .n_routes = COUNT(routes)};
    struct route_plan plan;
    (void)state;
    for (size_t i = 0; i < COUNT(routes); i++) {
        routes[i] = all;
    }
    plan_for(&s, "stripe", "x", NULL, &plan);
    assert_int_equal(plan.n, 64);
    assert_ptr_equal(plan.routes[63], &routes[63]);
}

/* A route like one of those above, with conditions. */
static struct route with_conditions(const struct route *like, const char *const *texts, size_t n)
{
    struct route r = *like;
    r.when = ho_alloc(n * sizeof *r.when);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(condition_parse(texts[i], &r.when[i], NULL), HO_OK);
    }
    r.n_when = n;
    return r;
}

static void free_conditions(struct route *r)
{
    for (size_t i = 0; i < r->n_when; i++) {
        condition_free(&r->when[i]);
    }
    free(r->when);
}

static void all_conditions_must_hold(void **state)
{
    static const char *const texts[] = {"{/status} == paid", "{/amount} not in 0, null",
                                        "{header:x-shop} == a.example", "{event:source} != test"};
    static const struct {
        const char *doc, *headers, *source;
        enum route_verdict want;
    } rows[] = {
        {"{\"status\":\"paid\",\"amount\":5}", "x-shop: a.example\n", "eu", ROUTE_YES},
        {"{\"status\":\"open\",\"amount\":5}", "x-shop: a.example\n", "eu", ROUTE_NO},
        {"{\"status\":\"paid\",\"amount\":0}", "x-shop: a.example\n", "eu", ROUTE_NO},
        {"{\"status\":\"paid\",\"amount\":5}", "x-shop: b.example\n", "eu", ROUTE_NO},
        {"{\"status\":\"paid\",\"amount\":5}", "x-shop: a.example\n", "test", ROUTE_NO},
        {"{\"amount\":5}", "x-shop: a.example\n", "eu", ROUTE_NO},
        {NULL, "x-shop: a.example\n", "eu", ROUTE_NO},
    };
    struct route r = with_conditions(&all, texts, COUNT(texts));
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct json *doc = parsed(rows[i].doc);
        const struct event e = {.provider = SPAN_LIT("stripe"), .type = SPAN_LIT("x"),
                                .source = span_of(rows[i].source),
                                .headers = span_of(rows[i].headers)};
        const struct ref_view v = {.event = &e, .doc = doc};
        ROW_TEXT(i, verdicts[route_wants(&r, &v)], verdicts[rows[i].want]);
        json_free(doc);
    }
    free_conditions(&r);
}

/* What an informational type is about has other fields, so conditions are not for it. */
static void conditions_are_for_what_runs(void **state)
{
    static const char *const texts[] = {"{/status} == paid"};
    const struct event e = {.provider = SPAN_LIT("stripe"),
                            .type = SPAN_LIT("customer.subscription.x")};
    struct route r = with_conditions(&rest, texts, COUNT(texts));
    const struct ref_view v = {.event = &e};
    (void)state;
    assert_int_equal(route_wants(&r, &v), ROUTE_INFORMATIONAL);
    free_conditions(&r);
}

struct explanation {
    const struct route *like;
    const char *provider, *type, *doc;
    enum route_verdict want;
    const char *why;
};

static void each_verdict_can_be_explained(void **state)
{
    static const char *const texts[] = {"{/status} == paid", "{/n} == 5"};
    static const struct explanation rows[] = {
        {&all, "github", "x", NULL, ROUTE_NO,
         "no: provider github, and the route is for stripe\n"},
        {&all, "stripe", "x", "{\"status\":\"paid\",\"n\":5}", ROUTE_YES,
         "provider stripe\n"
         "type x fits a route without `on`\n"
         "when \"{/status} == paid\": it is the text paid\n"
         "when \"{/n} == 5\": it is the number 5\n"},
        {&all, "stripe", "x", "{\"n\":\"5\"}", ROUTE_NO,
         "provider stripe\n"
         "type x fits a route without `on`\n"
         "no: when \"{/status} == paid\": it is missing\n"
         "no: when \"{/n} == 5\": it is the text 5, and no number: a text is written in quotes\n"},
        {&all, "stripe", "x", "{\"n\":5}", ROUTE_NO, /* looks on behind what does not hold */
         "provider stripe\n"
         "type x fits a route without `on`\n"
         "no: when \"{/status} == paid\": it is missing\n"
         "when \"{/n} == 5\": it is the number 5\n"},
        {&ones, "stripe", "a b", NULL, ROUTE_NO,
         "provider stripe\n"
         "no: type \"a b\" fits nothing in on\n"},
        {&ones, "stripe", "checkout.session.x_succeeded", "{\"status\":\"paid\",\"n\":5.0}",
         ROUTE_YES,
         "provider stripe\n"
         "type checkout.session.x_succeeded fits on = checkout.session.*_succeeded\n"
         "when \"{/status} == paid\": it is the text paid\n"
         "when \"{/n} == 5\": it is the number 5.0\n"},
        {&informs, "stripe", "customer.subscription.x", NULL, ROUTE_INFORMATIONAL,
         "provider stripe\n"
         "type customer.subscription.x fits informational = customer.subscription.*\n"},
        {&informs, "stripe", "x", NULL, ROUTE_NO,
         "provider stripe\n"
         "no: type x is not informational, and there is no handler\n"},
        {&live, "stripe", "x", "{\"livemode\":false}", ROUTE_OTHER_MODE,
         "provider stripe\n"
         "type x fits a route without `on`\n"
         "no: livemode = true, and {/livemode} is false\n"},
        {&test, "stripe", "x", "{}", ROUTE_OTHER_MODE,
         "provider stripe\n"
         "type x fits a route without `on`\n"
         "no: livemode = false, and {/livemode} is no boolean\n"},
        {&test, "stripe", "x", "{\"livemode\":false,\"status\":\"paid\",\"n\":5}", ROUTE_YES,
         "provider stripe\n"
         "type x fits a route without `on`\n"
         "livemode = false, and {/livemode} is false\n"
         "when \"{/status} == paid\": it is the text paid\n"
         "when \"{/n} == 5\": it is the number 5\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct route r = with_conditions(rows[i].like, texts, COUNT(texts));
        struct json *doc = parsed(rows[i].doc);
        const struct event e = {.provider = span_of(rows[i].provider),
                                .type = span_of(rows[i].type)};
        const struct ref_view v = {.event = &e, .doc = doc};
        struct buf why;
        buf_init(&why, 4096);
        ROW_TEXT(i, verdicts[route_explain(&r, &v, &why)], verdicts[rows[i].want]);
        ROW_TEXT(i, buf_cstr(&why), rows[i].why);
        ROW(i, route_wants(&r, &v) == rows[i].want);
        buf_free(&why);
        json_free(doc);
        free_conditions(&r);
    }
}

static void an_explanation_that_does_not_fit_loses_lines(void **state)
{
    const struct event e = {.provider = SPAN_LIT("stripe"), .type = SPAN_LIT("x")};
    const struct ref_view v = {.event = &e};
    struct buf why;
    (void)state;
    buf_init(&why, 20);
    assert_int_equal(route_explain(&all, &v, &why), ROUTE_YES);
    assert_string_equal(buf_cstr(&why), "provider stripe\n");
    buf_free(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_route_knows_what_it_wants),
        cmocka_unit_test(a_plan_has_every_route_in_order),
        cmocka_unit_test(all_conditions_must_hold),
        cmocka_unit_test(conditions_are_for_what_runs),
        cmocka_unit_test(each_verdict_can_be_explained),
        cmocka_unit_test(an_explanation_that_does_not_fit_loses_lines),
        cmocka_unit_test(a_plan_holds_as_many_as_a_config_may_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
