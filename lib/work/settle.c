/* Outcomes: what they mean for the job's row, and for what the job had of others. */
#include <string.h>

#include "base/mac.h"
#include "base/text.h"
#include "store/effects.h"
#include "store/lanes.h"
#include "store/limits.h"
#include "work/attempt.h"

/* ---- what the outcome means ---- */

/* Appends as the row keeps it: one line, valid UTF-8, bounded. */
static size_t add_text(struct span from, char out[SETTLE_TEXT_ROOM], size_t n)
{
    static const char hex[] = "0123456789abcdef";
    bool utf8 = text_is_utf8(from);

    for (size_t i = 0; i < from.len && n + 5 < SETTLE_TEXT_ROOM; i++) {
        unsigned char c = from.p[i];
        if (c < 0x20 || c == 0x7f || (c >= 0x80 && !utf8)) {
            out[n++] = '\\';
            out[n++] = 'x';
            out[n++] = hex[c >> 4];
            out[n++] = hex[c & 15];
        } else {
            out[n++] = (char)c;
        }
    }
    out[n] = '\0';
    return n;
}

/* Cuts what the end has of a character that did not fit. */
static void trim_utf8(char out[SETTLE_TEXT_ROOM], size_t n)
{
    while (n > 0 && !text_is_utf8(span_make(out, n))) {
        out[--n] = '\0';
    }
}

/* The reason, and behind it what the handler itself said. NULL: there is nothing to say. */
static const char *error_text(const struct attempt *a, char out[SETTLE_TEXT_ROOM])
{
    struct span said = buf_span(&a->report.said);
    size_t n = add_text(span_of(a->why.text), out, 0);

    if (n > 0 && said.len > 0) {
        n = add_text(SPAN_LIT(": "), out, n);
        n = add_text(said, out, n);
    }
    trim_utf8(out, n);
    return n > 0 ? out : NULL;
}

static uint32_t random32(void)
{
    uint32_t r;

    mac_random((unsigned char *)&r, sizeof r);
    return r;
}

static void plan_failure(struct attempt *a, struct settlement *s)
{
    static const struct retry unknown = {1, 1000, 1000, 1};
    const struct retry *retry = a->route != NULL ? &a->route->retry : &unknown;
    unsigned try_no = job_try_no(a->job);
    bool doubt = a->attempt == OUTCOME_UNKNOWN;

    s->attempt = doubt ? OUTCOME_UNKNOWN : OUTCOME_FAILED;
    s->tries = try_no;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): outside is what has a route */
    if (attempt_outside(a) && a->route->handler->at_most_once && a->asked && !a->untouched) {
        a->outcome = OUTCOME_UNKNOWN;
        if (!doubt) {
            ho_err_prefix(&a->why, "it may have acted, and its handler runs at most once");
        }
    } else if (try_no >= retry->tries) {
        a->outcome = doubt ? OUTCOME_UNKNOWN : OUTCOME_GAVE_UP;
    } else {
        s->state = JOB_READY;
        s->delay_ms = retry_delay_ms(retry, try_no, random32());
        s->delay_ms = s->delay_ms > a->report.wait_ms ? s->delay_ms : a->report.wait_ms;
    }
    s->outcome = a->outcome;
}

struct settlement settle_plan(struct attempt *a, char text[SETTLE_TEXT_ROOM])
{
    struct settlement s = {
        .state = JOB_DEAD,
        .outcome = a->outcome,
        .attempt = a->attempt,
        .tries = a->job->tries,
        .class = attempt_class(a->route, true),
        .untouched = a->asked && !attempt_acted(a),
        .done_by = a->done_by[0] != '\0' ? a->done_by : NULL,
        .worker = a->w->name,
        .started = a->started,
    };

    switch (a->outcome) {
    case OUTCOME_DONE:
        s.tries = job_try_no(a->job);
        s.has_rows = !attempt_outside(a);
        s.rows = a->rows;
        s.state = JOB_DONE;
        break;
    case OUTCOME_IGNORED:
    case OUTCOME_INFORMATIONAL:
    case OUTCOME_ALREADY_DONE:
    case OUTCOME_ALREADY_SO:
    case OUTCOME_STALE:
        s.state = JOB_DONE;
        break;
    case OUTCOME_GONE:
        s.state = a->route->gone == GONE_SKIP ? JOB_DONE : JOB_DEAD;
        break;
    case OUTCOME_FAILED:
    case OUTCOME_GAVE_UP:
        plan_failure(a, &s);
        break;
    case OUTCOME_BAD_HANDLER:
        s.tries = job_try_no(a->job);
        break;
    case OUTCOME_FORGED:
    case OUTCOME_NO_ROUTE:
    case OUTCOME_NEED:
    case OUTCOME_UNKNOWN:
    case OUTCOME_REFUSED:
    case OUTCOME_KEY_OVER:
    case OUTCOME_NO_KEY:
    case OUTCOME_WAITED:
    case OUTCOME_NO_BODY:
    case OUTCOME_DISCARDED:
    case OUTCOME_DEFERRED:
    case OUTCOME_NONE:
    case OUTCOME_LEASE_LOST:
    case OUTCOME_WORKER_LOST:
    case OUTCOME_N:
        break;
    }
    if (s.state != JOB_DONE) {
        s.error = error_text(a, text);
    }
    return s;
}

/* ---- what the job had of others ---- */

/* The effect of a job that has ended: done; free where it certainly never acted; else in doubt.
 * While it will be tried again, it keeps what it has reserved, and others wait. */
static enum ho_code leave_effect(struct db *db, struct attempt *a, const struct settlement *s,
                                 struct ho_err *err)
{
    bool reserved = a->reserved || a->asked_before;

    if (s->state == JOB_READY) {
        return HO_OK;
    }
    if (attempt_outside(a) && a->keys.has_business &&
        (s->outcome == OUTCOME_DONE || (s->outcome == OUTCOME_ALREADY_SO && a->asked_before))) {
        return effect_done(db, a->route->flow, &a->keys.business, a->job, err);
    }
    if (s->outcome == OUTCOME_DONE || (s->state == JOB_DONE && !reserved)) {
        return HO_OK; /* SQL wrote it in its own transaction, or there is none */
    }
    return effect_owner_ended(db, a->job->id, attempt_acted(a), err);
}

/* in: ran — the event did what it had to, or may have: its mark counts; asleep — the job waits for
 * its lane */
static enum ho_code leave_lane(struct db *db, struct attempt *a, bool ran, bool asleep,
                               struct ho_err *err)
{
    const struct flow_keys *k = &a->keys;
    const struct lane_mark mark = {k->mark, k->mark_of};
    enum ho_code code = HO_OK;
    bool woke = false;

    if (ran && k->has_mark && !a->future) {
        code = lane_mark(db, a->route->flow, &k->object, a->job, &mark, err);
    }
    if (code == HO_OK && a->in_lane) {
        code = lane_leave(db, a->route->flow, &k->object, k->lane, a->job, &woke, err);
    } else if (code == HO_OK && a->job->has_lane && !asleep) {
        /* It was woken for a lane that it did not enter: the wake-up goes on to the next. */
        code = lane_wake(db, a->job->lane, &woke, err);
    }
    a->woke = a->woke || woke;
    return code;
}

static enum limit_result blame(const struct attempt *a, enum outcome outcome)
{
    if (!a->tried) {
        return LIMIT_NEITHER;
    }
    return outcome == OUTCOME_DONE || outcome == OUTCOME_REFUSED || outcome == OUTCOME_STALE
               ? LIMIT_SUCCEEDED
               : LIMIT_FAILED;
}

static enum ho_code leave_place(struct db *db, struct attempt *a, enum limit_result result,
                                struct ho_err *err)
{
    return a->has_place ? limits_leave(db, a->route->handler, a->job, result, err) : HO_OK;
}

enum ho_code settle_in(struct db *db, struct attempt *a, const struct settlement *s, bool *held,
                       struct ho_err *err)
{
    /* Also one that will be tried again: an older one must not act behind what this may have done. */
    bool ran = s->outcome == OUTCOME_DONE || attempt_acted(a);

    *held = false;
    enum ho_code code = leave_effect(db, a, s, err);
    if (code == HO_OK) {
        code = leave_lane(db, a, ran, false, err);
    }
    if (code == HO_OK) {
        code = leave_place(db, a, blame(a, s->outcome), err);
    }
    return code == HO_OK ? job_settle(db, a->job, s, held, err) : code;
}

enum ho_code put_off_in(struct db *db, struct attempt *a, bool *held, struct ho_err *err)
{
    char text[SETTLE_TEXT_ROOM];
    unsigned tries = a->job->tries;
    unsigned char pause[SHA256_LEN];
    const bool paused = a->waits == WAIT_PAUSE;
    if (paused) {
        pause_lane(a->pause, pause);
    }
    const struct put_off p = {
        .why = a->waits,
        .asleep = a->asleep,
        .lane = paused ? pause : a->keys.lane,
        .delay_ms = a->wait_ms,
        .tries = a->job->counted && tries > 0 ? tries - 1 : tries,
        .class = paused ? a->job->class : attempt_class(a->route, a->job->class == CLASS_TRIED),
        .untouched = a->asked && !attempt_acted(a),
        .deferred = a->asked,
        .error = paused ? NULL : error_text(a, text), /* what was there says more */
        .done_by = a->done_by[0] != '\0' ? a->done_by : NULL,
        .worker = a->w->name,
        .started = a->started,
    };
    enum ho_code code = HO_OK;

    *held = false;
    if (a->reserved && !attempt_acted(a)) {
        code = effect_free(db, a->route->flow, &a->keys.business, a->job, err);
    }
    if (code == HO_OK) {
        code = leave_lane(db, a, false, p.asleep && !paused, err);
    }
    if (code == HO_OK) {
        code = leave_place(db, a, LIMIT_NEITHER, err);
    }
    return code == HO_OK ? job_put_off(db, a->job, &p, held, err) : code;
}

/* ---- in a transaction of its own ---- */

enum ho_code settle_lost(struct attempt *a, struct ho_err *err)
{
    return job_lost(a->w->control, a->job, a->w->name, &a->outcome, err);
}

/* The claim holds the job no more; or it has put it off, and the answer to that COMMIT was lost. */
static enum ho_code find_lost(struct db *db, struct attempt *a, struct ho_err *err)
{
    bool put_off = false;
    enum ho_code code = HO_OK;

    if (a->waits != WAIT_NONE) {
        code = job_was_put_off(db, a->job, &put_off, err);
    }
    db_rollback(db);
    if (code == HO_OK && !put_off) {
        a->waits = WAIT_NONE;
        code = settle_lost(a, err);
    }
    return code;
}

static enum ho_code alone_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct attempt *a = arg;
    char text[SETTLE_TEXT_ROOM], now[JOB_TIME_ROOM], route[JOB_ROUTE_MAX + 1];
    bool held = false;

    a->woke = false;
    enum ho_code code = db_begin(db, err);
    if (code == HO_OK) {
        /* The row's own route was written by the transaction that is undone. */
        memcpy(route, a->job->route, sizeof route);
        code = job_fence(db, a->job, &held, now, err);
        memcpy(a->job->route, route, sizeof route);
    }
    if (code == HO_OK && held && a->waits != WAIT_NONE) {
        code = put_off_in(db, a, &held, err);
    } else if (code == HO_OK && held) {
        const struct settlement s = settle_plan(a, text);
        code = settle_in(db, a, &s, &held, err);
    }
    if (code == HO_OK && !held) {
        return find_lost(db, a, err);
    }
    return code == HO_OK ? db_commit(db, err) : code;
}

enum ho_code settle_alone(struct attempt *a, struct ho_err *err)
{
    return db_transact(a->w->control, a->claim->lease, alone_tx, a, err);
}
