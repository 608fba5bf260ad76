/* Between the receiver's own files. All of a receiver's state hangs on one struct; one request is
 * served at a time. */
#ifndef HO_RECEIVER_PARTS_H
#define HO_RECEIVER_PARTS_H

#include <sys/types.h>

#include "base/file.h"
#include "base/secret.h"
#include "core/ticket.h"
#include "edge/gateway.h"
#include "edge/verify.h"
#include "store/answers.h"
#include "store/counters.h"
#include "store/gate.h"
#include "store/inbox.h"

#define RETRY_AFTER "Retry-After: 30\r\n"

struct receiver {
    struct gateway *gateway;
    char *config;                /* path, NULL when none was found */
    struct endpoints *endpoints; /* NULL until a config could be loaded */
    struct db *db;
    struct counters *counters;
    struct secret key;  /* this installation's MAC key; empty when it can't be read */
    struct file_mark key_seen; /* of its file, when it was read */
    int n_arguments;    /* given by the web server; never read */
    struct gate gate;   /* the breaker in front of the database, of the try at hand */
    /* of the request at hand */
    int64_t began_ms, began_us; /* monotonic */
    struct request request;
    bool body_tried;                /* its body was read, or could not be */
    struct verdict verdict;         /* zero before it is verified */
    enum receipt_result *results;   /* of the verdict's events, once they are recorded; else NULL */
    bool wake;                      /* there is work for the processor */
};

/* ---- config.c ---- */

/* Loads the config and the installation's key, or looks whether they changed. A broken new config
 * leaves the old in use; a key that went away does not. */
void receiver_refresh(struct receiver *rx);
const char *receiver_state_dir(const struct receiver *rx); /* needs rx->endpoints */

/* ---- answer.c ---- */

void reply_fixed(struct receiver *rx, int status, const char *headers, const char *text);
/* Answers with this; all of it is borrowed. */
struct reply_text {
    int status;
    const char *type;
    const char *headers; /* complete lines */
    struct span body;
};
void reply_text(struct receiver *rx, const struct reply_text *text);

void reply_answer(struct receiver *rx, const struct answer *answer);
void reply_kind(struct receiver *rx, const struct endpoint *e, enum answer_kind kind);

/* ---- refuse.c ---- */

/* Refuses the request: log, counter, alarm, a kept copy, answer.
 * in: e - NULL: no source of ours, or a page; note - NULL: nothing was verified */
void refuse(struct receiver *rx, const struct endpoint *e, enum reason why,
            const struct verify_note *note);

/* The same for a reason of the receiver's own, with the recipe's answer for bad ones. */
void refuse_because(struct receiver *rx, const struct endpoint *e, const char *why);

/* Answers busy for a reason that is ours: the sender is to come again. */
void busy(struct receiver *rx, const struct endpoint *e, const char *why);

/* ---- capture.c ---- */

/* gateway_read_body, once a request: a later call only says whether there is a body. */
enum reason receiver_read_body(struct receiver *rx, uint64_t cap);

/* Keeps the request that is being refused, if an operator has asked for that; to be called before
 * the answer. Reads the body first when nobody has. */
void capture_refused(struct receiver *rx, const char *why);

/* ---- greet.c ---- */

/* Answers a handshake or a probe that needs no signature, or says that there is none: false. */
bool greet_unsigned(struct receiver *rx, const struct endpoint *e, bool foreign);

/* Answers the handshake in rx->verdict, after what it asks for is done: a secret that is saved, a
 * visit that is wished for. */
void greet(struct receiver *rx, const struct endpoint *e);

/* A GET or HEAD that is nothing else: 200. */
void probe(struct receiver *rx);

/* Leaves a wish for the processor. false: it could not be left, and the log says why. */
bool wish(struct receiver *rx, const struct endpoint *e, const char *word, struct span url);

/* ---- deliver.c ---- */

/* A request that may be a delivery. records - whether one of this method is. */
void deliver(struct receiver *rx, const struct endpoint *e, bool records);

/* ---- record.c ---- */

/* Records the verdict's events and answers. */
void record(struct receiver *rx, const struct endpoint *e);

/* Answers that they are taken, and notes how long that took. */
void reply_accepted(struct receiver *rx, const struct endpoint *e);

/* Whether the database may be tried (its breaker, store/gate.h), and whether what is recorded now
 * could be run later: its key is there. No call of the database waits beyond
 * `end` from now on. store_tried must follow, with what came
 * of this or of what was done after it.
 * returns HO_OK | HO_TRANSIENT (also at once, while the breaker is open) | HO_PERMANENT */
enum ho_code store_ready(struct receiver *rx, struct deadline end, struct ho_err *err)
    HO_MUST_CHECK;
void store_tried(struct receiver *rx, enum ho_code code, const struct ho_err *err);

/* Logs and counts what became of an event. */
void note_result(struct receiver *rx, const struct event *ev, enum receipt_result result);
void alarm_database(struct receiver *rx, const char *why);

/* What can wait until the client has its answer: duplicates, wishes, the wake-up. */
void finish(struct receiver *rx, const struct endpoint *e);

/* ---- spool.c ---- */

/* Keeps the verdict's events in the spool and answers as if they were recorded.
 * in:  why - what is wrong with the database, for the log; NULL: nothing, they are to go there
 * returns false: they could not be kept, err says why, and nothing is answered yet */
bool spool_accept(struct receiver *rx, const struct endpoint *e, const char *why,
                  struct ho_err *err);

/* The verdict's events could not be recorded, for that reason: they are kept in the spool, else
 * answered busy. */
void without_database(struct receiver *rx, const struct endpoint *e, const struct ho_err *why);

/* Starts `hookonce import` when there is something to import and nobody has for a minute: on a host
 * without a processor. */
void import_late(struct receiver *rx);

/* Starts `hookonce watch` when no processor was at work on this host for a quarter of an hour, and
 * nobody watches: cron may be dead, and nobody else would say so. */
void watch_late(struct receiver *rx);

/* ---- ask.c ---- */

/* Records the verdict's event and answers with what the source's handler says: the first delivery
 * runs it, a repeat gets the stored answer, or waits for it, or takes over from a run that
 * vanished. */
void ask(struct receiver *rx, const struct endpoint *e);

/* ---- page.c ---- */

/* What a person or a monitor asks this installation. */
enum page { PAGE_NONE, PAGE_HEALTH, PAGE_METRICS, PAGE_STATUS };

#define PAGE_METHODS "GET, HEAD"

/* Which page the request at hand is for; PAGE_NONE: none, or pages are off. Needs rx->endpoints. */
enum page page_of(const struct receiver *rx);

/* Answers a request for a page, if it bears the token; what needs the database is made by
 * `hookonce page`. blocks: some seconds, while the database is slow */
void serve_page(struct receiver *rx, enum page page);

/* ---- ticket.c ---- */

#define SAID_FIELD_MAX 4096 /* bytes of a token in the query or in Authorization */

/* Appends what Authorization says: a bearer's token, or the password of any user. */
void add_authorization(const struct request *r, struct buf *out);

/* What the ticket of the request at hand is worth: in X-Hookonce-Ticket, in Authorization as a bearer's
 * token, or in the query as `ticket`. Without a key, or a ticket: TICKET_WRONG. Needs rx->endpoints. */
enum ticket_state ticket_shown(const struct receiver *rx, const char *purpose);

/* ---- tick.c ---- */

#define TICK_METHODS "GET, HEAD, POST"

/* Whether the request at hand asks for the processor to be started, and that is on. Needs
 * rx->endpoints. */
bool is_tick(const struct receiver *rx);

/* Starts a pass of the processor for who has a ticket, unless one began a moment ago, and answers at
 * once. */
void serve_tick(struct receiver *rx);

/* Starts a short pass behind the answer, where the config wants that: there is work, or it is time to
 * look, and no processor is at work to hear of it. In turns with others, never waiting. */
void pass_late(struct receiver *rx);

/* Whether the request bears that token: as a bearer's, as a password, or in the query. */
bool page_token_shown(const struct receiver *rx, const struct secret *token);

#define PAGE_NO_STORE "Cache-Control: no-store\r\n"

/* A page holds a second policy, which allows its own style sheet only. The URL may hold the token:
 * it goes to nobody else. */
#define PAGE_HTML_HEADERS                                                                          \
    PAGE_NO_STORE "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; "       \
                  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"                \
                  "Referrer-Policy: no-referrer\r\n"

/* ---- setup.c ---- */

/* Whether the request at hand is for the setup page, and that is on. Needs rx->endpoints. */
bool is_setup(const struct receiver *rx);

/* Answers it, if it bears the token within an hour after that was written; else as if there were no
 * such page. blocks: up to 35 s */
void serve_setup(struct receiver *rx);

/* ---- page_kept.c ---- */

/* Keeps the page of that name in the state folder; what can't be written is not kept. By whoever has
 * the place in which pages are made. */
void page_keep(const struct receiver *rx, const char *name, struct span body);

/* Appends the page of that name, unless it is a minute old or older. false: there is none. */
bool page_kept(const struct receiver *rx, const char *name, struct buf *out);

/* ---- echo.c ---- */

/* Whether the request at hand is for the self-check's probe, <url>/setup/echo. */
bool is_echo(const struct receiver *rx);

/* Answers what of the request arrived, and how this program runs, to who has a ticket for it. Writes
 * nothing, and knows no secret but the ticket's key. Needs rx->endpoints. */
void serve_echo(struct receiver *rx);

/* ---- program.c ---- */

#define PROGRAM_WORDS 4         /* of a command line, without the program */
#define PROGRAM_INPUT_MAX 512   /* a pipe takes that much before anybody reads */

/* What `hookonce` is asked for. */
struct program_call {
    const char *words[PROGRAM_WORDS + 1]; /* the command and what follows it; a NULL behind the last */
    struct span input;                    /* on its standard input */
    size_t said_max;                      /* bytes of what it prints that are kept */
};

struct program {
    pid_t pid;       /* 0: there is none */
    int from;        /* what it prints comes from here */
    struct buf said; /* the first of it */
    bool cut;        /* it printed more */
};

/* Starts `hookonce WORDS` with a clean environment.
 * out: *p - to be ended by program_end
 * returns HO_OK | HO_TRANSIENT (no process, no pipe) | HO_PERMANENT (no such program) */
enum ho_code program_start(const struct receiver *rx, const struct program_call *call,
                           struct program *p, struct ho_err *err) HO_MUST_CHECK;

/* Waits for its end, and for the end of what it prints. false: the time is over, and it runs on.
 * out: *code - its exit code, -1 when a signal ended it */
bool program_wait(struct program *p, struct deadline end, int *code);

/* Starts `hookonce WORDS` with a clean environment, on its own: nobody waits for it, and what it
 * prints is lost. returns HO_OK | HO_TRANSIENT | HO_PERMANENT as program_start. */
enum ho_code program_detach(const struct receiver *rx, const char *const words[PROGRAM_WORDS + 1],
                            struct ho_err *err) HO_MUST_CHECK;

/* Ends it if it runs, at once and without asking, and frees. Also of one that never started. */
void program_end(struct program *p);

#endif
