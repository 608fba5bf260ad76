/* The words of states and outcomes. Knows no rows. */
#include "core/outcome.h"

#include "base/err.h"

static const char *word_at(const char *const *words, unsigned n, unsigned i)
{
    if (i >= n) {
        ho_die("a state or outcome without a word: %u", i);
    }
    return words[i];
}

const char *job_state_word(enum job_state s)
{
    static const char *const words[] = {"ready", "running", "done", "dead", "waiting"};
    return word_at(words, sizeof words / sizeof words[0], (unsigned)s);
}

const char *receipt_status_word(enum receipt_status s)
{
    static const char *const words[] = {"received", "processing", "processed", "failed"};
    return word_at(words, sizeof words / sizeof words[0], (unsigned)s);
}

const char *outcome_word(enum outcome o)
{
    static const char *const words[] = {
        [OUTCOME_NONE] = "",
        [OUTCOME_DONE] = "done",
        [OUTCOME_IGNORED] = "ignored",
        [OUTCOME_INFORMATIONAL] = "informational",
        [OUTCOME_FAILED] = "failed",
        [OUTCOME_GAVE_UP] = "gave up",
        [OUTCOME_LEASE_LOST] = "lease lost",
        [OUTCOME_WORKER_LOST] = "worker lost",
        [OUTCOME_FORGED] = "forged row",
        [OUTCOME_NO_ROUTE] = "no route",
        [OUTCOME_BAD_HANDLER] = "bad handler",
        [OUTCOME_ALREADY_DONE] = "already done",
        [OUTCOME_ALREADY_SO] = "already so",
        [OUTCOME_STALE] = "stale",
        [OUTCOME_NEED] = "need not met",
        [OUTCOME_UNKNOWN] = "outcome unknown",
        [OUTCOME_REFUSED] = "handler gave up",
        [OUTCOME_GONE] = "gone",
        [OUTCOME_KEY_OVER] = "key over",
        [OUTCOME_NO_KEY] = "no key",
        [OUTCOME_WAITED] = "waited too long",
        [OUTCOME_NO_BODY] = "body gone",
        [OUTCOME_DISCARDED] = "discarded",
        [OUTCOME_DEFERRED] = "deferred",
    };
    return word_at(words, sizeof words / sizeof words[0], (unsigned)o);
}

const char *job_wait_word(enum job_wait w)
{
    static const char *const words[] = {
        [WAIT_NONE] = "",           [WAIT_LANE] = "lane",       [WAIT_NEED] = "need",
        [WAIT_OWNER] = "owner",     [WAIT_RELEASE] = "release", [WAIT_BREAKER] = "breaker",
        [WAIT_RATE] = "rate",       [WAIT_SLOT] = "slot",       [WAIT_HANDLER] = "handler",
        [WAIT_FETCH] = "fetch",     [WAIT_BODY] = "body key",   [WAIT_TURN] = "turn",
        [WAIT_PAUSE] = "pause",     [WAIT_HOLD] = "hold",
    };
    return word_at(words, sizeof words / sizeof words[0], (unsigned)w);
}

enum receipt_status receipt_status_of(unsigned open, unsigned running, unsigned dead)
{
    if (dead > 0) {
        return RECEIPT_FAILED;
    }
    if (running > 0) {
        return RECEIPT_PROCESSING;
    }
    return open > 0 ? RECEIPT_RECEIVED : RECEIPT_PROCESSED;
}
