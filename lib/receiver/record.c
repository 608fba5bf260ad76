/* From verified events to rows, to the answer, to what may be late. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "receiver/parts.h"
#include "store/wake.h"

#define LATE_MS 2000 /* for what is done behind the answer */
#define SPOOL_SPARE_MS 300 /* for the spool, of the time that a request has */

void note_result(struct receiver *rx, const struct event *ev, enum receipt_result result)
{
    static const struct {
        const char *event;
        enum log_level level;
        enum counter counter;
    } rows[] = {
        [RECEIPT_NEW] = {"accepted", LOG_INFO, COUNT_NEW},
        [RECEIPT_DUPLICATE] = {"duplicate", LOG_INFO, COUNT_DUPLICATE},
        [RECEIPT_CONFLICT] = {"conflict", LOG_ALARM, COUNT_CONFLICT},
        [RECEIPT_REPEAT] = {"repeat", LOG_ALARM, COUNT_REPEAT},
    };
    char secret[24], length[24], ms[24];
    const struct log_pair pairs[] = {
        LOG_SPAN("source", ev->source),
        LOG_SPAN("provider", ev->provider),
        LOG_SPAN("id", ev->id),
        LOG_SPAN("type", ev->type),
        log_int("secret", ev->secret_no, secret),
        log_int("length", (int64_t)ev->body.len, length),
        log_int("ms", clock_mono_ms() - rx->began_ms, ms),
        LOG_SPAN("document", ev->document),
    };

    log_event(rows[result].level, rows[result].event, ev->cid, pairs,
              sizeof pairs / sizeof pairs[0]);
    counters_add(rx->counters, ev->source, rows[result].counter);
    if (result == RECEIPT_CONFLICT || result == RECEIPT_REPEAT) {
        (void)counters_alarm(rx->counters, ALARM_CONFLICT, clock_wall_us());
    }
}

enum ho_code store_ready(struct receiver *rx, struct deadline end, struct ho_err *err)
{
    rx->gate = (struct gate){.counters = NULL};
    db_limit(rx->db, end);
    if (rx->key.len == 0) {
        return ho_fail(err, HO_TRANSIENT, "the installation's key file can't be read");
    }
    if (!gate_ask(&rx->gate, rx->counters, deadline_left_ms(end))) {
        rx->gate = (struct gate){.counters = NULL};
        return ho_fail(err, HO_TRANSIENT, "the database failed a moment ago");
    }
    return HO_OK;
}

void store_tried(struct receiver *rx, enum ho_code code, const struct ho_err *err)
{
    char number[24];
    const struct log_pair pairs[] = {LOG_TEXT("reason", err->text),
                                     log_int("number", err->sys, number)};

    if (rx->gate.counters != NULL && gate_tell(&rx->gate, code, err)) {
        log_event(LOG_WARN, "breaker", NULL, pairs, 2);
    }
}

void reply_accepted(struct receiver *rx, const struct endpoint *e)
{
    reply_kind(rx, e, ANSWER_OK);
    counters_ack(rx->counters, clock_mono_us() - rx->began_us, clock_wall_us());
}

/* A batch of none: a provider's way to ask whether somebody is there. */
static void record_nothing(struct receiver *rx, const struct endpoint *e)
{
    const struct log_pair pairs[] = {LOG_SPAN("source", rx->request.source)};

    log_event(LOG_INFO, "empty", NULL, pairs, 1);
    counters_add(rx->counters, rx->request.source, COUNT_PROBE);
    reply_kind(rx, e, ANSWER_OK);
}

void alarm_database(struct receiver *rx, const char *why)
{
    const struct log_pair pairs[] = {LOG_SPAN("source", rx->request.source),
                                     LOG_TEXT("reason", why)};

    if (counters_alarm(rx->counters, ALARM_DATABASE, clock_wall_us())) {
        log_event(LOG_ALARM, "alarm", NULL, pairs, 2);
    }
}

/* The database's share of the time there is: the spool needs some after it has failed. */
static struct deadline database_end(const struct endpoint *e)
{
    int64_t spare = e->source->spool == SPOOL_OFF ? 0 : SPOOL_SPARE_MS;

    return deadline_in(e->deadline_ms - (spare < e->deadline_ms / 2 ? spare : e->deadline_ms / 2));
}

static enum ho_code into_database(struct receiver *rx, const struct endpoint *e,
                                  enum receipt_result *results, struct ho_err *err)
{
    struct deadline end = database_end(e);
    const struct verdict *v = &rx->verdict;

    enum ho_code code = store_ready(rx, end, err);
    if (code == HO_OK) {
        code = inbox_record(rx->db, v->events, v->n_events, secret_span(&rx->key), end, results,
                            err);
    }
    store_tried(rx, code, err);
    return code;
}

void record(struct receiver *rx, const struct endpoint *e)
{
    const struct verdict *v = &rx->verdict;
    struct ho_err err;

    ho_err_clear(&err);
    if (v->n_events == 0) {
        record_nothing(rx, e);
        return;
    }
    if (e->source->spool == SPOOL_ALWAYS) {
        if (!spool_accept(rx, e, NULL, &err)) {
            busy(rx, e, err.text);
        }
        return;
    }
    enum receipt_result *results = ho_alloc(v->n_events * sizeof *results);
    if (into_database(rx, e, results, &err) != HO_OK) {
        free(results);
        without_database(rx, e, &err);
        return;
    }
    for (size_t i = 0; i < v->n_events; i++) {
        note_result(rx, accepted_event(v->events[i]), results[i]);
        rx->wake = rx->wake || results[i] == RECEIPT_NEW;
    }
    rx->results = results;
    reply_accepted(rx, e);
}

/* After the answer, so a failure changes nothing for the sender: the count is one too low. */
static void count_duplicates(struct receiver *rx)
{
    const struct verdict *v = &rx->verdict;
    struct ho_err err;

    ho_err_clear(&err);
    if (inbox_count_duplicates(rx->db, v->events, rx->results, v->n_events, &err) != HO_OK) {
        const struct log_pair pairs[] = {LOG_TEXT("reason", err.text)};

        log_event(LOG_DEBUG, "duplicate", accepted_event(v->events[0])->cid, pairs, 1);
    }
}

void finish(struct receiver *rx, const struct endpoint *e)
{
    if (rx->results != NULL && span_present(rx->verdict.wanted)) {
        (void)wish(rx, e, "key", rx->verdict.wanted); /* the key that was used grows old */
    }
    if (rx->wake) {
        (void)wake_send(receiver_state_dir(rx));
    }
    if (rx->results != NULL) {
        db_limit(rx->db, deadline_in(LATE_MS));
        count_duplicates(rx);
        import_late(rx);
    }
    if (rx->counters != NULL) {
        pass_late(rx);
        watch_late(rx);
    }
    counters_note_log(rx->counters);
    free(rx->results);
    rx->results = NULL;
    verdict_free(&rx->verdict);
    rx->verdict = (struct verdict){.events = NULL};
}
