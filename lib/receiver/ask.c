/* Reply mode: the sender waits for what a handler says. One deadline runs from the first byte of
 * the request to the answer; nothing goes into the queue, and nothing is tried again by us. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/host.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mac.h"
#include "base/text.h"
#include "receiver/parts.h"
#include "store/answers.h"

#define LOOK_EVERY_MS 50
#define EXIT_BUSY 69 /* of `hookonce reply`: the sender may ask again */
#define NAME_ROOM 65
#define SAID_MAX 4096 /* of what it prints, for the log */

struct asking {
    struct receiver *rx;
    const struct endpoint *e;
    struct deadline end; /* for the answer */
    char cid[ULID_LEN + 1];
    char worker[NAME_ROOM];
    struct reply_claim claim;
    const char *how; /* for the log */
};

/* ---- answers ---- */

static void tell(const struct asking *a, enum log_level level, int status, const char *why)
{
    char ms[24], code[24];
    const struct log_pair pairs[] = {
        LOG_TEXT("source", a->e->source->name),
        LOG_TEXT("handler", a->e->source->handler->name),
        LOG_TEXT("how", a->how),
        log_int("status", status, code),
        log_int("ms", clock_mono_ms() - a->rx->began_ms, ms),
        LOG_TEXT("why", why),
    };

    log_event(level, "answered", a->cid, pairs, sizeof pairs / sizeof pairs[0]);
}

static void answer_kind(struct asking *a, enum answer_kind kind, const char *why)
{
    a->how = kind == ANSWER_REPLY_BUSY ? "busy" : "failed";
    if (kind == ANSWER_REPLY_BUSY) {
        counters_add(a->rx->counters, a->rx->request.source, COUNT_BUSY);
    }
    tell(a, LOG_WARN, answer_status(a->e, kind), why);
    reply_kind(a->rx, a->e, kind);
}

/* The type where the handler names none and the recipe neither. */
static const char *guess_type(struct span body)
{
    struct json *doc = NULL;
    struct span text = span_trim_line(body);
    bool is_json = (span_starts(text, "{") || span_starts(text, "[")) &&
                   json_parse(body, &doc, NULL) == HO_OK;

    json_free(doc);
    if (is_json) {
        return "application/json";
    }
    return text_is_utf8(body) ? "text/plain; charset=utf-8" : "application/octet-stream";
}

/* A handler that says nothing at all means the recipe's own answer. */
static void answer_stored(struct asking *a, const struct reply_answer *stored)
{
    struct span body = buf_span(&stored->body);
    const char *usual = answer_type(a->e, ANSWER_REPLY_OK);

    tell(a, LOG_INFO, (int)stored->status, NULL);
    if (body.len == 0 && stored->type[0] == '\0' && stored->status == 200) {
        reply_kind(a->rx, a->e, ANSWER_REPLY_OK);
        return;
    }
    struct answer answer = {.status = (int)stored->status, .body = stored->body};
    answer.type = stored->type[0] != '\0' ? stored->type
                  : body.len == 0         ? NULL
                  : usual != NULL         ? usual
                                          : guess_type(body);
    reply_answer(a->rx, &answer);
}

/* ---- running it ---- */

/* What it printed, for whoever reads the log: its own log lines where they go to stderr, else the
 * reason why it could not even begin. */
static const char *said_by(const struct asking *a, struct program *p, char room[200])
{
    struct span said = buf_span(&p->said), line;

    if (endpoints_settings(a->rx->endpoints)->log.place == LOG_TO_STDERR && said.len > 0) {
        (void)!write(STDERR_FILENO, said.p, said.len);
        return NULL;
    }
    line = span_trim_line(span_cut(&said, '\n'));
    line = span_sub(line, 0, 199);
    if (line.len > 0) {
        memcpy(room, line.p, line.len);
    }
    room[line.len] = '\0';
    return line.len > 0 ? room : NULL;
}

/* Whose answer is wanted: of this request's own event, whatever the rows say. */
static struct answer_of asked_for(const struct asking *a)
{
    const struct event *e = accepted_event(a->rx->verdict.events[0]);

    return (struct answer_of){a->cid, e->provider, e->id};
}

static void answer_ended(struct asking *a, struct program *p, int code)
{
    const struct answer_of of = asked_for(a);
    struct reply_look look;
    char room[200];
    struct ho_err err;

    ho_err_clear(&err);
    const char *said = said_by(a, p, room);
    if (answers_look(a->rx->db, &of, secret_span(&a->rx->key), &look, &err) != HO_OK) {
        alarm_database(a->rx, err.text);
        answer_kind(a, ANSWER_REPLY_BUSY, err.text);
    } else if (look.state == REPLY_ANSWERED) {
        answer_stored(a, &look.answer);
    } else if (code == EXIT_BUSY) {
        answer_kind(a, ANSWER_REPLY_BUSY, said != NULL ? said : "not now");
    } else {
        answer_kind(a, ANSWER_REPLY_FAIL,
                    said != NULL ? said
                    : code < 0   ? "hookonce reply was killed"
                                 : "its handler failed");
    }
    reply_answer_free(&look.answer);
}

/* Nothing runs, and nothing will: whoever asks again need not wait for the lease. */
static void answer_not_started(struct asking *a, const struct ho_err *err)
{
    const struct log_pair why[] = {LOG_TEXT("reason", err->text)};
    struct ho_err ignored;

    if (err->code == HO_PERMANENT &&
        counters_alarm(a->rx->counters, ALARM_CONFIG, clock_wall_us())) {
        log_event(LOG_ALARM, "config", a->cid, why, 1);
    }
    if (answers_let_go(a->rx->db, a->cid, &a->claim, &ignored) != HO_OK) {
        alarm_database(a->rx, ignored.text);
    }
    answer_kind(a, ANSWER_REPLY_FAIL, err->text);
}

/* The claim's token in hex, and a line end. */
static struct span token_line(const unsigned char token[JOB_TOKEN_LEN],
                              char room[2 * JOB_TOKEN_LEN + 2])
{
    text_hex(token, JOB_TOKEN_LEN, room);
    room[2 * JOB_TOKEN_LEN] = '\n';
    return span_make(room, 2 * JOB_TOKEN_LEN + 1);
}

/* Under our claim. Whoever is late is answered for in time; what runs on has the grace of its
 * lease. */
static void run(struct asking *a)
{
    struct deadline lease = {a->end.end_ms + REPLY_GRACE_MS};
    char token[2 * JOB_TOKEN_LEN + 2];
    const struct program_call call = {.words = {"reply", a->cid},
                                      .input = token_line(a->claim.token, token),
                                      .said_max = SAID_MAX};
    struct program p;
    struct ho_err err;
    int code;

    ho_err_clear(&err);
    if (program_start(a->rx, &call, &p, &err) != HO_OK) {
        answer_not_started(a, &err);
    } else if (program_wait(&p, a->end, &code)) {
        answer_ended(a, &p, code);
    } else {
        answer_kind(a, ANSWER_REPLY_FAIL, "its handler was not through in time");
        (void)program_wait(&p, lease, &code);
    }
    program_end(&p);
}

/* ---- asked again ---- */

static struct reply_claim *new_claim(struct asking *a)
{
    mac_random(a->claim.token, sizeof a->claim.token);
    a->claim.worker = a->worker;
    a->claim.lease_ms = deadline_left_ms(a->end) + REPLY_GRACE_MS;
    return &a->claim;
}

enum next { NEXT_WAIT, NEXT_RUN, NEXT_ANSWERED };

static enum next take_over(struct asking *a, uint64_t job)
{
    struct ho_err err;
    bool taken = false;

    ho_err_clear(&err);
    enum ho_code code =
        answers_take(a->rx->db, a->cid, job, new_claim(a), a->end, &taken, &err);
    if (code != HO_OK) {
        alarm_database(a->rx, err.text);
        answer_kind(a, ANSWER_REPLY_BUSY, err.text);
        return NEXT_ANSWERED;
    }
    return taken ? NEXT_RUN : NEXT_WAIT;
}

static enum next look_again(struct asking *a)
{
    const struct answer_of of = asked_for(a);
    enum next next = NEXT_ANSWERED;
    struct reply_look look;
    struct ho_err err;

    ho_err_clear(&err);
    if (answers_look(a->rx->db, &of, secret_span(&a->rx->key), &look, &err) != HO_OK) {
        alarm_database(a->rx, err.text);
        answer_kind(a, ANSWER_REPLY_BUSY, err.text);
        return NEXT_ANSWERED;
    }
    switch (look.state) {
    case REPLY_ANSWERED:
        answer_stored(a, &look.answer);
        break;
    case REPLY_RUNS:
        next = NEXT_WAIT;
        break;
    case REPLY_FREE:
        next = take_over(a, look.job);
        break;
    case REPLY_FORGED:
        answer_kind(a, ANSWER_REPLY_FAIL, "the stored answer was not written by this installation");
        break;
    case REPLY_NONE:
        answer_kind(a, ANSWER_REPLY_FAIL,
                    "it was recorded without reply mode, discarded as done, or its "
                    "answer is gone");
        break;
    }
    reply_answer_free(&look.answer);
    return next;
}

static void ask_again(struct asking *a)
{
    enum next next;

    a->how = "stored";
    while ((next = look_again(a)) == NEXT_WAIT && deadline_left_ms(a->end) > 0) {
        a->how = "waited";
        clock_sleep_ms(LOOK_EVERY_MS);
    }
    if (next == NEXT_RUN) {
        a->how = "taken over";
        run(a);
    } else if (next == NEXT_WAIT) {
        answer_kind(a, ANSWER_REPLY_BUSY, "another request of the same id is still being answered");
    }
}

/* ---- asked ---- */

static void worker_name(char out[NAME_ROOM])
{
    char host[HOST_NAME_ROOM];

    host_name(host);
    (void)snprintf(out, NAME_ROOM, "%s-%ld-reply", host, (long)getpid());
}

static struct deadline sooner(struct deadline a, struct deadline b)
{
    return a.end_ms < b.end_ms ? a : b;
}

void ask(struct receiver *rx, const struct endpoint *e)
{
    struct asking a = {.rx = rx, .e = e, .end = {rx->began_ms + e->reply_ms}, .how = "new"};
    const struct verdict *v = &rx->verdict;
    struct deadline soon = sooner(deadline_in(e->deadline_ms), a.end);
    struct recorded recorded;
    struct ho_err err;

    ho_err_clear(&err);
    if (v->n_events != 1) {
        ho_die("bug: %zu events where one is answered", v->n_events);
    }
    worker_name(a.worker);
    memcpy(a.cid, accepted_event(v->events[0])->cid, sizeof a.cid);
    enum ho_code code = store_ready(rx, soon, &err);
    if (code == HO_OK) {
        code = inbox_record_reply(rx->db, v->events[0], secret_span(&rx->key), new_claim(&a),
                                  soon, &recorded, &err);
    }
    store_tried(rx, code, &err);
    if (code != HO_OK) {
        alarm_database(rx, err.text);
        answer_kind(&a, ANSWER_REPLY_BUSY, err.text);
        return;
    }
    db_limit(rx->db, a.end);
    memcpy(a.cid, recorded.cid, sizeof a.cid);
    rx->results = ho_alloc(sizeof *rx->results); /* a duplicate is counted behind the answer */
    rx->results[0] = recorded.result;
    note_result(rx, accepted_event(v->events[0]), recorded.result);
    switch (recorded.result) {
    case RECEIPT_NEW:
        run(&a);
        break;
    case RECEIPT_DUPLICATE:
        ask_again(&a);
        break;
    case RECEIPT_CONFLICT:
    case RECEIPT_REPEAT:
        answer_kind(&a, ANSWER_REPLY_FAIL, "another event has its id, or its content");
        break;
    }
}
