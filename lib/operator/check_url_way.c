/* Whether answers come from the receiver itself, at the right time, and over every way alike. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mac.h"
#include "base/text.h"
#include "operator/check_echo.h"

#define SECOND_US INT64_C(1000000)
#define CLOCK_OFF_MAX_US (60 * SECOND_US)

/* ---- caches ---- */

/* Asks by GET, which caches like, and says whether the answer is to this very request. */
static bool ask_fresh(struct outside *o, bool *by_cache, char seen[512])
{
    unsigned char random[16];
    char nonce[2 * sizeof random + 1], line[128];
    struct echo e;
    size_t as_sent = 0;

    mac_random(random, sizeof random);
    text_hex(random, sizeof random, nonce);
    (void)snprintf(line, sizeof line, "X-Hookonce-Test-Nonce: %s\n", nonce);
    echo_ask(o, &(struct echo_ask){.get = true, .headers = line}, &e);
    bool answered = e.doc != NULL;
    if (answered) {
        (void)echo_headers(&e, TEST_HEADER "nonce", span_of(nonce), &as_sent);
    }
    *by_cache = answered && as_sent == 0;
    (void)snprintf(seen, 512, "%s%s", e.told.age[0] != '\0' ? "Age: " : "", e.told.age);
    echo_free(&e);
    return answered;
}

void outside_cache(struct outside *o)
{
    bool by_cache = false;
    char seen[512];

    for (int i = 0; i < 2 && !by_cache && ask_fresh(o, &by_cache, seen); i++) {
    }
    if (by_cache) {
        found_host(o->c, FINDING_CACHED, "%s", seen);
    }
}

/* ---- clocks ---- */

static bool is_off(struct outside *o, const char *whose, int64_t ahead_us)
{
    char by[24];

    if (llabs(ahead_us) <= CLOCK_OFF_MAX_US) {
        return false;
    }
    found_host(o->c, FINDING_CLOCK_WEB, "%s is %s %s this machine's", whose,
               check_ago(llabs(ahead_us) / SECOND_US, by), ahead_us > 0 ? "ahead of" : "behind");
    return true;
}

void outside_clocks(struct outside *o, const struct echo *e)
{
    int64_t clock = echo_int(e, "clock_us"), date = 0;

    if (clock > 0 && is_off(o, "the receiver's", clock - e->told.at_us)) {
        return;
    }
    if (text_rfc2822(span_of(e->told.date), &date)) {
        (void)is_off(o, "the Date of its answers", date - e->told.at_us);
    }
}

/* ---- IPv4, IPv6 ---- */

/* Whether the URL names an address itself, and leaves nothing to choose. */
static bool is_literal(const char *url)
{
    const char *host = strstr(url, "://");
    size_t len = host != NULL ? strcspn(host + 3, ":/") : 0;

    return len == 0 || host[3] == '[' || strspn(host + 3, "0123456789.") == len;
}

void outside_families(struct outside *o)
{
    static const struct {
        enum http_family family;
        const char *name;
    } ways[] = {{HTTP_IPV4, "IPv4"}, {HTTP_IPV6, "IPv6"}};
    bool good[2] = {false, false};
    enum http_failure failure[2] = {HTTP_NO_ADDRESS, HTTP_NO_ADDRESS};
    char seen[2][512];

    for (int i = 0; i < 2 && !is_literal(o->url); i++) {
        struct echo e;
        echo_ask(o, &(struct echo_ask){.family = ways[i].family, .body = SPAN_LIT("family")}, &e);
        failure[i] = e.told.failure;
        good[i] = e.doc != NULL;
        (void)echo_seen(&e, seen[i]);
        echo_free(&e);
    }
    for (int i = 0; i < 2; i++) {
        if (good[i] || !good[1 - i] || o->c->gone) {
            continue;
        }
        if (failure[i] == HTTP_NO_LINK) {
            found(o->c, FOUND_NOTE, "ipv6", "over %s no connection can be made from here (%s): "
                  "perhaps this machine has none; look from another one", ways[i].name, seen[i]);
        } else if (failure[i] != HTTP_NO_ADDRESS) {
            found_host(o->c, FINDING_IPV6, "over %s: %s", ways[i].name, seen[i]);
        }
    }
}
