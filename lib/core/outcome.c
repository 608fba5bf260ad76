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
    static const char *const words[] = {"ready", "running", "done", "dead"};
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
        "",        "done",       "ignored",     "informational", "failed",     "gave up",
        "lease lost", "worker lost", "forged row", "no route",      "bad handler",
    };
    return word_at(words, sizeof words / sizeof words[0], (unsigned)o);
}

enum receipt_status receipt_status_of(unsigned ready, unsigned running, unsigned dead)
{
    if (dead > 0) {
        return RECEIPT_FAILED;
    }
    if (running > 0) {
        return RECEIPT_PROCESSING;
    }
    return ready > 0 ? RECEIPT_RECEIVED : RECEIPT_PROCESSED;
}
