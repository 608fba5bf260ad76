/* One signed event through the public address, as the provider would post it, and its receipt. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "operator/send.h"
#include "operator/send_id.h"
#include "operator/setup.h"
#include "store/view.h"

#define URL_MAX 16384
#define RECEIPT_MS 5000 /* a receipt that is not there by then lies in the spool, or nowhere */
#define RECEIPT_LOOK_MS 100

struct delivering {
    struct operator *op;
    const struct endpoint *e;
    struct send_plan plan;
    struct send_event event;
    struct send_answers answers;
    struct ho_err err;
    struct buf *text;
};

static void say(struct delivering *d, const char *text)
{
    if (buf_add_str(d->text, text) != HO_OK) {
        ho_die("bug: no room for what became of a delivery");
    }
}

static bool next(void *arg, size_t i, struct http_post *post)
{
    struct delivering *d = arg;

    return send_next(&d->event, i, post, &d->err) == HO_OK;
}

static void done(void *arg, size_t i, const struct http_answer *answer)
{
    struct delivering *d = arg;

    (void)i;
    send_count(&d->answers, answer);
}

/* ---- the receipt ---- */

/* Looks until it is there. cid: its correlation id, "" when there is none. */
static enum ho_code find_receipt(struct delivering *d, char cid[64], char status[32])
{
    const struct deadline end = deadline_in(RECEIPT_MS);
    enum ho_code code;

    cid[0] = status[0] = '\0';
    do {
        struct db_rows rows = {0};

        code = view_find(operator_db(d->op), buf_span(&d->event.stored), &rows, &d->err);
        if (code == HO_OK && rows.n_rows > 0) {
            struct span id = db_cell(&rows, 0, VIEW_R_CID), s = db_cell(&rows, 0, VIEW_R_STATUS);
            (void)snprintf(cid, 64, "%.*s", (int)id.len, (const char *)id.p);
            (void)snprintf(status, 32, "%.*s", (int)s.len, (const char *)s.p);
        }
        db_rows_free(&rows);
        if (code == HO_OK && cid[0] == '\0') {
            clock_sleep_ms(RECEIPT_LOOK_MS);
        }
    } while (code == HO_OK && cid[0] == '\0' && deadline_left_ms(end) > 0);
    return code;
}

static enum setup_delivered tell_receipt(struct delivering *d)
{
    char cid[64], status[32], line[512];

    send_find_id(&d->event, d->e, d->op->settings->state_dir, clock_wall_us());
    if (d->event.stored_how != SEND_ID_TOLD) {
        say(d, "the answer was 2xx; `hookonce list` shows the receipt, whose id is made when it "
               "arrives");
        return SETUP_RECORDED;
    }
    if (find_receipt(d, cid, status) != HO_OK) {
        say(d, d->err.text);
        return SETUP_FAILED;
    }
    if (cid[0] == '\0') {
        say(d, "the answer was 2xx, but the database has no receipt: does the receiver read "
               "another config, or is the event in the spool? `hookonce check` says the latter");
        return SETUP_FAILED;
    }
    (void)snprintf(line, sizeof line, "recorded under %s, %s: `hookonce list %s` shows it", cid,
                   status, cid);
    say(d, line);
    return SETUP_RECORDED;
}

/* ---- the post ---- */

static enum setup_delivered tell_answer(struct delivering *d)
{
    const struct send_answer *a = &d->answers.at[0];
    const char *hint;
    char line[512];

    if (d->err.code != HO_OK || d->answers.n == 0) {
        say(d, d->err.text);
        return SETUP_FAILED;
    }
    if (d->answers.well == 1) {
        return tell_receipt(d);
    }
    if (a->status == 0) {
        (void)snprintf(line, sizeof line, "no answer: %.400s", a->text);
    } else {
        (void)snprintf(line, sizeof line, "the answer was %d %.80s", a->status, a->text);
    }
    say(d, line);
    hint = send_hint(&d->answers, d->e);
    if (hint != NULL) {
        say(d, "; ");
        say(d, hint);
    }
    return SETUP_FAILED;
}

static enum setup_delivered post(struct delivering *d, const char *url)
{
    const struct http_run run = {
        .url = url, .total = 1, .parallel = 1, .next = next, .done = done, .arg = d};
    struct ho_err err = {HO_OK, 0, ""};

    d->plan.url = url;
    d->event.plan = &d->plan;
    enum ho_code code = http_post_all(&run, &err);
    if (code != HO_OK && d->err.code == HO_OK) {
        d->err = err;
    }
    enum setup_delivered got = tell_answer(d);
    send_event_free(&d->event);
    send_answers_free(&d->answers);
    return got;
}

enum setup_delivered setup_deliver(struct operator *op, const struct endpoint *e,
                                   const char *address, struct buf *text)
{
    struct delivering d = {.op = op, .e = e, .text = text};
    enum setup_delivered got = SETUP_FAILED;
    struct buf url;

    d.plan = (struct send_plan){
        .recipe = e->recipe, .source = e->source, .content_type = "application/json",
        .time_us = clock_wall_us(), .repeat = 1, .type = sign_default_type(e->recipe, false)};
    d.plan.key = endpoint_signing_key(e, d.plan.time_us);
    if (!span_present(d.plan.key) || e->source->reply) {
        say(&d, e->n_keys == 0 && !endpoint_fetches(e)
                    ? "this source has no usable secret yet: `hookonce check` says why"
                    : "nobody but the provider can ask in its name: send a test from its "
                      "dashboard");
        return SETUP_UNTRIED;
    }
    buf_init(&url, URL_MAX);
    if (buf_addf(&url, "%s/%s", address, e->source->name) != HO_OK ||
        http_post_check(buf_cstr(&url), false, &d.err) != HO_OK) {
        say(&d, d.err.text);
    } else {
        got = post(&d, buf_cstr(&url));
    }
    buf_free(&url);
    return got;
}
