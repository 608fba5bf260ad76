/* Pauses beside the work. */
#include "work/pausing.h"

#include "base/log.h"
#include "store/wake.h"
#include "work/worker.h"

#define TEND_MS 1000 /* then the jobs have their turn */

void pausing_free(struct pausing *p)
{
    pauses_free(&p->now);
}

static void tell(const char *event, const struct pauses *of, const struct pauses *but)
{
    for (size_t i = 0; i < of->n; i++) {
        const struct pause *p = &of->list[i];
        const struct log_pair pairs[] = {
            LOG_TEXT("kind", pause_kind_word(p->kind)),
            LOG_TEXT("name", p->name[0] != '\0' ? p->name : NULL),
        };

        if (pauses_find(but, p->kind, span_of(p->name)) == NULL) {
            log_event(LOG_INFO, event, NULL, pairs, 2);
        }
    }
}

enum ho_code pausing_look(struct worker *w, struct ho_err *err)
{
    struct pausing *p = &w->pausing;
    struct pauses fresh;

    if (p->looked_ms != 0 && clock_mono_ms() - p->looked_ms < PAUSING_LOOK_MS) {
        return HO_OK;
    }
    enum ho_code code = pauses_load(w->control, w->settings, &fresh, err);
    if (code != HO_OK) {
        pauses_free(&fresh);
        return code;
    }
    tell("paused", &fresh, &p->now);
    tell("resumed", &p->now, &fresh);
    pauses_free(&p->now);
    p->now = fresh;
    p->looked_ms = clock_mono_ms();
    return HO_OK;
}

enum ho_code pausing_tend(struct worker *w, bool *more, struct ho_err *err)
{
    struct pausing *p = &w->pausing;
    struct deadline end = deadline_in(TEND_MS);
    uint64_t woken = 0, parked = 0;

    *more = false;
    if (p->tended_ms != 0 && clock_mono_ms() - p->tended_ms < PAUSING_LOOK_MS) {
        return pausing_look(w, err);
    }
    p->looked_ms = 0; /* what is woken must not be paused by now */
    enum ho_code code = pausing_look(w, err);
    if (code != HO_OK) {
        return code;
    }
    p->tended_ms = p->looked_ms;
    code = pause_wake(w->control, &p->now, end, &woken, err);
    if (code == HO_OK && p->now.everything) {
        code = pause_park(w->control, end, &parked, err);
    }
    if (woken > 0) {
        (void)wake_send(w->settings->state_dir);
    }
    *more = deadline_left_ms(end) == 0;
    return code;
}

const struct pause *pausing_source(const struct worker *w, struct span source)
{
    return pauses_find(&w->pausing.now, PAUSE_SOURCE, source);
}

const struct pause *pausing_route(const struct worker *w, const struct route *route)
{
    const struct pauses *now = &w->pausing.now;
    const struct pause *p = pauses_find(now, PAUSE_ROUTE, span_of(route->name));

    return p != NULL || route->handler == NULL
               ? p
               : pauses_find(now, PAUSE_HANDLER, span_of(route->handler->name));
}
