/* Before the handler of a source in reply mode: may it be asked? */
#include "store/limits.h"
#include "work/reply_parts.h"

/* What a claim before this one left: it may have asked. false: it must not be asked again. */
static bool may_ask_again(struct attempt *a)
{
    const struct handler *h = a->route->handler;

    if (!attempt_key_sound(a)) {
        reply_decide(a, OUTCOME_FORGED, false);
        return false;
    }
    if (!a->asked_before) {
        return true;
    }
    if (!attempt_outside(a)) {
        reply_decide(a, OUTCOME_UNKNOWN, false);
        (void)ho_fail(&a->why, HO_PERMANENT,
                      "a command or URL was asked before, and may have acted; its handler is SQL "
                      "now");
        return false;
    }
    if (h->at_most_once) {
        reply_decide(a, OUTCOME_UNKNOWN, false);
        (void)ho_fail(&a->why, HO_PERMANENT,
                      "it was started before, and its handler runs at most once");
        return false;
    }
    if (h->key_lifetime_ms > 0 && a->job->asked_ms >= h->key_lifetime_ms) {
        reply_decide(a, OUTCOME_KEY_OVER, false);
        (void)ho_fail(&a->why, HO_PERMANENT, "its first try was longer ago than key_lifetime");
        return false;
    }
    return true;
}

static enum ho_code check_limits(struct db *db, struct reply *r, struct ho_err *err)
{
    static const char *const words[] = {
        [LIMIT_GO] = NULL,
        [LIMIT_BREAKER] = "the handler failed too often in a row: breaker",
        [LIMIT_RATE] = "the handler's rate",
        [LIMIT_SLOTS] = "the handler runs as often at once as it may",
    };
    struct attempt *a = &r->a;
    enum limit_verdict verdict = LIMIT_GO;
    int64_t ms;

    if (!limits_any(a->route->handler)) {
        a->has_place = attempt_outside(a);
        return HO_OK;
    }
    enum ho_code code = limits_enter(db, a->route->handler, a->job,
                                     deadline_left_ms(r->claim.lease), &verdict, &ms, err);
    if (code == HO_OK && verdict != LIMIT_GO) {
        reply_decide(a, OUTCOME_DEFERRED, true);
        (void)ho_fail(&a->why, HO_TRANSIENT, "%s", words[verdict]);
    }
    a->has_place = code == HO_OK && verdict == LIMIT_GO;
    return code;
}

static enum ho_code gate_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct reply *r = arg;
    struct attempt *a = &r->a;
    const struct start start = {.counts = attempt_outside(a),
                                .asks = attempt_outside(a),
                                .idempotency = a->keys.idempotency,
                                .key = r->o->key,
                                .worker = r->w.name};
    bool held = false;

    a->outcome = OUTCOME_NONE;
    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        code = job_fence(db, a->job, &held, a->started, err);
    }
    if (code == HO_OK && !held) {
        r->lost = true;
        db_rollback(db);
        return HO_OK;
    }
    if (code == HO_OK && a->committing) {
        code = job_started(db, a->job, &r->started, err);
    }
    if (code == HO_OK && !r->started) {
        a->asked_before = a->job->asked;
        if (may_ask_again(a)) {
            code = check_limits(db, r, err);
        }
        if (code == HO_OK && a->outcome == OUTCOME_NONE) {
            code = job_start(db, a->job, &start, err);
        }
    }
    a->committing = a->committing || code == HO_OK;
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code reply_gate(struct reply *r, struct ho_err *err)
{
    struct attempt *a = &r->a;

    if (!attempt_outside(a) && !a->job->asked && !limits_any(a->route->handler)) {
        return HO_OK;
    }
    enum ho_code code = db_transact(r->w.control, r->end, gate_tx, r, err);
    if (code == HO_OK && !r->lost && a->outcome == OUTCOME_NONE && attempt_outside(a)) {
        a->job->tries = r->started ? a->job->tries : job_try_no(a->job);
        a->job->counted = true;
        a->asked = true;
    }
    return code;
}
