/* The host from outside, through the public URL: whether the probe answers there, and if not, why;
 * then one question after another. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/version.h"
#include "operator/check_echo.h"
#include "operator/http.h"

#define ELF "\x7f" "ELF"

/* ---- the probe does not answer ---- */

static bool is_body(const struct http_told *t, const char *text)
{
    return span_is(span_trim_line(buf_span(&t->body)), text);
}

/* Whether the program itself comes as a file. */
static bool is_served(const struct outside *o)
{
    const struct http_ask ask = {.url = o->url, .get = true, .headers = SPAN_LIT(""),
                                 .ca_file = o->c->op->settings->ca_file};
    struct http_told told;

    http_ask(&ask, &told);
    bool served = told.status == 200 && span_starts(buf_span(&told.body), ELF);
    http_told_free(&told);
    return served;
}

/* In the query a ticket may come through where its header does not. */
static void find_ticket(struct outside *o, struct echo *e)
{
    char seen[512];

    o->ticket_in_query = true;
    echo_free(e);
    echo_ask(o, &(struct echo_ask){.body = SPAN_LIT("hookonce")}, e);
    if (e->doc != NULL) {
        found_host(o->c, FINDING_HEADER_ALTERED, "X-Hookonce-Ticket is lost");
    } else {
        found_host(o->c, FINDING_TICKET_REFUSED, "%s", echo_seen(e, seen));
    }
}

static enum finding_id failure_of(const struct http_told *t)
{
    return t->failure == HTTP_NO_TRUST ? FINDING_TLS : FINDING_NO_ANSWER;
}

static enum finding_id refusal_of(const struct outside *o, const struct http_told *t)
{
    if (t->status >= 300 && t->status < 400) {
        return FINDING_REDIRECTED;
    }
    if (t->status == 429 || t->status == 508) {
        return FINDING_UNSTEADY;
    }
    if (t->status >= 520 && t->status <= 530) {
        return FINDING_NO_ANSWER; /* a CDN does not reach it */
    }
    if (t->status == 503 && (is_body(t, "not configured") || is_body(t, "no usable secret"))) {
        return FINDING_NOT_CONFIGURED;
    }
    if (is_body(t, "expired ticket")) {
        return FINDING_TICKET_REFUSED;
    }
    if (is_served(o)) {
        return FINDING_PROGRAM_SERVED;
    }
    if (t->status >= 500) {
        return FINDING_NOT_STARTED;
    }
    return t->status == 401 || t->status == 403 || t->status == 406 ? FINDING_FORBIDDEN
                                                                    : FINDING_NOT_REACHED;
}

/* Where the receiver itself would be, of an address of the probe. */
static int without_probe(const char *location)
{
    size_t len = strlen(location), path = strlen(ECHO_PATH);

    return (int)(len > path && strcmp(location + len - path, ECHO_PATH) == 0 ? len - path : len);
}

static void say_why(struct outside *o, const struct echo *e)
{
    const struct http_told *t = &e->told;
    char seen[512];
    enum finding_id id = t->failure != HTTP_ANSWERED ? failure_of(t) : refusal_of(o, t);

    if (id == FINDING_REDIRECTED) {
        const char *to = t->location[0] != '\0' ? t->location : "nowhere";
        found_host(o->c, id, "status %d, to %.*s", t->status, without_probe(to), to);
    } else if (id == FINDING_NOT_CONFIGURED) {
        found_host(o->c, id, "it says: %s",
                   is_body(t, "not configured") ? "not configured" : "no usable key");
    } else {
        found_host(o->c, id, "%s", echo_seen(e, seen));
    }
}

bool outside_reach(struct outside *o, struct echo *e)
{
    echo_ask(o, &(struct echo_ask){.body = SPAN_LIT("hookonce")}, e);
    o->c->host = finding_host(span_of(e->told.server), false);
    if (e->doc == NULL && e->told.status == 401 && is_body(&e->told, "wrong ticket")) {
        find_ticket(o, e);
    } else if (e->doc == NULL) {
        say_why(o, e);
    }
    return e->doc != NULL;
}

/* ---- what it says of the program ---- */

#define MEMORY_MIN ((int64_t)96 * 1024 * 1024)
#define PROCESSES_MIN 20

static void check_account(struct outside *o, const struct echo *e)
{
    int64_t uid = echo_int(e, "uid"), ours = (int64_t)geteuid();
    int64_t mode = echo_int(e, "program_mode"), folder = echo_int(e, "folder_mode");

    if (uid >= 0 && ours != 0 && uid != ours) {
        found_host(o->c, FINDING_OTHER_ACCOUNT, "uid %lld, this is %lld", (long long)uid,
                   (long long)ours);
    }
    if (mode >= 0 && ((mode | folder) & (S_IWGRP | S_IWOTH)) != 0) {
        found_host(o->c, FINDING_PROGRAM_WRITABLE, "mode %llo, in a folder with %llo",
                   (unsigned long long)mode, (unsigned long long)folder);
    }
}

static void check_limits(struct outside *o, const struct echo *e)
{
    int64_t memory = echo_int(e, "memory"), processes = echo_int(e, "processes");

    if (memory >= 0 && memory < MEMORY_MIN) {
        found_host(o->c, FINDING_MEMORY_LIMIT, "%lld MB of address space",
                   (long long)(memory / 1024 / 1024));
    }
    if (processes >= 0 && processes < PROCESSES_MIN) {
        found_host(o->c, FINDING_PROCESS_LIMIT, "%lld", (long long)processes);
    }
}

void outside_program(struct outside *o, const struct echo *e)
{
    char server[256], version[256], disk[256];

    o->c->cgi = echo_bool(e, "cgi");
    (void)echo_text(e, "server", server);
    (void)echo_text(e, "hookonce", version);
    o->c->host = finding_host(span_of(server[0] != '\0' ? server : e->told.server), !o->c->cgi);
    found(o->c, FOUND_OK, "host", "%s runs hookonce.fcgi by %s (%s), uid %lld",
          server[0] != '\0' ? server : "the web server", o->c->cgi ? "CGI" : "FastCGI",
          host_kinds[o->c->host], (long long)echo_int(e, "uid"));
    if (strcmp(version, HOOKONCE_VERSION) != 0) {
        found_host(o->c, FINDING_OTHER_VERSION, "%s, this is " HOOKONCE_VERSION, version);
    }
    check_account(o, e);
    check_limits(o, e);
    if (echo_text(e, "remote_disk", disk)[0] != '\0') {
        found_host(o->c, FINDING_REMOTE_DISK, "%s, as the receiver sees it", disk);
    }
}

/* ---- all of it ---- */

static void check_address(struct outside *o)
{
    struct ho_err err = {HO_OK, 0, ""};
    const char *own = o->c->op->settings->url;

    if (http_post_check(o->url, false, &err) != HO_OK) {
        found_host(o->c, FINDING_PLAIN_HTTP, "%s", o->url);
    }
    if (own != NULL && strcmp(own, o->c->url) != 0) {
        found(o->c, FOUND_NOTE, "url", "%s is looked at, and url under [hookonce] is %s", o->url,
              own);
    }
}

static void look(struct outside *o)
{
    struct echo e;

    check_address(o);
    if (outside_reach(o, &e)) {
        o->reached = true;
        outside_program(o, &e);
        outside_headers(o);
        outside_bodies(o);
        outside_cache(o);
        outside_clocks(o, &e);
        outside_families(o);
        outside_files(o);
        outside_words(o);
    }
    echo_free(&e);
    o->c->gone = false;
    if (o->unsteady[0] != '\0') {
        found_host(o->c, FINDING_UNSTEADY, "%s", o->unsteady);
    }
}

void check_url(struct check *c)
{
    struct outside o = {.c = c, .end = deadline_in(LOOK_MS)};
    struct ho_err err = {HO_OK, 0, ""};
    struct span key;
    size_t len = strlen(c->url);

    while (len > 0 && c->url[len - 1] == '/') {
        len--;
    }
    if (len >= sizeof o.url - 64) {
        found(c, FOUND_FAIL, "url", "is too long");
        return;
    }
    memcpy(o.url, c->url, len);
    if (strpbrk(o.url, "?#") != NULL) {
        found(c, FOUND_FAIL, "url", "%s: give the address up to its ? or #", o.url);
    } else if (http_post_check(o.url, true, &err) != HO_OK) {
        found(c, FOUND_FAIL, "url", "%s: %s", o.url, err.text);
    } else if (operator_key(c->op, &key, &err) != HO_OK) {
        found(c, FOUND_FAIL, "url", "the host cannot be looked at without the key: %s", err.text);
    } else {
        ticket_make(key, TICKET_ECHO, clock_wall_us() / 1000000 + ECHO_TICKET_S, o.ticket);
        look(&o);
    }
}
