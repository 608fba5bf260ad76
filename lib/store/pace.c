/* Pace. */
#include "store/pace.h"

#include <stdatomic.h>

#include "store/wake.h"

#define MOST_MS (5 * 60 * INT64_C(1000)) /* as `poll` at most; a time further ahead is of another boot */

static uint64_t mix(uint64_t h, uint64_t n)
{
    h = (h ^ n) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

uint64_t pace_scene(const struct settings *s)
{
    uint64_t mark = wake_mark(s->state_dir);
    const struct file_mark config = file_mark(s->file);
    uint64_t h = mix(mark, (uint64_t)config.seen.st_ino);

    h = mix(h, (uint64_t)config.seen.st_size);
    h = mix(h, (uint64_t)config.seen.st_mtim.tv_sec);
    h = mix(h, (uint64_t)config.seen.st_mtim.tv_nsec);
    return mark == 0 ? 0 : h != 0 ? h : 1;
}

/* The scene goes first and comes back last: who reads in between looks once too often. */
void pace_rest(struct counters *c, uint64_t scene, int64_t now_ms, int64_t wait_ms)
{
    _Atomic uint64_t *noted = counters_word(c, WORD_SCENE), *at = counters_word(c, WORD_LOOK);
    uint64_t due = (uint64_t)(now_ms + (wait_ms < MOST_MS ? wait_ms : MOST_MS)), old = atomic_load(at);

    if (scene != 0 && atomic_load(noted) == scene && old > (uint64_t)now_ms && old < due) {
        return;
    }
    atomic_store(noted, 0);
    atomic_store(at, due);
    atomic_store(noted, scene);
}

int64_t pace_left(struct counters *c, const struct settings *s, int64_t now_ms)
{
    uint64_t noted = atomic_load(counters_word(c, WORD_SCENE));
    int64_t left = (int64_t)atomic_load(counters_word(c, WORD_LOOK)) - now_ms;

    return noted != 0 && noted == pace_scene(s) && left > 0 && left <= MOST_MS ? left : 0;
}

bool pace_is_calm(struct counters *c, const struct settings *s)
{
    uint64_t noted = atomic_load(counters_word(c, WORD_SCENE));

    return noted != 0 && noted == pace_scene(s);
}

static uint64_t scene_of(const struct settings *s, uint64_t trouble)
{
    uint64_t base = pace_scene(s);

    return base != 0 ? mix(base, trouble) : 0;
}

static int64_t period(struct counters *c, const struct pace_task *task, uint64_t scene)
{
    bool same = scene != 0 && atomic_load(counters_word(c, task->scene_word)) == scene;

    return same ? task->quiet_ms : task->every_ms;
}

bool pace_due(struct counters *c, const struct settings *s, const struct pace_task *task,
              uint64_t trouble, int64_t now_ms)
{
    uint64_t last = atomic_load(counters_word(c, task->what));
    int64_t ago = now_ms - (int64_t)last;

    return last == 0 || ago < 0 || ago >= period(c, task, scene_of(s, trouble));
}

bool pace_turn(struct counters *c, const struct settings *s, const struct pace_task *task,
               uint64_t trouble, int64_t now_ms)
{
    uint64_t scene = scene_of(s, trouble);

    if (!counters_turn(c, task->what, now_ms, period(c, task, scene))) {
        return false;
    }
    atomic_store(counters_word(c, task->scene_word), scene);
    return true;
}
