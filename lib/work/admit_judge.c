/* What is found before a handler runs, and what that means for the job. Looks at nothing itself. */
#include <stdio.h>
#include <string.h>

#include "base/mac.h"
#include "base/text.h"
#include "work/admit.h"

#define OWNER_LEAST_MS 5000
#define OWNER_MOST_MS 60000
#define RELEASE_MOST_MS (10 * 60 * INT64_C(1000))
#define LANE_MORE_MS (9 * 60 * INT64_C(1000))

static enum admission end_as(struct attempt *a, enum outcome outcome, const char *why)
{
    a->outcome = outcome;
    ho_err_clear(&a->why);
    if (why != NULL) {
        (void)ho_fail(&a->why, HO_PERMANENT, "%s", why);
    }
    return ADMIT_SETTLED;
}

static enum admission wait_for(struct attempt *a, enum job_wait what, int64_t ms)
{
    a->waits = what;
    a->wait_ms = ms;
    ho_err_clear(&a->why);
    return ADMIT_PUT_OFF;
}

/* As long again as it has waited already, within bounds. */
static int64_t again_ms(const struct attempt *a, int64_t least, int64_t most)
{
    int64_t ms = a->job->waited_ms;

    ms = ms > least ? ms : least;
    return ms < most ? ms : most;
}

/* ---- the effect ---- */

static enum admission wait_for_owner(struct attempt *a, const struct effect *e)
{
    enum admission got = wait_for(a, WAIT_OWNER,
                                  again_ms(a, OWNER_LEAST_MS, OWNER_MOST_MS));

    (void)ho_fail(&a->why, HO_TRANSIENT, "job %llu of event %s is at its business key",
                  (unsigned long long)e->owner, e->cid);
    return got;
}

static enum admission wait_for_person(struct attempt *a, const struct effect *e)
{
    enum admission got = ADMIT_SETTLED;

    if (a->job->waited_ms >= WAIT_RELEASE_MAX_MS) {
        (void)end_as(a, OUTCOME_WAITED, NULL);
    } else {
        got = wait_for(a, WAIT_RELEASE, again_ms(a, OWNER_LEAST_MS, RELEASE_MOST_MS));
    }
    (void)ho_fail(&a->why, HO_PERMANENT,
                  "its business key belongs to job %llu of event %s, and nobody knows whether that "
                  "one acted: find out, then hookonce retry --release %llu, or hookonce discard "
                  "%llu --acted yes --reason TEXT",
                  (unsigned long long)e->owner, e->cid, (unsigned long long)e->owner,
                  (unsigned long long)e->owner);
    return got;
}

enum admission admit_effect(struct attempt *a, const struct effect *e)
{
    (void)snprintf(a->done_by, sizeof a->done_by, "%s", e->cid);
    switch (e->verdict) {
    case EFFECT_MINE:
        break;
    case EFFECT_DONE:
        return end_as(a, OUTCOME_ALREADY_DONE, NULL);
    case EFFECT_TAKEN:
        return wait_for_owner(a, e);
    case EFFECT_UNKNOWN:
        return wait_for_person(a, e);
    }
    a->done_by[0] = '\0';
    return ADMIT_GO;
}

void admit_blocked(struct attempt *a)
{
    (void)wait_for(a, WAIT_OWNER, OWNER_LEAST_MS);
    a->done_by[0] = '\0';
    (void)ho_fail(&a->why, HO_TRANSIENT, "another job is at its business key just now");
}

/* ---- what the job itself has behind it ---- */

enum admission admit_asked(struct attempt *a)
{
    const struct handler *h = a->route->handler;
    char life[24];

    if (!attempt_key_sound(a)) {
        a->outcome = OUTCOME_FORGED;
        return ADMIT_SETTLED;
    }
    if (!a->asked_before || !attempt_outside(a)) {
        return ADMIT_GO;
    }
    if (h->at_most_once) {
        return end_as(a, OUTCOME_UNKNOWN,
                      "it was started before, and its handler runs at most once");
    }
    if (h->key_lifetime_ms > 0 && a->job->asked_ms >= h->key_lifetime_ms) {
        text_duration_put(h->key_lifetime_ms, life);
        (void)end_as(a, OUTCOME_KEY_OVER, NULL);
        (void)ho_fail(&a->why, HO_PERMANENT,
                      "its first try was longer ago than the other side knows its idempotency key "
                      "(key_lifetime %s)%s", life,
                      a->job->asked_ms == INT64_MAX
                          ? ", as far as the clock says: it was stamped in what is the future now"
                          : "");
        return ADMIT_SETTLED;
    }
    return ADMIT_GO;
}

/* ---- order and lane ---- */

enum admission admit_order(struct attempt *a, const struct lane_state *lane)
{
    const struct flow_keys *k = &a->keys;

    /* The very event that set the mark, on another route of the flow, is no older one. */
    if (!k->has_mark || strcmp(lane->marked_by, a->job->cid) == 0) {
        return ADMIT_GO;
    }
    a->reordered = lane->has_mark && strcmp(lane->mark_of, k->mark_of) != 0;
    switch (flow_order(a->route->tie, k->mark, lane->has_mark && !a->reordered, lane->mark)) {
    case FLOW_NEWER:
    case FLOW_TIE_RUN:
    case FLOW_TIE_FETCH:
        return ADMIT_GO;
    case FLOW_STALE:
    case FLOW_TIE_SKIP:
        break;
    }
    (void)snprintf(a->done_by, sizeof a->done_by, "%s", lane->marked_by);
    return end_as(a, OUTCOME_STALE, NULL);
}

enum admission admit_held(struct attempt *a, uint64_t holder)
{
    int64_t more = again_ms(a, 0, LANE_MORE_MS);
    enum admission got = wait_for(a, WAIT_LANE, LANE_LOOK_MS + more);

    a->asleep = true;
    (void)ho_fail(&a->why, HO_TRANSIENT, "job %llu of the same object runs",
                  (unsigned long long)holder);
    return got;
}

/* ---- need and limits ---- */

enum admission admit_need(struct attempt *a)
{
    const struct retry *wait = &a->route->needs_wait;
    unsigned waits = a->job->need_waits;
    enum admission got = ADMIT_SETTLED;
    char words[REF_WORDS];
    uint32_t random;

    if (!a->lacking) {
        return ADMIT_GO;
    }
    if (waits >= wait->tries) {
        (void)end_as(a, OUTCOME_NEED, NULL);
        (void)ho_fail(&a->why, HO_PERMANENT, "`needs` gave no row; waited %u time%s for it, as "
                      "needs_wait says", waits, waits == 1 ? "" : "s");
    } else {
        mac_random((unsigned char *)&random, sizeof random);
        got = wait_for(a, WAIT_NEED, retry_delay_ms(wait, waits + 1, random));
    }
    if (a->void_ref != NULL) {
        if (got == ADMIT_PUT_OFF) {
            (void)ho_fail(&a->why, HO_TRANSIENT, "`needs` gives no row");
        }
        ho_err_prefix(&a->why, "%s is NULL, for it leads to nothing in this event",
                      ref_words(a->void_ref, words));
    }
    return got;
}

enum admission admit_limited(struct attempt *a, enum job_wait what, int64_t ms)
{
    if (a->job->waited_ms < WAIT_LIMIT_MAX_MS) {
        return wait_for(a, what, ms);
    }
    (void)end_as(a, OUTCOME_WAITED, NULL);
    (void)ho_fail(&a->why, HO_PERMANENT, "it has waited for a week, now for its handler's %s",
                  job_wait_word(what));
    return ADMIT_SETTLED;
}

enum admission admit_end(struct attempt *a, enum outcome outcome)
{
    return end_as(a, outcome, NULL);
}
