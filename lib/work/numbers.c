/* Counting beside the work. */
#include "work/numbers.h"

#include "base/log.h"
#include "store/absence.h"
#include "store/sample.h"
#include "store/stat.h"
#include "work/rest.h"

#define LOOK_EVERY_MS 60000
#define RECENT_TIME_MS 5000
#define DAYS_TIME_MS 2000

static struct deadline end_of(const struct worker *w, int64_t ms)
{
    int64_t left = deadline_left_ms(w->end);

    return deadline_in(left < ms ? left : ms);
}

void numbers_round(struct worker *w)
{
    struct ho_err err = {HO_OK, 0, ""};
    uint64_t recent = 0, days = 0;
    char hours[24];

    if ((w->numbers_ms != 0 && clock_mono_ms() < w->numbers_ms) ||
        !rest_turn(w, WORD_COUNTED, WORD_COUNTED_SCENE)) {
        return;
    }
    w->numbers_ms = clock_mono_ms() + LOOK_EVERY_MS;
    enum ho_code code = sample_take(w->control, w->settings, w->host, w->counters, &err);
    if (code == HO_OK) {
        code = stat_recent(w->control, w->name, end_of(w, RECENT_TIME_MS), &recent, &err);
    }
    if (code == HO_OK) {
        code = stat_days(w->control, w->name, end_of(w, DAYS_TIME_MS), &days, &err);
    }
    if (code == HO_OK && recent > 0) {
        code = absence_refresh(w->control, w->settings, &err);
    }
    const struct log_pair pairs[] = {log_int("hours", (int64_t)(recent + days), hours),
                                     LOG_TEXT("why", code != HO_OK ? err.text : NULL)};
    if (code != HO_OK || recent + days > 0) {
        log_event(code == HO_OK ? LOG_DEBUG : LOG_WARN, "counted", NULL, pairs, 2);
    }
}
