/* One request with several events: each its own, all or none, and what is no list of them. */
#include "edge_own.h"
#include "edge_signed.h"

#include "base/json.h"
#include "core/document.h"

#define SOURCE(name) "[source " name "]\nprovider = " name "\nsecret = file:a\n"
#define SOURCES \
    SOURCE("list") SOURCE("plain") SOURCE("root") SOURCE("marked") SOURCE("guarded") \
    SOURCE("bytes") SOURCE("inner") SOURCE("wide") SOURCE("tied") "param = state s3cret\n" "[hookonce]\nrecipes = own.conf\n"

#define OWN \
    "[recipe list]\nsig = header:x-sig\nalg = hmac-sha256\nenc = hex\nsigned = {body}\n" \
    "batch = /events\nid = {json:./id} ?? {json:./alt}.{json:/page}\ntype = {json:./type}\n" \
    "object = {json:./of}\nat = json:./at ; s\n" \
    "[recipe plain]\nlike = list\nid = none\n" \
    "[recipe root]\nlike = plain\nbatch = .\n" \
    "[recipe marked]\nlike = list\nsame = {json:./type} {json:./of}\n" \
    "[recipe bytes]\nlike = list\nid = {item}\n" \
    "[recipe inner]\nlike = bytes\nbatch = .\nform-json = p\n" \
    "[recipe wide]\nlike = list\nid = {json:./id}\nsame = {json:./n} {json:/top}\n" \
    "[recipe guarded]\nlike = list\nguard = {item}\n" \
    "[recipe tied]\nparam = state the state\nlike = list\n" \
    "check = {json:./state} == {param:state}\n"

static int load_site(void **state)
{
    return load_own(state, "key-a\n", OWN, SOURCES);
}

/* Free with verdict_free. */
static enum reason judged(const char *source, struct span body, struct verdict *v)
{
    static struct pair headers[4];
    struct verify_note note = {.trace = NULL};
    struct request r;
    headers[0] = (struct pair){"content-type", "application/json"};
    headers[1] = (struct pair){"x-sig", hex_mac(MAC_SHA256, "key-a", "", "", body)};
    headers[2] = (struct pair){"x-more", "1"};
    headers[3] = (struct pair){NULL, NULL};
    post(&r, headers, body);
    return verify_event(site_endpoint(all, source), &r, NOW, site, v, &note);
}

static const struct event *event_at(const struct verdict *v, size_t i)
{
    assert_true(i < v->n_events);
    return accepted_event(v->events[i]);
}

static void makes_an_event_of_each_item(void **state)
{
    const struct span body = SPAN_LIT(
        "{\"page\":7,\"events\":[{\"id\":\"a\",\"type\":\"t\",\"of\":9,\"at\":5},"
        "{\"alt\":\"b\",\"id\":null},{\"id\":\"a\",\"type\":\"u\",\"id\":\"c\"}]}");
    static const struct {
        const char *id, *type, *document;
    } want[] = {{"a", "t", "json#/events/0"}, {"b.7", "", "json#/events/1"},
                {"c", "u", "json#/events/2"}};
    struct verdict v;
    (void)state;
    assert_int_equal(judged("list", body, &v), REASON_OK);
    assert_int_equal(v.n_events, 3);
    assert_false(v.is_hello);
    for (size_t i = 0; i < 3; i++) {
        const struct event *e = event_at(&v, i);
        struct json *doc;
        ROW(i, span_is(e->id, want[i].id) && span_is(e->type, want[i].type));
        ROW(i, span_is(e->document, want[i].document));
        ROW(i, e->body.p == body.p && e->body.len == body.len);
        ROW(i, span_is(e->headers, "content-type: application/json\nx-more: 1\n"));
        ROW(i, e->secret_no == 1);
        /* The word leads back to the item. */
        assert_int_equal(document_open(e->body, e->document, &doc, NULL), HO_OK);
        ROW(i, json_kind_of(json_at(doc, SPAN_LIT("/alt"))) ==
                   (i == 1 ? JSON_STRING : JSON_ABSENT));
        json_free(doc);
        for (size_t j = 0; j < i; j++) {
            ROW(i, strcmp(e->cid, event_at(&v, j)->cid) != 0);
            ROW(i, memcmp(e->same, event_at(&v, j)->same, SHA256_LEN) != 0);
        }
    }
    assert_true(span_is(event_at(&v, 0)->object, "9"));
    assert_true(event_at(&v, 0)->has_occurred && event_at(&v, 0)->occurred_us == 5000000);
    assert_false(event_at(&v, 1)->has_occurred);
    verdict_free(&v);
}

static void takes_all_or_none(void **state)
{
    static const struct {
        const char *source, *body;
        enum reason want;
        size_t n;
    } rows[] = {
        {"list", "{\"events\":[]}", REASON_OK, 0},
        {"list", "{\"events\":null}", REASON_OK, 0},
        {"list", "{\"events\":[{\"id\":\"a\"},{\"id\":\"a\"}]}", REASON_OK, 2},
        {"list", "{\"events\":[{\"id\":\"a\"},{}]}", REASON_NO_ID, 0},
        {"list", "{\"events\":[{\"id\":\"a\"},7]}", REASON_NO_ID, 0},
        {"list", "{\"events\":{}}", REASON_BATCH, 0},
        {"list", "{\"events\":\"x\"}", REASON_BATCH, 0},
        {"list", "{}", REASON_BATCH, 0},
        {"list", "[]", REASON_BATCH, 0},
        {"list", "x", REASON_BATCH, 0},
        {"plain", "{\"events\":[1,null,\"x\",[],{}]}", REASON_OK, 5},
        {"root", "[]", REASON_OK, 0},
        {"root", "[{},{}]", REASON_OK, 2},
        {"root", "{\"a\":1}", REASON_OK, 1}, /* one event without the brackets */
        {"root", "7", REASON_BATCH, 0},
        {"root", "\"x\"", REASON_BATCH, 0},
        {"tied", "{\"events\":[{\"id\":\"a\",\"state\":\"s3cret\"}]}", REASON_OK, 1},
        {"tied", "{\"events\":[{\"id\":\"a\",\"state\":\"s3cret\"},{\"id\":\"b\"}]}", REASON_CHECK, 0},
        {"tied", "{\"events\":[{\"id\":\"a\",\"state\":\"x\"}]}", REASON_CHECK, 0},
        {"tied", "{\"events\":[]}", REASON_OK, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct verdict v;
        enum reason got = judged(rows[i].source, span_of(rows[i].body), &v);
        if (got != rows[i].want || v.n_events != rows[i].n) {
            fail_msg("case %zu: %s, %zu events", i, reasons[got].word, v.n_events);
        }
        verdict_free(&v);
    }
    assert_int_equal(reasons[REASON_BATCH].kind, ANSWER_NEVER);
    assert_int_equal(reasons[REASON_NO_ID].kind, ANSWER_NEVER);
}

static void bounds_the_number_of_items(void **state)
{
    char *body = malloc(16 * (VERIFY_BATCH_MAX + 2));
    (void)state;
    assert_non_null(body);
    for (size_t n = VERIFY_BATCH_MAX; n <= VERIFY_BATCH_MAX + 1; n++) {
        struct verdict v;
        size_t len = (size_t)snprintf(body, 16, "{\"events\":[0");
        for (size_t i = 1; i < n; i++) {
            len += (size_t)snprintf(body + len, 16, ",%zu", i);
        }
        len += (size_t)snprintf(body + len, 16, "]}");
        assert_int_equal(judged("plain", span_make(body, len), &v),
                         n == VERIFY_BATCH_MAX ? REASON_OK : REASON_BATCH);
        assert_int_equal(v.n_events, n == VERIFY_BATCH_MAX ? n : 0);
        verdict_free(&v);
    }
    free(body);
}

/* Without an id of its own an item is the request and its place; the same request again is the same. */
static void names_items_by_request_and_place(void **state)
{
    const struct span body = SPAN_LIT("[{\"a\":1},{\"a\":1}]");
    unsigned char sha[SHA256_LEN], item[SHA256_LEN];
    char hex[2 * SHA256_LEN + 1], want[100];
    struct verdict v;
    (void)state;
    mac_sha256(body, sha);
    text_hex(sha, sizeof sha, hex);
    mac_sha256(SPAN_LIT("{\"a\":1}"), item);
    assert_int_equal(judged("root", body, &v), REASON_OK);
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(want, sizeof want, "%s#%zu", hex, i);
        ROW(i, span_is(event_at(&v, i)->id, want));
        assert_memory_equal(event_at(&v, i)->same, item, sizeof item);
    }
    verdict_free(&v);
}

static void tells_items_by_what_the_recipe_says(void **state)
{
    struct verdict a, b;
    (void)state;
    assert_int_equal(judged("marked", SPAN_LIT("{\"events\":[{\"id\":\"1\",\"type\":\"t\",\"of\":2,"
                                               "\"n\":1},{\"id\":\"2\"}]}"), &a), REASON_OK);
    assert_int_equal(judged("marked", SPAN_LIT("{\"events\":[{\"id\":\"9\"},{\"id\":\"1\",\"n\":2,"
                                               "\"of\":2,\"type\":\"t\"}]}"), &b), REASON_OK);
    assert_memory_equal(event_at(&a, 0)->same, event_at(&b, 1)->same, SHA256_LEN);
    /* None of its terms is there: the item itself, not the request. */
    assert_memory_not_equal(event_at(&a, 1)->same, event_at(&b, 0)->same, SHA256_LEN);
    verdict_free(&a);
    verdict_free(&b);
}

/* Written anew, what the parser cannot keep would be the same for all of them. */
static void tells_items_by_their_own_bytes(void **state)
{
    static const struct {
        const char *source, *body, *ids[4]; /* as long as they are stored as they are */
    } rows[] = {
        {"bytes", "{\"events\":[{ \"n\" : 1 },\n[1, 2] , \"a,]\\\"\",null,4 ]}",
         {"{ \"n\" : 1 }", "[1, 2]", "\"a,]\\\"\"", "null"}},
        {"bytes", "{\"events\":[99999999999999999998,99999999999999999999,-1e400,1.10]}",
         {"99999999999999999998", "99999999999999999999", "-1e400", "1.10"}},
        {"bytes", "\xEF\xBB\xBF {\"events\":[1],\"events\":[{\"a\":[{}]},{}, {\"]\":\"[\"}]}",
         {"{\"a\":[{}]}", "{}", "{\"]\":\"[\"}"}},
        {"inner", "p=%5B%7B%22n%22:+1%7D,%222%22%5D&q=1", {"{\"n\": 1}", "\"2\""}},
        {"inner", "p=+%7B%22n%22:+1%7D+", {"{\"n\": 1}"}},
        {"inner", " [7, {\"n\":1} ] ", {"7", "{\"n\":1}"}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct verdict v;
        ROW(i, judged(rows[i].source, span_of(rows[i].body), &v) == REASON_OK);
        for (size_t j = 0; j < 4 && rows[i].ids[j] != NULL; j++) {
            unsigned char sha[SHA256_LEN];
            mac_sha256(span_of(rows[i].ids[j]), sha);
            ROW(10 * i + j, span_is(event_at(&v, j)->id, rows[i].ids[j]));
            ROW(10 * i + j, memcmp(event_at(&v, j)->same, sha, SHA256_LEN) == 0);
        }
        verdict_free(&v);
    }
    /* A form without the field is an object too, but no event. */
    struct verdict v;
    assert_int_equal(judged("inner", SPAN_LIT("q=1"), &v), REASON_BATCH);
    verdict_free(&v);
}

static void compares_numbers_of_any_size(void **state)
{
    static const struct {
        const char *body;
        bool same; /* as the first */
    } rows[] = {
        {"{\"events\":[{\"id\":1,\"n\":99999999999999999999,\"x\":1}],\"top\":{\"a\":1}}", true},
        {"{\"events\":[{\"id\":1,\"n\":99999999999999999999,\"x\":2}],\"top\":{\"a\":1}}", true},
        {"{\"events\":[{\"id\":1,\"n\":99999999999999999998,\"x\":1}],\"top\":{\"a\":1}}", false},
        {"{\"events\":[{\"id\":1,\"n\":99999999999999999999,\"x\":1}],\"top\":{\"a\":2}}", false},
        {"{\"events\":[{\"id\":1,\"n\":99999999999999999999}],\"top\":{\"a\":88888888888888888888}}", false},
    };
    unsigned char first[SHA256_LEN];
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct verdict v;
        ROW(i, judged("wide", span_of(rows[i].body), &v) == REASON_OK);
        if (i == 0) {
            memcpy(first, event_at(&v, 0)->same, sizeof first);
        }
        ROW(i, (memcmp(event_at(&v, 0)->same, first, sizeof first) == 0) == rows[i].same);
        verdict_free(&v);
    }
}

/* The guard finds an item again in another request, and never a neighbour. */
static void guards_items_not_requests(void **state)
{
    struct verdict a, b;
    (void)state;
    assert_int_equal(judged("guarded", SPAN_LIT("{\"events\":[{\"id\":\"1\"},{\"id\":\"2\"}]}"), &a),
                     REASON_OK);
    assert_int_equal(judged("guarded", SPAN_LIT("{\"events\":[{\"id\":\"2\"}]}"), &b), REASON_OK);
    assert_true(event_at(&a, 0)->has_guard);
    assert_memory_not_equal(event_at(&a, 0)->guard, event_at(&a, 1)->guard, SHA256_LEN);
    assert_memory_equal(event_at(&a, 1)->guard, event_at(&b, 0)->guard, SHA256_LEN);
    verdict_free(&a);
    verdict_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_an_event_of_each_item),
        cmocka_unit_test(takes_all_or_none),
        cmocka_unit_test(bounds_the_number_of_items),
        cmocka_unit_test(names_items_by_request_and_place),
        cmocka_unit_test(tells_items_by_what_the_recipe_says),
        cmocka_unit_test(tells_items_by_their_own_bytes),
        cmocka_unit_test(compares_numbers_of_any_size),
        cmocka_unit_test(guards_items_not_requests),
    };
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
