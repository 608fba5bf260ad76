/* What becomes of bodies on their way to the receiver. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operator/check_echo.h"

#define SMALL ((size_t)131072) /* mod_fcgid takes that much, and no more, unless it is told to */
#define MIDDLE ((size_t)200000)
#define LARGE ((size_t)2 * 1024 * 1024)

/* What people write and events carry, and firewalls dislike. No value of it means anything here. */
#define DISLIKED                                                                                   \
    "1' OR '1'='1' UNION SELECT password FROM users -- <script>alert(1)</script> "               \
    "../../../../etc/passwd ; cat /etc/passwd | sh ${jndi:ldap://x.invalid/a} <?php eval(1);?>"

/* `{"hookonce":"compressed"}` by gzip. */
#define COMPRESSED                                                                                 \
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\xab\x56\xca\xc8\xcf\xcf\xce\xcf\x4b\x4e\x55\xb2\x52" \
    "\x4a\xce\xcf\x2d\x28\x4a\x2d\x2e\x4e\x4d\x51\xaa\x05\x00\xf3\x52\x10\x96\x19\x00\x00\x00"

enum outcome { ARRIVED, ALTERED, STOPPED };

/* seen: what to say of it, unless it arrived. */
static enum outcome send(struct outside *o, const struct echo_ask *ask, char seen[512])
{
    struct echo e;

    echo_ask(o, ask, &e);
    enum outcome outcome = e.doc == NULL                    ? STOPPED
                           : echo_body_is(&e, ask->body) ? ARRIVED
                                                         : ALTERED;
    if (outcome == STOPPED) {
        (void)echo_seen(&e, seen);
    } else if (outcome == ALTERED && !echo_bool(&e, "whole")) {
        (void)snprintf(seen, 512, "of %zu bytes not all arrive", ask->body.len);
    } else if (outcome == ALTERED) {
        (void)snprintf(seen, 512, "%zu bytes were sent, %lld arrive, and they differ",
                       ask->body.len, (long long)echo_int(&e, "length"));
    }
    echo_free(&e);
    return outcome;
}

/* Every value a byte can have, over and over, and never the same block twice. */
static void fill(unsigned char *p, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        p[i] = (unsigned char)(i + i / 256 * 7);
    }
}

static void check_lengths(struct outside *o)
{
    unsigned char *bytes = ho_alloc(LARGE);
    char seen[512] = "", ignored[512];

    fill(bytes, LARGE);
    enum outcome middle = send(o, &(struct echo_ask){.body = span_make(bytes, MIDDLE)}, seen);
    if (middle == ALTERED) {
        found_host(o->c, FINDING_BODY_ALTERED, "binary: %s", seen);
    } else if (middle == STOPPED &&
               send(o, &(struct echo_ask){.body = span_make(bytes, 512)}, ignored) == STOPPED) {
        found_host(o->c, FINDING_BODY_BLOCKED, "binary: %s", seen);
    } else if (middle == STOPPED) {
        bool small = send(o, &(struct echo_ask){.body = span_make(bytes, SMALL)}, ignored) ==
                     ARRIVED;
        found_host(o->c, FINDING_BODY_LIMIT, "%s; %zu bytes do%s", seen, SMALL,
                   small ? "" : " not either");
    } else {
        enum outcome large = send(o, &(struct echo_ask){.body = span_make(bytes, LARGE)}, seen);
        if (large != ARRIVED) {
            found_host(o->c, large == STOPPED ? FINDING_BODY_LIMIT_2M : FINDING_BODY_ALTERED, "%s",
                       seen);
        }
    }
    free(bytes);
}

void outside_words(struct outside *o)
{
    static const struct {
        const char *name, *type, *body;
    } kinds[] = {
        {"JSON", "application/json",
         "{ \"a\" : \"" DISLIKED "\",\r\n  \"b\": \"\\u00e9 \xc3\xa9\", \"n\": 1.10, \"n\": 1e3 }\n"},
        {"a form", "application/x-www-form-urlencoded",
         "a=" DISLIKED "&b=%7E+%20&b=x&empty=&=y;z"},
        {"XML", "text/xml", "<?xml version=\"1.0\"?>\r\n<a b='c'>" DISLIKED "</a>\r\n"},
    };
    char seen[512];

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct echo_ask ask = {.type = kinds[i].type, .body = span_of(kinds[i].body)};
        enum outcome outcome = send(o, &ask, seen);
        if (outcome != ARRIVED) {
            found_host(o->c, outcome == STOPPED ? FINDING_BODY_BLOCKED : FINDING_BODY_ALTERED,
                       "%s: %s", kinds[i].name, seen);
        }
    }
}

static void check_coded(struct outside *o)
{
    char seen[512];

    if (send(o, &(struct echo_ask){.type = "application/json",
                                   .headers = "Content-Encoding: gzip\n",
                                   .body = SPAN_LIT(COMPRESSED)}, seen) != ARRIVED) {
        found_host(o->c, FINDING_BODY_INFLATED, "%s", seen);
    }
    if (send(o, &(struct echo_ask){.type = "application/json", .unmeasured = true,
                                   .body = SPAN_LIT("{\"hookonce\":\"in chunks\"}")}, seen) !=
        ARRIVED) {
        found_host(o->c, FINDING_BODY_CHUNKED, "%s", seen);
    }
}

static void check_http2(struct outside *o)
{
    const struct echo_ask ask = {.type = "application/json", .unmeasured = true, .http2 = true,
                                 .body = SPAN_LIT("{\"hookonce\":\"over HTTP/2\"}")};
    struct echo e;
    char seen[512];

    if (strncmp(o->url, "https:", 6) != 0) {
        return; /* nobody speaks HTTP/2 without TLS to a public server */
    }
    if (!http_has_http2()) {
        found_host(o->c, FINDING_HTTP2_UNTESTED, "the libcurl of this program has none");
        return;
    }
    echo_ask(o, &ask, &e);
    if (e.told.http2 && (e.doc == NULL || !echo_body_is(&e, ask.body))) {
        found_host(o->c, FINDING_HTTP2_BODY, "%s", e.doc == NULL ? echo_seen(&e, seen) : "");
    }
    echo_free(&e);
}

void outside_bodies(struct outside *o)
{
    check_lengths(o);
    check_coded(o);
    check_http2(o);
}
