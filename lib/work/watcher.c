/* The watch beside a worker, in a process of its own. */
#include <stdatomic.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/pace.h"
#include "work/beside.h"
#include "work/watch.h"

#define EVERY_MS 60000
#define ALERTS_QUIET_MS (30 * 60 * INT64_C(1000))
#define NUMBERS_QUIET_MS (60 * 60 * INT64_C(1000))
#define LEARNT_QUIET_MS (5 * 60 * INT64_C(1000))

/* Cut off, nothing is lost: what was not told is told by the next one. */
static void look(const void *arg)
{
    const struct watcher *w = arg;
    struct watch_result result;
    struct ho_err err;

    ho_err_clear(&err);
    watch_once(w->settings, w->hooks, NULL, &result, &err);
    if (!result.reached) {
        const struct log_pair pairs[] = {LOG_TEXT("why", err.text)};
        log_event(LOG_WARN, "watched", NULL, pairs, 1);
    }
}

int64_t watch_quiet_ms(const struct settings *s, int64_t every_ms, bool alerts)
{
    int64_t quiet_ms = alerts ? ALERTS_QUIET_MS : NUMBERS_QUIET_MS;

    for (size_t i = 0; i < s->n_expects; i++) {
        int64_t ms = s->expects[i].every_ms < 0 ? LEARNT_QUIET_MS : s->expects[i].every_ms / 12;
        quiet_ms = ms < quiet_ms ? ms : quiet_ms;
    }
    return !s->paced || quiet_ms < every_ms ? every_ms : quiet_ms;
}

bool watch_is_calm(const struct settings *s, const struct watch_hooks *hooks)
{
    const struct pace_task task = {WORD_WATCHED, WORD_WATCHED_SCENE, 0,
                                   watch_quiet_ms(s, EVERY_MS, true)};
    struct counters *c = counters_open(s->state_dir);
    struct alert_look look = {.n = 0};
    bool calm = s->paced && counters_shared(c) &&
                atomic_load(counters_word(c, WORD_FIRING)) == FIRING_NONE;

    if (calm) {
        watch_host(s, hooks, c, &look);
        calm = look.n == 0 && !pace_due(c, s, &task, counters_troubles(c), clock_mono_ms());
    }
    alert_look_free(&look);
    counters_close(c);
    return calm;
}

void watch_look(struct watcher *w)
{
    const struct pace_task task = {WORD_WATCHED, WORD_WATCHED_SCENE, EVERY_MS,
                                   watch_quiet_ms(w->settings, EVERY_MS, true)};

    if (w->hooks != NULL && beside_ended(&w->child) &&
        pace_turn(w->counters, w->settings, &task, counters_troubles(w->counters),
                  clock_mono_ms())) {
        w->child = beside_start(look, w);
    }
}

void watch_end(struct watcher *w, int64_t ms)
{
    beside_end(&w->child, ms);
}
