/* One request of a source in reply mode, on its way to an answer. It goes the queue's way as far as
 * that fits: fence, genuine?, limits, handler, settlement; but it has one try, and nobody waits for
 * anything.
 *
 *   SQL           statements, answer and settlement in one transaction
 *   command, URL  started (committed); asked; answer and settlement in one transaction */
#include "work/reply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "core/document.h"
#include "work/reply_parts.h"

#define READ_SPARE_S 1
#define ALARM_SPARE_S 2

/* What shall answer. false: a->outcome says why nothing can. */
static bool prepare(struct reply *r)
{
    struct attempt *a = &r->a;
    const struct event *e = &a->stored.event;
    const struct source *source;

    ho_err_clear(&a->why);
    if (!stored_genuine(&a->stored, r->o->key)) {
        (void)ho_fail(&a->why, HO_PERMANENT, "the receipt or its body was not written by this "
                                             "installation, or was changed since");
        a->outcome = OUTCOME_FORGED;
        return false;
    }
    source = settings_source(r->o->settings, e->source);
    if (source == NULL || !source->reply) {
        (void)ho_fail(&a->why, HO_PERMANENT, "its source is gone, or not in reply mode any more");
        a->outcome = OUTCOME_NO_ROUTE;
        return false;
    }
    r->route = (struct route){.name = REPLY_ROUTE,
                              .flow = REPLY_ROUTE,
                              .provider = source->provider,
                              .handler = source->handler,
                              .retry = {1, 1000, 1000, 1}};
    a->route = &r->route;
    if (document_open(e->body, e->document, &a->doc, &a->why) != HO_OK) {
        a->outcome = OUTCOME_FAILED;
        return false;
    }
    if (prepare_keys(a) != HO_OK) {
        a->outcome = OUTCOME_NO_KEY;
        return false;
    }
    return true;
}

/* The handler gets what is left of the sender's patience, and no more than its own time. */
static void set_times(struct reply *r, int64_t left_ms)
{
    r->claim.lease = deadline_in(left_ms);
    left_ms -= REPLY_GRACE_MS + REPLY_SPARE_MS;
    r->end = deadline_in(left_ms > 0 ? left_ms : 0);
    db_set_read_timeout(r->w.handler, (unsigned)(left_ms > 0 ? left_ms / 1000 : 0) + READ_SPARE_S);
    (void)alarm((unsigned)(deadline_left_ms(r->claim.lease) / 1000) + ALARM_SPARE_S);
}

static void shorten(struct reply *r)
{
    const struct source *source = settings_source(r->o->settings, r->a.stored.event.source);
    struct deadline own = deadline_in(r->a.route->handler->timeout_ms);
    char time[24] = "of the recipe";

    if (own.end_ms < r->end.end_ms) {
        r->end = own;
        return;
    }
    if (source->reply_timeout_ms >= 0) {
        text_duration_put(source->reply_timeout_ms, time);
    }
    (void)snprintf(r->limit_room, sizeof r->limit_room, "reply_timeout %s", time);
    r->limit = r->limit_room;
}

/* With HO_OK: a->outcome is to be settled alone, unless it is done and committed. */
static enum ho_code answer(struct reply *r, bool *done, struct ho_err *err)
{
    struct attempt *a = &r->a;
    enum ho_code code = HO_OK;

    *done = false;
    if (!prepare(r)) {
        return HO_OK;
    }
    shorten(r);
    if (deadline_left_ms(r->end) == 0) {
        (void)ho_fail(&a->why, HO_TRANSIENT, "no time was left for its handler");
        reply_decide(a, OUTCOME_FAILED, true);
        return HO_OK;
    }
    code = reply_gate(r, err);
    if (code != HO_OK || r->lost || a->outcome != OUTCOME_NONE) {
        return code;
    }
    if (!attempt_outside(a)) {
        return reply_sql(r, done, err);
    }
    reply_outside(r);
    if (a->outcome == OUTCOME_DONE) {
        code = db_transact(r->w.control, r->claim.lease, reply_done_tx, r, err);
        *done = code == HO_OK && !r->lost;
    }
    return code;
}

/* The claim does not hold the job: because its own COMMIT took, and only the answer to it was lost?
 */
static enum ho_code find_lost(struct reply *r, enum reply_end *end, struct ho_err *err)
{
    const struct answer_of of = reply_of(r);
    struct reply_look there;

    enum ho_code code = answers_look(r->w.control, &of, r->o->key, &there, err);
    *end = there.state == REPLY_ANSWERED ? REPLY_END_STORED : REPLY_END_LOST;
    reply_answer_free(&there.answer);
    return code;
}

static enum ho_code run(struct reply *r, enum reply_end *end, struct ho_err *err)
{
    struct attempt *a = &r->a;
    bool done = false;

    enum ho_code code = stored_load(r->w.control, r->o->cid, &a->stored, err);
    if (code == HO_OK) {
        code = answer(r, &done, err);
    }
    if (code == HO_OK && !r->lost && !done) {
        code = settle_alone(a, err);
        r->lost = code == HO_OK && a->outcome == OUTCOME_LEASE_LOST;
    }
    if (code == HO_OK && r->lost) {
        return find_lost(r, end, err);
    }
    if (code == HO_OK) {
        *end = done                                ? REPLY_END_STORED
               : a->outcome == OUTCOME_DEFERRED ? REPLY_END_BUSY
                                                   : REPLY_END_FAILED;
        settle_report(a);
    }
    return code;
}

enum ho_code reply_run(const struct reply_order *o, enum reply_end *end, struct ho_err *err)
{
    struct reply *r = ho_alloc(sizeof *r);
    struct reply_held held;

    memset(r, 0, sizeof *r);
    r->o = o;
    r->a = (struct attempt){.w = &r->w, .claim = &r->claim, .job = &r->claim.jobs[0],
                            .began_ms = clock_mono_ms()};
    r->claim.n = 1;
    *end = REPLY_END_LOST;
    worker_init(&r->w, o->settings, o->key);
    enum ho_code code = answers_held(r->w.control, o->cid, o->token, &held, err);
    if (code == HO_OK && held.held) {
        r->claim.jobs[0] = held.job;
        memcpy(r->a.started, held.started, sizeof r->a.started);
        set_times(r, held.left_ms);
        code = run(r, end, err);
    }
    handler_report_free(&r->a.report);
    stored_free(&r->a.stored);
    json_free(r->a.doc);
    worker_free(&r->w);
    free(r);
    return code;
}
