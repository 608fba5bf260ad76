/* Every request in tests/vectors against the recipe it is for: the verdict, and what the event is
 * called. A header that repeats is tried twice: as two headers, and as the one that most servers
 * make of it. */
#include "edge_site.h"

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

#define VECTORS_MAX 200

struct vector {
    const struct json *all;
    size_t i;
    struct buf made; /* everything that spans point to; never moved */
};

static const struct json_node *node_of(const struct vector *v, const char *pointer)
{
    char full[256];
    assert_true(snprintf(full, sizeof full, "/%zu%s", v->i, pointer) < (int)sizeof full);
    return json_at(v->all, span_of(full));
}

/* A scalar as text in the vector's buffer; SPAN_NONE for null and absent. */
static struct span text_at(struct vector *v, const char *pointer)
{
    const struct json_node *node = node_of(v, pointer);
    size_t from = v->made.len;
    enum json_kind kind = json_kind_of(node);
    if (kind == JSON_ABSENT || kind == JSON_NULL) {
        return SPAN_NONE;
    }
    assert_int_equal(json_text(node, &v->made), HO_OK);
    return span_sub(buf_span(&v->made), from, v->made.len - from);
}

/* The same in lower case, as requests have header names. */
static struct span name_at(struct vector *v, const char *pointer)
{
    size_t from = v->made.len;
    struct span name = text_at(v, pointer);
    for (size_t i = from; i < v->made.len; i++) {
        if (v->made.p[i] >= 'A' && v->made.p[i] <= 'Z') {
            v->made.p[i] = (unsigned char)(v->made.p[i] - 'A' + 'a');
        }
    }
    return name;
}

static void join(struct vector *v, struct header *first, struct span more)
{
    size_t from = v->made.len;
    assert_int_equal(buf_add_span(&v->made, first->value), HO_OK);
    assert_int_equal(buf_add_str(&v->made, ", "), HO_OK);
    assert_int_equal(buf_add_span(&v->made, more), HO_OK);
    first->value = span_sub(buf_span(&v->made), from, v->made.len - from);
}

/* Path and query as one, as they stood in the first line. */
static void read_target(struct vector *v, struct request *r)
{
    size_t from = v->made.len;
    assert_int_equal(buf_add_span(&v->made, r->path), HO_OK);
    if (r->query.len > 0) {
        assert_int_equal(buf_addf(&v->made, "?%.*s", (int)r->query.len, (const char *)r->query.p),
                         HO_OK);
    }
    r->target = span_sub(buf_span(&v->made), from, v->made.len - from);
}

/* The request as a server hands it over; *repeats says whether joined makes a difference. */
static void make_request(struct vector *v, bool joined, struct request *r, bool *repeats)
{
    struct span body;
    size_t from;

    *repeats = false;
    *r = (struct request){.method = text_at(v, "/request/method"),
                          .path = text_at(v, "/request/path"),
                          .query = text_at(v, "/request/query"),
                          .https = true};
    read_target(v, r);
    for (size_t i = 0; i < REQUEST_HEADERS_MAX; i++) {
        char name_is_at[64], value_is_at[64];
        struct span name;
        size_t n = 0;
        (void)snprintf(name_is_at, sizeof name_is_at, "/request/headers/%zu/0", i);
        (void)snprintf(value_is_at, sizeof value_is_at, "/request/headers/%zu/1", i);
        name = name_at(v, name_is_at);
        if (!span_present(name)) {
            break;
        }
        for (size_t j = 0; j < r->n_headers; j++) {
            if (span_eq(r->headers[j].name, name)) {
                n = j + 1;
            }
        }
        *repeats = *repeats || n > 0;
        if (n > 0 && joined) {
            join(v, &r->headers[n - 1], text_at(v, value_is_at));
            continue;
        }
        r->headers[r->n_headers].name = name;
        r->headers[r->n_headers].value = span_trim(text_at(v, value_is_at));
        r->n_headers++;
    }
    body = text_at(v, "/request/body_b64");
    from = v->made.len;
    assert_int_equal(text_unbase64(body, &v->made), HO_OK);
    r->body = span_sub(buf_span(&v->made), from, v->made.len - from);
}

static struct endpoints *endpoint_for(struct vector *v, const char *recipe)
{
    char conf[1024];
    struct span url = text_at(v, "/url");
    int len = snprintf(conf, sizeof conf, "[source s]\nprovider = %s\n", recipe);
    if (span_present(url)) {
        len += snprintf(conf + len, sizeof conf - (size_t)len, "url = %.*s\n", (int)url.len,
                        (const char *)url.p);
    }
    for (int i = 0; i < 4; i++) {
        char pointer[32], file[32];
        struct span secret;
        (void)snprintf(pointer, sizeof pointer, "/secrets/%d", i);
        (void)snprintf(file, sizeof file, "secret-%d", i);
        secret = text_at(v, pointer);
        if (!span_present(secret)) {
            break;
        }
        site_write(file, secret, 0600);
        len += snprintf(conf + len, sizeof conf - (size_t)len, "secret = file:%s\n", file);
    }
    return site_load(conf);
}

static bool holds(struct span whole, struct span part)
{
    for (size_t i = 0; i + part.len <= whole.len; i++) {
        if (span_eq(span_sub(whole, i, part.len), part)) {
            return true;
        }
    }
    return false;
}

/* Where the provider sends no id, the recipe falls back to a digest, or to other texts of the request
 * with '-' between. */
static bool is_fallback(struct vector *v, const struct event *event)
{
    struct span rest = event->id;
    bool all = rest.len > 0;

    while (event->id.len != 64 && span_present(rest)) {
        struct span part = span_cut(&rest, '-');
        all = all && part.len > 0 &&
              (holds(event->body, part) || holds(text_at(v, "/request/query"), part));
    }
    return all;
}

static void check_event(struct vector *v, const char *name, const struct accepted *a)
{
    const struct event *event = accepted_event(a);
    struct span id = text_at(v, "/expect/event_id");
    struct span type = text_at(v, "/expect/event_type");
    struct span at = text_at(v, "/expect/occurred_at");
    uint64_t seconds = 0;

    if (span_present(id) ? !span_eq(event->id, id) : !is_fallback(v, event)) {
        fail_msg("%s: id is %.*s", name, (int)event->id.len, (const char *)event->id.p);
    }
    if (span_present(type) ? !span_eq(event->type, type) : event->type.len != 0) {
        fail_msg("%s: type is %.*s", name, (int)event->type.len, (const char *)event->type.p);
    }
    if (span_present(at)) {
        assert_true(text_uint(at, INT64_MAX, &seconds));
    }
    if (event->has_occurred != span_present(at) ||
        (event->has_occurred && event->occurred_us / 1000000 != (int64_t)seconds)) {
        fail_msg("%s: occurred %d at %lld", name, event->has_occurred,
                 (long long)event->occurred_us);
    }
    assert_true(event->secret_no > 0);
}

/* One vector in one spelling; whether it was "accept", "reject" or "hello". */
static const char *verdict_of(const struct endpoint *e, const struct request *r, int64_t now_us,
                              struct accepted **out, enum reason *reason)
{
    struct verify_note note = {.trace = NULL};
    struct verdict v;
    const char *word = "hello";
    if (hello_answer(e, r, &v)) {
        assert_int_equal(v.answer.status, 200);
        verdict_free(&v);
        return word;
    }
    *reason = verify_event(e, r, now_us, site, &v, &note);
    if (*reason != REASON_OK) {
        assert_int_equal(v.n_events, 0);
        word = "reject";
    } else if (!v.is_hello) {
        assert_int_equal(v.n_events, 1);
        *out = v.events[0];
        v.n_events = 0;
        word = "accept";
    }
    verdict_free(&v);
    return word;
}

static bool try_vector(struct vector *v, const char *recipe, const char *name, bool joined)
{
    struct span now = text_at(v, "/now");
    struct span verdict = text_at(v, "/expect/verdict");
    /* A ping is a delivery like any other here: recorded, and ignored unless a route wants it. */
    const char *want = span_is(verdict, "handshake")
                           ? (span_is(text_at(v, "/expect/reason"), "ping") ? "accept" : "hello")
                       : span_is(verdict, "accept") ? "accept"
                                                    : "reject";
    struct endpoints *e = endpoint_for(v, recipe);
    struct accepted *a = NULL;
    enum reason reason = REASON_OK;
    struct request r;
    uint64_t seconds;
    const char *got;
    bool repeats;

    make_request(v, joined, &r, &repeats);
    assert_true(text_uint(now, INT64_MAX, &seconds));
    got = verdict_of(site_endpoint(e, "s"), &r, (int64_t)seconds * 1000000, &a, &reason);
    if (strcmp(got, want) != 0) {
        fail_msg("%s: %s (%s), want %s", name, got, reasons[reason].word, want);
    }
    if (a != NULL) {
        check_event(v, name, a);
    }
    accepted_free(a);
    endpoints_free(e);
    return repeats;
}

/* The recipe for what the first secret is: a public key has one of its own. */
static const char *recipe_for(struct vector *v, const char *recipe)
{
    return span_starts(text_at(v, "/secrets/0"), "whpk_") ? "standard-webhooks-ed25519" : recipe;
}

/* Returns how many were tried. */
static size_t try_file(const char *file, const char *recipe)
{
    char path[512];
    struct buf text;
    struct json *all;
    struct vector v = {.i = 0};
    size_t tried = 0;

    (void)snprintf(path, sizeof path, "%s/vectors/%s.json", HO_TESTS, file);
    buf_init(&text, 16 * 1024 * 1024);
    assert_int_equal(file_read(path, false, &text, NULL), HO_OK);
    assert_int_equal(json_parse(buf_span(&text), &all, NULL), HO_OK);
    v.all = all;
    for (; v.i < VECTORS_MAX; v.i++) {
        char name[160];
        struct span own;
        buf_init(&v.made, 4 * 1024 * 1024);
        assert_non_null(buf_room(&v.made, 4 * 1024 * 1024));
        own = text_at(&v, "/name");
        if (span_present(own)) {
            (void)snprintf(name, sizeof name, "%s/%.*s", file, (int)own.len, (const char *)own.p);
            tried++;
            if (try_vector(&v, recipe_for(&v, recipe), name, false)) {
                (void)try_vector(&v, recipe_for(&v, recipe), name, true);
            }
        }
        buf_free(&v.made);
        if (!span_present(own)) {
            break;
        }
    }
    json_free(all);
    buf_free(&text);
    return tried;
}

static void holds_for_stripe(void **state)
{
    (void)state;
    assert_int_equal(try_file("stripe", "stripe"), 34);
}

static void holds_for_github(void **state)
{
    (void)state;
    assert_int_equal(try_file("github", "github"), 26);
}

static void holds_for_shopify(void **state)
{
    (void)state;
    assert_int_equal(try_file("shopify", "shopify"), 23);
}

static void holds_for_slack(void **state)
{
    (void)state;
    assert_int_equal(try_file("slack", "slack"), 29);
}

static void holds_for_clerk(void **state)
{
    (void)state;
    assert_int_equal(try_file("clerk", "clerk"), 34);
    assert_int_equal(try_file("clerk", "svix"), 34);
}

static void holds_for_standard_webhooks(void **state)
{
    (void)state;
    assert_int_equal(try_file("standardwebhooks", "standard-webhooks"), 32);
}

static void holds_for_mailgun(void **state)
{
    (void)state;
    assert_int_equal(try_file("mailgun", "mailgun"), 25);
}

static void holds_for_paddle(void **state)
{
    (void)state;
    assert_int_equal(try_file("paddle", "paddle"), 21);
}

static void holds_for_razorpay(void **state)
{
    (void)state;
    assert_int_equal(try_file("razorpay", "razorpay"), 13);
}

static void holds_for_supabase(void **state)
{
    (void)state;
    assert_int_equal(try_file("supabase", "supabase"), 33);
}

static void holds_for_twilio(void **state)
{
    (void)state;
    assert_int_equal(try_file("twilio", "twilio"), 34);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_for_stripe),
        cmocka_unit_test(holds_for_github),
        cmocka_unit_test(holds_for_shopify),
        cmocka_unit_test(holds_for_slack),
        cmocka_unit_test(holds_for_clerk),
        cmocka_unit_test(holds_for_standard_webhooks),
        cmocka_unit_test(holds_for_mailgun),
        cmocka_unit_test(holds_for_paddle),
        cmocka_unit_test(holds_for_razorpay),
        cmocka_unit_test(holds_for_supabase),
        cmocka_unit_test(holds_for_twilio),
    };
    return cmocka_run_group_tests(tests, site_start, site_end);
}
