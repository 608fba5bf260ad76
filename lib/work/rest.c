/* Doing nothing, at the price of few questions. */
#include "work/rest.h"

#include <unistd.h>

#include "store/pace.h"
#include "store/sample.h"
#include "store/spool.h"
#include "work/signals.h"

#define STEP_MS 5000 /* a config that changed is seen after so long */
#define LEAST_MS 100 /* between two looks that find nothing to claim */
#define PAUSED_LOOK_MS 1000
#define BESIDE_EVERY_MS 60000
#define SEEN_EVERY_MS (8 * 60 * INT64_C(1000))

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Whether what earlier runs found may stand for a look of its own. */
static bool may_rest(const struct worker *w)
{
    return !w->once && w->command == NULL && (w->settings->paced || w->said_ms != 0);
}

/* What lies in the spool needs no database to be seen. */
static bool is_spooled(const struct worker *w, int64_t now_ms)
{
    return now_ms >= w->import_ms && spool_any(w->settings->spool_dir);
}

bool rest_a_while(struct worker *w)
{
    int64_t now_ms = clock_mono_ms();
    int64_t left_ms = may_rest(w) ? pace_left(w->counters, w->settings, now_ms) : 0;

    if (left_ms == 0 || is_spooled(w, now_ms)) {
        w->rests = false;
        return false;
    }
    if (w->rests) { /* for a whole step: hosts allow few links at once */
        db_disconnect(w->control);
        db_disconnect(w->handler);
    }
    w->rests = true;
    counters_processed(w->counters, now_ms);
    signals_wait(w->wake_fd, least(least(left_ms, STEP_MS), deadline_left_ms(w->end)));
    return true;
}

/* That this host lives is told as often as somebody would miss it. What fails is tried by the next. */
static void tell_alive(struct worker *w)
{
    int64_t every_ms = least(w->settings->processor_late_ms / 2, SEEN_EVERY_MS);
    struct ho_err ignored;

    if (counters_turn(w->counters, WORD_SEEN, clock_mono_ms(), every_ms)) {
        (void)!sample_seen(w->control, w->host, &ignored);
    }
}

static void rest_until(struct worker *w, int64_t due_ms)
{
    int64_t most_ms = least(w->settings->poll_ms, w->settings->processor_late_ms / 3);
    int64_t ms = due_ms < 0 ? most_ms : least(due_ms, most_ms); /* so long nobody misses it */

    if (!w->settings->paced && w->pausing.now.n > 0) {
        ms = least(ms, PAUSED_LOOK_MS); /* for its end */
    }
    ms = ms > LEAST_MS ? ms : LEAST_MS;
    pace_rest(w->counters, w->scene, clock_mono_ms(), ms);
    if (w->scene == 0) {
        signals_wait(w->wake_fd, least(least(ms, STEP_MS), deadline_left_ms(w->end)));
    }
}

enum ho_code rest_look(struct worker *w, bool *calm, struct ho_err *err)
{
    int64_t due_ms = 0;

    *calm = false;
    w->scene = pace_scene(w->settings);
    if (!may_rest(w) || is_spooled(w, clock_mono_ms()) ||
        !pace_is_calm(w->counters, w->settings)) {
        return HO_OK;
    }
    enum ho_code code = jobs_look(&w->queue, w->key, &due_ms, err);
    *calm = code == HO_OK && due_ms != 0;
    if (*calm) {
        w->reached = true;
        tell_alive(w);
        rest_until(w, due_ms);
    }
    return code;
}

enum ho_code rest_after(struct worker *w, bool claimed, struct ho_err *err)
{
    int64_t due_ms;

    enum ho_code code = jobs_next_due(&w->queue, &due_ms, err);
    if (code == HO_OK && (due_ms != 0 || !claimed)) {
        rest_until(w, due_ms);
    }
    if (code == HO_OK && due_ms >= 0 && due_ms <= w->settings->poll_ms) {
        w->reaped_ms = 0; /* it may be a lease that ends */
    }
    return code;
}

void rest_no_more(struct worker *w)
{
    if (w->wake_fd >= 0) {
        (void)close(w->wake_fd);
        w->wake_fd = -1;
    }
}

bool rest_turn(struct worker *w, enum state_word word, enum state_word scene_word)
{
    const struct pace_task task = {word, scene_word, BESIDE_EVERY_MS,
                                   watch_quiet_ms(w->settings, BESIDE_EVERY_MS, false)};

    return w->once || !counters_shared(w->counters) ||
           pace_turn(w->counters, w->settings, &task, counters_troubles(w->counters),
                     clock_mono_ms());
}
