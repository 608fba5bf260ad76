/* Refusals: what the log says, what is counted, what is answered. Nothing of the request goes back
 * to the sender. */
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "receiver/parts.h"

/* What was meant as a query is not shown: a token may stand in it. */
static struct span plain_part(struct span source)
{
    static const char ends[] = ";=&?:";

    for (size_t i = 0; i < sizeof ends - 1 && span_present(source); i++) {
        struct span rest = source;
        source = span_cut(&rest, (unsigned char)ends[i]);
    }
    return source;
}

static void log_refusal(const struct receiver *rx, const char *event, const char *why,
                        const struct verify_note *note)
{
    char age[24], length[24], tried[24], ms[24];
    struct log_pair pairs[11];
    size_t n = 0;

    pairs[n++] = LOG_SPAN("source", plain_part(rx->request.source));
    pairs[n++] = LOG_TEXT("reason", why);
    pairs[n++] = LOG_SPAN("method", rx->request.method);
    pairs[n++] = log_int("length", (int64_t)rx->request.length, length);
    pairs[n++] = log_int("ms", clock_mono_ms() - rx->began_ms, ms);
    if (note != NULL && note->header != NULL) {
        pairs[n++] = LOG_TEXT("header", note->header);
        pairs[n++] = LOG_TEXT("present", note->header_present ? "yes" : "no");
        pairs[n++] = LOG_TEXT("which", note->which[0] != '\0' ? note->which : NULL);
        if (note->has_time) {
            pairs[n++] = log_int("age_s", note->age_s, age);
        }
        pairs[n++] = log_int("secrets", (int64_t)note->secrets_tried, tried);
        pairs[n++] = LOG_TEXT("body", note->body_digest[0] != '\0' ? note->body_digest : NULL);
    }
    log_event(LOG_WARN, event, NULL, pairs, n);
}

/* What a browser or a broken line makes is no delivery. */
static bool is_delivery(const struct receiver *rx, enum reason why, bool known)
{
    return known ? why != REASON_METHOD && why != REASON_BAD_REQUEST && why != REASON_SHORT_BODY &&
                       reasons[why].kind != ANSWER_BUSY
                 : why == REASON_NO_SOURCE && span_is(rx->request.method, "POST");
}

static void count_refusal(struct receiver *rx, struct span source, enum reason why)
{
    static const enum counter of[] = {[ANSWER_BAD] = COUNT_UNSIGNED,
                                      [ANSWER_BUSY] = COUNT_BUSY,
                                      [ANSWER_NEVER] = COUNT_REJECTED,
                                      [ANSWER_FIXED] = COUNT_REJECTED};
    const struct log_pair hint[] = {LOG_SPAN("source", source),
                                    LOG_TEXT("reason", reasons[why].word)};
    enum alarm alarm = why == REASON_SIGNATURE ? ALARM_SIGNATURES : ALARM_NO_SECRET;

    counters_add(rx->counters, source, of[reasons[why].kind]);
    if (is_delivery(rx, why, !span_is(source, "-"))) {
        counters_refused(rx->counters, source, why, reasons[why].kind == ANSWER_NEVER);
    }
    if (why == REASON_SIGNATURE) {
        counters_signature(rx->counters, source, false);
    }
    if ((why == REASON_SIGNATURE || why == REASON_NO_SECRET) &&
        counters_alarm(rx->counters, alarm, clock_wall_us())) {
        log_event(LOG_ALARM, "alarm", NULL, hint, 2);
    }
}

/* What would do: which methods, for a 405, and how to say the token. "" when that is not what is
 * wrong. */
static void hint_line(const struct receiver *rx, const struct endpoint *e, enum reason why,
                      char out[96])
{
    char methods[ENDPOINT_ALLOW_ROOM] = PAGE_METHODS;

    out[0] = '\0';
    if (why == REASON_METHOD) {
        if (e != NULL) {
            endpoint_allow(e, methods);
        } else if (rx->endpoints != NULL && is_tick(rx)) {
            (void)snprintf(methods, sizeof methods, "%s", TICK_METHODS);
        }
        (void)snprintf(out, 96, "Allow: %s\r\n", methods);
    } else if (why == REASON_PAGE_TOKEN) {
        (void)snprintf(out, 96, "WWW-Authenticate: Basic realm=\"hookonce\"\r\n");
    } else if (why == REASON_TICKET) {
        (void)snprintf(out, 96, "WWW-Authenticate: Bearer realm=\"hookonce\"\r\n");
    }
}

void refuse(struct receiver *rx, const struct endpoint *e, enum reason why,
            const struct verify_note *note)
{
    const struct reason_row *row = &reasons[why];
    char hint[96];

    log_refusal(rx, row->kind == ANSWER_BUSY ? "busy" : "rejected", row->word, note);
    count_refusal(rx, e != NULL ? rx->request.source : SPAN_LIT("-"), why);
    if (e != NULL) {
        capture_refused(rx, row->word);
    }
    if (e != NULL && row->kind != ANSWER_FIXED) {
        reply_kind(rx, e, row->kind);
    } else {
        hint_line(rx, e, why, hint);
        reply_fixed(rx, row->status, hint, row->word);
    }
}

void refuse_because(struct receiver *rx, const struct endpoint *e, const char *why)
{
    log_refusal(rx, "rejected", why, NULL);
    counters_add(rx->counters, rx->request.source, COUNT_UNSIGNED);
    counters_refused(rx->counters, rx->request.source, REASON_OK, false);
    capture_refused(rx, why);
    reply_kind(rx, e, ANSWER_BAD);
}

void busy(struct receiver *rx, const struct endpoint *e, const char *why)
{
    const struct verdict *v = &rx->verdict;
    char ms[24];
    const struct log_pair pairs[] = {LOG_SPAN("source", rx->request.source),
                                     LOG_TEXT("reason", why),
                                     log_int("ms", clock_mono_ms() - rx->began_ms, ms)};

    log_event(LOG_WARN, "busy", v->n_events > 0 ? accepted_event(v->events[0])->cid : NULL, pairs,
              3);
    counters_add(rx->counters, rx->request.source, COUNT_BUSY);
    reply_kind(rx, e, ANSWER_BUSY);
}
