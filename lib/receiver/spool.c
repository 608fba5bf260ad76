/* What can't be recorded, or is not to be, goes into the spool; and somebody is to import it. */
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "receiver/parts.h"
#include "store/migrate.h"
#include "store/spool.h"

#define IMPORT_EVERY_MS 60000 /* a processor at work looks much more often */
#define WATCH_EVERY_MS (15 * 60 * INT64_C(1000))

static void note_spooled(struct receiver *rx, const struct event *ev, const char *why)
{
    char length[24], ms[24];
    const struct log_pair pairs[] = {
        LOG_SPAN("source", ev->source),
        LOG_SPAN("provider", ev->provider),
        LOG_SPAN("id", ev->id),
        LOG_SPAN("type", ev->type),
        log_int("length", (int64_t)ev->body.len, length),
        log_int("ms", clock_mono_ms() - rx->began_ms, ms),
        LOG_TEXT("why", why),
    };

    log_event(why != NULL ? LOG_WARN : LOG_INFO, "spooled", ev->cid, pairs,
              sizeof pairs / sizeof pairs[0]);
    counters_add(rx->counters, ev->source, COUNT_SPOOLED);
}

static void alarm_spool(struct receiver *rx, const char *why)
{
    char text[600];

    (void)snprintf(text, sizeof text, "spooled: %.500s", why);
    const struct log_pair pairs[] = {LOG_SPAN("source", rx->request.source),
                                     LOG_TEXT("reason", text)};
    if (counters_alarm(rx->counters, ALARM_SPOOL, clock_wall_us())) {
        log_event(LOG_ALARM, "alarm", NULL, pairs, 2);
    }
}

bool spool_accept(struct receiver *rx, const struct endpoint *e, const char *why,
                  struct ho_err *err)
{
    const struct settings *s = endpoints_settings(rx->endpoints);
    const struct spool spool = spool_of(s, secret_span(&rx->key));
    const struct verdict *v = &rx->verdict;

    if (!migrate_key_known(rx->counters, secret_span(&rx->key))) {
        ho_err_clear(err);
        (void)ho_fail(err, HO_REJECT, "the key file is not that of the tables, as this host last saw "
                                      "them: bring the right key file back");
        alarm_database(rx, err->text);
        return false;
    }
    if (spool_write(&spool, v->events, v->n_events, clock_wall_us(), err) != HO_OK) {
        return false;
    }
    for (size_t i = 0; i < v->n_events; i++) {
        note_spooled(rx, accepted_event(v->events[i]), why);
    }
    if (why != NULL) {
        alarm_spool(rx, why);
    }
    rx->wake = true;
    reply_accepted(rx, e);
    return true;
}

void without_database(struct receiver *rx, const struct endpoint *e, const struct ho_err *why)
{
    char text[1000];
    struct ho_err err;

    ho_err_clear(&err);
    /* Another installation's key: what it signs could never be imported. */
    if (e->source->spool != SPOOL_OFF && why->code != HO_REJECT &&
        spool_accept(rx, e, why->text, &err)) {
        return;
    }
    (void)snprintf(text, sizeof text, "%s%s%s", why->text, err.text[0] != '\0' ? "; " : "",
                   err.text);
    alarm_database(rx, text);
    busy(rx, e, text);
}

/* What is done by the other program, while nobody waits for it. */
static void start_late(struct receiver *rx, const char *command, const char *event)
{
    const char *const words[PROGRAM_WORDS + 1] = {command};
    struct ho_err err;

    ho_err_clear(&err);
    if (program_detach(rx, words, &err) != HO_OK) {
        const struct log_pair pairs[] = {LOG_TEXT("why", err.text)};
        log_event(LOG_WARN, event, NULL, pairs, 1);
    }
}

void import_late(struct receiver *rx)
{
    const char *dir = endpoints_settings(rx->endpoints)->spool_dir;

    if (counters_turn(rx->counters, WORD_IMPORT, clock_mono_ms(), IMPORT_EVERY_MS) &&
        spool_any(dir)) {
        start_late(rx, "import", "imported");
    }
}

void watch_late(struct receiver *rx)
{
    int64_t now_ms = clock_mono_ms();

    if (counters_idle(rx->counters, now_ms, WATCH_EVERY_MS) &&
        counters_turn(rx->counters, WORD_WATCHED, now_ms, WATCH_EVERY_MS)) {
        start_late(rx, "watch", "watched");
    }
}
