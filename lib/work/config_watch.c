/* A changed config, and when it can be read. */
#include "work/config_watch.h"

#include "base/clock.h"

#define LOOK_EVERY_MS 1000
#define RESTLESS_MAX 5

enum config_state config_watch_look(struct config_watch *w, const char *file)
{
    if (clock_mono_ms() - w->looked_ms >= LOOK_EVERY_MS) {
        const struct file_mark now = file_mark(file);
        bool still = file_mark_same(&now, &w->looked);
        bool other = !file_mark_same(&now, &w->read);

        w->changed = other && still;
        w->restless = other && !still ? w->restless + 1 : 0;
        w->looked = now;
        w->looked_ms = clock_mono_ms();
    }
    if (w->changed) {
        return CONFIG_CHANGED;
    }
    return w->restless > 0 && w->restless <= RESTLESS_MAX ? CONFIG_SETTLES : CONFIG_SAME;
}
