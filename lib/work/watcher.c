/* The watch beside a worker, in a process of its own. */
#include "base/clock.h"
#include "base/log.h"
#include "store/pace.h"
#include "work/beside.h"
#include "work/watch.h"

#define EVERY_MS 60000
#define QUIET_MS (15 * 60 * INT64_C(1000)) /* while nothing happens but silence */

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

void watch_look(struct watcher *w)
{
    const struct pace_task task = {WORD_WATCHED, WORD_WATCHED_SCENE, EVERY_MS,
                                   w->settings->paced ? QUIET_MS : EVERY_MS};

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
