/* What becomes of headers and query on their way to the receiver. */
#include <string.h>

#include "operator/check_echo.h"

#define SIGNED_LEN 4000

/* As Stripe and others sign, with what a clean-up likes to touch. */
#define SIGNATURE                                                                                  \
    "t=1764547200,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd,"          \
    "v0=a+b/c==;x=%2F"
#define AUTHORIZATION "Bearer hookonce-check"
#define QUERY "hookonce+check%2Bargument"

static void check_signature(struct outside *o)
{
    const struct echo_ask ask = {.body = SPAN_LIT("signed"), .query = QUERY,
                                 .headers = "X-Hookonce-Test-Signature: " SIGNATURE "\n"
                                            "Authorization: " AUTHORIZATION "\n"};
    struct echo e;
    char seen[512];
    size_t as_sent;

    echo_ask(o, &ask, &e);
    if (e.doc == NULL) {
        found_host(o->c, FINDING_HEADER_ALTERED, "with a signature: %s", echo_seen(&e, seen));
        echo_free(&e);
        return;
    }
    size_t n = echo_headers(&e, TEST_HEADER "signature", SPAN_LIT(SIGNATURE), &as_sent);
    if (as_sent != 1 || n != 1) {
        found_host(o->c, FINDING_HEADER_ALTERED, "X-Hookonce-Test-Signature %s",
                   n == 0 ? "is lost" : n > 1 ? "comes twice" : "has another value");
    }
    (void)echo_headers(&e, "authorization", SPAN_LIT(AUTHORIZATION), &as_sent);
    if (as_sent != 1) {
        found_host(o->c, FINDING_AUTHORIZATION, "%s", "");
    }
    if (!o->ticket_in_query && !echo_query_is(&e, SPAN_LIT(QUERY))) {
        found_host(o->c, FINDING_QUERY_ALTERED, "?%s was sent", QUERY);
    }
    if (echo_int(&e, "arguments") > 0) {
        found_host(o->c, FINDING_ARGV, "%lld words of it",
                   (long long)echo_int(&e, "arguments"));
    }
    echo_free(&e);
}

static void check_long(struct outside *o)
{
    char line[SIGNED_LEN + 64] = "X-Hookonce-Test-Long: ";
    size_t from = strlen(line), as_sent = 0;
    struct echo e;
    char seen[512];

    memset(line + from, 'a', SIGNED_LEN);
    line[from + SIGNED_LEN] = '\n';
    line[from + SIGNED_LEN + 1] = '\0';
    echo_ask(o, &(struct echo_ask){.headers = line, .body = SPAN_LIT("long")}, &e);
    if (e.doc == NULL) {
        found_host(o->c, FINDING_HEADER_LONG, "%s", echo_seen(&e, seen));
    } else {
        (void)echo_headers(&e, TEST_HEADER "long", span_make(line + from, SIGNED_LEN), &as_sent);
        if (as_sent != 1) {
            found_host(o->c, FINDING_HEADER_LONG, "it arrives altered, or is lost");
        }
    }
    echo_free(&e);
}

/* Both arrive, apart or as one "a, b"; else one of them is lost. A request that is refused for it is
 * safe. */
static void check_twice(struct outside *o)
{
    static const char *const joined[] = {"one, two", "one,two", "two, one"};
    struct echo e;
    size_t n = 0, joined_n = 0, as_sent;

    echo_ask(o, &(struct echo_ask){.headers = "X-Hookonce-Test-Twice: one\n"
                                              "X-Hookonce-Test-Twice: two\n",
                                   .body = SPAN_LIT("twice")}, &e);
    if (e.doc != NULL) {
        for (size_t i = 0; i < sizeof joined / sizeof joined[0]; i++) {
            n = echo_headers(&e, TEST_HEADER "twice", span_of(joined[i]), &as_sent);
            joined_n += as_sent;
        }
        if (n < 2 && joined_n == 0) {
            found_host(o->c, FINDING_HEADER_TWICE, "%s", n == 0 ? "both are" : "");
        }
    }
    echo_free(&e);
}

static void check_shadow(struct outside *o)
{
    struct echo e;
    size_t genuine, false_one;

    echo_ask(o, &(struct echo_ask){.headers = "X_Hookonce_Test_Shadow: false\n"
                                              "X-Hookonce-Test-Shadow: genuine\n",
                                   .body = SPAN_LIT("shadow")}, &e);
    if (e.doc != NULL) {
        (void)echo_headers(&e, TEST_HEADER "shadow", SPAN_LIT("genuine"), &genuine);
        (void)echo_headers(&e, TEST_HEADER "shadow", SPAN_LIT("false"), &false_one);
        if (false_one > 0 && genuine == 0) {
            found_host(o->c, FINDING_HEADER_SHADOWED, "X_Hookonce_Test_Shadow");
        }
    }
    echo_free(&e);
}

void outside_headers(struct outside *o)
{
    check_signature(o);
    check_long(o);
    check_twice(o);
    check_shadow(o);
}
