/* When a processor of this host is to look into the database next. Hosts bound how many statements an
 * hour an account may send, so a processor that finds nothing leaves word, in the state file, of what it
 * went by and until when nothing will be due; the next one, of this run or a later one, asks the
 * database only when that time has come or something has changed. A hint only: who looks too often or
 * too late does no harm but that. */
#ifndef HO_STORE_PACE_H
#define HO_STORE_PACE_H

#include "core/settings.h"
#include "store/counters.h"

/* What a look goes by besides the tables: the last wake-up, and the config file. 0: it can't be told,
 * and every time is a time to look. */
uint64_t pace_scene(const struct settings *s);

/* Notes that what was there at `scene`, taken before the look, is done, and that nothing is due for
 * wait_ms. An earlier time that another one noted for the same scene stays. */
void pace_rest(struct counters *c, uint64_t scene, int64_t now_ms, int64_t wait_ms);

/* How long nothing is to be done yet: 0: look now. now_ms: clock_mono_ms */
int64_t pace_left(struct counters *c, const struct settings *s, int64_t now_ms);

/* Whether that rest is over because of its time alone: nobody was woken for anything since, so one
 * cheap question may do. */
bool pace_is_calm(struct counters *c, const struct settings *s);

/* Whether something has changed since another task last ran, or quiet_ms are over, but at most once in
 * every_ms: then it is the caller's turn, and that is noted. what: a word of the boot clock; scene_word:
 * beside it; trouble: a number that grows with what this host counted as wrong */
struct pace_task {
    enum state_word what, scene_word;
    int64_t every_ms, quiet_ms;
};
bool pace_due(struct counters *c, const struct settings *s, const struct pace_task *task,
              uint64_t trouble, int64_t now_ms); /* the question alone: nothing is noted */
bool pace_turn(struct counters *c, const struct settings *s, const struct pace_task *task,
               uint64_t trouble, int64_t now_ms);

#endif
