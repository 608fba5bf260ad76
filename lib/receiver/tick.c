/* The processor without cron: started by who asks under /tick with a ticket, or behind an answer. Either
 * way it is a program of its own, under the same leases as any: it may be killed at any time, and no
 * request waits for it. */
#include <stdatomic.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "receiver/parts.h"
#include "store/pace.h"
#include "store/wake.h"

#define TICK_FOR "20s"      /* pingers call every minute or more seldom, some every five */
#define TICK_EVERY_MS 5000  /* several at once start one; a second one would end at once anyway */
#define PASS_EVERY_MS 1000
#define NO_FIFO_MS 15000    /* without one: a processor says so often that it lives */

bool is_tick(const struct receiver *rx)
{
    return endpoints_settings(rx->endpoints)->tick && span_present(rx->request.source) &&
           span_is(rx->request.source, "tick");
}

/* Whether nobody on this host started one for so long, and it is this process that does now. Without a
 * state file nobody knows of the others, and all do. */
static bool my_turn(struct receiver *rx, int64_t every_ms)
{
    return !counters_shared(rx->counters) ||
           counters_turn(rx->counters, WORD_PASS, clock_mono_ms(), every_ms);
}

/* ---- a tick ---- */

static void answer(struct receiver *rx, int status, const char *text)
{
    const struct reply_text said = {
        status, "text/plain",
        status == 200 ? "Cache-Control: no-store\r\n" : "Cache-Control: no-store\r\n" RETRY_AFTER,
        span_of(text)};

    reply_text(rx, &said);
}

static void tell(const char *why)
{
    const struct log_pair pairs[] = {LOG_TEXT("why", why)};

    log_event(why != NULL ? LOG_WARN : LOG_DEBUG, "tick", NULL, pairs, 1);
}

/* The answer does not wait for what the pass does: many pingers give up after some seconds, and call it
 * an outage. */
static void start(struct receiver *rx)
{
    const char *const words[PROGRAM_WORDS + 1] = {"process", "--for", TICK_FOR};
    struct ho_err err;

    ho_err_clear(&err);
    if (!my_turn(rx, TICK_EVERY_MS)) {
        answer(rx, 200, "at work\n");
    } else if (program_detach(rx, words, &err) != HO_OK) {
        tell(err.text);
        answer(rx, 503, "the processor could not be started: the log says why\n");
    } else {
        tell(NULL);
        answer(rx, 200, "started\n");
    }
}

static bool may_ask(struct span method)
{
    return span_is(method, "GET") || span_is(method, "HEAD") || span_is(method, "POST");
}

void serve_tick(struct receiver *rx)
{
    enum ticket_state ticket = ticket_shown(rx, TICKET_TICK);

    if (!may_ask(rx->request.method)) {
        refuse(rx, NULL, REASON_METHOD, NULL);
    } else if (rx->key.len == 0) {
        refuse(rx, NULL, REASON_NO_SECRET, NULL);
    } else if (ticket != TICKET_HOLDS) {
        refuse(rx, NULL, ticket == TICKET_EXPIRED ? REASON_TICKET_OLD : REASON_TICKET, NULL);
    } else {
        start(rx);
    }
}

/* ---- behind an answer ---- */

/* Whether there is something to do that nobody else on this host will do in a moment. Without a state
 * file nobody knows when that was looked for: then only who brought an event is a reason to, or any
 * stranger could have the database asked all the time. */
static bool is_wanted(struct receiver *rx)
{
    const struct settings *s = endpoints_settings(rx->endpoints);
    int64_t now_ms = clock_mono_ms();

    if (!rx->wake && (counters_shared(rx->counters) ? pace_left(rx->counters, s, now_ms) > 0
                                                    : rx->results == NULL)) {
        return false;
    }
    switch (wake_listener(s->state_dir)) {
    case WAKE_HEARD:
        return false;
    case WAKE_NOBODY:
        return true;
    case WAKE_UNKNOWN:
        break;
    }
    return atomic_load(counters_word(rx->counters, WORD_PROCESSED)) == 0 ||
           counters_idle(rx->counters, now_ms, NO_FIFO_MS);
}

void pass_late(struct receiver *rx)
{
    const struct settings *s = endpoints_settings(rx->endpoints);
    char time[24];
    const char *const words[PROGRAM_WORDS + 1] = {"process", "--pass", "--for", time};
    struct ho_err err;

    ho_err_clear(&err);
    if (s->after_answer_ms == 0 || !is_wanted(rx) || !my_turn(rx, PASS_EVERY_MS)) {
        return;
    }
    text_duration_put(s->after_answer_ms, time);
    if (program_detach(rx, words, &err) != HO_OK) {
        tell(err.text);
    }
}
