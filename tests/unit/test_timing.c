/* That the time a signature takes tells nothing of a secret: under valgrind the secret's bytes count
 * as undefined, and every branch or address that depends on one is an error. What is computed of
 * them stays undefined until the verdict, so a comparison that ends early shows as well. Started
 * without valgrind, this program starts itself under it. */
#include "edge_own.h"

#include "base/mac.h"
#include "base/text.h"
#include "edge/recipe_parts.h"
#include "edge/verify_parts.h"

#if defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define HAS_VALGRIND 1
#endif
#endif
#ifndef HAS_VALGRIND
#define HAS_VALGRIND 0
#define RUNNING_ON_VALGRIND 0
#define VALGRIND_COUNT_ERRORS 0
#define VALGRIND_MAKE_MEM_UNDEFINED(p, n) ((void)(p), (void)(n))
#define VALGRIND_MAKE_MEM_DEFINED(p, n) ((void)(p), (void)(n))
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define SECRET "0123456789abcdef0123456789abcdef"
#define BODY SPAN_LIT("{\"id\":\"evt_1\"}")

#define SOURCE(name) "[source " name "]\nprovider = " name "\nsecret = file:a\nsecret = file:b\n"
#define SOURCES \
    SOURCE("mac") SOURCE("url") "url = https://h.example/hook\n" SOURCE("digest") SOURCE("token") \
    SOURCE("jwt") "[hookonce]\nrecipes = own.conf\n"

#define OWN \
    "[recipe mac]\nsig = header:x-sig ; list comma\nalg = hmac-sha256\nenc = hex\n" \
    "signed = {method}.{body}\nid = {json:/id}\n" \
    "[recipe url]\nlike = mac\nalg = hmac-sha1\nsigned = {url}{body}\n" \
    "[recipe digest]\nlike = mac\nweak = body\nalg = digest-sha512\nsigned = {secret}{body}\n" \
    "[recipe token]\nweak = token\nsig = header:x-sig ; list comma\nalg = equal\nenc = raw\n" \
    "id = {json:/id}\n" \
    "[recipe jwt]\nweak = body\nsig = header:x-sig\nalg = jwt HS256\nid = {body|sha256|hex}\n"

static int load_site(void **state)
{
    int rc = site_start(state);
    if (rc == 0) {
        site_secret("a", "another secret that does not fit");
        site_secret("b", SECRET);
        site_secret("own.conf", OWN);
        all = site_load(SOURCES);
    }
    return rc;
}

/* Marks, or unmarks, every secret of the endpoint. */
static void taint(const struct endpoint *e, bool tainted)
{
    for (size_t i = 0; i < e->n_keys; i++) {
        if (tainted) {
            (void)VALGRIND_MAKE_MEM_UNDEFINED(e->keys[i].secret.p, e->keys[i].secret.len);
        } else {
            (void)VALGRIND_MAKE_MEM_DEFINED(e->keys[i].secret.p, e->keys[i].secret.len);
        }
    }
}

/* What signs that recipe's request, as text. */
static void sign(const char *source, const char *key, char out[512])
{
    const struct span mac_parts[] = {SPAN_LIT("POST."), BODY};
    const struct span url_parts[] = {SPAN_LIT("https://h.example:443/hook"), BODY};
    const struct span digest_parts[] = {span_of(key), BODY};
    unsigned char mac[MAC_MAX];
    size_t len = mac_len(MAC_SHA256);

    if (strcmp(source, "token") == 0) {
        (void)snprintf(out, 512, "%s", key);
        return;
    }
    if (strcmp(source, "mac") == 0) {
        mac_hmac(MAC_SHA256, span_of(key), mac_parts, 2, mac);
    } else if (strcmp(source, "url") == 0) {
        mac_hmac(MAC_SHA1, span_of(key), url_parts, 2, mac);
        len = mac_len(MAC_SHA1);
    } else {
        mac_digest(MAC_SHA512, digest_parts, 2, mac);
        len = mac_len(MAC_SHA512);
    }
    text_hex(mac, len, out);
}

/* A check as verify_event has it when it comes to the signature. */
static void begin(struct check *c, struct request *r, const struct endpoint *e, const char *sig,
                  struct verify_note *note)
{
    static struct pair headers[2];
    headers[0] = (struct pair){"x-sig", sig};
    headers[1] = (struct pair){NULL, NULL};
    post(r, headers, BODY);
    r->target = SPAN_LIT("/hook");
    memset(c, 0, sizeof *c);
    *note = (struct verify_note){.trace = NULL};
    c->endpoint = e;
    c->recipe = e->recipe;
    c->request = r;
    c->now_us = NOW;
    c->note = note;
    c->alg = e->recipe->alg.choices[0].alg;
    c->view = (struct term_view){.request = r, .source = e->source, .sig = &c->parts.fields};
    assert_int_equal(sig_parse(e->recipe, &c->view, true, &c->parts), REASON_OK);
    urls_of(e->source, r, &c->urls);
}

static void end(struct check *c)
{
    sig_parts_free(&c->parts);
    urls_free(&c->urls);
    jwt_free(&c->token);
}

/* The slot that fits, and how many errors valgrind counted meanwhile. */
static unsigned tried(const char *source, const char *sig, unsigned long *errors)
{
    const struct endpoint *e = site_endpoint(all, source);
    struct verify_note note;
    struct sig_bytes sigs;
    struct request r;
    struct check c;
    struct fit fit;
    enum reason why;

    begin(&c, &r, e, sig, &note);
    assert_int_equal(verify_decode(&c, &sigs), REASON_OK);
    taint(e, true);
    *errors = VALGRIND_COUNT_ERRORS;
    verify_try_shared(&c, &sigs, &fit, &why);
    *errors = VALGRIND_COUNT_ERRORS - *errors;
    (void)VALGRIND_MAKE_MEM_DEFINED(&fit, sizeof fit);
    taint(e, false);
    verify_decode_free(&sigs);
    end(&c);
    return fit.slot;
}

static void compares_without_a_trace_of_the_secret(void **state)
{
    static const char *const sources[] = {"mac", "url", "digest", "token"};
    (void)state;
    for (size_t i = 0; i < COUNT(sources); i++) {
        char good[512], bad[512], both[1100];
        unsigned long errors;
        sign(sources[i], SECRET, good);
        sign(sources[i], "a secret that is not known at all", bad);
        ROW(i, tried(sources[i], good, &errors) == 2 && errors == 0);
        ROW(i, tried(sources[i], bad, &errors) == 0 && errors == 0);
        (void)snprintf(both, sizeof both, "%s,%s,00", bad, good);
        ROW(i, tried(sources[i], both, &errors) == 2 && errors == 0);
    }
}

static void holds_for_tokens(void **state)
{
    static const char head[] = "eyJhbGciOiJIUzI1NiJ9.e30"; /* {"alg":"HS256"} {} */
    const struct endpoint *e = site_endpoint(all, "jwt");
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct span input = span_of(head);
        unsigned char mac[MAC_MAX];
        struct verify_note note;
        struct fit fit = {0, 0};
        struct request r;
        struct check c;
        struct buf text;
        buf_init(&text, 500);
        mac_hmac(MAC_SHA256, span_of(i == 0 ? SECRET : "no"), &input, 1, mac);
        assert_int_equal(buf_addf(&text, "%s.", head), HO_OK);
        assert_int_equal(text_base64url(span_make(mac, 32), &text), HO_OK);
        begin(&c, &r, e, buf_cstr(&text), &note);
        assert_int_equal(jwt_parse(c.parts.sigs[0], c.alg.jose, false, &c.token, NULL), HO_OK);
        taint(e, true);
        unsigned long errors = VALGRIND_COUNT_ERRORS;
        verify_try_token(&c, &c.token, &c.token.signing, 1, 1, &fit);
        errors = VALGRIND_COUNT_ERRORS - errors;
        (void)VALGRIND_MAKE_MEM_DEFINED(&fit, sizeof fit);
        taint(e, false);
        assert_int_equal(errors, 0);
        assert_int_equal(fit.slot, i == 0 ? 2 : 0);
        end(&c);
        buf_free(&text);
    }
}

/* A comparison as one would write it without thinking. */
static int early(const volatile unsigned char *a, const volatile unsigned char *b, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (a[i] != b[i]) {
            return 0;
        }
    }
    return 1;
}

/* Without this, no error could also mean that nobody looks. */
static void would_notice_a_comparison_that_ends_early(void **state)
{
    unsigned char mac[MAC_MAX], sig[MAC_MAX] = {0};
    unsigned char key[] = SECRET;
    const struct span part = BODY;
    unsigned long errors;
    (void)state;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(key, sizeof key);
    errors = VALGRIND_COUNT_ERRORS;
    mac_hmac(MAC_SHA256, span_make(key, sizeof key), &part, 1, mac);
    assert_int_equal(VALGRIND_COUNT_ERRORS - errors, 0);
    (void)early(mac, sig, 32);
    errors = VALGRIND_COUNT_ERRORS - errors;
    assert_true(errors > 0 || !RUNNING_ON_VALGRIND);
}

/* Where the sanitizers are built in, valgrind can't run; there only the verdicts are held. */
static void runs_under_valgrind(void **state)
{
    (void)state;
    if (!SANITIZED && !RUNNING_ON_VALGRIND) {
        fail_msg("valgrind is missing: tests/setup.sh test installs it");
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_under_valgrind),
        cmocka_unit_test(compares_without_a_trace_of_the_secret),
        cmocka_unit_test(holds_for_tokens),
        cmocka_unit_test(would_notice_a_comparison_that_ends_early),
    };
    if (!SANITIZED && HAS_VALGRIND && !RUNNING_ON_VALGRIND && argc == 1) {
        char *const again[] = {(char[]){"valgrind"}, (char[]){"-q"}, (char[]){"--error-limit=no"},
                               argv[0], (char[]){"again"}, NULL};
        (void)execvp(again[0], again);
    }
    return cmocka_run_group_tests(tests, load_site, drop_site);
}
