/* Asking the probe, and understanding what it says. Between the files of check_url only. */
#ifndef HO_OPERATOR_CHECK_ECHO_H
#define HO_OPERATOR_CHECK_ECHO_H

#include "base/clock.h"
#include "base/json.h"
#include "core/ticket.h"
#include "operator/check.h"
#include "operator/http_ask.h"

#define ECHO_PATH "/setup/echo"
#define ECHO_TICKET_S 600
#define LOOK_MS 120000 /* a look at a host; then no more is asked */
#define TEST_HEADER "x-hookonce-test-"

/* A look at a host through one URL. */
struct outside {
    struct check *c;
    char url[2048]; /* without a slash at its end */
    char ticket[TICKET_ROOM];
    bool ticket_in_query; /* its header does not arrive */
    bool reached;         /* the probe has answered once */
    struct deadline end;
    char unsteady[512];   /* what was seen of a host that does not always answer; "": nothing */
};

/* What is asked of the probe; all zero is an empty POST. */
struct echo_ask {
    bool get;
    const char *query;   /* without the '?'; NULL: none */
    const char *headers; /* lines "Name: value\n"; NULL: none */
    const char *type;    /* Content-Type; NULL: application/octet-stream */
    struct span body;
    bool unmeasured, http2;
    enum http_family family;
};

struct echo {
    struct http_told told;
    struct json *doc; /* what the probe says; NULL: it was not the probe that answered */
};

/* Asks. Of a host that has answered before, and is busy now, it asks again, and when that stays so
 * nothing more: c->gone. out: *e - in all cases; echo_free
 * blocks: up to three times HTTP_ASK_MS */
void echo_ask(struct outside *o, const struct echo_ask *ask, struct echo *e);
void echo_free(struct echo *e);

/* Whether the body arrived as it was sent; needs e->doc. */
bool echo_body_is(const struct echo *e, struct span body);

bool echo_query_is(const struct echo *e, struct span query);

/* How many headers of that lower-case name arrived, and how many of them with that value. */
size_t echo_headers(const struct echo *e, const char *name, struct span value, size_t *as_sent);

int64_t echo_int(const struct echo *e, const char *name); /* -1: not told */
bool echo_bool(const struct echo *e, const char *name);
const char *echo_text(const struct echo *e, const char *name, char out[256]); /* "": not told */

/* Whether the time for the look is over; then c->gone. */
bool outside_late(struct outside *o);

/* "status 403, from Apache", or why no answer came. */
const char *echo_seen(const struct echo *e, char out[512]);

/* ---- the parts of check_url ---- */

/* Whether the probe answers at all; if not, the finding says why. out: *e, to be freed in any case */
bool outside_reach(struct outside *o, struct echo *e);
/* What the probe says of the program and its account. */
void outside_program(struct outside *o, const struct echo *e);
void outside_headers(struct outside *o);
void outside_bodies(struct outside *o);
void outside_cache(struct outside *o);
void outside_clocks(struct outside *o, const struct echo *e);
void outside_families(struct outside *o);
void outside_files(struct outside *o);
/* Bodies that firewalls dislike; to be the last: one may shut the sender out from then on. */
void outside_words(struct outside *o);

#endif
