/* Asking the probe, and understanding what it says. */
#include "operator/check_echo.h"

#include <stdio.h>
#include <string.h>

#include "base/mac.h"
#include "base/text.h"

static void put_headers(const struct outside *o, const struct echo_ask *ask, struct buf *out)
{
    const char *type = ask->type != NULL ? ask->type : "application/octet-stream";

    if ((!o->ticket_in_query && buf_addf(out, "X-Hookonce-Ticket: %s\n", o->ticket) != HO_OK) ||
        (!ask->get && buf_addf(out, "Content-Type: %s\n", type) != HO_OK) ||
        buf_add_str(out, ask->headers != NULL ? ask->headers : "") != HO_OK) {
        ho_die("bug: the headers of a probe do not fit");
    }
}

static void put_url(const struct outside *o, const struct echo_ask *ask, struct buf *out)
{
    bool both = o->ticket_in_query && ask->query != NULL;

    if (buf_addf(out, "%s" ECHO_PATH "%s%s%s%s%s", o->url,
                 o->ticket_in_query || ask->query != NULL ? "?" : "",
                 ask->query != NULL ? ask->query : "", both ? "&" : "",
                 o->ticket_in_query ? "ticket=" : "", o->ticket_in_query ? o->ticket : "") !=
        HO_OK) {
        ho_die("bug: the URL of a probe does not fit");
    }
}

static void ask_once(const struct outside *o, const struct echo_ask *ask, struct echo *e)
{
    struct http_ask http = {.ca_file = o->c->op->settings->ca_file, .get = ask->get,
                            .body = ask->body, .unmeasured = ask->unmeasured,
                            .http2 = ask->http2, .family = ask->family};
    struct buf url, headers;

    buf_init(&url, 4096);
    buf_init(&headers, 16384);
    put_url(o, ask, &url);
    put_headers(o, ask, &headers);
    http.url = buf_cstr(&url);
    http.headers = buf_span(&headers);
    http_ask(&http, &e->told);
    buf_free(&url);
    buf_free(&headers);
    e->doc = NULL;
    if (e->told.status == 200 &&
        json_parse_within(buf_span(&e->told.body), &json_tight, &e->doc, NULL) == HO_OK &&
        json_kind_of(json_at(e->doc, SPAN_LIT("/hookonce"))) != JSON_STRING) {
        json_free(e->doc);
        e->doc = NULL;
    }
}

/* What servers say when it is not about this request: too many, or nobody there to take it. */
static bool is_busy(const struct http_told *t)
{
    static const int busy[] = {429, 502, 503, 504, 508};
    bool found = t->status >= 520 && t->status <= 530; /* of CDNs */

    for (size_t i = 0; i < sizeof busy / sizeof busy[0]; i++) {
        found = found || t->status == busy[i];
    }
    return found;
}

bool outside_late(struct outside *o)
{
    if (!o->c->gone && deadline_left_ms(o->end) == 0) {
        (void)snprintf(o->unsteady, sizeof o->unsteady,
                       "the look took %d s, and the rest was left out", LOOK_MS / 1000);
        o->c->gone = true;
    }
    return o->c->gone;
}

/* A firewall may use such a status too: then others are answered, and the same never is. */
static void ask_again(struct outside *o, const struct echo_ask *ask, struct echo *e)
{
    char seen[512];
    struct echo other;

    (void)echo_seen(e, seen);
    echo_free(e);
    ask_once(o, ask, e);
    if (e->doc == NULL) {
        ask_once(o, &(struct echo_ask){.body = SPAN_LIT("hookonce")}, &other);
        o->c->gone = other.doc == NULL;
        echo_free(&other);
    }
    if (e->doc != NULL || o->c->gone) {
        (void)snprintf(o->unsteady, sizeof o->unsteady, "%.400s, %s", seen,
                       o->c->gone ? "and the rest was left out" : "and not so the next time");
    }
}

void echo_ask(struct outside *o, const struct echo_ask *ask, struct echo *e)
{
    if (o->reached && outside_late(o)) {
        *e = (struct echo){.doc = NULL};
        buf_init(&e->told.body, 0);
        return;
    }
    ask_once(o, ask, e);
    if (o->reached && e->doc == NULL && is_busy(&e->told)) {
        ask_again(o, ask, e);
    }
}

void echo_free(struct echo *e)
{
    json_free(e->doc);
    http_told_free(&e->told);
}

/* ---- what it says ---- */

static const struct json_node *member(const struct echo *e, const char *name)
{
    char pointer[64];

    (void)snprintf(pointer, sizeof pointer, "/%s", name);
    return json_at(e->doc, span_of(pointer));
}

static const char *text_of(const struct json_node *node, char *out, size_t room)
{
    struct buf text;

    buf_init(&text, HTTP_ASK_BODY_MAX);
    if (json_text(node, &text) != HO_OK) {
        buf_clear(&text);
    }
    (void)snprintf(out, room, "%s", buf_cstr(&text));
    buf_free(&text);
    return out;
}

int64_t echo_int(const struct echo *e, const char *name)
{
    const struct json_node *node = member(e, name);
    char text[32];
    uint64_t n = 0;

    return json_kind_of(node) == JSON_INT &&
                   text_uint(span_of(text_of(node, text, sizeof text)), INT64_MAX, &n)
               ? (int64_t)n
               : -1;
}

bool echo_bool(const struct echo *e, const char *name)
{
    return json_bool(member(e, name));
}

const char *echo_text(const struct echo *e, const char *name, char out[256])
{
    return text_of(member(e, name), out, 256);
}

static bool is_digest(const struct json_node *node, struct span bytes)
{
    unsigned char digest[SHA256_LEN];
    char hex[2 * SHA256_LEN + 1], told[2 * SHA256_LEN + 2];

    mac_sha256(bytes, digest);
    text_hex(digest, sizeof digest, hex);
    return strcmp(text_of(node, told, sizeof told), hex) == 0;
}

bool echo_body_is(const struct echo *e, struct span body)
{
    return echo_bool(e, "whole") && echo_int(e, "length") == (int64_t)body.len &&
           is_digest(member(e, "sha256"), body);
}

bool echo_query_is(const struct echo *e, struct span query)
{
    return is_digest(member(e, "query"), query);
}

size_t echo_headers(const struct echo *e, const char *name, struct span value, size_t *as_sent)
{
    const struct json_node *all = member(e, "headers");
    size_t n = 0;

    *as_sent = 0;
    for (size_t i = 0; i < json_count(all); i++) {
        const struct json_node *one = json_item(all, i);
        char told[256];
        if (strcmp(text_of(json_item(one, 0), told, sizeof told), name) == 0) {
            n++;
            *as_sent += is_digest(json_item(one, 2), value) ? 1 : 0;
        }
    }
    return n;
}

const char *echo_seen(const struct echo *e, char out[512])
{
    const struct http_told *t = &e->told;

    if (t->failure != HTTP_ANSWERED) {
        (void)snprintf(out, 512, "%s", t->error);
    } else {
        (void)snprintf(out, 512, "status %d%s%s", t->status, t->server[0] != '\0' ? " from " : "",
                       t->server);
    }
    return out;
}
