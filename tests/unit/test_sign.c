/* Playing the provider: the exact headers of known deliveries, samples that our own verifying
 * takes, and what cannot be signed. */
#include "edge_own.h"
#include "edge_signed.h"

#include "edge/sign.h"

#define SOURCES \
    "[source stripe]\nprovider = stripe\nsecret = file:a\n" \
    "[source github]\nprovider = github\nsecret = file:a\n" \
    "[source shopify]\nprovider = shopify\nsecret = file:a\n" \
    "[source slack]\nprovider = slack\nsecret = file:a\n" \
    "[source standard-webhooks]\nprovider = standard-webhooks\nsecret = file:whsec\n" \
    "[source svix]\nprovider = svix\nsecret = file:whsec\n" \
    "[source clerk]\nprovider = clerk\nsecret = file:whsec\n" \
    "[source sha1]\nprovider = sha1\nsecret = file:a\n" \
    "[source sha512]\nprovider = sha512\nsecret = file:hex\n" \
    "[source unknown]\nprovider = unknown\nsecret = file:a\n" \
    "[hookonce]\nrecipes = own.conf\n"

#define OWN \
    "[recipe sha1]\nlike = github\n" \
    "sig = header:x-sig ; strip v= ; list semicolon ; pair colon s\n" \
    "alg = hmac-sha1\nenc = hex-any\ntime = sig.at ; ms ; 10\nsigned = {ts}\\n{body}\n" \
    "needs = x-tenant\n" \
    "[recipe sha512]\nlike = github\nsig = header:x-sig ; list comma\nalg = hmac-sha512\n" \
    "key = strip:hex_ | unhex\nenc = base64\n" \
    "[recipe unknown]\nlike = github\nsigned = {json:/nonce}{body}\nsample = {\"a\":{event:x}}\n"

static int load_site(void **state)
{
    int rc = site_start(state);
    if (rc == 0) {
        site_secret("a", "It's a Secret to Everybody");
        site_secret("whsec", "whsec_aG9va29uY2UtdGVzdC1jbGVyay1rZXktMDAwMQ==");
        site_secret("hex", "hex_00ff10");
        site_secret("own.conf", OWN);
        all = site_load(SOURCES);
    }
    return rc;
}

/* What was signed, with its buffers. */
static void signed_init(struct signed_request *out)
{
    buf_init(&out->headers, 65536);
    buf_init(&out->body, 65536);
    buf_init(&out->query, 65536);
}

static void signed_free(struct signed_request *out)
{
    buf_free(&out->headers);
    buf_free(&out->body);
    buf_free(&out->query);
}

static enum ho_code sign(const char *source, struct span id, struct span type, struct span body,
                         struct signed_request *out, struct ho_err *err)
{
    const struct endpoint *e = site_endpoint(all, source);
    const struct sign_input in = {.id = id, .type = type, .time_us = NOW,
                                  .key = endpoint_signing_key(e, NOW), .body = body,
                                  .content_type = SPAN_LIT("application/json"),
                                  .source = e->source};
    signed_init(out);
    return sign_request(e->recipe, &in, out, err);
}

/* GitHub's is its documented example; the other MACs were made with the openssl command. */
static void writes_the_headers_that_providers_write(void **state)
{
    static const struct {
        const char *source, *want;
    } rows[] = {
        {"github", "x-github-delivery: id\nx-github-event: ty\nx-hub-signature-256: sha256="
                   "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17\n"},
        {"stripe", "stripe-signature: t=1790000000,v1="
                   "e45eef3357b6405ff129013ebd8233f9fe445b8d041acfc3c7230303a87cd245\n"},
        {"shopify", "x-shopify-webhook-id: id\nx-shopify-topic: ty\n"
                    "x-shopify-triggered-at: 2026-09-21T14:13:20.000000Z\n"
                    "x-shopify-hmac-sha256: dXEH6g6yUJ/CESIczphLijdXC211hsIsRvQ3nIsEPhc=\n"},
        {"slack", "x-slack-request-timestamp: 1790000000\nx-slack-signature: v0="
                  "78c870a1bfd5ee1d541f498394f65d6a509e4b4e49322ffd1c0025ea587ba3c6\n"},
        {"clerk", "svix-id: id\nsvix-timestamp: 1790000000\n"
                  "svix-signature: v1,q5BrtN+wxX/efJVnxfmGMvOWuTinYrTUbnAACKtXcIY=\n"},
        {"standard-webhooks",
         "webhook-id: id\nwebhook-timestamp: 1790000000\n"
         "webhook-signature: v1,q5BrtN+wxX/efJVnxfmGMvOWuTinYrTUbnAACKtXcIY=\n"},
        {"sha1", "x-github-delivery: id\nx-github-event: ty\nx-tenant: test\n"
                 "x-sig: v=at:1790000000000;s:8caecf0a0215d158708a1cf203b32f11191a3c9b\n"},
        {"sha512", "x-github-delivery: id\nx-github-event: ty\nx-sig: 5oShpkgvYioquDFm9hIMJil8fbxK"
                   "Tzub8ewCpbNZZqzrWvscJsXHlrqyWFh5S5SkcxZmMn3RaVFJug/NEE5TPg==\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char want[512];
        struct signed_request out;
        (void)snprintf(want, sizeof want, "content-type: application/json\n%s", rows[i].want);
        assert_int_equal(sign(rows[i].source, SPAN_LIT("id"), SPAN_LIT("ty"),
                              SPAN_LIT("Hello, World!"), &out, NULL), HO_OK);
        ROW_TEXT(i, buf_cstr(&out.headers), want);
        ROW(i, out.body.len == 0 && out.query.len == 0);
        signed_free(&out);
    }
}

/* Puts "name: value" lines into a request as a server would hand them over. */
static void posted(struct request *r, struct span lines, struct span body)
{
    static const struct pair none[] = {{NULL, NULL}};
    post(r, none, body);
    while (lines.len > 0) {
        struct span value = span_cut(&lines, '\n');
        struct span name = span_cut(&value, ':');
        r->headers[r->n_headers].name = name;
        r->headers[r->n_headers++].value = span_trim(value);
    }
}

static void makes_samples_that_are_let_in(void **state)
{
    static const struct {
        const char *source;
        const char *id, *type; /* type NULL: the default */
        bool object, occurred;
    } rows[] = {
        {"stripe", "evt_1", NULL, true, true},
        {"stripe", "evt \"1\"\\", "a \"b\"", true, true},
        {"github", "72d3162e", NULL, true, false},
        {"shopify", "b54557e4", "orders/create", true, true},
        {"slack", "Ev1", NULL, true, true},
        {"standard-webhooks", "msg_1", NULL, true, true},
        {"svix", "msg_1", "x.y", true, true},
        {"clerk", "msg_1", NULL, true, true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct endpoint *e = site_endpoint(all, rows[i].source);
        const char *type = rows[i].type != NULL ? rows[i].type : sign_default_type(e->recipe, false);
        struct signed_request out;
        struct buf body;
        const char *content_type;
        struct request r;
        struct accepted *a;
        buf_init(&body, 8192);
        ROW(i, sign_sample(e->recipe, span_of(rows[i].id), span_of(type), NOW, &body, &content_type,
                           NULL) == HO_OK);
        ROW_TEXT(i, content_type, "application/json");
        ROW(i, sign(rows[i].source, span_of(rows[i].id), span_of(type), buf_span(&body), &out,
                    NULL) == HO_OK);
        posted(&r, buf_span(&out.headers), buf_span(&body));
        ROW(i, judge(e, &r, NOW, &a, NULL) == REASON_OK);
        const struct event *event = accepted_event(a);
        ROW(i, span_is(event->id, rows[i].id) && span_is(event->type, type));
        ROW(i, span_present(event->object) == rows[i].object);
        ROW(i, event->has_occurred == rows[i].occurred);
        ROW(i, !event->has_occurred || event->occurred_us == NOW);
        ROW(i, span_is(event->document, "json"));
        body.p[body.len / 2] ^= 1;
        ROW(i, judge(e, &r, NOW, NULL, NULL) == REASON_SIGNATURE);
        accepted_free(a);
        signed_free(&out);
        buf_free(&body);
    }
}

static void refuses_what_would_break_out_of_a_header(void **state)
{
    static const struct span rows[] = {S("a\nx: y"), S("a\r"), S("a\0b")};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct signed_request out;
        struct ho_err err;
        ho_err_clear(&err);
        ROW(i, sign("github", rows[i], SPAN_LIT("t"), SPAN_LIT("{}"), &out, &err) == HO_PERMANENT);
        ROW(i, out.headers.len == 0);
        signed_free(&out);
        ROW(i, sign("github", SPAN_LIT("i"), rows[i], SPAN_LIT("{}"), &out, &err) == HO_PERMANENT);
        ROW(i, strstr(err.text, "one line") != NULL && out.headers.len == 0);
        signed_free(&out);
    }
}

static void says_what_cannot_be_signed(void **state)
{
    const struct recipe *unknown = site_endpoint(all, "unknown")->recipe;
    const char *content_type;
    struct signed_request out;
    struct buf body;
    struct ho_err err;
    (void)state;
    ho_err_clear(&err);
    assert_int_equal(sign("unknown", SPAN_LIT("i"), SPAN_LIT("t"), SPAN_LIT("{}"), &out, &err),
                     HO_PERMANENT);
    assert_non_null(strstr(err.text, "signs something that this body"));
    assert_int_equal(out.headers.len, 0);
    signed_free(&out);
    buf_init(&body, 100);
    assert_int_equal(sign_sample(unknown, SPAN_LIT("i"), SPAN_LIT("t"), NOW, &body, &content_type,
                                 &err), HO_PERMANENT);
    assert_non_null(strstr(err.text, "not known"));
    buf_free(&body);
    buf_init(&body, 10);
    assert_int_equal(sign_sample(site_endpoint(all, "stripe")->recipe, SPAN_LIT("i"), SPAN_LIT("t"),
                                 NOW, &body, &content_type, &err), HO_PERMANENT);
    assert_non_null(strstr(err.text, "too long"));
    buf_free(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_the_headers_that_providers_write),
        cmocka_unit_test(makes_samples_that_are_let_in),
        cmocka_unit_test(refuses_what_would_break_out_of_a_header),
        cmocka_unit_test(says_what_cannot_be_signed),
    };
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
