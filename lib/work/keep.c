/* Pruning beside the work. */
#include "work/keep.h"

#include <stdatomic.h>

#include "base/log.h"
#include "store/prune.h"
#include "work/rest.h"

#define KEEP_EVERY_MS 60000
#define KEEP_TIME_MS 2000

/* Where the last round of this host's processors came to when its time was up: what stays for good
 * at the beginning would else take the time of every round. */
static struct prune_place place(struct worker *w)
{
    return (struct prune_place){
        .receipts_ms = (int64_t)atomic_load(counters_word(w->counters, WORD_PRUNED_RECEIPTS)),
        .bodies_ms = (int64_t)atomic_load(counters_word(w->counters, WORD_PRUNED_BODIES))};
}

static void keep_place(struct worker *w, const struct prune_place *at)
{
    atomic_store(counters_word(w->counters, WORD_PRUNED_RECEIPTS), (uint64_t)at->receipts_ms);
    atomic_store(counters_word(w->counters, WORD_PRUNED_BODIES), (uint64_t)at->bodies_ms);
}

void keep_round(struct worker *w)
{
    const struct settings *s = w->settings;
    struct ho_err err = {HO_OK, 0, ""};
    struct pruned sum;
    char receipts[24], bodies[24];

    if ((s->keep_bodies_ms < 0 && s->keep_receipts_ms < 0) || clock_mono_ms() < w->keep_ms ||
        !rest_turn(w, WORD_KEPT, WORD_KEPT_SCENE)) {
        return;
    }
    int64_t left = deadline_left_ms(w->end);
    w->keep_ms = clock_mono_ms() + KEEP_EVERY_MS;
    struct prune_place at = place(w);
    const struct prune_run run = {.end = deadline_in(left < KEEP_TIME_MS ? left : KEEP_TIME_MS)};
    enum ho_code code = prune(w->control, s, &at, &run, &sum, &err);
    keep_place(w, &at);
    if (code != HO_OK || sum.receipts + sum.bodies > 0) {
        atomic_store(counters_word(w->counters, WORD_KEPT_SCENE), 0); /* there may be more */
    }
    const struct log_pair pairs[] = {log_int("receipts", (int64_t)sum.receipts, receipts),
                                     log_int("bodies", (int64_t)sum.bodies, bodies),
                                     LOG_TEXT("why", code != HO_OK ? err.text : NULL)};
    if (code != HO_OK || sum.receipts + sum.bodies > 0) {
        log_event(code == HO_OK ? LOG_INFO : LOG_WARN, "pruned", NULL, pairs, 3);
    }
}
