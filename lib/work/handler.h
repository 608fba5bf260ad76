/* Running a handler: what it is given, and how it can end. */
#ifndef HO_WORK_HANDLER_H
#define HO_WORK_HANDLER_H

#include "base/clock.h"
#include "base/json.h"
#include "core/settings.h"
#include "store/db.h"
#include "store/stored.h"

enum handler_result {
    HANDLER_DONE,    /* SQL: all statements ran, not committed yet; else: it said so */
    HANDLER_FAILED,  /* a try that counts; SQL: roll back */
    HANDLER_AGAIN,   /* SQL only: deadlock, lock wait, lost link: roll back, run the whole again */
    HANDLER_BAD,     /* SQL only: it ended the transaction, or wrote where no ROLLBACK reaches */
    HANDLER_DEFER,   /* not now, and nothing was done: again after report.wait_ms, no try counted */
    HANDLER_GIVE_UP, /* it refused for good, and nothing was done: dead letter */
    HANDLER_UNKNOWN  /* a try that counts; nobody knows whether it acted: timeout, lost answer */
};

struct handler_call {
    const struct settings *settings; /* certificates to trust; commands and URLs only */
    const struct handler *handler;
    const struct stored *stored;
    const struct json *doc; /* NULL: the body is no document */
    struct span body;       /* commands and URLs: the event's own body; of a batch its item */
    const struct json *fetched;  /* NULL: nothing was fetched */
    struct span fetched_body;    /* what was fetched, byte for byte; empty: it is gone (gone = run);
                                    SPAN_NONE: the route does not fetch */
    const char *idempotency_key; /* 64 hex digits; NULL: not known */
    unsigned try_no;        /* from 1 */
    struct deadline end;    /* it must be through by then */
    const char *limit;      /* what sets that end, for people; NULL: the handler's own timeout */
    uint64_t *rows;         /* SQL: set to how many rows it changed, all together */
};

#define HANDLER_ANSWER_MAX (1024UL * 1024) /* bytes of an answer in reply mode */
#define HANDLER_SAID_MAX 4096              /* bytes of what a command prints that are kept */

/* What a command or URL said. Set up by handler_report_init; owned: handler_report_free. */
struct handler_report {
    /* in */
    bool reply; /* the answer is wanted: status, type and body below */
    /* out */
    int64_t wait_ms; /* with DEFER, and with FAILED where it asked for a time: 0: as we like */
    bool untouched;  /* with FAILED: certainly nothing was done: it was never started, nothing was
                        sent, or it says so itself */
    int exit_code;   /* of a command, else -1 */
    struct buf said; /* the end of what it printed, at most HANDLER_SAID_MAX, for the error text */
    /* out, with reply and DONE: */
    unsigned status;
    char type[256]; /* content type; "": none */
    struct buf body;
};
#define HANDLER_LIMIT_ROOM 48

/* "timeout 30s": what an error text blames when the time was up. */
void handler_limit(const struct handler_call *call, char out[HANDLER_LIMIT_ROOM]);

void handler_report_init(struct handler_report *r, bool reply);
void handler_report_free(struct handler_report *r);

/* Runs the handler's statements on db, inside the transaction that the caller has begun and will
 * commit. Rows that they return are dropped, but for the first row of the last statement with
 * report->reply: its columns are body, status, content type.
 * in:  report — NULL where no answer is wanted
 * out: err — why, for all but DONE. blocks: until call->end, plus one read timeout. */
enum handler_result handler_sql_run(struct db *db, const struct handler_call *call,
                                    struct ho_err *err) HO_MUST_CHECK;
enum handler_result handler_sql_reply(struct db *db, const struct handler_call *call,
                                      struct handler_report *report, struct ho_err *err)
    HO_MUST_CHECK;

/* How a command says what became of it, by its exit code (sysexits.h). With report->reply all that
 * it prints is the answer's body; with `prints = headers` lines Status and Content-Type and an
 * empty line stand before it. It gets the event's body on
 * its standard input, the contract (core/contract.h) in its environment, and the folder of the
 * config as working directory. handler_exits says what every end means, handler_statuses of
 * answers. */
enum handler_exit {
    HANDLER_EXIT_DONE = 0,
    HANDLER_EXIT_DATA = 65,   /* EX_DATAERR */
    HANDLER_EXIT_DEFER = 69,  /* EX_UNAVAILABLE */
    HANDLER_EXIT_AGAIN = 75,  /* EX_TEMPFAIL */
    HANDLER_EXIT_CONFIG = 78  /* EX_CONFIG */
};
struct handler_end {
    const char *when;  /* "0", "a signal", "200 to 299" */
    const char *means; /* for the manual; ends with a full stop */
};
extern const struct handler_end handler_exits[], handler_statuses[];
extern const size_t handler_exits_n, handler_statuses_n;

/* Runs a command (HANDLER_COMMAND) or posts to a URL (HANDLER_URL). Its try is committed before.
 * out: err — why, for all but DONE; never a secret. blocks: until call->end, and 2 s more. */
enum handler_result handler_cmd_run(const struct handler_call *call, struct handler_report *report,
                                    struct ho_err *err) HO_MUST_CHECK;
enum handler_result handler_http_run(const struct handler_call *call,
                                     struct handler_report *report, struct ho_err *err)
    HO_MUST_CHECK;

/* Runs one query of a route (needs, skip_if) in a transaction that can only read and is rolled
 * back.
 * in:  s — a statement that only returns rows; call->end bounds it
 * out: *row — whether it gave at least one
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT (the query cannot work; err names `word`) */
enum ho_code handler_sql_look(struct db *db, const struct statement *s, const char *word,
                              const struct handler_call *call, bool *row, struct ho_err *err)
    HO_MUST_CHECK;

/* ---- fetching an object: `fetch` of a route ---- */

enum fetch_result {
    FETCH_DONE,   /* body and doc */
    FETCH_GONE,   /* 404 or 410: the route's `gone` says what that means */
    FETCH_FAILED, /* a try that counts, and nothing was done; also what is no JSON */
    FETCH_DEFER,  /* 429 or 503: again after wait_ms, no try counted */
    FETCH_NEVER   /* its URL cannot be made of this event: trying again will not help */
};

#define FETCHED_MAX (8UL * 1024 * 1024)

struct fetched {
    struct buf body;
    struct json *doc; /* NULL but with DONE */
    int64_t wait_ms;  /* with DEFER, as above */
};
void fetched_free(struct fetched *f); /* also of an all-zero one */

/* Gets the route's object: verified TLS, no redirects, at most FETCHED_MAX bytes.
 * out: *out owned (fetched_free), also after a failure; err — why, for all but DONE; never a
 * secret.
 * blocks: until end */
enum fetch_result fetch_object(const struct settings *s, const struct route *r,
                               const struct ref_view *v, struct deadline end, struct fetched *out,
                               struct ho_err *err) HO_MUST_CHECK;

/* ---- values ---- */

/* Values for the references of one statement. */
struct bound {
    struct db_value values[PARAMS_MAX];
    struct buf room;
};

/* Text for strings, numbers (as the sender wrote them), objects and arrays (as JSON); 1 and 0 for
 * booleans; NULL for what is null or missing. Numbers are text so that a column of text is compared
 * as text: by its index, and without '12' meaning '12abc'.
 * out: owned (bound_free), also after a failure; borrows from call
 * returns HO_OK | HO_PERMANENT (an integer that cannot be kept exactly, or too much in all). */
enum ho_code bind_params(const struct statement *s, const struct handler_call *call,
                         struct bound *out, struct ho_err *err) HO_MUST_CHECK;
void bound_free(struct bound *b);

#endif
