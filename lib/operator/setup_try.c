/* Whether a receiver answers at the address, told by the self-check's own probe. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mac.h"
#include "operator/check_echo.h"
#include "operator/setup.h"

#define BODY_BYTES 200000 /* mod_fcgid's own limit is 131072 */

/* What was found goes to the text, once each: the tries of one setup find much the same. */
static void keep(void *arg, const struct found_line *line)
{
    struct buf *text = arg, more;

    if (line->level < FOUND_WARN) {
        return;
    }
    buf_init(&more, 8192);
    if (buf_addf(&more, "  %s\n", line->text) != HO_OK ||
        (line->why != NULL && buf_addf(&more, "    why it matters: %s\n", line->why) != HO_OK) ||
        (line->mend != NULL && buf_addf(&more, "    what to do: %s\n", line->mend) != HO_OK)) {
        ho_die("bug: no room for a finding");
    }
    if (strstr(buf_cstr(text), buf_cstr(&more)) == NULL) {
        (void)!buf_add_span(text, buf_span(&more)); /* what does not fit has been said in part */
    }
    buf_free(&more);
}

/* A body of that size and no pattern, as large events have it, comes through as it is. */
static bool takes_large(struct outside *o)
{
    unsigned char *body = ho_alloc(BODY_BYTES);
    struct echo e;

    mac_random(body, BODY_BYTES);
    const struct span bytes = span_make(body, BODY_BYTES);
    echo_ask(o, &(struct echo_ask){.body = bytes}, &e);
    bool taken = e.doc != NULL && echo_body_is(&e, bytes);
    echo_free(&e);
    free(body);
    return taken;
}

enum setup_tried setup_try(const struct setup *s, struct buf *said)
{
    struct check c = {.op = s->op, .url = s->address, .quiet = true, .tell = keep, .arg = said};
    struct outside o = {.c = &c};
    struct ho_err err = {HO_OK, 0, ""};
    enum setup_tried got = SETUP_SILENT;
    struct span key;
    struct echo e;

    if (operator_key(s->op, &key, &err) != HO_OK) {
        (void)!buf_addf(said, "  %s\n", err.text);
        return SETUP_SILENT;
    }
    (void)snprintf(o.url, sizeof o.url, "%.2000s", s->address);
    ticket_make(key, TICKET_ECHO, clock_wall_us() / 1000000 + ECHO_TICKET_S, o.ticket);
    if (outside_reach(&o, &e)) {
        got = takes_large(&o) ? SETUP_ANSWERS : SETUP_SMALL_ONLY;
    }
    echo_free(&e);
    return got;
}
