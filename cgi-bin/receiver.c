/* hookonce.fcgi: request -> accepted event -> receipt and job -> answer, as FastCGI or plain CGI.
 * A 2xx leaves here only when the event is durable. Anything that is not verified writes nothing
 * but a counter and a log line. What is answered is in the log already. argv is never looked at:
 * a web server may fill it from the query. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/secret.h"
#include "edge/gateway.h"
#include "edge/verify.h"
#include "store/counters.h"
#include "store/inbox.h"
#include "store/migrate.h"
#include "store/wake.h"

#define RETRY_AFTER "Retry-After: 30\r\n"

struct receiver {
    struct gateway *gateway;
    char *config;                /* path, NULL when none was found */
    struct endpoints *endpoints; /* NULL until a config could be loaded */
    struct db *db;
    struct counters *counters;
    struct secret key; /* this installation's MAC key; empty when it can't be read */
    unsigned long link; /* the database link on which the tables were found to fit; 0: none */
    struct request request;
};

/* What is to be done once the client has its answer. */
struct late {
    const struct accepted *duplicate;
    bool wake;
};

/* ---- configuration ---- */

static void alarm_config(struct receiver *rx, const char *text)
{
    const struct log_pair pairs[] = {LOG_TEXT("reason", text)};

    if (rx->counters == NULL || counters_alarm(rx->counters, ALARM_CONFIG, clock_wall_us())) {
        log_event(LOG_ALARM, "config", NULL, pairs, 1);
    }
}

static void read_key(struct receiver *rx)
{
    struct ho_err err;

    ho_err_clear(&err);
    if (secret_read(endpoints_settings(rx->endpoints)->key_file, &rx->key, &err) != HO_OK) {
        alarm_config(rx, err.text);
    }
}

static void use_config(struct receiver *rx)
{
    const struct settings *s = endpoints_settings(rx->endpoints);

    (void)mkdir(s->state_dir, 0700); /* one that can't be made shows as a log on stderr */
    log_open(s->log_file);
    log_set_level(s->log_level);
    db_close(rx->db);
    rx->db = db_open(s, DB_RECEIVER);
    rx->link = 0;
    counters_close(rx->counters);
    rx->counters = counters_open(s->state_dir);
    secret_free(&rx->key);
    read_key(rx);
}

/* Loads the config, or looks whether it changed. A broken new one leaves the old in use. */
static void refresh_config(struct receiver *rx)
{
    struct ho_err err;
    bool changed = false;

    ho_err_clear(&err);
    if (rx->endpoints != NULL) {
        if (endpoints_refresh(&rx->endpoints, &changed, &err) != HO_OK) {
            alarm_config(rx, err.text);
        }
    } else {
        if (rx->config == NULL) {
            rx->config = settings_find(NULL, &err);
        }
        if (rx->config == NULL || endpoints_load(rx->config, &rx->endpoints, &err) != HO_OK) {
            alarm_config(rx, err.text);
        }
        changed = rx->endpoints != NULL;
    }
    if (changed) {
        use_config(rx);
    } else if (rx->endpoints != NULL && rx->key.len == 0) {
        read_key(rx); /* it may have been put there meanwhile */
    }
}

/* ---- answers ---- */

static void reply_fixed(struct receiver *rx, int status, const char *headers, const char *text)
{
    struct reply reply = {.status = status, .type = text[0] != '\0' ? "text/plain" : NULL,
                          .body = span_of(text), .headers = headers};

    reply.head_only = span_is(rx->request.method, "HEAD");
    gateway_reply(rx->gateway, &reply);
}

static void reply_answer(struct receiver *rx, const struct answer *answer, const char *headers)
{
    struct reply reply = {.status = answer->status, .type = answer->type,
                          .body = buf_span(&answer->body), .headers = headers};

    reply.head_only = span_is(rx->request.method, "HEAD");
    gateway_reply(rx->gateway, &reply);
}

static void reply_kind(struct receiver *rx, const struct endpoint *e, enum answer_kind kind)
{
    struct answer answer;

    answer_for(e, kind, &answer);
    reply_answer(rx, &answer, kind == ANSWER_BUSY ? RETRY_AFTER : NULL);
    buf_free(&answer.body);
}

/* ---- refusals ---- */

static void log_refusal(const struct receiver *rx, const char *event, const char *why,
                        const struct verify_note *note)
{
    char age[24], length[24], tried[24];
    struct log_pair pairs[9];
    size_t n = 0;

    pairs[n++] = LOG_SPAN("source", rx->request.source);
    pairs[n++] = LOG_TEXT("reason", why);
    pairs[n++] = LOG_SPAN("method", rx->request.method);
    pairs[n++] = log_int("length", (int64_t)rx->request.length, length);
    if (note != NULL && note->header != NULL) {
        pairs[n++] = LOG_TEXT("header", note->header);
        pairs[n++] = LOG_TEXT("present", note->header_present ? "yes" : "no");
        if (note->has_time) {
            pairs[n++] = log_int("age_s", note->age_s, age);
        }
        pairs[n++] = log_int("secrets", (int64_t)note->secrets_tried, tried);
        pairs[n++] = LOG_TEXT("body", note->body_digest[0] != '\0' ? note->body_digest : NULL);
    }
    log_event(LOG_WARN, event, NULL, pairs, n);
}

static void count_refusal(struct receiver *rx, struct span source, enum reason why)
{
    static const enum counter of[] = {
        [ANSWER_BAD] = COUNT_UNSIGNED, [ANSWER_BUSY] = COUNT_BUSY, [ANSWER_FIXED] = COUNT_REJECTED};
    const struct log_pair hint[] = {LOG_SPAN("source", source),
                                    LOG_TEXT("reason", reasons[why].word)};
    enum alarm alarm = why == REASON_SIGNATURE ? ALARM_SIGNATURES : ALARM_NO_SECRET;

    counters_add(rx->counters, source, of[reasons[why].kind]);
    if ((why == REASON_SIGNATURE || why == REASON_NO_SECRET) &&
        counters_alarm(rx->counters, alarm, clock_wall_us())) {
        log_event(LOG_ALARM, "alarm", NULL, hint, 2);
    }
}

/* e is NULL where the request has not come as far as a source's own answers. */
static void refuse(struct receiver *rx, const struct endpoint *e, enum reason why,
                   const struct verify_note *note)
{
    const struct reason_row *row = &reasons[why];
    const char *headers = why == REASON_METHOD ? "Allow: POST, GET, HEAD\r\n" : NULL;

    log_refusal(rx, row->kind == ANSWER_BUSY ? "busy" : "rejected", row->word, note);
    count_refusal(rx, e != NULL ? rx->request.source : SPAN_LIT("-"), why);
    if (e != NULL && row->kind != ANSWER_FIXED) {
        reply_kind(rx, e, row->kind);
    } else {
        reply_fixed(rx, row->status, headers, row->word);
    }
}

static void busy(struct receiver *rx, const struct endpoint *e, const struct ho_err *err)
{
    const struct log_pair pairs[] = {LOG_SPAN("source", rx->request.source),
                                     LOG_TEXT("reason", err->text)};

    log_event(LOG_WARN, "busy", NULL, pairs, 2);
    counters_add(rx->counters, rx->request.source, COUNT_BUSY);
    if (counters_alarm(rx->counters, ALARM_DATABASE, clock_wall_us())) {
        log_event(LOG_ALARM, "alarm", NULL, pairs, 2);
    }
    reply_kind(rx, e, ANSWER_BUSY);
}

/* ---- deliveries ---- */

static void note_result(struct receiver *rx, const struct event *ev, enum receipt_result result)
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
    char secret[24], length[24];
    const struct log_pair pairs[] = {
        LOG_SPAN("source", ev->source),
        LOG_SPAN("provider", ev->provider),
        LOG_SPAN("id", ev->id),
        LOG_SPAN("type", ev->type),
        log_int("secret", ev->secret_no, secret),
        log_int("length", (int64_t)ev->body.len, length),
        LOG_SPAN("document", ev->document),
    };

    log_event(rows[result].level, rows[result].event, ev->cid, pairs,
              sizeof pairs / sizeof pairs[0]);
    counters_add(rx->counters, ev->source, rows[result].counter);
    if (result == RECEIPT_CONFLICT || result == RECEIPT_REPEAT) {
        (void)counters_alarm(rx->counters, ALARM_CONFLICT, clock_wall_us());
    }
}

static enum ho_code fits_tx(struct db *db, void *arg, struct ho_err *err)
{
    struct receiver *rx = arg;
    enum ho_code code = migrate_fits(db, secret_span(&rx->key), err);

    rx->link = code == HO_OK ? db_thread_id(db) : 0;
    return code;
}

/* Whether what is recorded now would be run later; looked at once a link. Run like a transaction:
 * a link that died while it was idle shows here first, and is no reason to be busy. */
static enum ho_code store_ready(struct receiver *rx, struct deadline end, struct ho_err *err)
{
    if (rx->key.len == 0) {
        return ho_fail(err, HO_TRANSIENT, "the installation's key file can't be read");
    }
    if (rx->link != 0 && db_thread_id(rx->db) == rx->link) {
        return HO_OK;
    }
    return db_transact(rx->db, end, fits_tx, rx, err);
}

static void record(struct receiver *rx, const struct endpoint *e, const struct accepted *a,
                   struct late *late)
{
    struct deadline end = deadline_in(e->deadline_ms);
    enum receipt_result result;
    struct ho_err err;

    ho_err_clear(&err);
    if (store_ready(rx, end, &err) == HO_OK &&
        inbox_record(rx->db, a, secret_span(&rx->key), end, &result, &err) == HO_OK) {
        note_result(rx, accepted_event(a), result);
        reply_kind(rx, e, ANSWER_OK);
        late->duplicate = result == RECEIPT_DUPLICATE ? a : NULL;
        late->wake = result == RECEIPT_NEW;
        return;
    }
    busy(rx, e, &err);
}

static void handshake(struct receiver *rx, struct answer *answer)
{
    const struct log_pair pairs[] = {LOG_SPAN("source", rx->request.source)};

    log_event(LOG_INFO, "handshake", NULL, pairs, 1);
    counters_add(rx->counters, rx->request.source, COUNT_HANDSHAKE);
    reply_answer(rx, answer, NULL);
    buf_free(&answer->body);
}

/* A POST to a known source. *out: the event, for late work; the caller frees it. */
static void deliver(struct receiver *rx, const struct endpoint *e, struct accepted **out,
                    struct late *late)
{
    int64_t now_us = clock_wall_us();
    struct verify_note note;
    struct answer answer;
    enum reason why = verify_head(e, &rx->request, now_us, &note);
    enum reason body;

    /* A handshake that nobody signs comes without a signature; only then is a body looked at. */
    if (why != REASON_OK && (why != REASON_HEADER_MISSING || !hello_unsigned(e))) {
        refuse(rx, e, why, &note);
        return;
    }
    body = gateway_read_body(rx->gateway, &rx->request, e->cap);
    if (why == REASON_HEADER_MISSING && body == REASON_OK &&
        hello_answer(e, &rx->request, &answer)) {
        handshake(rx, &answer);
        return;
    }
    if (why == REASON_OK) {
        why = body;
    }
    if (why == REASON_OK) {
        why = verify_event(e, &rx->request, now_us, out, &answer, &note);
    }
    if (why != REASON_OK) {
        refuse(rx, e, why, &note);
    } else if (*out == NULL) {
        handshake(rx, &answer);
    } else {
        record(rx, e, *out, late);
    }
}

static void probe(struct receiver *rx, const struct endpoint *e)
{
    struct answer answer;

    if (hello_answer(e, &rx->request, &answer)) {
        handshake(rx, &answer);
        return;
    }
    counters_add(rx->counters, rx->request.source, COUNT_PROBE);
    reply_fixed(rx, 200, NULL, "");
}

/* After the answer, so a failure changes nothing for the sender: the count is one too low. */
static void count_duplicate(struct receiver *rx, const struct accepted *a)
{
    struct ho_err err;

    ho_err_clear(&err);
    if (inbox_count_duplicate(rx->db, a, &err) != HO_OK) {
        const struct log_pair pairs[] = {LOG_TEXT("reason", err.text)};

        log_event(LOG_DEBUG, "duplicate", accepted_event(a)->cid, pairs, 1);
    }
}

static void serve(struct receiver *rx, enum reason bad)
{
    const struct request *r = &rx->request;
    struct late late = {NULL, false};
    struct accepted *accepted = NULL;
    const struct endpoint *e;

    refresh_config(rx);
    if (rx->endpoints == NULL) {
        reply_fixed(rx, 503, RETRY_AFTER, "not configured");
        return;
    }
    e = endpoints_find(rx->endpoints, r->source);
    if (bad != REASON_OK) {
        refuse(rx, NULL, bad, NULL);
    } else if (e == NULL) {
        refuse(rx, NULL, REASON_NO_SOURCE, NULL);
    } else if (span_is(r->method, "POST")) {
        deliver(rx, e, &accepted, &late);
    } else if (span_is(r->method, "GET") || span_is(r->method, "HEAD")) {
        probe(rx, e);
    } else {
        refuse(rx, NULL, REASON_METHOD, NULL);
    }
    if (late.wake) {
        wake_send(endpoints_settings(rx->endpoints)->state_dir);
    }
    if (late.duplicate != NULL) {
        count_duplicate(rx, late.duplicate);
    }
    accepted_free(accepted);
}

int main(void)
{
    struct receiver *rx = ho_alloc(sizeof *rx);
    enum reason bad;

    memset(rx, 0, sizeof *rx);
    log_open(NULL);
    rx->gateway = gateway_open();
    while (gateway_next(rx->gateway, &rx->request, &bad) == 1) {
        serve(rx, bad);
        gateway_finish(rx->gateway);
    }
    gateway_close(rx->gateway);
    db_close(rx->db);
    counters_close(rx->counters);
    secret_free(&rx->key);
    endpoints_free(rx->endpoints);
    free(rx->config);
    free(rx);
    return 0;
}
