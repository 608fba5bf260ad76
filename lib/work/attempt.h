/* One claim of one job on its way to an outcome; what the files of the gate, the handlers' runs and
 * the settlement share. */
#ifndef HO_WORK_ATTEMPT_H
#define HO_WORK_ATTEMPT_H

#include "base/json.h"
#include "core/flow_key.h"
#include "core/outcome.h"
#include "core/route.h"
#include "store/job.h"
#include "store/stored.h"
#include "work/handler.h"
#include "work/worker.h"

struct attempt {
    struct worker *w;
    struct claim *claim; /* that the job is part of, and where in it */
    size_t at;
    struct job *job;
    int64_t began_ms; /* monotonic */
    char started[JOB_TIME_ROOM];
    struct stored stored;
    struct json *doc;
    const struct route *route; /* NULL while none is known */
    struct flow_keys keys;     /* with a route */
    bool other_mode;           /* a route would want it but for its livemode */
    bool ran;                  /* SQL on the handler's link: it needs a reset */
    bool cut;                  /* its link was lost while it ran */
    uint64_t rows;             /* that it changed */
    enum outcome outcome;      /* decided, perhaps not yet settled */
    enum outcome attempt;      /* of the try itself, where that is another one; else NONE */
    struct ho_err why;         /* for outcomes that are no success */
    /* What the route's queries said. */
    bool so;      /* skip_if gave a row */
    bool lacking; /* needs gave none */
    const struct ref *void_ref; /* of needs, that leads to nothing in this event; NULL: none */
    /* What the gate has committed. */
    bool in_lane;
    bool has_place; /* the handler's limits are told how it ends */
    bool reserved;  /* an effect, for a command or URL */
    bool asked;     /* a command or URL is asked under this claim */
    bool future;    /* the event's mark moves no mark */
    bool reordered; /* its object's mark is of something else, and counts as none */
    /* Before the claim, and what became of it. */
    bool asked_before; /* another claim of the job has asked, and it may have acted */
    bool tried;        /* the handler itself was begun */
    bool untouched;    /* this claim certainly did nothing */
    bool committing;   /* a COMMIT was sent whose answer may be lost */
    struct fetched fetched;
    struct handler_report report;
    /* A job that is put off. */
    enum job_wait waits; /* NONE: it is not */
    int64_t wait_ms;
    bool asleep;     /* for its lane, or the end of a pause, until it is woken */
    const struct pause *pause; /* with WAIT_PAUSE: of the worker, which looks only between jobs */
    char done_by[ULID_LEN + 1]; /* also with ALREADY_DONE and STALE; "": nobody */
    bool woke;                  /* another job is due now: tell the workers */
};

/* Whether its route has a command or URL for a handler. */
bool attempt_outside(const struct attempt *a);

/* Whether anything of the job may have been done outside, under this claim or another. */
bool attempt_acted(const struct attempt *a);

/* The key that its handler gets, in hex; borrowed. */
const char *attempt_idempotency(const struct attempt *a);

/* Whether that key may be used; false: a->why says why not. Behind each fence: it reads the row. */
bool attempt_key_sound(struct attempt *a);

/* What references look into. */
struct ref_view attempt_view(const struct attempt *a);

/* The share of the claims that a job of the route belongs to. */
enum job_class attempt_class(const struct route *r, bool tried);

/* What the handler or a query gets; end is when it must be through. */
struct handler_call attempt_call(struct attempt *a, struct deadline end);

/* The handler's time ends before the lease does, so that its job can still be settled. */
struct deadline attempt_end(const struct attempt *a);

/* What is asked outside does not end with its time: a command is ended then, which takes
 * CHILD_MORE_MS at worst. No other try may begin before, so the lease ends so much later. */
#define ASK_SPARE_MS 10000
struct deadline attempt_ask_end(const struct attempt *a);

/* How long a lease must last for its handler to have its whole time: longer than the config's lease
 * where that is short. */
int64_t attempt_lease_ms(const struct attempt *a);

/* ---- prepare.c ---- */

/* Makes the keys of the event on a->route.
 * returns HO_OK | HO_PERMANENT (the event lacks one: why says which) */
enum ho_code prepare_keys(struct attempt *a) HO_MUST_CHECK;

/* Asks the route's own queries: a->so, a->lacking.
 * returns HO_OK | HO_TRANSIENT | HO_PERMANENT: a->why; the database failed, or the query */
enum ho_code prepare_look(struct attempt *a) HO_MUST_CHECK;

/* ---- run.c ---- */

/* Gets the object that the route wants; true: that ended the try, settle it alone. */
bool run_fetch(struct attempt *a);

/* Behind the gate: fetches what the route fetches, and asks a command or URL. SQL is run by
 * dispatch.
 * out: true: a->outcome or a->waits is decided; false: SQL may run */
bool run_outside(struct attempt *a);

/* ---- settle.c, and report.c for what is told ---- */

/* What the outcome means for the job: done; ready again later by the route's retry rule; or dead,
 * at once or because it was the last try (then a->outcome becomes OUTCOME_GAVE_UP). text holds the
 * error for the row and lives as long as the settlement. */
#define SETTLE_TEXT_ROOM 1001
struct settlement settle_plan(struct attempt *a, char text[SETTLE_TEXT_ROOM]);

/* Ends the claim by s, and what it had of others with it: effect, lane, place. In the caller's
 * transaction, behind the fence. *held as job_settle. */
enum ho_code settle_in(struct db *db, struct attempt *a, const struct settlement *s, bool *held,
                       struct ho_err *err) HO_MUST_CHECK;

/* The same for a job that is put off: a->waits, a->wait_ms. */
enum ho_code put_off_in(struct db *db, struct attempt *a, bool *held, struct ho_err *err)
    HO_MUST_CHECK;

/* Settles it, or puts it off, in a transaction of its own on the control link, when the handler's
 * was rolled back or there is none. A claim that was lost meanwhile gives OUTCOME_LEASE_LOST. */
enum ho_code settle_alone(struct attempt *a, struct ho_err *err) HO_MUST_CHECK;

/* For a claim that does not hold its job any more: OUTCOME_LEASE_LOST, or, if it was this very
 * claim that settled and only the answer to its COMMIT was lost, that outcome. */
enum ho_code settle_lost(struct attempt *a, struct ho_err *err) HO_MUST_CHECK;

/* The longest that a job may have waited, for whatever, since its last counted try when it is put
 * off for this. */
#define WAIT_RELEASE_MAX_MS (24 * 60 * 60 * INT64_C(1000)) /* unknown effect; then dead */
#define WAIT_HANDLER_MAX_MS (24 * 60 * 60 * INT64_C(1000)) /* "not now"; then it is a failed try */
#define WAIT_LIMIT_MAX_MS (7 * 24 * 60 * 60 * INT64_C(1000)) /* breaker, rate, places; then dead */

/* After the commit: log line, counts and alarms. */
void settle_report(struct attempt *a);

/* One log line with an alarm, at most one a minute a kind. */
void settle_alarm(struct worker *w, enum alarm kind, const char *cid, const char *why);

#endif
